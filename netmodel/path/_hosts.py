"""Hosts: what they spend on what they send and receive, and the CPUs that do it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from netmodel._estimates import Estimate
from netmodel._grades import weakest_grade
from netmodel.consumption import Side, smt_capacity_core_count
from netmodel.path._path import COUNT_NAMES, DIRECTION_AT, Pool, Stage
from netmodel.path._told import Told, notes_of, parameter_of, timed_one_way, told_times

if TYPE_CHECKING:
    from netmodel.records import Host, Value
    from netmodel.records._paths import PathPool
    from netmodel.records._times import HostTimes

__all__ = [
    "cpu_notes",
    "cpu_pool",
    "host_notes",
    "host_pool",
    "host_pool_name",
    "host_stages",
    "host_unknown",
]

_NO_GAIN = (
    "its CPUs have several threads, and smt_gain is not given: taken as that many cores, "
    "and up to that many threads"
)
_WHAT = {"send": "sends", "receive": "receives"}
_DIRECTIONS = {"send": "out", "receive": "in"}


def host_stages(host: "Host", side: Side) -> tuple[Stage, ...]:
    """
    What a host spends on what it sends, and on what it receives, as stages on its CPUs.

    Parameters
    ----------
    host : Host
        From the catalog, or from a file.
    side : Side
        Which end of the path it is.

    Returns
    -------
    stages : tuple of Stage
        Named such as ``"client_host_send"`` and ``"client_host_receive"``, on
        the pool of :func:`host_pool`. None where the host tells no CPU times; where it
        tells those of one way only, the other is not complete.

    Raises
    ------
    DomainError
        If a time is negative.

    Notes
    -----
    Their CPU time for a message is that of
    :func:`netmodel.consumption.message_cpu_time_s`. A message that waits for its answer shares
    no packet with others: the host then handles at least one.

    References
    ----------
    D. D. Clark, V. Jacobson, J. Romkey and H. Salwen, "An analysis of TCP
    processing overhead", IEEE Communications Magazine 27 (1989), for costs per
    packet and per byte.

    Examples
    --------
    >>> from netmodel.consumption import Side
    >>> from netmodel.records import Host
    >>> given = {"source": "lab", "locator": "run 3", "grade": "measured"}
    >>> packet = {"value": 1, "unit": "µs", **given}
    >>> host = Host(id="mine", title="mine", kind="own", send={"per_packet": packet})
    >>> [(one.name, one.to_server.is_complete) for one in host_stages(host, Side.SERVER)]
    [('server_host_send', True), ('server_host_receive', False)]
    """
    if not host.tells_cost:
        return ()
    return _stage(host, host.send, side, "send"), _stage(host, host.receive, side, "receive")


def host_pool(host: "Host", side: Side) -> Pool:
    """
    The CPUs of a host.

    Parameters
    ----------
    host : Host
        From the catalog, or from a file.
    side : Side
        Which end of the path it is.

    Returns
    -------
    pool : Pool
        Named such as ``"client_cpus"``, in the time basis of the host: threads,
        or cores with one busy thread. Their number is None where it is not told.

    Raises
    ------
    DomainError
        If it has no CPU at all.

    Examples
    --------
    Four cores with two threads each, of which is not known what both together do:

    >>> from netmodel.consumption import Side
    >>> from netmodel.records import host
    >>> host_pool(host("z15-lpar-4core-smt2"), Side.CLIENT).parallel_count
    Interval(value=4.0, low=4.0, high=8.0, has_figure=True)
    """
    return cpu_pool(host_pool_name(side), side, host, _cores(host))


def host_pool_name(side: Side) -> str:
    """What the pool of the CPUs of a side's host is called."""
    return f"{side.value}_cpus"


def cpu_pool(name: str, side: Side | None, cpus: "PathPool | Host", cores: "Value | None") -> Pool:
    """CPUs in the time basis of the stages: threads, or cores with one busy thread."""
    basis = cpus.cpu_time_basis.value if cpus.cpu_time_basis else "core"
    threads = _thread_count(cpus)
    if cores is None:
        return Pool(name, None, side)
    known = cores.number_estimate
    gain = cpus.smt_gain if basis == "core" else None
    if threads > 1 and gain:
        pairs = zip(known, gain.number_estimate, strict=True)
        count = [smt_capacity_core_count(core, ratio) for core, ratio in pairs]
    elif _lacks_gain(cpus):
        count = [known.value, known.low, threads * known.high]
    else:
        count = [core * (threads if basis == "thread" else 1) for core in known]
    told = [cores]
    if threads > 1:
        told += [value for value in (cpus.threads_per_core, gain) if value is not None]
    grade = weakest_grade(value.grade for value in told)
    return Pool(name, parameter_of(Estimate(*count)), side, time_basis=basis, grade=grade)


def cpu_notes(name: str, cpus: "PathPool | Host | None") -> Iterator[str]:
    """What a reader should know of the number of CPUs."""
    if cpus is not None and _lacks_gain(cpus):
        yield f"{name}: {_NO_GAIN}"


def host_notes(host: "Host") -> Iterator[str]:
    """What a reader should know of the CPU times that a host tells."""
    told = {
        name: part
        for name, part in host.parts.items()
        if name.partition(".")[0] in {"send", "receive", "core_count", "processor_count"}
    }
    if host.tells_cost:
        yield from notes_of(host.id, told)


def host_unknown(host: "Host | None", side: Side) -> Iterator[str]:
    """What of the CPU times of a side is not known, for a host that may tell them."""
    if host is None:
        yield f"CPU times of the {side.value}"
    elif not host.tells_cost:
        yield f"CPU times of the {side.value}, which {host.id} does not tell"
    else:
        for way, what in _WHAT.items():
            if getattr(host, way) is None:
                yield f"CPU times of the {side.value} for what it {what}"
        if _cores(host) is None:
            yield f"how many CPUs the {side.value} has"


def _stage(host: "Host", times: "HostTimes | None", side: Side, way: str) -> Stage:
    """What it spends one way; not complete where no time of it is told."""
    counts = {} if times is None else _counts(times)
    shared: dict[str, Any] = {
        name: parameter_of(count.number_estimate) for name, count in counts.items()
    }
    plain = Stage(
        name=f"{side.value}_host_{way}",
        parallel_count=None,
        pool=host_pool_name(side),
        is_serial=bool(host.serial),
        side=side,
        grades={name: count.grade for name, count in counts.items()},
        **shared,
    )
    told = Told(is_complete=False)
    if times is not None:
        told = told_times(times, f"{host.id} {way}", together=host.id)
    return timed_one_way(plain, DIRECTION_AT[side, _DIRECTIONS[way]], told)


def _counts(times: "HostTimes") -> "dict[str, Value]":
    """How many share a wake-up, an interrupt and a packet, as far as it is told."""
    counts = {name: getattr(times, name) for name in COUNT_NAMES}
    return {name: count for name, count in counts.items() if count is not None}


def _cores(host: "Host") -> "Value | None":
    return host.core_count or host.processor_count


def _thread_count(cpus: "PathPool | Host") -> float:
    return cpus.threads_per_core.number_estimate.value if cpus.threads_per_core else 1


def _lacks_gain(cpus: "PathPool | Host") -> bool:
    """Whether it is not told what a core with several threads does, though times count cores."""
    counts_threads = cpus.cpu_time_basis is not None and cpus.cpu_time_basis.value == "thread"
    return _thread_count(cpus) > 1 and cpus.smt_gain is None and not counts_threads
