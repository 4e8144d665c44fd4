"""Completion in shells: commands, options, choices."""

import os
import subprocess
import sys

from click.shell_completion import ShellComplete
from invocation import PACKAGE_DIRECTORY

from netmodel.cli import main
from netmodel.records import catalog

TOO_SLOW = ("pydantic", "scipy", "matplotlib", "pandas", "xarray", "sympy")
"""What takes longer to import than one waits for a completion."""


def completed(*words: str) -> list[str]:
    """What may stand in place of the last word."""
    *before, incomplete = words
    shell = ShellComplete(main, {}, "netmodel", "_NETMODEL_COMPLETE")
    return [str(each.value) for each in shell.get_completions(before, incomplete)]


def test_commands_options_and_choices() -> None:
    assert completed("p") == ["path-mtu", "pcie", "plan", "predict", "published"]
    assert completed("catalog", "") == ["list", "show"]
    assert "--peer" in completed("measure", "facts", "--p")
    assert completed("plan", "--max-u") == ["--max-utilisation", "--max-utilisation-after-failure"]
    assert completed("predict", "--ip", "") == ["4", "6"]
    assert completed("catalog", "list", "") == [*catalog(), "instances", "measurements"]


def test_completion_loads_nothing_slow() -> None:
    code = (
        "import sys; from click.shell_completion import ShellComplete as S; "
        "from netmodel.cli import main; "
        "S(main, {}, 'netmodel', 'X').get_completions(['predict'], '--ad'); "
        f"print([each for each in {TOO_SLOW} if each in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": PACKAGE_DIRECTORY},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
