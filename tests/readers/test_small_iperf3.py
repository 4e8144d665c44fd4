"""A small result of iperf3, made by hand: every field that is read of it."""

import json
from typing import Any

import pytest
import runs
from runs import GONE

from netmodel.consumption import CpuScope, Side
from netmodel.errors import ParseError
from netmodel.readers import CpuUse, Direction, Measurement, read_result


def sender(port: int, windows: tuple[int, int], trips_us: tuple[int, int]) -> dict[str, Any]:
    """One stream of the summary, as its sender reports it."""
    return {
        "sender": {
            "sender": True,
            "max_snd_wnd": windows[0],
            "max_snd_cwnd": windows[1],
            "mean_rtt": trips_us[0],
            "min_rtt": trips_us[1],
            "socket": port,
        }
    }


def interval(*retransmits: int, omitted: bool = False, **more: Any) -> dict[str, Any]:
    streams = [{"retransmits": count, "omitted": omitted, **more} for count in retransmits]
    return {"streams": streams}


def arrived(byte_count: int, seconds: float = 10.5) -> dict[str, Any]:
    """What arrived, from 0.5 s on."""
    rate_bps = 8 * byte_count / (seconds - 0.5)
    return {"start": 0.5, "end": seconds, "bytes": byte_count, "bits_per_second": rate_bps}


RESULT: dict[str, Any] = {
    "start": {
        "connected": [
            {"local_host": "192.0.2.1", "remote_host": "192.0.2.2"},
            {"local_host": "192.0.2.1", "remote_host": "192.0.2.2"},
        ],
        "version": "iperf 3.21",
        "timestamp": {"timesecs": 1000, "timemillisecs": 1_000_250},
        "connecting_to": {"host": "192.0.2.2", "port": 5201},
        "cookie": "biscuit",
        "tcp_mss_default": 1448,
        "tcp_mss": 1000,
        "sock_bufsize": 65_536,
        "test_start": {
            "protocol": "TCP",
            "num_streams": 2,
            "blksize": 131_072,
            "omit": 2,
            "target_bitrate": 30_000_000,
            "reverse": 0,
        },
    },
    "intervals": [
        interval(7, 7, omitted=True, pmtu=9000),
        interval(3, 0, pmtu=1500),
        interval(0, 0),
        interval(1, 2),
    ],
    "end": {
        "streams": [sender(5, (4000, 300), (150, 90)), sender(6, (2000, 500), (250, 80))],
        "sum_sent": {"retransmits": 6, "bits_per_second": 42e6},
        "sum_received": arrived(50_000_000),
        "cpu_utilization_percent": {"host_total": 25.0, "remote_total": 50.0},
        "sender_tcp_congestion": "cubic",
    },
}


def with_values(**values: Any) -> dict[str, Any]:
    """The result with other values at places, or without: their keys joined by two underscores."""
    places = {path.replace("__", "."): value for path, value in values.items()}
    return runs.with_values(RESULT, places)


def only(**values: Any) -> Measurement:
    (run,) = read_result(json.dumps(with_values(**values)).encode(), "iperf3")
    return run


def test_what_arrived_and_how_it_was_set_up() -> None:
    """50 MB in 10 s, two streams of 30 Mbit/s each; begun 2 s after 1000.25 s."""
    run = only()
    assert (run.goodput_bps, run.received_bytes, run.duration_s) == (40e6, 50_000_000, 10)
    assert (run.direction, run.recorded_by) == (Direction.CLIENT_TO_SERVER, Side.CLIENT)
    assert (run.protocol, run.ip_version, run.is_loopback, run.stream_count) == ("tcp", 4, False, 2)
    assert (run.segment_bytes, run.requested_mss_bytes, run.path_mtu_bytes) == (1448, 1000, 9000)
    assert (run.write_bytes, run.datagram_bytes, run.socket_buffer_bytes) == (131_072, None, 65_536)
    assert (run.offered_rate_bps, run.reported_rate_bps) == (60e6, 42e6)
    assert (run.begin_utc_s, run.leaves_out_start) == (1002.25, True)
    assert (run.congestion_control, run.run_id, run.retransmit_count) == ("cubic", "biscuit", 6)
    assert (run.is_bidirectional, run.lost_ratio, run.notes) == (False, None, ())
    assert run.tool_version == "3.21"


def test_windows_of_all_streams_add_up_and_round_trips_are_means() -> None:
    run = only()
    assert (run.peer_window_bytes, run.congestion_window_bytes) == (6000, 800)
    assert run.round_trip_s == pytest.approx(200e-6)
    assert run.least_round_trip_s == pytest.approx(80e-6)
    # two connections lost packets in one second, one in another; the omitted one does not count
    assert run.lossy_interval_count == 3


@pytest.mark.parametrize(
    ("streams", "expected"),
    [
        # of one window that is not known there is no sum
        (
            [sender(5, (4000, 0), (150, 90)), sender(6, (2000, 500), (0, 80))],
            (6000, None, None, 80e-6),
        ),
        ([sender(5, (4000, 300), (150, 90))], (None, None, None, None)),
        ([], (None, None, None, None)),
    ],
)
def test_windows_are_those_of_all_senders_or_of_none(
    streams: list[Any], expected: tuple[Any, ...]
) -> None:
    run = only(end__streams=streams)
    found = (
        run.peer_window_bytes,
        run.congestion_window_bytes,
        run.round_trip_s,
        run.least_round_trip_s,
    )
    assert found == tuple(value and pytest.approx(value) for value in expected)


def test_cpu_time_of_each_end_is_in_percent_of_a_cpu() -> None:
    assert only().cpu == (
        CpuUse(0.25, 40e6, CpuScope.PROCESS, Side.CLIENT),
        CpuUse(0.5, 40e6, CpuScope.PROCESS, Side.SERVER),
    )


def test_older_files_have_whole_seconds_and_fewer_figures() -> None:
    run = only(
        start__timestamp__timemillisecs=GONE,
        start__test_start__omit=GONE,
        start__test_start__target_bitrate=GONE,
        start__cookie=GONE,
        start__tcp_mss=GONE,
        start__sock_bufsize=GONE,
        end__sender_tcp_congestion=GONE,
        end__sum_sent__retransmits=GONE,
        end__streams=GONE,
    )
    assert (run.begin_utc_s, run.leaves_out_start, run.offered_rate_bps) == (1000, False, None)
    assert (run.run_id, run.requested_mss_bytes, run.socket_buffer_bytes) == (None, None, None)
    assert (run.congestion_control, run.retransmit_count) == (None, None)
    assert run.peer_window_bytes is run.round_trip_s is None
    assert only(start__timestamp=GONE).begin_utc_s is None


@pytest.mark.parametrize(
    ("hosts", "is_loopback"),
    [
        (("127.0.0.1", "127.0.0.1"), True),
        (("127.0.0.1", "127.0.0.2"), True),
        (("192.0.2.1", "192.0.2.1"), True),
        (("127.0.0.1", "192.0.2.1"), False),
        (("192.0.2.1", "192.0.2.2"), False),
    ],
)
def test_a_host_that_talks_to_itself_sends_no_frames(
    hosts: tuple[str, str], is_loopback: bool
) -> None:
    connection = {"local_host": hosts[0], "remote_host": hosts[1]}
    run = only(start__connected=[connection, connection])
    assert run.is_loopback is is_loopback
    assert (run.segment_bytes is None) is is_loopback
    assert (run.path_mtu_bytes is None) is is_loopback
    two = only(start__connected=[connection, {"local_host": "::1", "remote_host": "::2"}])
    assert not two.is_loopback


def test_the_path_mtu_is_that_of_the_first_interval_of_a_sender() -> None:
    assert only(intervals=[interval(1, pmtu=1500)]).path_mtu_bytes == 1500
    assert only(intervals=[interval(1), interval(1, pmtu=4000)]).path_mtu_bytes == 4000
    assert only(intervals=[interval(1, pmtu=0), interval(1, pmtu=4000)]).path_mtu_bytes is None
    assert only(intervals=[interval(1)]).path_mtu_bytes is None


@pytest.mark.parametrize("size_bytes", [0, 1, 65_507, 65_508])
def test_a_datagram_has_from_one_byte_to_what_ip_can_hold(size_bytes: int) -> None:
    values: dict[str, Any] = {
        "start__test_start__protocol": "UDP",
        "start__test_start__blksize": size_bytes,
        "end__sum_received": arrived(50_000_000) | {"lost_percent": 20.0},
    }
    if 0 < size_bytes < 65_508:
        run = only(**values)
        assert (run.protocol, run.datagram_bytes, run.write_bytes) == ("udp", size_bytes, None)
        assert (run.lost_ratio, run.goodput_bps) == (0.2, 40e6)
    else:
        with pytest.raises(ParseError, match="blksize must be from 1 to 65507 for UDP; got"):
            only(**values)


@pytest.mark.parametrize(
    ("percent", "goodput_bps", "notes"),
    [
        (0.0, 40e6, 1),
        (20.0, 32e6, 1),
        (100.0, 0.0, 1),
        # more than all of it leaves nothing
        (120.0, 0.0, 2),
    ],
)
def test_old_versions_report_what_was_sent_and_the_share_that_was_lost(
    percent: float, goodput_bps: float, notes: int
) -> None:
    run = only(
        start__test_start__protocol="UDP",
        start__test_start__blksize=1448,
        end__sum_received=GONE,
        end__sum_sent=GONE,
        end__sum=arrived(50_000_000) | {"lost_percent": percent},
    )
    assert run.goodput_bps == pytest.approx(goodput_bps)
    assert run.received_bytes == pytest.approx(goodput_bps * 10 / 8)
    assert run.lost_ratio == percent / 100
    assert run.reported_rate_bps == 40e6
    assert len(run.notes) == notes
    assert "goodput is what was sent, less the share that was lost" in run.notes


@pytest.mark.parametrize(("factor", "is_noted"), [(1.0009, False), (1.0011, True), (0.9, True)])
def test_a_rate_may_differ_from_bytes_and_time_by_a_thousandth(
    factor: float, is_noted: bool
) -> None:
    run = only(end__sum_received=arrived(50_000_000) | {"bits_per_second": 40e6 * factor})
    assert run.goodput_bps == 40e6
    assert any("but its bytes and time give 40 Mbit/s" in note for note in run.notes) is is_noted


def test_both_directions_have_their_own_bytes_and_share_the_cpu_time() -> None:
    bidirectional = with_values(start__test_start__bidir=1)
    bidirectional["end"]["sum_sent_bidir_reverse"] = {"retransmits": 1, "bits_per_second": 9e6}
    bidirectional["end"]["sum_received_bidir_reverse"] = arrived(10_000_000)
    up, down = read_result(json.dumps(bidirectional).encode(), "iperf3")
    assert (up.direction, down.direction) == (
        Direction.CLIENT_TO_SERVER,
        Direction.SERVER_TO_CLIENT,
    )
    assert (up.goodput_bps, down.goodput_bps) == (40e6, 8e6)
    assert (up.retransmit_count, down.retransmit_count) == (6, 1)
    assert (up.reported_rate_bps, down.reported_rate_bps) == (42e6, 9e6)
    assert up.is_bidirectional
    assert down.is_bidirectional
    for run in (up, down):
        assert [(use.busy_cpu_count, use.payload_rate_bps) for use in run.cpu] == [
            (0.25, 48e6),
            (0.5, 48e6),
        ]
        assert len(run.notes) == 1
    # windows are those of the sender at this end
    assert (up.peer_window_bytes, down.peer_window_bytes) == (6000, None)


def test_what_comes_back_to_the_client_has_no_windows_there() -> None:
    run = only(start__test_start__reverse=1)
    assert (run.direction, run.goodput_bps) == (Direction.SERVER_TO_CLIENT, 40e6)
    assert (run.peer_window_bytes, run.lossy_interval_count) == (None, None)
    assert run.retransmit_count == 6


def test_the_server_knows_its_own_cpu_time_alone() -> None:
    accepted = with_values(start__connecting_to=GONE)
    accepted["start"]["accepted_connection"] = {"host": "192.0.2.1", "port": 5}
    (run,) = read_result(json.dumps(accepted).encode(), "iperf3")
    assert run.recorded_by is Side.SERVER
    assert run.cpu == (CpuUse(0.25, 40e6, CpuScope.PROCESS, Side.SERVER),)
