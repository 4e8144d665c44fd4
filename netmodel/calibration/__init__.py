"""Parameters from observations: what they allow, and no more."""

from netmodel.calibration._calibrate import Calibration, calibrate
from netmodel.calibration._fitting._checks import LackOfFit, Residual
from netmodel.calibration._fitting._fit import Fit, fit
from netmodel.calibration._fitting._intervals import Threshold
from netmodel.calibration._fitting._likelihood import Noise, censored_event_rate
from netmodel.calibration._fitting._refusals import Collinearity
from netmodel.calibration._many._batch import ManyFits, fit_many, linear_fit_many
from netmodel.calibration._many._slopes import differentiated
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
from netmodel.calibration._next import (
    Advice,
    Fitted,
    candidate_points,
    next_measurements,
)
from netmodel.calibration._observed import (
    MESSAGE_CONDITIONS,
    Cap,
    Conditions,
    Observed,
    conditions_with,
)
from netmodel.calibration._ready_models._cost_shapes import coalescing_curve, falling_cost_model
from netmodel.calibration._ready_models._fixed import with_fixed
from netmodel.calibration._ready_models._host import host_cost_model
from netmodel.calibration._ready_models._path import PathModel, adapter_model
from netmodel.calibration._ready_models._rate_shapes import (
    ScalabilityLaw,
    amortised_curve,
    power_model,
    saturation_model,
    scalability_law,
    scalability_model,
)
from netmodel.calibration._recorded import adapter_document, host_document
from netmodel.calibration._sets._conflicts import Conflict, conflict
from netmodel.calibration._sets._feasible import FeasibleSet, as_printed, feasible_set
from netmodel.calibration._shares import VarianceShare, variance_shares
from netmodel.calibration._sources._conditions import (
    only_read,
    read_conditions,
    shared_conditions,
    unread_conditions,
    varied_numbers,
)
from netmodel.calibration._sources._csv import observed_from_csv
from netmodel.calibration._sources._dataset import observed_from_dataset
from netmodel.calibration._sources._line_speed import line_cap, line_speed_as_censored
from netmodel.calibration._sources._measurements import (
    observed_from_measurements,
    observed_of_adapter,
)
from netmodel.calibration._sources._selection import Flagged, Selection
from netmodel.calibration._sources._statements import (
    observed_from_adapter,
    observed_from_statements,
)
from netmodel.calibration._validation._baselines import (
    Beyond,
    Method,
    Predictor,
    Scale,
    ceiling_alone,
    interpolation,
    mean_of_others,
)
from netmodel.calibration._validation._compare import Compared, Comparison, compare
from netmodel.calibration._validation._forecast import forecasting
from netmodel.calibration._validation._leave_out import (
    in_sample,
    leave_one_group_out,
    leave_one_out,
)
from netmodel.calibration._validation._prediction_errors import Errors, Judged
from netmodel.calibration._validation._scores import (
    Coverage,
    coverage,
    crps_normal,
    interval_score,
    leave_one_out_errors,
)
from netmodel.calibration._validation._simulate import CoverageStudy, coverage_of, simulate

__all__ = [
    "MESSAGE_CONDITIONS",
    "Advice",
    "Beyond",
    "Calibration",
    "Cap",
    "Collinearity",
    "Compared",
    "Comparison",
    "Conditions",
    "Conflict",
    "Coverage",
    "CoverageStudy",
    "Curve",
    "DemandModel",
    "Errors",
    "FeasibleSet",
    "Fit",
    "Fitted",
    "Flagged",
    "FreeParameter",
    "Judged",
    "LackOfFit",
    "LinearModel",
    "Loads",
    "ManyFits",
    "Method",
    "Model",
    "Noise",
    "Observed",
    "PathModel",
    "Point",
    "Predictor",
    "Residual",
    "ScalabilityLaw",
    "Scale",
    "Selection",
    "SeveralModels",
    "Threshold",
    "VarianceShare",
    "adapter_document",
    "adapter_model",
    "amortised_curve",
    "as_printed",
    "calibrate",
    "candidate_points",
    "ceiling_alone",
    "censored_event_rate",
    "coalescing_curve",
    "compare",
    "conditions_with",
    "conflict",
    "coverage",
    "coverage_of",
    "crps_normal",
    "differentiated",
    "falling_cost_model",
    "feasible_set",
    "fit",
    "fit_many",
    "forecasting",
    "host_cost_model",
    "host_document",
    "in_sample",
    "interpolation",
    "interval_score",
    "leave_one_group_out",
    "leave_one_out",
    "leave_one_out_errors",
    "line_cap",
    "line_speed_as_censored",
    "linear_fit_many",
    "mean_of_others",
    "next_measurements",
    "observed_from_adapter",
    "observed_from_csv",
    "observed_from_dataset",
    "observed_from_measurements",
    "observed_from_statements",
    "observed_of_adapter",
    "only_read",
    "power_model",
    "read_conditions",
    "saturation_model",
    "scalability_law",
    "scalability_model",
    "shared_conditions",
    "simulate",
    "unread_conditions",
    "variance_shares",
    "varied_numbers",
    "with_fixed",
]
