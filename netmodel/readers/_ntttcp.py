"""
Results of ntttcp: text and XML of the one for Linux and of the one for Windows.

A file has one measurement, of the end that wrote it. The sender opens the connections and is the
client. A receiver counts what arrived, which is goodput; a sender includes data in socket buffers
and, over UDP, what was lost, so that it has no goodput there. Retransmissions are those of the
sending host. CPU time is that of the whole host where the file reports its CPUs, and that of the
process of ntttcp, in percent of one CPU, which the one for Linux calls ``cpu busy (all)``.

Where the mean frame of Windows is that of full segments without timestamps, they have none: it
counts their payload.

The MB of Windows is 2**20 byte, its mbps 10**6 bit/s. XML of Linux is decimal where it has bytes
per second; without, MB is 2**20 byte, whole, cut off, and mbps is 2**20 bit/s.

References: source of ntttcp for Linux (``util.c``: ``process_test_results``,
``print_test_results``, ``write_result_into_xml_file``) and for Windows (``ntttcp.c``:
``PrintOutput``).
"""

from netmodel.consumption import Side
from netmodel.readers._printed import NUMBER, Figure, Run, of_process, prefixed
from netmodel.readers._table import Found, table_format
from netmodel.readers.measurement import CpuUse, Direction
from netmodel.units.prefixes import MEBI, MEGA, MICRO

_RATE_BPS = prefixed("bps")
_OF_PROCESS = ("cpu busy (all)", "total cpu time")
_LINUX = "-linux"
"""End of a version in XML that the one for Linux wrote."""


def _read(run: Run, found: Found) -> None:
    if head := found.first("windows_head"):
        rows = [hit for hit in found["windows_sum"] if hit.number > head.number]
        if not rows:
            raise head.fault("the text stops before its totals")
        row, printed = rows[0], rows[0].figure("rate", 8.0 * MEBI)
        run.arrive(row, row.figure("size"), row.duration(), printed)
        found["frame"] = [row]
    elif found["xml"] or found["megabytes"]:
        _take_xml(run, found)
    else:
        rate = found.needed("throughput", "throughput")
        if found["totals"]:
            found.needed("cpu speed", "cpu speed")
        # behind the retransmissions, of TCP alone
        run["protocol"] = "udp" if found["cpu speed"] else None
        if found["finished"]:  # a sender then prints its connections
            run["recorded_by"] = run["recorded_by"] or Side.SERVER
        if run["retransmit_count"] is not None:
            run["protocol"] = "tcp"
        total = found.needed("total", "total bytes")
        duration_s = found.needed("duration", "test duration").duration()
        run.arrive(total, Figure(total.count("total")), duration_s, rate.figure("rate", _RATE_BPS))
    sizes = (1440, 8940) if run["ip_version"] == 6 else (1460, 8960)
    for hit in found["frame"] if run["protocol"] == "tcp" else ():
        # few frames of a long run are short: full ones are at most 2 byte above the mean
        mean = hit.figure("frame").value
        run["segment_bytes"] = next((x for x in sizes if x - 2 < mean <= x), None)
    side, is_sender = run["recorded_by"], run["recorded_by"] is not Side.SERVER
    run.update(direction=Direction.CLIENT_TO_SERVER, is_at_sender=is_sender)
    run["write_bytes"] = run["write_bytes"] if is_sender else None
    if not is_sender or run["protocol"] != "tcp":
        run["retransmit_count"] = None
    if side is None:
        run.note("the end that wrote this is not reported: taken as counted at the sender")
        return
    percent = {hit.text("key"): hit.figure("percent").value for hit in found["percent"]}
    cores, rate_bps = found.first("cores"), run["goodput_bps"]
    if "cpu" in percent:  # of XML: of all CPUs, but in that of Linux without their number
        percent.setdefault("idle", 100 - percent["cpu"])
        if not cores and (run["tool_version"] or "").endswith(_LINUX):
            percent["cpu busy (all)"] = percent["cpu"]
    if cores and "idle" in percent and (count := cores.count("cores")):
        # idle and waiting, each rounded, may be a little more than 100 %
        busy_percent = max(0.0, 100 - percent["idle"] - percent.get("iowait", 0.0))
        run["cpu"] = (CpuUse(count * busy_percent / 100, rate_bps, "system", side, count),)
    run["cpu"] += tuple(of_process(percent[x], rate_bps, side) for x in _OF_PROCESS if x in percent)


def _take_xml(run: Run, found: Found) -> None:
    """Set the payload of a file of XML, where the version decides what a megabyte is."""
    found.needed("xml", "</ntttcp")
    duration_s = found.needed("duration", "<realtime").duration()
    total, mbps = found.needed("megabytes", "<total_bytes"), found.needed("mbps", "<throughput")
    size, printed, of_second = total.figure("size"), mbps.figure("rate", MEGA), found["per second"]
    is_whole = not of_second and (run["tool_version"] or "").endswith(_LINUX)
    if of_second:
        size = of_second[0].figure("rate", duration_s.value)
    elif is_whole:  # cut off: the middle of what they may be
        size = Figure(size.value + MEBI / 2, MEBI / 2)
        printed = Figure(mbps.figure("rate", MEBI).value, 4.0 * MEBI)
    run.arrive(total, size, duration_s, printed)
    run["received_bytes"] = None if is_whole else run["received_bytes"]
    run["protocol"] = "udp" if found["udp"] else "tcp"


_VERSION = r'(?:[^>]* version="(?P<tool_version>[^"]*)")?[^>]*>'
NTTTCP = table_format(
    "ntttcp",
    marks=r"NTTTCP for Linux [0-9]|throughput[ \t]*:[0-9.]+[KMG]?bps"
    r"|Bytes\(MEG\) +realtime\(s\)|Copyright Version [0-9.]+\s*$|<ntttcp[rs]\b",
    forms={
        "version": r"NTTTCP for Linux (?P<tool_version>\S{1,40})",
        "windows": r"Copyright Version (?P<tool_version>[0-9.]+)",
        "sender": rf"\*\*\* sender role|<ntttcps\b{_VERSION}",
        "receiver": rf"\*\*\* receiver role|<ntttcpr\b{_VERSION}",
        "ipv4": r"domain:\s*IPv4|<use_ipv6>False</use_ipv6>",
        "ipv6": r"domain:\s*IPv6|<use_ipv6>True</use_ipv6>",
        "udp": r"<udp>True</udp>",
        "warmup": r"Test warmup completed\.|<warmup_time>0*[1-9]\d*</warmup_time>",
        "latency": r"<latency_measurement>True</latency_measurement>",
        "tested": r"(?:<conns_tested>)?(?P<stream_count>\d{1,7})"
        r"(?: connections tested|</conns_tested>)",
        "finished": r"Test cycle finished\.",
        "totals": r"##### +Totals: +#####",
        "duration": rf"(?:test duration\s*:|<realtime metric=\"s\">)(?P<time>{NUMBER})"
        r"(?: seconds|</realtime>)",
        "total": r"total bytes\s*:(?P<total>\d+)",
        "throughput": r"throughput\s*:(?P<rate>[0-9.]+)(?P<rate_unit>[A-Za-z/]+)",
        "megabytes": rf'<total_bytes metric="MB">(?P<size>{NUMBER})</total_bytes>',
        "mbps": rf'<throughput metric="mbps">(?P<rate>{NUMBER})</throughput>',
        "per second": rf'<throughput metric="Bps">(?P<rate>{NUMBER})</throughput>',
        "frame": rf'<avg_frame_size metric="B">(?P<frame>{NUMBER})</avg_frame_size>',
        "retransmits": r"(?:retrans segs\s*:|<packets_retransmitted>)"
        r"(?P<retransmit_count>\d+)(?:</.*)?",
        "rtt": r"(?:tcpi rtt\s*:|<tcp_average_rtt metric=\"us\">)(?P<round_trip_s>\d+)(?: us|</.*)",
        "write": r"<bufferLen>(?P<write_bytes>\d+)</bufferLen>",
        "cores": r"(?:cpu cores\s*:|<(?:cpu_cores|num_processors)\b[^>]*>)(?P<cores>\d+)(?:</.*)?",
        "cpu speed": r"cpu speed\s*:.*",
        "percent": r"<?(?P<key>[a-z][a-z() ]*?)(?:\s*:| metric=\"%\">)"
        rf"(?P<percent>{NUMBER})(?:%|</.*)",
        "error": r"ERR : (?P<error>.{1,200})",
        "thread": r"<thread\b.*",
        "thread end": r"</thread>",
        "xml": r"</ntttcp[rs]>",
        "windows_head": r"Bytes\(MEG\) +realtime\(s\).*",
        "windows_sum": rf"(?P<size>{NUMBER})\s+(?P<time>{NUMBER})"
        rf"\s+(?P<frame>{NUMBER})\s+(?P<rate>{NUMBER})",
        "windows_packets": rf"\d+\s+\d+\s+(?P<retransmit_count>\d+)\s+\d+\s+{NUMBER}",
    },
    read=_read,
    begins={"version": "throughput", "windows": "windows_sum", "sender": "xml", "receiver": "xml"},
    units={"size": MEBI, "round_trip_s": MICRO},
    implied={
        **{form: {"recorded_by": Side.CLIENT} for form in ("sender", "tested")},
        "receiver": {"recorded_by": Side.SERVER},
        "ipv4": {"ip_version": 4},
        "ipv6": {"ip_version": 6},
        "windows_head": {"protocol": "tcp"},
        "warmup": {"leaves_out_start": True},
        "latency": {"measures_latency": True},
    },
    fails={"error": "throughput"},
    passed_over=("thread", "thread end"),
)
"""IP versions are those of the addresses; each thread of XML has figures of its own."""
