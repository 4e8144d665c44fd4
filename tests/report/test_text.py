"""Tables of text."""

from netmodel.text import text_table


def test_columns_stand_under_each_other() -> None:
    rows = [("part", "bytes"), ("payload", "1448"), ("fcs", "4")]
    assert text_table(rows).splitlines() == ["part     bytes", "payload  1448", "fcs      4"]


def test_no_line_ends_in_spaces() -> None:
    assert text_table([("long cell", ""), ("x", "y"), ("", "")]) == "long cell\nx          y\n"


def test_letters_beyond_ascii_count_as_one() -> None:
    assert text_table([("µs/Gbit", "1"), ("ms/MB", "2")]) == "µs/Gbit  1\nms/MB    2"
