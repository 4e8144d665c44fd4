"""A module may import what stands below it, never above, and never the package root."""

import ast
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

import netmodel

pytestmark = pytest.mark.thorough

PACKAGE = Path(netmodel.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

ROWS = (
    ("printable",),
    ("kept", "packages", "errors"),
    ("lazy_numpy",),
    ("quantities",),
    ("grades", "units"),
    ("numeric", "text"),
    ("html",),
    ("results",),
    ("estimates",),
    ("predicted_text",),
    ("framing",),
    ("ceilings",),
    ("consumption",),
    ("transport", "tuning"),
    ("concurrency",),
    ("lazy", "reading", "terminal"),
    ("writing",),
    ("frames", "schemas"),
    ("readers", "records"),
    ("path",),
    ("calibration",),
    ("checking",),
    ("published",),
    ("planning",),
    ("symbolic",),
    ("report",),
    ("measuring",),
    ("api",),
    ("cli", "testing"),
    ("__main__",),
)
"""From the bottom up. Modules of one row do not import each other, but for the pair below."""

WITHIN_A_ROW = {("tuning", "transport")}
ROOT_ALLOWED = {("cli", "__version__")}
ROW_OF = {name: number for number, row in enumerate(ROWS) for name in row}

FORMULA_LAYERS = frozenset(chain.from_iterable(ROWS[: ROW_OF["concurrency"] + 1]))
SYMBOLIC_KNOWS = FORMULA_LAYERS | {"symbolic", "terminal"}
"""Formulas, but for those of planning, which are looked up by name; and the width of a terminal."""
PLAIN = frozenset(
    {
        "_thread",
        "abc",
        "bisect",
        "builtins",
        "collections",
        "contextlib",
        "contextvars",
        "dataclasses",
        "decimal",
        "difflib",
        "enum",
        "fractions",
        "functools",
        "inspect",
    }
    | {
        "html",
        "importlib",
        "itertools",
        "math",
        "numbers",
        "numpy",
        "operator",
        "re",
        "reprlib",
        "string",
    }
    | {"sys", "textwrap", "types", "typing", "typing_extensions", "warnings"}
)
"""What formula layers import: numpy, and nothing that reaches files, the clock or chance.
typing_extensions for type checkers alone, which know it without its being installed."""
FORBIDDEN_CALLS = frozenset({"open", "print", "input", "exec", "eval", "__import__"})


def layer_of(module: Path) -> str:
    return module.relative_to(PACKAGE).with_suffix("").parts[0]


def imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Module and name of each import, wherever it stands; the name is empty for plain imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield from ((module, alias.name) for alias in node.names)


def complaints(layer: str, source: str) -> list[str]:
    """What a module of this layer does that it may not do."""
    tree = ast.parse(source)
    imports = chain.from_iterable(_of_import(layer, *names) for names in imported(tree))
    return [*imports, *(_of_calls(layer, tree) if layer in FORMULA_LAYERS else ())]


def _of_import(layer: str, module: str, name: str) -> Iterator[str]:
    package, _, rest = module.partition(".")
    if module.startswith("."):  # one dot does not lead out of a package
        if module.startswith("..") or not (PACKAGE / layer).is_dir():
            yield f"relative import of {module}"
    elif package != "netmodel":
        if layer in FORMULA_LAYERS and package not in PLAIN:
            yield f"formula layer imports {package}"
    elif not rest:
        if (layer, name) not in ROOT_ALLOWED:
            yield f"imports {name or 'all'} from the package root"
    else:
        yield from _of_layer(layer, rest.split(".")[0])


def _of_layer(layer: str, below: str) -> Iterator[str]:
    if below not in ROW_OF:
        yield f"imports {below}, which has no row"
    elif below != layer and (layer, below) not in WITHIN_A_ROW:
        if ROW_OF[below] == ROW_OF[layer]:
            yield f"{layer} imports {below} of the same row"
        elif ROW_OF[below] > ROW_OF[layer]:
            yield f"{layer} imports {below} from above"
        elif layer == "symbolic" and below not in SYMBOLIC_KNOWS:
            yield f"symbolic imports {below}, which has no formulas"


def _of_calls(layer: str, tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            if name in FORBIDDEN_CALLS:
                yield f"formula layer calls {name}()"


def test_what_tests_draw_stands_below_reports() -> None:
    """Only judging a run asks the questions of users; all else of `testing` needs the layers."""
    for module in sorted((PACKAGE / "testing").glob("*.py")):
        named = [
            name.split(".")[1]
            for name, _ in imported(ast.parse(module.read_text("utf-8")))
            if name.startswith("netmodel.")
        ]
        above = {name for name in named if ROW_OF[name] >= ROW_OF["report"]} - {"testing"}
        assert above == ({"api"} if module.stem == "_judged" else set()), module.name


def test_every_layer_has_its_row() -> None:
    layers = {layer_of(module) for module in MODULES if module.parent != PACKAGE} | {
        module.stem for module in MODULES if module.parent == PACKAGE
    }
    without_row = layers - {"__init__"} - set(ROW_OF)
    assert not without_row, f"add {sorted(without_row)} to ROWS in {Path(__file__).name}"


def test_imports_point_downwards() -> None:
    wrong = [
        f"{module.relative_to(PACKAGE.parent)}: {each}"
        for module in MODULES
        if module != PACKAGE / "__init__.py"
        for each in complaints(layer_of(module), module.read_text(encoding="utf-8"))
    ]
    assert not wrong, "\n".join(wrong)


def test_the_package_root_imports_what_is_loaded_when_used() -> None:
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    named = {name for name, _ in imported(tree) if name.startswith("netmodel")}
    assert named == {"netmodel", "netmodel.packages", "netmodel.api"}


@pytest.mark.parametrize(
    ("layer", "source", "complaint"),
    [
        ("framing", "from netmodel.ceilings import x", "framing imports ceilings from above"),
        ("framing", "import netmodel.cli._derived", "framing imports cli from above"),
        (
            "ceilings",
            "def f():\n    from netmodel.checking import check",
            "ceilings imports checking from above",
        ),
        (
            "units",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import netmodel.framing",
            "units imports framing from above",
        ),
        (
            "records",
            "from netmodel.readers import Measurement",
            "records imports readers of the same row",
        ),
        ("readers", "import netmodel.records", "readers imports records of the same row"),
        ("transport", "import netmodel.tuning", "transport imports tuning of the same row"),
        ("checking", "import netmodel", "imports all from the package root"),
        ("checking", "from netmodel import framing", "imports framing from the package root"),
        ("report", "from netmodel import __version__", "imports __version__ from the package root"),
        ("cli", "from netmodel import framing", "imports framing from the package root"),
        ("framing", "from ..units import Rate", "relative import of ..units"),
        ("numeric", "from .units import names", "relative import of .units"),
        ("path", "import netmodel.elsewhere", "imports elsewhere, which has no row"),
        (
            "symbolic",
            "from netmodel.path import Path",
            "symbolic imports path, which has no formulas",
        ),
        ("ceilings", "import scipy.optimize", "formula layer imports scipy"),
        ("consumption", "def f():\n    import pandas as pd", "formula layer imports pandas"),
        ("units", "import sympy", "formula layer imports sympy"),
        ("numeric", "from pathlib import Path", "formula layer imports pathlib"),
        ("units", "import time", "formula layer imports time"),
        ("units", "open('x')", "formula layer calls open()"),
        ("units", "def f(path):\n    return path.open()", "formula layer calls open()"),
        ("framing", "print(1)", "formula layer calls print()"),
    ],
)
def test_a_planted_fault_is_caught(layer: str, source: str, complaint: str) -> None:
    assert complaints(layer, source) == [complaint]
