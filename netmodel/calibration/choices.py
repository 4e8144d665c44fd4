"""
The model of a series that predicts left-out figures best: the laws, and lines in logarithms.

Each figure is predicted from the others by every model that suits. The best one answers, inside the
measured range; how far it missed left-out figures is the interval.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from netmodel.calibration._fit import Fit, fit
from netmodel.calibration._shown import Shown
from netmodel.calibration.conditions import (
    differing_beside,
    read_conditions,
    without_unread,
)
from netmodel.calibration.models import (
    FreeParameter,
    Model,
    Point,
    require_quantity,
    varied_numbers,
)
from netmodel.calibration.named_models import MODELS, require_read
from netmodel.calibration.observations import COSTS, RATES, Observed, Selection, comparable, needed
from netmodel.errors import CalibrationError, NetmodelError
from netmodel.estimates import LEVEL_RATIO, Estimate
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
_FEW = 5
"""Figures below which chance orders models: of four, one error can be half of the mean."""


Value: TypeAlias = Callable[[Point], float]
"""From conditions to the likeliest value there."""
Method: TypeAlias = Callable[[Sequence[Observed]], tuple[Value, Fit | None]]
"""From observations to what predicts others, and the fit where it is one."""


class Tried(NamedTuple):
    """A model estimated from all figures, and root of the mean square of its left-out errors."""

    name: str
    value: Value
    fit: Fit | None
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

    json_keys: ClassVar[str] = "chosen over range level_ratio candidates refused"
    method: ClassVar[str] = "chosen model"
    scatter_ratio: ClassVar[float | None] = None

    @property
    def chosen(self) -> str:
        """Name of the model."""
        return self.tried[0].name

    @property
    def range(self) -> tuple[float, float]:
        """Both ends of the measured range."""
        return self.low, self.high

    @property
    def candidates(self) -> list[dict[str, Any]]:
        """Name and error of each model that suits."""
        return [
            {"name": each.name, "root_mean_square_ratio": each.error_ratio} for each in self.tried
        ]

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
        require_quantity(point, (self.observed[0].quantity,))
        value = best.value(point)
        if not 0 < value < math.inf:
            raise CalibrationError(f"{best.name} has no value above 0 at {self.over} {place:g}")
        reach = math.exp(
            best.error_ratio * float(stdtrit(self.judged_count, (1 + self.level_ratio) / 2))
        )
        return Estimate(value, value / reach, value * reach)

    predict_run = predict

    @property
    def answer(self) -> str:
        """What it is, in a few words."""
        if len(self.tried) == 1:
            return f"{self.chosen} is the only model that suits"
        return f"{self.chosen} predicts left-out figures best"

    @property
    def rows(self) -> list[tuple[str, str]]:
        """Name of each model that suits, and its error as text."""
        return [
            (each.name, f"RMS error {fixed_percent(each.error_ratio, 1)}") for each in self.tried
        ]


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
    figures = [each for each in selection.observed if each.figure is not None]
    if not figures:
        raise CalibrationError("no figure to choose a model by: bounds and comparisons alone")
    over = _series_over(figures)
    methods, refused, read = _laws(figures, over, noise_ratio, line_rate_bps)
    kept = without_unread(selection.observed, differing_beside(read, figures))
    seen = kept.observed
    figures = [each for each in seen if each.figure is not None]
    places = np.array([float(needed(each.at, over, each.quantity)) for each in figures])
    # where one place has several cases, their other conditions set series apart
    is_single = len(np.unique(places)) == len({comparable(each.at) for each in figures})
    apart = () if is_single else tuple(differing_beside((over,), figures))
    methods[INTERPOLATION] = partial(_lines, over, apart)

    # each figure inside the range by each model from the others
    is_judged = (places > places.min()) & (places < places.max())
    if is_judged.sum() < _LEAST_FIGURES:
        is_judged = np.ones(len(places), bool)
    judged = [each for each, inside in zip(figures, is_judged, strict=True) if inside]
    tried = []
    for name, method in methods.items():
        try:
            tried.append(Tried(name, *method(seen), _left_out_error(method, seen, judged)))
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
    return _FIRST_PLACE if _FIRST_PLACE in varied else next(iter(varied))


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
            model = named.build(figures, line_rate_bps, ())
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
        methods[name] = partial(_law, model, noise_ratio)
    return methods, refused, read


def _law(
    model: Model, noise_ratio: float | None, observed: Sequence[Observed]
) -> tuple[Value, Fit]:
    """The likeliest values alone: without the search for the ends of their intervals."""
    found = fit(observed, model, noise_ratio=noise_ratio)
    values = np.array([*found.values.values()])
    return partial(_law_at, model, values), found


def _law_at(model: Model, values: Any, point: Point) -> float:
    return float(model.function([point])(values)[0])


def _lines(over: str, apart: Sequence[str], observed: Sequence[Observed]) -> tuple[Value, None]:
    """Lines between logarithms of figures along one condition; others set series apart."""
    return partial(_line_at, over, apart, observed), None


def _line_at(over: str, apart: Sequence[str], observed: Sequence[Observed], point: Point) -> float:
    place = math.log(float(needed(point.at, over, point.quantity)))
    near = [
        (math.log(float(each.at[over])), math.log(each.figure))
        for each in observed
        if each.figure is not None
        and all(each.at.get(name) == point.at.get(name) for name in apart)
    ]
    places, which = np.unique([each for each, _ in near], return_inverse=True)
    if len(places) < 2:
        raise CalibrationError(f"no two figures define a line along {over}")
    means = np.bincount(which, [figure for _, figure in near]) / np.bincount(which)
    left = int(np.clip(np.searchsorted(places, place, "right") - 1, 0, len(places) - 2))
    slope = (means[left + 1] - means[left]) / (places[left + 1] - places[left])
    return math.exp(means[left] + slope * (place - places[left]))


def _left_out_error(
    method: Method, observed: Sequence[Observed], judged: Sequence[Observed]
) -> float:
    """
    Root mean square of the logarithms of prediction over figure.

    A figure leaves with its repeats, which are not independent of it, and with comparisons to it;
    of many cases with every twentieth other one.
    """
    cases = dict.fromkeys(comparable(each.at) for each in judged)
    groups = {case: number % _MOST_GROUPS for number, case in enumerate(cases)}
    errors = []
    for group in sorted({*groups.values()}):
        out = {case for case, own in groups.items() if own == group}
        rest = [seen for seen in observed if out.isdisjoint(map(comparable, seen.all_conditions))]
        value_of, _ = method(rest)
        for each in judged:
            if comparable(each.at) in out:
                value = value_of(Point(each.quantity, each.at))
                if not 0 < value < math.inf:
                    raise CalibrationError(f"has no value above 0 for {each.name}")
                errors.append(max(abs(math.log(value / float(each.figure or 0))), _LEAST_ERROR))
    return float(np.sqrt(np.mean(np.square(errors))))
