"""Before a calibration: conditions that a model reads, and figures that only show a full line."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from netmodel.calibration.models import Model, Point
from netmodel.calibration.observations import (
    CENSORED,
    RATES,
    Cap,
    Conditions,
    Observed,
    Selection,
    comparable,
)
from netmodel.errors import DomainError
from netmodel.records import Relation
from netmodel.text import argument
from netmodel.units.prefixes import GIGA

_LISTED_COUNT = 4
"""Values of a condition that a note lists: it stays one line."""
_LINE_TOLERANCE_RATIO = 0.005
"""A rate this near to the line counts as line speed: tools round to three digits, clocks differ."""


def read_conditions(model: Model, observed: Iterable[Observed]) -> frozenset[str]:
    """
    Conditions that a model looks up, given or not, for any of several observations.

    Parameters
    ----------
    model : Model
        It decides which conditions it reads.
    observed : iterable of Observed
        Observations, or possible ones.

    Returns
    -------
    names : frozenset of str
        Optional conditions included.

    Raises
    ------
    DomainError
        If the model does not know a quantity, or a condition that it needs is missing; names
        the observation.

    Examples
    --------
    >>> from netmodel.calibration import curve_model
    >>> seen = Observed(
    ...     quantity="transaction_rate_tps", at={"connection_count": 8, "layer": 2}, low=1, high=2
    ... )
    >>> sorted(read_conditions(curve_model("scalability"), [seen]))
    ['connection_count']
    """
    read: set[str] = set()
    for each in {(each.quantity, comparable(each.at)): each for each in observed}.values():
        try:
            model.function([Point(each.quantity, _Noted(each.at, read))])
        except DomainError as error:
            raise DomainError(f"{each.name}: {error}") from error
    return frozenset(read)


def differing_beside(
    read: Collection[str], observed: Sequence[Observed]
) -> dict[str, tuple[str, ...]]:
    """Conditions beside those that are read and that differ, each with its values."""
    texts: dict[str, dict[str, None]] = {}
    for each in observed:
        for name, value in each.at.items():
            texts.setdefault(name, {})[str(value)] = None
    return {
        name: tuple(values)
        for name, values in texts.items()
        if name not in read and len(values) > 1
    }


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
        more = len(values) - _LISTED_COUNT
        shown = ", ".join(values[:_LISTED_COUNT]) + f" and {more} more" * (more > 0)
        choose = argument("where", "--where")
        notes.append(f"the model ignores {name} ({shown}): choose one with {choose}")

    def kept(at: Conditions) -> Conditions:
        return {name: value for name, value in at.items() if name not in unread}

    seen = (
        replace(
            each, at=kept(each.at), baseline=each.baseline and kept(each.baseline), place=each.name
        )
        for each in observed
    )
    return Selection(tuple(seen), tuple(notes))


class _Noted(Mapping[str, float | str | bool]):
    """Conditions that note which of them are looked up."""

    def __init__(self, at: Conditions, read: set[str]) -> None:
        self._at, self._read = at, read

    def __getitem__(self, name: str) -> float | str | bool:
        self._read.add(name)
        return self._at[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._at)

    def __len__(self) -> int:
        return len(self._at)


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
        the line carries if that is less. Figures below it under the same conditions are then, like
        it, of the path without the line. One that is above by more is left out: it is not of this
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
    seen, notes, full = list[Observed](), list[str](), dict[str, list[str]]()
    for each in observed:
        is_rate = each.quantity == RATES[0] and each.figure is not None
        cap_bps = cap(each.at) if is_rate else float("inf")
        carried = f"{cap_bps / GIGA:.4g} Gbit/s"
        if not is_rate or each.high < cap_bps * (1 - _LINE_TOLERANCE_RATIO):
            seen.append(each)
        elif each.low > cap_bps * (1 + _LINE_TOLERANCE_RATIO):
            more = f"{each.low / GIGA:.4g} Gbit/s or more, and the line carries {carried}"
            notes.append(f"{each.name}: refused: {more}")
        else:
            low, relation = min(each.low, cap_bps), Relation.CENSORED_ABOVE
            seen.append(replace(each, low=low, high=float("inf"), relation=relation))
            full.setdefault(carried, []).append(each.name)
    for carried, (first, *others) in full.items():
        names = f"{first} and {len(others)} more" if others else first
        notes.append(f"{names}: at line speed: censored above, since the line carries {carried}")
    # where some runs of a condition are censored, the others would have been too
    censored = {comparable(each.at) for each in seen if each.relation in CENSORED}
    marked = (
        replace(each, is_beside_censored=True)
        if each.figure is not None and comparable(each.at) in censored
        else each
        for each in seen
    )
    return Selection(tuple(marked), tuple(dict.fromkeys(notes)))
