"""Ask the questions that users bring, from an installed netmodel, and check each answer.

Usage: python walk.py DATA_DIRECTORY, with the interpreter of the environment to test.
"""

import os
import shlex
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


def answer(journey: dict[str, Any], data: str) -> "subprocess.CompletedProcess[str]":
    """Run the command or the Python of a journey."""
    if "python" in journey:
        words = [sys.executable, "-c", journey["python"]]
    else:
        text = journey["command"].format(data=data, here=HERE)
        words = [sys.executable, "-m", "netmodel", *shlex.split(text)]
    environment = {**os.environ, "COLUMNS": "100", "PYTHONWARNINGS": "error"}
    return subprocess.run(words, capture_output=True, text=True, env=environment, check=False)


def faults(journey: dict[str, Any], done: "subprocess.CompletedProcess[str]") -> list[str]:
    """Return what is wrong with an answer."""
    shown, found = " ".join(done.stdout.split()), []
    if done.returncode != journey.get("exit", 0):
        found.append(f"exit code {done.returncode}: {done.stderr.strip()[-300:]}")
    first = journey.get("first", "").format(here=HERE)
    if not shown.startswith(first):
        found.append(f"begins with {shown[: len(first) + 20]!r}, not {first!r}")
    found += [f"does not say {each!r}" for each in journey.get("says", ()) if each not in shown]
    if journey.get("stderr", "") not in done.stderr:
        found.append(f"standard error is {done.stderr!r}")
    count = len(done.stdout.splitlines())
    if count > journey["lines"]:
        found.append(f"takes {count} lines, more than {journey['lines']}")
    return found


def main(data: str) -> int:
    """Print each question with the lines of its answer and its first sentence; count failures."""
    journeys = tomllib.loads((HERE / "journeys.toml").read_text(encoding="utf-8"))["journey"]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for journey in journeys:
            done = answer(journey, data)
            wrong = faults(journey, done)
            failed += bool(wrong)
            first = done.stdout.strip().partition("\n")[0]
            lines = len(done.stdout.splitlines())
            print(f"{'FAILED' if wrong else 'ok':6} {lines:3} {journey['question']}: {first}")
            for each in wrong:
                print(f"           {each}")
    print(f"{len(journeys) - failed} of {len(journeys)} journeys")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(str(Path(sys.argv[1]).resolve())))
