"""Tests on an emulated line: skipped where none can be made; what they measured is printed.

Beside other work a line carries less than it would: a test that failed is tried once more
(``--last-failed``), and one that fails again while others use the processor is skipped.
"""

import functools
from collections.abc import Generator
from pathlib import Path

import pytest
from line.emulated import obstacle
from line.other_work import QUIET_CPUS, other_busy_cpus
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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed and item.path.is_relative_to(_HERE) and item.config.getoption("lf"):
        busy_cpus = other_busy_cpus()
        if busy_cpus > QUIET_CPUS:
            crash = getattr(report.longrepr, "reprcrash", None)
            failed = crash.message if crash else report.longreprtext
            why = f"other work kept {busy_cpus:.1f} CPUs busy; failed with: {failed}"
            report.outcome = "skipped"
            report.longrepr = (str(item.path), item.location[1] or 0, why)
    return report


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
