"""
What the ledger says of each document, as tables.

As a Sphinx extension it writes `section` of each document as MyST Markdown before the documents
are read.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from catalog_pages import plain

from netmodel.judging import evidence
from netmodel.judging._evidence._kinds import EvidenceKind
from netmodel.judging._evidence._ledger import Evidence
from netmodel.records import document
from netmodel.report._evidence_text import kind_words, model_words, of_kinds, waits

TARGET = Path("explanation/generated/evidence.inc")
HOLDING = (
    EvidenceKind.CONSISTENT,
    EvidenceKind.DERIVED,
    EvidenceKind.LOOK_UP,
    EvidenceKind.NOTATION,
    EvidenceKind.INPUT,
)
_EXAMPLE_COUNT = 3
"""Claims of each kind that fit a line."""
_LONGEST_REASON = 160
"""Characters of a reason in a table; the command prints it whole."""


def counts(ledger: Sequence[Evidence]) -> str:
    """How many statements of each document count as each kind."""
    names = list(dict.fromkeys(row.statement.source for row in ledger))
    tally = Counter((row.statement.source, row.kind) for row in ledger)
    rows = [
        (kind_words(kind), *(str(tally[name, kind] or "") for name in names), _sum(tally, kind))
        for kind in EvidenceKind
    ]
    return table(("kind", *names, "all"), rows)


def section(rows: Sequence[Evidence]) -> str:
    """What was predicted, what else holds, what disagrees and what waits, of one document."""
    name = rows[0].statement.source
    predicted = of_kinds(rows, EvidenceKind.PREDICTED)
    blocks = [
        f"### {plain(document(name).title)}",
        f"Document `{name}`, {len(rows)} statements.",
        "**Predicted without being an input**",
        table(("claim", "printed", "computed", "by"), map(_claim, _by_model(predicted)))
        or "No statement.",
        "**Holds besides**",
        table(("kind", "statements", "such as"), _held(rows)) or "No statement.",
        "**Contradicted or doubtful**",
        table(("claim", "printed", "computed", "why"), _disagreeing(rows)) or "No statement.",
        "**Waits for a model**",
        table(("model", "statements"), ((model, str(n)) for model, n in waits(rows).items())),
    ]
    return "\n\n".join(block for block in blocks if block)


def page(ledger: Sequence[Evidence]) -> str:
    """Counts of all documents, and a section for each."""
    names = dict.fromkeys(row.statement.source for row in ledger)
    sections = (section([row for row in ledger if row.statement.source == name]) for name in names)
    return "\n\n".join([counts(ledger), *sections]) + "\n"


def _sum(tally: Counter[tuple[str, EvidenceKind]], kind: EvidenceKind) -> str:
    return str(sum(count for (_, each), count in tally.items() if each is kind))


def _by_model(rows: Iterable[Evidence]) -> list[Evidence]:
    return sorted(rows, key=lambda row: row.computed_by)


def _claim(row: Evidence) -> tuple[str, ...]:
    about = row.statement
    place = f"{about.wording} ({about.locator})"
    return place, about.claim, row.computed, model_words(row)


def _held(rows: Sequence[Evidence]) -> Iterator[tuple[str, ...]]:
    for kind in HOLDING:
        # changes say more than facts of a set-up
        some = sorted(of_kinds(rows, kind), key=lambda row: row.statement.change is None)
        if some:
            claims = list(dict.fromkeys(row.statement.claim for row in some))[:_EXAMPLE_COUNT]
            yield kind_words(kind), str(len(some)), ", ".join(claims)


def _disagreeing(rows: Sequence[Evidence]) -> Iterator[tuple[str, ...]]:
    for row in of_kinds(rows, EvidenceKind.CONTRADICTED, EvidenceKind.DOUBTFUL):
        place, printed, computed, _ = _claim(row)
        yield place, printed, computed, f"{kind_words(row.kind)}: {_short(row)}"


def _short(row: Evidence) -> str:
    reason = row.reason
    if len(reason) <= _LONGEST_REASON:
        return reason
    return f"{reason[:_LONGEST_REASON].rsplit(' ', 1)[0]} ..."


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(map(plain, row))} |" for row in rows]
    return "\n".join([f"| {' | '.join(head)} |", "|" + "---|" * len(head), *lines]) if lines else ""


def _write(app: Any) -> None:
    target = Path(app.srcdir) / TARGET
    target.parent.mkdir(parents=True, exist_ok=True)
    text = page(evidence())
    if not target.exists() or target.read_text("utf-8") != text:
        target.write_text(text, "utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Write the sections before Sphinx looks for documents."""
    app.connect("builder-inited", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
