"""``netmodel calibrate host``."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, stdev
from typing import TYPE_CHECKING

import click

from netmodel import __version__
from netmodel._text import RESULT_DIGITS, fixed_percent, percent_text
from netmodel.api._arguments import ArgumentsError
from netmodel.api._results import HostDataArguments
from netmodel.cli._calibrate import (
    given_of_option,
    given_option,
    merged,
    noise_option,
    record_option,
)
from netmodel.cli._console import notes_text, print_blocks, print_json, wrapped
from netmodel.cli._files import require_no_input
from netmodel.cli._ids import Choice, a_file
from netmodel.cli._options import (
    QuestionCommand,
    host_data_options,
    json_option,
    mtu_option,
    option,
    option_group,
    verbose_option,
)
from netmodel.consumption import Side
from netmodel.errors import CalibrationError, ContradictionError, ParseError
from netmodel.report import text_table
from netmodel.units import format_time

if TYPE_CHECKING:
    from netmodel.calibration._host_runs import HeldOut, HostCalibration
    from netmodel.calibration._observed import Conditions

_MAX_CPUS = 4096
"""More than any host has: a longer range is a slip of the pen."""
_NUMBER_COLUMNS = range(1, 4)
"""Value and interval, behind the name of the row."""
_HELD_OUT_HEAD = ("held-out run", "measured", "predicted", "from", "to", "inside")


class _CpuNumbers(click.ParamType[tuple[int, ...]]):
    """Numbers of CPUs as Linux lists them: ``0,2-5``."""

    name = "list"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        numbers: list[int] = []
        for part in str(value).split(","):
            first, dash, last = part.strip().partition("-")
            if not first.isdecimal() or (dash and not last.isdecimal()):
                self.fail(f"{value!r}: write numbers of CPUs, such as 0,2-5", param, ctx)
            end = int(last) if dash else int(first)
            if end < int(first) or end > _MAX_CPUS:
                self.fail(f"{value!r}: {part} is no range of CPUs", param, ctx)
            numbers += range(int(first), end + 1)
        return tuple(numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Runs:
    """What the runs are."""

    side: str
    hosts: HostDataArguments
    client_cpu_numbers: tuple[int, ...]
    server_cpu_numbers: tuple[int, ...]
    mtu_bytes: int | None
    given: "tuple[Conditions, ...]"
    given_of: "tuple[tuple[str, Conditions], ...]"

    @property
    def numbers(self) -> dict[Side, tuple[int, ...]]:
        return {Side.CLIENT: self.client_cpu_numbers, Side.SERVER: self.server_cpu_numbers}

    def conditions_of(self) -> "dict[str, Conditions]":
        """Conditions by the place of runs."""
        return {
            file: merged(conditions for name, conditions in self.given_of if name == file)
            for file, _ in self.given_of
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What is estimated, and what it is tested on."""

    parts: tuple[str, ...]
    noise_ratio: float | None
    held_out: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Output:
    """What is printed and written."""

    record_file: str | None
    verbose: bool
    as_json: bool


@click.command(name="calibrate host", cls=QuestionCommand)
@click.argument("names", type=a_file, nargs=-1, required=True, metavar="RUN...")
@option_group(
    "runs",
    _Runs,
    option(
        "--host-of",
        "side",
        type=Choice((*(each.value for each in Side), "both")),
        default="both",
        show_default=True,
        help="Whose cost; both where client and server are hosts of one kind.",
    ),
    option_group("hosts", HostDataArguments, *host_data_options),
    *(
        option(
            f"--{side}-cpu-numbers",
            type=_CpuNumbers(),
            default=(),
            help=f"CPUs of the {side}, such as 0,2-5, where both ends ran on one kernel.",
        )
        for side in ("client", "server")
    ),
    mtu_option(),
    given_option,
    given_of_option,
)
@option_group(
    "asked",
    _Asked,
    option(
        "--part",
        "parts",
        multiple=True,
        metavar="NAME",
        show_default="per_message_s, and per_frame_s and per_byte_s of sent and received",
        help="Service time to estimate, such as sent.per_frame_s; repeat it for several.",
    ),
    noise_option,
    option(
        "--held-out",
        multiple=True,
        type=click.Path(exists=True),
        metavar="RUN",
        help="Also compare these runs, which are not used, with what is predicted for them.",
    ),
)
@option_group("output", _Output, record_option, verbose_option, json_option)
def calibrate_host(names: tuple[str, ...], runs: _Runs, asked: _Asked, output: _Output) -> None:
    """Estimate what a host spends, from runs with CPU data.

    RUN is a directory with the result of a tool and the CPU data of its hosts during that run
    (mpstat, sar, sadf, copies of /proc/stat), or a directory of such directories. "client" or
    "server" in the name of a file says whose CPU data it holds, "idle" that the host was idle.
    RUN may also be a result: CPU data of all runs are then given by --client-cpu and
    --server-cpu and paired by time; without any, the CPU time that the tool reports counts.
    A file with the output of lscpu, or a copy of /proc/cpuinfo, shows processor and clock rate.

    Two MTUs, with small requests, large responses and a stream in each direction, separate the
    time per message from that per frame and per byte, sent and received. Repeat each run.

    Exit code 1: the runs cannot separate the parts, or contradict each other; the message names
    runs that would separate them.

    \b
    Example: netmodel calibrate host runs/ --host-of server -o my-host.toml
             netmodel plan --server-host my-host.toml ...
    """
    from netmodel.api._calibrate_host import (
        calibrate_host as calibrated,
    )
    from netmodel.api._calibrate_host import conditions_with_mtu, held_out_runs, sides_of

    if output.record_file is not None:
        require_no_input("-o", output.record_file)
        if not output.record_file.endswith(".toml"):
            raise click.UsageError(
                f"-o {output.record_file}: a record is a file that ends in .toml"
            )
    given, given_of = merged(runs.given), runs.conditions_of()
    hosts = runs.hosts
    try:
        result = calibrated(
            names,
            side=runs.side,
            client_cpu=hosts.client_cpu,
            server_cpu=hosts.server_cpu,
            client_idle=hosts.client_idle,
            server_idle=hosts.server_idle,
            host_zone=hosts.host_zone,
            client_cpu_numbers=runs.client_cpu_numbers,
            server_cpu_numbers=runs.server_cpu_numbers,
            mtu_bytes=runs.mtu_bytes,
            given=given,
            given_of=given_of,
            parts=asked.parts,
            noise_ratio=asked.noise_ratio,
        )
        held_out: tuple[HeldOut, ...] = ()
        if asked.held_out:
            conditions = conditions_with_mtu(given, runs.mtu_bytes)
            others = held_out_runs(
                asked.held_out, sides_of(runs.side), hosts, runs.numbers, conditions, given_of
            )
            held_out = result.held_out(others)
        if output.record_file is not None:
            _write_record(result, names, output.record_file)
    except ArgumentsError:
        # its names are those of options on the command line
        raise
    except (CalibrationError, ContradictionError) as error:
        raise click.ClickException(str(error)) from error
    if output.as_json:
        rows = [each.to_dict() for each in held_out]
        print_json({**result.to_dict(), "held_out": rows})
    else:
        print_blocks(_blocks(result, held_out, output.verbose))


def _blocks(
    result: "HostCalibration",
    held_out: "Sequence[HeldOut]",
    is_verbose: bool,
) -> Iterator[str]:
    """The answer, the table of service times, held-out runs, and notes."""
    calibration = result.calibration
    parameters = calibration.parameters
    texts = [
        f"{_time(parameters[each.name].value)} {_words(each.name)}"
        for each in calibration.model.parameters
    ]
    who = " and ".join(side.value for side in result.sides)
    scatter = result.scatter_ratio
    about = "" if scatter is None else f"; runs scatter by {percent_text(scatter, 2)} about that"
    yield wrapped(f"The host ({who}) spends {', '.join(texts)}{about}.")
    rows: list[tuple[str, ...]] = [("CPU time", "value", "from", "to")]
    for each in calibration.model.parameters:
        value, low, high = parameters[each.name]
        rows.append((_words(each.name), _time(value), _time(low), _time(high)))
    table = text_table(rows, right_aligned=_NUMBER_COLUMNS)
    yield f"{table}\n95 % intervals; CPU time of {result.basis}"
    if held_out:
        yield _held_out_text(held_out)
    yield notes_text(result.notes, is_verbose)


def _held_out_text(held_out: "Sequence[HeldOut]") -> str:
    """Each run beside what is predicted for it, and how well that went."""
    rows: list[tuple[str, ...]] = [_HELD_OUT_HEAD]
    for each in held_out:
        low, high = each.predicted.low, each.predicted.high
        cells = (_cost(each.quantity, number) for number in (each.measured, *each.predicted))
        rows.append((_short(each.place), *cells, "yes" if low <= each.measured <= high else "no"))
    inside = sum(each.is_inside for each in held_out)
    error = median(abs(each.error_ratio) for each in held_out)
    width = median(each.half_width_ratio for each in held_out)
    repeats: dict[str, list[float]] = {}
    for each in held_out:
        at = sorted((name, str(value)) for name, value in each.at.items())
        repeats.setdefault(f"{each.quantity} {at}", []).append(each.measured)
    scatters = [
        stdev(values) * len(values) / sum(values) for values in repeats.values() if len(values) > 1
    ]
    own = f"; repeats scatter by {fixed_percent(median(scatters), 1)}" if scatters else ""
    summary = (
        f"{inside} of {len(held_out)} inside the 95 % interval of a new run (median half-width "
        f"{fixed_percent(width, 0)}); median error {fixed_percent(error, 1)}{own}"
    )
    return f"{text_table(rows, right_aligned=range(1, 5))}\n{wrapped(summary)}"


def _short(place: str) -> str:
    """The last part of the path of a run, and the side."""
    path, _, side = place.rpartition(", ")
    return f"{Path(path).name}, {side}"


def _words(name: str) -> str:
    """A part of the cost in words: ``sent.per_frame_s`` is "per frame sent"."""
    direction, _, time = name.rpartition(".")
    text = time.removesuffix("_s").replace("_", " ").replace("wakeup", "wake-up")
    return f"{text} {direction}".strip()


def _time(time_s: float | None) -> str:
    return "any" if time_s is None or time_s == float("inf") else format_time(time_s, RESULT_DIGITS)


def _cost(quantity: str, number: float) -> str:
    if quantity.endswith("_us_per_gbit"):
        return f"{number:.0f} µs/Gbit"
    return format_time(number, RESULT_DIGITS)


def _write_record(result: "HostCalibration", names: Sequence[str], path: str) -> None:
    from netmodel.records import write_record

    sources = ", ".join(Path(name).name for name in names)
    document = result.document(Path(path).stem, f"{sources}, netmodel {__version__}")
    require_no_input("-o", path)
    try:
        write_record(path, document, "hosts")
    except ParseError as error:
        raise click.UsageError(f"-o: {error}") from error
