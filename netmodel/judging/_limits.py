"""Rates that a run could not exceed."""

from dataclasses import dataclass, field

from netmodel.ceilings import LineCeiling
from netmodel.errors import ContradictionError
from netmodel.readers import Measurement
from netmodel.units import BITS_PER_BYTE

__all__ = ["Limit", "LineLimits", "NotJudgeableError"]

OF_THE_LINE = frozenset({"wire", "segment_size", "messages"})
"""Limits that the line sets, with its headers."""


@dataclass(frozen=True, slots=True)
class Limit:
    """
    A rate that the run could not exceed, by name.

    Parameters
    ----------
    name : str
        ``"wire"``, or what else limits.
    value_bps : float
        The rate. [bit/s]
    low_bps, high_bps : float, optional
        Ends of the range that is known of it; both the value when left out. [bit/s]
    carrier : str
        What allows this rate, in words; that part of the path when left out.
    """

    name: str
    value_bps: float
    low_bps: float | None = None
    high_bps: float | None = None
    carrier: str = ""

    @property
    def figures_bps(self) -> dict[str, float]:
        """Its value, and the ends of its range where they are known. [bit/s]"""
        named = {"value": self.value_bps, "low": self.low_bps, "high": self.high_bps}
        return {name: rate_bps for name, rate_bps in named.items() if rate_bps is not None}

    @property
    def bounds_bps(self) -> tuple[float, float]:
        """Least and most that it may be. [bit/s]"""
        low_bps = self.value_bps if self.low_bps is None else self.low_bps
        return low_bps, self.value_bps if self.high_bps is None else self.high_bps


@dataclass(frozen=True, slots=True)
class LineLimits:
    """
    All limits that are known of a run.

    Parameters
    ----------
    limits : tuple of Limit
        The wire first; then segment size and messages, those of the path, and
        those that the run itself tells.
    ceiling : LineCeiling
        The line with the headers and MTU that the limits rest on; None where
        frames are judged.
    warnings : tuple of str
        What had to be taken from the run, and what contradicts.
    frame_wire_bytes : float
        Mean length of a frame on the wire, where frames are judged instead of
        payload: the limits are then rates of all bits on the wire. [byte]
    binding : Limit
        The smallest limit, which follows from them.
    """

    limits: tuple[Limit, ...]
    ceiling: LineCeiling | None = None
    warnings: tuple[str, ...] = ()
    frame_wire_bytes: float | None = None
    binding: Limit = field(init=False, compare=False)

    @property
    def frame_bits(self) -> float | None:
        """Bits of a frame on the wire, where frames are judged and not payload."""
        return None if self.frame_wire_bytes is None else self.frame_wire_bytes * BITS_PER_BYTE

    def measured_bps(self, run: Measurement) -> float | None:
        """What of a run the limits hold for: its goodput, or all bits of frames. [bit/s]"""
        return run.goodput_bps if self.frame_wire_bytes is None else run.layer1_rate_bps

    @property
    def line_rate_bps(self) -> float:
        """MAC rate of the line. [bit/s]"""
        return self.ceiling.line_rate_bps if self.ceiling else self.limits[0].value_bps

    @property
    def transport(self) -> str | None:
        """Transport that the limits rest on; None where frames are judged."""
        return self.ceiling.stack.protocols[-1] if self.ceiling else None

    @property
    def mtu_bytes(self) -> int | None:
        """MTU that the limits rest on. [byte]"""
        return self.ceiling.mtu_bytes if self.ceiling else None

    def __post_init__(self) -> None:
        smallest = min(self.limits, key=lambda limit: limit.value_bps)
        object.__setattr__(self, "binding", smallest)

    @property
    def binds_beside_the_line(self) -> bool:
        """Whether a part of the path binds that is not the line."""
        return self.binding.name not in OF_THE_LINE

    @property
    def bounds_bps(self) -> tuple[float, float]:
        """Least and most that the smallest limit may be. [bit/s]"""
        lows_bps, highs_bps = zip(*(limit.bounds_bps for limit in self.limits), strict=True)
        return min(lows_bps), min(highs_bps)


class NotJudgeableError(ContradictionError):
    """Too little is known of the line or of the run."""
