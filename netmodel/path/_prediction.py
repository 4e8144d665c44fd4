"""What a path delivers, what it costs, and which limit binds."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from netmodel._grades import Grade, weakest_grade
from netmodel._html import definition_table
from netmodel._numeric import Quantity, minimum
from netmodel._numpy import np
from netmodel.concurrency import Bounds
from netmodel.consumption import Side, consumption_us_per_gbit
from netmodel.errors import DomainError
from netmodel.framing import Stack
from netmodel.path._composition import (
    Limit,
    Terms,
    joined,
    least,
    light_load,
    limits,
    sum_of,
)
from netmodel.path._elasticity import Elasticity, over_ties
from netmodel.path._path import Path
from netmodel.path._prediction_told import prediction_dict, prediction_rows, untold
from netmodel.path._stage import COUNT_NAMES, Pool, Stage, Times
from netmodel.path._traffic import Counts, Traffic
from netmodel.path._uncertain import Estimate, has_cases, range_of
from netmodel.units import BITS_PER_BYTE

__all__ = ["Prediction"]

_TIE_RATIO = 1e-9
_COUNTS = ("parallel_count", *COUNT_NAMES)


@dataclass(frozen=True)
class Prediction:
    """
    What a path makes of a workload: every limit, the smallest of which binds.

    Parameters
    ----------
    path : Path
        With every parameter as numbers or arrays.
    traffic : Traffic
        What is exchanged.
    mtu_bytes : float or numpy.ndarray
        Largest innermost packet. [byte]
    stack : Stack
        Headers, where a stage has none of its own.
    counts : tuple of Counts
        What a transaction is under these headers: to the server, and to the client.
    demands : mapping of str to terms
        What a transaction takes of each stage. [s]
    limits : tuple of Limit
        All that limit the rate.
    case_rank : int
        Number of axes where the first axis has the combinations of uncertain
        parameters; 0 where every parameter is a point.
    has_intervals : bool
        Whether there are intervals among the parameters.
    caveats : tuple of str
        What the limits rest on that a reader should know.
    elsewhere : mapping of str to tuple of str
        What a reader should know of times that were found with other frames, and
        the stages that have them, with the payload of their frames.
    """

    path: Path
    traffic: Traffic
    mtu_bytes: Quantity
    stack: Stack
    counts: tuple[Counts, Counts]
    demands: Mapping[str, Terms]
    limits: tuple[Limit, ...]
    case_rank: int
    has_intervals: bool
    caveats: tuple[str, ...]
    elsewhere: Mapping[str, tuple[str, ...]]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is not told, and why; and what a reader of the rest should know."""
        return (*untold(self), *self.remarks)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader of the limits should know."""
        elsewhere = (f"{', '.join(names)}: {text}" for text, names in self.elsewhere.items())
        return (*self.caveats, *elsewhere)

    @property
    def transaction_rate_tps(self) -> Estimate:
        """Transactions per second: the smallest of all limits. [1/s]"""
        return self._estimate(self._rate_tps)

    @property
    def throughput_bps(self) -> Estimate:
        """Payload rate of the side that sends more. [bit/s]"""
        return self._estimate(self._rate_tps * self._payload_bits)

    @property
    def limit_rates_bps(self) -> dict[str, Estimate]:
        """Payload rate that each limit alone would allow, by its name. [bit/s]"""
        bits = self._payload_bits
        return {name: self._estimate(rate * bits) for name, rate in self._limit_rates.items()}

    @property
    def highest_limit_rates_bps(self) -> dict[str, Quantity]:
        """The most that each limit allows, where a hash spreads flows at best. [bit/s]"""
        bits = self._payload_bits
        return {one.name: self._estimate(one.rate_tps * bits).high for one in self._best_limits}

    @cached_property
    def use_ratios(self) -> dict[str, Estimate]:
        """
        Share of each capacity that is in use, by the name of its limit.

        Where intervals move independently, the range is that of the smallest
        of all other limits over this one.
        """
        rates = {name: self._estimate(rate) for name, rate in self._limit_rates.items()}
        if not self.has_intervals:
            uses = {name: self._rate_tps / rate for name, rate in self._limit_rates.items()}
            return {name: self._estimate(use) for name, use in uses.items()}
        smallest = self.transaction_rate_tps.value
        found = {}
        for name, rate in rates.items():
            others = [one for other, one in rates.items() if other != name]
            found[name] = Estimate(
                smallest / rate.value,
                least([1.0, *(one.low / rate.high for one in others)]),
                least([1.0, *(one.high / rate.low for one in others)]),
            )
        return found

    @cached_property
    def binding(self) -> Any:
        """Name of the smallest limit, or an array of names."""
        rates = np.broadcast_arrays(*(self._first(rate) for rate in self._limit_rates.values()))
        names = np.array(list(self._limit_rates))[np.argmin(rates, axis=0)]
        return names if names.ndim else str(names)

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
        shares = {limit.name: self._shares(limit) for limit in self.limits}
        names = dict.fromkeys(name for one in shares.values() for name in one)
        return {
            name: over_ties([(tied[of], one.get(name, 0.0)) for of, one in shares.items()])
            for name in names
        }

    @property
    def light_load_time_s(self) -> Estimate | None:
        """Time of a transaction that meets no other; None where a part is not known. [s]"""
        if not self._tells_time:
            return None
        terms = light_load(self.path, self.traffic, self.demands, self.counts)
        return self._estimate(sum_of(terms) - self.traffic.think_time_s)

    @property
    def transaction_time_s(self) -> Estimate | None:
        """
        Time of a transaction by Little's law at the predicted rate. [s]

        None where a part of it or the number of connections is not known, or
        a connection does not wait.
        """
        count = self.traffic.connection_count
        if not self._tells_time or count is None:
            return None
        return self._estimate(count / self._rate_tps - self.traffic.think_time_s)

    @property
    def transaction_rate_bounds_tps(self) -> Bounds | None:
        """
        Range of the rate, however transactions queue at the stages, and a hash spreads them. [1/s]

        None where the time of a transaction is not known.
        """
        count = self.traffic.connection_count
        if not self._tells_time or count is None:
            return None
        queues = [self._longest_time_s(one) for one in self.path.stages if not one.is_delay]
        delays = [
            sum_of(self.demands[one.name])
            for one in self.path.stages
            if one.is_delay and one.delays
        ]
        windows = [count / one.rate_tps for one in self.limits if one.name == "window"]
        apart = sum(delays) + sum(windows) + self.traffic.think_time_s
        low = count / (count * sum(queues) + apart)
        high = least(one.rate_tps for one in self._best_limits)
        return Bounds(self._estimate(low).low, self._estimate(high).high)

    @cached_property
    def partly_told(self) -> tuple[str, ...]:
        """Stages that something passes of which they do not tell all that they spend."""
        return tuple(
            stage.name
            for stage in self.path.stages
            for times, count in zip((stage.to_server, stage.to_client), self.counts, strict=True)
            if not times.is_complete and _exceeds(times, count)
        )

    @property
    def pool_busy(self) -> dict[str, Estimate | None]:
        """Servers of each pool that are busy, by its name; None where that is not all known."""
        stages = ((pool, self._stages_on(pool)) for pool in self.path.pools)
        return {
            pool.name: self._busy(pool, own) if self._is_complete(own) else None
            for pool, own in stages
        }

    @property
    def cpu_busy(self) -> dict[Side, Estimate | None]:
        """CPUs of each side that are busy; None where its stages are not all known."""
        stages = {side: self.path.cpu_stages(side) for side in Side}
        return {
            side: self._cpus_busy(own) if self._is_complete(own) else None
            for side, own in stages.items()
        }

    @property
    def cpu_us_per_gbit(self) -> dict[Side, Estimate | None]:
        """CPU time of each side for all payload that it sends and receives. [µs/Gbit]"""
        bits = BITS_PER_BYTE * self.traffic.both_ways_bytes
        times = {side: self._cpu_time_s(side) for side in Side}
        return {
            side: None if time_s is None else self._estimate(consumption_us_per_gbit(time_s, bits))
            for side, time_s in times.items()
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
        windows = [self.path.window_grade] if "window" in self._limit_rates else []
        return weakest_grade([*found, *(pool.grade for pool in self.path.pools), *windows])

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
        loads = (sum_of(terms) for terms in self.demands.values())
        rates = self._limit_rates.values()
        if any(np.ndim(self._first(one)) for one in (self.mtu_bytes, *traffic, *loads, *rates)):
            raise DomainError("this prediction has arrays: use its fields, or predict one by one")

    def __str__(self) -> str:
        return "\n".join(f"{name}: {text}" for name, text in prediction_rows(self))

    def _repr_html_(self) -> str:
        return definition_table("Prediction", prediction_rows(self))

    @cached_property
    def _limit_rates(self) -> dict[str, Quantity]:
        return {limit.name: limit.rate_tps for limit in self.limits}

    @cached_property
    def _rate_tps(self) -> Quantity:
        return least(self._limit_rates.values())

    @property
    def _best_limits(self) -> tuple[Limit, ...]:
        """The limits, with flows on as many servers as a hash may spread them on."""
        count = self.traffic.connection_count
        if count is None:
            return self.limits
        stages = (
            replace(one, hashes_flows=False, parallel_count=minimum(one.parallel_count, count))
            if one.hashes_flows
            else one
            for one in self.path.stages
        )
        best = replace(self.path, stages=tuple(stages))
        return limits(best, self.traffic, self.demands, self.counts)

    @property
    def _payload_bits(self) -> Quantity:
        return BITS_PER_BYTE * self.traffic.payload_bytes

    @property
    def _tells_time(self) -> bool:
        return self.traffic.waits and not self.path.unknown

    def _longest_time_s(self, stage: Stage) -> Quantity:
        """Time that each transaction takes of a stage which serves no two of them at a time."""
        pools = {pool.name: pool.parallel_count for pool in self.path.pools}
        counts = [stage.parallel_count, pools[stage.pool] if stage.pool else None]
        known = [count for count in counts if count is not None]
        servers = least([1, *known] if stage.delays else known or [1])
        return sum_of(self.demands[stage.name]) / servers

    def _cpu_time_s(self, side: Side) -> Quantity | None:
        stages = self.path.cpu_stages(side)
        if not stages or not self._is_complete(stages):
            return None
        return sum_of(joined(self.demands[one.name] for one in stages))

    def _is_complete(self, stages: tuple[Stage, ...]) -> bool:
        """Whether the stages tell all that they spend on what passes them."""
        return not any(one.name in self.partly_told for one in stages)

    def _tied(self) -> dict[str, Quantity]:
        """Where each limit is the smallest, at the values to quote."""
        most = self._first(self._rate_tps) * (1 + _TIE_RATIO)
        return {name: self._first(rate) <= most for name, rate in self._limit_rates.items()}

    def _shares(self, limit: Limit) -> dict[str, Quantity]:
        """Elasticity of one limit to each of its parameters."""
        load_s = self._first(limit.load_s)
        with np.errstate(invalid="ignore"):  # 0 of 0 in arrays, where others limit
            shares = {name: -self._first(value) / load_s for name, value in limit.terms}
        return {**dict.fromkeys(limit.capacity_names, 1.0), **shares}

    def _first(self, quantity: Quantity) -> Quantity:
        """At the values to quote of uncertain parameters."""
        return quantity[0] if has_cases(quantity, self.case_rank) else quantity

    def _estimate(self, quantity: Quantity) -> Estimate:
        return range_of(quantity, self.case_rank)

    def _stages_on(self, pool: Pool) -> tuple[Stage, ...]:
        return tuple(stage for stage in self.path.stages if stage.pool == pool.name)

    def _cpus_busy(self, stages: tuple[Stage, ...]) -> Estimate | None:
        """CPUs that are busy with stages, in whatever pools; None where there is no stage."""
        busy = [
            self._busy(pool, own)
            for pool in self.path.pools
            if (own := tuple(stage for stage in stages if stage.pool == pool.name))
        ]
        return Estimate(*map(sum, zip(*busy, strict=True))) if busy else None

    def _busy(self, pool: Pool, stages: tuple[Stage, ...]) -> Estimate:
        """Servers of a pool busy with stages; a range that encloses what intervals make of it."""
        time_s = sum_of(joined(self.demands[one.name] for one in stages))
        busy = self._estimate(self._rate_tps * time_s)
        if not self.has_intervals:
            return busy
        first, second = self.transaction_rate_tps, self._estimate(time_s)
        if pool.name in self._limit_rates and stages == self._stages_on(pool):
            first, second = self.use_ratios[pool.name], self._estimate(pool.parallel_count)
        return Estimate(busy.value, first.low * second.low, first.high * second.high)


def _exceeds(times: Times, count: Counts) -> bool:
    """Whether more passes in a message than the frames that times were found with."""
    if times.known_at is None:
        return bool(count.message_count or count.has_acks)
    return bool(np.any(count.payload_bytes > times.known_at.high_payload_bytes))
