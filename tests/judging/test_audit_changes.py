"""Printed changes between the same figures, along different ways."""

import csv
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from functools import partial
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judging.made_tables import audit_of, table_of

from netmodel.judging import audit_dataset
from netmodel.judging._audit_findings import Audit, ChangeCoverage, Finding
from netmodel.records import data_path, dataset
from netmodel.records._datasets import ChangeCheck, ChangesAgreeCheck, Comparison

VERSIONS, LAYERS = ("1", "2"), ("a", "b")
SQUARE = ChangesAgreeCheck(
    file="changes",
    change="change_percent",
    keys=("load", "of"),
    comparisons=(
        Comparison(compared="version", before="1", after="2", where={"compared": "version"}),
        Comparison(compared="layer", before="a", after="b", where={"compared": "layer"}),
    ),
)
BASE = ChangeCheck(
    file="changes",
    change="change_percent",
    quantity="of",
    figures="runs",
    keys=("load",),
    compared="layer",
    before="a",
    after="b",
    where={"compared": "layer", "version": "2"},
)
UNITS = {"change_percent": "%", "rate": "transaction/s"}

Figures = dict[tuple[str, str], Fraction]

table = partial(table_of, units=UNITS)
audited = partial(audit_of, checks=(SQUARE,))


def rounded(value: Fraction, digits: int) -> str:
    exact = Decimal(value.numerator) / value.denominator
    return format(exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_EVEN), "f")


def change_rows(load: str, figures: Figures, digits: int) -> list[dict[str, str]]:
    """The four changes between four figures, each rounded."""
    ways = [(("1", layer), ("2", layer), "version") for layer in LAYERS]
    ways += [((version, "a"), (version, "b"), "layer") for version in VERSIONS]
    return [
        {
            "load": load,
            "of": "rate",
            "compared": compared,
            "version": "" if compared == "version" else after[0],
            "layer": "" if compared == "layer" else after[1],
            "change_percent": rounded(100 * (figures[after] / figures[before] - 1), digits),
        }
        for before, after, compared in ways
    ]


def four(low: Fraction) -> st.SearchStrategy[Figures]:
    each = st.fractions(low, 100, max_denominator=10**4)
    return st.fixed_dictionaries(dict.fromkeys(product(VERSIONS, LAYERS), each))


figures, near_figures = four(Fraction(1, 2)), four(Fraction(50))


@given(st.lists(figures, min_size=1, max_size=4), st.integers(0, 3))
def test_rounded_changes_of_true_figures_agree(drawn: list[Figures], digits: int) -> None:
    rows = [row for load, each in enumerate(drawn) for row in change_rows(str(load), each, digits)]
    result = audited(table("changes", rows))
    assert not list(result)
    assert result.checked["changes_agree"] == len(drawn)
    assert 0 <= result.explained["changes_agree"] <= len(drawn)


@given(st.lists(figures, min_size=1, max_size=4), st.integers(0, 3), st.integers(0, 3))
def test_changes_of_rounded_figures_agree(
    drawn: list[Figures], digits: int, figure_digits: int
) -> None:
    """Figures that are rounded once are as good as any."""
    rows = [
        row
        for load, each in enumerate(drawn)
        for row in change_rows(
            str(load),
            {key: max(Fraction(rounded(f, figure_digits)), Fraction(1)) for key, f in each.items()},
            digits,
        )
    ]
    assert not list(audited(table("changes", rows)))


@given(near_figures, near_figures, st.integers(0, 3), st.booleans(), st.integers(1, 3))
def test_a_planted_error_beyond_rounding_is_found_with_what_is_true(
    wrong: Figures, right: Figures, place: int, is_up: bool, digits: int
) -> None:
    """Rounding by 0.05 points is 0.1 % of a half at most, in four factors less than 1 %."""
    rows = change_rows("0", wrong, digits) + change_rows("1", right, digits)
    true = Decimal(rows[place]["change_percent"])
    half = Decimal(5).scaleb(-digits - 1)
    factor = Decimal("1.01") if is_up else Decimal("0.99")
    planted = (1 + true / 100) * factor - 1
    rows[place]["change_percent"] = format((100 * planted).quantize(half * 2), "f")
    (finding,) = audited(table("changes", rows))
    assert (finding.kind, finding.file) == ("changes_agree", "changes.csv")
    assert {each.row for each in finding.suspects} == {1, 2, 3, 4}
    (suspect,) = [each for each in finding.suspects if each.row == place + 1]
    low, high = (Decimal(end) for end in suspect.allowed.removesuffix(" %").split(" to "))
    slack = Decimal("0.01")  # ends are printed with two decimals
    assert low - half - slack <= true <= high + half + slack


EVEN = dict.fromkeys(product(VERSIONS, LAYERS), Fraction(1000))


def test_a_change_that_its_figures_confirm_is_no_suspect_to_be_flagged() -> None:
    """10 % from version 1 to 2 in layer a, and none elsewhere: 1/1.1 in the others."""
    rows = change_rows("0", EVEN, 1)
    rows[0]["change_percent"] = "10.0"
    runs = [{"load": "0", "layer": layer, "rate": "1000.0"} for layer in LAYERS]
    result = audited(table("changes", rows), table("runs", runs), checks=(SQUARE, BASE))
    (finding,) = result
    assert [each.is_confirmed for each in finding.suspects] == [False, False, False, True]
    assert finding.row == 3  # the last that nothing confirms
    assert finding.suspects[0].allowed == "-0.15 to 0.15 %"
    assert finding.suspects[1].allowed == "9.84 to 10.16 %"
    assert result.coverage == (ChangeCoverage("changes.csv", 4, 1, 3),)


def test_one_change_printed_twice_has_one_value() -> None:
    rows = change_rows("0", EVEN, 1)[:1] * 2
    assert not list(audited(table("changes", rows)))
    rows = [rows[0], rows[1] | {"change_percent": "0.2"}]
    (finding,) = audited(table("changes", rows))
    assert (finding.printed, finding.allowed) == ("0.2 %", "-0.05 to 0.05 %")


def test_changes_that_lead_nowhere_are_not_compared() -> None:
    result = audited(table("changes", change_rows("0", EVEN, 1)[:3]))
    assert (list(result), result.checked["changes_agree"]) == ([], 0)
    assert result.coverage == (ChangeCoverage("changes.csv", 3, 0, 0),)


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ((228, 120, 108), "120 of 228 changes compared with base figures; 108 have none, all "),
        ((228, 120, 0), "108 have none, none compared with other changes"),
        ((10, 9, 0), "1 has none, none compared with other changes"),
        ((10, 4, 5), "6 have none, 5 compared with other changes"),
        ((4, 4, 0), "4 of 4 changes compared with base figures"),
    ],
)
def test_how_much_was_compared_in_a_sentence(counts: tuple[int, int, int], words: str) -> None:
    text = str(ChangeCoverage("changes.csv", *counts))
    assert words in text
    assert len(text) <= 100


# The bundled tables: each of the four changes by exact decimals.


def printed(name: str) -> list[dict[str, str]]:
    path = data_path("measurements", "zvm-layer2-layer3", f"{name}.csv")
    return list(csv.DictReader(path.read_text("utf-8").splitlines()))


@pytest.fixture(scope="module")
def bundled() -> Audit:
    return audit_dataset(dataset("zvm-layer2-layer3"))


def disagreeing(audit: Audit) -> list[Finding]:
    return [each for each in audit if each.kind == "changes_agree"]


def factor(cell: str) -> tuple[Fraction, Fraction]:
    half = Decimal(5).scaleb(int(Decimal(cell).as_tuple().exponent) - 1)
    low, high = (1 + Fraction(Decimal(cell) + side) / 100 for side in (-half, half))
    return low, high


def test_13_of_36_cells_of_the_bundled_tables_disagree(bundled: Audit) -> None:
    """Tables 2 to 4 change the level in each layer, tables 5 to 7 the layer at each level."""
    cells = {
        (row["table"], row["layer"] or row["hypervisor_level"], row["quantity"], count): (
            factor(row["difference_percent"]),
            number,
        )
        for number, row in enumerate(printed("differences"), start=1)
        for count in [row["connection_count"]]
    }
    apart, count = set(), 0
    for (place, which, *case), (layer3, _) in cells.items():
        if which != "3":
            continue
        layer2, _ = cells[(place, "2", *case)]
        later = str(int(place) + 3)  # the same workload and MTU
        old, row = cells[(later, "5.1.0", *case)]
        new, _ = cells[(later, "5.2.0", *case)]
        count += 1
        levels = layer2[0] / layer3[1], layer2[1] / layer3[0]
        layers = new[0] / old[1], new[1] / old[0]
        if levels[0] > layers[1] or layers[0] > levels[1]:
            apart.add(row)
    assert (len(apart), count) == (13, 36)
    assert {each.row for each in disagreeing(bundled)} == apart
    assert bundled.checked["changes_agree"] == 36


def test_what_the_change_in_table_7_should_be(bundled: Audit) -> None:
    """0.906 / 1.087 x 1.141 = 0.951, where 0.938 is printed: -6.2 against -5.04 to -4.76."""
    (finding,) = [
        each
        for each in disagreeing(bundled)
        if each.place == "table 7, z/VM 5.1.0, Total CPU msec/MB, 50 clients"
    ]
    assert (finding.printed, finding.allowed) == ("14.1 %", "12.37 to 12.71 %")
    assert (finding.row, finding.line) == (138, 139)
    confirmed = [each for each in finding.suspects if each.is_confirmed]
    assert [(each.printed, each.allowed) for each in confirmed] == [("-6.2 %", "-5.04 to -4.76 %")]
    assert {each.place for each in finding.suspects} == {
        "table 4, layer 3, Total CPU msec/MB, 50 clients",
        "table 4, layer 2, Total CPU msec/MB, 50 clients",
        "table 7, z/VM 5.1.0, Total CPU msec/MB, 50 clients",
        "table 7, z/VM 5.2.0, Total CPU msec/MB, 50 clients",
    }


def test_every_bundled_change_is_compared(bundled: Audit) -> None:
    assert bundled.coverage == (ChangeCoverage("differences.csv", 228, 120, 108),)
