"""What a path delivers, what it costs, and which limit is the bottleneck; also as text."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from netmodel.concurrency import Bounds
from netmodel.consumption import Side, consumption_us_per_gbit
from netmodel.errors import DomainError
from netmodel.estimates import LEVEL_DEVIATIONS, Bound, Predicted, combined
from netmodel.framing import Stack
from netmodel.grades import Grade, weakest_grade
from netmodel.kept import Once
from netmodel.lazy_numpy import np
from netmodel.numeric import (
    ROUNDING_RATIO,
    FloatOrArray,
    Mask,
    holds_somewhere,
    is_array,
    is_symbol,
    maximum,
    minimum,
    where,
)
from netmodel.path._cpu_cost import (
    CpuPart,
    bounded_notes,
    busy_at_bound,
    busy_in_all,
    cpu_parts,
    partly_known,
)
from netmodel.path._limits import Beside, PathLimit, PublishedFigure
from netmodel.path._path import COUNT_NAMES, LINE_STAGES, Path, Pool, Stage
from netmodel.path._traffic import Counts, Load, Terms, Traffic, is_at_most_one, least
from netmodel.path._uncertain import (
    ends_of,
    quoted_of,
)
from netmodel.path._zero_load import ZeroLoad
from netmodel.path.distance import WINDOW_ROUNDS, is_lossy, window_notes
from netmodel.predicted_text import predicted_text, rate_text
from netmodel.results import Result, plain, short_repr
from netmodel.terminal import fitted
from netmodel.text import fixed_percent, range_text
from netmodel.units import BITS_PER_BYTE

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

    from netmodel.path._expected_rate import Expected

_COUNTS = ("parallel_count", *COUNT_NAMES)


def not_known() -> None:
    """Return None: the expected value is not known of the path as a whole."""


@dataclass(frozen=True)
class Prediction(Result):
    """
    What a path makes of a workload: every limit, the smallest of which is the upper bound.

    Each quantity says by its `Bound` on which side of the true value it lies.

    Parameters
    ----------
    path : Path
        Stages, pools and window.
    traffic : Traffic
        What is exchanged.
    mtu_bytes : float or numpy.ndarray
        Largest innermost packet. [byte]
    stack : Stack
        Headers, where a stage has none of its own.
    load : Load
        What a transaction brings to each place.
    zero_load : Once
        Time of a transaction that meets no other, computed when it is first asked for.
    limits : tuple of PathLimit
        Everything that limits the rate.
    path_notes : tuple of str
        What the limits rest on that a reader should know.
    outside_validity : mapping of str to tuple of str
        What a reader should know of service times that were measured with other frames, and
        the stages that have them, with the payload of their frames.
    published_limit : PathLimit, optional
        The bound that documents print where it is tighter than those of the path, in arrays
        infinite elsewhere.
    known_expected : callable
        Looks up the expected value where it is known of the path as a whole, from figures that
        documents print or from calibrated times at both ends; None where it is not.
    beside : callable
        Looks up what documents print of its case, when it is first asked for.
    volume_bytes : float, optional
        Payload of a copy, of which the time is asked for. [byte]

    Examples
    --------
    >>> from netmodel.path import Path, Stage, Times, Traffic, predict_path
    >>> cpu = Stage(name="cpu", to_server=Times(per_message_s=6e-6))
    >>> prediction = predict_path(Path(stages=(cpu,)), Traffic(1000, 500), mtu_bytes=1500)
    >>> prediction.binding, round(prediction.throughput_bps.value / 1e9, 3)
    ('cpu', 1.333)
    """

    path: Path
    traffic: Traffic
    mtu_bytes: FloatOrArray
    stack: Stack
    load: Load = field(repr=False, compare=False)
    zero_load: Once[ZeroLoad] = field(repr=False, compare=False)
    limits: tuple[PathLimit, ...]
    path_notes: tuple[str, ...]
    outside_validity: Mapping[str, tuple[str, ...]]
    published_limit: PathLimit | None = None
    known_expected: "Callable[[], Expected | None]" = field(
        default=not_known, repr=False, compare=False
    )
    beside: Callable[[], Beside] = field(default=Beside, repr=False, compare=False)
    volume_bytes: float | None = None

    json_keys = (
        "connection_count=traffic.connection_count distance=path.distance "
        "throughput_bps=plain_throughput_bps transaction_rate_tps transaction_rate_bounds_tps "
        "transaction_time_s expected copy_time_s zero_load_time_s cpu_us_per_gbit "
        "cpu_s_per_transaction cpu_busy cpu_busy_expected cpu_parts pool_busy mtu_bytes binding "
        "bounded_by limits=plain_limits grade measured_with=path.settings notes "
        "published also_published"
    )

    @property
    def copy_time_s(self) -> Predicted | None:
        """Time of a copy at the rate that is expected, else at the bound. [s]"""
        if self.volume_bytes is None:
            return None
        known = self.throughput_bps if self.expected is None else self.expected.throughput_bps
        value, low, high = (
            BITS_PER_BYTE * self.volume_bytes / rate
            for rate in (known.value, known.high, known.low)
        )
        bound = Bound.LOWER if known.bound is Bound.UPPER else known.bound
        return Predicted(value, low, high, bound)

    @property
    def published(self) -> tuple[PublishedFigure, ...]:
        """Figures and ratios that documents print of its case; none of a path of your own."""
        return self.beside().figures

    @property
    def also_published(self) -> tuple[PublishedFigure, ...]:
        """Figures that documents print of the nearest cases; each says what differs."""
        return self.beside().others

    @property
    def bounded_by(self) -> str | None:
        """The printed row that bounds the rate below what the path allows, with its place."""
        known = self.published_limit and self.published_limit.published
        return known.text if known else None

    @property
    def all_limits(self) -> tuple[PathLimit, ...]:
        """Limits of the path, and the one that documents print."""
        return (*self.limits, *filter(None, [self.published_limit]))

    @property
    def counts(self) -> tuple[Counts, Counts]:
        """What a transaction is under these headers: to the server, and to the client."""
        return self.load.counts()

    @cached_property
    def demands(self) -> dict[str, Terms]:
        """What a transaction takes of each stage, term by term, at the values to quote. [s]"""
        return {stage.name: self.load.demand(stage, quoted_of) for stage in self.path.stages}

    @cached_property
    def loads_s(self) -> dict[str, Predicted]:
        """What a transaction takes of each stage. [s]"""
        return {stage.name: self.load.time_of([stage]) for stage in self.path.stages}

    @property
    def limit_notes(self) -> tuple[str, ...]:
        """What a reader of the limits should know."""
        outside = self.outside_validity.items()
        return (*self.path_notes, *(f"{name}: {note}" for note, names in outside for name in names))

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not predicted, and why; and what a reader of the rest should know."""
        result = [*self.path.mixed_notes]
        result += window_notes(self.path, self.traffic, self.throughput_bps.value)
        unknown = self.path.unknown
        if unknown:
            parts = unknown[0] if len(unknown) == 1 else f"{len(unknown)} parts"
            effect = "; the expected value includes " + ("it" if len(unknown) == 1 else "them")
            if self._whole is None:
                effect = ", so latency not predicted"
            result.append(f"upper bound: {parts} not modelled{effect}")
        elif not self.traffic.waits:
            result.append("latency not predicted: connections of a stream do not wait for answers")
        elif self.traffic.connection_count is None:
            result.append("latency under load not predicted: give the number of connections")
        sides: dict[str, list[str]] = {}
        for side in Side:
            stages = self.path.cpu_stages(side)
            names = [stage.name for stage in stages if stage.name in self.partly_known]
            if not stages or names:
                why = f"not all service times of {', '.join(names)} are known"
                sides.setdefault(why if names else "no CPU model", []).append(side.value)
        for why, whose in sides.items():
            result.append(f"CPU cost of the {' and '.join(whose)} not predicted: {why}")
        if len(unknown) > 1:
            result += [f"not modelled: {part}" for part in unknown]
        is_far = self.path.distance is not None and self.path.distance.round_trip_s is not None
        if is_far and self.traffic.waits and unknown and self._whole is None:
            run = "run netperf TCP_RR, one connection, over a short distance"
            result.append(f"endpoint times not known: {run}")
        if not self.load.points.rank and self.expected is not None:
            rate_tps = self.expected.transaction_rate_tps
            result += bounded_notes(self.path, rate_tps, self.cpu_s_per_transaction)
        return (*result, *self.limit_notes)

    @cached_property
    def transaction_rate_tps(self) -> Predicted:
        """
        Upper bound of transactions per second: the smallest of all limits. [1/s]

        A mean where loss is the bottleneck, in arrays anywhere.
        """
        rate = combined(least, (limit.rate for limit in self.all_limits), Bound.UPPER)
        for limit in self.limits:
            if limit.rate.bound is Bound.MEAN and holds_somewhere(limit.rate.value <= rate.value):
                rate = replace(rate, bound=Bound.MEAN)
        factor = self._new_run_factor
        if factor is None:
            return rate
        run_high = least(
            limit.rate.high * (1 if limit.name in LINE_STAGES else factor)
            for limit in self.all_limits
        )
        return replace(rate, new_run_low=rate.low / factor, new_run_high=run_high)

    @property
    def throughput_bps(self) -> Predicted:
        """Upper bound of the payload rate of the side that sends more. [bit/s]"""
        return self.transaction_rate_tps.scaled(self._payload_bits)

    @property
    def limit_rates_bps(self) -> dict[str, Predicted]:
        """Payload rate that each limit alone would allow, by its name. [bit/s]"""
        return {limit.name: limit.rate.scaled(self._payload_bits) for limit in self.limits}

    @property
    def bounding_limits(self) -> tuple[PathLimit, ...]:
        """Limits that no run exceeds: loss leaves a mean."""
        return tuple(limit for limit in self.all_limits if limit.rate.bound is not Bound.MEAN)

    @property
    def best_throughput_bps(self) -> FloatOrArray | None:
        """
        Upper bound of a single run whose flows a hash spreads at best. [bit/s]

        None where no hash spreads flows: the throughput then bounds each run, not their mean.
        """
        if all(limit.best_rate_tps is None for limit in self.bounding_limits):
            return None
        rates_tps = (limit.highest_rate_tps for limit in self.bounding_limits)
        return least(rates_tps) * self._payload_bits

    @property
    def even_throughput_bps(self) -> FloatOrArray | None:
        """
        The throughput if all flows that a hash spreads are equally fast, on average. [bit/s]

        None where no hash spreads the flows of a stream.
        """
        if all(limit.even_rate_tps is None for limit in self.limits):
            return None
        rates = (
            limit.rate.value if limit.even_rate_tps is None else limit.even_rate_tps
            for limit in self.limits
        )
        return least(rates) * self._payload_bits

    @cached_property
    def use_ratios(self) -> dict[str, Predicted]:
        """
        Share of each capacity that is in use at the upper bound of the rate, by its limit.

        Its ends enclose the smallest of all other limits over this one.
        """
        rates = {limit.name: limit.rate for limit in self.limits}
        smallest = self.transaction_rate_tps.value
        result = {}
        for name, rate in rates.items():
            others = [rate for other, rate in rates.items() if other != name]
            value = smallest / rate.value
            low = least([1.0, *(item.low / rate.high for item in others)])
            high = least([1.0, *(item.high / rate.low for item in others)])
            result[name] = Predicted(value, minimum(low, value), maximum(high, value))
        return result

    @cached_property
    def binding(self) -> "str | npt.NDArray[np.str_] | None":
        """
        Name of the smallest limit of the path, or an array of names.

        None, in arrays empty, where a printed row bounds the rate more tightly.
        """
        names = [limit.name for limit in self.limits]
        place, known = self.binding_place, self.published_limit
        if known is None:
            return names[place] if isinstance(place, int) else np.array(names)[place]
        if isinstance(place, int) and not is_array(known.rate.value):
            return None
        return np.where(np.isinf(known.rate.value), np.array(names)[place], "")

    @cached_property
    def binding_place(self) -> "int | npt.NDArray[np.intp]":
        """Place of the smallest limit among all of them, or an array of places."""
        rates = [limit.rate.value for limit in self.limits]
        if all(type(rate) is float for rate in rates):
            return rates.index(min(rates))
        place = np.argmin(np.stack(np.broadcast_arrays(*rates)), axis=0)
        return place if place.ndim else int(place)

    @property
    def ties(self) -> tuple[str, ...]:
        """Names of all limits that tie, anywhere; none where one alone is the smallest."""
        tied = self._tied()
        is_shared = sum(where(value, 1, 0) for value in tied.values()) > 1
        return tuple(name for name, item in tied.items() if holds_somewhere(item & is_shared))

    @property
    def zero_load_time_s(self) -> Predicted | None:
        """
        Time of a transaction that meets no other; None where a part is not known. [s]

        A lower bound where a message has several frames, which overlap.
        """
        if not self._has_time:
            return None
        result = self.zero_load()
        think_time_s = self.traffic.think_time_s
        value, low, high = (
            end - think_time_s for end in (result.shortest_s, result.low_s, result.high_s)
        )
        overlaps = any(not is_at_most_one(count.frame_count) for count in self.counts)
        is_bound = overlaps or result.longest_s is not result.shortest_s
        bound = Bound.LOWER if is_bound else Bound.VALUE
        return Predicted(value, low, high, bound)

    @property
    def transaction_time_s(self) -> Predicted | None:
        """
        Lower bound of the time of a transaction: Little's law at the bound of the rate. [s]

        A mean where the rate is one. None where a part of it or the number of connections is not
        known, or a connection does not wait.
        """
        count = self.traffic.connection_count
        if not self._has_time or count is None:
            return None
        rate, think_time_s = self.transaction_rate_tps, self.traffic.think_time_s
        value, low, high = (
            count / item - think_time_s for item in (rate.value, rate.high, rate.low)
        )
        bound = Bound.MEAN if rate.bound is Bound.MEAN else Bound.LOWER
        if rate.new_run_low is None or rate.new_run_high is None:
            return Predicted(value, low, high, bound)
        run = (count / item - think_time_s for item in (rate.new_run_high, rate.new_run_low))
        return Predicted(value, low, high, bound, *run)

    @property
    def transaction_rate_bounds_tps(self) -> Bounds[FloatOrArray] | None:
        """
        Range of the rate, however transactions queue at the stages, and a hash spreads them. [1/s]

        None where the time of a transaction is not known, as with timeouts after a loss.
        """
        count = self.traffic.connection_count
        if not self._has_time or count is None or self._has_timeouts:
            return None
        # (1) every stage serves no two transactions at a time, but for servers that it surely has
        pools = {pool.name: pool.parallel_count for pool in self.path.pools}
        apart = self.traffic.think_time_s
        queued: FloatOrArray = 0
        for stage in self.path.stages:
            longest_s = self.loads_s[stage.name].high
            if stage.name == WINDOW_ROUNDS:
                continue  # all rounds of a window are below
            if stage.is_delay:
                apart = apart + (longest_s if stage.delays else 0)
                continue
            counts = (stage.parallel_count, pools[stage.pool] if stage.pool else None)
            known = [ends_of(count)[0] for count in counts if count is not None]
            queued = queued + longest_s / least([1, *known] if stage.delays else known or [1])
        # (2) a window lets less than all of it wait; what both sides send is in flight in it
        exchanged_ratio = self.traffic.exchanged_bytes / self.traffic.payload_bytes
        for limit in self.limits:
            if limit.name == "window":
                apart = apart + count / limit.rate.low * exchanged_ratio
        low = count / (count * queued + apart)
        return Bounds(low, least(limit.highest_rate_tps for limit in self.all_limits))

    @cached_property
    def expected(self) -> "Expected | None":
        """
        Expected value of the rate, with its time and queues.

        As documents print it of the very case, or as calibrated times at both ends give it, else
        if service times are exponential; its `assumption` says which. None where the bounds stand
        alone: parts or service times of the path or the number of connections are not known, or
        connections do not wait for answers.
        """
        if self._whole is not None:
            return self._whole
        if self.unexpected is not None:
            return None
        limits = {limit.name: limit.rate for limit in self.limits}
        # most predictions have bounds alone
        from netmodel.path.expected import expected_value

        return expected_value(self.path, self.load, self.loads_s, limits)

    @cached_property
    def unexpected(self) -> str | None:
        """Why there is no expected value; None where there is one."""
        return None if self._whole is not None else self._not_composed

    @property
    def _has_timeouts(self) -> bool:
        """Whether transactions wait for packets that are lost."""
        return self.traffic.waits and is_lossy(self.path)

    @cached_property
    def _whole(self) -> "Expected | None":
        """The expected value where it is known of the path as a whole."""
        return self.known_expected()

    @property
    def is_known_as_whole(self) -> bool:
        """Whether its expected value is of the path as a whole, not composed of service times."""
        return self._whole is not None

    @cached_property
    def _not_composed(self) -> str | None:
        """Why service times alone give no expected value; None where they do."""
        count = self.traffic.connection_count
        if self.path.unknown:
            return "parts of the path are not modelled"
        if not self.traffic.waits:
            return "connections of a stream do not wait for answers"
        if count is None:
            return "the number of connections is not specified"
        if self._has_timeouts:
            return "lost packets delay transactions by timeouts, which are not modelled"
        if not any(stage.delays for stage in self.path.stages):
            return "no stage delays messages"
        if not self._is_complete(self.path.stages):
            return f"not all service times of {', '.join(self.partly_known)} are known"
        if any(map(is_symbol, (*self.traffic.numbers, self.transaction_rate_tps.value))):
            return "symbols have no expected value"
        return None

    @cached_property
    def partly_known(self) -> tuple[str, ...]:
        """Stages that something passes, and that spend time on it which is not known."""
        return partly_known(self.path, self.counts, self.traffic.waits)

    @property
    def pool_busy(self) -> dict[str, Predicted | None]:
        """Servers of each pool that are busy, upper bounds; None where not all of it is known."""
        result: dict[str, Predicted | None] = {}
        for pool in self.path.pools:
            stages = [stage for stage in self.path.stages if stage.pool == pool.name]
            result[pool.name] = self._busy(pool, stages) if self._is_complete(stages) else None
        return result

    @property
    def cpu_busy(self) -> dict[Side, Predicted | None]:
        """CPUs of each side that are busy, upper bounds; None where not all stages are known."""
        return {
            side: combined(
                sum,
                (
                    self._busy(pool, own)
                    for pool in self.path.pools
                    if (own := [stage for stage in stages if stage.pool == pool.name])
                ),
                self.transaction_rate_tps.bound,
            )
            if stages
            else None
            for side, stages in self._known_cpu_stages.items()
        }

    @property
    def cpu_us_per_gbit(self) -> dict[Side, Predicted | None]:
        """CPU time of each side for all payload that it sends and receives. [µs/Gbit]"""
        result: dict[Side, Predicted | None] = dict.fromkeys(Side)
        scale = consumption_us_per_gbit(1, BITS_PER_BYTE * self.traffic.exchanged_bytes)
        factor = self._new_run_factor
        for side, time_s in self.cpu_s_per_transaction.items():
            if time_s is None:
                continue
            cost = time_s.scaled(scale)
            if factor is not None:
                run_low, run_high = cost.low / factor, cost.high * factor
                cost = replace(cost, new_run_low=run_low, new_run_high=run_high)
            result[side] = cost
        return result

    @property
    def cpu_s_per_transaction(self) -> dict[Side, Predicted | None]:
        """CPU time of each side for a transaction. [s]"""
        known = self._known_cpu_stages
        return {side: self.load.time_of(own) if own else None for side, own in known.items()}

    @cached_property
    def cpu_parts(self) -> dict[Side, dict[str, CpuPart] | None]:
        """
        CPU cost of each side by its stages, such as guest and hypervisor.

        None where not all stages of the side are known. The parts add up to the cost of the
        side. CPUs busy at the expected rate are at most those installed.
        """
        rate_tps = None if self.expected is None else self.expected.transaction_rate_tps
        return {
            side: cpu_parts(self.path, self.load, stages, rate_tps) if stages else None
            for side, stages in self._known_cpu_stages.items()
        }

    @property
    def cpu_busy_expected(self) -> dict[Side, Predicted | None]:
        """CPUs of each side that are busy at the expected rate; None where none is expected."""
        return {side: busy_in_all(self.path, side, self.cpu_parts[side]) for side in Side}

    @property
    def grade(self) -> Grade | None:
        """The worst grade of all parameters that have one."""
        used = {name for terms in self.demands.values() for name, _ in terms}
        result: list[Grade | None] = [
            grade
            for stage in self.path.stages
            for name, grade in stage.grades.items()
            if f"{stage.name}.{name}" in used or name in _COUNTS
        ]
        if any(limit.name == "window" for limit in self.limits):
            result.append(self.path.window_grade)
        if self.published_limit is not None:
            result.append(Grade.PUBLISHED)
        return weakest_grade([*result, *(pool.grade for pool in self.path.pools)])

    def to_dict(self) -> dict[str, Any]:
        """
        Plain values in base units, as in the JSON of ``netmodel predict``.

        Raises
        ------
        DomainError
            If a parameter is an array: there is one object for each prediction.
        """
        self.require_one()
        return super().to_dict()

    @property
    def plain_throughput_bps(self) -> dict[str, float | str | None]:
        """The bound, and those of runs whose flows a hash spreads best, or evenly."""
        more = {"upper_bound": self.best_throughput_bps, "even_flows": self.even_throughput_bps}
        known = {name: plain(rate) for name, rate in more.items() if rate is not None}
        return self.throughput_bps.to_dict() | known

    @property
    def plain_limits(self) -> list[dict[str, float | str | None]]:
        """Each limit as payload rate, and its unused share."""
        bits, quoted_bps = self._payload_bits, self.throughput_bps.value
        rows = []
        for each in self.limits:
            value, low, high, bound, *_ = each.rate.scaled(bits).to_dict().values()
            ends = {"value_bps": value, "low_bps": low, "high_bps": high, "bound": bound}
            more = {"upper_bound_bps": each.best_rate_tps, "even_flows_bps": each.even_rate_tps}
            known = {name: rate * bits for name, rate in more.items() if rate is not None}
            margin_ratio = 1 - quoted_bps / (each.rate_tps * bits)
            rows.append({"name": each.name, **ends, "margin_ratio": margin_ratio, **known})
        return rows

    def require_one(self) -> None:
        """Raise DomainError if there are arrays."""
        rates = (limit.rate.value for limit in self.all_limits)
        numbers = (self.mtu_bytes, *self.traffic.numbers, *rates)
        if any(map(is_array, numbers)) or self.load.points.rank:
            raise DomainError("this prediction has arrays: use its fields, or predict one by one")

    @property
    def throughput_text(self) -> str:
        """
        The upper bound of the throughput as part of a sentence, with what is uncertain of it.

        Where a hash spreads flows, it is said which figure is a mean and which bounds each run.

        Raises
        ------
        DomainError
            If the prediction has arrays.
        """
        bound = self.throughput_bps.numbers()
        text, *rest = predicted_text(bound).partition(" (")
        if bound.new_run_low is not None and bound.new_run_high is not None:
            run = range_text(rate_text(bound.new_run_low), rate_text(bound.new_run_high))
            rest.append(f"; one run at the bound, 19 times in 20: {run}")
        best_bps, even_bps = self.best_throughput_bps, self.even_throughput_bps
        if best_bps is not None and best_bps != bound.value and bound.bound is not Bound.MEAN:
            even, best = "", rate_text(float(best_bps))
            if even_bps:
                even = f", {rate_text(float(even_bps))} if all flows are equally fast"
            text += f" on average over hashes{even}, <= {best} in a run whose flows are spread best"
        return text + "".join(rest)

    def _rows(self) -> Iterator[tuple[str, str]]:
        self.require_one()
        yield "throughput", self.throughput_text
        if self.expected is not None:
            expected_bps = self.expected.throughput_bps.numbers()
            text = predicted_text(expected_bps)
            yield "expected", f"{text}, if {self.expected.assumption}"
        if self.bounded_by:
            yield "bounded by", self.bounded_by
        else:
            yield "bottleneck", ", ".join(self.ties) or str(self.binding)
        for name, rate in self.limit_rates_bps.items():
            used = fixed_percent(float(self.use_ratios[name].value), 1)
            yield name, f"{predicted_text(rate.numbers())}, {used} in use at the bound"
        yield from (("note", text) for text in self.notes)

    def __str__(self) -> str:
        if self.load.points.rank:
            return f"{self!r}: to_frame() has a row for each"
        return fitted("\n".join(f"{name}: {text}" for name, text in self._rows()))

    def _repr_html_(self) -> str:
        from netmodel.path._prediction_shown import cases_html, html_of_prediction

        return cases_html(self) if self.load.points.rank else html_of_prediction(self, self._rows())

    def __repr__(self) -> str:
        if self.load.points.rank:
            return f"<Prediction of {self.load.points.size:,} cases>"
        self.require_one()
        bound, *ends = predicted_text(self.throughput_bps.numbers()).split(" (")
        names = " and ".join(self.ties) or self.binding
        bottleneck = f"bottleneck {names}" if names else "bounded by a printed row"
        return short_repr(self, bound, bottleneck, *(each.rstrip(")") for each in ends))

    def to_frame(self) -> "pd.DataFrame":
        """
        A row for each limit; of arrays a row for each case, in their order.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        from netmodel.path._prediction_shown import frame_of_prediction

        return frame_of_prediction(self)

    @property
    def _new_run_factor(self) -> float | None:
        """By how much one run exceeds the mean at most, 19 times in 20; None where not known."""
        scatter = self.path.scatter_ratio
        return None if scatter is None else math.exp(LEVEL_DEVIATIONS * math.log1p(scatter))

    @property
    def _payload_bits(self) -> FloatOrArray:
        return BITS_PER_BYTE * self.traffic.payload_bytes

    @property
    def _has_time(self) -> bool:
        return self.traffic.waits and not self.path.unknown

    def _is_complete(self, stages: Iterable[Stage]) -> bool:
        """Whether all is known that the stages spend on what passes them."""
        return not any(stage.name in self.partly_known for stage in stages)

    def _tied(self) -> dict[str, Mask]:
        """Where each limit is the smallest, at the values to quote."""
        most = self.transaction_rate_tps.value * (1 + ROUNDING_RATIO)
        return {limit.name: limit.rate.value <= most for limit in self.limits}

    @property
    def _known_cpu_stages(self) -> dict[Side, tuple[Stage, ...]]:
        """Stages that take CPU time of each side; none where not all of them are known."""
        stages = {side: self.path.cpu_stages(side) for side in Side}
        return {side: own if self._is_complete(own) else () for side, own in stages.items()}

    def _busy(self, pool: Pool, stages: Iterable[Stage]) -> Predicted:
        """Servers of a pool busy with stages at the bound of the rate: not more than it has."""
        return busy_at_bound(
            self.transaction_rate_tps, self.load.time_of(stages, Bound.UPPER), pool
        )
