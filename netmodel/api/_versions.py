"""Versions of netmodel and of all that it works with, for bug reports."""

import json
import os
import platform
import re
import shutil
import sys
import tomllib
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from netmodel._lazy import PACKAGE, checkout
from netmodel._terminal import fitted
from netmodel._text import printable, text_table
from netmodel.measuring._facts import printed_by
from netmodel.measuring._record import own_version
from netmodel.measuring._tools import TOOLS
from netmodel.records._load import data_roots

_OF_DEVELOPMENT = frozenset({"all", "docs", "test"})
"""Extras that bring tools of development, or only what others bring."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_EXTRA = re.compile(r"""extra\s*==\s*["']([^"']+)["']""")
_OF_THE_SYSTEM = {"ethtool": ("--version",), "ip": ("-V",)}
"""What hosts are described with, and how each prints its version."""
_RDMA = "ib_"
"""Beginning of the names of a dozen tools of one version."""


def show_versions(*, as_json: bool = False) -> None:
    """
    Print what a bug report needs: versions of netmodel, of Python, of the libraries and tools.

    Libraries are looked up without importing them; tools are asked for their version.

    Parameters
    ----------
    as_json : bool
        Print JSON instead of text.

    Raises
    ------
    MissingDataError
        If netmodel was installed without its data.

    See Also
    --------
    netmodel.measure : Records them with each run.

    Examples
    --------
    >>> show_versions()  # doctest: +ELLIPSIS
    netmodel ...
    Python ...
    """
    known = versions()
    text = json.dumps(known, indent=2) if as_json else fitted(versions_text(known))
    sys.stdout.write(f"{text}\n")


def versions() -> dict[str, Any]:
    """The same as plain values, None for what is not installed."""
    extras = dict(required_packages())
    tools = {name: tool.version for name, tool in TOOLS.items() if not name.startswith(_RDMA)}
    return {
        "netmodel": own_version(),
        "location": str(PACKAGE),
        "is_checkout": checkout() is not None,
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "dependencies": {name: _version(name) for name in extras.pop("", ())},
        "extras": {extra: {name: _version(name) for name in extras[extra]} for extra in extras},
        "tools": {
            name: _tool_version(name, arguments)
            for name, arguments in sorted((tools | _OF_THE_SYSTEM).items())
        },
        "data_directories": [str(each) for each in data_roots()],
    }


def required_packages() -> dict[str, tuple[str, ...]]:
    """Packages by the extra that brings them; the empty name is of those always required."""
    found: dict[str, dict[str, None]] = {"": {}}
    for extra, requirement in _requirements():
        name = _NAME.match(requirement)
        if extra in _OF_DEVELOPMENT or name is None:
            continue
        found.setdefault(extra, {})
        if name[0] != "netmodel":
            found[extra][name[0]] = None
    return {extra: tuple(names) for extra, names in found.items()}


def versions_text(known: Mapping[str, Any]) -> str:
    """Versions as lines of text, first what every bug report needs."""
    kind = "checkout in" if known["is_checkout"] else "installed in"
    directory = Path(known["location"]).parent
    rows = [
        ("netmodel", f"{known['netmodel']}, {kind} {directory}"),
        ("Python", f"{known['python']} ({known['implementation']})"),
        ("system", known["system"]),
        *((name, _or_missing(version)) for name, version in known["dependencies"].items()),
        *(
            (name, f"{_or_missing(version)} ({_extras_of(name, known['extras'])})")
            for name, version in {
                name: version
                for packages in known["extras"].values()
                for name, version in packages.items()
            }.items()
        ),
        *((name, _or_missing(version)) for name, version in known["tools"].items()),
        *(("data", each) for each in known["data_directories"]),
    ]
    return text_table([(name, printable(str(text))) for name, text in rows])


def _or_missing(version: str | None) -> str:
    return version or "not installed"


def _extras_of(package: str, extras: Mapping[str, Mapping[str, object]]) -> str:
    """The extras that bring a package, in words."""
    names = [extra for extra, packages in extras.items() if package in packages]
    return f"extra{'s' if len(names) > 1 else ''} {', '.join(names)}"


def _requirements() -> Iterable[tuple[str, str]]:
    """Extra and requirement, from the checkout, whose metadata may be old, or as installed."""
    root = checkout()
    if root is not None:
        project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        yield from (("", each) for each in project["dependencies"])
        for extra, requirements in project["optional-dependencies"].items():
            yield from ((extra, each) for each in requirements)
        return
    for each in metadata.requires("netmodel") or ():
        requirement, _, marker = each.partition(";")
        extra = _EXTRA.search(marker)
        yield (extra[1] if extra else "", requirement)


def _version(package: str) -> str | None:
    """Version of an installed package, without importing it."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _tool_version(name: str, arguments: Iterable[str]) -> str | None:
    """First line that a tool prints about itself; None where it is not installed."""
    # tools of the system stand where only root looks
    path = shutil.which(name) or shutil.which(name, path=os.pathsep.join(("/usr/sbin", "/sbin")))
    if path is None:
        return None
    text, reason = printed_by((path, *arguments))
    # some print their version to standard error, or fail after it
    line = (text or reason).strip().partition("\n")[0]
    return line or "installed"
