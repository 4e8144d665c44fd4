"""Observations from tables of your own: every column, and every refusal."""

import contextlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from netmodel.calibration import Observed, Selection, observed_from_table
from netmodel.errors import ParseError
from netmodel.records import Grade, Relation

INF = float("inf")


def selected(directory: Path, *lines: str) -> Selection:
    path = directory / "runs.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return observed_from_table(path)


def only(directory: Path, *lines: str) -> Observed:
    (seen,) = selected(directory, *lines).observed
    return seen


def ends(seen: Observed) -> tuple[float, float]:
    return seen.low, seen.high


def refusal(directory: Path, *lines: str) -> str:
    with pytest.raises(ParseError) as error:
        selected(directory, *lines)
    assert error.value.source == str(directory / "runs.csv")
    return error.value.problem


def test_digits_give_the_rounding_and_columns_the_conditions(tmp_path: Path) -> None:
    seen = only(
        tmp_path,
        "mtu_bytes,workload,layer,note,throughput_gbps",
        "1500,rr1c-200x30k,3,,13.40",
    )
    assert (seen.quantity, seen.value, seen.relation) == ("throughput_bps", 13.4e9, Relation.EQUAL)
    assert ends(seen) == pytest.approx((13.395e9, 13.405e9), rel=1e-12)
    assert seen.at == {"mtu_bytes": 1500, "workload": "rr1c-200x30k", "layer": 3}
    assert (seen.place, seen.weight, seen.grade) == ("runs.csv, line 2, throughput_gbps", 1, None)


@pytest.mark.parametrize(
    ("column", "cell", "quantity", "value", "half_width"),
    [
        ("throughput_mbps", "940.5", "throughput_bps", 940.5e6, 0.05e6),
        ("throughput_mib_per_s", "112.0", "throughput_bps", 112 * 8 * 2**20, 0.4 * 2**20),
        ("throughput_bps", "1.34e10", "throughput_bps", 13.4e9, 0.05e9),
        ("transaction_rate_tps", "2124.07", "transaction_rate_tps", 2124.07, 0.005),
        ("transaction_time_us", "13", "transaction_time_s", 13e-6, 0.5e-6),
        ("cpu_us_per_gbit", "828504.5", "cpu_us_per_gbit", 828504.5, 0.05),
        ("cpu_ms_per_mib", "6.95", "cpu_us_per_gbit", 828504.562, 0.005 * 1e12 / 8 / 2**20),
        ("cpu_ms_per_transaction", "0.065", "cpu_s_per_transaction", 65e-6, 0.5e-6),
    ],
)
def test_other_units_become_base_units(
    tmp_path: Path, column: str, cell: str, quantity: str, value: float, half_width: float
) -> None:
    seen = only(tmp_path, column, cell)
    assert seen.quantity == quantity
    assert seen.value == pytest.approx(value, rel=1e-6)
    assert ends(seen) == pytest.approx((value - half_width, value + half_width), rel=1e-6)


def test_trailing_zeros_of_an_integer_are_not_digits_and_a_note_says_so(tmp_path: Path) -> None:
    result = selected(tmp_path, "throughput_bps", "13400000000", "9.8e9")
    assert [ends(seen) for seen in result.observed] == [(13.35e9, 13.45e9), (9.75e9, 9.85e9)]
    assert result.notes == (
        "column throughput_bps: trailing zeros of 1 figure may not be digits: add a _resolution "
        "column",
    )


@pytest.mark.parametrize(
    ("cells", "half_width"),
    [
        (("20",), 5),
        (("20", "13"), 0.5),
        (("20", "13.4"), 0.5),
        (("130", "95"), 5),
        (("9400", "9413"), 0.5),
        (("20", "9"), 5),
    ],
)
def test_zeros_count_up_to_the_digits_of_other_figures(
    tmp_path: Path, cells: tuple[str, ...], half_width: float
) -> None:
    first = selected(tmp_path, "throughput_mbps", *cells).observed[0]
    assert (first.high - first.low) / 2e6 == pytest.approx(half_width)


def test_a_resolution_is_the_step(tmp_path: Path) -> None:
    result = selected(tmp_path, "throughput_gbps,throughput_gbps_resolution", "13.4,1", "20,0.5")
    assert [ends(seen) for seen in result.observed] == [(12.9e9, 13.9e9), (19.75e9, 20.25e9)]
    assert not result.notes


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        ("", (13.35e9, 13.45e9)),
        ("equal", (13.35e9, 13.45e9)),
        ("about", (12.73e9, 14.07e9)),
        ("at_least", (13.4e9, INF)),
        ("censored_above", (13.4e9, INF)),
        ("at_most", (0, 13.4e9)),
        ("up_to", (0, 13.4e9)),
        ("censored_below", (0, 13.4e9)),
    ],
)
def test_relations_of_a_figure(
    tmp_path: Path, relation: str, expected: tuple[float, float]
) -> None:
    rows = ("throughput_gbps,{},mtu_bytes", f"13.4,{relation},1500")
    for column in ("relation", "throughput_gbps_relation"):
        seen = only(tmp_path, rows[0].format(column), rows[1])
        assert ends(seen) == pytest.approx(expected)
        assert seen.relation is Relation(relation or "equal")
        assert seen.at == {"mtu_bytes": 1500}
        assert seen.grade is (Grade.ASSUMED if relation == "about" else None)


@pytest.mark.parametrize(
    ("cells", "expected", "relation"),
    [
        ("13.4,13,14", (13e9, 14e9), Relation.EQUAL),
        (",13,14", (13e9, 14e9), Relation.RANGE),
        (",13,", (13e9, INF), Relation.AT_LEAST),
        (",,14", (0, 14e9), Relation.AT_MOST),
    ],
)
def test_given_ends_are_taken_as_they_stand(
    tmp_path: Path, cells: str, expected: tuple[float, float], relation: Relation
) -> None:
    seen = only(tmp_path, "throughput_gbps,throughput_gbps_low,throughput_gbps_high", cells)
    assert ends(seen) == expected
    assert seen.relation is relation


def test_a_row_has_as_many_observations_as_figures(tmp_path: Path) -> None:
    header = "throughput_gbps,transaction_time_us,throughput_gbps_relation,side"
    result = selected(tmp_path, header, "9.4,20.1,at_least,client", ",,,server")
    assert [(seen.quantity, seen.relation) for seen in result.observed] == [
        ("throughput_bps", Relation.AT_LEAST),
        ("transaction_time_s", Relation.EQUAL),
    ]
    assert result.notes == ("runs.csv, line 3: no figure is known",)


CHANGES = "adapter,mtu_bytes,quantity,change,change_percent,change_ratio,relation,baseline_adapter"


@pytest.mark.parametrize(
    ("cells", "expected", "value", "relation"),
    [
        ("throughput_bps,more,50,,", (1.495, 1.505), 1.5, Relation.EQUAL),
        ("throughput_bps,more,50,,at_least", (1.5, INF), 1.5, Relation.AT_LEAST),
        ("transaction_time_s,less,15,,at_least", (0, 0.85), 0.85, Relation.AT_MOST),
        ("transaction_time_s,less,13,,up_to", (0.87, 1), 0.87, Relation.AT_LEAST),
        ("throughput_bps,factor,,2.8,", (2.75, 2.85), 2.8, Relation.EQUAL),
        ("throughput_bps,more,,,", (1, INF), None, Relation.SIGN),
        ("throughput_bps,less,,,sign", (0, 1), None, Relation.SIGN),
        ("throughput_bps,same,,,", (0.95, 1.05), 1, Relation.ABOUT),
    ],
)
def test_comparisons_are_ratios(
    tmp_path: Path,
    cells: str,
    expected: tuple[float, float],
    value: float | None,
    relation: Relation,
) -> None:
    seen = only(tmp_path, CHANGES, f"new,1500,{cells},old")
    assert ends(seen) == pytest.approx(expected)
    assert seen.value == (value if value is None else pytest.approx(value))
    assert seen.relation is relation
    assert seen.at == {"adapter": "new", "mtu_bytes": 1500}
    assert seen.baseline == {"adapter": "old", "mtu_bytes": 1500}


def test_a_comparison_with_an_unknown_baseline(tmp_path: Path) -> None:
    header = (
        "throughput_gbps,mtu_bytes,quantity,change,change_percent_low,change_percent_high,baseline"
    )
    result = selected(tmp_path, header, ",1500,transaction_time_s,less,30,37,the old card")
    assert ends(result.observed[0]) == pytest.approx((0.63, 0.7))
    assert result.observed[0].baseline == "the old card"


def test_flagged_rows_are_refused(tmp_path: Path) -> None:
    refused = selected(tmp_path, "throughput_gbps,flag", "9.4,", "9.9,cable was loose")
    assert [seen.value for seen in refused.observed] == [9.4e9]
    assert refused.notes == ("runs.csv, line 3, throughput_gbps: refused: cable was loose",)


def test_a_column_of_numbers_with_a_text_is_text(tmp_path: Path) -> None:
    result = selected(tmp_path, "throughput_gbps,slot", "9.4,1", "9.5,1a")
    assert [seen.at for seen in result.observed] == [{"slot": "1"}, {"slot": "1a"}]


def test_lines_count_those_within_cells(tmp_path: Path) -> None:
    rows = ("note,throughput_gbps", '"two\nlines",9.4', "x,-1")
    assert refusal(tmp_path, *rows).startswith("line 4, column throughput_gbps: must be a number")


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        (["mtu_bytes", "1500"], "line 1: no column is one of throughput_bps, "),
        (
            ["througput_gbps", "1.5"],
            "line 1: no column is one of throughput_bps, transaction_rate_tps, transaction_time_s, "
            "cpu_us_per_gbit, cpu_s_per_transaction, change: througput_gbps may be meant as "
            "throughput_gbps",
        ),
        (
            ["throughput_bps,throughput_gbps", "1,1"],
            "line 1, column throughput_bps: another column",
        ),
        (
            ["throughput_gbps,cpu_ms_per_mb", "9.4,1"],
            "line 1, column cpu_ms_per_mb: MB is 10^6 byte to some",
        ),
        (["throughput_gbps", "fast"], "line 2, column throughput_gbps: 'fast' does not start"),
        (
            ["throughput_gbps,throughput_gbps_resolution", "9.4,x"],
            "line 2, column throughput_gbps_resolution: must be a number",
        ),
        (
            ["throughput_gbps,relation", "9.4,near"],
            "line 2, column relation: must be one of equal, about, ",
        ),
        (
            ["throughput_gbps,relation", "9.4,range"],
            "line 2, column throughput_gbps: the filled cells go with equal, about, at_least",
        ),
        (
            ["throughput_gbps,throughput_gbps_low", "9.4,9"],
            "line 2, column throughput_gbps: a figure has both",
        ),
        (
            ["throughput_gbps_low,throughput_gbps_high", "9.4,9"],
            "line 2, column throughput_gbps: throughput_gbps_low, throughput_gbps and",
        ),
        (
            ["throughput_gbps_low,throughput_gbps_high,relation", "9,9.4,at_least"],
            "line 2, column throughput_gbps: the filled cells go with range, equal, about",
        ),
        (
            ["change,quantity", "faster,throughput_bps"],
            "line 2, column change: must be one of more",
        ),
        (["change,quantity", "more,speed"], "line 2, column quantity: must be one of throughput"),
        (["change,quantity", "more,throughput_bps"], "line 2, column change: needs a baseline"),
        (
            ["change,quantity,mtu_bytes,baseline_mtu_bytes", "more,throughput_bps,1500,1500"],
            "line 2, column change: needs a baseline",
        ),
        (
            ["change,quantity,baseline,baseline_mtu_bytes", "more,throughput_bps,old,1500"],
            "line 2, column baseline: stands beside baseline_mtu_bytes",
        ),
        (
            ["change,quantity,baseline,change_ratio", "more,throughput_bps,old,1.5"],
            "line 2, column change: a factor stands in change_ratio",
        ),
        (
            ["change,quantity,baseline,change_percent", "less,throughput_bps,old,120"],
            "line 2, column change: nothing is less by more than 100 %",
        ),
        (
            ["change,quantity,baseline,change_percent", "same,throughput_bps,old,2"],
            "line 2, column change: a change that is the same has no figure",
        ),
        (
            ["change,quantity,baseline", "factor,throughput_bps,old"],
            "line 2, column change: a factor has a figure",
        ),
        (
            ["change,quantity,baseline,relation", "more,throughput_bps,old,at_least"],
            "line 2, column change: has no figure",
        ),
        (["throughput_gbps,quantity", "9.4,throughput_bps"], "line 2, column quantity: belongs to"),
        (["throughput_gbps,change,baseline", "9.4,,old"], "line 2, column baseline: belongs to"),
        (["throughput_gbps,baseline_x", "9.4,1"], "line 2, column baseline_x: belongs to"),
    ],
)
def test_contradictory_cells_are_refused(tmp_path: Path, rows: list[str], problem: str) -> None:
    assert refusal(tmp_path, *rows).startswith(problem)


NAMES = st.sampled_from(
    [
        *("throughput_bps", "throughput_gbps", "throughput_bps_low", "throughput_bps_high"),
        *("throughput_bps_relation", "throughput_bps_resolution", "relation", "flag"),
        *("transaction_time_us", "cpu_ms_per_mib", "quantity", "change", "change_percent"),
        *("change_ratio", "baseline", "baseline_adapter", "adapter", "mtu_bytes", "layer", "x"),
    ]
)
CELLS = st.one_of(
    st.sampled_from(
        ["", "", "1", "13.40", "1e30", "0", "-1", "nan", "1e-400", "more", "less", "factor", "same"]
        + [relation.value for relation in Relation]
        + ["throughput_bps", "cpu_us_per_gbit", "old", '"a,b"', '"', "1,5", "٣"]
    ),
    st.decimals(allow_nan=True).map(str),
    st.text(max_size=6),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), names=st.lists(NAMES, min_size=1, max_size=6, unique=True))
def test_any_table_is_a_selection_or_a_parse_error(
    tmp_path: Path, data: st.DataObject, names: list[str]
) -> None:
    row = st.lists(CELLS, min_size=len(names), max_size=len(names))
    rows = data.draw(st.lists(row, max_size=3))
    path = tmp_path / "any.csv"
    lines = [",".join(cells) for cells in [names, *rows]]
    path.write_text("\n".join(lines), encoding="utf-8", errors="replace")
    result = Selection(())
    with contextlib.suppress(ParseError):
        result = observed_from_table(path)
    assert all(seen.place.startswith("any.csv, line ") for seen in result.observed)
