"""One run from the files that both of its ends wrote."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import islice
from operator import itemgetter
from typing import TypeVar

from netmodel.consumption import CpuScope, Side
from netmodel.readers._measurement import CpuUse, Direction, Measurement

_Row = TypeVar("_Row")

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
    "lossy_interval_count",
    *("peer_window_bytes", "congestion_window_bytes", "round_trip_s", "least_round_trip_s"),
    "offered_rate_bps",
)
"""Fields that are those of the sender's file."""
_OF_ONE_FILE = frozenset({"part", "why_no_goodput", "goodput_half_width_bps"})
"""Fields that have no meaning beside the figures of the other file."""


@dataclass(slots=True)
class _Run:
    """One direction of a run: the index and the first row of each end, and of each copy."""

    minute: float | None
    """In which its first end began."""
    ends: dict[Side, tuple[int, Measurement]] = field(default_factory=dict)
    copies: list[tuple[int, Measurement]] = field(default_factory=list)

    def may_have(self, row: Measurement) -> bool:
        """Whether begin and goodput of a row are near to those of all ends."""
        rows = [row, *(end for _, end in self.ends.values())]
        begins_s = [each.begin_utc_s for each in rows if each.begin_utc_s is not None]
        goodputs_bps = [each.goodput_bps for each in rows if each.goodput_bps is not None]
        least_bps = (1 - _MAX_GOODPUT_DIFFERENCE_RATIO) * max(goodputs_bps, default=0)
        return (
            max(begins_s, default=0) - min(begins_s, default=0) <= _MAX_CLOCK_OFFSET_S
            and min(goodputs_bps, default=0) >= least_bps
        )


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
    the same content or the same goodput and duration.

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
    joined: dict[int, Measurement | None] = {}
    for run in _runs(rows):
        (_, first), *others = run.ends.values()
        if others:
            joined |= dict.fromkeys(index for index, _ in run.ends.values())
            place, judged = _joined(run.ends)
            joined[place] = judged
        for index, copy in run.copies:
            note = f"the same run is also in {first.source}"
            joined[index] = replace(copy, notes=(*copy.notes, note))
    remaining = (joined.get(index, row) for index, row in enumerate(rows))
    return tuple(row for row in remaining if row is not None)


def counted_once(runs: Sequence[Measurement]) -> tuple[Measurement, ...]:
    """The runs with their ends joined, and none of them twice, however many files it is in."""
    copies = {index for run in _runs(runs) for index, _ in run.copies}
    return join_ends([run for index, run in enumerate(runs) if index not in copies])


def _runs(rows: Sequence[object]) -> list[_Run]:
    """
    Rows grouped by run and direction; rows without an id are in none.

    A row is of the first run that it is near to, and that lacks its end or has it already: then it
    is a copy. Thousands of runs may share an id, so they are found by that and by their minute.
    """
    runs: list[_Run] = []
    found: dict[Hashable, dict[int, _Run]] = {}
    for index, row in enumerate(rows):
        if not isinstance(row, Measurement) or row.run_id is None or row.error is not None:
            continue
        if row.direction is None or row.recorded_by is None:
            continue
        id_ = row.tool, row.run_id, row.direction
        contents: list[Hashable] = [(*id_, row.recorded_by, row.sha256)]
        if row.goodput_bps is not None:
            contents.append((*id_, row.recorded_by, row.goodput_bps, row.duration_s))
        lacking = {side: (*id_, side) for side in Side}
        begin_s = row.begin_utc_s
        minute = None if begin_s is None else begin_s // _MAX_CLOCK_OFFSET_S
        minutes: tuple[object, ...] = ("any",)
        if minute is not None:
            minutes = minute - 1, minute, minute + 1, None
        near: list[tuple[int, _Run]] = []
        for key in (lacking[row.recorded_by], *contents):
            for each in minutes:
                those = (
                    (n, run) for n, run in found.get((key, each), {}).items() if run.may_have(row)
                )
                # runs that lack an end stand in their order
                near += islice(those, 1) if key == lacking[row.recorded_by] else those
        number, run = min(near, key=itemgetter(0), default=(len(runs), _Run(minute)))
        if row.recorded_by in run.ends:
            run.copies.append((index, row))
            continue
        if run.ends:
            for each in (run.minute, "any"):
                del found[lacking[row.recorded_by], each][number]
        else:
            runs.append(run)
            (other,) = {*Side} - {row.recorded_by}
            contents.append(lacking[other])
        run.ends[row.recorded_by] = index, row
        for key in contents:
            for each in (run.minute, "any"):
                found.setdefault((key, each), {})[number] = run
    return runs


def _joined(ends: dict[Side, tuple[int, Measurement]]) -> tuple[int, Measurement]:
    """Index of the receiver's row, and the run as both ends report it."""
    (_, client), (_, server) = ends[Side.CLIENT], ends[Side.SERVER]
    at_receiver = Side.SERVER if client.direction is Direction.CLIENT_TO_SERVER else Side.CLIENT
    place, receiver = ends[at_receiver]
    sender = client if receiver is server else server
    is_of_sender = receiver.goodput_bps is None and sender.goodput_bps is not None
    judged, other = (sender, receiver) if is_of_sender else (receiver, sender)
    of_other = {
        each.name: getattr(other, each.name)
        for each in fields(Measurement)
        if getattr(judged, each.name) is None and each.name not in _OF_ONE_FILE
    }
    own = {name: getattr(sender, name) for name in _KNOWN_BY_SENDER}
    of_sender = {name: value for name, value in own.items() if value is not None}
    whose = "sender" if is_of_sender else "receiver"
    note = f"joined with {sender.source}: goodput is that of the {whose}'s file"
    # CPU time of each end, as its own file has it if it reports it
    cpu: dict[tuple[CpuScope, Side], CpuUse] = {}
    for run in (client, server):
        for use in run.cpu:
            if (use.scope, use.side) not in cpu or use.side is run.recorded_by:
                cpu[use.scope, use.side] = use
    return place, replace(
        judged,
        **(of_other | of_sender),
        source=receiver.source,
        raw_text=receiver.raw_text,
        sha256=receiver.sha256,
        part=receiver.part,
        recorded_by=at_receiver,
        cpu=tuple(cpu.values()),
        notes=tuple(dict.fromkeys((*receiver.notes, *sender.notes, note))),
    )
