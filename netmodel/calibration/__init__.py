"""Parameters from observations: what they allow, and no more."""

from netmodel.calibration._conflicts import Conflict, conflict
from netmodel.calibration._feasible import FeasibleSet, as_printed, feasible_set
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
from netmodel.calibration._next import Advice, Fitted, candidate_points, next_measurements
from netmodel.calibration._observed import Conditions, Observed
from netmodel.calibration._path_model import PathModel, adapter_model, host_cost_model

__all__ = [
    "Advice",
    "Conditions",
    "Conflict",
    "Curve",
    "DemandModel",
    "FeasibleSet",
    "Fitted",
    "FreeParameter",
    "LinearModel",
    "Loads",
    "Model",
    "Observed",
    "PathModel",
    "Point",
    "SeveralModels",
    "adapter_model",
    "as_printed",
    "candidate_points",
    "conflict",
    "feasible_set",
    "host_cost_model",
    "next_measurements",
]
