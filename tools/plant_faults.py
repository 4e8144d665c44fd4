"""
Plant faults in modules of netmodel, run tests against each, and print those that no test notices.

    python tools/plant_faults.py netmodel/units --count 300 --seed 1
    python tools/plant_faults.py netmodel/path/limits.py --tests tests/path tests/simulation

A fault changes a number, an operator, a comparison or a statement, in one process only: no file
changes. A process that has collected the tests replaces the code of a function, which takes about a
second; a fault outside of functions, or one that no test notices so, is imported into a new one.
Without ``--tests`` the tests of the package judge, files elsewhere that have its name,
examples in its docstrings, laws and reference numbers that name it, and laws of every formula.
``--matrix FILE.csv`` runs all of them for each fault and writes which ones fail.
"""

import argparse
import ast
import csv
import gc
import inspect
import os
import random
import resource
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from importlib.machinery import SourceFileLoader
from multiprocessing import get_context
from pathlib import Path
from tempfile import NamedTemporaryFile
from types import CodeType, FunctionType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
CPU_S = 240
"""A fault may make a test hang: several times what all tests of a package take."""
MEMORY_BYTES = 6 * 2**30
"""A fault may fill the memory: several times what the largest test needs."""
ALL_FORMULAS = "public_formulas"
"""Laws of every formula ask for the formulas by this name, whatever their package."""
IMPORTED = "hypothesis numpy pandas pydantic click scipy.stats sympy xarray matplotlib.figure"
"""Large modules that tests import: each process would spend seconds on them."""
Task = tuple[tuple[Path, int] | None, list[str], Path]
"""A fault, what pytest is told, and the file of tests that noticed earlier ones."""
PAIRS = "Add Sub, Mult Div, Lt LtE, Gt GtE, Eq NotEq, Is IsNot, In NotIn, And Or"
SWAPPED: dict[type, type[Any]] = {ast.FloorDiv: ast.Div, ast.Mod: ast.Mult, ast.Pow: ast.Mult}
for one, other in (pair.split() for pair in PAIRS.split(", ")):
    SWAPPED |= {getattr(ast, one): getattr(ast, other), getattr(ast, other): getattr(ast, one)}
OTHER_NAMES = {"min": "max", "minimum": "maximum", "any": "all", "ceil": "floor"}
OTHER_NAMES |= {new: old for old, new in OTHER_NAMES.items()}


def replacements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may stand in place of a node."""
    match node:
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(value=int() as value):
            yield from (ast.Constant(value + 1), ast.Constant(value - 1))
        case ast.Constant(value=float() as value):
            yield ast.Constant(1.1 * value if value else 1.0)
        case ast.Compare(ops=[first, *more]) if type(first) in SWAPPED:
            yield ast.Compare(node.left, [SWAPPED[type(first)](), *more], node.comparators)
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in SWAPPED:
            yield ast.BinOp(left, SWAPPED[type(operator)](), right)
        case ast.BoolOp(op=operator):
            yield ast.BoolOp(SWAPPED[type(operator)](), node.values)
        case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=operand):
            yield operand
        case ast.Call(func=ast.Name(id=name)) if name in OTHER_NAMES:
            yield ast.Call(ast.Name(OTHER_NAMES[name], ast.Load()), node.args, node.keywords)
        case ast.If(body=[ast.Raise() | ast.Return() | ast.Continue() | ast.Break()]):
            yield ast.If(ast.Constant(False), node.body, node.orelse)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield ast.IfExp(test, orelse, body)
        case ast.Expr(value=ast.Call()) | ast.AugAssign():
            yield ast.Pass()


def faults(node: ast.AST) -> Iterator[tuple[Any, ast.AST]]:
    """Yield nodes that compute, not annotations or messages, each with a replacement."""
    if isinstance(node, ast.Raise | ast.JoinedStr | ast.Assert):
        return
    for new in replacements(node):
        yield node, new
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and name not in {"annotation", "returns"}:
                yield from faults(child)


def faults_of(file: Path) -> list[tuple[Path, int, str]]:
    """List the faults of a file: their number, and how they read."""
    source = file.read_text(encoding="utf-8")
    lines, found = source.splitlines(), []
    for number, (old, new) in enumerate(faults(ast.parse(source))):
        place = f"{file.relative_to(ROOT)}:{old.lineno}"
        texts = (ast.unparse(each).partition("\n")[0] for each in (old, new))
        found.append((file, number, f"{place}: {' -> '.join(texts)}  {lines[old.lineno - 1]}"))
    return found


def planted(file: Path, number: int) -> CodeType:
    """Compile a module with one of its faults."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    old, new = list(faults(tree))[number]

    class Planted(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> Any:
            return ast.copy_location(new, old) if node is old else self.generic_visit(node)

    return compile(ast.fix_missing_locations(Planted().visit(tree)), str(file), "exec")


def plant(file: Path, number: int) -> None:
    """Let this process import a module with one of its faults."""
    code = planted(file, number)
    original = SourceFileLoader.get_code

    def get_code(self: Any, name: str) -> Any:
        return code if Path(self.path) == file else original(self, name)

    SourceFileLoader.get_code = get_code  # type: ignore[assignment, method-assign]


def changed(old: CodeType, new: CodeType) -> list[tuple[CodeType, CodeType]]:
    """List code that differs: functions with those inside, modules and classes by themselves."""
    inner = [[each for each in code.co_consts if isinstance(each, CodeType)] for code in (old, new)]
    bare = [
        (code.replace(co_consts=()), repr([each for each in code.co_consts if each not in nested]))
        for code, nested in zip((old, new), inner, strict=True)
    ]
    is_whole = bool(old.co_flags & inspect.CO_OPTIMIZED) or bare[0] != bare[1]
    own = [(old, new)] if is_whole and old != new else []
    return own + [pair for each in zip(*inner, strict=False) for pair in changed(*each)]


class Failed:
    """Names of tests that fail; those that noticed earlier faults run first."""

    def __init__(self, noticed: Path) -> None:
        self.noticed = noticed
        self.names: list[str] = []

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        counts = Counter(self.noticed.read_text(encoding="utf-8").splitlines())
        items.sort(key=lambda item: -counts[item.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.names.append(report.nodeid)
            with self.noticed.open("a", encoding="utf-8") as file:
                file.write(f"{report.nodeid}\n")


class Collected:
    """Run tests of one collection once for each fault of a function, in a process of its own."""

    only: "Collected"

    def __init__(self, tasks: list[Task], process_count: int) -> None:
        self.tasks, self.process_count = tasks, process_count
        self.answers: list[list[str]] = []

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Answer every task instead of running the tests once."""
        self.session = session
        self.functions: dict[CodeType, list[FunctionType]] = {}
        gc.unfreeze()  # tests freeze what they have imported, which is then not listed
        objects = gc.get_objects()
        self.caches = [each for each in objects if type(each).__name__ == "_lru_cache_wrapper"]
        for each in objects:
            if isinstance(each, FunctionType):
                self.functions.setdefault(each.__code__, []).append(each)
        gc.freeze()
        with get_context("fork").Pool(self.process_count, maxtasksperchild=1) as pool:
            self.answers = pool.map(caught_at_once, self.tasks, chunksize=1)
        return True

    def replace(self, file: Path, number: int) -> bool:
        """Replace the code of functions and empty caches; return whether the functions exist."""
        original = compile(file.read_text(encoding="utf-8"), str(file), "exec")
        pairs = changed(original, planted(file, number))
        if not pairs or pairs[0][0] not in self.functions:
            return False
        for old, new in pairs:
            for function in self.functions.get(old, []):
                function.__code__ = new
        for each in self.caches:
            each.cache_clear()
        return True


def limit() -> None:
    """Bound what this process may use, and let it print nothing."""
    signal.signal(signal.SIGXCPU, signal.default_int_handler)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)


def caught_by(task: Task) -> list[str]:
    """Run tests with a fault, and list those that fail, or what else ended the run."""
    fault, arguments, noticed = task
    if fault:
        plant(*fault)
    limit()
    failed = Failed(noticed)
    status = pytest.main(arguments, plugins=[failed])
    return failed.names or ([] if status == pytest.ExitCode.OK else [f"exit code {status}"])


def caught_at_once(task: Task) -> list[str]:
    """List collected tests that fail with a fault; none where it is outside of functions."""
    fault, arguments, noticed = task
    if fault and not Collected.only.replace(*fault):
        return []
    limit()
    failed = Failed(noticed)
    items = Collected.only.session.items
    failed.pytest_collection_modifyitems(items)
    Collected.only.session.config.pluginmanager.register(failed)
    try:
        for item, next_item in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=next_item)
            if failed.names and "-x" in arguments:
                break
    except (KeyboardInterrupt, SystemExit, pytest.exit.Exception) as error:
        return failed.names or [repr(error)]
    return failed.names


def all_caught_at_once(tasks: list[Task], files: list[Path], process_count: int) -> list[list[str]]:
    """Import modules and collect tests once, and run these with each fault."""
    limit()
    for file in files:
        import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
    Collected.only = Collected(tasks, process_count)
    pytest.main(tasks[0][1], plugins=[Collected.only])
    return Collected.only.answers or [[] for _ in tasks]


def tests_of(package: str) -> list[str]:
    """List tests of a package or of its name, docstrings, and laws and numbers that name it."""
    own = [name for name in (f"tests/{package}", f"netmodel/{package}") if (ROOT / name).is_dir()]
    places = ("reference/test_*", "properties/test_*", f"*/test_{package}_*")
    files = (file for place in places for file in ROOT.glob(f"tests/{place}.py"))
    texts = {file: file.read_text(encoding="utf-8") for file in sorted(files)}
    for file, text in texts.items():
        named = [table for table in file.parent.glob("*.toml") if table.name in text]
        texts[file] = "".join([text, *(table.read_text(encoding="utf-8") for table in named)])
    naming = [file for file, text in texts.items() if package in text or ALL_FORMULAS in text]
    return own + [str(file.relative_to(ROOT)) for file in naming]


def main() -> None:
    """Print the faults that survive, and how many were caught."""
    parser = argparse.ArgumentParser(description=str(__doc__).strip().partition("\n")[0])
    parser.add_argument("place", type=Path, help="a module, or a package of netmodel")
    parser.add_argument("--tests", nargs="+", help="files and folders of tests")
    parser.add_argument("--count", type=int, default=100, help="faults to draw")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--matrix", type=Path, help="CSV file: which tests fail for which fault")
    given = parser.parse_args()
    place = given.place.resolve()
    package = place.relative_to(ROOT / "netmodel").parts[0]
    tests = given.tests or tests_of(package)
    every = [each for file in sorted(place.rglob("*.py")) or [place] for each in faults_of(file)]
    drawn = random.Random(given.seed).sample(every, min(given.count, len(every)))

    os.chdir(ROOT)
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    os.environ |= {"CI": "1", "NETMODEL_FEW_EXAMPLES": "1", "PYTHONPATH": str(ROOT)}
    arguments = ["-q", "--assert=plain", "-p", "no:cacheprovider", *tests]
    arguments += ["-m", "not line and not site and (thorough or not thorough)"]
    arguments += [] if given.matrix else ["-x"]
    for name in IMPORTED.split():
        import_module(name)
    rows: list[tuple[str, str]] = []
    survivor_count = 0
    every_fault = [None, *((file, number) for file, number, _ in drawn)]
    fork = get_context("fork")
    with NamedTemporaryFile("w") as noticed:
        tasks: list[Task] = [(fault, arguments, Path(noticed.name)) for fault in every_fault]
        with ProcessPoolExecutor(1, fork) as one:
            files = sorted({file for file, _, _ in drawn})
            answers = one.submit(all_caught_at_once, tasks, files, given.processes).result()
        with fork.Pool(given.processes, maxtasksperchild=1) as pool:
            missed = [task for task, names in zip(tasks, answers, strict=True) if not names]
            again = pool.imap(caught_by, missed)
            if failing := answers[0] or next(again):
                raise SystemExit(f"without a fault {failing[0]} fails: then tests say nothing")
            for (_, _, text), answer in zip(drawn, answers[1:], strict=True):
                names = answer or next(again)
                rows += [(text, name) for name in names or [""]]
                if not names:
                    survivor_count += 1
                    print(f"survives: {text}", flush=True)
    print(f"{len(drawn) - survivor_count} of {len(drawn)} faults caught; {len(every)} can be drawn")
    if given.matrix:
        with given.matrix.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([("fault", "test"), *rows])


if __name__ == "__main__":
    main()
