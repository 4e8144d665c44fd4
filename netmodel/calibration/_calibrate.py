"""A calibration, by whichever method the observations are enough for."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from netmodel.calibration._fit import Fit, fit
from netmodel.calibration._models._base import LinearModel, Model
from netmodel.calibration._models._named import about_model, named_model
from netmodel.calibration._observed import Observed
from netmodel.calibration._scatter import with_baselines_as_runs
from netmodel.calibration._sets import FeasibleSet, set_of_runs
from netmodel.calibration._sources._conditions import line_cap, line_speed_as_censored, only_read
from netmodel.calibration._sources._selection import Selection
from netmodel.errors import CalibrationError, ContradictionError, DomainError

_NOTE_CHARACTERS = 110
"""A line of text output, about; a longer note is split into what is wrong and what to do."""
Calibration: TypeAlias = Fit | FeasibleSet
"""Both have ``parameters`` and ``notes``, and ``predict``."""


def calibrate(
    observed: Iterable[Observed],
    model: Model | str = "adapter",
    noise_ratio: float | None = None,
    *,
    line_rate_bps: float | None = None,
    free: Sequence[str] = (),
    fixed: Mapping[str, float] | None = None,
) -> Calibration:
    """
    Parameters of a model from observations: the likeliest, or else all that agree.

    Parameters
    ----------
    observed : iterable of Observed
        Measurements, or published figures; a `Selection` too.
    model : Model or str
        A model, or the name of one, as ``netmodel calibrate --model`` takes it:
        ``"adapter"`` (time per frame and per byte of each direction), ``"host"`` (CPU time
        per message, frame and byte of one side), ``"scalability"``, ``"saturation"``,
        ``"power"``, ``"amortised"`` (rates over connections), ``"coalescing"``,
        ``"falling-cost"`` (CPU time per transaction over their rate), or a path of your own,
        ``"FILE.toml"``.
    noise_ratio : float, optional
        Standard deviation from run to run as a ratio, where it is known. When left out, it is
        estimated from repeats, or from how figures scatter about the model.
    line_rate_bps : float, optional
        MAC rate of the line, for a model by its name. Figures at the line count as lower
        bounds of what the adapter could do; figures above it are left out. [bit/s]
    free : sequence of str
        For ``"host"`` or a path: names of the service times to estimate.
    fixed : mapping of str to float, optional
        Parameters taken as known, by name. [s]

    Returns
    -------
    calibration : Fit or FeasibleSet
        A fit where there are enough figures for all parameters. Else, for a linear model, the
        set of all parameters that agree with every figure; its first note is why. Your own
        figures then agree within the noise given or estimated from repeats; without either,
        all intervals are open, as those of a fit without a degree of freedom. Published
        figures agree within their rounding, as long as that explains how they differ from the
        model. Conditions that the model does not use are left away; where they differ, a note
        says so. A ratio to your own run above it counts as one more run.

    Raises
    ------
    CalibrationError
        If the parameters cannot be estimated from the observations, and the model is not
        linear.
    ContradictionError
        If they cannot be true together within rounding and noise.
    DomainError
        If there is no such model, the model does not predict a quantity, or a condition that
        it needs is missing.

    Examples
    --------
    Three runs past an adapter, whose noise is known:

    >>> seen = [
    ...     Observed(quantity="throughput_bps", at={"mtu_bytes": mtu}, low=rate, high=rate)
    ...     for mtu, rate in ((1500, 13.4e9), (4000, 20.0e9), (9000, 24.1e9))
    ... ]
    >>> result = calibrate(seen, "adapter", 0.01)
    >>> round(result.parameters["per_frame_s"].value * 1e6, 2)
    0.46

    Two figures, of which the line hid one, have no likeliest value:

    >>> import math
    >>> seen = [
    ...     Observed(
    ...         quantity="throughput_bps", at={"mtu_bytes": 1500}, low=13.35e9, high=13.45e9
    ...     ),
    ...     Observed(
    ...         quantity="throughput_bps", at={"mtu_bytes": 9000}, low=24.75e9, high=math.inf
    ...     ),
    ... ]
    >>> result = calibrate(seen, "adapter", line_rate_bps=25e9)
    >>> type(result).__name__, result.parameters["per_byte_s"].value
    ('FeasibleSet', None)
    """
    seen = Selection(tuple(observed))
    if isinstance(model, str):
        seen = about_model(model, seen)
        model = named_model(
            model, seen.observed, line_rate_bps=line_rate_bps, free=free, fixed=fixed
        )
    elif line_rate_bps is not None or free or fixed:
        raise DomainError(
            "line_rate_bps, free and fixed are for a model by its name: give them to the model"
        )
    seen = Selection((), seen.notes) + only_read(model, seen.observed)
    if line_rate_bps is not None:
        seen = Selection((), seen.notes) + line_speed_as_censored(
            seen.observed, line_cap(line_rate_bps)
        )
    runs = with_baselines_as_runs(seen.observed)
    try:
        result = fit(runs, model, noise_ratio=noise_ratio)
        return replace(result, notes=(*seen.notes, *result.notes))
    except CalibrationError as refusal:
        if not isinstance(model, LinearModel):
            raise
        try:
            allowed = set_of_runs(runs, model, noise_ratio)
        except ContradictionError as contradiction:
            raise ContradictionError(
                f"{contradiction}; nor is there a best fit: {refusal}"
            ) from contradiction
        why = f"no unique best fit: {refusal}"
        whys = [why] if len(why) <= _NOTE_CHARACTERS else why.split("; ", 1)
        return replace(allowed, notes=(*whys, *seen.notes, *allowed.notes))
