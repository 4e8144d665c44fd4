"""Runs from which a host is calibrated: each end has a CPU, whose time is that of the end."""

import os
import tomllib
from pathlib import Path

import pytest
from host_runs import (
    CASES,
    CPU_OF,
    MAC_BYTES,
    TCP_IP_BYTES,
    Case,
    calibration_command,
    conditions,
    measured,
)
from line.lines import SIDES
from line.tools import skip_without

from netmodel.consumption import Side
from netmodel.readers.host_runs import find_host_runs

SECONDS = 3


@pytest.mark.line
@pytest.mark.skipif((os.cpu_count() or 1) < len(CPU_OF), reason="each end needs a CPU")
@pytest.mark.parametrize(
    "tool",
    [
        "iperf3",
        *(pytest.param(name, marks=pytest.mark.nightly) for name in ("netperf", "sockperf")),
    ],
)
def test_a_run_has_the_cpu_time_of_both_ends(tool: str, tmp_path: Path) -> None:
    skip_without(tool)
    case: Case = next(each for each in CASES if each.tool == tool)
    place = tmp_path / "calibration" / "run"
    assert measured(case, place, SECONDS, any_load=True)
    (place / "proc-stat-idle.txt").unlink()  # of a machine that may do other work
    numbers = {Side(side): frozenset({cpu}) for side, cpu in CPU_OF.items()}
    (run,), _ = find_host_runs([place], wanted=[*Side], cpu_numbers=numbers)
    assert set(run.cpu) == set(Side)
    assert all(0 < use.busy_cpu_count <= 1.01 for use in run.cpu.values())
    assert all(use.installed_cpu_count == 1 for use in run.cpu.values())
    header, row = (tmp_path / "runs.csv").read_text().splitlines()
    assert header.startswith("run,mtu_bytes")
    assert str(case.mtu_bytes) in row


def test_the_command_names_the_cpu_of_each_end(tmp_path: Path) -> None:
    text = " ".join(calibration_command(tmp_path))
    assert "--client-cpu-numbers 0 --server-cpu-numbers 1" in text


def test_a_file_beside_the_result_has_what_tools_do_not_report() -> None:
    sizes = (1000, 500)
    case = Case("requests", "netperf", mtu_bytes=4000, sizes_bytes=sizes)
    counted = {
        side: {
            "sent_frames": 100,
            "sent_bytes": 100 * (size + TCP_IP_BYTES + MAC_BYTES),
            "received_frames": 100,
            "interrupts": 50,
        }
        for side, size in zip(SIDES, sizes, strict=True)
    }
    ends = {side: {"frames_per_interrupt": 2} for side in SIDES}
    assert tomllib.loads(conditions(case, counted)) == {
        "mtu_bytes": 4000,
        "request_bytes": 1000,
        "response_bytes": 500,
        **ends,
    }
