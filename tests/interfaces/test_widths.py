"""Lines of every command end within 100 columns, tables within 80 where names allow."""

import re
import tempfile
from pathlib import Path

import pytest
from command_tree import COMMANDS
from host_run_files import write_runs
from invocation import run_netmodel

from netmodel.records import data_path

OSA, ROCE = "osa-express7s-25gbe", "roce-express2.1-25gbe"
ENDS = ("--sender", OSA, "--receiver", ROCE, "--mtu", "1500")
RUNS = str(data_path("examples", "iperf3"))
COUNTERS = Path(__file__).parents[1] / "readers" / "samples" / "kernel"
CLOSED = ("--path", "worked-closed-network", "--mtu", "1500", "--workload", "rr1c-200x1000")
MIX = ("--flow", "30 Gbit/s str-writex30k", "--flow", "10 Gbit/s rr1c-200x30k")
_MADE = tempfile.TemporaryDirectory()
HOST_RUNS = Path(_MADE.name) / "runs"
write_runs(HOST_RUNS)
EXAMPLES = {
    "audit": ("zvm-layer2-layer3",),
    "calibrate": (OSA, "--where", "direction=in,workload=str-writex30k", "--noise", "0.02"),
    "calibrate host": (str(HOST_RUNS),),
    "catalog calibrate": ("--check", "zvm-direct-osa-layer2-1gbe"),
    "catalog list": ("adapters",),
    "catalog show": ("zvm-vswitch-layer2-1gbe",),
    "ceiling": ("--list-layers",),
    "check": (RUNS, "--line-rate", "200M", "--mtu", "1500"),
    "compare": ("--baseline", OSA, "--variant", ROCE, "--workload", "rr1c-200x1000"),
    "consumption compare": ("--cpu-time-ratio", "1.1", "--data-ratio", "1.1"),
    "consumption convert": ("1000 us/Gbit",),
    "consumption cost": ("--cpu-time", "10s", "--data", "100Gbit"),
    "consumption cpus": ("1000 us/Gbit", "--rate", "10G"),
    "demo": (),
    "evidence": (),
    "frame": ("--mtu", "1500"),
    "interface-load": (
        *(str(COUNTERS / "line200m_ip_s_s_link_after.json"),),
        *(str(COUNTERS / "line200m_ip_s_s_link_after.json"), "--duration", "10s"),
        *("--interface", "vA", "--direction", "in", "--line-rate", "200M", "--mtu", "1500"),
    ),
    "path-mtu": ("--sender-mtu", "9000", "lan=9000", "bridge=1500,silent"),
    "pcie": ("--generation", "4", "--lanes", "8", "--line-rate", "100G"),
    "plan": (*MIX, "--adapter", OSA, "--adapter", ROCE, "--mtu", "1500", "--mtu", "9000"),
    "predict": (*ENDS, "--workload", "rr1c-200x1000", "--connections", "1,10,50"),
    "rps advise": (
        *CLOSED,
        "--connections",
        "10",
        "--cpus",
        "0-3",
        "--queue-stage",
        "server-queue",
    ),
    "rps decode": ("ff",),
    "rps encode": ("--cpus", "0-3"),
    "sweep": ("--formula", "payload_rate_bps", "line-rate=25G", "mtu=1500,9000"),
}
TABLES = {
    "ceiling": EXAMPLES["ceiling"],
    "ceiling of a sweep": ("--line-rate", "25G", "--sweep", "link-mtu=1500..1502"),
    "compare": EXAMPLES["compare"],
    "demo": (),
    "pcie": EXAMPLES["pcie"],
    "plan": EXAMPLES["plan"],
    "predict": EXAMPLES["predict"],
    "predict of a closed network": (*CLOSED, "--connections", "1,10,250"),
}
GAP = re.compile(r"\S {2,}\S")
"""Between two columns."""


def test_every_command_has_an_example() -> None:
    assert set(EXAMPLES) == {
        path for path, each in COMMANDS.items() if not hasattr(each, "list_commands")
    }


@pytest.mark.parametrize("command", EXAMPLES)
def test_lines_end_within_100_columns(command: str) -> None:
    if command == "sweep":
        pytest.importorskip("xarray")
    result = run_netmodel(*command.split(), *EXAMPLES[command])
    assert result.exit_code in (0, 1, 3), result.output
    assert result.stdout
    assert [line for line in result.stdout.splitlines() if len(line) > 100] == []


@pytest.mark.parametrize("command", TABLES)
def test_tables_end_within_80_columns(command: str) -> None:
    name = command.partition(" of a ")[0]
    shown = run_netmodel(*name.split(), *TABLES[command]).stdout
    if name == "predict":  # the drawings below the table are as wide as the terminal
        shown = shown.split("\n\n")[1]
    rows = [line for line in shown.splitlines() if GAP.search(line)]
    assert len(rows) > 3
    assert [row for row in rows if len(row) > 80] == []


def test_details_that_a_table_leaves_out_are_there_with_verbose() -> None:
    plain, verbose = (
        run_netmodel("plan", *EXAMPLES["plan"], *more).stdout for more in ((), ("--verbose",))
    )
    assert "evidence\n" not in plain.split("\n\n")[1] + "\n"
    assert verbose.split("\n\n")[1].splitlines()[0].endswith("evidence")
    plain, verbose = (
        run_netmodel("predict", *CLOSED, "--connections", "1,250", *more).stdout
        for more in ((), ("--verbose",))
    )
    assert plain.split("\n\n")[1].splitlines()[0].split()[-1] == "bottleneck"
    assert len(verbose) >= len(plain)
