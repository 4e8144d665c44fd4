"""Rows: one printed figure or ratio each, with the conditions that its document fixes."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from typing import Any, TypeAlias

import tomli

from netmodel.errors import UnknownRecordError
from netmodel.estimates import ABOUT_RATIO
from netmodel.numeric import require_at_least, require_whole
from netmodel.records.files import data_path, found_files
from netmodel.records.values import printed_rows
from netmodel.results import Result
from netmodel.text import meant_text
from netmodel.units.formatting import window_text

Condition: TypeAlias = str | int | float
Conditions: TypeAlias = Mapping[str, tuple[Condition, ...]]
Case: TypeAlias = Mapping[str, Condition]
Rows: TypeAlias = tuple["Row", ...]

PLACES = frozenset({"client", "server", "path", "adapter"})
"""Conditions that say where. A figure that fixes some answers a case that names one of them."""
USUAL_CASE: Case = {"rps": "off", "protocol": "tcp"}
"""Conditions of a case that does not name them; they are never open."""
RATES, NOISE_RATIO = ("throughput", "transaction_rate"), 1.01
"""Quantities that are rates, and how far a run exceeds a printed one: runs scatter by 1 %."""
_INVERSE = {"at_least": "at_most", "at_most": "at_least", "more": "less", "less": "more"}
_ENDS = {"same": (0.95, 1.05), "more": (1.0, math.inf), "less": (0.0, 1.0), "line": (0.0, math.inf)}
"""What words without a figure leave of a ratio; for "on the same level" a convention."""
WORDS, _SURE = frozenset({"more", "less"}), frozenset({"equal", "about", "line"})
"""Relations that are a direction without a figure, and those of one figure."""
IN_ORDER = frozenset({"connections", "km"})
"""Conditions in numbers: a case lies beside rows that differ in these alone, below and above."""


@cache
def said_once() -> dict[str, Any]:
    """
    Return conditions and words that hold for all rows of the documents.

    Conditions that are usual where a case leaves them out and rows differ in them, words of
    conditions, relations and ids, and conditions that the id of a path or workload implies.
    """
    return tomli.loads(data_path("conditions.toml").read_text("utf-8"))


@dataclass(frozen=True, repr=False)
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
    is_converted, is_possible : bool
        Whether another quantity is printed, and whether words say only what may be.
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
    is_possible: bool = False
    open: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()

    json_keys = "id document place quantity of relation against low high rounding unit printed "
    json_keys += "note doubt differs open text"

    @cached_property
    def interval(self) -> tuple[float, float]:
        """Lowest and highest value that printed digits and words allow."""
        low, high, tie = self.low or 0.0, self.high or 0.0, float(bool(self.against))
        # about, or almost: off by a share of the change or figure
        wide = max(self.rounding, (self.relation == "about") * float(ABOUT_RATIO) * abs(high - tie))
        ends = _ENDS | {"at_least": (low, math.inf), "at_most": (0.0, high)}
        ends["up_to"] = (min(low, tie), max(high, tie))
        return ends.get(self.relation, (low - wide, high + wide))

    @property
    def is_value(self) -> bool:
        """True for a sure figure of this case, no bound or words; line speed has its rate."""
        return self.relation in _SURE and not (self.open or self.doubt or not self.low)

    @property
    def rank(self) -> tuple[float | str, ...]:
        """Order fixed before open, figures before words, more conditions, narrower, by name."""
        low, high = self.interval
        width = round(high / low, 9) if low else math.inf  # the same in the other order
        own = len(self.open), self.relation in WORDS, self.is_converted
        return *own, -len(self.of), width, self.id

    def distance(self, case: Case) -> tuple[float, ...]:
        """Return how many conditions differ, those in numbers last, and by how much."""
        odd = any(x not in self.of[k] for k, x in said_once()["usual"].items() if k in self.silent)
        at = {key: float(case[key]) for key in IN_ORDER & {*self.differs}}  # may be zero
        steps = [min(abs(x - y) / max(x, y) for x in map(float, self.of[k])) for k, y in at.items()]
        others, is_word = len(self.differs) - len(steps), self.relation in WORDS
        return others, odd, is_word, sum(steps), len(self.open)

    def changed(self, **fields: Any) -> "Row":
        """Return the row with other fields; `replace` takes ten times as long, for each row."""
        row = object.__new__(Row)
        vars(row).update(vars(self), **fields)
        return row

    def turned(self) -> "Row":
        """Return the ratio of the baseline to the subject."""
        differing = {key: self.of[key] for key in self.against if key in self.of}
        return self.changed(of={**self.of, **self.against}, against=differing, **self._reciprocal())

    def _reciprocal(self) -> dict[str, Any]:
        relation, (least, most) = _INVERSE.get(self.relation, self.relation), self.interval
        low, high = (None if end is None else 1 / end for end in (self.high, self.low))
        interval = (1 / most, 1 / least if least else math.inf)
        return {"relation": relation, "low": low, "high": high, "interval": interval}

    def read_as(self, quantity: str, signs: Any, of: Conditions, other: Conditions) -> "Row":
        """Return the row as another quantity of its family, inverted for the other order."""
        row = self.changed(of=of)
        if quantity != self.quantity:
            note = f"{self.quantity.replace('_', ' ')} is printed; {self.note}".removesuffix("; ")
            ends = {} if signs[quantity] == signs[self.quantity] else self._reciprocal()
            row = row.changed(quantity=quantity, note=note, is_converted=True, **ends)
        return row.turned() if other else row

    @property
    def figure(self) -> str:
        """Relation and figure as printed, of a ratio how many times."""
        if self.relation == "line":
            return f"line speed, {self.low:.4g} {self.unit}" if self.low else "line speed"
        ends = (self.low or 0.0, self.high or 0.0)
        return _amount(self.relation, ends, 4 if self.against else 7, self.unit.removeprefix("1"))

    @property
    def change(self) -> str:
        """The ratio as a change; empty for a figure."""
        if not self.against:
            return ""
        (least, most), low, high = self.interval, self.low or 1.0, self.high or 1.0
        # beyond 0.001 a ratio is not known to tenths of a per cent, also where it is turned
        digits = 2 if max(low - least, most - high) > 0.001 else 3
        return "may be " * self.is_possible + change_of(self.relation, low, high, digits)

    def amount(self) -> str:
        """Return the figure, or the change and its baseline, in words."""
        if not self.against:
            return self.figure
        than = {"times": "that", "same": "as"}.get(self.change.split()[-1], "than")
        return f"{self.change} {than} with {words_of(self.against)}"

    @property
    def where(self) -> str:
        """Document and place."""
        return f"{self.document} document, {self.place}"

    @property
    def text(self) -> str:
        """The row in a line: amount, place, what differs, and what the row leaves open."""
        fixed = {key: self.of[key] for key in (*self.differs, *self.silent) if key in self.of}
        parts = {"with ": words_of(fixed), "not specified: ": ", ".join(self.open), "": self.note}
        parts["doubtful: "] = self.doubt
        words = (lead + words for lead, words in parts.items() if words)
        return "; ".join((f"{self.amount()} ({self.where})", *words))


class Known(Rows):
    """Rows that are looked up together: caches tell them apart without a look at each."""

    __eq__, __hash__ = object.__eq__, object.__hash__


def words_of(conditions: Mapping[str, Any]) -> str:
    """
    Return conditions for a sentence; an adapter at both ends once.

    Those of a row have several values, and its ids the names that people use.

    Examples
    --------
    >>> words_of({"client": "roce", "server": "roce", "mtu": 1500, "connections": 1})
    'roce, MTU 1500, 1 connection'
    >>> words_of({"client": ("osa-express7s-25gbe",), "connections": (50, 250)})
    'client OSA-Express7S, 50 or 250 connections'
    """
    words, names, texts = said_once()["words"], said_once()["names"], []
    if conditions.get("client") == conditions.get("server"):
        words = {**words, "client": "{}", "server": ""}
    for key, value in conditions.items():
        name = window_text(float(value)) if key == "window" else value
        if isinstance(name, tuple):
            name = " or ".join(names.get(str(each), str(each)) for each in name)
        name = f"{name:.4g}" if isinstance(name, float) else name
        texts.append(words.get(key, f"{key} {{}}").format(name).strip())
    return re.sub(r"\b1 connections", "1 connection", ", ".join(filter(None, texts)))


def change_of(relation: str, low: float, high: float, digits: int = 3, tie_ratio: float = 0) -> str:
    """
    Return a ratio as a change, such as 17 % lower, at least 50 % lower, 2.5 times.

    Parameters
    ----------
    relation : str
        As in a row.
    low, high : float
        Ends of the ratio as printed.
    digits : int
        Of percentages.
    tie_ratio : float
        Change that is none.

    Examples
    --------
    >>> change_of("equal", 0.83, 0.83), change_of("up_to", 0.4, 0.4), change_of("range", 2, 3)
    ('17 % lower', 'up to 60 % lower', '2 to 3 times')
    >>> change_of("at_least", 1.5, 1.5), change_of("range", 1, 1.3), change_of("range", 0.9, 1.3)
    ('at least 50 % higher', '0 to 30 % higher', '0.9 to 1.3 times')
    >>> change_of("equal", 1, 1), change_of("equal", 1.004, 1.004, tie_ratio=0.01)
    ('the same', 'about the same')
    >>> change_of("range", 0.9, 1), change_of("at_most", 1, 1), change_of("at_most", 0.25, 0.25)
    ('0 to 10 % lower', 'the same or lower', 'at least 75 % lower')
    """
    if words := said_once()["without_figure"].get(relation):
        return str(words)
    if max(abs(low - 1), abs(high - 1)) <= tie_ratio:
        return str(said_once()["at_1"].get(relation, "about " * bool(tie_ratio) + "the same"))
    relation = _INVERSE.get(relation, relation) if high <= 1 else relation
    if high >= 2 or low < 1 < high:  # people say "3 times", but "40 % higher"
        return _amount(relation, (low, high), 3, "times")
    shares = sorted(100 * abs(1 - end) for end in (low, high))
    return _amount(relation, shares, digits, "% lower" if high <= 1 else "% higher")


def _amount(relation: str, ends: Iterable[float], digits: int, unit: str) -> str:
    lead = "" if relation in {"equal", "range"} else relation.replace("_", " ")
    figures = dict.fromkeys(f"{end:.{digits}g}" for end in ends)
    return f"{lead} {' to '.join(figures)} {unit}".strip()


def with_implied(case: Case) -> dict[str, Condition]:
    """Return a case with the conditions that its ids imply; an adapter is at both ends."""
    known: dict[str, Any] = dict(case)
    count = known.get("connections", 1)
    require_at_least("connections", require_whole("connections", count), 1, "")
    if "adapter" in known and "direction" not in known:
        known = dict.fromkeys(("client", "server"), known.pop("adapter")) | known
    for key, value in case.items():
        others = {name: each for name, each in known.items() if name != key}
        known = {**known, **said_once()["implied"].get(str(value), {}), **others}
    return known


def about(*cases: Case) -> Rows:
    """Return the rows of documents that name a place of these cases; of all where none is named."""
    return _about(frozenset(str(case[key]) for case in cases for key in PLACES & case.keys()))


@lru_cache
def _about(places: frozenset[str]) -> Rows:
    texts = ((x.stem, x.read_text("utf-8")) for x in found_files("published/*.toml"))
    named = (x for x in texts if not places or any(each in x[1] for each in places))
    found = ((name, row) for name, text in named for row in printed_rows(tomli.loads(text)))
    return Known(Row(**{"document": name, "high": x.get("low"), **x}) for name, x in found)


def listing(
    ids: Sequence[str] = (), workload: str | None = None, quantity: str | None = None
) -> Rows:
    """
    Return the rows about adapters, paths or workloads, as printed.

    Parameters
    ----------
    ids : str or sequence of str
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
    found, wanted = about(), [ids] if isinstance(ids, str) else ids
    for name in map(str.lower, filter(None, (*wanted, workload, quantity))):
        named = {row.id for row in about() if _is_about(row, **with_implied({"path": name}))}
        if not named:
            near = meant_text(name, set().union(*map(_values, about())))
            raise UnknownRecordError(f"no document has a row about {name!r}{near}")
        found = tuple(row for row in found if row.id in named)
    return found


def _is_about(row: Row, path: Condition, **others: Condition) -> bool:
    """Return True if a row has this value, and nothing that contradicts the name of a path."""
    known = [(x, (*row.of.get(key, (x,)), *row.against.get(key, ()))) for key, x in others.items()]
    return str(path) in _values(row) and all(value in values for value, values in known)


def _values(row: Row) -> set[str]:
    conditions = (*row.of.values(), *row.against.values())
    return {row.quantity, *(str(value).lower() for each in conditions for value in each)}
