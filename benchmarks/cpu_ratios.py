"""
Each published CPU ratio against what all others leave of it, by messages, frames and bytes.

    python benchmarks/cpu_ratios.py docs/reference/cpu-ratios.csv

The model is `netmodel.judging._cost_model`; the two sides of a case are left out together.
"""

import argparse
import csv
import sys
from collections.abc import Iterator
from pathlib import Path

from netmodel.judging._compared_cases import interval_text
from netmodel.judging._cost_left_out import LeftOutRatio, left_out_costs

COLUMNS = (
    *("document", "statement", "locator", "printed", "case", "printed_ratio", "kept"),
    *("predicted", "width", "inside", "missed", "follows", "needs"),
)


def lines() -> Iterator[dict[str, str]]:
    """A line for each statement, side and number of connections."""
    for each in left_out_costs():
        fact, (_, low, high) = each.ratio.fact, each.predicted
        figure = each.has_figure and each.is_identified
        yield {
            "document": fact.source,
            "statement": fact.id,
            "locator": fact.locator,
            "printed": fact.printed,
            "case": case_text(each),
            "printed_ratio": interval_text(fact.low, fact.high),
            "kept": "yes" if each.is_kept else "",
            "predicted": interval_text(low, high),
            "width": f"{high / low:.3f}" if figure else "",
            "inside": "yes" if each.is_inside else "",
            "missed": f"{each.missed_ratio:.3f}" if figure else "",
            "follows": "yes" if each.follows else "",
            "needs": each.needs,
        }


def case_text(each: LeftOutRatio) -> str:
    """Workload, MTU, connections and side."""
    subject, count = each.ratio.fact.subject, each.ratio.connection_count
    mtu = f", MTU {subject['mtu_bytes']}" if "mtu_bytes" in subject else ""
    at = f", {count} connection{'s' * (count > 1)}" if count else ""
    return f"{subject['workload']}{mtu}{at}, {each.ratio.side}"


def main() -> None:
    """Write the file, and print counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?")
    given = parser.parse_args()
    found = list(lines())
    if given.file is not None:
        with given.file.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(found)
    figures = [one for one in found if one["width"]]
    inside = sum(bool(one["inside"]) for one in figures)
    print(f"{len(found)} ratios, {sum(bool(one['kept']) for one in found)} kept by one set")
    print(f"{inside} of {len(figures)} figures inside what the others leave")


if __name__ == "__main__":
    sys.exit(main())
