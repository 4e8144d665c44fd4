"""Observations from Python: single figures, and rows of a data frame."""

from decimal import Decimal
from pathlib import Path

import pytest

from netmodel.calibration import (
    Observed,
    observed,
    observed_from_records,
    observed_from_table,
)
from netmodel.errors import DomainError, ParseError
from netmodel.records import Relation

pd = pytest.importorskip("pandas")

INF = float("inf")


def ends(seen: Observed) -> tuple[float, float]:
    return seen.low, seen.high


@pytest.mark.parametrize(
    ("value", "unit", "quantity", "expected"),
    [
        (11.21, "Gbit/s", "throughput_bps", (11.205e9, 11.215e9)),
        ("11.20", "Gbit/s", "throughput_bps", (11.195e9, 11.205e9)),
        (Decimal("13.4"), "Gbit/s", "throughput_bps", (13.35e9, 13.45e9)),
        (9413, "Mbit/s", "throughput_bps", (9412.5e6, 9413.5e6)),
        (9400, "Mbit/s", "throughput_bps", (9350e6, 9450e6)),
        (9400.0, "Mbit/s", "throughput_bps", (9350e6, 9450e6)),
        (1.5, "ms", "transaction_time_s", (1.45e-3, 1.55e-3)),
        (3, "ms/MiB", "cpu_us_per_gbit", (2.5e12 / 2**23, 3.5e12 / 2**23)),
        (21, "transaction/s", "transaction_rate_tps", (20.5, 21.5)),
        (65, "µs/transaction", "cpu_s_per_transaction", (64.5e-6, 65.5e-6)),
    ],
)
def test_a_figure_is_within_its_digits_in_base_units(
    value: float | str | Decimal, unit: str, quantity: str, expected: tuple[float, float]
) -> None:
    seen = observed(value, unit, mtu_bytes=1500, connection_count=8)
    assert seen.quantity == quantity
    assert ends(seen) == pytest.approx(expected)
    assert dict(seen.at) == {"mtu_bytes": 1500, "connection_count": 8}
    assert seen.relation is Relation.EQUAL
    assert not seen.is_published


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"resolution": 20}, (9390e6, 9410e6)),
        ({"low": 9300, "high": 9500}, (9300e6, 9500e6)),
        ({"relation": Relation.AT_LEAST}, (9400e6, INF)),
        ({"relation": Relation.CENSORED_ABOVE}, (9400e6, INF)),
        ({"relation": Relation.ABOUT}, (8930e6, 9870e6)),
    ],
)
def test_given_ends_and_resolution_replace_the_digits(
    parts: dict[str, float | Relation], expected: tuple[float, float]
) -> None:
    seen = observed(9400, "Mbit/s", **parts)  # type: ignore[arg-type]
    assert ends(seen) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("arguments", "parts", "problem"),
    [
        ((1, "furlong"), {}, "unit 'furlong' is that of no quantity: throughput_bps"),
        ((1, "Gbit/s", "transaction_time_s"), {}, "is that of throughput_bps, not of transaction"),
        ((-1, "Gbit/s"), {}, "must be a number from 0 up; got '-1'"),
        ((float("nan"), "Gbit/s"), {}, "the value of throughput_bps is missing"),
        (("fast", "Gbit/s"), {}, "must be a number from 0 up; got 'fast'"),
        ((5, "Gbit/s"), {"low": 4}, "both throughput_bps_low and throughput_bps_high, or neither"),
        ((5, "Gbit/s"), {"low": 6, "high": 7}, "must ascend"),
    ],
)
def test_impossible_arguments_are_refused(
    arguments: tuple[object, ...], parts: dict[str, float], problem: str
) -> None:
    with pytest.raises(DomainError) as caught:
        observed(*arguments, **parts)  # type: ignore[arg-type]
    assert problem in str(caught.value)


TABLE = """\
mtu_bytes,connection_count,throughput_gbps,cpu_ms_per_mib,relation,flag,note
1500,1,13.4,3.5,,,first
9000,8,,1.25,,,
9000,8,24.5,,at_least,,line
1500,50,9.4,,,repeated by hand,
"""


def test_a_frame_has_the_observations_of_its_csv(tmp_path: Path) -> None:
    file = tmp_path / "runs.csv"
    file.write_text(TABLE, encoding="utf-8")
    wanted = observed_from_table(file)
    result = observed_from_table(pd.read_csv(file), name="runs")
    assert [(each.quantity, each.relation, ends(each), dict(each.at)) for each in result] == [
        (each.quantity, each.relation, ends(each), dict(each.at)) for each in wanted
    ]
    assert len(result) == 4
    assert result.observed[0].place == "runs, row 1, throughput_gbps"
    assert result.notes == ("runs, row 4, throughput_gbps: refused: repeated by hand",)


def test_conditions_of_a_frame_are_as_asked_for() -> None:
    frame = pd.DataFrame(
        {"mtu_bytes": [1500], "throughput_gbps": [9.41], "cpu_us_per_gbit": [73828]}
    )
    (seen,) = observed_from_table(frame, conditions=["throughput_gbps"])
    assert seen.quantity == "cpu_us_per_gbit"
    assert dict(seen.at) == {"mtu_bytes": 1500, "throughput_gbps": 9.41}


def test_missing_values_of_a_frame_are_not_known() -> None:
    frame = pd.DataFrame(
        {
            "throughput_bps": pd.array([9413, None], dtype="Int64"),
            "workload": ["str-writex30k", None],
            "mtu_bytes": [1500.0, float("nan")],
            "transaction_time_us": [None, 20.5],
        }
    )
    first, second = observed_from_table(frame)
    assert dict(first.at) == {"workload": "str-writex30k", "mtu_bytes": 1500}
    assert (second.quantity, dict(second.at)) == ("transaction_time_s", {})


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"mtu": [1500]}, "frame: line 1: no column is one of throughput_bps"),
        ({"throughput_gbps": [-1]}, "frame: row 1, column throughput_gbps: must be a number from"),
        (
            {"throughput_gbps": ["fast"]},
            "frame: row 1, column throughput_gbps: must be a number from",
        ),
        ({"throughput_mb_per_s": [1]}, "MB is 10^6 byte to some"),
        ({"throughput_bps": [1], " throughput_bps": [2]}, "throughput_bps: appears more than"),
    ],
)
def test_a_frame_that_is_no_such_table_is_refused(
    columns: dict[str, list[object]], problem: str
) -> None:
    with pytest.raises(ParseError) as caught:
        observed_from_table(pd.DataFrame(columns))
    assert problem in str(caught.value)


def test_a_frame_without_rows_has_no_observations() -> None:
    assert len(observed_from_table(pd.DataFrame({"throughput_bps": []}))) == 0


def test_other_objects_are_no_source() -> None:
    with pytest.raises(DomainError, match=r"a CSV file or a pandas\.DataFrame; got int"):
        observed_from_table(3)  # type: ignore[arg-type]
    with pytest.raises(DomainError, match="must be Adapter; got list"):
        observed_from_records([])  # type: ignore[arg-type]
