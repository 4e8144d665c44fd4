"""What the property tests draw: strategies of the library, and mixtures that tests alone need."""

from dataclasses import dataclass

from hypothesis import strategies as st

from netmodel import testing
from netmodel.framing import Stack
from netmodel.path import Stage, Traffic
from netmodel.testing import PathCase
from netmodel.testing._frames import (
    MAX_PACKET_BYTES,
    SMALLEST_IPV6_MTU_BYTES,
    ip_layers,
    link_layers,
    record_layers,
    tcp_layers,
)
from netmodel.testing._paths import (
    exchanges,
    hashed_stages,
    server_stages,
    streams,
)
from netmodel.testing._paths import unhashed_stages as path_stages

__all__ = [
    "LINE_RATES_BPS",
    "HeaderSizes",
    "Scenario",
    "composed_stacks",
    "exchanges",
    "full_packets",
    "header_sizes",
    "ip_layers",
    "link_layers",
    "link_mtus",
    "path_stages",
    "record_layers",
    "scenarios",
    "server_stages",
    "stacks",
    "tcp_layers",
]

LINE_RATES_BPS = testing.line_rates()
stacks = testing.stacks()
composed_stacks = testing.composed_stacks
full_packets = testing.full_packets
Scenario = PathCase


@dataclass(frozen=True)
class HeaderSizes:
    """An MTU and what stands around the payload of a full packet."""

    mtu_bytes: int
    header_bytes: int
    link_header_bytes: int


@st.composite
def header_sizes(draw: st.DrawFn) -> HeaderSizes:
    """Small MTUs, whose frames are padded, come up as often as large ones."""
    header_bytes = draw(st.integers(0, 200))
    smallest = header_bytes + 1
    mtu_bytes = draw(st.integers(smallest, 300) | st.integers(smallest, MAX_PACKET_BYTES))
    return HeaderSizes(mtu_bytes, header_bytes, draw(st.integers(0, 60)))


def link_mtus(stack: Stack) -> st.SearchStrategy[int]:
    """MTUs that leave every stack its smallest packet; small ones come up as often as large."""
    smallest = SMALLEST_IPV6_MTU_BYTES + sum(
        layer.fixed_bytes + layer.block_bytes for layer in stack.layers
    )
    return st.one_of(
        st.integers(smallest, smallest + 100),
        st.integers(smallest, 9216),
        st.integers(smallest, MAX_PACKET_BYTES),
    )


def scenarios(
    traffic: st.SearchStrategy[Traffic] = exchanges | streams,
    hashed: bool = True,
    more: st.SearchStrategy[Stage] = path_stages,
) -> st.SearchStrategy[Scenario]:
    """Paths of all sorts of stages, the first of which always limits; one in four is far."""
    return testing.path_cases(traffic, more | hashed_stages if hashed else more)
