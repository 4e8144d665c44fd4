"""Rows: one printed figure or ratio each, with the conditions that its document fixes."""

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeAlias

from netmodel.errors import ParseError, UnknownRecordError
from netmodel.reading import read_text, read_toml
from netmodel.records.files import found_files, kept
from netmodel.results import Result
from netmodel.text import meant_text

Condition: TypeAlias = str | int | float
Conditions: TypeAlias = Mapping[str, tuple[Condition, ...]]
Case: TypeAlias = Mapping[str, Condition]
_Document: TypeAlias = tuple[tuple["Row", ...], Sequence[tuple[Conditions, Case]]]
"""Rows by id, and what follows from conditions."""

PLACES = frozenset({"client", "server", "path", "adapter"})
"""Conditions that say where. A figure that fixes some answers a case that names one of them."""

FAMILIES: Mapping[str, tuple[str, int]] = {
    **dict.fromkeys(("throughput", "transaction_rate"), ("rate", 1)),
    "transaction_time": ("rate", -1),  # closed loop, equal connections: rate = N / time
    **dict.fromkeys(("cpu_consumption", "cpu_time_per_transaction", "cpu_time"), ("cpu", 1)),
    "cpu_efficiency": ("cpu", -1),
}
"""Quantities whose ratios are those of each other, or their reciprocals."""
_NOT_PRINTED = frozenset({"is_converted", "names", "usual", "interval"})
"""Fields of a row that say how it is read."""
QUANTITIES = (
    *(*FAMILIES, "cpu_utilisation", "performance", "drop_count", "buffer_memory"),
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
class Row(Result):
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
    is_converted : bool
        Whether another quantity is printed.
    names, usual : mapping
        Short names of ids in its document, and the conditions that are meant there where a case
        leaves them out and rows differ in them.
    interval : tuple of float
        Lowest and highest value that the printed digits and words allow.
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
    names: Mapping[str, str] = field(default_factory=dict)
    usual: Case = field(default_factory=dict)
    interval: tuple[float, float] = (0.0, math.inf)

    json_keys = (
        "id document place quantity of relation against low high rounding unit printed note doubt"
    )

    @property
    def base(self) -> Conditions:
        """All conditions of what it is compared with."""
        return {**self.of, **self.against}

    def turned(self) -> "Row":
        """Return the ratio of the baseline to the subject."""
        differing = {key: self.of[key] for key in self.against if key in self.of}
        return self._changed(of=self.base, against=differing, **self._reciprocal())

    def _changed(self, **fields: Any) -> "Row":
        """Return the row with other fields; `replace` takes ten times as long, for each row."""
        row = object.__new__(Row)
        vars(row).update(vars(self), **fields)
        return row

    def _reciprocal(self) -> dict[str, Any]:
        relation, (least, most) = _INVERSE.get(self.relation, self.relation), self.interval
        low, high = (None if end is None else 1 / end for end in (self.high, self.low))
        interval = (1 / most, 1 / least if least else math.inf)
        return {"relation": relation, "low": low, "high": high, "interval": interval}

    def as_quantity(self, quantity: str) -> "Row | None":
        """Return a ratio as one of another quantity; None where it is not one."""
        if quantity == self.quantity:
            return self
        mine, wanted = (FAMILIES.get(each, (each, 1)) for each in (self.quantity, quantity))
        if mine[0] != wanted[0]:
            return None
        note = "; ".join(filter(None, (f"{self.quantity.replace('_', ' ')} is printed", self.note)))
        ends = {} if mine[1] == wanted[1] else self._reciprocal()
        return self._changed(quantity=quantity, note=note, is_converted=True, **ends)

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
        unit = self.unit.removesuffix("1").replace("1/s", "/s")
        return f"{lead}{' to '.join(ends)} {unit}".rstrip() + than

    @property
    def baseline(self) -> str:
        """What it is compared with, in words: of an adapter, with a setting."""
        is_same = self.against.get("client") == self.against.get("server")
        words: dict[str, None] = {}
        for key, values in self.against.items():
            known = " or ".join(self.names.get(str(each), str(each)) for each in values)
            end = f" as {key}" if key in {"client", "server"} and not is_same else ""
            words[f"of {known}{end}" if key in NAMED else f"with {key} {known}"] = None
        return " ".join(words)

    @property
    def where(self) -> str:
        """Document and place."""
        return f"{self.document} document, {self.place}"


def rows(*cases: Case) -> tuple[Row, ...]:
    """
    Return the rows of the documents that name a place of these cases; of all where none is named.

    Those of registered directories of data are included.

    Raises
    ------
    ParseError
        If a file is not one of rows; names file, row and key.
    """
    return tuple(row for found, _ in _documents(*cases) for row in found)


def with_implied(case: Case) -> dict[str, Condition]:
    """
    Return a case with what follows from its conditions.

    An adapter is that of both ends, a path record names the conditions that its document prints,
    and a workload implies its payload.
    """
    known = dict(case)
    if "adapter" in known and "direction" not in known:
        known = dict.fromkeys(("client", "server"), known.pop("adapter")) | known
    for where, conditions in [each for _, implied in _documents(case) for each in implied]:
        if all(known.get(key) in values for key, values in where.items()):
            others = {key: value for key, value in known.items() if key not in where}
            known = {**known, **conditions, **others}
    return known


def _documents(*cases: Case) -> Iterator[_Document]:
    """Yield the documents that name a place of the cases."""
    places = {str(case[key]) for case in cases for key in PLACES if key in case}
    for files, texts in kept("published", _files).items():
        if not places or any(place in text for text in texts for place in places):
            yield kept(files, partial(_document, *files))


def _files() -> dict[tuple[str, ...], list[str]]:
    """Return the files of each document, ID.toml and tables ID.NAME.csv, and their texts."""
    of: dict[str, list[str]] = {}
    for file in (*found_files("published/*.toml"), *found_files("published/*.csv")):
        of.setdefault(file.name.partition(".")[0], []).append(str(file))
    return {tuple(of[document]): [*map(read_text, of[document])] for document in sorted(of)}


def _document(head_file: str, *tables: str) -> _Document:
    """Return the rows of a file with names, usual and implied conditions, and of its tables."""
    head = read_toml(head_file)
    rows, document = head.get("rows", []), Path(head_file).stem
    if not isinstance(rows, list) or head.get("document") != document:
        raise ParseError(head_file, f'needs document = "{document}" and [[rows]]')
    try:
        implied = [(_each(x["where"], "where"), x["conditions"]) for x in head.get("implied", ())]
    except (AttributeError, KeyError, TypeError, ValueError):
        raise ParseError(head_file, "implied: each needs tables where and conditions") from None
    known = {"document": document, "names": head.get("names", {}), "usual": head.get("usual", {})}
    found: dict[str, Row] = {}
    for file, lines in ((head_file, rows), *((table, _cells(table)) for table in tables)):
        for number, cells in enumerate(lines, 1):
            try:
                row = Row(**known, **_fields(cells))
                if found.setdefault(row.id, row) is not row:
                    raise ValueError("there is another one with this id")
            except ValueError as error:
                name = cells.get("id", f"number {number}")
                raise ParseError(file, f"row {name}: {error}") from None
    return tuple(found[name] for name in sorted(found)), implied


def _cells(file: str) -> Iterator[dict[str, Any]]:
    """Yield the lines of a table as tables of a TOML file; a bar separates several values."""
    try:
        names, *lines = csv.reader(read_text(file).splitlines())
        for line in lines:
            row: dict[str, Any] = {"of": {}, "against": {}}
            for name, text in zip(names, line, strict=True):
                if text and name in _KEYS:
                    is_number = name in _NUMBERS and text.replace(".", "", 1).isdecimal()
                    row[name] = float(text) if is_number else text
                elif text:
                    part = row["against" if name.startswith("against_") else "of"]
                    part[name.removeprefix("against_")] = _several(text)
            yield row
    except (ValueError, csv.Error) as error:
        raise ParseError(file, f"is no table with a cell for each column: {error}") from None


@cache  # few texts fill the conditions of a table
def _several(text: str) -> tuple[Condition, ...]:
    return tuple(int(each) if each.isdecimal() else each for each in text.split("|"))


_NUMBERS = frozenset({"value", "low", "high", "rounding"})
_TEXTS = ("id", "place", "quantity", "relation", "unit", "printed", "note", "doubt")
_KEYS: Mapping[str, tuple[Any, str]] = {
    **dict.fromkeys(_TEXTS, (str, "text")),
    **dict.fromkeys(_NUMBERS, ((int, float), "a number from 0")),
    **dict.fromkeys(("of", "against"), (dict, "a table of texts and numbers")),
}
"""Keys of a row in a file, with the type of their values and its name."""


def _fields(cells: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a row; ValueError says which it lacks, or what is wrong with one."""
    for key, value in cells.items():
        kind, words = _KEYS.get(key, (None, ""))
        if kind is None:
            raise ValueError(f"{key} is not a known key")
        is_other = not isinstance(value, kind) or value == ""
        if is_other or (key in _NUMBERS and not 0 <= value < math.inf):
            raise ValueError(f"{key} must be {words}")
    given = {"relation": "equal", "rounding": 0.0, **cells}
    given |= {part: _each(cells.get(part, {}), part) for part in ("of", "against")}
    for key in _TEXTS[:3]:
        if key not in cells:
            raise ValueError(f"{key} is missing")
    for key, known in (("quantity", QUANTITIES), ("relation", RELATIONS)):
        if given[key] not in known:
            raise ValueError(f"{key} {given[key]!r} is none of {', '.join(known)}")
    value = given.pop("value", None)
    low, high = (given.setdefault(end, value) for end in ("low", "high"))
    if given["relation"] not in _WORDS:
        if low is None or high is None:
            raise ValueError("needs value, or low and high")
        if given["against"] and not given["rounding"] < low <= high:
            raise ValueError("a ratio must exceed 0")
    interval = _interval(given["relation"], low, high, given["rounding"], bool(given["against"]))
    return {**given, "interval": interval}


def _each(table: Mapping[str, Any], name: str) -> Conditions:
    """Return the values of each condition, of one or of a list."""
    each = {key: tuple(v) if isinstance(v, list | tuple) else (v,) for key, v in table.items()}
    if not all(isinstance(x, str | int | float) for values in each.values() for x in values):
        raise ValueError(f"{name} must be a table of texts and numbers")
    return each


def _interval(
    relation: str, low: float | None, high: float | None, rounding: float, is_ratio: bool
) -> tuple[float, float]:
    """Return the lowest and highest value that printed digits and words allow."""
    if low is None or high is None:
        return _ENDS.get(relation, (0.0, math.inf))
    none = 1.0 if is_ratio else 0.0
    wide = max(rounding, ABOUT_RATIO * abs(max(low, high) - none))
    ends = {
        "at_least": (low, math.inf),
        "at_most": (0.0, high),
        "up_to": (min(low, none), max(high, none)),
        "about": (low - wide, high + wide),
    }
    return ends.get(relation, (low - rounding, high + rounding))


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
        about = {row for row in known if _is_about(row, **with_implied({"path": name}))}
        if not about:
            near = meant_text(name, set().union(*map(_values, known)))
            raise UnknownRecordError(f"no document has a row about {name!r}{near}")
        found = [row for row in found if row in about]
    return tuple(found)


def _is_about(row: Row, path: Condition, **others: Condition) -> bool:
    """Return whether a row has this value, and nothing else than what the name of a path means."""
    sides = (row.of, row.base)
    return str(path) in _values(row) and all(
        any(value in side.get(key, (value,)) for side in sides) for key, value in others.items()
    )


def _values(row: Row) -> set[str]:
    return {str(value) for side in (row.of, row.base) for each in side.values() for value in each}
