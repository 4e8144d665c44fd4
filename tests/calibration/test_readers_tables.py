"""Observations from tables of your own, as readers read them: every column and refusal."""

import contextlib
from pathlib import Path
from typing import Any

import pytest
from case_tables import cases
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from netmodel.calibration import Observed, observed_from_table
from netmodel.calibration.observations import Selection
from netmodel.errors import ParseError
from netmodel.records.values import Relation

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
    names = "mtu_bytes,workload,layer,clock_offset_us,note,throughput_gbps"
    seen = only(tmp_path, names, "+1500,rr1c-200x30k,3,-3.5,,13.40")
    assert (seen.quantity, seen.value, seen.relation) == ("throughput_bps", 13.4e9, Relation.EQUAL)
    assert ends(seen) == pytest.approx((13.395e9, 13.405e9), rel=1e-12)
    wanted = {"mtu_bytes": 1500, "workload": "rr1c-200x30k", "layer": 3, "clock_offset_us": -3.5}
    assert seen.at == wanted
    assert seen.place == "runs.csv, line 2, throughput_gbps"


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


@pytest.mark.parametrize("case", [*cases(Path(__file__).with_name("refused_cells.toml"))])
def test_contradictory_cells_are_refused(tmp_path: Path, case: dict[str, Any]) -> None:
    assert refusal(tmp_path, *case["lines"]).startswith(case["problem"])


NAMES = st.sampled_from(
    [
        *("throughput_bps", "throughput_gbps", "throughput_bps_low", "throughput_bps_high"),
        *("throughput_bps_relation", "throughput_bps_resolution", "relation", "flag"),
        *("transaction_time_us", "cpu_ms_per_mib", "adapter", "mtu_bytes", "layer", "x"),
    ]
)
CELLS = st.one_of(
    st.sampled_from(
        ["", "", "1", "13.40", "1e30", "0", "-1", "nan", "1e-400"]
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
