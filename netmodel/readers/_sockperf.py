"""
Results of sockperf: throughput, ping-pong and under load, as the client prints them.

Payload is counted by the sender alone, so that a UDP run has no goodput and a TCP run a note. The M
of MBps and of Mbps is 2**20, the G 1000 times that; with nine decimals it is M for any letter.
The printed latency is half the round trip unless ``--full-rtt`` is given; the time of a transaction
is the whole round trip.

The client prints neither its own address nor its port, so that a run has no id. Latency tests leave
out their first part, and count from what sockperf calls the valid duration. The size of requests is
not printed by ping-pong and under-load, percentiles are left out, and files of ``--full-log`` are
not read.

References: sockperf 3.7, as it ran, and its source: ``client.cpp``, functions ``stream_statistics``
and ``client_statistics``.
"""

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers._printed import NUMBER, Figure, Hit, Run, datagram_size
from netmodel.readers._table import Found, table_format
from netmodel.readers.measurement import Direction
from netmodel.units import BITS_PER_BYTE
from netmodel.units.prefixes import KILO, MEBI, MICRO

_SIZE_WITHOUT_NOTE_BYTES = 1472
"""Message size of a test that prints no note of it (MAX_PAYLOAD_SIZE of sockperf), a full frame."""
_MEGA = MEBI * BITS_PER_BYTE
_RATE_BPS = {"M": _MEGA, "G": KILO * _MEGA}
_DECIMALS_OF_PRECISE_OUTPUT = 9
"""sockperf prints nine only where the letter of its unit is wrong: it is M then."""
_LATENCY = "a test of latency: sockperf does not print the size of its messages"


def _read(run: Run, found: Found) -> None:
    if found.first("server"):
        raise ParseError(found.source, "printed by the server: keep what the client prints")
    connections, latency = found["connection"], found.first("latency")
    if not (connections or latency):
        raise ParseError(found.source, "the text stops before its line '[ 0] IP ='")
    if {each.text("protocol") for each in connections} not in ({"TCP"}, {"UDP"}, set()):
        raise connections[0].fault("the connections must be all TCP or all UDP")
    run.name_hosts([each.text("host") for each in connections])
    run["stream_count"] = len(connections) or None
    if latency:
        _take_transactions(run, found, latency)
    else:
        _take_payload(run, found)


def _take_transactions(run: Run, found: Found, latency: Hit) -> None:
    """Set time and rate of the transactions."""
    trips = 1 if latency.text("trip") == "Round trip" else 2
    run.update(measures_latency=True, why_no_goodput=_LATENCY, leaves_out_start=True)
    if found["answered"]:
        answered = found.needed("answered", "[Valid Duration]")
        duration_s = answered.figure("duration").value
        if not duration_s:
            raise answered.fault("has no duration")
        sent_count, answer_count = answered.count("sent"), answered.count("received")
        if answer_count < sent_count:
            run.note(f"{answer_count} of {sent_count} messages were answered")
        run.update(duration_s=duration_s, transaction_rate_tps=answer_count / duration_s)
    run["transaction_time_s"] = trips * latency.figure("time", MICRO).value


def _take_payload(run: Run, found: Found) -> None:
    """Set the payload that was sent: messages times their size."""
    rate = found.needed("rate", "Summary: Message Rate is")
    bandwidth = found.needed("bandwidth", "Summary: BandWidth is")
    sent = found.needed("sent", "Total of ... messages sent")
    note, is_udp = found.first("note"), run["protocol"] == "udp"
    size_bytes = note.count("size") if note else _SIZE_WITHOUT_NOTE_BYTES
    if is_udp and note:
        datagram_size(note, size_bytes, "msg-size")
    message_bits = float(size_bytes * BITS_PER_BYTE)
    payload_bytes = sent.count("count") * size_bytes
    by_rate = rate.figure("rate", message_bits)
    counted = run.finer(sent, Figure(payload_bytes), sent.figure("duration"), by_rate)
    is_precise = len(bandwidth.text("size").partition(".")[2]) == _DECIMALS_OF_PRECISE_OUTPUT
    run.disagree(bandwidth.figure("size", _MEGA if is_precise else _RATE_BPS), counted)
    if note and note.has("mps"):
        run["offered_rate_bps"] = note.count("mps") * message_bits
    run["datagram_bytes" if is_udp else "write_bytes"] = size_bytes
    run.update(direction=Direction.CLIENT_TO_SERVER, is_at_sender=True)
    run.count(counted, duration_s=sent.figure("duration").value, received_bytes=payload_bytes)


SOCKPERF = table_format(
    "sockperf",
    marks=r"(?:sockperf: )?(?:== version #|Summary: (?:Latency|Round trip|Message Rate) )",
    forms={
        "version": r"== version #(?P<tool_version>[^\s-]+)\S* ==",
        "server": r"\[SERVER\] listen on:.*",
        "error": r"(?:ERROR: )?(?P<error>(?<=ERROR: ).*\S"
        r"|No (?:messages were received|valid observations found).*)",
        "connection": r"\[ *\d+\] IP = (?P<host>\S+) +PORT = +\d+ # (?P<protocol>\S+)",
        "sent": rf"Total of (?P<count>\d+) messages sent in (?P<duration>{NUMBER}) sec.*",
        "note": r"NOTE: test was performed, using (?:average )?msg-size="
        r"(?P<size>\d+)(?: \(\+/-\d+\))?(?:, mps=(?P<mps>\d+))?\..*",
        "rate": r"Summary: Message Rate is (?P<rate>\d+) \[msg/sec\].*",
        "bandwidth": rf"Summary: BandWidth is (?P<size>{NUMBER}) (?P<size_unit>[MG])Bps"
        rf" \({NUMBER} [MG]bps\)",
        "latency": r"Summary: (?P<trip>Latency|Round trip)"
        rf"(?: of burst of \d+ messages)? is (?P<time>{NUMBER}) usec",
        "answered": rf"\[Valid Duration\] RunTime=(?P<duration>{NUMBER}) sec; "
        r"SentMessages=(?P<sent>\d+); ReceivedMessages=(?P<received>\d+)",
    },
    before="(?:sockperf: )?",
    read=_read,
    begins={"version": "version latency rate error", "answered": "latency", "latency": "latency"},
    fails={"error": ""},
    side=Side.CLIENT,
)
