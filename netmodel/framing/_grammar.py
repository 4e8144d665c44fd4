"""Header stacks as text: layers from the line inwards, ``/`` between them, ``+`` before options."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

from netmodel.errors import DomainError
from netmodel.framing import layers
from netmodel.framing._layer import Layer
from netmodel.framing.layers import EspSuite, RdmaOperation, TlsProtection
from netmodel.framing.stack import Stack
from netmodel.numeric import require_kind

_MAX_DIGITS = 10
"""Digits of an option: 2^32, which bounds every length in a header, has ten."""


@dataclass(frozen=True)
class LayerForm:
    """
    How one layer is written.

    Parameters
    ----------
    make : callable
        Makes the layer from keyword arguments.
    flags : mapping of str to str
        Options without a value, and the argument that each sets.
    counts : mapping of str to str
        Options with a whole number, and the argument that each sets.
    choices : mapping of str to tuple
        Options with a name; the argument that each sets, and what it may be.
    defaults : mapping of str to object
        Arguments that hold where no option sets them.

    Examples
    --------
    >>> from netmodel.framing import LAYER_FORMS
    >>> sorted(LAYER_FORMS["tcp"].flags), sorted(LAYER_FORMS["tcp"].counts)
    (['timestamps'], ['sack'])
    """

    make: Callable[..., Layer]
    flags: Mapping[str, str]
    counts: Mapping[str, str]
    choices: Mapping[str, tuple[str, type[Enum]]]
    defaults: Mapping[str, object]

    @property
    def options(self) -> tuple[str, ...]:
        """Every option as it is written."""
        names = (
            f"{key}={' | '.join(member.value for member in members)}"
            for key, (_, members) in self.choices.items()
        )
        return (*self.flags, *(f"{key}=N" for key in self.counts), *names)


def _form(
    make: Callable[..., Layer],
    flags: Mapping[str, str] | None = None,
    counts: Mapping[str, str] | None = None,
    choices: Mapping[str, tuple[str, type[Enum]]] | None = None,
    **defaults: object,
) -> LayerForm:
    return LayerForm(make, flags or {}, counts or {}, choices or {}, defaults)


_OPERATIONS: Mapping[str, tuple[str, type[Enum]]] = {"operation": ("operation", RdmaOperation)}
_DIGESTS = {"header-digest": "header_digest", "data-digest": "data_digest"}


LAYER_FORMS: Mapping[str, LayerForm] = {
    "ethernet": _form(layers.ethernet),
    "vlan": _form(layers.vlan),
    "qinq": _form(layers.qinq),
    "llc-snap": _form(layers.llc_snap),
    "macsec": _form(layers.macsec, {"sci": "sci"}),
    "mpls": _form(layers.mpls),
    "pppoe": _form(layers.pppoe),
    "ipv4": _form(layers.ipv4, counts={"options": "options_bytes"}),
    "ipv6": _form(layers.ipv6, counts={"extension": "extension_bytes"}),
    "gre": _form(layers.gre, {"checksum": "checksum", "key": "key", "sequence": "sequence"}),
    "vxlan": _form(layers.vxlan),
    "geneve": _form(layers.geneve, counts={"options": "options_bytes"}),
    "esp": _form(
        layers.esp,
        {"natt": "nat_traversal", "implicit-iv": "implicit_iv"},
        choices={"suite": ("suite", EspSuite)},
    ),
    "wireguard": _form(layers.wireguard),
    "udp": _form(layers.udp),
    "tcp": _form(
        layers.tcp, {"timestamps": "timestamps"}, {"sack": "sack_blocks"}, timestamps=False
    ),
    "rocev1": _form(layers.rocev1, choices=_OPERATIONS),
    "rocev2": _form(layers.rocev2, choices=_OPERATIONS),
    "smcr": _form(layers.smcr),
    "mpa-markers": _form(layers.mpa_markers),
    "iwarp": _form(layers.iwarp, {"untagged": "untagged"}),
    "quic": _form(layers.quic, counts={"cid": "connection_id_bytes"}),
    "tls": _form(
        layers.tls,
        counts={"record": "record_bytes"},
        choices={"version": ("protection", TlsProtection)},
    ),
    "iscsi": _form(layers.iscsi, _DIGESTS, {"segment": "segment_bytes"}),
    "nvme-tcp": _form(layers.nvme_tcp, _DIGESTS, {"data": "data_bytes"}),
}
"""Every layer by its name in the stack grammar."""


_IPIP = re.compile(r"(ipv4/)?\bipip\b(/ipv4)?")
"""The usual name of IPv4 inside IPv4 (RFC 2003), with or without either header beside it."""


def parse_stack(text: str) -> Stack:
    """
    Read a header stack.

    Parameters
    ----------
    text : str
        Layers outermost first, ``/`` between them, ``+`` before each option;
        ``ethernet/`` in front may be left out, and ``ipip`` is ``ipv4/ipv4``.

    Returns
    -------
    stack : Stack
        Its text is the same but for the order of options and ``ethernet/``.

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
    """
    require_kind("text", text, str, "a text such as 'ethernet/ipv4/tcp'")
    names = _IPIP.sub("ipv4/ipv4", text.strip()).split("/")
    if not all(names):
        raise DomainError(f"{text!r} is not a stack: write layers with one / between them")
    named = tuple(map(_layer, names))
    in_front = (layers.ethernet(),) if "ethernet" in named[0].carried_by else ()
    return Stack((*in_front, *named))


def _layer(text: str) -> Layer:
    name, *options = text.split("+")
    if name not in LAYER_FORMS:
        raise DomainError(f"unknown layer {name!r}; {_near(name, LAYER_FORMS)}")
    form = LAYER_FORMS[name]
    arguments: dict[str, object] = {}
    for option in options:
        key, has_value, text_value = option.partition("=")
        value: object = True
        if not has_value and key in form.flags:
            argument = form.flags[key]
        elif has_value and key in form.counts:
            argument = form.counts[key]
            is_whole = text_value.isascii() and text_value.isdigit()
            if not is_whole or len(text_value) > _MAX_DIGITS:
                raise DomainError(f"{name}+{key} needs a whole number; got {text_value!r}")
            value = int(text_value)
        elif has_value and key in form.choices:
            argument, members = form.choices[key]
            value = _chosen(name, key, text_value, members)
        else:
            known = f"it has {', '.join(form.options)}" if form.options else "it has none"
            raise DomainError(f"unknown option {option!r} of {name}; {known}")
        if argument in arguments:
            raise DomainError(f"option {option!r} of {name} is given twice")
        arguments[argument] = value
    return form.make(**{**form.defaults, **arguments})


def _chosen(name: str, key: str, text: str, members: type[Enum]) -> Enum:
    try:
        return members(text)
    except ValueError:
        names = [member.value for member in members]
        raise DomainError(f"unknown {key} {text!r} of {name}; {_near(text, names)}") from None


def _near(text: str, known: Mapping[str, object] | list[str]) -> str:
    from difflib import get_close_matches

    matches = get_close_matches(text, known)
    if matches:
        return f"did you mean {' or '.join(matches)}?"
    return f"known are {', '.join(known)}"
