"""What an overlay network leaves of a line: formulas of our own, beside those of netmodel."""

import numpy as np

TCP_IP_BYTES = 52  # inside the packet: IPv4 20, TCP 20, timestamps 12
VXLAN_BYTES = 50  # around the packet: outer IPv4 20, UDP 8, VXLAN 8, inner Ethernet 14
WIRE_BYTES = 38  # around all: Ethernet 14, check sequence 4, preamble 8, gap 12


def overlay_rate_bps(line_rate_bps, mtu_bytes):
    """Payload of TCP through the overlay, whose inner interfaces have this MTU. [bit/s]"""
    if np.any(np.less_equal(line_rate_bps, 0)):
        raise ValueError(f"line_rate_bps must be above 0; got {line_rate_bps}")
    wire_bytes = mtu_bytes + VXLAN_BYTES + WIRE_BYTES
    return line_rate_bps * ((mtu_bytes - TCP_IP_BYTES) / wire_bytes)


def required_line_rate_bps(overlay_rate_bps, mtu_bytes):
    """The line that carries a payload rate through the overlay. [bit/s]"""
    wire_bytes = mtu_bytes + VXLAN_BYTES + WIRE_BYTES
    return overlay_rate_bps * wire_bytes / (mtu_bytes - TCP_IP_BYTES)
