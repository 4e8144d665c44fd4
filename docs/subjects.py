"""Names of a package by subject: those of one module together, below what it says."""

import inspect
import pkgutil
import re
from importlib import import_module
from typing import Any

import netmodel


def of_packages() -> dict[str, list[tuple[str, list[str]]]]:
    """Those of every public package."""
    found = (each.name for each in pkgutil.walk_packages(netmodel.__path__, "netmodel."))
    names = [name for name in found if not re.search(r"\._", name)]
    return {name: subjects(name) for name in names if hasattr(import_module(name), "__all__")}


def subjects(package: str) -> list[tuple[str, list[str]]]:
    """Its functions, classes and errors, by the subject of the module that defines them."""
    public = import_module(package)
    found: dict[str, list[str]] = {}
    for name in public.__all__:
        value = getattr(public, name)
        if inspect.isroutine(value) or inspect.isclass(value):
            found.setdefault(_subject(value), []).append(name)
    return [(title, sorted(each, key=str.lower)) for title, each in found.items()]


def _subject(value: Any) -> str:
    """The first sentence of the module's docstring."""
    text = inspect.getdoc(import_module(value.__module__)) or value.__module__
    return " ".join(text.partition("\n\n")[0].split()).removesuffix(".")
