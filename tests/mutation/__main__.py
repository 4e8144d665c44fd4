"""
Plants faults and counts those that the tests catch: ``make mutation`` and ``make faults``.

Each fault is planted in a copy of the checkout. Only tests that call the changed function run,
those that take least time first. What came out is kept in ``build/mutation``: a second call goes on
where the first one ended.
"""

import argparse
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from datetime import date
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from .calls import CallRecorder, content_hash, known_calls
from .layers import LAYERS, NOT_COUNTED, Layer, test_files
from .mutants import MODULE, Mutant, mutants_of
from .trials import Chosen, Trial, copied, preload, tried

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "mutation"
CALLS, RESULTS = BUILD / "calls.json", BUILD / "results.jsonl"
EQUIVALENT = Path(__file__).with_name("equivalent.toml")

QUICK_S, LONGEST_S = 2.0, 60.0
"""Tests of the first stage, with few examples, and of all: their own time as noted before."""
ALLOWED_RATIO, ALLOWED_S = 15, 40
"""CPU time a stage may take, of what was noted, and to begin with: more is a fault that hangs."""
LEAST_CAUGHT_RATIO = 0.98
"""Of the planted faults: 49 of 50."""

COLUMNS = ("layer", "caught", "tried", "equivalent", "seed", "date")

Key = tuple[str, str, str, str]
Counts = Counter[tuple[str, str]]
"""How often each outcome came, by layer."""


@cache
def equivalent() -> dict[Key, str]:
    """Faults that change nothing a user can see, each with the reason."""
    entries = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))["fault"]
    return {(e["file"], e["function"], e["was"], e["becomes"]): e["reason"] for e in entries}


def results() -> dict[Key, dict[str, Any]]:
    """What came out so far, the last one of each fault."""
    if not RESULTS.exists():
        return {}
    rows = [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines()]
    return {(row["file"], row["function"], row["was"], row["becomes"]): row for row in rows}


def sampled(name: str, count: int | None, seed: int, kinds: Sequence[str]) -> list[Mutant]:
    """Faults of a layer, drawn by the seed; all of them without a count."""
    layer = LAYERS[name]
    files = sorted({path for pattern in layer.files for path in ROOT.glob(pattern)})
    names = [path.relative_to(ROOT).as_posix() for path in files]
    every = [
        mutant
        for file in names
        for mutant in mutants_of(ROOT, file)
        if not kinds or mutant.kind in kinds
        if not layer.constants_only or (mutant.function == MODULE and mutant.kind == "constant")
    ]
    drawn = random.Random(f"{name} {seed}")
    return every if count is None else drawn.sample(every, min(count, len(every)))


def note_calls(files: Iterable[str]) -> None:
    """Runs tests whose calls are not known as they are now."""
    known = known_calls(CALLS)
    changed = [
        file for file in files if known.get(file, {}).get("hash") != content_hash(ROOT / file)
    ]
    if changed:
        print(f"noting which functions the tests of {len(changed)} files call", flush=True)
        command = [sys.executable, "-m", "mutation", "--note", *changed]
        subprocess.run(command, check=True, cwd=ROOT, env=os.environ | {"CI": "1"})


def note(files: Sequence[str]) -> int:
    import pytest

    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not line and not site"]
    code = pytest.main([*options, *files], plugins=[CallRecorder(ROOT, CALLS, files)])
    # a test of times may fail while calls are noted; require_green asks again without that
    noted = {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED}
    return 0 if code in noted else int(code)


@cache
def calls() -> dict[str, Any]:
    return known_calls(CALLS)


def stages(mutant: Mutant, layer: Layer) -> list[Chosen]:
    """Tests that call the changed function, fastest first: quick ones, and then all."""
    scope = test_files(ROOT, layer)
    if mutant.kind == "digit":
        return [Chosen([file], 600.0) for file in scope]
    own = _touching(scope, f"{mutant.file}:{mutant.function}")
    if mutant.function == MODULE or not own:
        own = _touching(scope, f"{mutant.file}:", exact=False)
        own |= {
            test: s for test, s in _package_tests(scope, mutant.file).items() if test not in own
        }
    by_file: dict[str, float] = Counter()
    for test, seconds in own.items():
        by_file[test.split("::")[0]] += seconds

    def order(test: str) -> tuple[bool, float, float]:
        # examples in the docstrings of the changed module are the fastest
        return not test.startswith(mutant.file), by_file[test.split("::", maxsplit=1)[0]], own[test]

    ordered = sorted(own, key=order)
    quick, every, total = [], [], 0.0
    for test in ordered:
        total += own[test]
        if total <= QUICK_S:
            quick.append(test)
        if total <= LONGEST_S:
            every.append(test)
    allowed_s = ALLOWED_S + ALLOWED_RATIO * min(total, LONGEST_S)
    both = [Chosen(quick, ALLOWED_S, few_examples=True), Chosen(every, allowed_s)]
    return [stage for stage in both if stage.tests]


def _package_tests(scope: Iterable[str], file: str) -> dict[str, float]:
    """Tests that call any function beside a file: what a module defines is used elsewhere."""
    return _touching(scope, f"{file.rsplit('/', 1)[0]}/", exact=False)


def _touching(scope: Iterable[str], name: str, exact: bool = True) -> dict[str, float]:
    """Tests, and their seconds, that call a function or, where not exact, any of a file."""
    found = {}
    for file in scope:
        noted = calls().get(file)
        if noted is None:
            continue
        numbers = {
            number
            for number, function in enumerate(noted["functions"])
            if function.startswith(name)
            if not exact or function == name or function.startswith(f"{name}.<locals>")
        }
        for test, (seconds, called) in noted["tests"].items():
            if not numbers.isdisjoint(called):
                found[test] = seconds
    return found


def judge(drawn: Sequence[tuple[str, Mutant]], processes: int, again: bool) -> None:
    """Tries every fault that has no result yet, and keeps what comes out."""
    known = results()
    left = [
        (name, mutant)
        for name, mutant in drawn
        if mutant.key not in equivalent()
        if mutant.key not in known or (again and known[mutant.key]["outcome"] == "survived")
    ]
    if not left:
        return
    note_calls(
        dict.fromkeys(
            file
            for name in {name for name, _ in left} - {"data", "calibrated"}
            for file in test_files(ROOT, LAYERS[name])
        )
    )
    preload()
    with tempfile.TemporaryDirectory(prefix="netmodel-faults-") as directory:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(processes):
            copies.put(copied(ROOT, Path(directory, str(number))))

        require_green(copies, left)

        def one(task: tuple[str, Mutant]) -> tuple[str, Mutant, Trial]:
            name, mutant = task
            copy = copies.get()
            try:
                skipped = NOT_COUNTED if mutant.kind != "digit" else frozenset()
                return name, mutant, tried(copy, mutant, stages(mutant, LAYERS[name]), skipped)
            finally:
                copies.put(copy)

        with ThreadPoolExecutor(processes) as pool, RESULTS.open("a", encoding="utf-8") as kept:
            for number, (name, mutant, trial) in enumerate(pool.map(one, left), 1):
                row = {"layer": name} | asdict(mutant) | asdict(trial)
                kept.write(json.dumps(row) + "\n")
                kept.flush()
                place = f"{mutant.file}:{mutant.line}"
                print(f"{number}/{len(left)} {trial.outcome} {place} {trial.seconds} s", flush=True)


def require_green(copies: SimpleQueue[Path], left: Sequence[tuple[str, Mutant]]) -> None:
    """Ends where tests fail without a fault: then they would seem to catch every one."""
    copy = copies.get()
    for name, mutant in {name: (name, mutant) for name, mutant in left}.values():
        trial = tried(copy, None, stages(mutant, LAYERS[name]), frozenset())
        if trial.outcome != "survived":
            print((copy / "output.txt").read_text(encoding="utf-8"))
            raise SystemExit(f"{trial.outcome} without a fault: {trial.by}")
    copies.put(copy)


def report(drawn: Sequence[tuple[str, Mutant]]) -> Counts:
    """Prints survivors and the score of each layer; returns how often each outcome came."""
    known, counts = results(), Counts()
    for name, mutant in drawn:
        row = known.get(mutant.key, {})
        outcome = "equivalent" if mutant.key in equivalent() else row.get("outcome", "not tried")
        counts[name, outcome] += 1
        if outcome == "survived":
            print(f"\n{mutant.file}:{mutant.line} in {mutant.function}")
            for sign, text in (("-", mutant.was), ("+", mutant.becomes)):
                print("\n".join(f"{sign} {line}" for line in text.splitlines()))
    print()
    for name in dict.fromkeys(name for name, _ in drawn):
        caught, judged = score(counts, name)
        ratio = f"{caught / judged:7.1%}" if judged else "      -"
        print(
            f"{name:<12}{ratio}  {caught} of {judged} caught"
            f" ({counts[name, 'timeout']} by their time), {counts[name, 'equivalent']} equivalent"
        )
    return counts


def score(counts: Counts, name: str) -> tuple[int, int]:
    """Faults of a layer that were caught, and all that were tried."""
    caught = counts[name, "caught"] + counts[name, "timeout"]
    return caught, caught + counts[name, "survived"]


def write_scores(path: Path, counts: Counts, seed: int) -> None:
    """Renews the rows of the layers tried, and keeps the others."""
    rows = {}
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            rows = {row["layer"]: row for row in csv.DictReader(file)}
    for name in dict.fromkeys(name for name, _ in counts):
        caught, tried = score(counts, name)
        numbers = (caught, tried, counts[name, "equivalent"], seed, date.today().isoformat())
        rows[name] = dict(zip(COLUMNS, (name, *numbers), strict=True))
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(rows[name] for name in LAYERS if name in rows)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="mutation", description=__doc__)
    parser.add_argument("--layer", action="append", choices=LAYERS, help="default: all")
    parser.add_argument("--count", type=int, default=100, help="faults of each layer; 0 for all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", action="append", default=[])
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--again", action="store_true", help="try survivors again")
    parser.add_argument("--faults", type=int, help="of all layers; exit code 1 with too few caught")
    parser.add_argument("--csv", type=Path, help="file of scores to renew")
    parser.add_argument("--note", nargs="+", help=argparse.SUPPRESS)
    return parser.parse_args()


def planted(count: int, seed: int) -> list[tuple[str, Mutant]]:
    """Faults of all layers and kinds: constants, operators, keys of readers, digits of tables."""
    draw = random.Random(seed)
    kinds = {"constant": None, "operator": None, "key": ["readers"], "digit": ["data"]}
    packages = [name for name in LAYERS if name not in {"data", "calibrated", "constants"}]
    chosen: list[tuple[str, Mutant]] = []
    for number in range(count):
        kind = list(kinds)[number % len(kinds)]
        name = draw.choice(kinds[kind] or packages)
        chosen += [(name, mutant) for mutant in sampled(name, 1, draw.randrange(10**9), [kind])]
    return chosen


def main() -> int:
    given = arguments()
    if given.note:
        return note(given.note)
    BUILD.mkdir(parents=True, exist_ok=True)
    if given.faults:
        drawn = planted(given.faults, given.seed)
    else:
        drawn = [
            (name, mutant)
            for name in given.layer or LAYERS
            for mutant in sampled(name, given.count or None, given.seed, given.kind)
        ]
    judge(drawn, given.processes, given.again)
    counts = report(drawn)
    if given.csv:
        write_scores(given.csv, counts, given.seed)
    scores = [score(counts, name) for name in dict.fromkeys(name for name, _ in drawn)]
    caught, tried_count = (sum(column) for column in zip(*scores, strict=True))
    return int(given.faults is not None and caught < LEAST_CAUGHT_RATIO * tried_count)


if __name__ == "__main__":
    sys.exit(main())
