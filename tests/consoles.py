"""Commands that a document shows, with what it shows under them."""

import re
import shlex
from contextlib import chdir
from pathlib import Path

from invocation import run_netmodel

__all__ = ["blocks", "output_of", "shown_commands"]


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def shown_commands(text: str) -> list[tuple[str, str]]:
    """Each command shown, with the output shown under it."""
    shown = "\n".join(blocks(text, "console"))
    return re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", shown, re.MULTILINE)


def output_of(command: str, directory: Path) -> str:
    """What a command prints in a directory, on standard output alone."""
    program, *arguments = shlex.split(command)
    assert program == "netmodel"
    with chdir(directory):
        result = run_netmodel(*arguments)
    assert result.stderr == ""
    return result.stdout
