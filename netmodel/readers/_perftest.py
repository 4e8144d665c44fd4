"""Results of perftest over RDMA as JSON, which does not report the unit of its rates and times."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers._document import Node, RawText, Source, load_json_values, read_text, shown
from netmodel.readers._format import Format
from netmodel.readers._measurement import Direction, Measurement
from netmodel.readers._printed import Figure, half_step, rate_disagreement, started
from netmodel.units import BITS_PER_BYTE

__all__ = [
    "PERFTEST",
    "PERFTEST_GBITS",
    "PERFTEST_MIB",
    "PERFTEST_US",
    "PerftestUnit",
    "SetUp",
    "message_rate_warnings",
    "read_perftest",
    "started_run",
    "with_bandwidth",
    "with_latency",
]

_TOOL = "perftest"
_BANDWIDTH = "BW_average"
_LATENCY = "t_avg"
_BIDIRECTIONAL = "_Bidirectional_"
_READ = "RDMA_Read_"
_TESTS = ("Send_", "RDMA_Write_", _READ)
_ACKNOWLEDGED = frozenset({"RC", "XRC", "DC"})
_RAW_ETHERNET = "RawEth"
_PRINTED_BANDWIDTH = re.compile(rf'"{_BANDWIDTH}"\s*:\s*([0-9]{{1,15}}(?:\.[0-9]{{1,12}})?)')
_PRINTED_MESSAGE_RATE = re.compile(r'"MsgRate"\s*:\s*([0-9]{1,15}(?:\.[0-9]{1,12})?)')
_MILLION = 1e6
_LEAST_BPS = 1e3
"""The last digit of the finest figure that perftest prints, 0.000001 Gb/s."""


class PerftestUnit(Enum):
    """What perftest was asked to print its rates or times in."""

    MIB_PER_S = "MiB/s"
    """2**20 byte per second: what it prints without ``--report_gbits``, and calls MB/sec."""
    GBIT_PER_S = "Gb/s"
    """10**9 bit per second, with ``--report_gbits``."""
    MICROSECOND = "µs"
    """Microseconds: latencies without ``--report-cycles``."""


_RATE_UNIT_BPS = {
    PerftestUnit.MIB_PER_S: 2.0**20 * BITS_PER_BYTE,
    PerftestUnit.GBIT_PER_S: 1e9,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUp:
    """
    What perftest reports of a test beside its results, in JSON as in text.

    Parameters
    ----------
    test : str
        As the JSON names it: ``RDMA_Write_Bidirectional_BW_Test``.
    connection : str
        ``RC``, ``UC``, ``UD``, ``XRC``, ``DC``, ``SRD`` or ``RawEth``.
    queue_pair_count : int
        Queue pairs, at each port.
    is_client : bool
        Whether this end has a send queue; both have one in a bidirectional test.
    is_infiniband : bool
        Whether the link is InfiniBand.
    is_dual_port : bool
        Whether two ports sent at the same time.
    mtu_bytes : int
        MTU of the queue pairs; None where it is not reported. [byte]
    """

    test: str
    connection: str
    queue_pair_count: int
    is_client: bool
    is_infiniband: bool
    is_dual_port: bool
    mtu_bytes: int | None

    @property
    def is_bidirectional(self) -> bool:
        """Whether both ends sent at the same time."""
        return _BIDIRECTIONAL in self.test

    @property
    def is_read(self) -> bool:
        """Whether the payload goes to the end that asks for it."""
        return self.test.startswith(_READ)

    @property
    def is_known(self) -> bool:
        """Whether it is a test whose results are read."""
        return self.test.startswith(_TESTS)


def read_perftest(source: Source, unit: PerftestUnit | None = None) -> tuple[Measurement, ...]:
    """
    Read a result of perftest: ``ib_send_bw``, ``ib_write_lat`` and the like.

    Parameters
    ----------
    source : path, bytes or mapping
        File that ``--out_json --out_json_file=FILE`` wrote, or its content, as
        bytes or as parsed JSON.
    unit : PerftestUnit
        What the rates of a bandwidth test, or the times of a latency test, are
        in. The file does not report it: without it nothing is read.

    Returns
    -------
    measurements : tuple of Measurement
        One.

    Raises
    ------
    ParseError
        If the unit is not specified, is not one of what the file holds, or is
        not that of its message rate; if the file is not a result of perftest, or
        holds a value that cannot be; the message names the file and the key.

    Notes
    -----
    A bandwidth is goodput where the connection is reliable (RC, XRC, DC): the
    sender counts what was acknowledged. There is no goodput over UC, UD and raw
    Ethernet, where it is what was sent; with ``-b``, the sum of both directions;
    with two ports, the sum of both; and over InfiniBand, whose frames no
    Ethernet carries. The rate is then kept as reported_rate_bps. The message
    rate, in millions per second, times the size of a message is the same
    bandwidth in a known unit, against which the specified one is checked.

    Latencies of send and write are half a round trip, those of read a whole
    one; the time of a transaction is the whole. With ``--report-cycles`` they
    are cycles, which the file does not report. CPU use, percentiles, atomic
    tests and what ``--output`` alone prints are left out. With ``--raw_qos``
    perftest writes what is not JSON.

    References
    ----------
    perftest source, versions 4 and 26: ``perftest_parameters.c``, functions
    ``write_test_info_to_file``, ``write_bw_report_to_file``,
    ``print_report_lat``. No adapter for RDMA was at hand: files made from the
    source, none captured.
    """
    return _read(read_text(source), unit)


def _read(raw: RawText, unit: PerftestUnit | None) -> tuple[Measurement, ...]:
    values = load_json_values(raw)
    if len(values) > 1:
        raise ParseError(raw.source, f"holds {len(values)} results; keep one in a file")
    document = Node(raw.source, "", values[0])
    if not (document.has("test_info") and document.has("results")):
        raise ParseError(raw.source, "not a result of perftest: it has no test_info and results")
    info, results = document.child("test_info"), document.child("results")
    set_up = _set_up(info)
    run = started_run(raw, set_up)
    if results.has(_BANDWIDTH):
        return (_bandwidth_of(run, set_up, results, _rate_unit(raw, unit)),)
    if results.has(_LATENCY):
        if unit is not PerftestUnit.MICROSECOND:
            problem = "holds times without their unit: microseconds must be specified"
            raise ParseError(
                raw.source, f"{problem}, {_how_to_specify('MICROSECOND', PERFTEST_US)}"
            )
        mean_s = results.number(_LATENCY) * 1e-6
        return (with_latency(run, set_up, results.count("MsgSize"), mean_s),)
    raise ParseError(raw.source, f"results.{_BANDWIDTH} or results.{_LATENCY} is missing")


def _rate_unit(raw: RawText, unit: PerftestUnit | None) -> PerftestUnit:
    if unit is None or unit not in _RATE_UNIT_BPS:
        raise ParseError(
            raw.source,
            "holds rates without their unit: MiB/s must be specified, "
            f"{_how_to_specify('MIB_PER_S', PERFTEST_MIB)}, or, of a run with --report_gbits, "
            f"Gb/s, {_how_to_specify('GBIT_PER_S', PERFTEST_GBITS)}",
        )
    return unit


def _how_to_specify(member: str, known: Format) -> str:
    return f"by the format {known.name!r} or unit=PerftestUnit.{member}"


def _set_up(info: Node) -> SetUp:
    set_up = SetUp(
        test=info.text("test"),
        connection=info.text("Connection_type"),
        queue_pair_count=info.count("Number_of_qps"),
        is_client=info.has("TX_depth"),
        is_infiniband=info.has("Link_type") and info.text("Link_type") == "IB",
        is_dual_port=info.has("Dual_port") and info.text("Dual_port") == "ON",
        mtu_bytes=info.count("Mtu") if info.has("Mtu") else None,
    )
    if not set_up.is_known:
        known = ", ".join(name + "…" for name in _TESTS)
        raise info.child("test").fault(f"must be one of {known}; got {shown(set_up.test)}")
    return set_up


def started_run(raw: RawText, set_up: SetUp) -> Measurement:
    """The run with what holds for rates and times."""
    side = Side.CLIENT if set_up.is_client else Side.SERVER
    is_raw_ethernet = set_up.connection == _RAW_ETHERNET
    return replace(
        started(raw, _TOOL),
        protocol=None if is_raw_ethernet else "rdma",
        recorded_by=None if set_up.is_bidirectional else side,
        is_bidirectional=set_up.is_bidirectional,
        stream_count=set_up.queue_pair_count,
        rdma_mtu_bytes=None if is_raw_ethernet else set_up.mtu_bytes,
    )


def with_bandwidth(
    run: Measurement, set_up: SetUp, size_bytes: int, message_count: int, rate: Figure
) -> Measurement:
    """The run with its bandwidth: goodput where it is the payload that crossed one Ethernet."""
    why_no_goodput = None
    if set_up.is_bidirectional:
        why_no_goodput = "perftest prints the sum of both directions"
    elif set_up.connection not in _ACKNOWLEDGED:
        why_no_goodput = f"what was sent over {set_up.connection} is not what arrived"
    elif set_up.is_dual_port:
        why_no_goodput = "perftest prints the sum of two ports"
    elif set_up.is_infiniband:
        why_no_goodput = "the link is InfiniBand, not Ethernet"
    one_way = Direction.SERVER_TO_CLIENT if set_up.is_read else Direction.CLIENT_TO_SERVER
    run = replace(
        run,
        direction=None if set_up.is_bidirectional else one_way,
        write_bytes=size_bytes,
        why_no_goodput=why_no_goodput,
    )
    if why_no_goodput:
        return replace(run, reported_rate_bps=rate.value)
    payload_bytes = size_bytes * message_count
    return replace(
        run,
        goodput_bps=rate.value,
        goodput_half_width_bps=rate.half_width,
        received_bytes=payload_bytes,
        duration_s=BITS_PER_BYTE * payload_bytes / rate.value if rate.value >= _LEAST_BPS else None,
    )


def with_latency(
    run: Measurement, set_up: SetUp, size_bytes: int, mean_s: float | None
) -> Measurement:
    """The run with the time that perftest prints: half a round trip but for a read."""
    trips = 1 if set_up.is_read else 2
    return replace(
        run,
        measures_latency=True,
        why_no_goodput="a test of latency",
        request_bytes=None if set_up.is_read else size_bytes,
        response_bytes=size_bytes,
        transaction_time_s=None if mean_s is None else trips * mean_s,
    )


def message_rate_warnings(rate: Figure, size_bytes: int, millions_per_s: Figure) -> tuple[str, ...]:
    """A warning where messages per second times their size are another rate."""
    message_bits = size_bytes * BITS_PER_BYTE * _MILLION
    rounding_bps = rate.half_width + millions_per_s.half_width * message_bits
    counted_bps = millions_per_s.value * message_bits
    return rate_disagreement(_TOOL, rate.value, counted_bps, rounding_bps)


def _bandwidth_of(
    run: Measurement, set_up: SetUp, results: Node, unit: PerftestUnit
) -> Measurement:
    """The run, after its rate was held against messages per second times their size."""
    printed = Figure(results.number(_BANDWIDTH), _half_width(run, _PRINTED_BANDWIDTH))
    size_bytes = results.count("MsgSize")
    rate = _in_bps(printed, unit)
    run = with_bandwidth(run, set_up, size_bytes, results.count("n_iterations"), rate)
    if not results.has("MsgRate"):
        return run
    messages = Figure(results.number("MsgRate"), _half_width(run, _PRINTED_MESSAGE_RATE))
    warnings = message_rate_warnings(rate, size_bytes, messages)
    for other in _RATE_UNIT_BPS:
        if warnings and not message_rate_warnings(_in_bps(printed, other), size_bytes, messages):
            raise results.child(_BANDWIDTH).fault(
                f"is not in {unit.value}, as specified, but in {other.value}: "
                "so says the message rate times the size of a message"
            )
    return replace(run, warnings=run.warnings + warnings)


def _in_bps(printed: Figure, unit: PerftestUnit) -> Figure:
    unit_bps = _RATE_UNIT_BPS[unit]
    return Figure(printed.value * unit_bps, printed.half_width * unit_bps)


def _half_width(run: Measurement, printed: re.Pattern[str]) -> float:
    match = printed.search(run.raw_text)
    return half_step(match[1]) if match else 0.0


def _reader(unit: PerftestUnit | None) -> Callable[[RawText], tuple[Measurement, ...]]:
    return lambda raw: _read(raw, unit)


def _is_perftest(text: str) -> bool:
    """Whether it is JSON with what only perftest writes."""
    marks = ('"test_info"', '"MsgSize"', '"results"')
    return text.lstrip()[:1] == "{" and all(mark in text for mark in marks)


def _never(text: str) -> bool:
    """The unit cannot be recognised."""
    return False


PERFTEST = Format("perftest", _is_perftest, _reader(None))
"""Recognised, to answer that the unit must be told."""
PERFTEST_MIB = Format("perftest-mib", _never, _reader(PerftestUnit.MIB_PER_S))
PERFTEST_GBITS = Format("perftest-gbits", _never, _reader(PerftestUnit.GBIT_PER_S))
PERFTEST_US = Format("perftest-us", _never, _reader(PerftestUnit.MICROSECOND))
