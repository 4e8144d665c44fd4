"""What is no file to read, given to each command that reads one: an error with its name, soon."""

import os
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from invocation import run_netmodel
from runs import sample

from netmodel.consumption import Side
from netmodel.readers import Measurement, find_results
from netmodel.readers.host_runs import find_host_runs

LINE = ("--line-rate", "200Mbit/s", "--mtu", "1500")
RUN = sample("line_200m_mtu1500_ts1_v4.json")
CLOSED = ("--mtu", "1500", "--connections", "10")
COMMANDS: dict[str, tuple[str, ...]] = {
    "check": ("check", *LINE, "{}"),
    "calibrate": ("calibrate", "{}", "--line-rate", "25G"),
    "calibrate host": ("calibrate", "host", "{}"),
    "catalog show": ("catalog", "show", "{}.toml", "--kind", "adapters"),
    "predict over a path": ("predict", "--path", "{}.toml", "--workload", "rr1c-200x1000", *CLOSED),
    "plan": ("plan", "{}.toml"),
}
LONGEST_S = 60
"""A command takes a second; one that waits for a pipe never ends. [s]"""


def pipe(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def unix_socket(path: Path) -> None:
    # the address of a socket is short: 108 byte on Linux
    before = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as opened:
            opened.bind(path.name)
    finally:
        os.chdir(before)


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def link_to_nothing(path: Path) -> None:
    path.symlink_to("gone")


def directory(path: Path) -> None:
    path.mkdir()


KINDS = [pipe, device, unix_socket, loop, link_to_nothing, directory]


@pytest.fixture(autouse=True)
def _ends() -> Iterator[None]:
    """Nothing waits for ever."""

    def stop(*_: object) -> None:
        raise AssertionError("it waits")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(LONGEST_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def refused(command: str, name: str) -> str:
    """What a command says that cannot read a file."""
    result = run_netmodel(*(each.replace("{}", name) for each in COMMANDS[command]))
    assert result.exit_code in {1, 2, 3}, result.output
    assert "write" not in result.output
    return result.output


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with a name")
@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_no_file_is_refused(
    command: str, make: Callable[[Path], None], tmp_path: Path
) -> None:
    place = tmp_path / "odd"
    names = {each.split("{}")[1] for each in COMMANDS[command] if "{}" in each}
    for ending in names:
        make(place.with_name(f"odd{ending}"))
    assert "odd" in refused(command, str(place))


@pytest.fixture
def crowded(tmp_path: Path) -> Path:
    """A directory with a run, and all that a walk may meet."""
    folder = tmp_path / "runs"
    folder.mkdir()
    shutil.copy(RUN, folder / "run.json")
    for make in KINDS:
        make(folder / f"{make.__name__}.json")
    (folder / "up").symlink_to("..")
    (folder / "kernel").symlink_to("/proc")
    return folder


def test_a_walk_reads_the_run_among_them(crowded: Path) -> None:
    found = find_results([crowded])
    names = [Path(each.source).name for each in found.rows if isinstance(each, Measurement)]
    assert names == ["run.json"]
    problems = {Path(each.path).name: each.problem for each in found.passed_over}
    assert problems["pipe.json"] == problems["unix_socket.json"] == "no regular file"
    assert problems["kernel"] == "a directory of the kernel"
    runs, _ = find_host_runs([crowded], wanted=[Side.CLIENT])
    assert len(runs) == 1
