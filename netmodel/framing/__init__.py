"""Bytes: what each header of a stack adds, what a frame carries and how long it is on the wire."""

from netmodel.framing._fragments import udp_packet_count, udp_wire_bytes
from netmodel.framing._frame import (
    TCP_IPV4_HEADER_BYTES,
    frame_bytes,
    payload_bytes,
    wire_bytes,
)
from netmodel.framing._layers import (
    TCP_HEADER_BYTES,
    Layer,
    Part,
    ethernet,
    ipv4,
    ipv6,
    qinq,
    tcp,
    udp,
    vlan,
)
from netmodel.framing._stack import Stack, tcp_stack, udp_stack
from netmodel.framing.unchecked import (
    ETHERNET_HEADER_BYTES,
    FCS_BYTES,
    GAP_BYTES,
    MIN_FRAME_BYTES,
    PREAMBLE_BYTES,
    SFD_BYTES,
    SILENT_BYTES,
)

__all__ = [
    "ETHERNET_HEADER_BYTES",
    "FCS_BYTES",
    "GAP_BYTES",
    "MIN_FRAME_BYTES",
    "PREAMBLE_BYTES",
    "SFD_BYTES",
    "SILENT_BYTES",
    "TCP_HEADER_BYTES",
    "TCP_IPV4_HEADER_BYTES",
    "Layer",
    "Part",
    "Stack",
    "ethernet",
    "frame_bytes",
    "ipv4",
    "ipv6",
    "payload_bytes",
    "qinq",
    "tcp",
    "tcp_stack",
    "udp",
    "udp_packet_count",
    "udp_stack",
    "udp_wire_bytes",
    "vlan",
    "wire_bytes",
]
