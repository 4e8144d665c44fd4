"""Pipes and devices, which may never end, and files that are too large: none is read."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from netmodel.calibration import observed_from_table
from netmodel.errors import ParseError
from netmodel.readers import read_host_cpu, read_result
from netmodel.records import adapter, workload

read_csv_results = partial(read_result, format_name="netmodel-csv")
read_iperf3 = partial(read_result, format_name="iperf3")

READERS: list[Callable[[str], Any]] = [
    read_result,
    read_iperf3,
    read_csv_results,
    read_host_cpu,
    lambda name: adapter(Path(name)),
    lambda name: workload(Path(name)),
    observed_from_table,
]
NO_FILE = "cannot be read: it is a pipe or a device, not a file"
DEVICES = [name for name in ("/dev/zero", "/dev/urandom", "/dev/full") if Path(name).exists()]


def problem_of(read: Callable[[str], Any], path: str | Path) -> str:
    with pytest.raises(ParseError) as caught:
        read(str(path))
    assert caught.value.source == str(path)
    return caught.value.problem


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("device", DEVICES)
def test_a_device_is_refused(read: Callable[[str], Any], device: str) -> None:
    assert problem_of(read, device) == NO_FILE


@pytest.mark.parametrize("read", READERS)
def test_a_large_file_is_refused_unread(
    read: Callable[[str], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "large.toml"
    path.touch()
    os.truncate(path, 500 * 1024**2)

    def never(*_: object) -> bytes:
        raise AssertionError("it is read")

    monkeypatch.setattr(Path, "open", never)
    problem = "cannot be read: it has more than 256 MiB, the most that are read"
    assert problem_of(read, path) == problem


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with a name")
@pytest.mark.parametrize("read", READERS)
def test_a_pipe_is_refused(read: Callable[[str], Any], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert problem_of(read, tmp_path / "pipe") == NO_FILE


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="this system has no /proc")
def test_a_file_of_the_kernel_that_reports_no_size_is_read() -> None:
    assert problem_of(read_result, "/proc/self/stat").startswith("not a result of a known tool")
