"""Parameters from observations: what they allow, and no more."""

from typing import TYPE_CHECKING

from netmodel._packages import loaded_when_used

if TYPE_CHECKING:
    from netmodel.calibration._calibrate import calibrate
    from netmodel.calibration._calibrated_records import calibrated_documents
    from netmodel.calibration._compare import compare, interpolation
    from netmodel.calibration._conditions import line_cap, line_speed_as_censored
    from netmodel.calibration._curves import (
        curve_model,
    )
    from netmodel.calibration._declarations import calibrated_inputs
    from netmodel.calibration._documents import (
        observed_from_dataset,
        observed_from_records,
    )
    from netmodel.calibration._fit import Fit, fit
    from netmodel.calibration._leave_out import leave_one_out
    from netmodel.calibration._many_fits import fit_scalability
    from netmodel.calibration._models import (
        Curve,
        DemandModel,
        FreeParameter,
        Point,
        SeveralModels,
    )
    from netmodel.calibration._next import next_measurements, variance_shares
    from netmodel.calibration._noise import Noise
    from netmodel.calibration._observed import Flagged, Observed, Selection
    from netmodel.calibration._path_model import PathModel, adapter_model, host_cost_model
    from netmodel.calibration._records import adapter_document, host_document
    from netmodel.calibration._results import (
        observed_from_measurements,
        observed_of_adapter,
    )
    from netmodel.calibration._sets import FeasibleSet, conflict, feasible_set
    from netmodel.calibration._table import (
        observed,
        observed_from_table,
    )

__all__ = [
    "Curve",
    "DemandModel",
    "FeasibleSet",
    "Fit",
    "Flagged",
    "FreeParameter",
    "Noise",
    "Observed",
    "PathModel",
    "Point",
    "Selection",
    "SeveralModels",
    "adapter_document",
    "adapter_model",
    "calibrate",
    "calibrated_documents",
    "calibrated_inputs",
    "compare",
    "conflict",
    "curve_model",
    "feasible_set",
    "fit",
    "fit_scalability",
    "host_cost_model",
    "host_document",
    "interpolation",
    "leave_one_out",
    "line_cap",
    "line_speed_as_censored",
    "next_measurements",
    "observed",
    "observed_from_dataset",
    "observed_from_measurements",
    "observed_from_records",
    "observed_from_table",
    "observed_of_adapter",
    "variance_shares",
]

__getattr__ = loaded_when_used(
    __name__,
    {
        "_calibrate": ("calibrate",),
        "_calibrated_records": ("calibrated_documents",),
        "_compare": (
            "compare",
            "interpolation",
        ),
        "_conditions": (
            "line_cap",
            "line_speed_as_censored",
        ),
        "_curves": ("curve_model",),
        "_declarations": ("calibrated_inputs",),
        "_documents": (
            "observed_from_dataset",
            "observed_from_records",
        ),
        "_fit": (
            "Fit",
            "fit",
        ),
        "_leave_out": ("leave_one_out",),
        "_many_fits": ("fit_scalability",),
        "_noise": ("Noise",),
        "_models": (
            "Curve",
            "DemandModel",
            "FreeParameter",
            "Point",
            "SeveralModels",
        ),
        "_next": ("next_measurements", "variance_shares"),
        "_observed": (
            "Flagged",
            "Observed",
            "Selection",
        ),
        "_path_model": (
            "PathModel",
            "adapter_model",
            "host_cost_model",
        ),
        "_records": (
            "adapter_document",
            "host_document",
        ),
        "_results": (
            "observed_from_measurements",
            "observed_of_adapter",
        ),
        "_sets": (
            "FeasibleSet",
            "conflict",
            "feasible_set",
        ),
        "_table": (
            "observed",
            "observed_from_table",
        ),
    },
)
