"""``netmodel calibrate host``."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from netmodel._text import RESULT_DIGITS, percent_text
from netmodel.api import calibrate_host as calibrated
from netmodel.api.arguments import ArgumentsError
from netmodel.cli._calibrate import (
    require_record_name,
    sources_text,
    write_own_record,
)
from netmodel.cli._console import notes_text, print_blocks, print_json, wrapped
from netmodel.cli._derived import DerivedCommand, Given, Output, output_file_option
from netmodel.errors import CalibrationError, ContradictionError
from netmodel.report import text_table
from netmodel.units import format_time

if TYPE_CHECKING:
    from netmodel.calibration.host_runs import HostCalibration

_NUMBER_COLUMNS = range(1, 4)
"""Value and interval, behind the name of the row."""


def _print(given: Given, output: Output) -> None:
    """Estimate what a host spends, from runs with CPU data.

    RUN is a directory with the result of a tool and the CPU data of its hosts (mpstat, sar, sadf,
    copies of /proc/stat, lscpu), or a directory of such directories; "client" or "server" in the
    name of a file says whose they are, "idle" that the host was idle. Or a result, with
    --client-cpu and --server-cpu, or the CPU time that the tool reports.

    Two MTUs, with small requests, large responses and a stream in each direction, separate the
    time per message, frame and byte. Exit code 1: the runs cannot separate them, or contradict each
    other.

    \b
    Example: netmodel calibrate host runs/ --side server -o my-host.toml
             netmodel plan --server-host my-host.toml ...
    """
    asked = dict(given)
    names, record_file = asked.pop("names"), asked.pop("output_file", None)
    require_record_name(record_file)
    try:
        result = calibrated(names, **asked)
        if record_file is not None:
            document = result.document(Path(record_file).stem, sources_text(names))
            write_own_record(record_file, document, "hosts")
    except ArgumentsError:
        # its names are those of options on the command line
        raise
    except (CalibrationError, ContradictionError) as error:
        raise click.ClickException(str(error)) from error
    if output.json:
        print_json(result.to_dict())
    else:
        print_blocks(_blocks(result, output.verbose))


calibrate_host = DerivedCommand(
    calibrated,
    _print,
    first=("side", "mtu_bytes", "noise_ratio"),
    outputs=("verbose", "json"),
    more=(
        click.Argument(["names"], nargs=-1, required=True, metavar="RUN..."),
        output_file_option("a .toml record of an adapter or a host"),
    ),
    name="calibrate host",
)


def _blocks(result: "HostCalibration", is_verbose: bool) -> Iterator[str]:
    """The answer, the table of service times, and notes."""
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
    yield notes_text(result.notes, is_verbose)


def _words(name: str) -> str:
    """A part of the cost in words: ``sent.per_frame_s`` is "per frame sent"."""
    direction, _, time = name.rpartition(".")
    text = time.removesuffix("_s").replace("_", " ").replace("wakeup", "wake-up")
    return f"{text} {direction}".strip()


def _time(time_s: float | None) -> str:
    return "any" if time_s is None or time_s == float("inf") else format_time(time_s, RESULT_DIGITS)
