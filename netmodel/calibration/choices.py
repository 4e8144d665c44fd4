"""
The model of a series that predicts left-out figures best: the laws, and lines in logarithms.

Each figure is predicted from the others by every model that suits. The best one answers; how far it
missed left-out figures is the interval, which widens beyond the measured range, to twice its ends.
"""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import compress
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from netmodel.calibration._fit import Fit, fit
from netmodel.calibration._shown import Shown
from netmodel.calibration.models import (
    FreeParameter,
    Model,
    Point,
    require_quantity,
    varied_numbers,
)
from netmodel.calibration.named_models import MODELS, named_model, require_read
from netmodel.calibration.observations import (
    Observed,
    Selection,
    comparable,
    differing_beside,
    needed,
    only_read,
)
from netmodel.errors import CalibrationError, NetmodelError
from netmodel.estimates import LEVEL_RATIO, Estimate
from netmodel.numeric import Floats
from netmodel.text import SENTENCE_DIGITS, argument, fixed_percent

INTERPOLATION = "interpolation"
"""Lines between figures, by the name that they have beside models."""
_FIRST_PLACE = "connection_count"
"""The condition that a series is over, where it differs between figures."""
_LEAST_FIGURES = 3
"""Different places that leave two for a line when one is left out. As many inside the range judge
models alone; with fewer, those at its ends count too: of two, chance decides."""
_LEAST_ERROR = 1e-4
"""Of a model's errors: figures have four digits at most, and exact ones would leave no interval."""
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


@dataclass(frozen=True)
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
        """Whether each of these parameters can be estimated from the observations, by name."""
        return self.tried[0].fit.estimable if self.tried[0].fit else {}

    def predict(self, point: Point) -> Estimate:
        r"""
        A quantity by the chosen model, and where one more run of it would be.

        Raises
        ------
        DomainError
            If it is another quantity, or a condition is missing.
        CalibrationError
            Below half or above twice the measured range, or if no value is above 0 there.

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
        place = float(needed(point.at, self.over, point.quantity))
        beyond = max(low / place, place / high, 1.0) if place > 0 else math.inf
        if beyond > _FARTHEST:
            raise CalibrationError(
                f"{self.over} {place:g} is beyond twice the measured range, {low:g} to {high:g}: "
                f"measure there, or name a model ({argument('model', '--model')})"
            )
        require_quantity(point, (self.observed[0].quantity,))
        value = best.value(point)
        if not 0 < value < math.inf:
            raise CalibrationError(f"{best.name} has no value above 0 at {self.over} {place:g}")
        left = self.judged_count - 1  # the choice takes one degree of freedom
        quantile = float(stdtrit(left, (1 + self.level_ratio) / 2)) * math.sqrt(1 + 1 / left)
        reach = math.exp(best.error_ratio * quantile) * math.sqrt(beyond)
        return Estimate(value, value / reach, value * reach)

    predict_run = predict

    @property
    def answer(self) -> str:
        """What it is, in a few words."""
        if len(self.tried) == 1:
            return f"{self.chosen} is the only model that suits"
        return f"{self.chosen} predicts left-out figures best"


def chosen_model(
    selection: Selection, noise_ratio: float | None = None, line_rate_bps: float | None = None
) -> ChosenModel:
    """
    The model that predicts left-out figures best, of those that suit the observations.

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
    seen = tuple(
        each for each in selection.observed if each.baseline is None and not each.is_unbounded
    )
    figures = [each for each in seen if each.figure is not None]
    if not figures:
        raise CalibrationError("no figure to choose a model by: bounds and comparisons alone")
    # a series over connections, else over the number with the most values
    varied = varied_numbers(figures)
    if not varied:
        raise CalibrationError("no condition is a number that differs between the figures")
    over = _FIRST_PLACE if _FIRST_PLACE in varied else next(iter(varied))
    models, refused, read = _laws(figures, over, line_rate_bps)
    kept = only_read(read, seen)
    seen, notes = kept.observed, (*kept.notes, *selection.notes)
    places = np.array([float(needed(each.at, over, each.quantity)) for each in seen])
    logs = np.log([each.figure or math.nan for each in seen])
    # (1) each figure inside the range is predicted from the others; it leaves with its repeats,
    # which are not independent of it, and of many cases with every twentieth other one
    is_figure = np.isfinite(logs)
    low, high = float(places[is_figure].min()), float(places[is_figure].max())
    if low <= 0:
        raise CalibrationError(f"{over} {low:g}: the logarithm of a series needs values above 0")
    is_inside = is_figure & (places > low) & (places < high)
    is_judged = is_inside if is_inside.sum() >= _LEAST_FIGURES else is_figure
    cases = [comparable(each.at) for each in seen]
    judged = dict.fromkeys(case for case, is_it in zip(cases, is_judged, strict=True) if is_it)
    numbers = {case: number % _MOST_GROUPS for number, case in enumerate(judged)}
    groups = np.array([numbers.get(case, -1) for case in cases])
    # (2) lines; where one place has several cases, their other conditions set series apart
    place_count = len(np.unique(places[is_figure]))
    is_parted = place_count < len({comparable(each.at) for each in figures})
    apart = tuple(differing_beside((over,), seen)) if is_parted else ()
    tried: list[Tried] = []
    for name in (*models, INTERPOLATION):
        try:
            law = fit(seen, models[name], noise_ratio=noise_ratio) if name in models else None
            value = law.value if law else _lines(over, apart, seen)
            left_out = law.left_out if law else partial(_lines_left_out, over, apart, seen)
            predicted = np.full(len(logs), math.nan)
            for group in range(max(groups) + 1):
                predicted[groups == group] = left_out(groups == group)[groups == group]
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
    tried.sort(key=lambda each: float(f"{each.error_ratio:.{SENTENCE_DIGITS}g}"))
    if len(figures) < _FEW:
        notes = (f"the choice rests on {len(figures)} figures: chance may order the models", *notes)
    missed = f"RMS error {fixed_percent(tried[0].error_ratio, 1)} of left-out figures"
    chosen = f"{tried[0].name} is chosen between {over} {low:g} and {high:g}: {missed}"
    doubt = ("ranges of parameters leave out the choice of the model",) * bool(tried[0].fit)
    notes = (chosen, *doubt, *notes)
    count = int(is_judged.sum())
    return ChosenModel(seen, over, (low, high), tuple(tried), count, refused, notes)


def _laws(
    figures: Sequence[Observed], over: str, line_rate_bps: float | None
) -> tuple[dict[str, Model], dict[str, str], set[str]]:
    """Return models of the condition; why others do not suit; conditions that are read."""
    models, refused, read = dict[str, Model](), dict[str, str](), {over}
    for name, quantities in MODELS.items():
        if figures[0].quantity not in quantities:
            continue
        try:
            model = named_model(name, figures, line_rate_bps=line_rate_bps)
            conditions = require_read(name, model, figures, ())
            if over not in conditions:
                raise CalibrationError(f"does not depend on {over}")
            models[name] = model
            read |= conditions
        except NetmodelError as error:
            refused[name] = str(error)
    return models, refused, read


def _lines(
    over: str, apart: Sequence[str], observed: Sequence[Observed]
) -> Callable[[Point], float]:
    """Return lines between logarithms of figures along one condition, for each series apart."""
    from scipy.interpolate import make_interp_spline

    series: dict[Hashable, dict[float, list[float]]] = {}
    for each in observed:
        if each.figure is not None:
            along = series.setdefault(tuple(each.at.get(name) for name in apart), {})
            along.setdefault(math.log(float(each.at[over])), []).append(math.log(each.figure))
    lines = {
        key: make_interp_spline(sorted(along), [np.mean(along[at]) for at in sorted(along)], k=1)
        for key, along in series.items()
        if len(along) > 1
    }
    return partial(_on_line, over, apart, lines)


def _on_line(over: str, apart: Sequence[str], lines: Mapping[Hashable, Any], point: Point) -> float:
    line = lines.get(tuple(point.at.get(name) for name in apart))
    if line is None:
        raise CalibrationError(f"no two figures define a line along {over}")
    return math.exp(float(line(math.log(float(point.at[over])))))


def _lines_left_out(
    over: str, apart: Sequence[str], seen: Sequence[Observed], is_out: npt.NDArray[np.bool_]
) -> Floats:
    """Logarithms of the figures that are left out, by lines between the others."""
    line, predicted = _lines(over, apart, [*compress(seen, ~is_out)]), np.full(len(seen), math.nan)
    points = (Point(each.quantity, each.at) for each in compress(seen, is_out))
    predicted[is_out] = np.log([line(point) for point in points])
    return predicted
