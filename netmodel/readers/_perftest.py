"""
Results of perftest over RDMA: what it prints, and its JSON, which reports no unit.

A bandwidth is goodput where the connection is reliable (RC, XRC, DC): the sender counts what was
acknowledged. Over UC, UD and raw Ethernet the sender counts what it sent, which is no goodput, and
the receiver what arrived: goodput over UC, frames over raw Ethernet. The receiver of a send starts
its clock at the first message: of N messages it times N - 1. There is no goodput with
``-b``, the sum of both directions; with two ports, the sum of both; and over InfiniBand, whose
frames no Ethernet carries. The rate is then kept as reported_rate_bps. The message rate, in
millions per second, times the size of a message is the same bandwidth in a known unit, against
which the specified one is checked.

Latencies of send and write are half a round trip, those of read a whole one; the time of a
transaction is the whole. With ``--report-cycles`` they are cycles, which the file does not report.
CPU use, percentiles, atomic tests and what ``--output`` alone prints are left out. With
``--raw_qos`` perftest writes what is not JSON.

References: perftest source, versions 4 and 26: ``perftest_parameters.c``, functions
``write_test_info_to_file``, ``write_bw_report_to_file``, ``print_report_lat``. No adapter for RDMA
was at hand: files made from the source, none captured.
"""

import itertools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.framing import SILENT_BYTES
from netmodel.readers._document import Node, RawText, load_json_document, shown
from netmodel.readers._formats import Format
from netmodel.readers._measurement import Direction, Measurement
from netmodel.readers._printed import (
    Figure,
    Line,
    half_step,
    printed_lines,
    rate_disagreement,
    started,
)
from netmodel.units import BITS_PER_BYTE
from netmodel.units.prefixes import GIGA, MEBI, MEGA, MICRO

_TOOL = "perftest"
_BANDWIDTH = "BW_average"
_LATENCY = "t_avg"
_BIDIRECTIONAL = "_Bidirectional_"
_READ = "RDMA_Read_"
_SEND = "Send_"
_TESTS = (_SEND, "RDMA_Write_", _READ)
_RAW_ETHERNET = "RawEth"
_ACKNOWLEDGED = frozenset({"RC", "XRC", "DC"})
_COUNTED_ON_ARRIVAL = frozenset({"UC", _RAW_ETHERNET})
"""Connections whose receiver counts what is known to fill a frame; UD has a header of its own."""
_PRINTED_BANDWIDTH = re.compile(rf'"{_BANDWIDTH}"\s*:\s*([0-9]{{1,15}}(?:\.[0-9]{{1,12}})?)')
_PRINTED_MESSAGE_RATE = re.compile(r'"MsgRate"\s*:\s*([0-9]{1,15}(?:\.[0-9]{1,12})?)')
_LEAST_BPS = 1e3
"""Last digit of the finest figure of perftest, 0.000001 Gb/s: below it the rate was not zero."""
_RATE_UNIT_BPS = {"MiB/s": MEBI * BITS_PER_BYTE, "Gb/s": GIGA}
"""MiB/s without ``--report_gbits``, which perftest calls MB/sec, and Gb/s with it."""
_MICROSECOND = "µs"
_TEST = re.compile(
    r"\s*(?P<test>(?:Send|RDMA_Write(?:_imm)?|RDMA_Read|Atomic \w+)"
    r" (?:Bidirectional )?(?:Post List )?(?:BW|Latency) (?:\w+ ){0,2}Test)\s*\Z"
)
_IN_ANY_LINE = re.compile(
    r"^[ \t]*(?:Send|RDMA_\w+|Atomic \w+) [\w ]{0,40}Test[ \t\r]*$", re.MULTILINE
)
_SETTING = re.compile(
    r"(?P<key>Dual-port|Number of qps|Connection type|TX depth|Mtu|Link type)\s*: ?(?P<value>\S+)"
)
_MTU = re.compile(r"([0-9]{1,6})(?:\[B\])?\Z")
_LID = re.compile(r"(?:local|remote) address: +LID +(0x[0-9a-fA-F]{1,4}|0000)\b")
_HEXADECIMAL = 16
"""Base in which perftest prints LIDs."""
_HEADER = "#bytes"
_END = "-----"
_UNIT = r"\[[^\]]{0,16}\]"
_COLUMN = re.compile(
    rf"#bytes|#iterations|#sl|BW (?:peak|average|Port[12]){_UNIT}|MsgRate(?: Port[12])?{_UNIT}"
    rf"|CPU_Util{_UNIT}|t_[a-z]{{1,16}}{_UNIT}|[0-9.]{{1,6}}% percentile{_UNIT}|tps average"
)
_BANDWIDTH_COLUMN = re.compile(r"BW average\[(.*)\]")
_UNIT_BPS = {
    "MB/sec": MEBI * BITS_PER_BYTE,
    "MiB/sec": MEBI * BITS_PER_BYTE,
    "Gb/sec": GIGA,
}
"""perftest divides bytes by 0x100000 for MB, and by 125000000 for Gb."""
_MEAN = "t_avg[usec]"
_SLOW_CLOCK = "CPU Frequency is not max"


@dataclass(frozen=True, slots=True, kw_only=True)
class _SetUp:
    """Set-up of a test, in JSON as in text."""

    test: str
    """As the JSON names it: ``RDMA_Write_Bidirectional_BW_Test``."""
    connection: str
    """``RC``, ``UC``, ``UD``, ``XRC``, ``DC``, ``SRD`` or ``RawEth``."""
    queue_pair_count: int
    """At each port."""
    is_client: bool
    """Whether this end has a send queue; both have one in a bidirectional test."""
    is_infiniband: bool
    is_dual_port: bool
    mtu_bytes: int | None
    """Of the queue pairs; None where it is not reported. [byte]"""

    @property
    def is_bidirectional(self) -> bool:
        """Whether both ends sent at the same time."""
        return _BIDIRECTIONAL in self.test

    @property
    def is_read(self) -> bool:
        """Whether the payload goes to the client, which requests it."""
        return self.test.startswith(_READ)

    @property
    def is_receiver(self) -> bool:
        """Whether this end counts what arrives: one that sends nothing, of a test of sends."""
        return self.test.startswith(_SEND) and not (self.is_client or self.is_bidirectional)

    @property
    def operation(self) -> str:
        """What each message is."""
        return "read" if self.is_read else "send" if self.test.startswith(_SEND) else "write"

    @property
    def is_known(self) -> bool:
        """Whether it is a test whose results are read."""
        return self.test.startswith(_TESTS)


def _read_json(raw: RawText, unit: str | None) -> tuple[Measurement, ...]:
    document = load_json_document(raw)
    if not (document.has("test_info") and document.has("results")):
        raise ParseError(raw.source, "not a result of perftest: it has no test_info and results")
    info, results = document.child("test_info"), document.child("results")
    set_up = _SetUp(
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
    run = _started_run(raw, set_up)
    if results.has(_BANDWIDTH):
        if unit not in _RATE_UNIT_BPS:
            problem = (
                "reports rates without their unit: read it as format 'perftest-mib', MiB/s, or, "
                "of a run with --report_gbits, 'perftest-gbits'"
            )
            raise ParseError(raw.source, problem)
        return (_bandwidth_of(run, set_up, results, unit),)
    if results.has(_LATENCY):
        if unit is not _MICROSECOND:
            problem = (
                "reports times without their unit: read it as format 'perftest-us', microseconds"
            )
            raise ParseError(raw.source, problem)
        mean_s = results.number(_LATENCY) * MICRO
        return (_with_latency(run, set_up, results.count("MsgSize"), mean_s),)
    raise ParseError(raw.source, f"results.{_BANDWIDTH} or results.{_LATENCY} is missing")


def _bandwidth_of(run: Measurement, set_up: _SetUp, results: Node, unit: str) -> Measurement:
    """The run with its rate, after a check against messages per second times their size."""
    printed = _printed_figure(run, _PRINTED_BANDWIDTH, results.number(_BANDWIDTH))
    size_bytes = results.count("MsgSize")
    rate = printed.times(_RATE_UNIT_BPS[unit])
    run = _with_bandwidth(run, set_up, size_bytes, results.count("n_iterations"), rate)
    if not results.has("MsgRate"):
        return run
    messages = _printed_figure(run, _PRINTED_MESSAGE_RATE, results.number("MsgRate"))
    notes = _message_rate_notes(rate, size_bytes, messages)
    for other, unit_bps in _RATE_UNIT_BPS.items():
        if notes and not _message_rate_notes(printed.times(unit_bps), size_bytes, messages):
            raise results.child(_BANDWIDTH).fault(
                f"is not in {unit}, as specified, but in {other}, "
                "by the message rate times the size of a message"
            )
    return replace(run, notes=run.notes + notes)


def _printed_figure(run: Measurement, printed: re.Pattern[str], value: float) -> Figure:
    """A figure of the JSON with its rounding, which only the text shows."""
    match = printed.search(run.raw_text)
    return Figure(value, half_step(match[1]) if match else 0.0)


def _read_text(raw: RawText) -> tuple[Measurement, ...]:
    """
    Measurements of a text, one for each row.

    The header reports the unit. Which bandwidths are goodput, and what a latency is, is as for
    the JSON of perftest. A link of the type IB whose ends have no LID is Ethernet all the same:
    every port of an InfiniBand has one, and ``--force-link IB`` alone prints the type so.
    """
    lines = list(printed_lines(raw))
    tests = [match["test"] for line in lines if (match := _TEST.match(line.text))]
    if not tests:
        raise ParseError(raw.source, "not a result of perftest: it names no test")
    headers = [index for index, line in enumerate(lines) if line.text.strip().startswith(_HEADER)]
    if (count := max(len(tests), len(headers))) > 1:
        raise ParseError(raw.source, f"holds {count} results; keep one in a file")
    if not headers:
        raise ParseError(raw.source, f"the text stops before its line {_HEADER!r}")
    box, header, below = lines[: headers[0]], lines[headers[0]], lines[headers[0] + 1 :]
    set_up, notes = _text_set_up(raw, tests[0], box)
    if any(_SLOW_CLOCK in line.text for line in lines):
        notes += (f"perftest reports: {_SLOW_CLOCK}",)
    run = replace(_started_run(raw, set_up), notes=notes)
    columns = _COLUMN.findall(header.text)
    table = itertools.takewhile(lambda line: not line.text.strip().startswith(_END), below)
    rows = [_row(line, columns) for line in table if line.text.strip()[:1].isdigit()]
    if not rows:
        raise header.fault("no row of results follows; keep what the client prints")
    runs = [_run_of(run, set_up, columns, row) for row in rows]
    if len(runs) == 1:
        return (runs[0],)
    # each is named by its size, or by its place where sizes come again
    sizes = [run.write_bytes or run.response_bytes for run in runs]
    is_by_size = len(set(sizes)) == len(sizes)
    return tuple(
        replace(run, part=f"{size} byte" if is_by_size else f"row {number}")
        for number, (run, size) in enumerate(zip(runs, sizes, strict=True), start=1)
    )


def _text_set_up(raw: RawText, test: str, box: Iterable[Line]) -> tuple[_SetUp, tuple[str, ...]]:
    """Set-up from the lines above the results, and notes on it."""
    settings: dict[str, tuple[Line, str]] = {}
    lids: list[int] = []
    for line in box:
        settings |= {match["key"]: (line, match["value"]) for match in _SETTING.finditer(line.text)}
        lids += (int(lid, _HEXADECIMAL) for lid in _LID.findall(line.text))
    for key in ("Number of qps", "Connection type"):
        if key not in settings:
            raise ParseError(raw.source, f"the line {key!r} is missing")
    is_forced = bool(lids) and not any(lids)
    is_called_infiniband = "Link type" in settings and settings["Link type"][1] == "IB"
    line, queue_pairs = settings["Number of qps"]
    set_up = _SetUp(
        test=test.replace(" ", "_"),
        connection=settings["Connection type"][1],
        queue_pair_count=line.count("Number of qps", queue_pairs),
        is_client="TX depth" in settings,
        is_infiniband=is_called_infiniband and not is_forced,
        is_dual_port="Dual-port" in settings and settings["Dual-port"][1] == "ON",
        mtu_bytes=_mtu_bytes(*settings["Mtu"]) if "Mtu" in settings else None,
    )
    if not set_up.is_known:
        raise ParseError(raw.source, f"results of the test {shown(test)} are not read")
    if is_called_infiniband and is_forced:
        return set_up, ("the link type is IB, but no end has a LID: taken as Ethernet",)
    return set_up, ()


def _mtu_bytes(line: Line, text: str) -> int:
    match = _MTU.match(text)
    if not match:
        raise line.fault(f"Mtu must be a number of bytes; got {shown(text)}")
    return int(match[1])


def _row(line: Line, columns: list[str]) -> tuple[Line, dict[str, str]]:
    values = line.text.split()
    if len(values) != len(columns):
        raise line.fault(f"{len(values)} figures stand below {len(columns)} columns")
    return line, dict(zip(columns, values, strict=True))


def _run_of(
    run: Measurement, set_up: _SetUp, columns: list[str], row: tuple[Line, dict[str, str]]
) -> Measurement:
    """The run with what a row holds."""
    line, values = row
    for column in columns:
        line.figure(column, values[column])
    size_bytes = line.count("#bytes", values.get("#bytes", ""))
    if "t_min[usec]" in values or _MEAN in values:
        mean_s = line.figure(_MEAN, values[_MEAN], MICRO).value if _MEAN in values else None
        return _with_latency(run, set_up, size_bytes, mean_s)
    named = [(name, match[1]) for name in columns if (match := _BANDWIDTH_COLUMN.match(name))]
    if not named or named[0][1] not in _UNIT_BPS:
        raise line.fault("stands below no bandwidth in MB/sec, MiB/sec or Gb/sec, nor a latency")
    name, unit = named[0]
    rate = line.figure(name, values[name], _UNIT_BPS[unit])
    message_count = line.count("#iterations", values.get("#iterations", ""))
    run = _with_bandwidth(run, set_up, size_bytes, message_count, rate)
    if "MsgRate[Mpps]" not in values:
        return run
    messages: Figure = line.figure("MsgRate[Mpps]", values["MsgRate[Mpps]"])
    return replace(run, notes=run.notes + _message_rate_notes(rate, size_bytes, messages))


def _started_run(raw: RawText, set_up: _SetUp) -> Measurement:
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
        rdma_operation=None if is_raw_ethernet else set_up.operation,
    )


def _with_bandwidth(
    run: Measurement, set_up: _SetUp, size_bytes: int, message_count: int, rate: Figure
) -> Measurement:
    """The run with its bandwidth: goodput where it is the payload that crossed one Ethernet."""
    why_no_goodput = _why_no_goodput(set_up)
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
    timed_ratio = 1.0
    if set_up.is_receiver and message_count > 1:
        timed_ratio = (message_count - 1) / message_count
        note = f"{_TOOL} times {message_count} messages from the first to the last: one is left out"
        run = replace(run, notes=(*run.notes, note))
    goodput_bps = timed_ratio * rate.value
    if set_up.connection == _RAW_ETHERNET:
        # what is sent has its check sequence with it
        frame_rate_fps = goodput_bps / (BITS_PER_BYTE * size_bytes) if size_bytes else 0.0
        wire_bits = BITS_PER_BYTE * (size_bytes + SILENT_BYTES)
        return replace(
            run,
            write_bytes=None,
            frame_rate_fps=frame_rate_fps,
            layer1_rate_bps=frame_rate_fps * wire_bits,
        )
    return replace(
        run,
        goodput_bps=goodput_bps,
        goodput_half_width_bps=timed_ratio * rate.half_width,
        received_bytes=payload_bytes,
        duration_s=BITS_PER_BYTE * payload_bytes / rate.value if rate.value >= _LEAST_BPS else None,
    )


def _why_no_goodput(set_up: _SetUp) -> str | None:
    """Why a bandwidth is not goodput; None where it is."""
    connection = set_up.connection
    if set_up.is_bidirectional:
        return "perftest prints the sum of both directions"
    if connection not in _ACKNOWLEDGED and not set_up.is_receiver:
        return f"what was sent over {connection} is not what arrived"
    if connection not in _ACKNOWLEDGED | _COUNTED_ON_ARRIVAL:
        return f"the headers of messages over {connection} are not known"
    if set_up.is_dual_port:
        return "perftest prints the sum of two ports"
    if set_up.is_infiniband:
        return "the link is InfiniBand, not Ethernet"
    return None


def _with_latency(
    run: Measurement, set_up: _SetUp, size_bytes: int, mean_s: float | None
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


def _message_rate_notes(rate: Figure, size_bytes: int, millions_per_s: Figure) -> tuple[str, ...]:
    """A warning where messages per second times their size are another rate."""
    message_bits = size_bytes * BITS_PER_BYTE * MEGA
    rounding_bps = rate.half_width + millions_per_s.half_width * message_bits
    counted_bps = millions_per_s.value * message_bits
    return rate_disagreement(_TOOL, rate.value, counted_bps, rounding_bps)


def _reader(unit: str | None) -> Callable[[RawText], tuple[Measurement, ...]]:
    return lambda raw: _read_json(raw, unit)


# JSON with what only perftest writes
_JSON_MARKS = ('"test_info"', '"MsgSize"', '"results"')
PERFTEST = Format(
    "perftest",
    lambda text: text.lstrip()[:1] == "{" and all(mark in text for mark in _JSON_MARKS),
    _reader(None),
)
"""Recognised, so that the error says which formats to choose from."""
# the unit cannot be recognised: these formats are named by the user
PERFTEST_MIB = Format("perftest-mib", lambda _: False, _reader("MiB/s"))
PERFTEST_GBITS = Format("perftest-gbits", lambda _: False, _reader("Gb/s"))
PERFTEST_US = Format("perftest-us", lambda _: False, _reader(_MICROSECOND))
# recognised where it holds the box of perftest: the name of a test, and its settings
PERFTEST_TEXT = Format(
    "perftest-text",
    lambda text: "Connection type :" in text and _IN_ANY_LINE.search(text) is not None,
    _read_text,
)
