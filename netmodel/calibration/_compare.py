"""Methods beside each other: a model, and the baselines that it must beat."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from netmodel._estimates import Estimate
from netmodel._html import definition_table, row_table
from netmodel._numeric import Floats
from netmodel._text import text_table
from netmodel.calibration._fit import Fit, fit
from netmodel.calibration._leave_out import (
    REFUSALS,
    Errors,
    Method,
    Predictor,
    in_sample,
    leave_one_out,
    names_of,
    share_text,
)
from netmodel.calibration._models import Model, Point
from netmodel.calibration._noise import Noise
from netmodel.calibration._observed import Cap, Conditions, Observed, conditions_text, needed
from netmodel.errors import CalibrationError

_FEW = 5
"""Figures below which chance orders methods: with four, one error decides half of the mean."""


class Scale(Enum):
    """
    On which axes interpolation is along straight lines.

    ``LINEAR`` has the condition and the quantity as they are,
    ``LOG_CONDITION`` the logarithm of the condition, ``LOG_BOTH`` that of both.
    """

    LINEAR = "linear"
    LOG_CONDITION = "log_condition"
    LOG_BOTH = "log_both"


class Beyond(Enum):
    """
    What interpolation does outside the range of what was seen.

    ``REFUSE`` predicts nothing there, ``EXTEND`` goes on along the last line.
    """

    REFUSE = "refuse"
    EXTEND = "extend"


@dataclass(frozen=True, slots=True)
class _Interpolated:
    """Lines between figures along a condition."""

    condition: str
    scale: Scale
    beyond: Beyond
    seen: tuple[tuple[Observed, float], ...]

    @property
    def parameters(self) -> Mapping[str, Estimate]:
        return {
            f"{observation.quantity} at {conditions_text(observation.at)}": _bare(figure)
            for observation, figure in self.seen
        }

    def predict(self, point: Point) -> Estimate:
        wanted = float(needed(point.at, self.condition, "interpolation"))
        places, means = self._means(point)
        if len(places) < 2:
            raise CalibrationError(f"no two figures draw a line along {self.condition}")
        if self.beyond is Beyond.REFUSE and not places[0] <= wanted <= places[-1]:
            raise CalibrationError(
                f"{self.condition} {wanted:g} is not within what was seen, "
                f"{places[0]:g} to {places[-1]:g}"
            )
        across = np.asarray if self.scale is Scale.LINEAR else np.log
        left = int(np.clip(np.searchsorted(places, wanted, "right") - 1, 0, len(places) - 2))
        start, end = across(places[left : left + 2])
        share = (across(wanted) - start) / (end - start)
        value = means[left] + (means[left + 1] - means[left]) * share
        return _bare(float(np.exp(value) if self.scale is Scale.LOG_BOTH else value))

    def _means(self, point: Point) -> tuple[Floats, Floats]:
        """Places in order, and the mean of the figures of each on the scale of the quantity."""
        others = _without(point.at, self.condition)
        near = [
            (float(observation.at[self.condition]), figure)
            for observation, figure in self.seen
            if observation.quantity == point.quantity
            and _without(observation.at, self.condition) == others
        ]
        up = np.log if self.scale is Scale.LOG_BOTH else np.asarray
        places, which = np.unique([place for place, _ in near], return_inverse=True)
        figures = up([figure for _, figure in near])
        return places, np.bincount(which, figures) / np.bincount(which)


@dataclass(frozen=True, slots=True)
class _Means:
    """The mean of each quantity."""

    parameters: Mapping[str, Estimate]

    def predict(self, point: Point) -> Estimate:
        if point.quantity not in self.parameters:
            raise CalibrationError(f"no figure of {point.quantity} was seen")
        return self.parameters[point.quantity]


@dataclass(frozen=True, slots=True)
class _Ceiling:
    """What nothing exceeds."""

    cap: Cap

    @property
    def parameters(self) -> Mapping[str, Estimate]:
        return {}

    def predict(self, point: Point) -> Estimate:
        return _bare(self.cap(point.at))


def interpolation(
    condition: str,
    scale: Scale | str = Scale.LOG_CONDITION,
    beyond: Beyond | str = Beyond.REFUSE,
) -> Method:
    """
    Straight lines between neighbours along one condition.

    Parameters
    ----------
    condition : str
        Name of the condition. Only observations that agree with the point in
        all others, and in the quantity, are neighbours.
    scale : Scale or str
        On which axes the lines are straight: ``"linear"``, ``"log_condition"`` or
        ``"log_both"``.
    beyond : Beyond or str
        Outside the range of what was seen ``"refuse"``, or ``"extend"`` the last line.

    Returns
    -------
    method : callable
        Takes observations. Bounds and comparisons are left aside; figures of
        one place are averaged, on the scale of the quantity. Its predictions
        have no range, and it has as many parameters as places: no degree of
        freedom is left.

    Examples
    --------
    >>> from netmodel.calibration import Observed, Point
    >>> seen = [
    ...     Observed(quantity="throughput_bps", at={"mtu_bytes": mtu}, low=rate, high=rate)
    ...     for mtu, rate in ((1500, 13e9), (6000, 25e9))
    ... ]
    >>> between = interpolation("mtu_bytes")(seen)
    >>> round(between.predict(Point("throughput_bps", {"mtu_bytes": 3000})).value / 1e9, 6)
    19.0
    """

    def method(observed: Sequence[Observed]) -> Predictor:
        seen = tuple(
            (observation, figure)
            for observation, figure in _figures(observed)
            if condition in observation.at
        )
        return _Interpolated(condition, Scale(scale), Beyond(beyond), seen)

    return method


def mean_of_others(observed: Sequence[Observed]) -> Predictor:
    """
    The mean of all figures of a quantity, regardless of the conditions.

    Parameters
    ----------
    observed : sequence of Observed
        Bounds and comparisons are left aside.

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
    for observation, figure in _figures(observed):
        figures.setdefault(observation.quantity, []).append(figure)
    return _Means({name: _bare(float(np.mean(many))) for name, many in figures.items()})


def ceiling_alone(cap: Cap) -> Method:
    """
    What nothing exceeds, as a prediction: nothing is learned from observations.

    Parameters
    ----------
    cap : callable
        From conditions to the ceiling, such as the payload rate of a line.

    Returns
    -------
    method : callable
        Takes observations. Its predictions have no range, and it has no parameter.

    Examples
    --------
    >>> from netmodel.calibration import Point
    >>> line = ceiling_alone(lambda at: 25e9)
    >>> line([]).predict(Point("throughput_bps", {})).value
    25000000000.0
    """

    return lambda observed: _Ceiling(cap)


def _figures(observed: Sequence[Observed]) -> Iterator[tuple[Observed, float]]:
    for observation in observed:
        if (figure := observation.figure) is not None:
            yield observation, figure


def _without(at: Conditions, name: str) -> dict[str, float | str | bool]:
    return {other: value for other, value in at.items() if other != name}


def _bare(value: float) -> Estimate:
    return Estimate(value, np.nan, np.nan)


def forecasting(
    model: Model, noise: Noise = Noise.RELATIVE, noise_ratio: float | None = None
) -> Method:
    """
    Fits of a model that predict what would be seen, noise and all.

    Parameters
    ----------
    model : Model
        What is fitted.
    noise : Noise
        What scatters normally.
    noise_ratio : float, optional
        Standard deviation of the noise of an observation of weight 1, where it is known.

    Returns
    -------
    method : callable
        Takes observations. Its parameters are those of the fit. Its predictions
        are of figures: wider than the intervals of the quantity itself, and a
        little beyond a ceiling where a measured figure may be. Without a degree
        of freedom the noise cannot be estimated, and they have no range.

    Raises
    ------
    CalibrationError
        If its observations do not determine the parameters.
    DomainError
        If the noise is not above zero, once there are observations.

    See Also
    --------
    Fit.predict_run : How far one more run may be.

    Examples
    --------
    The mean of 1, 2 and 6, and where a fourth figure would be:

    >>> from netmodel.calibration import DemandModel, FreeParameter, Noise, Observed, Point
    >>> level = DemandModel("x_s", (FreeParameter("x_s", "s"),), lambda at: (1,), is_rate=False)
    >>> seen = [Observed(quantity="x_s", at={"n": n}, low=n, high=n) for n in (1, 2, 6)]
    >>> result = forecasting(level, Noise.ABSOLUTE)(seen).predict(Point("x_s", {}))
    >>> round(result.value, 6), round(result.high, 4)
    (3.0, 16.1448)
    """

    def method(observed: Sequence[Observed]) -> Predictor:
        return _Forecast(fit(observed, model, noise=noise, noise_ratio=noise_ratio))

    return method


@dataclass(frozen=True)
class _Forecast:
    """A fit that predicts figures."""

    fit: Fit

    @property
    def parameters(self) -> Mapping[str, Estimate]:
        return self.fit.parameters

    def predict(self, point: Point) -> Estimate:
        if self.fit.is_undetermined:
            return Estimate(self.fit.predict(point).value, math.nan, math.nan)
        return self.fit.predict_run(point, is_within_limits=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """
    What one method needs, follows and predicts.

    Parameters
    ----------
    name : str
        Of the method.
    parameter_count : int, optional
        What the observations set; None where it refuses to be made of all of them.
    degrees_of_freedom : int, optional
        Figures beyond that; bounds are not counted, though they narrow too.
    in_sample, left_out : Errors
        Of what it has seen, and of each observation as predicted from the others.
    groups_left_out : Errors, optional
        Of each group as predicted from the others; None where none is asked for.
    """

    name: str
    parameter_count: int | None
    degrees_of_freedom: int | None
    in_sample: Errors
    left_out: Errors
    groups_left_out: Errors | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values by name."""
        return {
            "name": self.name,
            "parameter_count": self.parameter_count,
            "degrees_of_freedom": self.degrees_of_freedom,
            "in_sample": self.in_sample.to_dict(),
            "left_out": self.left_out.to_dict(),
            "groups_left_out": self.groups_left_out and self.groups_left_out.to_dict(),
        }

    def cells(self) -> tuple[str, ...]:
        """As a row of the table."""
        cover, groups = self.left_out.coverage, self.groups_left_out
        return (
            self.name,
            _count_text(self.parameter_count),
            _count_text(self.degrees_of_freedom),
            _error_text(self.in_sample),
            _error_text(self.left_out),
            "-" if groups is None else _error_text(groups),
            _error_text(self.left_out.below_ceiling),
            "-" if cover is None else f"{cover.hit_count} of {cover.count}",
            share_text(self.left_out.mean_width_ratio),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """
    Methods beside each other on the same observations.

    Parameters
    ----------
    methods : tuple of Compared
        In the order in which they were given.
    by : tuple of str
        Conditions that separate one group from another.
    figure_count : int
        Figures among the observations.
    """

    methods: tuple[Compared, ...]
    by: tuple[str, ...]
    figure_count: int

    @property
    def notes(self) -> tuple[str, ...]:
        """What is thin about the errors: few figures, no degrees of freedom, refusals."""
        return tuple(self._notes())

    def to_dict(self) -> dict[str, Any]:
        """Plain values by name."""
        return {
            "methods": [method.to_dict() for method in self.methods],
            "by": list(self.by),
            "figure_count": self.figure_count,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        rows = [self._header(), *(method.cells() for method in self.methods)]
        table = text_table(rows, right_aligned=range(1, len(rows[0])))
        return "\n".join([table, *(f"note: {note}" for note in self.notes)])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        table = row_table("Methods", self._header(), [method.cells() for method in self.methods])
        return table + definition_table("Notes", [("note", note) for note in self.notes])

    def _header(self) -> tuple[str, ...]:
        return (
            "method",
            "parameters",
            "freedom",
            "in sample",
            "one left out",
            f"{' and '.join(self.by)} left out" if self.by else "group left out",
            "below ceiling",
            "hold",
            "width",
        )

    def _notes(self) -> Iterator[str]:
        if self.figure_count < _FEW:
            yield f"all errors rest on {self.figure_count} figures: chance may order the methods"
        for method in self.methods:
            if method.degrees_of_freedom is not None and method.degrees_of_freedom <= 0:
                yield (
                    f"{method.name}: no degree of freedom is left, so that its error in sample "
                    "is no evidence"
                )
            yield from self._thin(f"{method.name}, one left out", method.left_out)
            if method.groups_left_out is not None:
                yield from self._thin(f"{method.name}, one group left out", method.groups_left_out)

    def _thin(self, which: str, errors: Errors) -> Iterator[str]:
        if refusals := errors.refusals:
            first = ": ".join(refusals[0])
            yield f"{which}: {len(refusals)} of {len(errors.rows)} refused, such as {first}"
        if errors.figure_count < _FEW <= self.figure_count:
            yield f"{which}: the error rests on {errors.figure_count} figures"


def compare(
    methods: Mapping[str, Method],
    observed: Sequence[Observed],
    by: str | Sequence[str] = (),
    cap: Cap | None = None,
) -> Comparison:
    """
    Errors of several methods on the same observations, seen and left out.

    Parameters
    ----------
    methods : mapping of str to callable
        Each makes observations into what predicts, by its name.
    observed : sequence of Observed
        Of any kind.
    by : str or sequence of str
        Conditions that separate one scenario from another: each is predicted from
        all others. None are when left out.
    cap : callable, optional
        From conditions to what no quantity exceeds there: figures of at least
        98 % of it are at the ceiling, as all are that something else censored.

    Returns
    -------
    comparison : Comparison
        A table with a row for each method, and notes on what is thin about it.

    Raises
    ------
    DomainError
        If no observation has one of the conditions.
    CalibrationError
        If all observations are under the same conditions, or of one scenario.

    Examples
    --------
    >>> from netmodel.calibration import Observed, interpolation, mean_of_others
    >>> seen = [Observed(quantity="x_s", at={"n": n}, low=n, high=n) for n in (1, 2, 3, 4, 5)]
    >>> methods = {"mean": mean_of_others, "interpolation": interpolation("n")}
    >>> table = compare(methods, seen)
    >>> [each.degrees_of_freedom for each in table.methods]
    [4, 0]
    """
    names = names_of(by)
    figures = sum(observation.figure is not None for observation in observed)
    rows = [
        _compared(name, method, observed, names, cap, figures) for name, method in methods.items()
    ]
    return Comparison(methods=tuple(rows), by=names, figure_count=figures)


def _compared(
    name: str,
    method: Method,
    observed: Sequence[Observed],
    by: Sequence[str],
    cap: Cap | None,
    figures: int,
) -> Compared:
    count = _parameter_count(method, observed)
    return Compared(
        name=name,
        parameter_count=count,
        degrees_of_freedom=None if count is None else figures - count,
        in_sample=in_sample(method, observed, cap),
        left_out=leave_one_out(method, observed, cap=cap),
        groups_left_out=leave_one_out(method, observed, by, cap) if by else None,
    )


def _parameter_count(method: Method, observed: Sequence[Observed]) -> int | None:
    try:
        return len(method(observed).parameters)
    except REFUSALS:
        return None


def _error_text(errors: Errors) -> str:
    """The mean error, and of how many figures where not all of them were predicted."""
    share = share_text(errors.mean_absolute_ratio)
    refused = len(errors.refusals)
    return f"{share} ({refused} refused)" if refused else share


def _count_text(count: int | None) -> str:
    return "-" if count is None else str(count)
