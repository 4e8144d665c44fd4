"""What receive packet steering changes over connections: shares that statements allow."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Annotated, Any, NamedTuple, Self

from pydantic import BaseModel, Field, model_validator

from netmodel._numeric import Floats
from netmodel._numpy import np
from netmodel.calibration._declarations import Declaration, Document
from netmodel.errors import DomainError, ParseError, UnknownRecordError
from netmodel.path._recorded_exchange import of_run, spread
from netmodel.path._steered_exchange import ExchangeShares, SteeredExchange, steered_exchange
from netmodel.records import Statement, adapter, host, statement
from netmodel.records._load import validated
from netmodel.records._steering import SteeringRecord
from netmodel.records._subjects import Change, QuantityKind
from netmodel.records._values import FROZEN, Text
from netmodel.units._prefixes import WHOLE_PERCENT

_OWN = frozenset({"cpu_ratio", "amortised_ratio", "steering_ratio", "batch_wait_ratio"})
"""Shares that each adapter has of its own: its driver, and how long it takes. The others are those
of the hosts, whose kernel and CPUs are the same."""
_COST_RANGE = (0.25, 4.0)
"""CPU time of an adapter over that of the first, with one connection: a factor of 4 each way."""
_PRIOR_WEIGHT = 0.5
"""Of a share at an end of its range, in standard deviations: half of one, so that any figure that
says something outweighs it, and shares that none says anything about stay apart."""
_SEED = 20210601
"""Any number: with it the same figures always make the same samples."""
_STEP_RATIO = 1e-5
"""Of a range, for derivatives: about the cube root of the rounding of a float."""
_MAX_EVALUATIONS = 60
"""Fits of these sizes settle within 30 evaluations; the rest is a margin."""
_SETTLED_RATIO = 1e-5
"""Of the sum of squares: below it a figure moves by less than a thousandth of its scatter."""
_DIGITS = 5
"""Of a share in a record: predictions then keep four."""


class _Declared(BaseModel):
    """What a declaration of this kind says."""

    model_config = FROZEN

    title: Text
    workload: Text
    host: Text
    adapters: Annotated[tuple[Text, ...], Field(min_length=1)]
    statements: Annotated[tuple[Text, ...], Field(min_length=1)]
    scatter_ratio: Annotated[float, Field(gt=0)]
    sample_count: Annotated[int, Field(ge=1)]
    left_out_sample_count: Annotated[int, Field(ge=1)]
    ranges: Mapping[str, tuple[float, float]]

    @model_validator(mode="after")
    def _has_each_range(self) -> Self:
        if set(self.ranges) != set(ExchangeShares._fields):
            raise ValueError(f"ranges: must be of {', '.join(ExchangeShares._fields)}")
        return self


class _Figure(NamedTuple):
    """A printed ratio: of which quantity, with how many connections, over what."""

    names: tuple[str, ...]
    quantity: QuantityKind
    adapter: str
    baseline_adapter: str | None
    connection_count: int
    low: float
    high: float


def steering_document(declaration: Declaration, without: Collection[str] = frozenset()) -> Document:
    """
    The record that a declaration of this kind makes.

    Raises
    ------
    ParseError
        If the declaration is wrong, or one of its statements compares something else.
    """
    try:
        return _document(declaration, without)
    except (DomainError, UnknownRecordError) as error:
        raise ParseError(declaration.path, str(error)) from error


def _document(declaration: Declaration, without: Collection[str]) -> Document:
    declared = validated(declaration.path, _Declared, declaration.document)
    figures = [
        figure
        for name in declared.statements
        if name not in without
        for figure in _figures(declaration.path, declared, statement(name))
    ]
    fit = _Fit(declared, tuple(figures))
    samples = fit.samples(declared.sample_count)
    scatter = max(fit.misfit_ratio(samples[0]), declared.scatter_ratio)
    document: dict[str, Any] = {
        "title": declared.title,
        "workload": declared.workload,
        "cpu_count": fit.cpu_count,
        "connection_counts": list(fit.counts),
        "queue_counts": dict(zip(declared.adapters, fit.queue_counts, strict=True)),
        "columns": list(ExchangeShares._fields),
        "scatter_ratio": _decimal(scatter),
        "statements": [name for name in declared.statements if name not in without],
        "samples": {
            name: [[_decimal(share) for share in row] for row in fit.shares(samples, place)]
            for place, name in enumerate(declared.adapters)
        },
    }
    if not without:
        document["left_out"] = [*_left_out(declared, figures, samples[0], scatter)]
    validated(declaration.path, SteeringRecord, {"id": declaration.id, **document})
    return document


def _left_out(
    declared: _Declared, figures: Sequence[_Figure], start: Floats, scatter_ratio: float
) -> Iterator[Document]:
    """What the others predict for each comparison of runs with RPS and without it."""
    done: dict[tuple[object, ...], Document] = {}
    for figure in figures:
        if figure.baseline_adapter is not None:
            continue
        same = [
            each for each in figures if each[1:5] == figure[1:5]
        ]  # both sides print one figure: each would be predicted by the other
        if figure[1:5] not in done:
            fit = _Fit(declared, tuple(each for each in figures if each not in same))
            samples = fit.samples(declared.left_out_sample_count)
            ratios = fit.predicted([figure], samples)[0]
            ends = of_run(spread(ratios), scatter_ratio)._asdict()
            done[figure[1:5]] = {name: _decimal(end) for name, end in ends.items()}
        for name in figure.names:
            yield {"statement": name, **done[figure[1:5]]}


@dataclass(frozen=True)
class _Fit:
    """Shares, all in 0 to 1 of their ranges, that come nearest to figures."""

    declared: _Declared
    figures: tuple[_Figure, ...]

    @cached_property
    def cpu_count(self) -> int:
        """CPUs of each host, counted as threads."""
        count = host(self.declared.host).thread_count
        if count is None or count.value is None:
            raise DomainError(f"host {self.declared.host} has no thread_count")
        return int(count.value)

    @cached_property
    def queue_counts(self) -> tuple[int, ...]:
        """Receive queues of each adapter."""
        counts = []
        for name in self.declared.adapters:
            queues = adapter(name).receive_queue_count
            if queues is None or queues.value is None:
                raise DomainError(f"adapter {name} has no receive_queue_count")
            counts.append(int(queues.value))
        return tuple(counts)

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """Numbers of connections of all figures."""
        return tuple(sorted({figure.connection_count for figure in self.figures}))

    @cached_property
    def places(self) -> list[tuple[str, int | None]]:
        """Name of each parameter, and the place of its adapter where it is one's own."""
        adapters = range(len(self.declared.adapters))
        own = [
            (name, place) for place in adapters for name in ExchangeShares._fields if name in _OWN
        ]
        shared = [(name, None) for name in ExchangeShares._fields if name not in _OWN]
        return [*shared, *own, *(("cost", place) for place in adapters[1:])]

    @cached_property
    def ends(self) -> Floats:
        """Lower and upper ends of all parameters; costs as logarithms."""
        costs = tuple(np.log(_COST_RANGE))
        ranges = {**self.declared.ranges, "cost": costs}
        return np.array([ranges[name] for name, _ in self.places]).T

    def values(self, points: Floats) -> Floats:
        """Parameters of points in 0 to 1, by parameter and point."""
        low, high = self.ends[:, :, None]
        return np.asarray(low + (high - low) * points.T)

    def shares(self, points: Floats, place: int) -> Floats:
        """The shares of one adapter, by point."""
        rows = dict(zip(self.places, self.values(points), strict=True))
        names = ExchangeShares._fields
        return np.array([rows[name, place if name in _OWN else None] for name in names]).T

    def predicted(self, figures: Sequence[_Figure], points: Floats) -> Floats:
        """Ratios of figures, by figure and point."""
        counts = sorted({figure.connection_count for figure in figures})
        adapters = self.declared.adapters
        exchanges: dict[str, SteeredExchange] = {}
        shares = {name: self.shares(points, place) for place, name in enumerate(adapters)}
        # all adapters at once: (adapter, number of connections, point)
        stacked = ExchangeShares(
            *np.array([shares[name].T for name in adapters]).swapaxes(0, 1)[:, :, None]
        )
        every = steered_exchange(
            stacked,
            np.array(counts, dtype=float)[None, :, None],
            np.array(self.queue_counts, dtype=float)[:, None, None],
            self.cpu_count,
        )
        for place, name in enumerate(adapters):
            exchanges[name] = SteeredExchange(*(each[place] for each in every))
        costs = dict(zip(self.places, self.values(points), strict=True))
        ratios = []
        for figure in figures:
            row = counts.index(figure.connection_count)
            exchange, is_time = (
                exchanges[figure.adapter],
                figure.quantity is QuantityKind.TRANSACTION_TIME,
            )
            if figure.baseline_adapter is None:
                ratios.append((exchange.time_ratio if is_time else exchange.cost_ratio)[row])
                continue
            other = exchanges[figure.baseline_adapter]
            cost, other_cost = (
                np.exp(costs.get(("cost", adapters.index(name)), np.zeros(len(points))))
                for name in (figure.adapter, figure.baseline_adapter)
            )
            ratio = cost / other_cost
            if is_time:
                cpu, other_cpu = (
                    shares[name][:, 0] for name in (figure.adapter, figure.baseline_adapter)
                )
                ratio = ratio * other_cpu / cpu * exchange.time[row] / other.time[row]
            else:
                ratio = ratio * exchange.cost[row] / other.cost[row]
            ratios.append(ratio)
        return np.array(ratios)

    def misses(self, points: Floats, shifts: Floats) -> Floats:
        """How far figures, each shifted, are from the intervals that are printed."""
        low, high = np.array([(each.low, each.high) for each in self.figures]).T[:, :, None]
        ratios = self.predicted(self.figures, points) - shifts[:, None]
        missed: Floats = np.maximum(low - ratios, 0) - np.maximum(ratios - high, 0)
        return missed

    def misfit_ratio(self, point: Floats) -> float:
        """Root of the mean square of what the figures miss."""
        return float(np.sqrt((self.misses(point[None], np.zeros(len(self.figures))) ** 2).mean()))

    def nearest(self, shifts: Floats, prior: Floats, start: Floats) -> Floats:
        """The point that is nearest to shifted figures, and to a point where they say nothing."""
        from scipy.optimize import least_squares

        scatter = self.declared.scatter_ratio

        def misses(points: Floats) -> Floats:
            apart = _PRIOR_WEIGHT * (points - prior).T
            return np.concatenate([self.misses(points, shifts) / scatter, apart])

        def of_one(point: Floats) -> Floats:
            return misses(point[None])[:, 0]

        def slopes(point: Floats) -> Floats:
            steps = np.where(point > 0.5, -_STEP_RATIO, _STEP_RATIO)  # stay inside the range
            values = misses(np.vstack([point, point + np.diag(steps)]))
            return np.asarray((values[:, 1:] - values[:, :1]) / steps)

        inside = np.clip(start, 0.05, 0.95)  # the solver starts off the ends
        fitted = least_squares(
            of_one,
            inside,
            jac=slopes,
            bounds=(0, 1),
            ftol=_SETTLED_RATIO,
            max_nfev=_MAX_EVALUATIONS,
        )
        return np.asarray(fitted.x)

    def samples(self, count: int) -> Floats:
        """The best fit, then fits to figures that scatter, each drawn to another point."""
        random = np.random.default_rng(_SEED)
        width, figure_count = len(self.places), len(self.figures)
        middle = np.full(width, 0.5)
        rows = [self.nearest(np.zeros(figure_count), middle, middle)]
        for _ in range(count):
            # figures of one place come from the same two runs
            cases = {each[1:5]: random.normal() for each in self.figures}
            shifts = self.declared.scatter_ratio * np.array(
                [cases[each[1:5]] for each in self.figures]
            )
            rows.append(self.nearest(shifts, random.random(width), rows[0]))
        return np.array(rows)


def _figures(file: str, declared: _Declared, about: Statement) -> Iterator[_Figure]:
    """What a statement says of the exchange, for each number of connections that it names."""
    subject, baseline = about.subject, about.baseline
    others = {} if baseline is None else baseline.model_dump(exclude_defaults=True)
    compared = others.pop("adapter", None)
    is_steered = subject.receive_packet_steering is True
    steering = others.pop("receive_packet_steering", None)
    interval = about.interval
    quantities = (QuantityKind.TRANSACTION_TIME, QuantityKind.CPU_CONSUMPTION)
    is_fit = (
        about.quantity in quantities
        and interval is not None
        and subject.adapter in declared.adapters
        and not others
        and ((is_steered and steering is False) or (compared in declared.adapters))
    )
    if not is_fit or interval is None or subject.adapter is None:
        raise ParseError(
            file,
            f"statements: {about.id} does not compare transaction time or CPU cost with and "
            "without packet steering, or of two of the adapters",
        )
    ends = [float(end) for end in interval]
    if about.change is not Change.FACTOR:
        sign = -1 if about.change is Change.LESS else 1
        ends = sorted(1 + sign * end / WHOLE_PERCENT for end in ends)
    for count in subject.connection_counts:
        yield _Figure((about.id,), about.quantity, subject.adapter, compared, count, *ends)


def _decimal(number: float) -> Decimal:
    return Decimal(f"{number:.{_DIGITS}f}")
