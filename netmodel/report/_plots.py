"""Lines and checks, drawn with matplotlib (extra ``plot``)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from netmodel._lazy import extra
from netmodel._numeric import of_plain_numbers
from netmodel._text import printable
from netmodel.ceilings import ceiling_columns, frame_rate_fps, layer_rate_bps
from netmodel.checking import Outcome, Verdict
from netmodel.framing import FCS_BYTES, MIN_FRAME_BYTES, SILENT_BYTES, Stack
from netmodel.report._figure import (
    BAR_RATIO,
    LINE_STYLES,
    PAGE_INCHES,
    PLOT_INCHES,
    ROOM_RATIO,
    THIN_POINTS,
    draw_above,
    draw_beside,
    draw_notes,
    draw_title,
    legend_below,
    new_axes,
    number_ticks,
    with_plain_names,
)
from netmodel.units import format_rate
from netmodel.units._prefixes import GIGA, MEGA

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_FRAME_TICKS_BYTES = (64, 128, 256, 512, 1518, 4096, 9018)
"""Powers of two as in RFC 2544, and full frames of MTU 1500 and 9000."""
_HALF_TICK_COUNT = 5
"""Plain numbers that fit half the width of a figure."""
_MESSAGE_COUNT = 2000
"""Sizes of messages on a curve: more than its pixels, so that its steps are sharp."""
_ROOM_FOR_LABELS = 1.1
"""End of the axis over the line rate, which has its name above it."""


_LOOKS: Mapping[Outcome | None, dict[str, str]] = {
    Outcome.AT_CEILING: {"color": "tab:green"},
    Outcome.LIMITED: {"color": "tab:blue", "hatch": ".."},
    Outcome.BELOW: {"color": "tab:orange", "hatch": "//"},
    Outcome.IMPOSSIBLE: {"color": "tab:red", "hatch": "xx"},
    Outcome.NOT_JUDGEABLE: {"color": "tab:gray", "hatch": "--"},
}
_CHECK_ROW_INCHES = 0.45
"""Height of a row of a check: its file and its outcome."""


@with_plain_names
@of_plain_numbers
def plot_payload_rates(
    line_rate_bps: float,
    stacks: Sequence[Stack],
    largest_frame_bytes: int = 9018,
    ax: "Axes | None" = None,
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
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure when left out.

    Returns
    -------
    ax : matplotlib.axes.Axes
        With a second vertical axis for the frame rate.

    Raises
    ------
    DomainError
        If the line rate is not above zero, or infinite.
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> from netmodel.framing import tcp_stack
    >>> plot_payload_rates(25e9, [tcp_stack()]).get_ylabel()
    'payload rate [Gbit/s]'
    """
    ax = new_axes() if ax is None else ax
    from matplotlib.ticker import NullLocator

    frames_bytes = np.arange(MIN_FRAME_BYTES, largest_frame_bytes + 1)
    for order, stack in enumerate(stacks):
        # payload in the innermost packet, and the frame around all headers, tunnels included
        payloads_bytes = np.arange(1, largest_frame_bytes)
        inner_bytes = payloads_bytes + stack.header_bytes
        packets_bytes = stack.outer_packet_bytes(inner_bytes, inner_bytes)
        sizes = np.asarray(packets_bytes + stack.link_header_bytes + FCS_BYTES)
        is_drawn = (sizes >= MIN_FRAME_BYTES) & (sizes <= largest_frame_bytes)
        sizes, payloads_bytes = sizes[is_drawn], payloads_bytes[is_drawn]
        rates = layer_rate_bps(line_rate_bps, payloads_bytes, sizes + SILENT_BYTES)
        ax.plot(sizes, rates / GIGA, label=str(stack), **_series(order))
    ax.axhline(line_rate_bps / GIGA, color="grey", linewidth=THIN_POINTS, linestyle="--")
    ax.set(
        xscale="log",
        xlabel="frame, destination address to check sequence [byte]",
        ylabel="payload rate [Gbit/s]",
        xlim=(MIN_FRAME_BYTES, largest_frame_bytes),
        ylim=(0, line_rate_bps / GIGA * _ROOM_FOR_LABELS),
    )
    ax.annotate(
        f"line rate: {format_rate(line_rate_bps)}",
        (1, line_rate_bps / GIGA),
        xytext=(-6, 3),
        xycoords=ax.get_yaxis_transform(),
        textcoords="offset points",
        ha="right",
        fontsize="small",
    )
    draw_title(
        ax,
        f"What a line of {format_rate(line_rate_bps)} carries: payload rate of each header stack",
    )
    ax.set_xticks([tick for tick in _FRAME_TICKS_BYTES if tick <= largest_frame_bytes])
    ax.xaxis.set_major_formatter("{x:.0f}")
    ax.xaxis.set_minor_locator(NullLocator())
    frame_axes = ax.twinx()
    frame_rates = frame_rate_fps(line_rate_bps, frames_bytes)
    style: dict[str, Any] = {"color": "black", "linewidth": THIN_POINTS, "linestyle": ":"}
    frame_axes.plot(frames_bytes, frame_rates / MEGA, **style)
    frame_axes.set(ylabel="frame rate, dotted [million frames/s]", ylim=(0, None))
    legend_below(ax)
    return ax


@with_plain_names
@of_plain_numbers
def plot_efficiency(
    stacks: Sequence[Stack],
    link_mtu_bytes: int = 1500,
    largest_link_mtu_bytes: int = 9000,
    largest_message_bytes: int = 16384,
    ax: "Sequence[Axes] | None" = None,
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
    ax : sequence of matplotlib.axes.Axes, optional
        Two places to draw; a new figure when left out.

    Returns
    -------
    ax : sequence of matplotlib.axes.Axes
        Messages, each sent by itself, and full frames.

    Raises
    ------
    DomainError
        If the MTU is below what a stack needs.
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> from netmodel.framing import tcp_stack
    >>> [each.get_xlabel() for each in plot_efficiency([tcp_stack()])]
    ['message [byte]', 'link MTU [byte]']
    """
    with extra("plot"):
        import matplotlib.pyplot as plt

    is_own = ax is None
    if ax is None:
        size = (PAGE_INCHES, PLOT_INCHES)
        ax = plt.subplots(1, 2, layout="constrained", figsize=size)[1]
    over_messages, over_mtu = ax
    messages = np.unique(np.geomspace(1, largest_message_bytes, _MESSAGE_COUNT).astype(int))
    for order, stack in enumerate(stacks):
        look = {"label": str(stack), **_series(order)}
        mtu_bytes = stack.mtu_bytes(link_mtu_bytes)
        columns = ceiling_columns(GIGA, mtu_bytes, stack, messages)
        over_messages.plot(messages, columns["message_efficiency_ratio"], **look)
        link_mtus = np.arange(link_mtu_bytes, largest_link_mtu_bytes + 1)
        columns = ceiling_columns(GIGA, stack.mtu_bytes(link_mtus), stack)
        over_mtu.plot(link_mtus, columns["efficiency_ratio"], **look)
    over_messages.set(
        xlabel="message [byte]",
        ylabel="payload per byte on the wire",
        ylim=(0, 1),
    )
    number_ticks(over_messages, "x", 1, largest_message_bytes, _HALF_TICK_COUNT)
    draw_title(over_messages, f"Messages, each sent by itself, at link MTU {link_mtu_bytes}")
    over_mtu.set(xlabel="link MTU [byte]")
    number_ticks(over_mtu, "x", link_mtu_bytes, largest_link_mtu_bytes, _HALF_TICK_COUNT)
    draw_title(over_mtu, "Full frames")
    figure = over_mtu.get_figure()
    if is_own and figure is not None:
        handles, labels = over_mtu.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", fontsize="small")
    else:
        legend_below(over_mtu)
    return ax


@with_plain_names
def plot_checks(verdicts: Iterable[Verdict], ax: "Axes | None" = None) -> "Axes":
    """
    Draw measured goodput against the ceiling of each run.

    Parameters
    ----------
    verdicts : iterable of Verdict
        Judged measurements; those without a ceiling are left out.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure when left out.

    Returns
    -------
    ax : matplotlib.axes.Axes
        One bar for each measurement, coloured by outcome, the ceiling at 1.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> from netmodel.checking import SpecifiedLine, check
    >>> from netmodel.readers import Measurement
    >>> run = Measurement(source="run", sha256="", tool="any", protocol="tcp", goodput_bps=9.4e9)
    >>> plot_checks([check(run, SpecifiedLine(10e9, mtu_bytes=1500))]).get_xlabel()
    'goodput over ceiling'
    """
    judged = [(verdict, verdict.ratio) for verdict in verdicts if verdict.ratio is not None]
    ax = new_axes() if ax is None else ax
    ax.set_xlim(0, ROOM_RATIO * max([1.0, *(ratio for _, ratio in judged)]))
    for row, (verdict, ratio) in enumerate(judged):
        look: dict[str, Any] = {"edgecolor": "white", "linewidth": 0, **_LOOKS[verdict.outcome]}
        ax.barh(row, ratio, height=BAR_RATIO, **look)
        draw_beside(ax, row, f"{ratio:.4f}")
    ax.axvline(1, color="black", linewidth=THIN_POINTS)
    draw_above(ax, 1, "ceiling")
    ax.set(
        yticks=range(len(judged)),
        yticklabels=[printable(_label(verdict)) for verdict, _ in judged],
        ylim=(max(1, len(judged)) - 0.5, -0.5),
        xlabel="goodput over ceiling",
    )
    if not judged:
        ax.annotate("no run has a ceiling", (0.5, 0.5), xycoords="axes fraction", ha="center")
    draw_title(ax, "Measured goodput against the ceiling of each run", label_rows=1)
    draw_notes(ax, (), _CHECK_ROW_INCHES * max(2, len(judged)))
    return ax


def _series(order: int) -> dict[str, Any]:
    """Colour and style of a curve, the more unlike the nearer."""
    return {"color": f"C{order % 10}", "linestyle": LINE_STYLES[order % len(LINE_STYLES)]}


def _label(verdict: Verdict) -> str:
    name = verdict.file.replace("\\", "/").rpartition("/")[2]
    outcome = verdict.outcome.value if verdict.outcome else ""
    return f"{name}\n{outcome}"
