"""
Results of ntttcp: text and XML of the one for Linux and of the one for Windows.

A file has one measurement, of the end that wrote it. The sender opens the connections and is the
client. A receiver counts what arrived, which is goodput; a sender includes data in socket buffers
and, over UDP, what was lost, so that it has no goodput there. Retransmissions are those of the
sending host. CPU time is that of the whole host where the file reports its CPUs, and that of the
process of ntttcp, in percent of one CPU, which the one for Linux calls ``cpu busy (all)``.

Units of XML of Linux: with bytes per second (Bps) in the file, every unit is decimal; without, MB
is 2**20 byte and mbps 2**20 bit, and MB are whole, truncated. Windows: MB is 2**20 byte and mbps
10**6 bit. XML is read line by line, as ntttcp writes it.

References: source of ntttcp for Linux (``util.c``: ``process_test_results``,
``print_test_results``, ``write_result_into_xml_file``) and for Windows (``ntttcp.c``:
``PrintOutput``).
"""

from collections.abc import Iterator

from netmodel.consumption import CpuScope, Side
from netmodel.readers._measurement import CpuUse, Direction
from netmodel.readers._printed import NUMBER, Figure, Run, of_process, prefixed
from netmodel.readers._table import Found, table_format
from netmodel.units.prefixes import MEBI, MEGA, MICRO

_RATE_BPS = prefixed("bps")
_END_UNKNOWN = "the end that wrote this is not reported: taken as counted at the sender"


def _read(run: Run, found: Found) -> list[Run]:
    if head := found.first("windows_head"):
        rows = [hit for hit in found["windows_totals"] if hit.line.number > head.line.number]
        if not rows:
            raise head.line.fault("the text stops before its totals")
        row, printed = rows[0], rows[0].figure("rate", 8.0 * MEBI)
        run.arrive(row.line, row.figure("size"), row.duration(), printed)
    elif found["thread_end"] or found["megabytes"]:
        _take_xml(run, found)
    else:
        rate = found.needed("throughput", "throughput")
        if found["totals"]:  # stands behind the retransmissions, of TCP alone
            found.needed("cpu speed", "cpu speed")
            run |= {"protocol": "udp", "recorded_by": run["recorded_by"] or Side.SERVER}
        if run["retransmit_count"] is not None:
            run["protocol"] = "tcp"
        total = found.needed("total", "total bytes")
        duration_s = found.needed("duration", "test duration").duration()
        payload_bytes = Figure(total.count("total"))
        run.arrive(total.line, payload_bytes, duration_s, rate.figure("rate", _RATE_BPS))
    side, is_sender = run["recorded_by"], run["recorded_by"] is not Side.SERVER
    run.update(direction=Direction.CLIENT_TO_SERVER, is_counted_at_sender=is_sender)
    if not is_sender:
        run["write_bytes"] = None
    if not is_sender or run["protocol"] != "tcp":
        run["retransmit_count"] = None
    run.note(*(f"ntttcp reports {hit.text('errors')} errors" for hit in found["errors"]))
    if side:
        run["cpu"] = tuple(_cpu(run, found, side))
    else:
        run.note(_END_UNKNOWN)
    return [run]


def _take_xml(run: Run, found: Found) -> None:
    """Set the payload of an XML file, where the version decides what a megabyte is."""
    found.needed("end", "</ntttcp")
    duration_s = found.needed("duration", "<realtime").duration()
    total, mbps = found.needed("megabytes", "<total_bytes"), found.needed("mbps", "<throughput")
    printed, payload_bytes = mbps.figure("rate", MEGA), total.figure("size")
    of_second = found.first("bytes_per_s")
    is_whole = not of_second and (run["tool_version"] or "").endswith("-linux")
    if of_second:
        payload_bytes = of_second.figure("rate", duration_s.value)
    elif is_whole:
        # truncated: the middle of what they may be
        payload_bytes = Figure(payload_bytes.value + MEBI / 2, MEBI / 2)
        printed = Figure(mbps.figure("rate", MEBI).value, 4.0 * MEBI)
    run.arrive(total.line, payload_bytes, duration_s, printed)
    if is_whole:
        run["received_bytes"] = None


def _cpu(run: Run, found: Found, side: Side) -> Iterator[CpuUse]:
    """Yield the CPU time of the host, from its idle CPUs or all of them, and of the process."""
    percent = {hit.text("key"): hit.figure("percent").value for hit in found["percent"]}
    cores, rate_bps = found.first("cores"), run["goodput_bps"] or 0.0
    # idle and waiting, each rounded, may be a little more than 100 %
    idle_percent = percent.get("idle", 100 - percent.get("cpu", 0.0)) + percent.get("iowait", 0.0)
    if cores and cores.count("cores") and {"idle", "cpu"} & percent.keys():
        count = cores.count("cores")
        busy_cpu_count = count * max(0.0, 100 - idle_percent) / 100
        yield CpuUse(busy_cpu_count, rate_bps, CpuScope.SYSTEM, side, count)
    elif "cpu" in percent and (run["tool_version"] or "").endswith("-linux"):
        yield of_process(percent["cpu"], rate_bps, side)
    for key in sorted({"cpu busy (all)", "total cpu time"} & percent.keys()):
        yield of_process(percent[key], rate_bps, side)


_LOG = r"(?:[0-9:]{8} )?(?:INFO: *)?\s*"
_VERSION = r'(?:[^>]* version="(?P<tool_version>[^"]*)")?[^>]*>'
NTTTCP = table_format(
    "ntttcp",
    marks=r"NTTTCP for Linux [0-9]|(?:[0-9:]{8} )?INFO:[ \t]+throughput[ \t]*:"
    r"|Bytes\(MEG\) +realtime\(s\)|Copyright Version [0-9.]+\s*$|<ntttcp[rs]\b",
    forms={
        "version": r"NTTTCP for Linux (?P<tool_version>\S{1,40})",
        "windows": r"Copyright Version (?P<tool_version>[0-9.]+)",
        "sender": rf"\*\*\* sender role|<ntttcps\b{_VERSION}",
        "receiver": rf"\*\*\* receiver role|<ntttcpr\b{_VERSION}",
        "ipv4": r"domain:\s*IPv4|<use_ipv6>False</use_ipv6>",
        "ipv6": r"domain:\s*IPv6|<use_ipv6>True</use_ipv6>",
        "tcp": r"<udp>False</udp>",
        "udp": r"<udp>True</udp>",
        "warmup": rf"{_LOG}Test warmup completed\.|<warmup_time>0*[1-9]\d*</warmup_time>",
        "latency": r"<latency_measurement>True</latency_measurement>",
        "tested": rf"{_LOG}(?:<conns_tested>)?(?P<stream_count>\d{{1,7}})"
        r"(?: connections tested|</conns_tested>)",
        "totals": rf"{_LOG}##### +Totals: +#####",
        "duration": rf"(?:{_LOG}test duration\s*:|<realtime metric=\"s\">)(?P<time>{NUMBER})"
        r"(?: seconds|</realtime>)",
        "total": rf"{_LOG}total bytes\s*:(?P<total>\d+)",
        "throughput": rf"{_LOG}throughput\s*:(?P<rate>[0-9.]+)(?P<rate_unit>[A-Za-z/]+)",
        "megabytes": rf'<total_bytes metric="MB">(?P<size>{NUMBER})</total_bytes>',
        "mbps": rf'<throughput metric="mbps">(?P<rate>{NUMBER})</throughput>',
        "bytes_per_s": rf'<throughput metric="Bps">(?P<rate>{NUMBER})</throughput>',
        "retransmits": rf"(?:{_LOG}retrans segs\s*:|<packets_retransmitted>)"
        r"(?P<retransmit_count>\d+)(?:</packets_retransmitted>)?",
        "rtt": rf"(?:{_LOG}tcpi rtt\s*:|<tcp_average_rtt metric=\"us\">)(?P<round_trip_s>\d+)"
        r"(?: us|</tcp_average_rtt>)",
        "write": r"<bufferLen>(?P<write_bytes>\d+)</bufferLen>",
        "errors": r"<errors>(?P<errors>0*[1-9]\d*)</errors>",
        "cores": rf"(?:{_LOG}cpu cores\s*:|<(?:cpu_cores|num_processors)\b[^>]*>)(?P<cores>\d+)"
        r"(?:</.*)?",
        "cpu speed": rf"{_LOG}cpu speed\s*:.*",
        "percent": rf"(?:{_LOG}|<)(?P<key>[a-z][a-z() ]*?)(?:\s*:| metric=\"%\">)"
        rf"(?P<percent>{NUMBER})(?:%|</.*)",
        "error": r"[0-9:]{0,8} ?ERR : (?P<error>.{1,200})",
        "thread": r"<thread\b.*",
        "thread_end": r"</thread>",
        "end": r"</ntttcp[rs]>",
        "windows_head": r"Bytes\(MEG\) +realtime\(s\).*",
        "windows_totals": rf"(?P<size>{NUMBER})\s+(?P<time>{NUMBER})\s+{NUMBER}"
        rf"\s+(?P<rate>{NUMBER})",
        "windows_packets": rf"\d+\s+\d+\s+(?P<retransmit_count>\d+)\s+\d+\s+{NUMBER}",
    },
    read=_read,
    begins={
        "version": "throughput",
        "windows": "windows_totals",
        "sender": "end",
        "receiver": "end",
    },
    units={"size": MEBI, "round_trip_s": MICRO},
    implied={
        "sender": {"recorded_by": Side.CLIENT},
        "receiver": {"recorded_by": Side.SERVER},
        "tested": {"recorded_by": Side.CLIENT},
        "ipv4": {"ip_version": 4},
        "ipv6": {"ip_version": 6},
        "tcp": {"protocol": "tcp"},
        "udp": {"protocol": "udp"},
        "windows_head": {"protocol": "tcp"},
        "warmup": {"leaves_out_start": True},
        "latency": {"measures_latency": True},
    },
    fails={"error": "throughput"},
    passed_over=("thread", "thread_end"),
)
"""IP versions are those of the addresses; each thread of XML has figures of its own."""
