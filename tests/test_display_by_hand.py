"""Results as a line of a console, as a table of a notebook and as a row: small ones by hand."""

import re
from dataclasses import dataclass, field, make_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest

from netmodel._display import fields_repr, short_repr, shortened, shortened_path, value_text
from netmodel._frame import columns_frame, frame_of, parameters_frame, range_row, row_of
from netmodel._html import Markup, bar, definition_table, notes_list, plain_html, row_table

# A line of a console


def test_a_short_form_has_the_parts_that_fit_into_100_characters() -> None:
    """``<int `` and ``>`` take 6 of them, a comma with its blank 2."""
    assert short_repr(1, "", "first", "  of two\nlines ") == "<int first, of two lines>"
    assert short_repr(1, "a" * 90, "bb") == f"<int {'a' * 90}, bb>"
    assert short_repr(1, "a" * 90, "bbb") == f"<int {'a' * 90}>"
    assert short_repr(1, "a" * 50, "b" * 60, "c") == f"<int {'a' * 50}>"
    assert short_repr(1, "a" * 94) == f"<int {'a' * 94}>"
    assert short_repr(1, "a" * 95) == f"<int {'a' * 46}…{'a' * 47}>"


@pytest.mark.parametrize(
    ("most", "short"),
    [(10, "abcdefghij"), (9, "abcd…ghij"), (8, "abc…ghij"), (5, "ab…ij"), (2, "…j")],
)
def test_a_long_text_loses_its_middle(most: int, short: str) -> None:
    assert shortened("abcdefghij", most) == short


def test_texts_within_a_form_have_40_characters() -> None:
    assert shortened("x" * 40) == "x" * 40
    assert shortened("x" * 41) == "x" * 19 + "…" + "x" * 20


@pytest.mark.parametrize(
    ("path", "short"),
    [
        ("/a/bc/def", "/a/bc/def"),
        ("/aa/bc/def", "…/bc/def"),
        ("/aaaa/bcd/", "…/bcd/"),
        ("no-folders", "no-f…ders"),
        ("/a/longnames", "/a/l…ames"),  # its end is within the name
    ],
)
def test_a_long_path_loses_its_first_folders(path: str, short: str) -> None:
    assert shortened_path(path, 9) == short


class Side(Enum):
    CLIENT = "client"


class Pair(NamedTuple):
    low: float
    high: float = 2.0


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1, "0.1"),
        (1 / 3, "0.333333"),
        (1234567891.25, "1.23457e+09"),
        (100000.0, "100000"),
        (Side.CLIENT, "client"),
        ("it's", '"it\'s"'),
        ("x" * 41, repr("x" * 19 + "…" + "x" * 20)),
        (np.ones((2, 3)), "<2 x 3 numbers>"),
        (np.float64(0.25), "0.25"),
        ((), "()"),
        ((1,), "(1,)"),
        ([1, "b"], "(1, 'b')"),
        ((1, 2, 3), "(1, 2, 3)"),
        ((1, 2, 3, 4), "<4>"),
        ((1, 0.5), "<2>"),
        ((1, None), "<2>"),
        ({"a": 1}, "<1>"),
        (frozenset({7}), "(7,)"),
        (Pair(1.0, 2.0), "Pair(low=1.0, high=2.0)"),
        (range(12), "range(0, 12)"),
        (10**39, "1" + "0" * 39),  # 40 characters
        (10**40, "<int>"),
        (None, "None"),
        (True, "True"),
    ],
)
def test_a_value_takes_a_few_characters(value: object, text: str) -> None:
    assert value_text(value) == text


@dataclass
class Run:
    rate_bps: float
    side: Side = Side.CLIENT
    names: list[str] = field(default_factory=list)
    hidden: int = field(default=0, repr=False)
    samples: Any = None


def test_fields_with_their_usual_value_are_left_out() -> None:
    assert fields_repr(Run(1.5)) == "Run(rate_bps=1.5)"
    changed = Run(1.5, Side.CLIENT, ["a"], hidden=7, samples=np.ones(2))
    assert fields_repr(changed) == "Run(rate_bps=1.5, names=('a',), samples=<2 numbers>)"
    assert fields_repr(Pair(2.0)) == "Pair(low=2)"
    assert fields_repr(Pair(2.0, 3.0)) == "Pair(low=2, high=3)"
    assert fields_repr((1, 2)) == "tuple()"
    assert fields_repr(Fraction(1, 3)) == "Fraction()"


def test_as_many_fields_as_fit_into_100_characters() -> None:
    """``K(`` and ``, ...)`` take 8 of 100; ``a='x…'`` 42, a comma 2: 48 are left for the next."""
    for letters, is_whole in (("bbbbb", True), ("bbbbbb", False)):
        kind = make_dataclass("K", [("a", str), (letters, str), ("c", int)])
        text = fields_repr(kind("x" * 38, "y" * 40, 1))
        first = f"K(a='{'x' * 38}', "
        assert text == (f"{first}{letters}='{'y' * 40}', ...)" if is_whole else f"{first}...)")
    assert len(f"K(a='{'x' * 38}', bbbbb='{'y' * 40}', ...)") == 100


# A table of a notebook


def rows_of(html: str) -> list[list[tuple[str, str, str]]]:
    """Tag, alignment and text of each cell by row."""
    cell = re.compile(r"<(t[hd])[^>]*?text-align:(\w+)[^>]*>(.*?)</t[hd]>", re.DOTALL)
    return [cell.findall(row) for row in re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)]


def test_a_table_of_rows_has_its_numbers_on_the_right() -> None:
    html = row_table("Two", ["name", "rate", "why"], [["wire", "9", "<b>"], ["cpu", "", "x"]], [1])
    assert rows_of(html) == [
        [("th", "left", "name"), ("th", "right", "rate"), ("th", "left", "why")],
        [("th", "left", "wire"), ("td", "right", "9"), ("td", "left", "&lt;b&gt;")],
        [("th", "left", "cpu"), ("td", "right", ""), ("td", "left", "x")],
    ]
    assert re.search(r"<caption [^>]*>Two</caption>", html)
    assert html.count("scope='col'") == 3
    assert html.count("scope='row'") == html.count("white-space:nowrap") == 2
    assert "<caption" not in row_table("", ["name"], [])


def test_a_table_of_names_has_its_notes_below() -> None:
    rows = [("rate", "9"), ("note", "first"), ("bar", Markup("<i>5</i>"))]
    html = definition_table("One", rows)
    assert rows_of(html) == [
        [("th", "left", "rate"), ("td", "left", "9")],
        [("th", "left", "bar"), ("td", "left", "<i>5</i>")],
    ]
    assert html.endswith(notes_list(["first"]))
    assert html.count("<li>") == 1
    assert "nowrap" not in html


def test_notes_beyond_the_third_are_folded() -> None:
    assert notes_list([]) == ""
    three = notes_list(["a", "b", "<c>"])
    assert re.findall("<li>(.*?)</li>", three) == ["a", "b", "&lt;c&gt;"]
    assert "details" not in three
    five = notes_list(["a", "b", "c", "d", "e"])
    assert "<summary>2 more notes</summary>" in five
    shown, folded = five.split("<details>")
    assert re.findall("<li>(.*?)</li>", shown) == ["a", "b", "c"]
    assert re.findall("<li>(.*?)</li>", folded) == ["d", "e"]


@pytest.mark.parametrize(
    ("share", "width", "text"),
    [(0.0, "0", "0 %"), (0.12345, "12.3", "12.3 %"), (1.0, "100", "100 %"), (-0.5, "0", "-50 %")],
)
def test_a_bar_is_blue_up_to_the_whole(share: float, width: str, text: str) -> None:
    html = bar(share)
    assert f"width:{width}%;background:#3b82c4" in html
    assert html.endswith(f"</span>{text}</span>")


def test_a_bar_beyond_the_whole_is_orange() -> None:
    assert "width:100%;background:#c2562d" in bar(1.001)
    assert bar(0.5, "half").endswith("</span>half</span>")
    assert bar(0.5, "").endswith("</span></span>")
    assert bar(None, "<none>") == "&lt;none&gt;"
    assert bar(float("nan"), "open") == "open"
    assert isinstance(bar(None), Markup)


class Shown:
    notes = ("slow",)

    def to_dict(self) -> dict[str, Any]:
        return {
            "rate": {"value": 9.0, "low": 8.0, "high": 9.5, "bound": "upper"},
            "exact": {"value": 2.0, "low": 2.0, "high": 2.0},
            "open": {"value": None, "low": 1.0, "high": None},
            "low_alone": {"value": 1.0, "low": 1.0, "high": 3.0},
            "sides": {"client": 3, "server": None, "both": "yes"},
            "names": ["a", "b"],
            "numbers": (1, 2, 3, 4),
            "shares": [0.5, 0.25],
            "none": None,
            "empty": [],
            "blank": "",
            "text": "as it is",
            "share": 1 / 3,
            "sha256": "abc",
            "notes": ["slow"],
        }


def test_plain_values_of_a_result_are_rows() -> None:
    html = plain_html(Shown())
    assert {name: text for (_, _, name), (_, _, text) in rows_of(html)} == {
        "rate": "9 (8 to 9.5)",
        "exact": "2",
        "open": "open (1 to open)",
        "low_alone": "1 (1 to 3)",
        "sides": "client 3, both yes",
        "names": "a, b",
        "numbers": "1, 2, 3, 4",
        "shares": "&lt;2&gt;",
        "text": "as it is",
        "share": "0.333333",
    }
    assert re.findall("<li>(.*?)</li>", html) == ["slow"]
    assert ">Shown</caption>" in html
    pairs = rows_of(plain_html(Pair(1.5, 2.0)))
    assert pairs == [[("th", "left", "low"), ("td", "left", "1.5")]]


# Rows of frames


class Worded:
    def __str__(self) -> str:
        return "in words"


def test_a_result_is_a_row_of_plain_values() -> None:
    row = row_of(Shown())
    assert row == {
        "rate": 9.0,
        "rate_low": 8.0,
        "rate_high": 9.5,
        "exact": 2.0,
        "exact_low": 2.0,
        "exact_high": 2.0,
        "open": None,
        "open_low": 1.0,
        "open_high": None,
        "low_alone": 1.0,
        "low_alone_low": 1.0,
        "low_alone_high": 3.0,
        "none": None,
        "blank": "",
        "text": "as it is",
        "share": 1 / 3,
        "sha256": "abc",
    }
    assert row_of(Run(1.5, hidden=3)) == {"rate_bps": 1.5, "side": "client", "samples": None}
    assert row_of(Worded()) == {"text": "in words"}


class Range(NamedTuple):
    value: float | None
    low: float
    high: float


def test_an_estimate_is_three_columns() -> None:
    ends = {"rate_low": 1.0, "rate_high": 4.0}
    assert range_row("rate", Range(2, 1, 4)) == {"rate": 2.0, **ends}
    assert range_row("rate", Range(None, 1, 4)) == {"rate": None, **ends}
    unknown = {"rate": None, "rate_low": None, "rate_high": None}
    assert range_row("rate", None) == unknown


def test_columns_of_a_frame_have_units() -> None:
    pytest.importorskip("pandas")
    rows = [{"limit": "wire", "rate_bps": 1e9}, {"limit": "cpu", "share": 0.5, "why": "busy"}]
    frame = frame_of(rows, "limit", {"share": "1"})
    assert list(frame.index) == ["wire", "cpu"]
    assert frame["rate_bps"].isna().tolist() == [False, True]
    assert frame.attrs == {"units": {"rate_bps": "bit/s", "share": "1", "why": None}}
    empty = frame_of([], "limit")
    assert (empty.index.name, len(empty), list(empty.columns)) == ("limit", 0, [])
    lists = columns_frame({"name": ["a"], "rate_low_s": [1.0]}, "name")
    assert lists.attrs["units"] == {"rate_low_s": "s"}


def test_parameters_of_a_fit_are_columns() -> None:
    pytest.importorskip("pandas")
    frame = parameters_frame([("per_frame_s", "s", (2e-6, 1e-6, 3e-6)), ("gain", "", (1.3, 1, 2))])
    assert frame.to_dict("index") == {
        "value": {"per_frame_s": 2e-6, "gain": 1.3},
        "low": {"per_frame_s": 1e-6, "gain": 1.0},
        "high": {"per_frame_s": 3e-6, "gain": 2.0},
    }
    assert frame.index.name == "figure"
    assert frame.attrs["units"] == {"per_frame_s": "s", "gain": "1"}
