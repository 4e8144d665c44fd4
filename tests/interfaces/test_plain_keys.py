"""Keys of plain values are names that a reader finds: attributes, or words of the documentation."""

import dataclasses
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from result_cases import EXAMPLES, example

DOCS = Path(__file__).parents[2] / "docs"
"""Null where there is none, though the attribute is the level that intervals would have."""
EXAMPLES_EACH = 4
"""Of one class within one result: a null of one may be a value of another."""


@cache
def explained() -> frozenset[str]:
    """All words in code within the pages, but of decisions, which may name what is gone."""
    pages = [page for page in DOCS.rglob("*.md") if "decisions" not in page.parts]
    code = [
        text
        for page in pages
        for text in re.findall(r"`([^`\n]+)`", page.read_text(encoding="utf-8"))
    ]
    return frozenset(re.findall(r"\w+", " ".join(code)))


def within(value: Any, seen: dict[type, int]) -> Iterator[Any]:
    """A result and those in its fields."""
    if isinstance(value, Mapping):
        for each in value.values():
            yield from within(each, seen)
    elif hasattr(value, "to_dict") and type(value).__module__.startswith("netmodel"):
        seen[type(value)] = seen.get(type(value), 0) + 1
        if seen[type(value)] <= EXAMPLES_EACH:
            yield value
            for name in fields(value):
                yield from within(getattr(value, name), seen)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from within(each, seen)


def fields(value: Any) -> list[str]:
    if dataclasses.is_dataclass(value):
        return [each.name for each in dataclasses.fields(value)]
    return list(getattr(value, "_fields", ()))


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_key_is_an_attribute_or_explained(name: str) -> None:
    for result in within(example(name), {}):
        plain = result.to_dict()
        unknown = {key for key in plain if not hasattr(result, key)} - explained()
        assert not unknown, type(result).__name__
