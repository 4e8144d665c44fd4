"""What a release is made of: its citation and its version."""

import re
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import netmodel

yaml = pytest.importorskip("yaml")

REPOSITORY = Path(netmodel.__file__).parents[1]
CITATION: dict[str, Any] = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text("utf-8"))
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]

pytestmark = pytest.mark.thorough


def test_the_citation_is_of_this_version_and_its_date_that_of_the_changelog() -> None:
    assert CITATION["version"] == netmodel.__version__
    changelog = (REPOSITORY / "CHANGELOG.md").read_text("utf-8")
    version, released = re.findall(r"^## (\d[\w.]*) \(([\d-]+)\)$", changelog, re.MULTILINE)[0]
    assert (version, date.fromisoformat(released)) == (
        CITATION["version"],
        CITATION["date-released"],
    )


def test_licence_and_words_are_those_of_the_package() -> None:
    assert CITATION["license"] == PROJECT["license"] == "Apache-2.0"
    assert CITATION["keywords"] == PROJECT["keywords"]
    assert CITATION["abstract"].rstrip(".") == PROJECT["description"]
