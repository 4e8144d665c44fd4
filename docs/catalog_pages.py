"""
Pages of the catalog: each record with its values, their sources, and what is unknown.

As a Sphinx extension it writes `pages` as MyST Markdown before the documents are read.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from written import write

from netmodel.errors import UnknownRecordError
from netmodel.grades import Grade
from netmodel.published import listing
from netmodel.records import catalog, document, record
from netmodel.records.equipment import Observation
from netmodel.records.lookup import document_ids
from netmodel.records.values import Relation, Sourced, Value

if TYPE_CHECKING:
    from netmodel.records.lookup import CatalogRecord

DIRECTORY = Path("reference/generated/catalog")
MOST_POINTS = 12
"""Points of a set that a page shows: more do not fit on a screen."""
_POINT = re.compile(r"(?P<times>.+)\.(?P<form>vertices|samples)\.(?P<number>\d+)\.(?P<key>\w+)")
_URL = re.compile(r"https?://[^\s,;)]+")
_COMPUTED = {Grade.DERIVED, Grade.FITTED, Grade.ASSUMED}
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|$~])")


def pages() -> dict[str, str]:
    """The text of each file by its name: a page for each kind of records, and their index."""
    found = {kind: [record(name, kind) for name in ids] for kind, ids in catalog().items()}
    texts = {f"{kind}.md": _page(kind, records) for kind, records in found.items()}
    return texts | {"index.inc": "\n\n".join(_list(kind, found[kind]) for kind in found)}


def section(kind: str, shown: "CatalogRecord") -> str:
    """A record below a heading: its values, sources and unknown properties."""
    places = {part.provenance: f"{n}" for n, part in enumerate(_distinct(shown.parts), start=1)}
    blocks = [
        f"({_label(kind, shown)})=\n## {plain(shown.title)}",
        f"`{shown.id}`{_family(shown)}; evidence: {', '.join(one.value for one in shown.grades)}",
        plain(shown.description or ""),
        _bullets(_names(shown)),
        *_tables(shown.parts, places),
        "\n".join(f"{number}. {plain(place)}" for place, number in places.items()),
        _documents(shown.parts.values()),
        _bullets(f"Unknown: {plain(text)}" for text in shown.unknown),
        _published(shown),
    ]
    return "\n\n".join(block for block in blocks if block)


def _page(kind: str, records: "Sequence[CatalogRecord]") -> str:
    return "\n\n".join([f"# {kind.capitalize()}", *(section(kind, one) for one in records)])


def _list(kind: str, records: "Iterable[CatalogRecord]") -> str:
    lines = _bullets(f"[`{one.id}`](#{_label(kind, one)}): {plain(one.title)}" for one in records)
    return f"## {kind.capitalize()}\n\n{lines}"


def _label(kind: str, shown: "CatalogRecord") -> str:
    return f"catalog-{kind}-{shown.id}"


def _family(shown: "CatalogRecord") -> str:
    kind = getattr(shown, "kind", None)
    return "" if kind is None else f", {plain(str(getattr(kind, 'value', kind)))}"


def _names(shown: "CatalogRecord") -> Iterator[str]:
    """Adapters of a host and stages of a path, which no table below has."""
    for name in ("adapters", "stages"):
        if names := [getattr(one, "name", one) for one in getattr(shown, name, ())]:
            yield f"{name}: {plain(', '.join(names))}"


def _distinct(parts: Mapping[str, Sourced]) -> Iterable[Sourced]:
    """One part for each place in a source."""
    return {part.provenance: part for part in parts.values()}.values()


def _tables(parts: Mapping[str, Sourced], places: Mapping[str, str]) -> Iterator[str]:
    seen = {name: part for name, part in parts.items() if isinstance(part, Observation)}
    points = {name: part for name, part in parts.items() if _POINT.fullmatch(name)}
    single = {name: part for name, part in parts.items() if name not in seen | points}
    yield _table(("", "as printed", "allows", "grade", "source"), _single_rows(single, places))
    for times in dict.fromkeys(_POINT.sub(r"\g<times>", name) for name in points):
        yield _set(
            times, {n: one for n, one in points.items() if n.startswith(f"{times}.")}, places
        )
    yield _table(
        ("seen", "as printed", "allows", "under", "grade", "source"),
        (
            (*_observed(one), one.grade.value, places[one.provenance])
            for one in seen.values()
            if isinstance(one, Observation)
        ),
    )


def _single_rows(
    parts: Mapping[str, Sourced], places: Mapping[str, str]
) -> Iterator[tuple[str, ...]]:
    for name, one in parts.items():
        yield _words(name), str(one), _allowed(one), one.grade.value, places[one.provenance]


def _observed(one: Observation) -> tuple[str, ...]:
    under = "; ".join(f"{_words(name)} {_joined(shown)}" for name, shown in one.conditions.items())
    return _words(one.quantity), Value.__str__(one), _allowed(one), under


def _set(times: str, parts: Mapping[str, Sourced], places: Mapping[str, str]) -> str:
    """Service times that belong together, point by point."""
    rows: dict[str, dict[str, Sourced]] = {}
    for name, part in parts.items():
        *_, form, number, key = name.rsplit(".", 3)
        rows.setdefault(number, {})[key] = part
    keys = tuple(next(iter(rows.values())))
    shown = [(number, *(_short(row[key]) for key in keys)) for number, row in rows.items()]
    grades = ", ".join(dict.fromkeys(part.grade.value for part in parts.values()))
    sources = ", ".join(dict.fromkeys(places[part.provenance] for part in parts.values()))
    more = f"; {MOST_POINTS} of them are shown" if len(shown) > MOST_POINTS else ""
    caption = (
        f"**{plain(_words(times))}**: {len(shown)} {form}, each a set of times that belong "
        f"together, the first to quote{more} ({grades}; source {sources})"
    )
    return f"{caption}\n\n{_table((form, *map(_words, keys)), shown[:MOST_POINTS])}"


def _short(part: Sourced) -> str:
    """A computed figure with four digits, any other as printed."""
    if not isinstance(part, Value) or part.value is None or part.grade not in _COMPUTED:
        return str(part)
    return f"{float(part.value):.4g} {part.unit}"


def _allowed(part: Sourced) -> str:
    """Interval that a figure allows, in its unit."""
    if not isinstance(part, Value) or part.interval is None:
        return ""
    low, high = part.interval
    is_stated = part.grade in {Grade.STANDARD, Grade.ASSUMED} and part.relation is Relation.EQUAL
    if is_stated or low == high:
        return "exact"
    unit = "" if part.unit == "1" else f" {part.unit}"
    if not high.is_finite():
        return f"from {low}{unit}"
    return f"{low} to {high}{unit}" if low.is_finite() else f"up to {high}{unit}"


def _published(shown: "CatalogRecord") -> str:
    """How much documents print of it, and the command that lists it."""
    try:
        count = len(listing([shown.id]))
    except UnknownRecordError:
        return ""
    names = "row names" if count == 1 else "rows name"
    return f"{count} printed {names} it: `netmodel published {shown.id}`"


def _documents(parts: Iterable[Sourced]) -> str:
    """Titles of the documents that it cites."""
    known = set(document_ids())
    cited = sorted({part.source for part in parts} & known)
    return _bullets(f"{plain(name)}: {plain(str(document(name)))}" for name in cited)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [_row(row) for row in rows]
    return "\n".join([_row(head), "|" + "---|" * len(head), *lines]) if lines else ""


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(plain(cell) for cell in cells)} |"


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _joined(shown: Any) -> str:
    return ", ".join(map(str, shown)) if isinstance(shown, list) else str(shown)


def plain(text: str) -> str:
    """Text in one line, escaped, with its addresses as links."""
    line = " ".join(text.split())
    places = [(found.start(), found.end()) for found in _URL.finditer(line)]
    parts, end = [], 0
    for start, stop in places:
        host = line[start:stop].split("/")[2]
        parts += [_SPECIAL.sub(r"\\\1", line[end:start]), f"[{host}]({line[start:stop]})"]
        end = stop
    return "".join([*parts, _SPECIAL.sub(r"\\\1", line[end:])])


def _write(app: Any) -> None:
    for name, text in pages().items():
        write(Path(app.srcdir) / DIRECTORY / name, text)


def setup(app: Any) -> dict[str, bool]:
    """Write the pages before Sphinx looks for documents."""
    app.connect("builder-inited", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
