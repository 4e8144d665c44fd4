"""Text of answers from their plain values: names give labels and units."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from netmodel.report.text import notes_text
from netmodel.terminal import Column, columns_table
from netmodel.text import (
    PREFIXED,
    RESULT_DIGITS,
    UNNAMED,
    named_texts,
    number_text,
    text_table,
    value_text,
)
from netmodel.units.columns import label_and_unit

_FIRST = 3
"""Columns behind the name of a row that stay in a narrow terminal; numbers behind them leave."""


def rows_table(rows: Sequence[Mapping[str, Any]], is_verbose: bool = False) -> str:
    """
    Table of rows with the same names, the unit of each column in its head; empty without rows.

    Examples
    --------
    >>> print(rows_table([{"frame_bytes": 64, "frame_rate_fps": 37202380.9}]))
    frame byte  frame rate frame/s
            64          37,202,381
    """
    names = enumerate(rows[0] if rows else ())
    columns = [_column(name, [row[name] for row in rows], place) for place, name in names]
    return columns_table(columns, is_verbose)


def _column(name: str, values: Sequence[Any], place: int) -> Column:
    label, unit = label_and_unit(name)
    is_number = not any(isinstance(each, bool | str | list | Mapping) for each in values)
    rank = max(place - _FIRST, 0) if is_number else 0
    if not is_number or unit in (*PREFIXED, *UNNAMED, ""):
        return Column(label, [value_text(name, each) for each in values], is_number, rank)
    cells = ["" if each is None else number_text(each) for each in values]
    # frame/s says it
    return Column(f"{label.removesuffix(' frame rate')} {unit}".strip(), cells, is_number, rank)


def fields_table(fields: Iterable[tuple[str, Any]], digits: int = RESULT_DIGITS) -> str:
    """
    Table of names and values, a row each; empty values are left out.

    Examples
    --------
    >>> print(fields_table([("mtu_bytes", 1500), ("frame_rate_fps", None), ("bound", "upper")]))
    MTU    1500 byte
    bound  upper
    """
    from textwrap import dedent

    named = named_texts(dict(_flat(fields)), digits=digits)
    rows = [("" if "_" in name else name, text) for name, text in named]  # the unit says it
    return dedent(text_table(rows)) if rows else ""


def _flat(fields: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Fields, with those of a mapping under the unit of its name."""
    for name, value in fields:
        if isinstance(value, Mapping) and "low" not in value:
            yield from (
                (f"{inner}_{name.rpartition('_')[2]}", each) for inner, each in value.items()
            )
        else:
            yield name, value


def answer_blocks(
    answer: tuple[str, Any],
    is_verbose: bool,
    digits: int = RESULT_DIGITS,
    stated: Collection[str] = (),
) -> Iterator[str]:
    """
    Blocks of text: the answer in a sentence, fields, tables of rows, notes.

    Parameters
    ----------
    answer : tuple of str and plain values
        The sentence, and the keys of its JSON or the rows of a table.
    is_verbose : bool
        Whether all notes are wanted.
    digits : int
        Significant digits of what takes a prefix.
    stated : collection of str
        Names of fields and columns that the sentence makes needless.

    Examples
    --------
    >>> print(*answer_blocks(("The MTU is 1500.", {"mtu_bytes": 1500, "notes": ["a"]}), False))
    The MTU is 1500. MTU  1500 byte note: a
    """
    sentence, data = answer
    fields = {"": data} if isinstance(data, list) else {**data}
    notes = fields.pop("notes", ())
    lists = {
        name: each
        for name, each in fields.items()
        if isinstance(each, list) and all(isinstance(row, Mapping) for row in each)
    }
    yield sentence
    yield fields_table(
        ((name, each) for name, each in fields.items() if name not in {*lists, *stated}), digits
    )
    for name, rows in lists.items():
        if name not in stated:
            shown = [{key: row[key] for key in row if key not in stated} for row in rows]
            yield rows_table(shown, is_verbose)
    yield notes_text(notes, is_verbose)
