"""What an observation says of itself."""

import math
from dataclasses import replace
from decimal import Decimal

import pytest

from netmodel.calibration import Observed
from netmodel.calibration.observations import allowed_by
from netmodel.calibration.sources import base_quantity
from netmodel.estimates import Estimate
from netmodel.records.tables import Column
from netmodel.records.values import Relation, Value, allowed_interval
from netmodel.results import plain

SMALL, LARGE = {"mtu_bytes": 1500}, {"mtu_bytes": 9000}


def test_the_figure_is_the_quoted_value_or_the_middle() -> None:
    assert Observed(quantity="x_s", at=SMALL, low=1, high=4, value=2).figure == 2
    assert Observed(quantity="x_s", at=SMALL, low=1, high=4).figure == 2.5
    assert Observed(quantity="x_s", at=SMALL, low=3, high=3).figure == 3


def test_bounds_and_comparisons_have_no_figure() -> None:
    assert Observed(quantity="x_s", at=SMALL, low=1, high=math.inf, value=1).figure is None
    assert Observed(quantity="x_s", at=SMALL, low=0, high=4, value=4).figure is None
    assert Observed(quantity="x_s", at=SMALL, low=1, high=2, value=1, baseline=LARGE).figure is None


def test_the_baseline_is_a_condition_where_it_is_asked() -> None:
    alone = Observed(quantity="x_s", at=SMALL, low=1, high=2)
    beside = replace(alone, baseline={"mtu_bytes": 4000})
    assert alone.all_conditions == (SMALL,)
    assert beside.all_conditions == (SMALL, {"mtu_bytes": 4000})


@pytest.mark.parametrize(
    ("relation", "ends"),
    [
        (Relation.EQUAL, (13.35, 13.45)),
        (Relation.ABOUT, (12.73, 14.07)),
        (Relation.AT_LEAST, (13.4, math.inf)),
        (Relation.CENSORED_ABOVE, (13.4, math.inf)),
        (Relation.AT_MOST, (0.0, 13.4)),
        (Relation.UP_TO, (0.0, 13.4)),
        (Relation.CENSORED_BELOW, (0.0, 13.4)),
    ],
)
def test_a_relation_allows_the_same_as_in_records(
    relation: Relation, ends: tuple[float, float]
) -> None:
    assert allowed_by(relation, 13.4, 0.05) == pytest.approx(ends, rel=1e-15)
    printed = Decimal("13.4")
    low, high = allowed_interval(relation, printed, Decimal("0.05"))
    assert (max(0.0, float(low)), float(high)) == ends
    specified = {"source": "handbook", "locator": "p. 1", "grade": "published"}
    record = Value(value=printed, unit="Gbit/s", relation=relation, **specified)
    assert record.interval == (low, high)


def test_nothing_allowed_is_below_zero() -> None:
    assert allowed_by(Relation.EQUAL, 0.3, 0.5) == pytest.approx((0.0, 0.8))
    assert allowed_by(Relation.ABOUT, 1.0, 0.2) == pytest.approx((0.8, 1.2))


def test_an_estimate_for_json_has_no_open_ends() -> None:
    message = plain(Estimate(None, 1.5, math.inf))
    assert message == {"value": None, "low": 1.5, "high": None}
    assert plain(Estimate(2.0, math.nan, math.nan)) == {"value": 2.0, "low": None, "high": None}


@pytest.mark.parametrize(
    ("name", "unit", "quantity"),
    [
        ("rate_tps", "1/s", ("transaction_rate_tps", 1.0)),
        ("rate_tps", "transaction/s", ("transaction_rate_tps", 1.0)),
        ("rate_fps", "1/s", None),
        ("throughput_gbps", "Gbit/s", ("throughput_bps", 1e9)),
        ("time_ms", "ms", ("transaction_time_s", 1e-3)),
        ("adapter", "none", None),
    ],
)
def test_a_column_holds_the_quantity_of_its_unit(
    name: str, unit: str, quantity: tuple[str, float] | None
) -> None:
    assert base_quantity(Column(name=name, unit=unit, meaning="made")) == quantity
