"""The layers that a header stack can be composed of, one function each."""

from netmodel.packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from ._internet import IPV4_HEADER_BYTES as IPV4_HEADER_BYTES
    from ._internet import IPV6_HEADER_BYTES as IPV6_HEADER_BYTES
    from ._internet import MIN_IPV4_MTU_BYTES as MIN_IPV4_MTU_BYTES
    from ._internet import TCP_HEADER_BYTES as TCP_HEADER_BYTES
    from ._internet import UDP_HEADER_BYTES as UDP_HEADER_BYTES
    from ._internet import ipv4 as ipv4
    from ._internet import ipv6 as ipv6
    from ._internet import quic as quic
    from ._internet import tcp as tcp
    from ._internet import udp as udp
    from ._link import VLAN_TAG_BYTES as VLAN_TAG_BYTES
    from ._link import ethernet as ethernet
    from ._link import llc_snap as llc_snap
    from ._link import macsec as macsec
    from ._link import mpls as mpls
    from ._link import pppoe as pppoe
    from ._link import qinq as qinq
    from ._link import vlan as vlan
    from ._rdma import RdmaOperation as RdmaOperation
    from ._rdma import iwarp as iwarp
    from ._rdma import mpa_markers as mpa_markers
    from ._rdma import rocev1 as rocev1
    from ._rdma import rocev2 as rocev2
    from ._rdma import smcr as smcr
    from ._records import TlsProtection as TlsProtection
    from ._records import iscsi as iscsi
    from ._records import nvme_tcp as nvme_tcp
    from ._records import tls as tls
    from ._tunnel import EspSuite as EspSuite
    from ._tunnel import esp as esp
    from ._tunnel import geneve as geneve
    from ._tunnel import gre as gre
    from ._tunnel import vxlan as vxlan
    from ._tunnel import wireguard as wireguard
