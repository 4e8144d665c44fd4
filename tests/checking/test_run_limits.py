"""Limits that a run reports of itself, and of its hosts."""

import dataclasses
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from runs import EVEN_CEILING_BPS, EVEN_LINE, document, run, sample

from netmodel.checking import Gate, Outcome, SpecifiedHost, SpecifiedLine, check, check_file
from netmodel.checking._limits import Limit
from netmodel.checking._run_limits import run_limits
from netmodel.consumption import CpuScope, Side
from netmodel.errors import DomainError
from netmodel.readers import Counters, CpuUse, Measurement, interface_load, read_result

read_iperf3 = partial(read_result, format_name="iperf3")

WINDOWED = {"round_trip_s": 10e-3, "segment_bytes": 1448}


def limit(
    measurement: Measurement, name: str, specified: SpecifiedLine = EVEN_LINE
) -> Limit | None:
    result = {each.name: each for each in run_limits(measurement, specified).limits}
    return result.get(name)


def whole_host(busy: float, installed: int | None, side: Side = Side.CLIENT) -> CpuUse:
    return CpuUse(busy, EVEN_CEILING_BPS, CpuScope.SYSTEM, side, installed)


def test_more_busy_cpus_than_there_are_are_impossible(tmp_path: Path) -> None:
    """75,060 a second times 0.22 ms are 16.5 CPUs; 9.4 Gbit/s at 400,000 µs/Gbit are 3.8 of 4."""
    table = tmp_path / "mine.csv"
    table.write_text(
        "throughput_gbps,transaction_rate_tps,cpu_ms_per_transaction,cpu_us_per_gbit,side,"
        "cpu_scope,cpu_count,protocol\n"
        "0.721,75060,0.22,,client,system,8,tcp\n"
        "9.400,,,400000,server,system,4,tcp\n"
    )
    many, few = check_file(table, SpecifiedLine(line_rate_bps=10e9, mtu_bytes=1500))
    assert many.outcome is Outcome.IMPOSSIBLE
    assert many.reason.startswith("client: 16.51 CPUs would be busy, of 8 that it has")
    assert few.outcome is Outcome.AT_CEILING


# Window


def test_the_window_that_the_peer_advertised_counts_over_the_round_trip() -> None:
    """20 272 byte over 10.85 ms: 14.947 Mbit/s; two segments less are 12.812."""
    result = limit(
        run(peer_window_bytes=20_272, **(WINDOWED | {"round_trip_s": 10.85e-3})), "window"
    )
    assert result is not None
    assert result.value_bps == pytest.approx(14.9471e6, rel=1e-5)
    assert result.bounds_bps == pytest.approx((12.8118e6, 14.9471e6), rel=1e-5)
    assert "advertised window of 20272 byte" in result.carrier


def test_connections_have_two_segments_each_to_wait_for() -> None:
    message = {"peer_window_bytes": 83_984, "stream_count": 2}
    result = limit(run(**WINDOWED, **message), "window")
    assert result is not None
    assert result.low_bps == pytest.approx(8 * (83_984 - 4 * 1448) / 10e-3)


def test_a_window_of_a_segment_may_be_used_by_half() -> None:
    result = limit(run(peer_window_bytes=576, **WINDOWED), "window")
    assert result is not None
    assert result.bounds_bps == pytest.approx((8 * 288 / 10e-3, 8 * 576 / 10e-3))


def test_only_a_buffer_that_was_asked_for_leaves_a_range() -> None:
    result = limit(run(socket_buffer_bytes=16_384, stream_count=2, **WINDOWED), "window")
    assert result is not None
    whole_bps = 8 * 2 * 16_384 / 10e-3
    assert result.value_bps == pytest.approx(whole_bps)
    assert result.bounds_bps == pytest.approx((whole_bps / 2, whole_bps * 2))
    assert "socket buffers of 16384 byte" in result.carrier


def test_what_the_peer_advertised_goes_before_what_was_asked_for() -> None:
    message = {"socket_buffer_bytes": 16_384, "peer_window_bytes": 20_272}
    result = limit(run(**message, **WINDOWED), "window")
    assert result is not None
    assert result.value_bps == pytest.approx(8 * 20_272 / 10e-3)


def test_a_specified_round_trip_goes_before_that_of_the_run() -> None:
    specified = SpecifiedLine(1538e6, 1500, round_trip_s=20e-3)
    for message in (WINDOWED, {"round_trip_s": None}):
        result = limit(run(peer_window_bytes=20_272, **message), "window", specified)
        assert result is not None
        assert result.value_bps == pytest.approx(8 * 20_272 / 20e-3)


def test_no_window_limit_without_a_round_trip_or_a_window() -> None:
    assert limit(run(peer_window_bytes=20_272), "window") is None
    assert limit(run(round_trip_s=1e-3), "window") is None


@pytest.mark.parametrize("reported", [{"peer_window_bytes": 0}, {"socket_buffer_bytes": 0}])
def test_a_window_of_nothing_is_one_that_is_not_reported(reported: dict[str, int]) -> None:
    assert limit(run(**reported, **WINDOWED), "window") is None
    assert limit(run(peer_window_bytes=20_272, round_trip_s=0.0), "window") is None


def test_datagrams_wait_for_no_window() -> None:
    """iperf3 -u -w 16K, judged with a specified round trip."""
    message = {"protocol": "udp", "datagram_bytes": 1472, "socket_buffer_bytes": 16_384}
    specified = SpecifiedLine(1538e6, 1500, round_trip_s=10e-3)
    assert limit(run(**message), "window", specified) is None
    assert limit(run(socket_buffer_bytes=16_384), "window", specified) is not None


@pytest.mark.parametrize(("least_s", "most_bps"), [(8e-3, 20e6), (None, 16e6), (12e-3, 16e6)])
def test_a_window_lets_most_through_over_the_smallest_round_trip(
    least_s: float | None, most_bps: float
) -> None:
    """20 000 byte are 20 Mbit/s over 8 ms and 16 Mbit/s over 10 ms."""
    message = run(peer_window_bytes=20_000, least_round_trip_s=least_s, **WINDOWED)
    result = limit(message, "window")
    assert result is not None
    assert (result.value_bps, result.bounds_bps[1]) == pytest.approx((16e6, most_bps))


def test_a_specified_round_trip_goes_before_the_smallest_of_the_run() -> None:
    specified = SpecifiedLine(1538e6, 1500, round_trip_s=20e-3)
    message = run(peer_window_bytes=20_000, least_round_trip_s=1e-3, **WINDOWED)
    result = limit(message, "window", specified)
    assert result is not None
    assert (result.value_bps, result.bounds_bps[1]) == pytest.approx((8e6, 8e6))


def test_a_wire_that_is_full_through_a_window_with_queues_is_at_its_ceiling() -> None:
    message = {"peer_window_bytes": 3_000_000, "round_trip_s": 17.5e-3, "segment_bytes": 1448}
    full = run(EVEN_CEILING_BPS, duration_s=10.0, **message)
    assert check(full, EVEN_LINE).outcome is Outcome.AT_CEILING
    queued = dataclasses.replace(full, least_round_trip_s=1e-3)
    assert check(queued, EVEN_LINE).outcome is Outcome.AT_CEILING


@pytest.mark.parametrize(
    ("measured_bps", "outcome"),
    [(14.60e6, "limited"), (12.9e6, "limited"), (12e6, "below"), (16e6, "below")],
)
def test_a_small_window_explains_and_never_passes(measured_bps: float, outcome: str) -> None:
    """What iperf3 -w 16K reached over 10 ms of round trip, and what its window does not explain."""
    message = {"peer_window_bytes": 20_272, "segment_bytes": 1448, "round_trip_s": 10.85e-3}
    verdict = check(run(measured_bps, duration_s=10.0, **message), EVEN_LINE)
    assert verdict.binding is not None
    name = "window" if outcome == "limited" else "wire"
    assert (verdict.binding.name, verdict.outcome.value) == (name, outcome)
    assert ("its advertised window of 20272 byte" in verdict.reason) is (outcome == "limited")
    assert verdict.ratio == pytest.approx(measured_bps / EVEN_CEILING_BPS)
    assert not verdict.passes


@pytest.mark.parametrize("key", ["max_snd_wnd", "max_snd_cwnd", "mean_rtt", "min_rtt"])
def test_each_figure_of_a_sender_is_read_for_itself(key: str) -> None:
    message = {"peer_window_bytes", "congestion_window_bytes", "round_trip_s", "least_round_trip_s"}
    gone = {
        "max_snd_wnd": "peer_window_bytes",
        "max_snd_cwnd": "congestion_window_bytes",
        "mean_rtt": "round_trip_s",
        "min_rtt": "least_round_trip_s",
    }[key]
    name = "line_200m_mtu1500_ts1_v4.json"
    (before,) = read_iperf3(sample(name))
    assert (before.peer_window_bytes, before.congestion_window_bytes) == (1_736_704, 360_552)
    assert before.round_trip_s == pytest.approx(2702e-6)
    assert before.least_round_trip_s == pytest.approx(1788e-6)
    whole = document(name)
    whole["end"]["streams"][0]["sender"][key] = 0
    (measured,) = read_iperf3(whole)
    assert {name for name in message if getattr(measured, name) is None} == {gone}


# Offered rate


def test_a_rate_that_the_sender_kept_to_explains_and_never_passes() -> None:
    verdict = check(run(100e6, offered_rate_bps=100e6, duration_s=10.0), EVEN_LINE)
    assert verdict.outcome is Outcome.LIMITED
    assert verdict.binding.name == "offered_rate"
    assert verdict.binding.bounds_bps == (100e6, 100e6)
    assert "limited by the rate limit of the sender" in verdict.reason
    assert "0.0691 of the 1.448 Gbit/s that the wire carries" in verdict.reason


def test_a_limit_that_is_accepted_passes_on_purpose() -> None:
    paced = run(100e6, offered_rate_bps=100e6, duration_s=10.0)
    accepted = check(paced, EVEN_LINE, Gate(accepted=frozenset({"offered_rate"})))
    assert (accepted.outcome, accepted.passes) == (Outcome.LIMITED, True)
    other = check(paced, EVEN_LINE, Gate(accepted=frozenset({"window"})))
    assert (other.outcome, other.passes) == (Outcome.LIMITED, False)
    slow = check(
        run(50e6, offered_rate_bps=100e6, duration_s=10.0),
        EVEN_LINE,
        Gate(accepted=frozenset({"offered_rate"})),
    )
    assert (slow.outcome, slow.passes) == (Outcome.BELOW, False)


@pytest.mark.parametrize("retransmits", [0, 4, None])
def test_a_rate_below_the_floor_limits_whatever_its_retransmissions_allow(
    retransmits: int | None,
) -> None:
    """180 of 188 Mbit/s, kept to by the sender, in a run so short that a timeout takes 10 %."""
    message = {"duration_s": 2.0, "stream_count": 4, "retransmit_count": retransmits}
    paced = run(0.957 * EVEN_CEILING_BPS, offered_rate_bps=0.957 * EVEN_CEILING_BPS, **message)
    assert check(paced, EVEN_LINE).outcome is Outcome.LIMITED


def test_a_limit_explains_only_what_is_near_it() -> None:
    """0.88 of the offered rate, in a run whose timeouts allow 20 %."""
    message = {"duration_s": 1.0, "retransmit_count": 5, "offered_rate_bps": 100e6}
    verdict = check(run(88e6, **message), EVEN_LINE, Gate(accepted=frozenset({"offered_rate"})))
    assert (verdict.outcome, verdict.passes) == (Outcome.BELOW, False)


def test_a_rate_cap_that_is_specified_is_a_limit_like_the_line() -> None:
    line = dataclasses.replace(EVEN_LINE, rate_cap_bps=100e6)
    for measured_bps, outcome in ((99.5e6, "at_ceiling"), (90e6, "below"), (103e6, "impossible")):
        verdict = check(run(measured_bps, duration_s=60.0), line)
        assert (verdict.outcome.value, verdict.binding.name) == (outcome, "rate_cap")


def test_a_rate_above_the_wire_does_not_bind() -> None:
    verdict = check(run(offered_rate_bps=2e9), EVEN_LINE)
    assert verdict.binding is not None
    assert verdict.binding.name == "wire"
    assert [each.name for each in verdict.limits.limits] == ["wire", "offered_rate"]


# CPUs


def test_installed_cpus_over_a_specified_cost_are_a_limit() -> None:
    """Four CPUs at 8000 µs/Gbit move 500 Mbit/s."""
    specified = SpecifiedLine(1538e6, 1500, server=SpecifiedHost(4, 8e6))
    verdict = check(run(500e6, duration_s=10.0), specified)
    assert verdict.outcome is Outcome.AT_CEILING
    assert verdict.binding is not None
    assert verdict.binding.name == "server_cpu_budget"
    assert verdict.binding.value_bps == pytest.approx(500e6)


@pytest.mark.parametrize(("share", "outcome"), [(0.996, "limited"), (0.5, "below")])
def test_a_regression_of_cpu_cost_does_not_move_its_own_gate(share: float, outcome: str) -> None:
    """2 of 10 Gbit/s with every CPU busy is explained, and no pass."""
    use = CpuUse(4 * share, 2e9, CpuScope.SYSTEM, Side.SERVER, 4)
    verdict = check(run(2e9, duration_s=30.0, cpu=(use,)), SpecifiedLine(10e9, 1500))
    assert (verdict.outcome.value, verdict.passes) == (outcome, False)
    assert ("99.6 % of its 4 CPUs busy" in verdict.reason) is (outcome == "limited")


@pytest.mark.parametrize(
    ("version", "streams", "outcome"),
    [("3.12", 4, "limited"), ("3.16", 4, "below"), ("3.16", 1, "limited"), (None, 1, "limited")],
)
def test_a_busy_process_explains_by_its_threads(
    version: str | None, streams: int, outcome: str
) -> None:
    """iperf3 before 3.16 serves all streams with one thread."""
    use = CpuUse(0.99, 2e9, CpuScope.PROCESS, Side.CLIENT)
    message = {"tool_version": version, "stream_count": streams, "cpu": (use,), "duration_s": 30.0}
    verdict = check(dataclasses.replace(run(2e9), **message), SpecifiedLine(10e9, 1500))
    assert verdict.outcome.value == outcome


@pytest.mark.parametrize(
    ("tool", "version", "streams", "is_bidirectional", "busy_cpus", "is_limit"),
    [
        ("iperf3", "3.17.1", 1, True, 1.18, False),  # two threads, about 0.6 each
        ("iperf3", "3.17.1", 1, True, 0.99, False),
        ("iperf3", "3.17.1", 1, True, 1.95, True),
        ("iperf3", "3.12", 1, True, 0.99, True),  # a single thread
        ("iperf3", "3.17.1", 1, False, 5.34, False),  # more than one thread can use
        ("ntttcp", "1.4.0", None, False, 5.34, False),  # of 17 threads
        ("ntttcp", "1.4.0", None, False, 0.99, False),
        ("nuttcp", "6.1.2", None, False, 0.99, True),
        ("nuttcp", "6.1.2", 4, False, 0.99, True),
    ],
)
def test_a_process_is_a_limit_where_all_its_threads_are_busy(
    tool: str,
    version: str,
    streams: int | None,
    is_bidirectional: bool,
    busy_cpus: float,
    is_limit: bool,
) -> None:
    """iperf3 has a thread for each stream and direction from 3.16 on, nuttcp one in all."""
    use = CpuUse(busy_cpus, 2e9, CpuScope.PROCESS, Side.CLIENT)
    message = {"tool_version": version, "stream_count": streams, "cpu": (use,)}
    measured = dataclasses.replace(
        run(2e9), tool=tool, is_bidirectional=is_bidirectional, **message
    )
    assert (limit(measured, "client_process") is not None) is is_limit


@pytest.mark.parametrize("specified", [SpecifiedHost(), SpecifiedHost(cpu_count=4)])
def test_the_cost_of_the_run_counts_where_it_is_that_of_the_whole_host(
    specified: SpecifiedHost,
) -> None:
    line = SpecifiedLine(1538e6, 1500, client=specified)
    result = limit(run(cpu=(whole_host(3.0, installed=4),)), "client_cpus", line)
    assert result is not None
    assert result.value_bps == pytest.approx(EVEN_CEILING_BPS * 4 / 3)


def test_a_cost_without_a_number_of_cpus_is_no_budget() -> None:
    line = SpecifiedLine(1538e6, 1500, client=SpecifiedHost(us_per_gbit=1e6))
    verdict = check(run(cpu=(whole_host(3.0, installed=4),)), line)
    assert [each.name for each in verdict.limits.specified] == ["wire"]
    assert any("--client-cpus" in warning for warning in verdict.notes)


def test_specified_cpus_go_before_those_that_the_run_tells() -> None:
    line = SpecifiedLine(1538e6, 1500, client=SpecifiedHost(cpu_count=8))
    verdict = check(run(cpu=(whole_host(3.0, installed=4),)), line)
    assert verdict.limits is not None
    (result,) = (each for each in verdict.limits.limits if each.name == "client_cpus")
    assert result.value_bps == pytest.approx(EVEN_CEILING_BPS * 8 / 3)
    assert verdict.notes == ()


@pytest.mark.parametrize(
    ("reported", "host", "words"),
    [
        ({}, SpecifiedHost(us_per_gbit=1e6), "only with a number of CPUs"),
        ({}, SpecifiedHost(cpu_count=4), "only with a cost"),
    ],
)
def test_half_of_what_is_needed_is_said_and_no_limit(
    reported: dict[str, Any], host: SpecifiedHost, words: str
) -> None:
    verdict = check(run(**reported), SpecifiedLine(1538e6, 1500, client=host))
    assert any(words in warning for warning in verdict.notes)
    assert [each.name for each in verdict.limits.limits] == ["wire"]


@pytest.mark.parametrize("busy_cpus", [0.95, 1.0, 1.02])
def test_a_process_with_one_thread_is_limited_by_one_cpu(busy_cpus: float) -> None:
    """All of a CPU is within 5 %: it may be that the rate is reached, or that 95 % of it are."""
    use = CpuUse(busy_cpus, 7e8, CpuScope.PROCESS, Side.CLIENT)
    result = limit(run(7e8, cpu=(use,), stream_count=1), "client_process")
    assert result is not None
    assert result.value_bps == pytest.approx(7e8 / busy_cpus)
    ends = (0.95 * 7e8 / busy_cpus, 7e8 * max(1, 1 / busy_cpus))
    assert result.bounds_bps == pytest.approx(ends)


@pytest.mark.parametrize(
    "use",
    [
        CpuUse(0.9, EVEN_CEILING_BPS, CpuScope.PROCESS, Side.CLIENT, 4),
        CpuUse(0.9, EVEN_CEILING_BPS, CpuScope.SYSTEM, Side.CLIENT),
        CpuUse(0.0, EVEN_CEILING_BPS, CpuScope.SYSTEM, Side.CLIENT, 4),
    ],
)
def test_cpu_time_of_a_process_or_of_unknown_cpus_is_no_limit(use: CpuUse) -> None:
    assert limit(run(cpu=(use,)), "client_cpus") is None


def test_a_run_without_goodput_has_no_limit_from_its_own_cost() -> None:
    assert limit(run(0.0, cpu=(whole_host(3.0, 4),)), "client_cpus") is None


@pytest.mark.parametrize(
    "specified",
    [
        SpecifiedLine(1e9, 1500, round_trip_s=0.0),
        SpecifiedLine(1e9, 1500, round_trip_s=float("nan")),
        SpecifiedLine(1e9, 1500, client=SpecifiedHost(cpu_count=0)),
        SpecifiedLine(1e9, 1500, server=SpecifiedHost(us_per_gbit=0.0)),
        SpecifiedLine(1e9, 1500, server=SpecifiedHost(us_per_gbit=-1.0)),
    ],
)
def test_hosts_and_round_trips_that_cannot_be_are_refused(specified: SpecifiedLine) -> None:
    with pytest.raises(DomainError):
        check(run(), specified)


# Frames


def frames(frame_rate_fps: float, wire_bytes: float = 1538.0, **reported: Any) -> Measurement:
    layer1_bps = 8 * wire_bytes * frame_rate_fps
    return run(None, frame_rate_fps=frame_rate_fps, layer1_rate_bps=layer1_bps, **reported)


def test_a_frame_in_two_seconds_is_judged_too() -> None:
    assert check(frames(0.5, duration_s=10.0), SpecifiedLine(10e9)).outcome is Outcome.BELOW


def test_frames_are_judged_in_frames_per_second() -> None:
    """10 Gbit/s carry 812 743.8 frames of 1518 byte, and 20 byte around each, per second."""
    verdict = check(frames(812_700.0, duration_s=10.0), SpecifiedLine(10e9))
    assert verdict.outcome is Outcome.AT_CEILING
    assert (
        "812,700 frames/s is 0.9999 of the 812,744 frames/s that the wire carries" in verdict.reason
    )
    result = verdict.to_dict()
    assert (result["goodput_bps"], result["ceiling_bps"]) == (None, None)
    assert result["frame_rate_fps"] == 812_700.0
    assert result["ceiling_fps"] == pytest.approx(812_743.82)
    (wire,) = result["limits"]
    assert (wire["name"], set(wire)) == ("wire", {"name", "specified", "value_fps", "margin_ratio"})
    assert wire["value_fps"] == pytest.approx(812_743.82)


@pytest.mark.parametrize(
    ("rate_fps", "outcome"), [(500e3, Outcome.BELOW), (900e3, Outcome.IMPOSSIBLE)]
)
def test_too_few_and_too_many_frames(rate_fps: float, outcome: Outcome) -> None:
    assert check(frames(rate_fps), SpecifiedLine(10e9)).outcome is outcome


def test_the_smallest_frames_are_judged_as_they_are() -> None:
    """RFC 2544: 1 488 095 frames of 64 byte per second on 1 Gbit/s."""
    verdict = check(frames(1_488_095.0, wire_bytes=84.0, duration_s=60.0), SpecifiedLine(1e9))
    assert verdict.outcome is Outcome.AT_CEILING
    assert verdict.to_dict()["ceiling_fps"] == pytest.approx(1_488_095.24, rel=1e-8)


def test_counters_of_aggregates_are_distinguished_from_frames() -> None:
    verdict = check(frames(10_000.0, wire_bytes=43_000.0), SpecifiedLine(10e9))
    assert any("offloads hide" in warning for warning in verdict.notes)
    assert check(frames(10_000.0, wire_bytes=9258.0), SpecifiedLine(10e9)).notes == ()


def test_what_an_interface_counted_is_judged_in_frames_per_second() -> None:
    """Frames of 1514 byte, 24 more on the wire, for 10 s of 1 Gbit/s: 81 274 per second."""
    before, after = (
        Counters(
            source="x",
            raw_text="",
            sha256="",
            tool="ip",
            counts={"eth0": {"rx_bytes": 1514 * count, "rx_packets": count}},
        )
        for count in (0, 812_000)
    )
    load = interface_load(before, after, 10.0, "eth0", "in", mtu_bytes=1500, line_rate_bps=1e9)
    verdict = check(load.measurement, SpecifiedLine(1e9))
    assert verdict.outcome is Outcome.AT_CEILING
    assert verdict.ratio == pytest.approx(load.utilisation_ratio)
    assert verdict.to_dict()["ceiling_fps"] == pytest.approx(1e9 / 8 / 1538)


@pytest.mark.parametrize("reported", [{"frame_rate_fps": 0.0}, {"layer1_rate_bps": 0.0}])
def test_an_idle_port_is_not_judgeable_and_stops_nothing(reported: dict[str, float]) -> None:
    idle = dataclasses.replace(frames(1e6), **reported)
    verdict = check(idle, SpecifiedLine(10e9))
    assert (verdict.outcome, verdict.reason) == (Outcome.NOT_JUDGEABLE, "no frame was counted")


def test_a_version_of_thousands_of_digits_is_no_version() -> None:
    """Python turns no text of more than 4300 digits into a number."""
    process = CpuUse(0.99, 1e9, CpuScope.PROCESS, Side.CLIENT)
    run = Measurement(
        source="a.json",
        sha256="",
        tool="iperf3",
        tool_version="3" * 5001 + ".1",
        protocol="tcp",
        goodput_bps=1e9,
        stream_count=8,
        cpu=(process,),
    )
    limits = run_limits(run, SpecifiedLine(25e9, mtu_bytes=1500))
    assert "client_process" not in {limit.name for limit in limits.reported}
