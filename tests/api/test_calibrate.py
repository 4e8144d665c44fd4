"""``netmodel.calibrate``: every kind of source gives what the package below gives."""

from pathlib import Path
from typing import Any

import pytest

import netmodel
from netmodel.calibration import adapter_model, observed_from_table
from netmodel.calibration import calibrate as calibrated

pd = pytest.importorskip("pandas")

CSV = "mtu_bytes,throughput_gbps\n1500,13.4\n4000,20.0\n9000,24.1\n"


def parameters(found: Any) -> dict[str, tuple[float | None, float, float]]:
    return {name: tuple(each) for name, each in found.parameters.items()}


def test_a_table_and_a_frame_are_the_same(tmp_path: Path) -> None:
    file = tmp_path / "runs.csv"
    file.write_text(CSV)
    expected = calibrated(observed_from_table(file), adapter_model(), 0.01)
    for source in (file, str(file), [file]):
        assert parameters(netmodel.calibrate(source, noise_ratio=0.01)) == parameters(expected)
    frame = pd.DataFrame({"mtu_bytes": [1500, 4000, 9000], "throughput_gbps": [13.4, 20.1, 24.1]})
    found = netmodel.calibrate(frame, noise_ratio="0.01")
    assert found.parameters.keys() == expected.parameters.keys()
    sides = [tmp_path / f"{direction}.csv" for direction in ("in", "out")]
    for side in sides:
        rows = CSV.replace("mtu", "direction,mtu").replace("\n", f"\n{side.stem},", 3)
        side.write_text(rows)
    assert {"in.per_frame_s", "out.per_frame_s"} < {*netmodel.calibrate(sides).parameters}


def test_a_run_of_0_is_left_out_and_named_first() -> None:
    """It would count as anything below half of its last digit: a noise of 100 % and more."""
    runs = {"mtu_bytes": [1500, 1500, 3000, 9000], "throughput_gbps": [13.4, 13.5, 18.2, 23.1]}
    frame = pd.DataFrame(runs)
    zero = pd.concat([frame, pd.DataFrame({"mtu_bytes": [4000], "throughput_gbps": [0.0]})])
    result = netmodel.calibrate(zero)
    assert parameters(result) == parameters(netmodel.calibrate(frame))
    assert "left out: 0 is" in result.notes[0]


def test_a_dataset_by_its_columns() -> None:
    known: Any = {"figures": "transaction_rate_tps", "where": {"table": 5, "layer": 2}}
    result = netmodel.calibrate("zvm-layer2-layer3", model="scalability", noise_ratio=0.05, **known)
    assert [each.at["connection_count"] for each in result.observed] == [1, 10, 50]
    assert len(result.parameters) == 3
