"""Kinds of arguments: what a question takes, and what its command shows."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol, TypeAlias

from netmodel.api.cases import given_case, named_values
from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.framing import parse_stack
from netmodel.tuning import parse_cpu_list
from netmodel.units import parsing

if TYPE_CHECKING:
    from datetime import timedelta

    from netmodel.ceilings import Capacity
    from netmodel.framing import Stack
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


def _stack(given: "Stack | str") -> "Stack":
    """Return headers as such, or read from their text."""
    return parse_stack(given) if isinstance(given, str) else given


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


def _cpus(given: str | Iterable[int]) -> frozenset[int]:
    """Return numbers of CPUs, as such or from text such as 0,2-5."""
    return frozenset(parse_cpu_list(given) if isinstance(given, str) else given)


SIZE = Kind("size", parse=parsing.parse_size_bytes, is_whole=True)
RATE = Kind("rate", parse=parsing.parse_rate_bps)
Rate: TypeAlias = Annotated["Number", RATE]
Size: TypeAlias = Annotated["Whole", SIZE]
Volume: TypeAlias = Annotated["Whole", replace(SIZE, least=1)]
Sizes: TypeAlias = Annotated["Whole | Sequence[Whole]", replace(SIZE, repeats=True)]
Mtu: TypeAlias = Annotated["Whole", replace(SIZE, several="arrays")]
Window: TypeAlias = Annotated["Number", Kind("size", parse=parsing.parse_size_bytes)]
COUNT = Kind("count", parse=parsing.parse_count, is_whole=True)
Count: TypeAlias = Annotated["Whole", COUNT]
Positive: TypeAlias = Annotated["Whole", replace(COUNT, least=1)]
_SEVERAL = replace(COUNT, name="count,...", several="lists", least=1)
Counts: TypeAlias = Annotated["Whole | Sequence[int]", _SEVERAL]
Time: TypeAlias = Annotated["Number", Kind("time", parse=parsing.parse_time_s)]
Ratio: TypeAlias = Annotated["Number", Kind("ratio", parse=parsing.parse_ratio_or_percent)]
SHARE = Kind("share", parse=parsing.parse_share)
Share: TypeAlias = Annotated["Number", SHARE]
_NUMBERS = Kind("km,...", parse=parsing.parse_km, several="lists")
Kilometres: TypeAlias = Annotated["Numbers", _NUMBERS]
_TIMES = replace(_NUMBERS, name="time,...", parse=parsing.parse_time_s)
Times: TypeAlias = Annotated["Numbers", _TIMES]
_WINDOWS = replace(_NUMBERS, name="size,...", parse=parsing.parse_size_bytes)
Windows: TypeAlias = Annotated["Numbers", _WINDOWS]
_LOSSES = replace(_NUMBERS, name="share,...", option="loss", parse=parsing.parse_share)
Losses: TypeAlias = Annotated["Numbers", _LOSSES]
Cost: TypeAlias = Annotated[str, Kind("cost")]
Conditions: TypeAlias = Annotated[str | Mapping[str, object], Kind("case", made=given_case)]
Headers: TypeAlias = Annotated["Stack | str", Kind("layer/...", made=_stack)]
AnAdapter: TypeAlias = Annotated["Adapter | File", Kind("id|file")]
_CARDS = Kind("id|file", "adapter", repeats=True)
Adapters: TypeAlias = Annotated["Adapter | File | Sequence[Adapter | File]", _CARDS]
_DEMAND = Kind("demand", "flow", repeats=True)
Flows: TypeAlias = Annotated["Number | Flow | Iterable[Number | Flow]", _DEMAND]
_CAPACITY = Kind("capacity", repeats=True)
Capacities: TypeAlias = Annotated["Number | Capacity | Sequence[Number | Capacity]", _CAPACITY]
AHost: TypeAlias = Annotated["Host | File", Kind("id|file")]
APath: TypeAlias = Annotated["PathRecord | File", Kind("id|file")]
AWorkload: TypeAlias = Annotated["Workload | File", Kind("id|file")]
AnyTraffic: TypeAlias = Annotated["Workload | Traffic | File", Kind("id|file")]
ASide: TypeAlias = Literal["client", "server"] | Side
HostName: TypeAlias = Annotated[str, Kind("host name")]
InterfaceName: TypeAlias = Annotated[str, Kind("interface")]
Names: TypeAlias = Annotated[str | Iterable[str], Kind("name,...")]
FormatName: TypeAlias = Annotated[str, Kind("format", "format")]
Zone: TypeAlias = Annotated[str | tzinfo, Kind("zone", made=_zone)]
CpuNumbers: TypeAlias = Annotated[str | Iterable[int], Kind("list", made=_cpus)]
Folder: TypeAlias = Annotated[File, Kind("path", "o output")]
NamedValues: TypeAlias = Annotated[
    "Mapping[str, float | str | bool] | str | Iterable[str] | None",
    Kind("name=value,...", repeats=True, made=named_values),
]
Columns: TypeAlias = Annotated[str | Sequence[str], Kind("name", repeats=True)]
Noise: TypeAlias = Annotated["Number", Kind("ratio", "noise", parse=parsing.parse_ratio_or_percent)]
InputFile: TypeAlias = Annotated[File, Kind("file")]
