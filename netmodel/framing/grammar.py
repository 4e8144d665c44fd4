"""Header stacks as text: layers from the line inwards, ``/`` between them, ``+`` before options."""

import re
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from inspect import signature
from types import MappingProxyType
from typing import Any, get_args

from netmodel.errors import DomainError
from netmodel.framing._layer import Layer, option_of
from netmodel.framing.layers import _internet, _link, _rdma, _records, _tunnel
from netmodel.framing.presets import LINK_MTU_BYTES, PRESETS, split_preset
from netmodel.framing.stack import Stack
from netmodel.numeric import extremes, holds_somewhere, require_kind

_MAX_DIGITS = 10
"""Digits of an option: 2^32, which bounds every length in a header, has ten."""


_FUNCTIONS = (
    *(_link.ethernet, _link.vlan, _link.qinq, _link.llc_snap, _link.macsec, _link.mpls),
    *(_link.pppoe, _internet.ipv4, _internet.ipv6, _tunnel.gre, _tunnel.vxlan, _tunnel.geneve),
    *(_tunnel.esp, _tunnel.wireguard, _internet.udp, _internet.tcp, _rdma.rocev1, _rdma.rocev2),
    *(_rdma.infiniband, _rdma.smcr, _rdma.mpa_markers, _rdma.iwarp),
    *(_internet.quic, _tunnel.openvpn),
    *(_records.tls, _records.iscsi, _records.nvme_tcp),
)
LAYERS: Mapping[str, Callable[..., Layer]] = {
    make.__name__.replace("_", "-"): make for make in _FUNCTIONS
}
"""Every layer by its name in the stack grammar."""


def known_layers() -> list[dict[str, Any]]:
    """
    Return every layer of the stack grammar with its bytes and options.

    Examples
    --------
    >>> from netmodel.framing.grammar import known_layers
    >>> next(layer for layer in known_layers() if layer["name"] == "tcp")
    {'name': 'tcp', 'bytes': 20, 'options': ('timestamps', 'sack=N')}
    """
    listed = []
    for name in LAYERS:
        options = []
        for key, (_, kind) in _arguments(name).items():
            options.append(key if kind is bool else f"{key}={' | '.join(get_args(kind) or ['N'])}")
        listed.append({"name": name, "bytes": _layer(name).fixed_bytes, "options": tuple(options)})
    return listed


def _arguments(name: str) -> dict[str, tuple[str, Any]]:
    """Return argument and type of each option of a layer."""
    parameters = signature(LAYERS[name]).parameters
    return {option_of(key): (key, each.annotation) for key, each in parameters.items()}


_IPIP = re.compile(r"(ipv4/)?\bipip\b(/ipv4)?")
"""Usual name of IPv4 inside IPv4 (RFC 2003), with or without either header beside it."""


def parse_stack(text: str) -> Stack:
    """
    Read a header stack.

    Parameters
    ----------
    text : str
        Layers outermost first, ``/`` between them, ``+`` before each option, in
        capitals or not; ``ethernet/`` in front may be left out, and ``ipip`` is
        ``ipv4/ipv4``.
        Or a preset, such as ``calico-vxlan``, for TCP in it; other headers of
        what it carries may follow, as in ``calico-vxlan/ipv6/udp``.

    Returns
    -------
    stack : Stack
        Its text is the same but for presets, the order of options and
        ``ethernet/``.

    Raises
    ------
    DomainError
        If a layer or option is unknown (near matches are named), an option is
        given twice or with a wrong value, or the order makes no sense.

    References
    ----------
    The grammar is netmodel's own; each layer names its source.

    Examples
    --------
    >>> parse_stack("ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps").mtu_bytes(1500)
    1450
    >>> print(parse_stack("vlan/ipv4/tcp"))
    ethernet/vlan/ipv4/tcp
    >>> print(parse_stack("calico-ipip"))
    ethernet/ipv4/ipv4/tcp+timestamps
    """
    require_kind("text", text, str, "a text such as 'ethernet/ipv4/tcp'")
    preset, written = split_preset(text.strip().lower())
    names = _IPIP.sub("ipv4/ipv4", written).split("/")
    if not all(names):
        raise DomainError(f"{text!r} is not a stack: write layers with one / between them")
    named = tuple(map(_layer, names))
    in_front = (_link.ethernet(),) if "ethernet" in named[0].carried_by else ()
    return Stack((*in_front, *named), preset)


def usual_mtu_notes(
    stack: Stack, mtu_bytes: Any = None, of_adapters: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """
    Return usual MTUs that are not used: of a preset, and of adapters for packets outside it.

    That of a preset is one at the link MTU of Ethernet: a larger MTU is of another link.
    """
    notes, name = list[str](), stack.preset.partition("/")[0]
    if name and (mtu_bytes is None or holds_somewhere(mtu_bytes <= LINK_MTU_BYTES)):
        _, usual_bytes, by = PRESETS[name]
        room_bytes = stack.mtu_bytes(LINK_MTU_BYTES)
        room = "" if usual_bytes == room_bytes else f", where its headers leave {room_bytes}"
        usual = f"{name}: usual MTU {usual_bytes} at link MTU {LINK_MTU_BYTES}{room} ({by})"
        notes += [usual] * (f"{usual_bytes}" != f"{mtu_bytes}")
    is_inside = bool(stack.tunnel_layers) and mtu_bytes is not None
    outer_bytes = stack.outer_packet_bytes(mtu_bytes, mtu_bytes) if is_inside else mtu_bytes
    size = " to ".join(dict.fromkeys(f"{x}".removesuffix(".0") for x in extremes(outer_bytes)))
    outside = f"; packets have {size} byte outside" * is_inside
    texts = (f"{name}: usual MTU {usual}" for name, usual in of_adapters.items())
    return [*(f"{x}{outside}" for x in texts if f"MTU {size} " not in f"{x} "), *notes]


@lru_cache  # a question has few layers, each prediction asks for them again
def _layer(text: str) -> Layer:
    name, *options = text.split("+")
    if name in PRESETS and name not in LAYERS:
        rule = f"is a preset, and stands first; its layers are {PRESETS[name][0]}"
        raise DomainError(f"{name} {rule}")
    if name not in LAYERS:
        raise DomainError(f"unknown layer {name!r}; {_near(name, LAYERS, PRESETS)}")
    known = _arguments(name)
    arguments: dict[str, object] = {}
    for option in options:
        key, has_value, text_value = option.partition("=")
        argument, kind = known.get(key, ("", object))
        value: object = True
        if kind is object or (kind is bool) == bool(has_value):
            forms = next(each["options"] for each in known_layers() if each["name"] == name)
            its = f"it has {', '.join(forms)}" if forms else "it has none"
            raise DomainError(f"unknown option {option!r} of {name}; {its}")
        if kind is int:
            is_number = text_value.isascii() and text_value.isdigit()
            if not is_number or len(text_value) > _MAX_DIGITS:
                raise DomainError(f"{name}+{key} needs a whole number; got {text_value!r}")
            value = int(text_value)
        elif kind is not bool and (value := text_value) not in get_args(kind):
            near = _near(text_value, get_args(kind))
            raise DomainError(f"unknown {key} {text_value!r} of {name}; {near}")
        if argument in arguments:
            raise DomainError(f"option {option!r} of {name} is given twice")
        arguments[argument] = value
    unset = {argument: False for argument, kind in known.values() if kind is bool}
    return LAYERS[name](**{**unset, **arguments})


def _near(text: str, known: Collection[str], presets: Collection[str] = ()) -> str:
    from difflib import get_close_matches

    names = [*dict.fromkeys([*known, *presets])]
    begun = [name for name in names if name.startswith(f"{text}-")]
    if matches := begun or get_close_matches(text, names):
        return f"did you mean {' or '.join(matches)}?"
    return f"known are {', '.join(known)}{', presets such as calico-vxlan' * bool(presets)}"
