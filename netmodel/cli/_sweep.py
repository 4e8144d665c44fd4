"""``netmodel sweep``: predictions over a grid."""

import inspect
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from netmodel._numeric import ROUNDING_RATIO
from netmodel._numpy import np
from netmodel._reading import reason_of
from netmodel._terminal import Column, columns_table
from netmodel._text import near_name, range_text
from netmodel.cli._console import (
    print_blocks,
    print_csv,
    print_json,
    wrapped,
)
from netmodel.cli._files import OUTPUT_FILE, require_no_input
from netmodel.cli._ids import Named
from netmodel.cli._options import (
    QuestionCommand,
    csv_option,
    json_option,
    option,
    option_group,
    verbose_option,
)
from netmodel.errors import UnitError
from netmodel.units import format_rate, format_time
from netmodel.units._parse import WHOLE, split_list

if TYPE_CHECKING:
    import xarray

_MOST_ROWS = 20
"""Rows of the table: what fits a terminal as it opens, with the sentence above it."""
_MOST_RANGE_COUNT = 10_000_000
"""Values of one range: more are a slip, such as a missing unit."""
_TYPED_DIGITS = 15
"""Of a value in a range: as many as any decimal number keeps as a float64."""
_DIGITS = 4
"""Of figures in the table: documents print three, one more shows differences."""


@dataclass(frozen=True)
class _Axis:
    """An argument as text: one value, several with commas, or ``FIRST..LAST:STEP``."""

    name: str
    text: str


_NAMES = (
    *("adapters=", "sender=", "receiver=", "path=", "workload=", "mtu=", "link-mtu=", "payload="),
    *("line-rate=", "connections=", "km=", "rtt=", "window=", "loss="),
)
"""Names of axes that a shell completes."""


class _Arguments(click.ParamType[_Axis]):
    """``NAME=VALUES``."""

    name = "name=values"
    shell_complete = Named(lambda: _NAMES).shell_complete

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> _Axis:
        if isinstance(value, _Axis):
            return value
        name, is_given, text = str(value).partition("=")
        if not is_given or not name or not text:
            self.fail(f"{value!r} is not NAME=VALUES, such as mtu=1500,9000", param, ctx)
        return _Axis(name, text)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Output:
    """What is printed and written."""

    output_file: str | None
    as_json: bool
    as_csv: bool
    verbose: bool


@click.command(cls=QuestionCommand)
@click.argument("axes", type=_Arguments(), nargs=-1, required=True, metavar="NAME=VALUES...")
@option(
    "--quantity",
    "quantities",
    multiple=True,
    metavar="NAME",
    show_default="throughput",
    help="Quantity, such as throughput or transaction_time; sweep takes several.",
)
@option_group(
    "output",
    _Output,
    option(
        "--write",
        "output_file",
        type=OUTPUT_FILE,
        metavar="FILE",
        help="Also write all points into this file (.nc, .parquet, .csv).",
    ),
    json_option,
    csv_option,
    verbose_option,
)
def sweep(axes: Sequence[_Axis], quantities: Sequence[str], output: _Output) -> None:
    """Predict over a grid of arguments.

    Every combination of adapters, workloads, MTUs, connections and more.

    NAME is an option of predict without its dashes (sender, receiver, path, workload, mtu,
    connections, line-rate, km, ...), or adapters for the same at both ends. VALUES are one value,
    several with commas, or a range FIRST..LAST[:STEP]. The decimal sign is a point: km=1.5. Needs
    the extra sweep. Quantities: throughput, transaction_rate, transaction_time, zero_load_time,
    expected_throughput, expected_transaction_rate, expected_transaction_time, client_cpu,
    server_cpu.

    \b
    Example: netmodel sweep adapters=osa-express7s-25gbe,roce-express2.1-25gbe
                 workload=str-writex30k mtu=1500..9000:500 connections=1,10,50 --write sweep.nc
    """
    from netmodel.api._sweep import DEFAULT_QUANTITIES, write_sweep
    from netmodel.api._sweep import sweep as sweep_of

    if output.as_csv and output.as_json:
        raise click.UsageError("give --json or --csv, not both")
    if output.output_file is not None:
        require_no_input("--write", output.output_file)
    arguments: dict[str, Any] = {}
    for axis in axes:
        name = _argument(axis.name)
        if name in arguments:
            raise click.UsageError(f"{axis.name} is given twice: give all of its values at once")
        arguments[name] = _values(name, axis)
    dataset = sweep_of(quantities=quantities or DEFAULT_QUANTITIES, **arguments)
    if output.output_file is not None:
        require_no_input("--write", output.output_file)
        try:
            write_sweep(dataset, output.output_file)
        except OSError as error:
            place = f"--write {output.output_file}"
            raise click.UsageError(f"{place}: {reason_of(error)}") from error
    if output.as_json:
        print_json([_finite(row) for row in _points(dataset)])
    elif output.as_csv:
        points = [_known(row) for row in _points(dataset)]
        print_csv(list(points[0]), points)
    else:
        print_blocks(_blocks(dataset, output.verbose, output.output_file))


# Arguments


def _argument(name: str) -> str:
    """The argument that an option is of, by the name with or without its unit."""
    from netmodel._quantities import unit_of
    from netmodel.api import predict

    wanted = name.replace("-", "_")
    known = [*inspect.signature(predict).parameters, "adapters"]
    if wanted in known:
        return wanted
    longer = [each for each in known if each.startswith(f"{wanted}_") and unit_of(each)]
    if len(longer) == 1:
        return longer[0]
    near = near_name(wanted, known)
    hint = f"did you mean {near}?" if near else f"names are {', '.join(known)}"
    raise click.UsageError(f"unknown name {name!r}; {hint}")


def _values(name: str, axis: _Axis) -> Any:
    """One value, or a list of them, as numbers in base units or as text."""
    values: list[object] = []
    try:
        parts = split_list(axis.text, is_whole=_is_whole(name))
    except UnitError as error:
        raise click.UsageError(f"{axis.name}: {error}") from error
    for part in parts:
        if not part:
            raise click.UsageError(f"{axis.name}: a value between the commas is empty")
        first, dots, _ = part.partition("..")
        is_range = bool(dots) and _is_number(name, first)
        values += _range(name, axis, part) if is_range else [_value(name, part)]
    return values if len(values) > 1 or is_range else values[0]


def _is_whole(name: str) -> bool:
    """Whether an argument has no decimals: a size, a count, or a name."""
    from netmodel._quantities import unit_of
    from netmodel.api._arguments import parser_of

    parse = parser_of(name)
    return parse in WHOLE if parse else unit_of(name) is None


def _range(name: str, axis: _Axis, text: str) -> list[object]:
    """The values from the first to the last by steps, of 1 where none is given."""
    ends, is_given, each = text.partition(":")
    texts = (*ends.split("..", 1), each if is_given else "1")
    first, last, step = (_value(name, item) for item in texts)
    if step <= 0 or last < first:
        raise click.UsageError(
            f"{axis.name}: {text} is not FIRST..LAST:STEP with a step above zero"
        )
    # the last one counts where rounding in floating point puts it just beyond
    count = math.floor((last - first) / step * (1 + ROUNDING_RATIO)) + 1
    if count > _MOST_RANGE_COUNT:
        raise click.UsageError(f"{axis.name}: {text} are {count:,} values: is a unit missing?")
    values = (first + place * step for place in range(count))
    # 0.3 in place of 0.30000000000000004, as it would be typed
    return [
        each if isinstance(each, int) else float(f"{each:.{_TYPED_DIGITS}g}") for each in values
    ]


def _is_number(name: str, text: str) -> bool:
    from netmodel.errors import NetmodelError

    try:
        return isinstance(_value(name, text), int | float)
    except NetmodelError:
        return False


def _value(name: str, text: str) -> Any:
    """A number in base units where the argument is one, else a whole number, a switch or text."""
    from netmodel._quantities import unit_of
    from netmodel.api._arguments import number
    from netmodel.api._sweep import whole_where_it_is

    if unit_of(name):
        return whole_where_it_is(number(name, text))
    if text.lower() in {"true", "false"}:
        return text.lower() == "true"
    return int(text) if text.isdecimal() else text


# Output


def _points(dataset: "xarray.Dataset") -> Iterator[dict[str, Any]]:
    """Each point."""
    frame = dataset.to_dataframe().reset_index()
    names = [str(name) for name in frame.columns]
    for row in frame.itertuples(index=False):
        yield dict(zip(names, row, strict=True))


def _known(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row for CSV: empty where a value is not known, as in the CSV of other commands."""
    return {name: None if value != value else value for name, value in row.items()}


def _finite(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row for JSON: None for what is not known."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in row.items()
    }


def _blocks(dataset: "xarray.Dataset", is_verbose: bool, output_file: str | None) -> Iterator[str]:
    """What the largest value is and where, and a table of all points or of the largest ones."""
    variable = next(each for each in dataset.data_vars.values() if each.dtype.kind == "f")
    unit = str(variable.attrs.get("units", ""))
    title = str(variable.attrs.get("long_name", variable.name))
    known = variable.count().item()
    if not known:
        yield wrapped(f"{variable.size:,} predictions: {title} is not known at any of them.")
        return
    highest = variable.isel(variable.argmax(...))
    lowest = variable.isel(variable.argmin(...))
    where = ", ".join(
        f"{name} {_text(each.item(), str(each.attrs.get('units', '')))}"
        for name, each in highest.coords.items()
    )
    span = range_text(*(_text(each.item(), unit) for each in (lowest, highest)))
    yield wrapped(
        f"{title[:1].upper()}{title[1:]} is {span}, "
        f"the largest with {where}, in {variable.size:,} predictions."
    )
    if variable.size <= _MOST_ROWS or is_verbose:
        rows = list(_points(dataset))
    else:
        order = variable.values.ravel().argsort()[::-1][:_MOST_ROWS]
        places = np.unravel_index(order, variable.shape)
        rows = [
            next(_points(dataset.isel({d: [i] for d, i in zip(variable.dims, index, strict=True)})))
            for index in zip(*(place.tolist() for place in places), strict=True)
        ]
    names = list(rows[0])
    units = {name: str(dataset[name].attrs.get("units", "")) for name in names}
    yield columns_table(
        [
            Column(
                name,
                [_text(row[name], units[name]) for row in rows],
                is_number=isinstance(rows[0][name], float | int),
                rank=1 if name.endswith(("_low", "_high")) else 0,
            )
            for name in names
        ],
        is_verbose,
    )
    if len(rows) < variable.size:
        more = "" if output_file else "; --write FILE writes all of them"
        yield wrapped(f"the {len(rows)} largest of {variable.size:,} predictions{more}")


def _text(value: object, unit: str) -> str:
    """A cell: a rate or time in its usual unit, another number in few digits, or text."""
    if not isinstance(value, int | float):
        return str(value)
    if not math.isfinite(value):
        return ""
    if unit == "bit/s":
        return format_rate(float(value), _DIGITS)
    if unit == "s":
        return format_time(float(value), _DIGITS)
    return f"{value:,.{_DIGITS}g}" if isinstance(value, float) and value % 1 else f"{value:,.0f}"
