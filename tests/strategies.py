"""What the property tests draw: line rates, sizes and whole header stacks that make sense."""

from dataclasses import dataclass

from hypothesis import strategies as st

from netmodel.framing import Layer, Stack, ethernet, ipv4, ipv6, qinq, tcp, udp, vlan

__all__ = [
    "LINE_RATES_BPS",
    "HeaderSizes",
    "full_packets",
    "header_sizes",
    "ip_layers",
    "link_layers",
    "stacks",
    "tcp_layers",
]

LINE_RATES_BPS = st.sampled_from([1e7, 1e8, 1e9, 2.5e9, 1e10, 2.5e10, 4e10, 1e11, 4e11])
MAX_PACKET_BYTES = 65535

link_layers = st.lists(st.sampled_from([vlan(), qinq()]), max_size=3).map(
    lambda tags: (ethernet(), *tags)
)
ip_layers: st.SearchStrategy[Layer] = st.one_of(
    st.integers(0, 10).map(lambda words: ipv4(options_bytes=4 * words)),
    st.integers(0, 8).map(lambda units: ipv6(extension_bytes=8 * units)),
)
tcp_layers = st.booleans().flatmap(
    lambda timestamps: st.integers(0, 3 if timestamps else 4).map(
        lambda blocks: tcp(timestamps=timestamps, sack_blocks=blocks)
    )
)
stacks = st.tuples(link_layers, ip_layers, tcp_layers | st.just(udp())).map(
    lambda drawn: Stack((*drawn[0], *drawn[1:]))
)


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


@st.composite
def full_packets(draw: st.DrawFn) -> tuple[Stack, int]:
    """A stack, and an MTU that it runs over."""
    stack = draw(stacks)
    smallest = stack.minimum_mtu_bytes
    near, far = st.integers(smallest, smallest + 60), st.integers(smallest, MAX_PACKET_BYTES)
    return stack, draw(near | far)
