"""Plots of lines and of checks, drawn with matplotlib (extra ``plot``), and notes in all plots."""

from collections.abc import Iterable, Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from netmodel.ceilings import ceiling_columns, frame_rate_fps, layer_rate_bps
from netmodel.framing import FCS_BYTES, MIN_FRAME_BYTES, SILENT_BYTES, Stack
from netmodel.judging import Outcome, Verdict
from netmodel.report._frames import extra
from netmodel.units import format_rate
from netmodel.units._prefixes import GIGA, MEGA

if TYPE_CHECKING:
    from matplotlib.axes import Axes


DECADE = 10.0
"""A wider range gets a logarithmic axis: on a linear one its lower tenth cannot be read."""
PAGE_INCHES = 10
"""Width of a figure: a page of the documentation."""
PLOT_SIZE_INCHES = (PAGE_INCHES, 5.5)
"""A plot over the width of a page, about as high as half of it, as screens are."""
HEAD_INCHES = 1.8
"""Height of a title of two lines and of the labels of an axis."""
NOTE_INCHES = 0.2
"""Height of a line of small print."""
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
BESIDE: Mapping[str, Any] = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5)}
"""Place of a legend right of the axes, where no curve runs."""
LABEL_CHARACTERS = 40
"""Longer labels take several lines: beside them must remain half a figure of 10 inches."""
_NOTE_CHARACTERS = 100
"""Characters of small print across a figure of 10 inches."""
_BESIDE_POINTS = (6, 0)
"""A text stands half a character behind the place it belongs to."""
_BELOW_POINTS = (0, -40)
"""Below the labels of the axis, which take two lines."""
_FRAME_TICKS_BYTES = (64, 128, 256, 512, 1518, 4096, 9018)
"""Powers of two as in RFC 2544, and full frames of MTU 1500 and 9000."""
_MESSAGE_COUNT = 2000
"""Sizes of messages on a curve: more than its pixels, so that its steps are sharp."""
_ROOM_FOR_NUMBERS = 1.25
"""End of the axis over the longest bar, which has its ratio behind it."""


def draw_note(
    axes: "Axes", row: float, text: str, place: float = 1.0, weight: str = "normal"
) -> None:
    """A text behind a row, at a share of the width; 1 is beside the axes."""
    axes.annotate(
        text,
        (place, row),
        xytext=_BESIDE_POINTS,
        xycoords=axes.get_yaxis_transform(),
        textcoords="offset points",
        annotation_clip=False,
        va="center",
        fontsize="small",
        fontweight=weight,
    )


def draw_notes(axes: "Axes", notes: Sequence[str]) -> None:
    """What a reader should know, below the axes."""
    axes.annotate(
        "\n".join(fill(f"note: {text}", _NOTE_CHARACTERS) for text in notes),
        (0, 0),
        xytext=_BELOW_POINTS,
        xycoords="axes fraction",
        textcoords="offset points",
        va="top",
        fontsize="small",
    )


_COLOURS: Mapping[Outcome | None, str] = {
    Outcome.AT_CEILING: "tab:green",
    Outcome.LIMITED: "tab:blue",
    Outcome.BELOW: "tab:orange",
    Outcome.IMPOSSIBLE: "tab:red",
    Outcome.NOT_JUDGEABLE: "tab:gray",
}


def plot_payload_rates(
    line_rate_bps: float,
    stacks: Sequence[Stack],
    largest_frame_bytes: int = 9018,
    axes: "Axes | None" = None,
) -> "Axes":
    """
    Draw the payload and frame rate of a line over the size of its frames.

    Parameters
    ----------
    line_rate_bps : float
        MAC rate of the line. [bit/s]
    stacks : sequence of Stack
        One curve for each.
    largest_frame_bytes : int
        Right end of the axis; 9018 is a frame at MTU 9000. [byte]
    axes : matplotlib.axes.Axes, optional
        Where to draw; a new figure when left out.

    Returns
    -------
    axes : matplotlib.axes.Axes
        With a second vertical axis for the frame rate.

    Raises
    ------
    DomainError
        If the line rate is not above zero, or infinite.
    MissingExtraError
        If matplotlib is not installed.
    """
    with extra("plot"):
        import matplotlib.pyplot as plt

    axes = plt.subplots(layout="constrained")[1] if axes is None else axes
    frames_bytes = np.arange(MIN_FRAME_BYTES, largest_frame_bytes + 1)
    for stack in stacks:
        around_bytes = stack.header_bytes + stack.link_header_bytes + FCS_BYTES
        sizes = frames_bytes[frames_bytes > around_bytes]
        rates = layer_rate_bps(line_rate_bps, sizes - around_bytes, sizes + SILENT_BYTES)
        axes.plot(sizes, rates / GIGA, label=str(stack))
    axes.axhline(line_rate_bps / GIGA, color="grey", linewidth=THIN_POINTS, linestyle="--")
    axes.set(
        xscale="log",
        xlabel="frame, destination address to check sequence [byte]",
        ylabel="payload rate [Gbit/s]",
        title=f"What a line of {format_rate(line_rate_bps)} carries",
        ylim=(0, None),
    )
    axes.set_xticks([tick for tick in _FRAME_TICKS_BYTES if tick <= largest_frame_bytes])
    axes.xaxis.set_major_formatter("{x:.0f}")
    axes.xaxis.set_minor_formatter("")
    axes.legend(loc="lower center")
    frame_axes = axes.twinx()
    frame_rates = frame_rate_fps(line_rate_bps, frames_bytes)
    style: dict[str, Any] = {"color": "black", "linewidth": THIN_POINTS, "linestyle": ":"}
    frame_axes.plot(frames_bytes, frame_rates / MEGA, **style)
    frame_axes.set(ylabel="frame rate, dotted [million frames/s]", ylim=(0, None))
    return axes


def plot_efficiency(
    stacks: Sequence[Stack],
    link_mtu_bytes: int = 1500,
    largest_link_mtu_bytes: int = 9000,
    largest_message_bytes: int = 16384,
    axes: "Sequence[Axes] | None" = None,
) -> "Sequence[Axes]":
    """
    Draw the share of a line that is payload, over the message size and over the MTU.

    Parameters
    ----------
    stacks : sequence of Stack
        One curve for each.
    link_mtu_bytes : int
        Largest outermost packet of the curves over messages; 1500 is that of Ethernet. [byte]
    largest_link_mtu_bytes : int
        Right end of the axis of the MTU; 9000 is the usual jumbo MTU. [byte]
    largest_message_bytes : int
        Right end of the axis of messages; 16384 is a full TLS record (RFC 8446). [byte]
    axes : sequence of matplotlib.axes.Axes, optional
        Two places to draw; a new figure when left out.

    Returns
    -------
    axes : sequence of matplotlib.axes.Axes
        Messages, each sent by itself, and full frames.

    Raises
    ------
    DomainError
        If the MTU is below what a stack needs.
    MissingExtraError
        If matplotlib is not installed.
    """
    with extra("plot"):
        import matplotlib.pyplot as plt

    if axes is None:
        axes = plt.subplots(1, 2, layout="constrained", figsize=PLOT_SIZE_INCHES)[1]
    over_messages, over_mtu = axes
    messages = np.unique(np.geomspace(1, largest_message_bytes, _MESSAGE_COUNT).astype(int))
    for stack in stacks:
        mtu_bytes = stack.mtu_bytes(link_mtu_bytes)
        columns = ceiling_columns(GIGA, mtu_bytes, stack, messages)
        over_messages.plot(messages, columns["message_efficiency_ratio"], label=str(stack))
        link_mtus = np.arange(link_mtu_bytes, largest_link_mtu_bytes + 1)
        columns = ceiling_columns(GIGA, stack.mtu_bytes(link_mtus), stack)
        over_mtu.plot(link_mtus, columns["efficiency_ratio"], label=str(stack))
    over_messages.set(
        xscale="log",
        xlabel="message [byte]",
        ylabel="payload per byte on the wire",
        title=f"Messages, each sent by itself, at link MTU {link_mtu_bytes}",
        ylim=(0, 1),
    )
    over_mtu.set(xlabel="link MTU [byte]", title="Full frames")
    over_mtu.legend(loc="lower right", fontsize="x-small")
    return axes


def plot_checks(verdicts: Iterable[Verdict], axes: "Axes | None" = None) -> "Axes":
    """
    Draw measured goodput against the ceiling of each run.

    Parameters
    ----------
    verdicts : iterable of Verdict
        Judged measurements; those without a ceiling are left out.
    axes : matplotlib.axes.Axes, optional
        Where to draw; a new figure when left out.

    Returns
    -------
    axes : matplotlib.axes.Axes
        One bar for each measurement, coloured by outcome, the ceiling at 1.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    """
    with extra("plot"):
        import matplotlib.pyplot as plt

    axes = plt.subplots(layout="constrained")[1] if axes is None else axes
    judged = [(verdict, verdict.ratio) for verdict in verdicts if verdict.ratio is not None]
    for row, (verdict, ratio) in enumerate(judged):
        axes.barh(row, ratio, color=_COLOURS[verdict.outcome])
        axes.annotate(f" {ratio:.4f}", (ratio, row), va="center")
    axes.axvline(1, color="black", linewidth=THIN_POINTS)
    axes.set(
        yticks=range(len(judged)),
        yticklabels=[_label(verdict) for verdict, _ in judged],
        xlabel="goodput over ceiling",
        xlim=(0, _ROOM_FOR_NUMBERS * max([1.0, *(ratio for _, ratio in judged)])),
    )
    axes.invert_yaxis()
    return axes


def _label(verdict: Verdict) -> str:
    name = verdict.file.replace("\\", "/").rpartition("/")[2]
    outcome = verdict.outcome.value if verdict.outcome else ""
    return f"{name}\n{outcome}"
