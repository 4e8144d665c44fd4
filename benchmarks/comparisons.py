"""
Every published comparison as a ``netmodel compare`` command, with its answer.

    python benchmarks/comparisons.py docs/reference/comparisons.csv

writes a line for each statement that compares two cases, and prints how many of each document one
command reaches.
"""

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from netmodel.api._arguments import DistanceArguments
from netmodel.api._compare import CompareQuestion
from netmodel.errors import NetmodelError
from netmodel.judging._compared import Compared, ComparedRow
from netmodel.judging._compared_cases import interval_text, quoted, short_name, vocabulary, word
from netmodel.judging._compared_facts import COUNT, Case, conditions
from netmodel.records import Statement, statements

COLUMNS = (
    *("document", "statement", "locator", "quantity", "printed", "has_figure", "command"),
    *("reached", "printed_ratio", "model", "model_basis", "together", "why_not"),
)
_NOT_IN_CASES = frozenset({"side", "direction", "workload", "mtu_bytes"})
"""Parts of a subject that are options of their own, or belong to the quantity."""
_OF_PROTOCOLS = frozenset({"transport", "adapter", "distance_km"})
"""Conditions that ``--protocol`` and ``--km`` ask; adapters go with the protocol."""
_PLAIN_KEYS = frozenset({"adapter", "path", "workload", "setting", "tool", "host", "transport"})
"""Conditions whose values say by themselves what they are."""


def comparisons(document: str | None = None) -> list[Statement]:
    """Statements that compare two cases."""
    return [each for each in statements(document) if each.baseline is not None]


def arguments_of(about: Statement) -> list[str]:
    """The command that asks what a statement answers."""
    assert about.baseline is not None
    subject, baseline = conditions(about.subject), conditions(about.baseline)
    if "path" not in subject and len(about.paths) == 1:
        subject["path"] = about.paths[0]
    arguments: list[str] = []
    works, counts = about.subject.all_workloads, about.subject.connection_counts
    if works and not about.baseline.all_workloads:
        arguments += ["--workload", works[0]]
    if "mtu_bytes" in subject and "mtu_bytes" not in baseline:
        arguments += ["--mtu", str(subject["mtu_bytes"])]
    if len(counts) == 1 and not about.baseline.connection_counts:
        arguments += ["--connections", str(counts[0])]
    variant = {key: each for key, each in subject.items() if key not in _NOT_IN_CASES}
    before = {key: each for key, each in baseline.items() if key not in _NOT_IN_CASES}
    for case, whole in ((variant, subject), (before, baseline)):
        if "mtu_bytes" in baseline and "mtu_bytes" in whole:
            case["mtu_bytes"] = whole["mtu_bytes"]
    km = variant.get("distance_km")
    if not {*variant, *before} - _OF_PROTOCOLS and _is_change_of_protocol(before, variant):
        distance = [] if km is None else ["--km", f"{km:g}"]
        return [*arguments, "--protocol", word(variant["transport"]), *distance]
    if about.baseline.connection_counts:
        variant[COUNT], before[COUNT] = counts[0], about.baseline.connection_counts[0]
    return [*arguments, "--baseline", _text(before), "--variant", _text(variant)]


def _is_change_of_protocol(before: Case, variant: Case) -> bool:
    """Whether a pair of cases is what ``--protocol smc-r`` asks."""
    return (before.get("transport"), variant.get("transport")) == ("tcp", "smcr")


def _text(case: Case) -> str:
    """A case with values alone where they say what they are."""
    known = vocabulary()
    tokens = []
    for key, value in case.items():
        text = word(value)
        is_plain = key in _PLAIN_KEYS and known.keys_of(text)[:1] == [key]
        tokens.append(quoted(text) if is_plain else f"{short_name(key)}={quoted(text)}")
    return " ".join(tokens)


def _in_shell(argument: str) -> str:
    return f'"{argument}"' if set(argument) & set(" '") else argument


def question_of(arguments: Sequence[str]) -> CompareQuestion:
    """The question that a command asks."""
    pairs = dict(zip(arguments[::2], arguments[1::2], strict=True))
    return CompareQuestion(
        baseline=pairs.get("--baseline"),
        variant=pairs.get("--variant", ()),
        workload=pairs.get("--workload"),
        mtu_bytes=pairs.get("--mtu"),
        connections=pairs.get("--connections"),
        distance=DistanceArguments(protocol=pairs.get("--protocol"), km=pairs.get("--km")),
    )


def line_of(about: Statement) -> dict[str, str]:
    """A line of the file."""
    arguments = arguments_of(about)
    line = dict.fromkeys(COLUMNS, "")
    line |= {
        "document": about.source,
        "statement": about.id,
        "locator": about.locator,
        "quantity": about.quantity.value,
        "printed": about.amount_text,
        "has_figure": "yes" if about.has_figure else "",
        "command": "netmodel compare " + " ".join(map(_in_shell, arguments)),
    }
    try:
        results = question_of(arguments).compared()
    except NetmodelError as error:
        return line | {"why_not": str(error)}
    rows = [row for result in results for row in _rows_of(about, result)]
    if not rows:
        return line | {"why_not": "the answer does not hold the statement"}
    row = rows[0]
    return line | {
        "reached": "yes",
        "printed_ratio": interval_text(row.printed_low, row.printed_high),
        "model": _model(row),
        "model_basis": "" if row.model is None else row.model.basis,
        "together": interval_text(row.low, row.high),
    }


def _rows_of(about: Statement, result: Compared) -> Iterator[ComparedRow]:
    for row in result.rows:
        if any(fact.id == about.id for fact in row.printed):
            yield row


def _model(row: ComparedRow) -> str:
    """The ratio that a model gives; else what the evidence computes for the statement."""
    if row.model is None:
        return ""
    text = f"{row.model.value:.3g}"
    return f"{text} (bounds)" if row.model.is_bound_ratio else text


def lines(document: str | None = None) -> list[dict[str, str]]:
    """A line for each comparison."""
    return [line_of(about) for about in comparisons(document)]


def main() -> None:
    """Write the file, and print counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?")
    given = parser.parse_args()
    found = lines()
    if given.file is not None:
        with given.file.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(found)
    total: Counter[tuple[str, str]] = Counter()
    reached: Counter[tuple[str, str]] = Counter()
    for line in found:
        for kind in ("all", "with a figure") if line["has_figure"] else ("all",):
            total[line["document"], kind] += 1
            reached[line["document"], kind] += bool(line["reached"])
    for key, count in total.items():
        print(f"{key[0]:14} {key[1]:14} {reached[key]:3} of {count}")
    for line in found:
        if not line["reached"]:
            print(f"not reached: {line['statement']}: {line['command']}: {line['why_not']}")


if __name__ == "__main__":
    sys.exit(main())
