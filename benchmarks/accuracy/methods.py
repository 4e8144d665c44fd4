"""What a method is, and what all of them are made of."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.optimize import least_squares
from scipy.stats import t as student

from benchmarks.accuracy.series import COUNT, SCENARIOS, Floats, Quantity, Series
from netmodel._estimates import LEVEL_RATIO, Estimate
from netmodel.calibration import Point, curve_model
from netmodel.calibration._compare import forecasting
from netmodel.calibration._leave_out import REFUSALS, Method, Predictor
from netmodel.calibration._observed import Conditions


class Uses(Enum):
    """What a method is given beside the other figures of the series."""

    SERIES = "series"
    INTERVAL = "interval of others"
    OTHERS = "others"
    RELATED = "related"


SETTLED_RATIO = 1e-12
"""Relative change at which a search ends: far below the four digits of the table."""
TIE_COST = 1e-9
"""Half sums of squared logarithms that differ by less are equal but for the end of a search."""
ALONE = (Uses.SERIES, Uses.INTERVAL)
"""Values from the series alone."""


class Known(NamedTuple):
    """What a method is given: `own` without what it is to predict."""

    own: Series
    others: tuple[Series, ...] = ()
    related: tuple[Series, ...] = ()

    @property
    def alike(self) -> tuple[Series, ...]:
        """Series of other scenarios with the same workload."""
        return tuple(each for each in self.others if each.workload == self.own.workload)

    @property
    def key(self) -> tuple[object, ...]:
        """What tells it from anything else that a method may be given."""
        return tuple(
            tuple(each.key for each in group) for group in ((self.own,), self.others, self.related)
        )


Fitted: TypeAlias = Callable[[Known], Predictor]


class Entry(NamedTuple):
    """A method of the table."""

    name: str
    quantities: tuple[Quantity, ...]
    uses: Uses
    predictor: Fitted


METHODS: list[Entry] = []


def method(
    name: str, *quantities: Quantity, uses: Uses = Uses.SERIES
) -> Callable[[Fitted], Fitted]:
    """Add a method to the table."""

    def added(predictor: Fitted) -> Fitted:
        METHODS.append(Entry(name, quantities, uses, predictor))
        return predictor

    return added


@dataclass(frozen=True)
class Predicted:
    """A predictor from a function of conditions to a value with its interval."""

    estimate: Callable[[Conditions], Estimate]

    @property
    def parameters(self) -> Mapping[str, Estimate]:
        """None of interest here."""
        return {}

    def predict(self, point: Point) -> Estimate:
        """The value at the point."""
        return self.estimate(point.at)


def without_interval(value: Callable[[float], float]) -> Predicted:
    """A predictor from a function of the number of connections."""
    return Predicted(
        lambda conditions: Estimate(float(value(float(conditions[COUNT]))), math.nan, math.nan)
    )


def remembered(predictor: Fitted) -> Fitted:
    """The same, estimated once for what splits and intervals ask for again."""
    memory: dict[tuple[object, ...], Predictor] = {}

    def result(known: Known) -> Predictor:
        if known.key not in memory:
            memory[known.key] = predictor(known)
        return memory[known.key]

    return result


def by_workload(requests: Fitted, streams: Fitted) -> Fitted:
    """One method for requests and one for streams."""
    return lambda known: (requests if known.own.is_requests else streams)(known)


def over(condition: str, used: Method) -> Fitted:
    """A method of netmodel whose observations have one condition."""

    def predictor(known: Known) -> Predictor:
        seen = [replace(each, at={condition: each.at[condition]}) for each in known.own.observed]
        result = used(seen)
        quantity = known.own.quantity.value

        def estimate(conditions: Conditions) -> Estimate:
            value = result.predict(Point(quantity, {condition: conditions[condition]}))
            return single_estimate(value)

        return Predicted(estimate)

    return predictor


def single_estimate(estimate: Estimate[float | None]) -> Estimate:
    """A prediction that has a value."""
    assert estimate.value is not None
    return Estimate(estimate.value, estimate.low, estimate.high)


def curve(name: str, condition: str = COUNT) -> Fitted:
    """A curve of netmodel, with the interval of one more figure."""

    def predictor(known: Known) -> Predictor:
        model = curve_model(name, known.own.quantity.value, condition)
        return over(condition, forecasting(model))(known)

    return predictor


def bounded(form: Callable[..., Floats], *starts: Sequence[float]) -> Fitted:
    """
    Least squares of the logarithms, no parameter below zero, from several starts.

    Where there are fewer figures than parameters, the last ones are 0: any of many optima would fit
    as well, and rounding would choose. Of starts that lead to the same sum of squares the first
    counts.
    """

    def predictor(known: Known) -> Predictor:
        counts, figures = known.own.counts, known.own.figures
        scale = figures.max()
        zeros = [0.0] * (len(starts[0]) - len(figures))

        def residuals(parameters: Floats) -> Floats:
            with np.errstate(divide="ignore"):
                modelled = form(counts, *parameters, *zeros)
                return np.asarray(np.log(modelled) - np.log(figures / scale))

        fits = [
            least_squares(
                residuals,
                start[: len(figures)],
                bounds=(0, np.inf),
                x_scale=np.maximum(start[: len(figures)], 1e-3),
                ftol=SETTLED_RATIO,
                xtol=SETTLED_RATIO,
                gtol=SETTLED_RATIO,
            )
            for start in starts
        ]
        least = min(float(fit.cost) for fit in fits)
        best = next(fit.x for fit in fits if fit.cost <= least + TIE_COST)
        return without_interval(
            lambda count: scale * float(form(np.array([count]), *best, *zeros)[0])
        )

    return predictor


# --- intervals of what misses elsewhere -----------------------------------------------------------


class Role(Enum):
    """Where a figure is among those that are known."""

    BELOW = "below"
    WITHIN = "within"
    ABOVE = "above"


def role(known: Series, count: float) -> Role:
    """Whether a number of connections is within those that are known."""
    if not known.observed or count < known.counts.min():
        return Role.BELOW
    return Role.ABOVE if count > known.counts.max() else Role.WITHIN


def with_errors_of_others(predictor: Fitted, is_alone: bool = False) -> Fitted:
    """
    The same with an interval: as far as it misses the left-out figures of other scenarios.

    Those below, within and above the known numbers of connections count for themselves. Student's
    t has one degree of freedom less than there are scenarios with such errors: figures of one
    scenario are not independent of each other. A method that is alone takes its values from the
    series only.
    """
    memory: dict[tuple[object, ...], dict[Role, list[float]]] = {}

    def given(known: Known) -> Known:
        return Known(known.own) if is_alone else known

    def log_errors(known: Known) -> dict[Role, list[float]]:
        """Logarithms of prediction over figure, by where the figure is."""
        if known.key not in memory:
            by_role: dict[Role, list[float]] = {}
            for place, left in enumerate(known.own.observed):
                rest = known.own.without(place)
                try:
                    result = predictor(known._replace(own=rest))
                    value = single_estimate(result.predict(Point(left.quantity, left.at))).value
                except REFUSALS:
                    continue
                where = role(rest, float(left.at[COUNT]))
                by_role.setdefault(where, []).append(math.log(value / left.low))
            memory[known.key] = by_role
        return memory[known.key]

    def result(known: Known) -> Predictor:
        plain = predictor(given(known))
        by_role: dict[Role, dict[int, list[float]]] = {}
        for series in known.others:
            # each as it would be judged without the scenario of the series that is asked for
            rest = tuple(each for each in known.others if each.scenario != series.scenario)
            if not any(each.workload == series.workload for each in rest):
                continue
            related = other_layer(series, known.others) if known.related else ()
            for where, errors in log_errors(given(Known(series, rest, related))).items():
                of_role = by_role.setdefault(where, {})
                of_role.setdefault(series.scenario, []).extend(errors)

        def estimate(conditions: Conditions) -> Estimate:
            point = Point(known.own.quantity.value, conditions)
            value = single_estimate(plain.predict(point)).value
            of_role = by_role.get(role(known.own, float(conditions[COUNT])), {})
            if len(of_role) < 2:  # no degree of freedom
                return Estimate(value, math.nan, math.nan)
            logs = [log for logs in of_role.values() for log in logs]
            t_value = float(student.ppf((1 + LEVEL_RATIO) / 2, len(of_role) - 1))
            reach = t_value * math.sqrt(np.mean(np.square(logs)))
            return Estimate(value, value * math.exp(-reach), value * math.exp(reach))

        return Predicted(estimate)

    return result


def other_layer(series: Series, among: Sequence[Series]) -> tuple[Series, ...]:
    """The same scenario in the other layer."""
    return tuple(
        each for each in among if each.scenario == series.scenario and each.layer != series.layer
    )


def scenarios_without(series: Sequence[Series]) -> frozenset[int]:
    """Scenarios that none of these series belongs to."""
    return frozenset(SCENARIOS) - {each.scenario for each in series}
