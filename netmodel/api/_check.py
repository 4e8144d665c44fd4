"""Whether measured results are plausible and reach what line, path and hosts allow."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from netmodel.api import arguments
from netmodel.api._questions import ceiling
from netmodel.api.results import found_results
from netmodel.checking import Gate, SpecifiedLine, Verdicts, check_results, pooled
from netmodel.readers import FoundResults

if TYPE_CHECKING:
    from netmodel.readers import Measurement

_Result: TypeAlias = "arguments.Number | arguments.File | Measurement"
_OF_LINE = {"ip": "ip_version", "payload_bytes": "message_bytes", "rtt_s": "round_trip_s"}
_OF_LINE |= {"assume_transport": "assumed_transport", "connections": "connection_count"}
_OF_LINE |= {"window_bytes": "window_bytes", "rdma_mtu_bytes": "rdma_mtu_bytes"}
_OF_LINE |= {name: name for name in ("stack", "transport", "timestamps", "vlan_tags")}
"""Arguments that a line takes as they are, and its names for them."""


@arguments.in_base_units
def check(
    results: "_Result | FoundResults | Iterable[_Result]",
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
    max_ratio: arguments.Ratio | None = None,
    accept: arguments.Names = (),
    format_name: arguments.FormatName | None = None,
    repeats: bool = False,
    adapter: arguments.AnAdapter | None = None,
    **headers: Annotated[Any, ceiling, "line_rate_bps mtu_bytes capacity"],
) -> Verdicts:
    """
    Judge measured results against the limits that you specify.

    Parameters
    ----------
    results : str, path, float, Measurement, FoundResults or iterable of them
        Files, directories with all results in them and below, goodputs such as ``"9.2 Gbit/s"``
        or ``9.2e9`` in bit/s, or measurements that were read before.
    line_rate_bps : float or str, optional
        MAC rate of the line, such as ``25e9`` or ``"25 Gbit/s"``; that of the slower adapter, or of
        the path, by default. [bit/s]
    sender : Adapter, str or path, optional
        Adapter of the side that sends more payload, the client when equal.
    receiver : Adapter, str or path, optional
        Adapter of the other side. Both, or a path.
    path : PathRecord, str or path, optional
        What lies between: an id of the catalog, or your own in a ``.toml`` file.
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
        Gbit/s ip"``, ``"1.8Mpps"``, ``"5Gbit/s per flow"`` or ``"10Gbit/s for 30GB then
        2.5Gbit/s"``; where nothing says which layer, the one that fits the run.
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
    max_ratio : float or str, optional
        Goodput over limit above which a run is impossible; derived from the run by default.
    accept : str or iterable of str, optional
        Limits that a run may report about itself and pass all the same, such as
        ``"window,offered_rate"``; ``"borderline"`` passes runs beside an end of the tolerance.
    format_name : str, optional
        Tool that wrote the files; recognised from their text by default.
    repeats : bool
        Whether to judge runs of one configuration together.
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
    floor_ratio, accepted = given.get("tolerance"), frozenset(accept)
    gate = Gate(given.get("min_ratio"), given.get("max_ratio"), floor_ratio, accepted)
    line = SpecifiedLine.over(arguments.path_between(given), given.get("line_rate_bps"), **values)
    if line is None:
        ends = "{adapter}, or {sender} and {receiver}, or a {path} whose link has a rate"
        give = f"give {{line_rate_bps}}, or {ends}, or {{capacity}} alone"
        raise arguments.NoLimitError(f"no limit given: nothing was judged; {give}")
    verdicts = check_results(found_results(results, format_name), line, gate)
    return Verdicts(pooled(verdicts, gate)) if repeats else verdicts
