"""Interfaces of hosts, as iproute2 wrote them: their header stacks against captured frames."""

import dataclasses
import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netmodel.errors import ContradictionError, DomainError, NetmodelError, ParseError
from netmodel.framing import FCS_BYTES, Layer, tcp_stack
from netmodel.readers import interface_stack
from netmodel.readers._interfaces import Interface, InterfaceStack, read_ip_link

SAMPLES = Path(__file__).parent / "samples" / "ip-link"
FILES = sorted(SAMPLES.glob("*.json"))
TCP4 = "ipv4/tcp+timestamps"
TCP6 = "ipv6/tcp+timestamps"
INNER = {4: tcp_stack().inner_layers, 6: tcp_stack(ip_version=6).inner_layers}
GONE = object()

Change = Callable[[list[dict[str, Any]]], None]


class Sample(NamedTuple):
    """An interface of a sample: its MTU, what is around its packets, and its longest frame."""

    file: str
    name: str
    mtu_bytes: int
    headers: str
    captured_bytes: int | None
    """Length of the longest frame on the line, without its check sequence."""
    underlay: dict[str, str] | None = None
    ip_versions: tuple[int, ...] = (4, 6)


UNDER = {"vxlan100": "eth0"}
READ = [
    Sample("veth", "eth0", 1500, "ethernet", 1514),
    Sample("vlan", "vlan100", 1500, "ethernet/vlan", 1518),
    Sample("vlan_stats", "vlan100", 1500, "ethernet/vlan", 1518),
    Sample("vlan_addr", "vlan100", 1500, "ethernet/vlan", 1518),
    Sample("vlan_service", "service10", 1500, "ethernet/vlan", 1518),
    Sample("qinq", "customer20", 1500, "ethernet/qinq", 1522),
    Sample("vlan_in_vlan", "vlan200", 1500, "ethernet/vlan/vlan", 1522),
    Sample("macsec", "m0", 1468, "ethernet/macsec+sci", 1514),
    Sample("macsec_no_sci", "m0", 1468, "ethernet/macsec", 1506),
    Sample("macsec_end_station", "m0", 1468, "ethernet/macsec", 1506),
    Sample("macsec_unprotected", "m0", 1468, "ethernet", None),
    Sample("macsec_vlan", "vlan100", 1464, "ethernet/macsec+sci/vlan", 1514),
    Sample("vxlan", "vxlan100", 1450, "ethernet/ipv4/udp/vxlan/ethernet", 1514),
    Sample("linux_6.18_vxlan", "vxlan100", 1450, "ethernet/ipv4/udp/vxlan/ethernet", 1514),
    Sample("vxlan_ipv6", "vxlan100", 1430, "ethernet/ipv6/udp/vxlan/ethernet", 1514),
    Sample("linux_6.18_vxlan_ipv6", "vxlan100", 1430, "ethernet/ipv6/udp/vxlan/ethernet", 1514),
    Sample("vxlan_group_ipv6", "vxlan100", 1430, "ethernet/ipv6/udp/vxlan/ethernet", 1514),
    Sample("vxlan_local_only", "vxlan100", 1450, "ethernet/ipv4/udp/vxlan/ethernet", None),
    Sample("vxlan_no_device", "vxlan100", 1450, "ethernet/ipv4/udp/vxlan/ethernet", 1514, UNDER),
    Sample("vxlan_over_vlan", "vxlan100", 1450, "ethernet/vlan/ipv4/udp/vxlan/ethernet", 1518),
    Sample("vlan_over_gretap", "vlan200", 1458, "ethernet/ipv4/gre/ethernet/vlan", 1514),
    *(
        Sample(file, "geneve100", mtu, f"ethernet/{ip}/udp/geneve/ethernet", 1514, underlay)
        for file, mtu, ip in (("geneve", 1450, "ipv4"), ("geneve_ipv6", 1430, "ipv6"))
        for underlay in ({"geneve100": "eth0"},)
    ),
    Sample("gre", "gre1", 1476, "ethernet/ipv4/gre", 1514),
    Sample("gre_no_device", "gre1", 1476, "ethernet/ipv4/gre", 1514, {"gre1": "eth0"}),
    Sample("gre_options", "gre1", 1464, "ethernet/ipv4/gre+checksum+key+sequence", 1514),
    Sample("gre_one_way", "gre1", 1472, "ethernet/ipv4/gre+key", 1514),
    Sample("gretap", "gretap1", 1462, "ethernet/ipv4/gre/ethernet", 1514),
    Sample("gretap_key", "gretap1", 1458, "ethernet/ipv4/gre+key/ethernet", 1514),
    Sample("ip6gre", "gre6", 1448, "ethernet/ipv6+extension=8/gre", 1514),
    Sample("ip6gre_no_limit", "gre6", 1452, "ethernet/ipv6/gre+key", 1514),
    Sample("ip6gretap", "gretap6", 1430, "ethernet/ipv6+extension=8/gre+key/ethernet", 1514),
    Sample("ipip", "ipip1", 1480, "ethernet/ipv4", 1514, ip_versions=(4,)),
    Sample("sit", "sit1", 1480, "ethernet/ipv4", 1514),
    Sample("sit_ip6ip", "sit1", 1480, "ethernet/ipv4", 1514, ip_versions=(6,)),
    Sample("ip6tnl", "tnl6", 1452, "ethernet/ipv6+extension=8", 1514),
    Sample("ip6tnl_no_limit", "tnl6", 1460, "ethernet/ipv6", 1514, ip_versions=(6,)),
    Sample("bond", "bond0", 1500, "ethernet", 1514),
    Sample("team", "team0", 1500, "ethernet", None),
    Sample("bond_empty", "bond0", 1500, "ethernet", None, {"bond0": "eth0"}),
    Sample("bridge", "br0", 1500, "ethernet", 1514),
    Sample("linux_6.18_bridge", "br0", 1500, "ethernet", 1514),
    Sample("bridge_tap", "br0", 1500, "ethernet", None),
    Sample("bridge_vxlan", "br0", 1450, "ethernet/ipv4/udp/vxlan/ethernet", 1514),
    Sample("bridge_two_ways", "br0", 1450, "ethernet", None, {"br0": "veth7"}),
    Sample("macvlan", "macvlan1", 1500, "ethernet", 1514),
    Sample("linux_6.18_macvlan", "macvlan1", 1500, "ethernet", 1514),
    Sample("macvtap", "macvtap1", 1500, "ethernet", None),
    Sample("ipvlan", "ipvlan1", 1500, "ethernet", 1514),
]


def sample(file: str) -> Path:
    return SAMPLES / f"{file}.json"


def stack_of(file: str, name: str, **specified: Any) -> InterfaceStack:
    return interface_stack(read_ip_link(sample(file)), name, **specified)


def changed(file: str, change: Change) -> bytes:
    """A sample after a change to its interfaces, of which the last is the one in question."""
    items = json.loads(sample(file).read_bytes())
    change(items)
    return json.dumps(items).encode()


def setting(path: str, value: object) -> Change:
    """A change of the value at a dotted path in the last interface."""

    def change(items: list[dict[str, Any]]) -> None:
        *outer, last = path.split(".")
        place = items[-1]
        for key in outer:
            place = place[key]
        if value is GONE:
            del place[last]
        else:
            place[last] = value

    return change


def problem_of(source: Path | bytes) -> str:
    with pytest.raises(ParseError) as caught:
        read_ip_link(source)
    return str(caught.value)


def shows_another_end(warning: str) -> bool:
    return "its other end" in warning


@pytest.mark.parametrize("case", READ, ids=lambda case: f"{case.file}-{case.name}")
def test_an_interface_is_read_into_its_stack(case: Sample) -> None:
    for ip_version in case.ip_versions:
        read = stack_of(case.file, case.name, underlay=case.underlay, inner=INNER[ip_version])
        assert str(read.stack) == f"{case.headers}/{TCP4 if ip_version == 4 else TCP6}"
        assert read.mtu_bytes == case.mtu_bytes
        assert read.link_mtu_bytes == 1500
        assert read.interfaces[0].name == case.name


@pytest.mark.parametrize(
    "case",
    [case for case in READ if case.captured_bytes],
    ids=lambda case: f"{case.file}-{case.name}",
)
def test_the_stack_is_as_long_as_the_frames_on_the_line(case: Sample) -> None:
    for ip_version in case.ip_versions:
        read = stack_of(case.file, case.name, underlay=case.underlay, inner=INNER[ip_version])
        assert read.stack.frame_bytes(read.mtu_bytes) - FCS_BYTES == case.captured_bytes
        assert not [text for text in read.notes if "fragmented" in text]


def test_what_an_interface_is_set_to_is_kept() -> None:
    _, line, tagged = read_ip_link(sample("vlan"))
    assert (line.name, line.kind, line.lower) == ("eth0", "veth", None)
    assert (tagged.name, tagged.kind, tagged.lower) == ("vlan100", "vlan", "eth0")
    assert tagged.vlan_protocol == "802.1Q"
    assert (tagged.gso_max_size_bytes, tagged.gso_max_segment_count) == (65536, 1)
    assert tagged.tso_max_size_bytes == 524280


def test_the_interfaces_below_are_reported_with_their_mtus() -> None:
    read = stack_of("macsec_vlan", "vlan100")
    assert [(each.name, each.mtu_bytes) for each in read.interfaces] == [
        ("vlan100", 1464),
        ("m0", 1468),
        ("eth0", 1500),
    ]


def test_a_hardware_interface_is_the_line() -> None:
    items = json.loads(sample("vlan").read_bytes())
    del items[1]["linkinfo"], items[1]["link_netnsid"], items[1]["link_index"]
    read = interface_stack(read_ip_link(json.dumps(items).encode()), "vlan100")
    assert str(read.stack) == f"ethernet/vlan/{TCP4}"
    assert read.notes == ()


def test_the_layers_of_the_connection_are_the_callers() -> None:
    inner = tcp_stack(ip_version=6, timestamps=False).inner_layers
    assert str(stack_of("vlan", "vlan100", inner=inner).stack) == "ethernet/vlan/ipv6/tcp"


def test_interfaces_that_a_filter_hides_are_left_out() -> None:
    source = changed("vlan", lambda items: items.insert(0, {}))
    assert read_ip_link(source) == read_ip_link(sample("vlan"))


@pytest.mark.parametrize(
    ("file", "name", "expected"),
    [
        ("vlan_over_vxlan", "vlan200", "MTU 1450 of vlan200: 1504 byte at eth0, above its MTU"),
        ("vxlan_mtu_1500", "vxlan100", "MTU 1500 of vxlan100: 1550 byte at eth0, above its MTU"),
    ],
)
def test_an_mtu_that_is_too_small_below_a_tunnel_is_reported(
    file: str, name: str, expected: str
) -> None:
    """In both samples the kernel sent 1514 byte, and the rest in a fragment of its own."""
    underlay = UNDER if file == "vxlan_mtu_1500" else None
    assert expected in stack_of(file, name, underlay=underlay).notes[0]


def test_an_mtu_that_is_too_small_is_reported_once() -> None:
    items = json.loads(sample("vxlan_over_vlan").read_bytes())
    for item in items:
        item["mtu"] = 1400
    read = interface_stack(read_ip_link(json.dumps(items).encode()), "vxlan100")
    assert len([text for text in read.notes if "fragmented" in text]) == 1


@pytest.mark.parametrize(
    ("file", "name", "expected"),
    [
        ("veth", "eth0", "the interface behind its peer is not shown"),
        ("macsec_no_sci", "m0", "with more than one peer each frame has 8 byte more"),
        ("macsec_unprotected", "m0", "without MACsec"),
        ("gre_one_way", "gre1", "received packets have other GRE options"),
    ],
)
def test_conditions_of_a_stack_are_reported(file: str, name: str, expected: str) -> None:
    assert any(f"{name}: " in text and expected in text for text in stack_of(file, name).notes)


UNCLEAR = [
    ("vxlan_external", "vxlan100", "routes (external): specify the header stack"),
    ("vxlan_gpe", "vxlan100", "external"),
    ("vxlan_no_address", "vxlan100", "shows no address, so that the outer IP version"),
    ("geneve_external", "geneve100", "external"),
    ("gre_external", "gre1", "external"),
    ("erspan", "erspan1", 'kind "erspan", whose headers are not known'),
    ("vti", "vti1", "the IPsec suite is not shown"),
    ("ipip_mpls", "ipip1", 'carries "mplsip", not IP'),
    ("made_ipip_fou", "ipip1", "(encap)"),
    ("made_wireguard", "wg0", "the IP version of the peer's address is not shown"),
    ("bridge_filtering", "br0", "it is not shown which ports tag frames"),
    ("bridge_two_ways", "br0", "(veth7, vxlan100) lead to different headers: specify"),
    ("bond_empty", "bond0", "a port of bond0 is not shown: specify it (underlay)"),
    ("geneve", "geneve100", "the interface under geneve100 is not shown: specify it (underlay)"),
    ("vxlan_no_device", "vxlan100", "the interface under vxlan100 is not shown"),
    ("gre_no_device", "gre1", "the interface under gre1 is not shown"),
    ("vlan_type", "vlan100", "eth0, which vlan100 sends through, is missing"),
    ("vlan", "vlan7", "vlan7 is missing; shown are lo, eth0, vlan100"),
    ("other_namespace", "mv1", "another network namespace"),
    ("other_namespace", "vlan100", "another network namespace"),
    ("other_namespace", "gre1", "another network namespace"),
    ("veth", "lo", "its packets stay on the host"),
    ("no_line", "dummy1", "it drops all packets"),
    ("no_line", "ifb7", "does not lead to a line"),
    ("no_line", "tap1", "go to a program"),
    ("no_line", "tun1", "go to a program"),
    ("no_line", "vrf1", "routes choose the interface"),
]


@pytest.mark.parametrize(("file", "name", "expected"), UNCLEAR)
def test_a_stack_that_does_not_follow_is_refused(file: str, name: str, expected: str) -> None:
    with pytest.raises(DomainError) as caught:
        stack_of(file, name)
    assert expected in str(caught.value)
    assert name in str(caught.value)


UNCLEAR_CHANGES = [
    ("vxlan", "linkinfo.info_data.remote6", "fd00::2", "no address, so that the outer IP version"),
    ("vxlan", "link_type", "none", 'link type "none", not ether'),
    ("macsec", "linkinfo.info_data.icv_len", 8, "not of 16 byte"),
    ("veth", "link_type", "infiniband", 'link type "infiniband", not ether'),
]


@pytest.mark.parametrize(("file", "path", "value", "expected"), UNCLEAR_CHANGES)
def test_an_unusual_setting_is_refused(file: str, path: str, value: object, expected: str) -> None:
    interfaces = read_ip_link(changed(file, setting(path, value)))
    with pytest.raises(DomainError) as caught:
        interface_stack(interfaces, interfaces[-1].name)
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("file", "name", "specified", "expected"),
    [
        ("ipip", "ipip1", {"inner": INNER[6]}, "ipip1 carries ipv4 alone, not ipv6"),
        ("sit_ip6ip", "sit1", {}, "sit1 carries ipv6 alone, not ipv4"),
        ("ipip", "ipip1", {"inner": ()}, "ipip1 carries ipv4 alone, not nothing"),
        ("vxlan", "vxlan100", {"underlay": {"vxlan100": "lo"}}, "through eth0, not lo"),
        ("bridge", "br0", {"underlay": {"br0": "lo"}}, "br0 sends through eth0, not lo"),
        ("vlan", "vlan100", {"underlay": {"gre1": "eth0"}}, "nothing from vlan100"),
        ("gre_no_device", "gre1", {"underlay": {"gre1": "gre1"}}, "gre1 sends through itself"),
    ],
)
def test_what_contradicts_the_file_is_refused(
    file: str, name: str, specified: dict[str, Any], expected: str
) -> None:
    with pytest.raises(ContradictionError) as caught:
        stack_of(file, name, **specified)
    assert expected in str(caught.value)


REFUSED = {
    "empty": (b"", "empty"),
    "prose": (b"1: lo: <LOOPBACK,UP>", "holds 2 outputs|not valid JSON"),
    "no list": (b"{}", "the document must be a list"),
    "no interface": (b"[]", "shows no interface"),
    "hidden interfaces": (b"[{},{}]", "shows no interface"),
    "iperf3": (b'[{"start": {}, "end": {}}]', r"\[0\] has no key promiscuity.* ip -j -d link"),
    "numbers": (b"[1]", r"\[0\] must be an object"),
    "cut": (b'[{"ifindex":1,', "the text ends too early"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_content_is_refused_with_its_fault(name: str) -> None:
    text, expected = REFUSED[name]
    with pytest.raises(ParseError, match=expected) as caught:
        read_ip_link(text)
    assert str(caught.value).startswith("<bytes>: ")


def test_output_without_details_is_refused() -> None:
    problem = problem_of(sample("vlan_plain"))
    assert problem.startswith(str(sample("vlan_plain")))
    assert "[0] has no key promiscuity: write the file with ip -j -d link show" in problem


def test_two_namespaces_in_one_file_are_refused() -> None:
    text = sample("vlan").read_bytes()
    assert "holds 2 outputs" in problem_of(text + text)
    both = changed("vlan", lambda items: items.append(items[0]))
    assert '[3].ifname is a second "lo"' in problem_of(both)


FAULTS = [
    ("vlan", "ifname", GONE, "[2].ifname is missing"),
    ("vlan", "mtu", -1, "[2].mtu must be from 0"),
    ("vlan", "link_type", GONE, "[2].link_type is missing"),
    ("vlan", "linkinfo", 3, "[2].linkinfo must be an object"),
    ("vlan", "linkinfo.info_data", GONE, "[2].linkinfo.info_data is missing"),
    ("vlan", "linkinfo.info_data.protocol", "802.1X", "protocol must be 802.1Q or 802.1ad"),
    ("vlan", "link", 7, "[2].link must be a string"),
    ("macsec", "linkinfo.info_data.protect", GONE, "[2].linkinfo.info_data.protect is missing"),
    ("macsec", "linkinfo.info_data.inc_sci", "on", "inc_sci must be true or false"),
    ("vxlan", "linkinfo.info_data.external", 1, "external must be true or false"),
    ("ip6gre", "linkinfo.info_data.encap_limit", GONE, "info_data.encap_limit is missing"),
    ("ipip", "linkinfo.info_data.proto", GONE, "info_data.proto is missing"),
    ("bridge", "linkinfo.info_data.vlan_filtering", GONE, "info_data.vlan_filtering is missing"),
]


@pytest.mark.parametrize(("file", "path", "value", "expected"), FAULTS)
def test_a_fault_is_named_with_its_key(file: str, path: str, value: object, expected: str) -> None:
    problem = problem_of(changed(file, setting(path, value)))
    assert problem.startswith("<bytes>: [2].")
    assert expected in problem


odd_values: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from([None, True, False, 0, 1, -1, 1.5, 1e308, math.nan, 10**400, [], {}, ""]),
    st.sampled_from(["eth0", "vlan100", "br0", "lo", "ether", "none", "vlan", "bridge", "gre"]),
    st.sampled_from(["ip6tnl", "vxlan", "veth", "802.1ad", "any", "\ud800"]),
    st.text(max_size=5),
    st.integers(0, 10_000),
)


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in a JSON value that is not empty."""
    if isinstance(value, dict) and value:
        yield value
    if isinstance(value, dict | list):
        for member in value.values() if isinstance(value, dict) else value:
            yield from objects(member)


def damaged(data: st.DataObject, raw: bytes) -> bytes:
    """A sample cut off, or with values replaced, lost, or put under the keys of others."""
    if data.draw(st.integers(0, 4), label="cut") == 0:
        return raw[: data.draw(st.integers(0, len(raw)), label="length")]
    items = json.loads(raw)
    for _ in range(data.draw(st.integers(1, 4), label="changes")):
        places = [place for place in objects(items) if place.keys() - {"flags"}]
        place = data.draw(st.sampled_from(places), label="place")
        key = data.draw(st.sampled_from(sorted(place)), label="key")
        if data.draw(st.booleans(), label="lose"):
            del place[key]
        else:
            place[key] = data.draw(odd_values, label="value")
        if data.draw(st.integers(0, 3), label="join") == 0:
            items[-1]["master"] = data.draw(st.sampled_from(["br0", "bond0", "eth0"]))
    return json.dumps(items).encode()


def require_sound(read: InterfaceStack, interfaces: tuple[Interface, ...]) -> None:
    assert isinstance(read.stack.layers[0], Layer)
    assert set(read.interfaces) <= set(interfaces)
    for interface in read.interfaces:
        for field in dataclasses.fields(interface):
            value = getattr(interface, field.name)
            assert not isinstance(value, int) or value >= 0, field.name


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
@settings(max_examples=40)
@given(data=st.data())
def test_damage_gives_interfaces_or_a_parse_error(data: st.DataObject, file: Path) -> None:
    try:
        interfaces = read_ip_link(damaged(data, file.read_bytes()))
    except ParseError as error:
        assert str(error).startswith("<bytes>: ")  # noqa: PT017
        return
    assert interfaces
    for interface in interfaces:
        underlay = data.draw(st.none() | st.just({interface.name: "eth0"}), label="underlay")
        try:
            read = interface_stack(interfaces, interface.name, underlay=underlay)
        except NetmodelError as error:
            assert str(error)  # noqa: PT017
        else:
            require_sound(read, interfaces)
