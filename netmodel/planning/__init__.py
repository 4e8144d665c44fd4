"""What to buy and what to change: sizes and recommendations computed from predictions."""

from netmodel.planning._advice import SteeringAdvice
from netmodel.planning._flows import Flow, parse_flow, workload_flow
from netmodel.planning._peaks import (
    lognormal_peak_ratio,
    normal_peak_ratio,
    pooled_variation_ratio,
)
from netmodel.planning._plan import compare_plans, plan
from netmodel.planning._plans import Corner, DirectionNeed, Plan, PoolNeed, StageUse
from netmodel.planning._resources import Headroom, Spreading
from netmodel.planning._sizing import (
    MixScale,
    adapter_use_ratio,
    mix_scale,
    required_adapter_count,
    required_core_count,
)
from netmodel.planning._steered import SteeringTimes
from netmodel.planning._steering import NOTICEABLE_RATIO, advise_steering

__all__ = [
    "NOTICEABLE_RATIO",
    "Corner",
    "DirectionNeed",
    "Flow",
    "Headroom",
    "MixScale",
    "Plan",
    "PoolNeed",
    "Spreading",
    "StageUse",
    "SteeringAdvice",
    "SteeringTimes",
    "adapter_use_ratio",
    "advise_steering",
    "compare_plans",
    "lognormal_peak_ratio",
    "mix_scale",
    "normal_peak_ratio",
    "parse_flow",
    "plan",
    "pooled_variation_ratio",
    "required_adapter_count",
    "required_core_count",
    "workload_flow",
]
