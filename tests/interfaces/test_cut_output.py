"""Output that is cut, as by ``head``: every command ends quietly."""

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from invocation import PACKAGE_DIRECTORY
from runs import sample

GOOD = sample("line_200m_mtu1500_ts1_v4.json")
CHECK = f"check {shlex.quote(str(GOOD))} --line-rate 200Mbit/s --mtu 1500"
BELOW = f"check {shlex.quote(str(GOOD))} --line-rate 1Gbit/s --mtu 1500"
PREDICT = "--path worked-closed-network --mtu 1500 --workload rr1c-200x1000"
# of each way to print and to end; all commands print through the same few functions
COMMANDS = {
    "--help": 0,
    "no-such-command": 2,
    CHECK: 0,
    BELOW: 1,
    "check missing.json --line-rate 1Gbit/s": 3,
    "catalog list": 0,
    f"predict {PREDICT} --connections 1,50 --json": 0,
}


def cut(command: str, *, both: bool) -> subprocess.CompletedProcess[bytes]:
    """A command whose output nobody reads; both streams, or the first one."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return subprocess.run(
            [sys.executable, "-m", "netmodel", *shlex.split(command)],
            env=os.environ | {"PYTHONPATH": PACKAGE_DIRECTORY},
            stdout=writer,
            stderr=writer if both else subprocess.PIPE,
            check=False,
        )
    finally:
        os.close(writer)


@pytest.mark.skipif(os.name == "nt", reason="pipes break in another way there")
@pytest.mark.parametrize("command", COMMANDS)
def test_cut_output_ends_quietly(command: str) -> None:
    done = cut(command, both=False)
    assert done.returncode in (COMMANDS[command], -signal.SIGPIPE)
    if COMMANDS[command] != 2:
        assert done.stderr == b""
    assert cut(command, both=True).returncode == -signal.SIGPIPE


@pytest.mark.skipif(os.name == "nt", reason="pipes break in another way there")
def test_reports_are_written_though_none_reads_the_text(tmp_path: Path) -> None:
    report = tmp_path / "run.xml"
    cut(f"{CHECK} --junit {shlex.quote(str(report))}", both=True)
    assert report.read_bytes().startswith(b"<?xml")
