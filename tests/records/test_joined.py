"""Records reported by two files: what people wrote, and what was calibrated beside it."""

from pathlib import Path

import pytest

from netmodel.records import Adapter
from netmodel.records.files import read_record

HEAD = """title = "mine"
kind = "own"
[defaults]
source = "notes"
locator = "page 1"
grade = "measured"
[line_rate]
value = 10
unit = "Gbit/s"
"""
TIMES = """[in]
source = "runs"
locator = "2 observations"
grade = "fitted"
note = "corners"
vertices = [{ per_frame = "1 µs" }, { per_frame = "2 µs" }]
"""


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    for top in ("catalog", "calibrated"):
        (tmp_path / top / "adapters").mkdir(parents=True)
    (tmp_path / "catalog" / "adapters" / "mine.toml").write_text(HEAD, encoding="utf-8")
    (tmp_path / "calibrated" / "adapters" / "mine.toml").write_text(TIMES, encoding="utf-8")
    return tmp_path


def adapter(directory: Path) -> Adapter:
    tops = ("catalog", "calibrated")
    return read_record([directory / top / "adapters" / "mine.toml" for top in tops], Adapter)


def test_times_may_have_their_own_source(directory: Path) -> None:
    card = adapter(directory)
    assert card.line_rate.provenance == "measured; notes, page 1"
    assert card.in_ is not None
    (first, second) = card.in_.vertices
    assert first.per_frame is not None
    assert first.per_frame.provenance == "fitted; runs, 2 observations; corners"
    assert str(second.per_frame) == "2 µs"
    assert card.out is None
