"""
Results of flent: the transfers of its flows of TCP and UDP.

Goodput is what flent recorded of each whole flow in SERIES_META: the bytes that arrived
(BYTES_RECVD, counted at the receiver) over the time of the flow or, of TCP, the mean that netperf
printed (MEAN_VALUE), which for uploads is counted at the sender. For more than one flow of a
direction it is all their bytes over the longest of their times, or the sum of their means; where
they did not run at the same time, there is none.

The series under ``results`` give no goodput: flent resamples them to common times, and its sums
hold only those flows that reported just then. Their means were seen 0.7 % too high at 1 Gbit/s, and
60 % too low at 1 Mbit/s.

The command of a flow gives its protocol and direction; its name is used only where flent recorded
no command. Pings, jitter, loss and flent's data of the host are left out; a test of pings alone has
one measurement without values.

References: flent documentation, data files; files of version 4 that flent 2.1.1 wrote, and files of
versions 2 and 3 made by hand.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from netmodel.consumption import Side
from netmodel.readers._document import Node, RawText, load_json_document, shown
from netmodel.readers._formats import json_format
from netmodel.readers._printed import Figure, Run, started
from netmodel.readers.measurement import Direction
from netmodel.units.prefixes import MEGA

_UNITS = frozenset({"Mbits/s", "Mbit/s"})
_UP, _DOWN = Direction.CLIENT_TO_SERVER, Direction.SERVER_TO_CLIENT
_NETPERF_TEST = re.compile(r"\bnetperf\b.* -t (?P<protocol>TCP|UDP)_(?P<kind>[A-Z]+)\b")
_FLOW_NAME = re.compile(r"(?P<protocol>TCP|UDP) (?P<kind>download|upload)\b")
_KINDS = {"STREAM": _UP, "SENDFILE": _UP, "MAERTS": _DOWN, "upload": _UP, "download": _DOWN}
_COMPUTED = re.compile(r".*(?:[ :](?:sum|avg|fairness|totals)|::[a-z]\w*)\Z")
"""Series that flent computes from others, or that show the socket of a flow (``::tcp_cwnd``)."""
_PRINTED_HALF_STEP = 0.005
"""netperf prints its time in hundredths of a second and its rate in hundredths of a Mbit/s."""
_SHORTEST_S = 0.1
"""Hundredths of a second do not resolve the time of a shorter flow."""
_APART_RATIO = 0.05
"""
Flows whose starts or times differ by less of the longest time count as one transfer. Those of one
test differ by the round trips in which they end (0.16 of 5 s in a full queue); tests that start
flows one after the other do so by a quarter of the test or more.
"""
_NO_SUM = "flent recorded neither bytes with time nor a mean of all flows: judge netperf's output"
_NO_UDP = "flent did not record what arrived over UDP: judge the output of netperf"
_NO_FLOW = "a test of latency: flent ran no flow of TCP or UDP"


def _read(raw: RawText) -> list[Run]:
    document = load_json_document(raw)
    version = document.number("version")
    if version not in (2, 3, 4):  # flent 2.1.1 writes 4
        raise document.child("version").fault(f"must be 2, 3 or 4; got {shown(version)}")
    metadata = document.child("metadata")
    run = started(raw, "flent", recorded_by=Side.CLIENT)
    run["tool_version"] = metadata.text("FLENT_VERSION", "") or None
    hosts = metadata.child("HOSTS", []).value
    if isinstance(hosts, list):
        run.name_hosts([host for host in hosts if isinstance(host, str)])
    if (ip_version := metadata.count("IP_VERSION", 0)) in {4, 6}:
        run["ip_version"] = ip_version
    names = sorted(document.child("results").members())
    groups: dict[tuple[str, Direction], dict[str, Node]] = defaultdict(dict)
    for name in names:
        described = metadata.child("SERIES_META", {}).child(name, {})
        test = None if _COMPUTED.match(name) else _FLOW_NAME.match(name)
        test = _NETPERF_TEST.search(described.text("COMMAND", "")) or test
        if test and test["kind"] in _KINDS:
            groups[test["protocol"].lower(), _KINDS[test["kind"]]][name] = described
    if not groups and not any(name.startswith("Ping") for name in names):
        raise document.child("results").fault("holds neither a flow of TCP or UDP nor a ping")
    if not groups:
        return [Run(run, measures_latency=True, why_no_goodput=_NO_FLOW)]
    run["is_bidirectional"] = len({direction for _, direction in groups}) > 1
    runs = []
    for (protocol, direction), flows in groups.items():
        runs.append(Run(run, protocol=protocol, direction=direction))
        _take_transfer(runs[-1], document, flows)
    return runs


def _count(described: Node, key: str) -> int | None:
    """Return a recorded whole number; None for 0 and for -1, by which netperf means unknown."""
    return None if described.child(key, 0).value == -1 else described.count(key, 0) or None


def _mean(described: Node) -> Figure | None:
    """Return the rate that netperf printed for a whole flow."""
    if described.child("MEAN_VALUE", "").value == "" or described.text("UNITS", "") not in _UNITS:
        return None
    return Figure(described.number("MEAN_VALUE"), _PRINTED_HALF_STEP).times(MEGA)


def _starts_s(document: Node, names: Iterable[str]) -> Iterator[float]:
    """Yield the start of each flow that flent recorded: its first value ends its first interval."""
    for name in names:
        first = next(iter(document.child("raw_values", {}).child(name, []).each()), None)
        if first and isinstance(first.value, dict) and first.has("t") and first.has("dur"):
            yield first.number("t") - first.number("dur")


def _take_transfer(run: Run, document: Node, flows: dict[str, Node]) -> None:
    """Set what all flows of one protocol and direction transferred."""
    is_tcp, is_up = run["protocol"] == "tcp", run["direction"] is _UP
    segments, writes = (
        {_count(flow, key) for flow in flows.values()} for key in ("TCP_MSS", "SEND_SIZE")
    )
    many = f"{len(flows)} flows of {run['protocol']} {'upload' if is_up else 'download'}"
    run["part"] = many if len(flows) > 1 else min(flows)
    run["stream_count"] = len(flows)
    run["segment_bytes"] = None if len(segments) > 1 else segments.pop()
    run["write_bytes" if is_tcp else "datagram_bytes"] = None if len(writes) > 1 else writes.pop()
    recorded_s = [flow.number("ELAPSED_TIME", 0.0) for flow in flows.values()]
    times = [Figure(time_s, _PRINTED_HALF_STEP) for time_s in recorded_s if time_s >= _SHORTEST_S]
    if times:
        longest = max(times, key=lambda time: time.value)
        starts_s = [*_starts_s(document, flows)]
        # flows that did not run together do not add up
        ends_apart_s = longest.value - min(time.value for time in times)
        apart_s = max(ends_apart_s, max(starts_s, default=0.0) - min(starts_s, default=0.0))
        if apart_s > _APART_RATIO * longest.value:
            apart = f"the {len(flows)} flows started or ended up to {apart_s:.3g} s apart"
            run["why_no_goodput"] = f"{apart}: judge a test of parallel flows"
            return
        run["duration_s"] = longest.value
    byte_counts = [count for flow in flows.values() if (count := _count(flow, "BYTES_RECVD"))]
    means = [mean for flow in flows.values() if (mean := _mean(flow))]
    if len(times) == len(byte_counts) == len(flows):
        run.arrive(document.child("results"), Figure(sum(byte_counts)), longest)
    elif is_tcp and len(means) == len(flows):
        run.count(sum(means, start=Figure(0.0)), is_at_sender=is_up)
    else:
        run["why_no_goodput"] = _NO_SUM if is_tcp else _NO_UDP


FLENT = json_format("flent", _read, "x_values metadata results")
