"""
Results of ntttcp: text, XML and JSON of the one for Linux, text and XML of the one for Windows.

A file has one measurement, of the end that wrote it. The sender opens the connections and is the
client. A receiver counts what arrived, which is goodput; a sender includes data in socket buffers
and, over UDP, what was lost, so that it has no goodput there. Retransmissions are those of the
sending host. CPU time is that of the whole host where the file reports its CPUs, and that of the
process of ntttcp, in percent of one CPU, which the one for Linux calls ``cpu busy (all)``.

Units of XML and JSON of Linux: with bytes per second (Bps) in the file, every unit is decimal;
without, MB is 2**20 byte and mbps 2**20 bit, and MB are whole, truncated. Windows: MB is 2**20 byte
and mbps 10**6 bit.

References: source of ntttcp for Linux (``util.c``: ``process_test_results``,
``print_test_results``, ``write_result_into_xml_file``) and for Windows (``ntttcp.c``:
``PrintOutput``).
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
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
    finer_rate,
    half_step,
    payload_rate,
    rate_disagreement,
    started,
)
from netmodel.readers._table import Found, Hit, of_process, table_format
from netmodel.units.prefixes import MEBI, MEGA, MICRO

_ROOTS = {"ntttcps": Side.CLIENT, "ntttcpr": Side.SERVER}
_XML = re.compile(r"\s*(?:<\?xml[^>]{0,200}\?>\s*)?<ntttcp[rs]\b")
_JSON = re.compile(r'\s*\{\s*"ntttcp[rs]\b')
_RATE_BPS = {"bps": 1.0, "Kbps": 1e3, "Mbps": 1e6, "Gbps": 1e9}
_END_UNKNOWN = "the end that wrote this is not reported: taken as counted at the sender"


def _read(run: Measurement, found: Found) -> tuple[Measurement, ...]:
    run = replace(run, direction=Direction.CLIENT_TO_SERVER)
    for form in ("version", "windows"):
        for hit in found[form]:
            run = replace(run, **hit.known())
    if head := found.first("windows_head"):
        return (_of_windows(run, found, head),)
    if (error := found.first("error")) and not found["throughput"]:
        return (replace(run, **error.known()),)
    rate_hit = found.needed("throughput", "throughput")
    has_totals = bool(found["totals"])
    if has_totals:  # stands behind the retransmissions, of TCP alone
        found.needed("cpu speed", "cpu speed")
    duration_s = found.needed("duration", "test duration").figure("duration")
    total = found.needed("total", "total bytes")
    byte_count = total.count("total")
    computed = payload_rate(total.line, Figure(byte_count), duration_s)
    rate, notes = finer_rate(run.tool, computed, rate_hit.figure("rate", _RATE_BPS))
    tested = found.first("tested")
    is_sender = tested is not None or bool(found["sender"])
    is_receiver = bool(found["receiver"]) or (has_totals and not is_sender)
    retransmits, domain = found.first("retransmits"), found.first("domain")
    run = replace(
        run,
        recorded_by=Side.CLIENT if is_sender else Side.SERVER if is_receiver else None,
        ip_version={"IPv4": 4, "IPv6": 6}.get(domain.text("domain") if domain else ""),
        protocol="tcp" if retransmits else "udp" if has_totals else None,
        stream_count=tested.count("tested") if tested else None,
        leaves_out_start=bool(found["warmup"]),
        notes=notes,
    )
    if retransmits and is_sender:
        run = replace(run, **retransmits.known())
    if round_trip := found.first("rtt"):
        run = replace(run, **round_trip.known(round_trip_s=MICRO))
    percent = {hit.text("key"): hit.figure("percent").value for hit in found["percent"]}
    cores = found.first("cores")
    idle_percent = percent.get("idle", 100.0) + percent.get("iowait", 0.0)
    run = _with_rate(
        run,
        rate,
        duration_s.value,
        byte_count,
        host_percent=100 - idle_percent,
        cpu_count=cores.count("cores") if cores and "idle" in percent else None,
        process_percent=percent.get("cpu busy (all)", percent.get("total cpu time")),
    )
    return (run,)


def _of_windows(run: Measurement, found: Found, head: Hit) -> Measurement:
    """Return the run of the table of the one for Windows; it names neither end nor transport."""
    rows = [hit for hit in found["windows_totals"] if hit.line.number > head.line.number]
    if not rows:
        raise head.line.fault("the text stops before its totals")
    size, duration_s = rows[0].figure("size", MEBI), rows[0].figure("duration")
    printed = rows[0].figure("rate", 8.0 * MEBI)
    rate, notes = finer_rate(run.tool, payload_rate(rows[0].line, size, duration_s), printed)
    run = replace(run, protocol="tcp", notes=notes)
    run = _with_rate(run, rate, duration_s.value, round(size.value))
    packets = found.first("windows_packets")
    return replace(run, **packets.known()) if packets else run


def _with_rate(
    run: Measurement,
    rate: Figure,
    duration_s: float,
    byte_count: int | None,
    *,
    host_percent: float = 0.0,
    cpu_count: int | None = None,
    process_percent: float | None = None,
) -> Measurement:
    """Return the run with payload and CPU time of its end: no goodput of UDP at the sender."""
    side, cpu = run.recorded_by, []
    if side and cpu_count:
        # idle and waiting, each rounded, may be a little more than 100 %
        busy = cpu_count * max(host_percent, 0.0) / 100
        cpu.append(CpuUse(busy, rate.value, CpuScope.SYSTEM, side, cpu_count))
    if side and process_percent is not None:
        cpu.append(of_process(process_percent, rate.value, side))
    notes = run.notes if side else (*run.notes, _END_UNKNOWN)
    run = replace(run, duration_s=duration_s, cpu=tuple(cpu), notes=notes)
    if run.protocol == "udp" and side is not Side.SERVER:
        why = SENT_UDP.format(tool=run.tool)
        return replace(run, reported_rate_bps=rate.value, why_no_goodput=why)
    return replace(
        run,
        received_bytes=byte_count,
        goodput_bps=rate.value,
        goodput_half_width_bps=rate.half_width,
        is_counted_at_sender=side is not Side.SERVER,
    )


def _read_document(raw: RawText) -> tuple[Measurement, ...]:
    """Return the run of an XML or a JSON file."""
    root, values = _of_xml(raw) if _XML.match(raw.text) else _of_json(raw)
    side = _ROOTS[root]

    def needed(key: str, unit: float = 1.0) -> Figure:
        if key not in values:
            raise ParseError(raw.source, f"{root}: {key} is missing")
        text = values[key]
        if not re.fullmatch(NUMBER, text) or float(text) * unit > LARGEST:
            problem = f"must be a number from 0 to {LARGEST:g}; got {shown(text)}"
            raise ParseError(raw.source, f"{root}: {key} {problem}")
        return Figure(float(text) * unit, half_step(text) * unit)

    def count(key: str) -> int | None:
        return round(needed(key).value) if key in values else None

    version = values.get("version", "")
    is_linux = version.endswith("-linux")
    duration_s = needed("realtime s")
    megabit = MEGA
    if "throughput Bps" in values:
        payload = needed("throughput Bps").times(duration_s.value)
    else:
        payload = needed("totalbytes MB", MEBI)
        if is_linux and payload.value % MEBI:
            raise ParseError(raw.source, f"{root}: totalbytes is not whole MB: of no known unit")
        if is_linux:
            payload, megabit = Figure(payload.value + MEBI / 2, MEBI / 2), float(MEBI)
    rate = payload_rate(Node(raw.source, root, None), payload, duration_s)
    notes = rate_disagreement("ntttcp", needed("throughput mbps", megabit), rate, BYTES_AND_TIME)
    if errors := count("errors"):
        notes += (f"ntttcp reports {errors} errors",)
    protocol = {"True": "udp", "False": "tcp"}.get(values.get("parameters udp", ""))
    is_tcp_sender = side is Side.CLIENT and protocol == "tcp"
    rtt_s = needed("tcpaveragertt us", MICRO).value if "tcpaveragertt us" in values else None
    run = replace(
        started(raw, "ntttcp"),
        tool_version=version or None,
        direction=Direction.CLIENT_TO_SERVER,
        recorded_by=side,
        protocol=protocol,
        ip_version={"True": 6, "False": 4}.get(values.get("parameters useipv6", "")),
        stream_count=count("connstested"),
        write_bytes=count("bufferlen") or None if side is Side.CLIENT else None,
        measures_latency=values.get("parameters latencymeasurement") == "True",
        leaves_out_start=bool(values.get("parameters warmuptime", "").strip("0")),
        round_trip_s=rtt_s or None,
        retransmit_count=count("packetsretransmitted") if is_tcp_sender else None,
        notes=notes,
    )
    cpu: dict[str, Any] = {}
    if values.get("cpu %", "").startswith("-"):
        below_zero = "ntttcp reports less than 0 % of CPU: the run was too short"
        run = replace(run, notes=(*notes, below_zero))
    elif cpu_count := count("cpucores cpu cores"):
        cpu = {"host_percent": 100 - needed("idle %").value, "cpu_count": cpu_count}
    elif cpu_count := count("numprocessors"):
        cpu = {"host_percent": needed("cpu %").value, "cpu_count": cpu_count}
    elif is_linux and values.get("cpu %"):
        cpu = {"process_percent": needed("cpu %").value}
    byte_count = round(payload.value) if payload.half_width < MEBI / 2 else None
    return (_with_rate(run, rate, duration_s.value, byte_count, **cpu),)


def _of_xml(raw: RawText) -> tuple[str, dict[str, str]]:
    """The root and its values, without those of threads, by key and unit."""
    if "<!DOCTYPE" in raw.text:
        raise ParseError(raw.source, "not a result of ntttcp: it has a DOCTYPE")
    try:
        root = ElementTree.fromstring(raw.text)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise ParseError(raw.source, f"not valid XML: {error}") from None
    parts = [("", root)] + [("parameters ", each) for each in root.findall("parameters")]
    values = {
        f"{prefix}{_plain(child.tag)} {child.get('metric', '')}".strip(): (child.text or "").strip()
        for prefix, parent in parts
        for child in parent
    }
    return root.tag, values | {"version": root.get("version", "")}


def _of_json(raw: RawText) -> tuple[str, dict[str, str]]:
    """The root and its values: alone, with their unit in an object, or in a list of such."""
    document = load_json_document(raw)
    (name, *others) = document.members()
    if others or name not in _ROOTS:
        raise ParseError(raw.source, "not a result of ntttcp: it has no ntttcpr or ntttcps alone")
    root = document.child(name)
    parts = [("", root.members())]
    if root.has("parameters"):
        parts.append(("parameters ", root.child("parameters").members()))
    return name, {
        f"{prefix}{key}".strip(): text
        for prefix, members in parts
        for key, text in _texts_of(members)
    }


def _texts_of(members: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in members.items():
        key = _plain(name).removesuffix(" metric")
        key = "throughput" if key == "throughputs" else key
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict):
                text, unit = (
                    each.get("value", each.get("#text")),
                    each.get("metric", each.get("-metric")),
                )
                if isinstance(text, str) and isinstance(unit, str):
                    yield f"{key} {unit}", text.strip()
            elif isinstance(each, str | int):
                number, _, unit = str(each).strip().partition(" ")
                yield f"{key} {unit}".strip(), number


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


_LOG = r"(?:[0-9:]{8} )?(?:INFO: *)?\s*"
_WINDOWS_TOTALS = rf"(?P<size>{NUMBER})\s+(?P<duration>{NUMBER})\s+{NUMBER}\s+(?P<rate>{NUMBER})"
_TEXT = table_format(
    "ntttcp",
    marks=r"NTTTCP for Linux [0-9]|(?:[0-9:]{8} )?INFO:[ \t]+throughput[ \t]*:"
    r"|Bytes\(MEG\) +realtime\(s\)|Copyright Version [0-9.]+\s*$",
    forms={
        "version": r"NTTTCP for Linux (?P<tool_version>\S{1,40})",
        "windows": r"Copyright Version (?P<tool_version>[0-9.]+)",
        "sender": r"\*\*\* sender role",
        "receiver": r"\*\*\* receiver role",
        "domain": r"domain:\s*(?P<domain>IPv[46])",
        "warmup": rf"{_LOG}Test warmup completed\.",
        "tested": rf"{_LOG}(?P<tested>\d{{1,7}}) connections tested",
        "totals": rf"{_LOG}##### +Totals: +#####",
        "duration": rf"{_LOG}test duration\s*:(?P<duration>{NUMBER}) seconds",
        "total": rf"{_LOG}total bytes\s*:(?P<total>\d+)",
        "throughput": rf"{_LOG}throughput\s*:(?P<rate>[0-9.]+)(?P<rate_unit>[A-Za-z/]+)",
        "retransmits": rf"{_LOG}retrans segs\s*:(?P<retransmit_count>\d+)",
        "rtt": rf"{_LOG}tcpi rtt\s*:(?P<round_trip_s>\d+) us",
        "cores": rf"{_LOG}cpu cores\s*:(?P<cores>\d+)",
        "cpu speed": rf"{_LOG}cpu speed\s*:.*",
        "percent": rf"{_LOG}(?P<key>[a-z][a-z() ]*?)\s*:(?P<percent>{NUMBER})%",
        "error": r"[0-9:]{0,8} ?ERR : (?P<error>.{1,200})",
        "windows_head": r"Bytes\(MEG\) +realtime\(s\).*",
        "windows_totals": _WINDOWS_TOTALS,
        "windows_packets": rf"\d+\s+\d+\s+(?P<retransmit_count>\d+)\s+\d+\s+{NUMBER}",
    },
    read=_read,
    begins={"version": "throughput", "windows": "windows_totals"},
)


def _recognises(text: str) -> bool:
    return bool(_XML.match(text) or _JSON.match(text)) or _TEXT.recognises(text)


def _read_any(raw: RawText) -> tuple[Measurement, ...]:
    is_document = _XML.match(raw.text) or _JSON.match(raw.text)
    return _read_document(raw) if is_document else _TEXT.read(raw)


NTTTCP = Format("ntttcp", _recognises, _read_any, _TEXT.marks)
