"""
The model of a series that predicts left-out figures best: the laws, and lines in logarithms.

Each figure is predicted from the others by every model that suits. The best one answers, inside the
measured range; how far it missed left-out figures is the interval.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from netmodel.calibration._fit import Fit, fit
from netmodel.calibration._shown import Shown
from netmodel.calibration.conditions import (
    differing_beside,
    read_conditions,
    varied_numbers,
    without_unread,
)
from netmodel.calibration.models import FreeParameter, Point, require_quantity
from netmodel.calibration.named_models import MODELS, ModelOptions, require_read
from netmodel.calibration.observations import COSTS, RATES, Observed, Selection, comparable, needed
from netmodel.errors import CalibrationError, NetmodelError
from netmodel.estimates import LEVEL_RATIO, Estimate
from netmodel.numeric import Floats
from netmodel.results import short_repr
from netmodel.terminal import fitted
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
_FEW = 5
"""Figures below which chance orders models: of four, one error can be half of the mean."""


@dataclass(frozen=True)
class Lines:
    """Lines between the logarithms of figures along one condition, the last ones continued."""

    quantity: str
    over: str
    seen: tuple[tuple[Observed, float], ...]
    apart: tuple[str, ...]

    def value(self, point: Point) -> float:
        """The quantity there, between figures that agree in conditions that set series apart."""
        require_quantity(point, (self.quantity,))
        place = math.log(float(needed(point.at, self.over, self.quantity)))
        near = [
            (math.log(float(each.at[self.over])), math.log(figure))
            for each, figure in self.seen
            if all(each.at.get(name) == point.at.get(name) for name in self.apart)
        ]
        places, which = np.unique([each for each, _ in near], return_inverse=True)
        if len(places) < 2:
            raise CalibrationError(f"no two figures define a line along {self.over}")
        means = np.bincount(which, [figure for _, figure in near]) / np.bincount(which)
        left = int(np.clip(np.searchsorted(places, place, "right") - 1, 0, len(places) - 2))
        slope = (means[left + 1] - means[left]) / (places[left + 1] - places[left])
        return math.exp(means[left] + slope * (place - places[left]))


Method: TypeAlias = Callable[[Sequence[Observed]], Fit | Lines]
"""From observations to what predicts others."""


class Tried(NamedTuple):
    """A model estimated from all figures, and root of the mean square of its left-out errors."""

    name: str
    result: Fit | Lines
    error_ratio: float


@dataclass(frozen=True)
class ChosenModel(Shown):
    """
    The model that predicts left-out figures best, for use inside the measured range.

    Parameters
    ----------
    observed : tuple of Observed
        The observations.
    over : str
        The condition along which the figures are a series.
    low, high : float
        Its measured range.
    tried : tuple of Tried
        Models that suit the data, the best one first. Errors are of logarithms.
    judged_count : int
        Left-out figures that they are judged by.
    refused : mapping of str to str
        Why other models do not suit the data, by name.
    level_ratio : float
        Probability that intervals hold a run.
    notes : tuple of str
        What to know before using it, most important first.
    """

    observed: tuple[Observed, ...]
    over: str
    low: float
    high: float
    tried: tuple[Tried, ...]
    judged_count: int
    refused: Mapping[str, str]
    level_ratio: float
    notes: tuple[str, ...]

    @property
    def method(self) -> str:
        """The kind of calibration."""
        return "chosen model"

    @property
    def is_scatter_known(self) -> bool:
        """Whether the interval of one more run differs from that of `predict`: it is the same."""
        return False

    @property
    def _fit(self) -> Fit | None:
        result = self.tried[0].result
        return result if isinstance(result, Fit) else None

    @property
    def parameters(self) -> Mapping[str, Estimate]:
        """Parameters of the chosen model as if it were the only one; none of lines."""
        return self._fit.parameters if self._fit else {}

    @property
    def free(self) -> tuple[FreeParameter, ...]:
        """Names and units of these parameters."""
        return self._fit.model.parameters if self._fit else ()

    @property
    def estimable(self) -> Mapping[str, bool | None]:
        """Whether each of these parameters can be estimated from the observations, by name."""
        return self._fit.estimable if self._fit else {}

    def predict(self, point: Point) -> Estimate:
        r"""
        A quantity by the chosen model, and where one more run of it would be.

        Raises
        ------
        DomainError
            If it is another quantity, or a condition is missing.
        CalibrationError
            Outside the measured range, or if the model has no value above 0 there.

        Notes
        -----
        With e the error of each of n left-out figures as a logarithm,

        .. math:: \ln X \sim t_n\Big(\ln \hat X, \sqrt{\textstyle\sum_i e_i^2 / n}\Big)
        """
        from scipy.special import stdtrit

        best = self.tried[0]
        place = float(needed(point.at, self.over, point.quantity))
        if not self.low <= place <= self.high:
            raise CalibrationError(
                f"{self.over} {place:g} is outside the measured range, {self.low:g} to "
                f"{self.high:g}, where left-out figures judge no model: measure there, or name a "
                f"model ({argument('model', '--model')})"
            )
        value = _value(best.result, point)
        if not 0 < value < math.inf:
            raise CalibrationError(f"{best.name} has no value above 0 at {self.over} {place:g}")
        reach = math.exp(
            best.error_ratio * float(stdtrit(self.judged_count, (1 + self.level_ratio) / 2))
        )
        return Estimate(value, value / reach, value * reach)

    predict_run = predict

    def to_dict(self) -> dict[str, Any]:
        """The choice, every model that was tried, and why others do not suit."""
        return {
            **self.about(),
            "chosen": self.tried[0].name,
            "over": self.over,
            "range": [self.low, self.high],
            "level_ratio": self.level_ratio,
            "candidates": [
                {"name": each.name, "root_mean_square_ratio": each.error_ratio}
                for each in self.tried
            ],
            "refused": dict(self.refused),
        }

    @property
    def answer(self) -> str:
        """What it is, in a few words."""
        name = self.tried[0].name
        if len(self.tried) == 1:
            return f"{name} is the only model that suits"
        return f"{name} predicts left-out figures best"

    def __str__(self) -> str:
        errors = (
            f"{each.name}: RMS error {fixed_percent(each.error_ratio, 1)}" for each in self.tried
        )
        return fitted("\n".join([*errors, *(f"note: {note}" for note in self.notes)]))

    def __repr__(self) -> str:
        return short_repr(self, self.answer, f"{len(self.observed)} observations")


def _value(result: Fit | Lines, point: Point) -> float:
    """The most likely value alone: without the search for the ends of its interval."""
    if isinstance(result, Lines):
        return result.value(point)
    return float(result.model.function([point])(np.array(list(result.values.values())))[0])


def _figures(observed: Sequence[Observed]) -> list[tuple[Observed, float]]:
    """Observations that are figures, each with its own."""
    return [(each, figure) for each in observed if (figure := each.figure) is not None]


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
    figures = [each for each, _ in _figures(selection.observed)]
    if not figures:
        raise CalibrationError("no figure to choose a model by: bounds and comparisons alone")
    over = _series_over(figures)
    methods, refused, read = _laws(figures, over, noise_ratio, line_rate_bps)
    kept = without_unread(selection.observed, differing_beside(read, figures))
    seen = kept.observed
    figures = [each for each, _ in _figures(seen)]
    places = np.array([float(needed(each.at, over, each.quantity)) for each in figures])
    methods[INTERPOLATION] = _lines(over, figures, places)

    # each figure inside the range by each model from the others
    is_judged = (places > places.min()) & (places < places.max())
    if is_judged.sum() < _LEAST_FIGURES:
        is_judged = np.ones(len(places), bool)
    judged = [each for each, inside in zip(figures, is_judged, strict=True) if inside]
    tried = []
    for name, method in methods.items():
        try:
            tried.append(Tried(name, method(seen), _left_out_error(method, seen, judged)))
        except NetmodelError as error:
            refused[name] = str(error)
    if not tried:
        count = len(np.unique(places))
        few = ""
        if count < _LEAST_FIGURES:
            few = f"; {count} different values of {over}, of {_LEAST_FIGURES} or more"
        listed = "\n".join(f"- {name}: {why}" for name, why in refused.items())
        raise CalibrationError(
            f"no model can be judged by figures that are left out{few}\n{listed}\n"
            f"measure more, or name a model ({argument('model', '--model')})"
        )
    # the first of equal ones, but for rounding
    tried.sort(key=lambda each: float(f"{each.error_ratio:.{SENTENCE_DIGITS}g}"))
    low, high = float(places.min()), float(places.max())
    notes = [
        f"{tried[0].name} is chosen between {over} {low:g} and {high:g}: RMS error "
        f"{fixed_percent(tried[0].error_ratio, 1)} of left-out figures"
    ]
    if len(figures) < _FEW:
        notes.append(f"the choice rests on {len(figures)} figures: chance may order the models")
    return ChosenModel(
        observed=seen,
        over=over,
        low=low,
        high=high,
        tried=tuple(tried),
        judged_count=len(judged),
        refused=refused,
        level_ratio=LEVEL_RATIO,
        notes=(*notes, *kept.notes, *selection.notes),
    )


def _series_over(figures: Sequence[Observed]) -> str:
    """The rate for CPU cost; else connections; else the number with the most values."""
    varied = varied_numbers(figures)
    if not varied:
        raise CalibrationError("no condition is a number that differs between the figures")
    if figures[0].quantity in COSTS and RATES[1] in varied:
        return RATES[1]
    return _FIRST_PLACE if _FIRST_PLACE in varied else varied[0]


def _laws(
    figures: Sequence[Observed], over: str, noise_ratio: float | None, line_rate_bps: float | None
) -> tuple[dict[str, Method], dict[str, str], set[str]]:
    """Models that depend on the condition; why others do not suit; conditions that are read."""
    methods: dict[str, Method] = {}
    refused: dict[str, str] = {}
    read = {over}
    for name, named in MODELS.items():
        if figures[0].quantity not in named.quantities:
            continue
        try:
            model = named.build(figures, ModelOptions(line_rate_bps))
            conditions = read_conditions(model, figures)
            if named.over:
                require_read(name, model, figures, ())
        except NetmodelError as error:
            refused[name] = str(error)
            continue
        if over not in conditions:
            refused[name] = f"does not depend on {over}"
            continue
        read |= conditions
        methods[name] = partial(fit, model=model, noise_ratio=noise_ratio)
    return methods, refused, read


def _lines(over: str, figures: Sequence[Observed], places: Floats) -> Method:
    """Lines along one condition; others set series apart where it alone does not."""
    apart: tuple[str, ...] = ()
    if len(np.unique(places)) < len({comparable(each.at) for each in figures}):
        apart = tuple(differing_beside((over,), figures))
    return lambda seen: Lines(figures[0].quantity, over, tuple(_figures(seen)), apart)


def _left_out_error(
    method: Method, observed: Sequence[Observed], judged: Sequence[Observed]
) -> float:
    """
    Root mean square of the logarithms of prediction over figure.

    A figure leaves with its repeats, which are not independent of it, and with comparisons to it.
    """
    results: dict[Any, Fit | Lines] = {}
    errors = []
    for each in judged:
        case = comparable(each.at)
        if case not in results:
            results[case] = method(
                [other for other in observed if case not in map(comparable, other.all_conditions)]
            )
        value = _value(results[case], Point(each.quantity, each.at))
        if not 0 < value < math.inf:
            raise CalibrationError(f"has no value above 0 for {each.name}")
        errors.append(max(abs(math.log(value / float(each.figure or 0))), _LEAST_ERROR))
    return float(np.sqrt(np.mean(np.square(errors))))
