"""Relations between quantities: what they allow together, and which contradict each other."""

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netmodel.judging._ratios import Ratios, Related

sizes = st.floats(0.01, 100)
widths = st.floats(1, 1.2)


@st.composite
def true_relations(draw: st.DrawFn) -> tuple[dict[str, float], list[Related]]:
    """Sizes of some quantities, and intervals that contain them or their ratios."""
    values = {name: draw(sizes) for name in "abcde"[: draw(st.integers(2, 5))]}
    related = []
    for number in range(draw(st.integers(1, 8))):
        name, baseline = draw(st.sampled_from(list(values))), draw(st.sampled_from([*values, None]))
        if name == baseline:
            continue
        ratio = values[name] / (values[baseline] if baseline else 1)
        low, high = ratio / draw(widths), ratio * draw(widths)
        open_ends = draw(st.sampled_from(["", "low", "high"]))
        related.append(
            Related(
                name,
                0 if open_ends == "low" else low,
                math.inf if open_ends == "high" else high,
                f"s{number}",
                baseline,
            )
        )
    return values, related


@given(true_relations())
def test_true_relations_never_contradict_and_allow_the_truth(
    drawn: tuple[dict[str, float], list[Related]],
) -> None:
    values, related = drawn
    ratios = Ratios(related)
    assert not list(ratios.contradictions())
    for name, value in values.items():
        allowed = ratios.allowed(name)
        assert allowed.low * (1 - 1e-6) <= value <= allowed.high * (1 + 1e-6)


@given(true_relations(), st.data())
def test_one_more_relation_never_widens_an_interval(
    drawn: tuple[dict[str, float], list[Related]], data: st.DataObject
) -> None:
    values, related = drawn
    fewer = data.draw(st.lists(st.sampled_from(related), unique_by=id)) if related else []
    for name in values:
        narrow, wide = Ratios(related).allowed(name), Ratios(fewer).allowed(name)
        assert wide.low <= narrow.low * (1 + 1e-6)
        assert narrow.high <= wide.high * (1 + 1e-6)


@given(true_relations(), st.floats(1.05, 3), st.data())
def test_a_group_that_contradicts_is_the_smallest(
    drawn: tuple[dict[str, float], list[Related]], factor: float, data: st.DataObject
) -> None:
    """Each group contradicts, and no part of it does; what is planted is in the first."""
    values, related = drawn
    name = data.draw(st.sampled_from(list(values)))
    true = Related(name, values[name] / 1.01, values[name] * 1.01, "true")
    wrong = Related(name, values[name] * factor, math.inf, "wrong")
    groups = list(Ratios([*related, true, wrong]).contradictions())
    assert groups
    for group in groups:
        assert list(Ratios(group).contradictions()) == [group]
        for part in combinations(group, len(group) - 1):
            assert not list(Ratios(part).contradictions())
    assert any(each.source == "wrong" for each in groups[0])


def test_each_end_names_what_it_follows_from() -> None:
    """13.4 / 1.45 is 9.241; 13.4 / 1.5 is 8.933."""
    related = [
        Related("new", 13.35, 13.45, "limit"),
        Related("new", 1.45, 1.5, "gain", "old"),
        Related("old", 1, 1, "same", "older"),
    ]
    allowed = Ratios(related).allowed("older")
    assert allowed.high == pytest.approx(13.45 / 1.45)
    assert allowed.low == pytest.approx(13.35 / 1.5)
    assert [each.source for each in allowed.high_because] == ["limit", "gain", "same"]
    assert [each.source for each in allowed.low_because] == ["limit", "gain", "same"]
    assert Ratios(related).allowed("old", without=related[:1]).high == math.inf


def test_groups_share_no_relation() -> None:
    related = [
        Related("a", 1, 1, "first"),
        Related("a", 2, 2, "second"),
        Related("a", 3, 3, "third"),
        Related("b", 1, 1, "fourth"),
        Related("b", 5, 5, "fifth"),
    ]
    groups = [{each.source for each in group} for group in Ratios(related).contradictions()]
    assert {"fourth", "fifth"} in groups
    assert len(groups) == 2
