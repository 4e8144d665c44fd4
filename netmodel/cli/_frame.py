"""``netmodel frame``."""

from itertools import accumulate

import click

from netmodel.cli._options import (
    header_options,
    json_option,
    link_mtu_option,
    mtu_option,
    needed_mtu_bytes,
    print_json,
    stack_or_default,
)
from netmodel.report import frame_drawing

__all__ = ["frame"]


@click.command()
@mtu_option
@link_mtu_option
@header_options(ip_version="4", transport="tcp", timestamps="on")
@json_option
def frame(
    mtu_bytes: int | None,
    link_mtu_bytes: int | None,
    stack_text: str | None,
    ip_version: str | None,
    transport: str | None,
    timestamps: bool | None,
    vlan_tags: int | None,
    as_json: bool,
) -> None:
    """Draw a full frame, part by part and to scale.

    Exactly one of --mtu and --link-mtu is needed.
    """
    stack = stack_or_default(stack_text, ip_version, transport, timestamps, vlan_tags)
    inner_bytes = needed_mtu_bytes(mtu_bytes, link_mtu_bytes, stack)
    parts = stack.full_frame_parts(inner_bytes)
    ends = accumulate(part.bytes for part in parts)
    if as_json:
        print_json(
            [
                {"name": part.name, "bytes": part.bytes, "offset_bytes": end - part.bytes}
                for part, end in zip(parts, ends, strict=True)
            ]
        )
        return
    total_bytes = sum(part.bytes for part in parts)
    click.echo(f"{stack} at MTU {inner_bytes}: {total_bytes:.7g} B on the wire\n")
    click.echo(frame_drawing(parts))
    for estimate in stack.estimates:
        click.echo(f"\nwarning: {estimate}")
