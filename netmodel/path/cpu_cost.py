"""CPU cost of each side by part, such as guest and hypervisor, and the CPUs busy at a rate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from netmodel.consumption import Side, consumption_us_per_gbit
from netmodel.estimates import Predicted, combined
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
    busy_expected : Predicted, optional
        CPUs busy at the expected rate; None where no rate is expected.

    Examples
    --------
    >>> time_s = Predicted(20e-6, 19e-6, 21e-6)
    >>> CpuPart(time_s.scaled(1e11), time_s, 0.5).share_ratio
    0.5
    """

    us_per_gbit: Predicted
    s_per_transaction: Predicted
    share_ratio: FloatOrArray
    busy_expected: Predicted | None = None

    json_keys = (
        "cpu_us_per_gbit=us_per_gbit cpu_s_per_transaction=s_per_transaction share_ratio "
        "cpu_busy_expected=busy_expected"
    )


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


def cpu_parts(
    path: Path, load: Load, stages: Sequence[Stage], rate_tps: Predicted | None
) -> dict[str, CpuPart]:
    """
    CPU cost of a side by its stages.

    Parameters
    ----------
    path : Path
        With the pools of the stages.
    load : Load
        What a transaction brings to each stage.
    stages : sequence of Stage
        All stages of CPUs of the side, whose times are known.
    rate_tps : Predicted, optional
        Expected rate of transactions, of which the busy CPUs follow. [1/s]
    """
    times_s = {stage.name: load.time_of([stage]).predicted() for stage in stages}
    busy: dict[str, Predicted] = {}
    for pool in path.pools if rate_tps else ():
        assert rate_tps is not None
        own = [stage for stage in stages if stage.pool == pool.name]
        counts = [
            None
            if each.parallel_count is None
            else ends_of(each.parallel_count, as_printed=True)[1]
            for each in own
        ]
        most = None if pool.parallel_count is None else ends_of(pool.parallel_count)[1]
        parts = busy_at(rate_tps, [times_s[stage.name] for stage in own], counts, most)
        busy |= {stage.name: part for stage, part in zip(own, parts, strict=True)}
    scale = consumption_us_per_gbit(1, BITS_PER_BYTE * load.traffic.exchanged_bytes)
    whole_s = sum(time_s.value for time_s in times_s.values())
    some_s = maximum(whole_s, np.finfo(float).tiny)  # no time at all has no shares: 0 of it
    return {
        name: CpuPart(time_s.scaled(scale), time_s, time_s.value / some_s, busy.get(name))
        for name, time_s in times_s.items()
    }


def busy_at(
    rate_tps: Predicted,
    times_s: Sequence[Predicted],
    counts: Sequence[FloatOrArray | None],
    count: FloatOrArray | None,
) -> tuple[Predicted, ...]:
    """
    CPUs that stages keep busy at a rate: never more than are installed.

    Parameters
    ----------
    rate_tps : Predicted
        Transactions per second.
    times_s : sequence of Predicted
        CPU time of a transaction at each stage.
    counts : sequence of float, array_like or None
        CPUs that each stage may use; None where all that there are.
    count : float, array_like or None
        CPUs of all stages; None where their number is not known.

    Returns
    -------
    busy : tuple of Predicted
        By stage, in proportion to its time where all want more than there are.

    Examples
    --------
    >>> guest, hypervisor = Predicted(20e-6, 20e-6, 20e-6), Predicted(10e-6, 10e-6, 10e-6)
    >>> rate = Predicted(80e3, 80e3, 80e3)
    >>> [round(part.value, 9) for part in busy_at(rate, [guest, hypervisor], [1, None], 2)]
    [1.0, 0.5]
    """

    def ends(which: str) -> list[FloatOrArray]:
        wanted = [getattr(rate_tps, which) * getattr(time_s, which) for time_s in times_s]
        # the part of the rate that neither a stage nor all of them exceed their CPUs at
        kept: FloatOrArray = 1.0
        for amount, most in [*zip(wanted, counts, strict=True), (sum(wanted), count)]:
            if most is not None:
                kept = minimum(kept, most / maximum(amount, most))
        return [part * kept for part in wanted]

    values, lows, highs = (ends(which) for which in ("value", "low", "high"))
    return tuple(
        Predicted(value, minimum(low, value), maximum(high, value))
        for value, low, high in zip(values, lows, highs, strict=True)
    )


def busy_at_bound(rate_tps: Predicted, time: Spread, pool: Pool) -> Predicted:
    """Servers of a pool busy at the bound of the rate: not more than it has."""
    value = rate_tps.value * time.most
    low, high = rate_tps.low * time.low, rate_tps.high * time.high
    if pool.parallel_count is not None:
        least_count, most_count = ends_of(pool.parallel_count)
        value = minimum(value, ends_of(pool.parallel_count, as_printed=True)[1])
        low, high = minimum(low, least_count), minimum(high, most_count)
    return Predicted(value, minimum(low, value), maximum(high, value), rate_tps.bound)


def busy_in_all(path: Path, side: Side, parts: Mapping[str, CpuPart] | None) -> Predicted | None:
    """CPUs of a side that its parts keep busy; None where that is not known."""
    busy = [part.busy_expected for part in (parts or {}).values() if part.busy_expected]
    if not busy:
        return None
    added = combined(sum, busy)
    names = {stage.pool for stage in path.cpu_stages(side)}
    counts = [pool.parallel_count for pool in path.pools if pool.name in names]
    high = added.high
    if None not in counts:
        # the highest of parts that share CPUs are not reached together
        most = sum(ends_of(count)[1] for count in counts if count is not None)
        high = maximum(added.value, minimum(high, most))
    return Predicted(added.value, added.low, high)
