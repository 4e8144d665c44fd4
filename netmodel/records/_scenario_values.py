"""Values of a scenario, read as on the command line; errors say what was given and is allowed."""

import datetime
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import (
    BeforeValidator,
    ValidationInfo,
)

from netmodel._printable import cut, quoted
from netmodel._text import listed, near_name
from netmodel.concurrency._spreading import MAX_FLOW_COUNT
from netmodel.consumption._cost import MOST_SMT_GAIN_RATIO
from netmodel.errors import NetmodelError, UnitError
from netmodel.framing.layers._internet import MIN_IPV4_MTU_BYTES
from netmodel.records.values import MAX_MTU_BYTES
from netmodel.units import (
    parse_count,
    parse_rate_bps,
    parse_ratio,
    parse_size_bytes,
    parse_time_s,
    split_quantity,
)
from netmodel.units._parse import number_or_percent
from netmodel.units._prefixes import WHOLE_PERCENT

_PER_SECOND = re.compile(r"(1|transactions?|requests?|messages?|writes?)?/s")
"""Units of transactions in a time; a bare "/s" is the shortest."""
MOST_HORIZON_YEARS = 100
"""No load grows at one rate for as long; dates stay within what calendars hold."""
_LARGE_RATIO = 5.0
"""Bare numbers from here on are per cent without their sign: no load varies or grows as much."""


# Values, read as on the command line: text with a unit


def shown(given: object) -> str:
    """A value as in the file, shortened."""
    if isinstance(given, bool):
        return str(given).lower()
    if isinstance(given, str):
        text = f'"{given}"'
    elif isinstance(given, Mapping):
        text = "a table"
    elif isinstance(given, list | tuple):
        text = f"[{', '.join(map(shown, given))}]"
    else:
        text = str(given)
    return cut(text)


def reader(parse: Callable[[str], Any], wanted: str) -> Callable[[object], Any]:
    """A validator that reads text or a number by a parser, and says what was given."""

    def read_one(given: object) -> Any:
        if isinstance(given, bool) or not isinstance(given, str | int | float | Decimal):
            raise ValueError(f"must be {wanted}; got {shown(given)}")
        try:
            return parse(str(given))
        except NetmodelError as error:
            raise ValueError(f"must be {wanted}; got {error}") from None

    return read_one


def read_text_value(given: object) -> str:
    if not isinstance(given, str):
        raise ValueError(f"must be text in quotes; got {shown(given)}")
    if not given.strip():
        raise ValueError("must not be empty")
    return given.strip()


def parse_share(text: str) -> float:
    ratio = number_or_percent(text)
    if not 0 < ratio <= 1:
        raise UnitError(f'"{cut(text)}"{_hint(text, ratio)}')
    return ratio


def _hint(text: str, ratio: float) -> str:
    """That per cent may be meant."""
    return f'; write "{text} %"' if 1 < ratio <= WHOLE_PERCENT and "%" not in text else ""


def parse_quantile(text: str) -> float:
    ratio = number_or_percent(text)
    if not 0 < ratio < 1:
        why = ": no load is below the largest that can be" if ratio == 1 else _hint(text, ratio)
        raise UnitError(f'"{text}"{why}')
    return ratio


def parse_variation(text: str) -> float:
    ratio = number_or_percent(text)
    if ratio < 0 or _is_percent(text, ratio):
        raise UnitError(f'"{cut(text)}"{_hint(text, ratio)}')
    return ratio


def _is_percent(text: str, ratio: float) -> bool:
    """Whether a bare number is too large for a ratio."""
    return ratio >= _LARGE_RATIO and "%" not in text


def parse_growth(text: str) -> float:
    ratio = number_or_percent(text)
    if ratio <= -1:
        raise UnitError(f'"{cut(text)}", which leaves no load after a year')
    if _is_percent(text, ratio):
        raise UnitError(f'"{cut(text)}"{_hint(text, ratio)}')
    return ratio


def parse_from_one(text: str) -> int:
    count = parse_count(text)
    if count < 1:
        raise UnitError(f'"{cut(text)}"')
    return count


def parse_connections(text: str) -> int:
    count = parse_from_one(text)
    if count > MAX_FLOW_COUNT:
        raise UnitError(f'"{cut(text)}"')
    return count


def above_zero(parse: Callable[[str], float]) -> Callable[[str], float]:
    def read_one(text: str) -> float:
        value = parse(text)
        if not value > 0:
            raise UnitError(f'"{cut(text)}"')
        return value

    return read_one


def parse_mtu(text: str) -> int:
    size_bytes = parse_size_bytes(text)
    if not MIN_IPV4_MTU_BYTES <= size_bytes <= MAX_MTU_BYTES:
        raise UnitError(f'"{cut(text)}"')
    return size_bytes


def parse_gain(text: str) -> float:
    gain = parse_ratio(text)
    if not 1 <= gain <= MOST_SMT_GAIN_RATIO:
        raise UnitError(f'"{cut(text)}"')
    return gain


def parse_years(text: str) -> float:
    years = parse_ratio(text)
    if not 0 < years <= MOST_HORIZON_YEARS:
        raise UnitError(f'"{cut(text)}"')
    return years


def read_date(given: object) -> datetime.date:
    if isinstance(given, datetime.date) and not isinstance(given, datetime.datetime):
        return given
    try:
        return datetime.date.fromisoformat(str(given))
    except ValueError:
        raise ValueError(f"must be a day such as 2026-12-01; got {shown(given)}") from None


def choice(*allowed: str) -> BeforeValidator:
    def read_one(given: object) -> object:
        if given in allowed:
            return given
        near = near_name(str(given), allowed)
        hint = f"; did you mean {near}?" if near else ""
        raise ValueError(f"must be {listed_or(allowed)}; got {shown(given)}{hint}")

    return BeforeValidator(read_one)


def listed_or(names: Iterable[str]) -> str:
    """Names with commas, and "or" before the last."""
    return " or ".join(listed(names).rsplit(" and ", 1))


def read_flag(given: object) -> object:
    if not isinstance(given, bool):
        raise ValueError(f"must be true or false, without quotes; got {shown(given)}")
    return given


def listed_values(read: Callable[[object], Any]) -> Callable[[object], Any]:
    """A validator of one value or a list of different ones; the result is a tuple."""

    def read_all(given: object) -> tuple[Any, ...]:
        values = given if isinstance(given, list | tuple) else [given]
        if not values:
            raise ValueError("must not be an empty list: leave the key out")
        result = tuple(map(read, values))
        twice = next((each for place, each in enumerate(result) if each in result[:place]), None)
        if twice is not None:
            raise ValueError(f"has {shown(twice)} twice")
        return result

    return read_all


def checked_by(parse: Callable[[str], object]) -> Callable[[object], str]:
    """A validator of text that a parser understands; it stays text."""

    def read_one(given: object) -> str:
        text = read_text_value(given)
        try:
            parse(text)
        except NetmodelError as error:
            raise ValueError(str(error)) from None
        return text

    return read_one


def file_or_id(given: object, info: ValidationInfo) -> str:
    """An id, or a record file relative to the scenario."""
    text = read_text_value(given)
    return beside(text, info) if text.endswith(".toml") else text


def beside(name: str, info: ValidationInfo) -> str:
    """A file relative to the directory of the scenario."""
    directory = (info.context or {}).get("directory")
    return name if directory is None else str(Path(directory) / name)


def files_or_ids(given: object, info: ValidationInfo) -> tuple[str, ...]:
    one = lambda each: file_or_id(each, info)  # noqa: E731
    result: tuple[str, ...] = listed_values(one)(given)
    return result


class Volume(NamedTuple):
    """A payload rate of the side that sends more, or transactions per second."""

    text: str
    bps: float | None
    tps: float | None


NO_VOLUME = Volume("", None, None)


def parse_volume(text: str) -> Volume:
    """
    Read a payload rate or transactions per second.

    Raises
    ------
    UnitError
        If it is neither, or not above zero.

    Examples
    --------
    >>> parse_volume("100000/s").tps, parse_volume("8 Gbit/s").bps
    (100000.0, 8000000000.0)
    """
    number, unit = split_quantity(text)
    volume = (
        Volume(text, None, float(number))
        if _PER_SECOND.fullmatch(unit.replace(" ", ""))
        else Volume(text, parse_rate_bps(text), None)
    )
    if number <= 0:
        raise UnitError(f"{quoted(text)}: a volume must be above 0")
    return volume


def read_volume(given: object) -> object:
    if isinstance(given, Volume):
        return given
    return reader(parse_volume, 'a rate such as "100000/s" or "8 Gbit/s"')(given)


def read(parse: Callable[[str], Any], wanted: str) -> BeforeValidator:
    return BeforeValidator(reader(parse, wanted))


def read_all(parse: Callable[[str], Any], wanted: str) -> BeforeValidator:
    return BeforeValidator(listed_values(reader(parse, wanted)))


Text = Annotated[str, BeforeValidator(read_text_value)]
RecordName = Annotated[str, BeforeValidator(file_or_id)]
Share = Annotated[float, read(parse_share, "a share above 0 and at most 1 (100 %)")]
Count = Annotated[int, read(parse_count, "a whole number from 0 up")]
CountFromOne = Annotated[int, read(parse_from_one, "a whole number from 1 up")]
Money = Annotated[float, read(parse_ratio, "a number from 0 up, without a unit")]
Time = Annotated[float, read(above_zero(parse_time_s), 'a time above 0 such as "2 ms"')]
Flag = Annotated[bool, BeforeValidator(read_flag)]
SPREADINGS = ("even", "hashed")
CORNERS = ("worst", "value", "best")
OBJECTIVES = ("cost", "adapters", "cores", "growth")
