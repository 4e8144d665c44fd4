"""
Coverage-guided fuzzing of one target, or of each in turn, with atheris (libFuzzer).

Usage: fuzz.py TARGET|all SECONDS DIRECTORY
       fuzz.py keep DIRECTORY

New inputs that reach new code stay in DIRECTORY/TARGET/corpus for the next run, and one input for
each place of a defect in DIRECTORY/TARGET/findings; the exit code is 1 where there is any. ``keep``
adds the shortest input for each kind of answer to the corpus of the tests.
"""

import ast
import json
import re
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

LONGEST_INPUT_BYTES = 16384
"""Most samples are shorter; a longer input is slower to change, and shows the same."""
HANG_S = 20
"""Ten times what a target may take, for what no signal of Python interrupts. [s]"""
MOST_RESIDENT_MB = 2048
WORD = re.compile(r"[\w%/+=.:-]{2,24}", re.ASCII)
"""What may be a key, a unit or a layer."""
LARGEST_KEPT_BYTES = 4095
MOST_KEPT = 8
"""Inputs of a target in the corpus of the tests, which then run within seconds."""
VALUES = re.compile(r"'[^']*'|\"[^\"]*\"|[\d.]+|got .*")
"""What differs between two messages of one kind."""
EXECUTED = re.compile(r"stat::number_of_executed_units: +(\d+)")
COVERED = re.compile(r"cov: (\d+)")


def main() -> None:
    """Fuzz what the arguments name."""
    if sys.argv[1] == "keep":
        _keep(Path(sys.argv[2]))
        return
    name, seconds, place = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    if name == "all":
        sys.exit(_each(seconds, place))
    import atheris

    with atheris.instrument_imports(include=["netmodel"]):
        from fuzz_targets import CORPUS, TARGETS

        if name not in TARGETS:
            sys.exit(f"{name} is no target: all, {', '.join(TARGETS)}")
        target, own = TARGETS[name], place / name
        for each in ("corpus", "seeds", "findings"):
            (own / each).mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(target.seeds):
            raw = seed.encode() if isinstance(seed, str) else seed.read_bytes()
            (own / "seeds" / f"{number}").write_bytes(raw)
        words = own / "words.txt"
        words.write_text("".join(f"{json.dumps(word)}\n" for word in _words()), encoding="ascii")
        options = {
            "max_total_time": seconds,
            "max_len": LONGEST_INPUT_BYTES,
            "timeout": HANG_S,
            "rss_limit_mb": MOST_RESIDENT_MB,
            "print_final_stats": 1,
            "artifact_prefix": f"{own}/findings/",
            "dict": words,
        }
        places = [
            own / "corpus",
            own / "seeds",
            *(kept for kept in [CORPUS / name] if kept.is_dir()),
        ]
        arguments = [f"-{key}={value}" for key, value in options.items()] + [*map(str, places)]
        with target.ready() as attempt:
            atheris.Setup(sys.argv[:1] + arguments, _kept(attempt, own / "findings"))
            atheris.Fuzz()


def _kept(attempt: Callable[[bytes], object], findings: Path) -> Callable[[bytes], None]:
    """The attempt, which keeps the first input for each place of a defect, and goes on."""

    def one(raw: bytes) -> None:
        try:
            attempt(raw)
        except Exception as error:  # noqa: BLE001  # any error that is not documented is a finding
            frames = traceback.extract_tb(error.__traceback__)
            own = [frame for frame in frames if "/netmodel/" in frame.filename] or frames
            where = f"{Path(own[-1].filename).stem}-{own[-1].lineno}"
            file = findings / f"{type(error).__name__}-{where}"
            if not file.exists():
                file.write_bytes(raw)
                file.with_suffix(".trace").write_text(
                    "".join(traceback.format_exception(error)), encoding="utf-8"
                )

    return one


def _words() -> Iterator[str]:
    """Short texts in the source: keys of files, units, layers."""
    package = Path(__file__).parents[2] / "netmodel"
    folders = ("readers", "records", "measuring", "framing", "units", "consumption", "tuning")
    trees = (
        ast.parse(path.read_bytes()) for each in folders for path in (package / each).rglob("*.py")
    )
    found = {
        node.value
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return (word for word in sorted(found) if WORD.fullmatch(word))


def _each(seconds: int, place: Path) -> int:
    """Every target in a process of its own; a line for each, and the exit code."""
    from fuzz_targets import TARGETS

    total = 0
    for name in TARGETS:
        done = subprocess.run(
            [sys.executable, __file__, name, str(seconds), str(place)],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        executed, covered = EXECUTED.findall(done.stderr), COVERED.findall(done.stderr)
        findings = [
            path.name for path in (place / name / "findings").iterdir() if path.suffix != ".trace"
        ]
        total += len(findings) + (not executed)
        print(
            f"{name}: {executed[-1] if executed else 'no'} executions, "
            f"{covered[-1] if covered else 'no'} branches, "
            f"findings: {', '.join(findings) or 'none'}",
            flush=True,
        )
        if not executed:
            print(done.stderr[-2000:])
    return 1 if total else 0


def _keep(place: Path) -> None:
    """Add the shortest input for each kind of answer to the corpus of the tests."""
    from fuzz_targets import CORPUS, TARGETS

    for name, target in TARGETS.items():
        kinds: dict[str, bytes] = {}
        with target.ready() as attempt:
            for path in sorted(
                (place / name).glob("corpus/*"), key=lambda each: each.stat().st_size
            ):
                raw = path.read_bytes()
                if len(raw) > LARGEST_KEPT_BYTES:
                    break
                answer = attempt(raw)
                shown = str(answer) if isinstance(answer, Exception) else type(answer).__name__
                kinds.setdefault(VALUES.sub("", shown.rpartition("netmodel-fuzz-")[2]), raw)
        for number, raw in enumerate([*kinds.values()][:MOST_KEPT]):
            (CORPUS / name).mkdir(parents=True, exist_ok=True)
            (CORPUS / name / f"{number}").write_bytes(raw)


if __name__ == "__main__":
    main()
