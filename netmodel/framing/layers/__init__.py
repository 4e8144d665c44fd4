"""The layers that a header stack can be composed of, one function each."""

from netmodel.packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from netmodel.framing.layers._internet import IPV4_HEADER_BYTES as IPV4_HEADER_BYTES
    from netmodel.framing.layers._internet import IPV6_HEADER_BYTES as IPV6_HEADER_BYTES
    from netmodel.framing.layers._internet import MIN_IPV4_MTU_BYTES as MIN_IPV4_MTU_BYTES
    from netmodel.framing.layers._internet import TCP_HEADER_BYTES as TCP_HEADER_BYTES
    from netmodel.framing.layers._internet import UDP_HEADER_BYTES as UDP_HEADER_BYTES
    from netmodel.framing.layers._internet import ipv4 as ipv4
    from netmodel.framing.layers._internet import ipv6 as ipv6
    from netmodel.framing.layers._internet import quic as quic
    from netmodel.framing.layers._internet import tcp as tcp
    from netmodel.framing.layers._internet import udp as udp
    from netmodel.framing.layers._link import VLAN_TAG_BYTES as VLAN_TAG_BYTES
    from netmodel.framing.layers._link import ethernet as ethernet
    from netmodel.framing.layers._link import llc_snap as llc_snap
    from netmodel.framing.layers._link import macsec as macsec
    from netmodel.framing.layers._link import mpls as mpls
    from netmodel.framing.layers._link import pppoe as pppoe
    from netmodel.framing.layers._link import qinq as qinq
    from netmodel.framing.layers._link import vlan as vlan
    from netmodel.framing.layers._rdma import RdmaOperation as RdmaOperation
    from netmodel.framing.layers._rdma import iwarp as iwarp
    from netmodel.framing.layers._rdma import mpa_markers as mpa_markers
    from netmodel.framing.layers._rdma import rocev1 as rocev1
    from netmodel.framing.layers._rdma import rocev2 as rocev2
    from netmodel.framing.layers._rdma import smcr as smcr
    from netmodel.framing.layers._records import TlsProtection as TlsProtection
    from netmodel.framing.layers._records import iscsi as iscsi
    from netmodel.framing.layers._records import nvme_tcp as nvme_tcp
    from netmodel.framing.layers._records import tls as tls
    from netmodel.framing.layers._tunnel import EspSuite as EspSuite
    from netmodel.framing.layers._tunnel import esp as esp
    from netmodel.framing.layers._tunnel import geneve as geneve
    from netmodel.framing.layers._tunnel import gre as gre
    from netmodel.framing.layers._tunnel import vxlan as vxlan
    from netmodel.framing.layers._tunnel import wireguard as wireguard
