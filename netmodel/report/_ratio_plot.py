"""Ratios of a path to its reference, drawn with matplotlib (extra ``plot``)."""

from textwrap import fill
from typing import TYPE_CHECKING

from netmodel.path import RatioPrediction
from netmodel.report._extras import extra
from netmodel.report._path_text import workload_text
from netmodel.report._plot_notes import LABEL_CHARACTERS, draw_note, draw_warnings
from netmodel.report._text import ratio_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_ratio"]


def plot_ratio(prediction: RatioPrediction, axes: "Axes | None" = None) -> "Axes":
    """
    Draw how a path stands to its reference, a bar for each part that may bind.

    Parameters
    ----------
    prediction : RatioPrediction
        Of one workload over one path.
    axes : matplotlib.axes.Axes, optional
        Where to draw; a new figure when left out.

    Returns
    -------
    axes : matplotlib.axes.Axes
        Bars are ratios where a part binds in both cases, with their ranges; the
        line is the reference, and the band the ratio of the whole.

    Raises
    ------
    DomainError
        If the prediction has arrays.
    MissingExtraError
        If matplotlib is not installed.
    """
    with extra("plot"):
        import matplotlib.pyplot as plt

    prediction.require_one()
    if axes is None:
        size = (10, 1.8 + 0.4 * len(prediction.ratios) + 0.2 * len(prediction.notes))
        axes = plt.subplots(layout="constrained", figsize=size)[1]
    value, low, high = prediction.ratio_to_reference
    for place, one in enumerate(prediction.ratios.values()):
        ends = [[one.value - one.low], [one.high - one.value]]
        axes.barh(place, one.value, height=0.66, color="lightsteelblue")
        axes.errorbar(one.value, place, xerr=ends, color="black", capsize=3, linewidth=1)
        draw_note(axes, place, ratio_text(one.value, one.low, one.high))
    axes.axvline(1, color="black", linewidth=1.5)
    axes.axvspan(low, high, color="black", alpha=0.12, linewidth=0)
    names = [fill(f"bottleneck: {name}", LABEL_CHARACTERS) for name in prediction.ratios]
    workload = workload_text(prediction.traffic, prediction.mtu_bytes)
    title = f"{ratio_text(value, low, high)} times that with {prediction.reference}: {workload}"
    axes.set(
        yticks=range(len(names)),
        yticklabels=names,
        ylim=(len(names) - 0.5, -0.5),
        xlim=(0, 1.05 * max(1.0, high, *(one.high for one in prediction.ratios.values()))),
        xlabel="throughput over that of the reference",
        title=fill(title, 80),
    )
    draw_warnings(axes, prediction.notes)
    return axes
