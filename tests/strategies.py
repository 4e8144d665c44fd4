"""What the property tests draw: line rates, sizes, header stacks and paths that make sense."""

from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from netmodel.consumption import Side
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
    parse_stack,
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
from netmodel.path import ByteLayer, Path, Pool, Prediction, Stage, Times, Traffic, predict_path

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


@dataclass(frozen=True)
class Scenario:
    """A path, what passes it, and in what frames."""

    path: Path
    traffic: Traffic
    mtu_bytes: Any
    stack: Stack

    def predict(self) -> Prediction:
        return predict_path(self.path, self.traffic, self.mtu_bytes, self.stack)

    def with_path(self, **changes: Any) -> "Scenario":
        return replace(self, path=replace(self.path, **changes))

    def with_traffic(self, **changes: Any) -> "Scenario":
        return replace(self, traffic=replace(self.traffic, **changes))


def or_none(known: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | known


def or_nothing(times_s: st.SearchStrategy[float]) -> st.SearchStrategy[float]:
    return st.just(0) | times_s


message_times = st.floats(1e-9, 1e-3)
byte_times = st.floats(1e-12, 1e-8)
stage_times = st.builds(
    Times,
    per_message_s=or_nothing(message_times),
    per_frame_s=or_nothing(message_times),
    per_byte_s=or_nothing(byte_times),
    per_wakeup_s=or_nothing(message_times),
    per_interrupt_s=or_nothing(message_times),
    per_ack_s=or_none(or_nothing(message_times)),
)
shares = st.just(1) | st.floats(1, 45)
server_counts = st.integers(1, 16) | st.floats(0.25, 16)
tunnel_stacks = st.sampled_from(
    [
        "ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps",
        "ethernet/ipv4/esp+suite=aes-cbc-sha256/ipv4/tcp+timestamps",
        "ethernet/vlan/ipv6/gre/ipv4/tcp",
    ]
).map(parse_stack)
delay_stages = st.builds(
    lambda there, back: Stage(
        name="", to_server=Times(there), to_client=Times(back), parallel_count=None
    ),
    message_times,
    message_times,
)
cap_stages = st.builds(
    lambda per_byte_s, count, layer: Stage(
        name="",
        to_server=Times(per_byte_s=per_byte_s),
        to_client=Times(per_byte_s=per_byte_s),
        parallel_count=count,
        byte_layer=layer,
        delays=False,
    ),
    byte_times,
    st.integers(1, 4),
    st.sampled_from(ByteLayer),
)
shared_parts = {
    "name": st.just(""),
    "to_server": stage_times,
    "to_client": stage_times,
    "byte_layer": st.sampled_from(ByteLayer),
    "stack": or_none(tunnel_stacks | stacks),
    **dict.fromkeys(("messages_per_wakeup", "frames_per_interrupt", "segments_per_packet"), shares),
    "mtu_bytes": or_none(st.integers(1500, 9216)),
}
server_stages = st.builds(Stage, **shared_parts, parallel_count=server_counts)
hashed_stages = st.builds(
    Stage, **shared_parts, parallel_count=st.integers(1, 16), hashes_flows=st.just(True)
)
pooled_stages = st.builds(
    Stage,
    **shared_parts,
    parallel_count=or_none(server_counts),
    pool=st.sampled_from([side.value for side in Side]),
)
path_stages = st.one_of(delay_stages, cap_stages, server_stages, pooled_stages)
path_pools = st.tuples(
    *(st.builds(Pool, st.just(side.value), server_counts, st.just(side)) for side in Side)
)
message_sizes = st.integers(1, 3000) | st.integers(1, 1_000_000)
connection_counts = st.integers(1, 4) | st.integers(1, 300)
exchanges = st.builds(
    Traffic,
    message_sizes,
    message_sizes,
    or_none(connection_counts),
    think_time_s=or_nothing(st.floats(1e-6, 1e-2)),
)
streams = st.builds(
    lambda size, returns, **more: Traffic(*((0, size) if returns else (size, 0)), **more),
    message_sizes,
    st.booleans(),
    connection_count=or_none(connection_counts),
    waits=st.booleans(),
    shares_segments=st.booleans(),
    segments_per_ack=or_none(st.integers(1, 16)),
)


def path_stacks(path: Path) -> list[Stack]:
    return [stage.stack for stage in path.stages if stage.stack is not None]


@st.composite
def scenarios(
    draw: st.DrawFn,
    traffic: st.SearchStrategy[Traffic] = exchanges | streams,
    hashed: bool = True,
    more: st.SearchStrategy[Stage] = path_stages,
) -> Scenario:
    """Paths of all sorts of stages, the first of which always limits; one in four is far."""
    is_far = draw(st.integers(0, 3)) == 3
    first = Times(draw(st.floats(1e-9, 1e-7) if is_far else message_times))
    stages_between = delay_stages if is_far else more | hashed_stages if hashed else more
    drawn = draw(st.lists(stages_between, min_size=int(is_far), max_size=5))
    windows_bytes = st.integers(1000, 10_000_000)
    path = Path(
        stages=(
            Stage(name="first", to_server=first, to_client=first, side=Side.CLIENT),
            *(replace(stage, name=f"stage{place}") for place, stage in enumerate(drawn)),
        ),
        pools=draw(path_pools),
        window_bytes=draw(st.integers(1000, 20_000) if is_far else or_none(windows_bytes)),
    )
    exchanged, stack = draw(traffic), draw(stacks)
    if not all(each.acknowledging_layer for each in (stack, *path_stacks(path))):
        exchanged = replace(
            exchanged,
            request_bytes=min(exchanged.request_bytes, MAX_PACKET_BYTES // 4),
            response_bytes=min(exchanged.response_bytes, MAX_PACKET_BYTES // 4),
            segments_per_ack=None,
        )
    return Scenario(path, exchanged, draw(st.integers(SMALLEST_IPV6_MTU_BYTES, 9216)), stack)
