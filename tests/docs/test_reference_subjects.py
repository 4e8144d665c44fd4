"""Every public function and class stands in the reference under one subject."""

import importlib
import inspect
import re
from collections import Counter
from pathlib import Path

REFERENCE = Path(__file__).parents[2] / "docs/reference"
INDEX = (REFERENCE / "index.md").read_text(encoding="utf-8")
SUBJECTS = re.findall(
    r"\((\w[\w-]+\.md)\)", INDEX.partition("## By subject")[2].partition("[Command line]")[0]
)
NAMED = Counter(
    name
    for page in SUBJECTS
    for name in re.findall(
        r"^   (netmodel\.\S+)$", (REFERENCE / page).read_text(encoding="utf-8"), re.MULTILINE
    )
)
PACKAGES = re.findall(
    r"^   (netmodel\.\S+)$", INDEX.partition("## By package")[2], flags=re.MULTILINE
)


def public_names(package: str) -> list[str]:
    """Functions and classes of a package, those that it defines where it has no list."""
    module = importlib.import_module(package)
    own = [name for name, value in vars(module).items() if inspect.getmodule(value) is module]
    return [
        f"{package}.{name}"
        for name in getattr(module, "__all__", [name for name in own if name[0] != "_"])
        if callable(getattr(module, name))
    ]


def test_every_public_name_has_one_subject() -> None:
    public = [name for package in PACKAGES for name in public_names(package)]
    assert [name for name in public if NAMED[name] != 1] == [], (
        f"add them to the page of their subject, one of docs/reference/{', '.join(SUBJECTS)}"
    )


def test_subjects_have_no_other_names_but_those_of_public_modules() -> None:
    public = {name for package in PACKAGES for name in public_names(package)}
    for name in set(NAMED) - public:
        module, _, own = name.rpartition(".")
        assert callable(getattr(importlib.import_module(module), own))
        assert "._" not in module


def test_every_package_is_listed() -> None:
    import netmodel

    packages = {
        f"netmodel.{name}" for name in netmodel.__all__ if inspect.ismodule(getattr(netmodel, name))
    }
    assert packages - set(PACKAGES) == set()
