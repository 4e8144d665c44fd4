"""CPUs of hosts by cores and threads, and hosts at both ends whose CPU time is of two kinds."""

from decimal import Decimal
from typing import Any

import pytest

from netmodel.ceilings import Capacity
from netmodel.consumption import Side
from netmodel.errors import ContradictionError, DomainError
from netmodel.path import Interval, SpecifiedPath, workload_traffic
from netmodel.path.from_records import NETWORK, cpu_notes, host_pool, lacks_cpu_time, line_rate_of
from netmodel.records import Host, adapter, workload


def value(number: str, unit: str = "1", grade: str = "measured") -> dict[str, Any]:
    return {
        "value": Decimal(number),
        "unit": unit,
        "source": "lab",
        "locator": "run 3",
        "grade": grade,
    }


def box(name: str = "box", **given: Any) -> Host:
    return Host(id=name, title=name, kind="own", **given)


def cpus(**given: Any) -> tuple[Any, ...]:
    pool = host_pool(box(**given), Side.CLIENT)
    count = pool.parallel_count
    if isinstance(count, Interval):
        count = (count.value, count.low, count.high)
    return count, pool.time_basis, pool.threads_per_core


TWO = {"threads_per_core": value("2")}
FOUR = {"core_count": value("4")}
UNKNOWN_GAIN = "box: smt_gain not given: its CPUs count as cores, up to all threads"


@pytest.mark.parametrize(
    ("given", "expected", "is_noted"),
    [
        (FOUR, (4, "core", 1), False),
        ({"processor_count": value("6")}, (6, "core", 1), False),
        (FOUR | {"processor_count": value("6")}, (4, "core", 1), False),
        (FOUR | {"threads_per_core": value("1")}, (4, "core", 1), False),
        # what two threads of a core do is not known
        (FOUR | TWO, ((4, 4, 8), "core", 1), True),
        (FOUR | TWO | {"cpu_time_basis": "core"}, ((4, 4, 8), "core", 1), True),
        # 4 cores of two threads are 8 threads
        (FOUR | TWO | {"cpu_time_basis": "thread"}, (8, "thread", 2), False),
        # or 1.30 times the work of 4, from 1.295 to 1.305
        (FOUR | TWO | {"smt_gain": value("1.30")}, ((5.2, 5.18, 5.22), "core", 1), False),
        ({}, (None, "CPU", 1), False),
        ({"cpu_time_basis": "core"}, (None, "core", 1), False),
        (TWO | {"cpu_time_basis": "thread"}, (None, "thread", 2), False),
    ],
)
def test_how_many_cpus_a_host_has(
    given: dict[str, Any], expected: tuple[Any, ...], is_noted: bool
) -> None:
    count, *rest = cpus(**given)
    assert rest == list(expected[1:])
    assert count == expected[0] or count == pytest.approx(expected[0])
    assert list(cpu_notes("box", box(**given))) == ([UNKNOWN_GAIN] if is_noted else [])


@pytest.mark.parametrize(
    ("given", "low", "high"), [({}, 1, 1), (TWO, 1.295, 1.305)], ids=["one thread", "two"]
)
def test_an_smt_gain_is_of_cores_with_two_threads(
    given: dict[str, Any], low: float, high: float
) -> None:
    gain = value("1.30")
    for count in (FOUR, {}):
        known = host_pool(box(smt_gain=gain, **count, **given), Side.CLIENT).smt_gain
        ends = (known.low, known.high) if isinstance(known, Interval) else (known, known)
        assert ends == pytest.approx((low, high))


def test_only_what_may_be_cpu_time_of_a_side_is_lacking() -> None:
    rest = (NETWORK, "the number of CPUs of the client", "CPU times of the server")
    assert not lacks_cpu_time(rest, Side.CLIENT)
    for text in ("CPU times of the client for what it sends", "a firewall"):
        assert lacks_cpu_time((*rest, text), Side.CLIENT)


def test_a_line_is_as_fast_as_the_slower_adapter_or_slower() -> None:
    slow, fast = adapter("ethernet-10gbe"), adapter("ethernet-25gbe")
    assert line_rate_of((fast, slow), None) == (10e9, slow.line_rate.grade)
    assert line_rate_of((slow, fast), None)[0] == 10e9
    assert line_rate_of((fast, slow), 10e9) == (10e9, None)
    assert line_rate_of((fast, slow), 5e9) == (5e9, None)
    assert line_rate_of((), 40e9) == (40e9, None)
    with pytest.raises(
        ContradictionError, match=r"the line is 25 Gbit/s, but ethernet-10gbe has only 10 Gbit/s"
    ):
        line_rate_of((fast, slow), 25e9)


def test_a_path_is_named_by_the_adapters_at_its_ends() -> None:
    slow, fast = adapter("ethernet-10gbe"), adapter("ethernet-25gbe")
    given = SpecifiedPath(slow, fast)
    assert given.path(Side.CLIENT).name == "client ethernet-10gbe, server ethernet-25gbe"
    assert given.path(Side.SERVER).name == "client ethernet-25gbe, server ethernet-10gbe"


def test_paths_of_equal_parts_are_composed_once_and_say_their_own_capacities() -> None:
    card = adapter("ethernet-25gbe")
    first, again = (SpecifiedPath(card, card).path(Side.CLIENT) for _ in range(2))
    assert first is again
    for text in ("10Gbit/s", "10 Gbit/s"):
        capped = SpecifiedPath(card, card, capacities=(Capacity.parse(text),))
        assert capped.path(Side.CLIENT).notes[0].startswith(f"capacity {text}: ")


def test_a_size_within_what_a_workload_allows_may_be_given() -> None:
    smcr = workload("smc-rr-1k")
    plain = workload_traffic(smcr, 5)
    assert (plain.name, plain.waits, plain.shares_segments) == ("smc-rr-1k", True, False)
    stream = workload("str-writex30k")
    assert workload_traffic(stream).shares_segments
    assert not workload_traffic(stream, shares_segments=False).shares_segments
    assert not workload_traffic(stream).waits
    low, high = stream.request_bytes_bounds
    for size in (low, high):
        given = workload_traffic(stream, payload_bytes=size)
        assert (given.request_bytes, given.response_bytes) == (size, 0)
        assert given.name == f"str-writex30k of {size:,} byte"
    for size in (low - 1, high + 1):
        with pytest.raises(DomainError, match=f"in str-writex30k; got {size}"):
            workload_traffic(stream, payload_bytes=size)
