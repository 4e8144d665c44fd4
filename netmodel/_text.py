"""Small tables for terminals."""

from collections.abc import Sequence

__all__ = ["text_table"]

_GAP = "  "


def text_table(rows: Sequence[Sequence[str]], right_aligned: Sequence[int] = ()) -> str:
    """
    Rows of text under each other, column by column.

    Parameters
    ----------
    rows : sequence of sequence of str
        Cells, as many in each row.
    right_aligned : sequence of int
        Columns whose cells end under each other, counted from 0.

    Returns
    -------
    text : str
        One line for each row, without spaces at its end.

    Examples
    --------
    >>> print(text_table([("part", "bytes"), ("payload", "1448")], right_aligned=[1]))
    part     bytes
    payload   1448
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        _GAP.join(
            cell.rjust(width) if column in right_aligned else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)
