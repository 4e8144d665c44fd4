"""Result of a benchmark run, in one form for every tool."""

from dataclasses import dataclass, field
from enum import Enum

from netmodel.consumption import Consumption, CpuScope, Side
from netmodel.results import Result


class Direction(Enum):
    """Direction of the payload; a client opens the connection, a server accepts it."""

    CLIENT_TO_SERVER = "client_to_server"
    SERVER_TO_CLIENT = "server_to_client"


@dataclass(frozen=True, slots=True)
class CpuUse(Result):
    """
    CPU time at one end of a run.

    Parameters
    ----------
    busy_cpu_count : float
        Mean number of busy CPUs.
    payload_rate_bps : float
        Payload that this end sent and received in the same time. [bit/s]
    scope : CpuScope
        Whose CPU time is counted.
    side : Side
        Which end.
    installed_cpu_count : int
        CPUs that this end has; None where they are not reported.

    Examples
    --------
    >>> from netmodel.consumption import CpuScope, Side
    >>> use = CpuUse(
    ...     busy_cpu_count=2, payload_rate_bps=20e9, scope=CpuScope.SYSTEM, side=Side.SERVER
    ... )
    >>> use.consumption.us_per_gbit
    100000.0
    """

    busy_cpu_count: float
    payload_rate_bps: float
    scope: CpuScope
    side: Side
    installed_cpu_count: int | None = None

    json_keys = "side scope busy_cpus=busy_cpu_count us_per_gbit=consumption.us_per_gbit"

    @property
    def consumption(self) -> Consumption | None:
        """CPU time per payload; None where no payload was moved."""
        if not self.payload_rate_bps:
            return None
        return Consumption.from_busy_cpus(
            self.busy_cpu_count, self.payload_rate_bps, self.scope, self.side
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement(Result):
    """
    One direction of one benchmark run; None stands for what the tool does not report.

    Parameters
    ----------
    source : str
        File that it was read from.
    raw_text : str
        The whole text of the file.
    sha256 : str
        Of the bytes of the file.
    part : str
        Which part of the file it is, where one holds several: a run, a port, a
        series or a line.
    run_id : str
        The same in the files that both ends of one run wrote, and in no others.
    tool, tool_version : str
        Benchmark, and its version as it prints it.
    recorded_by : Side
        End of the connection at which the file was written.
    error : str
        Error that the tool reports; all measured values are then None.
    direction : Direction
        Direction of the payload.
    protocol : str
        ``tcp``, ``udp`` or ``rdma``.
    ip_version : int
        4 or 6.
    is_loopback : bool
        Whether both ends were one host, by loopback or by one address, so that
        no frame crossed a line.
    is_bidirectional : bool
        Whether payload went in the other direction at the same time.
    stream_count : int
        Parallel connections.
    begin_utc_s : float
        Time of the first byte that counts, since 1970, UTC, by the clock of the
        host that wrote the file. [s]
    duration_s : float
        From first to last byte that counts, at the receiver. [s]
    received_bytes : int
        Payload that arrived in that time. [byte]
    goodput_bps : float
        Payload that arrived per second, from bytes and time. [bit/s]
    goodput_is_lower_bound : bool
        Whether the goodput is a lower bound, because the tool divides by a time
        that includes more than the transfer.
    measures_latency : bool
        Whether the test measures response times and keeps the path mostly idle;
        no limit of throughput applies to it.
    why_no_goodput : str
        Why the goodput is not known, where it is not.
    segment_bytes : int
        Payload of a full TCP segment as reported by the tool. [byte]
    requested_mss_bytes : int
        Maximum segment size that the user requested, with TCP options included.
        [byte]
    datagram_bytes : int
        Payload of each UDP datagram. [byte]
    rdma_mtu_bytes : int
        Payload of a full RDMA packet, the path MTU of the queue pairs. [byte]
    rdma_operation : str
        ``write``, ``send`` or ``read``.
    write_bytes : int
        Payload of each write of a stream. [byte]
    request_bytes, response_bytes : int
        Payload of each request and its response. [byte]
    transaction_rate_tps : float
        Requests answered per second, all connections together. [1/s]
    transaction_time_s : float
        Mean time from a request to its response. [s]
    frame_rate_fps : float
        Frames that arrived per second. [frame/s]
    layer1_rate_bps : float
        Bits of those frames per second, with preamble and gap. [bit/s]
    goodput_half_width_bps : float
        Half width of the range that the rounding of the tool leaves. [bit/s]
    leaves_out_start : bool
        Whether the start of the run does not count: slow start, and the
        connection set-up.
    is_counted_at_sender : bool
        Whether the payload was counted where it was sent, so that data still in
        buffers at the end, or lost, counts too.
    path_mtu_bytes : int
        Path MTU as reported by the tool. [byte]
    peer_window_bytes : int
        Largest receive window that the peer advertised, all connections
        together. [byte]
    congestion_window_bytes : int
        Largest congestion window, all connections together. [byte]
    socket_buffer_bytes : int
        Socket buffer that the user requested, at each end of each connection.
        [byte]
    round_trip_s, least_round_trip_s : float
        Mean and smallest round-trip time of the sender. [s]
    congestion_control : str
        TCP congestion control of the sender.
    offered_rate_bps : float
        Rate that the sender was limited to, all streams together. [bit/s]
    retransmit_count : int
        Retransmitted TCP segments.
    lossy_interval_count : int
        Intervals of the report in which a connection retransmitted segments, counted
        for each connection.
    lost_ratio : float
        Share of the UDP datagrams that did not arrive.
    cpu : tuple of CpuUse
        CPU time at the ends that the tool reports.
    notes : tuple of str
        What limits the use of these numbers, most important first.

    Examples
    --------
    >>> from netmodel.readers import read_result
    >>> from netmodel.records import data_path
    >>> (run,) = read_result(data_path("examples", "iperf3", "line-200m-mtu1500.json"))
    >>> run.tool, round(run.goodput_bps / 1e6, 2), run.segment_bytes
    ('iperf3', 188.09, 1448)
    """

    tool: str
    goodput_bps: float | None = None
    error: str | None = None
    direction: Direction | None = None
    source: str
    part: str | None = None
    raw_text: str = field(default="", repr=False, compare=False)
    sha256: str = field(repr=False)
    run_id: str | None = None
    tool_version: str | None = None
    recorded_by: Side | None = None
    protocol: str | None = None
    ip_version: int | None = None
    is_loopback: bool = False
    is_bidirectional: bool = False
    stream_count: int | None = None
    begin_utc_s: float | None = None
    duration_s: float | None = None
    received_bytes: int | None = None
    goodput_is_lower_bound: bool = False
    measures_latency: bool = False
    why_no_goodput: str | None = None
    segment_bytes: int | None = None
    requested_mss_bytes: int | None = None
    datagram_bytes: int | None = None
    rdma_mtu_bytes: int | None = None
    rdma_operation: str | None = None
    write_bytes: int | None = None
    request_bytes: int | None = None
    response_bytes: int | None = None
    transaction_rate_tps: float | None = None
    transaction_time_s: float | None = None
    frame_rate_fps: float | None = None
    layer1_rate_bps: float | None = None
    goodput_half_width_bps: float | None = None
    leaves_out_start: bool = False
    is_counted_at_sender: bool = False
    path_mtu_bytes: int | None = None
    peer_window_bytes: int | None = None
    congestion_window_bytes: int | None = None
    socket_buffer_bytes: int | None = None
    round_trip_s: float | None = None
    least_round_trip_s: float | None = None
    congestion_control: str | None = None
    offered_rate_bps: float | None = None
    retransmit_count: int | None = None
    lossy_interval_count: int | None = None
    lost_ratio: float | None = None
    cpu: tuple[CpuUse, ...] = ()
    notes: tuple[str, ...] = ()
