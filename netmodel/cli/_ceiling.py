"""``netmodel ceiling``."""

import click

from netmodel.ceilings import LineCeiling, MessageCeiling, line_ceiling
from netmodel.cli._options import (
    SIZE,
    header_options,
    json_option,
    line_rate_option,
    link_mtu_option,
    mtu_option,
    needed_mtu_bytes,
    print_json,
    stack_or_default,
)
from netmodel.framing import LAYER_FORMS, EspSuite, LayerForm
from netmodel.report import text_table
from netmodel.units import format_rate

__all__ = ["ceiling"]

_DIGITS = 11


@click.command()
@line_rate_option
@mtu_option
@link_mtu_option
@header_options(ip_version="4", transport="tcp", timestamps="on")
@click.option(
    "--payload",
    "message_bytes",
    type=SIZE,
    help="Also messages of this size, each sent for itself: a write, a datagram, an RDMA write.",
)
@click.option(
    "--list-layers",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda ctx, _, wanted: _list_layers(ctx) if wanted else None,
    help="Print every layer that --stack knows, with its bytes, and end.",
)
@json_option
def ceiling(
    line_rate_bps: float,
    mtu_bytes: int | None,
    link_mtu_bytes: int | None,
    stack_text: str | None,
    ip_version: str | None,
    transport: str | None,
    timestamps: bool | None,
    vlan_tags: int | None,
    message_bytes: int | None,
    as_json: bool,
) -> None:
    """Print what an Ethernet line carries, and each byte that is not payload.

    Exactly one of --mtu and --link-mtu is needed.
    """
    stack = stack_or_default(stack_text, ip_version, transport, timestamps, vlan_tags)
    inner_bytes = needed_mtu_bytes(mtu_bytes, link_mtu_bytes, stack)
    found = line_ceiling(line_rate_bps, inner_bytes, stack)
    message = None if message_bytes is None else found.message(message_bytes)
    if as_json:
        print_json(found.to_dict() | (message.to_dict() if message else {}))
        return
    click.echo(_text(found))
    if message is not None:
        click.echo(f"\n{_message_text(message)}")


def _list_layers(ctx: click.Context) -> None:
    header = ("layer", "bytes", "options", "inside")
    rows = [_layer_row(name, form) for name, form in LAYER_FORMS.items()]
    click.echo(text_table([header, *rows], right_aligned=[1]))
    ctx.exit()


def _layer_row(name: str, form: LayerForm) -> tuple[str, str, str, str]:
    layer = form.make(**form.defaults)
    options = [f"+{flag}" for flag in form.flags] + [f"+{count}=N" for count in form.counts]
    if name == "esp":
        options.append(f"+suite={'|'.join(suite.value for suite in EspSuite)}")
    padded = f" and padding to {layer.block_bytes}" if layer.block_bytes > 1 else ""
    inside = ", ".join(carrier or "the line" for carrier in sorted(layer.carried_by))
    return name, f"{layer.fixed_bytes}{padded}", " ".join(options), inside


def _text(found: LineCeiling) -> str:
    rates = found.layer_rates
    parts = [(part.name, str(part.bytes)) for part in found.parts]
    results = [
        ("payload", f"{found.payload_bytes} B in each frame"),
        ("overhead", f"{found.overhead_bytes} B in each frame"),
        ("efficiency", f"{found.efficiency_ratio:.12f}"),
        ("payload rate", f"{format_rate(rates.layer4_bps, _DIGITS)}  (layer 4)"),
        ("packet rate", f"{format_rate(rates.layer3_bps, _DIGITS)}  (layer 3, IP packets)"),
        ("frame bit rate", f"{format_rate(rates.layer2_bps, _DIGITS)}  (layer 2, with FCS)"),
        ("line rate", f"{format_rate(rates.layer1_bps, _DIGITS)}  (layer 1, preamble and gap)"),
        ("frame rate", f"{found.frame_rate_fps:.1f} frame/s"),
    ]
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


def _message_text(message: MessageCeiling) -> str:
    rows = [
        ("message", f"{message.message_bytes} B, {message.wire_bytes} B on the wire"),
        ("efficiency", f"{message.efficiency_ratio:.12f}"),
        ("payload rate", format_rate(message.payload_rate_bps, _DIGITS)),
        ("message rate", f"{message.message_rate_tps:.1f} message/s"),
    ]
    return text_table(rows)
