"""The command of the pages against the command itself."""

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import netmodel

PARENT = Path(netmodel.__file__).parents[1]
SOURCE = Path(__file__).parents[2] / "docs" / "shared_process.py"


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where the command is while the shared process runs."""
    spec = importlib.util.spec_from_file_location("shared_process", SOURCE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    directory = tmp_path_factory.mktemp("shared")
    shared = module.SharedProcess(directory)
    yield directory
    shared.stop()


def run(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        shell=True,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(PARENT)} | environment,
        cwd=SOURCE.parent,
        check=False,
    )


@pytest.mark.parametrize(
    "arguments",
    [
        "ceiling --line-rate 25Gbit/s --mtu 1500",
        "ceiling --line-rate 25Gbit",
        "check ../data/examples/iperf3/line-200m-mtu1500.json --line-rate 400Mbit/s --mtu 1500",
        "check missing.json --line-rate 1Gbit/s --mtu 1500",
    ],
)
def test_the_shared_command_says_what_the_command_says(directory: Path, arguments: str) -> None:
    shared = run(f"{directory / 'netmodel'} {arguments}")
    alone = run(f"{sys.executable} -m netmodel {arguments}")
    assert shared.stdout + shared.stderr
    assert (shared.stdout, shared.stderr) == (alone.stdout, alone.stderr)
    assert shared.returncode == alone.returncode


def test_the_environment_is_that_of_the_caller(directory: Path) -> None:
    command = f"{directory / 'netmodel'} ceiling --help"
    narrow, wide = (run(command, COLUMNS=width) for width in ("60", "80"))
    assert max(map(len, narrow.stdout.splitlines())) <= 60 < max(map(len, wide.stdout.splitlines()))
