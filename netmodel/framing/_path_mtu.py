"""Largest packet over a chain of hops, and the fate of a larger one."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import dropwhile
from typing import Literal

from netmodel.errors import DomainError
from netmodel.framing._common_stacks import tcp_stack
from netmodel.framing._layer import Layer
from netmodel.framing.stack import Stack
from netmodel.numeric import require_kind, require_whole
from netmodel.results import Result

_OUTSIDE_THE_MTU = frozenset({"ethernet", "vlan", "qinq", "macsec"})
"""Ethernet and the tags that may lengthen its frames."""


@dataclass(frozen=True, repr=False)
class Hop(Result):
    """
    One hop of a path, with an MTU and an encapsulation of its own.

    Parameters
    ----------
    name : str
        What to call it in results.
    link_mtu_bytes : int
        MTU of Ethernet on this hop: the largest outermost packet, with PPPoE,
        MPLS labels or LLC and SNAP where they stand in front of it. [byte]
    stack : Stack
        Headers of a frame on this hop, down to those of the sender; TCP over
        IPv4 over Ethernet when left out.
    sends_too_big : bool
        Whether the hop answers a packet that is too big, as a router does. A
        bridge, a switch or a MacVTap interface drops it without a word.

    Raises
    ------
    DomainError
        If the hop leaves no room for the smallest packet.

    Examples
    --------
    >>> from netmodel.framing import parse_stack
    >>> tunnel = parse_stack("ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps")
    >>> Hop("overlay", 1500, tunnel).mtu_bytes, Hop("overlay", 1500, tunnel).note
    (1450, '')
    >>> Hop("dsl", 1500, parse_stack("pppoe/ipv4/tcp")).mtu_bytes
    1492
    """

    name: str
    link_mtu_bytes: int
    stack: Stack = field(default_factory=tcp_stack)
    sends_too_big: bool = True

    json_keys = "name mtu_bytes link_mtu_bytes outer_mtu_bytes note sends_too_big stack"

    def __post_init__(self) -> None:
        require_kind("stack", self.stack, Stack, "a Stack, as parse_stack makes it")
        try:
            require_whole("link_mtu_bytes", self.link_mtu_bytes)
            self.stack.mtu_bytes(self.outer_mtu_bytes)
        except DomainError as error:
            names = self._counted_names
            left = f", which {names} leaves of {self.link_mtu_bytes}" if names else ""
            raise DomainError(f"hop {self.name}: {error}{left}") from None

    @property
    def outer_mtu_bytes(self) -> int:
        """Return the MTU less what stands between Ethernet and the outermost packet. [byte]"""
        return self.link_mtu_bytes - sum(layer.fixed_bytes for layer in self._counted_layers)

    @property
    def mtu_bytes(self) -> int:
        """Return the largest packet of the sender that passes. [byte]"""
        return int(self.stack.mtu_bytes(self.outer_mtu_bytes))

    @property
    def note(self) -> str:
        """Return how much of the Ethernet MTU is left for IP; empty where all is."""
        names = self._counted_names
        if not names:
            return ""
        taken_bytes = self.link_mtu_bytes - self.outer_mtu_bytes
        return (
            f"{self.name}: {names} takes {taken_bytes} byte of the Ethernet MTU "
            f"{self.link_mtu_bytes} and leaves {self.outer_mtu_bytes} for IP; if "
            f"{self.link_mtu_bytes} is the MTU of IP, leave {names} out of the stack"
        )

    @property
    def _counted_layers(self) -> tuple[Layer, ...]:
        """Return the layers between Ethernet with its tags and the outermost packet."""
        return tuple(
            dropwhile(lambda layer: layer.protocol in _OUTSIDE_THE_MTU, self.stack.link_layers)
        )

    @property
    def _counted_names(self) -> str:
        return "/".join(layer.protocol for layer in self._counted_layers)


@dataclass(frozen=True, repr=False)
class MtuOutcome(Result):
    """
    Fate of the full packets of a sender, with the hop that decides.

    Parameters
    ----------
    fate : {"passes", "reduced", "stalls"}
        They pass as they are; a hop answers Packet Too Big (RFC 8201), and the sender makes them
        smaller; or a hop drops them without an answer, and the sender repeats them for ever.
    packet_bytes : int
        Largest packet that the sender uses in the end. [byte]
    reason : str
        Why, in a sentence, with the hop that decides.

    Examples
    --------
    >>> from netmodel.framing import Hop, PathMtu
    >>> outcome = PathMtu([Hop("lan", 9000), Hop("wan", 1500)]).outcome(9000)
    >>> outcome.fate
    'reduced'
    """

    fate: Literal["passes", "reduced", "stalls"]
    packet_bytes: int
    reason: str


@dataclass(frozen=True, repr=False)
class PathMtu(Result):
    """
    Largest packet over a chain of hops.

    Parameters
    ----------
    hops : tuple of Hop
        From the sender to the receiver, at least one.

    Raises
    ------
    DomainError
        If there is no hop.

    References
    ----------
    RFC 1191 and RFC 8201 for path MTU discovery; RFC 2923, section 2.1, for
    what becomes of a connection that learns of no smaller MTU.

    Examples
    --------
    >>> path = PathMtu((Hop("guest", 9000), Hop("MacVTap of the host", 1500, sends_too_big=False)))
    >>> path.mtu_bytes, path.smallest_hops[0].name
    (1500, 'MacVTap of the host')
    >>> path.outcome(9000).fate
    'stalls'
    """

    hops: tuple[Hop, ...]

    json_keys = "mtu_bytes smallest_hops=smallest_names hops"

    @property
    def smallest_names(self) -> list[str]:
        """Return the names of the hops that set it."""
        return [hop.name for hop in self.smallest_hops]

    def __init__(self, hops: Iterable[Hop]) -> None:
        require_kind("hops", hops, Iterable, "hops from the sender to the receiver")
        object.__setattr__(self, "hops", tuple(hops))
        for place, hop in enumerate(self.hops):
            require_kind(f"hops[{place}]", hop, Hop, "a Hop")
        if not self.hops:
            raise DomainError("a path needs at least one hop")

    @property
    def mtu_bytes(self) -> int:
        """Return the largest packet of the sender that passes all hops. [byte]"""
        return min(hop.mtu_bytes for hop in self.hops)

    @property
    def smallest_hops(self) -> tuple[Hop, ...]:
        """Return the hops that set it: one, unless several are equal."""
        return tuple(hop for hop in self.hops if hop.mtu_bytes == self.mtu_bytes)

    def outcome(self, sender_mtu_bytes: int) -> MtuOutcome:
        """Return the fate of packets that fill the MTU of the sender."""
        packet_bytes, reason = Hop("sender", sender_mtu_bytes).mtu_bytes, ""
        for hop in self.hops:
            if packet_bytes <= hop.mtu_bytes:
                continue
            if not hop.sends_too_big:
                stall = (
                    f"{hop.name}, which takes {hop.mtu_bytes} byte, silently drops packets of "
                    f"{packet_bytes}: bulk data stops (zero throughput), though short messages "
                    f"still pass; set the sender's MTU to {hop.mtu_bytes}, or make room for "
                    f"{packet_bytes} byte at {hop.name}"
                )
                return MtuOutcome("stalls", packet_bytes, stall)
            packet_bytes = hop.mtu_bytes
            reason = f"{hop.name} reports its MTU {packet_bytes}: the sender reduces its packets"
        if reason:
            return MtuOutcome("reduced", packet_bytes, reason)
        return MtuOutcome("passes", packet_bytes, "every hop takes the sender's full packets")
