"""Every published comparison as one command: the page is current, and its numbers are printed."""

import csv
import re
from decimal import Decimal
from pathlib import Path

import pytest

import netmodel
from benchmarks.comparisons import comparisons, line_of
from netmodel.judging._compared import compared, interval_text
from netmodel.judging._compared_facts import published
from netmodel.judging._cost_model import MISS_RATIO, cost_ratios, kept_of
from netmodel.records import statement, statements

pytestmark = pytest.mark.thorough

REPOSITORY = Path(netmodel.__file__).parents[1]

with (REPOSITORY / "docs/reference/comparisons.csv").open(encoding="utf-8", newline="") as file:
    LINES = {line["statement"]: line for line in csv.DictReader(file)}
with (REPOSITORY / "docs/reference/cpu-ratios.csv").open(encoding="utf-8", newline="") as file:
    COSTS = list(csv.DictReader(file))
FIGURES = REPOSITORY / "tests" / "data" / "figures"
DOCUMENTS = sorted({each.source for each in statements()})
REACHED_RATIO = 0.75
"""Of the statements with a ratio: what the page promises for each document."""
SAMPLE = 7
"""Every so many lines are asked again here, all of them by ``make comparisons``."""
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def test_every_statement_that_compares_has_a_line() -> None:
    assert list(LINES) == [each.id for each in comparisons()]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_most_comparisons_of_a_document_are_reached_by_one_command(document: str) -> None:
    own = [line for line in LINES.values() if line["document"] == document]
    for lines in (own, [line for line in own if line["has_figure"]]):
        assert sum(bool(line["reached"]) for line in lines) >= REACHED_RATIO * len(lines)


@pytest.mark.parametrize("name", list(LINES)[::SAMPLE])
def test_the_page_is_current(name: str) -> None:
    assert line_of(statement(name)) == LINES[name], "run make comparisons"


def second_reading() -> dict[str, str]:
    """Figures of each statement, from the second reading of the documents."""
    found: dict[str, str] = {}
    for path in FIGURES.glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                for name in (row.get("used_by") or "").split():
                    texts = (row["figure"], row["printed"] or "")
                    found[name] = " ".join([found.get(name, ""), *texts])
    return found


def test_each_printed_number_is_in_the_second_reading_of_the_document() -> None:
    """Words such as twice are numbers in the statement; its record says what is printed."""
    read = second_reading()
    checked = 0
    for name, line in LINES.items():
        about = statement(name)
        for number in NUMBER.findall(line["printed"]):
            known = {Decimal(each) for each in NUMBER.findall(read[name])}
            in_words = about.printed is not None and not NUMBER.search(about.printed)
            assert Decimal(number) in known or in_words, (name, number, read[name])
            checked += Decimal(number) in known
    assert checked > 80  # nearly all figures are printed in digits


def test_every_printed_change_of_a_table_is_reached() -> None:
    """A cell is in the answer to the question that its own conditions ask."""
    cells = [fact for fact in published().facts if fact.statement is None]
    assert len(cells) == 228
    for fact in cells[::9]:
        named = [
            {key: each for key, each in case.items() if key not in ("side", "part")}
            for case in (fact.baseline, fact.subject)
        ]
        for case in named:
            case["path"] = min(case["path"], key=len)  # type: ignore[arg-type,type-var]
        rows = compared(*named).rows
        assert any(fact.id == each.id for row in rows for each in row.printed), fact.id


def test_cpu_ratios_of_the_page_are_those_of_the_documents() -> None:
    found = list(cost_ratios(published().facts))
    assert [line["statement"] for line in COSTS] == [each.fact.id for each in found]
    assert [line["printed"] for line in COSTS] == [each.fact.printed for each in found]
    kept = kept_of(found)
    assert [bool(line["kept"]) for line in COSTS] == [
        any(each is other for other in kept.ratios) for each in found
    ]
    # what one set of demands does not reproduce says what would
    assert all(bool(line["needs"]) != bool(line["kept"]) for line in COSTS)


def test_most_printed_cpu_figures_are_near_what_other_cases_leave_of_them() -> None:
    missed = [float(line["missed"]) for line in COSTS if line["missed"]]
    assert len(missed) >= 100
    assert sum(ratio <= MISS_RATIO for ratio in missed) >= 0.95 * len(missed)


def test_a_cpu_ratio_is_predicted_without_its_case_as_the_page_has_it() -> None:
    found = list(cost_ratios(published().facts))
    place = next(n for n, line in enumerate(COSTS) if "rr30k-mtu-9000-cpu-1" in line["statement"])
    others = kept_of([each for each in found if each.case != found[place].case])
    ratio = others.ratio(found[place].subject, found[place].baseline)
    assert COSTS[place]["predicted"] == interval_text(ratio.low, ratio.high)
