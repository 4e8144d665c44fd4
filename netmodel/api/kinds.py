"""Kinds of arguments: what a question takes, and what its command shows."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol, TypeAlias

from netmodel.consumption import Side
from netmodel.units import (
    parse_count,
    parse_frequency_hz,
    parse_rate_bps,
    parse_size_bytes,
    parse_time_s,
)
from netmodel.units.parsing import parse_km, parse_ratio_or_percent, parse_share

if TYPE_CHECKING:
    from datetime import timedelta

    from netmodel.framing import Stack
    from netmodel.path import Traffic
    from netmodel.planning import Flow
    from netmodel.readers import HostCpu
    from netmodel.records import Adapter, Host, PathRecord, Workload

    class Quantity(Protocol):
        """A quantity of another library, which converts itself."""

        def to(self, *arguments: Any, **named: Any) -> Any: ...

    Number: TypeAlias = float | str | timedelta | Quantity
    Numbers: TypeAlias = Number | Sequence[float]
    Whole: TypeAlias = int | str | Quantity
else:
    Number, Numbers, Whole = float | str, float | str | Sequence[float], int | str
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
    several : {"", "arrays", "lists"}
        Whether an argument may be an array, or also text such as ``"1,10,50"``.
    choices : tuple of str or int, optional
        All values that there are.
    """

    name: str
    option: str | None = None
    repeats: bool = False
    parse: Callable[[str], float] | None = None
    is_whole: bool = False
    several: Literal["", "arrays", "lists"] = ""
    choices: tuple[str | int, ...] = ()


_SIZE = Kind("size", parse=parse_size_bytes, is_whole=True)
Rate: TypeAlias = Annotated[Number, Kind("rate", parse=parse_rate_bps)]
Size: TypeAlias = Annotated[Whole, _SIZE]
Sizes: TypeAlias = Annotated[Whole | Sequence[Whole], replace(_SIZE, repeats=True)]
Mtu: TypeAlias = Annotated[Whole, replace(_SIZE, several="arrays")]
Window: TypeAlias = Annotated[Number, Kind("size", parse=parse_size_bytes)]
Count: TypeAlias = Annotated[Whole, Kind("count", parse=parse_count, is_whole=True)]
Counts: TypeAlias = Annotated[
    Whole | Sequence[int], Kind("count,...", parse=parse_count, is_whole=True, several="lists")
]
Time: TypeAlias = Annotated[Number, Kind("time", parse=parse_time_s)]
Frequency: TypeAlias = Annotated[Number, Kind("frequency", parse=parse_frequency_hz)]
Ratio: TypeAlias = Annotated[Number, Kind("ratio", parse=parse_ratio_or_percent)]
Share: TypeAlias = Annotated[Number, Kind("share", parse=parse_share)]
Kilometres: TypeAlias = Annotated[Numbers, Kind("km,...", parse=parse_km, several="lists")]
Times: TypeAlias = Annotated[Numbers, Kind("time,...", parse=parse_time_s, several="lists")]
Windows: TypeAlias = Annotated[Numbers, Kind("size,...", parse=parse_size_bytes, several="lists")]
_LOSS = Kind("share,...", "loss", parse=parse_share, several="lists")
Losses: TypeAlias = Annotated[Numbers, _LOSS]
Cost: TypeAlias = Annotated[str, Kind("cost")]
Conditions: TypeAlias = Annotated[str | Mapping[str, object], Kind("case")]
Headers: TypeAlias = Annotated["Stack | str", Kind("layer/...")]
AnAdapter: TypeAlias = Annotated["Adapter | File", Kind("id|file")]
_CARDS = Kind("id|file", "adapter", repeats=True)
Adapters: TypeAlias = Annotated["Adapter | File | Sequence[Adapter | File]", _CARDS]
_DEMAND = Kind("demand", "flow", repeats=True)
Flows: TypeAlias = Annotated["Number | Flow | Iterable[Number | Flow]", _DEMAND]
AHost: TypeAlias = Annotated["Host | File", Kind("id|file")]
APath: TypeAlias = Annotated["PathRecord | File", Kind("id|file")]
AWorkload: TypeAlias = Annotated["Workload | File", Kind("id|file")]
AnyTraffic: TypeAlias = Annotated["Workload | Traffic | File", Kind("id|file")]
ASide: TypeAlias = Literal["client", "server"] | Side
HostName: TypeAlias = Annotated[str, Kind("host name")]
InterfaceName: TypeAlias = Annotated[str, Kind("interface")]
Names: TypeAlias = Annotated[str | Iterable[str], Kind("name,...")]
FormatName: TypeAlias = Annotated[str, Kind("format", "format")]
Zone: TypeAlias = Annotated[str | tzinfo, Kind("zone")]
Folder: TypeAlias = Annotated[File, Kind("path", "o output")]
HostData: TypeAlias = Annotated["HostCpu | File", Kind("file")]
NamedValues: TypeAlias = Annotated[
    "Mapping[str, float | str | bool] | str | Iterable[str] | None",
    Kind("name=value,...", repeats=True),
]
Columns: TypeAlias = Annotated[str | Sequence[str], Kind("name", repeats=True)]
Noise: TypeAlias = Annotated[Number, Kind("ratio", "noise", parse=parse_ratio_or_percent)]
InputFile: TypeAlias = Annotated[File, Kind("file")]
