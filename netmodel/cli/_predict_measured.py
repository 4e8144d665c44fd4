"""What was measured, beside what ``netmodel predict`` predicts."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from netmodel.cli._options import drawing_width
from netmodel.report import measured_cell, measured_text, wrapped_lines

if TYPE_CHECKING:
    from netmodel.framing import Stack
    from netmodel.judging import MeasuredFigure
    from netmodel.path import Prediction, RatioPrediction, SpecifiedPath
    from netmodel.records import Workload

__all__ = ["dicts_with_measured", "measured_cells", "measured_figures", "measured_lines"]

Predictions: TypeAlias = "Sequence[Prediction | RatioPrediction]"
Figures: TypeAlias = "Sequence[Sequence[MeasuredFigure]]"


def measured_figures(
    found: "SpecifiedPath",
    workload: "Workload",
    predictions: Predictions,
    stack: "Stack | None" = None,
) -> Figures:
    """What was measured in the case of each prediction."""
    from netmodel.judging import measured_beside

    return [
        measured_beside(found, workload, one.mtu_bytes, one.traffic.connection_count, stack)
        for one in predictions
    ]


def dicts_with_measured(predictions: Predictions, figures: Figures) -> list[dict[str, Any]]:
    """Each prediction as JSON has it, with the key ``measured``."""
    return [
        one.to_dict() | {"measured": [figure.to_dict(one) for figure in own]}
        for one, own in zip(predictions, figures, strict=True)
    ]


def measured_cells(predictions: Predictions, figures: Figures) -> list[str]:
    """Head and cells of the column of a table of predictions; all empty where nothing is."""
    cells = [measured_cell(own, one) for one, own in zip(predictions, figures, strict=True)]
    return ["measured" if any(cells) else "", *cells]


def measured_lines(predictions: Predictions, figures: Figures) -> Iterator[str]:
    """A block of lines for all predictions, each figure once; none where nothing was measured."""
    counts: dict[str, list[str]] = {}
    for one, own in zip(predictions, figures, strict=True):
        for figure in own:
            count = str(one.traffic.connection_count)
            counts.setdefault(measured_text(figure, one), []).append(count)
    if counts:
        every = len(predictions)
        lines = (f"{_cases(of, every)}{text}" for text, of in counts.items())
        yield wrapped_lines("\n".join(lines), drawing_width())


def _cases(counts: list[str], prediction_count: int) -> str:
    """Which of several predictions a figure stands beside; nothing where it is all of them."""
    if len(counts) == prediction_count:
        return ""
    return f"{', '.join(counts)} connection{'' if counts == ['1'] else 's'}: "
