"""The layers that a header stack can be composed of, one function each."""

from netmodel.framing.layers._internet import (
    IPV6_HEADER_BYTES,
    TCP_HEADER_BYTES,
    UDP_HEADER_BYTES,
    ipv4,
    ipv6,
    quic,
    tcp,
    udp,
)
from netmodel.framing.layers._link import ethernet, llc_snap, macsec, mpls, pppoe, qinq, vlan
from netmodel.framing.layers._rdma import RdmaOperation, iwarp, mpa_markers, rocev1, rocev2, smcr
from netmodel.framing.layers._records import TlsProtection, iscsi, nvme_tcp, tls
from netmodel.framing.layers._tunnel import EspSuite, esp, geneve, gre, vxlan, wireguard

__all__ = [
    "IPV6_HEADER_BYTES",
    "TCP_HEADER_BYTES",
    "UDP_HEADER_BYTES",
    "EspSuite",
    "RdmaOperation",
    "TlsProtection",
    "esp",
    "ethernet",
    "geneve",
    "gre",
    "ipv4",
    "ipv6",
    "iscsi",
    "iwarp",
    "llc_snap",
    "macsec",
    "mpa_markers",
    "mpls",
    "nvme_tcp",
    "pppoe",
    "qinq",
    "quic",
    "rocev1",
    "rocev2",
    "smcr",
    "tcp",
    "tls",
    "udp",
    "vlan",
    "vxlan",
    "wireguard",
]
