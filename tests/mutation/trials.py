"""Runs tests against one planted fault, in a copy of the checkout and a process of its own."""

import os
import resource
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from .calls import CallRecorder
from .mutants import Mutant

__all__ = [
    "MARKED",
    "Chosen",
    "InOrder",
    "Run",
    "Trial",
    "arguments",
    "copied",
    "enter",
    "new_process",
    "noted",
    "preload",
    "tried",
    "waited_for",
]

LEFT_OUT = (".git", ".venv*", "build", "dist", ".hypothesis", ".*_cache")
MEMORY_BYTES = 6 * 2**30
"""A fault that fills the memory ends alone: several times what the largest test needs."""
WAITING_RATIO = 20
"""Waiting for a CPU, among other processes, may take this many times the CPU time."""
NOTING_S = 600.0
"""CPU time to note the calls of one file: ten times what the longest takes."""
MARKED = "not line and not site and (thorough or not thorough)"
"""Tests marked thorough too, though of each law few examples are drawn: they are named."""
ANSWER = "answer.txt"
"""In a copy: the test that failed."""


@dataclass(frozen=True)
class Chosen:
    """Tests of a stage, in their order; a file without tests stands for all that are in it."""

    tests: Sequence[str]
    cpu_s: float
    few_examples: bool = False

    @property
    def files(self) -> list[str]:
        return list(dict.fromkeys(test.split("::")[0] for test in self.tests))


Run = Callable[[Chosen], int | None]
"""Runs tests in a process of their own: how it ended, None where it waited too long."""


@dataclass(frozen=True)
class Trial:
    """``outcome`` is caught, timeout or survived; ``by`` names the test that failed."""

    outcome: str
    by: str
    seconds: float


class InOrder:
    """Keeps the chosen tests, in their order, and writes which one failed."""

    def __init__(self, copy: Path, chosen: Chosen, skipped: frozenset[str]) -> None:
        self.place = {test: number for number, test in enumerate(chosen.tests)}
        self.skipped, self.answer = skipped, copy / ANSWER
        self.failed = False

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        places = {}
        for item in items:
            name = item.nodeid
            place = self.place.get(name, self.place.get(name.split("::")[0]))
            if place is not None and name.split("[")[0] not in self.skipped:
                places[item] = place
        items[:] = sorted(places, key=lambda item: places[item])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = True
            self.answer.write_text(report.nodeid, encoding="utf-8")


def preload() -> None:
    """What each trial would import again; never the package that is changed."""
    import hypothesis
    import pydantic
    import scipy.optimize
    import scipy.stats
    import sympy

    assert {hypothesis, pydantic, scipy, sympy}
    assert "netmodel" not in sys.modules


def copied(root: Path, to: Path) -> Path:
    """A copy of the checkout without environment and results."""
    shutil.copytree(root, to, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)
    return to


def tried(copy: Path, mutant: Mutant | None, stages: Sequence[Chosen], run: Run) -> Trial:
    """What the tests say of a fault, or of the unchanged source for None."""
    begin = time.monotonic()
    if mutant is None:
        return _tried(copy, stages, run, begin)
    changed = copy / mutant.file
    original, status = changed.read_bytes(), changed.stat()
    for compiled in (changed.parent / "__pycache__").glob(f"{changed.stem}.*.pyc"):
        compiled.unlink()
    changed.write_bytes(mutant.applied(original))
    try:
        return _tried(copy, stages, run, begin)
    finally:
        changed.write_bytes(original)
        os.utime(changed, ns=(status.st_atime_ns, status.st_mtime_ns))


def noted(copy: Path, file: str, note: Path) -> bool:
    """Whether the tests of a file ran, with few examples of each law, and their calls are kept."""
    note.unlink(missing_ok=True)
    chosen = Chosen([file], NOTING_S, few_examples=True)
    _ended(copy, chosen, ["-m", MARKED], CallRecorder(copy, file, note))
    return note.exists()


def new_process(copy: Path, skipped: frozenset[str]) -> Run:
    """Imports the package and the tests anew."""
    return lambda chosen: _ended(copy, chosen, ["-x", "-m", MARKED], InOrder(copy, chosen, skipped))


def _tried(copy: Path, stages: Sequence[Chosen], run: Run, begin: float) -> Trial:
    outcome, by = "survived", ""
    for stage in stages:
        outcome, by = _stage(copy, stage, run)
        if outcome != "survived":
            break
    return Trial(outcome, by, round(time.monotonic() - begin, 1))


def _stage(copy: Path, chosen: Chosen, run: Run) -> tuple[str, str]:
    answer = copy / ANSWER
    answer.unlink(missing_ok=True)
    status = run(chosen)
    if status is None:
        return "timeout", ""
    if os.WIFSIGNALED(status):
        hung = os.WTERMSIG(status) in {signal.SIGXCPU, signal.SIGKILL}
        return ("timeout" if hung else "caught"), f"signal {os.WTERMSIG(status)}"
    if os.WEXITSTATUS(status) in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
        return "survived", ""
    return "caught", answer.read_text(encoding="utf-8") if answer.exists() else "at import"


def _ended(copy: Path, chosen: Chosen, options: Sequence[str], plugin: object) -> int | None:
    def run() -> int:
        enter(copy, chosen.few_examples)
        return pytest.main([*arguments(copy), *options, *chosen.files], plugins=[plugin])

    return waited_for(run, chosen.cpu_s)


def waited_for(work: Callable[[], int], cpu_s: float) -> int | None:
    """How a process that did the work ended; None where it waited too long."""
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            limit_s = int(cpu_s) + 1
            resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s + 5))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
            code = work()
        except BaseException:  # noqa: BLE001 - the process ends here, whatever it was
            os.write(2, traceback.format_exc().encode())
            code = pytest.ExitCode.INTERNAL_ERROR
        os._exit(code)
    deadline = time.monotonic() + WAITING_RATIO * cpu_s
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
        if time.monotonic() > deadline:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None
        time.sleep(0.02)


def enter(copy: Path, few_examples: bool = False) -> None:
    """Makes this process one that runs the tests of a copy."""
    os.chdir(copy)
    silence = os.open(copy / "output.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    os.environ["CI"] = "1"  # the same examples of hypothesis each time
    os.environ["PYTHONPATH"] = str(copy)
    if few_examples:
        os.environ["NETMODEL_FEW_EXAMPLES"] = "1"
    else:
        os.environ.pop("NETMODEL_FEW_EXAMPLES", None)
    sys.path[:0] = [str(copy), str(copy / "tests")]


def arguments(copy: Path) -> list[str]:
    """What pytest is called with, whatever the tests."""
    plugins = ["-p", "no:cacheprovider", "-p", "no:xdist"]
    return ["-q", "--tb=short", "--assert=plain", *plugins, "--rootdir", str(copy)]
