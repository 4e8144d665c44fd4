"""A CPU cost that is given as one figure becomes a stage on the CPUs of its side."""

from typing import Any

import pytest
from paths import ends, line

from netmodel.consumption import Side
from netmodel.consumption.cost import CpuCost, parse_cpu_cost
from netmodel.errors import ContradictionError
from netmodel.path import Interval, Path, Pool, Stage, Times, Traffic, predict_path
from netmodel.path.specified import with_given_costs
from netmodel.records import Host

NETWORK = "the network between the adapters"
BOTH_HOSTS = f"host CPUs and {NETWORK}"
STREAM = Traffic(3000, waits=False, shares_segments=True, connection_count=1)
REQUESTS = Traffic(1000, 3000, connection_count=1)
NS_PER_BYTE = parse_cpu_cost("125000 µs/Gbit")
"""0.125 s for 10^9 bit: 1 ns for each byte."""


def value(number: float, unit: str = "1") -> dict[str, Any]:
    return {"value": number, "unit": unit, "source": "lab", "locator": "run 3", "grade": "measured"}


def box(**given: Any) -> Host:
    return Host(id="box", title="box", kind="own", **given)


def costed(
    traffic: Traffic = STREAM,
    client: CpuCost | None = None,
    server: CpuCost | None = None,
    hosts: tuple[Host | None, Host | None] = (None, None),
    path: Path | None = None,
) -> Path:
    costs = dict(zip(Side, (client, server), strict=True))
    base = Path(stages=line(25e9), unknown=(BOTH_HOSTS,)) if path is None else path
    return with_given_costs(base, traffic, costs, dict(zip(Side, hosts, strict=True)))


@pytest.mark.parametrize("side", Side)
def test_the_cost_is_a_time_of_each_byte_in_both_directions(side: Side) -> None:
    path = costed(**{side.value: NS_PER_BYTE})
    place = 0 if side is Side.CLIENT else -1
    stage = path.stages[place]
    assert (stage.name, stage.pool, stage.side) == (
        f"{side.value}_cost",
        f"{side.value}_cpus",
        side,
    )
    for times in (stage.to_server, stage.to_client):
        assert [name for name, _ in times.named] == ["per_byte_s"]
        assert times.per_byte_s == pytest.approx(1e-9)
    assert stage.parallel_count is None
    assert not stage.delays
    (pool,) = path.pools
    assert (pool.parallel_count, pool.side) == (None, side)
    assert (pool.time_basis, pool.smt_gain, pool.threads_per_core) == ("core", 1, 1)


def test_what_is_not_known_of_a_side_is_then_its_latency_and_its_cpus() -> None:
    """The CPU times of the other side, and the network, stay as unknown as they were."""
    assert costed(client=NS_PER_BYTE).unknown == (
        "CPU times of the server",
        NETWORK,
        "CPU latency and number of CPUs of the client",
    )
    assert costed(client=NS_PER_BYTE, server=NS_PER_BYTE).unknown == (
        NETWORK,
        "CPU latency and number of CPUs of the client",
        "CPU latency and number of CPUs of the server",
    )
    own = Path(stages=line(25e9), unknown=("CPU times of the client (box has none)", "a firewall"))
    assert costed(client=NS_PER_BYTE, hosts=(box(core_count=value(4)), None), path=own).unknown == (
        "a firewall",
        "CPU latency of the client",
    )


def test_a_cost_per_transaction_is_shared_by_the_bytes_of_both_messages() -> None:
    path = costed(REQUESTS, server=parse_cpu_cost("8 µs/transaction"))
    assert path.stages[-1].to_client.per_byte_s == pytest.approx(2e-9)
    cost = predict_path(path, REQUESTS, 1500).cpu_us_per_gbit[Side.SERVER]
    assert cost is not None
    # 8 µs for 4000 byte of 8 bit
    assert cost.value == pytest.approx(8 / 32e-6)


def test_a_range_of_costs_is_a_range_of_times_without_a_figure() -> None:
    """0.1 to 0.3 CPU s for 10^9 bit: 0.8 to 2.4 ns a byte; the bound is that of the lower one."""
    cost = parse_cpu_cost("100000..300000 µs/Gbit")
    path = costed(client=cost, hosts=(box(core_count=value(2)), None))
    time_s = path.stages[0].to_server.per_byte_s
    assert time_s == path.stages[0].to_client.per_byte_s
    assert isinstance(time_s, Interval)
    assert (time_s.value, time_s.low, time_s.high) == pytest.approx((1.6e-9, 0.8e-9, 2.4e-9))
    assert not time_s.has_figure
    limit = predict_path(path, STREAM, 1500).limit_rates_bps["client_cpus"]
    assert ends(limit) == pytest.approx([16 / each for each in (0.8e-9, 2.4e-9, 0.8e-9)])


@pytest.mark.parametrize("is_stream", [True, False])
def test_costs_of_streams_and_of_requests_are_not_mixed_silently(is_stream: bool) -> None:
    traffic = STREAM if is_stream else REQUESTS
    per_transaction = parse_cpu_cost("8 µs/transaction")
    odd, fitting = (per_transaction, NS_PER_BYTE) if is_stream else (NS_PER_BYTE, per_transaction)
    text = (
        "per transaction on a stream: each write counts as one transaction"
        if is_stream
        else "per data: must come from a request-response run"
    )

    def odd_notes(**costs: CpuCost) -> list[str]:
        """Notes but for those on the case of the measurement, which come last."""
        notes = costed(traffic, **costs).mixed_notes
        return [note for note in notes[:-1] if not note.startswith("CPU cost of the ")]

    assert odd_notes(client=fitting, server=fitting) == []
    assert odd_notes(client=odd, server=fitting) == [f"cost of the client {text}"]
    assert odd_notes(client=odd, server=odd) == [f"cost of the client and server {text}"]
    carried = odd.carried_to((2.0, 1.5, 3.0), "2 times that, table 3")
    assert odd_notes(client=carried) == []
    before = Path(stages=line(25e9), mixed_notes=("clock rates differ",))
    assert costed(traffic, client=odd, path=before).mixed_notes[0] == "clock rates differ"


@pytest.mark.parametrize(
    ("given", "count", "is_noted"),
    [
        ({}, (4, 4, 4), False),
        # what both threads do is not known: from 4 to 8 CPUs of one thread
        ({"threads_per_core": value(2)}, (4, 4, 8), True),
    ],
)
def test_the_cpus_of_a_cost_are_those_of_its_host(
    given: dict[str, Any], count: tuple[int, int, int], is_noted: bool
) -> None:
    cost = parse_cpu_cost("125000 µs/Gbit")
    path = costed(server=cost, hosts=(None, box(core_count=value(4), **given)))
    (pool,) = path.pools
    known = pool.parallel_count
    ends = (known.value, known.low, known.high) if isinstance(known, Interval) else (known,) * 3
    assert ends == count
    assert pool.cost is cost
    note = "server: smt_gain not given: its CPUs count as cores, up to all threads"
    assert (note in path.notes) is is_noted


TWO_THREADS = {"core_count": value(4), "threads_per_core": value(2)}


@pytest.mark.parametrize(
    ("cost", "host", "problem"),
    [
        (
            parse_cpu_cost("1 µs/Gbit", time_basis="thread"),
            box(**TWO_THREADS, cpu_time_basis="core"),
            "the CPU cost of the client is thread time, and box counts core time: convert one",
        ),
        (
            NS_PER_BYTE,
            box(send={"per_byte": value(1, "ns")}),
            "is given, and box has CPU times of the client: leave one of them out",
        ),
        (NS_PER_BYTE, None, "is given, and the path has CPU times of the client: leave one"),
    ],
)
def test_contradictions_name_both_sides_of_them(
    cost: CpuCost, host: Host | None, problem: str
) -> None:
    path = None
    if "has CPU times" in problem:
        stage = Stage(name="cpu", to_server=Times(1e-6), pool="cpus", parallel_count=None)
        path = Path(stages=(stage,), pools=(Pool("cpus", 2, Side.CLIENT),))
    with pytest.raises(ContradictionError, match=problem):
        costed(client=cost, hosts=(host, None), path=path)
