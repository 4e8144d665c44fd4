"""Small results of flent, made by hand: flows that belong together, and every field of them."""

import json
from typing import Any

import pytest

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers import Direction, Measurement, read_result
from netmodel.readers.measurement import SentTraffic

UPLOAD = "netperf -P 0 -v 0 -D -0.20 -4 -H 192.0.2.2 -t TCP_STREAM -l 5"


def flow(seconds: float | None = 5.0, byte_count: int | None = 12_500_000, **more: Any) -> Any:
    """What flent records of a flow of netperf: by default 12.5 MB in 5 s."""
    known = {"COMMAND": UPLOAD, "ELAPSED_TIME": seconds, "BYTES_RECVD": byte_count} | more
    return {name: value for name, value in known.items() if value is not None}


def document(
    *flows: Any, starts_s: tuple[float, ...] = (), results: Any = None, **metadata: Any
) -> Any:
    names = [f"TCP upload::{number}" for number in range(1, len(flows) + 1)]
    raw = {
        name: [{"t": 100 + start_s + 0.2, "dur": 0.2, "val": 1.0}]
        for name, start_s in zip(names, starts_s, strict=False)
    }
    return {
        "version": 4,
        "x_values": [0.0],
        "results": {name: [1.0] for name in names} if results is None else results,
        "raw_values": raw,
        "metadata": {
            "FLENT_VERSION": "2.1.1",
            "HOSTS": ["192.0.2.2"],
            "IP_VERSION": 4,
            "SERIES_META": dict(zip(names, flows, strict=True)),
        }
        | metadata,
    }


def read(result: Any) -> tuple[Measurement, ...]:
    return read_result(json.dumps(result).encode(), "flent")


def only(*flows: Any, **more: Any) -> Measurement:
    (run,) = read(document(*flows, **more))
    return run


def test_one_flow_by_hand() -> None:
    """12.5 MB in 5.00 s, which may be 4.995: 20 Mbit/s, and 20.02."""
    run = only(flow(TCP_MSS=1448, SEND_SIZE=16_384, MEAN_VALUE=20.0, UNITS="Mbits/s"))
    assert run.goodput_bps == pytest.approx(20e6)
    assert run.counted.half_width_bps == pytest.approx(20e6 * 0.005 / 4.995)
    assert (run.counted.received_bytes, run.duration_s) == (12_500_000, 5)
    assert (run.file.part, run.protocol, run.stream_count) == ("TCP upload::1", "tcp", 1)
    assert (run.direction, run.file.recorded_by) == (Direction.CLIENT_TO_SERVER, Side.CLIENT)
    assert run.traffic == SentTraffic(segment_bytes=1448, write_bytes=16_384)
    assert (run.tool, run.file.tool_version, run.ip_version) == ("flent", "2.1.1", 4)
    assert (run.is_bidirectional, run.counted.is_at_sender, run.notes) == (False, False, ())


def test_flows_add_up_over_the_time_of_the_longest() -> None:
    first = flow(5.0, 12_500_000, TCP_MSS=1448, SEND_SIZE=16_384)
    run = only(first, flow(4.9, 7_500_000, TCP_MSS=1448, SEND_SIZE=1000))
    assert run.goodput_bps == pytest.approx(8 * 20_000_000 / 5)
    assert (run.counted.received_bytes, run.duration_s, run.stream_count) == (20_000_000, 5, 2)
    assert run.file.part == "2 flows of tcp upload"
    # a size that differs between flows is none of the run
    assert (run.traffic.segment_bytes, run.traffic.write_bytes) == (1448, None)


@pytest.mark.parametrize(
    ("seconds", "starts_s", "apart"),
    [
        ((5.0, 4.75), (), None),
        ((5.0, 4.74), (), "0.26"),
        ((5.0, 5.0), (0.0, 0.25), None),
        ((5.0, 5.0), (0.0, 0.26), "0.26"),
        ((5.0, 4.9), (0.0, 2.5), "2.5"),
        # a start that is not known is with the others
        ((5.0, 5.0), (0.0,), None),
    ],
)
def test_flows_of_one_test_start_and_end_within_a_twentieth(
    seconds: tuple[float, float], starts_s: tuple[float, ...], apart: str | None
) -> None:
    run = only(*(flow(each) for each in seconds), starts_s=starts_s)
    if apart is None:
        assert run.goodput_bps == pytest.approx(8 * 25_000_000 / max(seconds))
        return
    assert run.goodput_bps is None
    assert run.counted.why_no_goodput == (
        f"the 2 flows started or ended up to {apart} s apart: judge a test of parallel flows"
    )


@pytest.mark.parametrize(("seconds", "is_known"), [(0.1, True), (0.09, False), (None, False)])
def test_a_flow_shorter_than_a_tenth_of_a_second_has_no_time(
    seconds: float | None, is_known: bool
) -> None:
    run = only(flow(seconds, 125_000))
    assert (run.duration_s is not None) is is_known
    assert run.goodput_bps == (pytest.approx(1e7) if is_known else None)
    assert (run.counted.why_no_goodput is None) is is_known


@pytest.mark.parametrize("byte_count", [None, 0, -1])
def test_the_mean_of_netperf_stands_in_for_bytes(byte_count: int | None) -> None:
    """19.99 and 10.01 Mbit/s, each in hundredths."""
    means = [flow(5.0, byte_count, MEAN_VALUE=mean, UNITS="Mbit/s") for mean in (19.99, 10.01)]
    run = only(*means)
    assert run.goodput_bps == pytest.approx(30e6)
    assert run.counted.half_width_bps == pytest.approx(2 * 0.005e6)
    assert (run.counted.is_at_sender, run.counted.received_bytes) == (True, None)
    back = [each | {"COMMAND": UPLOAD.replace("STREAM", "MAERTS")} for each in means]
    down = only(*back)
    assert (down.direction, down.counted.is_at_sender) == (Direction.SERVER_TO_CLIENT, False)
    assert down.notes == ()
    # one flow without either leaves the run without
    assert only(means[0], flow(5.0, byte_count)).goodput_bps is None


def test_directions_of_flows_are_measurements_of_their_own() -> None:
    down = flow(5.0, 25_000_000, COMMAND=UPLOAD.replace("STREAM", "MAERTS"))
    first, second = read(document(flow(), down))
    assert {first.direction, second.direction} == {*Direction}
    rates = {run.direction: run.goodput_bps for run in (first, second)}
    assert rates[Direction.CLIENT_TO_SERVER] == pytest.approx(20e6)
    assert rates[Direction.SERVER_TO_CLIENT] == pytest.approx(40e6)
    assert first.is_bidirectional
    assert second.is_bidirectional


@pytest.mark.parametrize(
    ("test", "protocol", "direction"),
    [
        ("TCP_STREAM", "tcp", Direction.CLIENT_TO_SERVER),
        ("TCP_SENDFILE", "tcp", Direction.CLIENT_TO_SERVER),
        ("TCP_MAERTS", "tcp", Direction.SERVER_TO_CLIENT),
        ("UDP_STREAM", "udp", Direction.CLIENT_TO_SERVER),
    ],
)
def test_the_test_of_netperf_says_what_goes_where(
    test: str, protocol: str, direction: Direction
) -> None:
    run = only(flow(COMMAND=UPLOAD.replace("TCP_STREAM", test), SEND_SIZE=1000))
    assert (run.protocol, run.direction, run.goodput_bps) == (protocol, direction, 20e6)
    sizes = (run.traffic.write_bytes, run.traffic.datagram_bytes)
    assert sizes == ((1000, None) if protocol == "tcp" else (None, 1000))
    with pytest.raises(ParseError, match="neither a flow of TCP or UDP nor a ping"):
        read(document(flow(COMMAND=UPLOAD.replace("TCP_STREAM", "TCP_RR"))))
