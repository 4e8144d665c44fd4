"""Values as their source prints them: unit, place, grade, and the checks of each kind of value."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from enum import Enum
from functools import cached_property
from typing import Annotated, Any, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    GetPydanticSchema,
    ValidationInfo,
    model_validator,
)
from pydantic_core.core_schema import no_info_after_validator_function

from netmodel.ceilings import Capacity
from netmodel.errors import AmbiguousValueError, UnitError
from netmodel.estimates import ABOUT_RATIO, Estimate
from netmodel.grades import Grade
from netmodel.printable import quoted
from netmodel.records.numbers import number_as_printed
from netmodel.results import short_repr
from netmodel.units import (
    parse_length_m,
    parse_rate_bps,
    parse_ratio,
    parse_size_bytes,
    parse_time_s,
    split_quantity,
)
from netmodel.units.parsing import parse_share

Member = TypeVar("Member")

FROZEN = ConfigDict(frozen=True, extra="forbid", defer_build=True)
"""Records do not change. Their validators are built when the first record is read."""

MAX_MTU_BYTES = 65_536
"""Of the Linux loopback interface, the largest in use: an IP packet has at most 65,535 byte."""

_EXPLAINED = frozenset({Grade.DERIVED, Grade.FITTED, Grade.ASSUMED})
_EXACT = frozenset({Grade.STANDARD, Grade.ASSUMED})

UNIT_OF_COUNTS = "1"


class Relation(Enum):
    """Relation of the true quantity to the printed figure."""

    EQUAL = "equal"
    """Within the rounding of the printed digits."""
    ABOUT = "about"
    """Near it, as with words such as around."""
    AT_LEAST = "at_least"
    """Not below it."""
    AT_MOST = "at_most"
    """Not above it."""
    UP_TO = "up_to"
    """Not above it, and at least one of the named cases reaches it."""
    RANGE = "range"
    """Between two printed ends."""
    CENSORED_ABOVE = "censored_above"
    """Not below it: something else, such as the line rate, kept it from being larger."""
    CENSORED_BELOW = "censored_below"
    """Not above it: something else kept it from being smaller."""
    SIGN = "sign"
    """Only the direction of a change is known."""


_OPEN_BELOW = frozenset({Relation.AT_MOST, Relation.UP_TO, Relation.CENSORED_BELOW})
_OPEN_ABOVE = frozenset({Relation.AT_LEAST, Relation.CENSORED_ABOVE})
_INFINITY = Decimal("Infinity")
_WORDS = {
    relation.value.replace("_", " "): relation
    for relation in Relation
    if relation not in {Relation.EQUAL, Relation.RANGE, Relation.SIGN}
}
"""Words that may precede a figure in a text, and the relation that each means."""
_COUNTED_UNITS = frozenset({UNIT_OF_COUNTS, "B", "byte", "bytes", "KiB", "MiB", "GiB"})
"""Of counts and settings, which are exact where they are integers."""


def half_step(number: Decimal) -> Decimal:
    """
    Half a unit of the last printed digit; trailing zeros count as digits.

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
    # 5 in the place after the last: half of one there
    return Decimal((0, (5,), int(number.as_tuple().exponent) - 1))


def printed_rows(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """
    Yield the rows that a document has itself, and one for each cell of its tables.

    Parameters
    ----------
    document : mapping
        Of its file. Each `row` has a value or several of each condition. Each `table` has the names
        of its `columns`, and `lines` of cells by the name of each line, one for each number of
        connections in its conditions (`of`); lines in `doubt` with the reason, and whatever else
        holds for all its cells. A cell in per cent is a change. `columns` of the document has
        quantity, unit and conditions by the name of a column.
    """
    known = {"row": (), "table": (), "columns": {}, **document}
    for each in (*known["row"], *known["table"], *known["columns"].values()):
        for key in {"of", "against"} & each.keys():
            each[key] = {k: tuple(x) if isinstance(x, list) else (x,) for k, x in each[key].items()}
    yield from known["row"]
    for table in known["table"]:
        of, names, lines, doubts = (table.pop(x, {}) for x in ("of", "columns", "lines", "doubt"))
        for count, (line, cells) in zip(of["connections"], lines.items(), strict=True):
            for name, printed in zip(names, cells, strict=True):
                row = {**known["columns"][name], **table, "id": f"{table['id']}-{count}-{name}"}
                row["place"], row["doubt"] = f"{table['place']}, {line}", doubts.get(line, "")
                row["of"] = {**of, "connections": (count,), **known["columns"][name]["of"]}
                figure, share = Decimal(printed.rstrip("%")), Decimal("0.01")
                figure = 1 + share * figure if printed.endswith("%") else figure
                low, rounding = float(figure), float(half_step(figure))
                yield row | {"low": low, "rounding": rounding, "printed": printed}


def parts_of_figure(text: str) -> dict[str, Any]:
    """
    Relation, numbers and unit of a figure written as a short text.

    Such as ``"12 µs"``, ``"8"``, ``"12 to 14 µs"`` or ``"about 13 Gbit/s"``;
    a ValueError says what is allowed.
    """
    word = next((word for word in _WORDS if text.strip().startswith(f"{word} ")), "")
    figure = text.strip().removeprefix(word)
    low, ranges, high = figure.partition(" to ")
    try:
        if ranges and not word:
            least, none = split_quantity(low)
            number, unit = _number_and_unit(high)
            if none:
                raise UnitError("write the unit once, after both numbers")
            return {"relation": Relation.RANGE, "unit": unit, "low": least, "high": number}
        number, unit = _number_and_unit(figure)
    except UnitError as error:
        raise ValueError(
            f"{quoted(text)} is not a figure ({error}); write one like '12 µs', '8', "
            f"'12 to 14 µs', or '13 Gbit/s' after {', '.join(_WORDS)}"
        ) from None
    return {"relation": _WORDS.get(word, Relation.EQUAL), "unit": unit, "value": number}


def _number_and_unit(text: str) -> tuple[Decimal, str]:
    number, unit = split_quantity(text)
    # words after a rate are those of a capacity, or refused where it is read as one
    is_worded = " " in unit and not unit.split()[0].endswith(("/s", "pps"))
    if is_worded or (unit[:1].isdigit() and not unit.startswith("1/")):
        raise UnitError("expected one number and one unit without blanks")
    return number, unit or UNIT_OF_COUNTS


def allowed_interval(
    relation: Relation, value: Decimal, half_width: Decimal
) -> tuple[Decimal, Decimal]:
    """
    Closed interval that one figure allows.

    Parameters
    ----------
    relation : Relation
        Relation of the quantity to the figure.
    value : decimal.Decimal
        The figure.
    half_width : decimal.Decimal
        How far rounding may have moved it.

    Returns
    -------
    low, high : decimal.Decimal
        Infinite where an end is open. "About" allows 5 %, at least the rounding.

    Examples
    --------
    >>> allowed_interval(Relation.ABOUT, Decimal(20), Decimal("0.5"))
    (Decimal('19.00'), Decimal('21.00'))
    """
    if relation in _OPEN_ABOVE:
        return value, _INFINITY
    if relation in _OPEN_BELOW:
        return -_INFINITY, value
    margin = half_width
    if relation is Relation.ABOUT:
        margin = max(margin, abs(value) * ABOUT_RATIO)
    return value - margin, value + margin


Number = Annotated[Decimal, BeforeValidator(number_as_printed)]


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


def with_defaults(defaults: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """
    Return the given keys, completed by defaults.

    A source of its own needs its own locator and note, a grade of its own its own note.
    """
    unfit = {"locator", "note"} if "source" in given else {"note"} if "grade" in given else set()
    return {key: value for key, value in defaults.items() if key not in unfit} | dict(given)


Text = Annotated[str, AfterValidator(_not_blank)]


class Sourced(BaseModel):
    """
    Source, place and grade, which every value of a record has.

    Parameters
    ----------
    source : str
        Id of a document (`document_ids`), or in your own file any text
        that names the source.
    locator : str
        Page, slide, section or table of the source.
    grade : Grade
        Quality of the evidence.
    note : str, optional
        Required for a derived value (the formula), a fitted one (the data) and
        an assumed one (the reason).
    """

    model_config = FROZEN

    source: Text
    locator: Text
    grade: Grade
    note: Text | None = None

    @classmethod
    def __get_pydantic_json_schema__(cls, core: Any, of: GetJsonSchemaHandler) -> dict[str, Any]:
        """Return the schema of a table or a text; defaults of the file may give its source."""
        table = of.resolve_ref_schema(of(core))
        table["required"] = sorted({*table["required"]} - Defaults.model_fields.keys())
        return {"anyOf": [table, {"type": "string"}]}

    @model_validator(mode="before")
    @classmethod
    def _with_defaults(cls, data: Any, info: ValidationInfo) -> Any:
        """Fill in the defaults of the file."""
        defaults = (info.context or {}).get("defaults", {})
        return with_defaults(defaults, data) if isinstance(data, Mapping) else data

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


class Defaults(BaseModel):
    """Source, place and grade that the values of a file share: its table ``[defaults]``."""

    model_config = FROZEN

    source: Text | None = None
    locator: Text | None = None
    grade: Grade | None = None
    note: Text | None = None


class Document(BaseModel):
    """
    A source that records cite by its id.

    Parameters
    ----------
    title : str
        As printed.
    publisher : str
        Its publisher.
    authors : tuple of str
        Its authors; empty where it names none.
    year : int, optional
        Of publication, where the document has it.

    Examples
    --------
    >>> from netmodel.records import document
    >>> document("adapter").title
    'Exploring the performance of network adapters for Linux on IBM Z'
    """

    model_config = FROZEN

    title: Text
    publisher: Text
    authors: tuple[Text, ...] = ()
    year: Annotated[int, Field(strict=True, ge=1)] | None = None

    def __repr__(self) -> str:
        return short_repr(self, self.title)

    def __str__(self) -> str:
        year = [str(self.year)] if self.year else []
        return ", ".join([*self.authors, f'"{self.title}"', self.publisher, *year])


class Value(Sourced):
    """
    A number as its source prints it, in the printed unit.

    In files of records a short text may replace the table:
    ``"12 µs"``, ``"8"`` for a count, ``"12 to 14 µs"``, ``"about 13 Gbit/s"``.
    Source, locator and grade are then the defaults of the file.

    Parameters
    ----------
    unit : str
        As printed, ``"1"`` for a count. Ambiguous units are not allowed: where a source
        prints ``MB`` without saying which, the value is a range.
    value : decimal.Decimal
        With the printed digits: 13.40 is not 13.4. An `int` is taken too, a
        `float` is not. Absent for a range.
    low, high : decimal.Decimal
        Ends of a range; absent otherwise.
    relation : Relation
        Relation of the true quantity to the figure.
    resolution : decimal.Decimal, optional
        Step of the printed figures, where the digits do not show it.
    printed : str, optional
        The printed text, where it says more than the figure.
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
    >>> limit.rate_bps, limit.interval
    (13400000000.0, (Decimal('13.395'), Decimal('13.405')))
    """

    # at once, as most models have fields of it that would build it anew
    model_config = ConfigDict(defer_build=False)

    unit: Text
    value: Number | None = None
    low: Number | None = None
    high: Number | None = None
    relation: Relation = Relation.EQUAL
    resolution: Annotated[Number, Field(gt=0)] | None = None
    printed: Text | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, data: Any) -> Any:
        return parts_of_figure(data) if isinstance(data, str) else data

    @model_validator(mode="after")
    def _figures_fit_the_relation(self) -> Self:
        given = (self.value is not None, self.low is not None, self.high is not None)
        if self.relation is not Relation.RANGE:
            if given != (True, False, False):
                raise ValueError(f"relation {self.relation.value} has a value, no low or high")
        elif given != (False, True, True):
            raise ValueError("relation range has low and high, and no value")
        if list(self.figures) != sorted(self.figures):
            raise ValueError(f"low must not exceed high; got {self.low} and {self.high}")
        return self

    def __repr__(self) -> str:
        return short_repr(self, str(self), self.provenance)

    def __str__(self) -> str:
        words = "" if self.relation is Relation.EQUAL else self.relation.value.replace("_", " ")
        figure = " to ".join(map(str, self.figures))
        unit = "" if self.unit == UNIT_OF_COUNTS else self.unit
        return f"{'' if self.low is not None else words} {figure} {unit}".strip()

    @cached_property  # each prediction of a workload asks for them again
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
        if self.relation not in {Relation.RANGE, Relation.EQUAL}:
            raise AmbiguousValueError(f"{self} does not bound a size on both sides")
        sizes = [parse_size_bytes(_quantity(each, self.unit)) for each in self.figures]
        return sizes[0], sizes[-1]

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
    def figures(self) -> tuple[Decimal, ...]:
        """The printed figure, or both ends of the range."""
        return tuple(each for each in (self.value, self.low, self.high) if each is not None)

    @property
    def interval(self) -> tuple[Decimal, Decimal]:
        """
        Closed interval of figures that it allows, in its unit.

        The digits give the rounding, trailing zeros included; an integer of
        items, bytes, KiB, MiB or GiB is exact. "About" allows 5 %. Bounds and
        censored figures leave one end open. `resolution` overrides the digits.
        """
        ends = [
            allowed_interval(self.relation, figure, self._half_width(figure))
            for figure in self.figures
        ]
        return ends[0][0], ends[-1][1]

    def holds(self, text: str) -> bool:
        """
        Return whether it is this figure, in any unit of its kind, or has it in its range.

        Raises
        ------
        UnitError
            If the figure is of another kind.
        """
        for parse in (parse_rate_bps, parse_time_s, parse_length_m, parse_ratio, parse_size_bytes):
            try:
                numbers = [self._parsed(parse, each) for each in self.figures]
            except UnitError:
                continue
            return min(numbers) <= parse(text) <= max(numbers)
        return text in str(self)

    def estimate(self, parse: Callable[[str], float]) -> Estimate:
        """
        Return the figure in its base unit, with the interval that its source allows.

        As `interval`, except that a standard or assumed figure is exact unless
        its relation says otherwise.

        Parameters
        ----------
        parse : callable
            Parser of that kind of quantity, such as `netmodel.units.parse_time_s`.

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
        >>> sourced = {"source": "my notes", "locator": "page 3", "grade": "measured"}
        >>> Value.model_validate(sourced | {"value": 12, "unit": "µs"}).estimate(parse_time_s)
        Estimate(value=1.2e-05, low=1.15e-05, high=1.25e-05)
        """
        if self.relation is Relation.SIGN:
            raise AmbiguousValueError(f"{self} is not a quantity")
        middle = sum(self.figures, Decimal(0)) / len(self.figures)
        exact = self.relation is Relation.EQUAL and self.grade in _EXACT
        low, high = (middle, middle) if exact else self.interval
        value = self._parsed(parse, middle)
        least = self._parsed(parse, low) if low > 0 else 0.0
        return Estimate(value, least, self._parsed(parse, high) if high.is_finite() else math.inf)

    @cached_property  # each path from records asks for the same few again
    def time_s_estimate(self) -> Estimate:
        """Value as a time, with its interval. [s]"""
        return self.estimate(parse_time_s)

    @property
    def share(self) -> float:
        """One figure in per cent, as a share of 1."""
        return parse_share(self._figure())

    @property
    def size_bytes_estimate(self) -> Estimate:
        """Value as a size, with its interval, whose ends need not be whole bytes. [byte]"""
        return self.estimate(_size_bytes)

    @property
    def capacity(self) -> Capacity:
        """Value as a capacity, the upper end of a range: the unit has the words too."""
        return Capacity.parse(_quantity(self.figures[-1], self.unit))

    @property
    def capacity_estimate(self) -> Estimate:
        """Rate of it as a capacity, with its interval; of packets in packets a second. [bit/s]"""
        return self.estimate(lambda text: Capacity.parse(text).rate_bps)

    @property
    def number_estimate(self) -> Estimate:
        """Value as a number without a unit, with its interval."""
        return self.estimate(parse_ratio)

    def _half_width(self, figure: Decimal) -> Decimal:
        if self.resolution is not None:
            return self.resolution / 2
        is_counted = int(figure.as_tuple().exponent) >= 0 and self.unit in _COUNTED_UNITS
        return Decimal(0) if is_counted else half_step(figure)

    def _parsed(self, parse: Callable[[str], float], number: Decimal) -> float:
        return float(parse(_quantity(number, self.unit)))

    def _figure(self) -> str:
        if self.value is None:
            raise AmbiguousValueError(f"{self} is not one number")
        return _quantity(self.value, self.unit)


def _quantity(number: Decimal, unit: str) -> str:
    """Return the text for the parsers, which read a bare number as a count or a size in bytes."""
    return str(number) if unit == UNIT_OF_COUNTS else f"{number} {unit}"


def _size_bytes(text: str) -> float:
    """Return a size in bytes, which need not be whole."""
    number, unit = split_quantity(text)
    return float(number * parse_size_bytes(f"1 {unit}".rstrip()))


# Kinds of values: what a record may have under each key.


def _checked_by(check: Callable[[Value], Value]) -> GetPydanticSchema:
    """Return a check without the look at its signature that `AfterValidator` takes."""
    return GetPydanticSchema(lambda kind, of: no_info_after_validator_function(check, of(kind)))


def _within(
    numbers: Callable[[Value], Iterable[float | Decimal]],
    least: float = 0,
    most: float = math.inf,
    *,
    above: float = -math.inf,
) -> GetPydanticSchema:
    """Return the check that numbers of a value are within bounds, and the unit is theirs."""

    def checked(value: Value) -> Value:
        if any(not least <= number <= most or number <= above for number in numbers(value)):
            wanted = f"above {above:g}" if math.isfinite(above) else f"at least {least:g}"
            wanted += f" and at most {most:g}" if math.isfinite(most) else ""
            raise ValueError(f"must be {wanted}; got {value}")
        return value

    return _checked_by(checked)


def _count(value: Value) -> Value:
    if value.value is None or value.unit != UNIT_OF_COUNTS or value.value % 1:
        raise ValueError(f"must be a whole number with unit 1; got {value}")
    return value


CountValue = Annotated[Value, _checked_by(_count)]
WholeValue = Annotated[CountValue, _within(lambda value: value.figures, 1)]
BatchValue = Annotated[Value, _within(lambda value: value.number_estimate, 1)]
CpuNumberValue = Annotated[Value, _within(lambda value: value.number_estimate[:1], above=0)]
SmtGainValue = Annotated[
    Value, _within(lambda x: [x._parsed(parse_ratio, each) for each in x.figures], 1, 2)
]
ScatterValue = Annotated[Value, _within(lambda value: [value.share], most=1, above=0)]
RateValue = Annotated[Value, _within(lambda value: [value.rate_bps], above=0)]
CapacityValue = Annotated[Value, _checked_by(lambda value: value.capacity and value)]
TimeValue = Annotated[Value, _within(lambda value: value.time_s_estimate)]
LengthValue = Annotated[Value, _within(lambda value: value.estimate(parse_length_m))]
SizeValue = Annotated[Value, _within(lambda value: value.size_bytes_estimate[:1], 1)]
PayloadValue = Annotated[Value, _within(lambda value: value.size_bytes_bounds, 1)]
