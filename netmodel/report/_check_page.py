"""Verdicts as one HTML page (extra ``report``)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from netmodel.judging import Outcome, Verdict
from netmodel.report._axis import axis_of
from netmodel.report._extras import extra
from netmodel.report._path_rows import rate_text
from netmodel.report._verdict_rows import (
    OUTCOMES,
    VerdictRow,
    outcome_word,
    printable,
    verdict_row,
)

if TYPE_CHECKING:
    import jinja2

__all__ = ["check_page"]

_SYMBOLS = {
    None: "!",
    Outcome.FAILED: "✕",
    Outcome.IMPOSSIBLE: "▲",
    Outcome.BELOW: "▼",
    Outcome.NOT_JUDGEABLE: "?",
    Outcome.AT_CEILING: "✓",
}
_OPEN_COUNT = 50
"""So many runs at their ceiling are shown without a click."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Runs of one outcome."""

    word: str
    symbol: str
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
        The page, to be written in UTF-8: how many runs have each outcome, then
        the runs, those with faults first, each with its numbers, its goodput
        and limits on one axis for all, the reason, warnings and CPU use.

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
    axis = axis_of(rows)
    return _template().render(
        title=printable(title),
        run_count=len(rows),
        groups=_groups(rows),
        axis=axis,
        rate_text=rate_text,
    )


def _template() -> "jinja2.Template":
    with extra("report"):
        import jinja2
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("netmodel", "report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("check_page.html.jinja")


def _groups(rows: Sequence[VerdictRow]) -> list[_Group]:
    counts = Counter(row.outcome for row in rows)
    return [
        _Group(
            outcome_word(outcome),
            _SYMBOLS[outcome],
            [row for row in rows if row.outcome is outcome],
            outcome is not Outcome.AT_CEILING or counts[outcome] <= _OPEN_COUNT,
        )
        for outcome in OUTCOMES
        if counts[outcome]
    ]
