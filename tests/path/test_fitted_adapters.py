"""Adapters whose records have service times: as plain figures, as corners, or as samples."""

from pathlib import Path as File
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from paths import STREAM, ends

from netmodel.consumption import Side
from netmodel.path import Joint, Prediction, SpecifiedPath, predict_path
from netmodel.path.from_records import adapter_stages
from netmodel.records import Adapter, adapter, write_record
from netmodel.units import format_time

OSA = adapter("osa-express7s-25gbe")
PEER = adapter("ethernet-25gbe")
SOURCED = {"source": "lab.csv", "locator": "all rows", "grade": "fitted", "note": "three runs"}
CORNERS = (
    {"per_frame": "0.8 µs", "per_byte": "0 ns"},
    {"per_frame": "0.4 µs", "per_byte": "0.3 ns"},
)
SEEN = {
    "quantity": "payload_rate",
    "direction": "in",
    "mtu_bytes": 1500,
    "value": 2,
    "unit": "Gbit/s",
}


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> File:
    return tmp_path_factory.mktemp("adapters")


def made(directory: File, **tables: Any) -> Adapter:
    document = {"title": "mine", "kind": "own", "line_rate": "25 Gbit/s", "defaults": SOURCED}
    named = {name.rstrip("_"): table for name, table in tables.items()}
    card = write_record(directory / "mine.toml", document | named, "adapters")
    assert isinstance(card, Adapter)
    return card


def received(card: Adapter, mtu_bytes: int) -> Prediction:
    return predict_path(SpecifiedPath(PEER, card).path(), STREAM, mtu_bytes)


def plain(point: dict[str, str]) -> dict[str, str]:
    """The same with enough digits that rounding does not matter."""
    return {name: time.replace(" ", "000000000000 ") for name, time in point.items()}


@given(mtu_bytes=st.integers(1500, 9000))
def test_times_of_a_record_predict_what_the_limits_they_come_from_do(
    directory: File, mtu_bytes: int
) -> None:
    """The corners that two observations leave, written as a record and read again."""
    times = adapter_stages(OSA, Side.SERVER)[1].to_server
    assert isinstance(times.per_frame_s, Joint)
    assert isinstance(times.per_byte_s, Joint)
    points = zip(times.per_frame_s.values, times.per_byte_s.values, strict=True)
    vertices = [
        {"per_frame": format_time(frame_s), "per_byte": format_time(byte_s)}
        for frame_s, byte_s in points
    ]
    known = received(made(directory, in_={"vertices": vertices}), mtu_bytes).throughput_bps
    expected = received(OSA, mtu_bytes).throughput_bps
    assert ends(known)[1:] == pytest.approx(ends(expected)[1:], rel=1e-9)
    assert known.bound is expected.bound


@given(mtu_bytes=st.integers(600, 9000), form=st.sampled_from(["vertices", "samples"]))
def test_the_range_is_that_of_the_points_with_their_highest_or_first_to_quote(
    directory: File, mtu_bytes: int, form: str
) -> None:
    rates = received(made(directory, in_={form: CORNERS}), mtu_bytes).throughput_bps
    each = [
        received(made(directory, in_=plain(point)), mtu_bytes).throughput_bps.value
        for point in CORNERS
    ]
    value = max(each) if form == "vertices" else each[0]
    assert ends(rates) == pytest.approx((value, min(each), max(each)), rel=1e-9)


def test_times_are_taken_and_what_was_seen_is_not(directory: File) -> None:
    seen = [SEEN, SEEN | {"direction": "out"}]
    card = made(directory, in_={"vertices": CORNERS}, observations=seen)
    _, inward = adapter_stages(card, Side.SERVER)
    assert inward.to_server.per_frame_s == Joint((0.8e-6, 0.4e-6), of="mine in")
    assert received(card, 1500).throughput_bps.value == pytest.approx(8 * 1448 / 0.8e-6)


def test_a_time_without_an_upper_end_is_noted(directory: File) -> None:
    prediction = received(made(directory, in_={"per_frame": "at least 0.8 µs"}), 1500)
    assert "in.per_frame of mine is at least 0.8 µs: assumed exact" in (prediction.notes)
