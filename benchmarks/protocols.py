"""
How every published comparison of protocols over distance stands to the model.

    python -m benchmarks.protocols docs/reference/protocols.csv

writes a line for each statement that compares two cases, and prints how many have each verdict.
"""

import argparse
import csv
import sys
from collections import Counter
from pathlib import Path

from netmodel.judging._protocol_verdicts import protocol_verdicts

COLUMNS = ("document", "id", "locator", "printed", "verdict", "computed", "margin", "reason")


def lines() -> list[dict[str, str]]:
    """A line for each comparison, as the file has it."""
    rows = [row.to_dict() for row in protocol_verdicts()]
    return [{name: row[name] for name in COLUMNS} for row in rows]


def main() -> None:
    """Write the file, and print counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?")
    given = parser.parse_args()
    rows = lines()
    if given.file is not None:
        with given.file.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    for verdict, count in Counter(row["verdict"] for row in rows).items():
        print(f"{verdict:14} {count:3} of {len(rows)}")


if __name__ == "__main__":
    sys.exit(main())
