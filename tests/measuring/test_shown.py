"""What recorded facts show of line, headers and MTU."""

import json
from pathlib import Path

import pytest
from measuring.recorded import IP_LINK, made, plain_interface, recorded, route

from netmodel.measuring.facts import settings_of_host
from netmodel.measuring.links import interfaces_of, links_below, route_of
from netmodel.measuring.shown import shown_of

ETHTOOL = "Settings for eth0:\n\tSpeed: 25000Mb/s\n\tDuplex: Full\n"


@pytest.mark.parametrize("name", ["veth", "ipv6"])
def test_the_speed_of_a_veth_is_not_that_of_a_line(name: str) -> None:
    host = recorded(name)
    shown = shown_of(host.settings, host.interface)
    assert shown.interface == "mv0"
    assert (shown.driver, shown.speed_bps) == ("veth", 10e9)
    assert shown.line_rate_bps is None
    assert "mv0 (veth) reports 10 Gbit/s" in shown.why_no_line_rate
    assert shown.mtu_bytes == 1500
    assert [each.protocol for each in shown.headers] == ["ethernet"]
    assert shown.route.ip_version == (6 if name == "ipv6" else 4)


def test_a_tunnel_shows_its_headers_and_the_line_below_it() -> None:
    host = recorded("vxlan")
    shown = shown_of(host.settings, host.interface)
    assert [*shown.links] == ["vx", "mv0"]
    names = [each.protocol for each in shown.headers]
    assert names == ["ethernet", "ipv4", "udp", "vxlan", "ethernet"]
    assert shown.mtu_bytes == 1450


def test_a_guest_shows_its_adapter() -> None:
    host = recorded("virtio")
    shown = shown_of(host.settings, host.interface)
    assert shown.mtu_bytes == 1400
    assert shown.driver == "virtio_net"
    assert shown.has_timestamps is True


def test_the_speed_of_an_adapter_is_that_of_the_line() -> None:
    facts = made(
        route=route("eth0"),
        address=plain_interface(),
        ethtool=ETHTOOL,
        driver="driver: mlx5_core\n",
    )
    shown = shown_of(facts)
    assert shown.line_rate_bps == 25e9
    assert not shown.is_virtual


@pytest.mark.parametrize(("port_count", "rate_bps"), [(1, 25e9), (2, None)])
def test_a_bridge_sends_through_its_ports(port_count: int, rate_bps: float | None) -> None:
    """Packets of any port fit the narrowest."""
    ports = [(f"eth{1 - n}", 9000 - 7500 * n, {"master": "br0"}) for n in range(2)][-port_count:]
    bridge = ("br0", 1500, {"linkinfo": {"info_kind": "bridge"}})
    items = [{"ifname": x, "mtu": y, "link_type": "ether", **z} for x, y, z in (bridge, *ports)]
    shown = shown_of(made(route=route("br0"), address=json.dumps(items), ethtool=ETHTOOL))
    assert shown.links == ("br0", "eth0")
    assert shown.line_rate_bps == rate_bps


def test_the_route_to_the_other_end_of_a_tunnel_shows_what_is_below(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "route").write_text(route("eth0"))
    script = f"case $* in *address*) cat '{IP_LINK}/geneve.json';; *) cat '{tmp_path}/route';; esac"
    (tmp_path / "ip").write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / "ip").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    shown = shown_of(settings_of_host(None, "geneve100", None), "geneve100")
    assert shown.links == ("geneve100", "eth0")


@pytest.mark.parametrize("driver", ["veth", "virtio_net", "vmxnet3", "hv_netvsc", "tun", "ibmveth"])
def test_virtual_drivers_report_no_line(driver: str) -> None:
    facts = made(
        route=route("eth0"),
        address=plain_interface(),
        ethtool=ETHTOOL,
        driver=f"driver: {driver}\n",
    )
    assert shown_of(facts).line_rate_bps is None


def test_an_emulated_adapter_reports_a_line_only_outside_of_a_guest() -> None:
    texts = {
        "route": route("eth0"),
        "address": plain_interface(),
        "ethtool": ETHTOOL,
        "driver": "driver: e1000\n",
    }
    assert shown_of(made(**texts)).line_rate_bps == 25e9
    guest = "Model name: X\nHypervisor vendor: KVM\nThread(s) per core: 1\n"
    assert shown_of(made(**texts, lscpu=guest)).line_rate_bps is None


@pytest.mark.parametrize(
    ("file", "interface", "headers", "mtu_bytes"),
    [
        ("vlan", "vlan100", "ethernet/vlan", 1500),
        ("qinq", "customer20", "ethernet/vlan/vlan", 1500),
        ("macsec_vlan", "vlan100", "ethernet/macsec+sci/vlan", 1464),
        ("gretap", "gretap1", "ethernet/ipv4/gre/ethernet", 1462),
    ],
)
def test_tags_and_tunnels_are_seen(file: str, interface: str, headers: str, mtu_bytes: int) -> None:
    text = (IP_LINK / f"{file}.json").read_text()
    shown = shown_of(made(route=route(interface), address=text))
    assert "/".join(map(str, shown.headers)) == headers
    assert shown.mtu_bytes == mtu_bytes
    assert shown.links[-1] == "eth0"


def test_headers_that_are_not_known_are_noted() -> None:
    shown = shown_of(made(route=route("tap1"), address=(IP_LINK / "no_line.json").read_text()))
    assert shown.notes[0].startswith("headers are those of plain Ethernet: tap1 does not lead")


def test_without_a_route_the_reason_is_given() -> None:
    shown = shown_of(made())
    assert shown.interface is None
    assert shown.notes == ("the interface to the peer is not known: give --peer",)
    assert shown.why_no_line_rate == "the interface to the peer is not known"


def test_a_peer_on_this_host_has_no_line() -> None:
    local = route("lo", "127.0.0.1", type="local")
    shown = shown_of(made(route=local, address=plain_interface("lo", 65536)))
    assert shown.route.is_local
    assert "crosses no line" in shown.notes[0]
    assert shown.line_rate_bps is None


def test_the_mtu_of_the_route_counts_where_it_is_smaller() -> None:
    facts = made(route=route("eth0", metrics=[{"mtu": 1400}]), address=plain_interface())
    shown = shown_of(facts)
    assert shown.mtu_bytes == 1400
    assert shown.notes == ("the route to the peer has MTU 1400, the interface 1500",)
    larger = made(route=route("eth0", metrics=[{"mtu": 9000}]), address=plain_interface())
    assert shown_of(larger).mtu_bytes == 1500


@pytest.mark.parametrize("text", ["", "not json", "{}", "[]", "[1]", '[{"dst": 1}]'])
def test_damaged_output_of_ip_shows_nothing(text: str) -> None:
    assert route_of(text).interface is None
    assert links_below(interfaces_of(text), "eth0", {}) == ["eth0"]
    assert shown_of(made(route=text, address=text)).interface is None
    shown = shown_of(made(address=text), "eth0")
    assert shown.headers == ()
    assert shown.notes == ("eth0 is not shown: no such interface",)
