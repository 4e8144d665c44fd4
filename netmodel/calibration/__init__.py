"""Parameters from observations: what they allow, and no more."""

from netmodel.calibration._fit import Fit, fit
from netmodel.calibration._fit_checks import LackOfFit, Residual
from netmodel.calibration._fit_intervals import Threshold
from netmodel.calibration._fit_refusals import Collinearity
from netmodel.calibration._likelihood import Noise, censored_event_rate
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
from netmodel.calibration._observed import (
    Conditions,
    Observed,
)
from netmodel.calibration._path_model import (
    PathModel,
    adapter_model,
    host_cost_model,
)
from netmodel.calibration._scores import (
    Coverage,
    coverage,
    crps_normal,
    interval_score,
    leave_one_out_errors,
)
from netmodel.calibration._shares import (
    VarianceShare,
    variance_shares,
)

__all__ = [
    "Collinearity",
    "Conditions",
    "Coverage",
    "Curve",
    "DemandModel",
    "Fit",
    "FreeParameter",
    "LackOfFit",
    "LinearModel",
    "Loads",
    "Model",
    "Noise",
    "Observed",
    "PathModel",
    "Point",
    "Residual",
    "SeveralModels",
    "Threshold",
    "VarianceShare",
    "adapter_model",
    "censored_event_rate",
    "coverage",
    "crps_normal",
    "fit",
    "host_cost_model",
    "interval_score",
    "leave_one_out_errors",
    "variance_shares",
]
