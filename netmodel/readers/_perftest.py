"""
Results of perftest over RDMA: what it prints, and its JSON.

A bandwidth is goodput where the connection is reliable (RC, XRC, DC): the sender counts what was
acknowledged. Over UC, UD and raw Ethernet the sender counts what it sent, which is no goodput, and
the receiver what arrived: goodput over UC, frames over raw Ethernet. The receiver of a send starts
its clock at the first message: of N messages it times N - 1. There is no goodput with
``-b``, the sum of both directions, and with two ports, the sum of both. The rate is then kept as
reported_rate_bps. The message rate, in millions per second, times the size of a message is the same
bandwidth in a known unit: it tells that of JSON, which has none.

Latencies of send and write are half a round trip, those of read a whole one; the time of a
transaction is the whole. With ``--report-cycles`` they are cycles, which the file does not report.
CPU use, percentiles, atomic tests and what ``--output`` alone prints are left out. A link of the
type IB whose ends have no LID is Ethernet all the same: every port of an InfiniBand has one, and
``--force-link IB`` alone prints the type so.

References: perftest source, versions 4 and 26: ``perftest_parameters.c``, functions
``print_report_bw``, ``print_report_lat``, ``write_test_info_to_file`` and
``write_bw_report_to_file``. No adapter for RDMA was at hand: files made from the source.
"""

import re
from dataclasses import replace

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.framing.lengths import SILENT_BYTES
from netmodel.readers._document import RawText, load_json_document, shown
from netmodel.readers._formats import json_format
from netmodel.readers._printed import NUMBER, Hit, Run
from netmodel.readers._table import Found, table_format
from netmodel.units import BITS_PER_BYTE
from netmodel.units.prefixes import GIGA, MEBI, MEGA, MICRO

_RAW_ETHERNET = "RawEth"
_ACKNOWLEDGED = frozenset({"RC", "XRC", "DC"})
_WITH_HEADERS = _ACKNOWLEDGED | {_RAW_ETHERNET, "UC"}
_OPERATIONS = {"Send": "send", "RDMA_Write": "write", "RDMA_Read": "read"}
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
_OF_JSON = {_RATE: ("BW_average", 2), _MESSAGES: ("MsgRate", 6), _MEAN: ("t_avg", 2)}
"""Key of a column in JSON, and the decimals with which perftest prints it."""


def _read(run: Run, found: Found) -> list[Run]:
    header, box = found.needed("header", "#bytes"), found.first("test")
    test = box.text("test") if box else ""
    operation = _OPERATIONS.get(test.partition(" ")[0])
    connection = next((hit.text("connection") for hit in found["connection"]), "RC")
    if box:
        found.needed("streams", "Number of qps")
        found.needed("connection", "Connection type")
        if operation is None:
            raise ParseError(found.source, f"results of the test {shown(test)} are not read")
    else:
        run.note(f"the test is not printed: taken as one direction over {connection}")
    lids = {int(hit.text("lid"), 16) for hit in found["lid"]}
    is_infiniband = bool(found["infiniband"] or lids) and lids != {0}
    if found["infiniband"] and not is_infiniband:
        run.note("the link type is IB, but no end has a LID: taken as Ethernet")
    is_both, is_client = "Bidirectional" in test, bool(found["depth"])
    is_receiver = operation == "send" and not (is_client or is_both)
    is_raw, arrives = connection == _RAW_ETHERNET, is_receiver or connection in _ACKNOWLEDGED
    reasons = {
        "perftest prints the sum of both directions": is_both,
        f"what was sent over {connection} is not what arrived": not arrives,
        f"the headers of messages over {connection} are not known": connection not in _WITH_HEADERS,
        "perftest prints the sum of two ports": bool(found["two_ports"]),
    }
    if box and not is_both:
        run["recorded_by"] = Side.CLIENT if is_client else Side.SERVER
    run["is_bidirectional"] = is_both
    run["why_no_goodput"] = next((reason for reason, holds in reasons.items() if holds), None)
    if is_raw:
        run["rdma_mtu_bytes"] = None
    else:
        run.update(protocol="infiniband" if is_infiniband else "rdma", rdma_operation=operation)
    rows = [_row(hit, _COLUMN.findall(header.line)) for hit in found["row"]]
    if not rows:
        raise header.fault("no row of results follows; keep what the client prints")
    runs = [Run(run) for _ in rows]
    is_latency = "t_avg[" in header.text("columns") or "t_min[" in header.text("columns")
    # rows have their size for a name, or their place where sizes come again
    names = [f"{row.text('#bytes')} byte" for row in rows]
    if len(set(names)) < len(names):
        names = [f"row {number}" for number in range(1, len(rows) + 1)]
    for each, row, name in zip(runs, rows, names, strict=True):
        each["part"] = name if len(rows) > 1 else None
        if not is_latency:
            _take_bandwidth(each, operation, row, is_raw, is_receiver)
            continue
        each.update(measures_latency=True, why_no_goodput="a test of latency")
        each["response_bytes"] = row.count("#bytes")
        each["request_bytes"] = None if operation == "read" else each["response_bytes"]
        if mean := row.maybe(_MEAN, MICRO):  # half a round trip but for a read
            each["transaction_time_s"] = (1 if operation == "read" else 2) * mean.value
    return runs


def _row(hit: Hit, columns: list[str]) -> Hit:
    """Return a row with its figures by the names of their columns."""
    figures = hit.line.replace("**", "").split()  # bold in Markdown
    if len(figures) != len(columns):
        raise hit.fault(f"{len(figures)} figures stand below {len(columns)} columns")
    groups: dict[str, str | None] = dict(zip(columns, figures, strict=True))
    for column in columns:
        if column.startswith(_RATE):
            groups |= {_RATE: groups[column], f"{_RATE}_unit": column[len(_RATE) + 1 : -1]}
    return replace(hit, groups=groups)


def _take_bandwidth(
    run: Run, operation: str | None, row: Hit, is_raw: bool, is_receiver: bool
) -> None:
    """Set the bandwidth: goodput where it is payload that crossed one link."""
    if row.text(f"{_RATE}_unit") not in _UNIT_BPS:
        raise row.fault("stands below no bandwidth in MB/sec, MiB/sec or Gb/sec")
    size_bytes, message_count = row.count("#bytes"), row.count("#iterations")
    rate, bits = row.figure(_RATE, _UNIT_BPS), BITS_PER_BYTE * size_bytes
    timed_ratio = 1.0
    if is_receiver and message_count > 1 and not run["why_no_goodput"]:
        timed_ratio = (message_count - 1) / message_count
        timed = f"perftest times {message_count} messages from the first to the last"
        run.note(f"{timed}: one is left out")
    if row.has(_MESSAGES):
        run.disagree(rate, row.figure(_MESSAGES, MEGA * bits))
    else:
        run.note("no message rate confirms the bandwidth, whose last digits a cut text lacks")
    if operation and not run["is_bidirectional"]:
        run.set_direction(is_up=operation != "read")
    if run["why_no_goodput"] or not is_raw:
        run["write_bytes"] = size_bytes
    if run["why_no_goodput"]:
        return
    if is_raw:
        # what is sent has its check sequence with it
        run["frame_rate_fps"] = timed_ratio * rate.value / bits if bits else 0.0
        run["layer1_rate_bps"] = run["frame_rate_fps"] * (bits + BITS_PER_BYTE * SILENT_BYTES)
        return
    run.count(rate.times(timed_ratio), received_bytes=size_bytes * message_count)
    if rate.value >= _LEAST_BPS:
        run["duration_s"] = bits * message_count / rate.value


def _read_json(raw: RawText) -> list[Run]:
    """Return what the text of the same test gives; the message rate tells its unit."""
    document = load_json_document(raw)
    info, results = document.child("test_info").members(), document.child("results")
    size_bytes, message_count = results.count("MsgSize"), results.count("n_iterations")
    row = {"#bytes": str(size_bytes), "#iterations": str(message_count)}
    for column, (key, decimals) in _OF_JSON.items():
        if results.has(key):
            number = results.number(key)
            row[column] = max(f"{number:.{decimals}f}", str(number), key=len)
    if _MEAN not in row:
        counted_bps = float(row.get(_MESSAGES, 0)) * MEGA * BITS_PER_BYTE * size_bytes
        if not counted_bps:
            problem = "reports a bandwidth without its unit, and no message rate"
            raise ParseError(raw.source, f"{problem}: keep what perftest prints")
        # of two units that are far apart, the nearer one
        is_mebi = results.number("BW_average") * (_MEBIBYTES * GIGA) ** 0.5 >= counted_bps
        row[f"{_RATE}[{'MiB' if is_mebi else 'Gb'}/sec]"] = row.pop(_RATE)
    head = "".join(f"{name}: {value}\n" for name, value in info.items())
    head = head.replace("_", " ").replace("RDMA ", "RDMA_")
    text = f"{head}{' '.join(row)}\n{' '.join(row.values())}"
    return [Run(run, raw_text=raw.text) for run in PERFTEST_TEXT.read(raw._replace(text=text))]


PERFTEST = json_format("perftest", _read_json, "test_info MsgSize results")
_NAME = r"(?:Send|RDMA_\w+|Atomic [\w ]+?) (?:Bidirectional )?(?:Post List )?(?:BW|Latency)"
PERFTEST_TEXT = table_format(
    "perftest-text",
    marks=rf"{_NAME} (?:\w+ ){{0,2}}Test[ \t\r]*$|#bytes +#iterations +[BMt]",
    forms={
        "test": rf"(?:test: )?(?P<test>{_NAME} (?:\w+ ){{0,2}}Test)",
        "two_ports": r"Dual[- ]port\s*: ?ON.*",
        "streams": r"Number of qps\s*: ?(?P<stream_count>\w+).*",
        "connection": r"Connection type\s*: ?(?P<connection>\w+).*",
        "depth": r"TX depth\s*: ?\w+.*",
        "mtu": r"Mtu\s*: ?(?P<rdma_mtu_bytes>\w+).*",
        "infiniband": r"Link type\s*: ?IB\b.*",
        "lid": r"(?:local|remote) address: +LID +(?P<lid>0x[0-9a-fA-F]{1,4}|0000)\b.*",
        "header": rf"(?P<columns>#bytes(?:\s+(?:{_COLUMN.pattern}))+)",
        "row": rf"(?P<figures>\d+\s+\d+(?:\s+(?:\*\*)?{NUMBER}(?:\*\*)?)+)",
    },
    read=_read,
    begins={"test": "test", "header": "row"},
)
