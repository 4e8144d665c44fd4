"""What a release is made of: its citation, its version, and licences of what it needs."""

import re
from datetime import date
from pathlib import Path
from typing import Any

import pages_of_docs
import pytest

import netmodel

yaml = pytest.importorskip("yaml")
pytest.importorskip("packaging.licenses")

REPOSITORY = Path(netmodel.__file__).parents[1]
CITATION: dict[str, Any] = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text("utf-8"))
ALLOWED = frozenset(
    {"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "MIT-0"}
    | {"MIT-CMU", "MPL-2.0", "PSF-2.0", "Zlib", "Apache-2.0 WITH LLVM-exception"}
)
"""Permissive licences, and one that covers changes of its own files only."""
DEVELOPMENT_ONLY = ("scapy", "docutils")

pytestmark = pytest.mark.thorough
licence_pages = pages_of_docs.module("licence_pages")


def is_allowed(expression: str) -> bool:
    """Whether all parts of an expression are, or one of those that one may choose from."""
    return any(
        all(part.strip("() ") in ALLOWED for part in choice.split(" AND "))
        for choice in expression.split(" OR ")
    )


def test_the_citation_has_the_keys_of_its_format() -> None:
    """The keys that CFF 1.2.0 requires, and those that make a reference of it."""
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION.keys() >= {"message", "title", "authors", "version", "date-released", "license"}
    assert CITATION["type"] == "software"
    assert CITATION["title"] == "netmodel"
    assert all(each.keys() <= {"name", "website"} for each in CITATION["authors"])
    assert all(isinstance(CITATION[key], str) for key in ("message", "abstract", "version"))


def test_the_citation_is_of_this_version_and_its_date_that_of_the_changelog() -> None:
    assert CITATION["version"] == netmodel.__version__
    changelog = (REPOSITORY / "CHANGELOG.md").read_text("utf-8")
    version, released = re.findall(r"^## (\d[\w.]*) \(([\d-]+)\)$", changelog, re.MULTILINE)[0]
    assert (version, date.fromisoformat(released)) == (
        CITATION["version"],
        CITATION["date-released"],
    )


def test_licence_and_words_are_those_of_the_package() -> None:
    assert CITATION["license"] == licence_pages.PROJECT["license"] == "Apache-2.0"
    assert CITATION["keywords"] == licence_pages.PROJECT["keywords"]
    assert CITATION["abstract"].rstrip(".") == licence_pages.PROJECT["description"]


@pytest.mark.parametrize("group", ["run", "extras"])
def test_licences_of_what_users_install_are_allowed(group: str) -> None:
    licences = {name: licence_pages.licence(name) for name in licence_pages.packages(group)}
    assert {name: each for name, each in licences.items() if not is_allowed(each)} == {}


def test_every_required_package_is_in_the_inventory() -> None:
    assert set(licence_pages.packages("run")) >= {"click", "numpy", "mpmath", "pydantic-core"}
    assert set(licence_pages.packages("extras")) >= {"pandas", "tornado", "dask", "hypothesis"}
    assert set(licence_pages.packages("development")) >= {
        *DEVELOPMENT_ONLY,
        "sphinx-mathjax-offline",
    }


@pytest.mark.parametrize("package", DEVELOPMENT_ONLY)
def test_what_is_not_allowed_is_found(package: str) -> None:
    assert not is_allowed(licence_pages.licence(package))
    assert package not in {*licence_pages.packages("run"), *licence_pages.packages("extras")}


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("GPL-2.0-only", False),
        ("MIT OR GPL-2.0-only", True),
        ("MIT AND GPL-2.0-only", False),
        ("BSD-2-Clause AND Apache-2.0 WITH LLVM-exception", True),
        ("LicenseRef-BSD", False),
    ],
)
def test_expressions_are_read_as_they_are_meant(expression: str, allowed: bool) -> None:
    assert is_allowed(expression) == allowed


def test_a_table_has_a_row_for_each_package() -> None:
    rows = licence_pages.licence_table("run").splitlines()[2:]
    assert [row.split(" | ")[0].strip("| ") for row in rows] == [*licence_pages.packages("run")]
    assert all(row.count("|") == 4 for row in rows)
