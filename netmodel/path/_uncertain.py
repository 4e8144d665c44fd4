"""Parameters that are known as intervals, or only together with others."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from netmodel._estimates import Estimate
from netmodel._numeric import (
    Quantity,
    require_above,
    require_at_least,
    require_at_most,
    require_one,
)
from netmodel._numpy import np
from netmodel.errors import DomainError

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = [
    "Cases",
    "Estimate",
    "Interval",
    "Joint",
    "Parameter",
    "cases_of",
    "has_cases",
    "is_uncertain",
    "range_of",
    "require_count",
    "require_parameter",
]

MAX_CASE_COUNT = 65_536
_LARGEST = 1e300


@dataclass(frozen=True, slots=True)
class Interval:
    """
    A parameter somewhere between two ends, whatever the others are.

    Parameters
    ----------
    value : float
        The one to quote.
    low, high : float
        The ends, which the value may be.

    Raises
    ------
    DomainError
        If the value is not between the ends, or one of the three is no finite number.

    Examples
    --------
    >>> Interval(12e-6, 11.5e-6, 12.5e-6).high
    1.25e-05
    """

    value: float
    low: float
    high: float

    def __post_init__(self) -> None:
        for name in ("value", "low", "high"):
            require_at_most(name, require_one(name, getattr(self, name)), _LARGEST, "")
        require_at_least("value", self.value, self.low, "")
        require_at_most("value", self.value, self.high, "")


@dataclass(frozen=True, slots=True)
class Joint:
    """
    A parameter that goes together with others: corners of a feasible set, or joint samples.

    Parameters
    ----------
    values : tuple of float
        The one to quote first. The k-th goes with the k-th of every other
        parameter of the same set.
    of : str
        Name of the set.

    Raises
    ------
    DomainError
        If there is no value, or one is no finite number.

    Examples
    --------
    >>> Joint((0.86e-6, 0.47e-6), of="adapter in").values[0]
    8.6e-07
    """

    values: tuple[float, ...]
    of: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(self.values))
        if not self.values:
            raise DomainError(f"the set {self.of!r} needs at least one value")
        for number, value in enumerate(self.values):
            require_at_most(
                f"value {number} of {self.of}", require_one(self.of, value), _LARGEST, ""
            )


Parameter: TypeAlias = Quantity | Interval | Joint
"""What a stage may have in place of a number."""


class Cases(NamedTuple):
    """
    All combinations of what uncertain parameters may be.

    Parameters
    ----------
    rank : int
        Number of axes of their values, the combinations along the first.
    values_of : callable
        From a parameter, and whether more of it slows the path down, to its
        values along the first axis; a point stays what it is.
    """

    rank: int
    values_of: Callable[[Parameter, bool], Quantity]


def cases_of(parameters: Iterable[Parameter], others: Iterable[Quantity]) -> Cases:
    """
    Combinations of uncertain parameters, the values to quote first.

    Intervals move together, to the slow ends and to the fast ends: results
    that rise or fall with each parameter have their extremes there. Sets that
    have nothing to do with each other are combined in every way.

    Raises
    ------
    DomainError
        If the values of a set differ in number, or there are too many combinations.
    """
    known = list(parameters)
    sizes = {"": 3} if any(isinstance(one, Interval) for one in known) else {}
    for one in known:
        if isinstance(one, Joint):
            size = sizes.setdefault(f"of {one.of}", len(one.values))
            if size != len(one.values):
                raise DomainError(
                    f"the set {one.of!r} has parameters with {size} and {len(one.values)} values"
                )
    count = int(np.prod([float(size) for size in sizes.values()]))
    if count > MAX_CASE_COUNT:
        raise DomainError(
            f"{len(sizes)} independent sets of parameters make {count} combinations, and "
            f"{MAX_CASE_COUNT} are computed at most: give joint samples of all of them"
        )
    rank = max((np.ndim(one) for one in chain(known, others) if not is_uncertain(one)), default=0)
    grid = np.indices(tuple(sizes.values())).reshape(len(sizes), count, *[1] * rank)
    return Cases(rank + 1, _picker(dict(zip(sizes, grid, strict=True))))


def has_cases(quantity: Quantity, rank: int) -> bool:
    """Whether the first of its axes has the combinations, which are so many axes in all."""
    return bool(rank) and np.ndim(quantity) == rank


def range_of(quantity: Quantity, rank: int) -> Estimate:
    """Its value to quote, least and most, where the first of so many axes has the combinations."""
    if not has_cases(quantity, rank):
        return Estimate(quantity, quantity, quantity)
    return Estimate.of_cases(quantity)


def _picker(
    index_of: "dict[str, npt.NDArray[np.intp]]",
) -> Callable[[Parameter, bool], Quantity]:
    def values_of(parameter: Parameter, slows: bool) -> Quantity:
        if isinstance(parameter, Interval):
            ends = (parameter.high, parameter.low) if slows else (parameter.low, parameter.high)
            return np.array([parameter.value, *ends])[index_of[""]]
        if isinstance(parameter, Joint):
            return np.array(parameter.values)[index_of[f"of {parameter.of}"]]
        return parameter

    return values_of


def require_parameter(name: str, parameter: Parameter, least: float, unit: str) -> Parameter:
    """The parameter, arrays as such; raise DomainError if any of its values is below the least."""
    return _required(require_at_least, name, parameter, least, unit)


def require_count(name: str, parameter: Parameter | None) -> Parameter | None:
    """The same for a count, None for one that is not there; it must be above zero."""
    return None if parameter is None else _required(require_above, name, parameter, 0, "")


def _required(
    require: Callable[[str, Quantity, Quantity, str], Quantity],
    name: str,
    parameter: Parameter,
    limit: float,
    unit: str,
) -> Parameter:
    if isinstance(parameter, Interval):
        require(name, parameter.low, limit, unit)
        return parameter
    if isinstance(parameter, Joint):
        require(name, np.array(parameter.values), limit, unit)
        return parameter
    return require(name, parameter, limit, unit)


def is_uncertain(parameter: Parameter) -> bool:
    """Whether it may be one of several values."""
    return isinstance(parameter, Interval | Joint)
