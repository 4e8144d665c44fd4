"""``netmodel frame``."""

from itertools import accumulate

import click

from netmodel.cli._console import print_json
from netmodel.cli._options import (
    MtuOptions,
    StackOptions,
    json_option,
    mtu_options,
    stack_options,
)
from netmodel.report import frame_drawing


@click.command()
@mtu_options
@stack_options()
@json_option
def frame(mtu: MtuOptions, stack: StackOptions, as_json: bool) -> None:
    """Draw a full frame, part by part and to scale.

    Give --mtu or --link-mtu.
    """
    headers = stack.stack()
    inner_bytes = mtu.needed_bytes(headers)
    parts = headers.full_frame_parts(inner_bytes)
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
    click.echo(f"{headers} at MTU {inner_bytes}: {total_bytes:.7g} B on the wire\n")
    click.echo(frame_drawing(parts))
    for estimate in headers.estimates:
        click.echo(f"\nnote: {estimate}")
