"""One run from the files that both of its ends wrote."""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import TypeAlias, TypeVar

from netmodel.consumption import CpuScope, Side
from netmodel.readers._measurement import CpuUse, Direction, Measurement

__all__ = ["counted_once", "with_ends_joined"]

_Row = TypeVar("_Row")
_Ends: TypeAlias = dict[Side, tuple[int, Measurement]]
"""The first row of each end of one direction of a run, and where it stands."""

_CLOCKS_APART_S = 60.0
"""
How far apart the clocks of two hosts may have the begin of one run. Hosts that keep time by NTP
agree within a second, others drift by seconds a day. Two runs between the same ports are further
apart: TCP keeps a closed pair of ports for a minute (Linux, ``TCP_TIMEWAIT_LEN``).
"""
_SEEN_BY_SENDER = (
    *("segment_bytes", "path_mtu_bytes", "congestion_control", "retransmit_count"),
    *("peer_window_bytes", "congestion_window_bytes", "round_trip_s", "least_round_trip_s"),
    *("offered_rate_bps", "reported_rate_bps"),
)
"""What the sender knows better than the receiver."""
_OF_ONE_FILE = frozenset({"part", "why_no_goodput", "goodput_half_width_bps"})
"""What means nothing beside the figures of the other file."""


def with_ends_joined(rows: Sequence[_Row]) -> tuple[_Row | Measurement, ...]:
    """
    Join what the files of both ends tell of one run.

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
        is that which it recorded itself. Where one end is in several files, the
        later ones keep their rows, with a warning.

    Notes
    -----
    Files are of one run where tool, ``run_id`` and direction are the same, the
    begins are at most 60 s apart as far as they are known, and one is of the
    client and one of the server.
    """
    runs, copies = _runs(rows)
    joined: dict[int, Measurement | None] = {}
    for ends in runs:
        if len(ends) == len(Side):
            joined |= dict.fromkeys(index for index, _ in ends.values())
            place, run = _joined(ends)
            joined[place] = run
    for index, (copy, source) in copies.items():
        note = f"the same run is in {source} too"
        joined[index] = replace(copy, warnings=(*copy.warnings, note))
    told = (joined.get(index, row) for index, row in enumerate(rows))
    return tuple(row for row in told if row is not None)


def counted_once(runs: Sequence[Measurement]) -> tuple[Measurement, ...]:
    """The runs with their ends joined, and none of them twice, however many files it is in."""
    _, copies = _runs(runs)
    return with_ends_joined([run for index, run in enumerate(runs) if index not in copies])


def _runs(rows: Sequence[object]) -> tuple[list[_Ends], dict[int, tuple[Measurement, str]]]:
    """Runs by their ends, and the rows that repeat one of these, with the source of that."""
    found: dict[tuple[str, str | None, Direction], list[_Ends]] = {}
    copies: dict[int, tuple[Measurement, str]] = {}
    for index, row in enumerate(rows):
        if not isinstance(row, Measurement) or row.run_id is None or row.error is not None:
            continue
        if row.direction is None or row.recorded_by is None:
            continue
        runs = found.setdefault((row.tool, row.run_id, row.direction), [])
        ends = next((ends for ends in runs if _is_same_time(row, ends)), None)
        if ends is None:
            runs.append({row.recorded_by: (index, row)})
        elif row.recorded_by in ends:
            copies[index] = row, ends[row.recorded_by][1].source
        else:
            ends[row.recorded_by] = index, row
    return [ends for runs in found.values() for ends in runs], copies


def _is_same_time(run: Measurement, ends: _Ends) -> bool:
    begins_s = [end.begin_utc_s for _, end in ends.values() if end.begin_utc_s is not None]
    return run.begin_utc_s is None or all(
        abs(run.begin_utc_s - begin_s) <= _CLOCKS_APART_S for begin_s in begins_s
    )


def _joined(ends: _Ends) -> tuple[int, Measurement]:
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
