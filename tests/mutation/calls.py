"""Which functions each test calls, noted while the tests run: a pytest plugin."""

import hashlib
import json
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

__all__ = ["CallRecorder", "content_hash", "known_calls"]

Calls = dict[str, dict[str, Any]]
"""For each test file its hash, and for each of its tests the seconds and the functions called."""


def content_hash(path: Path) -> str:
    return hashlib.sha1(path.read_bytes(), usedforsecurity=False).hexdigest()


def known_calls(path: Path) -> Calls:
    """What was noted before of test files; empty at the first time."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


class CallRecorder:
    """Adds to ``store`` the calls of the tests in ``files``."""

    def __init__(self, root: Path, store: Path, files: Iterable[str]) -> None:
        self.root, self.store = root, store
        self.package = f"{root / 'netmodel'}/"
        self.called: set[CodeType] = set()
        self.tests: dict[str, dict[str, tuple[float, list[str]]]] = {file: {} for file in files}

    def _note(self, frame: FrameType, event: str, argument: object) -> None:
        self.called.add(frame.f_code)

    def _names(self) -> list[str]:
        return sorted(
            {
                f"{code.co_filename.removeprefix(f'{self.root}/')}:{code.co_qualname}"
                for code in self.called
                if code.co_filename.startswith(self.package)
            }
        )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.called.clear()
        begin = time.process_time()
        sys.settrace(self._note)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            file = item.nodeid.split("::")[0]
            seconds = round(time.process_time() - begin, 4)
            self.tests[file][item.nodeid] = (seconds, self._names())

    def pytest_sessionfinish(self) -> None:
        calls = known_calls(self.store)
        for file, tests in self.tests.items():
            names = sorted({name for _, called in tests.values() for name in called})
            number = {name: index for index, name in enumerate(names)}
            calls[file] = {
                "hash": content_hash(self.root / file),
                "functions": names,
                "tests": {
                    test: [seconds, [number[name] for name in called]]
                    for test, (seconds, called) in tests.items()
                },
            }
        self.store.parent.mkdir(parents=True, exist_ok=True)
        self.store.write_text(json.dumps(calls), encoding="utf-8")
