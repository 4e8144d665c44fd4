"""What to change: recommendations computed from predictions, with their reasons."""

from netmodel.planning._advice import SteeringAdvice
from netmodel.planning._steered import SteeringTimes
from netmodel.planning._steering import NOTICEABLE_RATIO, advise_steering

__all__ = ["NOTICEABLE_RATIO", "SteeringAdvice", "SteeringTimes", "advise_steering"]
