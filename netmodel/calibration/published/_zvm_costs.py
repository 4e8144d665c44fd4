"""Times of frames, bytes and requests that the CPU costs in the tables of z/VM allow."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from netmodel._estimates import Estimate
from netmodel.calibration._fit import fit
from netmodel.calibration._likelihood import Noise
from netmodel.calibration._models._base import Point
from netmodel.calibration._models._path import PathModel, host_cost_model
from netmodel.calibration._observed import Observed
from netmodel.calibration._sets import as_printed, feasible_set
from netmodel.calibration.published._zvm_tables import COUNT, REQUESTS, STREAM, Series
from netmodel.consumption import Side
from netmodel.errors import ContradictionError
from netmodel.path import Path, Pool, Stage

__all__ = ["Load", "PartCosts", "part_costs"]

_CPU, _POOL = "cpu", "cpus"
_FREE = {
    "per_message_s": ("cpu.to_server.per_message_s",),
    "per_frame_s": ("cpu.to_client.per_frame_s",),
    "per_byte_s": ("cpu.to_client.per_byte_s",),
}

_STREAMS = host_cost_model(Side.CLIENT).with_fixed({"per_message_s": 0.0})
"""A stream without end: a time for each frame, and one for each byte."""
_TRANSACTIONS = PathModel(
    Path(
        stages=(Stage(name=_CPU, side=Side.CLIENT, pool=_POOL),),
        pools=(Pool(_POOL, None, Side.CLIENT),),
    ),
    _FREE,
)
"""A request and its response, whose frames and bytes cost what those of a stream do."""


class Times(NamedTuple):
    """A time for each frame and one for each byte. [s]"""

    per_frame_s: float
    per_byte_s: float


@dataclass(frozen=True, slots=True)
class Apart:
    """
    Costs that no times of frames and bytes have together.

    Parameters
    ----------
    conflict : str
        Which they are, and how far they are from agreeing.
    per_frame_s : float
        What a frame would have to take for the figures as printed. [s]
    """

    conflict: str
    per_frame_s: float


@dataclass(frozen=True, slots=True)
class Load:
    """
    Times of one part with one number of clients.

    Parameters
    ----------
    connection_count : int
        The number.
    times : tuple of Times
        What the costs of streams allow, each once, the one to quote first.
    printed_count : int
        How many of them, from the first on, take figures as printed.
    apart : Apart, optional
        Why that is no time under which all of them are true.
    per_request_s : Estimate, optional
        What a request takes besides the frame and the bytes of its response; None
        where the tables do not tell the cost of requests. [s]
    """

    connection_count: int
    times: tuple[Times, ...]
    printed_count: int
    apart: Apart | None
    per_request_s: Estimate | None


@dataclass(frozen=True, slots=True)
class PartCosts:
    """
    Times of one part of the CPU time of a path.

    Parameters
    ----------
    loads : tuple of Load
        With each number of clients, fewest first.
    streams : tuple of Observed
        Costs of streams.
    requests : tuple of Observed
        Costs of requests; empty where their figures are refused.
    """

    loads: tuple[Load, ...]
    streams: tuple[Observed, ...]
    requests: tuple[Observed, ...]

    @property
    def payloads_bytes(self) -> tuple[float, ...]:
        """Least and most payload in the frames that come in; one where all have the same. [byte]"""
        sizes = [size for one in self.streams for size in _STREAMS.frame_payloads(one.at).values()]
        sizes += [_TRANSACTIONS.frame_payloads(one.at)["to_client"] for one in self.requests]
        return tuple(sorted({min(sizes), max(sizes)}))

    @property
    def request_payload_bytes(self) -> float:
        """Payload in the frame of a request. [byte]"""
        (size,) = {_TRANSACTIONS.frame_payloads(one.at)["to_server"] for one in self.requests}
        return size


def part_costs(series: Series, part: str) -> PartCosts:
    """Times of a part, such as ``"emulation"``, of one path in one layer."""
    streams, requests = series.costs(part, STREAM), series.costs(part, REQUESTS)
    counts = sorted({int(one.at[COUNT]) for one in streams})
    loads = (_load(count, _with(streams, count), _with(requests, count)) for count in counts)
    return PartCosts(tuple(loads), streams, requests)


def _with(observed: Sequence[Observed], count: int) -> list[Observed]:
    return [one for one in observed if one.at[COUNT] == count]


def _load(count: int, streams: list[Observed], requests: list[Observed]) -> Load:
    printed, rounded, apart = _times(streams)
    return Load(
        count,
        tuple(dict.fromkeys([*printed, *rounded])),
        len(dict.fromkeys(printed)),
        apart,
        _per_request_s(printed[0], requests) if requests else None,
    )


def _times(streams: list[Observed]) -> tuple[list[Times], list[Times], Apart | None]:
    """Corners of all that figures leave: as printed, and with their rounding."""
    try:
        found = feasible_set(streams, _STREAMS)
    except ContradictionError as contradiction:
        likeliest, *others = _nearest_times(streams)
        return [likeliest], others, Apart(str(contradiction), _wanted_per_frame_s(streams))
    printed, rounded = (
        [Times(*map(float, one)) for one in corners]
        for corners in (found.printed_vertices, found.vertices)
    )
    return printed, rounded, None


def _nearest_times(streams: list[Observed]) -> list[Times]:
    """The least squares, and with the same time at 0 what each figure alone allows."""
    likeliest = fit(as_printed(streams), _STREAMS, noise=Noise.ABSOLUTE)
    bounded = _STREAMS.with_fixed(dict.fromkeys(likeliest.active_bounds, 0.0))
    corners = [Times(**likeliest.values)]
    for one in streams:
        for end in feasible_set([one], bounded).vertices:
            free = dict(zip((name.name for name in bounded.parameters), end, strict=True))
            corners.append(Times(**{**dict.fromkeys(Times._fields, 0.0), **free}))
    return corners


def _wanted_per_frame_s(streams: list[Observed]) -> float:
    rows = np.concatenate([_STREAMS.loads(_point(one)).coefficients for one in streams])
    per_frame_s, _ = np.linalg.solve(rows, np.array([one.figure for one in streams], float))
    return float(per_frame_s)


def _per_request_s(times: Times, requests: list[Observed]) -> Estimate:
    model = _TRANSACTIONS.with_fixed(times._asdict())
    return feasible_set(requests, model).parameters["per_message_s"]


def _point(one: Observed) -> Point:
    return Point(one.quantity, one.at)
