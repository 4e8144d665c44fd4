"""A quantity over all values of what it depends on: which of them is quoted, and its ends."""

from typing import Any

import numpy as np
import pytest
from paths import ends

from netmodel.errors import DomainError
from netmodel.path import Bound, Interval, Joint
from netmodel.path._uncertain import (
    LARGEST,
    Parameter,
    Points,
    Spread,
    cases_of,
    columns_of_cases,
    ends_of,
    mapped,
    over_cases,
    printed_ends_of,
    quoted_of,
    require_count,
)

SET = Joint((3.0, 1.0, 9.0), of="a", printed_count=2)
FIGURE, RANGE = Interval(10.0, 4.0, 40.0), Interval(10.0, 4.0, 40.0, has_figure=False)
NO_ARRAYS = Points(0, 1)


def spread(other: Parameter, bound: Bound, at_once: bool = False) -> Spread:
    """Of twice the set and the other parameter."""
    return over_cases(
        [SET, other],
        NO_ARRAYS,
        lambda value_of: 2 * value_of(SET, True) + value_of(other, True),
        bound,
        at_once=at_once,
    )


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize(
    ("other", "bound", "quoted", "opposite"),
    [
        # as printed: 3 or 1 of the set and 10, of a range also 4 and 40
        (FIGURE, Bound.VALUE, (3, 10), (3, 10)),
        (FIGURE, Bound.UPPER, (3, 10), (1, 10)),
        (FIGURE, Bound.LOWER, (1, 10), (3, 10)),
        (RANGE, Bound.VALUE, (3, 10), (3, 10)),
        (RANGE, Bound.UPPER, (3, 40), (1, 4)),
        (RANGE, Bound.LOWER, (1, 4), (3, 40)),
    ],
)
def test_figures_as_printed_are_quoted_and_the_ends_are_of_their_rounding(
    other: Interval,
    bound: Bound,
    quoted: tuple[float, float],
    opposite: tuple[float, float],
    at_once: bool,
) -> None:
    """At least 2 * 1 + 4, at most 2 * 9 + 40."""
    result = spread(other, bound, at_once)
    assert ends(result.predicted) == (2 * quoted[0] + quoted[1], 6, 58)
    assert result.predicted.bound is bound
    assert result.other == 2 * opposite[0] + opposite[1]
    assert (result.quoted(SET, True), result.quoted(other, True)) == quoted
    assert (result.opposite(SET, True), result.opposite(other, True)) == opposite
    assert result.quoted(7.0, True) == result.opposite(7.0, True) == 7


@pytest.mark.parametrize("at_once", [False, True])
def test_intervals_move_together_to_the_slow_ends_and_to_the_fast_ends(at_once: bool) -> None:
    """A time of 4 to 40 over 2 servers, 1 to 5: 40 / 1 or 4 / 5, and never 40 / 5."""
    servers = Interval(2.0, 1.0, 5.0, has_figure=False)
    result = over_cases(
        [RANGE, servers],
        NO_ARRAYS,
        lambda value_of: value_of(RANGE, True) / value_of(servers, False),
        Bound.UPPER,
        at_once=at_once,
    )
    assert ends(result.predicted) == (40, 0.8, 40)
    assert (result.quoted(RANGE, True), result.quoted(servers, False)) == (40, 1)
    assert (result.opposite(RANGE, True), result.opposite(servers, False)) == (4, 5)


def test_a_set_of_arrays_is_quoted_point_by_point() -> None:
    """At the first point the second value is the largest, at the second point the first."""
    joint = Joint((np.array([1.0, 2.0]), np.array([5.0, 1.0])), of="a")
    result = over_cases([joint], Points(1, 2), lambda of: 10 * of(joint, True), Bound.UPPER)
    for known, expected in (
        (result.predicted.value, [50, 20]),
        (result.predicted.low, [10, 10]),
        (result.predicted.high, [50, 20]),
        (result.other, [10, 10]),
        (result.quoted(joint, True), [5, 2]),
        (result.opposite(joint, True), [1, 1]),
    ):
        assert np.asarray(known).tolist() == expected


@pytest.mark.parametrize("block", [1, 4, 10**6])
def test_the_first_of_equal_combinations_is_quoted_in_blocks_too(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The largest twice 7, and the smallest twice 1; with the other set they are 36 cases."""
    monkeypatch.setattr("netmodel.path._uncertain._BLOCK_ELEMENT_COUNT", block)
    first = Joint((3.0, 7.0, 1.0, 7.0, 1.0, 2.0), of="a")
    place = Joint((0.0, 1.0, 2.0, 3.0, 4.0, 5.0), of="a")
    beside = Joint((0.0,) * 6, of="b")
    result = over_cases(
        [first, place, beside],
        NO_ARRAYS,
        lambda of: of(first, True) + of(beside, True),
        Bound.UPPER,
    )
    assert ends(result.predicted) == (7, 1, 7)
    assert (result.quoted(place, True), result.opposite(place, True)) == (1, 2)


def test_nothing_uncertain_is_computed_once() -> None:
    calls = []

    def compute(value_of: Any) -> float:
        calls.append(value_of(5.0, True))
        return 2 * calls[-1]

    result = over_cases([5.0], NO_ARRAYS, compute, Bound.LOWER)
    assert calls == [5]
    assert ends(result.predicted) == (10, 10, 10)
    assert (result.other, result.quoted(5.0, True), result.opposite(5.0, True)) == (10, 5, 5)


@pytest.mark.parametrize("count", [32, 33])
def test_columns_have_each_quantity_in_every_case(count: int) -> None:
    """Whether cases are computed one by one or at once; a constant is repeated."""
    joint = Joint(tuple(map(float, range(count))), of="a", printed_count=count - 1)
    columns, are_printed = columns_of_cases([joint], lambda of: (3 * of(joint, True), 8.0))
    assert columns == (tuple(3.0 * each for each in range(count)), (8.0,) * count)
    assert are_printed == (True,) * (count - 1) + (False,)
    assert columns_of_cases([5.0], lambda of: (of(5.0, True),)) == (((5.0,),), (True,))


def test_a_set_is_as_printed_where_all_of_its_parameters_are() -> None:
    cases = cases_of([SET, Joint((1.0, 1.0, 1.0), of="a", printed_count=1), RANGE, FIGURE])
    assert cases is not None
    assert cases.count == 27
    assert sorted(cases.printed_counts.values()) == [1, 1, 3]
    # the first of the set and the figure, with each of the range
    assert cases.are_printed.sum() == 3
    assert [printed for _, printed in cases.one_by_one()] == cases.are_printed.tolist()
    assert cases_of([1.0, np.ones(3)]) is None


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
        assert printed_ends_of(parameter) == printed
    assert [end.tolist() for end in ends_of(many)] == [[1, 1], [5, 2]]  # type: ignore[union-attr]
    assert [end.tolist() for end in printed_ends_of(many)] == [[1, 2]] * 2  # type: ignore[union-attr]
    assert mapped(SET, lambda value: value + 1) == Joint((4, 2, 10), of="a", printed_count=2)
    assert mapped(RANGE, lambda value: value / 2) == Interval(5, 2, 20, has_figure=False)
    assert mapped(3.0, lambda value: 2 * value) == 6


def test_what_a_parameter_cannot_be_is_refused() -> None:
    for count in (0, 4):
        with pytest.raises(DomainError, match=f"from 1 to 3, the number of values; got {count}"):
            Joint((1, 2, 3), of="a", printed_count=count)
    for count in (1, 3):
        assert Joint((1, 2, 3), of="a", printed_count=count).printed_count == count
    assert Joint((1, 2, 3), of="a").printed_count == 3
    # as large as a parameter may be, and not larger
    assert Interval(1, 0, LARGEST).high == Joint((1, LARGEST), of="a").values[1] == LARGEST
    for make in (
        lambda: Interval(1, 0, 2 * LARGEST),
        lambda: Joint((1, 2 * LARGEST), of="a"),
        lambda: Joint((np.array([1, 2 * LARGEST]),), of="a"),
    ):
        with pytest.raises(DomainError, match="must be at most 1e"):
            make()
    assert require_count("servers", None) is None
    for wrong in (0, Interval(1, 0, 1), Joint((1, 0), of="a"), Joint((np.array([1, 0]),), of="a")):
        with pytest.raises(DomainError, match="servers must be above 0; got 0"):
            require_count("servers", wrong)
