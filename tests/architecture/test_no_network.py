"""Neither imports nor tests reach for other hosts."""

import os
import pkgutil
import socket
import subprocess
import sys
from collections.abc import Callable

import pytest
from offline import NetworkUsedError

import netmodel

OTHER_HOST = "192.0.2.1"
"""TEST-NET-1 of RFC 5737: an address of no host."""

UPPER_LAYERS = ("api", "cli", "measuring", "report", "symbolic", "testing")
"""They import all others."""
PROGRAM = f"""
import importlib, sys
import offline
def report(event, arguments):
    if event in (*offline.ASKING, *offline.SENDING):
        sys.exit(event)
sys.addaudithook(report)
for name in {UPPER_LAYERS}:
    importlib.import_module("netmodel." + name)
"""


def connected(host: str) -> None:
    with socket.socket() as own:
        own.connect((host, 9))


def datagram_to(host: str) -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as own:
        own.sendto(b"", (host, 9))


@pytest.mark.parametrize(
    "reach",
    [
        lambda: connected(OTHER_HOST),
        lambda: datagram_to(OTHER_HOST),
    ],
    ids=["connection", "datagram"],
)
def test_a_test_that_reaches_for_another_host_fails(reach: Callable[[], object]) -> None:
    with pytest.raises(NetworkUsedError):
        reach()


@pytest.mark.thorough
def test_imports_reach_for_no_other_host() -> None:
    names = {each.name for each in pkgutil.iter_modules(netmodel.__path__)}
    assert names >= set(UPPER_LAYERS)
    paths = os.pathsep.join(path for path in sys.path if path)
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
