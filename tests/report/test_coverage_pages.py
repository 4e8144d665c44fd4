"""The table of trials in the documentation: complete, written as given, and within its limits."""

import csv
import importlib.util
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from coverage_trials import CASES, Case, KnownNoise, Tally

DOCS = Path(__file__).parents[2] / "docs"
GIVEN = Case("host", 4, 4, 0.01, KnownNoise.GIVEN)
NOT_GIVEN = Case("host", 4, 1, 0.01, KnownNoise.NOTHING)
LOW = Tally(GIVEN, "per_byte_s", 50, 0, 10, 40, 30, 12, 1, [1.1, 1.0, 1.6], [0.0001])
TWO_POINTS = Case("host", 2, 4, 0.01, KnownNoise.NOTHING)
FREE = Tally(TWO_POINTS, "per_byte_s", 100, 0, 0, 100, 100, rounding_ratios=[0])
SURE = Tally(NOT_GIVEN, "per_byte_s", 50, 5, 0, 45, 45, rounding_ratios=[0.1])


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    spec = importlib.util.spec_from_file_location("coverage_pages", DOCS / "coverage_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def lines(pages: ModuleType) -> list[dict[str, str]]:
    with (DOCS / pages.SOURCE).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_coverage_and_shares_are_of_the_worst_quantity(pages: ModuleType) -> None:
    """By hand: 30 of 40, and 10 of 50 open; all of 45 where a step hides 10 %, 5 of 50 refused."""
    text = pages.tables([LOW.printed(), SURE.printed()])
    assert "| given | 4 | 1 % | **75 %**, 20 % open |" in text
    assert "| not given | 1 | 1 % | 100 %\\*, 10 % refused |" in text
    assert "| host | 4 | `per_byte_s` | 12 | 1 | 1.10 | 1.60 |" in text
    assert "100 trials in 2 cases" in text
    assert "for 1 of 2 quantities; the worst covers 75 %" in text


def test_intervals_that_cover_nearly_always_have_a_reason(pages: ModuleType) -> None:
    """Half a step above a tenth of the scatter, or two points for three parameters."""
    a_tenth, more = (
        replace(FREE, case=NOT_GIVEN, rounding_ratios=[ratio]) for ratio in (0.001, 0.00101)
    )
    lines = [each.printed() for each in (SURE, more, a_tenth, FREE)]
    assert [pages.too_high(each) for each in lines] == [False, False, True, False]
    (summary,) = [each for each in pages.tables(lines).splitlines() if "more than 99 %" in each]
    assert "1 with fewer points than unknowns, 2 others with few printed digits, 1 with" in summary
    assert "| not given | 4 | 1 % | 100 %† |" in pages.tables([FREE.printed()])
    at_line = FREE.printed() | {"kind": "adapter at the line", "point_count": "2"}
    assert pages.has_few_points(at_line)
    assert not pages.has_few_points(at_line | {"kind": "adapter"})


def test_the_table_has_all_cases(lines: list[dict[str, str]]) -> None:
    wanted = [case.printed() for case in CASES]
    has = [{name: each[name] for name in wanted[0]} for each in lines]
    assert [each for each in wanted if each not in has] == []
    assert [each for each in has if each not in wanted] == []


def test_closed_intervals_cover_the_truth(pages: ModuleType, lines: list[dict[str, str]]) -> None:
    assert not [each for each in lines if pages.too_low(each)]


def test_intervals_are_no_surer_than_points_and_digits_make_them(
    pages: ModuleType, lines: list[dict[str, str]]
) -> None:
    assert not [each for each in lines if pages.too_high(each)]


def test_intervals_are_nearly_as_narrow_as_profile_likelihood_has_them(
    pages: ModuleType, lines: list[dict[str, str]]
) -> None:
    assert not [each for each in lines if pages.is_wide(each)]
