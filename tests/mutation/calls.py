"""Which functions each test calls, noted while the tests of a file run: a pytest plugin."""

import cProfile
import hashlib
import json
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

__all__ = ["CallRecorder", "Noted", "content_hash", "known_calls", "note_of"]

Noted = dict[str, Any]
"""The hash of a test file, and for each of its tests the seconds and the functions called."""


def content_hash(path: Path) -> str:
    return hashlib.sha1(path.read_bytes(), usedforsecurity=False).hexdigest()


def note_of(store: Path, file: str) -> Path:
    """Where the calls of the tests of a file are kept."""
    return store / f"{file}.json"


def known_calls(store: Path, file: str) -> Noted | None:
    """What was noted before of a test file; None at the first time."""
    note = note_of(store, file)
    return json.loads(note.read_text(encoding="utf-8")) if note.exists() else None


class CallRecorder:
    """Writes the calls of the tests of ``file`` to ``note``; those that fail judge no fault."""

    def __init__(self, root: Path, file: str, note: Path) -> None:
        self.root, self.file, self.note = root, file, note
        self.package = f"{root / 'netmodel'}/"
        self.tests: dict[str, tuple[float, set[str]]] = {}
        self.failed: set[str] = set()

    def _names(self, codes: Iterator[CodeType | str]) -> set[str]:
        return {
            f"{code.co_filename.removeprefix(f'{self.root}/')}:{code.co_qualname}"
            for code in codes
            if isinstance(code, CodeType)
            if code.co_filename.startswith(self.package)
        }

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        # a trace function in Python takes several times as long as the tests themselves
        profile = cProfile.Profile(subcalls=False, builtins=False)
        begin = time.process_time()
        profile.enable()
        try:
            return (yield)
        finally:
            profile.disable()
            seconds = round(time.process_time() - begin, 4)
            called = self._names(entry.code for entry in profile.getstats())
            self.tests[item.nodeid] = (seconds, called)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        for test in self.failed:
            del self.tests[test]
        names = sorted({name for _, called in self.tests.values() for name in called})
        number = {name: index for index, name in enumerate(names)}
        noted = {
            "hash": content_hash(self.root / self.file),
            "functions": names,
            "tests": {
                test: [seconds, sorted(number[name] for name in called)]
                for test, (seconds, called) in self.tests.items()
            },
        }
        self.note.parent.mkdir(parents=True, exist_ok=True)
        part = self.note.with_suffix(".part")
        part.write_text(json.dumps(noted), encoding="utf-8")
        part.replace(self.note)
