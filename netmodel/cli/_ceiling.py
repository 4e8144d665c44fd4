"""``netmodel ceiling``: one line, frames a second, or the layers of the stack grammar."""

from collections.abc import Sequence
from inspect import signature
from typing import Annotated, Any

import click

from netmodel._terminal import Column, columns_table
from netmodel.api import ceiling as ceiling_of
from netmodel.api._kinds import AWorkload, Count, Kind, Size
from netmodel.api.arguments import (
    given_workload,
    number,
    optional_whole,
    require_one_size,
    series,
)
from netmodel.ceilings import (
    LineCeiling,
    MessageCeiling,
    TransactionCeiling,
    frame_rate_fps,
)
from netmodel.ceilings._line import RATE_DIGITS
from netmodel.cli._console import (
    print_blocks,
    print_json,
    wrapped,
)
from netmodel.cli._derived import DerivedCommand, Given, Output, options_of
from netmodel.estimates import Bound
from netmodel.framing import LAYER_FORMS, RDMA_MTUS_BYTES, LayerForm
from netmodel.report import text_table
from netmodel.units import BITS_PER_BYTE, format_rate

_FRAMES_BYTES = (64, 128, 256, 512, 1024, 1280, 1518)
"""Frame sizes of RFC 2544, section 9.1, for Ethernet."""


def _print(given: Given, output: Output) -> None:
    """Print what an Ethernet line carries at most, and why.

    Every byte of a frame that is not payload is listed. Give --line-rate, and --mtu or --link-mtu.
    With --payload, --workload or --request it also prints what the line carries of such messages;
    with --frame or --packets the frames a second, small ones as routers and DPDK count them.

    \b
    Example: netmodel ceiling --line-rate 25Gbit/s --mtu 9000
    """
    line = {name: each for name, each in given.items() if name in signature(ceiling_of).parameters}
    asked = {name: each for name, each in given.items() if name not in line}
    if asked.pop("list_", False):
        _print_layers(output.json)
        return
    if "line_rate_bps" not in line:
        raise click.UsageError("Missing option '--line-rate'.")
    if {"frame_bytes", "packets"} & asked.keys():
        frames = series("frame_bytes", asked["frame_bytes"]) if "frame_bytes" in asked else ()
        _print_frames(frames or _FRAMES_BYTES, given, output.json)
        return
    if asked.keys() >= {"payload_bytes", "workload"}:
        raise click.UsageError("give --payload or --workload, not both")
    sizes = {"request_bytes", "response_bytes"} & asked.keys()
    if len(sizes) == 1:
        raise click.UsageError("give --request and --response together")
    for name in ("payload", "workload"):
        if sizes and {name, f"{name}_bytes"} & asked.keys():
            raise click.UsageError(f"give --request and --response or --{name}, not both")
    _print_one(ceiling_of(**line), asked, output.json)


def _beside(
    *,
    payload_bytes: Size | None = None,
    workload: AWorkload | None = None,
    request_bytes: Size | None = None,
    response_bytes: Size | None = None,
    segments_per_ack: Count | None = None,
    frame_bytes: Annotated[str, Kind("size,...")] | None = None,
    packets: bool = False,
    list_: bool = False,
) -> None:
    """
    Messages, frames and layers that the command is asked for beside a line.

    Parameters
    ----------
    payload_bytes : int or str, optional
        Payload of one message. [byte]
    workload : str, optional
        What is exchanged: a workload of the catalog, or your own in a ``.toml`` file.
    request_bytes : int or str, optional
        Size of a request. [byte]
    response_bytes : int or str, optional
        Size of its response. [byte]
    segments_per_ack : int or str, optional
        Also count pure acknowledgements, each for this many segments.
    frame_bytes : str, optional
        Frames a second of this size, from destination address to FCS, such as 64. [byte]
    packets : bool
        Frames a second of each size of RFC 2544.
    list_ : bool
        List known layers, or formulas; those of --stack with their bytes.
    """


ceiling = DerivedCommand(
    ceiling_of,
    _print,
    first=("line_rate_bps", "mtu_bytes", "link_mtu_bytes", "stack"),
    outputs=("json",),
    more=options_of(_beside),
    name="ceiling",
)
for _each in ceiling.params:
    _each.required = False  # a list of layers needs no line


# One line


def _print_one(line: LineCeiling, messages: Given, as_json: bool) -> None:
    message_bytes, segments_per_ack, request_bytes, response_bytes = (
        optional_whole(name, messages.get(name))
        for name in ("payload_bytes", "segments_per_ack", "request_bytes", "response_bytes")
    )
    workload = given_workload(messages["workload"]) if "workload" in messages else None
    transaction = None
    notes = [*line.stack.estimates, *_mistaken_mtu(line)]
    if workload is not None:
        require_one_size(workload)
        notes += workload.assumptions
        if workload.is_stream:
            message_bytes = workload.write_bytes
        else:
            transaction = line.transaction(
                workload.request_bytes, workload.response_bytes, segments_per_ack
            )
    message = None if message_bytes is None else line.message(message_bytes)
    both_directions_bps = (
        None if segments_per_ack is None else line.acknowledged_payload_rate_bps(segments_per_ack)
    )
    is_unit = message is not None and not line.stack.merges_messages
    if request_bytes is not None and response_bytes is not None:
        transaction = line.transaction(request_bytes, response_bytes, segments_per_ack)
    if as_json:
        keys = line.to_dict() | ({"notes": notes} if notes else {})
        if workload is not None:
            keys["workload"] = workload.id
        if both_directions_bps is not None:
            keys["acknowledged_payload_rate_bps"] = both_directions_bps
        for result in (message, transaction):
            keys |= result.to_dict() if result else {}
        if message is not None and is_unit:
            rate = {"message_payload_rate_bps": message.payload_rate_bps}
            keys = rate | message.to_dict() | keys
        print_json(keys)
        return
    blocks = [_line_text(line, both_directions_bps)]
    if message is not None and is_unit:
        # datagrams and RDMA messages share no packet, so their own rate is the answer
        full = f"Full packets, which carry {line.payload_bytes:.7g} B each, for comparison:"
        name = "datagrams" if line.stack.protocols[-1] == "udp" else "messages"
        answer = (
            f"{_rate(message.payload_rate_bps)} of payload in {name} of {message.message_bytes} B, "
            f"{message.message_rate_tps:.1f} a second, on a line of "
            f"{format_rate(line.line_rate_bps)}"
        )
        blocks = [answer, text_table(_message_rows(message)), full, *blocks]
    elif message is not None:
        blocks.append(text_table(_message_rows(message)))
    if transaction is not None:
        blocks.append(text_table(_transaction_rows(transaction)))
    print_blocks([*blocks, *(f"note: {note}" for note in notes)])


def _mistaken_mtu(line: LineCeiling) -> list[str]:
    """That an RDMA MTU may have been given as that of IP, which leaves smaller packets."""
    is_roce = not {"rocev1", "rocev2"}.isdisjoint(line.stack.protocols)
    if not is_roce or line.mtu_bytes not in RDMA_MTUS_BYTES:
        return []
    from netmodel.checking._line_limits import mistaken_mtu_text

    return [mistaken_mtu_text(line.mtu_bytes, int(line.segment_bytes))]


def _rate(rate_bps: float) -> str:
    return format_rate(rate_bps, RATE_DIGITS)


def _line_text(line: LineCeiling, both_directions_bps: float | None) -> str:
    rates = line.layer_rates
    mean = ", on average" if line.stack.record_layers else ""
    parts = [(part.name, f"{part.bytes:.7g}") for part in line.parts]
    results = [
        ("payload", f"{line.payload_bytes:.7g} B in each frame{mean}"),
        ("overhead", f"{line.overhead_bytes:.7g} B in each frame{mean}"),
        ("efficiency", f"{line.efficiency_ratio:.12f}"),
        ("payload rate", f"{_rate(rates.layer4_bps)}  (layer 4)"),
        ("layer-3 bit rate", f"{_rate(rates.layer3_bps)}  (IP packets)"),
        ("layer-2 bit rate", f"{_rate(rates.layer2_bps)}  (frames with FCS)"),
        ("line rate", f"{_rate(rates.layer1_bps)}  (layer 1, preamble and gap)"),
        ("frame rate", f"{line.frame_rate_fps:.1f} frame/s"),
    ]
    if line.outer_packet_bytes != line.mtu_bytes:
        results.insert(0, ("outer MTU", f"{line.outer_packet_bytes} B at least, around the tunnel"))
    if both_directions_bps is not None:
        results.append(("both directions", f"{_rate(both_directions_bps)} of payload each"))
    return "\n".join(
        (
            wrapped(
                f"A {format_rate(line.line_rate_bps)} line carries at most "
                f"{_rate(rates.layer4_bps)} of payload at MTU {line.mtu_bytes} with {line.stack}."
            ),
            "",
            text_table(
                [("part", "bytes"), *parts, ("on the wire", str(line.wire_bytes))],
                right_aligned=[1],
            ),
            "",
            text_table(results),
        )
    )


def _message_rows(message: MessageCeiling) -> Sequence[tuple[str, str]]:
    merged_bps = message.merged_payload_rate_bps
    merged = (
        []
        if merged_bps is None
        else [("at most", f"{_rate(merged_bps)}, where writes share segments")]
    )
    return [
        ("message", _in_frames(message)),
        ("efficiency", f"{message.efficiency_ratio:.12f}"),
        ("payload rate", f"{_rate(message.payload_rate_bps)}, each sent by itself"),
        *merged,
        ("message rate", f"{message.message_rate_tps:.1f} message/s"),
    ]


def _transaction_rows(transaction: TransactionCeiling) -> Sequence[tuple[str, str]]:
    acks = ""
    if transaction.segments_per_ack is not None:
        count = transaction.segments_per_ack
        acks = (
            f", a pure acknowledgement for {f'{count} segments' if count > 1 else 'each segment'}"
        )
    elif (layer := transaction.request.stack.acknowledging_layer) is not None:
        ride = layer.protocol == "tcp"
        acks = f", acknowledgements {'ride on data' if ride else 'left out'}"
    half_tps = transaction.half_duplex_transaction_rate_tps
    return [
        ("request", _in_frames(transaction.request)),
        ("response", _in_frames(transaction.response)),
        ("client to server", f"{transaction.forward_wire_bytes} B on the wire{acks}"),
        ("server to client", f"{transaction.reverse_wire_bytes} B on the wire"),
        ("transactions", f"{transaction.transaction_rate_tps:.1f} transaction/s"),
        ("half duplex", f"{half_tps:.1f} transaction/s"),
        ("request rate", f"{_rate(transaction.request_payload_rate_bps)} of payload"),
        ("response rate", f"{_rate(transaction.response_payload_rate_bps)} of payload"),
    ]


def _in_frames(message: MessageCeiling) -> str:
    frames = "1 frame" if message.frame_count == 1 else f"{message.frame_count} frames"
    padding = f" ({message.padding_bytes} of padding)" if message.padding_bytes else ""
    return f"{message.message_bytes} B, {frames}, {message.wire_bytes} B on the wire{padding}"


# Frames


def _print_frames(sizes: Sequence[float], given: Given, as_json: bool) -> None:
    """Print the frames a second of each size, from destination address to FCS."""
    if beside := given.keys() - {"line_rate_bps", "frame_bytes", "packets"}:
        stems = (each.removesuffix("_bytes").replace("_", "-") for each in sorted(beside))
        raise click.UsageError(
            f"--frame and --packets are of frames alone; leave out --{', --'.join(stems)}"
        )
    rate_bps = number("line_rate_bps", given["line_rate_bps"])
    rows = [
        {"frame_bytes": int(size), "frame_rate_fps": frame_rate_fps(rate_bps, size)}
        for size in sizes
    ]
    if as_json:
        print_json([{"bound": Bound.UPPER.value, **row} for row in rows])
        return
    least = rows[0]
    answer = (
        f"A {format_rate(rate_bps)} line carries at most {least['frame_rate_fps']:,.0f} frames of "
        f"{least['frame_bytes']} B a second."
    )
    head = ("frame B", "frame/s", "layer-2 bit rate")
    cells = [
        (f"{size:.0f}", f"{fps:,.0f}", _rate(BITS_PER_BYTE * size * fps))
        for size, fps in (row.values() for row in rows)
    ]
    table = text_table([head, *cells], right_aligned=range(len(head)))
    print_blocks([wrapped(answer), *([table] if len(rows) > 1 else [])])


# Layers


def _print_layers(as_json: bool) -> None:
    """Print every layer that --stack knows, with its bytes and options and where it may stand."""
    layers = [_layer(name, form) for name, form in LAYER_FORMS.items()]
    if as_json:
        print_json(layers)
        return
    optional = [layer for layer in layers if layer["options"]]
    every = [
        Column("layer", [layer["name"] for layer in layers]),
        Column("bytes", [_bytes_text(layer) for layer in layers], is_number=True),
        Column("inside", [", ".join(layer["inside"]) for layer in layers]),
    ]
    options = [
        Column("layer", [layer["name"] for layer in optional]),
        Column("options", [" ".join(layer["options"]) for layer in optional]),
    ]
    print_blocks([columns_table(every), columns_table(options)])


def _layer(name: str, form: LayerForm) -> dict[str, Any]:
    """A layer as ``--list --json`` prints it."""
    layer = form.make(**form.defaults)
    return {
        "name": name,
        "bytes": layer.fixed_bytes,
        "block_bytes": layer.block_bytes,
        "record_bytes": layer.record_bytes or None,
        "options": [f"+{option}" for option in form.options],
        "inside": [carrier or "the line" for carrier in sorted(layer.carried_by)],
        "estimate": layer.estimate or None,
    }


def _bytes_text(layer: dict[str, Any]) -> str:
    padded = f" and padding to {layer['block_bytes']}" if layer["block_bytes"] > 1 else ""
    records = f" in each {layer['record_bytes']}" if layer["record_bytes"] else ""
    return f"{'about ' if layer['estimate'] else ''}{layer['bytes']}{records}{padded}"
