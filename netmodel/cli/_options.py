"""
Every option that several commands have, defined once, and groups of them as one object each.

The same name has the same type, metavar and help in all commands; docs/nomenclature.md lists them.
"""

import functools
import shlex
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, TypeAlias

import click
from click.core import ParameterSource

from netmodel._numeric import ROUNDING_RATIO
from netmodel.api._arguments import (
    ArgumentsError,
    DistanceArguments,
    parser_of,
    series,
)
from netmodel.cli._files import OUTPUT_FILE
from netmodel.cli._ids import Choice, a_workload
from netmodel.consumption import Side
from netmodel.errors import DomainError, UnitError
from netmodel.units import (
    parse_count,
    parse_rate_bps,
    parse_ratio,
    parse_size_bytes,
    parse_time_s,
)
from netmodel.units._parse import WHOLE, parse_km, parse_ratio_or_percent, parse_share, split_list

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Command: TypeAlias = Callable[..., object]
Decorator: TypeAlias = Callable[[Command], Command]


# Types of values


class _Quantity(click.ParamType[float]):
    """A number with its unit, read by a parser of netmodel.units."""

    def __init__(self, name: str, parse: Callable[[str], float]) -> None:
        self.name = name
        self._parse = parse

    def listed(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[str]:
        """Texts between the commas of a list; refused where a comma may be a decimal point."""
        try:
            return split_list(str(value), is_whole=self._parse in WHOLE)
        except UnitError as error:
            self.fail(str(error), param, ctx)

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        if isinstance(value, int | float):
            return value
        try:
            return self._parse(str(value))
        except UnitError as error:
            self.fail(str(error), param, ctx)


RATE = _Quantity("rate", parse_rate_bps)
SIZE = _Quantity("size", parse_size_bytes)
TIME = _Quantity("time", parse_time_s)
COUNT = _Quantity("count", parse_count)
RATIO_OR_PERCENT = _Quantity("ratio", parse_ratio_or_percent)
SHARE = _Quantity("share", parse_share)


class _Counts(click.ParamType[tuple[int, ...]]):
    """Counts from 1 up, with commas between them."""

    name = "count,..."

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        counts = tuple(
            int(COUNT.convert(text, param, ctx)) for text in COUNT.listed(value, param, ctx)
        )
        if min(counts) < 1:
            self.fail(f"there must be at least 1 connection; got {value}", param, ctx)
        return counts


class _Series(click.ParamType[tuple[float, ...]]):
    """Values with commas between them, or from one to another in steps, or by a factor."""

    _MOST = 1000
    """More values than pixels of a plot are a step that was mistyped."""

    def __init__(self, value: _Quantity) -> None:
        self._value = value
        self.name = f"{value.name},..."

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, ...]:
        if isinstance(value, tuple):
            return value
        parts = self._value.listed(value, param, ctx)
        result = [each for part in parts for each in self._part(part, param, ctx)]
        return tuple(dict.fromkeys(result))

    def _part(
        self, text: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[float]:
        ends, has_step, step_text = text.partition(":")
        first_text, has_last, last_text = ends.partition("..")
        if not has_last:
            return [self._value.convert(text, param, ctx)]
        if not has_step:
            self.fail(f"{text!r} needs a step, as {text}:10, or a factor, as {text}:x2", param, ctx)
        first, last = (self._value.convert(each, param, ctx) for each in (first_text, last_text))
        is_factor = step_text.startswith("x")
        step = (
            parse_ratio(step_text[1:]) if is_factor else self._value.convert(step_text, param, ctx)
        )
        if last < first or (step <= 1 or first <= 0 if is_factor else step <= 0):
            self.fail(f"{text!r} must run upwards, by a step above 0 or a factor above 1", param)
        result: list[float] = []
        place = 0
        while len(result) <= self._MOST:
            # rounding does not leave out the last value
            each = first * step**place if is_factor else first + place * step
            if each > last * (1 + ROUNDING_RATIO):
                return result
            result.append(min(each, last))
            place += 1
        return self.fail(f"{text!r} has over {self._MOST} values: give a larger step", param, ctx)


KM = _Quantity("km", parse_km)


# Options that several commands have


class Option(click.Option):
    """An option whose ``show_default`` may be words: what holds where it is left out."""

    def get_help_extra(self, ctx: click.Context) -> click.types.OptionHelpExtra:
        """Words stand in the help as they are, without click's brackets."""
        extra = super().get_help_extra(ctx)
        if isinstance(self.show_default, str):
            extra["default"] = self.show_default
        return extra


option = functools.partial(click.option, cls=Option)
"""``click.option`` of that class, for options that a single command has."""


@dataclass(frozen=True, slots=True)
class SharedOption:
    """An option whose name, type, metavar and help are the same in every command."""

    names: tuple[str, ...]
    help: str
    type: "click.ParamType[object] | None" = None
    metavar: str | None = None
    is_flag: bool | None = None

    def __call__(
        self,
        *,
        required: bool = False,
        multiple: bool = False,
        default: str | None = None,
        unset: str | None = None,
        is_single: bool = False,
    ) -> Decorator:
        """
        The option as one command has it.

        ``unset`` says in the help what holds where the option is left out; a command with
        ``is_single`` takes one value of an option that is a list elsewhere.
        """
        is_switch = "/" in self.names[0]  # on, off, or left out: click makes that off by itself
        more: dict[str, object] = {"default": default} if default or is_switch else {}
        return click.option(
            *self.names,
            cls=Option,
            type=self.type,
            help=self.help,
            metavar=self.metavar,
            is_flag=self.is_flag,
            required=required,
            multiple=multiple,
            show_default=unset or default is not None,
            callback=_the_only if is_single else None,
            **more,
        )


def _the_only(
    context: click.Context, parameter: click.Parameter, values: tuple[float, ...] | None
) -> float | None:
    """The value of a list that has one; an error for several."""
    if values is None:
        return None
    if len(values) > 1:
        raise click.BadParameter(f"{context.info_name} takes one value", context, parameter)
    return values[0]


_ARGUMENTS = f"{__name__}.arguments"
"""Key of the context for what a command was given."""


_OTHER_NAMES = {
    "flow_count": "connections",
    "connection_count": "connections",
    "max_utilisation_ratio": "max_utilisation",
    "max_utilisation_after_failure_ratio": "max_utilisation_after_failure",
    "spare_count": "spares",
    "spare_core_count": "spare_cores",
    "floor_ratio": "tolerance",
}
"""Names of numbers in formulas, by the names that options are passed by."""


class QuestionCommand(click.Command):
    """A command that asks a function of netmodel.api, whose refusals then name its options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse them; an option that each side has one of needs the side in its name."""
        ctx.meta[_ARGUMENTS] = tuple(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            name = error.option_name.removeprefix("--")
            of_sides = [f"--{side.value}-{name}" for side in Side]
            known = {option for each in self.params for option in each.opts}
            if not known.issuperset(of_sides):
                raise
            raise click.UsageError(
                f"--{name}: of which side? Give {' or '.join(of_sides)}", ctx
            ) from error

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; keywords of netmodel.api are the names that options are passed by."""
        try:
            return super().invoke(ctx)
        except ArgumentsError as error:
            options = {
                each.name or "": "/".join((each.opts[0], *each.secondary_opts))
                for each in self.params
                if isinstance(each, click.Option)
            }
            raise click.UsageError(_with_option(ctx, error.naming(options)), ctx) from error
        except DomainError as error:
            raise DomainError(_with_option(ctx, str(error))) from error


def given_command() -> str:
    """The command that runs, with its arguments as given, for a shell."""
    ctx = click.get_current_context()
    directories = ctx.find_root().params.get("directories", ())
    own_data = [part for each in directories for part in ("--own-data", each)]
    return shlex.join(["netmodel", *own_data, ctx.info_name or "", *ctx.meta[_ARGUMENTS]])


def _with_option(ctx: click.Context, problem: str) -> str:
    """A problem that begins with the name of a number, by the option that gave the number."""
    name, _, rest = problem.partition(" ")
    asked, got = _OTHER_NAMES.get(name, name), rest.partition("; got ")[2]
    for each in ctx.command.params:
        if each.name != asked or ctx.get_parameter_source(asked) is not ParameterSource.COMMANDLINE:
            continue
        # a file, or a part of another option, may have a number of the same name
        numbers = _numbers_of(asked, ctx.params[asked])
        if not got or got in {text for value in numbers for text in (f"{value:.15g}", str(value))}:
            return f"{each.opts[0]} {rest}"
    return problem


def _numbers_of(name: str, given: object) -> list[float]:
    """Numbers of an option, also where it is text that the question reads."""
    values = given if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
    with suppress(UnitError):
        read = [
            number
            for value in values
            for number in (
                series(name, value) if isinstance(value, str) and parser_of(name) else (value,)
            )
        ]
        return [value for value in read if isinstance(value, int | float)]
    return []


def option_group(name: str, kind: "type[DataclassInstance]", *options: Decorator) -> Decorator:
    """
    Give a command the values of several options as one object, whose fields they are.

    A field without an option keeps its default.
    """

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def with_one_object(*arguments: object, **values: object) -> object:
            given = [field.name for field in fields(kind) if field.name in values]
            values[name] = kind(**{each: values.pop(each) for each in given})
            return command(*arguments, **values)

        decorated: Command = with_one_object
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate


json_option = SharedOption(("--json", "as_json"), "Print JSON in base units.", is_flag=True)()
csv_option = SharedOption(("--csv", "as_csv"), "Print CSV in base units.", is_flag=True)()
verbose_option = SharedOption(("--verbose",), "Print every note and detail.", is_flag=True)()
plot_option = SharedOption(
    ("--plot", "plot_file"),
    "Also draw the result into this file (.png, .svg, .pdf).",
    type=OUTPUT_FILE,
    metavar="FILE",
)()
line_rate_option = SharedOption(
    ("--line-rate", "line_rate_bps"), "MAC rate of the line, such as 25e9 or 25 Gbit/s.", type=RATE
)
mtu_option = SharedOption(
    ("--mtu", "mtu_bytes"), "IP MTU of the innermost interface, inside any tunnel.", type=SIZE
)
workload_option = SharedOption(
    ("--workload",),
    "What is exchanged: a workload of the catalog, or your own in a .toml file.",
    type=a_workload,
    metavar="ID|FILE",
)
connections_option = SharedOption(
    ("--connections",),
    "Connections at the same time; each printed number by default.",
    type=_Counts(),
)
km_option = SharedOption(
    ("--km",),
    "Distance between the sites, in km of fibre; a list or range gives a case for each.",
    type=_Series(KM),
)
rtt_option = SharedOption(
    ("--rtt", "rtt_s"),
    "Round trip between the sites without queues; in place of --km.",
    type=_Series(TIME),
)
window_option = SharedOption(
    ("--window", "window_bytes"),
    "Payload that each connection may have in flight, such as 256 KiB.",
    type=_Series(SIZE),
)
loss_option = SharedOption(
    ("--loss", "loss_ratio"),
    "Share of packets that are lost, independently of each other, such as 1e-4.",
    type=_Series(SHARE),
)
protocol_option = SharedOption(
    ("--protocol",),
    "Protocol that carries the data of sockets; TCP by default.",
    type=Choice(["tcp", "smc-r"]),
)
equipment_option = SharedOption(
    ("--equipment", "equipment_s"),
    "What equipment adds to the round trip of --km, in both directions together.",
    type=TIME,
)


def distance_options(*, is_single: bool = False) -> Decorator:
    """What lies between two sites as one object; of a planned demand there is one distance."""
    return option_group(
        "distance",
        DistanceArguments,
        km_option(is_single=is_single),
        rtt_option(is_single=is_single),
        window_option(is_single=is_single),
        loss_option(is_single=is_single),
        protocol_option(unset="tcp"),
        equipment_option(unset="0 s"),
    )
