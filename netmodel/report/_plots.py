"""Plots of lines and of checks, drawn with matplotlib (extra ``plot``), and notes in all plots."""

from collections.abc import Iterable, Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING

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
LABEL_CHARACTERS = 40
"""Longer labels take several lines: beside them must remain half a figure of 10 inches."""
_NOTE_CHARACTERS = 100
"""Characters of small print across a figure of 10 inches."""


def draw_note(
    axes: "Axes", row: float, text: str, place: float = 1.0, weight: str = "normal"
) -> None:
    """A text behind a row, at a share of the width; 1 is beside the axes."""
    axes.annotate(
        text,
        (place, row),
        xytext=(6, 0),
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
        xytext=(0, -40),
        xycoords="axes fraction",
        textcoords="offset points",
        va="top",
        fontsize="small",
    )


if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    axes.axhline(line_rate_bps / GIGA, color="grey", linewidth=0.8, linestyle="--")
    axes.set(
        xscale="log",
        xlabel="frame, destination address to check sequence [byte]",
        ylabel="payload rate [Gbit/s]",
        title=f"What a line of {format_rate(line_rate_bps)} carries",
        ylim=(0, None),
    )
    # powers of two as in RFC 2544, and full frames of MTU 1500 and 9000
    ticks = [64, 128, 256, 512, 1518, 4096, 9018]
    axes.set_xticks([tick for tick in ticks if tick <= largest_frame_bytes])
    axes.xaxis.set_major_formatter("{x:.0f}")
    axes.xaxis.set_minor_formatter("")
    axes.legend(loc="lower center")
    frame_axes = axes.twinx()
    frame_rates = frame_rate_fps(line_rate_bps, frames_bytes)
    frame_axes.plot(frames_bytes, frame_rates / MEGA, color="black", linewidth=0.8, linestyle=":")
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
    Draw what share of a line is payload, over the size of messages and over the MTU.

    Parameters
    ----------
    stacks : sequence of Stack
        One curve for each.
    link_mtu_bytes : int
        Largest outermost packet of the curves over messages. [byte]
    largest_link_mtu_bytes : int
        Right end of the axis of the MTU. [byte]
    largest_message_bytes : int
        Right end of the axis of messages. [byte]
    axes : sequence of matplotlib.axes.Axes, optional
        Two places to draw; a new figure when left out.

    Returns
    -------
    axes : sequence of matplotlib.axes.Axes
        Messages, each sent for itself, and full frames.

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
        axes = plt.subplots(1, 2, layout="constrained", figsize=(11, 4.5))[1]
    over_messages, over_mtu = axes
    messages = np.unique(np.geomspace(1, largest_message_bytes, 2000).astype(int))
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
        title=f"Messages, each sent for itself, at link MTU {link_mtu_bytes}",
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
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set(
        yticks=range(len(judged)),
        yticklabels=[_label(verdict) for verdict, _ in judged],
        xlabel="goodput over ceiling",
        xlim=(0, 1.25 * max([1.0, *(ratio for _, ratio in judged)])),
    )
    axes.invert_yaxis()
    return axes


def _label(verdict: Verdict) -> str:
    name = verdict.file.replace("\\", "/").rpartition("/")[2]
    outcome = verdict.outcome.value if verdict.outcome else ""
    return f"{name}\n{outcome}"
