"""Presets of container networks and VPNs: their headers, their usual MTU, and errors about them."""

import pytest
from invocation import printed_json, refusal

from netmodel.errors import DomainError
from netmodel.framing import Hop, parse_stack
from netmodel.framing.presets import PRESETS

VXLAN_BYTES = 20 + 8 + 8 + 14
WIREGUARD_BYTES = 20 + 8 + 32
LEFT = {
    "flannel-vxlan": VXLAN_BYTES,
    "flannel-ipip": 20,
    "flannel-wireguard": WIREGUARD_BYTES,
    "flannel-host-gw": 0,
    "calico-vxlan": VXLAN_BYTES,
    "calico-vxlan-ipv6": VXLAN_BYTES + 20,
    "calico-ipip": 20,
    "calico-wireguard": WIREGUARD_BYTES,
    "calico-wireguard-ipv6": WIREGUARD_BYTES + 20,
    "calico-native": 0,
    "cilium-vxlan": VXLAN_BYTES,
    "cilium-geneve": VXLAN_BYTES,
    "cilium-wireguard": WIREGUARD_BYTES,
    "cilium-vxlan-wireguard": WIREGUARD_BYTES + VXLAN_BYTES,
    "cilium-native": 0,
    "antrea-geneve": VXLAN_BYTES,
    "antrea-vxlan": VXLAN_BYTES,
    "antrea-gre": 20 + 4 + 14,
    "antrea-wireguard": WIREGUARD_BYTES,
    "antrea-native": 0,
    "kube-ovn-geneve": VXLAN_BYTES + 8,
    "kube-ovn-vxlan": VXLAN_BYTES,
    "vxlan": VXLAN_BYTES,
    "geneve": VXLAN_BYTES,
    "gre": 20 + 4,
    "wireguard": WIREGUARD_BYTES,
    "wireguard-ipv6": WIREGUARD_BYTES + 20,
    "openvpn": 20 + 8 + 4 + 4 + 16,
    "ipsec-aes-gcm": 20 + 8 + 8 + 2 + 16,  # 1446 and the trailer fill 362 blocks of 4 byte
    "ipsec-aes-gcm-natt": 20 + 8 + 8 + 8 + 2 + 16,
}
"""Bytes by hand: IP, UDP, VXLAN or Geneve, Ethernet; IP, UDP, WireGuard; IP, GRE, Ethernet."""
CAUTIOUS = {
    "flannel-wireguard": 20,  # room for IPv6
    "cilium-wireguard": 20,
    "cilium-vxlan-wireguard": 20,
    "antrea-wireguard": 20,
    "wireguard": 20,
    "openvpn": 12 + 20,  # room for TCP and IPv6
    "kube-ovn-geneve": 42,  # 100 byte for all headers
}
"""Bytes that products leave unused."""


def test_usual_mtus_are_what_the_headers_leave_or_less() -> None:
    assert list(LEFT) == list(PRESETS)
    for name, (_, usual_bytes, source) in PRESETS.items():
        assert source
        assert parse_stack(name).mtu_bytes(1500) == 1500 - LEFT[name], name
        assert usual_bytes == 1500 - LEFT[name] - CAUTIOUS.get(name, 0), name


def test_other_headers_may_follow_a_preset() -> None:
    assert str(parse_stack("Calico-IPIP/IPv6/UDP")) == "ethernet/ipv4/ipv6/udp"
    assert parse_stack("gre/ipv6/udp") == parse_stack("ethernet/ipv4/gre/ipv6/udp")
    assert Hop("pods", 1500, parse_stack("calico-vxlan")).mtu_bytes == 1450


def test_ceiling_counts_headers_and_tells_the_usual_mtu() -> None:
    """50 byte of VXLAN and 8 of the option of OVN, while Kube-OVN leaves 100."""
    line = ("ceiling", "--line-rate", "25G", "--link-mtu", "1500", "--stack")
    found = printed_json(*line, "kube-ovn-geneve")
    assert found["mtu_bytes"] == 1442
    assert found["notes"] == [
        "kube-ovn-geneve: usual MTU 1400 at link MTU 1500, where its headers leave 1442 "
        "(Kube-OVN, pkg/util/const.go)"
    ]
    listed = printed_json("ceiling", "--list")["presets"]
    assert {"name": "calico-ipip", "usual_mtu_bytes": 1480} == {
        key: listed[6][key] for key in ("name", "usual_mtu_bytes")
    }
    assert "did you mean kube-ovn-geneve or kube-ovn-vxlan?" in refusal(*line, "kube-ovn")


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("calico-vlan", "did you mean calico-vxlan or "),
        ("vxlam", "did you mean vxlan or vlan?"),
        ("ipsec", "did you mean ipsec-aes-gcm or ipsec-aes-gcm-natt?"),
        ("nebula", "nvme-tcp, presets such as calico-vxlan"),
    ],
)
def test_an_unknown_name_brings_near_ones(text: str, near: str) -> None:
    with pytest.raises(DomainError, match=f"unknown layer '{text}'; .*{near.replace('?', '.')}"):
        parse_stack(text)
