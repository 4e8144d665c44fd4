"""What observations tell of parameters and predictions, and how well predictions hold."""

from netmodel.calibration._scores import (
    Coverage,
    coverage,
    crps_normal,
    interval_score,
    leave_one_out_errors,
)
from netmodel.calibration._shares import VarianceShare, variance_shares

__all__ = [
    "Coverage",
    "VarianceShare",
    "coverage",
    "crps_normal",
    "interval_score",
    "leave_one_out_errors",
    "variance_shares",
]
