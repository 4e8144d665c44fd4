"""Commands that a document shows, with what it shows under them."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from invocation import PACKAGE_FOLDER

__all__ = ["blocks", "output_of", "shown_commands"]


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def shown_commands(text: str) -> list[tuple[str, str]]:
    """Each command shown, with the output shown under it."""
    shown = "\n".join(blocks(text, "console"))
    return re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", shown, re.MULTILINE)


def output_of(command: str, folder: Path) -> str:
    program, *arguments = shlex.split(command)
    assert program == "netmodel"
    done = subprocess.run(
        [sys.executable, "-m", "netmodel", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": PACKAGE_FOLDER, "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stderr == ""
    return done.stdout
