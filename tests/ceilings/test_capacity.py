"""Capacities: their grammar, conversions between layers, and laws."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netmodel.ceilings import ByteLayer, Capacity, line_ceiling
from netmodel.errors import DomainError, UnitError
from netmodel.framing import parse_stack, tcp_stack, udp_stack

RATES = st.floats(1e6, 1e12)
LAYERS = st.sampled_from(ByteLayer)
STACKS = st.sampled_from(
    [
        tcp_stack(),
        tcp_stack(ip_version=6, vlan_tags=1),
        udp_stack(),
        parse_stack("ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp"),
    ]
)
BUCKETS = st.builds(
    lambda rate_bps, share, size: Capacity(rate_bps, bucket=(size, share * rate_bps)),
    *(RATES, st.floats(0.01, 1), st.floats(1e3, 1e13)),
)


@pytest.mark.parametrize(
    ("text", "capacity"),
    [
        ("5Gbit/s ip", Capacity(5e9, layer=ByteLayer.PACKET)),
        ("1.8Mpps", Capacity(1.8e6, ByteLayer.PACKETS_AS_BITS)),
        ("5 Gbit/s per flow", Capacity(5e9, scope="flow")),
        ("5Gbit/s IP Per Flow", Capacity(5e9, layer=ByteLayer.PACKET, scope="flow")),
        ("10Gbit/s for 30GB then 2.5Gbit/s", Capacity(10e9, bucket=(30e9, 2.5e9))),
        ("5Gbit/s  out tc", Capacity(5e9, layer=ByteLayer.FRAME_WITHOUT_FCS, direction="out")),
        ("5Gbit/s nominal", Capacity(5e9, is_nominal=True)),
        ("5Gbit/s both per adapter", Capacity(5e9, direction="both", scope="adapter")),
    ],
)
def test_a_capacity_is_read_and_printed(text: str, capacity: Capacity) -> None:
    assert Capacity.parse(text) == capacity
    assert str(Capacity.parse(text)) == " ".join(text.split())


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is no capacity, RATE"),
        ("5", "the unit is missing"),
        ("5Gbit/s ip wire", "two words for its layer"),
        ("5Gbit/s per host", r"\[per flow.*unknown words 'per host'"),
        ("50 Gbit/s for 3GB", "unknown words 'for 3GB'"),
        ("5Gbit/s, 1Mpps", "unknown words '1Mpps'"),
        ("1.8Mpps ip", "a rate of packets has no layer"),
    ],
)
def test_other_text_is_refused(text: str, why: str) -> None:
    with pytest.raises(UnitError, match=why):
        Capacity.parse(text)


def test_rates_that_cannot_be_are_refused() -> None:
    for wrong in (
        (0.0,),
        (1.0, None, None, "flow", (1.0, 2.0)),
        (1.0, None, None, "flow", (0.0, 1.0)),
    ):
        with pytest.raises(DomainError):
            Capacity(*wrong)
    plain = Capacity(1.0, bucket=(2.0, 1.0))
    assert (plain.over_time(math.inf).rate_bps, plain.is_sustained) == (1, False)


def test_a_capacity_of_any_layer_loses_that_word_alone() -> None:
    each = Capacity.parse("5Gbit/s IP out Per Flow").of_any_layer
    assert (str(each), each) == ("5Gbit/s out Per Flow", Capacity(5e9, None, "out", "flow"))


def test_a_full_frame_at_mtu_1500_as_each_layer_counts_it() -> None:
    """1538 on the wire, 1518 with and 1514 without FCS, 1500 of IP, 1448 of payload."""
    rates = Capacity(1e9).payload_rates_bps(*line_ceiling(1e9, 1500).counted_bytes())
    counted = (1538, 1518, 1514, 1500, 1448)
    assert [*rates.values()] == pytest.approx([1448e9 / each for each in counted], rel=1e-14)
    packets = Capacity.parse("1Mpps").payload_rates_bps(*line_ceiling(1e9, 1500).counted_bytes())
    assert packets == {"": 8 * 1448e6}
    frame = ByteLayer.of_frame(1538)
    assert [frame.pop(each) for each in ByteLayer if each in frame] == [*counted[:4], 1 / 8]
    numbered = [f"layer{each.value}" for each in ByteLayer if isinstance(each.value, int)]
    assert numbered == [*line_ceiling(1e9, 1500).layer_rates]


def test_padding_counts_on_the_wire_alone() -> None:
    """One byte of UDP: 29 of IP, 43 for tc, 64 in the frame, 84 on the wire."""
    _, counted = line_ceiling(1e9, 1500, udp_stack()).counted_bytes(1)
    assert [*counted.values()] == [84, 64, 43, 29, 1, 1 / 8]


def test_fragments_count_each_their_headers() -> None:
    """1473 bytes: fragments of 1480 and 1 byte behind 20 of IP each."""
    _, counted = line_ceiling(1e9, 1500, udp_stack()).counted_bytes(1473)
    assert counted[ByteLayer.PACKET] == 1481 + 2 * 20
    assert counted[ByteLayer.FRAME_WITHOUT_FCS] == 1481 + 2 * 34


@given(RATES, LAYERS, LAYERS, STACKS, st.integers(1280, 9216))
def test_conversions_between_layers_are_inverses(rate_bps, layer, other, stack, mtu_bytes) -> None:
    counted = line_ceiling(1e9, mtu_bytes, stack).counted_bytes()

    def payload_bps(capacity: Capacity) -> float:
        (value,) = capacity.payload_rates_bps(*counted).values()
        return value

    there = payload_bps(Capacity(rate_bps, layer=layer)) / payload_bps(Capacity(1.0, layer=other))
    back = payload_bps(Capacity(there, layer=other)) / payload_bps(Capacity(1.0, layer=layer))
    assert back == pytest.approx(rate_bps, rel=1e-13)
    rates = [*Capacity(rate_bps).payload_rates_bps(*counted).values()]
    assert rates == sorted(rates)


@given(BUCKETS, st.floats(1e-3, 1e9), st.floats(1, 1e3))
def test_the_mean_of_a_bucket_falls_to_its_refill(bucket, time_s, factor) -> None:
    first, later = bucket.over_time(time_s).rate_bps, bucket.over_time(factor * time_s).rate_bps
    assert bucket.rate_bps >= first >= later >= bucket.bucket[1]
    assert bucket.over_time(math.inf).rate_bps == bucket.bucket[1]


@given(BUCKETS, st.floats(1, 1e15))
def test_bytes_take_as_long_as_they_do_at_the_mean(bucket, size_bytes) -> None:
    mean_bps = bucket.over_bytes(size_bytes).rate_bps
    again_bps = bucket.over_time(8 * size_bytes / mean_bps).rate_bps
    assert again_bps == pytest.approx(mean_bps, rel=1e-9)


def test_a_burst_by_hand() -> None:
    """30 GB at 10 Gbit/s take 24 s, and 2.5 Gbit/s remain: 240 + 36 * 2.5 = 330 Gbit in 60 s."""
    bucket = Capacity.parse("10Gbit/s for 30GB then 2.5Gbit/s")
    assert bucket.over_time(24).rate_bps == bucket.over_time(0).rate_bps == 10e9
    assert bucket.over_time(60).rate_bps == pytest.approx(5.5e9, rel=1e-15)
    assert bucket.over_bytes(330e9 / 8).rate_bps == pytest.approx(5.5e9, rel=1e-15)
