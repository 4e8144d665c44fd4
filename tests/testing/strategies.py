"""What the property tests draw beside what users write: deep header stacks, and whole paths."""

from dataclasses import dataclass, replace
from inspect import signature
from typing import Any, get_args

from hypothesis import strategies as st

from netmodel import testing
from netmodel.ceilings import ByteLayer
from netmodel.consumption import Side
from netmodel.framing import (
    Layer,
    Stack,
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
from netmodel.path import Path, Pool, Prediction, Stage, Times, Traffic, predict_path
from netmodel.testing._strategies import (  # noqa: F401 - some for tests alone
    MAX_PACKET_BYTES,
    SMALLEST_IPV6_MTU_BYTES,
    exchanges,
    ip_layers,
    link_layers,
    streams,
    tcp_layers,
)

stacks = testing.stacks()


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


# Layers


flags = st.booleans()
ciphers = st.sampled_from(get_args(signature(esp).parameters["suite"].annotation))
# fewer extensions than outside: tunnels nest, and have to leave room for payload
short_ip_layers: st.SearchStrategy[Layer] = st.one_of(
    st.integers(0, 10).map(lambda words: ipv4(options_bytes=4 * words)),
    st.integers(0, 3).map(lambda units: ipv6(extension_bytes=8 * units)),
)
labels = st.lists(st.just(mpls()), min_size=1, max_size=3)  # transport, VPN, entropy
frame_headers = st.tuples(
    st.lists(st.sampled_from([vlan(), qinq()]), max_size=2),
    st.lists(flags.map(lambda sci: macsec(sci=sci)), max_size=1),
    st.lists(st.sampled_from([vlan(), qinq()]), max_size=1),
    st.just([]) | labels | st.sampled_from([[pppoe()], [llc_snap()]]),
).map(lambda drawn: [ethernet(), *(layer for part in drawn for layer in part)])
gre_layers = st.builds(gre, checksum=flags, key=flags, sequence=flags)
# RFC 8926: the length of the options has six bits, in words of four byte
geneve_layers = st.integers(0, 63).map(lambda words: geneve(options_bytes=4 * words))
esp_layers = st.one_of(
    st.builds(esp, ciphers, nat_traversal=flags),
    st.builds(
        esp,
        st.sampled_from(["aes-gcm", "chacha20-poly1305"]),
        nat_traversal=flags,
        implicit_iv=st.just(True),
    ),
)


def _joined(*parts: st.SearchStrategy[list[Layer]]) -> st.SearchStrategy[list[Layer]]:
    return st.tuples(*parts).map(lambda drawn: [layer for part in drawn for layer in part])


def _alone(layer: st.SearchStrategy[Layer]) -> st.SearchStrategy[list[Layer]]:
    return layer.map(lambda drawn: [drawn])


def _words(most: int) -> st.SearchStrategy[int]:
    """Multiples of 4, of which small ones come up as often as large."""
    return (st.integers(1, 32) | st.integers(1, most // 4)).map(lambda count: 4 * count)


tunnels = st.one_of(
    st.just([]),  # IP in IP
    _alone(gre_layers),
    _joined(_alone(gre_layers), frame_headers),
    _joined(_alone(gre_layers), labels),
    _joined(st.just([udp(), vxlan()]), frame_headers),
    _joined(st.just([udp()]), _alone(geneve_layers)),
    _joined(st.just([udp()]), _alone(geneve_layers), frame_headers),
    _alone(esp_layers),
    st.just([udp(), wireguard()]),
)
iwarp_layers = flags.map(lambda untagged: iwarp(untagged=untagged))
# RFC 9000, section 17.2: a connection ID has at most 20 byte
quic_layers = st.integers(0, 20).map(lambda length: quic(connection_id_bytes=length))
# RFC 8446, section 5.1: at most 2^14 byte of plain text in a record
tls_layers = st.builds(
    tls,
    st.sampled_from(get_args(signature(tls).parameters["protection"].annotation)),
    st.just(16384) | st.integers(1, 100) | st.integers(1, 16384),
)
# RFC 7143: the length of a data segment has 24 bits
iscsi_layers = st.builds(iscsi, _words(2**24 - 4), header_digest=flags, data_digest=flags)
nvme_layers = st.builds(nvme_tcp, _words(2**19), header_digest=flags, data_digest=flags)
record_layers: st.SearchStrategy[Layer] = tls_layers | iscsi_layers | nvme_layers
records = st.one_of(
    _alone(tls_layers),
    _alone(iscsi_layers),
    _alone(nvme_layers),
    _joined(_alone(tls_layers), _alone(nvme_layers)),
)
segments = _joined(
    _alone(tcp_layers),
    st.one_of(
        st.just([]),
        _alone(iwarp_layers),
        _joined(st.just([mpa_markers()]), _alone(iwarp_layers)),
        records,
    ),
)
datagrams = st.one_of(
    st.sampled_from([[udp()], [udp(), rocev2()], [udp(), rocev2(), smcr()]]),
    _joined(st.just([udp()]), _alone(quic_layers)),
)
packets = _joined(
    _alone(short_ip_layers),
    st.one_of(
        st.just([tcp(timestamps=False)]),
        segments,
        _joined(_alone(esp_layers), segments),
        datagrams,
        _joined(_alone(esp_layers), datagrams),
        st.just([]),
    ),
)


@st.composite
def composed_stacks(draw: st.DrawFn) -> Stack:
    """Every kind of header stack: up to three tunnels inside one another, RDMA and records."""
    layers = draw(frame_headers)
    for _ in range(draw(st.integers(0, 3))):
        layers = [*layers, draw(short_ip_layers), *draw(tunnels)]
    carries_frames = layers[-1].protocol in {"ethernet", "vlan", "qinq", "macsec"}
    rdma = st.sampled_from([[rocev1()], [rocev1(), smcr()]])
    content = draw(packets | rdma if carries_frames else packets)
    return Stack((*layers, *content))


# Paths


def _or_nothing(known: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.just(0) | known


def _or_none(known: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | known


def _times(*scales_s: float) -> st.SearchStrategy[float]:
    """Times of up to three digits, from the first scale down; they shrink to one of it."""
    return st.builds(
        lambda count, scale_s: count * scale_s, st.integers(1, 999), st.sampled_from(scales_s)
    )


message_times = _times(1e-6, 1e-9)  # of adapters some hundred ns, of CPUs some µs
byte_times = _times(1e-9, 1e-11, 1e-12)  # of a line 0.02 ns (400 Gbit/s) to 0.8 µs (10 Mbit/s)
stage_times = st.builds(
    Times,
    per_message_s=_or_nothing(message_times),
    per_frame_s=_or_nothing(message_times),
    per_byte_s=_or_nothing(byte_times),
    per_wakeup_s=_or_nothing(message_times),
    per_interrupt_s=_or_nothing(message_times),
    per_ack_s=_or_none(_or_nothing(message_times)),
)
# 45 segments of 1448 byte in 65535, the largest packet of large send
shares = st.just(1) | st.floats(1, 45)
server_counts = st.integers(1, 16) | st.floats(0.25, 16)  # shares of CPUs, as of an LPAR, too
delay_stages = st.builds(
    lambda there, back: Stage(
        name="stage", to_server=Times(there), to_client=Times(back), parallel_count=None
    ),
    message_times,
    message_times,
)
cap_stages = st.builds(
    lambda per_byte_s, count, layer: Stage(
        name="stage",
        to_server=Times(per_byte_s=per_byte_s),
        to_client=Times(per_byte_s=per_byte_s),
        parallel_count=count,
        byte_layer=layer,
        delays=False,
    ),
    byte_times,
    st.integers(1, 4),  # members of an aggregate
    st.sampled_from(ByteLayer),
)
shared_parts: dict[str, st.SearchStrategy[Any]] = {
    "name": st.just("stage"),
    "to_server": stage_times,
    "to_client": stage_times,
    "byte_layer": st.sampled_from(ByteLayer),
    **dict.fromkeys(("messages_per_wakeup", "frames_per_interrupt", "segments_per_packet"), shares),
}
server_stages = st.builds(Stage, **shared_parts, parallel_count=server_counts)
hashed_stages = st.builds(
    Stage,
    **shared_parts,
    parallel_count=st.integers(1, 16),  # receive queues
    hashes_flows=st.just(True),
)
pooled_stages = st.builds(
    Stage,
    **shared_parts,
    parallel_count=_or_none(server_counts),
    pool=st.sampled_from([side.value for side in Side]),
)
# one server, the same time of every message in both directions
plain_stage = st.just(Stage(name="stage", to_server=Times(1e-6), to_client=Times(1e-6)))
path_stages = st.one_of(plain_stage, server_stages, delay_stages, cap_stages, pooled_stages)
path_pools = st.tuples(
    *(st.builds(Pool, st.just(side.value), server_counts, st.just(side)) for side in Side)
)


@dataclass(frozen=True)
class Scenario:
    """A path, what passes it, and in what frames: all that a prediction takes."""

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


@st.composite
def scenarios(
    draw: st.DrawFn,
    traffic: st.SearchStrategy[Traffic] = exchanges | streams,
    hashed: bool = True,
    more: st.SearchStrategy[Stage] = path_stages,
) -> Scenario:
    """Paths of all sorts of stages, the first of which always limits; one in four is far."""
    is_far = draw(st.integers(0, 3)) == 3
    each = delay_stages if is_far else more | hashed_stages if hashed else more
    first = Times(draw(_times(1e-9, 1e-10) if is_far else message_times))
    drawn = draw(st.lists(each, min_size=int(is_far), max_size=5))
    windows_bytes = st.integers(1000, 10_000_000)
    path = Path(
        stages=(
            Stage(name="first", to_server=first, to_client=first, side=Side.CLIENT),
            *(replace(stage, name=f"stage{place}") for place, stage in enumerate(drawn)),
        ),
        pools=draw(path_pools),
        window_bytes=draw(st.integers(1000, 20_000) if is_far else _or_none(windows_bytes)),
    )
    exchanged, stack = draw(traffic), draw(stacks)
    if all(layer.acknowledgement_bytes is None for layer in stack.layers):
        # a datagram holds a whole message, with headers of any record, and is not acknowledged
        exchanged = replace(
            exchanged,
            request_bytes=min(exchanged.request_bytes, 16383),
            response_bytes=min(exchanged.response_bytes, 16383),
            segments_per_ack=None,
        )
    return Scenario(path, exchanged, draw(testing.mtus()), stack)
