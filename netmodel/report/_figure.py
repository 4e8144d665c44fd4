"""What all plots share: sizes, titles, ticks, labelled lines, legends and notes."""

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from itertools import chain
from math import ceil, floor, isfinite, log10
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeAlias, TypeVar

from netmodel._lazy import extra
from netmodel._numeric import ROUNDING_RATIO
from netmodel._text import SENTENCE_DIGITS, printable
from netmodel.report._text import NOTE_COUNT
from netmodel.units import format_rate

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AxisName: TypeAlias = Literal["x", "y"]
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

DECADE = 10.0
"""A wider range gets a logarithmic axis: on a linear one its lower tenth cannot be read."""
PAGE_INCHES = 10
"""Width of a figure: a page of the documentation, 1000 pixels at the usual 100 per inch."""
PLOT_INCHES = 5.5
"""Height of a plot over the width of a page: about half of it, as screens are."""
THIN_POINTS = 0.8
"""Width of lines that only separate or refer: half the 1.5 of matplotlib's curves."""
CAP_POINTS = 3
"""Half the width of the caps of error bars, visible at the size of a page."""
BAR_RATIO = 0.66
"""Height of a bar in its row: the third that is left separates the rows."""
BAND_ALPHA = 0.15
"""Opacity of bands: lines and other bands show through."""
ROOM_RATIO = 1.05
"""End of an axis over its largest value: matplotlib's own margin."""
LOG_ROOM_RATIO = 1.3
"""End of a logarithmic axis over its largest value: looks as wide as the linear margin."""
LABEL_CHARACTERS = 40
"""Longer labels take several lines: beside them must remain half a figure of 10 inches."""
NEAR_RATIO = 0.25
"""Two places whose distance is a smaller share of the width have no room for names in a row."""
BEYOND: dict[str, Any] = {"color": "0.94", "linewidth": 0, "zorder": 0}
"""Look of what lies above an upper bound: a grey that lines of any colour stand out from."""
LINE_STYLES: tuple[Any, ...] = (
    *("-", "--", "-.", ":"),
    *((0, (7, 2)), (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)), (0, (2, 1))),
)
"""As many as limits usually are: they differ without colour, in print and for the colour-blind."""
_NAME_CHARACTERS = 64
"""Two lines of a legend; of a longer name, both ends are shown."""
_TITLE_CHARACTERS = 108
"""Characters of a title of 10 points that fit beside labels of a figure of 10 inches."""
_TITLE_PAD_POINTS = 8
"""Gap below a title: half a line."""
_PADS_INCHES = 0.2
"""Around axes and notes, matplotlib's layout leaves four gaps of 0.04 inches, and less than one."""
_LABEL_ROW_POINTS = 13
"""Height of a line of small print in points, with its gap."""
_POINTS_PER_INCH = 72
"""Of matplotlib."""
_BESIDE_POINTS = (6, 0)
"""A text stands half a character behind the place it belongs to."""
_BELOW_POINTS = 42
"""Below tick labels and the label of an axis, a line of each."""
_EDGE_RATIO = 0.2
"""Within this share of the width from an edge, a label stands inwards of its line."""
_LEGEND_CHARACTERS = 118
"""Characters of small print across a figure, of all columns of a legend."""
_ENTRY_CHARACTERS = 8
"""Of these, what the sample and the gaps of an entry take."""
_RATE_TICK_COUNT = {"x": 5, "y": 7}
"""Rates or times with units that fit half the width, or the height, of a figure."""
_ROUND_STEPS = (1, 2, 2.5, 5, 10)
"""Steps of ticks that are read at a glance, as matplotlib's own axes have them."""
_NUMBER_TICK_COUNT = 9
"""Plain numbers that fit the width of a figure."""
_GROUPED_FROM = 10_000
"""MTUs and sizes below are usually written without a comma."""
_TICK_DIGITS = 10
"""Counts and sizes are printed as they are: none has more digits."""


def short_name(name: str) -> str:
    """A name in two lines at most: the ends of a long one, with its words apart."""
    if len(name) <= _NAME_CHARACTERS:
        return name
    half = _NAME_CHARACTERS // 2 - 1
    return f"{name[:half]}…{name[-half:]}"


def alt_text(ax: "Axes") -> str:
    """
    Say what a plot shows, for readers who do not see it.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Axes of any plot of `netmodel.report`.

    Returns
    -------
    text : str
        Its title, what its axes are and from where to where they reach, and the names of
        its lines, areas and points. The command line writes it into each file of a plot.
    """
    lines = ["; ".join(ax.get_title().splitlines())]
    for axis, (low, high) in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
        label = axis.get_label_text()
        if label:
            ends = [axis.get_major_formatter()(end, None) for end in (low, high)]
            between = f" from {' to '.join(ends)}" if all(ends) else ""
            lines.append(f"{label}{between}")
    names = [" ".join(name.split()) for name in ax.get_legend_handles_labels()[1]]
    if names:
        lines.append(f"Shown: {'; '.join(names)}")
    return ". ".join(filter(None, lines)) + "."


def with_plain_names(plot: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """A plot that shows names as they are: a dollar sign in them begins no formula of TeX."""

    @wraps(plot)
    def drawn(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        with extra("plot"):
            from matplotlib import rcParams
            from matplotlib.axes import Axes
            from matplotlib.text import Text
            from matplotlib.ticker import LogFormatter

        given: list[Axes] = [each for each in (*args, *kwargs.values()) if isinstance(each, Axes)]
        for text in chain.from_iterable(ax.findobj(Text) for ax in given):
            text.set_parse_math(False)
        # this one setting: a backend that is loaded with the first figure makes settings of its own
        usual, rcParams["text.parse_math"] = rcParams["text.parse_math"], False
        try:
            result = plot(*args, **kwargs)
        finally:
            rcParams["text.parse_math"] = usual
        # ticks are made when they are asked for, each as the setting then is
        drawn_on: list[Axes] = [*given, result] if isinstance(result, Axes) else given
        for ax in drawn_on:
            for axis in (ax.xaxis, ax.yaxis):
                for formatter, texts in (
                    (axis.get_major_formatter(), axis.get_majorticklabels()),
                    (axis.get_minor_formatter(), axis.get_minorticklabels()),
                ):
                    for text in texts:  # powers of ten are formulas
                        text.set_parse_math(isinstance(formatter, LogFormatter))
        return result

    return drawn


def with_printable_texts(figure: "Figure") -> None:
    """Show texts without characters that steer."""
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        text.set_text(printable(text.get_text()))


def new_axes() -> "Axes":
    """Axes of a figure of their own, as wide as a page."""
    with extra("plot"):
        import matplotlib.pyplot as plt

    size = (PAGE_INCHES, PLOT_INCHES)
    return plt.subplots(layout="constrained", figsize=size)[1]


def own_figure(ax: "Axes") -> "Figure | None":
    """The figure of the axes, where they are alone in it and it finds room for what is around."""
    figure = ax.get_figure(root=True)
    if figure is not None and figure.get_axes() == [ax]:
        engine = figure.get_layout_engine()
        return figure if type(engine).__name__ == "ConstrainedLayoutEngine" else None
    return None


def draw_title(ax: "Axes", *lines: str, label_rows: int = 0) -> None:
    """Title lines above the axes, with room for `label_rows` rows of line labels below them."""
    ax.set_title(
        "\n".join(
            fill(printable(line), _TITLE_CHARACTERS, break_on_hyphens=False)
            for line in lines
            if line
        ),
        fontsize="medium",
        pad=_TITLE_PAD_POINTS + _LABEL_ROW_POINTS * label_rows,
    )


def draw_beside(
    ax: "Axes", row: float, text: str, place: float = 1.0, weight: str = "normal"
) -> None:
    """A text behind a row, at a share of the width; 1 is beside the axes."""
    ax.annotate(
        text,
        (place, row),
        xytext=_BESIDE_POINTS,
        xycoords=ax.get_yaxis_transform(),
        textcoords="offset points",
        annotation_clip=False,
        va="center",
        fontsize="small",
        fontweight=weight,
    )


def draw_above(
    ax: "Axes", place: float, text: str, label_row: int = 0, weight: str = "normal"
) -> None:
    """A text above the axes, over what stands at this place of the axis."""
    share = ax.transAxes.inverted().transform(ax.transData.transform((place, 0)))[0]
    sides = {share < _EDGE_RATIO: "left", share > 1 - _EDGE_RATIO: "right"}
    ax.annotate(
        text,
        (place, 1),
        xytext=(0, 4 + _LABEL_ROW_POINTS * label_row),
        xycoords=ax.get_xaxis_transform(),
        textcoords="offset points",
        annotation_clip=False,
        ha=sides.get(True, "center"),
        fontsize="small",
        fontweight=weight,
    )


def draw_notes(ax: "Axes", notes: Sequence[str], axes_inches: float | None = None) -> None:
    """
    The first notes below the axes, in three lines at most; text output has them all.

    Comes last: a figure of its own then gets the height with which its axes have theirs.
    """
    lines = [f"note: {printable(text)}" for text in notes[:NOTE_COUNT]]
    if len(notes) > NOTE_COUNT:
        lines[-1] = f"{len(notes) - NOTE_COUNT + 1} more notes in the text output"
    figure, text = own_figure(ax), "\n".join(lines)
    if figure is None:
        ax.annotate(
            text,
            (0, 0),
            xytext=(0, -_BELOW_POINTS),
            xycoords="axes fraction",
            textcoords="offset points",
            annotation_clip=False,
            va="top",
            fontsize="small",
        )
        return
    pixels = 0.0
    if text:
        below = figure.supxlabel(text, x=0.01, ha="left", fontsize="small")
        pixels += below.get_window_extent().height
    if axes_inches is not None:
        around = ax.get_tightbbox()
        assert around is not None
        pixels += around.height - ax.get_window_extent().height
        figure.set_figheight(axes_inches + pixels / figure.dpi + _PADS_INCHES)


def legend_beside(ax: "Axes", title: str | None = None) -> None:
    """A legend right of the axes, where no curve runs."""
    place: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5)}
    ax.legend(**place, fontsize="small", title=title, title_fontsize="small")


def legend_below(ax: "Axes", others: "Sequence[Artist]" = ()) -> None:
    """A legend below the label of the axis, in as many columns as fit; also of other samples."""
    from matplotlib.transforms import ScaledTranslation

    handles, labels = ax.get_legend_handles_labels()
    handles, labels = [*handles, *others], [*labels, *(str(each.get_label()) for each in others)]
    if not handles:
        return
    longest = max(map(len, labels)) + _ENTRY_CHARACTERS
    down = ScaledTranslation(0, -_BELOW_POINTS / _POINTS_PER_INCH, ax.figure.dpi_scale_trans)
    ax.legend(
        handles,
        labels,
        loc="upper center",
        bbox_to_anchor=(0.5, 0),
        bbox_transform=ax.transAxes + down,
        borderaxespad=0,
        ncols=max(1, min(len(labels), _LEGEND_CHARACTERS // longest)),
        fontsize="small",
    )


def number_ticks(
    ax: "Axes",
    name: AxisName,
    least: float,
    most: float,
    count: int = _NUMBER_TICK_COUNT,
    is_whole: bool = False,
) -> None:
    """Plain numbers along an axis, which is logarithmic from above a decade on."""
    from matplotlib.ticker import MaxNLocator

    axis = ax.xaxis if name == "x" else ax.yaxis
    if least > 0 and most > DECADE * least:
        _log_axis(ax, name, least, most, count)
    else:
        axis.set_major_locator(MaxNLocator(count, integer=is_whole, steps=_ROUND_STEPS))
    axis.set_major_formatter(lambda value, _: tick_text(value))


def rate_ticks(ax: "Axes", name: AxisName, rates_bps: Iterable[float]) -> None:
    """Rates with their unit along an axis, which is logarithmic from above a decade on."""
    from matplotlib.ticker import MaxNLocator

    known = [float(rate_bps) for rate_bps in rates_bps if isfinite(rate_bps) and rate_bps > 0]
    axis, set_limits = (ax.xaxis, ax.set_xlim) if name == "x" else (ax.yaxis, ax.set_ylim)
    count = _RATE_TICK_COUNT[name]
    if known and max(known) > DECADE * min(known):
        least, most = min(known) / 2, max(known) * LOG_ROOM_RATIO
        _log_axis(ax, name, least, most, count, has_ends=False)
        set_limits(least, most)
    elif known:
        axis.set_major_locator(MaxNLocator(count, steps=_ROUND_STEPS))
        set_limits(0, max(known) * ROOM_RATIO)
    axis.set_major_formatter(
        lambda rate_bps, _: format_rate(rate_bps, SENTENCE_DIGITS) if rate_bps else "0"
    )
    axis.set_tick_params(labelsize="small")


def tick_text(value: float) -> str:
    """All digits of a tick, in groups where there are more than four."""
    group = "," if abs(value) >= _GROUPED_FROM else ""
    return f"{value:{group}.{_TICK_DIGITS}g}"


def _log_axis(
    ax: "Axes", name: AxisName, least: float, most: float, count: int, has_ends: bool = True
) -> None:
    from matplotlib.ticker import FixedLocator, NullLocator

    ax.set(**{f"{name}scale": "log"})
    axis = ax.xaxis if name == "x" else ax.yaxis
    axis.set_major_locator(FixedLocator(log_ticks(least, most, count, has_ends)))
    axis.set_minor_locator(NullLocator())


def log_ticks(least: float, most: float, count: int, has_ends: bool = True) -> list[float]:
    """
    Ticks of a logarithmic axis: 1, 2 and 5 of each decade, or fewer where these are too many.

    Examples
    --------
    >>> log_ticks(1, 50, 9)
    [1.0, 2.0, 5.0, 10.0, 20.0, 50.0]
    >>> log_ticks(1, 2e6, 9)
    [1.0, 10.0, 100.0, 1000.0, 10000.0, 100000.0, 1000000.0]
    >>> log_ticks(1492, 8992, 9)
    [1492.0, 2000.0, 5000.0, 8992.0]
    """
    low, high = least * (1 - ROUNDING_RATIO), most * (1 + ROUNDING_RATIO)
    decades = [10.0**power for power in range(floor(log10(low)), ceil(log10(high)) + 1)]
    ticks: list[float] = []
    for steps in ((1, 2, 5), (1, 3), (1,)):
        ticks = [step * decade for decade in decades for step in steps]
        ticks = [tick for tick in ticks if low <= tick <= high]
        if len(ticks) <= count:
            break
    ticks = ticks[:: ceil(len(ticks) / count) or 1]
    # a whole end has a tick of its own where it is as far from the next one as ticks usually are
    gap = log10(most / least) / (count + 1)
    for end in (least, most) if has_ends else ():
        if float(end).is_integer() and all(abs(log10(end / tick)) >= gap for tick in ticks):
            ticks.append(float(end))
    return sorted(ticks)
