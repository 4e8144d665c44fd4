"""``netmodel sweep``: predictions over a grid."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import click

from netmodel.api import predict as predict_of
from netmodel.api import sweep as sweep_of
from netmodel.api._kinds import Kind
from netmodel.api.arguments import ArgumentsError, kinds_of, series
from netmodel.cli._derived import answering
from netmodel.cli._predict import predict
from netmodel.report.fields import rows_table, value_text

if TYPE_CHECKING:
    import xarray

_Axes: TypeAlias = Annotated[Sequence[str], Kind("name=values", repeats=True)]
_MOST_ROWS = 20
"""Rows of the table: what fits a terminal as it opens, with the sentence above it."""
_MOST_VALUES = 1_000_000
"""Values of one range: more are a slip, such as a missing unit."""
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
    known = {each.opts[-1].lstrip("-"): each.name or "" for each in predict.params}
    arguments: dict[str, Any] = {}
    for axis in axes:
        name, _, text = axis.partition("=")
        argument = known.get(name.replace("_", "-"), name.replace("-", "_"))
        if not name or not text or argument in arguments:
            raise click.UsageError(f"{axis!r}: give NAME=VALUES once, such as mtu=1500,9000")
        try:
            arguments[argument] = _values(argument, text)
        except ArgumentsError as error:
            raise click.UsageError(error.naming({argument: name})) from error
    return sweep_of(**arguments, **({"quantities": quantity} if quantity else {}))


def _values(argument: str, text: str) -> Any:
    """One value, or a list of them, as numbers in base units or as text."""
    if kind := kinds_of(predict_of).get(argument):
        numbers = map(float, series(argument, text, kind, step=1, most=_MOST_VALUES))
        several: list[Any] = [int(each) if each.is_integer() else each for each in numbers]
    else:
        several = [_SWITCHES.get(each.lower(), each) for each in map(str.strip, text.split(","))]
    return several if len(several) > 1 or ".." in text else several[0]


def _rows(dataset: "xarray.Dataset") -> list[dict[str, Any]]:
    """Each point; None for what is not known."""
    return [
        {
            str(name): None if isinstance(each, float) and not math.isfinite(each) else each
            for name, each in row.items()
        }
        for row in dataset.to_dataframe().reset_index().to_dict("records")
    ]


def _blocks(dataset: "xarray.Dataset", is_verbose: bool) -> Iterator[str]:
    """The largest value, and a table of all points or of those with the largest values."""
    name = next(str(key) for key, each in dataset.data_vars.items() if each.dtype.kind == "f")
    rows = sorted(_rows(dataset), key=lambda row: -math.inf if row[name] is None else -row[name])
    shown = rows if is_verbose else rows[:_MOST_ROWS]
    largest = value_text(name, rows[0][name]) or "not known"
    more = f" {len(rows) - len(shown):,} more rows with --verbose." * (len(shown) < len(rows))
    yield f"The largest {name} of {len(rows):,} predictions is {largest}.{more}"
    names = [key for key in rows[0] if is_verbose or not key.endswith(("_low", "_high", "_bound"))]
    yield rows_table([{key: row[key] for key in names} for row in shown])


sweep = answering(grid, _blocks, data=_rows, outputs=("verbose", "csv", "json"), name="sweep")
