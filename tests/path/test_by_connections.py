"""Times that differ with how many connections there are: from files to predictions."""

import math
from pathlib import Path as File
from typing import Any

import numpy as np
import pytest
from paths import ends

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.estimates import Predicted
from netmodel.path import Joint, Path, Prediction, SpecifiedPath, Traffic, predict_path
from netmodel.path.ensemble import at_count, ends_of, joint_by_connections
from netmodel.records import path_record
from netmodel.records.paths import PathRecord

HEAD = """title = "mine"
[defaults]
source = "lab book"
locator = "page 3"
grade = "measured"
"""
STAGE = """[pools.cpus]
side = "client"
core_count = "4"
[[stages]]
name = "cpu"
kind = "hypervisor-cpu"
side = "client"
pool = "cpus"
"""
MEASURED = """[[stages.both.at]]
connections = 1
per_message = { value = 8, unit = "µs", grade = "standard" }
[[stages.both.at]]
connections = 16
per_message = "3 to 5 µs"
[[stages.both.at]]
connections = 64
per_message = { value = 2, unit = "µs", grade = "standard" }
"""


def record(directory: File, times: str = MEASURED) -> PathRecord:
    file = directory / "mine.toml"
    file.write_text(HEAD + STAGE + times, encoding="utf-8")
    return path_record(file)


def with_count(path: Path, count: Any) -> Prediction:
    traffic = Traffic(3000, connection_count=count, waits=False, shares_segments=True)
    return predict_path(path, traffic, 1500)


def cost(prediction: Prediction) -> Predicted:
    result = prediction.cpu_us_per_gbit[Side.CLIENT]
    assert result is not None
    return result


def per_message_us(directory: File, count: Any) -> list[Any]:
    return per_message_at(SpecifiedPath(record=record(directory)).path(), count)


def per_message_at(path: Path, count: Any) -> list[Any]:
    prediction = predict_path(path, Traffic(1000, connection_count=count), 1500)
    return [np.asarray(end) * 8e-9 * 1000 for end in ends(cost(prediction))]


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (1, (8, 8, 8)),
        (16, (4, 2.5, 5.5)),
        (64, (2, 2, 2)),
        (4, (32**0.5, 32**0.5 * 0.625, 32**0.5 * 1.375)),
        (32, (8**0.5, 8**0.5 * 0.625, 8**0.5 * 1.375)),
        (None, (4, 2, 8)),
    ],
)
def test_a_time_is_that_of_the_number_asked_for(
    tmp_path: File, count: int | None, expected: tuple[float, ...]
) -> None:
    """
    4 is half way from 1 to 16, and 32 from 16 to 64, by logarithms.

    3 to 5 µs are rounded, 2.5 to 5.5 that is, which is more than what series deviate.
    """
    assert per_message_us(tmp_path, count) == pytest.approx(expected)


def test_numbers_may_have_times_of_different_counts() -> None:
    """As above, where 8 of 1 connection is exact."""
    known = Joint((4.0,), of="a", by_count=((1, (8.0,), 1), (16, (4.0, 2.5, 5.5), 1)))
    assert ends_of(at_count(known, 4)) == pytest.approx((32**0.5 * 0.625, 32**0.5 * 1.375))


def test_arrays_of_numbers_and_mtus_are_combined(tmp_path: File) -> None:
    path = SpecifiedPath(
        record=record(tmp_path, MEASURED.replace("per_message", "per_frame"))
    ).path()
    counts, mtus = np.array([[1], [32]]), np.array([1500, 4000, 9000])
    together = predict_path(path, Traffic(8000, connection_count=counts), mtus)
    assert together.throughput_bps.low.shape == (2, 3)
    for row, column in np.ndindex(2, 3):
        traffic = Traffic(8000, connection_count=int(counts[row, 0]))
        alone = predict_path(path, traffic, int(mtus[column]))
        rates = [np.broadcast_to(end, (2, 3))[row, column] for end in ends(together.throughput_bps)]
        assert rates == pytest.approx([*ends(alone.throughput_bps)])


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (4, "cpu: interpolated between times measured with 1, 16 and 64 connections"),
        (90, "extrapolation: cpu measured with 1, 16 and 64 connections; the nearest holds"),
        (None, "connections not specified: CPU cost of cpu is that with 16 of 1, 16 and 64"),
        *((count, None) for count in (1, 16, 64)),
    ],
)
def test_a_note_says_what_was_taken(tmp_path: File, count: int | None, text: str | None) -> None:
    traffic = Traffic(1000, connection_count=count)
    result = predict_path(SpecifiedPath(record=record(tmp_path)).path(), traffic, 1500).notes
    notes = [each for each in result if "measured with" in each or "is that with" in each]
    assert [each for each in notes if text is not None and each.startswith(text)] == notes
    assert bool(notes) is (text is not None)


def test_plain_times_of_a_number_move_to_their_ends_together(tmp_path: File) -> None:
    """10 µs for a frame and 1 ns for a byte, both to 10 %, as without numbers."""
    times = 'per_frame = "9 to 11 µs"\nper_byte = "0.9 to 1.1 ns"\n'
    path = SpecifiedPath(
        record=record(tmp_path, f"[[stages.both.at]]\nconnections = 8\n{times}")
    ).path()
    plain = SpecifiedPath(record=record(tmp_path, f"[stages.both]\n{times}")).path()
    assert ends(cost(with_count(path, 8))) == pytest.approx(ends(cost(with_count(plain, 8))))
    assert not any("assumed exact" in note for note in with_count(plain, 8).notes)


@pytest.mark.parametrize(
    ("times", "fault"),
    [
        (MEASURED.replace("= 16", "= 1"), "must be there and rise; got 1, 1 and"),
        (MEASURED.replace("= 16", "= 0"), "connections: must be"),
        (MEASURED.replace("connections = 16\n", ""), "must be there and rise; got 1, 0 and"),
        (MEASURED.replace("connections = 16", 'connections = "16"'), "connections: "),
        (MEASURED.replace('per_message = "3', 'per_byte = "3'), "at: all of them need the same"),
        (MEASURED + '[stages.both.per_byte]\nvalue = 1\nunit = "ns"\n', "per_byte and at: only"),
    ],
)
def test_what_a_file_cannot_have_is_named(tmp_path: File, times: str, fault: str) -> None:
    with pytest.raises(ParseError, match=fault):
        record(tmp_path, times)


LEVEL_DEVIATIONS = 1.959964
"""Of the logarithm of a time, 19 times in 20."""


def alone(known: dict[int, float]) -> Joint:
    (time,) = joint_by_connections("cpu", {n: [(time_s,)] for n, time_s in known.items()}, 10)
    return time


@pytest.mark.parametrize(
    ("count", "time_us", "deviation"),
    [
        # the time falls as the number rises, then as its root
        (20, 4, 0.18 * (math.log(2) / 2) ** 0.5),
        (80, 2**0.5, 0.18 * (math.log(2) / 2) ** 0.5),
        # at a third of the way, by logarithms
        (10 * 4 ** (1 / 3), 8 / 4 ** (1 / 3), 0.18 * (2 / 9 * math.log(4)) ** 0.5),
        # beyond the first and the last number that of the nearest holds
        (5, 8, 0.3 * math.log(2) ** 0.5),
        (640, 1, 0.3 * math.log(4) ** 0.5),
    ],
)
def test_a_time_of_three_numbers_by_hand(count: float, time_us: float, deviation: float) -> None:
    """8, 2 and 1 µs with 10, 40 and 160 connections."""
    time = at_count(alone({10: 8e-6, 40: 2e-6, 160: 1e-6}), count)
    assert isinstance(time, Joint)
    value, low, high = time.values[0], min(time.values), max(time.values)
    assert value == pytest.approx(time_us * 1e-6)
    factor = math.exp(LEVEL_DEVIATIONS * deviation)
    assert low == pytest.approx(value / factor)
    assert high == pytest.approx(value * factor)


def test_a_time_of_zero_has_no_slope() -> None:
    """Between 0 µs with 10 and 8 µs with 20 connections it may be any of both."""
    time = alone({10: 0.0, 20: 8e-6})
    assert [at_count(time, count) for count in (5, 10, 20)] == [0, 0, 8e-6]
    between = at_count(time, 14)
    assert isinstance(between, Joint)
    assert (between.values[0], {*between.values}) == (0, {0, 8e-6})
