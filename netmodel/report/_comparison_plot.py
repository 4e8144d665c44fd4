"""Gains of variants over a baseline as horizontal bars, drawn with matplotlib (extra ``plot``)."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from netmodel.errors import DomainError
from netmodel.report._figure import (
    draw_notes,
    draw_title,
    legend_below,
    log_ticks,
    new_axes,
    own_figure,
    tick_text,
    with_plain_names,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from netmodel.judging._compared import Compared, ComparedRow

_ROW_INCHES = 0.32
"""Of a bar with its label: as high as a line of text with the gap to the next."""
_BAR_HEIGHT = 0.6
"""Of a row; the rest is the gap."""
_MOST_BARS = 30
"""Bars that a page has room for; more would hide their labels."""
_OPEN_FACTOR = 1.6
"""Length of the arrow of an open end, as a factor: longer than a cap, shorter than most bars."""
_FAR_FACTOR = 10
"""From the other end and from no change: farther than published ratios of rates reach."""
_TICK_COUNT = 8
"""Of the axis: their numbers do not touch at its width."""
_LEAST_TICK_COUNT = 4
"""With fewer a reader cannot tell that the axis is logarithmic."""
_GAINS_WHERE_HIGHER = frozenset(
    {"throughput", "transaction_rate", "payload_rate", "cpu_efficiency", "gain"}
)
"""Quantities of which more is better; of the others, times and costs, less."""
_LOOKS = {
    True: {"color": "#4477aa", "hatch": "", "label": "better"},
    False: {"color": "#ee6677", "hatch": "///", "label": "worse"},
}
"""Gains and losses differ without colour too."""


@with_plain_names
def plot_comparison(results: "Sequence[Compared]", ax: "Axes | None" = None) -> "Axes":
    """
    Draw the ratio of each variant to the baseline, a bar for each quantity and case.

    Parameters
    ----------
    results : sequence of Compared
        As `netmodel.compare` returns them.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a figure of its own when left out.

    Returns
    -------
    ax : matplotlib.axes.Axes
        Bars from 1, no change, to the middle of what documents and bounds allow; a line over the
        interval, an arrow where an end is open. Crosses are what models compute, with
        their range dotted.

    Raises
    ------
    DomainError
        If no ratio is known.

    Examples
    --------
    >>> import netmodel
    >>> gains = netmodel.compare(protocol="smc-r", workload="smc-rr-1k", km=40)
    >>> plot_comparison(gains).get_xlabel()
    'ratio of variant to baseline (1: no change)'
    """
    bars = [
        (result, row)
        for result in results
        for row in result.main_rows
        if not math.isnan(row.low) or row.model is not None
    ][:_MOST_BARS]
    if not bars:
        raise DomainError("nothing to draw: no ratio is known of these cases")
    ax = new_axes() if ax is None else ax
    shown: set[bool] = set()
    for place, (_, row) in enumerate(bars):
        low, high = row.low, row.high
        if not math.isnan(low):
            # what is far away says no more than an open end, and would hide the others
            low = 0.0 if low * _FAR_FACTOR < min(1, high) else low
            high = math.inf if high > _FAR_FACTOR * max(1, low) else high
            is_open = low <= 0 or high == math.inf
            middle = math.sqrt(low * high) if not is_open else high if low <= 0 else low
            better = (middle >= 1) == (row.quantity in _GAINS_WHERE_HIGHER)
            look = _LOOKS[better]
            ax.barh(
                place,
                middle - 1,
                left=1,
                height=_BAR_HEIGHT,
                color=look["color"],
                hatch=look["hatch"],
                edgecolor="black",
                label=None if better in shown else look["label"],
            )
            shown.add(better)
            ends = (
                low if low > 0 else middle / _OPEN_FACTOR,
                high if high < math.inf else middle * _OPEN_FACTOR,
            )
            ax.plot(ends, (place, place), color="black", linewidth=1.2)
            for end, is_end_open, mark in zip(
                ends, (low <= 0, high == math.inf), ("<", ">"), strict=True
            ):
                ax.plot(end, place, color="black", marker=mark if is_end_open else "|")
        if row.model is not None:
            span = (row.model.low, row.model.high)
            if not row.model.is_bound_ratio and 0 < span[0] < span[1] < math.inf:
                ax.plot(span, (place, place), color="black", linewidth=0.8, linestyle="dotted")
            ax.plot(
                row.model.value,
                place,
                color="black",
                marker="o" if row.model.is_bound_ratio else "x",
                fillstyle="none",
                linestyle="none",
                label=_model_label(bars, place, row.model.is_bound_ratio),
            )
    ax.set_xscale("log")
    ax.axvline(1, color="black", linewidth=0.8)
    ax.set_yticks(range(len(bars)), [_label(results, *bar) for bar in bars], fontsize="small")
    ax.invert_yaxis()
    ax.set_xlabel("ratio of variant to baseline (1: no change)")
    _plain_ticks(ax)
    draw_title(ax, *dict.fromkeys(result.title for result, _ in bars))
    legend_below(ax)
    draw_notes(ax, tuple(dict.fromkeys(note for result in results for note in result.notes)))
    figure = own_figure(ax)
    if figure is not None:
        figure.set_figheight(max(figure.get_figheight(), 2 + _ROW_INCHES * len(bars)))
    return ax


def _model_label(
    bars: "Sequence[tuple[Compared, ComparedRow]]", place: int, is_bound: bool
) -> str | None:
    """The legend has each mark once."""
    before = (row.model for _, row in bars[:place])
    if any(each is not None and each.is_bound_ratio == is_bound for each in before):
        return None
    return "ratio of upper bounds" if is_bound else "model"


def _label(results: "Sequence[Compared]", result: "Compared", row: "ComparedRow") -> str:
    count = row.conditions.get("connection_counts", result.variant.get("connection_counts"))
    at = [] if count is None else [f"{count} conn."]
    several = len({each.title for each in results}) > 1
    who = [result.title.partition(" against ")[0]] if several else []
    return ", ".join([*who, row.name, *at])


def _plain_ticks(ax: "Axes") -> None:
    """Ratios as plain numbers: powers of ten say little around 1."""
    from matplotlib.ticker import MaxNLocator

    low, high = ax.get_xlim()
    ticks = log_ticks(low, high, _TICK_COUNT, has_ends=False)
    if len(ticks) < _LEAST_TICK_COUNT:
        steps = MaxNLocator(_TICK_COUNT).tick_values(low, high)
        ticks = [float(tick) for tick in steps if low <= tick <= high]
    ax.set_xticks(ticks, [tick_text(tick) for tick in ticks])
    ax.minorticks_off()
