"""Adapters of your own: every limit that was seen counts, at the frames with which it was seen."""

from dataclasses import replace
from pathlib import Path as File

import numpy as np
import pytest
from paths import STREAM, ends

from netmodel.consumption import Side
from netmodel.errors import ContradictionError, DomainError
from netmodel.path import Prediction, SpecifiedPath, Traffic, adapter_path, predict_path
from netmodel.records import adapter

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


def test_rounding_makes_no_extrapolation(tmp_path: File) -> None:
    """18,180 byte over as many frames as they have shares of 8,948 byte: a last digit more."""
    assert 18_180 / (18_180 / 8948) > 8948
    writes = replace(STREAM, request_bytes=18_180)
    notes = predicted(tmp_path, {9000: LINE}, 9000, writes).notes
    assert not any("filled its line" in text for text in notes)


def test_a_rate_of_the_line_counts_headers_too(tmp_path: File) -> None:
    seen = {1500: ("line_rate", "equal", "13.4")}
    rate = predicted(tmp_path, seen, 1500).throughput_bps.value
    assert rate == pytest.approx(13.4e9 * 1448 / 1538)


def test_limits_that_no_times_allow(tmp_path: File) -> None:
    seen = {1500: ("payload_rate", "equal", "13.4"), 3000: ("payload_rate", "equal", "10.0")}
    with pytest.raises(ContradictionError, match="cannot be together"):
        predicted(tmp_path, seen, 1500)


def test_a_line_of_no_rate_is_refused_as_such() -> None:
    card = adapter("ethernet-25gbe")
    with pytest.raises(DomainError, match="line_rate_bps must be above 0"):
        adapter_path(card, card, 0.0)


def test_a_specified_path_is_composed_once_for_each_sender() -> None:
    sender, receiver = adapter("roce-express2.1-25gbe"), adapter("osa-express7s-25gbe")
    given = SpecifiedPath(sender, receiver, line_rate_bps=10e9)
    ways = {side: given.path(side) for side in Side}
    assert ways[Side.CLIENT] == adapter_path(sender, receiver, 10e9)
    assert ways[Side.SERVER] == adapter_path(receiver, sender, 10e9)
    assert all(given.path(side) is path for side, path in ways.items())
