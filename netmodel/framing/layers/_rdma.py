"""RDMA over Ethernet and over TCP."""

from netmodel.framing._layer import Layer, Level, Part
from netmodel.framing.layers._link import LINK_CARRIERS

__all__ = ["iwarp", "rocev1", "rocev2"]

_ICRC = (Part("icrc", 4),)
_RDMA_BLOCK_BYTES = 4
_BTH = Part("base_transport_header", 12)


def rocev1() -> Layer:
    """
    RoCE version 1: global route header and base transport header directly on Ethernet.

    Returns
    -------
    layer : Layer
        52 bytes in front and an invariant CRC of 4 behind the payload, which is
        padded to a multiple of 4. Extended headers of single operations are not
        in it.

    References
    ----------
    InfiniBand Architecture Specification, annex A16 (RoCE).
    """
    return Layer(
        "rocev1",
        Level.INTERNET,
        (Part("global_route_header", 40), _BTH),
        LINK_CARRIERS,
        trailer=_ICRC,
        block_bytes=_RDMA_BLOCK_BYTES,
    )


def rocev2() -> Layer:
    """
    RoCE version 2: base transport header over UDP.

    Returns
    -------
    layer : Layer
        12 bytes in front and an invariant CRC of 4 behind the payload, which is
        padded to a multiple of 4. Extended headers of single operations are not
        in it.

    References
    ----------
    InfiniBand Architecture Specification, annex A17 (RoCEv2).
    """
    return Layer(
        "rocev2",
        Level.TRANSPORT,
        (_BTH,),
        frozenset({"udp"}),
        trailer=_ICRC,
        block_bytes=_RDMA_BLOCK_BYTES,
    )


def iwarp() -> Layer:
    """
    iWARP over TCP: one framed unit in each segment, tagged, without markers.

    Returns
    -------
    layer : Layer
        Length of 2 and tagged header of 14 bytes in front, a CRC of 4 behind
        the payload, which is padded to a multiple of 4.

    References
    ----------
    RFC 5044, section 4; RFC 5041, section 5; RFC 5040, section 4.
    """
    return Layer(
        "iwarp",
        Level.TRANSPORT,
        (Part("mpa_length", 2), Part("ddp_rdmap_header", 14)),
        frozenset({"tcp"}),
        trailer=(Part("mpa_crc", 4),),
        block_bytes=_RDMA_BLOCK_BYTES,
    )
