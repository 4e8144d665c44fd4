"""Interfaces of hosts, as iproute2 wrote them: their headers against captured frames."""

import json
import math
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measuring.recorded import IP_LINK
from nightly import few_by_day

from netmodel.errors import DomainError
from netmodel.framing import Stack, tcp_stack
from netmodel.framing.lengths import FCS_BYTES
from netmodel.measuring.links import (
    Interface,
    headers_of,
    interfaces_of,
    links_below,
    narrow_mtus,
    path_to_line,
    route_of,
)

FILES = sorted(IP_LINK.glob("*.json"))
TABLE = tomllib.loads(Path(__file__).with_name("links.toml").read_text(encoding="utf-8"))
READ = [(*row, {})[:6] for row in TABLE["read"]["rows"]]


def text(file: str) -> str:
    return (IP_LINK / f"{file}.json").read_text(encoding="utf-8")


def path_of(file: str, name: str, under: dict[str, str | None]) -> tuple[Interface, ...]:
    return path_to_line(interfaces_of(text(file)), name, under)


def with_setting(file: str, place: str, value: object) -> str:
    """A sample with another value at a dotted place of its last interface."""
    items = json.loads(text(file))
    *outer, last = place.split(".")
    target = items[-1]
    for key in outer:
        target = target[key]
    target[last] = value
    return json.dumps(items)


@pytest.mark.parametrize(
    ("file", "name", "mtu_bytes", "headers", "captured_bytes", "under"),
    READ,
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_headers_are_as_long_as_those_of_the_frames_on_the_line(
    file: str,
    name: str,
    mtu_bytes: int,
    headers: str,
    captured_bytes: int,
    under: dict[str, str | None],
) -> None:
    path = path_of(file, name, under)
    assert "/".join(map(str, headers_of(path))) == headers
    assert (path[0].name, path[0].mtu_bytes, path[-1].mtu_bytes) == (name, mtu_bytes, 1500)
    if captured_bytes:
        stack = Stack((*headers_of(path), *tcp_stack().inner_layers))
        assert stack.frame_bytes(mtu_bytes) - FCS_BYTES == captured_bytes
        assert narrow_mtus(path) == []


def test_what_an_interface_is_set_to_is_kept() -> None:
    found = interfaces_of(text("vlan"))
    line, tagged = found["eth0"], found["vlan100"]
    assert (line.kind, line.lower, tagged.kind, tagged.lower) == ("veth", None, "vlan", "eth0")
    assert interfaces_of(text("geneve"))["geneve100"].remote == "10.0.0.2"
    assert links_below(found, "vlan100", {}) == ["vlan100", "eth0"]
    assert links_below(interfaces_of(text("vlan_type")), "vlan100", {}) == ["vlan100"]


@pytest.mark.parametrize(
    ("file", "name", "under", "expected"),
    [
        ("vlan_over_vxlan", "vlan200", {}, "MTU 1450 of vlan200: 1504 byte at eth0, above its MTU"),
        ("vxlan_mtu_1500", "vxlan100", {"vxlan100": "eth0"}, "MTU 1500 of vxlan100: 1550 byte at"),
    ],
)
def test_an_mtu_that_is_too_small_below_a_tunnel_is_noted(
    file: str, name: str, under: dict[str, str | None], expected: str
) -> None:
    """In both samples the kernel sent 1514 byte, and the rest in a fragment of its own."""
    (note,) = narrow_mtus(path_of(file, name, under))
    assert note.startswith(expected)


def test_packets_grow_by_the_headers_of_each_tunnel() -> None:
    """VXLAN adds 50 byte, GRE over IPv4 24."""
    upper, below = interfaces_of(text("vxlan"))["vxlan100"], interfaces_of(text("gre"))
    lower = replace(below["gre1"], mtu_bytes=1500), below["eth0"]
    assert narrow_mtus((replace(upper, mtu_bytes=1426), *lower)) == []
    (note,) = narrow_mtus((replace(upper, mtu_bytes=1427), *lower))
    assert note.startswith("MTU 1427 of vxlan100: 1501 byte at eth0")


@pytest.mark.parametrize(("file", "name", "expected"), TABLE["unclear"]["rows"])
def test_headers_that_do_not_follow_are_refused(file: str, name: str, expected: str) -> None:
    with pytest.raises(DomainError) as caught:
        path_of(file, name, {})
    assert expected in str(caught.value)
    assert name in str(caught.value)


@pytest.mark.parametrize(("file", "place", "value", "expected"), TABLE["unusual"]["rows"])
def test_an_unusual_setting_is_refused(file: str, place: str, value: object, expected: str) -> None:
    interfaces = interfaces_of(with_setting(file, place, value))
    with pytest.raises(DomainError) as caught:
        path_to_line(interfaces, list(interfaces)[-1], {})
    assert expected in str(caught.value)


odd_values: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from([None, True, False, 0, 1, -1, 1.5, 1e308, math.nan, 10**400, [], {}, ""]),
    st.sampled_from(["eth0", "vlan100", "br0", "lo", "ether", "none", "vlan", "bridge", "gre"]),
    st.sampled_from(["ip6tnl", "vxlan", "veth", "802.1ad", "any", "\ud800"]),
    st.text(max_size=5),
)


def objects(value: Any) -> list[dict[str, Any]]:
    """Every object in a JSON value that is not empty."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    own = [value] if isinstance(value, dict) and value else []
    return own + [found for each in inner for found in objects(each)]


@pytest.mark.parametrize("file", few_by_day(FILES, 3), ids=lambda path: path.stem)
@settings(max_examples=40)
@given(data=st.data())
def test_damage_gives_headers_or_a_reason(data: st.DataObject, file: Path) -> None:
    items = json.loads(file.read_bytes())
    for _ in range(data.draw(st.integers(1, 4), label="changes")):
        place = data.draw(st.sampled_from(objects(items)), label="place")
        place[data.draw(st.sampled_from(sorted(place)), label="key")] = data.draw(odd_values)
    damaged = json.dumps(items)
    interfaces = interfaces_of(damaged[: data.draw(st.integers(len(damaged) // 2, len(damaged)))])
    interfaces = interfaces or interfaces_of(damaged)
    route_of(damaged)
    for name in interfaces:
        assert links_below(interfaces, name, {})[0] == name
        try:
            path = path_to_line(interfaces, name, {})
        except DomainError as error:
            assert str(error)  # noqa: PT017
        else:
            assert headers_of(path)
            narrow_mtus(path)
