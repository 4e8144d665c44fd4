"""``netmodel frame``."""

from itertools import accumulate
from typing import Any

import click

from netmodel.api import ceiling
from netmodel.api._arguments import ArgumentsError, inner_mtu, stack_of
from netmodel.cli._console import print_json
from netmodel.cli._derived import DerivedCommand, Given, Output
from netmodel.report import frame_drawing


def _print(given: Given, output: Output) -> None:
    """Draw a full frame, part by part and to scale.

    Give --mtu or --link-mtu.
    """
    headers: dict[str, Any] = {"stack": None, **given}
    inner, outer = (headers.pop(name, None) for name in ("mtu_bytes", "link_mtu_bytes"))
    stack = stack_of(**headers)
    mtu_bytes = inner_mtu(inner, outer, stack)
    if mtu_bytes is None:
        raise ArgumentsError("give {mtu_bytes} or {link_mtu_bytes}")
    parts = stack.full_frame_parts(mtu_bytes)
    ends = accumulate(part.bytes for part in parts)
    if output.json:
        print_json(
            [
                {"name": part.name, "bytes": part.bytes, "offset_bytes": end - part.bytes}
                for part, end in zip(parts, ends, strict=True)
            ]
        )
        return
    total_bytes = sum(part.bytes for part in parts)
    click.echo(f"{stack} at MTU {mtu_bytes}: {total_bytes:.7g} B on the wire\n")
    click.echo(frame_drawing(parts))
    for estimate in stack.estimates:
        click.echo(f"\nnote: {estimate}")


frame = DerivedCommand(
    ceiling,
    _print,
    first=("mtu_bytes", "link_mtu_bytes", "stack", "ip", "vlan_tags"),
    outputs=("json",),
    without=("line_rate_bps", "rdma_mtu_bytes"),
    name="frame",
)
