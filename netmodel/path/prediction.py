"""Predictions: throughput, time and CPU cost of a path, and its bottleneck."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, nan
from operator import sub
from typing import TYPE_CHECKING, Any, NamedTuple

from netmodel.consumption import Side, consumption_us_per_gbit
from netmodel.errors import DomainError
from netmodel.estimates import Bound, Predicted, combined
from netmodel.frames import frame_of
from netmodel.framing import Stack, tcp_stack
from netmodel.grades import Grade, weakest_grade
from netmodel.html import definition_table
from netmodel.lazy_numpy import np
from netmodel.numeric import (
    ROUNDING_RATIO,
    FloatOrArray,
    Mask,
    QuantityLike,
    extremes,
    holds_somewhere,
    is_array,
    maximum,
    minimum,
    where,
)
from netmodel.path.ensemble import OPEN, Ensemble, Parameter, Spread, require_a
from netmodel.path.from_records import settings_of
from netmodel.path.limits import CpuPart, PathLimit, busy_at, cpu_parts, limits, partly_known
from netmodel.path.over_distance import distance_notes, is_lossy, window_notes, with_window_rounds
from netmodel.path.response import Expected, expected_value, zero_load
from netmodel.path.stages import DIRECTIONS, NO_LINE, Path, Stage
from netmodel.path.traffic import Load, Terms, Traffic, is_at_most_one, least, load_of
from netmodel.predicted_text import predicted_text
from netmodel.results import Result, plain, short_repr
from netmodel.units import BITS_PER_BYTE

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

    from netmodel.records.paths import PathRecord


def not_known() -> None:
    """Return None: the expected value is not known of the path as a whole."""


class Beside(NamedTuple):
    """
    Printed figures beside a prediction.

    Parameters
    ----------
    rate : str
        The printed throughput or transaction rate of the very case; empty where none is.
    rate_bps : float, optional
        Its payload rate; None without a figure. [bit/s]
    figures : tuple of published.Row
        All figures and ratios of the very case.
    others : tuple of published.Row
        Those of the nearest cases.
    """

    rate: str = ""
    rate_bps: float | None = None
    figures: tuple[Any, ...] = ()
    others: tuple[Any, ...] = ()


@dataclass(frozen=True, eq=False)
class Prediction(Result):
    """
    Every limit of a workload on a path; the smallest is the upper bound.

    A path without a known line or limit, such as that between two guests of one host, has none:
    its rate is infinite, and no MTU is NaN. Each quantity says by its `Bound` on which side of
    the true value it lies. Quantities are computed when they are read.

    Read `throughput_bps`, `transaction_rate_tps`, `transaction_time_s`, `expected`, `binding`,
    `limits`, `cpu_us_per_gbit` of each side, `published` and `notes`.

    Parameters
    ----------
    path : Path
        Stages, pools and window.
    load : Load
        Messages that are exchanged, and the frames and bytes of a transaction at each place.
    limits : tuple of PathLimit
        Everything that limits the rate.
    first_notes : tuple of str
        Notes before those that follow from path and load.
    published_limit : PathLimit, optional
        The bound that documents print where it is tighter than those of the path, in arrays
        infinite elsewhere.
    known_expected : callable
        Looks up the expected value where it is known of the path as a whole, from figures that
        documents print or from calibrated times at both ends; None where it is not.
    beside : callable
        Looks up what documents print of its case, when it is first asked for.

    Examples
    --------
    >>> from netmodel.path import Path, Stage, Times, Traffic, predict_path
    >>> cpu = Stage(name="cpu", to_server=Times(per_message_s=6e-6))
    >>> prediction = predict_path(Path(stages=(cpu,)), Traffic(1000, 500), mtu_bytes=1500)
    >>> prediction.binding, round(prediction.throughput_bps.value / 1e9, 3)
    ('cpu', 1.333)
    """

    path: Path
    load: Load
    limits: tuple[PathLimit, ...]
    first_notes: tuple[str, ...] = ()
    published_limit: PathLimit | None = None
    known_expected: Callable[[], Expected | None] = not_known
    beside: Callable[[], Beside] = Beside

    json_keys = (
        "connection_count=traffic.connection_count distance=path.distance "
        "throughput_bps=plain_throughput_bps connection_throughput_bps transaction_rate_tps "
        "transaction_time_s expected copy_time_s zero_load_time_s cpu_us_per_gbit "
        "cpu_s_per_transaction cpu_busy cpu_busy_expected cpu_parts mtu_bytes binding "
        "bounded_by limits=plain_limits grade measured_with=path.settings notes "
        "published also_published"
    )

    @property
    def traffic(self) -> Traffic:
        """Messages that the connections exchange."""
        return self.load.traffic

    @property
    def mtu_bytes(self) -> FloatOrArray:
        """Largest innermost packet. [byte]"""
        return self.load.mtu_bytes

    # ---- Rates

    @property
    def all_limits(self) -> tuple[PathLimit, ...]:
        """Limits of the path, and the one that documents print."""
        return (*self.limits, *filter(None, [self.published_limit]))

    @property
    def is_unbounded(self) -> bool:
        """True if no line and no limit of the path is known."""
        return not self.limits

    @cached_property
    def transaction_rate_tps(self) -> Predicted:
        """
        Upper bound of transactions per second: the smallest of all limits. [1/s]

        A mean where loss is the bottleneck, in arrays anywhere.
        """
        if self.is_unbounded:
            return Predicted(inf, inf, inf, Bound.UPPER)
        rate = combined(least, (limit.rate for limit in self.all_limits), Bound.UPPER)
        means = (limit.rate.value for limit in self.limits if limit.rate.bound is Bound.MEAN)
        is_mean = any(holds_somewhere(each <= rate.value) for each in means)
        return replace(rate, bound=Bound.MEAN) if is_mean else rate

    @property
    def throughput_bps(self) -> Predicted:
        """Upper bound of the payload rate of the side that sends more. [bit/s]"""
        return self.transaction_rate_tps.scaled(self._payload_bits)

    @cached_property
    def lasting_throughput_bps(self) -> Predicted | None:
        """Upper bound after the burst of a capacity, where that is lower; else None. [bit/s]"""
        capacities = [stage.capacity for stage in self.path.stages if stage.capacity]
        if not any(each.bucket or each.is_sustained for each in capacities):
            return None
        load = replace(self.load, traffic=replace(self.traffic, volume_bytes=inf))
        after = replace(self, load=load, limits=tuple(limits(self.path, load))).throughput_bps
        return after if holds_somewhere(after.value < self.throughput_bps.value) else None

    @property
    def connection_throughput_bps(self) -> Predicted | None:
        """Mean of each connection at that bound; None where their number is not known. [bit/s]"""
        count = self.traffic.connection_count
        return None if count is None else self.throughput_bps.scaled(1 / count)

    @property
    def limit_rates_bps(self) -> dict[str, Predicted]:
        """Payload rate that each limit alone would allow, by its name. [bit/s]"""
        return {limit.name: limit.rate.scaled(self._payload_bits) for limit in self.limits}

    @property
    def best_throughput_bps(self) -> FloatOrArray | None:
        """
        Upper bound of a single run whose flows a hash spreads at best. [bit/s]

        None where no hash spreads flows: the throughput then bounds each run, not their mean.
        """
        bounding = [each for each in self.all_limits if each.rate.bound is not Bound.MEAN]
        if all(limit.best_rate_tps is None for limit in bounding):
            return None
        return least(limit.highest_rate_tps for limit in bounding) * self._payload_bits

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
    def binding(self) -> "str | npt.NDArray[np.object_] | None":
        """
        Name of the smallest limit, or an array of names; None where nothing bounds the rate.

        ``"published limit"`` where a printed row bounds it more tightly than the path.
        """
        names, known = [limit.name for limit in self.limits], self.published_limit
        rates = [limit.rate.value for limit in self.limits]
        if any(is_array(limit.rate.value) for limit in self.all_limits):
            smallest = np.argmin(np.stack(np.broadcast_arrays(*rates)), axis=0)
            # as objects: names that are shared take no memory for each case
            of: npt.NDArray[np.object_] = np.array(names, dtype=object)[smallest]
            return of if known is None else np.where(np.isfinite(known.rate.value), known.name, of)
        own = names[rates.index(min(rates))] if names else None
        return own if known is None else known.name

    @property
    def ties(self) -> tuple[str, ...]:
        """Names of all limits that tie, anywhere; none where one alone is the smallest."""
        most = self.transaction_rate_tps.value * (1 + ROUNDING_RATIO)
        tied: dict[str, Mask] = {each.name: each.rate.value <= most for each in self.limits}
        is_shared = sum(where(value, 1, 0) for value in tied.values()) > 1
        return tuple(name for name, item in tied.items() if holds_somewhere(item & is_shared))

    @property
    def bounded_by(self) -> str | None:
        """The printed row that bounds the rate below what the path allows, with its place."""
        return self.published_limit.published if self.published_limit else None

    # ---- Times and expected values

    @property
    def zero_load_time_s(self) -> Predicted | None:
        """
        Time of a transaction that meets no other; None where a part is not known. [s]

        A lower bound where a message has several frames, which overlap.
        """
        if not self._has_time:
            return None
        result = zero_load(self.path, self.load).by_end(sub, Spread.of(self.traffic.think_time_s))
        overlaps = any(not is_at_most_one(count.frame_count) for count in self.load.counts.values())
        is_open = any(isinstance(value, OPEN) for value in self.path.parameters)
        return result.predicted(Bound.LOWER if overlaps or is_open else Bound.VALUE)

    @property
    def transaction_time_s(self) -> Predicted | None:
        """
        Lower bound of the time of a transaction: Little's law at the bound of the rate. [s]

        A mean where the rate is one. None where a part of it or the number of connections is not
        known, or a connection does not wait.
        """
        count, rate = self.traffic.connection_count, self.transaction_rate_tps
        if not self._has_time or count is None:
            return None
        return rate.inverse(count).mapped(lambda time_s: time_s - self.traffic.think_time_s)

    @property
    def copy_time_s(self) -> Predicted | None:
        """Time of a copy at the rate that is expected, else at the bound. [s]"""
        if self.traffic.volume_bytes is None or self.is_unbounded:
            return None
        rate = self.throughput_bps if self.expected is None else self.expected.throughput_bps
        return rate.inverse(BITS_PER_BYTE * self.traffic.volume_bytes)

    @cached_property
    def expected(self) -> Expected | None:
        """
        Expected value of the rate, with its time.

        As documents print it of the very case, or as calibrated times at both ends give it, else
        if service times are exponential; its `assumption` says which. None where the bounds stand
        alone: parts or service times of the path or the number of connections are not known, pure
        acknowledgements count, lost packets delay transactions, or connections do not wait.
        """
        if (known := self.known_expected()) is not None:
            return known
        traffic, stages = self.traffic, self.path.stages
        is_composed = self._has_time and traffic.connection_count is not None
        is_composed &= traffic.segments_per_ack is None and not is_lossy(self.path)
        is_composed &= any(stage.delays for stage in stages)
        if not is_composed or self._known(stages) is not stages:
            return None
        rates = {limit.name: limit.rate for limit in self.limits}
        return expected_value(self.path, self.load, rates)

    @property
    def is_known_as_whole(self) -> bool:
        """True if the expected value is of the path as a whole, not composed of service times."""
        return self.known_expected() is not None

    # ---- CPU time

    @cached_property
    def demands(self) -> dict[str, Terms]:
        """Time that a transaction spends at each stage, term by term, at the quoted values. [s]"""
        spread = self.load.axes.spread
        return {
            stage.name: tuple((name, spread(x).quoted) for name, x in self.load.demand(stage))
            for stage in self.path.stages
        }

    @cached_property
    def partly_known(self) -> tuple[str, ...]:
        """Stages in use whose service times are not all known."""
        return partly_known(self.path, self.load.counts, self.traffic.waits)

    def _known(self, stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
        """Return the stages if all their service times are known, else none."""
        return () if any(each.name in self.partly_known for each in stages) else stages

    @property
    def _cpu_stages(self) -> dict[Side, tuple[Stage, ...]]:
        """CPU stages of each side; none where not all of their times are known."""
        return {side: self._known(self.path.cpu_stages(side)) for side in Side}

    @property
    def cpu_s_per_transaction(self) -> dict[Side, Predicted | None]:
        """CPU time of each side for a transaction. [s]"""
        known = self._cpu_stages.items()
        return {side: self.load.time_of(own).predicted() if own else None for side, own in known}

    @property
    def cpu_us_per_gbit(self) -> dict[Side, Predicted | None]:
        """CPU time of each side for all payload that it sends and receives. [µs/Gbit]"""
        scale = consumption_us_per_gbit(1, BITS_PER_BYTE * self.traffic.exchanged_bytes)
        times_s = self.cpu_s_per_transaction.items()
        return {side: time_s and time_s.scaled(scale) for side, time_s in times_s}

    @property
    def cpu_busy(self) -> dict[Side, Predicted | None]:
        """CPUs of each side that are busy, upper bounds; None where not all stages are known."""
        return self._busy_at(self.transaction_rate_tps)

    @property
    def cpu_busy_expected(self) -> dict[Side, Predicted | None]:
        """CPUs of each side that are busy at the expected rate; None where none is expected."""
        return self._busy_at(self.expected.transaction_rate_tps if self.expected else None)

    def _busy_at(self, rate: Predicted | None) -> dict[Side, Predicted | None]:
        result: dict[Side, Predicted | None] = dict.fromkeys(Side)
        if rate is None:
            return result

        def busy(stages: Sequence[Stage], count: Parameter | None) -> Predicted:
            return busy_at(rate, self.load.time_of(stages), count)

        for side, stages in self._cpu_stages.items():
            of_pools = []
            for pool in self.path.pools:
                if own := [stage for stage in stages if stage.pool == pool.name]:
                    whole = busy(own, pool.parallel_count)
                    # no stage keeps more of them busy than it has
                    parts = combined(sum, [busy([each], each.parallel_count) for each in own])
                    value, high = minimum(whole.value, parts.value), minimum(whole.high, parts.high)
                    of_pools.append(Predicted(value, minimum(whole.low, value), high))
            if of_pools:
                result[side] = combined(sum, of_pools, rate.bound)
        return result

    @property
    def cpu_parts(self) -> dict[Side, dict[str, CpuPart] | None]:
        """
        CPU cost of each side by its stages, such as guest and hypervisor.

        None where not all stages of the side are known. The parts add up to the cost of the side.
        """
        known = self._cpu_stages.items()
        return {side: cpu_parts(self.load, own) if own else None for side, own in known}

    # ---- Evidence and notes

    @property
    def published(self) -> tuple[Any, ...]:
        """Figures and ratios that documents print of its case."""
        return self.beside().figures

    @property
    def also_published(self) -> tuple[Any, ...]:
        """Figures that documents print of the nearest cases; each says what differs."""
        return self.beside().others

    @property
    def grade(self) -> Grade | None:
        """The worst grade of all parameters that have one."""
        used = {name for stage in self.path.stages for name, _ in self.load.demand(stage)}
        result: list[Grade | None] = [
            grade
            for stage in self.path.stages
            for direction in DIRECTIONS
            for name, grade in getattr(stage, direction).grades.items()
            if f"{stage.name}.{direction}.{name}" in used
        ]
        result += (grade for stage in self.path.stages for grade in stage.grades.values())
        if any(limit.name == "window" for limit in self.limits):
            result.append(self.path.window_grade)
        if self.published_limit is not None:
            result.append(Grade.PUBLISHED)
        return weakest_grade([*result, *(pool.grade for pool in self.path.pools)])

    @property
    def limit_notes(self) -> tuple[str, ...]:
        """Caveats and assumptions of the limits."""
        notes = [*self.first_notes]
        if self.traffic.connection_count is None:
            notes += (
                f"connections not specified: assuming that they use {stage.name} evenly"
                for stage in self.path.stages
                if stage.hashes_flows
            )
            if self.path.window_bytes is not None:
                notes.append("connections not specified: no window limit")
        notes += (*distance_notes(self.path, self.load), *self.path.notes)
        # frames that times were not calibrated for
        for stage in self.path.stages:
            for direction, count in self.load.counts.items():
                known = getattr(stage, direction).validity
                if known is None or not count.message_count:
                    continue
                low, high = extremes(count.payload_bytes / count.frame_count)
                least = known.low_payload_bytes * (1 - ROUNDING_RATIO)
                if not (low >= least and high <= known.high_payload_bytes * (1 + ROUNDING_RATIO)):
                    sizes = " to ".join(dict.fromkeys((f"{low:.0f}", f"{high:.0f}")))
                    notes.append(f"{stage.name} ({sizes} B): {known.note}")
        return tuple(notes)

    @property
    def notes(self) -> tuple[str, ...]:
        """Quantities that are not predicted, with the reason, and caveats of the others."""
        if self.is_unbounded:
            lack = "not published, " * all(row.against for row in self.published)
            known = (f"{lack}no physical bound: {NO_LINE}", "CPU cost not published")
            return (*known, *(f"not known: {part}" for part in self.path.unknown))
        result = [*self.load.stack.transport_notes, *self.path.mixed_notes]
        result += window_notes(self.path, self.traffic, self.throughput_bps.value)
        if unknown := self.path.unknown:
            parts = unknown[0] if len(unknown) == 1 else f"{len(unknown)} parts"
            effect = ", but in the expected value"
            if not self.is_known_as_whole:
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
        if is_far and self.traffic.waits and unknown and not self.is_known_as_whole:
            run = "run netperf TCP_RR, one connection, over a short distance"
            result.append(f"endpoint times not known: {run}")
        return (*result, *self.limit_notes)

    # ---- As plain values, text and frames

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
        """The bound, that of runs whose flows a hash spreads best, and that after a burst."""
        after = self.lasting_throughput_bps
        more = {"upper_bound": self.best_throughput_bps, "lasting": after and after.value}
        known = {name: plain(rate_bps) for name, rate_bps in more.items() if rate_bps is not None}
        return self.throughput_bps.to_dict() | known

    @property
    def plain_limits(self) -> list[dict[str, float | str | None]]:
        """Each limit as payload rate, and its unused share."""
        bits, quoted_tps = self._payload_bits, self.transaction_rate_tps.value
        rows = []
        for each in self.limits:
            value, low, high, bound = each.rate.scaled(bits).to_dict().values()
            ends = {"value_bps": value, "low_bps": low, "high_bps": high, "bound": bound}
            more = {"upper_bound_bps": each.best_rate_tps, "even_flows_bps": each.even_rate_tps}
            known = {name: rate * bits for name, rate in more.items() if rate is not None}
            margin_ratio = 1 - quoted_tps / each.rate.value
            rows.append({"name": each.name, **ends, "margin_ratio": margin_ratio, **known})
        return rows

    def require_one(self) -> None:
        """Raise DomainError if there are arrays."""
        rates = (limit.rate.value for limit in self.all_limits)
        if any(map(is_array, rates)) or self.load.axes.rank:
            raise DomainError("this prediction has arrays: use its fields, or netmodel.sweep")

    def _repr_html_(self) -> str:
        if self.load.axes.rank:
            cases = f"{self.load.axes.size:,}: its fields are arrays of them"
            return definition_table("Prediction", [("cases", cases)])
        return super()._repr_html_()

    def __repr__(self) -> str:
        if self.load.axes.rank:
            return f"<Prediction of {self.load.axes.size:,} cases>"
        if self.is_unbounded:
            return short_repr(self, "no limit", self.path.name)
        bound, *ends = predicted_text(self.throughput_bps.numbers()).split(" (")
        bottleneck = f"bottleneck {' and '.join(self.ties) or self.binding}"
        return short_repr(self, bound, bottleneck, *(each.rstrip(")") for each in ends))

    def to_frame(self) -> "pd.DataFrame":
        """
        Return a row for each limit, with its payload rate.

        Raises
        ------
        DomainError
            If a parameter is an array: `netmodel.sweep` has a variable for each quantity.
        MissingPartError
            If pandas is not installed.
        """
        self.require_one()
        return frame_of(self.plain_limits, "name")

    @property
    def _payload_bits(self) -> FloatOrArray:
        return BITS_PER_BYTE * self.traffic.payload_bytes

    @property
    def _has_time(self) -> bool:
        return self.traffic.waits and not self.path.unknown and not self.is_unbounded


def predict_path(
    path: Path, traffic: Traffic, mtu_bytes: QuantityLike | None = None, stack: Stack | None = None
) -> Prediction:
    r"""
    Predict the upper bound of a workload on a path, and the limit that sets it.

    Parameters
    ----------
    path : Path
        Stages between a client and a server.
    traffic : Traffic
        Messages that connections exchange over and over.
    mtu_bytes : float or array_like, optional
        Largest packet of the innermost interface. [byte]
    stack : Stack, optional
        Headers of each frame; TCP over IPv4 over Ethernet when left out.

    Returns
    -------
    prediction : Prediction
        Its fields are numbers, or of the broadcast shape of all arrays among
        the parameters of the path, the traffic and the MTU.

    Raises
    ------
    DomainError
        If path or traffic are something else, nothing limits the path, service times are
        known up to a factor only, no MTU is given, an MTU or message does not fit the headers,
        or one limit depends on uncertain parameters that have too many combinations.

    See Also
    --------
    predict_ratio : Where times are known up to a factor only.

    Notes
    -----
    .. math:: X = \min_r \frac{C_r}{\sum_j d_{rj}}

    with :math:`C_r` what stage, pool, window or connections have, and
    :math:`d_{rj}` what a transaction takes of it: a time for the message, for
    each of its frames and for each of its bytes, as counted at that place. How
    transactions wait for each other at stages that are not full is not in
    this; `Prediction.expected` is, where all service times are known.

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978), for utilisation and
    asymptotes; RFC 6349, section 4, for windows and round trips.

    Examples
    --------
    A CPU that needs 6 µs for each request, and a line of 25 Gbit/s:

    >>> from netmodel.ceilings import ByteLayer
    >>> from netmodel.path import Path, Stage, Times
    >>> cpu = Stage(name="cpu", to_server=Times(per_message_s=6e-6))
    >>> wire = Stage(
    ...     name="wire", to_server=Times(per_byte_s=8 / 25e9), byte_layer=ByteLayer.WIRE
    ... )
    >>> prediction = predict_path(Path(stages=(cpu, wire)), Traffic(1000), mtu_bytes=1500)
    >>> round(prediction.transaction_rate_tps.value), prediction.binding
    (166667, 'cpu')
    """
    require_a("path", path, Path, "SpecifiedPath(...).path() makes one; netmodel.predict takes ids")
    require_a("traffic", traffic, Traffic, "make one with Traffic(...) or workload_traffic(...)")
    return bounded(*load_of(path, traffic, mtu_bytes, stack or tcp_stack()))


def bounded(path: Path, load: Load) -> Prediction:
    """Return the prediction of a path with the times for what it carries; see `predict_path`."""
    # (1) d_rj: what a transaction takes, also where its messages are larger than the window
    path = with_window_rounds(path, load)
    # (2) C_r / sum_j d_rj of each limit, the smallest of which is the bound
    result = Prediction(path, load, tuple(limits(path, load)))
    if not result.limits or holds_somewhere(result.transaction_rate_tps.value == inf):
        why = "no stage with servers takes any time", *path.mixed_notes
        raise DomainError(f"nothing limits this path: {'; '.join(why)}")
    return result


def unbounded(record: "PathRecord", traffic: Traffic, mtu_bytes: Any) -> Prediction:
    """Return the prediction of a path of the catalog that has no line and no known limit."""
    stages, settings = (Stage(name="network"),), tuple(settings_of([record]))
    path = Path(stages=stages, name=record.id, unknown=record.unknown, settings=settings)
    mtu = nan if mtu_bytes is None else mtu_bytes
    return Prediction(path, Load(traffic, mtu, tcp_stack(), Ensemble(())), limits=())
