"""
Rows against a second reading of the documents.

`tests/data/figures/<document>.csv` lists each figure of a document with its place, its conditions,
and the ids of the rows that hold it.
"""

import csv
import re
from dataclasses import replace
from pathlib import Path

import pytest

from netmodel.published import Row, listing

READINGS = Path(__file__).parents[1] / "data" / "figures"
WORDS = {"half": 0.5, "a": 1, "one": 1, "single": 1, "same": 1, "two": 2, "both": 2, "twice": 2}
WORDS |= {"doubled": 2, "doubling": 2, "three": 3, "eight": 8}
"""Words that stand for a figure, as the documents print them."""
WITHOUT_FIGURE = frozenset({"roce-against-osa7s-streaming-cpu", "rps-osa7s-time-10"})
"""Rows with the end that words set: no more than the baseline, at least as long."""
OTHER_MTU = re.compile("-mtu-9000$")
"""Ends the ids of rows that a slide repeats from another one, at the larger MTU."""
OF_TABLES = ("table-", "difference-", "rps-line-speed-")
"""Begins the ids of rows that are made from tables, which a test of their own holds, and of those
that a sentence on line speed makes of charts at line speed."""
NOT_LISTED = frozenset(
    {
        *("rps-one-busy-cpu", "rps-one-connection", "kvm-same-host-small-payload"),
        "powervm-iperf2-iperf3",
    }
)
"""Rows of words alone, which the second reading has inside other lines."""
DOCUMENTS = ("adapter", "kvm", "powervm", "smcr-distance", "zvm")


def readings(document: str) -> dict[str, dict[str, str]]:
    """Return the line of the second reading by id of the row that it belongs to."""
    with (READINGS / f"{document}.csv").open(encoding="utf-8", newline="") as file:
        return {name: line for line in csv.DictReader(file) for name in line["used_by"].split()}


def numbers(figure: str) -> list[float]:
    """Return the figure as one number, or as both ends of a range; the dash of 5-20% is no sign."""
    if figure.lower() in WORDS:
        return [WORDS[figure.lower()]]
    text = re.sub(r"(\d%?)-(?=\d)", r"\1 ", figure)
    return sorted(abs(float(number)) for number in re.findall(r"-?\d+(?:\.\d+)?", text))


def faults(row: Row, line: dict[str, str]) -> list[str]:
    """List what a row has otherwise than the second reading."""
    found = [] if line["place"] in row.place else [f"place {line['place']}"]
    # a change of x percent is a ratio of 1 + x / 100 or 1 - x / 100, or x times as much
    read = numbers(line["figure"])
    possible = [ratio for x in read for ratio in (x, 1 + x / 100, 1 - x / 100, 1 + x)]
    ends = [] if row.id in WITHOUT_FIGURE else [row.low, row.high]
    found += [
        f"figure {line['figure']}"
        for end in dict.fromkeys(ends)
        if end is not None and not any(end == pytest.approx(x, rel=1e-12) for x in possible)
    ]
    for key, text in (("mtu", line["mtu"]), ("connections", line["connections"])):
        if text and key in row.of and not {int(each) for each in text.split()} & {*row.of[key]}:
            found.append(f"{key} {text}")
    return found


@pytest.mark.parametrize("document", DOCUMENTS)
def test_rows_have_the_figures_that_their_document_prints(document: str) -> None:
    lines = readings(document)
    rows = [row for row in listing() if row.document == document and row.id not in NOT_LISTED]
    found = {}
    for row in rows:
        if row.id in lines:
            found[row.id] = faults(row, lines[row.id])
        elif not row.id.startswith(OF_TABLES) and OTHER_MTU.sub("", row.id) not in lines:
            found[row.id] = ["not listed"]
    assert {name: each for name, each in found.items() if each} == {}
    assert len(found) > 10


def test_another_figure_is_noticed() -> None:
    lines = readings("adapter")
    row = next(row for row in listing() if row.id == "osa7s-outbound-limit-slide-35")
    assert faults(row, lines[row.id]) == []
    assert faults(replace(row, low=20.6, high=20.6), lines[row.id]) == ["figure 20.5"]
    assert faults(replace(row, place="slide 36"), lines[row.id]) == ["place slide 35"]
    assert faults(replace(row, of={"mtu": (9000,)}), lines[row.id]) == ["mtu 1500"]
