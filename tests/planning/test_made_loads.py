"""Headroom and growth of loads that are put together by hand, every figure computed by hand."""

import math
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest
from planning.made import in_digits, loads, plain_values, resource

from netmodel.path import Bound, Predicted
from netmodel.planning._growth import Growth, date_after, growth_of, headroom_of, years_until
from netmodel.planning._joint import JointLoads
from netmodel.planning._plan import Corner

START = date(2026, 12, 1)
TWO = ("1 Gbit/s str-writex30k", "3 Gbit/s rr1c-200x30k")
ADAPTER = resource("adapter", (0.4,), (0.3,), (0.5,), after=((0.5,), (0.45,), (0.55,)))
"""Twice 0.4 may be used: while all work a headroom of 2, 1.6 to 2.67; then 1.6, 1.45 to 1.78."""
TRUNK = resource("trunk", (0.1,), limits=(0.7, 0.9), bound=Bound.VALUE)
"""A headroom of 7, and of 9 after failures."""


def alike(number: float) -> dict[str, Any]:
    """A figure without a range."""
    return dict.fromkeys(("value", "low", "high"), pytest.approx(number))


def test_the_headroom_is_that_of_the_first_limit_in_each_case() -> None:
    headroom = headroom_of(loads(ADAPTER, TRUNK))
    assert headroom.to_dict() == {
        "volume_ratio": {
            "value": pytest.approx(0.8 / 0.5),
            "low": pytest.approx(0.8 / 0.55),
            "high": pytest.approx(0.8 / 0.45),
            "bound": "upper",
        },
        "binding": "adapter",
        "is_after_failure": True,
    }
    alone = headroom_of(loads(TRUNK))
    assert alone.to_dict() == {
        "volume_ratio": {**alike(7), "bound": "value"},
        "binding": "trunk",
        "is_after_failure": False,
    }


@pytest.mark.parametrize(
    ("corner", "binding"),
    [(Corner.WORST, "wide"), (Corner.VALUE, "narrow"), (Corner.BEST, "narrow")],
)
def test_the_first_limit_is_named_for_the_corner(corner: Corner, binding: str) -> None:
    """0.8 over 0.4, and over 0.3, 0.2 and 0.5."""
    wide = resource("wide", (0.3,), (0.2,), (0.5,))
    headroom = headroom_of(loads(wide, resource("narrow", (0.4,))), corner)
    assert headroom.binding == binding
    ratio = headroom.volume_ratio
    assert (ratio.value, ratio.low, ratio.high) == pytest.approx((2, 1.6, 2))


def test_what_nothing_is_used_of_has_no_end() -> None:
    none = resource("none", (0.0,))
    ratio = headroom_of(loads(none)).volume_ratio
    assert (ratio.value, ratio.low, ratio.high) == (math.inf,) * 3
    growth = growth_of(loads(none), [0.2], START)
    assert growth.by_stage[0].to_dict() == {
        "name": "none",
        "years": {"value": None, "low": None, "high": None, "bound": "upper"},
        "after_failure_years": {"value": None, "low": None, "high": None, "bound": "upper"},
        "exhausted_on": None,
    }


def doubled_in(years: float, start: date = START) -> date:
    """Days of the year in which it ends, by hand: from one 1 December to the next."""
    whole = math.floor(years)
    first = date(start.year + whole, start.month, start.day)
    days = (date(first.year + 1, first.month, first.day) - first).days
    return first + timedelta(days=math.floor((years - whole) * days))


def test_volumes_that_double_each_year_end_at_the_logarithm_of_the_headroom() -> None:
    """Every figure of the result: years are binary logarithms of headrooms."""
    result = growth_of(loads(ADAPTER, TRUNK), [1.0], START, horizon_years=3)
    low, high = (math.log2(0.8 / use) for use in (0.55, 0.45))
    assert in_digits(result.to_dict()) == in_digits(plain_values("growth"))
    assert result.exhausted_on == doubled_in(low)
    assert result.years.value == pytest.approx(math.log2(1.6))
    assert result.by_stage[1].after_failure_years.value == pytest.approx(math.log2(9))
    assert result.text == (
        f"until {doubled_in(low)} ({doubled_in(low)} to {doubled_in(high)}), +45.5 % of payload; "
        "the first limit then: adapter after a failure"
    )


def until(corner: Corner, horizon_years: float = 5.0) -> Growth:
    """Of volumes that double: log2 of 2, of 1.6 and of 4 in the three cases."""
    wide = resource("client_cpus", (0.4,), (0.2,), (0.5,))
    return growth_of(loads(wide), [1.0], START, horizon_years, corner)


@pytest.mark.parametrize(
    ("corner", "horizon_years", "text"),
    [
        (Corner.WORST, 5, "until {low} ({low} to {high}), +60 % of payload; {first}"),
        (Corner.VALUE, 5, "until 2027-12-01 ({low} to {high}), +100 % of payload; {first}"),
        (Corner.BEST, 5, "until {high} ({low} to {high}), +300 % of payload; {first}"),
        (
            Corner.VALUE,
            1,
            "until 2027-12-01 ({low} to after 2027-12-01), +100 % of payload; {first}",
        ),
        (Corner.VALUE, 0.75, "not before 2027-08-31 (worst case {low}); {first}"),
        (Corner.WORST, 0.5, "not before 2027-06-01; {first}"),
        (Corner.BEST, 0.5, "not before 2027-06-01; {first}"),
    ],
)
def test_growth_in_words(corner: Corner, horizon_years: float, text: str) -> None:
    """The day of the corner, its range, and what of it lies beyond the horizon."""
    days = {"low": doubled_in(math.log2(1.6)), "high": date(2028, 12, 1)}
    first = "the first limit then: client cores"
    assert until(corner, horizon_years).text == text.format(first=first, **days)


def test_growth_is_followed_for_five_years() -> None:
    """Seven times the volumes in 4.99 years, and in 5.01."""
    for growth, is_given in ((7 ** (1 / 4.99) - 1, True), (7 ** (1 / 5.01) - 1, False)):
        result = growth_of(loads(TRUNK), [growth], START)
        assert result.horizon_years == 5
        assert result.horizon_on == date(2031, 12, 1)
        assert (result.exhausted_on is not None) is is_given


def test_one_day_has_no_range() -> None:
    growth = growth_of(loads(resource("trunk", (0.4,))), [1.0], START)
    assert growth.text == "until 2027-12-01, +100 % of payload; the first limit then: trunk"
    full = growth_of(loads(resource("trunk", (0.9,))), [1.0], START)
    assert full.text == "exceeded on 2026-12-01 already: trunk"
    assert full.volume_ratio == Predicted(1.0, 1.0, 1.0, Bound.UPPER)


def test_of_limits_that_are_exceeded_already_the_most_exceeded_is_named() -> None:
    some, more = resource("some", (0.9,)), resource("more", (1.2,), after=((1.5,),))
    for both in ((some, more), (more, some)):
        growth = growth_of(loads(*both), [1.0], START)
        assert (growth.exhausted_by, growth.is_after_failure) == ("more", True)
    # by its own limit: 1.2 of 1.2 against 0.9 of 0.8
    allowed = resource("allowed", (1.3,), limits=(1.2, 1.2))
    growth = growth_of(loads(allowed, some), [1.0], START)
    assert growth.exhausted_by == "some"


@pytest.mark.parametrize("corner", Corner)
def test_what_is_exceeded_at_the_corner_is_named(corner: Corner) -> None:
    wide, narrow = resource("wide", (0.9,), (0.85,), (1.2,)), resource("narrow", (1.0,))
    growth = growth_of(loads(wide, narrow), [1.0], START, corner=corner)
    assert growth.exhausted_by == ("wide" if corner is Corner.WORST else "narrow")


@pytest.mark.parametrize(
    ("limit", "years"),
    [
        # x/2 + x^2/4 of the limit, with x = 2^t: x = -1 + sqrt(1 + 4 limit)
        (0.76, math.log2(math.sqrt(4.04) - 1)),
        (2.0, 1.0),
        (6.0, 2.0),
        (0.75 + 1e-9, 1e-9 / math.log(2)),
        (0.74, 0.0),
    ],
)
def test_one_flow_doubles_and_another_quadruples(limit: float, years: float) -> None:
    """0.5 * 2^t + 0.25 * 4^t, which are 0.75 at the start; 1 + 1 a year later."""
    own = resource("trunk", (0.5, 0.25), limits=(limit, limit), bound=Bound.VALUE)
    growth = growth_of(loads(own, texts=TWO), [1.0, 3.0], START)
    assert growth.years.value == pytest.approx(years, rel=1e-6, abs=1e-12)
    payload = (1 * 2**years + 3 * 4**years) / 4  # 1 and 3 Gbit/s
    assert growth.volume_ratio.value == pytest.approx(payload)


def test_a_flow_that_takes_nothing_of_a_resource_does_not_count_there() -> None:
    """What doubles ends a year later, whatever grows beside it; and what does not grow, never."""
    own = resource("trunk", (0.4, 0.0))
    assert growth_of(loads(own, texts=TWO), [1.0, 9.0], START).years.value == pytest.approx(1)
    still = growth_of(loads(own, texts=TWO), [0.0, 9.0], START)
    assert (still.years.value, still.exhausted_by) == (math.inf, "")


def test_what_is_not_used_does_not_count_beside_several_that_grow() -> None:
    """0.5 * 2^t + 0.25 * 4^t are 2 in a year, whatever a third flow elsewhere does."""
    own = resource("trunk", (0.5, 0.25, 0.0), limits=(2, 2))
    texts = (*TWO, "1 Gbit/s str-writex30k")
    for growth in (9.0, 0.0, -0.5):
        years = growth_of(loads(own, texts=texts), [1.0, 3.0, growth], START).years
        assert years.value == pytest.approx(1)


def test_at_the_limit_is_not_above_it() -> None:
    """All of it may be used, but for rounding: what grows ends now, what does not never."""
    full = np.array([[0.5, 0.3]])
    assert years_until(full, np.array([1.0, 0.9]), 0.8)[0] == math.inf
    assert years_until(full, np.array([1.2, 1.0]), 0.8)[0] == pytest.approx(0, abs=1e-9)
    assert years_until(full, np.array([1.0, 1.0]), 0.8 * (1 - 1e-9))[0] == 0


TURNS = np.array([[1.0, 0.0], [0.0, 1.0]])
TOGETHER = np.array([[1.0, 1.0], [0.5, 0.5]])


@pytest.mark.parametrize(
    ("rows", "uses", "growths", "limit", "years"),
    [
        # by turns: the larger of 0.5 * 2^t and 0.25 * 4^t, each alone
        (TURNS, (0.5, 0.25), (1.0, 3.0), 0.75, math.log2(1.5)),
        (TURNS, (0.5, 0.25), (1.0, 3.0), 2.0, 1.5),
        (TURNS, (0.5, 0.25), (1.0, 3.0), 0.51, math.log2(1.02)),  # ten days
        (TURNS, (0.5, 0.25), (0.0, 3.0), 1.0, 1.0),
        # at the same times: their sum
        (TOGETHER, (0.5, 0.25), (1.0, 3.0), 2.0, 1.0),
        (TOGETHER, (0.5, 0.25), (0.0, 3.0), 1.5, 1.0),
        # 0.5 / x + 0.25 x^2 falls at first; 1.25 with x = 2
        (TOGETHER, (0.5, 0.25), (-0.5, 3.0), 1.25, 1.0),
        # the same a month after the start, x = 1.05
        (TOGETHER, (0.5, 0.25), (-0.5, 3.0), 0.5 / 1.05 + 0.25 * 1.05**2, math.log2(1.05)),
        (TURNS, (0.5, 0.25), (-0.5, 3.0), 1.0, 1.0),
        (TURNS, (0.5, 0.25), (-0.5, 0.0), 1.0, math.inf),
        (TURNS, (0.5, 0.25), (-0.5, 0.0), 0.4, 0.0),
        (TURNS, (0.5, 0.25), (1.0, 3.0), 0.4, 0.0),
        (TURNS, (0.5, 0.25), (0.0, 2e-4), 1.0, math.log(4) / math.log(1.0002)),  # 6,932 years
        (TURNS, (0.5, 0.25), (0.0, 1e-5), 1.0, math.inf),  # 138,000 years
    ],
)
def test_loads_that_are_known_together_end_with_their_sum_at_each_time(
    rows: np.ndarray, uses: tuple[float, float], growths: tuple[float, float], limit: float,
    years: float,
) -> None:  # fmt: skip
    joint = JointLoads((((0, 1), rows),), 1.0)
    own = resource("trunk", uses, limits=(limit, 9e9), bound=Bound.VALUE, joint=joint)
    growth = growth_of(loads(own, texts=TWO), growths, START)
    assert growth.years.value == pytest.approx(years, rel=1e-9)
    assert growth.years.bound is Bound.VALUE
    swapped = resource("trunk", uses, limits=(9e9, limit), joint=joint)
    after = growth_of(loads(swapped, texts=TWO), growths, START)
    assert after.years.value == pytest.approx(years, rel=1e-9)
    assert after.is_after_failure or math.isinf(years)


def test_loads_known_together_have_a_range_over_the_cases() -> None:
    """By turns, what doubles from 0.4, 0.2 and 0.5 to 0.8: earliest from the most."""
    joint = JointLoads((((0, 1), TURNS),), 1.0)
    own = resource("trunk", (0.4, 0.1), (0.2, 0.1), (0.5, 0.1), joint=joint)
    years = growth_of(loads(own, texts=TWO), [1.0, 0.5], START).years
    assert (years.value, years.low, years.high) == pytest.approx((1, math.log2(1.6), 2))
    still = resource("trunk", (0.4, 0.0), (0.2, 0.0), (0.9, 0.0), joint=joint)
    never = growth_of(loads(still, texts=TWO), [-0.5, 0.5], START).years
    assert (never.value, never.low, never.high) == (math.inf, 0, math.inf)


def test_the_first_of_several_times_counts() -> None:
    """
    Of 0.45 * 4^t in a third of the time, and 0.5 / 2^t + 0.45 * 2^t in the rest.

    Both together at once take 0.95 at the start; 0.3 years later the sum is less.
    """
    rows = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    joint = JointLoads((((0, 1, 2), rows),), 1.0)
    own = resource("trunk", (0.5, 0.45, 0.2), limits=(0.96, 0.96), joint=joint)
    texts = (*TWO, "1 Gbit/s str-writex30k")
    years = growth_of(loads(own, texts=texts), [-0.5, 1.0, 0.0], START).years.value
    # 0.5 / x + 0.45 x = 0.96 where 0.45 x^2 - 0.96 x + 0.5 = 0; 0.95 at x = 1 falls at first
    x = (0.96 + math.sqrt(0.96**2 - 4 * 0.45 * 0.5)) / (2 * 0.45)
    assert years == pytest.approx(math.log2(x))


@pytest.mark.parametrize(
    ("start", "years", "day"),
    [
        (START, 0.0, START),
        (START, 1 / 365, date(2026, 12, 2)),
        (START, 0.9999 / 365, START),
        (START, 1 + 1 / 366, date(2027, 12, 2)),  # to 1 December 2028
        (START, 1 - 1e-12, date(2027, 12, 1)),
        (date(2028, 2, 29), 1, date(2029, 2, 28)),
        (date(2028, 2, 29), 1.5, date(2029, 8, 29)),  # 182 of 365 days
        (date(2028, 1, 31), 0.5, date(2028, 8, 1)),  # 183 of 366 days
        (START, 7972, date(9998, 12, 1)),
        (START, 7973, None),
    ],
)
def test_a_day_is_counted_within_its_own_year(start: date, years: float, day: date | None) -> None:
    assert date_after(start, years) == day
