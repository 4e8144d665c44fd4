"""A calibration, by whichever method the observations are enough for."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from netmodel.calibration._fitting._fit import Fit, fit
from netmodel.calibration._model import LinearModel, Model
from netmodel.calibration._observed import Observed
from netmodel.calibration._sets._feasible import FeasibleSet, feasible_set
from netmodel.calibration._sources._conditions import only_read
from netmodel.errors import CalibrationError, ContradictionError

__all__ = ["Calibration", "calibrate"]

Calibration: TypeAlias = Fit | FeasibleSet
"""Both tell ``parameters``, ``warnings`` and what they ``predict``."""


def calibrate(
    model: Model, observed: Sequence[Observed], noise_ratio: float | None = None
) -> Calibration:
    """
    Parameters of a model from observations: likeliest ones where these tell them, else all.

    Parameters
    ----------
    model : Model
        What has the parameters.
    observed : sequence of Observed
        What was seen.
    noise_ratio : float, optional
        Standard deviation of the noise as a ratio, where it is known.

    Returns
    -------
    calibration : Fit or FeasibleSet
        A fit where there are more figures with two ends than parameters and
        they scatter. Else, for a linear model, the set of all parameters that
        agree with every figure within its rounding; its first warning is why.
        Conditions that the model does not look at are left away; where they
        differ, a warning says so.

    Raises
    ------
    CalibrationError
        If the observations do not tell the parameters, and the model is not linear.
    ContradictionError
        If they cannot be true together within their rounding, and are too few
        to tell noise.
    DomainError
        If the model does not know a quantity, or a condition that it needs is not told.

    Examples
    --------
    Two figures, of which the line hid one, tell no likeliest value:

    >>> import math
    >>> from netmodel.calibration import adapter_model
    >>> seen = [
    ...     Observed(
    ...         quantity="throughput_bps", at={"mtu_bytes": 1500}, low=13.35e9, high=13.45e9
    ...     ),
    ...     Observed(
    ...         quantity="throughput_bps", at={"mtu_bytes": 9000}, low=24.75e9, high=math.inf
    ...     ),
    ... ]
    >>> found = calibrate(adapter_model(25e9), seen)
    >>> type(found).__name__, found.parameters["per_byte_s"].value
    ('FeasibleSet', None)
    """
    read = only_read(model, observed)
    try:
        found = fit(model, read.observed, noise_ratio=noise_ratio)
        return replace(found, warnings=(*read.notes, *found.warnings))
    except CalibrationError as refusal:
        if not isinstance(model, LinearModel):
            raise
        try:
            allowed = feasible_set(model, read.observed)
        except ContradictionError as contradiction:
            told = f"{contradiction}; nor are any values the likeliest: {refusal}"
            raise ContradictionError(told) from contradiction
        why = f"all that the figures allow, since no values are the likeliest: {refusal}"
        return replace(allowed, warnings=(why, *read.notes, *allowed.warnings))
