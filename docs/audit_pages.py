"""
Faults of the bundled datasets, as tables.

As a Sphinx extension it writes `page` as MyST Markdown before the documents are read.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from catalog_pages import plain

from netmodel.cli._audit import LAWS
from netmodel.judging import audit_dataset
from netmodel.judging._audit_findings import Audit, Severity
from netmodel.records import dataset, dataset_ids

TARGET = Path("reference/generated/audit.inc")


def audits() -> list[Audit]:
    """Return the audits of all bundled datasets."""
    return [audit_dataset(dataset(name)) for name in dataset_ids()]


def page(found: list[Audit]) -> str:
    """How much was compared, and each finding, of all of them."""
    return "\n\n".join(section(each) for each in found) + "\n"


def section(audit: Audit) -> str:
    """Comparisons and findings of one audit."""
    faults, count = len(audit.faults), len(audit.findings)
    blocks = [
        f"## {plain(audit.name)}",
        f"{_count(faults, 'fault')}, {_count(count - faults, 'note')}.",
        table(("check", "compared", "findings", "rounding alone"), _comparisons(audit)),
        "\n".join(f"- {plain(note)}" for note in audit.notes),
    ]
    for severity in Severity:
        rows = [
            (each.place, each.printed, each.allowed, LAWS.get(each.kind, each.message))
            for each in audit
            if each.severity is severity
        ]
        if rows:
            head = ("place", "printed", "allowed", "what is wrong")
            blocks += [
                f"### {severity.value.capitalize()}s: {plain(audit.name)}",
                table(head, rows),
            ]
    return "\n\n".join(filter(None, blocks))


def _comparisons(audit: Audit) -> Iterator[tuple[str, ...]]:
    for kind in sorted({*audit.checked, *(each.kind for each in audit)}):
        found = sum(each.kind == kind for each in audit)
        law = f"{kind}: {LAWS[kind]}" if kind in LAWS else kind
        yield law, str(audit.checked[kind]), str(found), str(audit.explained[kind])


def _count(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Markdown of rows below a head; nothing without rows."""
    lines = [f"| {' | '.join(map(plain, row))} |" for row in rows]
    return "\n".join([f"| {' | '.join(head)} |", "|" + "---|" * len(head), *lines]) if lines else ""


def _write(app: Any) -> None:
    target = Path(app.srcdir) / TARGET
    target.parent.mkdir(parents=True, exist_ok=True)
    text = page(audits())
    if not target.exists() or target.read_text("utf-8") != text:
        target.write_text(text, "utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Write it before Sphinx looks for documents."""
    app.connect("builder-inited", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
