"""What counters show of a run: every kind of cause, and none where nothing happened."""

import json
from typing import Any

import pytest

from netmodel.measuring._causes import Cause, cause_lines, causes_of
from netmodel.measuring._facts import FactFile, Facts
from netmodel.measuring._shown import HostShown, Link
from netmodel.readers import HostCpu
from netmodel.readers._proc_stat import read_proc_stat_copies

ETH0 = Link("eth0", driver="mlx5_core", receive_queue_count=1)
SHOWN = HostShown(interface="eth0", links=(ETH0,), settings={})


def facts(**texts: str) -> Facts:
    names = {
        "link": "ip-link.json",
        "driver": "ethtool-S-eth0.txt",
        "nstat": "nstat.json",
        "snmp": "net-snmp.txt",
        "dev": "net-dev.txt",
        "qdisc": "tc-qdisc.json",
        "softnet": "softnet-stat.txt",
    }
    return Facts({names[key]: FactFile(names[key], key, text) for key, text in texts.items()})


def causes(
    before: dict[str, str], after: dict[str, str], cpu: HostCpu | None = None, **more: Any
) -> tuple[Cause, ...]:
    shown = more.get("shown", SHOWN)
    return causes_of("client", facts(**before), facts(**after), shown=shown, cpu=cpu)


def nstat(**counts: int) -> str:
    return json.dumps({"kernel": {"TcpOutSegs": 1000, "TcpRetransSegs": 0} | counts})


def link(**counts: int) -> str:
    zero = {"bytes": 0, "packets": 0, "errors": 0, "dropped": 0}
    received = {name[3:]: count for name, count in counts.items() if name.startswith("rx")}
    sent = {name[3:]: count for name, count in counts.items() if name.startswith("tx")}
    return json.dumps([{"ifname": "eth0", "stats64": {"rx": zero | received, "tx": zero | sent}}])


def driver(**counts: int) -> str:
    return "NIC statistics:\n" + "".join(f"  {name}: {n}\n" for name, n in counts.items())


def qdisc(drops: int) -> str:
    row = {"kind": "tbf", "handle": "1:", "dev": "eth0", "root": True, "drops": drops}
    return json.dumps([row | {"bytes": 1, "packets": 1}])


def softnet(dropped: int) -> str:
    return f"00000001 {dropped:08x} 00000000" + " 00000000" * 7 + "\n"


@pytest.mark.parametrize(
    ("before", "after", "kind", "count", "words"),
    [
        (
            {"nstat": nstat()},
            {"nstat": nstat(TcpOutSegs=6000, TcpRetransSegs=50)},
            "retransmits",
            50,
            "50 of 5,000 TCP segments sent again",
        ),
        ({"link": link()}, {"link": link(rx_dropped=7)}, "drops", 7, "eth0: 7 packets received"),
        ({"link": link()}, {"link": link(tx_dropped=7)}, "drops", 7, "eth0: 7 packets sent"),
        ({"link": link()}, {"link": link(rx_errors=3)}, "errors", 3, "3 packets received with"),
        (
            {"link": link(rx_missed_errors=1)},
            {"link": link(rx_missed_errors=9)},
            "ring_overrun",
            8,
            "8 packets received and dropped at a full receive ring",
        ),
        (
            {"driver": driver(rx_out_of_buffer=0)},
            {"driver": driver(rx_out_of_buffer=12)},
            "ring_overrun",
            12,
            "rx_out_of_buffer 12: the receive ring was full",
        ),
        (
            {"driver": driver(rx_no_dma_resources=0)},
            {"driver": driver(rx_no_dma_resources=12)},
            "ring_overrun",
            12,
            "rx_no_dma_resources 12",
        ),
        (
            {"driver": driver(rx_pause_ctrl_phy=1, tx_pause_ctrl_phy=1)},
            {"driver": driver(rx_pause_ctrl_phy=5, tx_pause_ctrl_phy=1)},
            "pause",
            4,
            "rx_pause_ctrl_phy 4: pause frames",
        ),
        (
            {"driver": driver(rx_flow_control_xoff=0)},
            {"driver": driver(rx_flow_control_xoff=2)},
            "pause",
            2,
            "pause frames",
        ),
        (
            {"driver": driver(rx_crc_errors=0)},
            {"driver": driver(rx_crc_errors=2)},
            "errors",
            2,
            "damaged frames",
        ),
        (
            {"driver": driver(rx_discards_phy=0)},
            {"driver": driver(rx_discards_phy=2)},
            "drops",
            2,
            "rx_discards_phy 2",
        ),
        ({"qdisc": qdisc(0)}, {"qdisc": qdisc(31)}, "drops", 31, "the transmit queue tbf 1: root"),
        ({"softnet": softnet(2)}, {"softnet": softnet(6)}, "backlog", 4, "the backlog of CPU0"),
        (
            {"nstat": nstat(UdpRcvbufErrors=0)},
            {"nstat": nstat(UdpRcvbufErrors=9)},
            "receive_buffer",
            9,
            "full receive buffers of UDP",
        ),
        (
            {"snmp": "Udp: RcvbufErrors\nUdp: 1\n"},
            {"snmp": "Udp: RcvbufErrors\nUdp: 10\n"},
            "receive_buffer",
            9,
            "full receive buffers of UDP",
        ),
    ],
)
def test_a_counter_that_grew_is_a_cause(
    before: dict[str, str], after: dict[str, str], kind: str, count: int, words: str
) -> None:
    (cause,) = causes(before, after)
    assert (cause.kind, cause.role, cause.count) == (kind, "client", count)
    assert words in cause.text
    assert cause_lines([cause]) == [f"client: {cause.text}"]
    assert cause.to_dict()["kind"] == kind
    assert causes(after, after) == ()


def test_counters_that_say_nothing_are_no_cause() -> None:
    quiet = {"nstat": nstat(), "link": link(), "driver": driver(rx_queue_0_packets=1)}
    busy = {
        "nstat": nstat(TcpOutSegs=9_000_000, TcpRetransSegs=1),
        "link": link(rx_bytes=10**9, rx_packets=10**6),
        "driver": driver(rx_queue_0_packets=10**6, peer_ifindex=3, rx_xdp_drops=0),
    }
    assert causes(quiet, busy) == ()


def test_a_reset_or_damaged_copy_shows_nothing() -> None:
    assert causes({"nstat": nstat(TcpRetransSegs=2**40)}, {"nstat": nstat()}) == ()
    assert causes({"nstat": "{"}, {"nstat": nstat()}) == ()
    assert causes({}, {"nstat": nstat(TcpRetransSegs=50)}) == ()


def test_causes_come_before_what_follows_from_them() -> None:
    found = causes(
        {"nstat": nstat(), "qdisc": qdisc(0), "driver": driver(rx_pause=0)},
        {
            "nstat": nstat(TcpOutSegs=2000, TcpRetransSegs=5),
            "qdisc": qdisc(5),
            "driver": driver(rx_pause=3),
        },
    )
    assert [each.kind for each in found] == ["drops", "retransmits", "pause"]


def proc_stat(*cpus: dict[str, int], seconds: int = 10) -> HostCpu:
    """Two copies with these ticks in between, the rest of the time idle."""
    names = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
    rows = []
    for each in cpus:
        counts = dict.fromkeys(names, 0) | each
        counts["idle"] = 100 * seconds - sum(counts.values())
        rows.append([counts[name] for name in names])
    text = ""
    for time_s, factor in ((1_700_000_000, 0), (1_700_000_000 + seconds, 1)):
        total = [sum(column) * factor for column in zip(*rows, strict=True)]
        text += f"{time_s}.5\ncpu " + " ".join(map(str, total)) + "\n"
        for number, row in enumerate(rows):
            text += f"cpu{number} " + " ".join(str(each * factor) for each in row) + "\n"
    return read_proc_stat_copies(text.encode())


IDLE: dict[str, int] = {"user": 50}


def test_a_cpu_full_of_softirqs_is_named_with_what_to_do() -> None:
    cpu = proc_stat(IDLE, {"softirq": 970, "system": 10}, IDLE, IDLE)
    (cause,) = causes({}, {}, cpu)
    assert (cause.kind, cause.place) == ("softirq", "CPU 1")
    assert "CPU 1 spent 97 % in softirqs, the others 5 %" in cause.text
    assert "eth0 has one receive queue without RPS" in cause.text
    several = HostShown(interface="eth0", links=(Link("eth0", receive_queue_count=8),), settings={})
    (cause,) = causes({}, {}, cpu, shown=several)
    assert "spread receive queues or steer packets" in cause.text


def test_a_single_busy_cpu_is_named() -> None:
    (cause,) = causes({}, {}, proc_stat({"system": 700, "user": 290}, IDLE))
    assert (cause.kind, cause.place) == ("busy_cpu", "CPU 0")
    assert (
        "CPU 0 was 99 % busy (softirqs 0 %), the others 5 %: one thread may limit: use more streams"
        in cause.text
    )


@pytest.mark.parametrize("first", [{"system": 990}, {"softirq": 980}])
def test_where_the_others_are_nearly_full_no_thread_is_blamed(first: dict[str, int]) -> None:
    (cause,) = causes({}, {}, proc_stat(first, {"user": 910}))
    assert (cause.kind, cause.place) == ("busy_cpu", "CPU 0")
    assert "the others 91 %: the run or other work fills the host" in cause.text
    (cause,) = causes({}, {}, proc_stat({"system": 990}, {"user": 750}))
    assert "the others 75 %: one thread may limit: use more streams" in cause.text


def test_a_busy_host_and_stolen_time_are_named() -> None:
    (cause,) = causes({}, {}, proc_stat({"user": 990}, {"user": 1000}))
    assert (cause.kind, cause.place) == ("busy_cpu", "all CPUs")
    (cause,) = causes({}, {}, proc_stat({"steal": 300}, {"steal": 100}))
    assert cause.kind == "stolen"
    assert "20 % of the CPU time" in cause.text


def test_an_idle_host_is_no_cause() -> None:
    assert causes({}, {}, proc_stat(IDLE, {"system": 800})) == ()


def test_a_moment_is_too_short_to_call_a_cpu_full() -> None:
    text = "1700000000.5\ncpu 0 0 0 0\ncpu0 0 0 0 0\n1700000000.9\ncpu 40 0 0 0\ncpu0 40 0 0 0\n"
    assert causes({}, {}, read_proc_stat_copies(text.encode())) == ()
