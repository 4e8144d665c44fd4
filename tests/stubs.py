"""Write the type stubs of the formula modules: ``python tests/stubs.py``, or ``make stubs``.

A formula of numbers returns a float, and an array among its arguments makes it return an array. A
signature in Python cannot say so, since most formulas take several quantities and any of them may
be the array. So each formula gets two overloads in a ``.pyi`` file beside its module. Docstrings
stay in the module, where editors find them.
"""

import ast
import copy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
PLACES = (
    *(
        f"netmodel/{layer}"
        for layer in ("framing", "ceilings", "consumption", "transport", "tuning", "concurrency")
    ),
    "netmodel/planning/sizing.py",
)

HEADER = """\
# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
"""
"""All-float arguments fit the second overload too, on purpose: the first one that fits counts."""

IMPORTS = """\
from collections.abc import Sequence
from typing import overload

from netmodel._numeric import ByPresence, Floats, Number, PerStage, FloatOrArray, QuantityLike
"""

_NUMBERS = {
    "QuantityLike": "Number",
    "FloatOrArray": "float",
    "PerStage": "Sequence[Number]",
    "ByPresence": "Sequence[Number | Sequence[Number]]",
}
_ARRAYS = {"PerStage": "Sequence[QuantityLike]"}
_KEPT_METHODS = frozenset({"__init__"})

Function = ast.FunctionDef


def stubs() -> dict[Path, str]:
    """Text of each stub by its path; only modules with formulas have one."""
    modules = sorted(
        path
        for place in PLACES
        for path in ([ROOT / place] if place.endswith(".py") else (ROOT / place).rglob("*.py"))
    )
    texts = {path.with_suffix(".pyi"): _unformatted(path.read_text("utf-8")) for path in modules}
    return _formatted({path: text for path, text in texts.items() if "@overload" in text})


def stale() -> list[Path]:
    """Stubs that differ from what their modules give now, are missing, or have no module."""
    wanted = stubs()
    present = {path: path.read_text("utf-8") for path in (ROOT / "netmodel").rglob("*.pyi")}
    return sorted(path for path in wanted | present if wanted.get(path) != present.get(path))


def main() -> None:
    """Write all stubs."""
    wanted = stubs()
    for path in stale():
        if path in wanted:
            path.write_text(wanted[path], "utf-8")
        else:
            path.unlink()
        sys.stdout.write(f"changed: {path.relative_to(ROOT)}\n")


def stub(source: str) -> str:
    """Text of the stub of a module."""
    path = ROOT / "netmodel" / "any.pyi"
    return _formatted({path: _unformatted(source)})[path]


def _unformatted(source: str) -> str:
    body = [piece for node in ast.parse(source).body for piece in _of_module(node)]
    return HEADER + IMPORTS + ast.unparse(ast.Module(body, []))


def _of_module(node: ast.stmt) -> Iterator[ast.stmt]:
    """What a stub has of a statement of a module: the public, without values and bodies."""
    match node:
        case ast.Import() | ast.ImportFrom():
            yield node
        case ast.FunctionDef(name=name) if not name.startswith("_"):
            yield from _of_function(node)
        case ast.ClassDef(name=name) if not name.startswith("_"):
            yield _of_class(node)
        case ast.Assign(targets=[ast.Name(id=name) as target]) if not name.startswith("_"):
            yield ast.AnnAssign(target, ast.Name(_type_of(node.value)), None, 1)
        case ast.AnnAssign(target=ast.Name(id=name)) if not name.startswith("_"):
            yield node


def _type_of(value: ast.expr) -> str:
    """Type of a constant: text, several numbers, or whole numbers put together."""
    match value:
        case ast.Constant(value=constant):
            return type(constant).__name__
        case ast.Tuple(elts=[first, *_]):
            return f"tuple[{_type_of(first)}, ...]"
    return "int"


def _of_class(node: ast.ClassDef) -> ast.ClassDef:
    body: list[ast.stmt] = []
    generic = any("Generic" in ast.unparse(base) for base in node.bases)
    for inner in node.body:
        match inner:
            case ast.FunctionDef(name=name) if not name.startswith("_") or name in _KEPT_METHODS:
                body += _of_function(inner, node.name if generic else None)
            case ast.AnnAssign(target=ast.Name(id=name)) if not name.startswith("_"):
                value = ast.Constant(...) if inner.value else None
                body.append(ast.AnnAssign(inner.target, inner.annotation, value, inner.simple))
            case ast.Assign():
                body.append(inner)
    return ast.ClassDef(
        node.name,
        node.bases,
        node.keywords,
        body or [ast.Expr(ast.Constant(...))],
        node.decorator_list,
        type_params=[],
    )


def _of_function(function: Function, generic_class: str | None = None) -> list[ast.stmt]:
    """The signature; overloaded where quantities go in and come out."""
    arguments = [
        *function.args.posonlyargs,
        *function.args.args,
        *function.args.kwonlyargs,
    ]
    taken = {name for argument in arguments for name in _names(argument.annotation)}
    returned = _names(function.returns)
    if not taken & set(_NUMBERS) or "FloatOrArray" not in returned:
        return [_signature(function)]
    numbers = _replaced(function, _NUMBERS, {"FloatOrArray": "float"})
    if generic_class:
        numbers.args.args[0].annotation = ast.Name(f"{generic_class}[float]")
    overloads = [numbers]
    if "ByPresence" not in taken:  # there, an array may also be of numbers at a stage
        overloads.append(_replaced(function, _ARRAYS, {"FloatOrArray": "Floats"}))
    if taken & {"PerStage", "ByPresence"}:  # an array with one axis gives a float, others an array
        overloads.append(_replaced(function, {}, {}))
    for overload in overloads:
        overload.decorator_list.insert(0, ast.Name("overload"))
    return list(overloads)


def _signature(function: Function) -> Function:
    bare = copy.deepcopy(function)
    bare.body = [ast.Expr(ast.Constant(...))]
    return bare


def _replaced(function: Function, taken: dict[str, str], returned: dict[str, str]) -> Function:
    """The signature with other names in what it takes and in what it returns."""
    changed = _signature(function)
    changed.args = _Renamed(taken).visit(changed.args)
    changed.returns = _Renamed(returned).visit(changed.returns)
    return changed


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self.names.get(node.id, node.id))


def _names(annotation: ast.expr | None) -> set[str]:
    nodes = ast.walk(annotation) if annotation else ()
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def _formatted(texts: dict[Path, str]) -> dict[Path, str]:
    """As ruff would have them: without imports that nothing uses, sorted, wrapped."""
    ruff = [sys.executable, "-m", "ruff"]
    own = 'lint.isort.known-first-party = ["netmodel"]'  # most of it is not in the directory
    settings = ["--quiet", "--no-cache", "--config", str(ROOT / "pyproject.toml")]
    with TemporaryDirectory() as directory:
        files = {path: Path(directory) / path.relative_to(ROOT) for path in texts}
        for path, file in files.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(texts[path], "utf-8")
        for arguments in (["check", "--fix-only", "--select", "F401,I,UP037"], ["format"]):
            subprocess.run(
                [*ruff, *arguments, *settings, "--config", own, "."], check=True, cwd=directory
            )
        return {path: file.read_text("utf-8") for path, file in files.items()}


if __name__ == "__main__":
    main()
