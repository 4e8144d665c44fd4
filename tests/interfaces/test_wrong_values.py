"""Every option of every command with values that cannot be: one message, exit code 2 or 3."""

from pathlib import Path

import click
import pytest
from command_tree import COMMANDS, OPTIONS
from invocation import replacing, run_netmodel
from runs import sample

from netmodel.records import data_path

RUN = str(sample("line_200m_mtu1500_ts1_v4.json"))
OSA = "osa-express7s-25gbe"
ENDS = ("--sender", OSA, "--receiver", OSA)
VALID = {
    "calibrate": (str(data_path("examples", "own-adapter", "runs")), "--side", "server"),
    "calibrate host": (RUN, "--mtu", "1500"),
    "catalog list": (),
    "catalog show": (OSA,),
    "ceiling": ("--line-rate", "25G", "--mtu", "1500"),
    "check": (RUN, "--line-rate", "200M", "--mtu", "1500"),
    "compare": ("--baseline", OSA, "--variant", "roce-express2.1-25gbe"),
    "consumption compare": ("--cpu-time-ratio", "1.1", "--data-ratio", "1.1"),
    "consumption convert": ("1000 us/Gbit",),
    "consumption cpus": ("1000 us/Gbit", "--rate", "10G"),
    "explain": ("payload_rate_bps", "line_rate_bps=25G", "mtu_bytes=1500"),
    "measure": ("--format", "rate"),
    "measure facts": ("-o", "facts.toml"),
    "path-mtu": ("lan=1500",),
    "pcie": ("--generation", "4", "--lanes", "8"),
    "plan": ("--flow", "10 Gbit/s str-writex30k", "--adapter", OSA, "--mtu", "1500"),
    "predict": (*ENDS, "--workload", "str-writex30k", "--mtu", "1500", "--connections", "1"),
    "published": (OSA,),
    "schema": ("plan",),
    "rps encode": ("--cpus", "0-3"),
}
"""Arguments that a command takes, to which each wrong value is added."""
BEHIND = {"measure": ("--", "true")}
"""What stands behind all options of a command."""
NUMBERS = ("", "-1", "7 parsecs")
WORDS = ("no-such-thing",)
FILES = ("missing.toml", "DIRECTORY")
OUTPUTS = ("DIRECTORY", "no/such/directory/file.svg")
ANY_WORD = {
    ("measure", "--output"): {*NUMBERS},
    ("calibrate host", "--output"): {"no/such/directory/file.svg"},
}
"""
Values that are right for an option: no limit is accepted; the name of a new folder.
"""


def wrong_values(option: click.Option) -> tuple[str, ...]:
    metavar = option.make_metavar(click.Context(COMMANDS["netmodel"]))
    if isinstance(option.type, click.Path):
        return OUTPUTS
    if "FILE" in metavar or "DIRECTORY" in metavar:
        return FILES
    if (
        isinstance(option.type, click.Choice)
        or "text" in option.type.name
        or "=" in metavar
        or metavar == "CASE"
    ):
        return WORDS
    return NUMBERS


CASES = [
    (path, name, value)
    for (path, name), option in OPTIONS.items()
    if path != "netmodel" and not option.is_flag
    for value in wrong_values(option)
    if value not in ANY_WORD.get((path, name), ())
]


def test_every_command_has_valid_arguments() -> None:
    commands = {path for path, each in COMMANDS.items() if not isinstance(each, click.Group)}
    assert set(VALID) == commands


@pytest.mark.parametrize(("path", "name", "value"), CASES)
def test_a_wrong_value_is_refused_with_one_message(
    path: str, name: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "--html":
        pytest.importorskip("jinja2")
    monkeypatch.chdir(tmp_path)
    given = str(tmp_path) if value == "DIRECTORY" else value
    options = replacing(VALID[path], name, given)
    result = run_netmodel(*path.split(), *options, *BEHIND.get(path, ()))
    assert result.exit_code in {2, 3}, result.output
    _, error, message = result.stderr.partition("Error: ")
    assert error
    assert message.count("\n") == 1, message
    assert 10 < len(message.replace(str(tmp_path), "")) < 500, message
    parameter = OPTIONS[path, name].name
    named = {*OPTIONS[path, name].opts, name.strip("-"), parameter, repr(given), given or "''"}
    assert any(each and each in message for each in named), message
