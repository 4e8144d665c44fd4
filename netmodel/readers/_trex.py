"""Results of TRex: what ``get_stats()`` of its stateless client returns, as JSON."""

from dataclasses import replace
from typing import NamedTuple

from netmodel.errors import DomainError, ParseError
from netmodel.readers._document import Node, RawText, Source, load_json_values, read_text
from netmodel.readers._format import Format
from netmodel.readers._measurement import Measurement
from netmodel.readers._printed import rate_disagreement
from netmodel.units import BITS_PER_BYTE

__all__ = ["TREX", "read_trex"]

_TOOL = "TRex"
_TOTAL = "total"
_PREAMBLE_AND_GAP_BYTES = 20
_MOST_SNAPSHOTS = 2
_SHORTEST_S = 1e-3


class _Rates(NamedTuple):
    """Frames and bits that arrive per second."""

    frame_rate_fps: float
    layer2_rate_bps: float
    layer1_rate_bps: float
    warnings: tuple[str, ...] = ()


def read_trex(source: Source, interval_s: float | None = None) -> tuple[Measurement, ...]:
    """
    Read a result of TRex.

    Parameters
    ----------
    source : path, bytes or mapping
        JSON of what ``get_stats()`` returned: one snapshot, or two, in a list or
        one behind the other; or its content, as bytes or as the dictionary.
    interval_s : float, optional
        Time between two snapshots, which they do not tell. [s]

    Returns
    -------
    measurements : tuple of Measurement
        One for each port, and one for all ports together; `part` names them.

    Raises
    ------
    ParseError
        If the file is not such JSON, counters of the second snapshot are less
        than those of the first, or a value cannot be; the message names the
        file and the key.
    DomainError
        If there is a time between snapshots, and it is not positive.

    Notes
    -----
    Rates are those of frames that arrive at a port: of the moment of the last
    snapshot as TRex averages them, or, with `interval_s`, from the counters of
    two. Layer 2 is from destination address to FCS, as TRex counts it; on layer
    1 every frame takes 20 byte more, preamble and gap. What the frames hold is
    not known, so that there is no goodput.

    The share that was lost is that of all ports together, from the counters
    since they were cleared, or between two snapshots; frames that are under way
    count as lost. Statistics of flows, latencies and CPU of TRex are left out.

    References
    ----------
    TRex stateless documentation, client module ``STLClient.get_stats``. Files
    made from the documentation, none captured.
    """
    if interval_s is not None and not _SHORTEST_S <= interval_s < float("inf"):
        raise DomainError(f"interval_s must be at least {_SHORTEST_S} s; got {interval_s}")
    return _read(read_text(source), interval_s)


def _read(raw: RawText, interval_s: float | None = None) -> tuple[Measurement, ...]:
    snapshots = _snapshots(raw)
    before = snapshots[0] if len(snapshots) == _MOST_SNAPSHOTS else None
    after = snapshots[-1]
    if interval_s is not None and before is None:
        raise ParseError(raw.source, "holds one snapshot; a time between two cannot be used")
    run = Measurement(
        source=raw.source,
        raw_text=raw.text,
        sha256=raw.sha256,
        tool=_TOOL,
        why_no_goodput="TRex counts frames, not the payload in them",
        duration_s=interval_s,
    )
    ports = sorted((key for key in after.value if key.isdecimal()), key=lambda key: (len(key), key))
    if not ports:
        raise ParseError(raw.source, "not a result of TRex: it has no port")
    measured = [
        _with_rates(run, key, before and before.child(key), after.child(key))
        for key in (*ports, _TOTAL)
    ]
    *of_ports, of_all = measured
    return (*of_ports, _with_loss(of_all, before and before.child(_TOTAL), after.child(_TOTAL)))


def _snapshots(raw: RawText) -> list[Node]:
    values = load_json_values(raw)
    if len(values) == 1 and isinstance(values[0], list):
        snapshots = Node(raw.source, "", values[0]).items()
    else:
        paths = [""] if len(values) == 1 else [f"[{index}]" for index in range(len(values))]
        snapshots = [Node(raw.source, *pair) for pair in zip(paths, values, strict=True)]
    if not 0 < len(snapshots) <= _MOST_SNAPSHOTS:
        raise ParseError(raw.source, f"holds {len(snapshots)} snapshots; keep one or two in a file")
    for snapshot in snapshots:
        if not (snapshot.has(_TOTAL) and snapshot.child(_TOTAL).has("ipackets")):
            raise ParseError(raw.source, "not a result of TRex: it has no total.ipackets")
    return snapshots


def _with_rates(run: Measurement, key: str, before: Node | None, after: Node) -> Measurement:
    """The run with what arrives at a port."""
    if run.duration_s and before is not None:
        rates = _counted_rates(before, after, run.duration_s)
    else:
        rates = _printed_rates(after)
    return replace(
        run,
        part=key if key == _TOTAL else f"port {key}",
        frame_rate_fps=rates.frame_rate_fps,
        layer2_rate_bps=rates.layer2_rate_bps,
        layer1_rate_bps=rates.layer1_rate_bps,
        warnings=run.warnings + rates.warnings,
    )


def _printed_rates(port: Node) -> _Rates:
    frame_rate_fps, layer2_bps = float(port.number("rx_pps")), float(port.number("rx_bps"))
    layer1_bps = layer2_bps + _between_frames_bps(frame_rate_fps)
    if not port.has("rx_bps_L1"):
        return _Rates(frame_rate_fps, layer2_bps, layer1_bps)
    printed_bps = port.number("rx_bps_L1")
    warnings = rate_disagreement(_TOOL, printed_bps, layer1_bps, 0.0)
    return _Rates(frame_rate_fps, layer2_bps, layer1_bps, warnings)


def _counted_rates(before: Node, after: Node, interval_s: float) -> _Rates:
    frame_rate_fps = _counted(before, after, "ipackets") / interval_s
    layer2_bps = _counted(before, after, "ibytes") * BITS_PER_BYTE / interval_s
    return _Rates(frame_rate_fps, layer2_bps, layer2_bps + _between_frames_bps(frame_rate_fps))


def _between_frames_bps(frame_rate_fps: float) -> float:
    return _PREAMBLE_AND_GAP_BYTES * BITS_PER_BYTE * frame_rate_fps


def _with_loss(run: Measurement, before: Node | None, after: Node) -> Measurement:
    """The run with the share of the frames of all ports that did not arrive."""
    sent, arrived = (_counted(before, after, key) for key in ("opackets", "ipackets"))
    if not sent:
        return run
    if arrived > sent:
        more = f"more frames arrived ({arrived}) than TRex sent ({sent})"
        return replace(run, warnings=(*run.warnings, more))
    return replace(run, lost_ratio=1 - arrived / sent)


def _counted(before: Node | None, after: Node, key: str) -> int:
    """What a counter counted, since it was cleared or the first snapshot."""
    count = after.count(key)
    if before is None:
        return count
    earlier = before.count(key)
    if count < earlier:
        raise after.child(key).fault(f"is less than in the first snapshot: {count} after {earlier}")
    return count - earlier


def _is_trex(text: str) -> bool:
    """Whether it is JSON with the counters of TRex."""
    marks = ('"opackets"', '"ipackets"', '"total"')
    return text.lstrip()[:1] in {"{", "["} and all(mark in text for mark in marks)


TREX = Format("trex", _is_trex, _read)
