"""Rows: one printed figure or ratio each, with the conditions that its document fixes."""

import csv
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from netmodel._display import short_repr
from netmodel._reading import read_text
from netmodel._text import meant_text
from netmodel.errors import ParseError, UnknownRecordError
from netmodel.records.files import found_files, kept, read_toml

Condition: TypeAlias = str | int | float
Conditions: TypeAlias = Mapping[str, tuple[Condition, ...]]
Case: TypeAlias = Mapping[str, Condition]

PLACES = frozenset({"client", "server", "path", "adapter"})
"""Conditions that say where. A figure that fixes some answers a case that names one of them."""

FAMILIES: Mapping[str, tuple[str, int]] = {
    **dict.fromkeys(("throughput", "transaction_rate"), ("rate", 1)),
    "transaction_time": ("rate", -1),  # closed loop, equal connections: rate = N / time
    **dict.fromkeys(("cpu_consumption", "cpu_time_per_transaction", "cpu_time"), ("cpu", 1)),
    "cpu_efficiency": ("cpu", -1),
}
"""Quantities whose ratios are those of each other, or their reciprocals."""
QUANTITIES = (
    *(*FAMILIES, "cpu_utilisation", "performance", "limit", "drop_count", "buffer_memory"),
    *("buffer_count", "buffer_size", "queue_length", "distance"),
)
ABOUT_RATIO = 0.05
"""How far off "about" and "almost" may be, as a share of the change or figure: a convention."""
_INVERSE = {"at_least": "at_most", "at_most": "at_least", "more": "less", "less": "more"}
_WORDS = {
    "same": "about the same as that {}",
    "more": "higher than that {}, no figure",
    "less": "lower than that {}, no figure",
    "line": "line speed",
}
RELATIONS = ("equal", "about", "range", "at_least", "at_most", "up_to", *_WORDS)
NAMED = frozenset({"client", "server", "adapter", "path", "protocol", "os", "tool", "processor"})
"""Conditions whose value says what it is; of others the name stands before it: layer 3."""
_ENDS = {"same": (0.95, 1.05), "more": (1.0, math.inf), "less": (0.0, 1.0)}
"""What words without a figure leave of a ratio; for "on the same level" a convention."""


@dataclass(frozen=True, eq=False)
class Row:
    """
    One printed figure, or ratio where it has a baseline.

    Parameters
    ----------
    id, document, place : str
        Name of the row, id of its document, and page, slide or table.
    quantity : str
        What is printed, such as ``"throughput"``.
    of : mapping of str to tuple
        Values of each condition that the document fixes. A condition that is missing is open.
    relation : str
        One of equal, about, range, at_least, at_most, up_to, more, less, same, line.
    against : mapping of str to tuple, optional
        Conditions of the baseline that differ from those of the subject.
    low, high : float, optional
        Ends of the figure as printed; None for words.
    rounding : float
        Half a unit of the last printed digit.
    unit : str
        As printed; ``"times"`` of ratios.
    printed, note, doubt : str
        The figure as it is printed, what to know, and why it cannot be right.
    is_converted, is_reciprocal : bool
        Whether another quantity is printed, and whether its reciprocal is.
    """

    id: str
    document: str
    place: str
    quantity: str
    of: Conditions
    relation: str = "equal"
    against: Conditions = field(default_factory=dict)
    low: float | None = None
    high: float | None = None
    rounding: float = 0.0
    unit: str = "times"
    printed: str = ""
    note: str = ""
    doubt: str = ""
    is_converted: bool = False
    is_reciprocal: bool = False

    @property
    def interval(self) -> tuple[float, float]:
        """Lowest and highest value that the printed digits and words allow."""
        if self.is_reciprocal:
            low, high = self._reciprocal().interval
            return 1 / high, 1 / low if low else math.inf
        if self.low is None or self.high is None:
            return _ENDS.get(self.relation, (0.0, math.inf))
        none = 1.0 if self.against else 0.0
        wide = max(self.rounding, ABOUT_RATIO * abs(max(self.low, self.high) - none))
        ends = {
            "at_least": (self.low, math.inf),
            "at_most": (0.0, self.high),
            "up_to": (min(self.low, none), max(self.high, none)),
            "about": (self.low - wide, self.high + wide),
        }
        return ends.get(self.relation, self.digits)

    @property
    def digits(self) -> tuple[float, float]:
        """What the printed digits leave, whatever words stand around them."""
        if self.low is None or self.high is None:
            return self.interval
        return self.low - self.rounding, self.high + self.rounding

    @property
    def base(self) -> Conditions:
        """All conditions of what it is compared with."""
        return {**self.of, **self.against}

    def turned(self) -> "Row":
        """Return the ratio of the baseline to the subject."""
        differing = {key: self.of[key] for key in self.against if key in self.of}
        return replace(self._reciprocal(), of=self.base, against=differing)

    def _reciprocal(self) -> "Row":
        relation, is_reciprocal = _INVERSE.get(self.relation, self.relation), not self.is_reciprocal
        low, high = (None if end is None else 1 / end for end in (self.high, self.low))
        return replace(self, relation=relation, low=low, high=high, is_reciprocal=is_reciprocal)

    def as_quantity(self, quantity: str) -> "Row | None":
        """Return the row as a ratio of another quantity; None where it is not one."""
        if quantity == self.quantity:
            return self
        mine, wanted = FAMILIES.get(self.quantity), FAMILIES.get(quantity)
        if not self.against or mine is None or wanted is None or mine[0] != wanted[0]:
            return None
        note = "; ".join(filter(None, (f"{self.quantity.replace('_', ' ')} is printed", self.note)))
        row = self if mine[1] == wanted[1] else self._reciprocal()
        return replace(row, quantity=quantity, note=note, is_converted=True)

    def amount(self) -> str:
        """Return relation and figure in words."""
        if self.relation in _WORDS:
            return _WORDS[self.relation].format(self.baseline)
        digits = ".4g" if self.against else ".7g"
        ends = dict.fromkeys(f"{each:{digits}}" for each in (self.low, self.high))
        lead = "" if self.relation in {"equal", "range"} else self.relation.replace("_", " ") + " "
        if self.relation == "up_to" and self.against and (self.high or 1) < 1:
            lead = "down to "  # up to 60 % less is down to 0.4 times
        than = f" that {self.baseline}" if self.against else ""
        return f"{lead}{' to '.join(ends)} {self.unit.removesuffix('1')}".rstrip() + than

    @property
    def baseline(self) -> str:
        """What it is compared with, in words: of an adapter, with a setting."""
        is_same = self.against.get("client") == self.against.get("server")
        words: dict[str, None] = {}
        for key, values in self.against.items():
            known = " or ".join(named(each, self.document) for each in values)
            end = f" as {key}" if key in {"client", "server"} and not is_same else ""
            words[f"of {known}{end}" if key in NAMED else f"with {key} {known}"] = None
        return " ".join(words)

    @property
    def where(self) -> str:
        """Document and place."""
        return f"{self.document} document, {self.place}"

    def __repr__(self) -> str:
        return short_repr(self, self.id, self.amount())

    def to_dict(self) -> dict[str, Any]:
        """Return plain values by name."""
        return asdict(self)


class Document(NamedTuple):
    """
    Rows of a document by id, short names of ids, usual conditions, and what follows from some.

    Where a case leaves out a condition in which rows differ, the usual value is meant.
    """

    rows: tuple[Row, ...]
    names: Mapping[str, str]
    usual: Case
    implied: Sequence[tuple[Conditions, Case]]


def rows(*cases: Case) -> tuple[Row, ...]:
    """
    Return the rows of the documents that name a place of these cases; of all where none is named.

    Those of registered directories of data are included.

    Raises
    ------
    ParseError
        If a file is not one of rows; names file, row and key.
    """
    return tuple(row for each in _documents(*cases) for row in each.rows)


def named(value: Condition, document: str) -> str:
    """Return the short name that a document has for an id."""
    return _read(_files()[document]).names.get(str(value), str(value))


def usual_of(documents: Collection[str]) -> Case:
    """Return the usual values of conditions in these documents."""
    known = (_read(files).usual for name, files in _files().items() if name in documents)
    return {key: value for usual in known for key, value in usual.items()}


def with_implied(case: Case) -> dict[str, Condition]:
    """
    Return a case with what follows from its conditions.

    An adapter is that of both ends, a path record names the conditions that its document prints,
    and a workload implies its payload.
    """
    known = dict(case)
    if "adapter" in known and "direction" not in known:
        known = dict.fromkeys(("client", "server"), known.pop("adapter")) | known
    for where, conditions in (each for document in _documents(case) for each in document.implied):
        if all(known.get(key) in values for key, values in where.items()):
            others = {key: value for key, value in known.items() if key not in where}
            known = {**known, **conditions, **others}
    return known


# ---- files of rows


def _documents(*cases: Case) -> Iterator[Document]:
    """Yield the documents that name a place of the cases: to read the others takes longer."""
    places = frozenset(str(case[key]) for case in cases for key in PLACES if key in case)
    for files in _files().values():
        if not places or _names_one(files, places):
            yield _read(files)


def _files() -> dict[str, tuple[str, ...]]:
    """Return the files of each document: ID.toml, and tables ID-NAME.csv."""

    def found() -> dict[str, tuple[str, ...]]:
        of: dict[str, tuple[str, ...]] = {}
        for file in (*found_files("published/*.toml"), *found_files("published/*.csv")):
            of[_document_of(file)] = (*of.get(_document_of(file), ()), str(file))
        return dict(sorted(of.items()))

    return kept("published", found)


def _document_of(file: Path) -> str:
    return file.stem if file.suffix == ".toml" else file.stem.rpartition("-")[0]


def _names_one(files: tuple[str, ...], places: frozenset[str]) -> bool:
    texts = kept((files, "texts"), lambda: tuple(map(read_text, files)))
    return any(place in text for text in texts for place in places)


def _read(files: tuple[str, ...]) -> Document:
    return kept(files, lambda: _document(files))


def _document(files: tuple[str, ...]) -> Document:
    found: dict[str, Row] = {}
    head: dict[str, dict[str, Any]] = {"names": {}, "usual": {}}
    implied: list[tuple[Conditions, Case]] = []
    for name in files:
        document = _document_of(Path(name))
        table = _of_csv(name) if name.endswith(".csv") else _floats(read_toml(name))
        if not isinstance(table.get("rows"), list) or table.get("document") != document:
            raise ParseError(name, f'needs document = "{document}" and at least one [[rows]]')
        for number, cells in enumerate(table["rows"], 1):
            row = _row(name, str(cells.get("id", f"number {number}")), document, cells)
            if found.setdefault(row.id, row) is not row:
                raise ParseError(name, f"row {row.id}: there is another one with this id")
        try:
            implied += [(_each(x["where"]), x["conditions"]) for x in table.get("implied", ())]
        except (AttributeError, KeyError, TypeError):
            raise ParseError(name, "implied: each needs tables where and conditions") from None
        for key, known in head.items():
            known.update(table.get(key, {}))
    return Document(tuple(found[name] for name in sorted(found)), **head, implied=implied)


def _floats(value: Any) -> Any:
    """Return tables with floats in place of decimal numbers."""
    if isinstance(value, dict):
        return {key: _floats(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_floats(each) for each in value]
    return float(value) if isinstance(value, Decimal) else value


def _each(table: Mapping[str, Any]) -> Conditions:
    return {key: tuple(v) if isinstance(v, list) else (v,) for key, v in table.items()}


_TEXTS = frozenset({"id", "place", "quantity", "relation", "unit", "printed", "note", "doubt"})
_NUMBERS = frozenset({"value", "low", "high", "rounding"})


def _of_csv(name: str) -> dict[str, Any]:
    """Return rows as a TOML file has them: columns beside the known ones are of or, with that
    before their names, against."""
    tables = []
    for cells in csv.DictReader(read_text(name).splitlines()):
        table: dict[str, Any] = {"of": {}, "against": {}}
        for key, text in cells.items():
            if text and key in _TEXTS | _NUMBERS:
                table[key] = float(text) if key in _NUMBERS else text
            elif text:
                part = "against" if key.startswith("against_") else "of"
                table[part][key.removeprefix("against_")] = int(text) if text.isdecimal() else text
        tables.append(table)
    return {"document": _document_of(Path(name)), "rows": tables}


def _row(source: str, name: str, document: str, table: Mapping[str, Any]) -> Row:
    def require(holds: object, problem: str) -> None:
        if not holds:
            raise ParseError(source, f"row {name}: {problem}")

    for key, value in table.items():
        if key in _TEXTS:
            require(isinstance(value, str) and value, f"{key} must be text")
        elif key in _NUMBERS:
            is_number = isinstance(value, int | float) and 0 <= value < math.inf
            require(is_number, f"{key} must be a number from 0")
        else:
            require(key in {"of", "against"}, f"{key} is not a known key")
            require(isinstance(value, dict), f"{key} must be a table of conditions")
    for key in ("id", "place", "quantity"):
        require(key in table, f"{key} is missing")
    for key, known in (("quantity", QUANTITIES), ("relation", RELATIONS)):
        value = table.get(key, known[0])
        require(value in known, f"{key} {value!r} is none of {', '.join(known)}")
    of, against = (_each(table.get(part, {})) for part in ("of", "against"))
    values = [each for part in (of, against) for several in part.values() for each in several]
    require(all(isinstance(v, str | int | float) for v in values), "conditions: texts or numbers")
    low, high = (table.get(end, table.get("value")) for end in ("low", "high"))
    if table.get("relation") not in _WORDS:
        require(None not in (low, high), "needs value, or low and high")
        is_ratio = not against or table.get("rounding", 0) < low <= high
        require(is_ratio, "a ratio must exceed 0")
    given = {key: table[key] for key in table if key in _TEXTS or key == "rounding"}
    return Row(**given, document=document, of=of, against=against, low=low, high=high)


def listing(
    ids: Sequence[str] = (), workload: str | None = None, quantity: str | None = None
) -> tuple[Row, ...]:
    """
    Return the rows about adapters, paths or workloads, as printed.

    Parameters
    ----------
    ids : sequence of str
        Ids of adapters or paths, or values of settings; a row is about all of them.
    workload, quantity : str, optional
        Rows of this workload, and of this quantity, alone.

    Returns
    -------
    rows : tuple of Row
        By document and id.

    Raises
    ------
    UnknownRecordError
        If no row is about an id or workload, or rows have no such quantity.

    Examples
    --------
    >>> rows = listing(["osa-express7s-25gbe"], "rr1c-200x30k", "throughput")
    >>> [row.amount() for row in rows if not row.against and row.of["mtu"] == (1500,)]
    ['about 13 Gbit/s']
    """
    if quantity not in {None, *QUANTITIES}:
        near = meant_text(str(quantity), QUANTITIES)
        raise UnknownRecordError(f"no row is of the quantity {quantity!r}{near}")
    known = rows()
    found = [row for row in known if quantity in {None, row.quantity}]
    for name in (*ids, *([] if workload is None else [workload])):
        means = with_implied({"path": name})
        if not any(_is_about(row, name, means) for row in known):
            near = meant_text(name, set().union(*map(_values, known)))
            raise UnknownRecordError(f"no document has a row about {name!r}{near}")
        found = [row for row in found if _is_about(row, name, means)]
    return tuple(found)


def _is_about(row: Row, name: str, means: Case) -> bool:
    """Return whether a row has this value, or contradicts nothing that the name of a path means."""
    known = means.items() if means["path"] != name else ()
    sides = (row.of, row.base)
    return str(means["path"]) in _values(row) and all(
        any(value in side.get(key, (value,)) for side in sides) for key, value in known
    )


def _values(row: Row) -> set[str]:
    return {str(value) for side in (row.of, row.base) for each in side.values() for value in each}
