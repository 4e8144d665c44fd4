"""A calibration, by whichever method the observations are enough for."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from netmodel.calibration._feasible import FeasibleSet, feasible_set
from netmodel.calibration._fit import Fit, fit
from netmodel.calibration._model import LinearModel, Model, Point
from netmodel.calibration._observed import Conditions, Observed
from netmodel.errors import CalibrationError, ContradictionError, DomainError

__all__ = [
    "Calibration",
    "calibrate",
    "read_conditions",
    "unread_conditions",
    "varied_numbers",
]

Calibration: TypeAlias = Fit | FeasibleSet
"""Both tell ``parameters``, ``warnings`` and what they ``predict``."""


def calibrate(
    model: Model, observed: Sequence[Observed], noise_ratio: float | None = None
) -> Calibration:
    """
    Parameters of a model from observations: likeliest ones where these tell them, else all.

    Parameters
    ----------
    model : Model
        What has the parameters.
    observed : sequence of Observed
        What was seen.
    noise_ratio : float, optional
        Standard deviation of the noise as a ratio, where it is known.

    Returns
    -------
    calibration : Fit or FeasibleSet
        A fit where there are more figures with two ends than parameters and
        they scatter. Else, for a linear model, the set of all parameters that
        agree with every figure within its rounding; its first warning is why.

    Raises
    ------
    CalibrationError
        If the observations do not tell the parameters, and the model is not linear.
    ContradictionError
        If they cannot be true together within their rounding, and are too few
        to tell noise.
    DomainError
        If the model does not know a quantity, or a condition that it needs is not told.

    Examples
    --------
    Two figures, of which the line hid one, tell no likeliest value:

    >>> import math
    >>> from netmodel.calibration import adapter_model
    >>> seen = [
    ...     Observed(
    ...         quantity="throughput_bps", at={"mtu_bytes": 1500}, low=13.35e9, high=13.45e9
    ...     ),
    ...     Observed(
    ...         quantity="throughput_bps", at={"mtu_bytes": 9000}, low=24.75e9, high=math.inf
    ...     ),
    ... ]
    >>> found = calibrate(adapter_model(25e9), seen)
    >>> type(found).__name__, found.parameters["per_byte_s"].value
    ('FeasibleSet', None)
    """
    ignored = tuple(_ignored(model, observed))
    try:
        found = fit(model, observed, noise_ratio=noise_ratio)
        return replace(found, warnings=(*ignored, *found.warnings))
    except CalibrationError as refusal:
        if not isinstance(model, LinearModel):
            raise
        try:
            allowed = feasible_set(model, observed)
        except ContradictionError as contradiction:
            told = f"{contradiction}; nor are any values the likeliest: {refusal}"
            raise ContradictionError(told) from contradiction
        why = f"all that the figures allow, since no values are the likeliest: {refusal}"
        return replace(allowed, warnings=(why, *ignored, *allowed.warnings))


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


def _ignored(model: Model, observed: Sequence[Observed]) -> Iterator[str]:
    for name, values in unread_conditions(model, observed).items():
        yield (
            f"{name} is {', '.join(values)}, which the model does not tell apart: choose one, "
            "or calibrate each for itself"
        )
