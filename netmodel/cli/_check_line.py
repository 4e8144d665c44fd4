"""Options that say what is known of the line and the path of a run."""

from dataclasses import dataclass

import click

from netmodel.cli._options import (
    SIZE,
    gathered_options,
    header_options,
    inner_mtu_bytes,
    line_rate_option,
    link_mtu_option,
    mtu_option,
    stated_stack,
)
from netmodel.cli._paths import path_options, stated_path
from netmodel.judging import StatedLine

__all__ = ["LineOptions", "line_options"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LineOptions:
    """What the options of the line were given; None where one was left out."""

    line_rate_bps: float | None
    sender: str | None
    receiver: str | None
    path_name: str | None
    mtu_bytes: int | None
    link_mtu_bytes: int | None
    stack_text: str | None
    ip_version: str | None
    transport: str | None
    timestamps: bool | None
    vlan_tags: int | None
    message_bytes: int | None

    def stated_line(self) -> StatedLine:
        """The line that they state; UsageError where they leave too much open."""
        if self.transport == "udp" and self.timestamps is not None:
            raise click.UsageError("--timestamps and --no-timestamps are for TCP; UDP has none")
        stack = stated_stack(
            self.stack_text, self.ip_version, self.transport, self.timestamps, self.vlan_tags
        )
        path = stated_path(self.sender, self.receiver, self.path_name, self.line_rate_bps)
        line_rate_bps = self.line_rate_bps
        if line_rate_bps is None and path is not None:
            line_rate_bps = path.own_line_rate_bps
        if line_rate_bps is None:
            why = "" if path is None else ": the path has no link or adapter that tells it"
            raise click.UsageError(
                f"Missing option '--line-rate', or '--sender' and '--receiver'{why}."
            )
        return StatedLine(
            line_rate_bps=line_rate_bps,
            mtu_bytes=inner_mtu_bytes(self.mtu_bytes, self.link_mtu_bytes, stack),
            ip_version=int(self.ip_version) if self.ip_version else None,
            transport=self.transport,
            timestamps=self.timestamps,
            vlan_tags=self.vlan_tags or 0,
            stack=stack,
            message_bytes=self.message_bytes,
            path=path,
        )


line_options = gathered_options(
    "line",
    LineOptions,
    line_rate_option(required=False),
    path_options,
    mtu_option,
    link_mtu_option,
    header_options(*["as the run shows"] * 3),
    click.option(
        "--payload",
        "message_bytes",
        type=SIZE,
        help="Payload of each write, where every write is sent for itself, or of each datagram.",
    ),
)
"""Gives a command all of them as one argument, ``line``."""
