"""RDMA over InfiniBand, Ethernet and TCP, and sockets over RDMA."""

from typing import Literal, TypeAlias

from netmodel.framing._layer import WORD_BYTES, Layer, Level, Part, layer, parts
from netmodel.framing.layers._link import LINK_CARRIERS
from netmodel.framing.lengths import RDMA_MTUS_BYTES

_ICRC_BYTES, _VCRC_BYTES = 4, 2
"""Invariant and, on a link of InfiniBand, variant CRC (InfiniBand specification, section 7.8)."""
_RETH_BYTES = 16
"""RDMA extended transport header, in the first packet of a write."""
_AETH_BYTES = 4
"""Acknowledgement extended transport header."""
_CDC_MESSAGE_BYTES = 44
"""Cursors and flags after each write (RFC 7609, appendix A.4)."""
_MARKER_BYTES, _MARKER_INTERVAL_BYTES = 4, 512
"""A marker in each 512 bytes of the stream (RFC 5044, section 4.3)."""


Operation: TypeAlias = Literal["write", "send", "read"]
"""Kind of a message over RDMA."""
_EXTENSIONS_BYTES: dict[Operation, tuple[int, int]] = {
    "write": (_RETH_BYTES, 0),
    "send": (0, 0),
    "read": (_AETH_BYTES, _AETH_BYTES),
}
"""Besides, in the first packet and in the last of several (InfiniBand specification, section 9.3,
tables of headers by operation): the address of a write; the acknowledgement in the answer to a
read, whose request has the address."""
_LRH_BYTES, _GRH_BYTES, _BTH_BYTES = 8, 40, 12
"""Local route, global route and base transport header (InfiniBand specification, 7.7, 8.3, 9.2)."""


@layer
def infiniband(operation: Operation = "write", *, grh: bool = False) -> Layer:
    """
    Return the layer of InfiniBand: a link of its own, whose packets no Ethernet carries.

    Parameters
    ----------
    operation : {"write", "send", "read"}
        What each message is.
    grh : bool
        Whether packets have a global route header, as those to another subnet do,
        and those of perftest with ``-x``.

    Returns
    -------
    layer : Layer
        20 bytes in front, or 60 with a global route header; an invariant CRC of 4
        and a variant CRC of 2 behind the payload, which is padded to a multiple of
        4. The first packet of a write has 16 bytes more, the first and the last of
        an answer to a read 4; that of a send none. An acknowledgement carries 4.

    Raises
    ------
    DomainError
        If the operation is none of RDMA.

    Notes
    -----
    The MTU is that of the path, which bounds the payload: 256, 512, 1024, 2048 or
    4096 bytes, and of another the largest of these below it. The rate of the line
    is that of its data, after coding. Four lanes have 8, 16 and 32 Gbit/s as SDR,
    DDR and QDR (10, 20 and 40 with 8b/10b), 54.5 as FDR (56.25 with 64b/66b), and
    100, 200 and 400 as EDR, HDR and NDR. Packets of flow control, the symbols
    between packets and the PCIe of the adapters take more, and are not counted.

    References
    ----------
    InfiniBand Architecture Specification, volume 1, chapter 5 (packets) and
    sections 7.7 to 7.8, 8.3, 9.2 to 9.3; volume 2 for rates and coding.

    Examples
    --------
    >>> infiniband().header_bytes, infiniband().trailer_bytes
    (20, 6)
    """
    route = parts(local_route_header=_LRH_BYTES, global_route_header=_GRH_BYTES * grh)
    return _rdma("infiniband", route, frozenset({""}), operation)


@layer
def rocev1(operation: Operation = "write") -> Layer:
    """
    Return the layer of RoCE version 1: route and transport headers directly on Ethernet.

    Parameters
    ----------
    operation : {"write", "send", "read"}
        What each message is.

    Returns
    -------
    layer : Layer
        52 bytes in front and an invariant CRC of 4 behind the payload, which is
        padded to a multiple of 4. The first packet of a write has 16 bytes more,
        the first and the last of an answer to a read 4; that of a send none. An
        acknowledgement carries 4.

    Raises
    ------
    DomainError
        If the operation is none of RDMA.

    References
    ----------
    InfiniBand Architecture Specification, chapter 9 and annex A16 (RoCE).

    Examples
    --------
    >>> rocev1().header_bytes, rocev1().trailer_bytes
    (52, 4)
    """
    return _rdma("rocev1", parts(global_route_header=_GRH_BYTES), LINK_CARRIERS, operation)


@layer
def rocev2(operation: Operation = "write") -> Layer:
    """
    Return the layer of RoCE version 2: base transport header over UDP.

    Parameters
    ----------
    operation : {"write", "send", "read"}
        What each message is.

    Returns
    -------
    layer : Layer
        12 bytes in front and an invariant CRC of 4 behind the payload, which is
        padded to a multiple of 4. The first packet of a write has 16 bytes more,
        the first and the last of an answer to a read 4; that of a send none. An
        acknowledgement carries 4.

    Raises
    ------
    DomainError
        If the operation is none of RDMA.

    References
    ----------
    InfiniBand Architecture Specification, chapter 9 and annex A17 (RoCEv2).

    Examples
    --------
    >>> rocev2().header_bytes, rocev2().trailer_bytes
    (12, 4)
    """
    return _rdma("rocev2", (), frozenset({"udp"}), operation)


def _rdma(
    protocol: str, route: tuple[Part, ...], carriers: frozenset[str], operation: Operation
) -> Layer:
    """Return the layer of the transport of InfiniBand behind headers of a route, and of a link."""
    first_bytes, last_bytes = _EXTENSIONS_BYTES[operation]
    return Layer(
        protocol,
        Level.TRANSPORT if "udp" in carriers else Level.INTERNET,
        (*route, *parts(base_transport_header=_BTH_BYTES)),
        carriers,
        trailer=parts(icrc=_ICRC_BYTES, vcrc=0 if carriers - {""} else _VCRC_BYTES),
        block_bytes=WORD_BYTES,
        minimum_content_bytes=RDMA_MTUS_BYTES[0],
        message_header_bytes=first_bytes,
        message_trailer_bytes=last_bytes,
        acknowledgement_bytes=_AETH_BYTES,
    )


@layer
def smcr() -> Layer:
    """
    Return the layer of SMC-R: each send of a socket is an RDMA write and a CDC message.

    Returns
    -------
    layer : Layer
        No bytes of its own in a packet of data. A write that wraps around the
        end of the receiver's buffer is two writes, which is not counted.

    References
    ----------
    RFC 7609, sections 4.3 and 4.5.1; Linux, ``net/smc/smc_cdc.h``.

    Examples
    --------
    A CDC message of 44 bytes follows each message:

    >>> smcr().cdc_message_bytes
    44
    """
    carriers, cdc_bytes = frozenset({"rocev1", "rocev2"}), _CDC_MESSAGE_BYTES
    return Layer("smcr", Level.TRANSPORT, (), carriers, cdc_message_bytes=cdc_bytes)


@layer
def iwarp(*, untagged: bool = False) -> Layer:
    """
    Return the layer of iWARP over TCP: one framed unit in each segment.

    Parameters
    ----------
    untagged : bool
        Whether the header is that of sends, rather than that of writes and of
        the answers to reads.

    Returns
    -------
    layer : Layer
        Length of 2 and header of 14 bytes, or 18 where it is untagged, in front
        and a CRC of 4 behind the payload, which is padded to a multiple of 4.

    Raises
    ------
    DomainError
        If the argument is not True or False.

    References
    ----------
    RFC 5044, section 4; RFC 5041, section 5; RFC 5040, section 4.

    Examples
    --------
    >>> iwarp().fixed_bytes, iwarp(untagged=True).fixed_bytes
    (20, 24)
    """
    # DDP and RDMAP control of 2, then tag and offset (4 + 8), or 4 words of an untagged message
    header = parts(mpa_length=2, ddp_rdmap_header=18 if untagged else 14)
    carriers, crc = frozenset({"tcp", "mpa-markers"}), parts(mpa_crc=4)  # CRC32c
    return Layer("iwarp", Level.TRANSPORT, header, carriers, trailer=crc, block_bytes=WORD_BYTES)


@layer
def mpa_markers() -> Layer:
    """
    Return the layer of markers in the stream of TCP, by which iWARP finds framed units.

    Returns
    -------
    layer : Layer
        4 bytes in each 512 of the stream, as many in a segment as can fall into
        it. RFC 5044 reckons one more where a segment has 1 to 3 bytes above a
        multiple of 512.

    References
    ----------
    RFC 5044, sections 4.3 and 5.1.

    Examples
    --------
    4 bytes in every 512 of the byte stream:

    >>> mpa_markers().header_bytes, mpa_markers().record_bytes
    (4, 508)
    """
    record_bytes = _MARKER_INTERVAL_BYTES - _MARKER_BYTES
    header = parts(mpa_markers=_MARKER_BYTES)
    return Layer("mpa-markers", Level.TUNNEL, header, frozenset({"tcp"}), record_bytes=record_bytes)
