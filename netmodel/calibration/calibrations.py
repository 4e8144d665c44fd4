"""A calibration: the model by its name, the method, and what is asked of the result."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from netmodel.calibration import models, named_models, observations
from netmodel.calibration._fit import TYPO_RATIO, Fit, fit, with_hidden_outlier, with_tails
from netmodel.calibration._likelihood import WIDTH_IN_SD
from netmodel.calibration.diagnostics import MISFIT, OUTLIER, outlier_note, scatter_of
from netmodel.calibration.models import FreeParameter, LinearModel, Model, Point, Shown
from netmodel.calibration.observations import Observed, Selection
from netmodel.calibration.sets import FeasibleSet, feasible_set
from netmodel.errors import CalibrationError, ContradictionError, DomainError, NetmodelError
from netmodel.estimates import LEVEL_RATIO, Estimate
from netmodel.numeric import require_member, require_plain
from netmodel.records.values import Relation
from netmodel.text import RESULT_DIGITS, argument, fixed_percent

Calibration: TypeAlias = Fit | FeasibleSet
"""Both have ``parameters`` and ``notes``, and ``predict``."""
AnyCalibration: TypeAlias = "Calibration | ChosenModel"
"""Of any model by its name."""
_LEAST_FACTOR = 1.5
"""By which a typo is off, at least, where no law has to hold: a measured knee lies a third below
that of the saturation law."""
_TAILED = range(5, 1000)
"""For noise with tails: with fewer figures left, intervals held the truth 91 times in 100; the mean
of more is normal whatever their noise."""


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
        MAC rate of the line. Figures at the line count as lower bounds of what the adapter could
        do; figures above it are left out. [bit/s]
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
    seen, name = observations.without_zeros(observed), model if isinstance(model, str) else ""
    if not seen.observed:
        raise CalibrationError("; ".join(("no observation is left", *seen.notes)))
    if name:
        seen = named_models.about_model(name, seen)
    if name == named_models.AUTO and fixed:
        raise DomainError(f"{argument('fix', '--fix')} is for one model; {name} is none")
    result: AnyCalibration
    try:
        if name == named_models.AUTO:
            result = chosen_model(Selection(seen.observed), noise_ratio, line_rate_bps)
        else:
            if isinstance(model, str):
                model = named_models.named_model(name, seen.observed, line_rate_bps)
            model = models.with_fixed(model, fixed or {})
            read = named_models.require_read(name, model, seen.observed, specified)
            kept = observations.only_read(read, seen.observed)
            over = "" if name in ("", "adapter") else named_models.COUNT
            result = replace(_best(kept, model, noise_ratio, line_rate_bps), over=over)
        wide = list[FreeParameter]()
        if isinstance(result, Fit) and not result.is_undetermined:
            is_sure = result.is_noise_known or result.degrees_of_freedom > 1
            wide += (x for x in result.free if is_sure and not result.estimable[x.name])
        notes = (*models.not_estimable(wide), *result.notes, *seen.notes)
    except (CalibrationError, ContradictionError) as error:
        for note in seen.notes:
            error.add_note(note)
        raise
    doubt = (MISFIT, OUTLIER, observations.FAILED_RUN)
    return replace(result, notes=tuple(sorted(notes, key=lambda x: not any(y in x for y in doubt))))


def _best(
    seen: Selection, model: Model, noise_ratio: float | None, line_rate_bps: float | None
) -> Calibration:
    """Return the most likely parameters, else all that agree with the observations."""
    notes = seen.notes
    if line_rate_bps is not None:
        seen = observations.line_speed_as_censored(seen, named_models.line_cap(line_rate_bps))
        notes += seen.notes
    if all(each.is_unbounded for each in seen):
        raise CalibrationError("; ".join(("no observation is left", *notes)))
    try:
        result = _robust(_without_typo(fit(seen.observed, model, noise_ratio=noise_ratio)))
        return replace(result, notes=(*notes, *result.notes))
    except CalibrationError as refusal:
        if not isinstance(model, LinearModel):
            raise
        noise, degrees = _noise_of_repeats(seen) if noise_ratio is None else (noise_ratio, math.inf)
        if noise == 0:
            raise CalibrationError(f"{refusal}; {models.noise_unknown()}") from refusal
        allowed = feasible_set(seen, model, noise_ratio=noise, noise_degrees=degrees)
        why, *_ = str(refusal).split("; ")
        return replace(allowed, notes=(f"no unique best fit: {why}", *notes, *allowed.notes))


def _noise_of_repeats(seen: Selection) -> tuple[float | None, float]:
    """
    Return the scatter of own figures at one condition, at least their rounding, and its degrees.

    0 where none is repeated, None without own figures: bounds and words as "about" hold as they
    stand. Beside a run that the line limited the scatter is hidden.
    """
    is_own = [x.relation is Relation.EQUAL and bool(x.figure) and not x.is_published for x in seen]
    own, case = [*compress(seen, is_own)], np.array(observations.cases_of(seen))
    hidden = np.bincount(case, [x.relation in observations.CENSORED for x in seen]) > 0
    is_clear = is_own & ~hidden[case]
    logs = np.log([each.middle for each in compress(seen, is_clear)])
    _, square, degrees = scatter_of(case[is_clear], logs)
    if not degrees:
        return (0.0 if own else None), math.inf
    roundings = [math.log(each.high / each.low) ** 2 for each in own]
    return math.sqrt(max(square / degrees, float(np.mean(roundings)) / WIDTH_IN_SD**2)), degrees


def _without_typo(fitted: Fit, least_factor: float = 1.0) -> Fit:
    """Return the fit, without one figure if it is far off and the others agree."""
    found = with_hidden_outlier(fitted)
    worst, noise_ratio = found.largest_residual, found.noise_sd if found.is_noise_known else None
    if worst is None or not worst.is_beyond_noise(TYPO_RATIO):
        return found
    others = [*compress(found.observed, (each is not worst for each in found.residuals))]
    try:
        rest = fit(others, found.model, noise_ratio=noise_ratio)
    except CalibrationError:
        return found
    value = rest.value(Point(worst.quantity, worst.at))
    if rest.answer or value / least_factor < worst.measured < value * least_factor:
        return found
    return replace(rest, notes=(f"{outlier_note(worst)}, which is left out", *rest.notes))


def _robust(fitted: Fit) -> Fit:
    """Return the fit, by noise with tails where a figure is likely to be an outlier."""
    worst = fitted.largest_residual
    is_clear = fitted.is_noise_known or fitted.answer or fitted.degrees_of_freedom not in _TAILED
    if worst and worst.is_beyond_noise() and not is_clear:
        named = outlier_note(worst)
        less = f"{named}, which counts for less: noise with tails (Student's t)"
        notes = tuple(less if each == named else each for each in fitted.notes)
        with suppress(CalibrationError):
            return replace(with_tails(fitted), notes=notes)
    return fitted


INTERPOLATION = "interpolation"
"""Lines between figures, by the name that they have beside models."""
_LEAST_FIGURES = 3
"""Different places that leave two for a line when one is left out. As many inside the range judge
models alone; with fewer, those at its ends count too: of two, chance decides."""
_LEAST_ERROR = 1e-4
"""Smallest error of a model that counts: figures have four digits at most, and an error of 0 would
leave no interval."""
_MOST_GROUPS = 20
"""In which figures are left out: each model is then estimated 21 times, whatever their number."""
_FARTHEST = 2.0
"""Factor beyond an end of the range up to which there are predictions: farther ones no series with
left-out ends has judged."""
_FEW = 5
"""Figures below which chance orders models: of four, one error can be half of the mean."""


class Tried(NamedTuple):
    """A model estimated from all figures, and root of the mean square of its left-out errors."""

    name: str
    value: Callable[[Point], float]
    fit: Fit | None
    error_ratio: float


@dataclass(frozen=True, repr=False)
class ChosenModel(Shown):
    """
    The model that predicts left-out figures best.

    Parameters
    ----------
    observed : tuple of Observed
        The observations.
    over : str
        The condition along which the figures are a series.
    range : tuple of float
        Both ends of its measured range.
    tried : tuple of Tried
        Models that suit the data, the best one first. Errors are of logarithms.
    judged_count : int
        Left-out figures that they are judged by.
    refused : mapping of str to str
        Why other models do not suit the data, by name.
    notes : tuple of str
        What to know before using it, most important first.
    level_ratio : float
        Probability that intervals hold a run: 0.95.
    """

    observed: tuple[Observed, ...]
    over: str
    range: tuple[float, float]
    tried: tuple[Tried, ...]
    judged_count: int
    refused: Mapping[str, str]
    notes: tuple[str, ...]

    level_ratio: ClassVar[float] = LEVEL_RATIO
    json_keys: ClassVar[str] = "chosen over range level_ratio candidates refused"
    method: ClassVar[str] = "chosen model"
    scatter_ratio: ClassVar[float | None] = None

    @property
    def chosen(self) -> str:
        """Name of the model."""
        return self.tried[0].name

    @property
    def candidates(self) -> list[dict[str, Any]]:
        """Name and error of each model that suits."""
        return [{"name": x.name, "root_mean_square_ratio": x.error_ratio} for x in self.tried]

    @property
    def parameters(self) -> Mapping[str, Estimate]:
        """Parameters of the chosen model as if it were the only one; none of lines."""
        return self.tried[0].fit.parameters if self.tried[0].fit else {}

    @property
    def free(self) -> tuple[FreeParameter, ...]:
        """Names and units of these parameters."""
        return self.tried[0].fit.free if self.tried[0].fit else ()

    @property
    def estimable(self) -> Mapping[str, bool | None]:
        """True by name where observations determine a chosen parameter; empty of interpolation."""
        return self.tried[0].fit.estimable if self.tried[0].fit else {}

    def predict(self, point: Point) -> Estimate:
        r"""
        Return a quantity by the chosen model, and the interval of one more run.

        Raises
        ------
        DomainError
            If it is another quantity, or a condition is missing.
        CalibrationError
            Below half or above twice the measured range.

        Notes
        -----
        With e the error of each of n left-out figures as a logarithm,

        .. math:: \ln X \sim t_{n-1}\Big(\ln \hat X, \sqrt{\textstyle\sum_i e_i^2 / (n-1)}\Big)

        as the choice of the best of several models takes one degree of freedom.
        Beyond the measured range by a factor, both ends are farther by its root: whether
        growth goes on or ends is not known there.
        """
        from scipy.special import stdtrit

        best, (low, high) = self.tried[0], self.range
        place = float(observations.needed(point.at, self.over, point.quantity))
        beyond = max(low / place, place / high, 1.0) if place > 0 else math.inf
        if beyond > _FARTHEST:
            raise CalibrationError(
                f"{self.over} {place:g} is beyond twice the measured range, {low:g} to {high:g}: "
                f"measure there, or name a model ({argument('model', '--model')})"
            )
        require_member("quantity", point.quantity, (self.observed[0].quantity,))
        value = best.value(point)
        left = self.judged_count - 1  # the choice takes one degree of freedom
        quantile = float(stdtrit(left, (1 + self.level_ratio) / 2)) * math.sqrt(1 + 1 / left)
        reach = math.exp(best.error_ratio * quantile) * math.sqrt(beyond)
        return Estimate(value, value / reach, value * reach)

    @property
    def answer(self) -> str:
        """Name of the chosen model, and whether it predicts best or alone suits."""
        if len(self.tried) == 1:
            return f"{self.chosen} is the only model that suits"
        return f"{self.chosen} predicts left-out figures best"


def chosen_model(
    selection: Selection, noise_ratio: float | None = None, line_rate_bps: float | None = None
) -> ChosenModel:
    """
    Return the model that predicts left-out figures best, of those that suit the observations.

    Parameters
    ----------
    selection : Selection
        Observations of one quantity. Bounds help to estimate, and are not predicted.
    noise_ratio : float, optional
        Standard deviation from run to run as a ratio, where it is known.
    line_rate_bps : float, optional
        MAC rate of the line. [bit/s]

    Raises
    ------
    CalibrationError
        If no model can be judged: there are fewer than three figures, or none suits.
    """
    seen = tuple(x for x in selection.observed if x.baseline is None and not x.is_unbounded)
    figures = [each for each in seen if each.figure is not None]
    if not figures:
        raise CalibrationError("no figure to choose a model by: bounds and comparisons alone")
    # a series over connections, else over the number with the most values
    values: dict[str, Any] = {x: {each.at.get(x) for each in figures} for x in figures[0].at}
    varied = [x for x, own in values.items() if len(own) > 1 and {*map(type, own)} <= {int, float}]
    if not varied:
        raise CalibrationError("no condition is a number that differs between the figures")
    over = max(varied, key=lambda name: (name == named_models.COUNT, len(values[name])))
    laws, refused, read = _laws(figures, over, line_rate_bps)
    kept = observations.only_read(read, seen)
    fits = dict[str, Fit]()
    for name, model in laws.items():
        try:
            fits[name] = fit(kept.observed, model, noise_ratio=noise_ratio)
        except NetmodelError as error:
            refused[name] = str(error)
    # (1) a figure that is far off the law of least scatter, where the others agree, is a typo
    without = [_without_typo(x, _LEAST_FACTOR) for x in fits.values() if x.degrees_of_freedom > 0]
    best = min(without, key=lambda each: each.scatter_ratio or each.noise_sd, default=None)
    if best is not None and len(best.observed) < len(kept.observed):
        others = Selection(best.observed, (best.notes[0], *kept.notes, *selection.notes))
        without_it = chosen_model(others, noise_ratio, line_rate_bps)
        if without_it.tried[0].fit:  # where no law predicts best, none says what a typo is
            return without_it
    seen, notes = kept.observed, (*kept.notes, *selection.notes)
    places = np.array([float(observations.needed(each.at, over, each.quantity)) for each in seen])
    logs = np.log([each.figure or math.nan for each in seen])
    # (2) each figure inside the range is predicted from the others; it leaves with its repeats,
    # which are not independent of it, and of many cases with every twentieth other one
    is_figure = np.isfinite(logs)
    low, high = float(places[is_figure].min()), float(places[is_figure].max())
    if low <= 0:
        raise CalibrationError(f"{over} {low:g}: the logarithm of a series needs values above 0")
    is_inside = is_figure & (places > low) & (places < high)
    is_judged = is_inside if is_inside.sum() >= _LEAST_FIGURES else is_figure
    cases = [observations.comparable(each.at) for each in seen]
    judged = dict.fromkeys(case for case, is_it in zip(cases, is_judged, strict=True) if is_it)
    numbers = {case: number % _MOST_GROUPS for number, case in enumerate(judged)}
    groups = np.array([numbers.get(case, -1) for case in cases])
    # (3) lines between figures, of one series alone
    place_count, tried = len(np.unique(places[is_figure])), list[Tried]()
    is_parted = place_count < len({observations.comparable(each.at) for each in figures})
    refused |= {INTERPOLATION: f"other conditions than {over} differ"} if is_parted else {}
    for name in (*fits, *(() if is_parted else (INTERPOLATION,))):
        try:
            law = fits.get(name)
            value = law.value if law else _line(over, seen)
            predicted = np.full(len(logs), math.nan)
            for is_out in (groups == group for group in {*numbers.values()}):
                rest = [*compress(seen, ~is_out)]
                points = [Point(x.quantity, x.at) for x in compress(seen, is_out)]
                if law:
                    found = law.without(is_out, points)
                else:
                    found = np.array([*map(_line(over, rest), points)])
                with np.errstate(all="ignore"):
                    predicted[is_out] = np.log(found)
            # root mean square of the logarithms of prediction over figure
            errors = np.maximum(np.abs(predicted - logs)[is_judged], _LEAST_ERROR)
            if not np.isfinite(errors).all():
                raise CalibrationError("has no value above 0 for each left-out figure")
            tried.append(Tried(name, value, law, float(np.sqrt(np.mean(errors**2)))))
        except NetmodelError as error:
            refused[name] = str(error)
    if not tried:
        listed = "\n".join(f"- {name}: {why}" for name, why in refused.items())
        raise CalibrationError(
            f"no model can be judged by figures that are left out; {place_count} different values "
            f"of {over}, of {_LEAST_FIGURES} or more\n{listed}\n"
            f"measure more, or name a model ({argument('model', '--model')})"
        )
    # the first of equal ones, but for rounding
    tried.sort(key=lambda each: float(f"{each.error_ratio:.{RESULT_DIGITS}g}"))
    if len(figures) < _FEW:
        notes = (f"the choice rests on {len(figures)} figures: chance may order the models", *notes)
    missed = f"RMS error {fixed_percent(tried[0].error_ratio, 1)} of left-out figures"
    chosen = f"{tried[0].name} is chosen between {over} {low:g} and {high:g}: {missed}"
    doubt = ("ranges of parameters leave out the choice of the model",) * bool(tried[0].fit)
    notes = (chosen, *doubt, *notes)
    return ChosenModel(seen, over, (low, high), tuple(tried), int(is_judged.sum()), refused, notes)


def _laws(
    figures: Sequence[Observed], over: str, line_rate_bps: float | None
) -> tuple[dict[str, Model], dict[str, str], set[str]]:
    """Return laws of the condition; why others do not suit; conditions that are read."""
    laws, refused, read = dict[str, Model](), dict[str, str](), {over}
    for name, quantities in named_models.MODELS.items():
        if figures[0].quantity not in quantities:
            continue
        try:
            model = named_models.named_model(name, figures, line_rate_bps)
            conditions = named_models.require_read(name, model, figures, ())
            if over not in conditions:
                raise CalibrationError(f"does not depend on {over}")
            laws[name] = model
            read |= conditions
        except NetmodelError as error:  # without the advice to choose what is being chosen
            refused[name] = str(error).partition("; for rates over")[0]
    return laws, refused, read


def _line(over: str, observed: Sequence[Observed]) -> Callable[[Point], float]:
    """Return the line between logarithms of figures along a condition."""
    from scipy.interpolate import make_interp_spline

    known = [(float(x.at[over]), x.figure) for x in observed if x.figure is not None]
    logs, values = np.log(known).T
    places, which = np.unique(logs, return_inverse=True)
    if len(places) < 2:
        raise CalibrationError(f"no two figures define a line along {over}")
    means = np.bincount(which, values) / np.bincount(which)
    return partial(_on_line, over, make_interp_spline(places, means, k=1))


def _on_line(over: str, line: Callable[[float], Any], point: Point) -> float:
    return math.exp(float(line(math.log(float(point.at[over])))))
