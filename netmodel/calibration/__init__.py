"""Parameters from observations, as far as these allow."""

from netmodel.calibration._batch import ManyFits, fit_many, linear_fit_many
from netmodel.calibration._batch_slopes import differentiated

__all__ = [
    "ManyFits",
    "differentiated",
    "fit_many",
    "linear_fit_many",
]
