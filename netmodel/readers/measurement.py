"""Result of a benchmark run, in one form for every tool, and from the files of both ends."""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Literal, TypeAlias, TypeVar

from netmodel.consumption import Side, consumption_us_per_gbit
from netmodel.results import Result


class Direction(StrEnum):
    """Direction of the payload; a client opens the connection, a server accepts it."""

    CLIENT_TO_SERVER = "client_to_server"
    SERVER_TO_CLIENT = "server_to_client"


@dataclass(frozen=True, slots=True, repr=False)
class CpuUse(Result):
    """
    CPU time at one end of a run.

    Parameters
    ----------
    busy_cpu_count : float
        Mean number of busy CPUs.
    payload_rate_bps : float
        Payload that this end sent and received in the same time. [bit/s]
    scope : {"process", "system"}
        Whose CPU time is counted.
    side : Side
        Which end.
    installed_cpu_count : int
        CPUs that this end has; None where they are not reported.

    Examples
    --------
    >>> from netmodel.consumption import Side
    >>> use = CpuUse(
    ...     busy_cpu_count=2, payload_rate_bps=20e9, scope="system", side=Side.SERVER
    ... )
    >>> use.us_per_gbit
    100000.0
    """

    busy_cpu_count: float
    payload_rate_bps: float
    scope: Literal["process", "system"]
    side: Side
    installed_cpu_count: int | None = None

    json_keys = "side scope busy_cpus=busy_cpu_count us_per_gbit"

    @property
    def us_per_gbit(self) -> float | None:
        """CPU time per payload. [µs/Gbit]"""
        busy_count, rate_bps = self.busy_cpu_count, self.payload_rate_bps
        return float(consumption_us_per_gbit(busy_count, rate_bps)) if rate_bps else None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ResultFile(Result):
    """
    File that a run was read from, and the tool and end that wrote it.

    Parameters
    ----------
    part : str
        Which part of the file the run is, where one holds several: a run, a
        port, a series or a line.
    recorded_by : Side
        End of the connection at which the file was written.
    tool_version : str
        Version of the tool as it prints it.
    run_id : str
        The same in the files that both ends of one run wrote, and in no others.
    sha256 : str
        Of the bytes of the file.
    raw_text : str
        The whole text of the file.
    """

    part: str | None = None
    recorded_by: Side | None = None
    tool_version: str | None = None
    run_id: str | None = None
    sha256: str = field(default="", repr=False)
    raw_text: str = field(default="", repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Counted(Result):
    """
    Figures that a tool counted beside its goodput, and how.

    Parameters
    ----------
    received_bytes : int
        Payload that arrived in the duration of the run. [byte]
    half_width_bps : float
        Half width of the range that the rounding of the tool leaves of the
        goodput. [bit/s]
    is_lower_bound : bool
        Whether the goodput is a lower bound, because the tool divides by a time
        that includes more than the transfer.
    is_upper_bound : bool
        Whether the goodput is an upper bound of each direction, because the tool
        adds the payload of both.
    is_at_sender : bool
        Whether the payload was counted where it was sent, so that data still in
        buffers at the end, or lost, counts too.
    leaves_out_start : bool
        Whether the start of the run does not count: slow start, and the
        connection set-up.
    measures_latency : bool
        Whether the test measures response times and keeps the path mostly idle;
        no limit of throughput applies to it.
    why_no_goodput : str
        Why the goodput is not known, where it is not.
    lost_ratio : float
        Share of the UDP datagrams that did not arrive.
    reverse_goodput_bps : float
        Payload that arrived per second in the other direction at the same time. [bit/s]
    frame_rate_fps : float
        Frames that arrived per second. [frame/s]
    layer1_rate_bps : float
        Bits of those frames per second, with preamble and gap. [bit/s]
    """

    received_bytes: int | None = None
    half_width_bps: float | None = None
    is_lower_bound: bool = False
    is_upper_bound: bool = False
    is_at_sender: bool = False
    leaves_out_start: bool = False
    measures_latency: bool = False
    why_no_goodput: str | None = None
    lost_ratio: float | None = None
    reverse_goodput_bps: float | None = None
    frame_rate_fps: float | None = None
    layer1_rate_bps: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SentTraffic(Result):
    """
    Sizes and rate of what was to be sent, as requested or as the sender found them.

    Parameters
    ----------
    write_bytes : int
        Payload of each write of a stream. [byte]
    request_bytes, response_bytes : int
        Payload of each request and its response. [byte]
    segment_bytes : int
        Payload of a full TCP segment as reported by the tool. [byte]
    requested_mss_bytes : int
        Maximum segment size that the user requested, with TCP options included.
        [byte]
    datagram_bytes : int
        Payload of each UDP datagram. [byte]
    rdma_mtu_bytes : int
        Payload of a full RDMA packet, the path MTU of the queue pairs. [byte]
    rdma_operation : {"write", "send", "read"}
        What RDMA did.
    path_mtu_bytes : int
        Path MTU as reported by the tool. [byte]
    socket_buffer_bytes : int
        Socket buffer that the user requested, at each end of each connection.
        [byte]
    offered_rate_bps : float
        Rate that the sender was limited to, all streams together. [bit/s]
    """

    write_bytes: int | None = None
    request_bytes: int | None = None
    response_bytes: int | None = None
    segment_bytes: int | None = None
    requested_mss_bytes: int | None = None
    datagram_bytes: int | None = None
    rdma_mtu_bytes: int | None = None
    rdma_operation: Literal["write", "send", "read"] | None = None
    path_mtu_bytes: int | None = None
    socket_buffer_bytes: int | None = None
    offered_rate_bps: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TcpState(Result):
    """
    State of TCP at the sender.

    Parameters
    ----------
    round_trip_s, least_round_trip_s : float
        Mean and smallest round-trip time. [s]
    peer_window_bytes : int
        Largest receive window that the peer advertised, all connections
        together. [byte]
    congestion_window_bytes : int
        Largest congestion window, all connections together. [byte]
    congestion_control : str
        Name of its congestion control.
    retransmit_count : int
        Retransmitted segments.
    lossy_interval_count : int
        Intervals of the report in which a connection retransmitted segments, counted
        for each connection.
    """

    round_trip_s: float | None = None
    least_round_trip_s: float | None = None
    peer_window_bytes: int | None = None
    congestion_window_bytes: int | None = None
    congestion_control: str | None = None
    retransmit_count: int | None = None
    lossy_interval_count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Measurement(Result):
    """
    One direction of one benchmark run; None stands for what the tool does not report.

    Parameters
    ----------
    source : str
        File that it was read from.
    tool : str
        Name of the benchmark.
    error : str
        Error that the tool reports; all measured values are then None.
    direction : Direction
        Direction of the payload.
    goodput_bps : float
        Payload that arrived per second, from bytes and time. [bit/s]
    duration_s : float
        From first to last byte that counts, at the receiver. [s]
    begin_utc_s : float
        Time of the first byte that counts, since 1970, UTC, by the clock of the
        host that wrote the file. [s]
    protocol : str
        ``tcp``, ``udp``, ``rdma``, or ``infiniband`` where the link of RDMA is known to be that.
    ip_version : int
        4 or 6.
    stream_count : int
        Parallel connections.
    is_loopback : bool
        Whether both ends were one host, by loopback or by one address, so that
        no frame crossed a line.
    is_bidirectional : bool
        Whether payload went in the other direction at the same time.
    transaction_rate_tps : float
        Requests answered per second, all connections together. [1/s]
    transaction_time_s : float
        Mean time from a request to its response. [s]
    traffic : SentTraffic
        Sizes of what was sent, and the rate that was to be sent.
    tcp : TcpState
        Windows, round trips and retransmissions at the sender.
    counted : Counted
        Bytes, losses and frames, and how the goodput was counted.
    file : ResultFile
        The part of the file, who wrote it, and its content.
    cpu : tuple of CpuUse
        CPU time at the ends that the tool reports.
    notes : tuple of str
        What limits the use of these numbers, most important first.

    Examples
    --------
    >>> from netmodel.readers import read_result
    >>> from netmodel.records import data_path
    >>> (run,) = read_result(data_path("examples", "iperf3", "line-200m-mtu1500.json"))
    >>> run.tool, round(run.goodput_bps / 1e6, 2), run.traffic.segment_bytes
    ('iperf3', 188.09, 1448)
    """

    tool: str
    goodput_bps: float | None = None
    error: str | None = None
    direction: Direction | None = None
    source: str
    protocol: str | None = None
    ip_version: int | None = None
    is_loopback: bool = False
    is_bidirectional: bool = False
    stream_count: int | None = None
    begin_utc_s: float | None = None
    duration_s: float | None = None
    transaction_rate_tps: float | None = None
    transaction_time_s: float | None = None
    traffic: SentTraffic = SentTraffic()
    tcp: TcpState = TcpState()
    counted: Counted = Counted()
    file: ResultFile = ResultFile()
    cpu: tuple[CpuUse, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """The source, with the part of it that the run is."""
        return ", ".join(filter(None, (self.source, self.file.part)))


# One run from the files that both of its ends wrote

_Row = TypeVar("_Row")
_Fields = TypeVar("_Fields", Measurement, SentTraffic, TcpState)
_Ends: TypeAlias = dict[Side, tuple[int, Measurement]]
"""Index and row of each end of a run."""

_MAX_CLOCK_OFFSET_S = 60.0
"""
Largest difference between the begins of one run by the clocks of its hosts. Clocks under NTP agree
within a second, others drift by seconds a day. Two runs between the same ports begin further apart:
TCP keeps a closed pair of ports for a minute (Linux, ``TCP_TIMEWAIT_LEN``).
"""
_MAX_GOODPUT_DIFFERENCE_RATIO = 0.1
"""One end may count less by what is in flight and by rounding; runs on reused ports differ more."""


def join_ends(rows: Sequence[_Row]) -> tuple[_Row | Measurement, ...]:
    """
    Join the results that both ends of one run recorded.

    Parameters
    ----------
    rows : sequence
        Measurements and anything else, such as the rows of `FoundResults`.

    Returns
    -------
    rows : tuple
        In their order, with one row for each direction of a run: in the place
        of the file that the receiver wrote, with its source. The goodput is
        that of the receiver's file if it has one; sizes, windows, round trips and
        retransmissions are those of the sender, and the CPU time of each end is
        that which it recorded itself. A copy keeps its row, with a note.

    Notes
    -----
    Two files are of one run where tool, ``run_id`` and direction are the same,
    known begins are at most 60 s and known goodputs at most 10 % apart, and one
    is of the client, the other of the server. Copies are of the same end, with
    the same content or the same begin, duration and goodput.

    Examples
    --------
    Client and server wrote a file each; the goodput is that of the receiver:

    >>> from dataclasses import replace
    >>> from netmodel.consumption import Side
    >>> from netmodel.readers import Direction
    >>> from netmodel.readers.measurement import ResultFile
    >>> client = Measurement(
    ...     source="client.json", tool="iperf3", direction=Direction.CLIENT_TO_SERVER,
    ...     duration_s=10, goodput_bps=9.40e9, file=ResultFile(run_id="a", recorded_by=Side.CLIENT),
    ... )
    >>> file = ResultFile(run_id="a", recorded_by=Side.SERVER)
    >>> server = replace(client, source="server.json", goodput_bps=9.39e9, file=file)
    >>> [(each.source, each.goodput_bps) for each in join_ends([client, server])]
    [('server.json', 9390000000.0)]
    """
    pairs, copies = _pairs_and_copies(rows)
    joined: dict[int, Measurement | None] = {}
    for ends in pairs:
        place, run = _joined(ends)
        joined |= dict.fromkeys(index for index, _ in ends.values()) | {place: run}
    for index, (copy, first) in copies.items():
        also = f"the same run is also in {first.source}"
        joined[index] = replace(copy, notes=(*copy.notes, also))
    remaining = (joined.get(index, row) for index, row in enumerate(rows))
    return tuple(row for row in remaining if row is not None)


def counted_once(runs: Sequence[Measurement]) -> tuple[Measurement, ...]:
    """Return the runs with their ends joined, each once, however many files it is in."""
    _, copies = _pairs_and_copies(runs)
    return join_ends([run for index, run in enumerate(runs) if index not in copies])


def _pairs_and_copies(
    rows: Sequence[object],
) -> tuple[list[_Ends], dict[int, tuple[Measurement, Measurement]]]:
    """
    Both ends of each run; and, by the index of its row, each copy with the first one.

    Thousands of runs may share an id: ends that wait for their other are found by their minute.
    """
    pairs: list[_Ends] = []
    copies: dict[int, tuple[Measurement, Measurement]] = {}
    seen: dict[Hashable, Measurement] = {}
    waiting: dict[Hashable, dict[float | None, dict[int, Measurement]]] = defaultdict(dict)
    for index, row in enumerate(rows):
        if not isinstance(row, Measurement) or row.file.run_id is None or row.error is not None:
            continue
        if row.direction is None or (side := row.file.recorded_by) is None:
            continue
        id_, begin_s = (row.tool, row.file.run_id, row.direction), row.begin_utc_s
        contents: list[Hashable] = [(id_, side, row.file.sha256 or row.source, row.file.part)]
        if row.goodput_bps is not None:
            contents.append((id_, side, row.goodput_bps, row.duration_s, begin_s))
        first = next((seen[each] for each in contents if each in seen), None)
        if first is not None:
            copies[index] = row, first
            continue
        seen |= dict.fromkeys(contents, row)
        other_side = side.other
        others = waiting.get((id_, other_side), {})
        minute = None if begin_s is None else begin_s // _MAX_CLOCK_OFFSET_S
        minutes = [*others] if minute is None else [minute - 1, minute, minute + 1, None]
        near = (
            (each, place, other)
            for each in minutes
            for place, other in others.get(each, {}).items()
            if _are_near(row, other)
        )
        found = next(near, None)
        if found is None:
            waiting[id_, side].setdefault(minute, {})[index] = row
        else:
            pairs.append({side: (index, row), other_side: found[1:]})
            del others[found[0]][found[1]]
    return pairs, copies


def _are_near(*ends: Measurement) -> bool:
    """Return True if start times and goodputs, where known, may be those of one run."""
    begins_s = [each.begin_utc_s for each in ends if each.begin_utc_s is not None]
    goodputs_bps = [each.goodput_bps for each in ends if each.goodput_bps is not None]
    least_bps = (1 - _MAX_GOODPUT_DIFFERENCE_RATIO) * max(goodputs_bps, default=0)
    apart_s = max(begins_s, default=0) - min(begins_s, default=0)
    return apart_s <= _MAX_CLOCK_OFFSET_S and min(goodputs_bps, default=0) >= least_bps


def _joined(ends: _Ends) -> tuple[int, Measurement]:
    """Index of the receiver's row, and the run as both ends report it."""
    (_, client), (_, server) = ends[Side.CLIENT], ends[Side.SERVER]
    at_receiver = Side.SERVER if client.direction is Direction.CLIENT_TO_SERVER else Side.CLIENT
    place, receiver = ends[at_receiver]
    sender = client if receiver is server else server
    is_sent = receiver.goodput_bps is None and sender.goodput_bps is not None
    judged, other = (sender, receiver) if is_sent else (receiver, sender)
    whose = "sender's" if is_sent else "receiver's"
    note = f"joined with {sender.source}: goodput is that of the {whose} file"
    # CPU time of each end, as its own file has it if it reports it
    uses = [(use, use.side is run.file.recorded_by) for run in (client, server) for use in run.cpu]
    cpu = {(use.scope, use.side): use for use, _ in uses}
    cpu |= {(use.scope, use.side): use for use, is_own in uses if is_own}
    version = receiver.file.tool_version or sender.file.tool_version
    return place, replace(
        _completed(judged, other),
        source=receiver.source,
        file=replace(receiver.file, tool_version=version),
        traffic=_completed(sender.traffic, receiver.traffic),
        tcp=_completed(sender.tcp, receiver.tcp),
        cpu=tuple(cpu.values()),
        notes=tuple(dict.fromkeys((*receiver.notes, *sender.notes, note))),
    )


def _completed(known: _Fields, other: _Fields) -> _Fields:
    """Return the fields of a result, and those that it has not from the other one."""
    names = [each.name for each in fields(known) if getattr(known, each.name) is None]
    return replace(known, **{name: getattr(other, name) for name in names})
