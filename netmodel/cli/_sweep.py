"""Ceilings over a range of sizes, as a table, CSV or JSON."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import click
import numpy as np

from netmodel._estimates import Bound
from netmodel.ceilings import ceiling_columns
from netmodel.cli._options import SIZE, csv_text, print_json
from netmodel.framing import Stack
from netmodel.report import text_table

__all__ = ["SWEEP", "Sweep", "print_sweep"]

_SWEPT = ("mtu", "link-mtu", "payload")
_MAX_STEPS = 1_000_000
_EXACT_BELOW = 2.0**53
_RATES = ("_rate_bps", "_rate_fps")
"""Ends of the names of columns that are upper bounds of what is measured."""
_GIGA = 1e9
_HEADS = {
    "link_mtu_bytes": "link MTU",
    "mtu_bytes": "MTU",
    "payload_bytes": "payload B",
    "overhead_bytes": "overhead B",
    "efficiency_ratio": "efficiency",
    "payload_rate_bps": "payload Gbit/s",
    "frame_rate_fps": "frame/s",
    "message_bytes": "message B",
    "message_frame_count": "frames",
    "message_wire_bytes": "wire B",
    "message_efficiency_ratio": "efficiency",
    "message_payload_rate_bps": "payload Gbit/s",
}


@dataclass(frozen=True, slots=True)
class Sweep:
    """A size that takes every value of a range."""

    name: str
    values: range


class _SweepType(click.ParamType[Sweep]):
    """A range as ``mtu=576..9000`` or, with a step, ``payload=1000..64000:1000``."""

    name = "sweep"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Sweep:
        name, _, span = value.partition("=")
        if name not in _SWEPT:
            self.fail(
                f"{value!r} sweeps none of {', '.join(_SWEPT)}; write such as mtu=576..9000", param
            )
        ends, has_step, step_text = span.partition(":")
        first_text, has_last, last_text = ends.partition("..")
        if not has_last:
            self.fail(f"{value!r} needs two ends, such as {name}=576..9000", param)
        first, last = (int(SIZE.convert(text, param, ctx)) for text in (first_text, last_text))
        step = int(SIZE.convert(step_text, param, ctx)) if has_step else 1
        if step < 1 or last < first:
            self.fail(f"{value!r} must run upwards in steps of at least 1", param)
        values = range(first, last + 1, step)
        if len(values) > _MAX_STEPS:
            self.fail(
                f"{value!r} has more than {_MAX_STEPS} values; give a step, as in :100", param
            )
        return Sweep(name, values)


SWEEP = _SweepType()


def print_sweep(
    sweep: Sweep,
    line_rate_bps: float,
    mtu_bytes: int | None,
    stack: Stack,
    message_bytes: int | None,
    form: str,
) -> None:
    """Print the ceiling at each value of a sweep as ``text``, ``csv`` or ``json``."""
    swept = np.array(sweep.values, dtype=float)
    columns: dict[str, Any] = {}
    mtus: Any = mtu_bytes
    messages: Any = message_bytes
    if sweep.name == "mtu":
        mtus = swept
    elif sweep.name == "link-mtu":
        mtus = stack.mtu_bytes(swept)
        columns["link_mtu_bytes"] = swept
    else:
        messages = swept
    columns |= ceiling_columns(line_rate_bps, mtus, stack, messages)
    for estimate in stack.estimates:
        click.echo(f"warning: {estimate}", err=True)
    rows = _rows(columns)
    if form == "json":
        print_json(list(rows))
    elif form == "csv":
        click.echo(_csv_text(list(columns), rows), nl=False)
    else:
        click.echo(_table_text(sweep, columns))


def _rows(columns: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Row by row, whole numbers as such."""
    whole = {
        name: bool(((column % 1 == 0) & (np.abs(column) < _EXACT_BELOW)).all())
        for name, column in columns.items()
    }
    lists = [
        (column.astype(np.int64) if whole[name] else column).tolist()
        for name, column in columns.items()
    ]
    for values in zip(*lists, strict=True):
        yield dict(zip(columns, values, strict=True))


def _csv_text(names: list[str], rows: Iterator[dict[str, Any]]) -> str:
    bounds = {f"{name}_bound": Bound.UPPER.value for name in names if name.endswith(_RATES)}
    return csv_text([*names, *bounds], (row | bounds for row in rows))


def _table_text(sweep: Sweep, columns: dict[str, Any]) -> str:
    """The columns that people look at: of messages where there are any, else of full frames."""
    has_messages = "message_bytes" in columns
    chosen = [
        name
        for name in _HEADS
        if name in columns
        and (not has_messages or name.startswith("message_") or "mtu" in name)
        and not (sweep.name == "payload" and name == "mtu_bytes")
    ]
    head = [_HEADS[name] for name in chosen]
    cells = zip(*([_cell(name, value) for value in columns[name]] for name in chosen), strict=True)
    return text_table([head, *cells], right_aligned=range(len(chosen)))


def _cell(name: str, value: float) -> str:
    if name.endswith("_bps"):
        return f"{value / _GIGA:.6f}"
    if name.endswith("_ratio"):
        return f"{value:.6f}"
    if name.endswith("_fps"):
        return f"{value:.1f}"
    return f"{value:.0f}" if value % 1 == 0 else f"{value:.3f}"
