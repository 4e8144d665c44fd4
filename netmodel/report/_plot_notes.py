"""Texts in plots: what a row comes to, and what a reader should know."""

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LABEL_CHARACTERS", "draw_note", "draw_warnings"]

LABEL_CHARACTERS = 40
_WARNING_CHARACTERS = 100


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


def draw_warnings(axes: "Axes", warnings: Sequence[str]) -> None:
    """What a reader should know, below the axes."""
    axes.annotate(
        "\n".join(fill(f"note: {text}", _WARNING_CHARACTERS) for text in warnings),
        (0, 0),
        xytext=(0, -40),
        xycoords="axes fraction",
        textcoords="offset points",
        va="top",
        fontsize="small",
    )
