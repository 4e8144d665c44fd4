"""Strategies of what users write: line rates, MTUs, header stacks and workloads."""

import math

from hypothesis import strategies as st

from netmodel.errors import DomainError
from netmodel.framing import Layer, Stack, ethernet, ipv4, ipv6, qinq, tcp, udp, vlan
from netmodel.framing.lengths import LARGEST_MTU_BYTES, MAX_PACKET_BYTES
from netmodel.numeric import require_one, require_whole
from netmodel.path import Traffic
from netmodel.units.prefixes import GIGA, MEGA

PLAIN_LINE_RATE_BPS = 10 * GIGA
"""Where line rates shrink to: a common line, whose ceilings are easy to read. [bit/s]"""
PLAIN_MTU_BYTES = 1500
"""Where MTUs shrink to: the largest payload of a frame without jumbo frames (IEEE 802.3). [byte]"""
SMALLEST_IPV6_MTU_BYTES = 1280
"""RFC 8200, section 5; each stack of `stacks` runs over it, with all its options. [byte]"""
_SMALLEST_MTU_BYTES = 68
"""Every link has to carry IPv4 packets of this size whole (RFC 791). [byte]"""
_ETHERNET_RATES_GBPS = (0.01, 0.1, 1, 2.5, 5, 10, 25, 40, 50, 100, 200, 400)
"""MAC rates of IEEE 802.3, its slowest and fastest in use as the ends of `line_rates`."""
_COMMON_MTUS_BYTES = (1500, 9000, 1280, 1492, 2048, 4096, 8992, 9216)
"""Of Ethernet, jumbo frames, IPv6 at least, PPPoE, RoCE, z/OS with jumbo frames, switches."""
_WORD_BYTES, _OPTION_WORDS = 4, 10
"""Options of an IPv4 header: up to 40 byte in words of four (RFC 791)."""
_UNIT_BYTES, _EXTENSION_UNITS = 8, 8
"""Units of extension headers (RFC 8200); 64 byte hold every one in common use."""
_MAX_MESSAGE_BYTES = 1_000_000
"""Hundreds of full frames: larger messages add nothing but more of the same. [byte]"""
_MAX_CONNECTION_COUNT = 300
"""Beyond the 250 connections of the measured workloads of the catalog."""
_FEW_PIECES_BYTES = 3000
"""Messages of one frame or two at MTU 1500, half of all: the last frame of a message matters
most in small ones. [byte]"""


# Line rates and MTUs


def line_rates(
    min_value: float = _ETHERNET_RATES_GBPS[0] * GIGA,
    max_value: float = _ETHERNET_RATES_GBPS[-1] * GIGA,
) -> st.SearchStrategy[float]:
    """
    Draw MAC rates of lines, by default from 10 Mbit/s to 400 Gbit/s.

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
    Draw MTUs of Ethernet interfaces, by default from 1280 to 9216 byte.

    Parameters
    ----------
    min_value, max_value : int
        Smallest and largest MTU, both included, from 68 to 65535, the smallest and largest packet
        of IPv4. [byte]

    Returns
    -------
    mtus : hypothesis.strategies.SearchStrategy of int
        Common MTUs and others; shrinks to 1500, else towards it or to a common one. Every stack
        of `stacks` runs over the default range. [byte]

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


def _require_range(
    unit: str, min_value: float, max_value: float, above: float, at_most: float = math.inf
) -> None:
    if not (above < min_value <= max_value <= at_most) or max_value == math.inf:
        end = "" if at_most == math.inf else f" and at most {at_most:g} {unit}"
        raise DomainError(
            f"min_value and max_value must be in order, above {above:g} {unit}{end}; got "
            f"{min_value!r} and {max_value!r}"
        )


# Stacks

link_layers = st.lists(st.sampled_from([vlan(), qinq()]), max_size=3).map(
    lambda tags: (ethernet(), *tags)
)  # 802.1ad uses two tags; one more shows what each costs
ip_layers: st.SearchStrategy[Layer] = st.one_of(
    st.integers(0, _OPTION_WORDS).map(lambda words: ipv4(options_bytes=_WORD_BYTES * words)),
    st.integers(0, _EXTENSION_UNITS).map(lambda units: ipv6(extension_bytes=_UNIT_BYTES * units)),
)
# 40 byte of options hold four SACK blocks, or three beside timestamps (RFC 2018);
# the shortest choice is the simplest to Hypothesis: a layer without options needs a branch
tcp_layers: st.SearchStrategy[Layer] = st.just(tcp(timestamps=False)) | st.booleans().flatmap(
    lambda timestamps: st.integers(0, 3 if timestamps else 4).map(
        lambda blocks: tcp(timestamps=timestamps, sack_blocks=blocks)
    )
)
_stacks = st.tuples(link_layers, ip_layers, tcp_layers | st.just(udp())).map(
    lambda drawn: Stack((*drawn[0], *drawn[1:]))
)


def stacks() -> st.SearchStrategy[Stack]:
    """
    Draw header stacks of everyday: TCP or UDP over IP over Ethernet, with tags and options.

    Returns
    -------
    stacks : hypothesis.strategies.SearchStrategy of Stack
        Up to three VLAN tags, IP options or extension headers, TCP timestamps and SACK blocks.
        Each runs over every MTU of `mtus`. Shrinks to ``ethernet/ipv4/tcp``.

    Examples
    --------
    >>> from hypothesis import given
    >>> @given(stacks(), mtus())
    ... def test_a_frame_holds_its_payload(stack, mtu_bytes):
    ...     assert stack.payload_bytes(mtu_bytes) < stack.frame_bytes(mtu_bytes)
    >>> test_a_frame_holds_its_payload()
    """
    return _stacks


# Workloads

_message_sizes = st.integers(1, _FEW_PIECES_BYTES) | st.integers(1, _MAX_MESSAGE_BYTES)
# half of all few, of which each matters
_connection_counts = (
    st.just(1) | (st.integers(1, 4) | st.integers(1, _MAX_CONNECTION_COUNT)) | st.none()
)
# up to 10 ms: longer ones leave every path idle
_think_times = st.just(0) | st.builds(
    lambda count, scale_s: count * scale_s, st.integers(1, 999), st.sampled_from((1e-6, 1e-5))
)
exchanges = st.builds(
    Traffic, _message_sizes, _message_sizes, _connection_counts, think_time_s=_think_times
)
streams = st.builds(
    lambda size, returns, **more: Traffic(*((0, size) if returns else (size, 0)), **more),
    _message_sizes,
    st.booleans(),
    connection_count=_connection_counts,
    waits=st.booleans(),
    shares_segments=st.booleans(),
    # two by RFC 9293, more with large receive
    segments_per_ack=st.none() | st.integers(1, 16),
)


def workloads() -> st.SearchStrategy[Traffic]:
    """
    Draw exchanges of connections: requests and responses, and streams in either direction.

    Returns
    -------
    workloads : hypothesis.strategies.SearchStrategy of Traffic
        Messages of 1 to 1,000,000 byte, 1 to 300 connections or an unknown number, think times up
        to 10 ms. `netmodel.predict` takes each in place of a workload. Shrinks to one connection
        that exchanges messages of one byte without think time.

    Examples
    --------
    >>> from hypothesis import given
    >>> @given(workloads())
    ... def test_the_sender_has_payload(traffic):
    ...     assert traffic.payload_bytes >= 1
    >>> test_the_sender_has_payload()
    """
    return exchanges | streams
