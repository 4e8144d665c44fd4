"""A calibration: the model by its name, the method, and what is asked of the result."""

import math
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from netmodel.calibration._fit import Fit, fit, with_hidden_outlier
from netmodel.calibration._likelihood import WIDTH_IN_SD
from netmodel.calibration.diagnostics import MISFIT, OUTLIER, outlier_note
from netmodel.calibration.models import LinearModel, Model, noise_unknown, not_estimable
from netmodel.calibration.named_models import AUTO, about_model, named_model, require_read
from netmodel.calibration.observations import (
    FAILED_RUN,
    Observed,
    Selection,
    comparable,
    line_speed_as_censored,
    only_read,
    without_zeros,
)
from netmodel.calibration.path_models import line_cap
from netmodel.calibration.sets import FeasibleSet, feasible_set
from netmodel.errors import CalibrationError, ContradictionError, DomainError
from netmodel.lazy_numpy import np
from netmodel.numeric import require_plain
from netmodel.records.values import Relation
from netmodel.text import argument

if TYPE_CHECKING:
    from netmodel.calibration.choices import ChosenModel


Calibration: TypeAlias = Fit | FeasibleSet
"""Both have ``parameters`` and ``notes``, and ``predict``."""
AnyCalibration: TypeAlias = "Calibration | ChosenModel"
"""Of any model by its name."""
_TYPO_RATIO = 1e-3
"""Probability that noise alone puts the farthest figure so far off; below it, it is left out."""


def calibrate(
    observed: Iterable[Observed],
    model: Model | str = "adapter",
    noise_ratio: float | None = None,
    *,
    line_rate_bps: float | None = None,
    fixed: Mapping[str, float] | None = None,
    specified: Collection[str] = (),
) -> AnyCalibration:
    """
    Parameters of a model from observations: the most likely, or else all that agree.

    Parameters
    ----------
    observed : iterable of Observed
        Measurements, or published figures; of a `Selection` the notes are kept.
    model : Model or str
        A model, or the name of one, as ``netmodel calibrate --model`` takes it:
        ``"adapter"`` (time per frame and per byte of each direction), ``"scalability"``,
        ``"saturation"``, ``"batching"``, ``"power"``, ``"amortised"`` (rates over connections).
        Also ``"auto"``, the one of them, or lines between figures in logarithms, that predicts
        left-out figures best.
    noise_ratio : float, optional
        Standard deviation from run to run as a ratio, where it is known. When left out, it is
        estimated from repeats, or from how figures scatter about the model.
    line_rate_bps : float, optional
        MAC rate of the line, for a model by its name. Figures at the line count as lower
        bounds of what the adapter could do; figures above it are left out. [bit/s]
    fixed : mapping of str to float, optional
        Parameters taken as known, by name. [s]
    specified : collection of str
        Conditions that were given for all observations: the model must read each.

    Returns
    -------
    calibration : Fit, FeasibleSet or ChosenModel
        The last one for ``"auto"``. Else a fit
        where there are enough figures for all parameters; else, for a linear model, the set of
        all parameters that agree with every figure; its first note is why. Your own
        figures then agree within the noise given. Published
        figures agree within their rounding, as long as that explains how they differ from the
        model. Conditions that the model does not use are left away; where they differ, a note
        says so.

    Raises
    ------
    CalibrationError
        If the parameters cannot be estimated from the observations, and the model is not
        linear, or own figures have no known noise.
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

    Two published figures, of which the line hid one, have no likeliest value:

    >>> import math
    >>> seen = [
    ...     Observed(
    ...         quantity="throughput_bps",
    ...         at={"mtu_bytes": mtu},
    ...         low=low,
    ...         high=high,
    ...         is_published=True,
    ...     )
    ...     for mtu, low, high in ((1500, 13.35e9, 13.45e9), (9000, 24.75e9, math.inf))
    ... ]
    >>> result = calibrate(seen, "adapter", line_rate_bps=25e9)
    >>> type(result).__name__, result.parameters["per_byte_s"].value
    ('FeasibleSet', None)
    """
    require_plain(noise_ratio=noise_ratio, line_rate_bps=line_rate_bps, **(fixed or {}))
    seen, name = without_zeros(observed), model if isinstance(model, str) else ""
    if not seen.observed:
        raise CalibrationError("; ".join(("no observation is left", *seen.notes)))
    if name:
        seen = about_model(name, seen)
    elif line_rate_bps is not None or fixed:
        raise DomainError(
            "line_rate_bps and fixed are for a model by its name: give them to the model"
        )
    if name == AUTO and fixed:
        raise DomainError(f"{argument('fix', '--fix')} is for one model; {AUTO} is none")
    result: AnyCalibration
    try:
        if name == AUTO:
            from netmodel.calibration.choices import chosen_model

            result = chosen_model(seen, noise_ratio, line_rate_bps)
        else:
            if isinstance(model, str):
                model = named_model(name, seen.observed, line_rate_bps=line_rate_bps, fixed=fixed)
            read = require_read(name, model, seen.observed, specified)
            result = _best(only_read(read, seen.observed), model, noise_ratio, line_rate_bps)
            wide = result.open_parameters if isinstance(result, Fit) else ()
            result = replace(result, notes=(*not_estimable(wide), *result.notes, *seen.notes))
    except (CalibrationError, ContradictionError) as error:
        for note in seen.notes:
            error.add_note(note)
        raise
    doubts = (MISFIT, OUTLIER, FAILED_RUN)
    first = sorted(result.notes, key=lambda note: not any(each in note for each in doubts))
    return replace(result, notes=tuple(first))


def _best(
    seen: Selection, model: Model, noise_ratio: float | None, line_rate_bps: float | None
) -> Calibration:
    """Return the most likely parameters, else all that agree with the observations."""
    notes = seen.notes
    if line_rate_bps is not None:
        seen = line_speed_as_censored(seen, line_cap(line_rate_bps))
        notes += seen.notes
    if all(each.is_unbounded for each in seen):
        raise CalibrationError("; ".join(("no observation is left", *notes)))
    try:
        result = _without_typo(fit(seen.observed, model, noise_ratio=noise_ratio))
        return replace(result, notes=(*notes, *result.notes))
    except CalibrationError as refusal:
        if not isinstance(model, LinearModel):
            raise
        noise, degrees = _noise_of_repeats(seen) if noise_ratio is None else (noise_ratio, math.inf)
        if noise == 0:
            raise CalibrationError(f"{refusal}; {noise_unknown()}") from refusal
        allowed = feasible_set(seen, model, noise_ratio=noise, noise_degrees=degrees)
        why, *_ = str(refusal).split("; ")
        return replace(allowed, notes=(f"no unique best fit: {why}", *notes, *allowed.notes))


def _noise_of_repeats(seen: Selection) -> tuple[float | None, float]:
    """
    Return the scatter of own figures at one condition, at least their rounding, and its degrees.

    0 where none is repeated, None without own figures: bounds and words as "about" hold as they
    stand. Beside a run that the line limited the scatter is hidden.
    """
    own = [x for x in seen if x.relation is Relation.EQUAL and x.figure and not x.is_published]
    groups: dict[Hashable, list[float]] = {}
    for each in (x for x in own if not x.is_beside_censored):
        groups.setdefault(comparable(each.at), []).append(math.log(each.middle))
    degrees = sum(len(logs) - 1 for logs in groups.values())
    if not degrees:
        return (0.0 if own else None), math.inf
    square = sum(len(logs) * float(np.var(logs)) for logs in groups.values()) / degrees
    roundings = [math.log(each.high / each.low) ** 2 for each in own]
    return math.sqrt(max(square, float(np.mean(roundings)) / WIDTH_IN_SD**2)), degrees


def _without_typo(fitted: Fit) -> Fit:
    """Return the fit, without one figure that its noise does not explain if the others agree."""
    found = with_hidden_outlier(fitted)
    worst, noise_ratio = found.largest_residual, found.noise_sd if found.is_noise_known else None
    if worst is None or not worst.is_beyond_noise(_TYPO_RATIO):
        return found
    others = [
        each for each in found.observed if each is not found.observed[found.residuals.index(worst)]
    ]
    try:
        rest = fit(others, found.model, noise_ratio=noise_ratio)
    except CalibrationError:
        return found
    left_out = f"{outlier_note(worst)}, which is left out"
    return replace(rest, notes=(left_out, *rest.notes)) if not rest.answer else found
