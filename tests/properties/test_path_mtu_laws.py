"""Laws of the largest packet over several hops."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from testing.strategies import composed_stacks, link_mtus

from netmodel.errors import DomainError
from netmodel.framing import Hop, PathMtu, Stack, parse_stack

NAMES = [f"hop {letter}" for letter in "abcdef"]
plain_mtus = st.integers(68, 100) | st.integers(68, 9216)
senders = st.integers(68, 100) | st.integers(68, 9300) | st.integers(68, 65535)


@st.composite
def paths(draw: st.DrawFn) -> PathMtu:
    """Hops with names of their own; few sizes, so that some are equal; most answer Too Big."""
    sizes = draw(st.lists(plain_mtus, min_size=1, max_size=3))
    names = draw(st.permutations(NAMES))[: draw(st.integers(1, len(NAMES)))]
    answers = st.sampled_from([True, True, False])
    return PathMtu(
        Hop(name, draw(st.sampled_from(sizes)), sends_too_big=draw(answers)) for name in names
    )


def counted_bytes(stack: Stack) -> int:
    """Headers that the MTU of Ethernet counts, though they are in front of the packet, by hand."""
    sizes = {"pppoe": 8, "mpls": 4, "llc-snap": 8}
    return sum(sizes.get(layer.protocol, 0) for layer in stack.link_layers)


@st.composite
def tunnelled_paths(draw: st.DrawFn) -> PathMtu:
    """Each hop with an encapsulation of its own."""
    hops = []
    for name in NAMES[: draw(st.integers(1, 3))]:
        stack = draw(composed_stacks())
        link_mtu = draw(link_mtus(stack)) + counted_bytes(stack)
        hops.append(Hop(name, link_mtu, stack, draw(st.booleans())))
    return PathMtu(hops)


def senders_of(path: PathMtu) -> st.SearchStrategy[int]:
    """Close to what a hop takes as often as anywhere."""
    close = [max(hop.mtu_bytes + more, 68) for hop in path.hops for more in (-1, 0, 1)]
    return st.sampled_from(close) | senders


@given(paths() | tunnelled_paths())
def test_the_mtu_of_a_path_is_that_of_its_smallest_hop(path: PathMtu) -> None:
    sizes = {
        hop.name: hop.stack.mtu_bytes(hop.link_mtu_bytes - counted_bytes(hop.stack))
        for hop in path.hops
    }
    assert path.mtu_bytes == min(sizes.values())
    named = {hop.name for hop in path.smallest_hops}
    assert named == {name for name, size in sizes.items() if size == path.mtu_bytes} != set()


def stalling_hop(path: PathMtu, sender: int) -> Hop | None:
    """First silent hop that takes less than the sender and every hop before it that answers."""
    for place, hop in enumerate(path.hops):
        reported = [before.mtu_bytes for before in path.hops[:place] if before.sends_too_big]
        if not hop.sends_too_big and hop.mtu_bytes < min([sender, *reported]):
            return hop
    return None


@given(paths(), st.data())
@example(PathMtu((Hop("a", 1400), Hop("b", 1400, sends_too_big=False))), 1500)
@example(PathMtu((Hop("b", 1400, sends_too_big=False), Hop("a", 1400))), 1500)
def test_packets_stall_where_a_silent_hop_is_the_first_to_take_less(
    path: PathMtu, data: st.DataObject | int
) -> None:
    """Unless a hop before it has made the sender send smaller ones."""
    sender = data if isinstance(data, int) else data.draw(senders_of(path))
    outcome = path.outcome(sender)
    hop = stalling_hop(path, sender)
    assert (outcome.fate == "stalls") == (hop is not None)
    if hop is not None:
        drops = f"{hop.name}, which takes {hop.mtu_bytes} byte, silently drops packets of"
        room = f"MTU to {hop.mtu_bytes}, or make room for {outcome.packet_bytes} byte at"
        assert f"{drops} {outcome.packet_bytes}:" in outcome.reason
        assert f"{room} {hop.name}" in outcome.reason


@given(paths(), st.data())
@example(PathMtu((Hop("hop a", 1500), Hop("hop b", 1400), Hop("hop c", 1400))), 1500)
@example(PathMtu((Hop("hop a", 1450), Hop("hop b", 1400), Hop("hop c", 1450))), 9000)
def test_the_reason_names_the_hop_that_decides(path: PathMtu, data: st.DataObject | int) -> None:
    outcome = path.outcome(data if isinstance(data, int) else data.draw(senders_of(path)))
    named = [name for name in NAMES if name in outcome.reason]
    if outcome.fate == "passes":
        assert named == []
    if outcome.fate == "reduced":
        first = next(hop for hop in path.smallest_hops if hop.sends_too_big)
        assert named == [first.name]
        assert f"{first.name} reports its MTU {path.mtu_bytes}:" in outcome.reason


@given(composed_stacks(), st.integers(1, 60))
def test_a_hop_without_room_for_its_headers_is_refused(stack: Stack, link_mtu: int) -> None:
    with pytest.raises(DomainError, match="link_mtu_bytes must be at least"):
        Hop("narrow", link_mtu, stack)


def test_a_hop_keeps_room_for_its_encapsulation() -> None:
    """By hand: VXLAN over IPv4 takes 50 of 1500 bytes, so packets of 1500 do not pass."""
    overlay = parse_stack("ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps")
    path = PathMtu([Hop("guest", 1500), Hop("overlay", 1500, overlay, sends_too_big=False)])
    assert path.mtu_bytes == 1450
    assert path.outcome(1500).fate == "stalls"
    assert path.outcome(1450).fate == "passes"
    line = Hop("dsl", 1500, parse_stack("pppoe/ipv4/tcp"))  # RFC 2516, section 7
    assert "pppoe takes 8 byte of the Ethernet MTU 1500 and leaves 1492 for IP" in line.note
    with pytest.raises(DomainError, match=r"byte; got 67, which pppoe leaves of 75$"):
        Hop("dsl", 75, line.stack)
    answering = PathMtu([Hop("router", 1400), *path.hops])
    assert answering.outcome(1500).fate == "reduced"
    assert answering.outcome(1500).packet_bytes == 1400


@pytest.mark.parametrize(
    ("link_mtu", "text", "mtu"),
    [
        (1500, "pppoe/ipv4/tcp", 1492),  # RFC 2516, section 7: no more than 1492
        (1508, "vlan/pppoe/ipv4/tcp", 1500),  # RFC 4638: Ethernet of 1508 for 1500
        (1500, "pppoe/ipv4/udp/wireguard/ipv4/tcp", 1432),  # 1492 - 60, padded to 16
        (1500, "mpls/mpls/ipv4/tcp", 1492),  # RFC 3032, section 3.1: two labels of 4
        (1500, "llc-snap/ipv4/tcp", 1492),  # RFC 1042, MTU over IEEE 802.3
        (1500, "mpls/ethernet/vlan/ipv4/tcp", 1478),  # a label, a frame of 14 and its tag
        (1500, "qinq/ipv4/tcp", 1500),
        (1500, "macsec/ipv4/tcp", 1500),
        (1500, "ipv4/gre/ipv4/tcp", 1476),
    ],
)
def test_what_stands_between_ethernet_and_ip_counts(link_mtu: int, text: str, mtu: int) -> None:
    hop = Hop("a", link_mtu, parse_stack(text))
    assert hop.mtu_bytes == mtu
    assert hop == Hop("a", link_mtu, parse_stack(f"ethernet/{text}"))
