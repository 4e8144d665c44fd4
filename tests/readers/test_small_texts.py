"""Small texts of tools, made by hand: everything that is read of each, and nothing else."""

from typing import Any

import pytest
from runs import reported

from netmodel.consumption import CpuScope, Side
from netmodel.errors import ParseError
from netmodel.readers import CpuUse, Direction, read_result
from netmodel.readers._printed import COUNTED_AT_SENDER

UP, DOWN = Direction.CLIENT_TO_SERVER, Direction.SERVER_TO_CLIENT
KIB, MIB, GIB = 2**10, 2**20, 2**30


def read(*lines: str, tool: str = "iperf2") -> list[dict[str, Any]]:
    return [reported(run) for run in read_result("\n".join((*lines, "")).encode(), tool)]


def only(*lines: str, tool: str = "iperf2") -> dict[str, Any]:
    (run,) = read(*lines, tool=tool)
    return run


def half_width_bps(size_bytes: float, step_bytes: float, time_s: float, step_s: float) -> float:
    """How far 8 (size + step) / (time - step) is above 8 size / time; steps are halves."""
    return 8 * (size_bytes + step_bytes) / (time_s - step_s) - 8 * size_bytes / time_s


# iperf 2

CLIENT = "Client connecting to 192.0.2.2, TCP port 5001 with pid 1 (2 flows)"
SERVER = "Server listening on TCP port 5001"


def connection(number: int, more: str = "", far: str = " ") -> str:
    ends = f"local 192.0.2.1%eth0 port 4000{number} connected with 192.0.2.2 port 5001"
    return f"[{far} {number}] {ends}{more}"


BOTH = {
    "protocol": "tcp",
    "ip_version": 4,
    "recorded_by": Side.CLIENT,
    "direction": UP,
    "run_id": (
        "iperf2: 192.0.2.1 port 40001 and 192.0.2.2 port 5001, "
        "192.0.2.1 port 40002 and 192.0.2.2 port 5001"
    ),
    "stream_count": 2,
}


def test_two_streams_of_iperf2_with_intervals() -> None:
    """
    The sum of both is taken; windows add up, round-trip times of intervals are averaged.

    18 MiB in 2.0002 s are 75.49 Mbit/s to 0.05 MiB, which 75.5 Mbit/s says more closely.
    """
    run = only(
        CLIENT,
        "TCP window size:  256 KByte (WARNING: requested  128 KByte)",
        connection(1, " (sock=3) (icwnd/mss/irtt=14/1448/90) (ct=0.08 ms)"),
        connection(2, " (sock=4) (icwnd/mss/irtt=14/1448/70) (ct=0.07 ms)"),
        "[  1] 0.0000-1.0000 sec  6.00 MBytes  50.3 Mbits/sec  48/0  0  100K/1000(9) us  7",
        "[  2] 0.0000-1.0000 sec  3.00 MBytes  25.2 Mbits/sec  24/0  4   60K/3000(9) us  7",
        "[SUM] 0.0000-1.0000 sec  9.00 MBytes  75.5 Mbits/sec  72/0  4",
        "[  1] 1.0000-2.0000 sec  6.00 MBytes  50.3 Mbits/sec  48/0  2   80K/2000(9) us  7",
        "[  2] 1.0000-2.0000 sec  3.00 MBytes  25.2 Mbits/sec  24/0  1   90K/2400(9) us  7",
        "[SUM] 1.0000-2.0000 sec  9.00 MBytes  75.5 Mbits/sec  72/0  3",
        "[  1] 0.0000-2.0005 sec  12.0 MBytes  50.3 Mbits/sec  96/0  2   80K/5000(9) us  7",
        "[  2] 0.0000-2.0004 sec  6.00 MBytes  25.2 Mbits/sec  48/0  5   90K/7000(9) us  7",
        "[SUM] 0.0000-2.0002 sec  18.0 MBytes  75.5 Mbits/sec  144/0  7",
    )
    assert run == BOTH | {
        "goodput_bps": 75.5e6,
        "goodput_half_width_bps": pytest.approx(0.05e6),
        "received_bytes": 18 * MIB,
        "duration_s": 2.0002,
        "segment_bytes": 1448,
        "socket_buffer_bytes": 128 * KIB,
        "congestion_window_bytes": (100 + 90) * KIB,
        "round_trip_s": pytest.approx((1000 + 3000 + 2000 + 2400) / 4 * 1e-6),
        "least_round_trip_s": pytest.approx(70e-6),
        "retransmit_count": 2 + 5,
        "lossy_interval_count": 3,
        "is_counted_at_sender": True,
        "notes": (COUNTED_AT_SENDER,),
    }


def test_reports_of_a_server_of_two_streams_over_udp_add_up() -> None:
    """1470 byte each 588 µs are 20 Mbit/s of each stream; 60 and 28 of 1704 datagrams were lost."""
    run = only(
        CLIENT.replace("TCP", "UDP"),
        "Sending 1470 byte datagrams, IPG target: 588.00 us (kalman adjust)",
        connection(1),
        connection(2),
        "[  1] 0.0000-1.0009 sec  2.39 MBytes  20.0 Mbits/sec",
        "[  2] 0.0000-1.0009 sec  2.38 MBytes  19.9 Mbits/sec",
        "[SUM] 0.0000-1.0009 sec  4.77 MBytes  39.9 Mbits/sec",
        "[  2] Server Report:",
        "[  2] 0.0000-1.0001 sec  2.30 MBytes  19.3 Mbits/sec   0.000 ms 60/1704 (3.5%)",
        "[  1] Server Report:",
        "[  1] 0.0000-1.0009 sec  2.35 MBytes  19.7 Mbits/sec   0.000 ms 28/1704 (1.6%)",
    )
    finest = [half_width_bps(size * MIB, 0.005 * MIB, time_s, 5e-5) for size, time_s in REPORTS]
    assert run == BOTH | {
        "protocol": "udp",
        "goodput_bps": pytest.approx(sum(8 * size * MIB / time_s for size, time_s in REPORTS)),
        "goodput_half_width_bps": pytest.approx(sum(finest)),
        "received_bytes": round(4.65 * MIB),
        "duration_s": 1.0009,
        "datagram_bytes": 1470,
        "offered_rate_bps": pytest.approx(40e6),
        "reported_rate_bps": pytest.approx(39.9e6),
        "lost_ratio": 88 / 3408,
    }


REPORTS = ((2.30, 1.0001), (2.35, 1.0009))
"""MiB that arrived of each stream, and its time; finer than their rates, of 0.05 Mbit/s."""


@pytest.mark.parametrize(
    ("ends_s", "may_be_interval"),
    [(("10.0000",), True), (("10.0011",), False), (("5.0000", "10.0000"), False)],
)
def test_a_line_that_ends_at_a_tenth_may_be_an_interval(
    ends_s: tuple[str, ...], may_be_interval: bool
) -> None:
    """
    Where it is the only one of a server; with one of an interval before it, it is the whole.

    1.10 GiB in 10 s are 945 Mbit/s to 0.5 %, which 941 Mbit/s says more closely.
    """
    rows = [f"[  1] 0.0000-{ends_s[0]} sec  1.10 GBytes   941 Mbits/sec"]
    if len(ends_s) > 1:
        rows = [
            "[  1] 0.0000-5.0000 sec   563 MBytes   945 Mbits/sec",
            "[  1] 5.0000-10.0000 sec   563 MBytes   945 Mbits/sec",
            f"[  1] 0.0000-{ends_s[1]} sec  1.10 GBytes   941 Mbits/sec",
        ]
    run = only(
        SERVER,
        "[  1] local 192.0.2.2 port 5001 connected with 192.0.2.1 port 40001",
        *rows,
    )
    note = "only one line: it may be the first interval of a run that is cut off"
    assert run.pop("notes", ()) == ((note,) if may_be_interval else ())
    assert run == {
        "protocol": "tcp",
        "ip_version": 4,
        "recorded_by": Side.SERVER,
        "direction": UP,
        "run_id": "iperf2: 192.0.2.1 port 40001 and 192.0.2.2 port 5001",
        "stream_count": 1,
        "goodput_bps": 941e6,
        "goodput_half_width_bps": 0.5e6,
        "received_bytes": round(1.10 * GIB),
        "duration_s": float(ends_s[-1]),
    }


@pytest.mark.parametrize(
    ("far", "more", "row_far", "direction"),
    [
        ("*", "", " ", DOWN),
        (" ", " (reverse)", " ", DOWN),
        (" ", "", "*", DOWN),
        (" ", "", " ", UP),
    ],
)
def test_payload_comes_back_where_a_star_or_reverse_says_so(
    far: str, more: str, row_far: str, direction: Direction
) -> None:
    """A star before the number of a connection or a line, or the word behind the connection."""
    run = only(
        CLIENT,
        connection(1, more, far),
        f"[{row_far} 1] 0.0000-1.0043 sec  3.04 GBytes  26.0 Gbits/sec",
    )
    assert run["direction"] is direction


def test_requests_of_iperf2_over_the_time_of_their_line() -> None:
    """40 bounces of 100 byte from 1 to 5 s are ten in each; their mean time is 0.074 ms."""
    run = only(
        CLIENT,
        "Bounce-back test (size= 100 Byte) (server hold req=0 usecs & tcp_quickack)",
        connection(1, " (bb w/quickack len/hold=100/0) (icwnd/mss/irtt=14/1448/42)"),
        "[  1] 1.0000-5.0000 sec  7.80 KBytes  16.0 Kbits/sec"
        "    40=0.074/0.045/0.325/0.088 ms    0   28K/29 us    13441 rps",
    )
    assert run == {
        "protocol": "tcp",
        "ip_version": 4,
        "recorded_by": Side.CLIENT,
        "run_id": "iperf2: 192.0.2.1 port 40001 and 192.0.2.2 port 5001",
        "segment_bytes": 1448,
        "least_round_trip_s": pytest.approx(42e-6),
        "measures_latency": True,
        "why_no_goodput": "a test of latency: one request at a time keeps the path mostly idle",
        "request_bytes": 100,
        "response_bytes": 100,
        "duration_s": 4.0,
        "transaction_time_s": pytest.approx(74e-6),
        "transaction_rate_tps": pytest.approx(10),
    }


# iperf3

CONNECTED = "[  5] local 192.0.2.1 port 48662 connected to 192.0.2.2 port 5201"


@pytest.mark.parametrize(("start", "time_s", "step_s"), [("0.00", 3.0, 5e-3), ("1.00", 2.0, 1e-2)])
def test_a_line_of_iperf3_counts_from_its_start(start: str, time_s: float, step_s: float) -> None:
    """A start of zero is exact, another one is rounded; 0.03 and 0.04 Gbit/s are coarse."""
    row, sent_bps = f"[  5]   {start}-3.00   sec", 8 * 10.1 * MIB / time_s
    run = only(
        "Connecting to host 192.0.2.2, port 5201",
        CONNECTED,
        "[ ID] Interval           Transfer     Bitrate         Retr",
        f"{row}  10.1 MBytes  {sent_bps / 1e6:.2f} Mbits/sec    3             sender",
        f"{row}  10.0 MBytes  {80e-9 * MIB / time_s:.2f} Gbits/sec                  receiver",
        tool="iperf3-text",
    )
    assert run == {
        "protocol": "tcp",
        "ip_version": 4,
        "recorded_by": Side.CLIENT,
        "direction": UP,
        "run_id": "iperf3: 192.0.2.1 port 48662 and 192.0.2.2 port 5201",
        "stream_count": 1,
        "goodput_bps": pytest.approx(80 * MIB / time_s),
        "goodput_half_width_bps": pytest.approx(
            half_width_bps(10 * MIB, 0.05 * MIB, time_s, step_s)
        ),
        "reported_rate_bps": pytest.approx(sent_bps, abs=0.005e6),
        "received_bytes": 10 * MIB,
        "duration_s": time_s,
        "retransmit_count": 3,
    }


def test_intervals_of_iperf3_report_windows_and_losses() -> None:
    """Windows of both streams add up, each at its largest; three intervals had losses."""
    run = only(
        "iperf 3.12",
        "Connecting to host 192.0.2.2, port 5201",
        "TCP MSS: 1448 (default)",
        CONNECTED,
        CONNECTED.replace("5]", "7]").replace("48662", "48664"),
        "Starting Test: protocol: TCP, 2 streams, 131072 byte blocks, omitting 1 seconds, 2 second",
        "[  5]   0.00-1.00   sec   100 MBytes   839 Mbits/sec   90   900 KBytes       (omitted)",
        "[  5]   0.00-1.00   sec  50.0 MBytes   419 Mbits/sec    2   300 KBytes",
        "[  7]   0.00-1.00   sec  50.0 MBytes   419 Mbits/sec    0   1.50 MBytes",
        "[SUM]   0.00-1.00   sec   100 MBytes   839 Mbits/sec    2",
        "[  5]   1.00-2.00   sec  50.0 MBytes   419 Mbits/sec    1   200 KBytes",
        "[  7]   1.00-2.00   sec  50.0 MBytes   419 Mbits/sec    5   0.50 MBytes",
        "[SUM]   1.00-2.00   sec   100 MBytes   839 Mbits/sec    6",
        "[  5]   0.00-2.00   sec   100 MBytes   419 Mbits/sec    3             sender",
        "[  5]   0.00-2.00   sec   100 MBytes   419 Mbits/sec                  receiver",
        "[  7]   0.00-2.00   sec   100 MBytes   419 Mbits/sec    5             sender",
        "[  7]   0.00-2.00   sec   100 MBytes   419 Mbits/sec                  receiver",
        "[SUM]   0.00-2.00   sec   200 MBytes   841 Mbits/sec    8             sender",
        "[SUM]   0.00-2.00   sec   200 MBytes   839 Mbits/sec                  receiver",
        "CPU Utilization: local/sender 33.4% (0.0%u/33.4%s), remote/receiver 26.2% (1.5%u/24.7%s)",
        "snd_tcp_congestion bbr",
        tool="iperf3-text",
    )
    assert run == {
        "tool_version": "3.12",
        "protocol": "tcp",
        "ip_version": 4,
        "recorded_by": Side.CLIENT,
        "direction": UP,
        "run_id": (
            "iperf3: 192.0.2.1 port 48662 and 192.0.2.2 port 5201, "
            "192.0.2.1 port 48664 and 192.0.2.2 port 5201"
        ),
        "stream_count": 2,
        "leaves_out_start": True,
        "segment_bytes": 1448,
        "write_bytes": 131_072,
        "congestion_control": "bbr",
        "congestion_window_bytes": 300 * KIB + 1.5 * MIB,
        "lossy_interval_count": 3,
        "retransmit_count": 8,
        "goodput_bps": 839e6,
        "goodput_half_width_bps": 0.5e6,
        "reported_rate_bps": 841e6,
        "received_bytes": 200 * MIB,
        "duration_s": 2.0,
        "cpu": (
            CpuUse(pytest.approx(0.334), 839e6, CpuScope.PROCESS, Side.CLIENT),
            CpuUse(pytest.approx(0.262), 839e6, CpuScope.PROCESS, Side.SERVER),
        ),
    }


# uperf

STARTS = "Starting 2 threads running profile:mine ...   0.00 seconds"


def uperf(*lines: str, far: str, total: str, flowops: tuple[str, ...] = ()) -> dict[str, Any]:
    table = ("Flowop             Count         avg         cpu         max         min", *flowops)
    return only(
        STARTS,
        *lines,
        *(table if flowops else ()),
        "",
        "Run Statistics",
        "Hostname            Time       Data   Throughput   Operations      Errors",
        far,
        total,
        tool="uperf",
    )


def test_progress_of_uperf_between_its_second_and_its_last_but_one_line() -> None:
    """
    300 MiB from 1 to 3 s. What each counted is 4 MiB of 400 apart, or 1 %: no payload was lost.

    1000 write operations on 2 connections that the client opened: the direction is known.
    """
    tick = "Txn2      {size}MB /   {time}(s) =   {rate}Mb/s       10op/s"
    run = uperf(
        "Txn1            0 /   0.00(s) =            0           2op/s",
        tick.format(size="0.00", time="0.10", rate="0.00"),
        tick.format(size="50.00", time="1.00", rate="419.43"),
        tick.format(size="150.00", time="2.00", rate="629.15"),
        tick.format(size="350.00", time="3.00", rate="978.67"),
        tick.format(size="400.00", time="4.00", rate="838.86"),
        far="192.0.2.2          4.00s   396.00MB   830.47Mb/s        1000        0.00",
        total="master             4.00s   400.00MB   838.86Mb/s        1000        0.00",
        flowops=(
            "connect                2    241.15us      0.00ns    453.54us     97.42us",
            "write               1000     43.87us      0.00ns     29.83ms     32.61us",
        ),
    )
    assert run == {
        "recorded_by": Side.CLIENT,
        "ip_version": 4,
        "direction": UP,
        "stream_count": 2,
        "is_counted_at_sender": True,
        "leaves_out_start": True,
        "goodput_bps": 8 * 300 * MIB / 2,
        # each size to 0.005 MiB, each time to 0.005 s
        "goodput_half_width_bps": pytest.approx(half_width_bps(300 * MIB, 0.01 * MIB, 2, 0.01)),
        "received_bytes": 300 * MIB,
        "duration_s": 2.0,
        "reported_rate_bps": 838.86e6,
        "notes": ("goodput of Txn2 in 2 s; uperf's 838.86 Mbit/s includes connecting",),
    }


@pytest.mark.parametrize(
    ("far_size", "note"),
    [
        ("392.00MB", None),
        ("391.90MB", "the other end counted 2.03 % less payload"),
        ("     0", "the other end counted 100 % less payload"),
        # more than it sent, and a unit that the width of the field cut off: nothing to compare
        ("401.00MB", None),
        ("401408.00", None),
    ],
)
def test_payload_that_uperf_lost_is_noted_above_two_per_cent(
    far_size: str, note: str | None
) -> None:
    run = uperf(
        far=f"192.0.2.2          4.00s   {far_size}   822.08Mb/s        1000        0.00",
        total="master             4.00s   400.00MB   838.86Mb/s        1000        0.00",
    )
    others = {
        "lower bound: its time includes connecting; run uperf with -R -a -i 1 for the goodput",
        "direction not reported: read payload is counted with written payload; use -a",
    }
    assert set(run["notes"]) - others == ({note} if note else set())
    assert run["goodput_bps"] == 838.86e6


def test_a_uperf_that_moved_nothing_prints_zeros_without_a_unit() -> None:
    run = uperf(
        far="192.0.2.2          4.00s          0            0           0        0.00",
        total="master             4.00s          0            0           0        nan",
    )
    assert (run["reported_rate_bps"], run["why_no_goodput"]) == (0, "uperf moved no payload")
    assert "goodput_bps" not in run


@pytest.mark.parametrize(
    ("total", "problem"),
    [
        ("master      4.00s   400.00    838.86Mb/s   1000   0.00", "unit of the size is cut off"),
        ("master      4.00s   400.00MB   838.86   1000   0.00", "unit of the rate is cut off"),
    ],
)
def test_a_total_of_uperf_without_its_unit_is_refused(total: str, problem: str) -> None:
    with pytest.raises(ParseError, match=f"line 6: the {problem}"):
        uperf(far="192.0.2.2   4.00s   400.00MB   838.86Mb/s   1000   0.00", total=total)


# ntttcp


def test_a_text_of_ntttcp_with_all_that_a_sender_prints() -> None:
    """
    1.1875 GB in 10 s are 0.95 Gbit/s, to 0.05 % by the time; 0.95Gbps is half a per cent coarser.

    91 + 2 % of the time of 8 CPUs were idle or waiting: 0.56 of them were busy.
    """
    run = only(
        "NTTTCP for Linux 1.4.0",
        "*** sender role",
        "domain:				 IPv6",
        "21:04:55 INFO: Test warmup completed.",
        "21:04:55 INFO: 64 connections tested",
        "21:04:55 INFO: #####  Totals:  #####",
        "21:04:55 INFO: test duration	:10.00 seconds",
        "21:04:55 INFO: total bytes	:1187500000",
        "21:04:55 INFO: 	 throughput	:0.95Gbps",
        "21:04:55 INFO: 	 retrans segs	:24",
        "21:04:55 INFO: 	 tcpi rtt	:150 us",
        "21:04:55 INFO: cpu cores	:8",
        "21:04:55 INFO: 	 cpu speed	:2793.437MHz",
        "21:04:55 INFO: 	 idle		:91.00%",
        "21:04:55 INFO: 	 iowait	:2.00%",
        "21:04:55 INFO: cpu busy (all)	:43.20%",
        tool="ntttcp",
    )
    cpu, process = run.pop("cpu")
    assert (process.busy_cpu_count, process.scope) == (pytest.approx(0.432), CpuScope.PROCESS)
    assert (cpu.busy_cpu_count, cpu.payload_rate_bps) == (pytest.approx(0.56), 0.95e9)
    assert (cpu.scope, cpu.side, cpu.installed_cpu_count) == (CpuScope.SYSTEM, Side.CLIENT, 8)
    assert run == {
        "tool_version": "1.4.0",
        "protocol": "tcp",
        "ip_version": 6,
        "recorded_by": Side.CLIENT,
        "direction": UP,
        "stream_count": 64,
        "leaves_out_start": True,
        "is_counted_at_sender": True,
        "goodput_bps": 0.95e9,
        "goodput_half_width_bps": pytest.approx(half_width_bps(1_187_500_000, 0, 10, 0.005)),
        "received_bytes": 1_187_500_000,
        "duration_s": 10.0,
        "retransmit_count": 24,
        "round_trip_s": pytest.approx(150e-6),
    }


XML = """<ntttcp{role} computername="a" version="{version}"><parameters>
<udp>False</udp><use_ipv6>True</use_ipv6><warmup_time>{warmup}</warmup_time></parameters>
<total_bytes metric="MB">{size}</total_bytes><realtime metric="s">10.000000</realtime>
<throughput metric="mbps">{mbps}</throughput>{more}</ntttcp{role}>"""


@pytest.mark.parametrize(
    ("version", "size", "mbps", "more", "size_bytes", "half_bytes"),
    [
        # Linux: whole binary MB, cut, and binary megabits
        ("5.33-linux", "100", "80.000", "", 100.5 * MIB, 0.5 * MIB),
        # with bytes per second all units are decimal
        (
            *("5.33-linux", "100", "80.000", '<throughput metric="Bps">10000000.0</throughput>'),
            *(100e6, 0.05 * 10),
        ),
        # Windows: binary MB with digits, and decimal megabits
        ("5.40", "100.000", "83.886", "", 100 * MIB, 0.0005 * MIB),
    ],
)
def test_the_megabytes_of_ntttcp_depend_on_its_version(
    version: str, size: str, mbps: str, more: str, size_bytes: float, half_bytes: float
) -> None:
    """In 10 s, which are exact to half a microsecond."""
    cpu = '<cpu metric="%">25.0</cpu><num_processors>8</num_processors>'
    run = only(
        XML.format(role="r", version=version, size=size, mbps=mbps, more=more + cpu, warmup=1),
        tool="ntttcp",
    )
    (use,) = run.pop("cpu")
    rate_bps = pytest.approx(8 * size_bytes / 10)
    assert (use.busy_cpu_count, use.payload_rate_bps) == (2, rate_bps)
    assert (use.scope, use.side, use.installed_cpu_count) == (CpuScope.SYSTEM, Side.SERVER, 8)
    whole = {} if half_bytes == 0.5 * MIB else {"received_bytes": round(size_bytes)}
    assert run == whole | {
        "tool_version": version,
        "protocol": "tcp",
        "ip_version": 6,
        "recorded_by": Side.SERVER,
        "direction": UP,
        "leaves_out_start": True,
        "goodput_bps": rate_bps,
        "goodput_half_width_bps": pytest.approx(half_width_bps(size_bytes, half_bytes, 10, 5e-7)),
        "duration_s": 10.0,
    }


# Sizes of datagrams


def datagrams(payload_bytes: float, count: int) -> dict[str, Any]:
    """What a server of iperf 2 counted in a second."""
    ends = "20261121120000,192.0.2.1,40001,192.0.2.2,5001,1,0.0-1.0"
    return only(f"{ends},{payload_bytes:.0f},{8 * payload_bytes:.0f},0.002,0,{count},0.000,0")


# the payload of full frames at MTU 1500 and 9000, over IPv4 and IPv6, with TCP or UDP, with
# timestamps or without; round sizes; the defaults of iperf3 (1460), iperf 2 (1470), nuttcp
USUAL = (1000, 1024, 1400, 1428, 1448, 1452, 1460, 1470, 1472, 8192, 8928, 8948, 8952, 8972)


@pytest.mark.parametrize("size", USUAL)
def test_a_usual_size_of_datagrams_is_taken_where_it_is_possible(size: int) -> None:
    """Half a byte more on average; one datagram more would make it three quarters less."""
    count = round(size / 0.75)
    run = datagrams((size + 0.55) * count, count)
    assert run["datagram_bytes"] == size
    low, high = ((size + 0.55) * count / (count + off) for off in (1, -1))
    (note,) = (note for note in run["notes"] if "derived" in note)
    assert note == (
        f"datagram size {size} byte derived: bytes over datagrams give {low:.1f} to {high:.1f}"
    )


@pytest.mark.parametrize(
    ("size", "count", "derived"),
    [
        # neither usual, nor one of two that are
        (1200.4, 2000, 1200),
        (1450.0, 500, 1450),
        # one datagram more and one less are 2 of 201, or of 200, and the limit 1 %
        (1200.0, 201, 1200),
        (1200.0, 200, None),
        # the largest over IPv4
        (65507.0, 1000, 65507),
        (65508.0, 1000, None),
        (1.0, 1, None),
    ],
)
def test_other_sizes_of_datagrams_are_their_mean(
    size: float, count: int, derived: int | None
) -> None:
    assert datagrams(size * count, count).get("datagram_bytes") == derived


# Where a text is cut, and what stands before it


def test_a_line_of_nuttcp_is_whole_where_the_next_one_follows() -> None:
    """Of `-fparse -v`: the line of the receiver ends in a figure, wherever it is cut."""
    lines = (
        "nuttcp-t-my run: buflen=65536 nstream=1 port=5001 mode=tcp host=192.0.2.2",
        "nuttcp-r-my run: megabytes=11.3 real_seconds=1.00 rate_KBps=11571.2 rate_Mbps=94.7912",
    )
    with pytest.raises(ParseError, match="the text stops before its summary"):
        read(*lines, tool="nuttcp")
    run = only(*lines, "nuttcp-r-my run: io_calls=181", tool="nuttcp")
    assert run["goodput_bps"] == pytest.approx(94.7912e6)


def test_the_line_of_a_fault_counts_what_stands_before_the_json() -> None:
    with pytest.raises(ParseError, match="line 4"):
        read("first", "second", '{"start":', "nothing}", tool="iperf3")


def test_raw_progress_of_uperf_has_exact_bytes() -> None:
    """100 bytes from 1 to 3 s, of which each time is known to 0.05 µs: 400 bit/s."""
    line = "timestamp_ms:{ms} name:Txn2 nr_bytes:{count} nr_ops:{count}"
    run = uperf(
        *(
            line.format(ms=f"{ms}.0000", count=count)
            for ms, count in ((500, 0), (1000, 40), (2000, 80), (3000, 140), (4000, 150))
        ),
        far="192.0.2.2          4.00s   150.00B   300.00b/s        150        0.00",
        total="master             4.00s   150.00B   300.00b/s        150        0.00",
    )
    assert run["received_bytes"] == 100
    assert run["duration_s"] == pytest.approx(2)
    assert run["goodput_bps"] == pytest.approx(400)
    assert run["goodput_half_width_bps"] == pytest.approx(half_width_bps(100, 0, 2, 1e-7), rel=1e-4)


def test_a_misspelt_column_alone_is_no_table() -> None:
    """Beside another one above a row of as many cells it is, so that its author gets a hint."""
    with pytest.raises(ParseError, match="not a result of a known tool"):
        read_result(b"throughput_bp\n941000000\n")
    with pytest.raises(ParseError, match=r"throughput_bp.*throughput_bps"):
        read_result(b"throughput_bp,mtu_bytes\n941000000,1500\n")
