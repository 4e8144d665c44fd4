"""Adapters as calibrated from streams: what they give for other frames, MTUs and messages."""

from typing import Any

import pytest
from paths import STREAM, ends

from netmodel.path import Prediction, SpecifiedPath, Traffic, predict_path, workload_traffic
from netmodel.records import (
    Adapter,
    adapter,
    workload,
)

OSA7S, OSA6S, ROCE = "osa-express7s-25gbe", "osa-express6s-10gbe", "roce-express2.1-25gbe"
OLD_1G, OLD_10G, PLAIN = "osa-express2-1gbe", "osa-express2-10gbe", "ethernet-25gbe"


def responses(connection_count: int) -> Traffic:
    return workload_traffic(workload("rr1c-200x30k"), connection_count)


def between(client: str, server: str, mtu_bytes: int, traffic: Traffic = STREAM) -> Prediction:
    return predict_path(SpecifiedPath(adapter(client), adapter(server)).path(), traffic, mtu_bytes)


def gbps(prediction: Prediction) -> tuple[float, float, float]:
    value, low, high = (float(rate) / 1e9 for rate in ends(prediction.throughput_bps))
    return value, low, high


def times(card: Adapter, direction: str) -> Any:
    result = card.in_ if direction == "in" else card.out
    assert result is not None
    return result


def corners(name: str, direction: str) -> list[tuple[float, float]]:
    """Time for the frame in µs, and for the byte in ns."""
    result = []
    for point in times(adapter(name), direction).points:
        assert point.per_frame is not None
        assert point.per_byte is not None
        result.append((point.per_frame.time_s * 1e6, point.per_byte.time_s * 1e9))
    return result


def is_extrapolated(prediction: Prediction, stage: str) -> bool:
    return any(
        note.startswith(stage) and "extrapolation: calibrated for" in note
        for note in prediction.notes
    )


@pytest.mark.parametrize(
    ("mtu_bytes", "inward", "outward"),
    [
        (2000, (15.589, 18.027), (21.638, 23.896)),
        (3000, (18.570, 24.259), (22.886, 24.259)),
        (4000, (20.504, 24.443), (23.557, 24.443)),
        (6000, (22.865, 24.627), (24.261, 24.627)),
    ],
)
def test_between_the_mtus_osa_express7s_is_a_range(
    mtu_bytes: int, inward: tuple[float, float], outward: tuple[float, float]
) -> None:
    """Of exact figures in the handbook's digits, with their rounding 0.4 % wider."""
    for path, direction, expected in (
        (between(ROCE, OSA7S, mtu_bytes), "in", inward),
        (between(OSA7S, ROCE, mtu_bytes), "out", outward),
    ):
        value, low, high = gbps(path)
        exact = [rate_gbps(corner, mtu_bytes) for corner in corners(OSA7S, direction)[:2]]
        assert (min(exact), max(exact)) == pytest.approx(expected, abs=6e-4)
        assert min(exact) * 0.996 <= low <= min(exact)
        assert max(exact) * (1 - 1e-9) <= high <= max(exact) * 1.004
        assert value == pytest.approx(max(exact))
        stage = "server_adapter_in" if direction == "in" else "client_adapter_out"
        assert not is_extrapolated(path, stage)


def rate_gbps(corner: tuple[float, float], mtu_bytes: int) -> float:
    """Payload rate of full frames by hand, beside a line of 25 Gbit/s."""
    payload_bytes, (frame_us, byte_ns) = mtu_bytes - 52, corner
    slowest_ns = max(frame_us * 1e3 + byte_ns * payload_bytes, (payload_bytes + 90) * 8 / 25)
    return 8 * payload_bytes / slowest_ns


@pytest.mark.parametrize(
    ("client", "server", "gbit"), [(ROCE, OSA7S, 13.4), (OSA7S, ROCE, 20.5), (OSA7S, OSA7S, 13.4)]
)
def test_what_was_printed_comes_back_with_its_rounding(
    client: str, server: str, gbit: float
) -> None:
    result = gbps(between(client, server, 1500))
    assert result == pytest.approx((gbit, gbit - 0.05, gbit + 0.05))


@pytest.mark.parametrize("connection_count", [50, 250])
def test_large_responses_come_out_of_streams(connection_count: int) -> None:
    """
    12.922 Gbit/s in 22 frames where all time is for them; the document prints "around 13".

    The bound is that of the other corner of exact figures: 13.134 Gbit/s, part of it for bytes.
    """
    result = between(OSA7S, OSA7S, 1500, responses(connection_count))
    value, low, high = gbps(result)
    by_corner = [
        8 * 30720 / (22 * frame_us * 1e3 + 30720 * byte_ns)
        for frame_us, byte_ns in corners(OSA7S, "in")[:2]
    ]
    assert by_corner == pytest.approx([12.922, 13.134], abs=5e-4)
    assert value == pytest.approx(max(by_corner))
    assert low == pytest.approx(12.874, abs=5e-4)
    assert high == pytest.approx(13.184, abs=5e-4)
    assert result.binding == "client_adapter_in"
    assert 0.95 * 13 <= low < high <= 1.05 * 13  # slide 19: around 13 Gbit/s


@pytest.mark.parametrize("name", [OSA7S, ROCE])
@pytest.mark.parametrize(("mtu_bytes", "is_known"), [(1400, False), (1500, True), (9200, False)])
def test_frames_outside_the_validity_range_are_noted(
    name: str, mtu_bytes: int, is_known: bool
) -> None:
    result = between(PLAIN, name, mtu_bytes)
    assert is_extrapolated(result, "server_adapter_in") is not is_known


def test_osa_express6s_streams_no_faster_than_a_gain_of_45_per_cent_leaves() -> None:
    """13.45 over 1.45 is 9.276; 5 % below a full line of responses is 8.925."""
    value, low, high = gbps(between(PLAIN, OSA6S, 1500))
    assert high == pytest.approx(13.45 / 1.45)
    assert value == pytest.approx(13.4 / 1.45)
    assert 8.925 <= low < value
    result = between(PLAIN, OSA6S, 1500)
    assert result.binding == "server_adapter_in"
    assert any("assumed" in note for note in result.limit_notes)
    assert gbps(between(OSA6S, PLAIN, 1500))[0] == pytest.approx(10 * 1448 / 1538)


@pytest.mark.parametrize(("mtu_bytes", "mebibyte_rate"), [(1492, 112.05), (8992, 117.95)])
def test_osa_express2_of_one_gigabit_did_what_was_printed(
    mtu_bytes: int, mebibyte_rate: float
) -> None:
    """Tables 9 and 10, to the rounding of the figure, which is just below the line."""
    value, low, _ = gbps(between("ethernet-1gbe", OLD_1G, mtu_bytes))
    assert value == pytest.approx((mtu_bytes - 52) / (mtu_bytes + 38))
    assert low == pytest.approx(mebibyte_rate * 2**20 * 8 / 1e9)


def test_osa_express2_of_ten_gigabit_is_known_to_do_what_was_seen() -> None:
    """157 MiB/s in table 12, as a whole number, which nothing says to be its limit."""
    result = between("ethernet-10gbe", OLD_10G, 1492)
    value, low, _ = gbps(result)
    assert value == pytest.approx(10 * 1440 / 1530)
    assert low == pytest.approx(156.5 * 2**20 * 8 / 1e9)
    assert result.binding == "wire_to_server"
