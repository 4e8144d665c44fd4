"""A prediction as a frame of pandas and as a table of a notebook."""

import pytest

from netmodel.errors import DomainError
from netmodel.path import Interval, Path, Stage, Times, Traffic, predict_path

CPU = Stage(name="cpu", to_server=Times(per_message_s=Interval(10e-6, 8e-6, 16e-6)))
DISK = Stage(name="disk", to_server=Times(per_byte_s=5e-9))
PATH = Path(stages=(CPU, DISK))


def test_a_frame_has_a_row_for_each_limit() -> None:
    """1000 byte: CPU 0.8 Gbit/s (0.5 to 1), disk 1.6 Gbit/s."""
    pytest.importorskip("pandas")
    frame = predict_path(PATH, Traffic(1000, waits=False), 1500).to_frame()
    assert list(frame.index) == ["cpu", "disk"]
    assert frame["value_bps"].tolist() == pytest.approx([0.8e9, 1.6e9])
    assert frame["low_bps"].tolist() == pytest.approx([0.5e9, 1.6e9])
    assert frame["high_bps"].tolist() == pytest.approx([1e9, 1.6e9])
    assert frame["bound"].tolist() == ["upper", "upper"]
    assert frame["margin_ratio"].tolist() == pytest.approx([0, 0.5])
    with pytest.raises(DomainError, match="or netmodel"):
        predict_path(PATH, Traffic([1000, 2000], waits=False), 1500).to_frame()


def test_a_bound_is_marked_in_a_table() -> None:
    html = predict_path(PATH, Traffic(1000, waits=False), 1500)._repr_html_()
    assert "&lt;= 800 Mbit/s (500 Mbit/s to 1 Gbit/s)" in html
