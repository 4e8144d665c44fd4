"""Formulas as lists of steps: a formula is called with recorded quantities instead of arrays."""

from collections.abc import Callable
from dataclasses import field
from typing import Any, NamedTuple, TypeAlias

from netmodel._dataclasses import dataclass

Operand: TypeAlias = "int | float"
"""An int is the place of a quantity, a float a constant."""

_SQUARE, _ROOT = 2, 0.5
"""Exponents that the operator of arrays computes by a product and a root."""


class Step(NamedTuple):
    """
    One operation.

    Parameters
    ----------
    operation : str
        Name of a function of numpy.
    operands : tuple
        Each the place of a quantity (int) or a constant (float).
    """

    operation: str
    operands: tuple[Operand, ...]


class Check(NamedTuple):
    """
    What a formula requires of a quantity, which must be finite too.

    Parameters
    ----------
    value : int or float
        Place of the quantity, or a constant.
    relation : str
        ``above``, ``at least``, ``at most`` or ``below``.
    limit : int or float
        Place of the limit, or a constant.
    """

    value: Operand
    relation: str
    limit: Operand


@dataclass
class Recording:
    """
    Steps and checks of a formula, in their order.

    Parameters
    ----------
    argument_count : int
        Quantities at the first places; each step adds one.
    """

    argument_count: int
    steps: list[Step] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    _places: dict[str, int] = field(default_factory=dict)

    def arguments(self) -> "list[Recorded]":
        """Quantities to call the formula with."""
        return [Recorded(self, place) for place in range(self.argument_count)]

    def operand(self, value: object) -> Operand:
        """A recorded quantity or a number as operand; TypeError for anything else."""
        if isinstance(value, Recorded):
            return value.place
        if isinstance(value, int | float):
            return float(value)
        return _number(value)

    def step(self, operation: str, *values: object) -> "Recorded":
        """The result of an operation; the same one again has no second step."""
        step = Step(operation, tuple(self.operand(each) for each in values))
        # by its text, in which 0.0 differs from -0.0
        place = self._places.setdefault(repr(step), self.argument_count + len(self.steps))
        if place == self.argument_count + len(self.steps):
            self.steps.append(step)
        return Recorded(self, place)

    def check(self, value: object, relation: str, limit: object) -> None:
        """Note what is required."""
        check = Check(self.operand(value), relation, self.operand(limit))
        if check not in self.checks:
            self.checks.append(check)


def _number(value: object) -> float:
    item = getattr(value, "item", None)  # of a scalar of numpy
    if item is None or getattr(value, "size", None) != 1:
        raise TypeError(f"no step can be recorded with {type(value).__name__}")
    return float(item())


def _operator(operation: str) -> Callable[..., "Recorded"]:
    def apply(self: "Recorded", *others: object) -> "Recorded":
        return self.recording.step(operation, self, *others)

    return apply


def _reflected(operation: str) -> Callable[..., "Recorded"]:
    def apply(self: "Recorded", other: object) -> "Recorded":
        return self.recording.step(operation, other, self)

    return apply


def _not_recordable(self: "Recorded", *others: object) -> Any:
    """Raise TypeError: what follows would depend on values that are not there yet."""
    raise TypeError("a formula that looks at values cannot be recorded")


class Recorded:
    """
    A quantity whose operations are recorded, as those of an array are computed.

    Parameters
    ----------
    recording : Recording
        Where the operations are noted.
    place : int
        Which quantity it is.
    """

    __slots__ = ("place", "recording")
    __hash__ = None  # type: ignore[assignment]
    ndim = 1

    def __init__(self, recording: Recording, place: int) -> None:
        self.recording = recording
        self.place = place

    __add__, __radd__ = _operator("add"), _reflected("add")
    __sub__, __rsub__ = _operator("subtract"), _reflected("subtract")
    __mul__, __rmul__ = _operator("multiply"), _reflected("multiply")
    __truediv__, __rtruediv__ = _operator("divide"), _reflected("divide")
    __rpow__ = _reflected("power")
    __neg__, __abs__ = _operator("negative"), _operator("absolute")
    __gt__, __ge__ = _operator("greater"), _operator("greater_equal")
    __lt__, __le__ = _operator("less"), _operator("less_equal")
    __eq__, __ne__ = _operator("equal"), _operator("not_equal")  # type: ignore[assignment]
    __and__, __rand__ = _operator("logical_and"), _reflected("logical_and")
    __or__, __ror__ = _operator("logical_or"), _reflected("logical_or")
    __invert__ = _operator("logical_not")
    __bool__ = __float__ = __int__ = __index__ = __len__ = _not_recordable
    __iter__ = __getitem__ = __array__ = _not_recordable

    def __pow__(self, exponent: object) -> "Recorded":
        if isinstance(exponent, int | float) and exponent in {_SQUARE, _ROOT}:
            return self.recording.step("square" if exponent == _SQUARE else "sqrt", self)
        return self.recording.step("power", self, exponent)

    def __array_ufunc__(self, function: Any, method: str, *values: object, **more: Any) -> Any:
        if method != "__call__" or more:
            return _not_recordable(self)
        return self.recording.step(function.__name__, *values)

    def __array_function__(self, function: Any, types: Any, values: Any, more: Any) -> Any:
        if function.__name__ != "where" or more:
            return _not_recordable(self)
        return self.recording.step("where", *values)
