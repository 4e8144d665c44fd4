"""Parameters from observations: what they allow, and no more; how well predictions hold."""

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
from netmodel.calibration._scores import (
    Coverage,
    coverage,
    crps_normal,
    interval_score,
    leave_one_out_errors,
)
from netmodel.calibration._shares import VarianceShare, variance_shares

__all__ = [
    "Conditions",
    "Coverage",
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
    "VarianceShare",
    "adapter_model",
    "coverage",
    "crps_normal",
    "host_cost_model",
    "interval_score",
    "leave_one_out_errors",
    "variance_shares",
]
