"""Records that are written: what reads back, and files that are never left half done."""

import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from netmodel.errors import DomainError, ParseError, UnknownRecordError
from netmodel.grades import Grade
from netmodel.records import Adapter, adapter, write_record
from netmodel.records._write import record_text
from netmodel.units import format_time

FITTED = {"source": "lab.csv", "locator": "all rows", "grade": "fitted", "note": "three runs"}
TIMES = [
    {"per_frame": "864.47761 ns", "per_byte": "0 ns"},
    {"per_frame": "472.999732 ns", "per_byte": "0.270357652 ns"},
]
CARD: dict[str, Any] = {
    "title": "mine",
    "kind": "own",
    "line_rate": "25 Gbit/s",
    "defaults": FITTED,
    "in": {"vertices": TIMES, "known_payload": "1448 to 8948 B"},
}

odd_texts = st.text() | st.text("\x00\t\n\r\x1b\x7f\x85\u2028\"'\\#=.[]{} µ", max_size=6)
keys = st.from_regex(r"[A-Za-z0-9_-]{1,3}", fullmatch=True) | odd_texts
decimals = st.decimals(allow_nan=False, allow_infinity=False).filter(
    lambda number: abs(number.adjusted()) <= 30
)
plain = odd_texts | st.booleans() | st.integers(-(10**30), 10**30) | decimals
anything = st.recursive(
    plain, lambda one: st.lists(one, max_size=4) | st.dictionaries(keys, one, max_size=4)
)
tables = st.dictionaries(keys, anything, max_size=4)
documents = st.dictionaries(keys, anything | tables | st.lists(tables, max_size=3), max_size=5)


def read(text: str) -> dict[str, Any]:
    return tomllib.loads(text, parse_float=Decimal)


@given(documents)
@example({})
@example({"a": {}, "b": [{}], "c": [], "d": [[], {}], "": {"": [{"": {}}]}})
@example({"a": [{"b": {"c": [{}]}, "d": 1}, {"b": {}}], "e": {"f": {"g": {}}}, "h": 1})
@example({"a.b": {"c d": {"µ": Decimal("1E+3")}}, "a": {"b": Decimal("0E-7")}})
def test_what_is_written_reads_back(document: dict[str, Any]) -> None:
    assert read(record_text(document)) == document


@given(decimals)
@example(Decimal("13.40"))
@example(Decimal("1E-7"))
def test_digits_are_kept(number: Decimal) -> None:
    known = Decimal(read(record_text({"value": number}))["value"])
    assert known == number
    assert known.as_tuple()[1:] == number.as_tuple()[1:]


def test_every_point_stands_on_a_line_and_every_observation_is_a_table() -> None:
    seen = {"quantity": "payload_rate", "connection_counts": [1, 10], "value": Decimal("13.4")}
    lines = record_text(CARD | {"observations": [seen, seen]}).splitlines()
    assert '  { per_frame = "864.47761 ns", per_byte = "0 ns" },' in lines
    assert lines.count("[[observations]]") == 2
    assert lines.count("connection_counts = [1, 10]") == 2
    assert lines.index("[in]") + 1 == lines.index("vertices = [")
    short = record_text({"in": {"samples": [{"per_byte": "1 ns"}]}})
    assert short == '[in]\nsamples = [\n  { per_byte = "1 ns" },\n]\n'
    assert record_text({"a": 1, "b": {"c": {"d": 2}}}) == "a = 1\n\n[b.c]\nd = 2\n"


def test_tables_that_hold_points_are_tables_however_deep() -> None:
    known = [{"connections": 1, "vertices": [{"per_byte": "1 ns"}]}, {"connections": 10}]
    text = record_text({"stages": [{"name": "cpu", "in": {"known_payload": "1 B", "at": known}}]})
    assert text == (
        '[[stages]]\nname = "cpu"\n\n[stages.in]\nknown_payload = "1 B"\n\n'
        "[[stages.in.at]]\nconnections = 1\nvertices = [\n"
        '  { per_byte = "1 ns" },\n]\n\n[[stages.in.at]]\nconnections = 10\n'
    )
    assert tomllib.loads(text)["stages"][0]["in"]["at"] == known


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ({"a": None}, "a: must be an integer or a decimal number, .*; got NoneType"),
        ({"a": {"b": [1, 0.5]}}, "a.b: must be an integer or a decimal number, .*; got float"),
        ({"a": Decimal("nan")}, "a: must be a finite number"),
        ({"a": Decimal("-inf")}, "a: must be a finite number"),
        ({"a": 10**5000}, "a: is beyond the range of numbers that are read"),
    ],
)
def test_what_no_record_has_is_refused(document: dict[Any, Any], problem: str) -> None:
    with pytest.raises(DomainError, match=problem):
        record_text(document)


def names_in(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_a_record_is_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    card = write_record(path, CARD, "adapters")
    assert isinstance(card, Adapter)
    assert card == adapter(path)
    assert card.id == "mine"
    assert card.in_ is not None
    assert [point.per_frame.grade for point in card.in_.vertices if point.per_frame] == [
        Grade.FITTED,
        Grade.FITTED,
    ]
    assert names_in(tmp_path) == ["mine.toml"]


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("times")


@given(st.lists(st.floats(0, 1e3).filter(lambda time_s: not 0 < time_s < 1e-20), min_size=1))
@example([4.7300043e-7, 1 / 3e9, 0.0])
def test_fitted_times_keep_their_digits(directory: Path, times_s: list[float]) -> None:
    samples = [{"per_byte": format_time(time_s)} for time_s in times_s]
    card = write_record(directory / "mine.toml", CARD | {"in": {"samples": samples}}, "adapters")
    assert isinstance(card, Adapter)
    assert card.in_ is not None
    known = [point.per_byte.time_s for point in card.in_.samples if point.per_byte]
    assert known == pytest.approx(times_s, rel=1e-9, abs=0)


def problem_of(path: Path, document: dict[str, Any]) -> str:
    with pytest.raises(ParseError) as caught:
        write_record(path, document, "adapters")
    assert caught.value.source == str(path)
    return caught.value.problem


def test_what_is_no_record_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    assert problem_of(path, CARD | {"line": "1"}).startswith("line: is not a known key")
    assert names_in(tmp_path) == []
    write_record(path, CARD, "adapters")
    before = path.read_bytes()
    times = {"per_frame": "1 µs", "vertices": TIMES}
    assert problem_of(path, CARD | {"in": times}) == (
        "in: per_frame and vertices: only one of them can be given"
    )
    assert problem_of(path, CARD | {"id": "mine"}).startswith("id: is the name of the file")
    with pytest.raises(DomainError, match="got float"):
        write_record(path, CARD | {"line_rate": 25e9}, "adapters")
    with pytest.raises(UnknownRecordError, match="did you mean adapters"):
        write_record(path, CARD, "adapter")
    assert path.read_bytes() == before
    assert names_in(tmp_path) == ["mine.toml"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing/mine.toml", "No such file or directory"),
        (".", "Is a directory"),
        (f"{'x' * 300}.toml", "File name too long"),
    ],
)
def test_a_path_that_cannot_be_written_is_refused(tmp_path: Path, name: str, reason: str) -> None:
    path = tmp_path / name
    assert problem_of(path, CARD) == f"cannot be written: {reason}"
    assert names_in(tmp_path) == []
