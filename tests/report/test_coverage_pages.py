"""The table of trials in the documentation: complete, written as given, and within its limits."""

import csv
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from coverage_trials import CASES, Case, KnownNoise, Tally

DOCS = Path(__file__).parents[2] / "docs"
GIVEN = Case("host", 4, 4, 0.01, KnownNoise.GIVEN)
NOT_GIVEN = Case("host", 4, 1, 0.01, KnownNoise.NOTHING)
LOW = Tally(GIVEN, "per_byte_s", 50, 0, 10, 40, 30, 12, 1, [1.1, 1.0, 1.6], [0.0001])
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


def test_the_table_has_all_cases(lines: list[dict[str, str]]) -> None:
    wanted = [case.printed() for case in CASES]
    has = [{name: each[name] for name in wanted[0]} for each in lines]
    assert [each for each in wanted if each not in has] == []
    assert [each for each in has if each not in wanted] == []


def test_closed_intervals_cover_the_truth(pages: ModuleType, lines: list[dict[str, str]]) -> None:
    assert not [each for each in lines if pages.too_low(each)]


def test_intervals_are_no_wider_than_rounding_makes_them(
    pages: ModuleType, lines: list[dict[str, str]]
) -> None:
    assert not [each for each in lines if pages.too_high(each)]


def test_intervals_are_nearly_as_narrow_as_profile_likelihood_has_them(
    pages: ModuleType, lines: list[dict[str, str]]
) -> None:
    assert not [each for each in lines if pages.is_wide(each)]
