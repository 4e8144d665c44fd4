"""Statements of every kind: what their figures allow, how they read, and which fit together."""

from decimal import Decimal
from pathlib import Path

import pytest
from made_statements import statement_with
from pydantic import ValidationError

from netmodel.errors import ParseError
from netmodel.records._statements import Statement, load_statements
from netmodel.records._subjects import Configuration, QuantityKind

CARD = Configuration(adapter="a")
OTHER = Configuration(adapter="b")
PLAIN = {"quantity": "latency", "subject": CARD, "unit": "ms"}
COMPARED = {**PLAIN, "unit": "%", "baseline": OTHER, "change": "more"}
FACTOR = COMPARED | {"unit": "x", "change": "factor"}


def plain(**fields: object) -> Statement:
    return statement_with(PLAIN, **fields)


def compared(**fields: object) -> Statement:
    return statement_with(COMPARED, **fields)


def factor(**fields: object) -> Statement:
    return statement_with(FACTOR, **fields)


@pytest.mark.parametrize(
    ("printed", "interval"),
    [
        # about 3 times is about 200 % more: 5 % of 2 are 0.1
        ("3.00", ("2.90", "3.10")),
        ("1.50", ("1.475", "1.525")),
        ("0.50", ("0.475", "0.525")),  # half as much less
        ("2", ("1.5", "2.5")),  # no less than its rounding
        ("1", ("0.5", "1.5")),
    ],
)
def test_about_a_factor_is_about_its_change(printed: str, interval: tuple[str, str]) -> None:
    expected = tuple(map(Decimal, interval))
    assert factor(relation="about", value=Decimal(printed)).interval == expected
    half = Decimal("0.005") if "." in printed else Decimal("0.5")
    equal = factor(value=Decimal(printed)).interval
    assert equal == (Decimal(printed) - half, Decimal(printed) + half)


def test_about_a_range_or_a_count_is_that_of_its_figures() -> None:
    assert factor(relation="range", low=2, high=3).interval == (Decimal("1.5"), Decimal("3.5"))
    assert plain(relation="about", value=100).interval == (95, 105)
    assert compared(relation="about", value=100).interval == (95, 105)
    assert factor(relation="about", value=Decimal("0.0")).interval == (
        *(Decimal("-0.05"), Decimal("0.05")),
    )


@pytest.mark.parametrize(
    ("quantity", "unit", "value", "half"),
    [
        ("connection_count", "1", "50", "0"),
        ("queue_length", "1", "50", "0"),
        ("cpu_mask", "1", "15", "0"),
        ("mtu", "KB", "9", "0"),
        ("message_size", "bytes", "50", "0"),
        ("message_size", "B", "50", "0"),
        ("message_size", "byte", "5.5", "0.05"),
        ("message_size", "KiB", "50", "0.5"),
        ("processor_count", "1", "1.5", "0.05"),
        ("processor_count", "1", "2.0", "0"),
        ("latency", "ms", "50", "0.5"),
    ],
)
def test_what_is_counted_is_not_rounded(quantity: str, unit: str, value: str, half: str) -> None:
    figure = Decimal(value)
    made = plain(quantity=quantity, unit=unit, value=figure)
    assert made.half_width(figure) == Decimal(half)
    assert made.interval == (figure - Decimal(half), figure + Decimal(half))
    stepped = plain(quantity=quantity, unit=unit, value=figure, resolution=4)
    assert stepped.half_width(figure) == 2
    if figure == 50:
        more = compared(quantity=quantity, unit=unit, value=figure)
        assert more.half_width(figure) == Decimal("0.5")


@pytest.mark.parametrize(
    ("made", "claim"),
    [
        (plain(value=Decimal("1.50")), "latency 1.50 ms"),
        (plain(quantity="cpu_time", value=5), "CPU time 5 ms"),
        (plain(quantity="mtu", unit="B", value=1500), "MTU 1500 B"),
        (plain(quantity="gain", unit="1", value=5), "performance 5"),
        (
            plain(quantity="layer_difference", unit="%", relation="range", low=-2, high=5),
            "difference between layers -2 to 5 %",
        ),
        (plain(relation="at_least", value=5), "latency at least 5 ms"),
        (plain(relation="censored_above", value=5), "latency censored, at least 5 ms"),
        (plain(relation="censored_below", value=5), "latency censored, at most 5 ms"),
        (
            plain(quantity="throughput", relation="censored_above", value=1, unit="line"),
            "throughput at line speed",
        ),
        (plain(quantity="throughput", value=1, unit="line"), "throughput 1 line"),
        (compared(value=5), "latency 5 % higher"),
        (compared(value=5, change="less"), "latency 5 % lower"),
        (compared(quantity="duration", value=5), "duration 5 % longer"),
        (compared(quantity="distance", value=5, change="less"), "distance 5 % shorter"),
        (factor(value=5), "latency 5 x"),
        (compared(relation="range", low=-2, high=5), "latency changed by -2 to 5 %"),
        (compared(relation="range", low=0, high=5), "latency 0 to 5 % higher"),
        (compared(relation="range", low=-2, high=5, change="less"), "latency -2 to 5 % lower"),
        (compared(relation="sign", unit=None), "latency higher"),
        (compared(relation="sign", change="same", unit=None), "latency unchanged"),
        (compared(relation="about", change="same", unit=None), "latency unchanged"),
        (plain(quantity="version", unit=None, printed="5.3.18"), "version 5.3.18"),
    ],
)
def test_a_claim_reads_as_a_line(made: Statement, claim: str) -> None:
    assert made.claim == claim
    assert (
        made.amount_text == claim.removeprefix(" ".join(claim.split()[: name_length(made)])).strip()
    )


def name_length(made: Statement) -> int:
    """Words of the name of a quantity."""
    names = {QuantityKind.GAIN: 1, QuantityKind.LAYER_DIFFERENCE: 3}
    return names.get(made.quantity, len(made.quantity.value.split("_")))


def test_a_statement_prints_what_it_is_about() -> None:
    made = compared(
        value=5,
        printed="five per cent",
        given={"cores": 4, "sizes": [1, Decimal("2.50"), "3 kB"]},
        note="why",
    )
    assert str(made).splitlines() == [
        "mine: made (published; made, page 1; why)",
        "  claim: latency 5 % higher",
        "  subject: adapter a",
        "  baseline: adapter b",
        "  printed: five per cent",
        "  given: cores 4, sizes 1 2.50 3 kB",
    ]
    assert repr(made) == "<Statement mine: made>"
    assert made.to_dict()["value"] == "5"
    assert made.given["sizes"] == (1, Decimal("2.50"), "3 kB")
    assert str(plain(value=5)).splitlines() == [
        "mine: made (published; made, page 1)",
        *("  claim: latency 5 ms", "  subject: adapter a"),
    ]
    assert made.has_figure
    assert plain(relation="range", low=1, high=2).has_figure
    assert not compared(relation="sign", unit=None).has_figure
    hash(made)


AT_LINE = {
    "quantity": "payload_rate",
    "unit": "Gbit/s",
    "subject": Configuration(line_rate="25 Gbit/s"),
}


@pytest.mark.parametrize(
    ("usual", "fields", "problem"),
    [
        (PLAIN, {"relation": "range", "low": 5, "high": 5}, ""),
        (
            PLAIN,
            {"relation": "range", "low": 5, "high": 4},
            "low must not exceed high; got 5 and 4",
        ),
        (PLAIN, {"relation": "range", "low": 5}, "relation range has low and high, and no value"),
        (PLAIN, {"relation": "range", "high": 5}, "relation range has low and high, and no value"),
        (
            PLAIN,
            {"relation": "range", "low": 4, "high": 5, "value": 4},
            "relation range has low and high, and no value",
        ),
        (PLAIN, {"value": 4, "low": 3}, "relation equal has neither low nor high"),
        (PLAIN, {"value": 4, "high": 5}, "relation equal has neither low nor high"),
        (PLAIN, {"value": 4, "change": "more"}, "change and baseline belong together"),
        (PLAIN, {"value": 4, "baseline": OTHER}, "change and baseline belong together"),
        (PLAIN, {}, "relation equal has a value"),
        (COMPARED, {"relation": "about", "change": "more"}, "relation about has a value"),
        (COMPARED, {"relation": "at_least", "change": "same"}, "relation at_least has a value"),
        (COMPARED, {"value": 4, "change": "same"}, "change same has no figure"),
        (COMPARED, {"value": 4, "change": "same", "relation": "at_most"}, ""),
        (COMPARED, {"relation": "sign", "value": 4}, "relation sign has change more, less or"),
        (PLAIN, {"quantity": "version", "printed": "5"}, "a figure and its unit belong together"),
        (
            COMPARED,
            {"quantity": "version", "printed": "5"},
            "relation equal has a value",
        ),
        (
            PLAIN,
            {"value": 4, "computed": {"rule": "figure"}, "not_modelled": "a reason"},
            "a statement is computed or not_modelled, not both",
        ),
        (
            PLAIN,
            {"value": 4, "implies": [{"text": "{}", "value": 1, "unit": "B"}]},
            "implies: belongs to statements that are not_modelled",
        ),
        (
            PLAIN,
            {
                "value": 4,
                "not_modelled": "a reason",
                "implies": [{"text": "{}", "value": 1, "unit": "B"}],
            },
            "",
        ),
        (AT_LINE, {"value": 25}, ""),
        (AT_LINE, {"value": 26}, "payload_rate 26 Gbit/s is above line_rate 25 Gbit/s"),
        (AT_LINE, {"value": 26, "quantity": "line_rate"}, "line_rate 26 Gbit/s is above line_rate"),
        (AT_LINE, {"value": 26, "relation": "at_least"}, "is above line_rate 25 Gbit/s"),
        (AT_LINE, {"value": 26, "relation": "up_to"}, ""),
        (AT_LINE, {"relation": "range", "low": 26, "high": 27}, "payload_rate 26 Gbit/s is above"),
        (AT_LINE, {"relation": "range", "low": 24, "high": 27}, ""),
        (AT_LINE, {"value": -1}, "payload_rate cannot be below 0; got -1 Gbit/s"),
        (AT_LINE, {"value": -1, "quantity": "throughput"}, ""),
        (PLAIN, {"value": 0, "quantity": "queue_length", "unit": "1"}, ""),
        (PLAIN, {"value": -1, "quantity": "mtu"}, "mtu cannot be below 0; got -1 ms"),
        (FACTOR, {"value": 0}, ""),
        (FACTOR, {"value": -1}, "latency cannot be below 0; got -1 x"),
        (COMPARED, {"value": -1, "quantity": "payload_rate"}, ""),
        (PLAIN, {"value": 1, "quantity": "payload_ratio", "unit": "1"}, ""),
        (
            PLAIN,
            {"value": 2, "quantity": "payload_ratio", "unit": "1"},
            "at most the whole, 1; got",
        ),
        (PLAIN, {"value": 100, "quantity": "payload_ratio", "unit": "%"}, ""),
        (
            PLAIN,
            {"value": 101, "quantity": "payload_ratio", "unit": "%"},
            "the whole, 100; got 101",
        ),
        (PLAIN, {"value": 2, "unit": "line"}, "a share is at most the whole, 1; got 2"),
        (PLAIN, {"value": 2, "unit": "1"}, ""),
        (FACTOR, {"value": 2, "unit": "line"}, ""),
        *(
            (
                PLAIN,
                {"value": Decimal("1.5"), "quantity": quantity, "unit": "1"},
                f"{quantity} must be a whole number; got 1.5",
            )
            for quantity in ("connection_count", "cpu_mask", "thread_count")
        ),
        (
            PLAIN,
            {"quantity": "thread_count", "unit": "1", "relation": "range", "low": 1}
            | {"high": Decimal("2.5")},
            "thread_count must be a whole number; got 2.5",
        ),
        (PLAIN, {"value": Decimal("1.5"), "quantity": "thread_count", "unit": "%"}, ""),
        (PLAIN, {"value": 68, "quantity": "mtu", "unit": "B"}, ""),
        (PLAIN, {"value": 65536, "quantity": "mtu", "unit": "byte"}, ""),
        (PLAIN, {"value": 67, "quantity": "mtu", "unit": "B"}, "an MTU is from 68 to 65536 byte"),
        (PLAIN, {"value": 65537, "quantity": "mtu", "unit": "bytes"}, "65536 byte; got 65537"),
        (
            PLAIN,
            {"quantity": "mtu", "unit": "B", "relation": "range", "low": 1500, "high": 70000},
            "an MTU is from 68 to 65536 byte; got 70000",
        ),
        (PLAIN, {"value": 5, "id": "two--dashes"}, "id"),
        (PLAIN, {"value": 5, "resolution": 0}, "resolution"),
        (PLAIN, {"value": 5, "given": {"x": True}}, "whose digits are kept"),
    ],
)
def test_parts_fit_together_or_are_refused(
    usual: dict[str, object], fields: dict[str, object], problem: str
) -> None:
    fields = {**fields}
    if {"value", "low", "high"}.isdisjoint(fields) and "belong" not in problem:
        fields["unit"] = None
    if not problem:
        assert statement_with(usual, **fields).id == "mine"
        return
    with pytest.raises(ValidationError) as caught:
        statement_with(usual, **fields)
    assert problem in str(caught.value)


FILE = """\
[defaults]
source = "made"
locator = "page 1"
grade = "published"
[reasons]
small = "it is too small to matter"
[path_labels]
lab = "the bench"
[[paths]]
path = "worked-closed-network"
where = { setting = "two guests", layer = 2 }
[[paths]]
path = "powervm-sea-tandem"
where = { setting = "two guests" }
[[statements]]
id = "one"
wording = "w"
quantity = "latency"
subject = { setting = "two guests", layer = 2, path = "lab" }
value = 5
unit = "ms"
paths = ["powervm-sea-tandem"]
not_modelled = "small"
[[statements]]
id = "two"
wording = "w"
quantity = "latency"
subject = { setting = "two guests", layer = 3 }
value = 6
unit = "ms"
not_modelled = "for a reason of its own"
[[statements]]
id = "three"
wording = "w"
quantity = "latency"
subject = { path = "worked-closed-network" }
value = 7
unit = "ms"
"""


def loaded(directory: Path, text: str) -> tuple[Statement, ...]:
    file = directory / "mine.toml"
    file.write_text(text, encoding="utf-8")
    return load_statements(file)


def test_a_file_completes_its_statements(tmp_path: Path) -> None:
    one, two, three = loaded(tmp_path, FILE)
    assert one.paths == ("powervm-sea-tandem", "worked-closed-network")
    assert two.paths == ("powervm-sea-tandem",)
    assert three.paths == ()
    assert one.not_modelled == "it is too small to matter"
    assert two.not_modelled == "for a reason of its own"
    assert three.not_modelled is None
    assert one.provenance == "published; made, page 1"


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('id = "two"', 'id = "one"', "statements.2.id: 'one' has another one too"),
        ("value = 6", "vlaue = 6", "statements.2 (two).vlaue: is not a known key; did you mean"),
        ('id = "two"\n', "", "statements.2.id: is missing"),
        (
            'path = "lab"',
            'path = "labb"',
            "statements.1 (one).subject.path: unknown path or label of [path_labels] 'labb'; did",
        ),
        (
            'subject = { path = "worked-closed-network" }\nvalue = 7\nunit = "ms"\n',
            'subject = { adapter = "a" }\nrelation = "sign"\nchange = "more"\n'
            'baseline = { path = "labb" }\n',
            "statements.3 (three).baseline.path: unknown path or label",
        ),
        (
            'not_modelled = "small"',
            'not_modelled = "smal"',
            "statements.1 (one).not_modelled: unknown key of [reasons] 'smal'; did you mean small",
        ),
        (
            'not_modelled = "small"',
            'not_modelled = "another reason"',
            "reasons.small: no statement has it as its not_modelled",
        ),
        (
            "layer = 2 }",
            "layr = 2 }",
            "paths.1 (worked-closed-network).where: unknown part of a subject 'layr'; did you mean",
        ),
        (
            'where = { setting = "two guests" }',
            'where = { setting = "three" }',
            "paths.2 (powervm-sea-tandem).where: no statement has such a subject",
        ),
        ("[[statements]]", "[[statment]]", "statment: is not a known key; did you mean statements"),
        ("[path_labels]", "[path_label]", "path_label: is not a known key"),
    ],
)
def test_what_does_not_fit_in_a_file_is_named(
    old: str, new: str, problem: str, tmp_path: Path
) -> None:
    assert old in FILE
    text = FILE.replace(old, new, -1 if old == "[[statements]]" else 1)
    with pytest.raises(ParseError) as caught:
        loaded(tmp_path, text)
    assert caught.value.source == str(tmp_path / "mine.toml")
    assert problem in caught.value.problem
