"""What a calibrated model must beat: interpolation, the mean, the ceiling alone."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, TypeAlias

import numpy as np

from netmodel._estimates import Estimate
from netmodel.calibration._model import Floats, Point
from netmodel.calibration._observed import Cap, Conditions, Observed, conditions_text, needed
from netmodel.errors import CalibrationError, ContradictionError

__all__ = [
    "REFUSALS",
    "Beyond",
    "Method",
    "Predictor",
    "Scale",
    "ceiling_alone",
    "interpolation",
    "mean_of_others",
]


class Predictor(Protocol):
    """
    What observations have been made into, and what predicts others.
    """

    @property
    def parameters(self) -> Mapping[str, Estimate]:
        """What the observations have set, by name."""

    def predict(self, point: Point) -> Estimate:
        """
        A quantity with its range.

        The ends are NaN where nothing tells them; the value is None where the
        observations tell a range alone.

        Raises
        ------
        CalibrationError
            If the observations do not tell it.
        """


REFUSALS = (CalibrationError, ContradictionError)
"""How a method says that observations do not tell what is wanted of them."""

Method: TypeAlias = Callable[[Sequence[Observed]], Predictor]
"""Makes observations into what predicts others."""


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
            f"{one.quantity} at {conditions_text(one.at)}": _bare(figure)
            for one, figure in self.seen
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
            (float(one.at[self.condition]), figure)
            for one, figure in self.seen
            if one.quantity == point.quantity and _without(one.at, self.condition) == others
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
    condition: str, scale: Scale = Scale.LOG_CONDITION, beyond: Beyond = Beyond.REFUSE
) -> Method:
    """
    Straight lines between neighbours along one condition.

    Parameters
    ----------
    condition : str
        Name of the condition. Only observations that agree with the point in
        all others, and in the quantity, are neighbours.
    scale : Scale
        On which axes the lines are straight.
    beyond : Beyond
        What to do outside the range of what was seen.

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
        seen = tuple((one, figure) for one, figure in _figures(observed) if condition in one.at)
        return _Interpolated(condition, scale, beyond, seen)

    return method


def mean_of_others(observed: Sequence[Observed]) -> Predictor:
    """
    The mean of all figures of a quantity, whatever the conditions.

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
    for one, figure in _figures(observed):
        figures.setdefault(one.quantity, []).append(figure)
    return _Means({name: _bare(float(np.mean(several))) for name, several in figures.items()})


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
    for one in observed:
        if (figure := one.figure) is not None:
            yield one, figure


def _without(at: Conditions, name: str) -> dict[str, float | str | bool]:
    return {other: value for other, value in at.items() if other != name}


def _bare(value: float) -> Estimate:
    return Estimate(value, np.nan, np.nan)
