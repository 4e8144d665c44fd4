"""Every command as a user or a script meets it, and ceiling in particular."""

import json
from collections.abc import Sequence

import click
import pytest
from command_tree import COMMANDS
from invocation import printed, refusal, replacing, run_in_a_process
from runs import sample

LINE = ("--line-rate", "200Mbit/s", "--mtu", "1500")
GOOD = str(sample("line_200m_mtu1500_ts1_v4.json"))
MISSING = "no such file.json"
CEILING = ("ceiling", "--line-rate", "25Gbit/s", "--mtu", "1500")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--mtu", "67"), ("at least 68", "got 67")),
        (("--mtu", "65536"), ("at most 65535", "got 65536")),
        (("--mtu", "30k"), ("ambiguous", "1000 or 1024", "30 kB (30000) or 30 KiB (30720)")),
        (("--line-rate", "nan"), ("finite",)),
        (("--line-rate", "25"), ("the unit is missing", "25 Gbit/s")),
        (("--line-rate", "25 Gbyte/s"), ("ambiguous", "write 200 Gbit/s or 25 GiB/s")),
        (("--ip", "5"), ("'5' is not one of '4', '6'",)),
        (("--transport", "sctp"), ("'sctp' is not one of 'tcp', 'udp'",)),
        (("--transport", "udp", "--timestamps"), ("UDP has none",)),
        (("extra",), ("extra",)),
    ],
    ids=" ".join,
)
def test_ceiling_refuses_impossible_values_with_the_reason(
    options: Sequence[str], words: Sequence[str]
) -> None:
    answer = refusal(*replacing(CEILING, *options))
    assert all(word in answer for word in words), answer


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ((*CEILING, "--mtu", "9000"), "--mtu is given more than once: 1500 and 9000; give one"),
        (("check", GOOD, "--junit=a", "--junit", "b"), "--junit is given more than once: a and b"),
        (("ceiling", "--frame", "64", "--frame", "1518"), '64 and 1518; write --frame "64,1518"'),
        (("predict", "--ip", "4", "--ip", "6"), "4 and 6; give one; in Python, netmodel.sweep"),
    ],
)
def test_of_two_values_of_an_option_neither_is_taken(command: Sequence[str], problem: str) -> None:
    assert problem in refusal(*command)
    assert printed(*CEILING, *CEILING[1:], "--verbose", "--verbose") == printed(*CEILING)


# All commands


def typed(path: str) -> list[str]:
    """The words of a command behind the name of the program."""
    return [word for word in path.split() if word != "netmodel"]


def test_the_commands_are_those_that_are_documented() -> None:
    assert [*COMMANDS] == [
        *("netmodel", "calibrate", "calibrate host", "catalog", "catalog list", "catalog show"),
        *("ceiling", "check", "compare", "consumption", "consumption compare"),
        *("consumption convert", "consumption cpus", "explain", "measure", "measure facts"),
        *("path-mtu", "pcie", "plan", "predict", "published", "rps", "rps encode", "schema"),
    ]


@pytest.mark.parametrize("path", COMMANDS)
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_every_command_explains_itself(path: str, option: str) -> None:
    shown = printed(*typed(path), option)
    assert shown.startswith(f"Usage: {' '.join(('netmodel', *typed(path)))} ")
    shown = printed(*typed(path), "--help-all") if "--help-all" in shown else shown
    for parameter in COMMANDS[path].params:
        if isinstance(parameter, click.Option):
            assert parameter.opts[0] in shown
            assert parameter.help, parameter.name


LONGEST_HELP = 40
"""Lines: a screen of a laptop."""


@pytest.mark.parametrize("path", COMMANDS)
def test_the_help_of_a_command_fits_a_screen(path: str) -> None:
    """The options used most; --help-all has all, each whole."""
    shown = printed(*typed(path), "--help")
    assert len(shown.splitlines()) <= LONGEST_HELP
    if "--help-all" in shown:
        in_full = "".join(printed(*typed(path), "--help-all").split())
        for each in COMMANDS[path].params:
            assert "".join(str(getattr(each, "help", None) or "").split()) in in_full


@pytest.mark.parametrize("path", COMMANDS)
def test_every_command_prints_json_on_demand(path: str) -> None:
    options = {name for parameter in COMMANDS[path].params for name in parameter.opts}
    is_json = isinstance(COMMANDS[path], click.Group) or path == "schema"
    assert ("--json" in options) is not is_json


def test_an_unknown_command_is_refused() -> None:
    assert "No such command 'frobnicate'" in refusal("frobnicate")


# In a process of its own


def test_a_result_goes_to_standard_output_alone() -> None:
    done = run_in_a_process("check", *LINE, "--json", GOOD, MISSING)
    assert (done.returncode, done.stderr) == (3, b"")
    assert [row["verdict"] for row in json.loads(done.stdout)] == ["at_ceiling", None]


def test_a_refusal_goes_to_standard_error_alone() -> None:
    done = run_in_a_process("ceiling", "--line-rate", "25", "--mtu", "30k")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Error: " in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_json_is_json_in_any_encoding_of_the_terminal(encoding: str) -> None:
    name = "ü–日本.json"
    done = run_in_a_process("check", *LINE, "--json", name, PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (3, b"")
    used = "utf-8" if encoding == "ascii" else encoding
    assert json.loads(done.stdout.decode(used))[0]["file"] == name
