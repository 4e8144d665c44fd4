"""CPU time of ``netmodel check`` over many files against ``json.loads`` over the same files.

Both are processes of their own, from their start to their end: user and system time of each are
taken from the kernel when it ends. The one is the command on a directory, with its text or its JSON
going nowhere; the other is Python, which opens and parses each file and does nothing else. A round
runs each once, so that a machine that slows down slows all. All run once before, with modules
compiled into a directory of their own, as they are where a package is installed. Files are as
`check` in this directory makes them, each from an example of 10 s and about 7 kB.
"""

import os
import statistics
import sys
import tempfile
from pathlib import Path

from benchmarks.check import ALLOWED_RATIO, ONE_EXAMPLE, write_results
from benchmarks.processes import cpu_s

FILE_COUNT = 5000
ROUNDS = 5
_PARSE = """
import json, os, sys
for name in os.listdir(sys.argv[1]):
    with open(os.path.join(sys.argv[1], name), encoding="utf-8") as file:
        json.loads(file.read())
"""
_LINE = ("--line-rate", "200Mbit/s", "--mtu", "1500")


def main() -> None:
    """Print a row for each form of output."""
    with (
        tempfile.TemporaryDirectory() as directory,
        tempfile.TemporaryDirectory(prefix="compiled-") as compiled,
    ):
        write_results(Path(directory), ONE_EXAMPLE, FILE_COUNT)
        check = (sys.executable, "-m", "netmodel", "check", directory, *_LINE)
        parsing = (sys.executable, "-c", _PARSE, directory)
        commands = {"text": check, "--json": (*check, "--json")}
        environment = os.environ | {"PYTHONPYCACHEPREFIX": compiled}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        times_s: dict[str, list[float]] = {"parsing": [], "text": [], "--json": []}
        for number in range(-1, ROUNDS):
            for name, command in (("parsing", parsing), *commands.items()):
                # 1 is a gate that failed: some of the files are below their ceiling on purpose
                time_s = cpu_s(command, environment, expected_codes=(0, 1))
                if number >= 0:
                    times_s[name].append(time_s)
    columns = ("netmodel s", "parsing s", "ratio", "least", "most", "allowed")
    print(f"{f'{FILE_COUNT} files':12}" + "".join(f" {name:>11}" for name in columns))
    for name in commands:
        pairs = zip(times_s[name], times_s["parsing"], strict=True)
        ratios = [mine / other for mine, other in pairs]
        cells = (
            *(statistics.median(times_s[one]) for one in (name, "parsing")),
            *(statistics.median(ratios), min(ratios), max(ratios), ALLOWED_RATIO),
        )
        print(f"{name:12}" + "".join(f" {cell:11.2f}" for cell in cells))


if __name__ == "__main__":
    main()
