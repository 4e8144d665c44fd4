"""The layers that a header stack can be composed of, one function each."""

from netmodel.framing.layers._internet import (
    TCP_HEADER_BYTES,
    UDP_HEADER_BYTES,
    ipv4,
    ipv6,
    tcp,
    udp,
)
from netmodel.framing.layers._link import ethernet, llc_snap, macsec, mpls, pppoe, qinq, vlan
from netmodel.framing.layers._rdma import iwarp, rocev1, rocev2
from netmodel.framing.layers._tunnel import EspSuite, esp, geneve, gre, vxlan, wireguard

__all__ = [
    "TCP_HEADER_BYTES",
    "UDP_HEADER_BYTES",
    "EspSuite",
    "esp",
    "ethernet",
    "geneve",
    "gre",
    "ipv4",
    "ipv6",
    "iwarp",
    "llc_snap",
    "macsec",
    "mpls",
    "pppoe",
    "qinq",
    "rocev1",
    "rocev2",
    "tcp",
    "udp",
    "vlan",
    "vxlan",
    "wireguard",
]
