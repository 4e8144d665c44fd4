"""
A process that has collected all tests, and forks itself for each fault in a function.

To import the package and the tests anew takes several times as long as the tests that judge one
fault. Here only the code of the functions is replaced. What a module or a class computes when it
is imported needs a new process.
"""

import functools
import gc
import marshal
import multiprocessing
import os
from collections.abc import Sequence
from itertools import pairwise
from multiprocessing.connection import Connection
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

from .mutants import Mutant
from .trials import MARKED, Chosen, InOrder, Run, arguments, enter, waited_for

__all__ = ["Server", "replacements"]

Pairs = list[tuple[CodeType, CodeType]]
Place = tuple[str, str, int]
"""File, name and first line of a function."""

SHARED = ("co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_exceptiontable")
"""What two versions of a function have in common, beside their constants."""


class Server:
    """Runs tests of a copy of the checkout, each time from the state after collecting them."""

    def __init__(self, copy: Path, files: Sequence[str]) -> None:
        self._pipe, other = multiprocessing.Pipe()
        # a daemon ends with this process
        process = multiprocessing.get_context("fork").Process(
            target=_serve, args=(copy, files, other), daemon=True
        )
        process.start()
        other.close()
        self.copy = copy
        self._pipe.recv()  # once all tests are collected

    def runs(self, mutant: Mutant, skipped: frozenset[str]) -> Run | None:
        """Runs tests with the changed functions; None where more than functions change."""
        path = self.copy / mutant.file
        source = path.read_bytes()
        pair = [
            compile(text, str(path), "exec", dont_inherit=True)
            for text in (source, mutant.applied(source))
        ]
        if not replacements(*pair):
            return None
        texts = [marshal.dumps(code) for code in pair]

        def run(chosen: Chosen) -> int | None:
            self._pipe.send((chosen, skipped, *texts))
            status: int | None = self._pipe.recv()
            return status

        return run


def replacements(old: CodeType, new: CodeType) -> Pairs | None:
    """Functions that differ in two versions of a module; None where more than functions differ."""
    inner = [[c for c in code.co_consts if isinstance(c, CodeType)] for code in (old, new)]
    if len(inner[0]) != len(inner[1]):
        return None
    pairs: Pairs = []
    for one, other in zip(*inner, strict=True):
        below = replacements(one, other)
        if below is None:
            return None
        pairs += below
    own = [(*(getattr(c, name) for name in SHARED), _values(c)) for c in (old, new)]
    is_function = old.co_flags & 1  # CO_OPTIMIZED: neither a module nor a class
    if own[0] != own[1] and not is_function:
        return None
    if is_function and (pairs or own[0] != own[1]):
        pairs.append((old, new))
    return pairs


def _values(code: CodeType) -> list[tuple[type, object]]:
    """Constants; with their types, as 1 equals 1.0 and True."""
    return [(type(c), repr(c)) for c in code.co_consts if not isinstance(c, CodeType)]


class _Serving:
    """Takes the place of the loop that runs all tests."""

    def __init__(self, copy: Path, pipe: Connection) -> None:
        self.copy, self.pipe = copy, pipe

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        functions, caches = _live(f"{self.copy}/")
        self.pipe.send(None)
        while True:
            chosen, skipped, old, new = self.pipe.recv()
            pairs = replacements(marshal.loads(old), marshal.loads(new)) or []
            plugin = InOrder(self.copy, chosen, skipped)
            run = functools.partial(_run, session, chosen, plugin, pairs, functions, caches)
            self.pipe.send(waited_for(run, chosen.cpu_s))


def _place(code: CodeType) -> Place:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def _live(root: str) -> tuple[dict[Place, list[FunctionType]], list[Any]]:
    """Functions below a folder, by where they are defined, and caches of functions."""
    functions: dict[Place, list[FunctionType]] = {}
    caches = []
    gc.unfreeze()
    for found in gc.get_objects():
        if isinstance(found, FunctionType) and found.__code__.co_filename.startswith(root):
            functions.setdefault(_place(found.__code__), []).append(found)
        elif isinstance(found, functools._lru_cache_wrapper):
            caches.append(found)
    gc.freeze()
    return functions, caches


def _run(
    session: pytest.Session,
    chosen: Chosen,
    plugin: InOrder,
    pairs: Pairs,
    functions: dict[Place, list[FunctionType]],
    caches: Sequence[Any],
) -> int:
    for was, becomes in pairs:
        for function in functions.get(_place(was), []):
            function.__code__ = becomes
    for cache in caches:
        cache.cache_clear()
    config, items = session.config, list(session.items)
    if chosen.few_examples:
        os.environ["NETMODEL_FEW_EXAMPLES"] = "1"
    config.pluginmanager.get_plugin(str(Path("tests/conftest.py").resolve())).draw_few_examples()
    config.pluginmanager.register(plugin)
    config.hook.pytest_collection_modifyitems(session=session, config=config, items=items)
    for item, following in pairwise([*items, None]):
        config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if plugin.failed:
            return pytest.ExitCode.TESTS_FAILED
    return pytest.ExitCode.OK


def _serve(copy: Path, files: Sequence[str], pipe: Connection) -> None:
    enter(copy)
    pytest.main([*arguments(copy), "-m", MARKED, *files], plugins=[_Serving(copy, pipe)])
