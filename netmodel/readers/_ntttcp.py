"""
Results of ntttcp, as the one for Linux and the one for Windows print them.

A file has one measurement, of the end that wrote it. The sender opens the connections and is the
client. A receiver counts what arrived, which is goodput; a sender includes data in socket buffers
and, over UDP, what was lost, so that it has no goodput there. Retransmissions are those of the
sending host. CPU time is that of the whole host where the file reports its CPUs, and that of the
process of ntttcp, in percent of one CPU, which the one for Linux calls ``cpu busy (all)``.

The MB of Windows is 2**20 byte. XML is not read: its units depend on the version.

References: source of ntttcp for Linux (``util.c``: ``process_test_results``,
``print_test_results``) and for Windows (``ntttcp.c``: ``PrintOutput``).
"""

from netmodel.consumption import CpuScope, Side
from netmodel.readers._measurement import CpuUse, Direction
from netmodel.readers._printed import NUMBER, Figure, Run, prefixed
from netmodel.readers._table import Found, table_format
from netmodel.units.prefixes import MEBI, MICRO

_RATE_BPS = prefixed("bps")
_OF_PROCESS = ("cpu busy (all)", "total cpu time")
_END_UNKNOWN = "the end that wrote this is not reported: taken as counted at the sender"


def _read(run: Run, found: Found) -> list[Run]:
    if head := found.first("windows_head"):
        rows = [hit for hit in found["windows_totals"] if hit.line.number > head.line.number]
        if not rows:
            raise head.line.fault("the text stops before its totals")
        row, printed = rows[0], rows[0].figure("rate", 8.0 * MEBI)
        run.arrive(row.line, row.figure("size"), row.duration(), printed)
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
    if not is_sender or run["protocol"] != "tcp":
        run["retransmit_count"] = None
    if side is None:
        run.note(_END_UNKNOWN)
        return [run]
    percent = {hit.text("key"): hit.figure("percent").value for hit in found["percent"]}
    cores, rate_bps = found.first("cores"), run["goodput_bps"] or 0.0
    if cores and "idle" in percent and (count := cores.count("cores")):
        # idle and waiting, each rounded, may be a little more than 100 %
        idle_percent = percent["idle"] + percent.get("iowait", 0.0)
        busy_cpu_count = count * max(0.0, 100 - idle_percent) / 100
        run["cpu"] = (CpuUse(busy_cpu_count, rate_bps, CpuScope.SYSTEM, side, count),)
    of_process = [percent[key] for key in _OF_PROCESS if key in percent]
    run["cpu"] += tuple(CpuUse(each / 100, rate_bps, CpuScope.PROCESS, side) for each in of_process)
    return [run]


_LOG = r"(?:[0-9:]{8} )?(?:INFO: *)?\s*"
NTTTCP = table_format(
    "ntttcp",
    marks=r"NTTTCP for Linux [0-9]|(?:[0-9:]{8} )?INFO:[ \t]+throughput[ \t]*:"
    r"|Bytes\(MEG\) +realtime\(s\)|Copyright Version [0-9.]+\s*$",
    forms={
        "version": r"NTTTCP for Linux (?P<tool_version>\S{1,40})",
        "windows": r"Copyright Version (?P<tool_version>[0-9.]+)",
        "sender": r"\*\*\* sender role",
        "receiver": r"\*\*\* receiver role",
        "ipv4": r"domain:\s*IPv4",
        "ipv6": r"domain:\s*IPv6",
        "warmup": rf"{_LOG}Test warmup completed\.",
        "tested": rf"{_LOG}(?P<stream_count>\d{{1,7}}) connections tested",
        "totals": rf"{_LOG}##### +Totals: +#####",
        "duration": rf"{_LOG}test duration\s*:(?P<time>{NUMBER}) seconds",
        "total": rf"{_LOG}total bytes\s*:(?P<total>\d+)",
        "throughput": rf"{_LOG}throughput\s*:(?P<rate>[0-9.]+)(?P<rate_unit>[A-Za-z/]+)",
        "retransmits": rf"{_LOG}retrans segs\s*:(?P<retransmit_count>\d+)",
        "rtt": rf"{_LOG}tcpi rtt\s*:(?P<round_trip_s>\d+) us",
        "cores": rf"{_LOG}cpu cores\s*:(?P<cores>\d+)",
        "cpu speed": rf"{_LOG}cpu speed\s*:.*",
        "percent": rf"{_LOG}(?P<key>[a-z][a-z() ]*?)\s*:(?P<percent>{NUMBER})%",
        "error": r"[0-9:]{0,8} ?ERR : (?P<error>.{1,200})",
        "windows_head": r"Bytes\(MEG\) +realtime\(s\).*",
        "windows_totals": rf"(?P<size>{NUMBER})\s+(?P<time>{NUMBER})\s+{NUMBER}"
        rf"\s+(?P<rate>{NUMBER})",
        "windows_packets": rf"\d+\s+\d+\s+(?P<retransmit_count>\d+)\s+\d+\s+{NUMBER}",
    },
    read=_read,
    begins={"version": "throughput", "windows": "windows_totals"},
    units={"size": MEBI, "round_trip_s": MICRO},
    implied={
        "sender": {"recorded_by": Side.CLIENT},
        "receiver": {"recorded_by": Side.SERVER},
        "tested": {"recorded_by": Side.CLIENT},
        "ipv4": {"ip_version": 4},
        "ipv6": {"ip_version": 6},
        "windows_head": {"protocol": "tcp"},
        "warmup": {"leaves_out_start": True},
    },
    fails={"error": "throughput"},
)
"""IP versions are those of the addresses."""
