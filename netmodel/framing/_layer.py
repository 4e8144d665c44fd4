"""Header, trailer and padding of one protocol around its content."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property, wraps
from inspect import signature
from typing import ParamSpec, get_args

from netmodel.errors import DomainError
from netmodel.numeric import (
    Q,
    ceil,
    floor,
    maximum,
    minimum,
    require_flags,
    require_member,
    require_whole,
)
from netmodel.results import Result

P = ParamSpec("P")


class Level(Enum):
    """Position of a protocol between the line and the application."""

    LINK = "link"
    """In front of the packet: addresses, tags, labels."""
    INTERNET = "internet"
    """Opens a packet, which an MTU bounds."""
    TUNNEL = "tunnel"
    """Carries frames or packets of another stack, or a transport, inside a packet."""
    TRANSPORT = "transport"
    """Carries payload."""
    RECORDS = "records"
    """Cuts the byte stream of a transport into records, wherever segments end."""


@dataclass(frozen=True, repr=False)
class Part(Result):
    """
    Named run of bytes on the wire; a mean where records cross the ends of segments.

    Examples
    --------
    >>> from netmodel.framing import tcp
    >>> [(part.name, part.bytes) for part in tcp().header]
    [('tcp_header', 20), ('tcp_timestamps', 12)]
    """

    name: str
    bytes: float


@dataclass(frozen=True)
class Layer:
    """
    Header, trailer and padding of one protocol around its content.

    Parameters
    ----------
    protocol : str
        Protocol, as named in the stack grammar.
    level : Level
        Where it stands.
    header : tuple of Part
        In front of the content, with all options, in wire order.
    carried_by : frozenset of str
        Protocols that this one may stand directly inside; empty for a layer
        that stands outermost.
    options : str
        Options as written behind the protocol in the stack grammar.
    trailer : tuple of Part
        Behind the content and its padding, in wire order.
    block_bytes : int
        Content and the padded part of the trailer together fill a multiple of
        this. [byte]
    padded_trailer_bytes : int
        Front of the trailer that counts into the multiple. [byte]
    pads_up_to_mtu : bool
        Whether padding stops where the content is as long as the MTU of the
        interface that it came through.
    record_bytes : int
        The content is cut into pieces of this, each with a header and trailer
        of its own; 0 where one header serves all content. [byte]
    minimum_mtu_bytes : int
        Smallest MTU over which the protocol may run. [byte]
    minimum_content_bytes : int
        Content that a full packet must at least hold. [byte]
    fragment_header_bytes : int
        What the protocol adds to each packet when it fragments. [byte]
    message_header_bytes : int
        What the first packet of a message carries besides. [byte]
    message_trailer_bytes : int
        What the last of several packets of a message carries besides. [byte]
    cdc_message_bytes : int
        Content of the packet that follows each message; 0 where none does.
        [byte]
    acknowledgement_bytes : int, optional
        Content of a pure acknowledgement; None where the protocol sends none,
        or none of a known size. [byte]
    estimate : str
        Why the lengths are an estimate; empty where they are exact.

    Examples
    --------
    >>> from netmodel.framing import vlan
    >>> layer = vlan()
    >>> layer.protocol, layer.header_bytes, layer.trailer_bytes
    ('vlan', 4, 0)
    """

    protocol: str
    level: Level
    header: tuple[Part, ...]
    carried_by: frozenset[str]
    options: str = ""
    trailer: tuple[Part, ...] = ()
    block_bytes: int = 1
    padded_trailer_bytes: int = 0
    pads_up_to_mtu: bool = False
    record_bytes: int = 0
    minimum_mtu_bytes: int = 0
    minimum_content_bytes: int = 1
    fragment_header_bytes: int = 0
    message_header_bytes: int = 0
    message_trailer_bytes: int = 0
    cdc_message_bytes: int = 0
    acknowledgement_bytes: int | None = None
    estimate: str = ""

    def __repr__(self) -> str:
        return f"<Layer {self}>"

    def __str__(self) -> str:
        return self.protocol + self.options

    @cached_property
    def header_bytes(self) -> int:
        """Return the length of the header with its options. [byte]"""
        return sum(int(part.bytes) for part in self.header)

    @cached_property
    def trailer_bytes(self) -> int:
        """Return the length of the trailer without padding. [byte]"""
        return sum(int(part.bytes) for part in self.trailer)

    @cached_property
    def fixed_bytes(self) -> int:
        """Return the header and trailer without padding. [byte]"""
        return self.header_bytes + self.trailer_bytes

    @property
    def is_stepped(self) -> bool:
        """Return whether the overhead depends on the length of the content."""
        return self.block_bytes != 1 or bool(self.record_bytes)

    def record_count(self, content_bytes: Q) -> Q | float:
        """Return the headers that a content gets."""
        return ceil(content_bytes / self.record_bytes) if self.record_bytes else 1

    def size_bytes(self, content_bytes: Q, mtu_bytes: Q | float) -> Q:
        """Return the length with a content that came through an interface of an MTU."""
        if self.record_bytes:
            content_bytes = self.block_bytes * ceil(content_bytes / self.block_bytes)
            return content_bytes + self.fixed_bytes * self.record_count(content_bytes)
        tail_bytes = self.padded_trailer_bytes
        padded_bytes = self.block_bytes * ceil((content_bytes + tail_bytes) / self.block_bytes)
        if self.pads_up_to_mtu:
            padded_bytes = minimum(padded_bytes, mtu_bytes + tail_bytes)
        return padded_bytes + (self.fixed_bytes - tail_bytes)

    def mean_content_bytes(self, size_bytes: Q) -> Q:
        """Return the content of so much of a long stream of full records."""
        return size_bytes * self.record_bytes / (self.record_bytes + self.fixed_bytes)

    def room_bytes(self, size_bytes: Q) -> Q:
        """Return the longest content with which the layer is not longer than a size."""
        if self.record_bytes:
            whole_bytes = self.record_bytes + self.fixed_bytes
            whole_count = floor(size_bytes / whole_bytes)
            cut_bytes = maximum(0, size_bytes - whole_count * whole_bytes - self.fixed_bytes)
            cut_bytes = self.block_bytes * floor(cut_bytes / self.block_bytes)
            return whole_count * self.record_bytes + cut_bytes
        room_bytes = size_bytes - self.fixed_bytes
        if self.block_bytes == 1 or self.pads_up_to_mtu:
            return room_bytes
        blocks = floor((room_bytes + self.padded_trailer_bytes) / self.block_bytes)
        return self.block_bytes * blocks - self.padded_trailer_bytes


WORD_BYTES = 4
"""Unit of the lengths in headers of IP, TCP, Geneve, iSCSI and RDMA."""


def parts(**lengths: int) -> tuple[Part, ...]:
    """Return the parts of a header by their names; those of no length are left out."""
    return tuple(Part(name, length) for name, length in lengths.items() if length)


def require_multiple(name: str, value: int, step: int, at_most: int) -> None:
    """Raise DomainError unless a length is a multiple of a step, up to a bound."""
    if value % step or not 0 <= value <= at_most:
        raise DomainError(
            f"{name} must be a multiple of {step} byte up to {at_most} byte; got {value}"
        )


def option_of(argument: str) -> str:
    """Return the option of the stack grammar that sets an argument of a layer."""
    stem = argument.removesuffix("_bytes").removesuffix("_blocks")
    return _SHORT.get(stem, stem.replace("_", "-"))


_SHORT = {"connection_id": "cid", "nat_traversal": "natt", "protection": "version"}
"""Options that are not named like their arguments."""


def layer(make: Callable[P, Layer]) -> Callable[P, Layer]:
    """Check arguments of a layer by their types, and write its options as the grammar has them."""
    shape = signature(make)

    @wraps(make)
    def made(*args: P.args, **named: P.kwargs) -> Layer:
        given = shape.bind(*args, **named)
        given.apply_defaults()
        options = ""
        for name, value in given.arguments.items():
            kind = shape.parameters[name].annotation
            if kind is bool:
                require_flags(**{name: value})
                options += f"+{option_of(name)}" if value else ""
                continue
            if kind is int:
                given.arguments[name] = require_whole(name, value)
            else:
                require_member(name, value, get_args(kind))
            if (chosen := given.arguments[name]) != shape.parameters[name].default:
                options += f"+{option_of(name)}={chosen}"
        return replace(make(*given.args, **given.kwargs), options=options)

    return made
