"""A calibration: the model by its name, the method, and what is asked of the result."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from netmodel.calibration._fit import Fit, fit, with_hidden_outlier
from netmodel.calibration._noise import pooled
from netmodel.calibration.conditions import (
    line_cap,
    line_speed_as_censored,
    only_read,
    read_conditions,
)
from netmodel.calibration.models import LinearModel, Model
from netmodel.calibration.named_models import AUTO, MODELS, about_model, named_model
from netmodel.calibration.observations import RATES, Observed, Selection, without_zeros
from netmodel.calibration.sets import FeasibleSet, feasible_set
from netmodel.errors import CalibrationError, ContradictionError, DomainError, NetmodelError
from netmodel.numeric import require_plain
from netmodel.text import NOTE_CHARACTERS, argument
from netmodel.units import format_rate

if TYPE_CHECKING:
    from netmodel.calibration.choices import ChosenModel


Calibration: TypeAlias = Fit | FeasibleSet
"""Both have ``parameters`` and ``notes``, and ``predict``."""
AnyCalibration: TypeAlias = "Fit | FeasibleSet | ChosenModel"
"""Of any model by its name."""


def calibrate(
    observed: Iterable[Observed],
    model: Model | str = "adapter",
    noise_ratio: float | None = None,
    *,
    line_rate_bps: float | None = None,
    free: Sequence[str] = (),
    fixed: Mapping[str, float] | None = None,
) -> AnyCalibration:
    """
    Parameters of a model from observations: the most likely, or else all that agree.

    Parameters
    ----------
    observed : iterable of Observed
        Measurements, or published figures; a `Selection` too.
    model : Model or str
        A model, or the name of one, as ``netmodel calibrate --model`` takes it:
        ``"adapter"`` (time per frame and per byte of each direction), ``"host"`` (CPU time
        per message, frame and byte of one side), ``"scalability"``, ``"saturation"``,
        ``"batching"``, ``"power"``, ``"amortised"`` (rates over
        connections), ``"coalescing"``, ``"falling-cost"`` (CPU time per transaction over their
        rate). Also ``"auto"``, the one of them,
        or lines between figures in logarithms, that predicts left-out figures best.
    noise_ratio : float, optional
        Standard deviation from run to run as a ratio, where it is known. When left out, it is
        estimated from repeats, or from how figures scatter about the model.
    line_rate_bps : float, optional
        MAC rate of the line, for a model by its name. Figures at the line count as lower
        bounds of what the adapter could do; figures above it are left out. [bit/s]
    free : sequence of str
        For ``"host"``: names of the service times to estimate.
    fixed : mapping of str to float, optional
        Parameters taken as known, by name. [s]

    Returns
    -------
    calibration : Fit, FeasibleSet or ChosenModel
        The last one for ``"auto"``. Else a fit
        where there are enough figures for all parameters; else, for a linear model, the set of
        all parameters that agree with every figure; its first note is why. Your own
        figures then agree within the noise given or estimated from repeats. Published
        figures agree within their rounding, as long as that explains how they differ from the
        model. Conditions that the model does not use are left away; where they differ, a note
        says so.

    Raises
    ------
    CalibrationError
        If the parameters cannot be estimated from the observations, and the model is not
        linear, or the noise of your own runs is not known.
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
    seen = without_zeros(Selection(tuple(observed)))
    if isinstance(model, str):
        seen = about_model(model, seen)
        if model == AUTO:
            from netmodel.calibration.choices import chosen_model

            if free or fixed:
                both = f"{argument('free', '--free')} and {argument('fix', '--fix')}"
                raise DomainError(f"{both} are for one model; {AUTO} is none")
            return chosen_model(seen, noise_ratio, line_rate_bps)
        model = named_model(
            model, seen.observed, line_rate_bps=line_rate_bps, free=free, fixed=fixed
        )
    elif line_rate_bps is not None or free or fixed:
        raise DomainError(
            "line_rate_bps, free and fixed are for a model by its name: give them to the model"
        )
    seen = Selection((), seen.notes) + only_read(read_conditions(model, seen), seen.observed)
    if line_rate_bps is not None:
        seen = Selection((), seen.notes) + line_speed_as_censored(
            seen.observed, line_cap(line_rate_bps)
        )
    try:
        result = with_hidden_outlier(fit(seen.observed, model, noise_ratio=noise_ratio))
        return replace(result, notes=(*seen.notes, *result.notes))
    except CalibrationError as refusal:
        is_published = all(each.is_published for each in seen)
        has_noise = noise_ratio is not None or is_published or pooled(seen) is not None
        if not isinstance(model, LinearModel) or not has_noise:
            raise
        try:
            allowed = feasible_set(seen, model, noise_ratio=noise_ratio)
        except ContradictionError as contradiction:
            raise ContradictionError(
                f"{contradiction}; nor is there a best fit: {refusal}"
            ) from contradiction
        why = f"no unique best fit: {refusal}"
        whys = [why] if len(why) <= NOTE_CHARACTERS else why.split("; ", 1)
        return replace(allowed, notes=(*whys, *seen.notes, *allowed.notes))


_LINE_RATES_BPS = (1e9, 2.5e9, 5e9, 10e9, 25e9, 40e9, 50e9, 100e9, 200e9, 400e9)
"""MAC rates of IEEE 802.3 from 1 Gbit/s to 400 Gbit/s."""
_NEAR_LINE_RATIO = 0.02
"""Streams over a full line lose up to about this much to start-up and lost frames."""
_MAX_OVER_RATIO = 0.005
"""As the tolerance of `line_speed_as_censored`: a line of this rate does not carry more."""
_OF_THROUGHPUT = frozenset(name for name, model in MODELS.items() if RATES[0] in model.quantities)


def line_rate_hints(model_name: str, observed: Sequence[Observed]) -> Iterator[str]:
    """A note on the line rate that the fastest run comes near."""
    figures = [each for each in observed if each.quantity == RATES[0] and each.figure]
    if model_name not in _OF_THROUGHPUT or not figures:
        return
    for rate_bps in _LINE_RATES_BPS:
        cap = line_cap(rate_bps)
        try:
            shares = {each.name: (each.figure or 0.0) / cap(each.at) for each in figures}
        except NetmodelError:
            return
        fastest = max(shares, key=lambda name: shares[name])
        if not 1 - _NEAR_LINE_RATIO <= shares[fastest] <= 1 + _MAX_OVER_RATIO:
            continue
        line, percent = format_rate(rate_bps), 100 * shares[fastest]
        option = argument("line_rate_bps", "--line-rate", line.replace(" ", ""))
        yield f"no line rate is given: {fastest} is {percent:.3g} % of a {line} line ({option})"
        return
