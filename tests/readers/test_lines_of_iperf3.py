"""Lines of text of iperf3 and iperf 2 without a sum, between borders, or against each other."""

import pytest

from netmodel.consumption import Side
from netmodel.readers import Measurement, read_result

ROW = "[{id:3}]   0.00-30.00  sec  {size} GBytes  {rate} Gbits/sec    {again}    {by}\n"
HEAD = "Connecting to host 10.0.0.2, port 5201\n"


def stream(id_: object = 5, sent: float = 8.2, received: float = 8.2) -> str:
    """A stream of 30 s: 8.2 GiB are 2.348 Gbit/s."""
    ends = (("sender", sent, 0), ("receiver", received, ""))
    rate = 8 * 2**30 / 30e9
    return "".join(
        ROW.format(id=id_, by=by, size=size, rate=f"{size * rate:.2f}", again=again)
        for by, size, again in ends
    )


def only(text: str) -> Measurement:
    (run,) = read_result(text.encode())
    return run


@pytest.mark.parametrize("line", ["{}", "| {} |"])
def test_streams_without_their_sum_are_summed(line: str) -> None:
    text = HEAD + "".join(map(stream, (5, 7, 9, 11)))
    run = only("\n".join(map(line.format, text.splitlines())))
    assert run.stream_count == 4
    assert run.goodput_bps == pytest.approx(4 * 2.35e9)
    assert run.tcp.retransmit_count == 0
    assert "no line is of all streams" in run.notes[-1]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (stream(5, 16.4, 32.8), "more arrived than was sent"),
        (stream(5) + stream(7) + stream("SUM", 8.2, 8.2), "its streams add up to 4.7 Gbit/s"),
        (stream(5) + stream(7) + stream("SUM", 16.4, 16.4), ""),
        (stream(5) + stream("SUM", 16.4, 16.4), ""),
    ],
)
def test_lines_that_exclude_each_other_leave_no_goodput(text: str, why: str) -> None:
    run = only(HEAD + text)
    assert (run.goodput_bps is None) == bool(why)
    assert why in (run.counted.why_no_goodput or "")
    assert run.stream_count == (2 if "[  7]" in text else 1 if why else None)


def test_an_end_of_unknown_cpu_time_is_not_idle() -> None:
    cpu = "CPU Utilization: local/sender 3.1% (0.4%u/2.7%s), remote/receiver 0.0% (0.0%u/0.0%s)\n"
    (use,) = only(f"{HEAD}{stream()}{cpu}").cpu
    assert (use.side, use.busy_cpu_count) == (Side.CLIENT, pytest.approx(0.031))


def test_datagrams_have_the_size_that_the_server_prints() -> None:
    """1.11 GiB over 813,000 datagrams are 1459.4 to 1472.6 byte."""
    run = only(
        "Server listening on UDP port 5001\nReceiving 1470 byte datagrams\n"
        "[  3] local 10.0.0.2 port 5001 connected with 10.0.0.1 port 46000\n"
        "[  3]  0.0-10.0 sec  1.11 GBytes   956 Mbits/sec   0.010 ms    0/813000 (0%)\n"
    )
    assert run.traffic.datagram_bytes == 1470
