"""
Results of TRex: JSON of ``get_stats()`` of its stateless client.

Rates are those of frames that arrive at a port: at the moment of the last snapshot as TRex averages
them or, with a snapshot interval, from the counters of two. Layer 2 is from destination address to
FCS, as TRex counts it; on layer 1 every frame takes 20 byte more, preamble and gap. The content of
frames is not known, so that there is no goodput.

Each port is one line. The sums under ``total`` and ``global`` are rates of more than one line,
which no line rate bounds, and are no measurement. Nor is a port that only sends: it is left out,
with a note. Less than a ten thousandth of all frames arrive there, and fewer are missing than any
other port sends. Otherwise it should have received them, and is a measurement of nothing; so is
every port where nothing arrives at any.

The lost share is that of all ports together, from the counters since they were cleared, or between
two snapshots; frames in flight count as lost. It is `lost_ratio` where one port receives, and
otherwise a note at each, as TRex does not report which port sends to which. A file without ports
gives one measurement without rates, which cannot be judged; a note has the sums. Statistics of
flows, latencies and CPU of TRex are left out.

References: TRex stateless documentation, client module ``STLClient.get_stats``. Files made from the
documentation, none captured.
"""

from dataclasses import replace

from netmodel.errors import ParseError
from netmodel.framing.unchecked import SILENT_BYTES
from netmodel.readers._document import Node, RawText, load_json_values
from netmodel.readers._formats import Format
from netmodel.readers._measurement import Measurement
from netmodel.readers._printed import rate_disagreement
from netmodel.text import percent_text
from netmodel.units import BITS_PER_BYTE, format_rate

_TOOL = "TRex"
_TOTAL = "total"
_GLOBAL = "global"
_MAX_SNAPSHOTS = 2
_STRAY_RATIO = 1e-4
"""
Share of all frames below which nothing of the test arrives at a port: switches send frames by
themselves (LLDP, spanning tree: a few per second, where tests have at least 10^5).
"""
_DEAD_RATIO = 0.9
"""Where none of a port's frames arrived, at least this share of them is missing, despite strays."""
_NO_PAYLOAD = "TRex counts frames, not the payload in them"
_PORTS_UNKNOWN = "only a sum over an unknown number of ports is reported"


def read_snapshots(raw: RawText, interval_s: float | None = None) -> tuple[Measurement, ...]:
    snapshots = _snapshots(raw)
    before = snapshots[0] if len(snapshots) == _MAX_SNAPSHOTS else None
    after = snapshots[-1]
    if interval_s is not None and before is None:
        raise ParseError(raw.source, "holds one snapshot: a snapshot interval needs two")
    run = Measurement(
        source=raw.source,
        raw_text=raw.text,
        sha256=raw.sha256,
        tool=_TOOL,
        why_no_goodput=_NO_PAYLOAD,
        duration_s=interval_s,
    )
    ports = sorted((key for key in after.value if key.isdecimal()), key=lambda key: (len(key), key))
    if not ports:
        return (_of_unknown_ports(run, before, after),)
    pairs = [(before and before.child(key), after.child(key)) for key in ports]
    sent, arrived = (
        {key: _counted(*pair, counter) for key, pair in zip(ports, pairs, strict=True)}
        for counter in ("opackets", "ipackets")
    )
    senders = _only_senders(sent, arrived)
    run = replace(
        run,
        notes=tuple(
            f"port {key} is left out: it only sends ({arrived[key]} frames arrived)"
            for key in senders
        ),
    )
    is_one_port = len(ports) - len(senders) == 1
    run = _with_loss(run, sum(sent.values()), sum(arrived.values()), is_one_port=is_one_port)
    return tuple(
        _with_rates(run, key, *pair)
        for key, pair in zip(ports, pairs, strict=True)
        if key not in senders
    )


def _only_senders(sent: dict[str, int], arrived: dict[str, int]) -> list[str]:
    """
    Ports that receive nothing of the test, and are not meant to.

    Where one should receive, everything that another port sends is missing.
    """
    stray = _STRAY_RATIO * sum(arrived.values())
    lost = sum(sent.values()) - sum(arrived.values())
    return [
        key
        for key in sent
        if arrived[key] <= stray < max(arrived.values())
        and all(
            lost < _DEAD_RATIO * count
            for other, count in sent.items()
            if other != key and count > stray
        )
    ]


def _of_unknown_ports(run: Measurement, before: Node | None, after: Node) -> Measurement:
    """Measurement of a file without ports: sums, which no line rate bounds."""
    run = replace(run, part=_TOTAL, why_no_goodput=_PORTS_UNKNOWN)
    if after.has(_TOTAL) and after.child(_TOTAL).has("ipackets"):
        total = before and before.child(_TOTAL), after.child(_TOTAL)
        sent, arrived = (_counted(*total, key) for key in ("opackets", "ipackets"))
        run = _with_loss(run, sent, arrived, is_one_port=True)
    key = _TOTAL if after.has(_TOTAL) else _GLOBAL
    if not after.has(key):
        raise ParseError(run.source, "not a result of TRex: it has no port, total or global")
    frame_rate_fps, layer2_bps = (after.child(key).number(name) for name in ("rx_pps", "rx_bps"))
    rates = f"{frame_rate_fps:,.0f} frame/s, {format_rate(layer2_bps)} on layer 2"
    return replace(run, notes=(*run.notes, f"all ports together received {rates}"))


def _snapshots(raw: RawText) -> list[Node]:
    values = load_json_values(raw)
    if len(values) == 1 and isinstance(values[0], list):
        snapshots = Node(raw.source, "", values[0]).items()
    else:
        paths = [""] if len(values) == 1 else [f"[{index}]" for index in range(len(values))]
        snapshots = [Node(raw.source, *pair) for pair in zip(paths, values, strict=True)]
    if not 0 < len(snapshots) <= _MAX_SNAPSHOTS:
        raise ParseError(raw.source, f"holds {len(snapshots)} snapshots; keep one or two in a file")
    for snapshot in snapshots:
        snapshot.members()
    return snapshots


def _with_rates(run: Measurement, key: str, before: Node | None, after: Node) -> Measurement:
    """The run with the frames that arrive at a port: counted between snapshots, or as printed."""
    if run.duration_s and before is not None:
        frame_rate_fps = _counted(before, after, "ipackets") / run.duration_s
        layer2_bps = _counted(before, after, "ibytes") * BITS_PER_BYTE / run.duration_s
    else:
        frame_rate_fps, layer2_bps = float(after.number("rx_pps")), float(after.number("rx_bps"))
    layer1_bps = layer2_bps + SILENT_BYTES * BITS_PER_BYTE * frame_rate_fps
    notes = run.notes
    if not (run.duration_s and before is not None) and after.has("rx_bps_L1"):
        notes += rate_disagreement(_TOOL, after.number("rx_bps_L1"), layer1_bps)
    return replace(
        run,
        part=f"port {key}",
        frame_rate_fps=frame_rate_fps,
        layer2_rate_bps=layer2_bps,
        layer1_rate_bps=layer1_bps,
        notes=notes,
    )


def _with_loss(run: Measurement, sent: int, arrived: int, *, is_one_port: bool) -> Measurement:
    """The run with the share of the frames of all ports that did not arrive."""
    if not sent or sent == arrived:
        return run
    if arrived > sent:
        more = f"more frames arrived ({arrived}) than TRex sent ({sent})"
        return replace(run, notes=(*run.notes, more))
    lost_ratio = 1 - arrived / sent
    if is_one_port:
        return replace(run, lost_ratio=lost_ratio)
    of_all = f"of the frames of all ports together, {percent_text(lost_ratio, 3)} did not arrive"
    return replace(run, notes=(*run.notes, of_all))


def _counted(before: Node | None, after: Node, key: str) -> int:
    """Growth of a counter since it was cleared, or since the first snapshot."""
    count = after.count(key)
    if before is None:
        return count
    earlier = before.count(key)
    if count < earlier:
        raise after.child(key).fault(f"is less than in the first snapshot: {count} after {earlier}")
    return count - earlier


_MARKS = (('"opackets"', '"ipackets"'), (f'"{_GLOBAL}"', '"rx_pps"', '"tx_pps"'))
"""Keys of the counters of ports, and of the rates of all ports."""
TREX = Format(
    "trex",
    lambda text: (
        text.lstrip()[:1] in {"{", "["}
        and any(all(mark in text for mark in marks) for marks in _MARKS)
    ),
    read_snapshots,
)
