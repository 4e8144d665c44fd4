"""
Every option that several commands have, defined once, and groups of them as one object each.

The same name has the same type, metavar and help in all commands; docs/nomenclature.md lists them.
"""

import functools
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, TypeAlias

import click
from click.core import ParameterSource

from netmodel._numeric import ROUNDING_RATIO
from netmodel.api._arguments import (
    ArgumentsError,
    CostArguments,
    DistanceArguments,
    HeaderArguments,
    MtuArguments,
    PathArguments,
)
from netmodel.cli._files import INPUT_FILE, OUTPUT_FILE
from netmodel.cli._ids import Choice, a_case, a_host, a_path, a_stack, a_workload, an_adapter
from netmodel.consumption import Side
from netmodel.consumption._cost import CPU_TIME_BASES
from netmodel.errors import DomainError, UnitError
from netmodel.units import (
    parse_count,
    parse_frequency_hz,
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
FREQUENCY = _Quantity("frequency", parse_frequency_hz)
COUNT = _Quantity("count", parse_count)
RATIO = _Quantity("ratio", parse_ratio)
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


# A sweep of sizes


_SWEPT = {"mtu": "mtu", "link-mtu": "link-mtu", "payload": "payload"}
_SWEPT |= {f"{name.replace('-', '_')}_bytes": name for name in _SWEPT.values()}
"""Names of options, or those of columns, and the option that each stands for."""
_MAX_STEPS = 1_000_000
"""Rows of a sweep: every MTU there is fifteen times over, and a second of work."""


@dataclass(frozen=True, slots=True)
class SizeSweep:
    """A size that takes several values."""

    name: str
    values: Sequence[int]


class _SizeSweep(click.ParamType[SizeSweep]):
    """A range as ``mtu=576..9000``, with a step as ``payload=1..64:8``, or ``mtu=1500,9000``."""

    name = "name=sizes"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> SizeSweep:
        if isinstance(value, SizeSweep):
            return value
        name, _, span = str(value).partition("=")
        if name not in _SWEPT:
            self.fail(
                f"{value!r} sweeps none of mtu, link-mtu, payload; write such as mtu=576..9000",
                param,
            )
        if "," in span:
            texts = SIZE.listed(span, param, ctx)
            sizes = tuple(int(SIZE.convert(text, param, ctx)) for text in texts)
            return SizeSweep(_SWEPT[name], tuple(dict.fromkeys(sizes)))
        ends, has_step, step_text = span.partition(":")
        first_text, has_last, last_text = ends.partition("..")
        if not has_last:
            example = f"{name}=576..9000, or several sizes, such as {name}=1500,9000"
            self.fail(f"{value!r} needs two ends, such as {example}", param)
        first, last = (int(SIZE.convert(text, param, ctx)) for text in (first_text, last_text))
        step = int(SIZE.convert(step_text, param, ctx)) if has_step else 1
        if step < 1 or last < first:
            self.fail(f"{value!r} must run upwards in steps of at least 1", param)
        values = range(first, last + 1, step)
        if len(values) > _MAX_STEPS:
            self.fail(
                f"{value!r} has more than {_MAX_STEPS} values; give a step, as in :100", param
            )
        return SizeSweep(_SWEPT[name], values)


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


_OTHER_NAMES = {"flow_count": "connections", "connection_count": "connections"}
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
        given = ctx.params[asked]
        values = given if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
        # a file, or a part of another option, may have a number of the same name
        numbers = (value for value in values if isinstance(value, int | float))
        if not got or got in {text for value in numbers for text in (f"{value:.15g}", str(value))}:
            return f"{each.opts[0]} {rest}"
    return problem


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


host_data_options = (
    *(
        each
        for side in ("client", "server")
        for each in (
            option(
                f"--{side}-cpu",
                type=INPUT_FILE,
                help=f"CPU data of the {side}'s host during the run: mpstat, sar, sadf, copies "
                "of /proc/stat.",
            ),
            option(
                f"--{side}-idle",
                type=INPUT_FILE,
                help=f"CPU data of the {side}'s host while idle, to be subtracted.",
            ),
        )
    ),
    option(
        "--host-zone",
        metavar="ZONE",
        show_default="the zone in which they overlap the runs",
        help="Time zone of the CPU data, if they have none: Europe/Berlin, +02:00 or UTC.",
    ),
)
"""Those of `netmodel.api._results.HostDataArguments`."""
json_option = SharedOption(("--json", "as_json"), "Print JSON in base units.", is_flag=True)()
csv_option = SharedOption(("--csv", "as_csv"), "Print CSV in base units.", is_flag=True)()
verbose_option = SharedOption(("--verbose",), "Print every note and detail.", is_flag=True)()
physics_only_option = SharedOption(
    ("--physics-only",),
    "Compute from the parts of the path alone, without figures that documents print.",
    is_flag=True,
)
html_option = SharedOption(
    ("--html", "html_file"), "Also write an HTML report.", type=OUTPUT_FILE, metavar="FILE"
)()
plot_option = SharedOption(
    ("--plot", "plot_file"),
    "Also draw the result into this file (.png, .svg, .pdf).",
    type=OUTPUT_FILE,
    metavar="FILE",
)()
line_rate_option = SharedOption(
    ("--line-rate", "line_rate_bps"), "MAC rate of the line, such as 25Gbit/s.", type=RATE
)
mtu_option = SharedOption(
    ("--mtu", "mtu_bytes"), "IP MTU of the innermost interface (inside any tunnel).", type=SIZE
)
link_mtu_option = SharedOption(
    ("--link-mtu", "link_mtu_bytes"),
    "IP MTU of the outermost interface, in place of --mtu.",
    type=SIZE,
)
rdma_mtu_option = SharedOption(
    ("--rdma-mtu", "rdma_mtu_bytes"),
    "Payload of a full RDMA packet: 256, 512, 1024, 2048 or 4096; the IP MTU is --mtu.",
    type=SIZE,
)
payload_option = SharedOption(
    ("--payload", "payload_bytes"),
    "Payload of one message: a write, a datagram, or the larger of request and response.",
    type=SIZE,
)
workload_option = SharedOption(
    ("--workload",),
    "What is exchanged: a workload of the catalog, or your own in a .toml file.",
    type=a_workload,
    metavar="ID|FILE",
)
connections_option = SharedOption(
    ("--connections",),
    "Number of concurrent connections, such as 50; predict takes a list, such as 1,10,50.",
    type=_Counts(),
)
segments_per_ack_option = SharedOption(
    ("--segments-per-ack",),
    "Also count pure acknowledgements, one per COUNT segments (2: delayed acknowledgements).",
    type=COUNT,
)
max_utilisation_option = SharedOption(
    ("--max-utilisation", "max_utilisation_ratio"),
    'Highest planned utilisation of each CPU, adapter and link, such as 0.7 or "70 %".',
    type=SHARE,
)
sweep_option = SharedOption(
    ("--sweep",),
    "A result for each size: mtu=576..9000, payload=1000..64000:1000, mtu=1500,9000; measure takes "
    "MTUs, and asks for each change.",
    type=_SizeSweep(),
)
transaction_size_option = SharedOption(
    ("--transaction-size", "transaction_bytes"),
    "Payload of one transaction, request and response together.",
    type=SIZE,
)()
cpu_frequency_option = SharedOption(
    ("--cpu-frequency", "cpu_frequency_hz"), "Clock of the CPU, such as 5.2GHz.", type=FREQUENCY
)()
cpu_count_option = SharedOption(
    ("--cpu-count",), "CPUs of the system, numbered from 0.", type=COUNT
)()


# Headers and sizes


def stack_options(
    ip_version: str = "4", transport: str = "tcp", timestamps: str = "on"
) -> Decorator:
    """The headers as one object; the texts say what holds where an option is left out."""
    return option_group(
        "headers",
        HeaderArguments,
        SharedOption(
            ("--stack",),
            "All headers, outermost first, such as ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps, in "
            "place of the four options below; ceiling --list-layers prints the layers.",
            type=a_stack,
            metavar="LAYER/...",
        )(),
        SharedOption(("--ip",), "IP version.", type=Choice([4, 6]))(unset=ip_version),
        SharedOption(("--transport",), "Transport protocol.", type=Choice(["tcp", "udp"]))(
            unset=transport
        ),
        SharedOption(("--timestamps/--no-timestamps",), "TCP timestamps option in every segment.")(
            unset=timestamps
        ),
        SharedOption(("--vlan-tags",), "Number of 802.1Q tags in every frame.", type=COUNT)(
            unset="0"
        ),
    )


_COST_HELP = (
    'CPU cost of the {0}, such as "0.16 cores/(Gbit/s)" of payload in both directions, '
    '"0.14..0.18 cores/(Gbit/s)" or "35 µs/transaction"; check needs one figure per data, with '
    "--{0}-cpus."
)
client_cost_option, server_cost_option = (
    SharedOption((f"--{side}-cost",), _COST_HELP.format(side), metavar="COST")()
    for side in ("client", "server")
)
cost_options = option_group(
    "cost",
    CostArguments,
    client_cost_option,
    server_cost_option,
    cpu_frequency_option,
    SharedOption(
        ("--cpu-time-basis",),
        "What a CPU cost is time of: cores with one busy thread, or threads as the system counts.",
        type=Choice(CPU_TIME_BASES),
    )(unset="that of the host, or core"),
    SharedOption(
        ("--smt-gain",),
        "Work of a core with two busy threads over that with one, such as 1.3, for core time.",
        type=RATIO,
    )(unset="that of the host, or 1"),
    SharedOption(
        ("--cost-measured-with",),
        "Conditions under which the CPU costs were measured, where they differ, such as "
        '"adapter=ID mtu=1500".',
        type=a_case,
        metavar="CASE",
    )(unset="those of the question"),
)
"""CPU cost of each side as one figure, as one object."""


km_option = SharedOption(
    ("--km",),
    "Distance between the sites, such as 35, in km of fibre; a list or range gives a case for "
    "each: 10,50 or 10..100:10. The decimal sign is a point: 1.5.",
    type=_Series(KM),
)
rtt_option = SharedOption(
    ("--rtt", "rtt_s"),
    "Round-trip time between the sites, without queues; with a window it limits the rate.",
    type=_Series(TIME),
)
window_option = SharedOption(
    ("--window", "window_bytes"),
    "Payload that each connection may have in flight, such as 256KiB: the smallest of its windows "
    "and buffers.",
    type=_Series(SIZE),
)
loss_option = SharedOption(
    ("--loss", "loss_ratio"),
    "Share of packets that are lost, independently of each other, such as 1e-4 or 0.01%.",
    type=_Series(SHARE),
)
protocol_option = SharedOption(
    ("--protocol",),
    "Protocol that carries the data of sockets.",
    type=Choice(["tcp", "smc-r"]),
)
equipment_option = SharedOption(
    ("--equipment", "equipment_s"),
    "Time that multiplexers, transponders and switches add to the round trip of --km.",
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


mtu_options = option_group("mtu", MtuArguments, mtu_option(), link_mtu_option())
"""The MTU as one object."""


# Path


def adapter_option(name: str) -> SharedOption:
    """One adapter at both ends, passed by this name; a plan takes several to compare."""
    return SharedOption(
        ("--adapter", name),
        "Adapter at both ends, in place of --sender and --receiver; plan compares several.",
        type=an_adapter,
        metavar="ID|FILE",
    )


def path_options(line_rate: str) -> Decorator:
    """The path as one object; the text says what holds without ``--line-rate``."""
    host_help = (
        "Host record of the {}, for its CPU time: of the catalog, or your own in a .toml file."
    )
    return option_group(
        "path",
        PathArguments,
        SharedOption(
            ("--sender",),
            "Adapter of the side that sends more payload.",
            type=an_adapter,
            metavar="ID|FILE",
        )(),
        SharedOption(
            ("--receiver",), "Adapter of the other side.", type=an_adapter, metavar="ID|FILE"
        )(),
        SharedOption(
            ("--path",),
            "What lies between the adapters, or has them: a path of the catalog, or your own in a "
            ".toml file.",
            type=a_path,
            metavar="ID|FILE",
        )(),
        line_rate_option(unset=line_rate),
        *(
            SharedOption(
                (f"--{side}-host",), host_help.format(side), type=a_host, metavar="ID|FILE"
            )()
            for side in ("client", "server")
        ),
    )
