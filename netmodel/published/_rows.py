"""Rows: one printed figure or ratio each, with the conditions that its document fixes."""

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, TypeAlias

from netmodel.errors import UnknownRecordError
from netmodel.estimates import ABOUT_RATIO
from netmodel.published._words import change_of, said_once, words_of
from netmodel.records import data_path
from netmodel.results import Result
from netmodel.text import meant_text

Condition: TypeAlias = str | int | float
Conditions: TypeAlias = Mapping[str, tuple[Condition, ...]]
Case: TypeAlias = Mapping[str, Condition]
Rows: TypeAlias = tuple["Row", ...]

PLACES = frozenset({"client", "server", "path", "adapter"})
"""Conditions that say where. A figure that fixes some answers a case that names one of them."""
RATES = ("throughput", "transaction_rate")
FAMILIES: Mapping[str, tuple[str, int]] = {
    **dict.fromkeys(RATES, ("rate", 1)),
    "transaction_time": ("rate", -1),  # closed loop, equal connections: rate = N / time
    **dict.fromkeys(("cpu_consumption", "cpu_time_per_transaction", "cpu_time"), ("cpu", 1)),
    "cpu_efficiency": ("cpu", -1),
}
"""Quantities whose ratios are those of each other, or their reciprocals."""
_ABOUT = float(ABOUT_RATIO)
"""How far off "about" and "almost" may be, as a share of the change or figure: a convention."""
_INVERSE = {"at_least": "at_most", "at_most": "at_least", "more": "less", "less": "more"}
_ENDS = {"same": (0.95, 1.05), "more": (1.0, math.inf), "less": (0.0, 1.0), "line": (0.0, math.inf)}
"""What words without a figure leave of a ratio; for "on the same level" a convention."""
_HEDGES = ("; may", "; can")
"""Words of a note that say that a change is possible."""
IN_ORDER = frozenset({"connections", "km"})
"""Conditions in numbers, whose nearest values below and above are shown."""


@dataclass(frozen=True, eq=False)
class Row(Result):
    """
    One printed figure, or ratio where it has a baseline, and how it fits the case asked for.

    Parameters
    ----------
    id, document, place : str
        Name of the row, id of its document, and page, slide or table.
    quantity : str
        What is printed, such as ``"throughput"``.
    of : mapping of str to tuple
        Values of each condition that the document fixes. A condition that is missing is open.
    against : mapping of str to tuple, optional
        Conditions of the baseline that differ from those of the subject.
    relation : str
        One of equal, about, range, at_least, at_most, up_to, more, less, same, line.
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
    open, differs, silent : tuple of str
        Conditions of the case that the row leaves open, those that it fixes otherwise, and those
        that it fixes and the case does not name.
    """

    id: str
    document: str
    place: str
    quantity: str
    of: Conditions
    against: Conditions = field(default_factory=dict)
    relation: str = "equal"
    low: float | None = None
    high: float | None = None
    rounding: float = 0.0
    unit: str = "times"
    printed: str = ""
    note: str = ""
    doubt: str = ""
    is_converted: bool = False
    open: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()

    json_keys = (
        "id document place quantity of relation against low high rounding unit printed note doubt "
        "differs open text"
    )

    @cached_property
    def interval(self) -> tuple[float, float]:
        """Lowest and highest value that printed digits and words allow."""
        low, high, none = self.low or 0.0, self.high or 0.0, 1.0 if self.against else 0.0
        wide = max(self.rounding, _ABOUT * abs(high - none))
        ends = {
            **_ENDS,
            "at_least": (low, math.inf),
            "at_most": (0.0, high),
            "up_to": (min(low, none), max(high, none)),
            "about": (low - wide, high + wide),
        }
        return ends.get(self.relation, (low - self.rounding, high + self.rounding))

    @property
    def base(self) -> Conditions:
        """All conditions of what it is compared with."""
        return {**self.of, **self.against}

    @property
    def is_value(self) -> bool:
        """True of a sure figure of the very case, no bound and no word."""
        is_figure = self.relation in {"equal", "about"} and bool(self.low)
        return is_figure and not (self.open or self.doubt)

    @property
    def rank(self) -> tuple[float | str, ...]:
        """Order fixed before open, figures before words, more conditions, narrower, by name."""
        low, high = self.interval
        width = round(high / low, 9) if low else math.inf  # the same in the other order
        is_word = self.relation in {"more", "less"}
        return len(self.open), is_word, self.is_converted, -len(self.of), width, self.id

    def distance(self, case: Case) -> tuple[float, ...]:
        """Return how many conditions differ, those in numbers last, and by how much."""
        usual = [(key, x) for key, x in said_once()["usual"].items() if key in self.silent]
        unusual = any(value not in self.of[key] for key, value in usual)
        steps = [
            min(abs(math.log(float(value) / float(case[key]))) for value in self.of[key])
            for key in IN_ORDER & set(self.differs)
        ]
        others, is_word = len(self.differs) - len(steps), self.relation in {"more", "less"}
        return others, unusual, is_word, sum(steps), len(self.open)

    @property
    def differs_in_numbers(self) -> bool:
        """True where connections or distance alone differ, so that the case lies beside it."""
        return IN_ORDER.issuperset(self.differs)

    def changed(self, **fields: Any) -> "Row":
        """Return the row with other fields; `replace` takes ten times as long, for each row."""
        row = object.__new__(Row)
        vars(row).update(vars(self), **fields)
        return row

    def turned(self) -> "Row":
        """Return the ratio of the baseline to the subject."""
        differing = {key: self.of[key] for key in self.against if key in self.of}
        return self.changed(of=self.base, against=differing, **self._reciprocal())

    def _reciprocal(self) -> dict[str, Any]:
        relation, (least, most) = _INVERSE.get(self.relation, self.relation), self.interval
        low, high = (None if end is None else 1 / end for end in (self.high, self.low))
        interval = (1 / most, 1 / least if least else math.inf)
        return {"relation": relation, "low": low, "high": high, "interval": interval}

    def as_quantity(self, quantity: str) -> "Row | None":
        """Return a ratio as one of another quantity; None where it is not one."""
        if quantity == self.quantity or not self.against:
            return self if quantity == self.quantity else None
        mine, wanted = (FAMILIES.get(each, (each, 1)) for each in (self.quantity, quantity))
        if mine[0] != wanted[0]:
            return None
        note = "; ".join(filter(None, (f"{self.quantity.replace('_', ' ')} is printed", self.note)))
        ends = {} if mine[1] == wanted[1] else self._reciprocal()
        return self.changed(quantity=quantity, note=note, is_converted=True, **ends)

    @property
    def figure(self) -> str:
        """Relation and figure as printed, of a ratio how many times."""
        digits = ".4g" if self.against else ".7g"
        ends = dict.fromkeys(f"{x:{digits}}" for x in (self.low, self.high) if x is not None)
        lead = "" if self.relation in {"equal", "range"} else self.relation.replace("_", " ") + " "
        unit = self.unit.removesuffix("1").replace("1/s", "/s")
        return f"{lead}{' to '.join(ends)} {unit}".rstrip()

    @property
    def change(self) -> str:
        """The ratio as a change; words may say that it is only possible."""
        note, is_word = f"; {self.note}", self.relation in {"more", "less"}
        lead = "may be " if is_word and any(each in note for each in _HEDGES) else ""
        return lead + change_of(self.relation, self.low or 1.0, self.high or 1.0)

    def amount(self) -> str:
        """Return figure, or change and what it is against, in words."""
        if self.relation == "line" or not self.against:
            return "line speed" if self.relation == "line" else self.figure
        than = {"times": "that", "same": "as"}.get(self.change.split()[-1], "than")
        return f"{self.change} {than} with {words_of(self.against)}"

    @property
    def where(self) -> str:
        """Document and place."""
        return f"{self.document} document, {self.place}"

    @property
    def text(self) -> str:
        """The row in a line: amount, place, what differs, and what the row leaves open."""
        keys = [key for key in (*self.differs, *self.silent) if key in self.of]
        fixed = words_of({key: self.of[key] for key in keys})
        lists = {"with ": fixed, "no word of ": ", ".join(self.open)}
        lists |= {"": self.note, "doubtful: ": self.doubt}
        words = (lead + words for lead, words in lists.items() if words)
        return "; ".join((f"{self.amount()} ({self.where})", *words))

    @property
    def line(self) -> str:
        """The row in a line, with its quantity and side."""
        sides = () if "side" in self.differs else self.of.get("side", ())
        of_side = f" of the {' and '.join(map(str, sides))}" if sides else ""
        return f"{self.quantity.replace('_', ' ')}{of_side} {self.text}"


def with_implied(case: Case) -> dict[str, Condition]:
    """Return a case with what its ids imply; an adapter is that of both ends."""
    known = dict(case)
    if "adapter" in known and "direction" not in known:
        known = dict.fromkeys(("client", "server"), known.pop("adapter")) | known
    for key, value in case.items():
        others = {name: each for name, each in known.items() if name != key}
        known = {**known, **said_once()["implied"].get(str(value), {}), **others}
    return known


def rows(*cases: Case) -> Rows:
    """Return the rows of documents that name a place of these cases; of all where none is named."""
    places = {str(case[key]) for case in cases for key in PLACES if key in case}
    found = (x for x in _tables().items() if not places or any(each in x[1] for each in places))
    return tuple(row for table in found for row in _read(*table))


@cache
def _tables() -> dict[str, str]:
    files = sorted(data_path("published").glob("*.csv"))
    return {file.stem: file.read_text("utf-8") for file in files}


@cache
def _read(document: str, table: str) -> Rows:
    """Return the rows of a table; a bar separates several values of a condition."""
    found = []
    for cells in csv.DictReader(table.splitlines()):
        fields: dict[str, Any] = {"document": document, "of": {}, "against": {}}
        for name, text in cells.items():
            part, dot, key = name.partition(".")
            if text and dot:
                values = (int(each) if each.isdecimal() else each for each in text.split("|"))
                fields[part][key] = tuple(values)
            elif text:
                fields[name] = float(text) if name in {"low", "high", "rounding"} else text
        found.append(Row(**fields))
    return tuple(found)


def listing(
    ids: Sequence[str] = (), workload: str | None = None, quantity: str | None = None
) -> Rows:
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
        By document, in the order of its file.

    Raises
    ------
    UnknownRecordError
        If no row is about an id or workload, or of the quantity.

    Examples
    --------
    >>> rows = listing(["osa-express7s-25gbe"], "rr1c-200x30k", "throughput")
    >>> [row.amount() for row in rows if not row.against and row.of["mtu"] == (1500,)]
    ['about 13 Gbit/s']
    """
    found = rows()
    for name in filter(None, (*ids, workload, quantity)):
        about = [row for row in rows() if _is_about(row, **with_implied({"path": name}))]
        if not about:
            near = meant_text(name, set().union(*map(_values, rows())))
            raise UnknownRecordError(f"no document has a row about {name!r}{near}")
        found = tuple(row for row in found if row in about)
    return found


def _is_about(row: Row, path: Condition, **others: Condition) -> bool:
    """Return whether a row has this value, and nothing else than what the name of a path means."""
    known = [(x, (*row.of.get(key, (x,)), *row.base.get(key, ()))) for key, x in others.items()]
    return str(path) in _values(row) and all(value in values for value, values in known)


def _values(row: Row) -> set[str]:
    conditions = (*row.of.values(), *row.base.values())
    return {row.quantity, *(str(value) for each in conditions for value in each)}
