"""CPU cost of each side by part, such as guest and hypervisor, and the CPUs busy at a rate."""

from collections.abc import Sequence
from dataclasses import dataclass

from netmodel.consumption import consumption_us_per_gbit
from netmodel.estimates import Bound, Predicted
from netmodel.lazy_numpy import np
from netmodel.numeric import FloatOrArray, maximum, minimum
from netmodel.path.ensemble import Spread, ends_of, is_nothing
from netmodel.path.stages import DIRECTIONS, Path, Pool, Stage
from netmodel.path.traffic import Counts, Load
from netmodel.results import Result
from netmodel.units import BITS_PER_BYTE

_AGAINST_A_STREAM_RATIO = 1e-3
"""
Part of the payload up to which a direction of a stream only answers or asks for it.

At ten times the cost per byte it is a hundredth of the whole, as much as costs are printed to.
"""


@dataclass(frozen=True, slots=True)
class CpuPart(Result):
    """
    CPU cost of one stage of a side.

    Parameters
    ----------
    us_per_gbit : Predicted
        CPU time for all payload that the side sends and receives. [µs/Gbit]
    s_per_transaction : Predicted
        CPU time of a transaction. [s]
    share_ratio : float or numpy.ndarray
        Part of the CPU time of the side, at the values to quote.

    Examples
    --------
    >>> time_s = Predicted(20e-6, 19e-6, 21e-6)
    >>> CpuPart(time_s.scaled(1e11), time_s, 0.5).share_ratio
    0.5
    """

    us_per_gbit: Predicted
    s_per_transaction: Predicted
    share_ratio: FloatOrArray

    json_keys = "cpu_us_per_gbit=us_per_gbit cpu_s_per_transaction=s_per_transaction share_ratio"


def partly_known(path: Path, counts: tuple[Counts, Counts], waits: bool) -> tuple[str, ...]:
    """
    Stages that something passes, and that spend time on it which is not known.

    A cost per data of a stream includes the few requests that go against it.
    """
    exchanged_bytes = sum(count.payload_bytes for count in counts)
    result = []
    for stage in path.stages:
        for direction, count in zip(DIRECTIONS, counts, strict=True):
            times = getattr(stage, direction)
            if times.is_complete:
                continue
            has_acks = not is_nothing(count.ack_count)
            if times.validity is not None:
                is_known = not np.any(count.payload_bytes > times.validity.high_payload_bytes)
            elif waits or has_acks:
                is_known = not (count.message_count or has_acks)
            else:
                asked_bytes = _AGAINST_A_STREAM_RATIO * exchanged_bytes
                is_known = not np.any(count.payload_bytes > asked_bytes)
            if not is_known:
                result.append(stage.name)
    return tuple(result)


def cpu_parts(load: Load, stages: Sequence[Stage]) -> dict[str, CpuPart]:
    """
    Return the CPU cost of a side by its stages.

    Parameters
    ----------
    load : Load
        What a transaction brings to each stage.
    stages : sequence of Stage
        All stages of CPUs of the side, whose times are known.
    """
    times_s = {stage.name: load.time_of([stage]).predicted() for stage in stages}
    scale = consumption_us_per_gbit(1, BITS_PER_BYTE * load.traffic.exchanged_bytes)
    whole_s = sum(time_s.value for time_s in times_s.values())
    some_s = maximum(whole_s, np.finfo(float).tiny)  # no time at all has no shares: 0 of it
    return {
        name: CpuPart(time_s.scaled(scale), time_s, time_s.value / some_s)
        for name, time_s in times_s.items()
    }


def busy_at(rate_tps: Predicted, time: Spread, pool: Pool) -> Predicted:
    """Return how many servers of a pool are busy at a rate: not more than it has."""
    value = rate_tps.value * (time.quoted if rate_tps.bound is Bound.VALUE else time.most)
    low, high = rate_tps.low * time.low, rate_tps.high * time.high
    if pool.parallel_count is not None:
        least_count, most_count = ends_of(pool.parallel_count)
        value = minimum(value, ends_of(pool.parallel_count, as_printed=True)[1])
        low, high = minimum(low, least_count), minimum(high, most_count)
    return Predicted(value, minimum(low, value), maximum(high, value), rate_tps.bound)
