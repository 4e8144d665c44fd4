"""What plans rest on, as a section of a page: records, statements, settings and their sources."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from netmodel.errors import UnknownRecordError
from netmodel.planning import Plan
from netmodel.planning._plan import STATEMENT
from netmodel.report._page_parts import (
    Block,
    Cell,
    Column,
    Folded,
    Table,
    Texts,
    table_of,
)

if TYPE_CHECKING:
    from netmodel.records._equipment import Record
    from netmodel.records._values import Sourced


def assumptions(plans: Sequence[Plan]) -> tuple[Block, ...]:
    """Every record with its values, and the documents that they cite."""
    from netmodel.records import document, statement

    blocks: list[Block] = []
    shown: list[tuple[Record, dict[str, Sourced]]] = []
    cited: dict[str, None] = {}
    used = (record for plan in plans if plan.demand for record in plan.demand.records)
    for record in {(type(each), each.id): each for each in used}.values():
        parts = record.parts
        if not parts:
            continue
        cited.update(dict.fromkeys(part.source for part in parts.values()))
        shown.append((record, parts))
        summary = f"{record.title} ({record.id}): {len(parts)} value{'s' * (len(parts) != 1)}"
        unknown = Texts(tuple(f"not known: {text}" for text in record.unknown), is_list=True)
        described = Texts((record.description,)) if record.description else None
        blocks.append(
            Folded(
                summary,
                tuple(
                    each
                    for each in (described, _values(parts), unknown if record.unknown else None)
                    if each is not None
                ),
            )
        )
    names = {
        stage.name.partition(" (")[0].removeprefix(f"{STATEMENT} ")
        for plan in plans
        for stage in plan.stages
        if stage.name.startswith(f"{STATEMENT} ")
    }
    claims = [statement(name) for name in sorted(names)]
    if claims:
        cited.update(dict.fromkeys(claim.source for claim in claims))
        blocks.append(
            table_of(
                "Published statements that set bounds.",
                (
                    Column("Statement", [Cell(claim.id) for claim in claims]),
                    Column("What it says", [Cell(claim.claim) for claim in claims]),
                    Column("Grade", [Cell(claim.grade.value) for claim in claims]),
                    Column("Source", [_source(claim.source, claim.locator) for claim in claims]),
                    Column("Note", [Cell(claim.note or "") for claim in claims]),
                ),
            )
        )
    settings = plans[0].settings if plans else ()
    if settings:
        blocks.append(
            table_of(
                "Settings that service times were measured with: with others, measure again.",
                (
                    Column("Of", [Cell(each.of) for each in settings]),
                    Column("Setting", [Cell(f"{each.name} {each.value}") for each in settings]),
                    Column("Source", [_source(each.source, each.locator) for each in settings]),
                    Column("Note", [Cell(each.note) for each in settings]),
                ),
            )
        )
        cited.update(dict.fromkeys(each.source for each in settings))
    if shown:
        grades = [", ".join(grade.value for grade in record.grades) for record, _ in shown]
        blocks.insert(
            0,
            table_of(
                "Records that the plan was made with.",
                (
                    Column("Record", [Cell(record.title, record.id) for record, _ in shown]),
                    Column("Grades of evidence", [Cell(text) for text in grades]),
                    Column("Values", [Cell(f"{len(parts)}") for _, parts in shown], is_number=True),
                ),
            ),
        )
    documents = []
    for name in cited:
        try:
            documents.append((name, str(document(name))))
        except UnknownRecordError:
            documents.append((name, "as the record names it"))
    if documents:
        blocks.append(
            Table(
                "Sources that records and statements cite.",
                (
                    Column("Source", [Cell(name) for name, _ in documents]),
                    Column("Document", [Cell(text) for _, text in documents]),
                ),
                ids=tuple(_anchor(name) for name, _ in documents),
            )
        )
    return tuple(blocks)


def _values(parts: "Mapping[str, Sourced]") -> Table:
    """A row for the values of a record that follow each other with one source, grade and note."""
    rows = [
        (origin, "; ".join(f"{_words(name)} {part}" for name, part in group))
        for origin, group in groupby(parts.items(), key=lambda item: _origin(item[1]))
    ]
    return table_of(
        "Values, with grade of evidence and source.",
        (
            Column("Values", [Cell(texts) for _, texts in rows]),
            Column("Grade", [Cell(grade) for (grade, *_), _ in rows]),
            Column("Source", [_source(source, locator) for (_, source, locator, _), _ in rows]),
            Column("Note", [Cell(note) for (*_, note), _ in rows]),
        ),
    )


def _origin(part: "Sourced") -> tuple[str, str, str, str]:
    return part.grade.value, part.source, part.locator, part.note or ""


def _words(name: str) -> str:
    return name.replace("_", " ").replace(".", " / ")


def _source(source: str, locator: str) -> Cell:
    return Cell(source, locator, href=_anchor(source))


def _anchor(source: str) -> str:
    """Id of the row of a source: letters and digits only, which any id may have."""
    return "source-" + "".join(each if each.isalnum() else "-" for each in source)
