"""``netmodel sweep``: predictions over a grid."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import click

from netmodel._numeric import EXACT_INTEGER
from netmodel._quantities import UNITS
from netmodel._terminal import Column, columns_table
from netmodel._text import range_text
from netmodel.api import predict as predict_of
from netmodel.api import sweep as sweep_of
from netmodel.api._kinds import Kind
from netmodel.api.arguments import ArgumentsError, kinds_of, series
from netmodel.cli._console import wrapped
from netmodel.cli._derived import answering
from netmodel.cli._predict import predict
from netmodel.units import format_rate, format_time

if TYPE_CHECKING:
    import xarray

_Axes: TypeAlias = Annotated[Sequence[str], Kind("name=values", repeats=True)]

_MOST_ROWS = 20
"""Rows of the table: what fits a terminal as it opens, with the sentence above it."""
_MOST_VALUES = 1_000_000
"""Values of one range: more are a slip, such as a missing unit."""
_DIGITS = 4
"""Of figures in the table: documents print three, one more shows differences."""
_SWITCHES = {"true": True, "false": False}


def grid(
    axes: _Axes, /, *, quantity: Annotated[Sequence[str], Kind("name", repeats=True)] = ()
) -> "xarray.Dataset":
    """
    Predict over a grid of arguments.

    Every combination of adapters, workloads, MTUs, connections and more.

    NAME is an option of predict without its dashes (sender, receiver, path, workload, mtu,
    connections, line-rate, km, ...). VALUES are one value, several with commas, or a range
    FIRST..LAST[:STEP]. The decimal sign is a point: km=1.5. Needs the extra sweep. Quantities:
    throughput_bps, transaction_rate_tps, transaction_time_s, zero_load_time_s, the first three
    as expected_..., client_cpu_us_per_gbit, server_cpu_us_per_gbit.

    \b
    Example: netmodel sweep adapter=osa-express7s-25gbe,roce-express2.1-25gbe
                 workload=str-writex30k mtu=1500..9000:500 connections=1,10,50 --csv

    Parameters
    ----------
    quantity : sequence of str
        Quantity wanted; such as throughput_bps or transaction_time_s, given once for each.
    """
    arguments: dict[str, Any] = {}
    for axis in axes:
        name, _, text = axis.partition("=")
        if not name or not text:
            raise click.UsageError(f"{axis!r} is not NAME=VALUES, such as mtu=1500,9000")
        argument = _argument(name)
        if argument in arguments:
            raise click.UsageError(f"{name} is given twice: give all of its values at once")
        try:
            arguments[argument] = _values(argument, text)
        except ArgumentsError as error:
            raise click.UsageError(error.naming({argument: name})) from error
    return sweep_of(**arguments, **({"quantities": quantity} if quantity else {}))


def _argument(name: str) -> str:
    """The argument of predict that an option is of, with or without its unit."""
    wanted = name.replace("_", "-")
    known = {each.opts[-1].lstrip("-"): each.name or "" for each in predict.params}
    return known.get(wanted, name.replace("-", "_"))


def _values(argument: str, text: str) -> Any:
    """One value, or a list of them, as numbers in base units or as text."""
    kind = kinds_of(predict_of).get(argument)
    if kind is not None:
        numbers = series(argument, text, kind, step=1, most=_MOST_VALUES)
        several: list[Any] = [
            int(each) if each.is_integer() and each < EXACT_INTEGER else each
            for each in map(float, numbers)
        ]
    else:
        several = [_SWITCHES.get(each.lower(), each) for each in map(str.strip, text.split(","))]
        if "" in several:
            raise click.UsageError(f"{argument}: a value between commas is empty")
    return several if len(several) > 1 or ".." in text else several[0]


def _rows(dataset: "xarray.Dataset") -> list[dict[str, Any]]:
    """Each point; None for what is not known."""
    frame = dataset.to_dataframe().reset_index()
    return [
        {
            str(name): None if isinstance(each, float) and not math.isfinite(each) else each
            for name, each in zip(frame.columns, row, strict=True)
        }
        for row in frame.itertuples(index=False)
    ]


def _blocks(dataset: "xarray.Dataset", is_verbose: bool) -> Iterator[str]:
    """The largest value and where it is, and a table of all points or of the largest ones."""
    variable = next(each for each in dataset.data_vars.values() if each.dtype.kind == "f")
    name, rows = str(variable.name), _rows(dataset)
    title = " ".join(word for word in name.split("_") if word not in UNITS)
    bounds = sorted({row[f"{name}_bound"] for row in rows} - {"", "value"})
    of_bounds = f" ({', '.join(bounds)} bound)" if bounds else ""
    known = sorted((row for row in rows if row[name] is not None), key=lambda row: -row[name])
    if not known:
        yield wrapped(f"{len(rows):,} predictions: {title} is not known at any of them.")
        return
    units = {each: str(dataset[each].attrs.get("units", "")) for each in rows[0]}
    where = ", ".join(f"{at} {_text(known[0][str(at)], units[str(at)])}" for at in variable.coords)
    span = range_text(*(_text(row[name], units[name]) for row in (known[-1], known[0])))
    yield wrapped(
        f"{title[:1].upper()}{title[1:]} is {span}{of_bounds}, the largest with {where}, "
        f"in {len(rows):,} predictions."
    )
    shown = rows if len(rows) <= _MOST_ROWS or is_verbose else known[:_MOST_ROWS]
    columns = [
        Column(
            each,
            [_text(row[each], unit) for row in shown],
            is_number=isinstance(rows[0][each], float | int),
            rank=1 if each.endswith(("_low", "_high", "_bound")) else 0,
        )
        for each, unit in units.items()
    ]
    yield columns_table(columns, is_verbose)
    if len(shown) < len(rows):
        yield wrapped(f"the {len(shown)} largest of {len(rows):,} predictions; --csv prints all")


def _text(value: object, unit: str) -> str:
    """A cell: a rate or time in its usual unit, another number in few digits, or text."""
    if not isinstance(value, int | float):
        return str("" if value is None else value)
    if unit == "bit/s":
        return format_rate(value, _DIGITS)
    if unit == "s":
        return format_time(value, _DIGITS)
    return f"{value:,.{_DIGITS}g}" if isinstance(value, float) and value % 1 else f"{value:,.0f}"


sweep = answering(grid, _blocks, data=_rows, outputs=("verbose", "csv", "json"), name="sweep")
