"""``netmodel sweep``: one sentence, a table, and errors in a user's terms."""

import json

import pytest
from invocation import run_netmodel, words

pytest.importorskip("xarray")

GRID = ("adapter=osa-express7s-25gbe,ethernet-25gbe", "workload=str-writex30k", "mtu=1500,9000")


def test_it_answers_first_then_prints_a_table() -> None:
    result = run_netmodel("sweep", *GRID)
    assert result.exit_code == 0, result.output
    first, *_ = result.output.split("\n\n")
    assert first == "The largest throughput_bps of 4 predictions is 24.75 Gbit/s."
    assert "server_adapter_in" in result.output


def test_a_large_grid_prints_its_largest_points() -> None:
    result = run_netmodel("sweep", *GRID[:2], "mtu=1500..9000:100")
    assert "132 more rows with --verbose" in words(result.output)


def test_json_and_csv_hold_every_point_with_the_bottleneck_by_name() -> None:
    rows = json.loads(run_netmodel("sweep", *GRID, "--json").output)
    assert [row["adapter"] for row in rows] == ["osa-express7s-25gbe"] * 2 + ["ethernet-25gbe"] * 2
    assert rows[0]["bottleneck"] == "server_adapter_in"
    lines = run_netmodel("sweep", *GRID, "--csv").output.splitlines()
    assert len(lines) == 5
    assert lines[0].startswith("adapter,mtu_bytes,throughput_bps,")


def test_whole_numbers_of_a_range_stay_whole_and_others_are_as_typed() -> None:
    grid = ("adapter=osa-express7s-25gbe", "workload=str-writex30k", "mtu=1500..9000:7500")
    text = run_netmodel("sweep", *grid, "connections=1..2", "--csv").output
    axes = [line.split(",")[:2] for line in text.splitlines()[1:]]
    assert axes == [["1500", "1"], ["1500", "2"], ["9000", "1"], ["9000", "2"]]
    lines = run_netmodel("sweep", *grid[:2], "mtu=1500", "km=0.1..0.4:0.1", "--csv").output
    assert [line.split(",")[0] for line in lines.splitlines()[1:]] == ["0.1", "0.2", "0.3", "0.4"]


@pytest.mark.parametrize("options", [(), ("--csv",), ("--json",)])
def test_a_path_without_rates_is_refused(options: tuple[str, ...]) -> None:
    case = ("path=powervm-sea-power7,kvm-one-host", "workload=str-writex30k", "mtu=1500,9000")
    result = run_netmodel("sweep", *case, *options)
    assert result.exit_code == 2
    assert "kvm-one-host: no line and no limit of it is known" in words(result.output)
    assert "nan" not in result.output


def test_what_is_not_known_is_null_in_json_and_empty_in_csv() -> None:
    rows = json.loads(
        run_netmodel("sweep", *GRID, "--quantity", "client_cpu_us_per_gbit", "--json").output
    )
    assert rows[0]["client_cpu_us_per_gbit"] is None
    lines = run_netmodel(
        "sweep", *GRID, "--quantity", "client_cpu_us_per_gbit", "--csv"
    ).output.splitlines()
    assert lines[1] == "osa-express7s-25gbe,1500,,,,,server_adapter_in"
    text = run_netmodel("sweep", *GRID, "--quantity", "client_cpu_us_per_gbit").output
    assert "The largest client_cpu_us_per_gbit of 4 predictions is not known." in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("mtu",), "'mtu': give NAME=VALUES once, such as mtu=1500,9000"),
        ((*GRID, "mtus=1500"), "predict has no argument mtus; it has workload, "),
        ((*GRID, "mtu=1500"), "'mtu=1500': give NAME=VALUES once"),
        ((*GRID[:2], "mtu=1500,,9000"), "mtu: "),
        ((*GRID[1:], "adapter=a,,b"), "unknown adapter 'a'"),
        ((*GRID[:2], "mtu=9000..1500:100"), "must run upwards, by a step above 0"),
        ((*GRID[:2], "mtu=1500..9000:0"), "must run upwards, by a step above 0"),
        ((*GRID[:2], "connections=1..1000000000"), "has over 1,000,000 values"),
        ((*GRID[:2], "mtu=1500B,9ms"), "mtu: "),
        ((*GRID[:2], "mtu=1500"), ""),
        (
            ("workload=str-writex30k", "mtu=1500,9000"),
            "give adapter, or sender and receiver, or path",
        ),
        ((*GRID, "--quantity", "speed"), "unknown quantity 'speed'"),
    ],
)
def test_wrong_input_is_refused_in_the_users_terms(
    arguments: tuple[str, ...], message: str
) -> None:
    result = run_netmodel("sweep", *arguments)
    if message:
        assert result.exit_code == 2, result.output
    assert message in result.output
