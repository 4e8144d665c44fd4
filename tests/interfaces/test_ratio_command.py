"""``netmodel predict`` and ``check`` over paths whose times are known up to a factor only."""

from pathlib import Path

import pytest
from invocation import printed, printed_json, refusal, run_netmodel

GUESTS = ("--path", "kvm-one-host", "--mtu", "8192", "--workload", "str-writex30k")
TRUNK = ("--path", "powervm-sea-power7", "--mtu", "1500", "--workload", "str-writex30k")
RUN = str(Path(__file__).parents[2] / "data/examples/iperf3/line-200m-mtu1500.json")
GAIN = '\n[[reference.gains]]\nmtu = "8192 byte"\nratio = "1.05 to 1.2"\n'
ABSOLUTE = {
    *("throughput_bps", "transaction_rate_tps", "transaction_rate_bounds_tps"),
    *("transaction_time_s", "zero_load_time_s", "cpu_us_per_gbit", "cpu_busy", "pool_busy"),
    *("binding", "elasticities"),
}
OWN = """
title = "mine"
reference.{reference}
[defaults]
source = "lab book"
locator = "page 3"
grade = "measured"
[pools.cpus]
side = "client"
core_count = "4"
[[stages]]
name = "cpu"
kind = "hypervisor-cpu"
pool = "cpus"
relative = true
both.per_frame = "1 µs"
{more}
"""


def written(directory: Path, reference: str = 'mtu = "1500 byte"', more: str = "") -> str:
    path = directory / "mine.toml"
    path.write_text(OWN.format(reference=reference, more=more), encoding="utf-8")
    return str(path)


def test_ratios_take_the_place_of_rates() -> None:
    (row,) = printed_json("predict", *GUESTS, "--connections", "10")
    assert {name for name in ABSOLUTE if row[name] is None} == ABSOLUTE
    ratio = row["ratio_to_reference"]
    assert ratio["reference"] == "MTU 1500 byte"
    assert [ratio[end] for end in ("value", "low", "high")] == pytest.approx([2.2, 1, 2.2])
    assert [part["binding"] for part in ratio["where"]] == ["guest-and-host-cpu"]
    assert "known up to a factor only" in " ".join(row["notes"][0].split())


def test_rates_have_the_same_keys_and_no_ratio() -> None:
    (ratio,) = printed_json("predict", *GUESTS, "--connections", "10")
    other = ("--path", "powervm-sea-tandem", *GUESTS[2:])
    (rate,) = printed_json("predict", *other, "--connections", "10")
    assert set(ratio) == set(rate)
    assert rate["ratio_to_reference"] is None
    assert rate["throughput_bps"] is not None


def test_limits_that_are_known_stay_rates() -> None:
    (row,) = printed_json("predict", *TRUNK, "--connections", "8")
    limits = {limit["name"]: limit for limit in row["limits"]}
    assert set(limits) == {"trunk_to_server", "wire_to_server"}
    assert limits["trunk_to_server"]["low_bps"] == pytest.approx(11.7e9)
    assert limits["trunk_to_server"]["margin_ratio"] is None


def test_the_text_names_the_reference_and_the_known_limits() -> None:
    text = printed("predict", *TRUNK, "--connections", "8")
    assert "against the same with 1 CPU of client-lpar, 1 CPU of vios\n" in text
    assert "ratio          1 times the reference\n" in text
    assert "throughput     <= 9.4148 Gbit/s\n" in text
    assert "measured with  MTU on all devices of the path\n" in text
    shown = " ".join(text.split())
    assert "trunk_to_server <= 13 Gbit/s (parameters leave 11.7 to 14.3 Gbit/s)" in shown
    assert "throughput <= 9.4148 Gbit/s limits wire_to_server" in shown


def test_several_connection_counts_are_a_table_and_one_drawing() -> None:
    text = printed("predict", *GUESTS, "--connections", "1,10")
    first, _, head = text.splitlines()[:3]
    assert first == (
        "str-writex30k from client to server: 2.2 (1 to 2.2) times the throughput with MTU 1500 "
        "byte."
    )
    assert head.split() == ["connections", "ratio", "bottleneck", "ratio", "there"]
    assert text.count("2.2 (1 to 2.2) times the reference") == 1


def test_a_plot_is_of_ratios_that_are_the_same_with_all_connections(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    file = tmp_path / "ratio.svg"
    printed("predict", *GUESTS, "--connections", "10", "--plot", str(file))
    assert "bottleneck: guest-and-host-cpu" in file.read_text(encoding="utf-8")
    other = tmp_path / "same.svg"
    printed("predict", *GUESTS, "--connections", "1,10", "--plot", str(other))
    assert "bottleneck: guest-and-host-cpu" in other.read_text(encoding="utf-8")
    serial = written(tmp_path, 'pools.cpus = "1"', "serial = true")
    many = ("predict", "--path", serial, *GUESTS[2:], "--connections", "1,10")
    answer = refusal(*many, "--plot", str(file))
    assert "the ratios differ with the connections (1, 10): give --plot one number" in answer


def test_times_up_to_a_factor_set_no_limit_in_check() -> None:
    path = ("--path", "kvm-one-host", "--line-rate", "200Mbit/s", "--mtu", "1500")
    (row,) = printed_json("check", RUN, *path)
    (alone,) = printed_json("check", RUN, *path[2:])
    assert row["limits"] == alone["limits"]
    assert (row["verdict"], row["ratio"]) == (alone["verdict"], alone["ratio"])
    reason = "guest-and-host-cpu sets no limit: its service times are known up to a factor only"
    assert reason in row["notes"]


def test_limits_without_a_factor_count_in_check() -> None:
    (row,) = printed_json("check", RUN, *TRUNK[:4], "--line-rate", "10Gbit/s", exit_code=1)
    assert "trunk_to_server" in [limit["name"] for limit in row["limits"]]
    assert not {"client-lpar", "vios"} & {limit["name"] for limit in row["limits"]}


@pytest.mark.parametrize(
    ("reference", "more", "fault"),
    [
        ("note = 1", "", "reference.note: is not a known key"),
        ('pools.cpu = "1"', "", "unknown pool 'cpu'; did you mean cpus?"),
        ('times.gpus = "2"', "", "unknown relative stage or pool 'gpus'; did you mean cpus?"),
        ('times.cpus = "0"', "", "reference.times.cpus: must be above 0; got 0"),
        (f'pools.cpus = "1"{GAIN}', "", "reference: gains: need mtu, and neither pools nor times"),
        (f'mtu = "8192 byte"{GAIN}', "", "gains.0.mtu: 8192 byte already has its ratio"),
        (f'mtu = "1500 byte"{GAIN * 2}', "", "gains.1.mtu: 8192 byte already has its ratio"),
        (f'mtu = "1500 byte"{GAIN}of = "cpu"', "", "unknown relative stage or pool 'cpu'"),
        ('mtu = "1500 byte"', 'delay = "1 ms"', "delay: is absolute, but the stage relative"),
        (
            'mtu = "1500 byte"',
            'rate_cap = "1 Gbit/s"',
            "rate_cap: is absolute, but the stage relative",
        ),
    ],
)
def test_what_a_reference_cannot_be_is_refused(
    tmp_path: Path, reference: str, more: str, fault: str
) -> None:
    result = run_netmodel("predict", "--path", written(tmp_path, reference, more), *GUESTS[2:])
    assert result.exit_code == 3
    assert fault in result.stderr


def test_a_published_ratio_goes_before_that_of_frames(tmp_path: Path) -> None:
    path = written(tmp_path, f'mtu = "1500 byte"{GAIN}')
    (row,) = printed_json("predict", "--path", path, *GUESTS[2:], "--connections", "10")
    ratio = row["ratio_to_reference"]
    assert ratio["published"] is True
    assert [ratio[end] for end in ("value", "low", "high")] == [None, 1.05, 1.2]
    (part,) = ratio["where"]
    assert part["value"] == pytest.approx(8140 / 1448)
    text = printed("predict", "--path", path, *GUESTS[2:], "--connections", "10")
    assert "ratio     1.05 to 1.2 times the reference\n" in text
    (row,) = printed_json("predict", *GUESTS, "--connections", "10")
    assert row["ratio_to_reference"]["published"] is False


def test_relative_stages_and_a_reference_belong_together(tmp_path: Path) -> None:
    text = Path(written(tmp_path)).read_text(encoding="utf-8")
    for old, fault in (
        ('reference.mtu = "1500 byte"\n', "reference: is needed, as stages are relative"),
        ("relative = true\n", "reference: is given, but no stage is relative"),
    ):
        file = tmp_path / "other.toml"
        file.write_text(text.replace(old, ""), encoding="utf-8")
        result = run_netmodel("predict", "--path", str(file), *GUESTS[2:])
        assert result.exit_code == 3
        assert fault in result.stderr


def test_stages_of_a_pool_are_all_relative_or_none(tmp_path: Path) -> None:
    other = '[[stages]]\nname = "b"\nkind = "virtual-switch"\npool = "cpus"\nboth.per_byte = "1 ns"'
    result = run_netmodel("predict", "--path", written(tmp_path, more=other), *GUESTS[2:])
    assert result.exit_code == 2
    assert "stages of pool 'cpus' must be known up to one and the same factor" in result.stderr


def test_more_cpus_than_the_reference_give_a_ratio(tmp_path: Path) -> None:
    path = written(tmp_path, 'pools.cpus = "1"')
    (row,) = printed_json("predict", "--path", path, *GUESTS[2:], "--connections", "8")
    assert row["ratio_to_reference"]["value"] == pytest.approx(4)
    assert row["ratio_to_reference"]["reference"] == "1 CPU of cpus"


def test_no_plan_is_made_of_times_up_to_a_factor() -> None:
    answer = refusal("plan", "--flow", "5 Gbit/s str-writex30k", *GUESTS[:4])
    assert "times of guest-and-host-cpu are known up to a factor only" in answer
