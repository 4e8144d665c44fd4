"""Kinds of arguments: what a question takes, and what its command shows and completes."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeAlias

from netmodel.consumption import Side

if TYPE_CHECKING:
    from datetime import timedelta

    from netmodel.framing import Stack
    from netmodel.path import Path, Traffic
    from netmodel.planning import Flow
    from netmodel.readers import HostCpu
    from netmodel.records import Adapter, Host, PathRecord, Workload

    class Quantity(Protocol):
        """A quantity of another library, which converts itself."""

        def to(self, *arguments: Any, **named: Any) -> Any: ...

    Number: TypeAlias = float | str | timedelta | Quantity
    Whole: TypeAlias = int | str | Quantity
else:
    Number = float | str
    Whole = int | str
"""In base units, or text with a unit; `in_base_units` makes it of quantities of other libraries."""
File: TypeAlias = str | os.PathLike[str]


@dataclass(frozen=True)
class Kind:
    """
    What stands for the value of an option in its command.

    Parameters
    ----------
    name : str
        What the value is, such as ``"rate"``, or which ids a shell completes.
    option : str, optional
        Name of the option, or a letter and its name, where it is not the argument without unit.
    repeats : bool
        Whether the option is repeated for several values.
    """

    name: str
    option: str | None = None
    repeats: bool = False


Rate: TypeAlias = Annotated[Number, Kind("rate")]
Size: TypeAlias = Annotated[Whole, Kind("size")]
Sizes: TypeAlias = Annotated[Whole | Sequence[Whole], Kind("size", repeats=True)]
Count: TypeAlias = Annotated[Whole, Kind("count")]
Counts: TypeAlias = Annotated[Whole | Sequence[int], Kind("count,...")]
Time: TypeAlias = Annotated[Number, Kind("time")]
Frequency: TypeAlias = Annotated[Number, Kind("frequency")]
Ratio: TypeAlias = Annotated[Number, Kind("ratio")]
Share: TypeAlias = Annotated[Number, Kind("share")]
Kilometres: TypeAlias = Annotated[Number | Sequence[float], Kind("km,...")]
Times: TypeAlias = Annotated[Number | Sequence[float], Kind("time,...")]
Windows: TypeAlias = Annotated[Number | Sequence[float], Kind("size,...")]
Losses: TypeAlias = Annotated[Number | Sequence[float], Kind("share,...", "loss")]
Cost: TypeAlias = Annotated[str, Kind("cost")]
Conditions: TypeAlias = Annotated[str | Mapping[str, object], Kind("case")]
Headers: TypeAlias = Annotated["Stack | str", Kind("stack")]
AnAdapter: TypeAlias = Annotated["Adapter | File", Kind("adapter")]
Adapters: TypeAlias = Annotated[
    "Adapter | File | Sequence[Adapter | File]", Kind("adapter", "adapter", repeats=True)
]
Flows: TypeAlias = Annotated[
    "Number | Flow | Iterable[Number | Flow]", Kind("flow", "flow", repeats=True)
]
AHost: TypeAlias = Annotated["Host | File", Kind("host")]
APath: TypeAlias = Annotated["PathRecord | File", Kind("path")]
AnyPath: TypeAlias = Annotated["Path | PathRecord | File", Kind("path")]
AWorkload: TypeAlias = Annotated["Workload | File", Kind("workload")]
AnyTraffic: TypeAlias = Annotated["Workload | Traffic | File", Kind("workload")]
ASide: TypeAlias = Annotated[str | Side, Kind("side")]
HostName: TypeAlias = Annotated[str, Kind("host name")]
InterfaceName: TypeAlias = Annotated[str, Kind("interface")]
Names: TypeAlias = Annotated[str | Iterable[str], Kind("name,...")]
FormatName: TypeAlias = Annotated[str, Kind("format", "format")]
Zone: TypeAlias = Annotated[str | tzinfo, Kind("zone")]
Folder: TypeAlias = Annotated[File, Kind("folder", "o output")]
HostData: TypeAlias = Annotated["HostCpu | File", Kind("file")]
NamedValues: TypeAlias = Annotated[
    "Mapping[str, float | str | bool] | str | Iterable[str] | None",
    Kind("name=value,...", repeats=True),
]
Columns: TypeAlias = Annotated[str | Sequence[str], Kind("name", repeats=True)]
Noise: TypeAlias = Annotated[Number, Kind("ratio", "noise")]
InputFile: TypeAlias = Annotated[File, Kind("file")]
