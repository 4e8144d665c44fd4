"""
Results of each tool as its format reads them, in tables beside this file.

A table names a sample (``file``) or has a ``text`` of its own, changed in some words, cut off or
repeated, and what is read of it: fields of the measurement, or the words with which it is
``refused``. A list has a value for each run; ``rows`` under ``columns`` are cases of their own. A
figure may be written as the arithmetic that gives it; "none" is a value that is not reported.
"""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from case_tables import cases, is_same
from changes import with_changes
from runs import GONE, reported, values_of, with_values

from netmodel.errors import ParseError
from netmodel.readers import CpuUse, Measurement, read_result

SAMPLES = Path(__file__).parent / "samples"
FOLDERS = {"iperf3-text": "iperf3"}
SOURCE = {"file", "text", "change", "set", "lose", "cut", "lines", "until", "times"}
SOURCE |= {"before", "after"}
ABOUT = {"table", "format", "runs", "first", "last", "whole", "within", "refused", "lacks"}
TABLES = sorted((Path(__file__).parent / "results").glob("*.toml"))


def half_width_bps(size_bytes: float, step_bytes: float, time_s: float, step_s: float) -> float:
    """Return how far 8 (size + step) / (time - step) is above 8 size / time; steps are halves."""
    return 8 * (size_bytes + step_bytes) / (time_s - step_s) - 8 * size_bytes / time_s


def source_of(case: dict[str, Any], folder: Path) -> bytes | Path:
    """Return what is read: a sample as it is, or its bytes after all changes."""
    if not SOURCE & case.keys() - {"file"}:
        return folder / str(case["file"])
    if "text" in case:
        raw = str(case["text"]).encode()
        for old, new in case.get("change", ()):
            assert old.encode() in raw
            raw = raw.replace(old.encode(), new.encode())
    else:
        raw = with_changes(folder / case["file"], *case.get("change", ()))
    if {"set", "lose"} & case.keys():
        raw = gzip.decompress(raw) if raw.startswith(b"\x1f\x8b") else raw
        lost = dict.fromkeys(case.get("lose", ()), GONE)
        raw = json.dumps(with_values(json.loads(raw), case.get("set", {}) | lost)).encode()
    if "until" in case:
        raw = raw.partition(case["until"].encode())[0]
    if "lines" in case:
        raw = b"".join(raw.splitlines(keepends=True)[: case["lines"]])
    before, after = case.get("before", ""), case.get("after", "")
    return before.encode() + raw[: case.get("cut")] * case.get("times", 1) + after.encode()


def require_cpu(cpu: tuple[CpuUse, ...], expected: list[list[Any]]) -> None:
    """Raise where CPU time is not of these ends, scopes, busy CPUs and maybe rates and CPUs."""
    assert len(cpu) == len(expected)
    for use, (side, scope, *figures) in zip(cpu, expected, strict=True):
        assert (use.side.value, use.scope) == (side, scope)
        found = (use.busy_cpu_count, use.payload_rate_bps, use.installed_cpu_count)
        for value, figure in zip(found, figures, strict=False):
            assert is_same(value, figure, 2e-3), (value, figure)


def require(run: Measurement, number: int, case: dict[str, Any]) -> None:
    """Raise where a run is not as a case has it."""
    named = case.keys() - SOURCE - ABOUT
    if case.get("whole"):
        names = {{"why": "why_no_goodput", "note": "notes"}.get(name, name) for name in named}
        assert reported(run).keys() == {name for name in names if case.get(name) != "none"}
    for name in named:
        expected = case[name]
        match name:
            case "cpu":
                require_cpu(run.cpu, expected)
            case "note":
                assert any(expected in note for note in run.notes), run.notes
            case "notes":
                per_run = expected and isinstance(expected[0], list)
                assert list(run.notes) == (expected[number] if per_run else expected)
            case "why" | "error" if expected != "none" and not isinstance(expected, list):
                assert expected in str(run.counted.why_no_goodput if name == "why" else run.error)
            case _:
                one = expected[number] if isinstance(expected, list) else expected
                value = values_of(run)[{"why": "why_no_goodput"}.get(name, name)]
                assert is_same(
                    value, one, case.get("within", 1e-9), half_width_bps=half_width_bps
                ), (name, value, one)
    assert not any(case.get("lacks", "\0") in note for note in run.notes)


@pytest.mark.parametrize("case", [*cases(*TABLES)])
def test_a_result_is_read_as_its_table_says(case: dict[str, Any]) -> None:
    format_name = case.get("format", case["table"]) or None
    source = source_of(case, SAMPLES / FOLDERS.get(case["table"], case["table"]))
    if "refused" in case:
        with pytest.raises(ParseError) as caught:
            read_result(source, format_name)
        assert caught.value.source == (str(source) if isinstance(source, Path) else "<bytes>")
        assert case["refused"] in caught.value.problem
        return
    found = read_result(source, format_name)
    lists = [
        value
        for name, value in case.items()
        if isinstance(value, list) and name not in SOURCE | {"cpu", "notes"}
    ]
    if case.get("first") or case.get("last"):
        found = found[:1] if case.get("first") else found[-1:]
    else:
        assert len(found) == case.get("runs", len(lists[0]) if lists else 1)
    for number, run in enumerate(found):
        require(run, number, case)
