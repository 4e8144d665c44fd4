"""Every number that the code settles has a reason that a reader can judge."""

import ast
import math
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import netmodel

pytestmark = pytest.mark.thorough

PACKAGE = Path(netmodel.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

PLAIN = {0, 1, 2}
UNIT = re.compile(r"[kKMGTPEcmµun]?i?(?:s|sec|B|bytes?|bits?|bps|m|Hz)(?:/s|/sec)?|[kKMGTPE]?|%")
"""What a key of a table of units looks like: ``ms``, ``MiB``, ``Gbit/s``, ``%``, ``k``."""


def unexplained(source: str) -> Iterator[tuple[int, str]]:
    """
    Line and names of constants of a module whose numbers have no reason.

    A reason is a docstring below, a comment on one of the lines, or a comment right above the
    constant or above the run of constants without docstrings that it stands in. Without one may
    stand 0, 1 and 2, exponents, and the powers of ten and two in a table of units: a dict with
    units for its keys, such as ``{"ms": 1e-3, "us": 1e-6}``.
    """
    lines = source.splitlines()
    body = ast.parse(source).body
    for node, after in zip(body, [*body[1:], None], strict=True):
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        if not _has_docstring(after) and not _is_commented(lines, node) and _numbers(node.value):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield node.lineno, ", ".join(map(ast.unparse, targets))


def _has_docstring(after: ast.stmt | None) -> bool:
    return (
        isinstance(after, ast.Expr)
        and isinstance(after.value, ast.Constant)
        and isinstance(after.value.value, str)
    )


def _is_commented(lines: list[str], node: ast.stmt) -> bool:
    first, last = node.lineno, node.end_lineno or node.lineno
    if any("  # " in line for line in lines[first - 1 : last]):
        return True
    above = next(
        (
            line
            for line in reversed(lines[: first - 1])
            if not re.match(r"[\w, ]+ = \S|[ )}\]]", line)
        ),
        "",
    )
    return above.startswith("# ")


def _numbers(value: ast.expr) -> list[float]:
    """Numbers that need a reason."""
    of_units = {
        id(number)
        for table in ast.walk(value)
        if isinstance(table, ast.Dict) and all(map(_is_unit, table.keys))
        for each in table.values
        for number in ast.walk(each)
        if isinstance(number, ast.Constant) and _is_power(number.value)
    }
    exponents = {
        id(power.right)
        for power in ast.walk(value)
        if isinstance(power, ast.BinOp) and isinstance(power.op, ast.Pow)
    }
    return [
        number.value
        for number in ast.walk(value)
        if isinstance(number, ast.Constant)
        and type(number.value) in {int, float}
        and number.value not in PLAIN
        and id(number) not in of_units | exponents
    ]


def _is_unit(key: ast.expr | None) -> bool:
    return (
        isinstance(key, ast.Constant)
        and isinstance(key.value, str)
        and UNIT.fullmatch(key.value) is not None
    )


def _is_power(value: object) -> bool:
    return (
        isinstance(value, int | float)
        and value > 0
        and (math.log2(value).is_integer() or float(f"1e{round(math.log10(value))}") == value)
    )


def test_constants_have_a_reason() -> None:
    missing = [
        f"{module.relative_to(PACKAGE.parent)}:{line}: {name}: give the reason, below or beside"
        for module in MODULES
        for line, name in unexplained(module.read_text(encoding="utf-8"))
    ]
    assert not missing, "\n".join(missing)
