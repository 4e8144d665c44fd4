"""Options that several commands share."""

import json
from collections.abc import Callable
from typing import Any, TypeVar

import click

from netmodel.errors import UnitError
from netmodel.units import (
    parse_count,
    parse_frequency_hz,
    parse_rate_bps,
    parse_ratio,
    parse_size_bytes,
    parse_time_s,
)

__all__ = [
    "COUNT",
    "FREQUENCY",
    "RATE",
    "RATIO",
    "SIZE",
    "TIME",
    "header_options",
    "json_option",
    "line_rate_option",
    "print_json",
]

_Command = TypeVar("_Command", bound=Callable[..., Any])


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

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON in base units.")

line_rate_option = click.option(
    "--line-rate",
    "line_rate_bps",
    type=RATE,
    required=True,
    help="MAC rate of the line, such as 25Gbit/s.",
)


def header_options(
    ip_version: str, transport: str, timestamps: str
) -> Callable[[_Command], _Command]:
    """Options that name the headers of a frame; the texts say what holds when they are left out."""
    options = (
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
            default="0",
            show_default=True,
            help="802.1Q tags in each frame.",
        ),
    )

    def decorate(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def print_json(value: Any) -> None:
    """Print a value as JSON in ASCII, which any terminal shows; NaN and infinity have no place."""
    click.echo(json.dumps(value, indent=2, allow_nan=False))
