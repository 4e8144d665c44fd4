"""Bytes: what each header of a stack adds, what a frame carries and how long it is on the wire."""

from netmodel.packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from ._common_stacks import tcp_stack as tcp_stack
    from ._common_stacks import udp_stack as udp_stack
    from ._fragments import udp_packet_count as udp_packet_count
    from ._fragments import udp_wire_bytes as udp_wire_bytes
    from ._frame import frame_bytes as frame_bytes
    from ._frame import payload_bytes as payload_bytes
    from ._frame import wire_bytes as wire_bytes
    from ._layer import Layer as Layer
    from ._layer import Level as Level
    from ._layer import Part as Part
    from ._messages import message_wire_bytes as message_wire_bytes
    from ._messages import segment_count as segment_count
    from ._messages import tail_bytes as tail_bytes
    from ._offloads import segments_per_aggregate_count as segments_per_aggregate_count
    from ._path_mtu import Hop as Hop
    from ._path_mtu import PathMtu as PathMtu
    from ._rdma import rdma_mtu_bytes as rdma_mtu_bytes
    from .grammar import parse_stack as parse_stack
    from .layers._internet import ipv4 as ipv4
    from .layers._internet import ipv6 as ipv6
    from .layers._internet import quic as quic
    from .layers._internet import tcp as tcp
    from .layers._internet import udp as udp
    from .layers._link import ethernet as ethernet
    from .layers._link import llc_snap as llc_snap
    from .layers._link import macsec as macsec
    from .layers._link import mpls as mpls
    from .layers._link import pppoe as pppoe
    from .layers._link import qinq as qinq
    from .layers._link import vlan as vlan
    from .layers._rdma import infiniband as infiniband
    from .layers._rdma import iwarp as iwarp
    from .layers._rdma import mpa_markers as mpa_markers
    from .layers._rdma import rocev1 as rocev1
    from .layers._rdma import rocev2 as rocev2
    from .layers._rdma import smcr as smcr
    from .layers._records import iscsi as iscsi
    from .layers._records import nvme_tcp as nvme_tcp
    from .layers._records import tls as tls
    from .layers._tunnel import esp as esp
    from .layers._tunnel import geneve as geneve
    from .layers._tunnel import gre as gre
    from .layers._tunnel import openvpn as openvpn
    from .layers._tunnel import vxlan as vxlan
    from .layers._tunnel import wireguard as wireguard
    from .stack import Stack as Stack
