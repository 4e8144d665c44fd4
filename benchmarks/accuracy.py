"""Errors of predictions over connections, each figure of tables 5 to 12 predicted from others.

The figures are the throughput and the CPU cost of requests and streams in both layers, 16 series
of three, four or eight numbers of connections. A method is given what a row says:

- *series*: the other figures of the same series;
- *others*: these, and the series of other scenarios (tables), which differ in path, MTU, adapter or
  workload, but not the same scenario in the other layer;
- *related*: these, and the same scenario in the other layer.

Forms and hyper-parameters are fixed or come from other scenarios, never from the series itself.
Add a method with `@method`; it takes a `Known` and returns a predictor.

    python benchmarks/accuracy.py [--json] [--csv docs/reference]

The CSV files are the tables of the documentation. A target that is missed is printed as missed.
"""

import argparse
import csv
import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares, nnls
from scipy.stats import t as student

from netmodel._estimates import LEVEL_DEVIATIONS, LEVEL_RATIO, Estimate
from netmodel.calibration import Observed, Point, calibrate, curve_model, interpolation
from netmodel.calibration._compare import Beyond, Scale, forecasting
from netmodel.calibration._leave_out import REFUSALS, Errors, Judged, Method, Predictor
from netmodel.calibration._related import related_series
from netmodel.concurrency import single_stage_rate_tps
from netmodel.errors import CalibrationError, DomainError
from netmodel.framing import tcp_stack
from netmodel.path import Joint
from netmodel.path._by_connections import joint_by_connections
from netmodel.records import Table, dataset
from netmodel.report import text_table
from netmodel.units import BITS_PER_BYTE

if __package__ in {None, ""}:  # run as a script, which finds its own directory only
    sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.cost_curves import CostSeries, Spreads, predicted_log, spreads_of

Floats: TypeAlias = NDArray[np.float64]

COUNT, RATE = "connection_count", "rate"
TRANSACTION_RATE = "transaction_rate_tps"
SCENARIOS = range(5, 13)
"""Tables of the document that have series over connections."""
LAYERS = (3, 2)
REQUESTS = "awm-rr"
EXTRAPOLATED = 11
"""The table with eight numbers of connections."""
FEW_CONNECTIONS = 50
"""Numbers of connections up to here are given where larger ones are predicted."""
BITS_PER_MIB = BITS_PER_BYTE * 2**20
"""The document's MB: its flat rates reach the line only with 2^20 byte."""
LOW_COVERAGE_RATIO, HIGH_COVERAGE_RATIO = 0.90, 0.99
"""What is asked of intervals of 95 %."""


class Uses(Enum):
    """What a method is given beside the other figures of the series."""

    SERIES = "series"
    OTHERS = "others"
    RELATED = "related"


class Quantity(Enum):
    """What is predicted, by the word of its columns."""

    THROUGHPUT = "throughput"
    TOTAL = "total"
    EMULATION = "emulation"
    CP = "cp"


COSTS = (Quantity.TOTAL, Quantity.EMULATION, Quantity.CP)


class Series(NamedTuple):
    """
    Figures of a quantity over connections, with the conditions that all of them share.

    `observed` has the condition ``connection_count``, and for a CPU cost also ``rate``, the
    measured throughput of the same run. `line_rate_bps` is the payload that the line carries,
    `flagged` the numbers of connections whose figure the audit flags.
    """

    scenario: int
    layer: int
    quantity: Quantity
    workload: str
    path: str
    mtu_bytes: float
    line_rate_bps: float
    observed: tuple[Observed, ...]
    flagged: frozenset[int]

    @property
    def counts(self) -> Floats:
        """Numbers of connections."""
        return np.array([float(each.at[COUNT]) for each in self.observed])

    @property
    def figures(self) -> Floats:
        """The figures, in the order of the numbers."""
        return np.array([each.low for each in self.observed])


class Known(NamedTuple):
    """What a method is given: `own` without what it is to predict."""

    own: Series
    others: tuple[Series, ...]
    related: tuple[Series, ...]

    @property
    def alike(self) -> tuple[Series, ...]:
        """Series of other scenarios with the same workload."""
        return tuple(each for each in self.others if each.workload == self.own.workload)


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

    estimate: Callable[[Mapping[str, Any]], Estimate]

    @property
    def parameters(self) -> Mapping[str, Estimate]:
        """None of interest here."""
        return {}

    def predict(self, point: Point) -> Estimate:
        """The value at the point."""
        return self.estimate(point.at)


def without_interval(value: Callable[[float], float]) -> Predicted:
    """A predictor from a function of the number of connections."""
    return Predicted(lambda at: Estimate(float(value(float(at[COUNT]))), math.nan, math.nan))


# --- the figures -------------------------------------------------------------------------------


@cache
def series_of(quantity: Quantity) -> tuple[Series, ...]:
    """The 16 series of a quantity."""
    source = dataset("zvm-layer2-layer3")
    table = source.tables["measurements"]
    return tuple(
        _series(quantity, scenario, layer, table.where(table=scenario, layer=layer))
        for scenario in SCENARIOS
        for layer in LAYERS
    )


def _series(quantity: Quantity, scenario: int, layer: int, rows: Table) -> Series:
    first = next(iter(rows.rows()))
    is_requests = first["workload"] == REQUESTS
    mtu_bytes = float(first["mtu_bytes"])
    rate_column = "transaction_rate_tps" if is_requests else "data_rate_mb_per_s"
    scale = 1.0 if is_requests else BITS_PER_MIB
    counts, rates = rows.numbers(COUNT), np.asarray(rows.numbers(rate_column), float) * scale
    line_bps = float(first["link_rate_gbps"]) * 1e9
    stack = tcp_stack()
    payload_ratio = float(stack.payload_bytes(mtu_bytes)) / float(stack.wire_bytes(mtu_bytes))
    column, figures = rate_column, rates
    if quantity is not Quantity.THROUGHPUT:
        column = f"{quantity.value}_cpu_ms_per_{'transaction' if is_requests else 'mb'}"
        figures = np.asarray(rows.numbers(column), float)
    observed = tuple(
        Observed(
            quantity=quantity.value,
            at={COUNT: float(count)}
            | ({} if quantity is Quantity.THROUGHPUT else {RATE: float(rate)}),
            low=float(figure),
            high=float(figure),
            value=float(figure),
            place=f"table {scenario}, layer {layer}, {int(count)} connections",
        )
        for count, rate, figure in zip(counts, rates, figures, strict=True)
    )
    faulty = {
        int(flag.row)
        for flag in dataset("zvm-layer2-layer3").flags
        if flag.file == "measurements.csv" and flag.column == column
    }
    flagged = frozenset(
        int(count)
        for count, number in zip(counts, rows.row_numbers, strict=True)
        if number in faulty
    )
    return Series(
        scenario,
        layer,
        quantity,
        str(first["workload"]),
        str(first["path"]),
        mtu_bytes,
        line_bps * payload_ratio,
        observed,
        flagged,
    )


# --- methods of others and of netmodel, from the series alone ------------------------------------


def by_workload(requests: Fitted, streams: Fitted) -> Fitted:
    """One method for requests and one for streams."""
    return lambda known: (requests if known.own.workload == REQUESTS else streams)(known)


ALL = (Quantity.THROUGHPUT, *COSTS)


def over(condition: str, used: Method) -> Fitted:
    """A method of netmodel whose observations have one condition."""

    def predictor(known: Known) -> Predictor:
        seen = [replace(each, at={condition: each.at[condition]}) for each in known.own.observed]
        result = used(seen)
        return Predicted(
            lambda at: result.predict(Point(known.own.quantity.value, {condition: at[condition]}))
        )

    return predictor


def curve(name: str, **more: float) -> Fitted:
    """A curve of netmodel over connections, with the interval of one more figure."""

    def predictor(known: Known) -> Predictor:
        model = curve_model(name, known.own.quantity.value, COUNT, **more)
        return over(COUNT, forecasting(model))(known)

    return predictor


def bounded(form: Callable[..., Floats], *starts: Sequence[float]) -> Fitted:
    """
    Least squares of the logarithms, no parameter below zero, from several starts.

    Where the figures do not determine the parameters, any optimum counts, as other programs do it.
    """

    def predictor(known: Known) -> Predictor:
        counts, figures = known.own.counts, known.own.figures
        scale = figures.max()

        def missed(parameters: Floats) -> Floats:
            with np.errstate(divide="ignore"):
                return np.asarray(np.log(form(counts, *parameters)) - np.log(figures / scale))

        found = [
            least_squares(missed, start, bounds=(0, np.inf), x_scale=np.maximum(start, 1e-3))
            for start in starts
        ]
        best = min(found, key=lambda result: float(result.cost)).x
        return without_interval(lambda count: scale * float(form(np.array([count]), *best)[0]))

    return predictor


method("log-linear interpolation", *ALL)(
    over(COUNT, interpolation(COUNT, Scale.LOG_CONDITION, Beyond.EXTEND))
)
method("log-log interpolation", *ALL)(
    over(COUNT, interpolation(COUNT, Scale.LOG_BOTH, Beyond.EXTEND))
)

EXTRA_P_EXPONENTS = (0, 1 / 4, 1 / 3, 1 / 2, 2 / 3, 3 / 4, 1, 5 / 4, 4 / 3, 3 / 2, 2, 5 / 2, 3)
EXTRA_P_LOGARITHMS = (0, 1, 2)
"""
Exponents of the performance model normal form, c0 + c1 N^i log2(N)^j.

A. Calotoiu, T. Hoefler, M. Poke, F. Wolf, "Using automated performance modeling to find
scalability bugs in complex codes", SC'13; the search space is that of the program.
"""


@method("Extra-P's form", *ALL)
def extra_p(known: Known) -> Predictor:
    """The term with the least error of figures left out; the first of several that tie."""
    counts, figures = known.own.counts, known.own.figures

    def fitted(term: Callable[[Floats], Floats], which: NDArray[np.bool_]) -> Floats:
        design = np.column_stack([np.ones(which.sum()), term(counts[which])])
        return np.asarray(np.linalg.lstsq(design, figures[which])[0])

    best: tuple[float, Callable[[Floats], Floats]] | None = None
    for exponent in EXTRA_P_EXPONENTS:
        for logarithm in EXTRA_P_LOGARITHMS:
            if not exponent and not logarithm:
                continue

            def term(n: Floats, i: float = exponent, j: int = logarithm) -> Floats:
                return np.asarray(n**i * np.log2(n) ** j)

            error = 0.0
            for place in range(len(counts)):
                rest = np.arange(len(counts)) != place
                c0, c1 = fitted(term, rest)
                error += (c0 + c1 * float(term(counts[[place]])[0]) - figures[place]) ** 2
            if best is None or error < best[0] * (1 - 1e-9):  # rounding decides no tie
                best = error, term
    assert best is not None
    c0, c1 = fitted(best[1], np.ones(len(counts), bool))
    chosen = best[1]
    return without_interval(lambda count: c0 + c1 * float(chosen(np.array([count]))[0]))


SMALLEST_P = 1e-2
"""Exponent of the norm that a search does not go below: the sum then grows beyond any figure."""

method("Universal Scalability Law", Quantity.THROUGHPUT)(
    bounded(
        lambda n, one, contention, coherency: (
            one * n / (1 + contention * (n - 1) + coherency * n * (n - 1))
        ),
        (0.1, 0.05, 1e-4),
        (0.5, 0.5, 1e-3),
    )
)
method("exact MVA, one queue and a delay", Quantity.THROUGHPUT)(
    bounded(
        lambda n, stage, delay: np.array(
            [float(single_stage_rate_tps(stage, float(each), delay)) for each in n]
        ),
        (1.0, 10.0),
        (0.5, 1.0),
    )
)
method("norm, R^p = Z^p + (D N)^p", Quantity.THROUGHPUT)(
    bounded(
        # in logarithms, since p near 0 or large leaves the range of numbers
        lambda n, delay, stage, p: (
            n
            / np.exp(
                np.logaddexp(p * np.log(delay), p * np.log(stage * n)) / np.maximum(p, SMALLEST_P)
            )
        ),
        (10.0, 1.0, 0.6),
        (2.0, 1.0, 2.0),
    )
)
SQUARE_ROOTS = bounded(
    lambda n, delay, stage: n / (np.sqrt(delay) + np.sqrt(stage * n)) ** 2,
    (10.0, 1.0),
    (2.0, 0.5),
)
"""The norm with the exponent 1/2, fixed beforehand: two parameters, which two figures set."""
method("square roots, sqrt(R) = sqrt(Z) + sqrt(D N)", Quantity.THROUGHPUT)(
    by_workload(
        SQUARE_ROOTS,
        # a plateau says nothing of one stream: it is taken to be as fast as several
        bounded(lambda n, alone, level: np.minimum(n * alone, level), (1.0, 1.0)),
    )
)
method("power, R = Z + c N^0.8", Quantity.THROUGHPUT)(curve("power"))
method("amortised, R = Z + N (d + w / (1 + N / n0))", Quantity.THROUGHPUT)(curve("amortised"))
method("saturation, X = min(N / R0, C)", Quantity.THROUGHPUT)(curve("saturation"))


# --- the measured shape ---------------------------------------------------------------------------

PRIOR_LOG_SPREAD = 0.2
"""
Standard deviation of a parameter between scenarios, as a logarithm: 20 %, a round number.

Half and twice as much change the error of the table by less than a tenth of it.
"""
FIGURE_LOG_NOISE = 0.005
"""Standard deviation of a figure about the form, as a logarithm: half a per cent, likewise."""


def batching_time(parameters: Floats, counts: Floats) -> Floats:
    """R(N) = Z + N (d + w / sqrt(N)), the parameters as logarithms."""
    delay, shared, least = np.exp(parameters)
    return np.asarray(delay + counts * (least + shared / np.sqrt(counts)))


def power_time(parameters: Floats, counts: Floats) -> Floats:
    """R(N) = Z + c N^b, likewise."""
    delay, growing, exponent = np.exp(parameters)
    return np.asarray(delay + growing * counts**exponent)


def norm_time(parameters: Floats, counts: Floats) -> Floats:
    """R(N) = (Z^p + (D N)^p)^(1/p), likewise."""
    delay, stage, p = parameters[0], parameters[1], math.exp(parameters[2])
    return np.asarray(np.exp(np.logaddexp(p * delay, p * (stage + np.log(counts))) / p))


def pooled(time: Callable[[Floats, Floats], Floats], shape: Sequence[float]) -> Fitted:
    """
    A form of the time of requests, with parameters that are alike in all scenarios.

    `shape` is where the search begins: parameters in units of the time of one connection, where
    they are times.
    """

    def predictor(known: Known) -> Predictor:
        groups = [each for each in (*known.alike, known.own) if each.observed]
        times = [(each.counts, each.counts / each.figures) for each in groups]
        scale = float(np.median([measured.min() for _, measured in times]))
        start = np.log(shape)
        size = len(start)

        def missed(values: Floats) -> Floats:
            mean, *own = values.reshape(-1, size)
            parts = [
                np.concatenate(
                    [
                        np.log(time(each, counts) * scale / measured) / FIGURE_LOG_NOISE,
                        (each - mean) / PRIOR_LOG_SPREAD,
                    ]
                )
                for each, (counts, measured) in zip(own, times, strict=True)
            ]
            return np.concatenate(parts)

        result = least_squares(missed, np.tile(start, len(groups) + 1))
        mean, *own = result.x.reshape(-1, size)
        parameters = own[-1] if known.own.observed else mean
        return without_interval(
            lambda count: count / (scale * float(time(parameters, np.array([count]))[0]))
        )

    return predictor


POOLED = {
    "batching": pooled(batching_time, (0.8, 0.2, 0.03)),
    "power": pooled(power_time, (0.9, 0.1, 0.8)),
    "norm": pooled(norm_time, (0.8, 0.03, 0.6)),
}
"""Forms of three parameters each; the search ends at the same place from others."""


def mean_of_forms(known: Known) -> Predictor:
    """The geometric mean of what the forms predict, with equal weights."""
    each_of = [form(known) for form in POOLED.values()]

    def value(count: float) -> float:
        point = Point(known.own.quantity.value, {COUNT: count})
        return math.exp(float(np.mean([math.log(each.predict(point).value) for each in each_of])))

    return without_interval(value)


def knee(known: Known) -> Predictor:
    """
    X(N) = min(N X(1), C, line), with C / (1 + N / n1) where the rate falls.

    Without a figure for one connection, X(1) / C is the median of the other scenarios, since one
    of them differs from all others. Without any figure, C is as near the line as theirs.
    """
    own = known.own
    alone_ratio = float(np.median([each.figures[0] / each.figures.max() for each in known.alike]))
    line_ratio = float(np.median([each.figures.max() / each.line_rate_bps for each in known.alike]))
    several = own.counts > 1
    if several.any():
        # 1 / X = D + g N, in relative errors, neither below zero
        counts, figures = own.counts[several], own.figures[several]
        columns = np.column_stack([np.ones_like(counts), counts])[:, : min(2, len(counts))]
        slowness = nnls(columns * figures[:, None], np.ones_like(figures))[0]
        slowness = np.append(slowness, 0.0)[:2]
    else:
        slowness = np.array([1 / (line_ratio * own.line_rate_bps), 0.0])
    plateau = 1 / slowness[0]
    alone = float(own.figures[~several][0]) if (~several).any() else alone_ratio * plateau

    def rate(count: float) -> float:
        return min(count * alone, 1 / float(slowness[0] + slowness[1] * count), own.line_rate_bps)

    return without_interval(rate)


ROLES = ("below", "within", "above")


def role(known: Series, count: float) -> str:
    """Whether a number of connections is within those that are known."""
    if not known.observed or count < known.counts.min():
        return ROLES[0]
    return ROLES[2] if count > known.counts.max() else ROLES[1]


def with_errors_of_others(predictor: Fitted) -> Fitted:
    """
    The same with an interval: as far as it misses the left-out figures of other scenarios.

    Those below, within and above the known numbers of connections count for themselves. Student's
    t has one degree of freedom less than there are scenarios with such errors: figures of one
    scenario are not independent of each other.
    """

    memory: dict[tuple[Any, ...], dict[str, list[float]]] = {}

    def errors(
        series: Series, others: tuple[Series, ...], related: tuple[Series, ...]
    ) -> dict[str, list[float]]:
        """Logarithms of prediction over figure, by where the figure is."""
        key = (*series[:3], *(each[:3] for each in others), *(each[:3] for each in related))
        if key in memory:
            return memory[key]
        found: dict[str, list[float]] = {}
        for place, left in enumerate(series.observed):
            rest = series._replace(observed=_without(series.observed, place))
            try:
                estimate = predictor(Known(rest, others, related)).predict(
                    Point(left.quantity, left.at)
                )
            except REFUSALS:
                continue
            which = role(rest, float(left.at[COUNT]))
            found.setdefault(which, []).append(math.log(estimate.value / left.low))
        memory[key] = found
        return found

    def result(known: Known) -> Predictor:
        plain = predictor(known)
        found: dict[str, dict[int, list[float]]] = {}
        for series in known.others:
            # each as it would be judged without the scenario of the series that is asked for
            rest = tuple(each for each in known.others if each.scenario != series.scenario)
            related = tuple(
                each
                for each in known.others
                if each.scenario == series.scenario and each.layer != series.layer
            )
            if not any(each.workload == series.workload for each in rest):
                continue
            for which, of_series in errors(series, rest, related if known.related else ()).items():
                of_role = found.setdefault(which, {})
                of_role.setdefault(series.scenario, []).extend(of_series)

        def estimate(at: Mapping[str, Any]) -> Estimate:
            value = plain.predict(Point(known.own.quantity.value, at)).value
            of_role = found.get(role(known.own, float(at[COUNT])), {})
            if len(of_role) < 2:
                return Estimate(value, math.nan, math.nan)
            logs = [log for logs in of_role.values() for log in logs]
            t_value = float(student.ppf((1 + LEVEL_RATIO) / 2, len(of_role) - 1))
            reach = t_value * math.sqrt(np.mean(np.square(logs)))
            return Estimate(value, value * math.exp(-reach), value * math.exp(reach))

        return Predicted(estimate)

    return result


def _without(items: tuple[Observed, ...], place: int) -> tuple[Observed, ...]:
    return (*items[:place], *items[place + 1 :])


method("batching and knee", Quantity.THROUGHPUT)(
    by_workload(curve("batching"), curve("saturation"))
)
for _form, _requests in POOLED.items():
    method(f"{_form} and knee, shrunk to others", Quantity.THROUGHPUT, uses=Uses.OTHERS)(
        with_errors_of_others(by_workload(_requests, knee))
    )
method("mean of three forms and knee, shrunk to others", Quantity.THROUGHPUT, uses=Uses.OTHERS)(
    with_errors_of_others(by_workload(mean_of_forms, knee))
)


def plain_related_ratio(known: Known) -> Predictor:
    """The other layer times the ratio of both, interpolated, and constant beyond its ends."""
    if not known.related:
        raise CalibrationError("no related series is given")
    (base,) = known.related
    of_base = dict(zip(base.counts, base.figures, strict=True))
    if not known.own.observed:
        return without_interval(lambda count: of_base[count])
    logs = np.log(known.own.figures / [of_base[count] for count in known.own.counts])

    def value(count: float) -> float:
        ratio = np.exp(np.interp(math.log(count), np.log(known.own.counts), logs))
        return float(of_base[count] * ratio)

    return without_interval(value)


method("related series times a ratio along log N", *ALL, uses=Uses.RELATED)(
    with_errors_of_others(plain_related_ratio)
)


def conditions_of(series: Series) -> dict[str, float | str | bool]:
    """What tells series apart."""
    return {"scenario": series.scenario, "layer": series.layer, "workload": series.workload}


def labelled(series: Series) -> list[Observed]:
    """Figures over connections, with the conditions that tell series apart."""
    where = conditions_of(series)
    return [replace(each, at={COUNT: each.at[COUNT], **where}) for each in series.observed]


def over_labelled(known: Known, result: Predictor) -> Predictor:
    """A predictor of netmodel that is asked for the own series among others."""
    quantity, where = known.own.quantity.value, conditions_of(known.own)
    return Predicted(
        lambda at: single_estimate(result.predict(Point(quantity, {COUNT: at[COUNT], **where})))
    )


def single_estimate(estimate: Estimate[float | None]) -> Estimate:
    """A prediction that has a value."""
    assert estimate.value is not None
    return Estimate(estimate.value, estimate.low, estimate.high)


def beside(known: Known) -> list[Observed]:
    """Figures of all other series."""
    return [seen for each in (*known.related, *known.others) for seen in labelled(each)]


@method("related series times a shrunken ratio", *ALL, uses=Uses.RELATED)
def shrunken_ratio(known: Known) -> Predictor:
    """`--model related`: the ratio and its spread as in other scenarios that differ alike."""
    if not known.related:
        raise CalibrationError("no related series is given")
    return over_labelled(known, related_series()([*labelled(known.own), *beside(known)]))


@method("chosen model (auto)", Quantity.THROUGHPUT)
def auto(known: Known) -> Predictor:
    """`--model auto` of the series alone: a curve over connections, or log-log interpolation."""
    return choice(known, ())


@method("chosen model (auto), related series among them", Quantity.THROUGHPUT, uses=Uses.RELATED)
def auto_with_related(known: Known) -> Predictor:
    """`--model auto --related` of the other layer."""
    return choice(known, beside(known))


def choice(known: Known, related: Sequence[Observed]) -> Predictor:
    """The model chosen by left-out figures: requests and streams both as rates."""
    own, others = (
        [replace(each, quantity=TRANSACTION_RATE) for each in seen]
        for seen in (labelled(known.own), related)
    )
    result = calibrate(own, "auto", related=others)
    where = conditions_of(known.own)
    return Predicted(
        lambda at: result.predict(Point(TRANSACTION_RATE, {COUNT: at[COUNT], **where}))
    )


# --- CPU cost -------------------------------------------------------------------------------------


def falling_cost(known: Known) -> Predictor:
    """The form a + b / sqrt(X) of netmodel, over the measured rate of the run."""
    model = curve_model("falling-cost", known.own.quantity.value, RATE)
    return over(RATE, forecasting(model))(known)


method("falling cost, c = a + b / sqrt(X)", *COSTS)(falling_cost)


@method("as netmodel predicts from records", *COSTS)
def as_predicted(known: Known) -> Predictor:
    """Times of a record by connections, which hold at the measured numbers."""
    if known.own.counts.size > len(set(known.own.counts)):
        raise CalibrationError("several series have no curve of one")
    counts = [int(count) for count in known.own.counts]
    times = {count: [(float(cost),)] for count, cost in zip(counts, known.own.figures, strict=True)}
    (parameter,) = joint_by_connections("cost", times, counts[0])

    def estimate(at: Mapping[str, Any]) -> Estimate:
        values = parameter.at(float(at[COUNT]))
        assert isinstance(values, Joint)
        known_values = [float(np.asarray(value)) for value in values.values]
        return Estimate(known_values[0], min(known_values), max(known_values))

    return Predicted(estimate)


def cost_series(series: Series) -> CostSeries:
    """Logarithms of a series."""
    rates = np.array([float(each.at[RATE]) for each in series.observed])
    return CostSeries.of(series.counts, rates, series.figures)


@cache
def spreads_without(quantity: Quantity, scenarios: frozenset[int]) -> Spreads:
    """Of all series but those of some scenarios."""
    return spreads_of(
        [cost_series(each) for each in series_of(quantity) if each.scenario not in scenarios]
    )


def rate_power(known: Known) -> Predictor:
    """A power of the rate, with an exponent and deviations as other scenarios have them."""
    if not known.own.observed:
        raise CalibrationError("no figure sets the level of the cost")
    given = {each.scenario for each in known.others}
    spreads = spreads_without(known.own.quantity, frozenset(SCENARIOS) - given)
    own = cost_series(known.own)

    def estimate(at: Mapping[str, Any]) -> Estimate:
        wanted = CostSeries.of(np.array([at[COUNT]]), np.array([at[RATE]]), np.ones(1))
        log, deviation = predicted_log(own, wanted, spreads)
        reach = LEVEL_DEVIATIONS * deviation
        return Estimate(math.exp(log), math.exp(log - reach), math.exp(log + reach))

    return Predicted(estimate)


method("power of the rate, smooth deviation over N", *COSTS, uses=Uses.OTHERS)(rate_power)

PRINTED_RATIO = 0.01
"""Of costs with two or three digits; no method is better than that, however well it does."""
UNTRIED_RATIO = 0.3
"""Taken as the error of a method that the series has too few figures to try."""


def weighted(*parts: Fitted) -> Fitted:
    """
    Geometric mean of methods, by how well each predicts the figures that are given.

    Each figure of the series is predicted from the others. A method weighs by one over the square
    of its mean error, in which figures near to what is asked for count more: by one over the
    distance in ln N.
    """

    def result(known: Known) -> Predictor:
        own = known.own
        if not own.observed:
            raise CalibrationError("no figure to try methods on")
        tried: list[tuple[Predictor, list[tuple[float, float]]]] = []
        for part in parts:
            errors = []
            for place, left in enumerate(own.observed):
                rest = own._replace(observed=_without(own.observed, place))
                try:
                    one = part(known._replace(own=rest))
                    value = one.predict(Point(left.quantity, left.at)).value
                except (*REFUSALS, DomainError, ValueError):
                    continue
                if value is not None and value > 0:
                    errors.append((float(left.at[COUNT]), abs(math.log(value / left.low))))
            try:
                tried.append((part(known), errors))
            except (*REFUSALS, DomainError, ValueError):
                continue

        def value_at(at: Mapping[str, Any]) -> float:
            logs, weights = [], []
            for predictor, errors in tried:
                value = predictor.predict(Point(own.quantity.value, at)).value
                if value is None or value <= 0:
                    continue
                mean = UNTRIED_RATIO
                if errors:
                    near = [1 / abs(math.log(count / float(at[COUNT]))) for count, _ in errors]
                    mean = float(np.average([error for _, error in errors], weights=near))
                logs.append(math.log(value))
                weights.append((mean + PRINTED_RATIO) ** -2)
            return math.exp(float(np.average(logs, weights=weights)))

        return Predicted(lambda at: Estimate(value_at(at), math.nan, math.nan))

    return result


log_log = over(COUNT, interpolation(COUNT, Scale.LOG_BOTH, Beyond.EXTEND))
method("mean of interpolation and power of the rate", Quantity.TOTAL, uses=Uses.OTHERS)(
    with_errors_of_others(weighted(log_log, rate_power))
)
method("the same and a related series", Quantity.TOTAL, uses=Uses.RELATED)(
    with_errors_of_others(weighted(log_log, rate_power, plain_related_ratio))
)


# --- judging -------------------------------------------------------------------------------------


class Split(Enum):
    """Which figures are predicted from which."""

    ONE = "one left out"
    SCENARIO = "scenario left out"
    EXTRAPOLATED = "table 11 from 50 connections or fewer"


@cache
def judged(name: str, quantity: Quantity, split: Split) -> tuple[tuple[Series, Judged], ...]:
    """Every figure beside its prediction by a method."""
    (entry,) = (each for each in METHODS if each.name == name)
    rows: list[tuple[Series, Judged]] = []
    for series in series_of(quantity):
        if split is Split.EXTRAPOLATED and series.scenario != EXTRAPOLATED:
            continue
        for own, wanted in _splits(series, split):
            predictor, why = None, ""
            known = _known(entry, series, own, split)
            try:
                predictor = entry.predictor(known)
            except (*REFUSALS, DomainError) as refusal:
                why = str(refusal)
            for each in wanted:
                estimate = None
                if predictor is not None:
                    try:
                        estimate = predictor.predict(Point(each.quantity, each.at))
                    except REFUSALS as refusal:
                        why = str(refusal)
                rows.append((series, Judged(observed=each, predicted=estimate, refusal=why)))
    return tuple(rows)


def _splits(
    series: Series, split: Split
) -> Iterator[tuple[tuple[Observed, ...], tuple[Observed, ...]]]:
    """What is known of the series, and what is wanted."""
    all_of_it = series.observed
    if split is Split.ONE:
        for place, left in enumerate(all_of_it):
            yield _without(all_of_it, place), (left,)
    elif split is Split.SCENARIO:
        yield (), all_of_it
    else:
        few = tuple(each for each in all_of_it if float(each.at[COUNT]) <= FEW_CONNECTIONS)
        yield few, all_of_it[len(few) :]


def _known(entry: Entry, series: Series, own: tuple[Observed, ...], split: Split) -> Known:
    everything = series_of(series.quantity)
    others = tuple(each for each in everything if each.scenario != series.scenario)
    related = tuple(
        each
        for each in everything
        if each.scenario == series.scenario and each.layer != series.layer
    )
    if split is Split.SCENARIO:
        related = ()
        if entry.uses is Uses.SERIES:
            alike = (each for each in others if each.workload == series.workload)
            own = tuple(seen for each in alike for seen in each.observed)
    return Known(
        series._replace(observed=own),
        others if entry.uses is not Uses.SERIES else (),
        related if entry.uses is Uses.RELATED else (),
    )


def errors_of(
    name: str, quantity: Quantity, split: Split, keep: Callable[[Series, int], bool]
) -> Errors:
    """Errors of the figures that `keep` chooses, by their series and number of connections."""
    return Errors(
        tuple(
            row
            for series, row in judged(name, quantity, split)
            if keep(series, int(row.observed.at[COUNT]))
        )
    )


# --- the table -----------------------------------------------------------------------------------


class Row(NamedTuple):
    """One line of the CSV file; ratios, and None where nothing was predicted."""

    quantity: str
    method: str
    uses: str
    split: str
    figures: str
    figure_count: int
    refused_count: int
    mape_ratio: float | None
    interval_count: int
    held_count: int


Keep: TypeAlias = Callable[[Series, int], bool]
FIGURES: Mapping[str, Keep] = {
    "all": lambda series, count: True,
    "without N = 1": lambda series, count: count > 1,
    "N = 1": lambda series, count: count == 1,
    "not flagged": lambda series, count: count not in series.flagged,
    "flagged": lambda series, count: count in series.flagged,
    "requests": lambda series, count: series.workload == REQUESTS,
    "streams": lambda series, count: series.workload != REQUESTS,
    "layer 3": lambda series, count: series.layer == 3,
    "layer 2": lambda series, count: series.layer == 2,
}
OF_THROUGHPUT = ("all", "without N = 1", "N = 1", "requests", "streams")
OF_COST = ("all", "not flagged", "flagged")


def rows_of(entries: Iterable[Entry]) -> Iterator[Row]:
    """Every row of the table."""
    for entry in entries:
        for quantity in entry.quantities:
            is_rate = quantity is Quantity.THROUGHPUT
            parts: list[tuple[Split, tuple[str, ...]]] = [
                (Split.ONE, OF_THROUGHPUT if is_rate else OF_COST),
                (Split.SCENARIO, ("all",)),
            ]
            if is_rate:
                parts.append((Split.EXTRAPOLATED, ("all", "layer 3", "layer 2")))
            for split, names in parts:
                for name in names:
                    errors = errors_of(entry.name, quantity, split, FIGURES[name])
                    held = [row.holds for row in errors.rows if row.holds is not None]
                    if errors.rows:
                        yield Row(
                            quantity.value,
                            entry.name,
                            entry.uses.value,
                            split.value,
                            name,
                            len(errors.rows),
                            len(errors.refusals),
                            errors.mean_absolute_ratio,
                            len(held),
                            sum(held),
                        )


class Target(NamedTuple):
    """What is asked of a method; `ratio` is the largest mean error."""

    text: str
    ratio: float
    quantity: Quantity
    split: Split
    figures: str
    uses: tuple[Uses, ...]


TARGETS = (
    *(
        Target(text, ratio, quantity, split, figures, uses)
        for text, ratio, quantity, split, figures, uses in (
            (
                "throughput, from the series alone",
                0.03,
                Quantity.THROUGHPUT,
                Split.ONE,
                "all",
                (Uses.SERIES,),
            ),
            (
                "throughput, with a prior from other scenarios",
                0.03,
                Quantity.THROUGHPUT,
                Split.ONE,
                "all",
                (Uses.OTHERS,),
            ),
            (
                "throughput, with a related series",
                0.01,
                Quantity.THROUGHPUT,
                Split.ONE,
                "all",
                (Uses.RELATED,),
            ),
            (
                "total CPU cost",
                0.05,
                Quantity.TOTAL,
                Split.ONE,
                "all",
                (Uses.SERIES, Uses.OTHERS),
            ),
            (
                "total CPU cost, with a related series",
                0.05,
                Quantity.TOTAL,
                Split.ONE,
                "all",
                (Uses.RELATED,),
            ),
            (
                "table 11 beyond 50 connections, both layers by one method",
                0.025,
                Quantity.THROUGHPUT,
                Split.EXTRAPOLATED,
                "all",
                (Uses.SERIES, Uses.OTHERS),
            ),
        )
    ),
)


class Outcome(NamedTuple):
    """A target beside the method of netmodel that comes nearest, and its intervals."""

    text: str
    target_ratio: float
    method: str
    mape_ratio: float | None
    is_met: bool
    coverage_ratio: float | None
    is_covered: bool


def outcomes(rows: Sequence[Row]) -> Iterator[Outcome]:
    """
    Each target beside the smallest mean error of the methods that may be used for it.

    A method that refuses a figure meets no target.
    """
    for target in TARGETS:
        chosen = [
            row
            for row in rows
            if row.quantity == target.quantity.value
            and row.split == target.split.value
            and row.figures == target.figures
            and Uses(row.uses) in target.uses
            and row.mape_ratio is not None
            and not row.refused_count
        ]
        if not chosen:
            yield Outcome(target.text, target.ratio, "-", None, False, None, False)
            continue
        best = min(chosen, key=lambda row: row.mape_ratio or 0.0)
        assert best.mape_ratio is not None
        cover = best.held_count / best.interval_count if best.interval_count else None
        yield Outcome(
            target.text,
            target.ratio,
            best.method,
            best.mape_ratio,
            best.mape_ratio <= target.ratio,
            cover,
            cover is not None and LOW_COVERAGE_RATIO <= cover <= HIGH_COVERAGE_RATIO,
        )


def percent(ratio: float | None) -> str:
    """A ratio in per cent; a dash for None."""
    return "-" if ratio is None else f"{100 * ratio:.1f}"


def met(is_met: bool) -> str:
    """Whether a target is met, in capitals where not."""
    return "met" if is_met else "MISSED"


def texts(rows: Sequence[Row], aims: Sequence[Outcome]) -> Iterator[str]:
    """The table, one line for each method, quantity and split, and the targets."""
    lines = [("quantity", "method", "given", "split", "figures", "MAPE %", "refused", "95 % hold")]
    lines += [
        (
            row.quantity,
            row.method,
            row.uses,
            row.split,
            row.figures,
            percent(row.mape_ratio),
            f"{row.refused_count} of {row.figure_count}",
            f"{row.held_count} of {row.interval_count}" if row.interval_count else "-",
        )
        for row in rows
    ]
    yield text_table(lines, right_aligned=(5,))
    yield ""
    heads = ("target", "at most, %", "nearest method", "MAPE %", "", "95 % hold, %", "")
    yield text_table(
        [
            heads,
            *(
                (
                    each.text,
                    percent(each.target_ratio),
                    each.method,
                    percent(each.mape_ratio),
                    met(each.is_met),
                    percent(each.coverage_ratio),
                    met(each.is_covered),
                )
                for each in aims
            ),
        ],
        right_aligned=(1, 3, 5),
    )


RATIO_DIGITS = 4
"""Of ratios in the files: a hundredth of a per cent, less than the digits of the figures."""


def _rounded(row: Row | Outcome) -> dict[str, Any]:
    cells = row._asdict()
    if isinstance(row, Outcome):
        cells["error"] = met(cells.pop("is_met"))
        cells["coverage"] = met(cells.pop("is_covered"))
    return {
        name: f"{cell:.{RATIO_DIGITS}f}" if isinstance(cell, float) else cell
        for name, cell in cells.items()
    }


def _write(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main() -> None:
    """Print or write the table."""
    parser = argparse.ArgumentParser(description="Errors of predictions over connections.")
    parser.add_argument("--json", action="store_true", help="rows and targets as JSON")
    parser.add_argument("--csv", type=Path, metavar="DIR", help="also write the tables of the docs")
    parser.add_argument("--only", metavar="WORD", default="", help="methods whose name has WORD")
    given = parser.parse_args()
    rows = [*rows_of(each for each in METHODS if given.only in each.name)]
    aims = [*outcomes(rows)]
    if given.csv:
        _write(given.csv / "accuracy.csv", [_rounded(row) for row in rows])
        _write(given.csv / "accuracy-targets.csv", [_rounded(aim) for aim in aims])
    if given.json:
        document = {
            "rows": [each._asdict() for each in rows],
            "targets": [each._asdict() for each in aims],
        }
        print(json.dumps(document, indent=2))
    else:
        print("\n".join(texts(rows, aims)))


if __name__ == "__main__":
    main()
