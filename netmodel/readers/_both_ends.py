"""One run from the files that both of its ends wrote."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TypeVar

from netmodel.consumption import CpuScope, Side
from netmodel.readers._measurement import CpuUse, Direction, Measurement

__all__ = ["counted_once", "with_ends_joined"]

_Row = TypeVar("_Row")

_CLOCKS_APART_S = 60.0
"""
How far apart the clocks of two hosts may have the begin of one run. Hosts that keep time by NTP
agree within a second, others drift by seconds a day. Two runs between the same ports are further
apart: TCP keeps a closed pair of ports for a minute (Linux, ``TCP_TIMEWAIT_LEN``).
"""
_GOODPUTS_APART_RATIO = 0.1
"""What one end may count less than the other; runs that use the same ports again differ more."""
_SEEN_BY_SENDER = (
    *("segment_bytes", "path_mtu_bytes", "congestion_control", "retransmit_count"),
    *("peer_window_bytes", "congestion_window_bytes", "round_trip_s", "least_round_trip_s"),
    *("offered_rate_bps", "reported_rate_bps"),
)
"""What the sender knows better than the receiver."""
_OF_ONE_FILE = frozenset({"part", "why_no_goodput", "goodput_half_width_bps"})
"""What means nothing beside the figures of the other file."""


@dataclass(slots=True)
class _Run:
    """One direction of a run: the first row of each end and where it stands, and its copies."""

    ends: dict[Side, tuple[int, Measurement]] = field(default_factory=dict)
    copies: list[tuple[int, Measurement]] = field(default_factory=list)

    def takes(self, index: int, row: Measurement) -> bool:
        """Take a row that is of this run; False where it is of another one."""
        if row.recorded_by is None or not all(
            _may_be_one(row, end) for _, end in self.ends.values()
        ):
            return False
        if row.recorded_by not in self.ends:
            self.ends[row.recorded_by] = index, row
            return True
        _, first = self.ends[row.recorded_by]
        is_copy = row.sha256 == first.sha256 or (
            row.goodput_bps is not None
            and (row.goodput_bps, row.duration_s) == (first.goodput_bps, first.duration_s)
        )
        if is_copy:
            self.copies.append((index, row))
        return is_copy


def with_ends_joined(rows: Sequence[_Row]) -> tuple[_Row | Measurement, ...]:
    """
    Join what the files of both ends report of one run.

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
        retransmissions are those of the sender, and the CPU time of each end
        is that which it recorded itself. A copy keeps its row, with a warning.

    Notes
    -----
    Files are of one run where tool, ``run_id`` and direction are the same, the
    begins are at most 60 s apart and the goodputs at most 10 %, as far as they
    are known, and one is of the client and one of the server. Copies are of the
    same end, with the same content or the same goodput and duration.
    """
    joined: dict[int, Measurement | None] = {}
    for run in _runs(rows):
        (_, first), *others = run.ends.values()
        if others:
            joined |= dict.fromkeys(index for index, _ in run.ends.values())
            place, judged = _joined(run.ends)
            joined[place] = judged
        for index, copy in run.copies:
            note = f"the same run is in {first.source} too"
            joined[index] = replace(copy, warnings=(*copy.warnings, note))
    remaining = (joined.get(index, row) for index, row in enumerate(rows))
    return tuple(row for row in remaining if row is not None)


def counted_once(runs: Sequence[Measurement]) -> tuple[Measurement, ...]:
    """The runs with their ends joined, and none of them twice, however many files it is in."""
    copies = {index for run in _runs(runs) for index, _ in run.copies}
    return with_ends_joined([run for index, run in enumerate(runs) if index not in copies])


def _runs(rows: Sequence[object]) -> list[_Run]:
    found: dict[tuple[str, str, Direction], list[_Run]] = {}
    for index, row in enumerate(rows):
        if not isinstance(row, Measurement) or row.run_id is None or row.error is not None:
            continue
        if row.direction is None or row.recorded_by is None:
            continue
        runs = found.setdefault((row.tool, row.run_id, row.direction), [])
        if not any(run.takes(index, row) for run in runs):
            runs.append(_Run({row.recorded_by: (index, row)}))
    return [run for runs in found.values() for run in runs]


def _may_be_one(row: Measurement, other: Measurement) -> bool:
    """Whether begins and goodputs are those of one run, as far as they are known."""
    begins_s, goodputs_bps = (
        [getattr(one, name) for one in (row, other)] for name in ("begin_utc_s", "goodput_bps")
    )
    if None not in begins_s and abs(begins_s[0] - begins_s[1]) > _CLOCKS_APART_S:
        return False
    least_ratio = 1 - _GOODPUTS_APART_RATIO
    return None in goodputs_bps or min(goodputs_bps) >= least_ratio * max(goodputs_bps)


def _joined(ends: dict[Side, tuple[int, Measurement]]) -> tuple[int, Measurement]:
    """What both ends tell of a run, and the place of the receiver's row."""
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
    of_sender = {
        name: getattr(sender, name) for name in _SEEN_BY_SENDER if getattr(sender, name) is not None
    }
    whose = "sender" if is_of_sender else "receiver"
    note = f"the same run is in {sender.source} too: goodput is taken from the {whose}'s file"
    return place, replace(
        judged,
        **(of_other | of_sender),
        source=receiver.source,
        raw_text=receiver.raw_text,
        sha256=receiver.sha256,
        part=receiver.part,
        recorded_by=at_receiver,
        cpu=_cpu_of_both(client, server),
        warnings=tuple(dict.fromkeys((*receiver.warnings, *sender.warnings, note))),
    )


def _cpu_of_both(client: Measurement, server: Measurement) -> tuple[CpuUse, ...]:
    """CPU time of each end once, as its own file has it if that tells it."""
    found: dict[tuple[CpuScope, Side], CpuUse] = {}
    for run in (client, server):
        for use in run.cpu:
            if (use.scope, use.side) not in found or use.side is run.recorded_by:
                found[use.scope, use.side] = use
    return tuple(found.values())
