"""Results of measurements: found, and judged by what line, path and hosts allow."""

import os
import re
from collections.abc import Iterable, Mapping
from types import SimpleNamespace
from typing import Annotated, Any, Literal, TypeAlias

import netmodel.checking as checking
import netmodel.readers as readers
from netmodel.api import arguments
from netmodel.api._questions import ceiling
from netmodel.errors import DomainError, UnitError
from netmodel.reading import status_of
from netmodel.units import parse_rate_bps

_Result: TypeAlias = "arguments.Number | arguments.File | readers.Measurement"
_OF_LINE = {"ip": "ip_version", "payload_bytes": "message_bytes", "rtt_s": "round_trip_s"}
_OF_LINE |= {"assume_transport": "assumed_transport", "connections": "connection_count"}
_OF_LINE |= {"window_bytes": "window_bytes", "rdma_mtu_bytes": "rdma_mtu_bytes"}
_OF_LINE |= {name: name for name in ("stack", "transport", "timestamps", "vlan_tags")}
"""Arguments that a line takes as they are, and its names for them."""
_NUMBER_WITH_UNIT = re.compile(r"[0-9]([0-9.,]*[0-9])?(e[+-]?[0-9]+)?\s*[A-Za-z]*(/[A-Za-z]+)?")
"""Such as ``9.2Gbit/s``; a file name such as 1.json has a dot before its letters."""


@arguments.in_base_units
def check(
    results: "_Result | readers.FoundResults | Iterable[_Result]",
    *,
    line_rate_bps: arguments.Rate | None = None,
    sender: arguments.AnAdapter | None = None,
    receiver: arguments.AnAdapter | None = None,
    path: arguments.APath | None = None,
    client_host: arguments.AHost | None = None,
    server_host: arguments.AHost | None = None,
    mtu_bytes: arguments.Size | None = None,
    payload_bytes: arguments.Size | None = None,
    assume_transport: Literal["tcp", "udp"] | None = None,
    rate_cap_bps: arguments.Rate | None = None,
    capacity: arguments.Capacities = (),
    connections: arguments.Positive | None = None,
    rtt_s: arguments.Time | None = None,
    window_bytes: arguments.Window | None = None,
    tolerance: arguments.Ratio | None = None,
    min_ratio: arguments.Ratio | None = None,
    accept: arguments.Names = (),
    format_name: arguments.FormatName | None = None,
    repeats: bool = False,
    adapter: arguments.AnAdapter | None = None,
    **headers: Annotated[Any, ceiling],
) -> "checking.Verdicts":
    """
    Judge measured results against the limits that you specify.

    Parameters
    ----------
    results : str, path, float, Measurement, FoundResults or iterable of them
        Files, directories with all results in them and below, goodputs such as ``"9.2 Gbit/s"``
        or ``9.2e9`` in bit/s, or measurements that were read before.
    line_rate_bps : float or str, optional
        MAC rate of the line, such as ``"25 Gbit/s"``; that of the slower adapter, or of
        the path, by default. [bit/s]
    sender : Adapter, str or path, optional
        Adapter of the side that sends more payload, the client when equal.
    receiver : Adapter, str or path, optional
        Adapter of the other side. Both, or a path.
    path : PathRecord, str or path, optional
        Path between the hosts: an id of the catalog, or your own in a ``.toml`` file.
    client_host, server_host : Host, str or path, optional
        Host of each side; its CPU limits count too.
    mtu_bytes : int or str, optional
        IP MTU of the innermost interface, inside any tunnel; as segments of the run show by
        default. [byte]
    payload_bytes : int or str, optional
        Payload of one message; of each datagram or RDMA message, or write over a path. [byte]
    assume_transport : {"tcp", "udp"}, optional
        Transport protocol of runs that do not report theirs.
    rate_cap_bps : float or str, optional
        Payload rate that a shaper, a policer or a contract allows. [bit/s]
    capacity : str, float, Capacity or sequence of them, optional
        Rate that a machine, an adapter or each flow has, with what it counts, such as ``"5
        Gbit/s ip"``, ``"1.8Mpps"``, ``"5Gbit/s ip per flow"`` or ``"10Gbit/s for 30GB
        then 2.5Gbit/s ip"``; where nothing says which layer, the one that fits the run.
    connections : int or str, optional
        Connections at the same time; of runs that do not report theirs, such as typed goodputs,
        for capacities per flow.
    rtt_s : float or str, optional
        Round trip between the sites without queues; that of the run by default, for what windows
        and losses allow. [s]
    window_bytes : float or str, optional
        Payload that each connection may have in flight, such as ``"256 KiB"``; that of the run by
        default. [byte]
    tolerance : float or str, optional
        Tolerance below the limit; 0.01 by default, and timing, rounding and buffers of a run add
        to it.
    min_ratio : float or str, optional
        Goodput over limit from which on a run is at its ceiling, in place of the tolerance below.
    accept : str or iterable of str, optional
        Limits that a run may report about itself and pass all the same, such as
        ``"window,offered_rate"``; ``"borderline"`` passes runs beside an end of the tolerance.
    format_name : str, optional
        Tool that wrote the files; recognised from their text by default.
    repeats : bool
        Judge runs of one configuration together.
    adapter : Adapter, str or path, optional
        Adapter at both ends; in place of `sender` and `receiver`.
    **headers : optional
        As in `ceiling`: `stack`, `ip`, `transport`, `timestamps`, `vlan_tags`, `link_mtu_bytes`,
        `rdma_mtu_bytes`; as the run shows by default.

    Returns
    -------
    verdicts : Verdicts
        One for each run and direction. Its `outcome` is None where a file cannot be read.

    Raises
    ------
    ContradictionError
        If arguments exclude each other.
    DomainError
        If the line cannot exist, or an argument is of the wrong kind.
    UnknownRecordError
        If there is no such format or id in the catalog.

    Examples
    --------
    >>> import netmodel
    >>> verdict, = netmodel.check("9.4 Gbit/s", line_rate_bps="10 Gbit/s", mtu_bytes=1500,
    ...                           transport="tcp")
    >>> verdict.outcome.value, round(verdict.ratio, 4)
    ('at_ceiling', 0.9984)
    """
    given = {name: x for name, x in (locals() | headers).items() if x is not None}
    values: dict[str, Any] = {field: given.get(name) for name, field in _OF_LINE.items()}
    values["capacities"] = arguments.capacities_of(given) or None
    values["mtu_bytes"] = arguments.inner_mtu(given, given.get("stack"))
    ratios: tuple[Any, Any] = (min_ratio, tolerance)
    gate = checking.Gate(*ratios, frozenset(accept))
    between, rate_bps = arguments.path_between(given), given.get("line_rate_bps")
    if (line := checking.SpecifiedLine.over(between, rate_bps, **values)) is None:
        ends = "{adapter}, or {sender} and {receiver}, or a {path} whose link has a rate"
        give = f"give {{line_rate_bps}}, or {ends}, or {{capacity}} alone"
        raise arguments.NoLimitError(f"no limit given: nothing was judged; {give}")
    verdicts = checking.check_results(found_results(results, format_name), line, gate)
    return checking.Verdicts(checking.pooled(verdicts, gate)) if repeats else verdicts


def is_typed_rate(name: str) -> bool:
    """
    Return True if a name is a goodput, not a file.

    Raises
    ------
    UnitError
        If it is a number without a unit of a rate, and no file has that name.
    """
    if not _NUMBER_WITH_UNIT.fullmatch(name) or status_of(name) is not None:
        return False
    try:
        parse_rate_bps(name)
    except UnitError as error:
        raise UnitError(f"no file has the name {name!r}, and as a goodput {error}") from error
    return True


def found_results(results: object, format_name: str | None = None) -> "readers.FoundResults":
    """Return all runs in files, directories, streams and typed goodputs, in their order."""
    if isinstance(results, readers.FoundResults):
        return results
    # lines of a stream and columns of a table are no results
    is_one = isinstance(results, bytes | Mapping) or getattr(results, "ndim", 1) > 1
    places = [results] if is_one or hasattr(results, "read") else arguments.listed_values(results)
    if not places:
        raise arguments.ArgumentsError("give {results}: none are given")
    return readers.find_results([_place(each) for each in places], format_name)


def _place(given: Any) -> Any:
    """Return a result in a form that `find_results` takes; a goodput is read like a file."""
    if hasattr(given, "read") or isinstance(given, readers.Measurement):
        return getattr(given, "buffer", given)  # bytes of a file that is open as text
    name = arguments.rate_text("results", given)
    if not isinstance(name, str | os.PathLike):
        wanted = "files, directories, goodputs such as '9.2 Gbit/s' or runs from read_result"
        raise DomainError(f"results must be {wanted}; got {type(given).__name__}")
    name = os.fspath(name)
    is_rate = not isinstance(given, str | os.PathLike) or is_typed_rate(name)
    # people type 9.2Gbit, which in a file is an amount
    text = f"{name}/s" if name.lower().rstrip("s").endswith("bit") else name
    return SimpleNamespace(name=text, read=text.encode) if is_rate else name
