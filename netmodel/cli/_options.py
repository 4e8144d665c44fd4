"""Options that several commands share."""

import csv
import functools
import json
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from io import BytesIO, StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from netmodel.cli._outputs import OUTPUT_FILE, note_input, write_output
from netmodel.consumption import parse_consumption_us_per_gbit
from netmodel.errors import UnitError
from netmodel.framing import Stack, parse_stack, tcp_stack, udp_stack
from netmodel.units import (
    parse_count,
    parse_frequency_hz,
    parse_rate_bps,
    parse_ratio,
    parse_size_bytes,
    parse_time_s,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from netmodel.records import Workload

__all__ = [
    "CONSUMPTION",
    "COUNT",
    "FREQUENCY",
    "RATE",
    "RATIO",
    "SIZE",
    "TIME",
    "csv_text",
    "drawing_width",
    "gathered_options",
    "header_options",
    "inner_mtu_bytes",
    "json_option",
    "line_rate_option",
    "link_mtu_option",
    "mtu_option",
    "needed_mtu_bytes",
    "plot_option",
    "print_json",
    "require_one_size",
    "save_plot",
    "segments_per_ack_option",
    "several_options",
    "stack_or_default",
    "stated_stack",
    "terminal_width",
    "workload_option",
]

_Command = TypeVar("_Command", bound=Callable[..., Any])


_WIDTH_OF_FILES = 100
_LEAST_WIDTH = 60
_MANY = 100
"""Rows of JSON above which each is one line, for indenting takes twice as long as all else."""


class _Quantity(click.ParamType[Any]):
    """An argument that a parser of netmodel.units reads."""

    def __init__(self, name: str, parse: Callable[[str], float]) -> None:
        self.name = name
        self._parse = parse

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        if not isinstance(value, str):
            return value  # type: ignore[no-any-return]
        try:
            return self._parse(value)
        except UnitError as error:
            self.fail(str(error), param, ctx)


RATE = _Quantity("rate", parse_rate_bps)
SIZE = _Quantity("size", parse_size_bytes)
TIME = _Quantity("time", parse_time_s)
FREQUENCY = _Quantity("frequency", parse_frequency_hz)
COUNT = _Quantity("count", parse_count)
RATIO = _Quantity("ratio", parse_ratio)
CONSUMPTION = _Quantity("consumption", parse_consumption_us_per_gbit)


def gathered_options(
    name: str, kind: type[Any], *options: Callable[[_Command], _Command]
) -> Callable[[_Command], _Command]:
    """Give a command the values of several options as one object, whose fields they are."""

    def decorate(command: _Command) -> _Command:
        @functools.wraps(command)
        def with_one_object(*arguments: Any, **values: Any) -> Any:
            values[name] = kind(**{each.name: values.pop(each.name) for each in fields(kind)})
            return command(*arguments, **values)

        for option in reversed(options):
            with_one_object = option(with_one_object)
        return with_one_object  # type: ignore[return-value]

    return decorate


def several_options(
    *options: Callable[[_Command], _Command],
) -> Callable[[_Command], _Command]:
    """Options that several commands have, in their order."""

    def decorate(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON in base units.")


def line_rate_option(required: bool = True) -> Callable[[_Command], _Command]:
    """The rate of the line, which some commands need only for some of what they do."""
    return click.option(
        "--line-rate",
        "line_rate_bps",
        type=RATE,
        required=required,
        help="MAC rate of the line, such as 25Gbit/s.",
    )


def header_options(
    ip_version: str, transport: str, timestamps: str
) -> Callable[[_Command], _Command]:
    """Options that name the headers of a frame; the texts say what holds when they are left out."""
    return several_options(
        click.option(
            "--stack",
            "stack_text",
            help="All headers, outermost first, such as "
            "ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps; ethernet/ in front may be left out. In "
            "place of the options below.",
        ),
        click.option(
            "--ip",
            "ip_version",
            type=click.Choice(["4", "6"]),
            help=f"IP version. [left out: {ip_version}]",
        ),
        click.option(
            "--transport",
            type=click.Choice(["tcp", "udp"]),
            help=f"Transport protocol. [left out: {transport}]",
        ),
        click.option(
            "--timestamps/--no-timestamps",
            default=None,
            help=f"TCP timestamps option in each segment. [left out: {timestamps}]",
        ),
        click.option(
            "--vlan-tags",
            type=COUNT,
            help="802.1Q tags in each frame. [left out: 0]",
        ),
    )


mtu_option = click.option(
    "--mtu",
    "mtu_bytes",
    type=SIZE,
    help="Largest IP packet of the innermost interface, which the application sees.",
)
link_mtu_option = click.option(
    "--link-mtu",
    "link_mtu_bytes",
    type=SIZE,
    help="Largest outermost IP packet, in place of --mtu.",
)


def segments_per_ack_option(text: str) -> Callable[[_Command], _Command]:
    """Count pure acknowledgements too; the text says of which traffic."""
    return click.option(
        "--segments-per-ack",
        type=COUNT,
        help=f"Also pure acknowledgements, each for so many frames: {text}.",
    )


def plot_option(text: str) -> Callable[[_Command], _Command]:
    """A file to draw into; the text says what."""
    return click.option(
        "--plot",
        "plot_file",
        type=OUTPUT_FILE,
        help=f"Also draw {text} into this file (.png, .svg, .pdf).",
    )


class _WorkloadType(click.ParamType["Workload"]):
    """A bundled workload by its name, or a file of the user's by its path."""

    name = "workload"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> "Workload":
        from netmodel.records import load_workload, workload

        if not value.endswith(".toml"):
            return workload(value)
        note_input(value)
        return load_workload(value)


def workload_option(required: bool = False) -> Callable[[_Command], _Command]:
    """What is exchanged, by name or by file."""
    what = "What" if required else "Also what"
    return click.option(
        "--workload",
        type=_WorkloadType(),
        required=required,
        help=f"{what} a named workload exchanges, or one of your own in a .toml file.",
    )


def require_one_size(workload: "Workload", way: str) -> None:
    """Refuse a workload of which only a range of sizes is known; tell the way to give one."""
    for low, high in (workload.request_bytes_bounds, workload.response_bytes_bounds):
        if low != high:
            raise click.UsageError(
                f"a message of {workload.id} is only known to have {low} to {high} byte: "
                f"give one size {way}"
            )


def stated_stack(stack_text: str | None, *one_by_one: object) -> Stack | None:
    """The stack that is written out, if any; it excludes the options for single headers."""
    if stack_text is None:
        return None
    if any(option is not None for option in one_by_one):
        raise click.UsageError(
            "--stack names all headers; leave out --ip, --transport, --timestamps and --vlan-tags"
        )
    return parse_stack(stack_text)


def inner_mtu_bytes(
    mtu_bytes: int | None, link_mtu_bytes: int | None, stack: Stack | None
) -> int | None:
    """The innermost MTU, from whichever of the two was given."""
    if mtu_bytes is not None and link_mtu_bytes is not None:
        raise click.UsageError("give --mtu or --link-mtu, not both")
    if link_mtu_bytes is None or stack is None:
        return link_mtu_bytes if mtu_bytes is None else mtu_bytes
    return int(stack.mtu_bytes(link_mtu_bytes))


def stack_or_default(
    stack_text: str | None,
    ip_version: str | None,
    transport: str | None,
    timestamps: bool | None,
    vlan_tags: int | None,
) -> Stack:
    """The stack that the options name; TCP over IPv4 with timestamps where they are left out."""
    stack = stated_stack(stack_text, ip_version, transport, timestamps, vlan_tags)
    if stack is not None:
        return stack
    version = int(ip_version or 4)
    if transport != "udp":
        return tcp_stack(
            ip_version=version, timestamps=timestamps is not False, vlan_tags=vlan_tags or 0
        )
    if timestamps is not None:
        raise click.UsageError("--timestamps and --no-timestamps are for TCP; UDP has none")
    return udp_stack(ip_version=version, vlan_tags=vlan_tags or 0)


def needed_mtu_bytes(mtu_bytes: int | None, link_mtu_bytes: int | None, stack: Stack) -> int:
    """The innermost MTU, which must be given in one way."""
    found = inner_mtu_bytes(mtu_bytes, link_mtu_bytes, stack)
    if found is None:
        raise click.UsageError("Missing option '--mtu' or '--link-mtu'.")
    return found


def csv_text(names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """A head with the names of the columns, and a line for each row."""
    text = StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def print_json(value: Any) -> None:
    """Print a value as JSON in ASCII, which any terminal shows; NaN and infinity have no place."""
    if isinstance(value, list) and len(value) > _MANY:
        rows = (json.dumps(row, allow_nan=False) for row in value)
        text = "[\n" + ",\n".join(rows) + "\n]"
    else:
        text = json.dumps(value, indent=2, allow_nan=False)
    # of all characters that steer a terminal, json leaves this one as it is
    click.echo(text.replace("\x7f", "\\u007f"))


def terminal_width() -> int:
    """Columns of the terminal; a fixed number where the text goes elsewhere."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else _WIDTH_OF_FILES


def drawing_width() -> int:
    """Columns of the terminal, and no fewer than drawings need."""
    return max(_LEAST_WIDTH, terminal_width())


def save_plot(axes: "Axes", path: str) -> None:
    """Write the figure of a plot into a file of the kind that its name ends in."""
    figure = axes.get_figure(root=True)
    drawn = BytesIO()
    try:
        if figure is not None:
            kind = Path(path).suffix.removeprefix(".") or None
            figure.savefig(drawn, bbox_inches="tight", format=kind)
    except ValueError as error:
        raise click.UsageError(f"--plot {path}: {error}") from None
    write_output("--plot", path, drawn.getvalue())
