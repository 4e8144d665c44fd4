"""Adapters of your own: every limit that was seen counts, at the frames with which it was seen."""

import math
from decimal import Decimal
from pathlib import Path as File
from typing import Any

import numpy as np
import pytest
from paths import STREAM, ends

from netmodel.consumption import Side
from netmodel.errors import ContradictionError
from netmodel.path import (
    Joint,
    Prediction,
    Times,
    Traffic,
    adapter_path,
    adapter_stages,
    predict_path,
)
from netmodel.records import Adapter, Grade, adapter

HEAD = """title = "x"
kind = "own"
[defaults]
source = "notes"
locator = "page 1"
grade = "measured"
[line_rate]
value = 25
unit = "Gbit/s"
"""
LINE = ("line_rate", "censored_above", "25")


def predicted(
    directory: File,
    seen: dict[int, tuple[str, str, str]],
    mtu_bytes: int,
    traffic: Traffic = STREAM,
) -> Prediction:
    """Quantity, relation and Gbit/s by MTU, all of what it receives."""
    rows = (
        f'[[observations]]\nquantity = "{quantity}"\ndirection = "in"\nmtu_bytes = {mtu}\n'
        f'relation = "{relation}"\nvalue = {value}\nunit = "Gbit/s"\n'
        for mtu, (quantity, relation, value) in seen.items()
    )
    file = directory / "mine.toml"
    file.write_text(HEAD + "".join(rows), encoding="utf-8")
    path = adapter_path(adapter("ethernet-25gbe"), adapter(file))
    return predict_path(path, traffic, mtu_bytes)


@pytest.mark.parametrize(("mtu", "gbit", "half_width"), [(1500, 13.4, 0.05), (3000, 20.0, 0.05)])
def test_two_limits_hold_where_each_was_seen(
    mtu: int, gbit: float, half_width: float, tmp_path: File
) -> None:
    seen = {
        1500: ("payload_rate", "equal", "13.4"),
        3000: ("payload_rate", "equal", "20.0"),
        9000: LINE,
    }
    rates = np.array(ends(predicted(tmp_path, seen, mtu).throughput_bps)) / 1e9
    assert rates == pytest.approx([gbit, gbit - half_width, gbit + half_width])


def test_the_smallest_frame_that_fills_the_line_bounds_most(tmp_path: File) -> None:
    seen = {1500: ("payload_rate", "equal", "13.4"), 4000: LINE, 9000: LINE}
    rates = predicted(tmp_path, seen, 4000).throughput_bps
    assert rates.low == pytest.approx(25e9 * 3948 / 4038)


@pytest.mark.parametrize(
    ("filled", "text"),
    [((4000,), "3948 B"), ((1500, 4000, 9000), "1448 to 8948 B")],
)
def test_frames_beyond_those_that_filled_the_line_are_an_extrapolation(
    filled: tuple[int, ...], text: str, tmp_path: File
) -> None:
    """No limit was seen: whether smaller frames fill the line, or larger ones, is assumed."""
    seen = dict.fromkeys(filled, LINE)
    note = f"filled its line with {text} of payload: assumed to with other sizes"
    for mtu in (filled[0] - 1, filled[0], filled[-1], filled[-1] + 1):
        prediction = predicted(tmp_path, seen, mtu)
        is_beyond = not filled[0] <= mtu <= filled[-1]
        assert any(note in text for text in prediction.notes) is is_beyond, mtu


def test_a_rate_of_the_line_counts_headers_too(tmp_path: File) -> None:
    seen = {1500: ("line_rate", "equal", "13.4")}
    rate = predicted(tmp_path, seen, 1500).throughput_bps.value
    assert rate == pytest.approx(13.4e9 * 1448 / 1538)


def test_limits_that_no_times_allow(tmp_path: File) -> None:
    seen = {1500: ("payload_rate", "equal", "13.4"), 3000: ("payload_rate", "equal", "10.0")}
    with pytest.raises(ContradictionError, match="cannot be together"):
        predicted(tmp_path, seen, 1500)


SOURCED = {"source": "notes", "locator": "page 1", "grade": "measured"}


def card(*seen: dict[str, Any], kind: str = "own") -> Adapter:
    line_rate = {"value": 25, "unit": "Gbit/s", **SOURCED}
    rows = [{"direction": "in", "unit": "Gbit/s", **SOURCED, **row} for row in seen]
    return Adapter(id="mine", title="mine", kind=kind, line_rate=line_rate, observations=rows)


def limit(mtu_bytes: int, gbit: str, **more: Any) -> dict[str, Any]:
    row = {"quantity": "payload_rate", "mtu_bytes": mtu_bytes, "value": Decimal(gbit)}
    return row | more


def inward(*seen: dict[str, Any], kind: str = "own") -> Times:
    return adapter_stages(card(*seen, kind=kind), Side.SERVER)[1].to_server


def points(times: Times) -> tuple[list[tuple[float, float]], int | None]:
    """Times of a frame and of a byte that go together, in µs and ns, and how many are printed."""
    frame, byte = times.per_frame_s, times.per_byte_s
    assert isinstance(frame, Joint)
    assert isinstance(byte, Joint)
    assert frame.of == byte.of == "mine in"
    pairs = zip(frame.values, byte.values, strict=True)
    return [(frame_s * 1e6, byte_s * 1e9) for frame_s, byte_s in pairs], frame.printed_count


def test_one_limit_is_the_time_of_a_frame_however_it_divides() -> None:
    """8 * 1448 bit at 13.4 Gbit/s (13.35 to 13.45): 0.8645 µs a frame, or 0.597 ns a byte."""
    known, printed_count = points(inward(limit(1500, "13.4")))
    assert printed_count == 2
    ends_us = [8 * 1448 / gbit * 1e-3 for gbit in (13.4, 13.35, 13.45)]
    expected = [
        *((ends_us[0], 0.0), (0.0, ends_us[0] / 1.448)),
        *((each_us, 0.0) for each_us in ends_us[1:]),
        *((0.0, each_us / 1.448) for each_us in ends_us[1:]),
    ]
    assert known[:2] == [pytest.approx(each) for each in expected[:2]]
    assert sorted(known[2:]) == [pytest.approx(each) for each in sorted(expected[2:])]


def test_two_limits_are_a_time_of_each_frame_and_one_of_each_byte() -> None:
    """0.864478 µs with 1448 byte and 1.1792 µs with 2948: 0.2098 ns a byte, 0.5607 µs a frame."""
    times = inward(limit(1500, "13.4"), limit(3000, "20.0"))
    known, printed_count = points(times)
    first_us, second_us = 8 * 1.448 / 13.4, 8 * 2.948 / 20
    byte_ns = (second_us - first_us) / 1.5
    assert printed_count == 1
    assert known[0] == pytest.approx((first_us - 1.448 * byte_ns, byte_ns))
    # the four corners of what rounding leaves
    corners = [
        (one - 1.448 * (other - one) / 1.5, (other - one) / 1.5)
        for one in (8 * 1.448 / 13.35, 8 * 1.448 / 13.45)
        for other in (8 * 2.948 / 19.95, 8 * 2.948 / 20.05)
    ]
    assert sorted(known[1:]) == [pytest.approx(each) for each in sorted(corners)]
    assert times.validity == (1448, 2948, "extrapolation: calibrated for 1448 to 2948 B of payload")


def test_a_rate_that_was_reached_bounds_the_time_of_a_byte() -> None:
    """25 Gbit/s of frames with 8948 byte and 90 around them: at most 2.89216 µs each."""
    full = limit(9000, "25", quantity="line_rate", relation="censored_above")
    times = inward(limit(1500, "13.4"), full)
    known, printed_count = points(times)
    limit_us, reached_us = 8 * 1.448 / 13.4, 8 * 9.038 / 25
    byte_ns = (reached_us - limit_us) / 7.5
    assert printed_count == 2
    assert known[0] == pytest.approx((limit_us, 0))
    assert known[1] == pytest.approx((limit_us - 1.448 * byte_ns, byte_ns))
    assert times.validity == (1448, 1448, "extrapolation: calibrated for 1448 B of payload")


def test_of_two_limits_at_one_mtu_the_narrower_one_counts() -> None:
    """20 to 24 Gbit/s and 22.0; a range has no figure."""
    wide = limit(1500, "20") | {"relation": "range", "value": None, "low": 20, "high": 24}
    for seen in ((wide, limit(1500, "22.0")), (limit(1500, "22.0"), wide)):
        known, printed_count = points(inward(*seen))
        assert printed_count == 2
        assert known[0] == pytest.approx((8 * 1.448 / 22, 0))
        assert max(frame_us for frame_us, _ in known) == pytest.approx(8 * 1.448 / 21.95)
    known, printed_count = points(inward(wide))
    assert printed_count == len(known)
    # a lower end of 20, as printed, may be 19.5
    assert known[0] == pytest.approx((8 * 1.448 / 19.5, 0))


def test_what_is_no_limit_of_this_direction_is_left_out() -> None:
    for other in (
        limit(1500, "13.4", direction="out"),
        limit(1500, "13.4", workload="rr1c-200x1000"),
        {**limit(1500, "13.4"), "mtu_bytes": None},
    ):
        times = inward(other)
        assert not times.named
        assert times.validity == (
            math.inf,
            math.inf,
            "no limit is known: assumed no slower than its line",
        )
    stream = limit(1500, "13.4", workload="str-writex30k")
    assert points(inward(stream)) == points(inward(limit(1500, "13.4")))
    assert inward(kind="ethernet") == Times()
    stage = adapter_stages(card(limit(1500, "13.4")), Side.SERVER)[1]
    assert stage.to_server.grades == dict.fromkeys(("per_frame_s", "per_byte_s"), Grade.DERIVED)
