"""Files that never end, that nothing writes into, or that are too large: none is read whole."""

import os
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from runs import sample

from netmodel.errors import ParseError
from netmodel.readers import read_host_state, read_result
from netmodel.records import adapter, load_table, workload

read_csv_results = partial(read_result, format_name="netmodel-csv")
read_iperf3 = partial(read_result, format_name="iperf3")

READERS: list[Callable[[str], Any]] = [
    read_result,
    read_iperf3,
    read_csv_results,
    read_host_state,
    lambda name: adapter(Path(name)),
    lambda name: workload(Path(name)),
    load_table,
]
GOOD = sample("line_200m_mtu1500_ts1_v4.json").read_bytes()
DEVICES = [name for name in ("/dev/zero", "/dev/urandom", "/dev/full") if Path(name).exists()]


def problem_of(read: Callable[[str], Any], path: str | Path) -> str:
    with pytest.raises(ParseError) as caught:
        read(str(path))
    assert caught.value.source == str(path)
    return caught.value.problem


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("device", DEVICES)
def test_a_device_is_refused(read: Callable[[str], Any], device: str) -> None:
    assert problem_of(read, device) == "cannot be read: it is a device, not a file"


@pytest.mark.parametrize("read", READERS)
def test_a_large_file_is_refused_unread(
    read: Callable[[str], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "large.toml"
    path.touch()
    os.truncate(path, 500 * 1024**2)

    def never(*_: object) -> bytes:
        raise AssertionError("it is read")

    monkeypatch.setattr(os, "read", never)
    assert problem_of(read, path) == "cannot be read: it has more than 256 MiB"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with a name")
class TestPipes:
    @pytest.fixture
    def pipe(self, tmp_path: Path) -> Path:
        path = tmp_path / "pipe"
        os.mkfifo(path)
        return path

    @pytest.mark.parametrize("read", READERS)
    def test_one_that_nothing_writes_into_is_refused(
        self, read: Callable[[str], Any], pipe: Path
    ) -> None:
        assert problem_of(read, pipe) == "cannot be read: it is a pipe that nothing writes into"

    def written(self, pipe: Path, content: bytes) -> threading.Thread:
        """A thread that writes in parts, once the pipe is open for it; a reader has to wait."""
        kept = os.open(pipe, os.O_RDWR)
        end = os.open(pipe, os.O_WRONLY)
        opened = threading.Event()

        def write() -> None:
            opened.wait(0.05)
            os.close(kept)
            try:
                with os.fdopen(end, "wb", buffering=0) as file:
                    for offset in range(0, len(content), 1000):
                        file.write(content[offset : offset + 1000])
            except BrokenPipeError:
                pass

        thread = threading.Thread(target=write)
        thread.start()
        return thread

    def test_one_with_an_end_is_read(self, pipe: Path) -> None:
        thread = self.written(pipe, GOOD)
        (run,) = read_result(pipe)
        thread.join()
        assert run.raw_text == GOOD.decode()

    def test_one_without_end_is_read_as_far_as_the_limit(
        self, pipe: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("netmodel.reading.LARGEST_FILE_BYTES", 5 * 1024**2)
        thread = self.written(pipe, bytes(20 * 1024**2))
        assert problem_of(read_result, pipe) == "cannot be read: it has more than 5 MiB"
        thread.join()


def test_a_file_that_grows_while_it_is_read_is_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(GOOD[:1000])
    fstat = os.fstat

    def growing(file: int) -> os.stat_result:
        status = fstat(file)
        path.write_bytes(GOOD)
        return status

    monkeypatch.setattr(os, "fstat", growing)
    assert read_result(path)[0].raw_text == GOOD.decode()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="this system has no /proc")
def test_a_file_of_the_kernel_that_reports_no_size_is_read() -> None:
    assert problem_of(read_result, "/proc/self/stat").startswith("not a result of a known tool")
