"""Results of perftest over RDMA, whose JSON does not tell the unit of its rates and times."""

import re
from collections.abc import Callable
from dataclasses import replace
from enum import Enum

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers._document import Node, RawText, Source, load_json_values, read_text, shown
from netmodel.readers._format import Format
from netmodel.readers._measurement import Direction, Measurement
from netmodel.readers._printed import half_step, rate_disagreement
from netmodel.units import BITS_PER_BYTE

__all__ = [
    "PERFTEST",
    "PERFTEST_GBITS",
    "PERFTEST_MIB",
    "PERFTEST_US",
    "PerftestUnit",
    "read_perftest",
]

_TOOL = "perftest"
_BANDWIDTH = "BW_average"
_LATENCY = "t_avg"
_BIDIRECTIONAL = "_Bidirectional_"
_READ = "RDMA_Read_"
_TESTS = ("Send_", "RDMA_Write_", _READ)
_ACKNOWLEDGED = frozenset({"RC", "XRC", "DC"})
_PRINTED_BANDWIDTH = re.compile(rf'"{_BANDWIDTH}"\s*:\s*([0-9]{{1,15}}(?:\.[0-9]{{1,12}})?)')
_PRINTED_MESSAGE_RATE = re.compile(r'"MsgRate"\s*:\s*([0-9]{1,15}(?:\.[0-9]{1,12})?)')
_MILLION = 1e6


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
        in. The file does not tell: without it nothing is read.

    Returns
    -------
    measurements : tuple of Measurement
        One.

    Raises
    ------
    ParseError
        If the unit is not told, is not one of what the file holds, or is not
        that of its message rate; if the file is not a result of perftest, or
        holds a value that cannot be; the message names the file and the key.

    Notes
    -----
    A bandwidth is goodput where the connection is reliable (RC, XRC, DC): the
    sender counts what was acknowledged. Over UC, UD and raw Ethernet it is what
    was sent, and with ``-b`` the sum of both directions: no goodput then. The
    message rate, in millions per second, times the size of a message is the
    same bandwidth in a known unit, against which the stated one is checked.

    Latencies of send and write are half a round trip, those of read a whole
    one; the time of a transaction is the whole. CPU use, percentiles, the MTU
    of RDMA, atomic tests and what ``--output`` alone prints are left out. With
    ``--raw_qos`` perftest writes what is not JSON.

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
    run = _with_set_up(raw, info)
    if results.has(_BANDWIDTH):
        return (_with_bandwidth(run, info, results, _rate_unit(raw, unit)),)
    if results.has(_LATENCY):
        if unit is not PerftestUnit.MICROSECOND:
            told = "holds times, in a unit that it does not tell: microseconds must be told"
            raise ParseError(raw.source, f"{told}, {_how_to_tell('MICROSECOND', PERFTEST_US)}")
        return (_with_latency(run, info, results),)
    raise ParseError(raw.source, f"results.{_BANDWIDTH} or results.{_LATENCY} is missing")


def _rate_unit(raw: RawText, unit: PerftestUnit | None) -> PerftestUnit:
    if unit is None or unit not in _RATE_UNIT_BPS:
        raise ParseError(
            raw.source,
            "holds rates, in a unit that it does not tell: MiB/s must be told, "
            f"{_how_to_tell('MIB_PER_S', PERFTEST_MIB)}, or, of a run with --report_gbits, "
            f"Gb/s, {_how_to_tell('GBIT_PER_S', PERFTEST_GBITS)}",
        )
    return unit


def _how_to_tell(member: str, known: Format) -> str:
    return f"by the format {known.name!r} or unit=PerftestUnit.{member}"


def _with_set_up(raw: RawText, info: Node) -> Measurement:
    """The run with what holds for rates and times."""
    test = info.text("test")
    if not test.startswith(_TESTS):
        known = ", ".join(name + "…" for name in _TESTS)
        raise info.child("test").fault(f"must be one of {known}; got {shown(test)}")
    is_bidirectional = _BIDIRECTIONAL in test
    side = None if is_bidirectional else Side.CLIENT if info.has("TX_depth") else Side.SERVER
    return Measurement(
        source=raw.source,
        raw_text=raw.text,
        sha256=raw.sha256,
        tool=_TOOL,
        recorded_by=side,
        is_bidirectional=is_bidirectional,
        stream_count=info.count("Number_of_qps"),
    )


def _with_bandwidth(run: Measurement, info: Node, results: Node, unit: PerftestUnit) -> Measurement:
    unit_bps = _RATE_UNIT_BPS[unit]
    rate_bps = results.number(_BANDWIDTH) * unit_bps
    half_width_bps = _half_width(run, _PRINTED_BANDWIDTH) * unit_bps
    size_bytes = results.count("MsgSize")
    connection = info.text("Connection_type")
    why_no_goodput = None
    if run.is_bidirectional:
        why_no_goodput = "perftest prints the sum of both directions"
    elif connection not in _ACKNOWLEDGED:
        why_no_goodput = f"what was sent over {connection} is not what arrived"
    is_read = info.text("test").startswith(_READ)
    one_way = Direction.SERVER_TO_CLIENT if is_read else Direction.CLIENT_TO_SERVER
    run = replace(
        run,
        direction=None if run.is_bidirectional else one_way,
        write_bytes=size_bytes,
        goodput_bps=None if why_no_goodput else rate_bps,
        goodput_half_width_bps=None if why_no_goodput else half_width_bps,
        reported_rate_bps=rate_bps if why_no_goodput else None,
        why_no_goodput=why_no_goodput,
    )
    return _checked(run, results, rate_bps, half_width_bps, unit)


def _checked(
    run: Measurement, results: Node, rate_bps: float, half_width_bps: float, unit: PerftestUnit
) -> Measurement:
    """The run, after its rate was held against messages per second times their size."""
    if not results.has("MsgRate"):
        return run
    message_bits = results.count("MsgSize") * BITS_PER_BYTE * _MILLION
    counted_bps = results.number("MsgRate") * message_bits
    rounding_bps = half_width_bps + _half_width(run, _PRINTED_MESSAGE_RATE) * message_bits
    warnings = rate_disagreement(_TOOL, rate_bps, counted_bps, rounding_bps)
    for other, other_bps in _RATE_UNIT_BPS.items():
        ratio = other_bps / _RATE_UNIT_BPS[unit]
        if warnings and not rate_disagreement(
            _TOOL, rate_bps * ratio, counted_bps, rounding_bps * max(1.0, ratio)
        ):
            raise results.child(_BANDWIDTH).fault(
                f"is not in {unit.value}, as stated, but in {other.value}: "
                "so says the message rate times the size of a message"
            )
    return replace(run, warnings=run.warnings + warnings)


def _half_width(run: Measurement, printed: re.Pattern[str]) -> float:
    match = printed.search(run.raw_text)
    return half_step(match[1]) if match else 0.0


def _with_latency(run: Measurement, info: Node, results: Node) -> Measurement:
    size_bytes = results.count("MsgSize")
    is_read = info.text("test").startswith(_READ)
    return replace(
        run,
        why_no_goodput="a test of latency",
        request_bytes=None if is_read else size_bytes,
        response_bytes=size_bytes,
        transaction_time_s=results.number(_LATENCY) * (1 if is_read else 2) * 1e-6,
    )


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
