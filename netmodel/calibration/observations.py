"""Observations: figures, intervals, bounds and comparisons, and what sources make of them."""

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, TypeAlias

from netmodel.errors import ContradictionError, DomainError, UnitError
from netmodel.kept import ReadOnly
from netmodel.numeric import require_plain
from netmodel.records.values import Relation, allowed_interval
from netmodel.results import fields_repr
from netmodel.text import argument, few_names, near_name
from netmodel.units import split_quantity
from netmodel.units.prefixes import GIGA

Condition: TypeAlias = float | str | bool
"""Value of a condition."""
Conditions: TypeAlias = Mapping[str, Condition]
"""Conditions of a figure, by the names of the columns of a table of results."""

MESSAGE_FORMS = ({"workload"}, {"request_bytes", "response_bytes"}, {"write_bytes"})
"""Three alternatives to say what is exchanged."""
MESSAGE_CONDITIONS = frozenset[str]().union(*MESSAGE_FORMS)
"""Conditions of all three."""

CENSORED = (Relation.CENSORED_ABOVE, Relation.CENSORED_BELOW)
"""Relations of what would have been observed if nothing else had limited it."""
Cap: TypeAlias = Callable[[Conditions], float]
"""From conditions to an upper bound there, such as the payload rate of a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """
    An observation of one quantity under conditions, and the interval that it allows.

    Parameters
    ----------
    quantity : str
        The quantity, with its unit, such as ``"throughput_bps"``.
    at : mapping of str to float, str or bool
        Conditions, such as ``{"mtu_bytes": 1500}``.
    low, high : float
        Smallest and largest value that the figure allows, both included; 0 and infinite
        where an end is open. The same where the figure is exact but for noise.
    value : float, optional
        Figure to quote; None where only ends are known.
    relation : Relation
        How the quantity compares with the figure. ``CENSORED_ABOVE`` is about what
        the quantity would be if nothing else limited it, ``EQUAL`` about what
        was observed.
    baseline : mapping, optional
        Conditions of what it is compared with: figures are then ratios to the
        same quantity there.
    place : str
        Document and place, or file and line.
    is_published : bool
        Whether it is a figure of a document, whose interval is its printed rounding:
        the run-to-run scatter is then unknown. Other figures are of your own runs,
        which scatter by more than their digits.

    Raises
    ------
    DomainError
        If an end is negative or not a number, or the lower end is above the upper one.

    Examples
    --------
    >>> seen = Observed(
    ...     quantity="throughput_bps", at={"mtu_bytes": 1500}, low=13.35e9, high=13.45e9
    ... )
    >>> seen.figure, seen.is_bounded
    (13400000000.0, True)
    """

    quantity: str
    at: Conditions
    low: float
    high: float
    value: float | None = None
    relation: Relation = Relation.EQUAL
    baseline: Conditions | None = None
    place: str = ""
    is_published: bool = False

    __repr__ = fields_repr

    def __post_init__(self) -> None:
        require_plain(**{**self.at, "low": self.low, "high": self.high, "value": self.value})
        object.__setattr__(self, "at", ReadOnly(self.at))
        if not 0 <= self.low <= self.high or self.low == math.inf:
            got = f"got {self.low!r} and {self.high!r}"
            raise DomainError(f"{self.name}: low and high are from 0 up, low not above high; {got}")

    @property
    def name(self) -> str:
        """Its place, else quantity and conditions."""
        return self.place or f"{self.quantity} at {conditions_text(self.at)}"

    @property
    def all_conditions(self) -> tuple[Conditions, ...]:
        """Its conditions, and those of the baseline; each is a run, whose noise it has."""
        return (self.at,) if self.baseline is None else (self.at, self.baseline)

    @property
    def figure(self) -> float | None:
        """The figure to quote, else the middle; None for bounds and comparisons."""
        if self.baseline is not None or not self.is_bounded:
            return None
        return self.value if self.value is not None else (self.low + self.high) / 2

    def as_printed(self) -> "Observed":
        """
        Return the observation with its figure taken as exact, as if it had not been rounded.

        Only a figure that the quantity equals is; any other observation stays as it is.

        Examples
        --------
        >>> at = {"mtu_bytes": 1500}
        >>> seen = Observed(quantity="rate_bps", at=at, low=13.35e9, high=13.45e9, value=13.4e9)
        >>> seen.as_printed().low, seen.as_printed().high
        (13400000000.0, 13400000000.0)
        """
        if self.value is None or self.relation is not Relation.EQUAL or not self.is_bounded:
            return self
        return replace(self, low=self.value, high=self.value)

    @property
    def middle(self) -> float:
        """The middle of its ends, or the only end."""
        if self.high == math.inf:
            return self.low
        return 0.5 * (self.low + self.high) if self.low else self.high

    @property
    def is_bounded(self) -> bool:
        """True if both ends are finite."""
        return self.low > 0 and self.high < math.inf

    @property
    def is_unbounded(self) -> bool:
        """True if both ends are open."""
        return self.low <= 0 and self.high == math.inf


def conditions_with(conditions: Conditions, given: Conditions) -> dict[str, Condition]:
    """
    Conditions overridden by others; messages are then given by one alternative only.

    Parameters
    ----------
    conditions : mapping
        Conditions.
    given : mapping
        Conditions that override them, or are added.

    Returns
    -------
    conditions : dict
        Of both.

    Examples
    --------
    >>> conditions_with({"workload": "awm-rr", "mtu_bytes": 1500}, {"request_bytes": 200})
    {'mtu_bytes': 1500, 'request_bytes': 200}
    """
    forms = [form for form in MESSAGE_FORMS if form & set(given)]
    replaced = MESSAGE_CONDITIONS.difference(*forms) if forms else frozenset()
    return {**{name: value for name, value in conditions.items() if name not in replaced}, **given}


def with_given(at: Conditions, given: Conditions, place: str) -> dict[str, Condition]:
    """Conditions with those that are given for all; refuses another value of one."""
    for name, value in given.items():
        if not is_same(at.get(name, value), value):
            raise ContradictionError(f"{place}: {name} is {at[name]}, given is {value}")
    return conditions_with(at, given)


def is_same(held: object, wanted: object) -> bool:
    """Return True if a condition has the wanted value; upper and lower case are the same."""
    return held == wanted or str(held).lower() == str(wanted).lower()


def comparable(at: Conditions | None) -> Hashable:
    """Conditions as a key that is equal where they are."""
    return None if at is None else frozenset(at.items())


def cases_of(observed: Iterable[Observed]) -> list[int]:
    """Return a number for each observation, equal for one quantity at equal conditions."""
    keys = [(each.quantity, *map(comparable, (each.at, each.baseline))) for each in observed]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return [numbers[key] for key in keys]


def conditions_text(at: Conditions) -> str:
    """Return the names and values, separated by commas."""
    return ", ".join(f"{name} {value}" for name, value in at.items())


def needed(at: Conditions, name: str, by: str) -> Condition:
    """Return a condition; where it is missing, a DomainError names it and what needs it."""
    if name not in at:
        raise missing_condition(name, by, at)
    return at[name]


def missing_condition(name: str, by: str, at: Conditions) -> DomainError:
    """Return the error where a needed condition is missing; names the one that may be meant."""
    meant = next((each for each in at if near_name(each, (name,))), None)
    hint = f": {meant} may be meant, write {name}" if meant else ""
    if not meant and by in RATES and "connection_count" in at:
        hint = f"; for rates over connections choose {argument('model', '--model', 'auto')}"
    return DomainError(f"{by} needs {name}, which is not given{hint}")


def allowed_by(relation: Relation, value: float, half_width: float = 0.0) -> tuple[float, float]:
    """
    Smallest and largest value that a figure allows, for a quantity that is never negative.

    Parameters
    ----------
    relation : Relation
        How the quantity compares with it; not a range, which has two figures, nor a
        sign, which has none.
    value : float
        The figure.
    half_width : float
        Half a step of its rounding.

    Returns
    -------
    low, high : float
        Both included, by the rule of records.

    Examples
    --------
    >>> allowed_by(Relation.AT_LEAST, 45.0)
    (45.0, inf)
    """
    low, high = map(float, allowed_interval(relation, Decimal(value), Decimal(half_width)))
    return max(0.0, low), high


def observed_figure(
    quantity: str, at: Conditions, value: float, half_width: float = 0.0, place: str = ""
) -> Observed:
    """Return the observation of a figure within half a step of its rounding; exact with 0."""
    low, high = allowed_by(Relation.EQUAL, value, half_width)
    return Observed(quantity=quantity, at=at, low=low, high=high, value=value, place=place)


_LINE_TOLERANCE_RATIO = 0.005
"""A rate this near to the line counts as line speed: tools round to three digits, clocks differ."""
_SLOW_RATIO = 0.01
"""No adapter carries less of its line: 1000, for Gbit/s in place of Mbit/s, leaves a tenth."""
FAILED_RUN = "0 is a failed run, and no figure to calibrate from"
"""Why a figure is left out that the user has not flagged: first in the answer."""


@dataclass(frozen=True, slots=True)
class Selection:
    """
    Observations from a source.

    Parameters
    ----------
    observed : tuple of Observed
        In the order of the source.
    notes : tuple of str
        Figures that were left out or read differently than written, and why.

    Examples
    --------
    >>> Selection((), ("row 1: no figure",)).notes
    ('row 1: no figure',)
    """

    observed: tuple[Observed, ...]
    notes: tuple[str, ...] = ()

    __repr__ = fields_repr

    def __iter__(self) -> Iterator[Observed]:
        """Each observation."""
        return iter(self.observed)


RATES = ("throughput_bps", "transaction_rate_tps")
COSTS = ("cpu_us_per_gbit", "cpu_s_per_transaction")
QUANTITIES = (*RATES, "transaction_time_s", *COSTS)
"""Quantities of models."""


def number_of(cell: str) -> Decimal | None:
    """Return the number in a cell; None for any other content."""
    with suppress(UnitError):
        number, rest = split_quantity(cell)
        return None if rest else number
    return None


def conditions_of(columns: Mapping[str, Sequence[str]], count: int) -> list[dict[str, Condition]]:
    """
    Conditions of each row, from the cells of columns by the names of the conditions.

    Empty cells give none. A column holds numbers where each of its cells is a number, else text.
    """
    conditions: list[dict[str, Condition]] = [{} for _ in range(count)]
    for name, cells in columns.items():
        numbers = [number_of(cell) for cell in cells]
        is_text = any(cell and number is None for cell, number in zip(cells, numbers, strict=True))
        for at, cell, number in zip(conditions, cells, numbers, strict=True):
            if number is not None and not is_text:
                at[name] = int(number) if number == int(number) else float(number)
            elif cell:
                at[name] = cell
    return conditions


def shared_notes(notes: Iterable[tuple[str, str]]) -> list[str]:
    """
    Notes by the name of a figure and what to say, those that say the same in one.

    Examples
    --------
    >>> shared_notes([("row 1", "over UDP"), ("row 2", "failed"), ("row 3", "over UDP")])
    ['row 1 and 1 more: over UDP', 'row 2: failed']
    """
    names: dict[str, list[str]] = {}
    for name, text in notes:
        names.setdefault(text, []).append(name)
    return [
        f"{first}{f' and {len(others)} more' if others else ''}: {text}"
        for text, (first, *others) in names.items()
    ]


def without_zeros(seen: Iterable[Observed]) -> Selection:
    """Without figures of 0: noise is relative, so that one of them would outweigh all others."""
    kept, notes = list[Observed](), [*seen.notes] if isinstance(seen, Selection) else []
    for each in seen:
        if each.relation in (Relation.EQUAL, Relation.ABOUT) and 0 in (each.value, each.high):
            notes.append(f"{each.name}: left out: {FAILED_RUN}")
        else:
            kept.append(each)
    return Selection(tuple(kept), tuple(notes))


def differing_beside(
    read: Collection[str], observed: Sequence[Observed]
) -> dict[str, tuple[str, ...]]:
    """Conditions beside those that are read and that differ, each with its values."""
    names = dict.fromkeys(name for each in observed for name in each.at if name not in read)
    texts = {
        name: tuple(dict.fromkeys(str(each.at[name]) for each in observed if name in each.at))
        for name in names
    }
    return {name: values for name, values in texts.items() if len(values) > 1}


def only_read(read: Collection[str], observed: Sequence[Observed]) -> Selection:
    """
    Observations without the conditions that differ and that a model does not look up.

    Parameters
    ----------
    read : collection of str
        Conditions that the model reads, as `read_conditions` has them.
    observed : sequence of Observed
        Observations under them.

    Returns
    -------
    selection : Selection
        In the same order; runs without a difference that matters are then repeats. The notes
        list what differs between them.

    Examples
    --------
    >>> seen = [
    ...     Observed(
    ...         quantity="throughput_bps", at={"mtu_bytes": 1500, "run": run}, low=1, high=2
    ...     )
    ...     for run in ("a", "b")
    ... ]
    >>> dict(only_read({"mtu_bytes"}, seen).observed[0].at)
    {'mtu_bytes': 1500}
    """
    unread = differing_beside(read, observed)
    notes = []
    for name, values in unread.items():
        shown, choose = few_names(values, "values"), argument("where", "--where")
        notes.append(f"the model ignores {name} ({shown}): choose one with {choose}")

    def kept(at: Any) -> Any:
        return at and {name: value for name, value in at.items() if name not in unread}

    seen = (replace(x, at=kept(x.at), baseline=kept(x.baseline), place=x.name) for x in observed)
    return Selection(tuple(seen), tuple(notes))


def line_speed_as_censored(observed: Iterable[Observed], cap: Cap) -> Selection:
    """
    Return observations, those at line speed as lower bounds: the line hides what else limits.

    Parameters
    ----------
    observed : iterable of Observed
        Of any quantity.
    cap : callable
        From conditions to the rate that the line carries, such as `line_cap` makes. [bit/s]

    Returns
    -------
    selection : Selection
        A throughput within half a per cent of it becomes ``CENSORED_ABOVE`` its lower end, or what
        the line carries if that is less. One that is above by more is left out: it is not of this
        line.

    Raises
    ------
    DomainError
        If the cap is not known under some conditions.

    Examples
    --------
    >>> full = Observed(quantity="throughput_bps", at={"mtu_bytes": 1500}, low=23.5e9, high=23.6e9)
    >>> from netmodel.calibration import line_cap
    >>> result = line_speed_as_censored([full], line_cap(25e9))
    >>> result.observed[0].relation.value, result.observed[0].high
    ('censored_above', inf)
    """
    seen, notes = list[Observed](), list[tuple[str, str]]()
    for each in observed:
        is_rate = each.quantity == RATES[0] and each.figure is not None
        cap_bps = cap(each.at) if is_rate else math.inf
        carried = f"the line carries {cap_bps / GIGA:.4g} Gbit/s"
        if not is_rate or each.high < cap_bps * (1 - _LINE_TOLERANCE_RATIO):
            seen.append(each)
            waits = {"workload", "request_bytes"} & each.at.keys()  # requests leave a line idle
            if is_rate and not waits and each.high < cap_bps * _SLOW_RATIO:
                notes.append((each.name, "less than a hundredth of the line: check its unit"))
        elif each.low > cap_bps * (1 + _LINE_TOLERANCE_RATIO):
            notes.append((each.name, f"refused: {carried} and no more"))
        else:
            low, relation = min(each.low, cap_bps), Relation.CENSORED_ABOVE
            seen.append(replace(each, low=low, high=math.inf, relation=relation))
            notes.append((each.name, f"at line speed: censored above, since {carried}"))
    return Selection(tuple(seen), tuple(shared_notes(notes)))
