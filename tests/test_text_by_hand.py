"""Sentences, tables and lines of a terminal, each written out by hand."""

import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from netmodel._estimates import Bound, Predicted
from netmodel._predicted_text import predicted_text, rate_text
from netmodel._terminal import (
    Column,
    columns_table,
    fitted,
    known_width,
    table_width,
    text_width,
    wrapped_lines,
)
from netmodel._text import (
    argument,
    cell_text,
    few_names,
    listed,
    meant_text,
    name_options,
    near_name,
    percent_text,
    printable,
    ratio_text,
    span_text,
    text_table,
)


@pytest.mark.parametrize(
    ("name", "known", "near"),
    [
        ("mtu", ["mtu_bytes"], "mtu_bytes"),  # its unit is left out
        ("Direction", ["mtu_bytes", "direction"], "direction"),
        ("MTU-bytes", ["mtu", "mtu_bytes"], "mtu_bytes"),
        ("mtu", ["mtu_bytes", "mtu"], None),  # is known
        ("--", ["_private"], None),  # no letter is left
        ("", ["_private"], None),
        ("hosta", ["hosts"], "hosts"),  # one letter in five
        ("hosab", ["hosts"], None),  # two in five
        ("mtubytes", ["mtu-bytes", "mtu_bytes"], "mtu-bytes"),  # the first of two alike
        ("window", [], None),
    ],
)
def test_the_name_that_was_meant(name: str, known: list[str], near: str | None) -> None:
    """Ratios of difflib: twice 4 letters in common, of 10 in both, are 0.8; twice 3 are 0.6."""
    assert near_name(name, known) == near
    assert meant_text(name, known) == (f"; did you mean {near}?" if near else "")


@pytest.fixture
def in_a_command() -> Iterator[None]:
    before = name_options(True)
    yield
    name_options(before)


WHERE = {"side": "client", "mtu": 1500}


def test_messages_name_keywords_in_python() -> None:
    assert name_options(False) is False
    assert argument("mtu_bytes", "--mtu") == "mtu_bytes=..."
    assert argument("mtu_bytes", "--mtu", ...) == "mtu_bytes=..."
    assert argument("ip", "--ip", 6) == "ip=6"
    assert argument("path", "--path", "lab") == "path='lab'"
    assert argument("where", "--where", WHERE) == "where={'side': 'client', 'mtu': 1500}"


@pytest.mark.usefixtures("in_a_command")
def test_messages_name_options_in_a_command() -> None:
    assert name_options(True) is True
    assert argument("mtu_bytes", "--mtu") == "--mtu"
    assert argument("mtu_bytes", "--mtu", ...) == "--mtu ..."
    assert argument("ip", "--ip", 6) == "--ip 6"
    assert argument("where", "--where", WHERE) == "--where side=client,mtu=1500"
    nested = {"a": {"side": "client"}}
    assert argument("variant", "--variant", nested) == "--variant a side=client"


def test_characters_that_control_a_terminal_are_written_out() -> None:
    assert printable("µs, 30 %\nnext\tcell") == "µs, 30 %\nnext\tcell"
    assert printable("\x1b[1mbold") == r"\x1b[1mbold"
    assert printable("a\x07\u202eb\n") == "a\\x07\\u202eb\n"
    assert printable("\udcff") == r"\udcff"


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("@sum", "'@sum"),
        ("+49 30", "'+49 30"),
        ("-1.5e-3", "-1.5e-3"),
        ("-", "-"),
        ("plain", "plain"),
        ("12", "12"),
        ("two\nlines\tand a tab", r"two\nlines\tand a tab"),
        (-3.0, -3.0),
        (None, None),
    ],
)
def test_a_cell_is_one_line_and_no_formula(value: object, cell: object) -> None:
    assert cell_text(value) == cell


def test_names_in_a_sentence() -> None:
    assert listed(["one"]) == "one"
    assert listed(["one", "two"]) == "one and two"
    assert listed([1, 10, 50]) == "1, 10 and 50"
    assert few_names(["one"], "stages") == "one"
    assert few_names(["one", "two"], "stages") == "one, two"
    assert few_names(["one", "two", "three"], "stages") == "3 stages"


def test_shares_and_ranges() -> None:
    """8.2 has more digits than 15 in binary: 8.199999999999999 to sixteen."""
    assert percent_text(0.082, 2) == "8.2 %"
    assert percent_text(1.234e12, 3) == "123000000000000 %"
    assert span_text("12 ms", "12 ms") == "12 ms"
    assert span_text("12 ms", "14 ms") == "12 to 14 ms"
    assert ratio_text(1.2, 1.05054, 1.75) == "1.2 (1.051 to 1.75)"
    assert ratio_text(None, 1.05054, 1.75) == "1.051 to 1.75"
    assert ratio_text(1.2, 1.20001, 1.20002) == "1.2"


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    rows = [("a", "1"), ("ccc", "1000")]
    assert text_table(rows) == "a    1\nccc  1000"
    assert text_table(rows, right_aligned=[1]) == "a       1\nccc  1000"


def test_a_rate_in_words_has_five_digits() -> None:
    assert rate_text(13.456789e9) == "13.457 Gbit/s"
    assert rate_text(float("inf")) == "no limit"
    assert rate_text(float("nan")) == "not known"


def test_a_prediction_in_words_has_the_sign_of_its_bound_and_its_range() -> None:
    rates = Predicted(13.4e9, 13.35e9, 13.456789e9)
    assert predicted_text(rates) == "13.4 Gbit/s (parameters leave 13.35 to 13.457 Gbit/s)"
    upper = Predicted(13.4e9, 13.35e9, 13.45e9, Bound.UPPER)
    named = "<= 13.4 Gbit/s (of a new run 13.35 to 13.45 Gbit/s)"
    assert predicted_text(upper, range_name="of a new run") == named
    assert predicted_text(Predicted(1e9, 1e9, 1e9, Bound.LOWER)) == ">= 1 Gbit/s"
    assert predicted_text(Predicted(0.5, 0.5, 0.5, Bound.MEAN), str) == "about 0.5"
    endless = Predicted(*[float("inf")] * 3, bound=Bound.UPPER)
    assert predicted_text(endless) == "no limit"


def terminal(monkeypatch: pytest.MonkeyPatch, columns: str | None, is_terminal: bool) -> None:
    """Standard output that is, or is not, a terminal; COLUMNS as given or absent."""
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(isatty=lambda: is_terminal))
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)


@pytest.mark.parametrize("columns", [None, "", "0", "wide", "-5", "٤٢"])
def test_without_a_terminal_the_width_is_not_known(
    columns: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal(monkeypatch, columns, is_terminal=False)
    assert known_width() is None
    assert (text_width(), table_width()) == (100, 80)
    assert fitted("a " * 200) == "a " * 200
    monkeypatch.setattr(sys, "stdout", None)
    assert known_width() is None


def test_columns_of_the_environment_or_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal(monkeypatch, "7", is_terminal=False)
    assert known_width() == text_width() == table_width() == 7
    assert fitted("aaa bbb ccc") == "aaa bbb\n    ccc"
    terminal(monkeypatch, None, is_terminal=True)
    monkeypatch.setattr("shutil.get_terminal_size", lambda: SimpleNamespace(columns=62))
    assert known_width() == 62


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("aaa bbb ccc", 11, ["aaa bbb ccc"]),
        ("aaa bbb ccc", 10, ["aaa bbb", "    ccc"]),
        ("aaa bbb ccc", 7, ["aaa bbb", "    ccc"]),
        ("aaa bbb ccc", 6, ["aaa", "    bbb", "    ccc"]),
        ("aaa bb cc dd", 7, ["aaa bb", "    cc", "    dd"]),
        ("a bb cc dd", 9, ["a bb cc", "    dd"]),
        ("a bb cc dd ee", 9, ["a bb cc", "    dd ee"]),
        ("aaa  bbb", 7, ["aaa", "    bbb"]),  # blanks at the break are left out
        ("aaa  bbb", 3, ["aaa", "    bbb"]),
        ("aaa  bbb", 8, ["aaa  bbb"]),
        ("  an-address x", 8, ["  an-address", "      x"]),  # a word stays whole
        ("a\tb", 20, ["a       b"]),
        ("one two\nshort", 5, ["one", "    two", "short"]),
        ("one  \n\ntwo", 40, ["one", "", "two"]),
    ],
)
def test_long_lines_go_on_below_themselves(text: str, width: int, lines: list[str]) -> None:
    assert wrapped_lines(text, width).split("\n") == lines


TABLE = (
    Column("part", ["wire", "cpu"]),
    Column("Gbit/s", ["9.41", "12"], is_number=True, rank=1),
    Column("empty", ["", ""]),
    Column("why", ["line", ""], rank=2),
)
"""Its lines have 4 + 2 + 6 + 2 + 4 = 18 characters, without the last column 12."""
WHOLE = "part  Gbit/s  why\nwire    9.41  line\ncpu       12"
WITHOUT_WHY = "part  Gbit/s\nwire    9.41\ncpu       12"
NARROW = "part\nwire\ncpu"


@pytest.mark.parametrize(
    ("width", "is_verbose", "table"),
    [
        (18, False, WHOLE),
        (17, False, WITHOUT_WHY),
        (12, False, WITHOUT_WHY),
        (11, False, NARROW),
        (1, False, NARROW),
        (1, True, WHOLE),
    ],
)
def test_columns_of_the_highest_rank_are_left_out_first(
    width: int, is_verbose: bool, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal(monkeypatch, str(width), is_terminal=False)
    assert columns_table(TABLE, is_verbose) == table


def test_a_table_is_as_wide_as_most_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal(monkeypatch, None, is_terminal=False)
    for length, is_shown in ((74, True), (75, False)):
        table = columns_table([Column("a", ["b" * 4]), Column("c", ["d" * length], rank=1)])
        assert ("d" in table) == is_shown
