"""Results of perftest over RDMA as it prints them: one row, or one for each size of ``-a``."""

import itertools
import re
from collections.abc import Iterable
from dataclasses import replace

from netmodel.errors import ParseError
from netmodel.readers._document import RawText, shown
from netmodel.readers._format import Format
from netmodel.readers._measurement import Measurement
from netmodel.readers._perftest import (
    SetUp,
    message_rate_warnings,
    started_run,
    with_bandwidth,
    with_latency,
)
from netmodel.readers._printed import Figure, Line, printed_lines
from netmodel.units import BITS_PER_BYTE

__all__ = ["PERFTEST_TEXT"]

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
_HEADER = "#bytes"
_END = "-----"
_UNIT = r"\[[^\]]{0,16}\]"
_COLUMN = re.compile(
    rf"#bytes|#iterations|#sl|BW (?:peak|average|Port[12]){_UNIT}|MsgRate(?: Port[12])?{_UNIT}"
    rf"|CPU_Util{_UNIT}|t_[a-z]{{1,16}}{_UNIT}|[0-9.]{{1,6}}% percentile{_UNIT}|tps average"
)
_BANDWIDTH = re.compile(r"BW average\[(.*)\]")
_UNIT_BPS = {
    "MB/sec": 2.0**20 * BITS_PER_BYTE,
    "MiB/sec": 2.0**20 * BITS_PER_BYTE,
    "Gb/sec": 1e9,
}
"""perftest divides by 0x100000 what it calls MB, and by 125000000 what it calls Gb."""
_MEAN = "t_avg[usec]"
_SLOW_CLOCK = "CPU Frequency is not max"


def _read(raw: RawText) -> tuple[Measurement, ...]:
    """
    Measurements of a text, one for each row.

    The header reports the unit. Which bandwidths are goodput, and what a latency is, is as for
    the JSON of perftest. A link of the type IB whose ends have no LID is Ethernet all the same:
    every port of an InfiniBand has one, and ``--force-link IB`` alone prints the type so.
    """
    lines = list(printed_lines(raw))
    tests = [found["test"] for line in lines if (found := _TEST.match(line.text))]
    if not tests:
        raise ParseError(raw.source, "not a result of perftest: it names no test")
    headers = [index for index, line in enumerate(lines) if line.text.strip().startswith(_HEADER)]
    if (count := max(len(tests), len(headers))) > 1:
        raise ParseError(raw.source, f"holds {count} results; keep one in a file")
    if not headers:
        raise ParseError(raw.source, f"the text stops before its line {_HEADER!r}")
    box, header, below = lines[: headers[0]], lines[headers[0]], lines[headers[0] + 1 :]
    set_up, warnings = _set_up(raw, tests[0], box)
    if any(_SLOW_CLOCK in line.text for line in lines):
        warnings += (f"perftest reports: {_SLOW_CLOCK}",)
    run = replace(started_run(raw, set_up), warnings=warnings)
    columns = _COLUMN.findall(header.text)
    table = itertools.takewhile(lambda line: not line.text.strip().startswith(_END), below)
    rows = [_row(line, columns) for line in table if line.text.strip()[:1].isdigit()]
    if not rows:
        raise header.fault("no row of results follows; keep what the client prints")
    runs = [_run_of(run, set_up, columns, row) for row in rows]
    return _with_parts(runs)


def _set_up(raw: RawText, test: str, box: Iterable[Line]) -> tuple[SetUp, tuple[str, ...]]:
    """What stands above the results, and what there is to say of it."""
    settings: dict[str, tuple[Line, str]] = {}
    lids: list[int] = []
    for line in box:
        settings |= {found["key"]: (line, found["value"]) for found in _SETTING.finditer(line.text)}
        lids += (int(lid, 16) for lid in _LID.findall(line.text))
    for key in ("Number of qps", "Connection type"):
        if key not in settings:
            raise ParseError(raw.source, f"the line {key!r} is missing")
    is_forced = bool(lids) and not any(lids)
    is_called_infiniband = "Link type" in settings and settings["Link type"][1] == "IB"
    line, queue_pairs = settings["Number of qps"]
    set_up = SetUp(
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
    found = _MTU.match(text)
    if not found:
        raise line.fault(f"Mtu must be a number of bytes; got {shown(text)}")
    return int(found[1])


def _row(line: Line, columns: list[str]) -> tuple[Line, dict[str, str]]:
    values = line.text.split()
    if len(values) != len(columns):
        raise line.fault(f"{len(values)} figures stand below {len(columns)} columns")
    return line, dict(zip(columns, values, strict=True))


def _run_of(
    run: Measurement, set_up: SetUp, columns: list[str], row: tuple[Line, dict[str, str]]
) -> Measurement:
    """The run with what a row holds."""
    line, values = row
    for column in columns:
        line.figure(column, values[column])
    size_bytes = line.count("#bytes", values.get("#bytes", ""))
    if "t_min[usec]" in values or _MEAN in values:
        mean_s = line.figure(_MEAN, values[_MEAN], 1e-6).value if _MEAN in values else None
        return with_latency(run, set_up, size_bytes, mean_s)
    named = [(name, found[1]) for name in columns if (found := _BANDWIDTH.match(name))]
    if not named or named[0][1] not in _UNIT_BPS:
        raise line.fault("stands below no bandwidth in MB/sec, MiB/sec or Gb/sec, nor a latency")
    name, unit = named[0]
    rate = line.figure(name, values[name], _UNIT_BPS[unit])
    message_count = line.count("#iterations", values.get("#iterations", ""))
    run = with_bandwidth(run, set_up, size_bytes, message_count, rate)
    if "MsgRate[Mpps]" not in values:
        return run
    messages: Figure = line.figure("MsgRate[Mpps]", values["MsgRate[Mpps]"])
    return replace(run, warnings=run.warnings + message_rate_warnings(rate, size_bytes, messages))


def _with_parts(runs: list[Measurement]) -> tuple[Measurement, ...]:
    """The runs of a text, each named by its size, or by its place where sizes come again."""
    if len(runs) == 1:
        return (runs[0],)
    sizes = [run.write_bytes or run.response_bytes for run in runs]
    names = [
        f"{size} byte" if len(set(sizes)) == len(sizes) else f"row {number}"
        for number, size in enumerate(sizes, start=1)
    ]
    return tuple(replace(run, part=name) for run, name in zip(runs, names, strict=True))


def _is_perftest_text(text: str) -> bool:
    """Whether it holds the box of perftest: the name of a test, and its settings."""
    return "Connection type :" in text and _IN_ANY_LINE.search(text) is not None


PERFTEST_TEXT = Format("perftest-text", _is_perftest_text, _read)
