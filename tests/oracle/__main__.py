"""
Asks the version in `base` and this checkout the same questions, and prints where they differ.

    PYTHONPATH=tests python -m oracle [--golden] [PATTERN]

With a pattern, only questions whose id has it. With --golden, answers of the version in `base` to
a part of the questions are written into golden.jsonl.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from oracle.compare import differences_of_answers, explained

HERE = Path(__file__).parent
CHECKOUT = HERE.parents[1]
BUILD = CHECKOUT / "build" / "oracle"
SHOWN = 40
GOLDEN_BYTES = 1_000_000
GOLDEN_ANSWER_BYTES = 12_000
"""A golden answer is at most this long, so that many questions have a part of them."""


def base_environment() -> tuple[Path, Path]:
    """Return checkout and Python of the version in `base`, made where they are not there."""
    commit = (HERE / "base").read_text().strip()
    tree = BUILD / commit
    if not (tree / "netmodel").exists():
        tree.mkdir(parents=True, exist_ok=True)
        archive = subprocess.run(
            ["git", "archive", commit], cwd=CHECKOUT, capture_output=True, check=True
        )
        subprocess.run(["tar", "-x"], cwd=tree, input=archive.stdout, check=True)
    lock = "requirements/dev.txt"
    subprocess.run([".ci/venv", sys.executable, ".venv", lock], cwd=tree, check=True)
    return tree, tree / ".venv" / "bin" / "python"


def start(
    python: Path, tree: Path, files: Path, questions: Path, name: str
) -> "tuple[subprocess.Popen[bytes], Path]":
    """Start asking one version; its answers are in the file when the process has ended."""
    place = BUILD / name
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(files / "data", place / "data")
    shutil.copytree(files / "tests" / "readers" / "samples", place / "samples")
    target = BUILD / f"{name}.jsonl"
    command = [python, HERE / "ask.py", questions, target, place]
    environment = {"PYTHONPATH": str(tree), "ORACLE_BASE": str(int(name == "base"))}
    environment |= {"NO_COLOR": "1", "COLUMNS": "100"}
    return subprocess.Popen(command, env=os.environ | environment), target


def main(pattern: str, keeps_golden: bool) -> int:
    """Ask both versions and print the differences that are not by design."""
    rows = [json.loads(row) for row in (HERE / "questions.jsonl").read_text().splitlines()]
    questions = {row["id"]: row for row in rows if re.search(pattern, row["id"])}
    tree, python = base_environment()
    asked = BUILD / "questions.jsonl"
    asked.write_text("".join(json.dumps(row) + "\n" for row in questions.values()))
    # both from the files of the base, so that only the code differs
    begun = [
        start(python, tree, tree, asked, "base"),
        start(Path(sys.executable), CHECKOUT, tree, asked, "now"),
    ]
    failed = [process.args for process, _ in begun if process.wait() != 0]
    if failed:
        print("ended with an error:", failed)
        return 1
    base, now = (
        {row["id"]: row for row in map(json.loads, target.read_text().splitlines())}
        for _, target in begun
    )
    if keeps_golden:
        keep_golden(list(base.values()))
    return report(questions, base, now)


def report(questions: dict[str, Any], base: dict[str, Any], now: dict[str, Any]) -> int:
    """Print the differences; 1 if there are any."""
    document = tomllib.loads((HERE / "changes.toml").read_text())
    changes, renamed = document.get("change", []), document["renamed"]
    kinds: Counter[str] = Counter()
    different: dict[str, list[str]] = {}
    for name, question in questions.items():
        found = [
            each
            for each in differences_of_answers(base[name], now[name], renamed)
            if not explained(question, each, changes)
        ]
        if found:
            different[name] = found
            kinds[f"{question['command']} {re.sub('[0-9]+', '#', found[0].partition(':')[0])}"] += 1
    for name in list(different)[:SHOWN]:
        print(name, questions[name]["command"], questions[name]["arguments"])
        for each in different[name][:5]:
            print("   ", each[:200])
    for kind, count in kinds.most_common():
        print(f"{count:6} {kind}")
    codes = Counter(base[name]["exit_code"] for name in questions)
    print(f"{len(questions)} questions (exit codes {dict(codes)}), {len(different)} differ")
    return int(bool(different))


def keep_golden(answers: list[dict[str, Any]]) -> None:
    """Write every so many answers of those that are short, up to the size of the golden part."""
    rows = [json.dumps(answer, separators=(",", ":")) for answer in answers]
    rows = [row for row in rows if len(row) <= GOLDEN_ANSWER_BYTES]
    step = -(-sum(map(len, rows)) // GOLDEN_BYTES)
    kept = "".join(f"{row}\n" for row in rows[::step])
    (HERE / "golden.jsonl").write_text(kept)


if __name__ == "__main__":
    given = [each for each in sys.argv[1:] if each != "--golden"]
    sys.exit(main(given[0] if given else "", "--golden" in sys.argv))
