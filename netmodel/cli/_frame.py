"""``netmodel frame``."""

from itertools import accumulate

import click

from netmodel.api._arguments import HeaderArguments, MtuArguments
from netmodel.cli._console import print_json
from netmodel.cli._options import QuestionCommand, json_option, mtu_options, stack_options
from netmodel.report import frame_drawing


@click.command(cls=QuestionCommand)
@mtu_options
@stack_options()
@json_option
def frame(mtu: MtuArguments, headers: HeaderArguments, as_json: bool) -> None:
    """Draw a full frame, part by part and to scale.

    Give --mtu or --link-mtu.
    """
    stack = headers.of_frame()
    inner_bytes = mtu.needed_bytes(stack)
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
        click.echo(f"\nnote: {estimate}")
