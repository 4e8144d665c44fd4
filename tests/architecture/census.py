"""
Counts of each room: code lines, classes, public names, options, private imports, circles, tests.

Private imports of tests are those of other rooms than the one that their folder tests.

    python tests/architecture/census.py          # print the counts
    python tests/architecture/census.py --write  # record them

A room is a package of netmodel; modules beside the packages are the room ``base``.
"""

import ast
import sys
import tomllib
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

CHECKOUT = Path(__file__).parents[2]
PACKAGE = CHECKOUT / "netmodel"
TESTS = CHECKOUT / "tests"
RECORDED = Path(__file__).with_name("census.toml")
BASE = "base"
OWN = {"interfaces": {"cli", "api"}}
"""Rooms whose tests have a folder of another name."""
COUNTS = (
    *("lines", "classes", "public_names", "private_imports"),
    *("test_lines", "private_imports_of_tests"),
)

Counts = dict[str, int]


def code_lines(path: Path) -> int:
    """Return the lines with code: no blank ones, comments and docstrings."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if path.suffix not in {".py", ".pyi"}:
        return sum(bool(line.strip()) for line in lines)
    docstrings: set[int] = set()
    for node in nodes_of(path):
        body = getattr(node, "body", None)
        for each in body if isinstance(body, list) else ():
            if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant):
                docstrings.update(range(each.lineno, (each.end_lineno or 0) + 1))
    return sum(
        number not in docstrings and bool(line.strip()) and not line.lstrip().startswith("#")
        for number, line in enumerate(lines, 1)
    )


@lru_cache(maxsize=1)
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """Return statements and what they hold of a module; one at a time, to leave little garbage."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def room_of(module: str) -> str:
    """Return the room of a module by its full name, such as netmodel.path.predict."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and (PACKAGE / parts[1]).is_dir() else BASE


def module_name(path: Path) -> str:
    """Return the full name of the module in a file."""
    parts = path.relative_to(CHECKOUT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports(path: Path) -> tuple[tuple[str, list[str]], ...]:
    """Return the modules of netmodel that a file imports anywhere, with the names taken."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[tuple[str, list[str]]]:
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom) and node.level:
            package = ".".join(path.relative_to(CHECKOUT).parts[: -node.level])
            yield f"{package}.{node.module or ''}".rstrip("."), [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "netmodel":
            yield node.module or "", [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "netmodel":
                    yield alias.name, []


def is_private(name: str) -> bool:
    """Return whether a part of a dotted name begins with one underscore."""
    return any(part.startswith("_") and not part.startswith("__") for part in name.split("."))


def public_names(path: Path) -> int:
    """Return how many names a package shows: those that its `__init__` imports under their name."""
    return sum(
        alias.asname is not None and alias.asname == alias.name
        for node in nodes_of(path)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    )


def circles() -> int:
    """Return how many groups of modules import each other, also in functions and for types."""
    paths = {module_name(path): path for path in PACKAGE.rglob("*.py")}
    numbers = {module: number for number, module in enumerate(paths)}
    edges = {
        (numbers[module], numbers[target])
        for module, path in paths.items()
        for source, names in imports(path)
        for target in ({f"{source}.{name}" for name in names} & paths.keys() or {source})
        if PACKAGE.name not in (module, target) and module != target
    }
    rows, columns = zip(*edges, strict=True)
    graph = coo_array((np.ones(len(edges)), (rows, columns)), shape=(len(paths), len(paths)))
    _, labels = connected_components(graph, connection="strong")
    return int((np.bincount(labels) > 1).sum())


def options() -> int:
    """Return how many different options the commands have."""
    sys.path.insert(0, str(TESTS))
    from command_tree import OPTIONS

    return len({name for _, name in OPTIONS})


def census() -> dict[str, Counts]:
    """Return the counts of each room, and of the whole."""
    rooms: dict[str, Counts] = {}
    for path in sorted(PACKAGE.rglob("*")):
        if path.suffix not in {".py", ".pyi", ".jinja", ".js"} or not path.is_file():
            continue
        room = room_of(module_name(path))
        counts = rooms.setdefault(room, dict.fromkeys(COUNTS, 0))
        counts["lines"] += code_lines(path)
        if path.suffix != ".py":
            continue
        counts["classes"] += sum(isinstance(node, ast.ClassDef) for node in nodes_of(path))
        if path.name == "__init__.py":
            counts["public_names"] += public_names(path)
        counts["private_imports"] += sum(
            room_of(module) != room and any(map(is_private, (module, *names)))
            for module, names in imports(path)
        )
    for path in TESTS.rglob("*.py"):
        folder = path.relative_to(TESTS).parts[0]
        room = folder if folder in rooms else "tests/" + ("" if "." in folder else folder)
        counts = rooms.setdefault(room, dict.fromkeys(COUNTS, 0))
        counts["test_lines"] += code_lines(path)
        own = OWN.get(folder, {folder if "." not in folder else BASE})
        counts["private_imports_of_tests"] += sum(
            room_of(module) not in own and any(map(is_private, (module, *names)))
            for module, names in imports(path)
        )
    whole = {name: sum(counts[name] for counts in rooms.values()) for name in COUNTS}
    return {"netmodel": whole | {"circles": circles(), "options": options()}, **rooms}


def recorded() -> dict[str, Counts]:
    """Return the counts on record."""
    return tomllib.loads(RECORDED.read_text(encoding="utf-8"))


def as_toml(counts: dict[str, Counts]) -> str:
    """Return the counts as a table a room, without those that are zero."""
    blocks = []
    for room, row in counts.items():
        lines = [f"{name} = {count}" for name, count in row.items() if count]
        blocks.append("\n".join([f'["{room}"]', *lines]))
    return "\n\n".join(blocks) + "\n"


if __name__ == "__main__":
    text = as_toml(census())
    if "--write" in sys.argv:
        RECORDED.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
