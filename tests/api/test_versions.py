"""What a bug report needs: versions without imports, and how to install what is missing."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from invocation import printed, printed_json, run_in_a_process

import netmodel
from netmodel import _lazy
from netmodel.api import _versions
from netmodel.records import data_path, register_data, unregister_data

REPOSITORY = Path(netmodel.__file__).parents[1]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
REQUIRES = [
    *PROJECT["dependencies"],
    *(
        f"{requirement}; extra == {extra!r}"
        for extra, requirements in PROJECT["optional-dependencies"].items()
        for requirement in requirements
    ),
]
"""As the metadata of a wheel has them."""


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Of a host without tools, which takes no time."""
    monkeypatch.setattr(_versions.shutil, "which", lambda name, path=None: None)
    return printed_json("versions")


def test_all_packages_of_users_are_listed(shown: dict[str, Any]) -> None:
    assert list(shown["dependencies"]) == ["click", "numpy", "pydantic", "scipy", "sympy"]
    assert list(shown["extras"]) == ["plot", "notebook", "report", "sweep", "fast", "testing"]
    assert shown["extras"]["fast"].keys() == {"numba"}
    assert shown["extras"]["report"].keys() == {"jinja2", "pandas"}
    assert shown["extras"]["sweep"].keys() > {"dask", "xarray"}


def test_versions_are_those_of_the_modules(shown: dict[str, Any]) -> None:
    import numpy as np
    from pytest import __version__ as pytest_version  # noqa: PT013

    assert shown["netmodel"] == netmodel.__version__
    assert shown["dependencies"]["numpy"] == np.__version__
    assert shown["extras"]["testing"]["pytest"] == pytest_version


def test_text_and_json_say_the_same(
    shown: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    netmodel.show_versions(as_json=True)
    assert json.loads(capsys.readouterr().out) == shown
    text = printed("versions")
    packages = dict(shown["dependencies"])
    for each in shown["extras"].values():
        packages |= each
    for name, version in packages.items():
        said = re.escape(version or "not installed")
        assert len(re.findall(rf"^{name} +{said}", text, re.MULTILINE)) == 1
    assert re.search(r"^pandas .*\(extras report, sweep\)$", text, re.MULTILINE)
    assert text.startswith("netmodel")


def test_packages_are_the_same_of_a_wheel_as_of_the_checkout(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    of_the_checkout = _versions.required_packages()
    monkeypatch.setattr(_versions, "checkout", lambda: None)
    monkeypatch.setattr(_versions.metadata, "requires", lambda name: REQUIRES)
    assert _versions.required_packages() == of_the_checkout


def test_what_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_versions, "_version", lambda name: None)
    monkeypatch.setattr(_versions.shutil, "which", lambda name, path=None: None)
    text = printed("versions")
    assert re.search(r"^matplotlib +not installed \(extra plot\)$", text, re.MULTILINE)
    assert re.search(r"^iperf3 +not installed$", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("script", "version"),
    [
        ("echo 'iperf 3.12'; echo more", "iperf 3.12"),
        ("echo 'iperf 3.12' >&2; exit 1", "iperf 3.12"),
        ("exit 0", "it printed nothing"),
    ],
)
def test_tools_are_asked_for_their_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, version: str
) -> None:
    tool = tmp_path / "iperf3"
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert _versions._tool_version("iperf3", ("--version",)) == version


def test_directories_of_data_are_listed(shown: dict[str, Any]) -> None:
    assert shown["data_directories"] == [str(data_path())]
    own = data_path("examples", "own-document")
    register_data(own)
    try:
        assert _versions.versions()["data_directories"] == [str(data_path()), str(own)]
    finally:
        unregister_data(own)


def test_no_library_is_imported() -> None:
    """Those that the command itself loads aside."""
    code = (
        "import sys, netmodel; netmodel.show_versions();"
        "print([name for name in ('matplotlib', 'pandas', 'xarray', 'sympy', 'scipy')"
        " if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, check=True, text=True
    )
    assert done.stdout.endswith("[]\n")


def test_from_a_checkout_an_extra_is_installed_into_it() -> None:
    assert _lazy.checkout() == REPOSITORY
    assert _lazy.install_command("plot") == f"pip install -e '{REPOSITORY}[plot]'"


def test_a_directory_with_blanks_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "my project"
    root.mkdir()
    (root / "pyproject.toml").write_text('[project]\nname = "netmodel"\n')
    monkeypatch.setattr(_lazy, "PACKAGE", root / "netmodel")
    assert _lazy.install_command("all") == f"pip install -e '{root}[all]'"


@pytest.mark.parametrize("project", [None, '[project]\nname = "other"\n'])
@pytest.mark.parametrize(
    ("origin", "exists", "named"),
    [
        (None, False, "netmodel"),
        ("netmodel-0.2.0-py3-none-any.whl", True, "{}/netmodel-0.2.0-py3-none-any.whl"),
        ("netmodel-0.2.0-py3-none-any.whl", False, "netmodel"),
        ("a%20checkout", True, "{}/a checkout"),
    ],
)
def test_as_installed_an_extra_is_from_the_same_place(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    project: str | None,
    origin: str | None,
    exists: bool,
    named: str,
) -> None:
    site = tmp_path / "site-packages"
    (site / "netmodel").mkdir(parents=True)
    if project:
        (site / "pyproject.toml").write_text(project)
    information = site / "netmodel-0.2.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: netmodel\nVersion: 0.2.0\n")
    if origin:
        (information / "direct_url.json").write_text(
            json.dumps({"url": f"{tmp_path.as_uri()}/{origin}"})
        )
    if exists and origin:
        (tmp_path / origin.replace("%20", " ")).touch()
    monkeypatch.setattr(_lazy, "PACKAGE", site / "netmodel")
    monkeypatch.syspath_prepend(site)
    wanted = named.format(tmp_path)
    assert _lazy.install_command("sweep") == f"pip install '{wanted}[sweep]'"


def test_the_module_runs_like_the_command() -> None:
    done = run_in_a_process("versions", "--json", PATH="")
    assert json.loads(done.stdout)["netmodel"] == netmodel.__version__
