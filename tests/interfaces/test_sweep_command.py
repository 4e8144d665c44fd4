"""``netmodel sweep``: one sentence, a table, files that read back, and errors in a user's terms."""

import json
from pathlib import Path

import numpy as np
import pytest
from invocation import run_netmodel, words

import netmodel

pytest.importorskip("xarray")
pytest.importorskip("pyarrow")
pytest.importorskip("h5netcdf")

GRID = ("adapters=osa-express7s-25gbe,ethernet-25gbe", "workload=str-writex30k", "mtu=1500,9000")
LARGEST = "adapters osa-express7s-25gbe, mtu_bytes 9,000"


def test_it_answers_first_then_prints_a_table() -> None:
    result = run_netmodel("sweep", *GRID)
    assert result.exit_code == 0, result.output
    first, *_ = result.output.split("\n\n")
    assert words(first) == (
        "Upper bound of the payload rate of the side that sends more is 13.4 to 24.75 Gbit/s, the "
        f"largest with {LARGEST}, in 4 predictions."
    )
    assert "server_adapter_in" in result.output


def test_a_large_grid_prints_its_largest_points() -> None:
    result = run_netmodel("sweep", *GRID[:2], "mtu=1500..9000:100")
    assert "the 20 largest of 152 predictions; --write FILE writes all of them" in result.output


@pytest.mark.parametrize("suffix", ["nc", "parquet", "csv"])
def test_files_hold_all_points_and_units(tmp_path: Path, suffix: str) -> None:
    import pandas as pd
    import xarray
    from pyarrow import parquet

    file = tmp_path / f"sweep.{suffix}"
    result = run_netmodel("sweep", *GRID, "connections=1,10", "--write", str(file))
    assert result.exit_code == 0, result.output
    made = netmodel.sweep(
        adapters=["osa-express7s-25gbe", "ethernet-25gbe"],
        workload="str-writex30k",
        mtu_bytes=[1500, 9000],
        connections=[1, 10],
    )
    if suffix == "nc":
        with xarray.open_dataset(file, engine="h5netcdf") as read:
            np.testing.assert_array_equal(read.throughput_bps, made.throughput_bps)
            assert read.throughput_bps.attrs["units"] == "bit/s"
            assert read.bottleneck.values.tolist() == made.bottleneck.values.tolist()
            assert read.mtu_bytes.dtype == np.int64
        return
    table = pd.read_csv(file) if suffix == "csv" else pd.read_parquet(file)
    np.testing.assert_allclose(table.throughput_bps, made.throughput_bps.values.ravel())
    assert list(table.bottleneck) == made.bottleneck.values.ravel().tolist()
    assert table.mtu_bytes.dtype == table.connections.dtype == np.int64
    if suffix == "parquet":
        field = parquet.read_schema(file).field("throughput_bps")
        assert field.metadata[b"units"] == b"bit/s"


def test_json_and_csv_hold_every_point_with_the_bottleneck_by_name() -> None:
    rows = json.loads(run_netmodel("sweep", *GRID, "--json").output)
    assert [row["adapters"] for row in rows] == ["osa-express7s-25gbe"] * 2 + ["ethernet-25gbe"] * 2
    assert rows[0]["bottleneck"] == "server_adapter_in"
    lines = run_netmodel("sweep", *GRID, "--csv").output.splitlines()
    assert len(lines) == 5
    assert lines[0].startswith("adapters,mtu_bytes,throughput_bps,")


def test_whole_numbers_of_a_range_stay_whole_and_others_are_as_typed(tmp_path: Path) -> None:
    file = tmp_path / "sweep.csv"
    grid = ("adapters=osa-express7s-25gbe", "workload=str-writex30k", "mtu=1500..9000:7500")
    options = ("connections=1..2", "--csv", "--write", str(file))
    result = run_netmodel("sweep", *grid, *options)
    for text in (result.output, file.read_text(encoding="utf-8")):
        axes = [line.split(",")[:2] for line in text.splitlines()[1:]]
        assert axes == [["1500", "1"], ["1500", "2"], ["9000", "1"], ["9000", "2"]]
    lines = run_netmodel("sweep", *grid[:2], "mtu=1500", "km=0.1..0.4:0.1", "--csv").output
    assert [line.split(",")[0] for line in lines.splitlines()[1:]] == ["0.1", "0.2", "0.3", "0.4"]


@pytest.mark.parametrize("options", [(), ("--csv",), ("--json",), ("--write", "FILE")])
def test_a_path_without_rates_is_refused(tmp_path: Path, options: tuple[str, ...]) -> None:
    file = tmp_path / "sweep.csv"
    options = tuple(text.replace("FILE", str(file)) for text in options)
    case = ("path=powervm-sea-power7,kvm-one-host", "workload=str-writex30k", "mtu=1500,9000")
    result = run_netmodel("sweep", *case, *options)
    assert result.exit_code == 2
    assert "kvm-one-host: no line and no limit of it is known" in words(result.output)
    assert "nan" not in result.output
    assert not file.exists()


def test_what_is_not_known_is_null_in_json_and_empty_in_csv() -> None:
    rows = json.loads(run_netmodel("sweep", *GRID, "--quantity", "client_cpu", "--json").output)
    assert rows[0]["client_cpu_us_per_gbit"] is None
    lines = run_netmodel("sweep", *GRID, "--quantity", "client_cpu", "--csv").output.splitlines()
    assert lines[1] == "osa-express7s-25gbe,1500,,,,server_adapter_in"
    text = run_netmodel("sweep", *GRID, "--quantity", "client_cpu").output
    assert "is not known at any of them" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("mtu",), "'mtu' is not NAME=VALUES, such as mtu=1500,9000"),
        ((*GRID, "mtus=1500"), "unknown name 'mtus'"),
        ((*GRID, "mtu=1500"), "mtu is given twice"),
        ((*GRID[:2], "mtu=1500,,9000"), "mtu: a value between the commas is empty"),
        ((*GRID[:2], "mtu=9000..1500:100"), "is not FIRST..LAST:STEP with a step above zero"),
        ((*GRID[:2], "mtu=1500..9000:0"), "is not FIRST..LAST:STEP with a step above zero"),
        ((*GRID[:2], "connections=1..1000000000"), "is a unit missing?"),
        ((*GRID[:2], "mtu=1500B,9ms"), "mtu_bytes: "),
        ((*GRID[:2], "mtu=1500"), ""),
        (
            ("workload=str-writex30k", "mtu=1500,9000"),
            "give adapter, or sender and receiver, or path",
        ),
        ((*GRID, "--quantity", "speed"), "unknown quantity 'speed'"),
        ((*GRID, "--write", "sweep.txt"), "ends in .nc, .parquet or .csv"),
        ((*GRID, "--json", "--csv"), "give --json or --csv, not both"),
    ],
)
def test_wrong_input_is_refused_in_the_users_terms(
    arguments: tuple[str, ...], message: str
) -> None:
    result = run_netmodel("sweep", *arguments)
    if message:
        assert result.exit_code == 2, result.output
    assert message in result.output
