"""Records reported by two files: what people wrote, and what was calibrated beside it."""

from pathlib import Path

from records.right_files import FILES

from netmodel.records import Adapter
from netmodel.records.files import read_record


def test_times_may_have_their_own_source(tmp_path: Path) -> None:
    for name, text in FILES["joined"].items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    card = read_record([tmp_path / name for name in FILES["joined"]], Adapter)
    assert card.line_rate is not None
    assert card.line_rate.provenance == "measured; notes, page 1"
    assert card.in_ is not None
    (first, second) = card.in_.vertices
    assert first.per_frame is not None
    assert first.per_frame.provenance == "fitted; runs, 2 observations; corners"
    assert str(second.per_frame) == "2 µs"
    assert card.out is None
