"""
Plants faults and counts those that the tests catch: ``make mutation`` and ``make faults``.

Each fault is planted in a copy of the checkout. Only tests that call the changed function run,
those that call little else first. What came out is kept in ``build/mutation``, after each fault and
after each file of tests: a second call goes on where the first one ended.
"""

import argparse
import csv
import hashlib
import json
import os
import random
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from datetime import date
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar

from .calls import Noted, content_hash, known_calls, note_of
from .layers import FORMULA_LAYERS, LAYERS, NOT_COUNTED, OF_SIGNATURES, Layer, test_files
from .mutants import MODULE, Mutant, mutants_of
from .servers import Server
from .trials import Chosen, Trial, copied, new_process, noted, preload, tried

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "mutation"
CALLS, RESULTS = BUILD / "calls", BUILD / "results.jsonl"
EQUIVALENT = Path(__file__).with_name("equivalent")

QUICK_S, LONGEST_S, AGAIN_S = 2.0, 5.0, 60.0
"""
Tests of the first stage, with few examples, of the next with all, and of those tried again, with
few: their own time as noted before.
"""
ALLOWED_RATIO, ALLOWED_S = 15, 40
"""CPU time a stage may take, of what was noted, and to begin with: more is a fault that hangs."""
LEAST_CAUGHT_RATIO = 0.98
"""Of the planted faults: 49 of 50."""

COLUMNS = ("layer", "first_caught", "caught", "tried", "equivalent", "seed", "date")

Key = tuple[str, str, str, str]
Counts = Counter[tuple[str, str]]
"""How often each outcome came, by layer."""
Copies = SimpleQueue[Path]
"""Copies of the checkout that no process uses now."""
Task, Outcome = TypeVar("Task"), TypeVar("Outcome")


@cache
def equivalent() -> dict[Key, str]:
    """
    Faults that change nothing a user can see, each with the reason.

    ``was`` and ``becomes`` are the changed lines without leading blanks: an entry survives when
    its line moves.
    """
    texts = [file.read_text(encoding="utf-8") for file in sorted(EQUIVALENT.glob("*.toml"))]
    entries = [entry for text in texts for entry in tomllib.loads(text)["fault"]]
    return {(e["file"], e["function"], e["was"], e["becomes"]): e["reason"] for e in entries}


def results(is_first: bool = False) -> dict[Key, dict[str, Any]]:
    """What came out so far, the last one of each fault, or the first."""
    if not RESULTS.exists():
        return {}
    rows = [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines()]
    ordered = reversed(rows) if is_first else rows
    return {(row["file"], row["function"], row["was"], row["becomes"]): row for row in ordered}


def sampled(name: str, count: int | None, seed: int, kinds: Sequence[str]) -> list[Mutant]:
    """Faults of a layer, drawn by the seed, whatever others there are; all without a count."""
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

    def place(mutant: Mutant) -> bytes:
        return hashlib.sha256(repr((name, seed, *mutant.key)).encode()).digest()

    return every if count is None else sorted(every, key=place)[:count]


def note_calls(copies: Copies, files: Iterable[str]) -> None:
    """Runs tests whose calls are not known as they are now, each file in a process of its own."""
    changed = [
        file
        for file in files
        if (known_calls(CALLS, file) or {}).get("hash") != content_hash(ROOT / file)
    ]
    if changed:
        print(f"noting which functions the tests of {len(changed)} files call", flush=True)

    def one(file: str, copy: Path) -> bool:
        return noted(copy, file, note_of(CALLS, file))

    for number, (file, kept) in enumerate(side_by_side(one, changed, copies), 1):
        if not kept:
            print(f"the tests of {file} did not end: they judge no fault")
        if number % 50 == 0:
            print(f"{number}/{len(changed)} files", flush=True)


@cache
def calls(file: str) -> Noted:
    """What the tests of a file call; nothing where they did not end."""
    return known_calls(CALLS, file) or {"functions": [], "tests": {}}


def stages(mutant: Mutant, layer: Layer, again: bool = False, anew: bool = False) -> list[Chosen]:
    """
    Tests that call the changed function, those of little else first: quick ones, then all.

    With the package imported anew also those of the whole package: what is changed may be called
    at import only, as by a class, or when parameters of a test are made.
    """
    scope = test_files(ROOT, layer)
    if mutant.kind == "digit":
        return [Chosen([file], 600.0) for file in scope]
    exact = near = own = _touching(scope, f"{mutant.file}:{mutant.function}")
    if anew:
        # of a class that is changed itself, tests that call its methods
        of_class = _touching(scope, f"{mutant.file}:{mutant.function}.", exact=False)
        near = exact | (of_class or _touching(scope, f"{mutant.file}:", exact=False))
        own = _package_tests(scope, mutant.file) | near
    if mutant.kind == "constant" and OF_SIGNATURES in scope:
        read = {test: s for test, (s, _) in calls(OF_SIGNATURES)["tests"].items()}
        exact, own = exact | read, own | read
    tests = {test: of for file in {*map(_file, own)} for test, of in calls(file)["tests"].items()}
    narrowest: dict[str, int] = {}
    for test in own:
        count = len(tests[test][1])
        narrowest[_file(test)] = min(count, narrowest.get(_file(test), count))

    def order(test: str) -> tuple[bool, int, int, str, int, str]:
        # examples in the docstrings of the changed module are the fastest, and a test that calls
        # few functions says most of each; those of a file share what they set up
        file, count = _file(test), len(tests[test][1])
        nearness = sum(test in each for each in (exact, near))
        return file != mutant.file, -nearness, narrowest[file], file, count, test

    # what a fixture calls, or a cache keeps, is noted for the first test of a file that needs it
    others = sorted(tests.keys() - own, key=lambda test: (narrowest[_file(test)], test))
    quick, every, more, total = [], [], [], 0.0
    for test in [*sorted(own, key=order), *others]:
        total += tests[test][0]
        if total <= QUICK_S:
            quick.append(test)
        if total <= LONGEST_S:
            every.append(test)
        elif total <= AGAIN_S and again:
            more.append(test)
    chosen = [
        Chosen(quick, ALLOWED_S, few_examples=True),
        Chosen(every, ALLOWED_S + ALLOWED_RATIO * min(total, LONGEST_S)),
        Chosen(more, ALLOWED_S + ALLOWED_RATIO * AGAIN_S, few_examples=True),
    ]
    return [stage for stage in chosen if stage.tests]


def _file(test: str) -> str:
    return test.split("::", maxsplit=1)[0]


def _package_tests(scope: Iterable[str], file: str) -> dict[str, float]:
    """Tests that call any function beside a file: what a module defines is used elsewhere."""
    return _touching(scope, f"{file.rsplit('/', 1)[0]}/", exact=False)


def _touching(scope: Iterable[str], name: str, exact: bool = True) -> dict[str, float]:
    """Tests, and their seconds, that call a function or, where not exact, any of a file."""
    found = {}
    for file in scope:
        known = calls(file)
        numbers = {
            number
            for number, function in enumerate(known["functions"])
            if function.startswith(name)
            if not exact or is_within(function, name)
        }
        for test, (seconds, called) in known["tests"].items():
            if not numbers.isdisjoint(called):
                found[test] = seconds
    return found


def is_within(function: str, name: str) -> bool:
    """Whether a function that is called is the named one, or is defined in it."""
    # the name is that of the source, without what Python puts between
    return function.replace(".<locals>", "") == name or function.startswith(f"{name}.<locals>")


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
    layers = dict.fromkeys(name for name, mutant in left if mutant.kind != "digit")
    judging = dict.fromkeys(file for name in layers for file in test_files(ROOT, LAYERS[name]))
    preload()
    with tempfile.TemporaryDirectory(prefix="netmodel-faults-") as directory:
        copies: Copies = SimpleQueue()
        for number in range(processes):
            copies.put(copied(ROOT, Path(directory, str(number))))
        note_calls(copies, judging)
        require_green(copies, left)
        servers = {}
        if layers:
            servers = {copy: Server(copy, list(judging)) for copy in Path(directory).iterdir()}

        def one(task: tuple[str, Mutant], copy: Path) -> Trial:
            name, mutant = task
            is_source = mutant.kind != "digit"
            skipped = NOT_COUNTED if is_source else frozenset()
            run = servers[copy].runs(mutant, skipped) if is_source else None
            chosen = stages(mutant, LAYERS[name], again, anew=run is None)
            trial = tried(copy, mutant, chosen, run or new_process(copy, skipped))
            if run and trial.outcome == "survived":
                # what a module computed with the function at import is as it was: import it anew
                chosen = stages(mutant, LAYERS[name], again, anew=True)
                trial = tried(copy, mutant, chosen, new_process(copy, skipped))
            return trial

        with RESULTS.open("a", encoding="utf-8") as kept:
            trials = side_by_side(one, left, copies)
            for number, ((name, mutant), trial) in enumerate(trials, 1):
                row = {"layer": name} | asdict(mutant) | asdict(trial)
                kept.write(json.dumps(row) + "\n")
                kept.flush()
                place = f"{mutant.file}:{mutant.line}"
                print(f"{number}/{len(left)} {trial.outcome} {place} {trial.seconds} s", flush=True)


def side_by_side(
    work: Callable[[Task, Path], Outcome], tasks: Iterable[Task], copies: Copies
) -> Iterator[tuple[Task, Outcome]]:
    """What comes out of each task, in their order, each in a copy that no other uses."""

    def one(task: Task) -> tuple[Task, Outcome]:
        copy = copies.get()
        try:
            return task, work(task, copy)
        finally:
            copies.put(copy)

    with ThreadPoolExecutor(copies.qsize()) as pool:
        yield from pool.map(one, tasks)


def require_green(copies: Copies, left: Sequence[tuple[str, Mutant]]) -> None:
    """Ends where tests of figures fail without a fault: then they would seem to catch every one."""
    copy = copies.get()
    digits = [(name, mutant) for name, mutant in left if mutant.kind == "digit"]
    for name, mutant in {name: (name, mutant) for name, mutant in digits}.values():
        run = new_process(copy, frozenset())
        trial = tried(copy, None, stages(mutant, LAYERS[name]), run)
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


def write_scores(
    path: Path, drawn: Sequence[tuple[str, Mutant]], counts: Counts, seed: int
) -> None:
    """Renews the rows of the layers tried, and keeps the others."""
    rows, before = {}, results(is_first=True)
    first_caught = Counter(
        name
        for name, mutant in drawn
        if mutant.key not in equivalent()
        if before.get(mutant.key, {}).get("outcome") in {"caught", "timeout"}
    )
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            rows = {row["layer"]: row for row in csv.DictReader(file)}
    for name in dict.fromkeys(name for name, _ in counts):
        caught, tried = score(counts, name)
        numbers = (first_caught[name], caught, tried, counts[name, "equivalent"])
        row = (name, *numbers, seed, date.today().isoformat())
        rows[name] = dict(zip(COLUMNS, row, strict=True))
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
    parser.add_argument("--again", action="store_true", help="try survivors again, with more tests")
    parser.add_argument("--faults", type=int, help="of all layers; exit code 1 with too few caught")
    parser.add_argument("--csv", type=Path, help="file of scores to renew")
    return parser.parse_args()


def planted(count: int, seed: int) -> list[tuple[str, Mutant]]:
    """Faults of all layers and kinds: constants, operators, keys of readers, digits of tables."""
    draw = random.Random(seed)
    kinds = {"constant": None, "operator": None, "key": ["readers"], "digit": ["data"]}
    packages = [*FORMULA_LAYERS, "path", "readers", "calibration", "judging", "planning"]
    chosen: list[tuple[str, Mutant]] = []
    for number in range(count):
        kind = list(kinds)[number % len(kinds)]
        name = draw.choice(kinds[kind] or packages)
        chosen += [(name, mutant) for mutant in sampled(name, 1, draw.randrange(10**9), [kind])]
    return chosen


def main() -> int:
    given = arguments()
    BUILD.mkdir(parents=True, exist_ok=True)
    if given.faults:
        drawn = planted(given.faults, given.seed)
    else:
        drawn = [
            (name, mutant)
            for name in given.layer or LAYERS
            for mutant in sampled(name, given.count or None, given.seed, given.kind)
        ]
    judge(drawn, given.processes, given.again or given.faults is not None)
    counts = report(drawn)
    if given.csv:
        write_scores(given.csv, drawn, counts, given.seed)
    scores = [score(counts, name) for name in dict.fromkeys(name for name, _ in drawn)]
    caught, tried_count = (sum(column) for column in zip(*scores, strict=True))
    return int(given.faults is not None and caught < LEAST_CAUGHT_RATIO * tried_count)


if __name__ == "__main__":
    sys.exit(main())
