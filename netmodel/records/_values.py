"""Values as their source prints them, with unit, place and grade."""

import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    ValidationInfo,
    model_validator,
)

from netmodel._estimates import Estimate
from netmodel._grades import Grade
from netmodel.errors import AmbiguousValueError, UnitError
from netmodel.records._figures import (
    UNIT_OF_COUNTS,
    Number,
    Relation,
    half_step,
    interval_of_figures,
    is_counted,
    parts_of_figure,
    rounding_half_width,
    with_unit,
)
from netmodel.units import (
    parse_length_m,
    parse_rate_bps,
    parse_ratio,
    parse_size_bytes,
    parse_time_s,
    split_quantity,
)

__all__ = ["FROZEN", "Grade", "Sourced", "Text", "Value", "with_defaults"]

FROZEN = ConfigDict(frozen=True, extra="forbid")

_EXPLAINED = frozenset({Grade.DERIVED, Grade.FITTED, Grade.ASSUMED})
_EXACT = frozenset({Grade.STANDARD, Grade.ASSUMED})
_PER_SECOND = "1/s"


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


def with_defaults(defaults: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    """What is told, with the defaults of its surroundings that fit its own source and grade."""
    unfit = {"locator", "note"} if "source" in told else {"note"} if "grade" in told else set()
    return {key: value for key, value in defaults.items() if key not in unfit} | dict(told)


Text = Annotated[str, AfterValidator(_not_blank)]


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
        """Fill in the defaults of the file; their place and note are those of their own source."""
        return with_defaults(info.context or {}, data) if isinstance(data, Mapping) else data

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

    In files of records a short text may stand for it, as it is printed:
    ``"12 µs"``, ``"8"`` for a count, ``"12 to 14 µs"``, ``"about 13 Gbit/s"``.
    Source, place and grade then are the defaults of the file.

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

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, data: Any) -> Any:
        return parts_of_figure(data) if isinstance(data, str) else data

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
        if self.value is None:
            return None if self.resolution is None else self.resolution / 2
        return rounding_half_width(self.value, self.resolution)

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

    @property
    def interval(self) -> tuple[Decimal, Decimal] | None:
        """
        Lowest and highest figure that it allows, in its unit; both are allowed.

        Digits tell the rounding, zeros at the end too, but an integer of
        things, bytes, KiB, MiB or GiB is exact; about is 5 %, and what is
        censored or bounded leaves one end open. `resolution` goes before digits.
        """
        figures = (self.value, self.low, self.high)
        return interval_of_figures(self.relation, figures, self._half_width)

    def estimate(self, parse: Callable[[str], float]) -> Estimate:
        """
        The figure in its base unit, and the least and most that its source allows.

        As `interval` has it, but a figure that is standard or assumed is
        exact unless its relation says otherwise.

        Parameters
        ----------
        parse : callable
            What reads the kind of quantity, such as `netmodel.units.parse_time_s`.

        Returns
        -------
        estimate : Estimate
            In the unit of the parser.

        Raises
        ------
        AmbiguousValueError
            If the relation is that of a sign.
        UnitError
            If the unit is not of that kind, or a number is negative.

        Examples
        --------
        >>> from netmodel.units import parse_time_s
        >>> told = {"source": "my notes", "locator": "page 3", "grade": "measured"}
        >>> Value.model_validate(told | {"value": 12, "unit": "µs"}).estimate(parse_time_s)
        Estimate(value=1.2e-05, low=1.15e-05, high=1.25e-05)
        """
        if self.interval is None or self.relation is Relation.SIGN:
            raise AmbiguousValueError(f"{self} is not a quantity")
        middle = self._middle()
        exact = self.relation is Relation.EQUAL and self.grade in _EXACT
        low, high = (middle, middle) if exact else self.interval
        value = self._parsed(parse, middle)
        least = self._parsed(parse, max(low, Decimal(0)))
        return Estimate(value, least, self._parsed(parse, high) if high.is_finite() else math.inf)

    @property
    def time_s_estimate(self) -> Estimate:
        """As a time, with what is left open. [s]"""
        return self.estimate(parse_time_s)

    @property
    def rate_bps_estimate(self) -> Estimate:
        """As a bit rate, with what is left open. [bit/s]"""
        return self.estimate(parse_rate_bps)

    @property
    def size_bytes_estimate(self) -> Estimate:
        """As a size, with what is left open; ends need not be whole bytes. [byte]"""
        return self.estimate(_size_bytes)

    @property
    def length_m_estimate(self) -> Estimate:
        """As a length, with what is left open. [m]"""
        return self.estimate(parse_length_m)

    @property
    def frame_rate_fps_estimate(self) -> Estimate:
        """As a rate in 1/s, with what is left open. [frame/s]"""
        return self.estimate(_per_second)

    @property
    def number_estimate(self) -> Estimate:
        """As a number without a unit, with what is left open."""
        return self.estimate(parse_ratio)

    def _middle(self) -> Decimal:
        if self.low is not None and self.high is not None:
            return (self.low + self.high) / 2
        return self.value if self.value is not None else Decimal(0)

    def _half_width(self, figure: Decimal) -> Decimal:
        if self.resolution is not None:
            return self.resolution / 2
        return Decimal(0) if is_counted(figure, self.unit) else half_step(figure)

    def _parsed(self, parse: Callable[[str], float], number: Decimal) -> float:
        return float(parse(_quantity(number, self.unit)))

    def _figure(self) -> str:
        if self.value is None:
            raise AmbiguousValueError(f"{self} is not one number")
        return _quantity(self.value, self.unit)

    def _parsed_size(self, number: Decimal | None) -> int:
        return parse_size_bytes(_quantity(number, self.unit))


def _quantity(number: Decimal | None, unit: str) -> str:
    """What the parsers read: to them a bare number is a count, or a size in bytes."""
    return str(number) if unit == UNIT_OF_COUNTS else f"{number} {unit}"


def _size_bytes(text: str) -> float:
    """A size that need not be whole: that of a whole number of thousandths of it, divided."""
    number, unit = split_quantity(text)
    digits = 3 + max(0, -int(number.as_tuple().exponent))
    try:
        return float(Decimal(parse_size_bytes(f"{number.scaleb(digits)} {unit}")).scaleb(-digits))
    except UnitError:
        return parse_size_bytes(text)


def _per_second(text: str) -> float:
    number, _, unit = text.partition(" ")
    if unit != _PER_SECOND:
        raise UnitError(f"{text!r}: write a rate of frames like 1000000 {_PER_SECOND}")
    return parse_ratio(number)
