"""Kinds of arguments: what a question takes, how text is read, and what its command shows."""

import os
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol, TypeAlias

from netmodel.ceilings import Capacity
from netmodel.consumption import Side
from netmodel.errors import ContradictionError, DomainError, UnitError, UnknownRecordError
from netmodel.framing import Stack, parse_stack
from netmodel.numeric import EXACT_INTEGER, require_at_least, require_one
from netmodel.tuning import parse_cpu_list
from netmodel.units import format_rate, parse_count, parse_size_bytes, parsing
from netmodel.units.parsing import parse_km, parse_share, parse_time_s

if TYPE_CHECKING:
    from datetime import timedelta

    from netmodel.path import Traffic
    from netmodel.planning import Flow
    from netmodel.records import Adapter, Host
    from netmodel.records.paths import PathRecord
    from netmodel.records.workloads import Workload

    class Quantity(Protocol):
        """A quantity of another library, which converts itself."""

        def to(self, *arguments: Any, **named: Any) -> Any: ...


Number: TypeAlias = "float | str | timedelta | Quantity"
Numbers: TypeAlias = "Number | Sequence[float]"
Whole: TypeAlias = "int | str | Quantity"
"""In base units, or text with a unit, or a quantity: questions get the first of all of them."""
File: TypeAlias = str | os.PathLike[str]


@dataclass(frozen=True)
class Kind:
    """
    How the value of an argument is read, and what stands for it in a command.

    Parameters
    ----------
    name : str
        What the value is, such as ``"rate"``, as help shows it.
    option : str, optional
        Name of the option, or a letter and its name, where it is not the argument without unit.
    repeats : bool
        Whether the option is repeated for several values.
    parse : callable, optional
        Reads text as a number in base units; text that is no number has none.
    is_whole : bool
        Whether the number is whole.
    least : int, optional
        Smallest number that makes sense, where the question cannot tell.
    several : {"", "arrays", "lists"}
        Whether an argument may be an array, or also text such as ``"1,10,50"``.
    choices : tuple of str or int, optional
        All values that there are.
    made : callable, optional
        Makes another value than a number of what is given, and the same of what it made.
    wanted : str
        What it can make it of, for errors.
    """

    name: str
    option: str | None = None
    repeats: bool = False
    parse: Callable[[str], float] | None = None
    is_whole: bool = False
    least: int | None = None
    several: Literal["", "arrays", "lists"] = ""
    choices: tuple[str | int, ...] = ()
    made: Callable[[Any], Any] | None = None
    wanted: str = ""


# ---- cases as users write them, ``adapter=ID mtu=9000`` or an id, and values by name

Condition: TypeAlias = str | int | float
Case: TypeAlias = dict[str, Condition]
CaseGiven: TypeAlias = str | Mapping[str, object]
"""A case as text, such as ``"layer=2 mtu=9000"``, or as conditions by their names."""

_ALIASES = {"largesend": "mtu_bypass"}
"""Names of the same setting elsewhere."""
_SIZES = ("mtu", "window", "message", "tcp_sendspace", "tcp_recvspace")
_COUNTS = ("connections", "trunks", "buffer_count", "txqueuelen", "layer")
_PARSERS: dict[str, Callable[[str], float]] = {"km": parse_km, "loss": parse_share}
_PARSERS |= dict.fromkeys(_SIZES, parse_size_bytes) | dict.fromkeys(_COUNTS, parse_count)
"""Conditions in numbers: any value may be asked for, not only those that documents print."""
_KINDS = dict.fromkeys(("adapter", "client", "server"), "adapters")
_KINDS |= {"path": "paths", "workload": "workloads"}
"""Conditions whose values are ids of the catalog or files, and their kind."""
_SWITCHES = ({"on", "yes", "true"}, {"off", "no", "false"})
_COLUMNS = {"mtu": "mtu_bytes", "connections": "connection_count"}
"""Options that stand for a column in ``name=value``; the value has units as in the option."""


def named_values(given: Any) -> dict[str, Any]:
    """Return a mapping, or that of texts such as ``mtu=1500,direction=in``."""
    if not given or isinstance(given, Mapping):
        return {str(name): each for name, each in (given or {}).items()}
    values: dict[str, Any] = {}
    for part in (given if isinstance(given, str) else ",".join(given)).split(","):
        key, _, value = (each.strip() for each in part.partition("="))
        if not (key and value):
            problem = "write name=value, such as mtu_bytes=4000; commas between several"
            raise UnitError(f"{part!r}: {problem}")
        column = _COLUMNS.get(key, key)
        if column in values:
            raise UnitError(f"{column} is given twice")
        values[column] = _PARSERS[key](value) if key in _COLUMNS else value
        with suppress(ValueError):  # a word that is no number
            if key not in _COLUMNS and isfinite(number := float(value)):
                is_whole = number.is_integer() and abs(number) < EXACT_INTEGER
                values[column] = int(number) if is_whole else number
    return values


def given_case(given: CaseGiven) -> Case:
    """
    Return the conditions of a case by their plain names.

    Parameters
    ----------
    given : str or mapping
        Text with blanks or commas between conditions, ``name=value`` or a value alone where only
        one condition has it (an id, ``smc-r``), quotes around blanks; or values by name.

    Returns
    -------
    case : dict
        Numbers as such, other values as documents or the catalog write them.

    Raises
    ------
    UnknownRecordError
        If a name or value is not known; names near ones, and some that are.
    ContradictionError
        If a condition is given twice.
    DomainError, UnitError
        If a number is none, or below 1 where it counts.

    Examples
    --------
    >>> given_case("osa-express7s-25gbe mtu=9000 rps=yes")
    {'adapter': 'osa-express7s-25gbe', 'mtu': 9000, 'rps': 'on'}
    """
    if isinstance(given, Mapping):
        tokens = [f"{name}={each}" for name, each in given.items() if each is not None]
    else:
        try:
            tokens = shlex.split(given.replace(", ", " "))
        except ValueError as error:
            raise DomainError(f"case {given!r}: {str(error).lower()}") from None
        if not tokens:
            raise DomainError("it names no condition: give an id, or one such as mtu=9000")
    known, case = _known_values(), Case()
    for token in tokens:
        name, value = _condition(token, known)
        if case.setdefault(name, value) != value:
            raise ContradictionError(f"{name} is given twice: {case[name]} and {value}")
    return case


def _known_values() -> dict[str, set[str]]:
    """Return the values of each condition in the rows of documents and in the catalog."""
    from netmodel.published import listing
    from netmodel.records.files import catalog_files

    values = {name: set(catalog_files(kind)) for name, kind in _KINDS.items()}
    values |= {name: set() for name in (*_PARSERS, "rps", "protocol")}
    for row in listing():
        for name, known in (*row.of.items(), *row.against.items()):
            values.setdefault(name, set()).update(map(str, known))
    return values


def _condition(token: str, known: Mapping[str, set[str]]) -> tuple[str, Condition]:
    """Return name and value of one condition."""
    from netmodel.records.files import meant_ids, unknown_record

    words = {name: {*map(str.lower, x)} for name, x in known.items() if name not in _PARSERS}
    name, has_value, text = token.partition("=")
    names = [each for each, values in words.items() if token.lower() in values]
    if len(names) == 1 or names[:1] == ["adapter"]:
        return names[0], _value(names[0], token, known[names[0]])
    if names:
        raise UnknownRecordError(f"{token!r} may be of {' or '.join(names)}: write name={token}")
    if ":" in name:  # a machine type of a cloud
        name, has_value, text = "adapter", "=", token
    if not has_value:
        form = "write name=value, with a name such as adapter, path, layer, mtu, connections, rps"
        meant = meant_ids(token, set().union(*words.values()), form)
        raise UnknownRecordError(f"unknown adapter, path or other value {token!r}; {meant}")
    name = name.strip().lower().replace("-", "_")
    name = _ALIASES.get(name, name if name in known else re.sub("_(bytes|ratio)$", "", name))
    if name not in known:
        raise unknown_record("condition", name, known)
    return name, _value(name, text.strip(), known[name])


def _value(name: str, text: str, values: set[str]) -> Condition:
    """Return the value of a condition: a number, an id, a file, or a word of a document."""
    from netmodel.records.files import unknown_record
    from netmodel.records.lookup import is_file, record

    if name in _PARSERS and (text not in values or text[:1].isdecimal()):
        number = _PARSERS[name](text)
        if number < 1 and name not in {"km", "loss"}:
            raise DomainError(f"{name} must be at least 1; got {text!r}")
        return int(number) if float(number).is_integer() else float(number)
    is_id = name in _KINDS and (":" in text or is_file(text))
    if text in values or (is_id and record(text, _KINDS[name]).id):
        return text
    flat = text.lower().replace(" ", "")
    same = next((switch for switch in _SWITCHES if flat in switch), {flat})
    if found := [value for value in values if value.lower().replace(" ", "") in same]:
        return min(found)
    raise unknown_record(name.replace("_", " "), text, values)


# ---- what else is made of text


def _stack(given: "Stack | str") -> "Stack":
    """Return headers as such, or read from their text."""
    return given if isinstance(given, Stack) else parse_stack(given)


def _zone(given: str | tzinfo) -> tzinfo:
    """Return a zone by its name in the tz database, or by its offset."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    if isinstance(given, tzinfo):
        return given
    with suppress(ValueError):
        return datetime.strptime(given.removeprefix("UTC"), "%z").tzinfo or UTC
    with suppress(ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo(given)
    raise DomainError(f"{given!r} is not a time zone like Europe/Berlin, +02:00, UTC")


def rate_text(name: str, given: Any) -> Any:
    """Return a rate that is a number as text that reads back to the same; others as they are."""
    if not isinstance(given, Real) or isinstance(given, bool):
        return given
    return format_rate(require_at_least(name, require_one(name, float(given)), 0, "bit/s"))


def _capacities(given: Any) -> "tuple[Capacity, ...]":
    """Return each capacity, as such or from its text or its bit rate."""
    is_one = isinstance(given, str | Real | Capacity)
    texts = [rate_text("capacity", each) for each in ([given] if is_one else given)]
    return tuple(x if isinstance(x, Capacity) else Capacity.parse(x) for x in texts)


def _names(given: str | Iterable[str]) -> tuple[str, ...]:
    """Return names in small letters with underscores, from text with commas or several of them."""
    names = (given if isinstance(given, str) else ",".join(given)).lower().replace("-", "_")
    return tuple(filter(None, map(str.strip, names.split(","))))


def _cpus(given: str | Iterable[int]) -> frozenset[int]:
    """Return numbers of CPUs, as such or from text such as 0,2-5."""
    return frozenset(parse_cpu_list(given) if isinstance(given, str) else given)


SIZE = Kind("size", parse=parse_size_bytes, is_whole=True)
RATE = Kind("rate", parse=parsing.parse_rate_bps)
Rate: TypeAlias = Annotated["Number", RATE]
Size: TypeAlias = Annotated["Whole", SIZE]
Volume: TypeAlias = Annotated["Whole", replace(SIZE, least=1)]
Sizes: TypeAlias = Annotated["Whole | Sequence[Whole]", replace(SIZE, repeats=True)]
Mtu: TypeAlias = Annotated["Whole", replace(SIZE, several="arrays")]
Window: TypeAlias = Annotated["Number", Kind("size", parse=parse_size_bytes)]
COUNT = Kind("count", parse=parse_count, is_whole=True, least=0)
Count: TypeAlias = Annotated["Whole", COUNT]
Positive: TypeAlias = Annotated["Whole", replace(COUNT, least=1)]
_SEVERAL = replace(COUNT, name="count,...", several="lists", least=1)
Counts: TypeAlias = Annotated["Whole | Sequence[int]", _SEVERAL]
Time: TypeAlias = Annotated["Number", Kind("time", parse=parse_time_s)]
Ratio: TypeAlias = Annotated["Number", Kind("ratio", parse=parsing.parse_ratio_or_percent)]
SHARE = Kind("share", parse=parse_share)
Share: TypeAlias = Annotated["Number", SHARE]
_KM = Kind("km,...", parse=parse_km, several="lists", least=0)
Kilometres: TypeAlias = Annotated["Numbers", _KM]
Times: TypeAlias = Annotated["Numbers", Kind("time,...", parse=parse_time_s, several="lists")]
Windows: TypeAlias = Annotated["Numbers", Kind("size,...", parse=parse_size_bytes, several="lists")]
_LOSSES = Kind("share,...", "loss", parse=parse_share, several="lists")
Losses: TypeAlias = Annotated["Numbers", _LOSSES]
Cost: TypeAlias = Annotated[str, Kind("cost")]
_CASE = Kind("case", made=given_case, wanted="text such as 'mtu=9000', or a mapping")
Conditions: TypeAlias = Annotated[str | Mapping[str, object], _CASE]
Headers: TypeAlias = Annotated["Stack | str", Kind("layer/...", "stack link", made=_stack)]
AnAdapter: TypeAlias = Annotated["Adapter | File", Kind("id|file")]
_CARDS = Kind("id|file", "adapter", repeats=True)
Adapters: TypeAlias = Annotated["Adapter | File | Sequence[Adapter | File]", _CARDS]
_DEMAND = Kind("demand", "flow", repeats=True)
Flows: TypeAlias = Annotated["Number | Flow | Iterable[Number | Flow]", _DEMAND]
_CAPACITY = Kind("capacity", repeats=True, made=_capacities, wanted="a rate or a Capacity")
Capacities: TypeAlias = Annotated["Number | Capacity | Sequence[Number | Capacity]", _CAPACITY]
AHost: TypeAlias = Annotated["Host | File", Kind("id|file")]
APath: TypeAlias = Annotated["PathRecord | File", Kind("id|file")]
AWorkload: TypeAlias = Annotated["Workload | File", Kind("id|file")]
AnyTraffic: TypeAlias = Annotated["Workload | Traffic | File", Kind("id|file")]
ASide: TypeAlias = Literal["client", "server"] | Side
HostName: TypeAlias = Annotated[str, Kind("host name")]
InterfaceName: TypeAlias = Annotated[str, Kind("interface")]
_NAMES = Kind("name,...", made=_names, wanted="names with commas between")
Names: TypeAlias = Annotated[str | Iterable[str], _NAMES]
FormatName: TypeAlias = Annotated[str, Kind("format", "format")]
Zone: TypeAlias = Annotated[str | tzinfo, Kind("zone", made=_zone, wanted="text")]
CpuNumbers: TypeAlias = Annotated[str | Iterable[int], Kind("list", made=_cpus, wanted="CPUs")]
Folder: TypeAlias = Annotated[File, Kind("path", "o output")]
_VALUES = Kind("name=value,...", repeats=True, made=named_values, wanted="name=value, or a mapping")
NamedValues: TypeAlias = Annotated[
    "Mapping[str, float | str | bool] | str | Iterable[str] | None", _VALUES
]
Columns: TypeAlias = Annotated[str | Sequence[str], Kind("name", repeats=True)]
Noise: TypeAlias = Annotated["Number", Kind("ratio", "noise", parse=parsing.parse_ratio_or_percent)]
InputFile: TypeAlias = Annotated[File, Kind("file")]
