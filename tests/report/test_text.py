"""Tables of text."""

import pytest

from netmodel.report import text_table


def test_columns_stand_under_each_other() -> None:
    rows = [("part", "bytes"), ("payload", "1448"), ("fcs", "4")]
    assert text_table(rows).splitlines() == ["part     bytes", "payload  1448", "fcs      4"]


def test_numbers_may_end_under_each_other() -> None:
    rows = [("part", "bytes", ""), ("payload", "1448", "B"), ("fcs", "4", "B")]
    assert text_table(rows, right_aligned=[1]).splitlines() == [
        "part     bytes",
        "payload   1448  B",
        "fcs          4  B",
    ]


def test_every_column_may_be_aligned_to_the_right() -> None:
    assert text_table([("a", "bb"), ("ccc", "d")], right_aligned=range(2)) == "  a  bb\nccc   d"


def test_no_line_ends_in_spaces() -> None:
    assert text_table([("long cell", ""), ("x", "y"), ("", "")]) == "long cell\nx          y\n"


def test_one_cell_is_a_table() -> None:
    assert text_table([("x",)]) == "x"


def test_no_rows_are_no_text() -> None:
    assert text_table([]) == ""


def test_letters_beyond_ascii_count_as_one() -> None:
    assert text_table([("µs/Gbit", "1"), ("ms/MB", "2")]) == "µs/Gbit  1\nms/MB    2"


def test_rows_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match=r"zip\(\)"):
        text_table([("a", "b"), ("c",)])
