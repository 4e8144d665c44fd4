"""Files of calibrated records: compared by their content, written where not current."""

from pathlib import Path

import pytest

from netmodel.calibration import _calibrated_records, calibrated_documents
from netmodel.calibration._calibrated_records import (
    FileState,
    calibrated_files,
    write_calibrated_files,
)
from netmodel.calibration._records import time_text
from netmodel.records import record

KEY = ("adapters", "mine")
DOCUMENT = {"title": "mine", "in": {"per_frame": "0.8644776119 µs"}}


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(_calibrated_records, "data_roots", lambda: (tmp_path,))
    return tmp_path


def states(document: dict[str, object] | None = None) -> list[FileState]:
    return [each.state for each in calibrated_files({KEY: document or DOCUMENT})]


@pytest.mark.parametrize("kind", ["adapters", "paths"])
def test_the_committed_files_are_current(kind: str) -> None:
    """Else: netmodel catalog calibrate, and look at what it changed."""
    every = calibrated_files(calibrated_documents(kind))
    files = [each for each in every if each.kind == kind]
    assert [each.path for each in files if each.state is not FileState.CURRENT] == []
    for each in files:
        assert record(each.id, each.kind).id == each.id


def test_a_file_is_written_where_it_is_missing_and_then_current(directory: Path) -> None:
    files = calibrated_files({KEY: DOCUMENT})
    assert [each.state for each in files] == [FileState.MISSING]
    write_calibrated_files(files)
    text = (directory / "calibrated" / "adapters" / "mine.toml").read_text(encoding="utf-8")
    assert text.startswith("# Written by: netmodel catalog calibrate.")
    assert text.endswith('[in]\nper_frame = "0.8644776119 µs"\n')
    assert states() == [FileState.CURRENT]


@pytest.mark.parametrize(
    ("per_frame", "state"),
    [
        ("0.8644776120 µs", FileState.CURRENT),
        ("0.8644783899 µs", FileState.CURRENT),  # 0.9 parts in a million more
        ("0.8644785628 µs", FileState.DIFFERENT),  # 1.1 parts in a million more
        ("0.86448 µs", FileState.DIFFERENT),
        ("0.8644776119 ns", FileState.DIFFERENT),
    ],
)
def test_rounding_is_no_difference(directory: Path, per_frame: str, state: FileState) -> None:
    write_calibrated_files(calibrated_files({KEY: DOCUMENT}))
    changed = DOCUMENT | {"in": {"per_frame": per_frame}}
    assert states(changed) == [state]
    file = directory / "calibrated" / "adapters" / "mine.toml"
    before = file.read_bytes()
    write_calibrated_files(calibrated_files({KEY: changed}))
    assert (file.read_bytes() == before) is (state is FileState.CURRENT)


def test_a_file_that_nothing_declares_is_left_over_and_removed(directory: Path) -> None:
    write_calibrated_files(calibrated_files({KEY: DOCUMENT}))
    files = calibrated_files({})
    assert [each.state for each in files] == [FileState.LEFT_OVER]
    write_calibrated_files(files)
    assert not list(directory.rglob("*.toml"))


def test_a_record_that_the_user_wrote_there_stays(directory: Path) -> None:
    own = directory / "calibrated" / "adapters" / "own.toml"
    own.parent.mkdir(parents=True)
    own.write_text('title = "measured in the lab"\n', encoding="utf-8")
    assert calibrated_files({}) == []


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.0, "0 ns"), (1e-20, "0 ns"), (1 / 3 * 1e-6, "333.3333333 ns"), (2.5e-6, "2.5 µs")],
)
def test_times_are_written_with_ten_digits(number: float, text: str) -> None:
    assert time_text(number) == text
