"""A calibration, by whichever method the observations are enough for."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from netmodel.calibration._fitting._fit import Fit, fit
from netmodel.calibration._model import LinearModel, Model
from netmodel.calibration._observed import Observed
from netmodel.calibration._scatter import with_baselines_as_runs
from netmodel.calibration._sets._feasible import FeasibleSet, set_of_runs
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
        Standard deviation from run to run as a ratio, where it is known. When left out,
        repeats tell it, or how figures scatter about the model.

    Returns
    -------
    calibration : Fit or FeasibleSet
        A fit where there are figures with two ends for all parameters. Else, for a
        linear model, the set of all parameters that agree with every figure; its first
        warning is why. One's own figures are within the noise that is given, or that
        repeats tell; without either all intervals are open, as those of a fit without a
        degree of freedom. Published figures are within their rounding, as long as that
        explains how they differ from the model.
        Conditions that the model does not look at are left away; where they
        differ, a warning says so. A ratio to one's own run that stands above it is that
        run times the ratio: one more run, which scatters for itself.

    Raises
    ------
    CalibrationError
        If the observations do not tell the parameters, and the model is not linear.
    ContradictionError
        If they cannot be true together within rounding and noise.
    DomainError
        If the model does not know a quantity, or a condition that it needs is missing.

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
    read = replace(read, observed=with_baselines_as_runs(read.observed))
    try:
        found = fit(model, read.observed, noise_ratio=noise_ratio)
        return replace(found, warnings=(*read.notes, *found.warnings))
    except CalibrationError as refusal:
        if not isinstance(model, LinearModel):
            raise
        try:
            allowed = set_of_runs(model, read.observed, noise_ratio)
        except ContradictionError as contradiction:
            told = f"{contradiction}; nor are any values the likeliest: {refusal}"
            raise ContradictionError(told) from contradiction
        why = f"all that the figures allow, since no values are the likeliest: {refusal}"
        return replace(allowed, warnings=(why, *read.notes, *allowed.warnings))
