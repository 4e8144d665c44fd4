"""Presets of container networks and VPNs: their headers, their usual MTU, and errors about them."""

from pathlib import Path

import pytest
from case_tables import cases, known
from invocation import printed_json, refusal

from netmodel.errors import DomainError
from netmodel.framing import Hop, parse_stack
from netmodel.framing.grammar import usual_mtu_notes
from netmodel.framing.presets import PRESETS

CASES = [*cases(Path(__file__).with_name("presets.toml"))]
SIZES = {"VXLAN": 20 + 8 + 8 + 14, "WIREGUARD": 20 + 8 + 32}


def test_usual_mtus_are_what_the_headers_leave_or_less() -> None:
    rows = {row["preset"]: row for (row,) in (case.values for case in CASES)}
    assert list(rows) == list(PRESETS)
    for name, (_, usual_bytes, source) in PRESETS.items():
        headers, unused = (known(rows[name][key], **SIZES) for key in ("headers", "unused"))
        assert source
        assert parse_stack(name).mtu_bytes(1500) == 1500 - headers, name
        assert usual_bytes == 1500 - headers - unused, name


def test_other_headers_may_follow_a_preset() -> None:
    assert str(parse_stack("Calico-IPIP/IPv6/UDP")) == "ethernet/ipv4/ipv6/udp"
    assert parse_stack("gre/ipv6/udp") == parse_stack("ethernet/ipv4/gre/ipv6/udp")
    assert Hop("pods", 1500, parse_stack("calico-vxlan")).mtu_bytes == 1450
    assert usual_mtu_notes(parse_stack("vxlan/ipv6/udp"), 1400)
    assert not usual_mtu_notes(parse_stack("vlan/ipv6/udp"))


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
