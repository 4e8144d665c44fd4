"""
Every published comparison with its command and answer, from the files of ``make comparisons``.

As a Sphinx extension it writes `page` as MyST Markdown before the documents are read.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from catalog_pages import plain

from netmodel.records import document

SOURCE = Path("reference/comparisons.csv")
TARGET = Path("reference/generated/comparisons.inc")
COSTS = Path("reference/cpu-ratios.csv")
COSTS_TARGET = Path("reference/generated/cpu-ratios.inc")

Line: TypeAlias = Mapping[str, str]
"""One line of the file: a statement, its command and the answer."""


def counts(lines: Sequence[Line]) -> str:
    """How many comparisons of each document one command reaches."""
    rows = []
    for name in dict.fromkeys(one["document"] for one in lines):
        own = [one for one in lines if one["document"] == name]
        figures = [one for one in own if one["has_figure"]]
        rows.append(
            (
                f"`{name}`",
                f"{_reached(figures)} of {len(figures)}",
                f"{_reached(own)} of {len(own)}",
                str(sum(bool(one["model"]) for one in own)),
            )
        )
    head = ("document", "with a figure", "all, words included", "with a model's ratio")
    return _table(head, rows)


def page(lines: Sequence[Line]) -> str:
    """Counts, and a table of each document."""
    blocks = [counts(lines)]
    for name in dict.fromkeys(one["document"] for one in lines):
        own = [one for one in lines if one["document"] == name]
        blocks += [f"## {plain(document(name).title)}", _table(_HEAD, map(_row, own))]
        left = [one for one in own if not one["reached"]]
        if left:
            blocks += ["Not reached:", "\n".join(_left(left))]
    return "\n\n".join(blocks) + "\n"


def costs(lines: Sequence[Line]) -> str:
    """Which CPU ratios follow from counts, and what the others would need."""
    tally = {"counts alone": 0, "other ratios": 0, "not kept": 0, "not determined": 0}
    for one in lines:
        tally[one["follows"] or ("not determined" if one["kept"] else "not kept")] += 1
    agreeing = sum(bool(one["kept"]) for one in lines)
    counts_alone, others = tally["counts alone"], tally["other ratios"]
    summary = (
        f"Of {len(lines)} ratios, {agreeing} agree with one set of demands. {counts_alone} follow "
        f"from counts alone and {others} from the other ratios; for {tally['not determined']} the "
        f"others leave a wider range, and {tally['not kept']} disagree."
    )
    head = ("statement", "case", "printed", "ratio", "others leave", "follows from", "would need")
    rows = (
        (
            f"`{one['statement']}`",
            plain(one["case"]),
            plain(one["printed"]),
            plain(one["printed_ratio"]),
            plain(one["others_leave"]),
            one["follows"],
            plain(one["needed"]),
        )
        for one in lines
    )
    return f"{summary}\n\n{_table(head, rows)}\n"


_HEAD = ("command", "quantity", "printed", "place", "ratio", "model", "together")


def _row(one: Line) -> tuple[str, ...]:
    command = one["command"].removeprefix("netmodel compare ").replace("|", "\\|")
    return (
        f"`{command}`",
        one["quantity"].replace("_", " "),
        plain(one["printed"]),
        plain(one["locator"]),
        plain(one["printed_ratio"]),
        plain(one["model"]),
        plain(one["together"]),
    )


def _left(lines: Iterable[Line]) -> Iterator[str]:
    for one in lines:
        yield f"- `{one['statement']}`: {plain(one['why_not'])}"


def _reached(lines: Iterable[Line]) -> int:
    return sum(bool(one["reached"]) for one in lines)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in (head, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])


def _write(app: Any) -> None:
    directory = Path(app.srcdir)
    for source, place, written in ((SOURCE, TARGET, page), (COSTS, COSTS_TARGET, costs)):
        with (directory / source).open(encoding="utf-8", newline="") as file:
            text = written(list(csv.DictReader(file)))
        target = directory / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_text("utf-8") != text:
            target.write_text(text, "utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Write the tables before Sphinx looks for documents."""
    app.connect("builder-inited", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
