"""Print or write the table."""

import argparse
import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.accuracy.methods import METHODS
from benchmarks.accuracy.table import Outcome, Row, met, outcomes, rows_of, texts

RATIO_DIGITS = 4
"""Of ratios in the files: a hundredth of a per cent, less than the digits of the figures."""


def _rounded(row: Row | Outcome) -> dict[str, object]:
    cells = row._asdict()
    if isinstance(row, Outcome):
        cells["error"] = met(cells.pop("is_met"))
        cells["coverage"] = met(cells.pop("is_covered"))
    return {
        name: f"{cell:.{RATIO_DIGITS}f}" if isinstance(cell, float) else cell
        for name, cell in cells.items()
    }


def _write(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main() -> None:
    """Print or write the table."""
    parser = argparse.ArgumentParser(description="Errors of predictions over connections.")
    parser.add_argument("--json", action="store_true", help="rows and targets as JSON")
    parser.add_argument("--csv", type=Path, metavar="DIR", help="also write the tables of the docs")
    parser.add_argument("--only", metavar="WORD", default="", help="methods whose name has WORD")
    given = parser.parse_args()
    rows = [*rows_of(each for each in METHODS if given.only in each.name)]
    aims = [*outcomes(rows)]
    if given.csv:
        _write(given.csv / "accuracy.csv", [_rounded(row) for row in rows])
        _write(given.csv / "accuracy-targets.csv", [_rounded(aim) for aim in aims])
    if given.json:
        document = {
            "rows": [each._asdict() for each in rows],
            "targets": [each._asdict() for each in aims],
        }
        print(json.dumps(document, indent=2))
    else:
        print("\n".join(texts(rows, aims)))


if __name__ == "__main__":
    main()
