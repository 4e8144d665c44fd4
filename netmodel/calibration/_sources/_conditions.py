"""Conditions of several observations: which of them differ, and which a model looks at."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from netmodel.calibration._models._base import Model, Point
from netmodel.calibration._observed import Conditions, Observed
from netmodel.calibration._sources._selection import Selection
from netmodel.errors import DomainError

__all__ = [
    "only_read",
    "read_conditions",
    "shared_conditions",
    "unread_conditions",
    "varied_numbers",
]

_MOST_TOLD = 4


def read_conditions(model: Model, observed: Iterable[Observed]) -> frozenset[str]:
    """
    Conditions that a model looks at, told or not, for any of several observations.

    Parameters
    ----------
    model : Model
        What says which conditions it needs.
    observed : iterable of Observed
        What was seen, or might be.

    Returns
    -------
    names : frozenset of str
        Also of those that it could do without.

    Raises
    ------
    DomainError
        If the model does not know a quantity, or a condition that it needs is
        not told; names the observation.

    Examples
    --------
    >>> from netmodel.calibration import scalability_model
    >>> seen = Observed(
    ...     quantity="transaction_rate_tps", at={"connection_count": 8, "layer": 2}, low=1, high=2
    ... )
    >>> sorted(read_conditions(scalability_model(), [seen]))
    ['connection_count']
    """
    read: set[str] = set()
    for one in observed:
        try:
            model.function([Point(one.quantity, _Noted(one.at, read))])
        except DomainError as error:
            raise DomainError(f"{one.name}: {error}") from error
    return frozenset(read)


def unread_conditions(model: Model, observed: Sequence[Observed]) -> dict[str, tuple[str, ...]]:
    """
    Conditions that differ between observations, and that a model does not look at.

    Parameters
    ----------
    model : Model
        What says which conditions it needs.
    observed : sequence of Observed
        What was seen under them.

    Returns
    -------
    values : dict of str to tuple of str
        Of each such condition what it was, by its name.

    Raises
    ------
    DomainError
        If the model does not know a quantity, or a condition that it needs is
        not told; names the observation.

    Examples
    --------
    >>> from netmodel.calibration import adapter_model
    >>> seen = [
    ...     Observed(
    ...         quantity="throughput_bps", at={"mtu_bytes": 1500, "layer": layer}, low=1, high=2
    ...     )
    ...     for layer in (2, 3)
    ... ]
    >>> unread_conditions(adapter_model(), seen)
    {'layer': ('2', '3')}
    """
    read = read_conditions(model, observed)
    told: dict[str, dict[str, None]] = {}
    for one in observed:
        for name, value in one.at.items():
            told.setdefault(name, {})[str(value)] = None
    return {
        name: tuple(values) for name, values in told.items() if name not in read and len(values) > 1
    }


def only_read(model: Model, observed: Sequence[Observed], also: Collection[str] = ()) -> Selection:
    """
    Observations without the conditions that differ and that a model does not look at.

    Parameters
    ----------
    model : Model
        What says which conditions it needs.
    observed : sequence of Observed
        What was seen under them.
    also : collection of str
        Conditions that stay all the same.

    Returns
    -------
    selection : Selection
        In the same order; runs that differ by nothing that matters are then
        repetitions. The notes tell what differs between them.

    Raises
    ------
    DomainError
        If the model does not know a quantity, or a condition that it needs is
        not told; names the observation.

    Examples
    --------
    >>> from netmodel.calibration import adapter_model
    >>> seen = [
    ...     Observed(
    ...         quantity="throughput_bps", at={"mtu_bytes": 1500, "run": run}, low=1, high=2
    ...     )
    ...     for run in ("a", "b")
    ... ]
    >>> dict(only_read(adapter_model(), seen).observed[0].at)
    {'mtu_bytes': 1500}
    """
    unread = unread_conditions(model, observed)
    notes = (
        f"{name} is {_some(values)}, which the model does not tell apart: choose one, "
        "or calibrate each for itself"
        for name, values in unread.items()
    )
    names = unread.keys() - set(also)
    return Selection(tuple(_without(one, names) for one in observed), tuple(notes))


def shared_conditions(observed: Sequence[Observed]) -> dict[str, float | str | bool]:
    """
    Conditions that are the same for all observations.

    Parameters
    ----------
    observed : sequence of Observed
        At least one.

    Returns
    -------
    conditions : dict
        By name.

    Examples
    --------
    >>> seen = [
    ...     Observed(quantity="throughput_bps", at={"mtu_bytes": mtu, "layer": 2}, low=1, high=2)
    ...     for mtu in (1500, 9000)
    ... ]
    >>> shared_conditions(seen)
    {'layer': 2}
    """
    first, *others = (one.at for one in observed)
    return {
        name: value
        for name, value in first.items()
        if all(one.get(name) == value for one in others)
    }


def _without(one: Observed, names: Collection[str]) -> Observed:
    def only(at: Conditions) -> dict[str, float | str | bool]:
        return {name: value for name, value in at.items() if name not in names}

    baseline = only(one.baseline) if isinstance(one.baseline, Mapping) else one.baseline
    also_at = tuple(map(only, one.also_at))
    return replace(one, at=only(one.at), also_at=also_at, baseline=baseline, place=one.name)


def _some(values: Sequence[str]) -> str:
    more = f" and {len(values) - _MOST_TOLD} more" if len(values) > _MOST_TOLD else ""
    return ", ".join(values[:_MOST_TOLD]) + more


def varied_numbers(observed: Sequence[Observed]) -> tuple[str, ...]:
    """
    Conditions of observations that are numbers, told by all of them, and not the same in all.

    Parameters
    ----------
    observed : sequence of Observed
        What was seen under them.

    Returns
    -------
    names : tuple of str
        Those with most different values first.

    Examples
    --------
    >>> seen = [
    ...     Observed(quantity="throughput_bps", at={"mtu_bytes": mtu, "layer": 2}, low=1, high=2)
    ...     for mtu in (1500, 9000)
    ... ]
    >>> varied_numbers(seen)
    ('mtu_bytes',)
    """
    values = {
        name: {one.at.get(name) for one in observed}
        for name in dict.fromkeys(name for one in observed for name in one.at)
    }
    numbers = {
        name: len(several)
        for name, several in values.items()
        if len(several) > 1 and all(type(value) in (int, float) for value in several)
    }
    return tuple(sorted(numbers, key=lambda name: -numbers[name]))


class _Noted(Mapping[str, float | str | bool]):
    """Conditions that note which of them are looked at."""

    def __init__(self, at: Conditions, read: set[str]) -> None:
        self._at, self._read = at, read

    def __getitem__(self, name: str) -> float | str | bool:
        self._read.add(name)
        return self._at[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._at)

    def __len__(self) -> int:
        return len(self._at)
