"""Lines end where the terminal does, or COLUMNS; JSON of the same answers is as its schema says."""

import json
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
MIX = ("--flow", "30 Gbit/s str-writex30k", "--flow", "10 Gbit/s rr1c-200x30k")
_MADE = tempfile.TemporaryDirectory()
HOST_RUNS = Path(_MADE.name) / "runs"
write_runs(HOST_RUNS)
EXAMPLES = {
    "calibrate": (str(data_path("examples", "own-adapter", "runs")), "--side", "server"),
    "calibrate host": (str(HOST_RUNS),),
    "catalog list": ("adapters",),
    "catalog show": ("zvm-vswitch-layer2-1gbe",),
    "ceiling": ("--line-rate", "25Gbit/s", "--mtu", "1500"),
    "check": (RUNS, "--line-rate", "200M", "--mtu", "1500"),
    "compare": ("--baseline", OSA, "--variant", ROCE, "--workload", "rr1c-200x1000"),
    "consumption compare": ("--cpu-time-ratio", "1.1", "--data-ratio", "1.1"),
    "consumption convert": ("1000 us/Gbit",),
    "consumption cpus": ("1000 us/Gbit", "--rate", "10G"),
    "explain": ("payload_rate_bps", "line_rate_bps=25G", "mtu_bytes=1500"),
    "measure": (
        "-o",
        f"{_MADE.name}/measured",
        "--line-rate",
        "1G",
        "--format",
        "rate",
        "--",
        "echo",
        "5 Mbit/s",
    ),
    "measure facts": ("-o", f"{_MADE.name}/facts.toml"),
    "path-mtu": ("--sender-mtu", "9000", "lan=9000", "bridge=1500,silent"),
    "pcie": ("--generation", "4", "--lanes", "8", "--line-rate", "100G"),
    "plan": (*MIX, "--adapter", OSA, "--adapter", ROCE, "--mtu", "1500", "--mtu", "9000"),
    "predict": (*ENDS, "--workload", "rr1c-200x1000", "--connections", "1,10,50"),
    "published": (OSA, "--workload", "rr1c-200x1000"),
    "rps encode": ("--cpus", "0-3"),
    "schema": ("check",),
}
KINDS = COMMANDS["schema"].params[0].type.to_info_dict()["choices"]


def test_every_command_has_an_example() -> None:
    assert {*EXAMPLES} == {
        path for path, each in COMMANDS.items() if not hasattr(each, "list_commands")
    }


def too_long(text: str, columns: int) -> list[str]:
    """Lines that end behind the terminal, but for single words."""
    return [line for line in text.splitlines() if len(line) > columns and len(line.split()) > 1]


@pytest.mark.parametrize("command", sorted({*EXAMPLES} - {"schema"}))
def test_lines_end_where_a_narrow_terminal_does(
    command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    arguments = [each.replace(_MADE.name, str(tmp_path)) for each in EXAMPLES[command]]
    if command == "calibrate host":
        arguments = list(EXAMPLES[command])
    monkeypatch.setenv("COLUMNS", "40")
    narrow = run_netmodel(*command.split(), *arguments)
    assert narrow.exit_code in (0, 1, 3), narrow.output
    assert too_long(narrow.stdout, 40) == []


def test_no_cell_leaves_a_table_that_has_long_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    _, _, head, *rows = run_netmodel("explain", "--list", "window").stdout.splitlines()
    begins = [head.index(name) for name in ("arguments", "summary")]
    assert all(row[begin - 2 : begin].strip() == "" for row in rows for begin in begins)


def test_data_has_the_lines_that_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    command = ("predict", *EXAMPLES["predict"], "--json")
    usual = run_netmodel(*command).stdout
    monkeypatch.setenv("COLUMNS", "40")
    assert run_netmodel(*command).stdout == usual


@pytest.mark.parametrize("command", [x for x in EXAMPLES if x.replace(" ", "-") in KINDS])
def test_json_is_what_the_schema_says(command: str) -> None:
    schema = json.loads(run_netmodel("schema", command.replace(" ", "-")).stdout)
    answer = json.loads(run_netmodel(*command.split(), "--json", *EXAMPLES[command]).stdout)
    validator = pytest.importorskip("jsonschema").Draft202012Validator(schema)
    for row in answer if isinstance(answer, list) else [answer]:
        validator.validate(row)
