"""
Plant faults in modules of netmodel, run tests against each, and print those that no test notices.

    python tools/plant_faults.py netmodel/units --count 300 --seeds 1 2
    python tools/plant_faults.py netmodel/path/limits.py --tests tests/path tests/simulation

A fault changes a number, an operator, a comparison or a statement, in one process only: no file
changes. A process that has collected the tests replaces the code of a function and runs the tests
that call it, which takes about a second. A fault outside of functions, or in one that runs while
modules are imported, is imported into a new process, which runs all tests.
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
import re
import resource
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from importlib import import_module
from importlib.machinery import SourceFileLoader
from multiprocessing import get_context
from pathlib import Path
from tempfile import NamedTemporaryFile
from types import CodeType, FunctionType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = str(ROOT / "netmodel")
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
Place = tuple[str, int, str]
"""File, line and name of a function: code objects do not cross processes."""
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


def place_of(code: CodeType) -> Place:
    """Return file, first line and name of a function."""
    return code.co_filename, code.co_firstlineno, code.co_name


class Calls:
    """Places of the functions of netmodel that run between entry and exit."""

    def __enter__(self) -> set[Place]:
        self.codes: set[CodeType] = set()
        self.places: set[Place] = set()
        sys.setprofile(lambda frame, _event, _argument: self.codes.add(frame.f_code))
        return self.places

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        self.places |= {each for each in map(place_of, self.codes) if PACKAGE in each[0]}


class Collected:
    """Run tests of one collection once for each fault of a function, in a process of its own."""

    only: "Collected"

    def __init__(self, tasks: list[Task], process_count: int) -> None:
        self.tasks, self.process_count = tasks, process_count
        self.answers: list[list[str] | None] = []
        self.called_at_import: set[Place] = set()
        self.progress = os.fdopen(os.dup(sys.stderr.fileno()), "w", buffering=1)

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Iterator[None]:
        """Note functions that run while tests are collected."""
        with Calls() as places:
            result = yield
        self.called_at_import |= places
        return result

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Answer every task instead of running the tests once."""
        self.items = session.items
        self.functions: dict[CodeType, list[FunctionType]] = {}
        gc.unfreeze()  # tests freeze what they have imported, which is then not listed
        objects = gc.get_objects()
        self.caches = [each for each in objects if type(each).__name__ == "_lru_cache_wrapper"]
        for each in objects:
            if isinstance(each, FunctionType):
                self.functions.setdefault(each.__code__, []).append(each)
        gc.freeze()
        fork = get_context("fork")
        with fork.Pool(1) as one:
            self.calls = one.apply(calls_of_tests)
        with fork.Pool(self.process_count, maxtasksperchild=1) as pool:
            for answer in pool.imap(caught_at_once, self.tasks):
                self.answers.append(answer)
                print(f"\r{len(self.answers)} of {len(self.tasks)}", end="", file=self.progress)
        return True

    def empty_caches(self) -> None:
        for each in self.caches:
            each.cache_clear()

    def replace(self, file: Path, number: int) -> set[Place]:
        """Replace code of functions or values of a module; return places of functions with it."""
        original = compile(file.read_text(encoding="utf-8"), str(file), "exec")
        new_module = planted(file, number)
        pairs = changed(original, new_module)
        places = {place_of(old) for old, _ in pairs}
        if not pairs or pairs[0][0] not in self.functions:
            files = replace_values(file, new_module)
            places = {place_of(each) for each in self.functions if each.co_filename in files}
        for old, new in pairs:
            for function in self.functions.get(old, []):
                function.__code__ = new
        self.empty_caches()
        return places


def is_plain(value: Any) -> bool:
    """Return whether a value holds no object of a class or function of netmodel."""
    if isinstance(value, dict):
        return all(is_plain(each) for pair in value.items() for each in pair)
    if isinstance(value, tuple | list | set | frozenset):
        return all(map(is_plain, value))
    return value is None or isinstance(value, int | float | str | bytes | re.Pattern)


def replace_values(file: Path, code: CodeType) -> set[str]:
    """Replace constants of a module and defaults of its functions; return files that use them."""
    name = ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    module = sys.modules[name]
    new, files = dict(vars(module)), set[str]()
    with suppress(Exception):  # which an import raises again
        exec(code, new)
    for key, old in list(vars(module).items()):
        if isinstance(old, FunctionType) and old.__module__ == name:
            defaults = new[key].__defaults__, new[key].__kwdefaults__
            if repr(defaults) != repr((old.__defaults__, old.__kwdefaults__)):
                old.__defaults__, old.__kwdefaults__ = defaults
                files.add(str(file))
        elif is_plain(old) and not key.startswith("__") and repr(old) != repr(new[key]):
            users = [each for each in sys.modules.values() if vars(each).get(key) is old]
            for each in users:
                if PACKAGE in str(each.__file__):
                    setattr(each, key, new[key])
                    files.add(str(each.__file__))
    return files


def limit(cpu_s: int = CPU_S) -> None:
    """Bound what this process may use, and let it print nothing."""
    signal.signal(signal.SIGXCPU, signal.default_int_handler)
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, resource.RLIM_INFINITY))
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


def run(items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """Run tests one after the other, and yield each."""
    for item, next_item in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=next_item)
        yield item


def calls_of_tests() -> list[set[Place]]:
    """Run collected tests without a fault, and list the functions that each calls."""
    limit(10 * CPU_S)  # each call is noted, and none of the tests is left out
    calls: list[set[Place]] = []
    tests = run(Collected.only.items)
    while True:
        Collected.only.empty_caches()
        with Calls() as places:
            item = next(tests, None)
        if item is None:
            return calls
        calls.append(places)


def caught_at_once(task: Task) -> list[str] | None:
    """List tests that call a function and fail with its fault; None where imports may tell."""
    fault, arguments, noticed = task
    only = Collected.only
    items = list(only.items)
    if fault:
        if not (places := only.replace(*fault)):
            return None
        items = [item for item, calls in zip(items, only.calls, strict=True) if calls & places]
        if not items or places & only.called_at_import:
            return None
    limit()
    failed = Failed(noticed)
    failed.pytest_collection_modifyitems(items)
    items[0].config.pluginmanager.register(failed)
    try:
        for _ in run(items):
            if failed.names and "-x" in arguments:
                break
    except (KeyboardInterrupt, SystemExit, pytest.exit.Exception) as error:
        return failed.names or [repr(error)]
    return failed.names


def all_caught_at_once(
    tasks: list[Task], files: list[Path], process_count: int
) -> list[list[str] | None]:
    """Import modules and collect tests once, and run these with each fault."""
    Collected.only = Collected(tasks, process_count)
    limit()
    with Calls() as Collected.only.called_at_import:
        for file in files:
            import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
    pytest.main(tasks[0][1], plugins=[Collected.only])
    return Collected.only.answers or [None for _ in tasks]


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
    parser.add_argument("--seeds", type=int, nargs="+", default=[1], help="one draw for each")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--matrix", type=Path, help="CSV file: which tests fail for which fault")
    given = parser.parse_args()
    place = given.place.resolve()
    package = place.relative_to(ROOT / "netmodel").parts[0]
    tests = given.tests or tests_of(package)
    every = [each for file in sorted(place.rglob("*.py")) or [place] for each in faults_of(file)]
    count = min(given.count, len(every))
    drawn = [each for seed in given.seeds for each in random.Random(seed).sample(every, count)]

    os.chdir(ROOT)
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    os.environ |= {"CI": "1", "NETMODEL_FEW_EXAMPLES": "1", "PYTHONPATH": str(ROOT)}
    arguments = ["-q", "--assert=plain", "-p", "no:cacheprovider", *tests]
    arguments += ["-m", "not line and not site and (thorough or not thorough)"]
    arguments += [] if given.matrix else ["-x"]
    for name in IMPORTED.split():
        import_module(name)
    rows: list[tuple[str, str]] = []
    caught_counts = dict.fromkeys(given.seeds, 0)
    every_fault = [None, *((file, number) for file, number, _ in drawn)]
    fork = get_context("fork")
    with NamedTemporaryFile("w") as noticed:
        tasks: list[Task] = [(fault, arguments, Path(noticed.name)) for fault in every_fault]
        with ProcessPoolExecutor(1, fork) as one:
            files = sorted({file for file, _, _ in drawn})
            answers = one.submit(all_caught_at_once, tasks, files, given.processes).result()
        with fork.Pool(given.processes, maxtasksperchild=1) as pool:
            open_tasks = [task for task, names in zip(tasks, answers, strict=True) if names is None]
            again = pool.imap(caught_by, open_tasks)
            names_of = (next(again) if names is None else names for names in answers)
            if failing := next(names_of):
                raise SystemExit(f"without a fault {failing[0]} fails: then tests say nothing")
            for number, names in enumerate(names_of):
                text = drawn[number][2]
                rows += [(text, name) for name in names or [""]]
                caught_counts[given.seeds[number // count]] += bool(names)
                if not names:
                    print(f"survives: {text}", flush=True)
    for seed, caught_count in caught_counts.items():
        print(f"seed {seed}: {caught_count} of {count} faults caught; {len(every)} can be drawn")
    if given.matrix:
        with given.matrix.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([("fault", "test"), *rows])


if __name__ == "__main__":
    main()
