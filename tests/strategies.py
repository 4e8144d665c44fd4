"""What the property tests draw: line rates, sizes and whole header stacks that make sense."""

from dataclasses import dataclass

from hypothesis import strategies as st

from netmodel.framing import (
    EspSuite,
    Layer,
    Stack,
    TlsProtection,
    esp,
    ethernet,
    geneve,
    gre,
    ipv4,
    ipv6,
    iscsi,
    iwarp,
    llc_snap,
    macsec,
    mpa_markers,
    mpls,
    nvme_tcp,
    pppoe,
    qinq,
    quic,
    rocev1,
    rocev2,
    smcr,
    tcp,
    tls,
    udp,
    vlan,
    vxlan,
    wireguard,
)

__all__ = [
    "LINE_RATES_BPS",
    "HeaderSizes",
    "composed_stacks",
    "full_packets",
    "header_sizes",
    "ip_layers",
    "link_layers",
    "link_mtus",
    "record_layers",
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


flags = st.booleans()
ciphers = st.sampled_from(EspSuite)
labels = st.lists(st.just(mpls()), min_size=1, max_size=3)
frame_headers = st.tuples(
    st.lists(st.sampled_from([vlan(), qinq()]), max_size=2),
    st.lists(flags.map(lambda sci: macsec(sci=sci)), max_size=1),
    st.lists(st.sampled_from([vlan(), qinq()]), max_size=1),
    st.just([]) | labels | st.sampled_from([[pppoe()], [llc_snap()]]),
).map(lambda drawn: [ethernet(), *(layer for part in drawn for layer in part)])
gre_layers = st.builds(gre, checksum=flags, key=flags, sequence=flags)
geneve_layers = st.integers(0, 63).map(lambda words: geneve(options_bytes=4 * words))
esp_layers = st.one_of(
    st.builds(esp, ciphers, nat_traversal=flags),
    st.builds(
        esp,
        st.sampled_from([EspSuite.AES_GCM, EspSuite.CHACHA20_POLY1305]),
        nat_traversal=flags,
        implicit_iv=st.just(True),
    ),
)
short_ip_layers: st.SearchStrategy[Layer] = st.one_of(
    st.integers(0, 10).map(lambda words: ipv4(options_bytes=4 * words)),
    st.integers(0, 3).map(lambda units: ipv6(extension_bytes=8 * units)),
)


def joined(*parts: st.SearchStrategy[list[Layer]]) -> st.SearchStrategy[list[Layer]]:
    return st.tuples(*parts).map(lambda drawn: [layer for part in drawn for layer in part])


def alone(layer: st.SearchStrategy[Layer]) -> st.SearchStrategy[list[Layer]]:
    return layer.map(lambda drawn: [drawn])


tunnels = st.one_of(
    st.just([]),  # IP in IP
    alone(gre_layers),
    joined(alone(gre_layers), frame_headers),
    joined(alone(gre_layers), labels),
    joined(st.just([udp(), vxlan()]), frame_headers),
    joined(st.just([udp()]), alone(geneve_layers)),
    joined(st.just([udp()]), alone(geneve_layers), frame_headers),
    alone(esp_layers),
    st.just([udp(), wireguard()]),
)
iwarp_layers = flags.map(lambda untagged: iwarp(untagged=untagged))
quic_layers = st.integers(0, 20).map(lambda length: quic(connection_id_bytes=length))


def words(most: int) -> st.SearchStrategy[int]:
    """Multiples of 4, of which small ones come up as often as large."""
    return (st.integers(1, 32) | st.integers(1, most // 4)).map(lambda count: 4 * count)


tls_layers = st.builds(
    tls,
    st.sampled_from(TlsProtection),
    st.just(16384) | st.integers(1, 100) | st.integers(1, 16384),
)
iscsi_layers = st.builds(iscsi, words(2**24 - 4), header_digest=flags, data_digest=flags)
nvme_layers = st.builds(nvme_tcp, words(2**19), header_digest=flags, data_digest=flags)
record_layers: st.SearchStrategy[Layer] = tls_layers | iscsi_layers | nvme_layers
records = st.one_of(
    alone(tls_layers),
    alone(iscsi_layers),
    alone(nvme_layers),
    joined(alone(tls_layers), alone(nvme_layers)),
)
segments = joined(
    alone(tcp_layers),
    st.one_of(
        st.just([]),
        alone(iwarp_layers),
        joined(st.just([mpa_markers()]), alone(iwarp_layers)),
        records,
    ),
)
datagrams = st.one_of(
    st.sampled_from([[udp()], [udp(), rocev2()], [udp(), rocev2(), smcr()]]),
    joined(st.just([udp()]), alone(quic_layers)),
)
packets = joined(
    alone(short_ip_layers),
    st.one_of(
        segments,
        joined(alone(esp_layers), segments),
        datagrams,
        joined(alone(esp_layers), datagrams),
        st.just([]),
    ),
)


@st.composite
def composed_stacks(draw: st.DrawFn) -> Stack:
    """Up to three tunnels inside one another, each of which may carry frames of its own."""
    layers = draw(frame_headers)
    for _ in range(draw(st.integers(0, 3))):
        layers = [*layers, draw(short_ip_layers), *draw(tunnels)]
    carries_frames = layers[-1].protocol in {"ethernet", "vlan", "qinq", "macsec"}
    rdma = st.sampled_from([[rocev1()], [rocev1(), smcr()]])
    content = draw(packets | rdma if carries_frames else packets)
    return Stack((*layers, *content))


SMALLEST_IPV6_MTU_BYTES = 1280  # above what RDMA needs, which is 352


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
