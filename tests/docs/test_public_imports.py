"""Pages and notebooks use public names only, so that what they show can be copied."""

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import netmodel

REPOSITORY = Path(__file__).parents[2]
PAGES = sorted(
    page
    for directory in ("docs", "notebooks")
    for page in (REPOSITORY / directory).rglob("*.md")
    if "why" not in page.parts
)
CELL = re.compile(r"^```(?:\{code-cell\}[^\n]*|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def code_of(page: Path) -> Iterator[str]:
    """Python of a page, without the options of cells, magics and commands of a shell."""
    for cell in CELL.findall(page.read_text(encoding="utf-8")):
        lines = re.sub(r"\A---\n.*?^---\n", "", cell, flags=re.MULTILINE | re.DOTALL).splitlines()
        is_shell = False
        kept = []
        for line in lines:
            starts = line.startswith(("!", "%", ":"))
            if not (starts or is_shell):
                kept.append(line)
            is_shell = (starts or is_shell) and line.endswith("\\")
        yield "\n".join(kept)


def used(code: str) -> Iterator[str]:
    """Dotted names of netmodel that it imports or reads from the package."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from (f"{node.module}.{each.name}" for each in node.names)
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.Attribute):
            yield ast.unparse(node)


def is_public(name: str) -> bool:
    """Whether each part is listed by the package before it."""
    at: object = netmodel
    for part in name.split(".")[1:]:
        if part.startswith("_") and part != "__version__":
            return False
        if not hasattr(at, "__path__") and not hasattr(at, "__all__"):
            return True  # a member of a class, or a name of a module that lists none
        names = getattr(at, "__all__", [])
        if part not in names and not is_module(f"{at.__name__}.{part}"):
            return False
        at = getattr(at, part)
    return True


def is_module(name: str) -> bool:
    try:
        import_module(name)
    except ModuleNotFoundError:
        return False
    return True


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_pages_use_public_names(page: Path) -> None:
    names = {name for code in code_of(page) for name in used(code)}
    own = {name for name in names if re.fullmatch(r"netmodel(\.\w+)*", name)}
    assert sorted(name for name in own if not is_public(name)) == []
