"""Statements: what belongs together, what figures allow, and every statement of every document."""

import json
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from netmodel.errors import ParseError, UnknownRecordError
from netmodel.records import Grade, Relation, Statement, catalog, data_path, statement, statements
from netmodel.records._catalog import document_ids
from netmodel.records._statements import load_statements
from netmodel.records._subjects import Change, Configuration, QuantityKind
from netmodel.units import parse_rate_bps

FILES = sorted(data_path("statements").glob("*.toml"))
ALL = statements()
EXAMPLES = 150
SOURCED = {"source": "adapter", "locator": "slide 17", "grade": "published"}
PLAIN: dict[str, Any] = SOURCED | {
    "id": "mine",
    "wording": "it is so",
    "quantity": "transaction_time",
    "subject": {"adapter": "osa-express7s-25gbe"},
    "value": Decimal("1.5"),
    "unit": "ms",
}
COMPARED = PLAIN | {
    "baseline": {"adapter": "osa-express6s-10gbe"},
    "change": "less",
    "value": 30,
    "unit": "%",
}
SIGN = {name: part for name, part in COMPARED.items() if name not in {"value", "unit"}} | {
    "relation": "sign"
}
MINE = """\
[defaults]
source = "my notes"
grade = "measured"

[[statements]]
id = "first"
locator = "page 1"
wording = "a tenth less time"
quantity = "transaction_time"
subject = { adapter = "mine", connection_counts = [1, 10], receive_packet_steering = true }
baseline = { receive_packet_steering = false }
change = "less"
value = 10
unit = "%"

[[statements]]
id = "second"
locator = "page 2"
wording = "a worked example"
quantity = "payload_ratio"
subject = { mtu_bytes = 1500 }
value = 0.9415
unit = "1"
given = { payload_bytes = 1448, parts = [14, 4.5, "gap"], name = "frame" }
"""

each_document = pytest.mark.parametrize("name", [path.stem for path in FILES])


COUNT = {"quantity": "connection_count", "unit": "1"}
SHARE = {"quantity": "payload_ratio", "unit": "1"}
MTU = {"quantity": "mtu", "unit": "byte"}
AT_LINE = {"quantity": "payload_rate", "unit": "Gbit/s", "subject": {"line_rate": "25 Gbit/s"}}
AT_FULL_LINE = {"quantity": "payload_rate", "unit": "line", "relation": "censored_above"}


def made(parts: dict[str, Any], **changed: object) -> Statement:
    return Statement.model_validate(parts | changed)


def written(directory: Path, content: str | bytes) -> Path:
    path = directory / "mine.toml"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def problem_of(directory: Path, content: str) -> str:
    path = written(directory, content)
    with pytest.raises(ParseError) as caught:
        load_statements(path)
    assert caught.value.source == str(path)
    return caught.value.problem


@pytest.mark.parametrize(
    ("parts", "interval"),
    [
        ({"value": Decimal("13.4"), "unit": "Gbit/s"}, ("13.35", "13.45")),
        ({"value": Decimal("13.40"), "unit": "Gbit/s"}, ("13.395", "13.405")),
        ({"value": 12, "unit": "%"}, ("11.5", "12.5")),
        ({"value": 2500, "unit": "ms"}, ("2499.5", "2500.5")),
        ({"value": 2500, "unit": "ms", "resolution": 100}, ("2450", "2550")),
        ({"value": 128, "unit": "1", "quantity": "buffer_count"}, ("128", "128")),
        ({"value": 1500, "unit": "B", "quantity": "mtu"}, ("1500", "1500")),
        ({"value": 200, "unit": "byte", "quantity": "message_size"}, ("200", "200")),
        ({"value": 32, "unit": "KB", "quantity": "message_size"}, ("31.5", "32.5")),
        ({"value": Decimal("1.5"), "unit": "1", "quantity": "core_count"}, ("1.45", "1.55")),
        ({"value": 40, "unit": "ms", "relation": "about"}, ("38", "42")),
        ({"value": 2, "unit": "ms", "relation": "about"}, ("1.5", "2.5")),
        ({"value": -40, "unit": "ms", "relation": "about"}, ("-42", "-38")),
        ({"value": 40, "unit": "1", "relation": "about", "quantity": "queue_count"}, ("38", "42")),
        ({"value": 5, "unit": "ms", "relation": "at_least"}, ("5", "Infinity")),
        ({"value": 5, "unit": "ms", "relation": "censored_above"}, ("5", "Infinity")),
        ({"value": 5, "unit": "ms", "relation": "at_most"}, ("-Infinity", "5")),
        ({"value": 5, "unit": "ms", "relation": "up_to"}, ("-Infinity", "5")),
        ({"value": 5, "unit": "ms", "relation": "censored_below"}, ("-Infinity", "5")),
        (
            {"value": None, "low": 30, "high": Decimal("37.0"), "relation": "range"},
            ("29.5", "37.05"),
        ),
        (
            {"value": None, "low": 30, "high": 40, "relation": "range", "resolution": 10},
            ("25", "45"),
        ),
    ],
)
def test_what_a_figure_allows(parts: dict[str, object], interval: tuple[str, str]) -> None:
    assert made(PLAIN, **parts).interval == tuple(map(Decimal, interval))


def test_a_compared_count_is_rounded_like_any_figure() -> None:
    assert made(COMPARED, quantity="drop_count").interval == (Decimal("29.5"), Decimal("30.5"))


def test_words_alone_allow_everything() -> None:
    assert made(SIGN).interval is None
    assert made(SIGN, change="same").interval is None
    assert made(SIGN, change="same", relation="about").interval is None


@given(st.decimals(-(10**6), 10**6, places=3), st.integers(0, 2))
def test_the_interval_holds_what_was_rounded(exact: Decimal, places: int) -> None:
    printed = round(exact, places) if places else Decimal(round(exact))
    low, high = made(PLAIN, value=printed).interval or (0, 0)
    assert low <= exact <= high
    wide = made(PLAIN, value=printed, relation="about").interval or (0, 0)
    assert wide[0] <= low <= high <= wide[1]


@pytest.mark.parametrize(
    ("parts", "changed", "fault"),
    [
        (PLAIN, {"change": "less"}, "change and baseline belong together"),
        (PLAIN, {"baseline": {"mtu_bytes": 1500}}, "change and baseline belong together"),
        (COMPARED, {"relation": "sign"}, "relation sign has change more, less or same, and no val"),
        (SIGN, {"change": "factor"}, "relation sign has change more, less or same"),
        (PLAIN, {"relation": "sign", "value": None, "unit": None}, "relation sign has change"),
        (PLAIN, {"value": None, "unit": None}, "relation equal has a value"),
        (PLAIN, {"value": None, "unit": None, "relation": "about"}, "relation about has a value"),
        (COMPARED, {"value": None, "unit": None, "relation": "about"}, "relation about has a val"),
        (PLAIN, {"unit": None}, "a figure and its unit belong together"),
        (SIGN, {"unit": "%"}, "a figure and its unit belong together"),
        (SIGN, {"resolution": 1}, "resolution: there is no figure"),
        (PLAIN, {"low": 1, "high": 2}, "relation equal has neither low nor high"),
        (PLAIN, {"relation": "range"}, "relation range has low and high, and no value"),
        (PLAIN, {"relation": "range", "value": None, "low": 1}, "relation range has low and high"),
        (
            PLAIN,
            {"relation": "range", "value": None, "low": 3, "high": 2},
            "low must not exceed high; got 3 and 2",
        ),
        (PLAIN, {"quantity": "version", "value": None, "unit": None}, "relation equal has a value"),
        (COMPARED, {"change": "same"}, "change same has no figure"),
        (PLAIN, {"resolution": 0}, "resolution"),
        (PLAIN, {"value": 1.5}, "whose digits are kept"),
        (PLAIN, {"value": Decimal("NaN")}, "must be a finite number"),
        (PLAIN, {"grade": "assumed"}, "grade assumed needs a note"),
        (PLAIN, {"id": "Not an id"}, "id"),
        (PLAIN, {"quantity": "speed"}, "quantity"),
        (PLAIN, {"given": {"x": 1.5}}, "whose digits are kept"),
        (PLAIN, {"given": {"x": {"y": 1}}}, "given"),
        (PLAIN, {"subject": {"adaptor": "x"}}, "subject.adaptor"),
        (PLAIN, {"subject": {"mtu_bytes": "1500"}}, "subject.mtu_bytes"),
        (PLAIN, {"subject": {"mtu_bytes": True}}, "subject.mtu_bytes"),
        (PLAIN, {"subject": {"connection_counts": [0]}}, "subject.connection_counts"),
        (PLAIN, {"subject": {"side": "left"}}, "subject.side"),
        (PLAIN, {"subject": {"receive_packet_steering": 1}}, "subject.receive_packet_steering"),
        (PLAIN, {"subject": {"layer": 2.5}}, "subject.layer"),
        (PLAIN, {"subject": {"layer": 4}}, "must be 2 or 3, or the id of a header layer; got 4"),
        (PLAIN, {"subject": {"mtu_bytes": 15}}, "subject.mtu_bytes"),
        (PLAIN, {"subject": {"mtu_bytes": 90_000}}, "subject.mtu_bytes"),
        (PLAIN, {"subject": {"connection_counts": [1, 1]}}, "must name each number once; got 1, 1"),
        (COMPARED, {"change": "factor", "unit": "x", "value": -2}, "cannot be below 0; got -2 x"),
        (PLAIN, COUNT | {"value": -1}, "connection_count cannot be below 0; got -1 1"),
        (PLAIN, COUNT, "connection_count must be a whole number; got 1.5"),
        (PLAIN, SHARE | {"value": 2}, "a share is at most the whole, 1; got 2"),
        (PLAIN, SHARE | {"value": 123, "unit": "%"}, "a share is at most the whole, 100; got 123"),
        (PLAIN, AT_FULL_LINE | {"value": 2}, "a share is at most the whole, 1; got 2"),
        (PLAIN, MTU | {"value": 15}, "an MTU is from 68 to 65536 byte; got 15"),
        (PLAIN, MTU | {"value": 90_000}, "an MTU is from 68 to 65536 byte; got 90000"),
        (PLAIN, AT_LINE | {"value": 26}, "payload_rate 26 Gbit/s is above line_rate 25 Gbit/s"),
    ],
)
def test_parts_that_do_not_belong_together_are_refused(
    parts: dict[str, Any], changed: dict[str, object], fault: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        made(parts, **changed)
    assert fault in str(caught.value)


@pytest.mark.parametrize(
    "changed",
    [
        AT_LINE | {"value": 25},
        AT_LINE | {"value": 26, "relation": "about"},
        AT_LINE | {"value": 26, "relation": "at_most"},
        AT_LINE | {"value": 26, "quantity": "throughput"},
        AT_LINE | {"value": 26, "unit": "GT/s"},
        MTU | {"value": 9, "unit": "KB"},
        SHARE | {"value": 1},
        COUNT | {"quantity": "processor_count"},
        {"value": -1},
    ],
)
def test_figures_that_are_possible_are_kept(changed: dict[str, object]) -> None:
    assert made(PLAIN, **changed).value == changed.get("value", made(PLAIN).value)


def test_a_version_is_its_text() -> None:
    published = made(PLAIN, quantity="version", value=None, unit=None, printed="5.3.18-22-default")
    assert (published.claim, published.interval) == ("version 5.3.18-22-default", None)


@pytest.mark.parametrize(
    ("parts", "changed", "claim"),
    [
        (PLAIN, {}, "transaction time 1.5 ms"),
        (PLAIN, {"relation": "up_to"}, "transaction time up to 1.5 ms"),
        (PLAIN, {"quantity": "core_count", "unit": "1"}, "core count 1.5"),
        (COMPARED, {}, "transaction time 30 % lower"),
        (COMPARED, {"change": "factor", "unit": "x"}, "transaction time 30 x"),
        (SIGN, {}, "transaction time lower"),
        (SIGN, {"change": "same"}, "transaction time unchanged"),
    ],
)
def test_a_claim_is_one_line(parts: dict[str, Any], changed: dict[str, object], claim: str) -> None:
    assert made(parts, **changed).claim == claim


def test_statements_of_ones_own(tmp_path: Path) -> None:
    first, second = load_statements(written(tmp_path, MINE))
    assert first.subject == Configuration(
        adapter="mine", connection_counts=(1, 10), receive_packet_steering=True
    )
    assert (first.change, first.relation) == (Change.LESS, Relation.EQUAL)
    assert first.provenance == "measured; my notes, page 1"
    assert second.given["parts"] == (Decimal(14), Decimal("4.5"), "gap")
    assert dict(second.given)["name"] == "frame"
    assert second.quantity is QuantityKind.PAYLOAD_RATIO
    assert str(first) == (
        "first: a tenth less time (measured; my notes, page 1)\n"
        "  claim: transaction time 10 % lower\n"
        "  subject: adapter mine, connection_counts 1 10, receive_packet_steering on\n"
        "  baseline: receive_packet_steering off"
    )


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('"second"', '"first"', "statements.2.id: 'first' has another one too"),
        ("value = 10", "vlaue = 10", "statements.1 (first).vlaue: is not a known key"),
        ("mtu_bytes", "mtu_byte", "statements.2 (second).subject.mtu_byte: is not a known key"),
        ('id = "first"', "id = 1", "statements.1.id: must be a valid string"),
        ('id = "first"', "", "statements.1.id: is missing"),
        ('locator = "page 1"', "", "statements.1 (first).locator: is missing"),
        ("[[statements]]", "[[statement]]", "statement: is not a known key"),
        ('change = "less"', "", "statements.1 (first): change and baseline belong together"),
        ('"less"', '"fewer"', "statements.1 (first).change: must be 'more', 'less', 'factor' or"),
        ("value = 10", "value = nan", "statements.1 (first).value: must be a finite number"),
        ("value = 10", "value = ", "not TOML: Invalid value (at line 13"),
        ("value = 10", "value = 1979-05-27", "statements.1 (first).value: must be an integer"),
    ],
)
def test_faults_name_statement_and_key(tmp_path: Path, old: str, new: str, fault: str) -> None:
    assert old in MINE
    assert fault in problem_of(tmp_path, MINE.replace(old, new, 1))


@pytest.mark.parametrize("content", ["", "statements = 3", "statements = []", "[statements]\na=1"])
def test_a_file_physics_only_is_refused(tmp_path: Path, content: str) -> None:
    assert problem_of(tmp_path, content).startswith("statements: must be tables [[statements]]")


@pytest.mark.parametrize("part", ["subject", "baseline"])
def test_a_path_is_a_record_or_a_declared_label(tmp_path: Path, part: str) -> None:
    text = MINE.replace("subject = {", 'subject = { path = "kvm-one-host",', 1)
    (first, _) = load_statements(written(tmp_path, text))
    assert first.subject.path == "kvm-one-host"
    text = MINE.replace(f"{part} = {{", f'{part} = {{ path = "my-brige",', 1)
    assert text != MINE
    label = '[path_labels]\nmy-bridge = "a bridge of mine"\n'
    assert f".{part}.path: unknown path or label of [path_labels] 'my-brige'; did you mean " in (
        problem_of(tmp_path, label + text)
    )
    load_statements(written(tmp_path, label + text.replace("brige", "bridge")))
    assert "path_labels.my-bridge" in problem_of(tmp_path, f"path_labels.my-bridge = 1\n{text}")


def test_an_entry_that_is_no_table(tmp_path: Path) -> None:
    assert problem_of(tmp_path, "statements = [3]").startswith("statements.1: ")


def test_statements_are_found() -> None:
    assert {published.source for published in statements("kvm")} == {"kvm"}
    assert sum(len(statements(path.stem)) for path in FILES) == len(ALL)
    assert statement(ALL[7].id) == ALL[7]
    with pytest.raises(UnknownRecordError, match="unknown statement 'no'; "):
        statement("no")
    with pytest.raises(UnknownRecordError, match="'adaptor'; did you mean adapter"):
        statements("adaptor")


def test_every_document_has_statements() -> None:
    names = {"adapter", "zvm", "smcr-distance", "kvm", "powervm"}
    assert {path.stem for path in FILES} == names
    assert min(len(statements(name)) for name in names) > 80


def test_ids_are_unique_over_all_documents() -> None:
    loaded = [published.id for path in FILES for published in load_statements(path)]
    assert [name for name, times in Counter(loaded).items() if times > 1] == []
    assert loaded == [published.id for published in ALL]


def test_a_file_holds_what_its_document_says() -> None:
    for path in FILES:
        assert {published.source for published in load_statements(path)} == {path.stem}


@each_document
def test_what_statements_name_is_known(name: str) -> None:
    for published in statements(name):
        for part in (published.subject, published.baseline or Configuration()):
            assert set(part.adapters) <= set(catalog()["adapters"]), published.id
            assert set(part.all_workloads) <= set(catalog()["workloads"]), published.id
            assert {part.link} <= {None, *catalog()["links"]}, published.id
            assert part.line_rate is None or parse_rate_bps(part.line_rate) > 0, published.id
        assert published.source in document_ids()


@each_document
def test_statements_allow_an_interval_or_are_in_words(name: str) -> None:
    for published in statements(name):
        figures = [
            figure
            for figure in (published.value, published.low, published.high)
            if figure is not None
        ]
        low, high = published.interval or (1, 0)
        assert (low <= high) == bool(figures), published.id
        assert all(low <= figure <= high for figure in figures), published.id


@each_document
def test_statements_print_their_place(name: str) -> None:
    for published in statements(name):
        for text in (str(published), published._repr_html_()):
            assert published.id in text
            assert published.source in text
        assert json.loads(json.dumps(published.to_dict()))["id"] == published.id
        assert published.note or published.grade not in {Grade.ASSUMED, Grade.DERIVED}, published.id


@each_document
def test_factors_have_the_unit_of_a_factor(name: str) -> None:
    for published in statements(name):
        assert published.unit == "x" or published.change is not Change.FACTOR, published.id
        assert published.unit != "x" or published.change not in {Change.MORE, Change.LESS}, (
            published.id
        )


def test_statements_may_be_members_of_sets() -> None:
    assert len({*ALL}) == len(ALL)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mutated")


ODD = ["nan", "-inf", "0", "-1", "1e31", "[]", "[1]", "[[1]]", "{}", "{a=1}", '""', '"x"', "true"]
ODD += ["1979-05-27", "07:32:00", "'range'", "'sign'", "x", "", "9" * 400, "{a=" * 200]


@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_changed_files_give_statements_or_are_refused(directory: Path, data: st.DataObject) -> None:
    lines = MINE.splitlines()
    for _ in range(data.draw(st.integers(1, 3))):
        number = data.draw(st.integers(0, len(lines) - 1))
        line = lines.pop(number)
        change = data.draw(st.sampled_from(["value", "value", "lost", "moved", "doubled", "bytes"]))
        if change == "value":
            lines.insert(number, f"{line.partition('=')[0]} = {data.draw(st.sampled_from(ODD))}")
        elif change == "moved":
            lines.insert(data.draw(st.integers(0, len(lines))), line)
        elif change == "doubled":
            lines[number:number] = [line, line]
        elif change == "bytes":
            lines.insert(number, data.draw(st.text(max_size=5)) + line)
        lines = lines or [""]
    path = written(directory, "\n".join(lines))
    problem = source = ""
    try:
        loaded = load_statements(path)
    except ParseError as error:
        problem, source = error.problem, error.source
    else:
        assert all(
            str(published) and published.claim and published.to_dict() for published in loaded
        )
        assert all(published.has_figure == (published.interval is not None) for published in loaded)
    assert bool(problem) == (source == str(path))


def test_a_full_line_is_printed_in_words() -> None:
    published = statement("roce-line-speed-rr30k-mtu-1500")
    assert published.claim == "payload rate at line speed"
