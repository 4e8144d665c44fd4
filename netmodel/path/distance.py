"""A distance between the two sites of a path: round trip, window, loss and protocol."""

from dataclasses import dataclass
from enum import Enum

from netmodel.errors import DomainError
from netmodel.lazy_numpy import np
from netmodel.numeric import (
    FloatOrArray,
    require_at_least,
    require_at_most,
)
from netmodel.results import Result
from netmodel.transport import (
    MAX_WINDOW_BYTES,
)
from netmodel.units import format_time
from netmodel.units.prefixes import KILO

SMCR_STACK = "ethernet/rocev1/smcr"
"""Headers of SMC-R, version 1 of which runs over RoCE version 1 (RFC 7609, section 1.1)."""
_LENGTH_DIGITS = 6
"""Of a length in a sentence: a metre in a thousand kilometres."""
_TIME_DIGITS = 4
"""Of a round trip in a sentence, as routers print it."""


class Protocol(Enum):
    """Protocol that carries the data of sockets between two sites."""

    TCP = "tcp"
    SMC_R = "smc-r"


@dataclass(frozen=True, slots=True, kw_only=True)
class Distance(Result):
    """
    What lies between two sites, beside the equipment of a path.

    Parameters
    ----------
    round_trip_s : float or array_like, optional
        Time there and back between the sites, without queues; None leaves the delays of the
        path as they are. [s]
    window_bytes : float or array_like, optional
        Payload that each connection may have in flight: the smallest of its windows and
        buffers, over SMC-R the peer's memory buffer (RMBE); None leaves that of the path. [byte]
    loss_ratio : float or array_like, optional
        Share of packets that are lost, independently of each other.
    protocol : Protocol
        Protocol that carries the data.
    distance_m : float or array_like, optional
        Distance that the round trip follows from. [m]

    Raises
    ------
    DomainError
        If a time or distance is negative, a window is below 1 byte or, over TCP, above the
        largest that TCP can announce, or a ratio is negative, or 1 or more.

    Examples
    --------
    >>> print(Distance(round_trip_s=0.35e-3, window_bytes=2**18))
    a round trip of 350 µs
    """

    round_trip_s: FloatOrArray | None = None
    window_bytes: FloatOrArray | None = None
    loss_ratio: FloatOrArray | None = None
    protocol: Protocol = Protocol.TCP
    distance_m: FloatOrArray | None = None

    json_keys = "distance_km round_trip_s window_bytes loss_ratio protocol"

    @property
    def distance_km(self) -> FloatOrArray | None:
        """The way between the sites; None where it is not known. [km]"""
        return None if self.distance_m is None else self.distance_m / KILO

    def __post_init__(self) -> None:
        least = {"round_trip_s": (0, "s"), "distance_m": (0, "m")}
        least |= {"window_bytes": (1, "byte"), "loss_ratio": (0, "")}
        for name, (limit, unit) in least.items():
            given = getattr(self, name)
            if given is not None:
                object.__setattr__(self, name, require_at_least(name, given, limit, unit))
        if self.window_bytes is not None and self.protocol is Protocol.TCP:
            require_at_most("window_bytes", self.window_bytes, MAX_WINDOW_BYTES, "byte")
        if self.loss_ratio is not None and np.any(np.asarray(self.loss_ratio) >= 1):
            raise DomainError("loss_ratio must be below 1: all packets would be lost")

    def __str__(self) -> str:
        if self.distance_m is not None:
            return f"{float(self.distance_m / KILO):.{_LENGTH_DIGITS}g} km"
        if self.round_trip_s is not None:
            return f"a round trip of {format_time(float(self.round_trip_s), _TIME_DIGITS)}"
        return self.protocol.value
