"""CPU time of short commands against that of ``import numpy``, each as a process of its own.

User and system time of a process are taken from the kernel when it ends. A round runs each once, so
that a machine that slows down slows all; the ratio is that of the smallest times. All run once
before, with modules compiled into a directory of their own, as they are where a package is
installed, and with bundled files kept parsed. A last run counts the directories that are listed and
the files that are opened, those of modules included.

A second table has the CPU time of one lookup in a process that goes on, among 1,000 records of one
directory. Run it with a directory as argument to write both tables there too.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence

from benchmarks.processes import cpu_s
from benchmarks.tables import show, versions

ROUNDS = 9
_ADAPTER = "osa-express7s-25gbe"
_COMMANDS = {
    "--help": ("--help",),
    "catalog list": ("catalog", "list"),
    "predict": (
        *("predict", "--adapter", _ADAPTER, "--workload", "rr1c-200x30k"),
        *("--mtu", "1500", "--connections", "50"),
    ),
    "plan": ("plan", "--flow", "18 Gbit/s in", "--adapter", _ADAPTER, "--mtu", "1500"),
    "calibrate": (
        *("calibrate", _ADAPTER, "--where", "workload=str-writex30k"),
        *("--where", "direction=in"),
    ),
}
_BASE = "import numpy"
_CASES: dict[str, tuple[str, ...]] = {
    _BASE: ("-c", _BASE),
    **{
        code: ("-c", code)
        for code in (
            "import click",
            "from pydantic import BaseModel",
            "import scipy.special",
            "import scipy.optimize",
            "import netmodel",
        )
    },
    **{f"netmodel {name}": ("-m", "netmodel", *arguments) for name, arguments in _COMMANDS.items()},
}
_ALLOWED = {"import netmodel": "0.30"} | {f"netmodel {name}": "2.50" for name in _COMMANDS}
_COUNTING = """
import atexit, runpy, sys
counts = {"open": 0, "os.scandir": 0, "os.listdir": 0}
def count(event, details):
    if event in counts:
        counts[event] += 1
sys.addaudithook(count)
def tell():
    print(counts["os.scandir"] + counts["os.listdir"], counts["open"], file=sys.stderr)
atexit.register(tell)
sys.argv = sys.argv[1:]
if sys.argv[0] == "-c":
    exec(sys.argv[1])
else:
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""
"""Runs what follows, and prints how many directories it lists and how many files it opens."""


def counted(arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[str, str]:
    """Directories that a process of Python lists, and files that it opens."""
    process = subprocess.run(
        [sys.executable, "-c", _COUNTING, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    listed, opened = process.stderr.splitlines()[-1].split()
    return listed, opened


def main(directory: str | None = None) -> None:
    """Print a row for each command, and write them to the directory."""
    with tempfile.TemporaryDirectory(prefix="compiled-") as compiled:
        environment = os.environ | {"PYTHONPYCACHEPREFIX": compiled}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        times_s: dict[str, list[float]] = {name: [] for name in _CASES}
        for number in range(-1, ROUNDS):
            for name, arguments in _CASES.items():
                time_s = cpu_s((sys.executable, *arguments), environment)
                if number >= 0:
                    times_s[name].append(time_s)
        counts = {name: counted(arguments, environment) for name, arguments in _CASES.items()}
    base_s = min(times_s[_BASE])
    rows = [
        (
            name,
            f"{1e3 * min(times_s[name]):.0f}",
            f"{min(times_s[name]) / base_s:.2f}",
            _ALLOWED.get(name, ""),
            *counts[name],
        )
        for name in _CASES
    ]
    head = ("command", "CPU time, ms", "ratio", "at most", "directories listed", "files opened")
    file = directory and f"{directory}/speed-startup.csv"
    show(head, rows, versions("numpy", "pydantic", "click"), file)


if __name__ == "__main__":
    main(*sys.argv[1:])
