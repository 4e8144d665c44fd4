"""``netmodel ceiling``."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from netmodel.ceilings import LineCeiling, MessageCeiling, TransactionCeiling, line_ceiling
from netmodel.cli._layers import print_layers
from netmodel.cli._options import (
    COUNT,
    SIZE,
    header_options,
    inner_mtu_bytes,
    json_option,
    line_rate_option,
    link_mtu_option,
    mtu_option,
    needed_mtu_bytes,
    print_json,
    require_one_size,
    stack_or_default,
    workload_option,
)
from netmodel.cli._sweep import SWEEP, Sweep, print_sweep
from netmodel.framing import Stack
from netmodel.report import text_table
from netmodel.units import format_rate

if TYPE_CHECKING:
    from netmodel.records import Workload

__all__ = ["ceiling"]

_DIGITS = 11


@click.command()
@line_rate_option(required=False)
@mtu_option
@link_mtu_option
@header_options(ip_version="4", transport="tcp", timestamps="on")
@click.option(
    "--payload",
    "message_bytes",
    type=SIZE,
    help="Also messages of this size, each sent for itself: a write, a datagram, an RDMA write.",
)
@workload_option()
@click.option(
    "--segments-per-ack",
    type=COUNT,
    help="Also with pure acknowledgements, one for so many segments: 2 is delayed "
    "acknowledgement. [left out: they ride on data]",
)
@click.option(
    "--sweep",
    type=SWEEP,
    help="A row for each size: mtu=576..9000, link-mtu=..., payload=1000..64000:1000.",
)
@click.option("--csv", "as_csv", is_flag=True, help="Print a sweep as CSV in base units.")
@click.option(
    "--list-layers",
    is_flag=True,
    help="Print every layer that --stack knows, with its bytes, and end.",
)
@json_option
def ceiling(
    line_rate_bps: float | None,
    mtu_bytes: int | None,
    link_mtu_bytes: int | None,
    stack_text: str | None,
    ip_version: str | None,
    transport: str | None,
    timestamps: bool | None,
    vlan_tags: int | None,
    message_bytes: int | None,
    workload: "Workload | None",
    segments_per_ack: int | None,
    sweep: Sweep | None,
    as_csv: bool,
    list_layers: bool,
    as_json: bool,
) -> None:
    """Print what an Ethernet line carries, and each byte that is not payload.

    Needed are --line-rate and exactly one of --mtu and --link-mtu, which a sweep may give.
    """
    if list_layers:
        print_layers(as_json)
        return
    if line_rate_bps is None:
        raise click.UsageError("Missing option '--line-rate'.")
    if message_bytes is not None and workload is not None:
        raise click.UsageError("give --payload or --workload, not both")
    stack = stack_or_default(stack_text, ip_version, transport, timestamps, vlan_tags)
    if as_csv and as_json:
        raise click.UsageError("give --json or --csv, not both")
    if sweep is not None:
        if workload is not None or segments_per_ack is not None:
            raise click.UsageError("--sweep goes with neither --workload nor --segments-per-ack")
        mtu_bytes = _mtu_beside(sweep, mtu_bytes, link_mtu_bytes, message_bytes, stack)
        form = "json" if as_json else "csv" if as_csv else "text"
        print_sweep(sweep, line_rate_bps, mtu_bytes, stack, message_bytes, form)
        return
    if as_csv:
        raise click.UsageError("--csv is for a sweep; use --json for one ceiling")
    inner_bytes = needed_mtu_bytes(mtu_bytes, link_mtu_bytes, stack)
    _print_one(
        line_ceiling(line_rate_bps, inner_bytes, stack),
        message_bytes,
        workload,
        segments_per_ack,
        as_json,
    )


def _mtu_beside(
    sweep: Sweep,
    mtu_bytes: int | None,
    link_mtu_bytes: int | None,
    message_bytes: int | None,
    stack: Stack,
) -> int | None:
    """The innermost MTU of a sweep over something else; what is swept must not be given."""
    if sweep.name == "payload":
        if message_bytes is not None:
            raise click.UsageError("the sweep gives the payload; leave out --payload")
        return needed_mtu_bytes(mtu_bytes, link_mtu_bytes, stack)
    if inner_mtu_bytes(mtu_bytes, link_mtu_bytes, None) is not None:
        raise click.UsageError(f"the sweep gives the {sweep.name}; leave out --mtu and --link-mtu")
    return None


def _print_one(
    found: LineCeiling,
    message_bytes: int | None,
    workload: "Workload | None",
    segments_per_ack: int | None,
    as_json: bool,
) -> None:
    transaction = None
    warnings = [*found.stack.estimates]
    if workload is not None:
        require_one_size(workload, "with --payload")
        warnings += workload.assumptions
        if workload.is_stream:
            message_bytes = workload.write_bytes
        else:
            transaction = found.transaction(
                workload.request_bytes, workload.response_bytes, segments_per_ack
            )
    message = None if message_bytes is None else found.message(message_bytes)
    both_ways_bps = (
        None if segments_per_ack is None else found.acknowledged_payload_rate_bps(segments_per_ack)
    )
    is_single = message is not None and not found.stack.merges_messages
    if as_json:
        keys = found.to_dict() | ({"warnings": warnings} if warnings else {})
        if workload is not None:
            keys["workload"] = workload.id
        if both_ways_bps is not None:
            keys["acknowledged_payload_rate_bps"] = both_ways_bps
        for result in (message, transaction):
            keys |= result.to_dict() if result else {}
        if message is not None and is_single:
            rate = {"message_payload_rate_bps": message.payload_rate_bps}
            keys = rate | message.to_dict() | keys
        print_json(keys)
        return
    blocks = [_text(found, both_ways_bps)]
    if message is not None and is_single:
        full = f"Full packets, which carry {found.payload_bytes:.7g} B each, for comparison:"
        blocks = [_headline(found, message), text_table(_message_rows(message)), full, *blocks]
    elif message is not None:
        blocks.append(text_table(_message_rows(message)))
    if transaction is not None:
        blocks.append(text_table(_transaction_rows(transaction)))
    click.echo("\n\n".join([*blocks, *(f"warning: {warning}" for warning in warnings)]))


def _headline(found: LineCeiling, message: MessageCeiling) -> str:
    """What the line carries of messages that share no packet: datagrams, or messages of RDMA."""
    name = "datagrams" if found.stack.protocols[-1] == "udp" else "messages"
    return (
        f"{format_rate(message.payload_rate_bps, _DIGITS)} of payload in {name} of "
        f"{message.message_bytes} B, {message.message_rate_tps:.1f} a second, "
        f"on a line of {format_rate(found.line_rate_bps)}"
    )


def _text(found: LineCeiling, both_ways_bps: float | None) -> str:
    rates = found.layer_rates
    mean = ", on average" if found.stack.record_layers else ""
    parts = [(part.name, f"{part.bytes:.7g}") for part in found.parts]
    results = [
        ("payload", f"{found.payload_bytes:.7g} B in each frame{mean}"),
        ("overhead", f"{found.overhead_bytes:.7g} B in each frame{mean}"),
        ("efficiency", f"{found.efficiency_ratio:.12f}"),
        ("payload rate", f"{format_rate(rates.layer4_bps, _DIGITS)}  (layer 4)"),
        ("packet rate", f"{format_rate(rates.layer3_bps, _DIGITS)}  (layer 3, IP packets)"),
        ("frame bit rate", f"{format_rate(rates.layer2_bps, _DIGITS)}  (layer 2, with FCS)"),
        ("line rate", f"{format_rate(rates.layer1_bps, _DIGITS)}  (layer 1, preamble and gap)"),
        ("frame rate", f"{found.frame_rate_fps:.1f} frame/s"),
    ]
    if both_ways_bps is not None:
        results.append(
            ("both directions", f"{format_rate(both_ways_bps, _DIGITS)} of payload each")
        )
    return "\n".join(
        (
            f"{format_rate(found.line_rate_bps)} line, MTU {found.mtu_bytes}, {found.stack}",
            "",
            text_table(
                [("part", "bytes"), *parts, ("on the wire", str(found.wire_bytes))],
                right_aligned=[1],
            ),
            "",
            text_table(results),
        )
    )


def _message_rows(message: MessageCeiling) -> Sequence[tuple[str, str]]:
    merged_bps = message.merged_payload_rate_bps
    rows = [
        ("message", _in_frames(message)),
        ("efficiency", f"{message.efficiency_ratio:.12f}"),
        ("payload rate", f"{format_rate(message.payload_rate_bps, _DIGITS)}, each sent for itself"),
        ("message rate", f"{message.message_rate_tps:.1f} message/s"),
    ]
    if merged_bps is not None:
        merged = f"{format_rate(merged_bps, _DIGITS)}, where writes share segments"
        rows.insert(3, ("at most", merged))
    return rows


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
        (
            "request rate",
            f"{format_rate(transaction.request_payload_rate_bps, _DIGITS)} of payload",
        ),
        (
            "response rate",
            f"{format_rate(transaction.response_payload_rate_bps, _DIGITS)} of payload",
        ),
    ]


def _in_frames(message: MessageCeiling) -> str:
    frames = "1 frame" if message.frame_count == 1 else f"{message.frame_count} frames"
    padding = f" ({message.padding_bytes} of padding)" if message.padding_bytes else ""
    return f"{message.message_bytes} B, {frames}, {message.wire_bytes} B on the wire{padding}"
