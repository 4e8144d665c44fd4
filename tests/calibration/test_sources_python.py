"""Observations from rows of a data frame."""

from pathlib import Path

import pytest

from netmodel.calibration import Observed, observed_from_table
from netmodel.errors import DomainError, ParseError

pd = pytest.importorskip("pandas")


def ends(seen: Observed) -> tuple[float, float]:
    return seen.low, seen.high


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
    assert len(result.observed) == 4
    assert result.observed[0].place == "runs, row 1, throughput_gbps"
    assert result.notes == ("runs, row 4, throughput_gbps: refused: repeated by hand",)


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
        (
            {"throughput_bps": [1], " throughput_bps": [2]},
            'two columns have the name "throughput_bps"',
        ),
    ],
)
def test_a_frame_that_is_no_such_table_is_refused(
    columns: dict[str, list[object]], problem: str
) -> None:
    with pytest.raises(ParseError) as caught:
        observed_from_table(pd.DataFrame(columns))
    assert problem in str(caught.value)


def test_a_frame_without_rows_is_refused() -> None:
    with pytest.raises(ParseError, match="frame: holds no rows"):
        observed_from_table(pd.DataFrame({"throughput_bps": []}))


def test_other_objects_are_no_source() -> None:
    with pytest.raises(DomainError, match=r"a CSV file or a pandas\.DataFrame; got int"):
        observed_from_table(3)  # type: ignore[arg-type]
