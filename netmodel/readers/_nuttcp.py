"""
Results of nuttcp: its one-line summary, ``-fparse``, and ``-v``.

nuttcp prints what the receiver counted, in MB of 1024² byte and Mbps of 10⁶ bit/s. The time is
printed in hundredths of a second and the rate in more digits, so that the goodput is the printed
rate where it agrees with bytes and time.

CPU time is that of the process at each end, in whole percent of one CPU; below 10 % it is left out.
So is that of a transmitter that keeps to a rate, as any does over UDP: it waits in a loop and is
always busy. The one-line form reports neither a rate over TCP nor which end sent: its direction
stays unknown, and its CPU times are given as if the client sent, with a note.

A run is UDP where its line has drops or a loss, TCP where it has retransmits or a round trip. The
datagram size is that of ``-v``, otherwise it is derived from bytes over datagrams, with a note. No
form prints the addresses and ports of both ends, so that a run has no id. The round trip is that of
the connection set-up. Windows are those that the kernel set, requested or not, and left out. Where
nuttcp prints that it uses statistics of the transmitter, the payload is counted there.

References: nuttcp source, version 6.1.2: ``PERF_FMT_BRIEF``, ``P_PERF_FMT_BRIEF``.
"""

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers._printed import NUMBER, Run, of_process
from netmodel.readers._table import Found, table_format
from netmodel.readers.measurement import Direction
from netmodel.units.prefixes import MEBI, MEGA, MILLI

_LEAST_CPU_PERCENT = 10
"""Whole percents are known to half a percent: of 10, to 5 % of the CPU time."""


def _read(run: Run, found: Found) -> None:
    verbose, client = found["verbose"] + found["verbose_parse"], found.first("client")
    summary = found.first("summary", "parse")
    # a cut line looks whole where nothing follows
    if summary is None and (not verbose or verbose[0] is found.hits[-1]):
        raise ParseError(found.source, "the text stops before its summary")
    summary = summary or verbose[0]
    counts = found.first("dropped") or summary
    run.note(*(each.text("notice") for each in found["notice"]))
    run["is_at_sender"] = any(note.endswith("transmitter side statistics") for note in run["notes"])
    if client:
        run.name_hosts([hit.text("host") for hit in found["client"] if hit.has("host")])
        size = "datagram_bytes" if run["protocol"] == "udp" else "write_bytes"
        run[size] = client.count("buffer") or None
        # the client prints its own lines first
        ends = [hit.text("end") for hit in found.hits if hit.has("end")]
        if len({ends[0], *(hit.form for hit in found["t"] + found["r"])}) > 1:
            run.set_direction(is_up=ends[0] == "t")
        else:
            run.note("lines of one end are missing, so that the direction is not known")
    elif counts.has("sent") or summary.has("loss"):
        run["protocol"] = "udp"
    elif summary.has("retransmit_count") or summary.has("least_round_trip_s"):
        run["protocol"] = "tcp"
    size_bytes, rate = summary.figure("size"), summary.figure("rate")
    run.arrive(summary, size_bytes, summary.duration(), rate)
    if run["protocol"] == "udp" and counts.has("sent") and not run["is_at_sender"]:
        run.lose(size_bytes, counts.whole("lost") or 0, counts.count("sent"))
    percents = {end: summary.count(end) for end in ("t", "r") if summary.has(end)}
    percents |= {each.text("end"): each.count("percent") for each in found["cpu"]}
    if run["protocol"] != "tcp" or found["rate_limit"]:
        percents.pop("t", None)
    is_down = run["direction"] is Direction.SERVER_TO_CLIENT
    run["cpu"] = tuple(
        of_process(percents[end], rate.value, side)
        for end, side in zip("rt" if is_down else "tr", Side, strict=True)
        if percents.get(end, 0) >= _LEAST_CPU_PERCENT
    )
    if run["cpu"] and run["direction"] is None:
        run.note("which end sent is not reported: CPU times are given as if the client sent")


_BRIEF = rf"(?P<size>{NUMBER}) MB / +(?P<time>{NUMBER}) sec = +(?P<rate>{NUMBER}) Mbps"
_END = r"nuttcp-(?P<end>[tr])[^:]*:"
_RECEIVER = r"nuttcp-r[^:]*:"
_ID = r"(?:(?!nuttcp-[tr])[^:]{1,40}: +)?"
"""Identifier before the lines of results (``-I``); nuttcp allows 40 characters."""
_RESULT = "summary parse verbose verbose_parse"
NUTTCP = table_format(
    "nuttcp",
    marks=rf"(?:[^\n:]{{1,40}}: )?(?: *{NUMBER} MB / +{NUMBER} sec = +{NUMBER} Mbps "
    rf"|megabytes={NUMBER} real_sec)|nuttcp-[tr][^:\n]*: ",
    forms={
        "summary": rf"{_ID}{_BRIEF} +(?P<t>\d+) %TX +(?P<r>\d+) %RX"
        r"(?: (?P<retransmit_count>\d+) retrans)?(?: (?P<lost>\d+) / +(?P<sent>\d+) drop/pkt)?"
        rf"(?: (?P<loss>{NUMBER}) %loss)?(?: Trans: +{NUMBER} MB)?"
        rf"(?: (?P<least_round_trip_s>{NUMBER}) msRTT)?",
        "parse": rf"{_ID}megabytes=(?P<size>\S+) real_seconds=(?P<time>\S+) rate_Mbps=(?P<rate>\S+)"
        r" tx_cpu=(?P<t>\S+) rx_cpu=(?P<r>\S+)(?: retrans=(?P<retransmit_count>\S+))?"
        r"(?: drop=(?P<lost>\S+) pkt=(?P<sent>\S+))?(?: data_loss=(?P<loss>\S+))?"
        r"(?: tx_megabytes=\S+)?(?: rtt_ms=(?P<least_round_trip_s>\S+))?",
        "verbose": rf"{_RECEIVER} (?P<size>{NUMBER}) MB in (?P<time>{NUMBER}) real seconds"
        rf" = {NUMBER} KB/sec = (?P<rate>{NUMBER}) Mbps",
        "verbose_parse": rf"{_RECEIVER} megabytes=(?P<size>{NUMBER})"
        rf" real_seconds=(?P<time>{NUMBER}) rate_KBps={NUMBER} rate_Mbps=(?P<rate>{NUMBER})",
        "error": rf"{_END} (?:v(?P<tool_version>[0-9.]+): )?Error: (?P<error>.*)",
        "notice": rf"{_END} (?:v[0-9.]+: )?(?:Warning|Info): (?P<notice>.*)",
        "t": rf"(?=nuttcp-t){_END} v(?P<tool_version>[0-9.]+): .*",
        "r": rf"{_END} v(?P<tool_version>[0-9.]+): .*",
        "client": rf"{_END} buflen=(?P<buffer>\d+),? nstream=(?P<stream_count>\d+),? port=\d+"
        r" (?:mode=)?(?P<protocol>tcp|udp)(?: (?:-> |host=)(?P<host>\S+))?",
        "connect": rf"{_END} connect(?: to |=)\S+ (?:with )?mss=(?P<segment_bytes>\d+),?"
        rf" (?:RTT|rtt_ms)=(?P<least_round_trip_s>{NUMBER})(?: ms)?",
        "retransmits": r"nuttcp-t[^:]*: retrans ?= ?(?P<retransmit_count>\d+)",
        "dropped": rf"{_RECEIVER} (?:drop=)?(?P<lost>\d+) (?:/ +|pkt=)(?P<sent>\d+)"
        r" (?:drop/pkt|data_loss=).*",
        "cpu": rf"{_END} (?:[0-9.]+user [^%]*real +|stats=cpu [^%]*cpu=)(?P<percent>\d+)%.*",
        "rate_limit": r"nuttcp-t[^:]*: rate[ _]limit.*",
        "interval": rf"{_ID}(?:{_BRIEF}|megabytes={NUMBER} real_sec).*",
        "other": rf"{_END}.*",
    },
    read=_read,
    begins=dict.fromkeys(_RESULT.split(), _RESULT) | {end: f"{end} summary parse" for end in "tr"},
    units={"size": MEBI, "rate": MEGA, "least_round_trip_s": MILLI},
    fails={"error": ""},
)
