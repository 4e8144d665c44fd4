"""Tests on an emulated line: skipped where none can be made; what they measured is printed."""

import functools
from pathlib import Path

import pytest
from line.emulated import obstacle
from line.trials import Judge, Scoreboard

_HERE = Path(__file__).parent
_SCOREBOARD = pytest.StashKey[Scoreboard]()


@functools.cache
def _obstacle() -> str | None:
    return obstacle()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_SCOREBOARD] = Scoreboard()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.path.is_relative_to(_HERE) and _obstacle():
        pytest.skip(str(_obstacle()))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    scoreboard = terminalreporter.config.stash[_SCOREBOARD]
    if scoreboard.rows:
        terminalreporter.section("measured and predicted goodput [Mbit/s]")
        for line in scoreboard.lines():
            terminalreporter.write_line(line)


@pytest.fixture
def judge(request: pytest.FixtureRequest, tmp_path: Path) -> Judge:
    name = request.node.name.removeprefix("test_")
    return Judge(name, tmp_path, request.config.stash[_SCOREBOARD])
