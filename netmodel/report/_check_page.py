"""Verdicts as one HTML page (extra ``report``)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from netmodel.judging import Outcome, Verdict
from netmodel.report._page import rendered
from netmodel.report._verdict_rows import (
    BITS,
    FRAMES,
    OUTCOMES,
    Axis,
    VerdictRow,
    axis_of,
    quantity_text,
    verdict_row,
)

_SYMBOLS = {
    None: "!",
    Outcome.FAILED: "✕",
    Outcome.IMPOSSIBLE: "▲",
    Outcome.BELOW: "▼",
    Outcome.LIMITED: "◆",
    Outcome.NOT_JUDGEABLE: "?",
    Outcome.AT_CEILING: "✓",
}
_OPEN_COUNT = 50
"""Runs at their ceiling that are shown without a click: they fit on two screens."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Runs of one outcome and unit."""

    word: str
    symbol: str
    unit: str
    axis: Axis | None
    rows: Sequence[VerdictRow]
    is_open: bool


def check_page(verdicts: Sequence[Verdict], title: str = "Measured against limits") -> str:
    """
    Verdicts as one HTML page without scripts and outside addresses.

    Parameters
    ----------
    verdicts : sequence of Verdict
        Judged measurements.
    title : str
        Heading.

    Returns
    -------
    text : str
        The page, to be written in UTF-8: the number of runs of each outcome, then
        the runs, faults first, each with its numbers, its rate and
        limits on one axis for all, the reason, notes and CPU use. Runs that
        are judged by frames have lists and an axis of their own.

    Raises
    ------
    MissingExtraError
        If jinja2 is not installed.

    Examples
    --------
    >>> page = check_page([Verdict(file="a.json", outcome=None, reason="empty")], "Our line")
    >>> "<h1>Our line</h1>" in page
    True
    """
    rows = list(map(verdict_row, verdicts))
    axes = {unit: axis_of([row for row in rows if row.unit == unit]) for unit in (BITS, FRAMES)}
    return rendered(
        "check_page.html.jinja",
        title=title,
        run_count=len(rows),
        groups=_groups(rows, axes),
        axes={unit: axis for unit, axis in axes.items() if axis},
        quantity_text=quantity_text,
    )


def _groups(rows: Sequence[VerdictRow], axes: Mapping[str, Axis | None]) -> list[_Group]:
    members: dict[tuple[Outcome | None, str, str], list[VerdictRow]] = {}
    for row in sorted(rows, key=lambda row: (OUTCOMES.index(row.outcome), row.word, row.unit)):
        members.setdefault((row.outcome, row.word, row.unit), []).append(row)
    return [
        _Group(
            word,
            _SYMBOLS[outcome],
            unit,
            axes[unit],
            group,
            is_open=outcome is not Outcome.AT_CEILING or len(group) <= _OPEN_COUNT,
        )
        for (outcome, word, unit), group in members.items()
    ]
