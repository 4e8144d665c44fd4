"""Colour: in terminals that want it, on the few words that carry the answer, and nowhere else."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from invocation import PACKAGE_DIRECTORY, run_netmodel
from runs import sample

from netmodel.cli._colour import has_colour, painted

SEQUENCE = re.compile(r"\x1b\[([0-9;]*)m")
ALLOWED = {"0", "1", "2", "31", "32", "33"}
"""Reset, bold, dim, and the standard red, green and yellow, whose shades a terminal chooses."""
GOOD = str(sample("line_200m_mtu1500_ts1_v4.json"))
CHECK = ("check", GOOD, "--mtu", "1500", "--line-rate")
OSA = "osa-express7s-25gbe"
PLAN = ("plan", "--flow", "30G str-writex30k", "--adapter", OSA, "--mtu", "1500")
PREDICT = ("predict", "--adapter", OSA, "--mtu", "1500", "--workload", "str-writex30k")
VARIABLES = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM", "COLUMNS")


class Stream:
    """A stream that is a terminal, or none."""

    def __init__(self, is_terminal: bool) -> None:
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("variables", "in_terminal", "in_pipe"),
    [
        ({}, True, False),
        ({"TERM": "xterm-256color"}, True, False),
        ({"TERM": "dumb"}, False, False),
        ({"NO_COLOR": "1"}, False, False),
        ({"NO_COLOR": ""}, True, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"FORCE_COLOR": "0"}, True, False),
        ({"FORCE_COLOR": ""}, True, False),
        ({"CLICOLOR": "0"}, False, False),
        ({"CLICOLOR": "1"}, True, False),
        ({"CLICOLOR_FORCE": "1"}, True, True),
        ({"CLICOLOR_FORCE": "0"}, True, False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
    ],
)
def test_who_gets_colour(
    variables: dict[str, str], in_terminal: bool, in_pipe: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert has_colour(Stream(True)) is in_terminal  # type: ignore[arg-type]
    assert has_colour(Stream(False)) is in_pipe  # type: ignore[arg-type]


def coloured(*arguments: str) -> str:
    """Output of a command where colour is forced."""
    result = run_netmodel(*arguments)
    assert set(SEQUENCE.findall(result.stdout)) <= ALLOWED
    assert "\x1b" not in SEQUENCE.sub("", result.stdout)
    return result.stdout


@pytest.mark.parametrize(
    "arguments",
    [(*CHECK, "200M"), (*CHECK, "1G"), (*CHECK, "100M"), PLAN, PREDICT, (*PREDICT, "--verbose")],
    ids=" ".join,
)
def test_colour_changes_no_character(
    arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = run_netmodel(*arguments).stdout
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert SEQUENCE.sub("", coloured(*arguments)) == plain
    assert "\x1b" not in plain


def test_what_has_a_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert coloured(*CHECK, "200M").startswith("\x1b[1m\x1b[32mat_ceiling\x1b[0m: 188")
    assert coloured(*CHECK, "1G").startswith("\x1b[1m\x1b[31mbelow\x1b[0m: 188")
    plan = coloured(*PLAN)
    assert plan.startswith("\x1b[1m\x1b[31mNo\x1b[0m: one")
    assert "\x1b[2mnote: " in plan
    rows = [line for line in coloured(*PREDICT).splitlines() if line.startswith("\x1b[1m* ")]
    assert len(rows) == 2
    assert all("server_adapter_in" in row and row.endswith("\x1b[0m") for row in rows)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("limited: x\n", "\x1b[1m\x1b[33mlimited\x1b[0m: x\n"),
        ("Yes: one\n", "\x1b[1m\x1b[32mYes\x1b[0m: one\n"),
        ("below the line: x\n", "below the line: x\n"),
        ("  below: x\n", "  below: x\n"),
        (
            "    note: a\n        b\n    c\n",
            "\x1b[2m    note: a\x1b[0m\n\x1b[2m        b\x1b[0m\n    c\n",
        ),
        ("note: a\n\n  b\n", "\x1b[2mnote: a\x1b[0m\n\n  b\n"),
        ("1 more note with --verbose\n", "\x1b[2m1 more note with --verbose\x1b[0m\n"),
        ("notes: a\n", "notes: a\n"),
        ("", ""),
    ],
)
def test_words_in_other_places_have_none(text: str, expected: str) -> None:
    assert painted(text) == expected


@pytest.mark.parametrize(
    "arguments",
    [
        (*CHECK, "1G", "--json"),
        (*PLAN, "--json"),
        ("ceiling", "--line-rate", "1G", "--sweep", "mtu=1500..1502", "--csv"),
        ("completion", "bash"),
        ("measure", "facts"),
    ],
    ids=" ".join,
)
def test_data_has_no_colour_even_where_it_is_forced(
    arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in run_netmodel(*arguments).stdout


def test_files_have_no_colour_even_where_it_is_forced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("jinja2")
    monkeypatch.setenv("FORCE_COLOR", "1")
    junit, html = tmp_path / "junit.xml", tmp_path / "page.html"
    assert "\x1b" in run_netmodel(*CHECK, "1G", "--junit", str(junit), "--html", str(html)).stdout
    assert b"\x1b" not in junit.read_bytes() + html.read_bytes()


def test_colours_of_the_data_do_not_reach_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = run_netmodel("check", str(tmp_path / "\x1b[32mnone.json"), *CHECK[2:], "1G").output
    assert set(SEQUENCE.findall(shown)) <= ALLOWED - {"32"}


@pytest.mark.parametrize(
    ("variables", "has_any"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_a_real_terminal(variables: dict[str, str], has_any: bool) -> None:
    pty = pytest.importorskip("pty")
    leader, follower = pty.openpty()
    kept = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    subprocess.run(
        [sys.executable, "-m", "netmodel", *CHECK, "1G"],
        env={"TERM": "xterm", **kept, **variables, "PYTHONPATH": PACKAGE_DIRECTORY},
        stdout=follower,
        stderr=follower,
        check=False,
    )
    os.close(follower)
    shown = os.read(leader, 2**16).decode()
    os.close(leader)
    assert "below" in shown
    assert ("\x1b[31m" in shown) is has_any
