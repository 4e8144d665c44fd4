"""
Results of ntttcp: text, XML and JSON of the one for Linux, XML of the one for Windows.

A file has one measurement, of the end that wrote it. The sender opens the connections and is the
client. A receiver counts what arrived, which is goodput; a sender includes data in socket buffers
and, over UDP, what was lost, so that it has no goodput there. Retransmissions are those of the
sending host. CPU time is that of the whole host where the file reports its CPUs, and that of the
process of ntttcp, in percent of one CPU, which the one for Linux calls ``cpu busy (all)``.

References: source of ntttcp for Linux (``util.c``: ``process_test_results``,
``print_test_results``, ``write_result_into_xml_file``) and for Windows (``ntttcp.c``:
``PrintOutput``).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from xml.etree import ElementTree

from netmodel.consumption import CpuScope, Side
from netmodel.errors import ParseError
from netmodel.readers._document import LARGEST, Node, RawText, load_json_document, shown
from netmodel.readers._formats import Format
from netmodel.readers._measurement import CpuUse, Direction, Measurement
from netmodel.readers._printed import (
    BYTES_AND_TIME,
    NUMBER,
    SENT_UDP,
    Figure,
    Line,
    finer_rate,
    half_step,
    payload_rate,
    printed_lines,
    rate_disagreement,
    started,
)
from netmodel.units.prefixes import MEBI, MEGA, MICRO

_TOOL = "ntttcp"
_XML = re.compile(r"\s*(?:<\?xml[^>]{0,200}\?>\s*)?<ntttcp[rs]\b")
_JSON = re.compile(r'\s*\{\s*"ntttcp[rs]\b')
_TEXT = re.compile(
    r"^NTTTCP for Linux [0-9]|^(?:[0-9:]{8} )?INFO:[ \t]+throughput[ \t]*:", re.MULTILINE
)
_BANNER = re.compile(r"NTTTCP for Linux (\S{1,40})")
_ENTRY = re.compile(
    r"[0-9:]{0,8} ?(?:INFO: )?\s*(?P<key>[a-z][a-z/() ]{0,30}?)[ \t]*:(?P<value>.+)"
)
_COMPLAINT = re.compile(r"^[0-9:]{0,8} ?ERR : (.{1,200})", re.MULTILINE)
_RATE = re.compile(rf"({NUMBER})(bps|Kbps|Mbps|Gbps)\Z")
_RATE_BPS = {"bps": 1.0, "Kbps": 1e3, "Mbps": 1e6, "Gbps": 1e9}
_PRINTED = re.compile(rf"{NUMBER}\Z")
_TOTALS = re.compile(r"##### +Totals: +#####")
_END_UNKNOWN = "the end that wrote this is not reported: taken as counted at the sender"


def _read(raw: RawText) -> tuple[Measurement, ...]:
    if _XML.match(raw.text):
        values = _of_xml(raw)
    elif _JSON.match(raw.text):
        values = _of_json(raw)
    elif _TEXT.search(raw.text):
        return (_of_text(raw),)
    else:
        raise ParseError(raw.source, "not a result of ntttcp")
    return (_of_document(raw, values),)


def _of_text(raw: RawText) -> Measurement:
    entries: dict[str, tuple[Line, str]] = {}
    for line in printed_lines(raw):
        if match := _ENTRY.match(line.text):
            if match["key"] == "throughput" and "throughput" in entries:
                raise line.fault("a second result begins; keep one in a file")
            entries[match["key"]] = line, match["value"].strip()
    banner = _BANNER.search(raw.text)
    run = replace(
        started(raw, _TOOL),
        tool_version=banner[1] if banner else None,
        direction=Direction.CLIENT_TO_SERVER,
    )
    if "throughput" not in entries:
        if complaint := _COMPLAINT.search(raw.text):
            return replace(run, error=complaint[1].strip())
        raise ParseError(raw.source, "the text stops before its line 'throughput'")
    has_totals = _TOTALS.search(raw.text) is not None
    if has_totals and "cpu speed" not in entries:  # stands behind the retransmissions, of TCP alone
        raise ParseError(raw.source, "the text stops before its line 'cpu speed'")
    for key in ("test duration", "total bytes"):
        if key not in entries:
            raise ParseError(raw.source, f"the line {key!r} is missing")

    line, text = entries["test duration"]
    duration_s = line.figure("test duration", text.removesuffix(" seconds"))
    line, text = entries["total bytes"]
    byte_count = line.count("total bytes", text)
    computed = payload_rate(line, Figure(byte_count, 0.0), duration_s)
    line, text = entries["throughput"]
    match = _RATE.match(text)
    if not match:
        raise line.fault(f"throughput must be a rate such as 8.50Gbps; got {shown(text)}")
    rate, notes = finer_rate(
        _TOOL, computed, line.figure("throughput", match[1], _RATE_BPS[match[2]])
    )

    is_sender = "*** sender role" in raw.text or " connections tested" in raw.text
    is_receiver = "*** receiver role" in raw.text or (has_totals and not is_sender)
    side = Side.CLIENT if is_sender else Side.SERVER if is_receiver else None
    protocol = "tcp" if "retrans segs" in entries else "udp" if has_totals else None
    tested = re.search(r"\b([0-9]{1,7}) connections tested", raw.text)
    line, text = entries.get("domain", (line, ""))
    run = replace(
        run,
        ip_version={"IPv4": 4, "IPv6": 6}.get(text),
        protocol=protocol,
        stream_count=int(tested[1]) if tested else None,
        leaves_out_start="Test warmup completed." in raw.text,
        notes=notes,
    )
    run = _with_rate(run, side, rate, duration_s.value, byte_count)
    if side is Side.CLIENT and protocol == "tcp":
        line, text = entries["retrans segs"]
        run = replace(run, retransmit_count=line.count("retrans segs", text))
    if "tcpi rtt" in entries:
        line, text = entries["tcpi rtt"]
        round_trip_s = line.figure("tcpi rtt", text.removesuffix(" us"), MICRO).value
        run = replace(run, round_trip_s=round_trip_s or None)

    percent = {
        key: line.figure(key, text.removesuffix("%")).value
        for key, (line, text) in entries.items()
        if key in {"idle", "iowait", "cpu busy (all)", "total cpu time"}
    }
    if "cpu cores" in entries and "idle" in percent:
        line, text = entries["cpu cores"]
        idle_percent = percent["idle"] + percent.get("iowait", 0.0)
        core_count = line.count("cpu cores", text)
        run = _with_host_cpu(run, side, rate, 100 - idle_percent, core_count)
    of_process = percent.get("cpu busy (all)", percent.get("total cpu time"))
    return _with_process_cpu(run, side, rate, of_process)


def _with_rate(
    run: Measurement, side: Side | None, rate: Figure, duration_s: float, byte_count: int | None
) -> Measurement:
    """The run with the payload that its end counted: no goodput of UDP at the sender."""
    run = replace(run, recorded_by=side, duration_s=duration_s)
    if side is None:
        run = replace(run, notes=(*run.notes, _END_UNKNOWN))
    if run.protocol == "udp" and side is not Side.SERVER:
        return replace(
            run, reported_rate_bps=rate.value, why_no_goodput=SENT_UDP.format(tool=_TOOL)
        )
    return replace(
        run,
        received_bytes=byte_count,
        goodput_bps=rate.value,
        goodput_half_width_bps=rate.half_width,
        is_counted_at_sender=side is not Side.SERVER,
    )


def _with_host_cpu(
    run: Measurement, side: Side | None, rate: Figure, percent: float, cpu_count: int
) -> Measurement:
    """The run with busy CPUs; idle and waiting, each rounded, may be a little more than 100 %."""
    if side is None or not cpu_count:
        return run
    busy = cpu_count * max(percent, 0.0) / 100
    return replace(run, cpu=(CpuUse(busy, rate.value, CpuScope.SYSTEM, side, cpu_count),))


def _with_process_cpu(
    run: Measurement, side: Side | None, rate: Figure, percent: float | None
) -> Measurement:
    if side is None or percent is None:
        return run
    return replace(run, cpu=(*run.cpu, CpuUse(percent / 100, rate.value, CpuScope.PROCESS, side)))


@dataclass(frozen=True, slots=True)
class _Values:
    """
    Values of an XML or a JSON file by key and unit, without those of threads.

    Keys are stored without capitals, hyphens and underscores, and looked up as XML has them: JSON
    writes ``total_bytes`` or ``totalBytes``.
    """

    source: str
    root: str
    texts: dict[tuple[str, str], str]
    parameters: dict[tuple[str, str], str]

    def fault(self, key: str, problem: str) -> ParseError:
        """An error that names the file and the key."""
        return ParseError(self.source, f"{self.root}.{key} {problem}")

    def text(self, key: str, unit: str = "") -> str | None:
        """A value as it is printed; None where it is not reported."""
        return self.texts.get((_plain(key), unit))

    def figure(self, key: str, unit: str = "", factor: float = 1.0) -> Figure:
        """A number that must be there, times the factor of its unit."""
        text = self.text(key, unit)
        if text is None:
            raise self.fault(key, f"is missing{unit and f' in {unit}'}")
        if not _PRINTED.match(text):
            raise self.fault(key, f"must be a number; got {shown(text)}")
        if float(text) * factor > LARGEST:
            raise self.fault(key, f"must be from 0 to {LARGEST:g}; got {shown(text)}")
        return Figure(float(text) * factor, half_step(text) * factor)

    def count(self, key: str, unit: str = "") -> int | None:
        """A whole number; None where it is not reported."""
        if self.text(key, unit) is None:
            return None
        value = self.figure(key, unit).value
        if value != int(value):
            raise self.fault(key, f"must be a whole number; got {value}")
        return int(value)

    def parameter(self, key: str) -> str:
        """An option as it is printed; nothing where it is not reported."""
        return self.parameters.get((_plain(key), ""), "")


def _of_xml(raw: RawText) -> _Values:
    if "<!DOCTYPE" in raw.text:
        raise ParseError(raw.source, "not a result of ntttcp: it has a DOCTYPE")
    try:
        root = ElementTree.fromstring(raw.text)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise ParseError(raw.source, f"not valid XML: {error}") from None

    def texts(parent: ElementTree.Element) -> dict[tuple[str, str], str]:
        return {
            (_plain(child.tag), child.get("metric", "")): (child.text or "").strip()
            for child in parent
        }

    parameters = root.find("parameters")
    known = {} if parameters is None else texts(parameters)
    version = {("version", ""): root.get("version", "")}
    return _Values(raw.source, root.tag, texts(root) | version, known)


def _of_json(raw: RawText) -> _Values:
    document = load_json_document(raw)
    members = document.members()
    (name, *others) = members
    if others or name not in {"ntttcpr", "ntttcps"}:
        raise ParseError(raw.source, "not a result of ntttcp: it has no ntttcpr or ntttcps alone")
    root = document.child(name)
    known = dict(_texts_of(root.child("parameters"))) if root.has("parameters") else {}
    return _Values(raw.source, name, dict(_texts_of(root)), known)


def _texts_of(node: Node) -> Iterator[tuple[tuple[str, str], str]]:
    """Values of an object: alone, with their unit in an object, or in a list of such objects."""
    for name, value in node.members().items():
        key = _plain(name).removesuffix(" metric")
        key = "throughput" if key == "throughputs" else key
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict):
                text = each.get("value", each.get("#text"))
                unit = each.get("metric", each.get("-metric"))
                if isinstance(text, str) and isinstance(unit, str):
                    yield (key, unit), text.strip()
            elif isinstance(each, str | int):
                number, _, unit = str(each).strip().partition(" ")
                yield (key, unit), number


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _of_document(raw: RawText, values: _Values) -> Measurement:
    is_sender = values.root.endswith("s")
    side = Side.CLIENT if is_sender else Side.SERVER
    version = values.text("version") or None
    is_linux = version is not None and version.endswith("-linux")
    duration_s = values.figure("realtime", "s")
    payload_bytes, megabit = _payload(values, duration_s, is_linux=is_linux)
    rate = payload_rate(Node(raw.source, values.root, None), payload_bytes, duration_s)
    own = values.figure("throughput", "mbps", megabit)
    rounding_bps = rate.half_width + own.half_width
    notes = rate_disagreement(_TOOL, own.value, rate.value, rounding_bps, BYTES_AND_TIME)
    if errors := values.count("errors"):
        notes += (f"ntttcp reports {errors} errors",)
    run = replace(
        started(raw, _TOOL),
        tool_version=version,
        direction=Direction.CLIENT_TO_SERVER,
        protocol={"True": "udp", "False": "tcp"}.get(values.parameter("udp")),
        ip_version={"True": 6, "False": 4}.get(values.parameter("use_ipv6")),
        stream_count=values.count("conns_tested"),
        write_bytes=(values.count("bufferLen") or None) if is_sender else None,
        measures_latency=values.parameter("latency_measurement") == "True",
        leaves_out_start=bool(values.parameter("warmup_time").strip("0")),
        notes=notes,
    )
    byte_count = round(payload_bytes.value) if payload_bytes.half_width < MEBI / 2 else None
    run = _with_rate(run, side, rate, duration_s.value, byte_count)
    if is_sender and run.protocol == "tcp":
        run = replace(run, retransmit_count=values.count("packets_retransmitted"))
    if values.text("tcp_average_rtt", "us"):
        round_trip_s = values.figure("tcp_average_rtt", "us", MICRO).value
        run = replace(run, round_trip_s=round_trip_s or None)

    if (values.text("cpu", "%") or "").startswith("-"):
        below_zero = "ntttcp reports less than 0 % of CPU: the run was too short"
        return replace(run, notes=(*run.notes, below_zero))
    if core_count := values.count("cpu_cores", "cpu cores"):
        busy_percent = 100 - values.figure("idle", "%").value
        return _with_host_cpu(run, side, rate, busy_percent, core_count)
    if processor_count := values.count("num_processors"):
        busy_percent = values.figure("cpu", "%").value
        return _with_host_cpu(run, side, rate, busy_percent, processor_count)
    if is_linux and values.text("cpu", "%"):
        return _with_process_cpu(run, side, rate, values.figure("cpu", "%").value)
    return run


def _payload(values: _Values, duration_s: Figure, *, is_linux: bool) -> tuple[Figure, float]:
    """
    Payload, and the number of bits that the tool calls a megabit.

    Linux: with bytes per second (Bps) in the file, every unit is decimal; without, MB is 2**20 byte
    and mbps 2**20 bit, and MB are whole, truncated. Windows: MB is 2**20 byte and mbps 10**6 bit.
    """
    if values.text("throughput", "Bps"):
        per_s = values.figure("throughput", "Bps")
        half_width = per_s.half_width * duration_s.value
        return Figure(per_s.value * duration_s.value, half_width), MEGA
    total = values.figure("total_bytes", "MB", MEBI)
    if not is_linux:
        return total, MEGA
    if total.value % MEBI:
        raise values.fault("total_bytes", "is not whole MB, so that its unit is not known")
    return Figure(total.value + MEBI / 2, MEBI / 2), MEBI


# recognised where it is XML or JSON of a sender or a receiver, or text of the one for Linux
NTTTCP = Format(
    "ntttcp", lambda text: any((_XML.match(text), _JSON.match(text), _TEXT.search(text))), _read
)
