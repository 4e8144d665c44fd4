"""The command line as tests call it: in this process, or in one of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

import netmodel
from netmodel.cli import main

__all__ = [
    "PACKAGE_DIRECTORY",
    "contradiction",
    "printed",
    "printed_json",
    "refusal",
    "replacing",
    "run_in_a_process",
    "run_netmodel",
]

PACKAGE_DIRECTORY = str(Path(netmodel.__file__).parents[1])


def run_netmodel(*arguments: str, input: str | None = None) -> Result:  # noqa: A002
    """Run a command; with any arguments, it ends with an exit code and not with a traceback."""
    result = CliRunner().invoke(main, arguments, prog_name="netmodel", input=input)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    assert "a fault of netmodel" not in result.output
    return result


def printed(*arguments: str, exit_code: int = 0) -> str:
    result = run_netmodel(*arguments)
    assert result.exit_code == exit_code, result.output
    assert result.stderr == ""
    return result.stdout


def printed_json(*arguments: str, exit_code: int = 0) -> Any:
    def refuse(name: str) -> None:
        raise ValueError(name)

    return json.loads(printed(*arguments, "--json", exit_code=exit_code), parse_constant=refuse)


def refusal(*arguments: str) -> str:
    """What a wrong argument is answered with, on standard error alone."""
    result = run_netmodel(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    return result.stderr


def replacing(command: tuple[str, ...], name: str, *values: str) -> tuple[str, ...]:
    """The command with this option in place of its own."""
    at = command.index(name) if name in command else len(command)
    return (*command[:at], *command[at + 2 :], name, *values)


def contradiction(*arguments: str) -> str:
    """Standard error of a run that is not what is specified; it has a row as well."""
    result = run_netmodel(*arguments)
    assert result.exit_code == 2, result.output
    assert "contradiction: " in result.stdout
    return result.stderr


def run_in_a_process(
    *arguments: str | bytes, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "netmodel", *arguments],
        env=os.environ | {"PYTHONPATH": PACKAGE_DIRECTORY, "PYTHONUTF8": "1"} | environment,
        capture_output=True,
        check=False,
    )


def words(text: str) -> str:
    """The words of a text, however its lines are broken."""
    return " ".join(text.split())
