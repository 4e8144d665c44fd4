"""Options that say what is known of the line and the path of a run."""

from dataclasses import dataclass

import click

from netmodel.cli._options import (
    CONSUMPTION,
    COUNT,
    RATE,
    SIZE,
    TIME,
    gathered_options,
    header_options,
    inner_mtu_bytes,
    line_rate_option,
    link_mtu_option,
    mtu_option,
    stated_stack,
)
from netmodel.cli._paths import path_options, stated_path
from netmodel.judging import StatedHost, StatedLine

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
    assumed_transport: str | None
    rate_cap_bps: float | None
    round_trip_s: float | None
    client_cpu_count: int | None
    server_cpu_count: int | None
    client_us_per_gbit: float | None
    server_us_per_gbit: float | None

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
            round_trip_s=self.round_trip_s,
            client=StatedHost(self.client_cpu_count, self.client_us_per_gbit),
            server=StatedHost(self.server_cpu_count, self.server_us_per_gbit),
            assumed_transport=self.assumed_transport,
            rate_cap_bps=self.rate_cap_bps,
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
    click.option(
        "--assume-transport",
        "assumed_transport",
        type=click.Choice(["tcp", "udp"]),
        help="Transport protocol of runs that do not report theirs, such as those of uperf.",
    ),
    click.option(
        "--rate-cap",
        "rate_cap_bps",
        type=RATE,
        help="Payload rate that a shaper, a policer or a contract allows: a limit like the line.",
    ),
    click.option(
        "--rtt",
        "round_trip_s",
        type=TIME,
        help="Round trip of the path, for what the run's TCP window allows. [left out: as the run "
        "shows]",
    ),
    click.option(
        "--client-cpus", "client_cpu_count", type=COUNT, help="CPUs that the client's host has."
    ),
    click.option(
        "--server-cpus", "server_cpu_count", type=COUNT, help="CPUs that the server's host has."
    ),
    click.option(
        "--client-cost",
        "client_us_per_gbit",
        type=CONSUMPTION,
        help='CPU time of the client\'s host per data, such as "1300 us/Gbit"; with --client-cpus '
        "it sets a limit.",
    ),
    click.option(
        "--server-cost",
        "server_us_per_gbit",
        type=CONSUMPTION,
        help="The same of the server's host.",
    ),
)
"""Gives a command all of them as one argument, ``line``."""
