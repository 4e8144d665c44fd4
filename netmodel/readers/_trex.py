"""
Results of TRex: JSON of ``get_stats()`` of its stateless client, and the table of ports that its
console prints (``stats -p``); of several snapshots the last.

Rates are those of frames that arrive at a port, as TRex averages them. Layer 2 is from destination
address to FCS, as TRex counts it; on layer 1 every frame takes 20 byte more, preamble and gap. The
content of frames is not known, so that there is no goodput.

Each port is one line. The sums under ``total`` and ``global`` are rates of more than one line,
which no line rate bounds, and are no measurement. Nor is a port that only sends: it is left out,
with a note. Less than a ten thousandth of all frames arrive there, and fewer are missing than any
other port sends. Otherwise it should have received them, and is a measurement of nothing; so is
every port where nothing arrives at any.

The lost share is that of all ports together, from the counters since they were cleared; frames in
flight count as lost. It is `lost_ratio` where one port receives, and otherwise a note at each, as
TRex does not report which port sends to which. A file without ports gives one measurement without
rates, which cannot be judged. Statistics of flows, latencies and CPU of TRex are left out.

The console prints rates with two decimals and at least three digits.

References: TRex stateless documentation, client module ``STLClient.get_stats``. Files made from the
documentation, none captured.
"""

from dataclasses import replace

from netmodel.errors import ParseError
from netmodel.framing.lengths import SILENT_BYTES
from netmodel.readers._document import Node, RawText, load_json_values
from netmodel.readers._formats import json_format
from netmodel.readers._printed import Figure, Run, prefixed, started
from netmodel.readers._table import Found, table_format
from netmodel.text import percent_text
from netmodel.units import BITS_PER_BYTE

_STRAY_RATIO = 1e-4
"""
Share of all frames below which nothing of the test arrives at a port: switches send frames by
themselves (LLDP, spanning tree: a few per second, where tests have at least 10^5).
"""
_DEAD_RATIO = 0.9
"""Where none of a port's frames arrived, at least this share of them is missing, despite strays."""
_NO_PAYLOAD = "TRex counts frames, not the payload in them"
_PORTS_UNKNOWN = "only a sum over an unknown number of ports is reported"


def _read(raw: RawText) -> list[Run]:
    values = load_json_values(raw)
    snapshots = values[0] if len(values) == 1 and isinstance(values[0], list) else values
    if not snapshots:
        raise ParseError(raw.source, "holds no snapshot")
    last = Node(raw.source, f"[{len(snapshots) - 1}]" * (len(snapshots) > 1), snapshots[-1])
    ports = sorted(filter(str.isdecimal, last.members()), key=lambda key: (len(key), key))
    if not ports and not (last.has("total") or last.has("global")):
        raise ParseError(raw.source, "not a result of TRex: it has no port, total or global")
    if not ports:
        return [started(raw, "TRex", part="total", why_no_goodput=_PORTS_UNKNOWN)]
    return _of_ports(started(raw, "TRex"), last, ports)


def _of_ports(run: Run, last: Node, ports: list[str]) -> list[Run]:
    """Return the runs of the ports that received, of the last statistics."""
    sent = {key: last.child(key).count("opackets") for key in ports}
    arrived = {key: last.child(key).count("ipackets") for key in ports}
    all_sent, all_arrived = sum(sent.values()), sum(arrived.values())
    # a port that is meant to receive and does not lacks all that another one sends
    stray = _STRAY_RATIO * all_arrived
    most_lost = (all_sent - all_arrived) / _DEAD_RATIO
    receivers = [
        key
        for key in ports
        if arrived[key] > stray
        or max(arrived.values()) <= stray
        or any(stray < sent[each] <= most_lost for each in ports if each != key)
    ]
    left = (key for key in ports if key not in receivers)
    notes = [f"port {x} is left out: it only sends ({arrived[x]} frames arrived)" for x in left]
    lost_ratio = 1 - all_arrived / all_sent if all_sent > all_arrived else None
    if lost_ratio is not None and len(receivers) > 1:
        notes.append(f"of the frames of all ports, {percent_text(lost_ratio, 3)} did not arrive")
        lost_ratio = None
    runs = []
    for key in receivers:
        port = last.child(key)
        own = Run(run, part=f"port {key}", why_no_goodput=_NO_PAYLOAD, lost_ratio=lost_ratio)
        own.update(notes=tuple(notes), frame_rate_fps=float(port.number("rx_pps")))
        silent_bps = SILENT_BYTES * BITS_PER_BYTE * own["frame_rate_fps"]
        own["layer1_rate_bps"] = port.number("rx_bps") + silent_bps
        if port.has("rx_bps_L1"):
            own.disagree(Figure(port.number("rx_bps_L1")), Figure(own["layer1_rate_bps"]))
        runs.append(own)
    return runs


def _read_console(run: Run, found: Found) -> list[Run]:
    """Return what JSON of the last table gives."""
    if not (head := found.first("ports")):
        raise ParseError(found.source, "no line names the ports")
    ports = {name: dict[str, float]() for name in head.text("cells").replace("|", " ").split()}
    for hit in found["row"]:
        key = hit.text("key").lower().replace(" ", "_")
        for port, cell in zip(ports.values(), hit.text("cells").split("|"), strict=False):
            value, unit, *_ = (*cell.split(), "", "")
            figure = replace(hit, groups={"value": value, "value_unit": unit})
            port[key] = figure.figure("value").value
    return _of_ports(Run(run, tool="TRex"), Node(found.source, "", ports), [*ports])


TREX = json_format("trex", _read, "opackets ipackets", "global rx_pps tx_pps")
TREX_TEXT = table_format(
    "trex-text",
    marks=r"port +\|[ |\d]+(?:total)?[ \t\r]*$",
    forms={
        "ports": r"port +\|(?P<cells>[ |\d]+)(?:total)?",
        "row": r"(?P<key>[oi]packets|Rx [bp]ps) +\|(?P<cells>.*)",
    },
    read=_read_console,
    begins={},  # a later table replaces the one before
    units={"value": prefixed("bps") | prefixed("pps") | {"": 1.0}},
)
