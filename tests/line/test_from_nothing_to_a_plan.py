"""A page leads from nothing to a plan in four commands: they are run as they stand there."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from line.emulated import EmulatedLine
from line.lines import priority
from line.tools import IPERF3_PORT

# other tests beside it scatter the CPU time of short runs too much
pytestmark = [pytest.mark.line, pytest.mark.nightly]

PAGE = Path(__file__).resolve().parents[2] / "docs/howto/measure.md"
LINE_RATE_BPS = 200_000_000
TRY_COUNT = 4
PROMPT_S = 30.0
_UNIT = re.compile(r"# (?:[kMG]?bit/s|[nµm]?s)\b")
_NUMBER = re.compile(r"[-+±]?\d[\d,.]*")


def shown_commands() -> list[tuple[list[str], list[str]]]:
    """Each command of the section, and the lines below it that are not left out."""
    section = PAGE.read_text(encoding="utf-8").partition("## From nothing to a plan")[2]
    block = section.partition("```text\n")[2].partition("```")[0]
    found = []
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, *rows = part.splitlines()
        found.append((shlex.split(command), [row for row in rows if row.strip(" .")]))
    return found


def shape(text: str) -> str:
    """Words of a text, with a sign in place of each number and unit, and single blanks."""
    return " ".join(_UNIT.sub("# unit", _NUMBER.sub("#", text)).split())


def first_difference(
    commands: list[tuple[list[str], list[str]]], outputs: list[subprocess.CompletedProcess[bytes]]
) -> str:
    """What the page shows and the outputs do not, or the command that failed; empty if alike."""
    for (command, rows), done in zip(commands, outputs, strict=True):
        output = done.stdout.decode()
        if done.returncode:
            return f"{command} ended {done.returncode}: {output}{done.stderr.decode()}"
        assert rows
        left = shape(output)
        for row in rows:
            _, found, left = left.partition(shape(row))
            if not found:
                return f"{command} does not print {row!r}: {output}"
    return ""


def test_the_four_commands_of_the_page_give_what_it_shows(tmp_path: Path) -> None:
    """Numbers and the name of the interface differ from machine to machine."""
    commands = shown_commands()
    assert [command[1] for command, _ in commands] == ["measure", "check", "calibrate", "plan"]
    assert all(command[0] == "netmodel" for command, _ in commands)
    checkout = {**os.environ, "PYTHONPATH": str(PAGE.parents[2]), "COLUMNS": "80"}
    with EmulatedLine(LINE_RATE_BPS) as line, line.server(["iperf3", "-s"], IPERF3_PORT) as server:
        own_rows = [
            (command, [row.replace("eth0", line.device("client")) for row in rows])
            for command, rows in commands
        ]
        differences = []
        for number in range(TRY_COUNT):
            place = tmp_path / str(number)
            place.mkdir()
            outputs = [
                subprocess.run(
                    line.inside(
                        "client", [*priority(), sys.executable, "-m", "netmodel", *arguments]
                    ),
                    capture_output=True,
                    cwd=place,
                    env=checkout,
                    timeout=PROMPT_S,
                    check=False,
                )
                for (_, *arguments), _ in commands
            ]
            # a stall of the machine leaves the line empty, or takes the CPU time that is calibrated
            differences.append(first_difference(own_rows, outputs))
            if not differences[-1]:
                break
        server.terminate()
    if differences[-1]:
        pytest.fail("\n".join(differences))
