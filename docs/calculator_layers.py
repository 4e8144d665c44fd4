"""
What the line calculator knows of layers: lengths, options, what may stand inside what, refusals.

All of it is read from the stack grammar, by making layers and noting what is refused.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

from netmodel import numeric
from netmodel.errors import DomainError
from netmodel.framing import (
    FCS_BYTES,
    GAP_BYTES,
    LAYER_FORMS,
    PREAMBLE_BYTES,
    SFD_BYTES,
    Layer,
    LayerForm,
    Stack,
    parse_stack,
)
from netmodel.framing.stack import _ROCE, _STREAMS

PRESETS = {
    "TCP over IPv4": "ethernet/ipv4/tcp+timestamps",
    "TCP over IPv6": "ethernet/ipv6/tcp+timestamps",
    "UDP over IPv4": "ethernet/ipv4/udp",
    "UDP over IPv6": "ethernet/ipv6/udp",
    "VLAN": "ethernet/vlan/ipv4/tcp+timestamps",
    "LLC and SNAP": "ethernet/llc-snap/ipv4/tcp+timestamps",
    "MACsec": "ethernet/macsec+sci/ipv4/tcp+timestamps",
    "PPPoE": "ethernet/pppoe/ipv4/tcp+timestamps",
    "MPLS": "ethernet/mpls/mpls/ipv4/tcp+timestamps",
    "VXLAN": "ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps",
    "Geneve": "ethernet/ipv4/udp/geneve/ethernet/ipv4/tcp+timestamps",
    "GRE": "ethernet/ipv4/gre/ipv4/tcp+timestamps",
    "IPsec (ESP tunnel)": "ethernet/ipv4/esp/ipv4/tcp+timestamps",
    "WireGuard": "ethernet/ipv4/udp/wireguard/ipv4/tcp+timestamps",
    "RoCEv2": "ethernet/ipv4/udp/rocev2",
    "SMC-R": "ethernet/vlan/ipv4/udp/rocev2/smcr",
    "iWARP": "ethernet/ipv4/tcp/mpa-markers/iwarp",
    "QUIC": "ethernet/ipv4/udp/quic",
    "TLS 1.3": "ethernet/ipv4/tcp+timestamps/tls",
    "iSCSI": "ethernet/ipv4/tcp+timestamps/iscsi",
    "NVMe/TCP": "ethernet/ipv4/tcp+timestamps/nvme-tcp",
}
"""Stacks to start from."""
MOST_MESSAGE_BYTES = 10**15
"""A petabyte: numbers of JavaScript hold its frames, of at most 2^53 bytes, byte by byte."""
_STEPS = (1, 4, 8)
"""What the lengths of options are counted in: bytes, words of IP and TCP, words of IPv6."""
_MAX_COUNT = 10**10
"""Above every length that a header can say, all of at most 32 bits."""


def kind(layer: Layer) -> str:
    """What decides which lines of the formulas of a layer hold."""
    if layer.record_bytes:
        return "records"
    if layer.block_bytes == 1:
        return "plain"
    return "blocks up to the MTU" if layer.pads_up_to_mtu else "blocks"


_LENGTHS = (
    "header_bytes",
    "fixed_bytes",
    "block_bytes",
    "padded_trailer_bytes",
    "record_bytes",
    "minimum_mtu_bytes",
    "minimum_content_bytes",
    "fragment_header_bytes",
    "message_header_bytes",
    "message_trailer_bytes",
    "cdc_message_bytes",
    "acknowledgement_bytes",
)


def _layer_data(layer: Layer) -> dict[str, Any]:
    """Lengths of a layer that has one form only."""
    lengths = {name: getattr(layer, name) for name in _LENGTHS}
    return {"text": str(layer), "kind": kind(layer), **lengths} | {
        name: {part.name: part.bytes for part in getattr(layer, name)}
        for name in ("header", "trailer")
    }


def _made(form: LayerForm, arguments: Mapping[str, object]) -> Layer:
    return form.make(**{**form.defaults, **arguments})


def _allows(form: LayerForm, arguments: Mapping[str, object]) -> bool:
    try:
        _made(form, arguments)
    except DomainError:
        return False
    return True


def _refusal(attempt: Callable[[], object]) -> str:
    try:
        attempt()
    except DomainError as error:
        return str(error)
    raise AssertionError("nothing is refused")


def form_data(form: LayerForm) -> dict[str, Any]:
    """What may be chosen of a layer, and its lengths for each choice."""
    plain = _made(form, {})
    choices = {
        key: [member.value for member in members] for key, (_, members) in form.choices.items()
    }
    return {
        "level": plain.level.value,
        "carried_by": sorted(plain.carried_by),
        "estimate": plain.estimate,
        "merges_messages": plain.protocol in _STREAMS,
        "is_rdma": plain.protocol in _ROCE,
        "flags": list(form.flags),
        "choices": choices,
        "usual": {
            key: next(
                member.value
                for member in members
                if str(_made(form, {argument: member})) == str(plain)
            )
            for key, (argument, members) in form.choices.items()
        },
        "count": next(iter(form.counts), None),
        "variants": dict(_variants(form)),
    }


def _variants(form: LayerForm) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each choice of flags and names, by the options as written, flags before names."""
    names = [
        [(f"{key}={member.value}", argument, member) for member in members]
        for key, (argument, members) in form.choices.items()
    ]
    flags = [[None, (key, argument, True)] for key, argument in form.flags.items()]
    for chosen in product(*flags, *names):
        options = [option for option in chosen if option is not None]
        key = "+".join(text for text, _, _ in options)
        arguments = {argument: value for _, argument, value in options}
        if not _allows(form, arguments):
            yield key, {"refusal": _refusal(lambda given=arguments: _made(form, given))}
            continue
        data = _layer_data(_made(form, arguments))
        for argument in form.counts.values():
            data["counted"] = _counted(form, arguments, argument)
        yield key, data


def _counted(form: LayerForm, arguments: Mapping[str, object], argument: str) -> dict[str, Any]:
    """
    What a count may be, and the lengths by it.

    Each length is a number, or a pair: at a count of 0, and for each more.
    """

    def layer(count: int) -> Layer:
        return _made(form, {**arguments, argument: count})

    def allows(count: int) -> bool:
        return _allows(form, {**arguments, argument: count})

    least = next(filter(allows, range(_STEPS[-1] + 1)))
    step = next(each for each in _STEPS if allows(least + each))
    low, high = 0, _MAX_COUNT // step  # the last step that is allowed lies from low on
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if allows(least + middle * step) else (low, middle)
    most = least + low * step
    usual = str(_made(form, arguments))
    one, other = [
        count for count in (least, least + step, least + 2 * step) if str(layer(count)) != usual
    ][-2:]
    first, second = _layer_data(layer(one)), _layer_data(layer(other))
    lengths = _by_count(first, second, one, other)
    lengths["text"] = str(layer(one)).replace(f"={one}", "={count}")
    for count in (one, other, *([most] if str(layer(most)) != usual else [])):
        _require_same(_at_count(lengths, count), _layer_data(layer(count)))
    refusals = {
        name: _refusal(lambda bad=bad: layer(bad)).replace(f"got {bad}", "got {value}")
        for name, bad in (("below", least - 1), ("between", least + 1), ("above", most + step))
        if not allows(bad)
    }
    return {
        "least": least,
        "most": most,
        "step": step,
        # without what holds for the tried count alone
        "refusals": {
            name: text if "{value}" in text else text.partition(";")[0]
            for name, text in refusals.items()
        },
        "usual": next(
            (count for count in _tried(least, most, step) if str(layer(count)) == usual), None
        ),
        "lengths": lengths,
    }


def _tried(least: int, most: int, step: int) -> Iterator[int]:
    """Counts of which one is usual: small ones and powers of two."""
    yield from range(least, min(most, least + 64 * step) + 1, step)
    yield from (2**power for power in range(7, 33) if least <= 2**power <= most)


def _by_count(first: Any, second: Any, one: int, other: int) -> Any:
    """Lengths of two counts as lengths by the count."""
    if isinstance(first, dict):
        names = dict.fromkeys([*first, *second])
        return {
            name: _by_count(first.get(name, 0), second.get(name, 0), one, other) for name in names
        }
    if first == second or isinstance(first, str):
        return first
    each, rest = divmod(second - first, other - one)
    if rest:
        raise AssertionError("a length does not grow evenly with its option")
    return [first - one * each, each]


def _at_count(lengths: Any, count: int) -> Any:
    if isinstance(lengths, dict):
        return {name: _at_count(value, count) for name, value in lengths.items()}
    if isinstance(lengths, list):
        return lengths[0] + lengths[1] * count
    return lengths.replace("{count}", str(count)) if isinstance(lengths, str) else lengths


def _require_same(computed: dict[str, Any], made: dict[str, Any]) -> None:
    for data in (computed, made):
        data["header"] = {name: length for name, length in data["header"].items() if length}
    if computed != made:
        raise AssertionError(f"{made['text']} does not grow evenly with its option")


def _refusals() -> dict[str, Any]:
    """Words of refusals, with names in braces for what differs."""
    stack = parse_stack("ethernet/ipv4/udp")
    limit, value = 54321, 12345
    vlan, gre = LAYER_FORMS["vlan"].make(), LAYER_FORMS["gre"].make()
    tcp = LAYER_FORMS["tcp"].make()
    inside = _refusal(lambda: Stack((*stack.layers, vlan)))
    outermost = _refusal(lambda: Stack((vlan,)))
    return {
        "limit": _refusal(lambda: numeric.require_at_least("{name}", value, limit, "{unit}"))
        .replace("at least", "{relation}")
        .replace(str(limit), "{limit}")
        .replace(str(value), "{value}"),
        "whole": _refusal(lambda: numeric.require_whole("{name}", 0.5)).replace("0.5", "{value}"),
        "inside": inside.partition("; ")[2].replace("udp", "{outside}"),
        "outermost": outermost.partition("; ")[2],
        "innermost": _refusal(lambda: Stack((*stack.layers[:2], gre))).replace("gre", "{name}"),
        "must_stand": {
            # some layer that cannot carry it
            name: _refusal(
                lambda layer=layer: (
                    Stack((*stack.layers[:2], tcp, layer))
                    if "tcp" not in layer.carried_by
                    else Stack((*stack.layers, layer))
                )
            ).partition(";")[0]
            for name, layer in ((name, _made(form, {})) for name, form in LAYER_FORMS.items())
        },
        "acknowledgements": _refusal(stack.acknowledgement_wire_bytes).replace(
            str(stack), "{stack}"
        ),
        "unknown_layer": _refusal(lambda: parse_stack("{name}")).partition(";")[0],
        "unknown_option": _refusal(lambda: parse_stack("tcp+{option}"))
        .partition(";")[0]
        .replace("tcp", "{name}"),
        "whole_count": _refusal(lambda: parse_stack("tcp+sack={value}"))
        .replace("tcp", "{name}")
        .replace("sack", "{key}"),
        "unknown_choice": _refusal(lambda: parse_stack("tls+version={value}"))
        .partition(";")[0]
        .replace("version", "{key}")
        .replace("tls", "{name}"),
        "twice": _refusal(lambda: parse_stack("tcp+timestamps+timestamps"))
        .replace("timestamps", "{option}")
        .replace("tcp", "{name}"),
        "empty": _refusal(lambda: parse_stack("{text}//")).replace("{text}//", "{text}"),
    }


def _estimate_note() -> str:
    quic = parse_stack("ethernet/ipv4/udp/quic")
    layer = quic.layers[-1]
    return quic.estimates[0].replace(str(layer), "{layer}").replace(layer.estimate, "{estimate}")


def data() -> dict[str, Any]:
    """What the page knows of layers, as plain values."""
    for text in PRESETS.values():
        if str(parse_stack(text)) != text:
            raise AssertionError(f"{text} is not written in full")
    return {
        "layers": {name: form_data(form) for name, form in LAYER_FORMS.items()},
        "presets": PRESETS,
        "around": {
            "preamble": PREAMBLE_BYTES,
            "sfd": SFD_BYTES,
            "fcs": FCS_BYTES,
            "interframe_gap": GAP_BYTES,
        },
        "refusals": _refusals(),
        "estimate": _estimate_note(),
        "most_message_bytes": MOST_MESSAGE_BYTES,
    }
