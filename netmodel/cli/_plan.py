"""``netmodel plan``."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from netmodel.cli._options import (
    COUNT,
    RATE,
    RATIO,
    SIZE,
    drawing_width,
    gathered_options,
    header_options,
    json_option,
    plot_option,
    print_json,
    save_plot,
    segments_per_ack_option,
    stack_or_default,
)
from netmodel.cli._paths import host_options, path_options, require_own_mtu, stated_path
from netmodel.consumption import Side
from netmodel.errors import UnitError
from netmodel.planning import Corner, Headroom, Plan, Spreading, compare_plans, parse_flow
from netmodel.report import plot_plan, plot_plans, text_table, wrapped_lines

if TYPE_CHECKING:
    from netmodel.path import SpecifiedPath
    from netmodel.planning import Flow

__all__ = ["plan", "plan_table"]

_HEADS = (
    *("candidate", "MTU", "adapters", "data leave", "bottleneck", "in use", "after failure"),
    "evidence",
)
_headroom_options = gathered_options(
    "headroom",
    Headroom,
    click.option(
        "--max-use",
        "max_use_ratio",
        type=RATIO,
        default=str(Headroom().max_use_ratio),
        show_default=True,
        help="Share of each stage that may be used.",
    ),
    click.option(
        "--max-use-after-failure",
        "max_use_after_failure_ratio",
        type=RATIO,
        help="Share that may be used while --spares adapters have failed. [left out: as --max-use]",
    ),
    click.option(
        "--spares",
        "spare_count",
        type=COUNT,
        default=str(Headroom().spare_count),
        show_default=True,
        help="Adapters of a side that may fail at the same time.",
    ),
)


@click.command()
@click.option(
    "--flow",
    "flow_texts",
    multiple=True,
    required=True,
    help='What is to be carried, such as "25 Gbit/s str-writex30k" or "100000/s rr1c-200x1000 from '
    'client": a payload rate or transactions per second, a workload or your own in a .toml file, '
    "and the side that sends more, where it is not that of the workload. Repeat it for a mix.",
)
@click.option(
    "--adapter",
    "adapter_names",
    multiple=True,
    help="Adapter at both ends, in place of --sender and --receiver; repeat it to compare several.",
)
@path_options
@host_options
@click.option(
    "--mtu",
    "mtus_bytes",
    type=SIZE,
    multiple=True,
    help="Largest IP packet of the innermost interface; repeat it to compare several.",
)
@_headroom_options
@click.option(
    "--connections",
    "connection_count",
    type=COUNT,
    help="Connections of each flow, on all adapters together.",
)
@click.option(
    "--spreading",
    type=click.Choice([one.value for one in Spreading]),
    default=Spreading.EVEN.value,
    show_default=True,
    help="How connections come to use several adapters; needs --connections where hashed.",
)
@click.option(
    "--plan-on",
    "corner",
    type=click.Choice([one.value for one in Corner]),
    default=Corner.WORST.value,
    show_default=True,
    help="Which of the values that the data leave open to plan on.",
)
@click.option(
    "--line-rate",
    "line_rate_bps",
    type=RATE,
    help="MAC rate of the line of each adapter. [left out: that of the slower adapter]",
)
@header_options("4", "tcp", "yes")
@segments_per_ack_option("of streams only, as those of requests and responses ride on data")
@plot_option("the stages, or the candidates if several,")
@json_option
@click.pass_context
def plan(
    ctx: click.Context,
    flow_texts: tuple[str, ...],
    adapter_names: tuple[str, ...],
    sender: str | None,
    receiver: str | None,
    path_name: str | None,
    client_host: str | None,
    server_host: str | None,
    mtus_bytes: tuple[int, ...],
    headroom: Headroom,
    connection_count: int | None,
    spreading: str,
    corner: str,
    line_rate_bps: float | None,
    stack_text: str | None,
    ip_version: str | None,
    transport: str | None,
    timestamps: bool | None,
    vlan_tags: int | None,
    segments_per_ack: int | None,
    plot_file: str | None,
    as_json: bool,
) -> None:
    """Plan how many adapters and CPUs a demand needs, with headroom and spares.

    Give --flow, and --adapter, or --sender with --receiver, or --path. The sender is the side
    that sends more of all payload, the client when equal. Rates of adapters are upper bounds, so
    the answer is the least number of adapters. It is for the worst case of what the data leave
    open, unless --plan-on says otherwise. Exit code 1: no candidate carries the demand.
    """
    flows = [_flow(text, connection_count, segments_per_ack) for text in flow_texts]
    hosts = (client_host, server_host)
    paths = _candidates(adapter_names, sender, receiver, path_name, line_rate_bps, hosts)
    _require_mtu(paths, mtus_bytes)
    plans = compare_plans(
        flows,
        paths,
        mtus_bytes or (None,),
        stack_or_default(stack_text, ip_version, transport, timestamps, vlan_tags),
        headroom=headroom,
        corner=Corner(corner),
        spreading=Spreading(spreading),
    )
    if plot_file is not None:
        is_one = len(plans) == 1 and plans[0].chosen_count is not None
        save_plot(plot_plan(plans[0]) if is_one else plot_plans(plans), plot_file)
    if as_json:
        print_json([one.to_dict() for one in plans])
    else:
        click.echo("\n\n".join(_texts(plans)))
    ctx.exit(0 if plans[0].holds else 1)


def _flow(text: str, connection_count: int | None, segments_per_ack: int | None) -> "Flow":
    try:
        return parse_flow(text, connection_count, segments_per_ack)
    except UnitError as error:
        raise click.BadParameter(str(error), param_hint="'--flow'") from error


def _candidates(
    adapter_names: tuple[str, ...],
    sender: str | None,
    receiver: str | None,
    path_name: str | None,
    line_rate_bps: float | None,
    hosts: tuple[str | None, str | None],
) -> "list[SpecifiedPath]":
    """A path with each of the adapters at both ends, or the one that is stated otherwise."""
    if adapter_names and (sender, receiver) != (None, None):
        raise click.UsageError("give --adapter, or --sender and --receiver, not both")
    ends: list[tuple[str | None, str | None]] = [(sender, receiver)]
    if adapter_names:
        ends = [(name, name) for name in dict.fromkeys(adapter_names)]
    found = [stated_path(*one, path_name, line_rate_bps, *hosts) for one in ends]
    if None in found:
        raise click.UsageError(
            "Missing option '--adapter', or '--sender' and '--receiver', or '--path'."
        )
    return [one for one in found if one is not None]


def _require_mtu(paths: "Sequence[SpecifiedPath]", mtus_bytes: tuple[int, ...]) -> None:
    if not mtus_bytes:
        for one in paths:
            require_own_mtu(one.path(Side.CLIENT), "'--mtu'")


def _texts(plans: Sequence[Plan]) -> Iterator[str]:
    """A table where there are several, and the best of them."""
    if len(plans) > 1:
        yield plan_table(plans)
    yield wrapped_lines(str(plans[0]), drawing_width())


def plan_table(plans: Sequence[Plan]) -> str:
    """A row for each plan, with what binds and how much of it is in use."""
    return text_table([_HEADS, *map(_row, plans)], right_aligned=(1, 2, 5, 6))


def _row(one: Plan) -> tuple[str, ...]:
    *_, binds, count, spread, use, after = one.binding_row
    return (
        one.equipment,
        f"{one.mtu_bytes:g}",
        f"{count}{'' if one.holds else ' not enough'}",
        *(spread, binds, use, after),
        "" if one.grade is None else one.grade.value,
    )
