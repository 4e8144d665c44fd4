"""Strategies of lines and frames: line rates, MTUs and header stacks, and what is none."""

import math
from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st

from netmodel._numeric import require_one, require_whole
from netmodel.ceilings import MAX_PACKET_BYTES
from netmodel.errors import DomainError
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
from netmodel.framing._path_mtu import LARGEST_MTU_BYTES
from netmodel.units._prefixes import GIGA, MEGA

PLAIN_LINE_RATE_BPS = 10 * GIGA
"""Where line rates shrink to: a common line, whose ceilings are easy to read. [bit/s]"""
PLAIN_MTU_BYTES = 1500
"""Where MTUs shrink to: the largest payload of a frame without jumbo frames (IEEE 802.3). [byte]"""
SMALLEST_IPV6_MTU_BYTES = 1280
"""RFC 8200, section 5; each stack of `stacks` runs over it, with all its options. [byte]"""
_ETHERNET_RATES_GBPS = (0.01, 0.1, 1, 2.5, 5, 10, 25, 40, 50, 100, 200, 400)
"""MAC rates of IEEE 802.3, its slowest and fastest in use as the ends of `line_rates`."""
_COMMON_MTUS_BYTES = (1500, 9000, 1280, 1492, 2048, 4096, 8992, 9216)
"""Of Ethernet, jumbo frames, IPv6 at least, PPPoE, RoCE, z/OS with jumbo frames, switches."""
_WORD_BYTES, _OPTION_WORDS = 4, 10
"""Options of an IPv4 header: up to 40 byte in words of four (RFC 791)."""
_UNIT_BYTES, _EXTENSION_UNITS = 8, 8
"""Units of extension headers (RFC 8200); 64 byte hold every one in common use."""
_TUNNELLED_EXTENSION_UNITS = 3
"""Fewer inside tunnels, which nest and have to leave room for payload."""


# Line rates and MTUs


def line_rates(
    min_value: float = _ETHERNET_RATES_GBPS[0] * GIGA,
    max_value: float = _ETHERNET_RATES_GBPS[-1] * GIGA,
) -> st.SearchStrategy[float]:
    """
    MAC rates of lines, by default from 10 Mbit/s to 400 Gbit/s.

    Parameters
    ----------
    min_value, max_value : float
        Smallest and largest rate, both included, above 0. [bit/s]

    Returns
    -------
    line_rates : hypothesis.strategies.SearchStrategy of float
        Rates of IEEE 802.3 and others; shrinks to 10 Gbit/s, or to the nearest rate of IEEE 802.3
        in the range. [bit/s]

    Raises
    ------
    DomainError
        If the range is empty, or an end is not above 0 and finite.

    Examples
    --------
    >>> from hypothesis import given
    >>> from netmodel.ceilings import payload_rate_bps
    >>> @given(line_rates(min_value=1e9))
    ... def test_headers_take_their_share(line_rate_bps):
    ...     assert payload_rate_bps(line_rate_bps, 1500) < line_rate_bps
    >>> test_headers_take_their_share()
    """
    min_value, max_value = require_one("min_value", min_value), require_one("max_value", max_value)
    _require_range("bit/s", min_value, max_value, 0)
    known = [gbps * GIGA for gbps in _ETHERNET_RATES_GBPS]
    standard = sorted(
        (float(rate_bps) for rate_bps in known if min_value <= rate_bps <= max_value),
        key=lambda rate_bps: abs(math.log(rate_bps / PLAIN_LINE_RATE_BPS)),
    )
    others: st.SearchStrategy[float] = st.floats(min_value, max_value)
    first, last = math.ceil(min_value / MEGA), math.floor(max_value / MEGA)
    if first <= last:
        others = st.integers(first, last).map(lambda mbps: float(mbps * MEGA)) | others
    return st.sampled_from(standard) | others if standard else others


def mtus(
    min_value: int = SMALLEST_IPV6_MTU_BYTES, max_value: int = LARGEST_MTU_BYTES
) -> st.SearchStrategy[int]:
    """
    MTUs of Ethernet interfaces, by default from 1280 to 9216 byte.

    Parameters
    ----------
    min_value, max_value : int
        Smallest and largest MTU, both included, from 68 to 65535, the smallest and largest packet
        of IPv4. [byte]

    Returns
    -------
    mtus : hypothesis.strategies.SearchStrategy of int
        Common MTUs and others; shrinks to 1500, else towards it or to a common one. Every stack
        of `stacks` runs over the default range; `full_packets` draws an MTU for any stack. [byte]

    Raises
    ------
    DomainError
        If the range is empty, or an end is not from 68 to 65535.

    Examples
    --------
    >>> from hypothesis import given
    >>> from netmodel.framing import tcp_stack
    >>> @given(mtus(max_value=1500))
    ... def test_headers_of_small_packets_weigh_most(mtu_bytes):
    ...     assert tcp_stack().payload_bytes(mtu_bytes) <= 1448
    >>> test_headers_of_small_packets_weigh_most()
    """
    min_value = require_whole("min_value", min_value)
    max_value = require_whole("max_value", max_value)
    _require_range("byte", min_value, max_value, _SMALLEST_MTU_BYTES - 1, MAX_PACKET_BYTES)
    common = [mtu_bytes for mtu_bytes in _COMMON_MTUS_BYTES if min_value <= mtu_bytes <= max_value]
    # integers shrink to the one nearest to 0: counted from the plain one
    near = st.integers(min_value - PLAIN_MTU_BYTES, max_value - PLAIN_MTU_BYTES).map(
        lambda more: PLAIN_MTU_BYTES + more
    )
    return near | st.sampled_from(common) if common else near


_SMALLEST_MTU_BYTES = 68
"""Every link has to carry IPv4 packets of this size whole (RFC 791). [byte]"""


def _require_range(
    unit: str, min_value: float, max_value: float, above: float, at_most: float = math.inf
) -> None:
    if not (above < min_value <= max_value <= at_most) or max_value == math.inf:
        end = "" if at_most == math.inf else f" and at most {at_most:g} {unit}"
        raise DomainError(
            f"min_value and max_value must be in order, above {above:g} {unit}{end}; got "
            f"{min_value!r} and {max_value!r}"
        )


# Layers


flags = st.booleans()
ciphers = st.sampled_from(EspSuite)
link_layers = st.lists(st.sampled_from([vlan(), qinq()]), max_size=3).map(
    lambda tags: (ethernet(), *tags)
)  # 802.1ad uses two tags; one more shows what each costs
ip_layers: st.SearchStrategy[Layer] = st.one_of(
    st.integers(0, _OPTION_WORDS).map(lambda words: ipv4(options_bytes=_WORD_BYTES * words)),
    st.integers(0, _EXTENSION_UNITS).map(lambda units: ipv6(extension_bytes=_UNIT_BYTES * units)),
)
short_ip_layers: st.SearchStrategy[Layer] = st.one_of(
    st.integers(0, _OPTION_WORDS).map(lambda words: ipv4(options_bytes=_WORD_BYTES * words)),
    st.integers(0, _TUNNELLED_EXTENSION_UNITS).map(
        lambda units: ipv6(extension_bytes=_UNIT_BYTES * units)
    ),
)
# 40 byte of options hold four SACK blocks, or three beside timestamps (RFC 2018)
every_tcp_layer = flags.flatmap(
    lambda timestamps: st.integers(0, 3 if timestamps else 4).map(
        lambda blocks: tcp(timestamps=timestamps, sack_blocks=blocks)
    )
)
# the shortest choice is the simplest to Hypothesis: a layer without options needs a branch
tcp_layers: st.SearchStrategy[Layer] = st.just(tcp(timestamps=False)) | every_tcp_layer
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
        st.sampled_from([EspSuite.AES_GCM, EspSuite.CHACHA20_POLY1305]),
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
    st.sampled_from(TlsProtection),
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


# Stacks

everyday_stacks = st.tuples(link_layers, ip_layers, tcp_layers | st.just(udp())).map(
    lambda drawn: Stack((*drawn[0], *drawn[1:]))
)


def stacks() -> st.SearchStrategy[Stack]:
    """
    Header stacks of everyday: TCP or UDP over IPv4 or IPv6 over Ethernet, with tags and options.

    Returns
    -------
    stacks : hypothesis.strategies.SearchStrategy of Stack
        Up to three VLAN tags, IP options or extension headers, TCP timestamps and SACK blocks.
        Each runs over every MTU of `mtus`. Shrinks to ``ethernet/ipv4/tcp``.

    See Also
    --------
    composed_stacks : Tunnels, RDMA and records too.

    Examples
    --------
    >>> from hypothesis import given
    >>> @given(stacks(), mtus())
    ... def test_a_frame_holds_its_payload(stack, mtu_bytes):
    ...     assert stack.payload_bytes(mtu_bytes) < stack.frame_bytes(mtu_bytes)
    >>> test_a_frame_holds_its_payload()
    """
    return everyday_stacks


@st.composite
def _composed_stacks(draw: st.DrawFn) -> Stack:
    layers = draw(frame_headers)
    for _ in range(draw(st.integers(0, 3))):
        layers = [*layers, draw(short_ip_layers), *draw(tunnels)]
    carries_frames = layers[-1].protocol in {"ethernet", "vlan", "qinq", "macsec"}
    rdma = st.sampled_from([[rocev1()], [rocev1(), smcr()]])
    content = draw(packets | rdma if carries_frames else packets)
    return Stack((*layers, *content))


def composed_stacks() -> st.SearchStrategy[Stack]:
    """
    Every kind of header stack: tunnels in one another, encryption, labels, RDMA and records.

    Returns
    -------
    composed_stacks : hypothesis.strategies.SearchStrategy of Stack
        Up to three tunnels inside one another, each of which may carry frames of its own. Shrinks
        to ``ethernet/ipv4/tcp``. Deep ones need an MTU above those of `mtus`:
        :attr:`~netmodel.framing.Stack.minimum_mtu_bytes` is the smallest of the innermost packet.

    Examples
    --------
    >>> from hypothesis import given, settings
    >>> from netmodel.framing import parse_stack
    >>> @given(composed_stacks())
    ... @settings(max_examples=10, deadline=None)
    ... def test_a_stack_is_read_as_it_is_written(stack):
    ...     assert parse_stack(str(stack)) == stack
    >>> test_a_stack_is_read_as_it_is_written()
    """
    return _composed_stacks()


@st.composite
def _full_packets(draw: st.DrawFn, each: st.SearchStrategy[Stack]) -> tuple[Stack, int]:
    stack = draw(each)
    smallest = stack.minimum_mtu_bytes
    near, far = st.integers(smallest, smallest + 60), st.integers(smallest, MAX_PACKET_BYTES)
    plain = [st.just(PLAIN_MTU_BYTES)] if smallest <= PLAIN_MTU_BYTES else []
    return stack, draw(st.one_of(*plain, near, far))


def full_packets(
    stacks: st.SearchStrategy[Stack] | None = None,
) -> st.SearchStrategy[tuple[Stack, int]]:
    """
    A header stack, and an MTU of its innermost packet that it runs over.

    Parameters
    ----------
    stacks : hypothesis.strategies.SearchStrategy of Stack, optional
        Of the stacks; `stacks` when left out.

    Returns
    -------
    full_packets : hypothesis.strategies.SearchStrategy of (Stack, int)
        The stack and the MTU, from the smallest that the stack allows to 65535 byte. Small ones,
        whose frames are padded, come up as often as large ones. Shrinks to ``ethernet/ipv4/tcp``
        at MTU 1500.

    Examples
    --------
    >>> from hypothesis import given
    >>> @given(full_packets())
    ... def test_a_full_packet_carries_payload(packet):
    ...     stack, mtu_bytes = packet
    ...     assert stack.payload_bytes(mtu_bytes) >= 1
    >>> test_a_full_packet_carries_payload()
    """
    return _full_packets(everyday_stacks if stacks is None else stacks)


# What is none

_SMALLEST_HEADERS_BYTES = ipv4().fixed_bytes + udp().fixed_bytes
"""Of any packet: they leave no room for payload. [byte]"""
NO_NUMBERS: tuple[Any, ...] = (None, True, "", "fast", 1j, {}, [None], ["fast"])
"""No number and no array of numbers."""


def no_rates(unit_value: float) -> st.SearchStrategy[Any]:
    """Of what must be above 0 and finite: 0, below, infinite, and what is no number."""
    return st.one_of(
        st.sampled_from([0, -unit_value, math.inf, -math.inf]),
        st.floats(max_value=0, allow_infinity=False),
        st.floats(max_value=0).map(lambda value: [unit_value, value]),
        st.sampled_from(NO_NUMBERS),
    )


def invalid_line_rates() -> st.SearchStrategy[Any]:
    """
    What is no line rate: 0, negative, infinite, or no number.

    Returns
    -------
    invalid_line_rates : hypothesis.strategies.SearchStrategy
        Every formula that takes a line rate refuses each with `DomainError`. Arrays are among
        them in which one rate of two is wrong. NaN is not: NaN in gives NaN out. Shrinks to 0.
        [bit/s]

    Examples
    --------
    >>> from netmodel.ceilings import payload_rate_bps
    >>> from netmodel.testing import assert_refuses
    >>> assert_refuses(payload_rate_bps, line_rate_bps=invalid_line_rates(), mtu_bytes=1500)
    """
    return no_rates(PLAIN_LINE_RATE_BPS)


def invalid_mtus() -> st.SearchStrategy[Any]:
    """
    What is no MTU: negative, no larger than headers, above 65535, infinite, or no number.

    Returns
    -------
    invalid_mtus : hypothesis.strategies.SearchStrategy
        `line_ceiling`, whatever the stack, refuses each with `DomainError`. NaN is not among
        them. Shrinks to 0. [byte]

    Examples
    --------
    >>> from netmodel.ceilings import line_ceiling
    >>> from netmodel.testing import assert_refuses
    >>> assert_refuses(line_ceiling, line_rate_bps=10e9, mtu_bytes=invalid_mtus())
    """
    return st.one_of(
        st.integers(0, _SMALLEST_HEADERS_BYTES),
        no_rates(PLAIN_MTU_BYTES),
        st.integers(min_value=MAX_PACKET_BYTES + 1),
    )


_UNKNOWN_LAYERS = ("ipv5", "token-ring", "tpc", "IPV4", "")
_WRONG_OPTIONS = ("tcp+timestamp", "tcp+sack=5", "ipv4+options=3", "vlan+sci", "esp+suite=rot13")


def _text(layers: Iterable[object]) -> str:
    return "/".join(map(str, layers))


def invalid_stacks() -> st.SearchStrategy[Any]:
    """
    Texts that are no header stack, and what is no text.

    Returns
    -------
    invalid_stacks : hypothesis.strategies.SearchStrategy
        A valid stack with one fault: an unknown layer, a wrong option, layers that cannot carry
        one another, a tunnel that carries nothing. `parse_stack` refuses each with `DomainError`.

    Examples
    --------
    >>> from netmodel.framing import parse_stack
    >>> from netmodel.testing import assert_refuses
    >>> assert_refuses(parse_stack, text=invalid_stacks())
    """
    layers = stacks().map(lambda stack: tuple(map(str, stack.layers)))
    places = st.integers(0, 2)
    return st.one_of(
        st.sampled_from(["", "/", "ethernet//tcp", "ethernet/ipv4/", "ethernet/ipv4/gre"]),
        st.sampled_from(["tcp", "udp"]).flatmap(
            lambda transport: layers.map(lambda each: _text([transport, *each]))
        ),
        layers.map(lambda each: _text([*each, "ethernet"])),
        layers.map(lambda each: _text([*each, *each])),
        st.builds(
            lambda each, place, wrong: _text([*each[:place], wrong, *each[place:]]),
            layers,
            places,
            st.sampled_from(_UNKNOWN_LAYERS + _WRONG_OPTIONS),
        ),
        st.sampled_from([None, True, 4, b"ethernet/ipv4/tcp", ["ethernet", "ipv4"]]),
    )
