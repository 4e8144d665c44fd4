"""Errors of predictions: each observation, or each scenario, predicted from the others."""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar

import numpy as np

from netmodel._dataclasses import dataclass
from netmodel._display import short_repr
from netmodel._estimates import LEVEL_RATIO, Estimate
from netmodel._frame import frame_of, row_of
from netmodel._html import definition_table
from netmodel._numeric import (
    require_above,
    require_at_least,
    require_at_most,
    require_one,
    require_whole,
)
from netmodel._terminal import fitted
from netmodel._text import fixed_percent, range_text, signed_percent
from netmodel.calibration._models import Point, points_of
from netmodel.calibration._observed import Cap, Conditions, Observed, comparable
from netmodel.errors import CalibrationError, ContradictionError, DomainError
from netmodel.records import Relation
from netmodel.units._columns import unit_of_name

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")
REFUSALS = (CalibrationError, ContradictionError)
"""Errors of a method whose observations do not determine a prediction."""
_AT_CEILING_RATIO = 0.98
"""Share of a ceiling from which on a measured rate counts as at it: within the scatter of runs."""


class Predictor(Protocol):
    """
    The result of a method: it predicts quantities under other conditions.
    """

    @property
    def parameters(self) -> Mapping[str, Estimate[float | None]]:
        """Parameters that the observations determine, by name."""

    def predict(self, point: Point) -> Estimate[float | None]:
        """
        A quantity with its range.

        The ends are NaN where they are not known; the value is None where the observations
        allow a range without a best value.

        Raises
        ------
        CalibrationError
            If the observations do not determine it.
        """


Method: TypeAlias = Callable[[Sequence[Observed]], Predictor]
"""From observations to a predictor of others."""


Mean: TypeAlias = Literal["mean"]
"""Name of the method that predicts the mean of the other figures."""


def method_of(method: Method | Mean) -> Method:
    """A method by itself or by its name."""
    if method == "mean":
        return mean_of_others
    if not callable(method):
        raise DomainError(f"a method must be callable, or 'mean'; got {method!r}")
    return method


@dataclass(frozen=True, slots=True)
class _Means:
    """The mean of each quantity."""

    parameters: Mapping[str, Estimate]

    def predict(self, point: Point) -> Estimate:
        if point.quantity not in self.parameters:
            raise CalibrationError(f"no figure of {point.quantity} was observed")
        return self.parameters[point.quantity]


def mean_of_others(observed: Sequence[Observed]) -> Predictor:
    """
    The mean of all figures of a quantity, regardless of the conditions.

    Parameters
    ----------
    observed : sequence of Observed
        Bounds and comparisons are ignored.

    Returns
    -------
    predictor : Predictor
        Its parameters are the means, by quantity. Its predictions have no range.

    Examples
    --------
    >>> from netmodel.calibration import Observed, Point
    >>> seen = [Observed(quantity="x_s", at={"n": n}, low=n, high=n) for n in (1, 2, 6)]
    >>> mean_of_others(seen).predict(Point("x_s", {})).value
    3.0
    """
    figures: dict[str, list[float]] = {}
    for observation, figure in figures_of(observed):
        figures.setdefault(observation.quantity, []).append(figure)
    return _Means({name: single_value(float(np.mean(own))) for name, own in figures.items()})


def figures_of(observed: Sequence[Observed]) -> Iterator[tuple[Observed, float]]:
    """Observations that are figures, each with its own."""
    for observation in observed:
        if (figure := observation.figure) is not None:
            yield observation, figure


def single_value(value: float) -> Estimate:
    """A prediction without a range."""
    return Estimate(value, math.nan, math.nan)


@dataclass(frozen=True, slots=True)
class Coverage:
    """
    Share of intervals that contain the true value.

    Parameters
    ----------
    hit_count : int
        Intervals that contain it.
    count : int
        All intervals.
    ratio : float
        Hits over all.
    low_ratio, high_ratio : float
        Confidence interval of the share in the long run.
    level_ratio : float
        Its confidence level.
    """

    hit_count: int
    count: int
    ratio: float
    low_ratio: float
    high_ratio: float
    level_ratio: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values by name."""
        return asdict(self)


def coverage(hit_count: int, count: int, level_ratio: float = LEVEL_RATIO) -> Coverage:
    r"""
    How often intervals contain the true value, from a number of trials.

    Parameters
    ----------
    hit_count : int
        Intervals that contain it.
    count : int
        All intervals, at least 1.
    level_ratio : float
        Confidence level of the result, not that of the intervals that are counted.

    Returns
    -------
    coverage : Coverage
        The share of hits with its confidence interval, which holds at least at its level,
        whatever the share.

    Raises
    ------
    DomainError
        If a count is negative or not whole, there are no intervals or fewer than hits, or the
        level is not between 0 and 1.

    Notes
    -----
    .. math::
        l = B^{-1}_{k,\; n-k+1}(\alpha/2), \quad
        u = B^{-1}_{k+1,\; n-k}(1 - \alpha/2), \quad \alpha = 1 - \text{level}

    with :math:`B^{-1}` the quantile of the beta distribution, :math:`l = 0`
    without hits and :math:`u = 1` without misses. The intervals must be
    independent of each other: repeats of one run are not independent
    scenarios.

    References
    ----------
    C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits
    illustrated in the case of the binomial", Biometrika 26 (1934).

    Examples
    --------
    60 intervals without a miss may still miss 6 in 100:

    >>> round(1 - coverage(60, 60).low_ratio, 4)
    0.0596
    """
    from scipy.special import betaincinv

    count = require_whole("count", require_at_least("count", count, 1, ""))
    hits = require_at_most("hit_count", require_at_least("hit_count", hit_count, 0, ""), count, "")
    hits = require_whole("hit_count", hits)
    level_ratio = require_one("level_ratio", require_above("level_ratio", level_ratio, 0, ""))
    require_above("1 - level_ratio", 1 - level_ratio, 0, "")
    tail, misses = (1 - level_ratio) / 2, count - hits
    low = float(betaincinv(hits, misses + 1, tail)) if hits else 0.0
    high = float(betaincinv(hits + 1, misses, 1 - tail)) if misses else 1.0
    return Coverage(hits, count, hits / count, low, high, level_ratio)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """
    An observation beside its prediction by a method.

    Parameters
    ----------
    observed : Observed
        The observation.
    predicted : Estimate, optional
        Its ends are NaN where the method has none, its value None where the method has only a
        range; None where the method refused.
    refusal : str
        Why the method refused; else empty.
    is_at_ceiling : bool
        Whether a ceiling limited the observation.
    """

    observed: Observed
    predicted: Estimate[float | None] | None = None
    refusal: str = ""
    is_at_ceiling: bool = False

    @property
    def error_ratio(self) -> float | None:
        """Prediction over figure, less one; None for bounds, comparisons, ranges and refusals."""
        figure = self.observed.figure
        if figure is None or self.predicted is None or self.predicted.value is None:
            return None
        return float(self.predicted.value / figure - 1)

    @property
    def agrees(self) -> bool | None:
        """
        Whether the observation allows the prediction; None where it was refused.

        For a range without a value, whether it allows any of it.
        """
        if self.predicted is None:
            return None
        value, low, high = self.predicted
        ends = (low, high) if value is None else (value, value)
        return bool(ends[0] <= self.observed.high and ends[1] >= self.observed.low)

    @property
    def holds(self) -> bool | None:
        """Whether the predicted interval contains the figure; None without either of them."""
        if (ends := self._ends) is None:
            return None
        return ends[0] <= self.observed.high and ends[1] >= self.observed.low

    @property
    def width_ratio(self) -> float | None:
        """Width of the predicted interval over the figure."""
        ends, figure = self._ends, self.observed.figure
        return None if ends is None or figure is None else ends[1] / figure - ends[0] / figure

    @property
    def _ends(self) -> tuple[float, float] | None:
        """Ends of the predicted interval; None without it, and without a figure."""
        if self.predicted is None or self.observed.figure is None:
            return None
        low, high = float(self.predicted.low), float(self.predicted.high)
        return None if math.isnan(low) or math.isnan(high) else (low, high)

    def to_dict(self) -> dict[str, Any]:
        """Plain values by name."""
        return {
            "name": self.observed.name,
            "quantity": self.observed.quantity,
            "at": dict(self.observed.at),
            "low": self.observed.low,
            "high": _finite(self.observed.high),
            "figure": self.observed.figure,
            "predicted": self.predicted and self.predicted.known(),
            "refusal": self.refusal or None,
            "error_ratio": self.error_ratio,
            "agrees": self.agrees,
            "holds": self.holds,
            "is_at_ceiling": self.is_at_ceiling,
        }


@dataclass(frozen=True, slots=True)
class Errors:
    """
    Errors of a method over several observations.

    Parameters
    ----------
    rows : tuple of Judged
        One for each observation.
    """

    rows: tuple[Judged, ...]

    @property
    def below_ceiling(self) -> "Errors":
        """Rows not at a ceiling: those at it are easy for any method that knows the ceiling."""
        return Errors(tuple(row for row in self.rows if not row.is_at_ceiling))

    @property
    def refusals(self) -> tuple[tuple[str, str], ...]:
        """Name of each observation that the method refused to predict, and why."""
        return tuple((row.observed.name, row.refusal) for row in self.rows if row.predicted is None)

    @property
    def figure_count(self) -> int:
        """Figures that were predicted, with a value."""
        return len(_known(row.error_ratio for row in self.rows))

    @property
    def mean_absolute_ratio(self) -> float | None:
        """Mean of the relative errors, without their signs; None without figures."""
        return _mean([abs(error) for error in _known(row.error_ratio for row in self.rows)])

    @property
    def root_mean_square_ratio(self) -> float | None:
        """Root of the mean square of the relative errors; None without figures."""
        mean = _mean([error**2 for error in _known(row.error_ratio for row in self.rows)])
        return None if mean is None else math.sqrt(mean)

    @property
    def worst(self) -> Judged | None:
        """The row of the largest error."""
        rows = [row for row in self.rows if row.error_ratio is not None]
        return max(rows, key=lambda row: abs(row.error_ratio or 0), default=None)

    @property
    def coverage(self) -> Coverage | None:
        """How many predicted intervals contain the figure; None where the method has none."""
        hits = _known(row.holds for row in self.rows)
        return coverage(sum(hits), len(hits)) if hits else None

    @property
    def bounds(self) -> tuple[int, int]:
        """Number of bounds and comparisons that the predictions agree with, and of all."""
        rows = [row.agrees for row in self.rows if row.observed.figure is None]
        known = [agrees for agrees in rows if agrees is not None]
        return sum(known), len(known)

    @property
    def mean_width_ratio(self) -> float | None:
        """Mean width of the predicted intervals, relative to the figures."""
        return _mean(_known(row.width_ratio for row in self.rows))

    def to_dict(self) -> dict[str, Any]:
        """Summaries and every row, as plain values."""
        cover, worst, (agreeing, bounds) = self.coverage, self.worst, self.bounds
        return {
            "observation_count": len(self.rows),
            "figure_count": self.figure_count,
            "mean_absolute_ratio": self.mean_absolute_ratio,
            "root_mean_square_ratio": self.root_mean_square_ratio,
            "below_ceiling_mean_absolute_ratio": self.below_ceiling.mean_absolute_ratio,
            "worst": worst and worst.observed.name,
            "coverage": cover and cover.to_dict(),
            "mean_width_ratio": _finite(self.mean_width_ratio),
            "agreeing_bound_count": agreeing,
            "bound_count": bounds,
            "refusals": [list(refusal) for refusal in self.refusals],
            "rows": [row.to_dict() for row in self.rows],
        }

    def __str__(self) -> str:
        return fitted("\n".join(f"{name}: {text}" for name, text in self.texts))

    def __repr__(self) -> str:
        return short_repr(self, *(f"{name}: {text}" for name, text in self.texts))

    def _repr_html_(self) -> str:
        return definition_table("Errors of predictions", self.texts)

    def to_frame(self) -> "pd.DataFrame":
        """
        A row for each observation, measured and predicted without it.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        quantities = {each.observed.quantity for each in self.rows}
        unit = next(iter(unit_of_name(quantities.pop())), None) if len(quantities) == 1 else None
        names = ("low", "high", "figure", "predicted", "predicted_low", "predicted_high")
        return frame_of([row_of(each) for each in self.rows], "name", dict.fromkeys(names, unit))

    @property
    def texts(self) -> Iterator[tuple[str, str]]:
        """What there is to say of them, and its name."""
        yield "figures", f"{self.figure_count} of {len(self.rows)} observations predicted"
        if (worst := self.worst) is not None:
            mean, root = map(share_text, (self.mean_absolute_ratio, self.root_mean_square_ratio))
            yield "mean error", f"{mean}, root mean square {root}"
            yield "worst", f"{signed_percent(worst.error_ratio or 0.0, 1)}, {worst.observed.name}"
        if len(self.below_ceiling.rows) < len(self.rows):
            yield "mean error below the ceiling", share_text(self.below_ceiling.mean_absolute_ratio)
        if (cover := self.coverage) is not None:
            low, high = (fixed_percent(end, 0) for end in (cover.low_ratio, cover.high_ratio))
            long_run = f"{range_text(low, high)} in the long run"
            yield (
                "intervals that hold the figure",
                f"{cover.hit_count} of {cover.count}; {long_run}",
            )
        agreeing, bounds = self.bounds
        if bounds:
            yield "bounds that predictions agree with", f"{agreeing} of {bounds}"
        yield from (("refused", f"{name}: {why}") for name, why in self.refusals)


def _known(values: Iterable[T | None]) -> list[T]:
    return [value for value in values if value is not None]


def share_text(ratio: float | None) -> str:
    """A share in percent; a dash for None."""
    return "-" if ratio is None else fixed_percent(ratio, 1)


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def in_sample(
    method: Method | Mean, observed: Sequence[Observed], cap: Cap | None = None
) -> Errors:
    """
    Errors for the observations that a method is given: how it fits, not how it predicts.

    Parameters
    ----------
    method : callable or "mean"
        Takes observations and returns a predictor.
    observed : sequence of Observed
        Of any kind.
    cap : callable, optional
        Upper bound of the quantity by conditions: figures of at least 98 % of it are at the
        ceiling, as are all censored ones.

    Returns
    -------
    errors : Errors
        One row for each observation. All are refused where the method refuses.

    Examples
    --------
    >>> from netmodel.calibration import Observed
    >>> seen = [Observed(quantity="x_s", at={"n": n}, low=n, high=n) for n in (1, 2, 3)]
    >>> round(in_sample("mean", seen).mean_absolute_ratio, 9)
    0.444444444
    """
    return Errors(tuple(_judged(method, observed, observed, cap)))


def leave_one_out(
    method: Method | Mean,
    observed: Sequence[Observed],
    by: str | Sequence[str] = (),
    cap: Cap | None = None,
) -> Errors:
    """
    Error of each observation as predicted from the others.

    Parameters
    ----------
    method : callable or "mean"
        Takes observations and returns a predictor, such as ``partial(fit, model=model)``.
        ``"mean"`` predicts the mean of the other figures, regardless of the conditions.
    observed : sequence of Observed
        Of any kind. Comparisons are left out with either of their sides.
    by : str or sequence of str
        Conditions that separate one group from another, such as ``"adapter"``: each group is
        predicted from all others, and observations without the condition are a group as well.
        When left out, all observations under the same conditions are one group, since repeats
        of a run are not independent of each other.
    cap : callable, optional
        Upper bound of the quantity by conditions: figures of at least 98 % of it are at the
        ceiling, as are all censored ones.

    Returns
    -------
    errors : Errors
        One row for each observation; for those that the method refuses to predict, why.

    Raises
    ------
    DomainError
        If no observation has one of the conditions.
    CalibrationError
        If there is only one group.

    Examples
    --------
    1, 2 and 6, each predicted by the mean of the others:

    >>> seen = [Observed(quantity="x_s", at={"n": n}, low=n, high=n) for n in (1, 2, 6)]
    >>> [row.predicted.value for row in leave_one_out("mean", seen).rows]
    [4.0, 3.5, 1.5]

    By MTU, of which 1500 has two runs:

    >>> seen = [
    ...     Observed(quantity="x_s", at={"mtu_bytes": mtu, "run": run}, low=low, high=low)
    ...     for mtu, run, low in ((1500, 1, 1), (1500, 2, 2), (9000, 1, 6))
    ... ]
    >>> errors = leave_one_out("mean", seen, by="mtu_bytes")
    >>> [row.predicted.value for row in errors.rows]
    [6.0, 6.0, 1.5]
    """
    names = names_of(by)
    for name in names:
        if not any(name in observation.at for observation in observed):
            raise DomainError(f"no observation has the condition {name}")

    def group_of(conditions: Conditions) -> Hashable:
        if not names:
            return comparable(conditions)
        return tuple(conditions.get(name) for name in names)

    groups: dict[Hashable, list[int]] = {}
    for number, seen in enumerate(observed):
        groups.setdefault(group_of(seen.at), []).append(number)
    if len(groups) < 2:
        raise CalibrationError(
            "all observations are of one group: no others are left to predict them from"
        )
    rows: dict[int, Judged] = {}
    for group, numbers in groups.items():
        rest = [seen for seen in observed if group not in map(group_of, seen.all_conditions)]
        judged = _judged(method, rest, [observed[number] for number in numbers], cap)
        rows |= dict(zip(numbers, judged, strict=True))
    return Errors(tuple(rows[number] for number in range(len(observed))))


def names_of(by: str | Sequence[str]) -> tuple[str, ...]:
    """Names of conditions, given as a name or as several."""
    return (by,) if isinstance(by, str) else tuple(by)


def _judged(
    method: Method | Mean, seen: Sequence[Observed], wanted: Sequence[Observed], cap: Cap | None
) -> Iterator[Judged]:
    """Each wanted observation beside its prediction by a method that was given others."""
    predictor, why = None, ""
    try:
        predictor = method_of(method)(seen)
    except REFUSALS as refusal:
        why = str(refusal)
    for observation in wanted:
        predicted = None
        if predictor is not None:
            predicted, why = _predicted(predictor, observation)
        figure = observation.figure
        is_at_ceiling = observation.relation is Relation.CENSORED_ABOVE
        if figure is not None and cap is not None:
            is_at_ceiling = figure >= _AT_CEILING_RATIO * cap(observation.at)
        yield Judged(
            observed=observation, predicted=predicted, refusal=why, is_at_ceiling=is_at_ceiling
        )


def _predicted(
    predictor: Predictor, observed: Observed
) -> tuple[Estimate[float | None] | None, str]:
    if isinstance(observed.baseline, str):
        return None, f"nothing predicts the baseline {observed.baseline}"
    try:
        largest = _largest([predictor.predict(point) for point in points_of(observed)])
        if observed.baseline is None:
            return largest, ""
        base = predictor.predict(Point(observed.quantity, observed.baseline))
    except REFUSALS as refusal:
        return None, str(refusal)
    return _ratio(largest, base), ""


def _largest(estimates: Sequence[Estimate[float | None]]) -> Estimate[float | None]:
    values = [each.value for each in estimates if each.value is not None]
    return Estimate(
        None if len(values) < len(estimates) else max(values),
        float(np.max([each.low for each in estimates])),
        float(np.max([each.high for each in estimates])),
    )


def _ratio(
    estimate: Estimate[float | None], base: Estimate[float | None]
) -> Estimate[float | None]:
    """The ratio with the widest range possible: parameters common to both are not known."""
    with np.errstate(divide="ignore"):
        low, high = np.divide(estimate.low, base.high), np.divide(estimate.high, base.low)
    value = None
    if estimate.value is not None and base.value is not None:
        value = estimate.value / base.value
    return Estimate(value, float(low), float(high))
