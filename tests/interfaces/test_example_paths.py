"""The example files of paths of your own: short, and true to the runs that they are made from."""

import pytest
from invocation import printed_json
from runs import check_file

from netmodel.checking import SpecifiedLine
from netmodel.consumption import Side
from netmodel.path import Prediction, SpecifiedPath, Traffic, predict_path
from netmodel.records import data_path, path_record

LINE, SMALL_WINDOW = (
    str(data_path("examples", "paths", f"emulated-line{name}.toml"))
    for name in ("", "-small-window")
)
FULL, WINDOWED, JUMBO = (
    str(data_path("examples", "iperf3", f"line-200m-mtu{name}.json"))
    for name in ("1500", "1500-small-window", "9000")
)


def predicted(mtu_bytes: int) -> Prediction:
    stream = Traffic(131_072, connection_count=1, waits=False, shares_segments=True)
    path = SpecifiedPath(record=path_record(LINE)).path(Side.CLIENT)
    return predict_path(path, stream, mtu_bytes)


def measured_us_per_gbit(run: str, mtu_bytes: int) -> dict[Side, float]:
    (verdict,) = check_file(run, SpecifiedLine(line_rate_bps=200e6, mtu_bytes=mtu_bytes))
    assert verdict.measurement is not None
    return {use.side: use.consumption.us_per_gbit for use in verdict.measurement.cpu}


def test_the_cpu_times_are_those_of_the_run() -> None:
    costs, measured = predicted(1500).cpu_us_per_gbit, measured_us_per_gbit(FULL, 1500)
    for side in Side:
        result = costs[side]
        assert result is not None
        assert measured[side] == pytest.approx(result.value, rel=2e-4)


def test_check_takes_the_line_from_the_file() -> None:
    (row,) = printed_json("check", FULL, "--path", LINE, "--mtu", "1500")
    assert (row["verdict"], row["binding"], row["notes"]) == ("at_ceiling", "wire", [])
    assert {limit["name"] for limit in row["limits"]} >= {"wire", "iperf-client", "iperf-server"}


def test_a_window_that_a_file_states_goes_before_that_of_the_run() -> None:
    arguments = ("check", WINDOWED, "--mtu", "1500", "--path")
    (row,) = printed_json(*arguments, LINE, exit_code=1)
    assert (row["verdict"], row["binding"]) == ("limited", "window")
    (result,) = (limit for limit in row["limits"] if limit["name"] == "window")
    assert result["value_bps"] == pytest.approx(576 * 8 / 67e-6)
    (row,) = printed_json(*arguments, SMALL_WINDOW, exit_code=1)
    assert (row["verdict"], row["binding"]) == ("not_judgeable", "window")
    (result,) = (limit for limit in row["limits"] if limit["name"] == "window")
    assert result["value_bps"] == pytest.approx(576 * 8 / 69e-6)
