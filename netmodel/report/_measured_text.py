"""What was measured beside what is predicted, as text."""

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING

from netmodel._grades import Grade
from netmodel.path import Prediction, RatioPrediction
from netmodel.report._text import number_text, range_text, ratio_text
from netmodel.units import format_rate, format_time, split_quantity

if TYPE_CHECKING:
    from netmodel.judging import MeasuredFigure

__all__ = ["measured_cell", "measured_text"]

_NAMES = {
    "throughput_bps": "throughput",
    "transaction_rate_tps": "transaction rate",
    "transaction_time_s": "transaction time",
    "cpu_us_per_gbit": "CPU cost",
    "cpu_s_per_transaction": "CPU time per transaction",
    "cpu_efficiency": "CPU efficiency",
}
_RATES = ("throughput_bps", "transaction_rate_tps")
_WORDS = {
    **dict.fromkeys(("at_least", "censored_above"), "at least "),
    **dict.fromkeys(("at_most", "up_to", "censored_below"), "at most "),
}
"""In front of a ratio, by the relation of the figure."""
_DIGITS = 3
"""Of a ratio: no source prints more of both of its figures."""


def measured_text(figure: "MeasuredFigure", prediction: Prediction | RatioPrediction) -> str:
    """
    A measured or published figure with its source, and its ratio to a prediction.

    Parameters
    ----------
    figure : MeasuredFigure
        One that `netmodel.judging.measured_beside` finds.
    prediction : Prediction or RatioPrediction
        What it stands beside.

    Returns
    -------
    text : str
        In one line, without a ratio where there is nothing to compare with.

    Raises
    ------
    DomainError
        If the prediction has arrays.

    Examples
    --------
    >>> from netmodel.judging import measured_beside
    >>> from netmodel.path import SpecifiedPath, predict_path, workload_traffic
    >>> from netmodel.records import adapter, workload
    >>> card, stream = adapter("roce-express2.1-25gbe"), workload("str-writex30k")
    >>> path = SpecifiedPath(card, card)
    >>> prediction = predict_path(path.path(stream.sender), workload_traffic(stream, 50), 9000)
    >>> print(measured_text(measured_beside(path, stream, 9000, 50)[0], prediction))
    published throughput at line speed (Exploring the performance of network adapters for Linux \
on IBM Z, slide 29); at least 1.00 times the upper bound
    """
    side = f" of the {figure.side.value}" if figure.side else ""
    verb = "measured" if figure.grade is Grade.MEASURED else "published"
    amount = _amount(figure)
    is_as_printed = amount == figure.printed or figure.quantity == "transaction_rate_tps"
    printed = "" if is_as_printed else f"printed as {figure.printed}; "
    case = f" {figure.difference}" if figure.difference else ""
    against = f", against {figure.baseline}" if figure.baseline else ""
    parts = [
        f"{verb} {_NAMES[figure.quantity]}{side} {amount}{case}{against} "
        f"({printed}{figure.reference})",
        _ratio(figure, prediction),
        f"in doubt: {figure.remark}" if figure.remark else "",
    ]
    return "; ".join(part for part in parts if part)


def measured_cell(
    figures: "Sequence[MeasuredFigure]", prediction: Prediction | RatioPrediction
) -> str:
    """
    The rate that was measured in a predicted case, short enough for a table.

    Parameters
    ----------
    figures : sequence of MeasuredFigure
        What `netmodel.judging.measured_beside` finds.
    prediction : Prediction or RatioPrediction
        What they stand beside; its ratios take the place of rates.

    Returns
    -------
    text : str
        The first that is of the very case; empty where there is none.

    Raises
    ------
    DomainError
        If the prediction has arrays.

    Examples
    --------
    >>> from netmodel.judging import measured_beside
    >>> from netmodel.path import SpecifiedPath, predict_path, workload_traffic
    >>> from netmodel.records import path_record, workload
    >>> path, requests = SpecifiedPath(record=path_record("zvm-vswitch-layer3-1gbe")), "awm-rr"
    >>> prediction = predict_path(
    ...     path.path(workload(requests).sender), workload_traffic(workload(requests), 10), 1492
    ... )
    >>> measured_cell(measured_beside(path, workload(requests), 1492, 10), prediction)
    '13,823.21 /s'
    """
    is_ratio = isinstance(prediction, RatioPrediction)
    for one in figures:
        if (
            one.quantity in _RATES
            and one.is_exact_case
            and is_ratio == (one.baseline is not None)
            and one.ratio_to(prediction) is not None
        ):
            bounded = is_ratio and isfinite(one.high)
            return ratio_text(one.value, one.low, one.high) if bounded else _amount(one)
    return ""


def _amount(figure: "MeasuredFigure") -> str:
    """In base units with the printed digits where that is a plain figure, else as printed."""
    if figure.value is None or figure.baseline or figure.relation.value != "equal":
        return figure.printed
    number, _ = split_quantity(figure.printed.partition(",")[0])
    digits = len(number.as_tuple().digits)
    if figure.quantity == "throughput_bps":
        return format_rate(figure.value, digits)
    if figure.quantity == "transaction_rate_tps":
        return f"{number:,} /s"
    if figure.quantity == "cpu_us_per_gbit":
        return f"{number_text(float(f'{figure.value:.{digits}g}'))} µs/Gbit"
    return format_time(figure.value, digits)


def _ratio(figure: "MeasuredFigure", prediction: Prediction | RatioPrediction) -> str:
    """Measured over predicted, in words that say what the prediction is."""
    ratio = figure.ratio_to(prediction)
    if ratio is None:
        return ""
    if figure.baseline:
        what = "the predicted ratio"
    elif figure.quantity in _RATES:
        what = "the upper bound"
    else:
        is_time = figure.quantity == "transaction_time_s"
        what = "the lower bound" if is_time else "the estimate"
    if ratio.value is None:
        return f"{range_text(*map(_digits, ratio[1:]))} times {what}"
    word = _WORDS.get(figure.relation.value, "")
    return f"{word}{_digits(ratio.value)} times {what}"


def _digits(ratio: float) -> str:
    return f"{ratio:#.{_DIGITS}g}".removesuffix(".")
