"""Values as their source prints them, with unit, place and grade."""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ValidationInfo,
    model_validator,
)

from netmodel._grades import Grade
from netmodel.errors import AmbiguousValueError
from netmodel.units import parse_rate_bps, parse_size_bytes, parse_time_s

__all__ = [
    "FROZEN",
    "UNIT_OF_COUNTS",
    "FrozenMapping",
    "Grade",
    "Number",
    "Relation",
    "Sourced",
    "Text",
    "Value",
    "allowed_interval",
    "half_step",
    "number_as_printed",
    "with_unit",
]

Held = TypeVar("Held")

FROZEN = ConfigDict(frozen=True, extra="forbid")
UNIT_OF_COUNTS = "1"
_MAX_EXPONENT = 30


class Relation(Enum):
    """
    How the true quantity stands to the figure that is printed.

    ``EQUAL`` is meant within the rounding of the printed digits, ``UP_TO`` as
    a most that is reached in one of the cases named, ``CENSORED_ABOVE`` as a
    quantity that something else kept from becoming larger, and ``SIGN`` as
    the direction of a change alone.
    """

    EQUAL = "equal"
    ABOUT = "about"
    AT_LEAST = "at_least"
    AT_MOST = "at_most"
    UP_TO = "up_to"
    RANGE = "range"
    CENSORED_ABOVE = "censored_above"
    CENSORED_BELOW = "censored_below"
    SIGN = "sign"


_EXPLAINED = frozenset({Grade.DERIVED, Grade.FITTED, Grade.ASSUMED})

_OPEN_BELOW = frozenset({Relation.AT_MOST, Relation.UP_TO, Relation.CENSORED_BELOW})
_OPEN_ABOVE = frozenset({Relation.AT_LEAST, Relation.CENSORED_ABOVE})
_ENDLESS = Decimal("Infinity")
_ABOUT_RATIO = Decimal("0.05")
"""How far "about" may be off, where nobody says."""


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


def number_as_printed(number: object) -> Decimal:
    """The integer or decimal as an exact number; a ValueError tells what it is instead."""
    if isinstance(number, bool) or not isinstance(number, int | Decimal):
        raise ValueError("must be a number whose digits are kept: an integer or a decimal")
    exact = Decimal(number)
    if not exact.is_finite():
        raise ValueError("must be a finite number")
    if abs(exact.adjusted()) > _MAX_EXPONENT:
        raise ValueError("is beyond the range of numbers that are read")
    return exact


def half_step(number: Decimal) -> Decimal:
    """
    Half of one in the last printed digit, zeros at the end counted as digits.

    Parameters
    ----------
    number : decimal.Decimal
        As printed.

    Returns
    -------
    half_width : decimal.Decimal
        How far rounding may have moved it, in its unit.

    Examples
    --------
    >>> half_step(Decimal("13.40"))
    Decimal('0.005')
    """
    return Decimal((0, (5,), int(number.as_tuple().exponent) - 1))


def with_unit(figure: str, unit: str) -> str:
    """The figure and its unit; 1, the unit of counts, is not printed."""
    return figure if unit == UNIT_OF_COUNTS else f"{figure} {unit}"


def allowed_interval(
    relation: Relation,
    figures: tuple[Decimal | None, Decimal | None, Decimal | None],
    half_width: Callable[[Decimal], Decimal],
) -> tuple[Decimal, Decimal] | None:
    """
    Lowest and highest figure that a printed value, or low and high, allow; both are allowed.

    None where there is no figure. The half width says how far rounding may
    have moved a figure; about is 5 %, and no less than its rounding.
    """
    value, low, high = figures
    if low is not None and high is not None:
        return low - half_width(low), high + half_width(high)
    if value is None:
        return None
    if relation in _OPEN_ABOVE:
        return value, _ENDLESS
    if relation in _OPEN_BELOW:
        return -_ENDLESS, value
    margin = half_width(value)
    if relation is Relation.ABOUT:
        margin = max(margin, abs(value) * _ABOUT_RATIO)
    return value - margin, value + margin


Text = Annotated[str, AfterValidator(_not_blank)]
Number = Annotated[Decimal, BeforeValidator(number_as_printed)]


class FrozenMapping(Mapping[str, Held]):
    """A mapping that does not change, so that what holds it can be a member of a set."""

    def __init__(self, members: Mapping[str, Held]) -> None:
        self._members = dict(members)

    def __getitem__(self, name: str) -> Held:
        return self._members[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __hash__(self) -> int:
        return hash(frozenset(self._members.items()))

    def __repr__(self) -> str:
        return repr(self._members)


class Sourced(BaseModel):
    """
    What every value of a record carries besides the value.

    Parameters
    ----------
    source : str
        Id of a document (`document_ids`), or in a file of one's own any text
        that names the source.
    locator : str
        Page, slide, section or table where a reader finds the value.
    grade : Grade
        How good the evidence is.
    note : str, optional
        What a reader should know: for a derived value the formula, for a
        fitted one the data, for an assumed one the reason. These need it.
    """

    model_config = FROZEN

    source: Text
    locator: Text
    grade: Grade
    note: Text | None = None

    @model_validator(mode="before")
    @classmethod
    def _with_defaults(cls, data: Any, info: ValidationInfo) -> Any:
        """Fill in the defaults of the file; their place is one in their own source only."""
        if not isinstance(data, Mapping):
            return data
        defaults = dict(info.context or {})
        if "source" in data:
            defaults.pop("locator", None)
        return defaults | dict(data)

    @model_validator(mode="after")
    def _explained(self) -> Self:
        if self.grade in _EXPLAINED and self.note is None:
            raise ValueError(f"grade {self.grade.value} needs a note")
        return self

    @property
    def provenance(self) -> str:
        """Grade, source, place and note, in one line."""
        note = f"; {self.note}" if self.note else ""
        return f"{self.grade.value}; {self.source}, {self.locator}{note}"


class Value(Sourced):
    """
    A number as its source prints it, in the printed unit.

    Parameters
    ----------
    unit : str
        As the source has it, ``"1"`` for a count, but never an ambiguous one: where it prints
        ``MB`` without saying which, the value is a range.
    value : decimal.Decimal
        With the printed digits: 13.40 is not 13.4. An `int` is taken too, a
        `float` is not. Absent for a range.
    low, high : decimal.Decimal
        Ends of a range; absent otherwise.
    relation : Relation
        How the true quantity stands to the figure.
    resolution : decimal.Decimal, optional
        Step of the printed figures, where the digits do not tell it.
    printed : str, optional
        The text as printed, where it tells more than the figure.
    source, locator, grade, note
        See `Sourced`.

    Raises
    ------
    pydantic.ValidationError
        If the parts do not belong together. A loader of files raises
        `ParseError` instead.

    Examples
    --------
    >>> limit = Value(
    ...     value=Decimal("13.40"),
    ...     unit="Gbit/s",
    ...     source="adapter",
    ...     locator="slide 21",
    ...     grade=Grade.PUBLISHED,
    ... )
    >>> print(limit)
    13.40 Gbit/s
    >>> limit.rate_bps, limit.rounding_half_width
    (13400000000.0, Decimal('0.005'))
    """

    unit: Text
    value: Number | None = None
    low: Number | None = None
    high: Number | None = None
    relation: Relation = Relation.EQUAL
    resolution: Number | None = None
    printed: Text | None = None

    @model_validator(mode="after")
    def _figures_fit_the_relation(self) -> Self:
        if self.resolution is not None and self.resolution <= 0:
            raise ValueError("resolution must be above 0")
        if self.relation is not Relation.RANGE:
            if self.value is None or self.low is not None or self.high is not None:
                raise ValueError(
                    f"relation {self.relation.value} has a value, and neither low nor high"
                )
        elif self.value is not None or self.low is None or self.high is None:
            raise ValueError("relation range has low and high, and no value")
        elif self.low > self.high:
            raise ValueError(f"low must not exceed high; got {self.low} and {self.high}")
        return self

    def __str__(self) -> str:
        if self.relation is Relation.RANGE:
            return with_unit(f"{self.low} to {self.high}", self.unit)
        words = "" if self.relation is Relation.EQUAL else self.relation.value.replace("_", " ")
        return with_unit(f"{words} {self.value}".lstrip(), self.unit)

    @property
    def rounding_half_width(self) -> Decimal | None:
        """
        Half a step of the printed figure, in its unit: how far rounding may have moved it.

        The step is `resolution`, or one in the last printed digit. None for a
        range, and for an integer that ends in 0 and has no resolution: its
        zeros may be digits or may only hold places.
        """
        if self.resolution is not None:
            return self.resolution / 2
        if self.value is None:
            return None
        _, digits, exponent = self.value.as_tuple()
        if exponent == 0 and len(digits) > 1 and digits[-1] == 0:
            return None
        return half_step(self.value)

    @property
    def size_bytes(self) -> int:
        """
        The figure as a size in whole bytes. [byte]

        Raises
        ------
        AmbiguousValueError
            If it is a range.
        UnitError
            If the unit is not that of a size, or the bytes are not whole.
        """
        return parse_size_bytes(self._figure())

    @property
    def size_bytes_bounds(self) -> tuple[int, int]:
        """
        Smallest and largest size in whole bytes that the value allows. [byte]

        Raises
        ------
        AmbiguousValueError
            If it is neither an exact size nor a range.
        UnitError
            If the unit is not that of a size, or the bytes are not whole.
        """
        if self.relation is Relation.RANGE:
            return self._parsed_size(self.low), self._parsed_size(self.high)
        if self.relation is Relation.EQUAL:
            return self.size_bytes, self.size_bytes
        raise AmbiguousValueError(f"{self} does not bound a size on both sides")

    @property
    def rate_bps(self) -> float:
        """
        The figure as a rate. [bit/s]

        Raises
        ------
        AmbiguousValueError
            If it is a range.
        UnitError
            If the unit is not that of a bit rate.
        """
        return parse_rate_bps(self._figure())

    @property
    def time_s(self) -> float:
        """
        The figure as a time. [s]

        Raises
        ------
        AmbiguousValueError
            If it is a range.
        UnitError
            If the unit is not that of a time.
        """
        return parse_time_s(self._figure())

    def _figure(self) -> str:
        if self.value is None:
            raise AmbiguousValueError(f"{self} is not one number")
        return f"{self.value} {self.unit}"

    def _parsed_size(self, number: Decimal | None) -> int:
        return parse_size_bytes(f"{number} {self.unit}")
