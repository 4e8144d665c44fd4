"""One run from the files that both of its ends wrote."""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import fields, replace
from typing import TypeAlias, TypeVar

from netmodel.consumption import Side
from netmodel.readers._measurement import CpuUse, Direction, Measurement

_Row = TypeVar("_Row")
_Ends: TypeAlias = dict[Side, tuple[int, Measurement]]
"""Index and row of each end of a run."""

_MAX_CLOCK_OFFSET_S = 60.0
"""
Largest difference between the begins of one run by the clocks of its hosts. Clocks under NTP agree
within a second, others drift by seconds a day. Two runs between the same ports begin further apart:
TCP keeps a closed pair of ports for a minute (Linux, ``TCP_TIMEWAIT_LEN``).
"""
_MAX_GOODPUT_DIFFERENCE_RATIO = 0.1
"""One end may count less by what is in flight and by rounding; runs on reused ports differ more."""
_KNOWN_BY_SENDER = (
    *("segment_bytes", "path_mtu_bytes", "congestion_control", "retransmit_count"),
    *("lossy_interval_count", "peer_window_bytes", "congestion_window_bytes"),
    *("round_trip_s", "least_round_trip_s", "offered_rate_bps"),
)
"""Fields that are those of the sender's file."""
_OF_RECEIVER = ("source", "raw_text", "sha256", "part", "recorded_by")
"""Fields that are those of the receiver's file, in whose place the run stands."""
_OF_ONE_FILE = frozenset({"part", "why_no_goodput", "goodput_half_width_bps"})
"""Fields that have no meaning beside the figures of the other file."""


def join_ends(rows: Sequence[_Row]) -> tuple[_Row | Measurement, ...]:
    """
    Join the results that both ends of one run recorded.

    Parameters
    ----------
    rows : sequence
        Measurements and anything else, such as the rows of `FoundResults`.

    Returns
    -------
    rows : tuple
        In their order, with one row for each direction of a run: in the place
        of the file that the receiver wrote, with its source. The goodput is
        that of the receiver's file if it has one; windows, round trips and
        retransmissions are those of the sender, and the CPU time of each end is
        that which it recorded itself. A copy keeps its row, with a note.

    Notes
    -----
    Two files are of one run where tool, ``run_id`` and direction are the same,
    known begins are at most 60 s and known goodputs at most 10 % apart, and one
    is of the client, the other of the server. Copies are of the same end, with
    the same content or the same begin, duration and goodput.

    Examples
    --------
    Client and server wrote a file each; the goodput is that of the receiver:

    >>> from dataclasses import replace
    >>> from netmodel.consumption import Side
    >>> from netmodel.readers import Direction
    >>> client = Measurement(
    ...     source="client.json", sha256="1", tool="iperf3", run_id="a", recorded_by=Side.CLIENT,
    ...     direction=Direction.CLIENT_TO_SERVER, duration_s=10, goodput_bps=9.40e9,
    ... )
    >>> server = replace(
    ...     client, source="server.json", sha256="2", recorded_by=Side.SERVER, goodput_bps=9.39e9
    ... )
    >>> [(each.source, each.goodput_bps) for each in join_ends([client, server])]
    [('server.json', 9390000000.0)]
    """
    pairs, copies = _pairs_and_copies(rows)
    joined: dict[int, Measurement | None] = {}
    for ends in pairs:
        place, run = _joined(ends)
        joined |= dict.fromkeys(index for index, _ in ends.values()) | {place: run}
    for index, (copy, first) in copies.items():
        also = f"the same run is also in {first.source}"
        joined[index] = replace(copy, notes=(*copy.notes, also))
    remaining = (joined.get(index, row) for index, row in enumerate(rows))
    return tuple(row for row in remaining if row is not None)


def counted_once(runs: Sequence[Measurement]) -> tuple[Measurement, ...]:
    """The runs with their ends joined, and none of them twice, however many files it is in."""
    _, copies = _pairs_and_copies(runs)
    return join_ends([run for index, run in enumerate(runs) if index not in copies])


def _pairs_and_copies(
    rows: Sequence[object],
) -> tuple[list[_Ends], dict[int, tuple[Measurement, Measurement]]]:
    """
    Both ends of each run; and, by the index of its row, each copy with the first one.

    Thousands of runs may share an id: ends that wait for their other are found by their minute.
    """
    pairs: list[_Ends] = []
    copies: dict[int, tuple[Measurement, Measurement]] = {}
    seen: dict[Hashable, Measurement] = {}
    waiting: dict[Hashable, dict[float | None, dict[int, Measurement]]] = defaultdict(dict)
    for index, row in enumerate(rows):
        if not isinstance(row, Measurement) or row.run_id is None or row.error is not None:
            continue
        if row.direction is None or (side := row.recorded_by) is None:
            continue
        id_, begin_s = (row.tool, row.run_id, row.direction), row.begin_utc_s
        contents: list[Hashable] = [(id_, side, row.sha256, row.part)]
        if row.goodput_bps is not None:
            contents.append((id_, side, row.goodput_bps, row.duration_s, begin_s))
        first = next((seen[each] for each in contents if each in seen), None)
        if first is not None:
            copies[index] = row, first
            continue
        seen |= dict.fromkeys(contents, row)
        (other_side,) = {*Side} - {side}
        others = waiting[id_, other_side]
        minute = None if begin_s is None else begin_s // _MAX_CLOCK_OFFSET_S
        minutes = [*others] if minute is None else [minute - 1, minute, minute + 1, None]
        near = (
            (each, place, other)
            for each in minutes
            for place, other in others.get(each, {}).items()
            if _are_near(row, other)
        )
        found = next(near, None)
        if found is None:
            waiting[id_, side].setdefault(minute, {})[index] = row
        else:
            pairs.append({side: (index, row), other_side: found[1:]})
            del others[found[0]][found[1]]
    return pairs, copies


def _are_near(*ends: Measurement) -> bool:
    """Whether begins and goodputs, where both are known, may be those of one run."""
    begins_s = [each.begin_utc_s for each in ends if each.begin_utc_s is not None]
    goodputs_bps = [each.goodput_bps for each in ends if each.goodput_bps is not None]
    least_bps = (1 - _MAX_GOODPUT_DIFFERENCE_RATIO) * max(goodputs_bps, default=0)
    apart_s = max(begins_s, default=0) - min(begins_s, default=0)
    return apart_s <= _MAX_CLOCK_OFFSET_S and min(goodputs_bps, default=0) >= least_bps


def _joined(ends: _Ends) -> tuple[int, Measurement]:
    """Index of the receiver's row, and the run as both ends report it."""
    (_, client), (_, server) = ends[Side.CLIENT], ends[Side.SERVER]
    at_receiver = Side.SERVER if client.direction is Direction.CLIENT_TO_SERVER else Side.CLIENT
    place, receiver = ends[at_receiver]
    sender = client if receiver is server else server
    judged, other, whose = receiver, sender, "receiver"
    if receiver.goodput_bps is None and sender.goodput_bps is not None:
        judged, other, whose = sender, receiver, "sender"
    values = {
        each.name: getattr(other, each.name)
        for each in fields(Measurement)
        if getattr(judged, each.name) is None and each.name not in _OF_ONE_FILE
    }
    own = {name: getattr(sender, name) for name in _KNOWN_BY_SENDER}
    values |= {name: value for name, value in own.items() if value is not None}
    values |= {name: getattr(receiver, name) for name in _OF_RECEIVER}
    note = f"joined with {sender.source}: goodput is that of the {whose}'s file"
    # CPU time of each end, as its own file has it if it reports it
    cpu: dict[object, CpuUse] = {}
    for run in (client, server):
        for use in run.cpu:
            if (use.scope, use.side) not in cpu or use.side is run.recorded_by:
                cpu[use.scope, use.side] = use
    return place, replace(
        judged,
        **values,
        cpu=tuple(cpu.values()),
        notes=tuple(dict.fromkeys((*receiver.notes, *sender.notes, note))),
    )
