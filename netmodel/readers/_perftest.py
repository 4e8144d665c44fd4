"""
Results of perftest over RDMA: what it prints, and its JSON.

A bandwidth is goodput where the connection is reliable (RC, XRC, DC): the sender counts what was
acknowledged. Over UC, UD and raw Ethernet the sender counts what it sent, which is no goodput, and
the receiver what arrived: goodput over UC, frames over raw Ethernet. The receiver of a send starts
its clock at the first message: of N messages it times N - 1. There is no goodput with
``-b``, the sum of both directions; with two ports, the sum of both; and over InfiniBand, whose
frames no Ethernet carries. The rate is then kept as reported_rate_bps. The message rate, in
millions per second, times the size of a message is the same bandwidth in a known unit: it tells
that of JSON, which prints none.

Latencies of send and write are half a round trip, those of read a whole one; the time of a
transaction is the whole. With ``--report-cycles`` they are cycles, which the file does not report.
CPU use, percentiles, atomic tests and what ``--output`` alone prints are left out. With
``--raw_qos`` perftest writes what is not JSON. A link of the type IB whose ends have no LID is
Ethernet all the same: every port of an InfiniBand has one, and ``--force-link IB`` alone prints the
type so.

References: perftest source, versions 4 and 26: ``perftest_parameters.c``, functions
``write_test_info_to_file``, ``write_bw_report_to_file``, ``print_report_lat``. No adapter for RDMA
was at hand: files made from the source, none captured.
"""

import math
import re
from dataclasses import replace

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.framing import SILENT_BYTES
from netmodel.readers._document import RawText, load_json_document, shown
from netmodel.readers._formats import json_format
from netmodel.readers._measurement import Direction, Measurement
from netmodel.readers._printed import NUMBER, rate_disagreement
from netmodel.readers._table import Found, Hit, table_format
from netmodel.units import BITS_PER_BYTE
from netmodel.units.prefixes import GIGA, MEBI, MEGA, MICRO

_TOOL = "perftest"
_RAW_ETHERNET = "RawEth"
_ACKNOWLEDGED = frozenset({"RC", "XRC", "DC"})
_COUNTED_ON_ARRIVAL = frozenset({"UC", _RAW_ETHERNET})
"""Connections whose receiver counts what is known to fill a frame; UD has a header of its own."""
_OPERATIONS = {"Send": "send", "RDMA_Write": "write", "RDMA_Read": "read"}
_NO_BOX = "the test and its connection are not printed: taken as one direction over RC"
_LEAST_BPS = 1e3
"""Last digit of the finest figure of perftest, 0.000001 Gb/s: below it the rate was not zero."""
_MEBIBYTES = MEBI * BITS_PER_BYTE
_UNIT_BPS = {"MB/sec": _MEBIBYTES, "MiB/sec": _MEBIBYTES, "Gb/sec": GIGA}
"""perftest divides bytes by 0x100000 for MB, and by 125000000 for Gb."""
_UNIT = r"\[[^\]]{0,16}\]"
_COLUMN = re.compile(
    rf"#bytes|#iterations|#sl|BW (?:peak|average|Port[12]){_UNIT}|MsgRate(?: Port[12])?{_UNIT}"
    rf"|CPU_Util{_UNIT}|t_[a-z]{{1,16}}{_UNIT}|[0-9.]{{1,6}}% percentile{_UNIT}|tps average"
)
_RATE, _MEAN, _MESSAGES = "BW average", "t_avg[usec]", "MsgRate[Mpps]"
_COLUMNS_OF_JSON = {
    "MsgSize": "#bytes",
    "n_iterations": "#iterations",
    "BW_average": _RATE,
    "MsgRate": _MESSAGES,
    "t_avg": _MEAN,
}
"""Columns of the text by the keys of the JSON."""


def _read(run: Measurement, found: Found) -> tuple[Measurement, ...]:
    header, box = found.needed("header", "#bytes"), found.first("test")
    test = box.text("test") if box else ""
    settings = {hit.text("key"): hit for hit in found["setting"]}
    for key in ("Number of qps", "Connection type"):
        if box and key not in settings:
            raise ParseError(run.source, f"the line {key!r} is missing")
    values = {key: hit.text("value") for key, hit in settings.items()}
    operation = _OPERATIONS.get(test.partition(" ")[0])
    if box and operation is None:
        raise ParseError(run.source, f"results of the test {shown(test)} are not read")
    connection = values.get("Connection type", "RC")
    if not box:
        run = replace(run, notes=(_NO_BOX,))
    is_client, is_bidirectional = "TX depth" in values, "Bidirectional" in test
    is_receiver = operation == "send" and not (is_client or is_bidirectional)
    is_raw = connection == _RAW_ETHERNET
    end = Side.CLIENT if is_client else Side.SERVER
    run = replace(
        run,
        protocol=None if is_raw else "rdma",
        recorded_by=None if is_bidirectional or not box else end,
        is_bidirectional=is_bidirectional,
        stream_count=settings["Number of qps"].count("value") if box else None,
        rdma_operation=None if is_raw else operation,
        rdma_mtu_bytes=settings["Mtu"].count("value") if "Mtu" in values and not is_raw else None,
    )
    lids = [int(hit.text("lid"), 16) for hit in found["lid"]]
    is_infiniband = values.get("Link type") == "IB"
    if is_infiniband and lids and not any(lids):
        is_infiniband = False
        no_lid = "the link type is IB, but no end has a LID: taken as Ethernet"
        run = replace(run, notes=(*run.notes, no_lid))
    is_counted = connection in _ACKNOWLEDGED
    reasons = {
        "perftest prints the sum of both directions": is_bidirectional,
        f"what was sent over {connection} is not what arrived": not (is_counted or is_receiver),
        f"the headers of messages over {connection} are not known": not is_counted
        and connection not in _COUNTED_ON_ARRIVAL,
        "perftest prints the sum of two ports": values.get("Dual-port") == "ON",
        "the link is InfiniBand, not Ethernet": is_infiniband,
    }
    columns = _COLUMN.findall(header.line.text)
    rows = [_row(hit, columns) for hit in found["row"]]
    if not rows:
        raise header.line.fault("no row of results follows; keep what the client prints")
    if _MEAN in columns or "t_min[usec]" in columns:
        runs = [_with_latency(run, operation, hit) for hit in rows]
    else:
        why = next((reason for reason, holds in reasons.items() if holds), None)
        run = replace(run, why_no_goodput=why)
        runs = [_with_bandwidth(run, operation, hit, is_raw, is_receiver) for hit in rows]
    sizes = [row.text("#bytes") for row in rows]
    if len(runs) == 1:
        return (runs[0],)
    # rows have their size for a name, or their place where sizes come again
    names = [f"{size} byte" for size in sizes]
    if len(set(sizes)) < len(sizes):
        names = [f"row {number}" for number in range(1, len(rows) + 1)]
    return tuple(replace(each, part=name) for each, name in zip(runs, names, strict=True))


def _row(hit: Hit, columns: list[str]) -> Hit:
    """Return a row with its figures by the names of their columns."""
    figures = hit.line.text.split()
    if len(figures) != len(columns):
        raise hit.line.fault(f"{len(figures)} figures stand below {len(columns)} columns")
    groups: dict[str, str | None] = dict(zip(columns, figures, strict=True))
    for column in columns:
        if column.startswith(_RATE):
            groups |= {_RATE: groups[column], f"{_RATE}_unit": column[len(_RATE) + 1 : -1]}
    return replace(hit, groups=groups)


def _with_latency(run: Measurement, operation: str | None, row: Hit) -> Measurement:
    """The run with the time that perftest prints: half a round trip but for a read."""
    is_read = operation == "read"
    size_bytes = row.count("#bytes")
    mean_s = row.figure(_MEAN, MICRO).value if row.has(_MEAN) else None
    return replace(
        run,
        measures_latency=True,
        why_no_goodput="a test of latency",
        request_bytes=None if is_read else size_bytes,
        response_bytes=size_bytes,
        transaction_time_s=None if mean_s is None else (1 if is_read else 2) * mean_s,
    )


def _with_bandwidth(
    run: Measurement, operation: str | None, row: Hit, is_raw: bool, is_receiver: bool
) -> Measurement:
    """The run with its bandwidth: goodput where it is the payload that crossed one Ethernet."""
    if row.text(f"{_RATE}_unit") not in _UNIT_BPS:
        raise row.line.fault("stands below no bandwidth in MB/sec, MiB/sec or Gb/sec")
    size_bytes, message_count = row.count("#bytes"), row.count("#iterations")
    rate = row.figure(_RATE, _UNIT_BPS)
    one_way = Direction.SERVER_TO_CLIENT if operation == "read" else Direction.CLIENT_TO_SERVER
    run = replace(
        run,
        direction=one_way if operation and not run.is_bidirectional else None,
        write_bytes=size_bytes,
    )
    agreement: tuple[str, ...] = ()
    if row.has(_MESSAGES):
        counted = row.figure(_MESSAGES, MEGA * size_bytes * BITS_PER_BYTE)
        agreement = rate_disagreement(_TOOL, rate, counted)
    if run.why_no_goodput:
        return replace(run, reported_rate_bps=rate.value, notes=run.notes + agreement)
    timed_ratio = 1.0
    if is_receiver and message_count > 1:
        timed_ratio = (message_count - 1) / message_count
        note = f"{_TOOL} times {message_count} messages from the first to the last: one is left out"
        run = replace(run, notes=(*run.notes, note))
    run = replace(run, notes=run.notes + agreement)
    if is_raw:
        # what is sent has its check sequence with it
        bits = BITS_PER_BYTE * size_bytes
        frame_rate_fps = timed_ratio * rate.value / bits if bits else 0.0
        wire_bits = bits + BITS_PER_BYTE * SILENT_BYTES
        return replace(
            run,
            write_bytes=None,
            frame_rate_fps=frame_rate_fps,
            layer1_rate_bps=frame_rate_fps * wire_bits,
        )
    payload_bytes = size_bytes * message_count
    return replace(
        run,
        goodput_bps=timed_ratio * rate.value,
        goodput_half_width_bps=timed_ratio * rate.half_width,
        received_bytes=payload_bytes,
        duration_s=BITS_PER_BYTE * payload_bytes / rate.value if rate.value >= _LEAST_BPS else None,
    )


def _read_json(raw: RawText) -> tuple[Measurement, ...]:
    """Return what the text that says the same gives; the message rate tells the unit."""
    document = load_json_document(raw)
    if not (document.has("test_info") and document.has("results")):
        raise ParseError(raw.source, "not a result of perftest: it has no test_info and results")
    info, results = document.child("test_info"), document.child("results")
    printed: dict[str, str] = {}
    for key, column in _COLUMNS_OF_JSON.items():
        if key == "MsgSize" or results.has(key):
            number = results.number(key)
            # the text has the digits to which a figure is rounded
            digits = re.search(
                rf'"{key}"\s*:\s*([0-9]{{1,15}}(?:\.[0-9]{{1,12}})?)[\s,}}]', raw.text
            )
            printed[column] = digits[1] if digits else f"{number:.6f}"
    results.count("MsgSize")
    if _MEAN not in printed:
        rate, counted = results.number("BW_average"), float(printed.get(_MESSAGES, 0))
        if not counted:
            problem = "reports a bandwidth without its unit, and no message rate"
            raise ParseError(raw.source, f"{problem}: keep what perftest prints")
        counted_bps = counted * MEGA * results.count("MsgSize") * BITS_PER_BYTE
        unit = min(
            ("MiB/sec", "Gb/sec"), key=lambda unit: _apart(rate * _UNIT_BPS[unit], counted_bps)
        )
        printed[f"{_RATE}[{unit}]"] = printed.pop(_RATE)
    settings = {name.replace("_", " "): value for name, value in info.members().items()}
    settings["Dual-port"] = settings.pop("Dual port", "OFF")
    head = info.text("test").replace("RDMA_", "\0").replace("_", " ").replace("\0", "RDMA_")
    lines = [head, *(f"{name} : {value}" for name, value in settings.items())]
    text = "\n".join([*lines, " ".join(printed), " ".join(printed.values())])
    return PERFTEST_TEXT.read(replace(raw, text=text))


def _apart(rate_bps: float, other_bps: float) -> float:
    """Return the factor between two rates, at least 1."""
    low, high = sorted((rate_bps, other_bps))
    return high / low if low else math.inf


PERFTEST = json_format("perftest", _read_json, "test_info MsgSize results")
_NAME = r"(?:Send|RDMA_\w+|Atomic [\w ]+?) (?:Bidirectional )?(?:Post List )?(?:BW|Latency)"
PERFTEST_TEXT = table_format(
    "perftest-text",
    marks=rf"{_NAME} (?:\w+ ){{0,2}}Test[ \t\r]*$|#bytes +#iterations +[BMt]",
    forms={
        "test": rf"(?P<test>{_NAME} (?:\w+ ){{0,2}}Test)",
        "setting": r"(?P<key>Dual-port|Number of qps|Connection type|TX depth|Mtu|Link type)\s*: ?"
        r"(?P<value>\w+)(?:\[B\])?(?:\s.*)?",
        "lid": r"(?:local|remote) address: +LID +(?P<lid>0x[0-9a-fA-F]{1,4}|0000)\b.*",
        "header": rf"(?P<columns>#bytes(?:\s+(?:{_COLUMN.pattern}))+)",
        "row": rf"(?P<figures>\d+\s+\d+(?:\s+{NUMBER})+)",
    },
    read=_read,
    begins={"test": "test"},
)
