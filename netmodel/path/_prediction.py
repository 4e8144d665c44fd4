"""What a path delivers, what it costs, and which limit binds."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from netmodel._grades import Grade, weakest_grade
from netmodel._html import definition_table
from netmodel._numeric import Quantity, maximum, minimum
from netmodel._numpy import np
from netmodel.concurrency import Bounds
from netmodel.consumption import Side, consumption_us_per_gbit
from netmodel.errors import DomainError
from netmodel.framing import Stack
from netmodel.path._adapters import LINE_STAGES
from netmodel.path._composition import Limit
from netmodel.path._elasticity import Elasticity, over_ties
from netmodel.path._load import Load, Terms, least, sharing_sets, stage_load
from netmodel.path._path import Path
from netmodel.path._prediction_text import not_predicted, prediction_dict, prediction_rows
from netmodel.path._stage import COUNT_NAMES, Pool, Stage, Times
from netmodel.path._traffic import Counts, Traffic, is_at_most_one
from netmodel.path._uncertain import (
    Bound,
    Cases,
    Predicted,
    as_known,
    cases_of,
    ends_of,
    printed_ends_of,
    quoted_of,
    sum_of_predicted,
)
from netmodel.path._zero_load import ZeroLoad
from netmodel.units import BITS_PER_BYTE

__all__ = ["InCases", "OtherBound", "Prediction"]

_TIE_RATIO = 1e-9
_TWO_SIDED_DEVIATES = 1.959964
"""Standard deviations around the mean of a normal distribution that hold 95 % of it."""
_COUNTS = ("parallel_count", *COUNT_NAMES)


class OtherBound(NamedTuple):
    """
    The smallest upper bound that published figures as printed leave open.

    Parameters
    ----------
    throughput_bps : float
        Payload rate. [bit/s]
    limit : str
        Name of the limit that sets it.
    time : str, optional
        The service time that takes most there and not at the bound to quote, such as
        ``"per_byte_s"``; None where the same does in both cases.

    Examples
    --------
    >>> OtherBound(18.5e9, "server_adapter_in", "per_byte_s").limit
    'server_adapter_in'
    """

    throughput_bps: float
    limit: str
    time: str | None


class InCases(NamedTuple):
    """
    Stages and pools in all combinations of the parameters of these alone.

    Parameters
    ----------
    stages : mapping of str to Stage
        With arrays of values along a first axis.
    pools : mapping of str to Pool
        Likewise.
    demands : mapping of str to terms
        What a transaction takes of each stage. [s]
    are_printed : numpy.ndarray
        Whether a combination takes published figures as printed.
    """

    stages: Mapping[str, Stage]
    pools: Mapping[str, Pool]
    demands: Mapping[str, Terms]
    are_printed: Any


@dataclass(frozen=True)
class Prediction:
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
    zero_load : callable
        Time of a transaction that meets no other, computed when it is first asked for.
    limits : tuple of Limit
        All that limit the rate.
    path_notes : tuple of str
        What the limits rest on that a reader should know.
    outside_validity : mapping of str to tuple of str
        What a reader should know of service times that were measured with other frames, and
        the stages that have them, with the payload of their frames.
    """

    path: Path
    traffic: Traffic
    mtu_bytes: Quantity
    stack: Stack
    load: Load = field(repr=False, compare=False)
    zero_load: Callable[[], ZeroLoad] = field(repr=False, compare=False)
    limits: tuple[Limit, ...]
    path_notes: tuple[str, ...]
    outside_validity: Mapping[str, tuple[str, ...]]

    @property
    def counts(self) -> tuple[Counts, Counts]:
        """What a transaction is under these headers: to the server, and to the client."""
        return self.load.counts_of(self.stack)

    @cached_property
    def demands(self) -> dict[str, Terms]:
        """What a transaction takes of each stage, term by term, at the values to quote. [s]"""
        return {one.name: self.load.demand(one, quoted_of) for one in self.path.stages}

    @cached_property
    def loads_s(self) -> dict[str, Predicted]:
        """What a transaction takes of each stage. [s]"""
        return {one.name: stage_load([one], self.load) for one in self.path.stages}

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not predicted, and why; and what a reader of the rest should know."""
        return (*not_predicted(self), *self.limit_notes)

    @property
    def limit_notes(self) -> tuple[str, ...]:
        """What a reader of the limits should know."""
        elsewhere = (f"{', '.join(names)}: {text}" for text, names in self.outside_validity.items())
        return (*self.path_notes, *elsewhere)

    @cached_property
    def transaction_rate_tps(self) -> Predicted:
        """Upper bound of transactions per second: the smallest of all limits. [1/s]"""
        rates = [one.rate for one in self.limits]
        value, low, high = (
            least(getattr(one, end) for one in rates) for end in ("value", "low", "high")
        )
        factor = self._new_run_factor
        if factor is None:
            return Predicted(value, low, high, Bound.UPPER)
        run_high = least(
            one.rate.high * (1 if one.name in LINE_STAGES else factor) for one in self.limits
        )
        return Predicted(value, low, high, Bound.UPPER, low / factor, run_high)

    @property
    def throughput_bps(self) -> Predicted:
        """Upper bound of the payload rate of the side that sends more. [bit/s]"""
        return self.transaction_rate_tps.scaled(self._payload_bits)

    @property
    def limit_rates_bps(self) -> dict[str, Predicted]:
        """Payload rate that each limit alone would allow, by its name. [bit/s]"""
        return {one.name: one.rate.scaled(self._payload_bits) for one in self.limits}

    @property
    def highest_limit_rates_bps(self) -> dict[str, Quantity]:
        """The most that each limit allows, where a hash spreads flows at best. [bit/s]"""
        return {one.name: one.highest_rate_tps * self._payload_bits for one in self.limits}

    @property
    def best_throughput_bps(self) -> Quantity | None:
        """
        Upper bound of a single run whose flows a hash spreads at best. [bit/s]

        None where no hash spreads flows: the throughput then bounds each run, not their mean.
        """
        if all(one.best_rate_tps is None for one in self.limits):
            return None
        return least(self.highest_limit_rates_bps.values())

    @property
    def even_throughput_bps(self) -> Quantity | None:
        """
        The throughput if all flows that a hash spreads are equally fast, on average. [bit/s]

        None where no hash spreads the flows of a stream.
        """
        if all(one.even_rate_tps is None for one in self.limits):
            return None
        rates = (
            one.rate.value if one.even_rate_tps is None else one.even_rate_tps
            for one in self.limits
        )
        return least(rates) * self._payload_bits

    @cached_property
    def smallest_throughput(self) -> OtherBound | None:
        """
        The smallest upper bound that published figures as printed leave open.

        None where that is the throughput itself.

        Raises
        ------
        DomainError
            If a parameter is an array.
        """
        self.require_one()
        several = [one.smallest or one for one in self.limits]
        smallest = min(several, key=lambda one: one.rate.value)
        if smallest.rate.value >= self.transaction_rate_tps.value * (1 - _TIE_RATIO):
            return None
        quoted = next(one for one in self.limits if one.name == smallest.name)
        kinds = [_largest_time(one) for one in (smallest, quoted)]
        time = None if kinds[0] == kinds[1] else kinds[0]
        return OtherBound(float(smallest.rate.value * self._payload_bits), smallest.name, time)

    @cached_property
    def use_ratios(self) -> dict[str, Predicted]:
        """
        Share of each capacity that is in use at the upper bound of the rate, by its limit.

        Its ends enclose the smallest of all other limits over this one.
        """
        rates = {one.name: one.rate for one in self.limits}
        smallest = self.transaction_rate_tps.value
        found = {}
        for name, rate in rates.items():
            others = [one for other, one in rates.items() if other != name]
            value = smallest / rate.value
            low = least([1.0, *(one.low / rate.high for one in others)])
            high = least([1.0, *(one.high / rate.low for one in others)])
            found[name] = Predicted(value, minimum(low, value), maximum(high, value))
        return found

    @cached_property
    def binding(self) -> Any:
        """Name of the smallest limit, or an array of names."""
        names = [one.name for one in self.limits]
        rates = [one.rate.value for one in self.limits]
        if all(type(one) is float for one in rates):
            return names[rates.index(min(rates))]
        found = np.array(names)[np.argmin(np.broadcast_arrays(*rates), axis=0)]
        return found if found.ndim else str(found)

    @property
    def ties(self) -> tuple[str, ...]:
        """Names of all limits that tie, anywhere; none where one alone is the smallest."""
        tied = self._tied()
        several = sum(np.where(one, 1, 0) for one in tied.values()) > 1
        return tuple(name for name, one in tied.items() if np.any(one & several))

    @cached_property
    def elasticities(self) -> dict[str, Elasticity]:
        """
        Elasticity of the rate to each parameter of the limits, by its name.

        Where stages tie for the slowest that frames pass one behind the other, the first of them
        has the elasticity of all to its times.
        """
        tied = self._tied()
        shares = {limit.name: _shares(limit) for limit in self.limits}
        names = dict.fromkeys(name for one in shares.values() for name in one)
        none = (0.0, 0.0)
        return {
            name: over_ties([(tied[of], *one.get(name, none)) for of, one in shares.items()])
            for name in names
        }

    @property
    def zero_load_time_s(self) -> Predicted | None:
        """
        Time of a transaction that meets no other; None where a part is not known. [s]

        A lower bound where a message has several frames, which overlap.
        """
        if not self._has_time:
            return None
        found = self.zero_load()
        think_time_s = self.traffic.think_time_s
        value, low, high = (
            end - think_time_s for end in (found.shortest.time_s, found.low_s, found.high_s)
        )
        several = any(not is_at_most_one(one.frame_count) for one in self.counts)
        bound = Bound.LOWER if several or found.longest is not found.shortest else Bound.VALUE
        return Predicted(value, low, high, bound)

    @property
    def transaction_time_s(self) -> Predicted | None:
        """
        Lower bound of the time of a transaction: Little's law at the bound of the rate. [s]

        None where a part of it or the number of connections is not known, or
        a connection does not wait.
        """
        count = self.traffic.connection_count
        if not self._has_time or count is None:
            return None
        rate, think_time_s = self.transaction_rate_tps, self.traffic.think_time_s
        value, low, high = (count / one - think_time_s for one in (rate.value, rate.high, rate.low))
        if rate.new_run_low is None or rate.new_run_high is None:
            return Predicted(value, low, high, Bound.LOWER)
        run = (count / one - think_time_s for one in (rate.new_run_high, rate.new_run_low))
        return Predicted(value, low, high, Bound.LOWER, *run)

    @property
    def transaction_rate_bounds_tps(self) -> Bounds[Quantity] | None:
        """
        Range of the rate, however transactions queue at the stages, and a hash spreads them. [1/s]

        None where the time of a transaction is not known.
        """
        count = self.traffic.connection_count
        if not self._has_time or count is None:
            return None
        queues = [self._longest_time_s(one) for one in self.path.stages if not one.is_delay]
        delays = [
            self.loads_s[one.name].high for one in self.path.stages if one.is_delay and one.delays
        ]
        both_ways = self.traffic.both_ways_bytes / self.traffic.payload_bytes
        windows = [count / one.rate.low * both_ways for one in self.limits if one.name == "window"]
        apart = sum(delays) + sum(windows) + self.traffic.think_time_s
        low = count / (count * sum(queues) + apart)
        return Bounds(low, least(one.highest_rate_tps for one in self.limits))

    @cached_property
    def partly_known(self) -> tuple[str, ...]:
        """Stages that something passes, and not all that they spend on it is known."""
        return tuple(
            stage.name
            for stage in self.path.stages
            for times, count in zip((stage.to_server, stage.to_client), self.counts, strict=True)
            if not times.is_complete and _exceeds(times, count)
        )

    @property
    def pool_busy(self) -> dict[str, Predicted | None]:
        """Servers of each pool that are busy, at most; None where that is not all known."""
        stages = ((pool, self._stages_on(pool)) for pool in self.path.pools)
        return {
            pool.name: self._busy(pool, own) if self._is_complete(own) else None
            for pool, own in stages
        }

    @property
    def cpu_busy(self) -> dict[Side, Predicted | None]:
        """CPUs of each side that are busy, at most; None where its stages are not all known."""
        stages = {side: self.path.cpu_stages(side) for side in Side}
        return {
            side: self._cpus_busy(own) if own and self._is_complete(own) else None
            for side, own in stages.items()
        }

    @property
    def cpu_us_per_gbit(self) -> dict[Side, Predicted | None]:
        """CPU time of each side for all payload that it sends and receives. [µs/Gbit]"""
        bits = BITS_PER_BYTE * self.traffic.both_ways_bytes
        scale = consumption_us_per_gbit(1, bits)
        stages = {side: self.path.cpu_stages(side) for side in Side}
        return {
            side: self._with_new_run(self._time_of(own).scaled(scale))
            if own and self._is_complete(own)
            else None
            for side, own in stages.items()
        }

    @property
    def grade(self) -> Grade | None:
        """The worst grade of all parameters that have one."""
        used = {name for terms in self.demands.values() for name, _ in terms}
        found = [
            grade
            for stage in self.path.stages
            for name, grade in stage.grades.items()
            if f"{stage.name}.{name}" in used or name in _COUNTS
        ]
        has_window = any(one.name == "window" for one in self.limits)
        windows = [self.path.window_grade] if has_window else []
        return weakest_grade([*found, *(pool.grade for pool in self.path.pools), *windows])

    def in_cases(self, stages: "tuple[Stage, ...]", pools: "tuple[Pool, ...]" = ()) -> InCases:
        """
        Stages and pools in all combinations of what their own parameters may be.

        Parameters
        ----------
        stages : tuple of Stage
            Of the path of this prediction.
        pools : tuple of Pool
            Likewise.

        Raises
        ------
        DomainError
            If there are too many combinations.
        """
        counts = (pool.parallel_count for pool in pools if pool.parallel_count is not None)
        parameters = [*chain.from_iterable(one.parameters() for one in stages), *counts]
        cases: Cases | None = cases_of(parameters, self.load.points)
        change = as_known if cases is None else cases.values_of
        changed = {one.name: one.changed(change) for one in stages}
        return InCases(
            changed,
            {one.name: one.changed(change) for one in pools},
            {one.name: self.load.demand(one, change) for one in stages},
            np.array([True]) if cases is None else cases.are_printed,
        )

    def to_dict(self) -> dict[str, Any]:
        """
        Plain values in base units, as in the JSON of ``netmodel predict``.

        Raises
        ------
        DomainError
            If a parameter is an array: there is one object for each prediction.
        """
        return prediction_dict(self)

    def require_one(self) -> None:
        """Raise DomainError if there are arrays."""
        traffic = (getattr(self.traffic, field.name) for field in fields(self.traffic))
        rates = (one.rate.value for one in self.limits)
        if any(map(np.ndim, (self.mtu_bytes, *traffic, *rates))) or self.load.points.rank:
            raise DomainError("this prediction has arrays: use its fields, or predict one by one")

    def __str__(self) -> str:
        return "\n".join(f"{name}: {text}" for name, text in prediction_rows(self))

    def _repr_html_(self) -> str:
        return definition_table("Prediction", prediction_rows(self))

    def __repr__(self) -> str:
        if self.load.points.rank:
            return f"<Prediction of {self.load.points.size:,} cases>"
        return f"<Prediction: {dict(prediction_rows(self))['throughput']}>"

    @property
    def _new_run_factor(self) -> float | None:
        """By how much one run exceeds the mean at most, 19 times in 20; None where not known."""
        scatter = self.path.scatter_ratio
        return None if scatter is None else math.exp(_TWO_SIDED_DEVIATES * math.log1p(scatter))

    def _with_new_run(self, one: Predicted) -> Predicted:
        factor = self._new_run_factor
        if factor is None:
            return one
        return replace(one, new_run_low=one.low / factor, new_run_high=one.high * factor)

    @property
    def _payload_bits(self) -> Quantity:
        return BITS_PER_BYTE * self.traffic.payload_bytes

    @property
    def _has_time(self) -> bool:
        return self.traffic.waits and not self.path.unknown

    def _longest_time_s(self, stage: Stage) -> Quantity:
        """Time that each transaction takes of a stage which serves no two of them at a time."""
        pools = {pool.name: pool.parallel_count for pool in self.path.pools}
        counts = [stage.parallel_count, pools[stage.pool] if stage.pool else None]
        known = [ends_of(count)[0] for count in counts if count is not None]
        servers = least([1, *known] if stage.delays else known or [1])
        return self.loads_s[stage.name].high / servers

    def _is_complete(self, stages: tuple[Stage, ...]) -> bool:
        """Whether all is known that the stages spend on what passes them."""
        return not any(one.name in self.partly_known for one in stages)

    def _tied(self) -> dict[str, Quantity]:
        """Where each limit is the smallest, at the values to quote."""
        most = self.transaction_rate_tps.value * (1 + _TIE_RATIO)
        return {one.name: one.rate.value <= most for one in self.limits}

    def _stages_on(self, pool: Pool) -> tuple[Stage, ...]:
        return tuple(stage for stage in self.path.stages if stage.pool == pool.name)

    def _time_of(self, stages: tuple[Stage, ...], bound: Bound = Bound.VALUE) -> Predicted:
        """What a transaction takes of several stages. [s]"""
        groups = sharing_sets(stages)
        return sum_of_predicted(stage_load(group, self.load, bound) for group in groups)

    def _cpus_busy(self, stages: tuple[Stage, ...]) -> Predicted:
        """CPUs that are busy with stages, in whatever pools."""
        return sum_of_predicted(
            self._busy(pool, own)
            for pool in self.path.pools
            if (own := tuple(stage for stage in stages if stage.pool == pool.name))
        )

    def _busy(self, pool: Pool, stages: tuple[Stage, ...]) -> Predicted:
        """Servers of a pool busy with stages at the bound of the rate: not more than it has."""
        rate, time_s = self.transaction_rate_tps, self._time_of(stages, Bound.UPPER)
        value, low, high = (
            getattr(rate, end) * getattr(time_s, end) for end in ("value", "low", "high")
        )
        if pool.parallel_count is not None:
            least_count, most_count = ends_of(pool.parallel_count)
            value = minimum(value, printed_ends_of(pool.parallel_count)[1])
            low, high = minimum(low, least_count), minimum(high, most_count)
        return Predicted(value, minimum(low, value), maximum(high, value), Bound.UPPER)


def _largest_time(limit: Limit) -> str:
    """The kind of service time that takes most of a limit."""
    times: dict[str, float] = {}
    for name, time_s in limit.terms:
        kind = name.rpartition(".")[2]
        times[kind] = times.get(kind, 0.0) + float(time_s)
    return max(times, key=times.__getitem__)


def _shares(limit: Limit) -> dict[str, tuple[Quantity, Quantity]]:
    """Elasticity of one limit to each of its parameters, as they rise and as they fall."""
    load_s = limit.load_s

    def share(time_s: Quantity) -> Quantity:
        if not np.ndim(load_s) and not load_s:
            return 0.0
        with np.errstate(invalid="ignore"):  # 0 of 0 in arrays, where others limit
            return time_s / load_s

    found = dict.fromkeys(limit.capacity_names, (1.0, 1.0))
    found |= {name: (-share(time_s), -share(time_s)) for name, time_s in limit.terms}
    for one in limit.divided:
        more, less = found.get(one.name, (0.0, 0.0))
        gain = share(one.time_s)
        found[one.name] = (more + gain, less + gain * one.is_above_one)
    return found


def _exceeds(times: Times, count: Counts) -> bool:
    """Whether more passes in a message than the frames that times were measured with."""
    if times.validity is None:
        return bool(count.message_count or count.has_acks)
    return bool(np.any(count.payload_bytes > times.validity.high_payload_bytes))
