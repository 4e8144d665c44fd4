"""Rates that a run could not exceed: those that the user specified, and those that it reports."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from netmodel.ceilings import LineCeiling
from netmodel.errors import ContradictionError
from netmodel.readers import Measurement
from netmodel.units import BITS_PER_BYTE

__all__ = ["Limit", "NotJudgeableError", "RunLimits", "over_all_cases"]

OF_THE_LINE = frozenset({"wire", "messages"})
"""Specified limits that the line sets, with its headers."""


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
        """Lowest and highest that it may be. [bit/s]"""
        low_bps = self.value_bps if self.low_bps is None else self.low_bps
        return low_bps, self.value_bps if self.high_bps is None else self.high_bps


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    """
    All limits that are known of a run.

    Parameters
    ----------
    line_rate_bps : float
        MAC rate of the line. [bit/s]
    specified : tuple of Limit
        What the user specified: the wire first, then messages, a rate cap, the
        path, and CPUs with their cost. Only these make a verdict.
    reported : tuple of Limit
        What the run reports about itself: segment size, offered rate, window and
        busy CPUs. They explain a result and never make it pass.
    ceiling : LineCeiling
        The line with the headers and MTU that the limits rest on; None where
        frames are judged, or where several cases are possible.
    transport : str
        Innermost protocol that the limits rest on; None where frames are
        judged, or where it is not known.
    warnings : tuple of str
        What had to be taken from the run, and what contradicts.
    frame_wire_bytes : float
        Mean length of a frame on the wire, where frames are judged instead of
        payload: the limits are then rates of all bits on the wire. [byte]
    unknown : tuple of str
        What would have to be specified so that one case is left: the limits are
        then the range over all cases.
    exceeds_mtu : bool
        Whether the run reports segments larger than the specified MTU carries.
    smallest : Limit
        The smallest specified limit, which follows from them.
    bounds_bps : tuple of float
        Lowest and highest that the smallest specified limit may be. [bit/s]
    """

    line_rate_bps: float
    specified: tuple[Limit, ...]
    reported: tuple[Limit, ...] = ()
    ceiling: LineCeiling | None = None
    transport: str | None = None
    warnings: tuple[str, ...] = ()
    frame_wire_bytes: float | None = None
    unknown: tuple[str, ...] = ()
    exceeds_mtu: bool = False
    smallest: Limit = field(init=False, compare=False)
    bounds_bps: tuple[float, float] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        smallest = min(self.specified, key=lambda limit: limit.value_bps)
        lows_bps, highs_bps = zip(*(limit.bounds_bps for limit in self.specified), strict=True)
        object.__setattr__(self, "smallest", smallest)
        object.__setattr__(self, "bounds_bps", (min(lows_bps), min(highs_bps)))

    @property
    def limits(self) -> tuple[Limit, ...]:
        """All of them, those that the user specified first."""
        return self.specified + self.reported

    @property
    def frame_bits(self) -> float | None:
        """Bits of a frame on the wire, where frames are judged and not payload."""
        return None if self.frame_wire_bytes is None else self.frame_wire_bytes * BITS_PER_BYTE

    def measured_bps(self, run: Measurement) -> float | None:
        """What of a run the limits hold for: its goodput, or all bits of frames. [bit/s]"""
        return run.goodput_bps if self.frame_wire_bytes is None else run.layer1_rate_bps

    @property
    def mtu_bytes(self) -> int | None:
        """MTU that the limits rest on. [byte]"""
        return self.ceiling.mtu_bytes if self.ceiling else None

    @property
    def is_of_the_line(self) -> bool:
        """Whether the line itself sets the smallest specified limit."""
        return self.smallest.name in OF_THE_LINE


def over_all_cases(cases: Sequence[RunLimits]) -> RunLimits:
    """
    The limits of a run of which several cases are possible, each as a range over them.

    Parameters
    ----------
    cases : sequence of RunLimits
        One for each MTU, transport or datagram size that is possible.

    Returns
    -------
    limits : RunLimits
        That of the only case; else the limits that all cases have, each from
        the lowest to the highest. A limit that not all have is not one in all
        cases: it lowers the range and never its upper end.
    """
    first, *others = cases
    if not others:
        return first
    named = [{limit.name: limit for limit in case.specified} for case in cases]
    in_all = [name for name in named[0] if all(name in each for each in named)]
    wire, *specified = (_widest([each[name] for each in named]) for name in in_all)
    lowest_bps = min(case.bounds_bps[0] for case in cases)
    return replace(
        first,
        specified=(replace(wire, low_bps=lowest_bps), *specified),
        ceiling=None,
        transport=first.transport if len({case.transport for case in cases}) == 1 else None,
        warnings=tuple(dict.fromkeys(text for case in cases for text in case.warnings)),
    )


def _widest(limits: Sequence[Limit]) -> Limit:
    """One limit over several cases, whose value is its upper end."""
    lows_bps, highs_bps = zip(*(limit.bounds_bps for limit in limits), strict=True)
    return replace(
        limits[0], value_bps=max(highs_bps), low_bps=min(lows_bps), high_bps=max(highs_bps)
    )


class NotJudgeableError(ContradictionError):
    """Too little is known of the line or of the run."""
