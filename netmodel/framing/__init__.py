"""Bytes: what each header of a stack adds, what a frame carries and how long it is on the wire."""

from netmodel.packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from netmodel.framing._common_stacks import tcp_stack as tcp_stack
    from netmodel.framing._common_stacks import udp_stack as udp_stack
    from netmodel.framing._fragments import udp_packet_count as udp_packet_count
    from netmodel.framing._fragments import udp_wire_bytes as udp_wire_bytes
    from netmodel.framing._frame import TCP_IPV4_HEADER_BYTES as TCP_IPV4_HEADER_BYTES
    from netmodel.framing._frame import frame_bytes as frame_bytes
    from netmodel.framing._frame import payload_bytes as payload_bytes
    from netmodel.framing._frame import wire_bytes as wire_bytes
    from netmodel.framing._grammar import LAYER_FORMS as LAYER_FORMS
    from netmodel.framing._grammar import LayerForm as LayerForm
    from netmodel.framing._grammar import parse_stack as parse_stack
    from netmodel.framing._layer import Layer as Layer
    from netmodel.framing._layer import Level as Level
    from netmodel.framing._layer import Part as Part
    from netmodel.framing._messages import message_wire_bytes as message_wire_bytes
    from netmodel.framing._messages import segment_count as segment_count
    from netmodel.framing._messages import tail_bytes as tail_bytes
    from netmodel.framing._offloads import BIG_TCP_AGGREGATE_BYTES as BIG_TCP_AGGREGATE_BYTES
    from netmodel.framing._offloads import LEGACY_AGGREGATE_BYTES as LEGACY_AGGREGATE_BYTES
    from netmodel.framing._offloads import (
        segments_per_aggregate_count as segments_per_aggregate_count,
    )
    from netmodel.framing._path_mtu import LARGEST_MTU_BYTES as LARGEST_MTU_BYTES
    from netmodel.framing._path_mtu import Hop as Hop
    from netmodel.framing._path_mtu import MtuFate as MtuFate
    from netmodel.framing._path_mtu import MtuOutcome as MtuOutcome
    from netmodel.framing._path_mtu import PathMtu as PathMtu
    from netmodel.framing._rdma import RDMA_HEADERS_BYTES as RDMA_HEADERS_BYTES
    from netmodel.framing._rdma import RDMA_MTUS_BYTES as RDMA_MTUS_BYTES
    from netmodel.framing._rdma import rdma_mtu_bytes as rdma_mtu_bytes
    from netmodel.framing.layers import TCP_HEADER_BYTES as TCP_HEADER_BYTES
    from netmodel.framing.layers import UDP_HEADER_BYTES as UDP_HEADER_BYTES
    from netmodel.framing.layers import EspSuite as EspSuite
    from netmodel.framing.layers import RdmaOperation as RdmaOperation
    from netmodel.framing.layers import TlsProtection as TlsProtection
    from netmodel.framing.layers import esp as esp
    from netmodel.framing.layers import ethernet as ethernet
    from netmodel.framing.layers import geneve as geneve
    from netmodel.framing.layers import gre as gre
    from netmodel.framing.layers import ipv4 as ipv4
    from netmodel.framing.layers import ipv6 as ipv6
    from netmodel.framing.layers import iscsi as iscsi
    from netmodel.framing.layers import iwarp as iwarp
    from netmodel.framing.layers import llc_snap as llc_snap
    from netmodel.framing.layers import macsec as macsec
    from netmodel.framing.layers import mpa_markers as mpa_markers
    from netmodel.framing.layers import mpls as mpls
    from netmodel.framing.layers import nvme_tcp as nvme_tcp
    from netmodel.framing.layers import pppoe as pppoe
    from netmodel.framing.layers import qinq as qinq
    from netmodel.framing.layers import quic as quic
    from netmodel.framing.layers import rocev1 as rocev1
    from netmodel.framing.layers import rocev2 as rocev2
    from netmodel.framing.layers import smcr as smcr
    from netmodel.framing.layers import tcp as tcp
    from netmodel.framing.layers import tls as tls
    from netmodel.framing.layers import udp as udp
    from netmodel.framing.layers import vlan as vlan
    from netmodel.framing.layers import vxlan as vxlan
    from netmodel.framing.layers import wireguard as wireguard
    from netmodel.framing.stack import Stack as Stack
    from netmodel.framing.unchecked import ETHERNET_HEADER_BYTES as ETHERNET_HEADER_BYTES
    from netmodel.framing.unchecked import FCS_BYTES as FCS_BYTES
    from netmodel.framing.unchecked import GAP_BYTES as GAP_BYTES
    from netmodel.framing.unchecked import MIN_FRAME_BYTES as MIN_FRAME_BYTES
    from netmodel.framing.unchecked import PREAMBLE_BYTES as PREAMBLE_BYTES
    from netmodel.framing.unchecked import SFD_BYTES as SFD_BYTES
    from netmodel.framing.unchecked import SILENT_BYTES as SILENT_BYTES
