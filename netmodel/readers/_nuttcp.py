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

from dataclasses import replace

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers._measurement import Direction, Measurement
from netmodel.readers._printed import NUMBER, SENT_UDP, with_datagrams, with_hosts
from netmodel.readers._table import Found, Hit, arrived, of_process, table_format
from netmodel.units.prefixes import MEBI, MEGA, MILLI

_LEAST_CPU_PERCENT = 10
"""Whole percents are known to half a percent: of 10, to 5 % of the CPU time."""
_END_UNKNOWN = "which end sent is not reported: CPU times are given as if the client sent"
_AT_SENDER = "transmitter side statistics"


def _read(run: Measurement, found: Found) -> tuple[Measurement, ...]:
    notes = tuple(each.text("notice") for each in found["notice"])
    for each in (*found["version"], *found["error"]):
        run = replace(run, **each.known())
    if run.error:
        return (run,)
    at_sender = any(note.endswith(_AT_SENDER) for note in notes)
    run = _with_set_up(replace(run, notes=notes, is_counted_at_sender=at_sender), found)
    verbose = found.first("verbose", "verbose_parse")
    if (count := len(found["verbose"] + found["verbose_parse"])) > 1:
        raise ParseError(run.source, f"holds {count} results; keep one in a file")
    summary = found.first("summary", "parse") or verbose
    # a cut line of -fparse looks whole where nothing of the receiver follows
    is_cut = summary is verbose and (
        run.direction is None or bool(found["verbose_parse"] and not found["behind"])
    )
    if summary is None or is_cut:
        raise ParseError(run.source, "the text stops before its summary")
    return (_with_arrival(run, found, summary),)


def _with_set_up(run: Measurement, found: Found) -> Measurement:
    """Return the run with what ``-v`` prints of it."""
    if client := found.first("client"):
        buffer_bytes = client.count("buffer") or None
        is_udp = client.text("protocol") == "udp"
        is_up = (found.first("version") or client).text("end") == "t"
        run = replace(
            with_hosts(run, [client.text("host")]),
            protocol=client.text("protocol"),
            datagram_bytes=buffer_bytes if is_udp else None,
            write_bytes=None if is_udp else buffer_bytes,
            stream_count=client.count("stream_count"),
            direction=Direction.CLIENT_TO_SERVER if is_up else Direction.SERVER_TO_CLIENT,
        )
    for form in ("connect", "retransmits"):
        if hit := found.first(form):
            run = replace(run, **hit.known(least_round_trip_s=MILLI))
    return replace(run, segment_bytes=None if run.is_loopback else run.segment_bytes)


def _with_arrival(run: Measurement, found: Found, summary: Hit) -> Measurement:
    """Return the run with what its receiver counted."""
    rate, payload_bytes = summary.figure("rate", MEGA), summary.figure("size", MEBI)
    counts = found.first("dropped") or summary
    has_loss = counts.has("sent") or summary.has("loss")
    is_tcp = summary.has("retransmit_count") or summary.has("least_round_trip_s")
    run = replace(
        run,
        protocol=run.protocol or ("udp" if has_loss else "tcp" if is_tcp else None),
        **summary.known(least_round_trip_s=MILLI),
    )
    is_udp = run.protocol == "udp"
    goodput = arrived(run, summary.line, payload_bytes, summary.figure("time"), rate)
    if is_udp and run.is_counted_at_sender:
        why = SENT_UDP.format(tool=run.tool)
        return replace(run, reported_rate_bps=rate.value, why_no_goodput=why, notes=goodput.notes)
    # of UDP what was sent (-fxmitstats), otherwise the printed rate where it is not the goodput
    reported_bps = rate.value if goodput.notes != run.notes and not is_udp else None
    if is_udp and summary.has("transmitted") and payload_bytes.value:
        reported_bps = rate.value * summary.figure("transmitted", MEBI).value / payload_bytes.value
    loss = summary.maybe("loss")
    run = replace(
        goodput, reported_rate_bps=reported_bps, lost_ratio=loss.value / 100 if loss else None
    )
    if is_udp and counts.has("sent"):
        run = with_datagrams(run, payload_bytes, counts.whole("lost") or 0, counts.count("sent"))
    percents = {end: summary.count(end) for end in ("t", "r") if summary.has(end)}
    percents |= {each.text("end"): each.count("percent") for each in found["cpu"]}
    if run.protocol != "tcp" or found["rate_limit"]:
        percents.pop("t", None)
    is_down = run.direction is Direction.SERVER_TO_CLIENT
    sides = zip("rt" if is_down else "tr", (Side.CLIENT, Side.SERVER), strict=True)
    cpu = [
        of_process(percents[end], rate.value, side)
        for end, side in sides
        if percents.get(end, 0) >= _LEAST_CPU_PERCENT
    ]
    is_guess = bool(cpu) and run.direction is None
    return replace(run, cpu=tuple(cpu), notes=run.notes + (_END_UNKNOWN,) * is_guess)


_BRIEF = rf"(?P<size>{NUMBER}) MB / +(?P<time>{NUMBER}) sec = +(?P<rate>{NUMBER}) Mbps"
_END = r"nuttcp-(?P<end>[tr])[^:]*:"
_RECEIVER = r"nuttcp-r[^:]*:"
_ID = r"(?:(?!nuttcp-[tr])[^:]{1,40}: +)?"
"""Identifier before the lines of results (``-I``); nuttcp allows 40 characters."""
NUTTCP = table_format(
    "nuttcp",
    marks=rf"(?:[^\n:]{{1,40}}: )?(?: *{NUMBER} MB / +{NUMBER} sec = +{NUMBER} Mbps "
    rf"|megabytes={NUMBER} real_sec)|nuttcp-[tr][^:\n]*: ",
    forms={
        "summary": rf"{_ID}{_BRIEF} +(?P<t>\d+) %TX +(?P<r>\d+) %RX"
        r"(?: (?P<retransmit_count>\d+) retrans)?(?: (?P<lost>\d+) / +(?P<sent>\d+) drop/pkt)?"
        rf"(?: (?P<loss>{NUMBER}) %loss)?(?: Trans: +(?P<transmitted>{NUMBER}) MB)?"
        rf"(?: (?P<least_round_trip_s>{NUMBER}) msRTT)?",
        "parse": rf"{_ID}megabytes=(?P<size>\S+) real_seconds=(?P<time>\S+) rate_Mbps=(?P<rate>\S+)"
        r" tx_cpu=(?P<t>\S+) rx_cpu=(?P<r>\S+)(?: retrans=(?P<retransmit_count>\S+))?"
        r"(?: drop=(?P<lost>\S+) pkt=(?P<sent>\S+))?(?: data_loss=(?P<loss>\S+))?"
        r"(?: tx_megabytes=(?P<transmitted>\S+))?(?: rtt_ms=(?P<least_round_trip_s>\S+))?",
        "verbose": rf"{_RECEIVER} (?P<size>{NUMBER}) MB in (?P<time>{NUMBER}) real seconds"
        rf" = {NUMBER} KB/sec = (?P<rate>{NUMBER}) Mbps",
        "verbose_parse": rf"{_RECEIVER} megabytes=(?P<size>{NUMBER})"
        rf" real_seconds=(?P<time>{NUMBER}) rate_KBps={NUMBER} rate_Mbps=(?P<rate>{NUMBER})",
        "behind": rf"{_RECEIVER} io_calls=.*",
        "error": rf"{_END} (?:v(?P<tool_version>[0-9.]+): )?Error: (?P<error>.*)",
        "notice": rf"{_END} (?:v[0-9.]+: )?(?:Warning|Info): (?P<notice>.*)",
        "version": rf"{_END} v(?P<tool_version>[0-9.]+): .*",
        "client": rf"{_END} buflen=(?P<buffer>\d+),? nstream=(?P<stream_count>\d+),? port=\d+"
        r" (?:mode=)?(?P<protocol>tcp|udp) (?:-> |host=)(?P<host>\S+)",
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
    begins={"summary": "summary", "parse": "parse"},
)
