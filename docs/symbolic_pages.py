"""
The symbolic form of every public function of the formulas, or why it has none, as a page.

As a Sphinx extension it writes the page before the documents are read.
"""

import re
from pathlib import Path
from typing import Any

import sympy

from netmodel._quantities import unit_of
from netmodel.symbolic import expression
from netmodel.symbolic._formulas import PACKAGES, Formula, formulas_by_name
from netmodel.symbolic._latex import latex_of, symbol_of
from netmodel.symbolic._reasons import fixed_of, reason_of

TARGET = Path("reference/generated/symbolic.inc")
_TITLES = {
    "framing": "Frames and headers",
    "ceilings": "Ceilings",
    "consumption": "CPU cost",
    "transport": "Windows, loss and distance",
    "tuning": "Buffers and queues",
    "concurrency": "Concurrency and queueing",
    "sizing": "Sizing",
}
_LONGEST = 60
"""Letters, digits and signs of a part of an equation; longer ones have an equation of their own."""


def page() -> str:
    """A section for each package: its formulas, and the functions without a symbolic form."""
    known = list(formulas_by_name().values())
    sections = [
        _section(package, [each for each in known if each.name.startswith(f"{package}.")])
        for package in PACKAGES
    ]
    return "\n\n".join([*sections, _symbols(known)])


def _symbols(formulas: list[Formula]) -> str:
    """Which argument each symbol stands for."""
    names = {
        name
        for each in formulas
        if reason_of(each) is None
        for name in each.parameters
        if each.takes_symbols(name)
    }
    rows = (
        f"| `{name}` | ${symbol_of(name)}$ | {unit_of(name) or '1'} |" for name in sorted(names)
    )
    return "\n".join(["## Symbols", "", "| Argument | Symbol | Unit |", "|---|---|---|", *rows])


def _section(package: str, formulas: list[Formula]) -> str:
    forms = [each for each in formulas if reason_of(each) is None]
    others = [each for each in formulas if reason_of(each) is not None]
    rows = [f"| {_link(each)} | {reason_of(each)} |" for each in others]
    table = ["| Without a symbolic form | Reason |", "|---|---|", *rows] if rows else []
    blocks = [f"## {_TITLES[package]}", *map(_form, forms), "\n".join(table)]
    return "\n\n".join(block for block in blocks if block)


def _form(formula: Formula) -> str:
    fixed = fixed_of(formula)
    written = expression(formula.function, **fixed)
    results = written if isinstance(written, dict) else {formula.short_name: written}
    given = ", ".join(f"`{name}={_shown(value)}`" for name, value in fixed.items())
    head = f"{_link(formula)}{f', with {given}' if given else ''}"
    # the line rate of a ceiling is itself
    equations = [
        line for name, each in results.items() if str(each) != name for line in _lines(name, each)
    ]
    return "\n\n".join([head, *(f"```{{math}}\n{line}\n```" for line in equations)])


def _shown(value: object) -> str:
    return "..." if value is ... else repr(value)


def _lines(name: str, result: Any) -> list[str]:
    """Equations of the long parts of a result, and of the result."""
    parts: dict[Any, Any] = {}

    def shortened(each: Any, is_whole: bool = False) -> Any:
        if not each.args:
            return each
        short = each.func(*(shortened(arg) for arg in each.args))
        is_part = isinstance(short, sympy.Expr) and not is_whole
        if not is_part or _length(short) <= _LONGEST:
            return short
        return parts.setdefault(short, sympy.Symbol(f"y_{len(parts) + 1}", positive=True))

    whole = shortened(result, is_whole=True)
    lines = [_equation(part.name, each) for each, part in parts.items()]
    return [*lines, _equation(name, whole)]


def _equation(name: str, expr: Any) -> str:
    left = symbol_of(name)
    if not isinstance(expr, sympy.Add) or _length(expr) <= 2 * _LONGEST:
        return f"{left} = {latex_of(expr)}"
    # a sum of many terms, one in each line
    terms = " \\\\\n&+ ".join(latex_of(each) for each in expr.as_ordered_terms())
    return f"\\begin{{aligned}}\n{left} &= {terms}\n\\end{{aligned}}"


def _length(expr: Any) -> int:
    return len(re.sub(r"\\[a-zA-Z]+|[{}_^ ]", "", latex_of(expr)))


def _link(formula: Formula) -> str:
    return f"{{py:obj}}`~{formula.function.__module__.split('._')[0]}.{formula.short_name}`"


def _write(app: Any) -> None:
    target = Path(app.srcdir) / TARGET
    target.parent.mkdir(parents=True, exist_ok=True)
    text = page()
    if not target.exists() or target.read_text("utf-8") != text:
        target.write_text(text, "utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Write the page before Sphinx looks for documents."""
    app.connect("builder-inited", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
