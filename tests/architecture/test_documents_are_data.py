"""Documents are data: no id of a document, row, dataset or adapter stands in the package."""

import ast
import re
import tokenize
from collections.abc import Iterator
from io import StringIO
from itertools import accumulate, chain
from pathlib import Path

import pytest

import netmodel
from netmodel.published import listing
from netmodel.records import catalog, dataset_ids
from netmodel.records.lookup import document_ids

pytestmark = pytest.mark.thorough

PACKAGE = Path(netmodel.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

EXEMPT = frozenset({"adapter"})
"""A word of the field that is the id of a document, too."""
WORD = re.compile(r"[\w.-]+")
COMMON_WORD_LENGTH = 8
"""Ids as short as kvm are words as well: only a literal that is nothing else counts."""


def ids() -> set[str]:
    named = {each.id for each in listing()} | {*document_ids(), *dataset_ids()}
    return (named | {*catalog()["adapters"], *catalog()["paths"]}) - EXEMPT


def literals(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of every string of a module that is no docstring, and of every comment."""
    tree = ast.parse(source)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for token in tokenize.generate_tokens(StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and id(node) not in docstrings:
            yield node.lineno, node.value


def ids_in(text: str, known: set[str]) -> list[str]:
    """Ids that stand in a text, also where a dot and something else follow."""
    words = (accumulate(word.split("."), "{}.{}".format) for word in WORD.findall(text))
    return sorted(known & {*chain.from_iterable(words)})


def named_in(source: str, known: set[str]) -> list[str]:
    """Ids that stand in strings of a module, with their line."""
    if not ids_in(source, known):
        return []
    return [
        f"line {line}: {name}"
        for line, text in literals(source)
        for name in ids_in(text, known)
        if len(name) > COMMON_WORD_LENGTH or name == text
    ]


def test_no_id_of_the_data_stands_in_the_package() -> None:
    known = ids()
    named = [
        f"{module.relative_to(PACKAGE.parent)}, {each}"
        for module in MODULES
        for each in named_in(module.read_text(encoding="utf-8"), known)
    ]
    assert not named, "\n".join(named)
