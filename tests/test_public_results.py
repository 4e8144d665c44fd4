"""Results that others published, from which no record was made: bounds hold, none is impossible."""

from itertools import groupby

import pages_of_docs
import pytest

from netmodel.checking import Outcome

public_results = pages_of_docs.module("public_results")
BURSTS = {"m5.large", "t3.nano"}
"""Up to 1.8 % faster than what documents call 10 or 5 Gbit/s."""


@pytest.fixture(scope="module")
def found() -> list[public_results.Judged]:
    return [*public_results.judged()]


def test_no_public_result_is_impossible(found: list[public_results.Judged]) -> None:
    assert len(found) >= 100
    impossible = [each for each in found if each.verdict.outcome is Outcome.IMPOSSIBLE]
    assert not impossible


def test_bounds_hold_but_of_rounded_bursts(found: list[public_results.Judged]) -> None:
    beyond = {each.row["id"] for each in found if not each.is_within}
    assert beyond == BURSTS
    outcomes = {each.verdict.outcome for each in found if each.row["id"] in BURSTS}
    assert outcomes == {Outcome.AT_CEILING}


def test_every_kind_has_results_that_reach_their_bound(found: list[public_results.Judged]) -> None:
    """A bound that nothing comes near would hold for nothing."""
    by_kind = groupby(sorted(found, key=lambda each: each.row["group"]), lambda x: x.row["group"])
    for kind, results in by_kind:
        ratios = [each.ratio for each in results if each.is_within]
        assert max(ratios) > 0.98, kind


def test_the_page_has_a_row_for_each(found: list[public_results.Judged]) -> None:
    text = public_results.page()
    assert text.count("](https://") == len(found)
    assert " 0 impossible" in text
