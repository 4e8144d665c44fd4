"""Header stacks of container networks and VPNs by name, with the MTU that they usually have."""

from collections.abc import Mapping

LINK_MTU_BYTES = 1500
"""MTU of the link at which presets have their usual MTU: that of Ethernet (IEEE 802.3)."""
_VXLAN = "ethernet/ipv4/udp/vxlan/ethernet"
_WIREGUARD = "ethernet/ipv4/udp/wireguard"
_FLANNEL = "Flannel, 'Backends'; pkg/backend"
_CALICO = "Calico, 'Configure MTU to maximize network performance'"
_CILIUM = "Cilium, 'Routing'; pkg/mtu/mtu.go"
_ANTREA = "Antrea, pkg/agent/config/node_config.go"
_KUBE_OVN = "Kube-OVN, pkg/util/const.go"
_WG_QUICK = "wg-quick, for either version of IP"
_AWS = "AWS, 'Best practices for an AWS Site-to-Site VPN customer gateway device'"

# OVN adds one Geneve option of 8 byte with its logical ports (ovn-architecture(7)); Cilium and
# Antrea add none by default. Cilium encrypts what it has encapsulated (since version 1.15). Several
# products leave 80 byte for WireGuard, which is enough over IPv6, also where nodes use IPv4.
PRESETS: Mapping[str, tuple[str, int, str]] = {
    "flannel-vxlan": (_VXLAN, 1450, _FLANNEL),
    "flannel-ipip": ("ethernet/ipv4", 1480, _FLANNEL),
    "flannel-wireguard": (_WIREGUARD, 1420, _FLANNEL),
    "flannel-host-gw": ("ethernet", 1500, _FLANNEL),
    "calico-vxlan": (_VXLAN, 1450, _CALICO),
    "calico-vxlan-ipv6": ("ethernet/ipv6/udp/vxlan/ethernet", 1430, _CALICO),
    "calico-ipip": ("ethernet/ipv4", 1480, _CALICO),
    "calico-wireguard": (_WIREGUARD, 1440, _CALICO),
    "calico-wireguard-ipv6": ("ethernet/ipv6/udp/wireguard", 1420, _CALICO),
    "calico-native": ("ethernet", 1500, _CALICO),
    "cilium-vxlan": (_VXLAN, 1450, _CILIUM),
    "cilium-geneve": ("ethernet/ipv4/udp/geneve/ethernet", 1450, _CILIUM),
    "cilium-wireguard": (_WIREGUARD, 1420, _CILIUM),
    "cilium-vxlan-wireguard": (f"{_WIREGUARD}/ipv4/udp/vxlan/ethernet", 1370, _CILIUM),
    "cilium-native": ("ethernet", 1500, _CILIUM),
    "antrea-geneve": ("ethernet/ipv4/udp/geneve/ethernet", 1450, _ANTREA),
    "antrea-vxlan": (_VXLAN, 1450, _ANTREA),
    "antrea-gre": ("ethernet/ipv4/gre/ethernet", 1462, _ANTREA),
    "antrea-wireguard": (_WIREGUARD, 1420, _ANTREA),
    "antrea-native": ("ethernet", 1500, _ANTREA),
    "kube-ovn-geneve": ("ethernet/ipv4/udp/geneve+options=8/ethernet", 1400, _KUBE_OVN),
    "kube-ovn-vxlan": (_VXLAN, 1450, _KUBE_OVN),
    "vxlan": (_VXLAN, 1450, "RFC 7348, 5"),
    "geneve": ("ethernet/ipv4/udp/geneve/ethernet", 1450, "RFC 8926, 3"),
    "gre": ("ethernet/ipv4/gre", 1476, "RFC 2784, 2"),
    "wireguard": (_WIREGUARD, 1420, _WG_QUICK),
    "wireguard-ipv6": ("ethernet/ipv6/udp/wireguard", 1420, _WG_QUICK),
    "openvpn": ("ethernet/ipv4/udp/openvpn", 1416, "Linux, drivers/net/ovpn/main.c"),
    "ipsec-aes-gcm": ("ethernet/ipv4/esp", 1446, _AWS),
    "ipsec-aes-gcm-natt": ("ethernet/ipv4/esp+natt", 1438, _AWS),
}
"""Headers around the innermost packet, its usual MTU, and who says so, by name."""


def known_presets() -> list[dict[str, object]]:
    """
    Return every preset with its usual MTU at a link MTU of 1500, and its source.

    Examples
    --------
    >>> from netmodel.framing.presets import known_presets
    >>> known_presets()[4]["name"], known_presets()[4]["usual_mtu_bytes"]
    ('calico-vxlan', 1450)
    """
    rows = PRESETS.items()
    return [{"name": name, "usual_mtu_bytes": mtu, "source": by} for name, (_, mtu, by) in rows]


def split_preset(text: str) -> tuple[str, str]:
    """Return a stack that begins with a preset, and its layers; TCP unless others follow."""
    name, _, inner = text.partition("/")
    inner = inner or "ipv4/tcp+timestamps"  # as Linux sends it
    return (text, f"{PRESETS[name][0]}/{inner}") if name in PRESETS else ("", text)
