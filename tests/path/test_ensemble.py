"""A quantity over all values of what it depends on: which of them is quoted, and its ends."""

import tracemalloc
from itertools import product

import numpy as np
import pytest
from paths import STREAM, ends

from netmodel.errors import DomainError
from netmodel.estimates import Bound
from netmodel.path import Interval, Joint, SpecifiedPath, predict_path
from netmodel.path.ensemble import Ensemble, Spread, ends_of, mapped, quoted_of
from netmodel.records import adapter

SET = Joint((3.0, 1.0, 9.0), of="a", printed_count=2)
FIGURE, RANGE = Interval(10.0, 4.0, 40.0), Interval(10.0, 4.0, 40.0, has_figure=False)


@pytest.mark.parametrize(
    ("other", "least", "most"),
    [
        # as printed: 3 or 1 of the set and 10, of a range also 4 and 40
        (FIGURE, 2 * 1 + 10, 2 * 3 + 10),
        (RANGE, 2 * 1 + 4, 2 * 3 + 40),
    ],
)
def test_figures_as_printed_are_quoted_and_the_ends_are_of_their_rounding(
    other: Interval, least: float, most: float
) -> None:
    """At least 2 * 1 + 4, at most 2 * 9 + 40."""
    axes = Ensemble([SET, other])
    parts = [2 * axes.array(SET, True), axes.array(other, True)]
    total = axes.total(parts)
    assert total == Spread(16, least, most, 6, 58) == axes.spread(sum(parts))
    for bound, value in ((Bound.VALUE, 16), (Bound.UPPER, most), (Bound.LOWER, least)):
        assert ends(total.predicted(bound)) == (value, 6, 58)
        assert total.predicted(bound).bound is bound


def test_intervals_move_together_to_the_slow_ends_and_to_the_fast_ends() -> None:
    """A time of 4 to 40 over 2 servers, 1 to 5: 40 / 1 or 4 / 5, and never 40 / 5."""
    servers = Interval(2.0, 1.0, 5.0, has_figure=False)
    axes = Ensemble([RANGE, servers])
    time = axes.spread(axes.array(RANGE, True) / axes.array(servers, False))
    assert time == Spread(5, 0.8, 40, 0.8, 40)
    apart = axes.spread(axes.array(servers, False)).over(axes.spread(axes.array(RANGE, True)))
    assert apart == Spread(1 / 5, 1 / 40, 5 / 4, 1 / 40, 5 / 4)


def test_sums_of_sets_are_those_of_every_combination() -> None:
    """Terms that share a set are taken together, all others in every combination."""
    values = {of: tuple(np.random.default_rng(n).random(n)) for n, of in enumerate("abcd", 2)}
    known = {name: Joint(each, of=name[0]) for name, each in values.items()}
    back = Joint(values["a"][::-1], of="a")
    axes = Ensemble([*known.values(), back])
    arrays = {name: axes.array(each, True) for name, each in known.items()}
    terms = [arrays["a"], arrays["b"] * arrays["c"], 5.0, axes.array(back, True), arrays["d"]]
    every = [
        values["a"][a] + values["b"][b] * values["c"][c] + 5 + values["a"][1 - a] + values["d"][d]
        for a, b, c, d in product(*map(range, (2, 3, 4, 5)))
    ]
    total = axes.total(terms)
    assert (total.low, total.high) == (pytest.approx(min(every)), pytest.approx(max(every)))
    assert total.quoted == pytest.approx(every[0])


def test_a_set_of_arrays_has_ends_point_by_point() -> None:
    joint = Joint((np.array([1.0, 2.0]), np.array([5.0, 1.0])), of="a")
    axes = Ensemble([joint, np.zeros((3, 1))])
    assert (axes.shape, axes.rank, axes.size) == ((3, 2), 2, 6)
    known = axes.total([10 * axes.array(joint, True), np.array([[1.0], [2.0], [3.0]])])
    for end, expected in ((known.most, [51, 21]), (known.least, [11, 11])):
        assert np.asarray(end)[0].tolist() == expected


def test_nothing_uncertain_is_one_number() -> None:
    axes = Ensemble([5.0])
    assert axes.total([5.0, 2.0]) == Spread.of(7.0)
    assert Spread.of(3.0).over(Spread.of(0.0)) == Spread.of(np.inf)


def test_a_case_is_as_printed_where_every_member_of_its_set_is() -> None:
    axes = Ensemble([SET, Joint((2.0, 5.0, 4.0), of="a", printed_count=1)])
    assert axes.spread(axes.array(SET, True)) == Spread(3, 3, 3, 1, 9)


def test_cases_have_the_one_to_quote_first() -> None:
    axes = Ensemble([SET, FIGURE])
    (first, second), are_printed = axes.cases(axes.array(SET, True), axes.array(FIGURE, True))
    assert (first[0], second[0]) == (3, 10)
    assert first.size == 9
    assert sorted(zip(first[are_printed], second[are_printed], strict=True)) == [(1, 10), (3, 10)]


def test_sets_of_other_sizes_and_too_many_combinations_are_refused() -> None:
    with pytest.raises(DomainError, match="the set 'a' has parameters with 3 and 2 values"):
        Ensemble([SET, Joint((1.0, 2.0), of="a")])
    many = [Joint(tuple(map(float, range(256))), of=of) for of in "abc"]
    axes = Ensemble(many)
    first, second, third = (axes.array(each, True) for each in many)
    assert axes.total([first, second, third]).high == 3 * 255
    assert axes.total([first, first * second]).high == 255 + 255**2
    with pytest.raises(DomainError, match="give joint samples of all"):
        axes.total([first * second, second * third])


def test_twenty_thousand_mtus_take_bounded_memory_and_are_as_each_alone() -> None:
    mtus_bytes = np.linspace(600, 9000, 20_000).round()
    path = SpecifiedPath(*map(adapter, ("roce-express2.1-25gbe", "osa-express7s-25gbe"))).path()
    tracemalloc.start()
    try:
        together = ends(predict_path(path, STREAM, mtus_bytes).throughput_bps)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 64 * 2**20
    for place in np.linspace(0, mtus_bytes.size - 1, 20).astype(int):
        alone = ends(predict_path(path, STREAM, float(mtus_bytes[place])).throughput_bps)
        assert [end[place] for end in together] == pytest.approx(alone, rel=1e-12)


def test_ends_and_figures_of_each_kind_of_parameter() -> None:
    many = Joint((np.array([1.0, 2.0]), np.array([5.0, 1.0])), of="a", printed_count=1)
    for parameter, quoted, both, printed in (
        (SET, 3, (1, 9), (1, 3)),
        (FIGURE, 10, (4, 40), (10, 10)),
        (RANGE, 10, (4, 40), (4, 40)),
        (7.0, 7, (7, 7), (7, 7)),
    ):
        assert quoted_of(parameter) == quoted
        assert ends_of(parameter) == both
        assert ends_of(parameter, as_printed=True) == printed
    assert [end.tolist() for end in ends_of(many)] == [[1, 1], [5, 2]]  # type: ignore[union-attr]
    assert [end.tolist() for end in ends_of(many, as_printed=True)] == [[1, 2]] * 2  # type: ignore[union-attr]
    assert mapped(SET, lambda value: value + 1) == Joint((4, 2, 10), of="a", printed_count=2)
    assert mapped(RANGE, lambda value: value / 2) == Interval(5, 2, 20, has_figure=False)
    assert mapped(3.0, lambda value: 2 * value) == 6
