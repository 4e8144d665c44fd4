"""Interfaces of hosts, as iproute2 wrote them: their header stacks against captured frames."""

import dataclasses
import json
import math
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nightly import few_by_day

from netmodel.errors import ContradictionError, DomainError, NetmodelError, ParseError
from netmodel.framing import FCS_BYTES, Layer, tcp_stack
from netmodel.readers import interface_stack
from netmodel.readers.interfaces import Interface, InterfaceStack, read_ip_link

SAMPLES = Path(__file__).parent / "samples" / "ip-link"
FILES = sorted(SAMPLES.glob("*.json"))
TCP4 = "ipv4/tcp+timestamps"
TCP6 = "ipv6/tcp+timestamps"
INNER = {4: tcp_stack().inner_layers, 6: tcp_stack(ip_version=6).inner_layers}
GONE = "gone"

Change = Callable[[list[dict[str, Any]]], None]


class Sample(NamedTuple):
    """An interface of a sample: its MTU, what is around its packets, and its longest frame."""

    file: str
    name: str
    mtu_bytes: int
    headers: str
    captured_bytes: int
    """Length of the longest frame on the line, without its check sequence."""
    underlay: dict[str, str] | None = None
    ip_versions: Sequence[int] = (4, 6)


TABLE = tomllib.loads(Path(__file__).with_name("ip_link.toml").read_text(encoding="utf-8"))
READ = [Sample(*row[:5], **(row[5] if len(row) > 5 else {})) for row in TABLE["read"]["rows"]]


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
        if value == GONE:
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
    underlay = {"vxlan100": "eth0"} if file == "vxlan_mtu_1500" else None
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


@pytest.mark.parametrize(("file", "name", "expected"), TABLE["unclear"]["rows"])
def test_a_stack_that_does_not_follow_is_refused(file: str, name: str, expected: str) -> None:
    with pytest.raises(DomainError) as caught:
        stack_of(file, name)
    assert expected in str(caught.value)
    assert name in str(caught.value)


@pytest.mark.parametrize(("file", "path", "value", "expected"), TABLE["unusual"]["rows"])
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


@pytest.mark.parametrize(("file", "path", "value", "expected"), TABLE["faults"]["rows"])
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


@pytest.mark.parametrize("file", few_by_day(FILES, 3), ids=lambda path: path.stem)
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
