"""Comparison of methods: a model, and the baselines that it must beat."""

import math
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from netmodel._dataclasses import dataclass
from netmodel._display import short_repr
from netmodel._estimates import Estimate
from netmodel._frame import frame_of
from netmodel._terminal import fitted
from netmodel._text import NOTE_CHARACTERS, text_table
from netmodel.calibration._fit import Fit, fit
from netmodel.calibration._leave_out import (
    REFUSALS,
    Errors,
    Mean,
    Method,
    Predictor,
    figures_of,
    in_sample,
    leave_one_out,
    method_of,
    names_of,
    share_text,
    single_value,
)
from netmodel.calibration._models import Model, Point
from netmodel.calibration._noise import Noise
from netmodel.calibration._observed import Cap, Conditions, Observed, conditions_text, needed
from netmodel.errors import CalibrationError

if TYPE_CHECKING:
    import pandas as pd

    from netmodel.calibration._summary import Summary

_FEW = 5
"""Figures below which chance orders methods: of four, a single error can be half of the mean."""


class Scale(Enum):
    """
    Axes on which the lines of an interpolation are straight.

    ``LINEAR``: the condition and the quantity; ``LOG_CONDITION``: the logarithm of the condition;
    ``LOG_BOTH``: the logarithms of both.
    """

    LINEAR = "linear"
    LOG_CONDITION = "log_condition"
    LOG_BOTH = "log_both"


class Beyond(Enum):
    """
    Interpolation outside the observed range.

    ``REFUSE`` predicts nothing there; ``EXTEND`` continues the last line.
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
            f"{observation.quantity} at {conditions_text(observation.at)}": single_value(figure)
            for observation, figure in self.seen
        }

    def predict(self, point: Point) -> Estimate:
        wanted = float(needed(point.at, self.condition, "interpolation"))
        # (1) the mean of the figures at each place, on the scale of the quantity
        others = _without(point.at, self.condition)
        near = [
            (float(observation.at[self.condition]), figure)
            for observation, figure in self.seen
            if observation.quantity == point.quantity
            and _without(observation.at, self.condition) == others
        ]
        places, which = np.unique([place for place, _ in near], return_inverse=True)
        if len(places) < 2:
            raise CalibrationError(f"no two figures define a line along {self.condition}")
        if self.beyond is Beyond.REFUSE and not places[0] <= wanted <= places[-1]:
            raise CalibrationError(
                f"{self.condition} {wanted:g} is outside the observed range, "
                f"{places[0]:g} to {places[-1]:g}"
            )
        up = np.log if self.scale is Scale.LOG_BOTH else np.asarray
        means = np.bincount(which, up([figure for _, figure in near])) / np.bincount(which)
        # (2) the line between the neighbours, or through the last two
        across = np.asarray if self.scale is Scale.LINEAR else np.log
        left = int(np.clip(np.searchsorted(places, wanted, "right") - 1, 0, len(places) - 2))
        start, end = across(places[left : left + 2])
        share = (across(wanted) - start) / (end - start)
        value = means[left] + (means[left + 1] - means[left]) * share
        return single_value(float(np.exp(value) if self.scale is Scale.LOG_BOTH else value))


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
        Outside the observed range ``"refuse"``, or ``"extend"`` the last line.

    Returns
    -------
    method : callable
        Takes observations. Bounds and comparisons are ignored; figures of the same place
        are averaged, on the scale of the quantity. Its predictions have no range. Each
        figure is a parameter, so that no degree of freedom is left.

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
            for observation, figure in figures_of(observed)
            if condition in observation.at
        )
        return _Interpolated(condition, Scale(scale), Beyond(beyond), seen)

    return method


def _without(conditions: Conditions, name: str) -> dict[str, float | str | bool]:
    return {other: value for other, value in conditions.items() if other != name}


def forecasting(
    model: Model, noise: Noise = Noise.RELATIVE, noise_ratio: float | None = None
) -> Method:
    """
    Fits of a model that predict figures, with their noise.

    Parameters
    ----------
    model : Model
        The model to fit.
    noise : Noise
        What scatters normally.
    noise_ratio : float, optional
        Standard deviation of the noise of an observation of weight 1, where it is known.

    Returns
    -------
    method : callable
        Takes observations. Its parameters are those of the fit. Its predictions are of
        figures: wider than the intervals of the quantity itself, and slightly beyond a
        ceiling, as figures may be. Without a degree of freedom the noise cannot be estimated,
        and they have no range.

    Raises
    ------
    CalibrationError
        If its observations do not determine the parameters.
    DomainError
        If the noise is not above zero, once there are observations.

    See Also
    --------
    Fit.predict_run : The interval of one more run.

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
    Errors of one method.

    Parameters
    ----------
    name : str
        Of the method.
    parameter_count : int, optional
        Parameters that the observations determine; None where the method refuses them.
    degrees_of_freedom : int, optional
        Figures less parameters; bounds are not counted, though they narrow too.
    in_sample, left_out : Errors
        Of the observations that it was given, and of each as predicted from the others.
    groups_left_out : Errors, optional
        Of each group as predicted from the others; None without groups.
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
    Several methods on the same observations.

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
        """Weaknesses of the errors: few figures, no degrees of freedom, refusals."""
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
        return fitted("\n".join([table, *(f"note: {note}" for note in self.notes)]))

    def __repr__(self) -> str:
        each = ", ".join(
            f"{method.name} {share_text(method.left_out.mean_absolute_ratio)}"
            for method in self.methods
        )
        return short_repr(self, f"{self.figure_count} figures, mean error of left-out ones: {each}")

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()

    def summary(self) -> "Summary":
        """The methods on a page: prints as text, and as a table in a notebook."""
        from netmodel.calibration._summary import Section, Summary

        title = f"{len(self.methods)} methods on {self.figure_count} figures"
        rows = tuple(method.cells() for method in self.methods)
        return Summary(title, (Section("Errors", self._header(), rows),), self.notes)

    def to_frame(self) -> "pd.DataFrame":
        """
        A row for each method: errors of the figures used, and of those left out.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        rows = [
            {
                "method": each.name,
                "parameter_count": each.parameter_count,
                "in_sample_error_ratio": each.in_sample.mean_absolute_ratio,
                "left_out_error_ratio": each.left_out.mean_absolute_ratio,
                "left_out_rms_ratio": each.left_out.root_mean_square_ratio,
                "left_out_width_ratio": each.left_out.mean_width_ratio,
            }
            for each in self.methods
        ]
        return frame_of(rows, "method")

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
                yield f"{method.name}: no degree of freedom, so the error in sample is no evidence"
            yield from self._thin(f"{method.name}, one left out", method.left_out)
            if method.groups_left_out is not None:
                yield from self._thin(f"{method.name}, one group left out", method.groups_left_out)

    def _thin(self, which: str, errors: Errors) -> Iterator[str]:
        if refusals := errors.refusals:
            note = f"{which}: {len(refusals)} of {len(errors.rows)} refused"
            with_reason = f"{note} ({refusals[0][1]})"
            yield with_reason if len(with_reason) <= NOTE_CHARACTERS else note
        if errors.figure_count < _FEW <= self.figure_count:
            yield f"{which}: the error rests on {errors.figure_count} figures"


def compare(
    methods: Mapping[str, Method | Mean],
    observed: Sequence[Observed],
    by: str | Sequence[str] = (),
    cap: Cap | None = None,
) -> Comparison:
    """
    Errors of several methods on the same observations, seen and left out.

    Parameters
    ----------
    methods : mapping of str to callable
        By name. Each takes observations and returns a predictor, such as
        ``partial(fit, model=model)``; ``"mean"`` is the mean of the other figures.
    observed : sequence of Observed
        Of any kind.
    by : str or sequence of str
        Conditions that separate one scenario from another: each is predicted from
        all others. No groups when left out.
    cap : callable, optional
        Upper bound of the quantity by conditions: figures of at least 98 % of it are at the
        ceiling, as are all censored ones.

    Returns
    -------
    comparison : Comparison
        A table with a row for each method, and notes on its weaknesses.

    Raises
    ------
    DomainError
        If no observation has one of the conditions.
    CalibrationError
        If all observations are under the same conditions, or of one scenario.

    Examples
    --------
    >>> from netmodel.calibration import Observed, interpolation
    >>> seen = [Observed(quantity="x_s", at={"n": n}, low=n, high=n) for n in (1, 2, 3, 4, 5)]
    >>> methods = {"mean": "mean", "interpolation": interpolation("n")}
    >>> table = compare(methods, seen)
    >>> [each.degrees_of_freedom for each in table.methods]
    [4, 0]
    """
    names = names_of(by)
    figure_count = sum(observation.figure is not None for observation in observed)
    rows = [
        _compared(name, method, observed, names, cap, figure_count)
        for name, method in methods.items()
    ]
    return Comparison(methods=tuple(rows), by=names, figure_count=figure_count)


def _compared(
    name: str,
    method: Method | Mean,
    observed: Sequence[Observed],
    by: Sequence[str],
    cap: Cap | None,
    figure_count: int,
) -> Compared:
    try:
        parameter_count = len(method_of(method)(observed).parameters)
    except REFUSALS:
        parameter_count = None
    return Compared(
        name=name,
        parameter_count=parameter_count,
        degrees_of_freedom=None if parameter_count is None else figure_count - parameter_count,
        in_sample=in_sample(method, observed, cap),
        left_out=leave_one_out(method, observed, cap=cap),
        groups_left_out=leave_one_out(method, observed, by, cap) if by else None,
    )


def _error_text(errors: Errors) -> str:
    """The mean error, and the number of refusals."""
    share = share_text(errors.mean_absolute_ratio)
    refused = len(errors.refusals)
    return f"{share} ({refused} refused)" if refused else share


def _count_text(count: int | None) -> str:
    return "-" if count is None else str(count)
