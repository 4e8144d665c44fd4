"""Parameters from observations: what they allow, and no more."""

from netmodel.calibration._batch import ManyFits, fit_many, linear_fit_many
from netmodel.calibration._batch_slopes import differentiated
from netmodel.calibration._calibrate import Calibration, calibrate, unread_conditions
from netmodel.calibration._conflicts import Conflict, conflict
from netmodel.calibration._feasible import FeasibleSet, as_printed, feasible_set
from netmodel.calibration._fit import Fit, fit
from netmodel.calibration._fit_checks import LackOfFit, Residual
from netmodel.calibration._fit_intervals import Threshold
from netmodel.calibration._fit_refusals import Collinearity
from netmodel.calibration._from_csv import observed_from_csv
from netmodel.calibration._from_dataset import observed_from_dataset
from netmodel.calibration._from_measurements import observed_from_measurements
from netmodel.calibration._from_statements import (
    observed_from_adapter,
    observed_from_statements,
)
from netmodel.calibration._likelihood import Noise
from netmodel.calibration._line_speed import line_cap, line_speed_as_censored
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
from netmodel.calibration._next import Advice, candidate_points, next_measurements
from netmodel.calibration._observed import Conditions, Observed
from netmodel.calibration._path_model import PathModel, adapter_model, host_cost_model
from netmodel.calibration._scores import (
    Coverage,
    coverage,
    crps_normal,
    interval_score,
    leave_one_out_errors,
)
from netmodel.calibration._selection import Flagged, Selection
from netmodel.calibration._shares import VarianceShare, variance_shares

__all__ = [
    "Advice",
    "Calibration",
    "Collinearity",
    "Conditions",
    "Conflict",
    "Coverage",
    "Curve",
    "DemandModel",
    "FeasibleSet",
    "Fit",
    "Flagged",
    "FreeParameter",
    "LackOfFit",
    "LinearModel",
    "Loads",
    "ManyFits",
    "Model",
    "Noise",
    "Observed",
    "PathModel",
    "Point",
    "Residual",
    "Selection",
    "SeveralModels",
    "Threshold",
    "VarianceShare",
    "adapter_model",
    "as_printed",
    "calibrate",
    "candidate_points",
    "conflict",
    "coverage",
    "crps_normal",
    "differentiated",
    "feasible_set",
    "fit",
    "fit_many",
    "host_cost_model",
    "interval_score",
    "leave_one_out_errors",
    "line_cap",
    "line_speed_as_censored",
    "linear_fit_many",
    "next_measurements",
    "observed_from_adapter",
    "observed_from_csv",
    "observed_from_dataset",
    "observed_from_measurements",
    "observed_from_statements",
    "unread_conditions",
    "variance_shares",
]
