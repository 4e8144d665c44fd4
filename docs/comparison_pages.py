"""
Every published comparison with its command and answer, from the files of ``make comparisons``.

As a Sphinx extension it writes `page` as MyST Markdown before the documents are read.
"""

import csv
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from catalog_pages import plain

from netmodel.judging._cost_model import MISS_RATIO
from netmodel.records import document

SOURCE = Path("reference/comparisons.csv")
TARGET = Path("reference/generated/comparisons.inc")
COSTS = Path("reference/cpu-ratios.csv")
COSTS_TARGET = Path("reference/generated/cpu-ratios.inc")
PROTOCOLS = Path("reference/protocols.csv")
PROTOCOLS_TARGET = Path("explanation/generated/protocols.inc")

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
    """Each CPU ratio without itself, and those that one set of demands does not reproduce."""
    figures = [one for one in lines if one["width"]]
    words = [one for one in lines if not one["width"]]
    inside = sum(bool(one["inside"]) for one in figures)
    near = sum(float(one["missed"]) <= MISS_RATIO for one in figures)
    width = statistics.median(float(one["width"]) for one in figures)
    lost = [one for one in lines if not one["kept"]]
    summary = (
        f"One set of demands keeps {len(lines) - len(lost)} of {len(lines)} ratios. Of "
        f"{len(figures)} printed figures, each predicted without its case, {inside} are inside "
        f"what the others leave, a range whose ends are a factor of {width:.2f} apart (median); "
        f"{near} are within a factor of {MISS_RATIO:g} of it. "
        f"{sum(bool(one['inside']) for one in words)} of "
        f"{len(words)} statements without a figure, such as *lower*, are inside too."
    )
    head = ("statement", "case", "printed", "ratio", "others leave", "")
    rows = (
        (*_of_cost(one), "" if one["inside"] else "outside")
        for one in lines
        if one["width"] or not one["inside"]
    )
    needs = ("statement", "case", "printed", "ratio", "others leave", "would need")
    needed = ((*_of_cost(one), plain(one["needs"])) for one in lost)
    return "\n\n".join(
        (
            summary,
            "Not reproduced by that set, with the smallest change of the model that would:",
            _table(needs, needed),
            "Each figure without its case:",
            _table(head, rows),
        )
    )


def _of_cost(one: Line) -> tuple[str, ...]:
    columns = ("case", "printed", "printed_ratio", "predicted")
    return (f"`{one['statement']}`", *(plain(one[name]) for name in columns))


def protocols(lines: Sequence[Line]) -> str:
    """The verdict of endpoint times and windows on each comparison of protocols."""
    head = ("statement", "printed", "verdict", "computed", "margin", "from")
    rows = ((f"`{one['id']}`", *(plain(one[name]) for name in _PROTOCOL_COLUMNS)) for one in lines)
    return f"{_table(head, rows)}\n"


_PROTOCOL_COLUMNS = ("printed", "verdict", "computed", "margin", "reason")
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
    pages = (
        (SOURCE, TARGET, page),
        (COSTS, COSTS_TARGET, costs),
        (PROTOCOLS, PROTOCOLS_TARGET, protocols),
    )
    for source, place, written in pages:
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
