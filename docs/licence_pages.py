"""
Licences of the packages that netmodel and its development use, from their metadata.

As a Sphinx extension it has the directive ``licence-table``, which takes ``run``, ``extras`` or
``development``.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.licenses import canonicalize_license_expression
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_FILE = Path(__file__).parents[1] / "pyproject.toml"
PROJECT = tomllib.loads(_FILE.read_text("utf-8"))["project"]
OF_DEVELOPMENT = ("test", "docs")
_BY_CLASSIFIER = {
    "Apache Software License": "Apache-2.0",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
_BY_TEXT = {"Apache 2.0": "Apache-2.0", "MIT License": "MIT"}
_OF_PACKAGE = {
    # its classifiers name three, each for some of its files
    "docutils": "LicenseRef-Public-Domain AND BSD-2-Clause AND GPL-3.0-or-later",
    # its metadata names two, and it carries MathJax
    "sphinx-mathjax-offline": "MIT AND Apache-2.0",
}
_THIRD_CLAUSE = "ther the name"
"""Of "Neither the name of the copyright holder", what only the BSD licence of three clauses has."""


def packages(group: str) -> tuple[str, ...]:
    """Names of the installed packages of a group, each in the first group that needs it."""
    run = _with_dependencies(PROJECT["dependencies"])
    if group == "run":
        return _sorted(run)
    extras = PROJECT["optional-dependencies"]
    of_users = [each for name in extras if name not in OF_DEVELOPMENT for each in extras[name]]
    users = _with_dependencies(of_users)
    if group == "extras":
        return _sorted(users - run)
    development = [each for name in OF_DEVELOPMENT for each in extras[name]]
    return _sorted(_with_dependencies(development) - users - run)


def licence(package: str) -> str:
    """Licence of an installed package as an SPDX expression; ValueError where it names none."""
    if package in _OF_PACKAGE:
        return _OF_PACKAGE[package]
    found = metadata.distribution(package)
    known = found.metadata
    if expression := known.get("License-Expression"):
        return str(canonicalize_license_expression(expression))
    text = known.get("License") or ""
    kinds = [each.split(" :: ")[-1] for each in known.get_all("Classifier") or ()]
    of_classifiers = {_BY_CLASSIFIER[each] for each in kinds if each in _BY_CLASSIFIER}
    if len(of_classifiers) == 1:
        return of_classifiers.pop()
    if text in _BY_TEXT:
        return _BY_TEXT[text]
    if "BSD 3-Clause" in text:
        return "BSD-3-Clause"
    if re.fullmatch(r"[\w.-]+( (AND|OR|WITH) [\w.-]+)*", text) and text not in {"BSD", "UNKNOWN"}:
        return str(canonicalize_license_expression(text))
    texts = " ".join("\n".join((text, *_licence_files(found))).split())
    if "Redistribution and use in source and binary" in texts:
        return "BSD-3-Clause" if _THIRD_CLAUSE in texts else "BSD-2-Clause"
    if "Permission is hereby granted, free of charge" in texts:
        return "MIT"
    if "BSD License" in kinds:
        return "LicenseRef-BSD"
    raise ValueError(f"{package} names no licence; add it by hand, after reading it")


def licence_table(group: str) -> str:
    """Package, version and licence of a group as a table."""
    rows = [f"| {name} | {metadata.version(name)} | {licence(name)} |" for name in packages(group)]
    return "\n".join(["| Package | Version | Licence |", "|---|---|---|", *rows])


def _licence_files(found: metadata.Distribution) -> Iterator[str]:
    for file in found.files or ():
        if re.match(r"(LICEN[CS]E|COPYING)", file.name, re.IGNORECASE) and file.suffix != ".py":
            yield file.locate().read_text("utf-8", errors="replace")


def _with_dependencies(requirements: Iterable[str]) -> set[str]:
    """Canonical names of what requirements need, directly or not, as far as installed."""
    found: set[tuple[str, str]] = set()
    waiting = [Requirement(each) for each in requirements]
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        if name == "netmodel":
            extras = PROJECT["optional-dependencies"]
            waiting += [Requirement(each) for extra in wanted.extras for each in extras[extra]]
            continue
        for extra in {"", *wanted.extras} - {known for at, known in found if at == name}:
            try:
                needed = metadata.requires(name) or ()
            except metadata.PackageNotFoundError:
                continue  # for another system or an older Python
            found.add((name, extra))
            waiting += [
                each
                for each in map(Requirement, needed)
                if not each.marker or each.marker.evaluate({"extra": extra})
            ]
    return {name for name, _ in found}


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names))


def setup(app: Any) -> dict[str, bool]:
    """Add the directive."""
    from docutils import nodes
    from docutils.statemachine import StringList
    from sphinx.util.docutils import SphinxDirective

    class LicenceTable(SphinxDirective):
        required_arguments = 1

        def run(self) -> list[nodes.Node]:
            lines = licence_table(self.arguments[0]).splitlines()
            box = nodes.container()
            text = StringList(lines, source="<licence-table>")
            self.state.nested_parse(text, self.content_offset, box)
            return box.children

    app.add_directive("licence-table", LicenceTable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
