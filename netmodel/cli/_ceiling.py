"""``netmodel ceiling``."""

import click

from netmodel.ceilings import LineCeiling, line_ceiling
from netmodel.cli._options import SIZE, header_options, json_option, line_rate_option, print_json
from netmodel.framing import Stack, tcp_stack, udp_stack
from netmodel.report import text_table
from netmodel.units import format_rate

__all__ = ["ceiling"]

_DIGITS = 11


@click.command()
@line_rate_option
@click.option(
    "--mtu", "mtu_bytes", type=SIZE, required=True, help="Largest IP packet, such as 1500."
)
@header_options(ip_version="4", transport="tcp", timestamps="on")
@json_option
def ceiling(
    line_rate_bps: float,
    mtu_bytes: int,
    ip_version: str | None,
    transport: str | None,
    timestamps: bool | None,
    vlan_tags: int,
    as_json: bool,
) -> None:
    """Print what an Ethernet line carries, and each byte that is not payload."""
    stack = _stack(int(ip_version or 4), transport or "tcp", timestamps, vlan_tags)
    found = line_ceiling(line_rate_bps, mtu_bytes, stack)
    if as_json:
        print_json(found.to_dict())
    else:
        click.echo(_text(found))


def _stack(ip_version: int, transport: str, timestamps: bool | None, vlan_tags: int) -> Stack:
    if transport == "tcp":
        return tcp_stack(
            ip_version=ip_version, timestamps=timestamps is not False, vlan_tags=vlan_tags
        )
    if timestamps is not None:
        raise click.UsageError("--timestamps and --no-timestamps are for TCP; UDP has none")
    return udp_stack(ip_version=ip_version, vlan_tags=vlan_tags)


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
