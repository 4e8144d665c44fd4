"""Parameters from observations: what they allow, and no more."""

from netmodel.calibration._model import (
    Curve,
    DemandModel,
    FreeParameter,
    LinearModel,
    Loads,
    Model,
    Point,
    SeveralModels,
)
from netmodel.calibration._observed import Conditions, Observed
from netmodel.calibration._path_model import PathModel, adapter_model, host_cost_model

__all__ = [
    "Conditions",
    "Curve",
    "DemandModel",
    "FreeParameter",
    "LinearModel",
    "Loads",
    "Model",
    "Observed",
    "PathModel",
    "Point",
    "SeveralModels",
    "adapter_model",
    "host_cost_model",
]
