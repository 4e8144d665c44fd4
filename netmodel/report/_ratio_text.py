"""What a path delivers against its reference, as text."""

from collections.abc import Iterator
from math import isfinite

from netmodel._numeric import require_at_least
from netmodel._predicted_text import predicted_text, rate_text
from netmodel.path import Predicted, Prediction, RatioPrediction
from netmodel.report._path_text import MIN_WIDTH, WIDTH, workload_text, wrapped
from netmodel.report._text import note_rows, ratio_text

__all__ = ["ratio_drawing"]

_GAP = "  "
_HEAD = "bottleneck"


def ratio_drawing(
    prediction: RatioPrediction, width: int = WIDTH, note_count: int | None = None
) -> str:
    """
    Draw how a path stands to its reference, part by part, and what is not told of it.

    Parameters
    ----------
    prediction : RatioPrediction
        Of one workload over one path.
    width : int
        Columns of the longest line; 60 at least.
    note_count : int, optional
        How many notes to print; all when left out.

    Returns
    -------
    text : str
        The ratio of each part that may bind in both cases, then that of the
        whole, with a most where parts are known as they are.

    Raises
    ------
    DomainError
        If the prediction has arrays, or the width is below 60.

    Notes
    -----
    Bars are ratios on one scale from nothing; the part in ``-`` is between the
    least and the most that a ratio may be.

    Examples
    --------
    >>> from netmodel.path import Path, Reference, Stage, Times, Traffic, predict_ratio
    >>> cpu = Stage(name="cpu", to_server=Times(per_frame_s=1), factor="cpu")
    >>> path = Path(stages=(cpu,), reference=Reference(mtu_bytes=1500))
    >>> stream = Traffic(30720, waits=False, shares_segments=True)
    >>> prediction = predict_ratio(path, stream, 8192)
    >>> print(ratio_drawing(prediction, width=60).partition("note")[0].rstrip())
    request 30,720 byte, MTU 8192 byte
    against the same with MTU 1500 byte
    <BLANKLINE>
    bottleneck  ratio
    cpu         5.622  #########################################
    <BLANKLINE>
    ratio  5.622 times the reference
    """
    require_at_least("width", width, MIN_WIDTH, "columns")
    prediction.require_one()
    lines = [
        *wrapped("", workload_text(prediction.traffic, prediction.mtu_bytes), width),
        *wrapped("", f"against the same with {prediction.reference}", width),
        "",
        *_bars(prediction, width),
        "",
    ]
    results = [*_results(prediction), *note_rows(prediction.notes, note_count)]
    name_width = max(len(name) for name, _ in results)
    for name, text in results:
        lines += wrapped(name.ljust(name_width) + _GAP, text, width)
    return "\n".join(line.rstrip() for line in lines)


def _bars(prediction: RatioPrediction, width: int) -> Iterator[str]:
    texts = {
        name: ratio_text(one.value, one.low, one.high) for name, one in prediction.ratios.items()
    }
    name_width = max(map(len, [*texts, _HEAD]))
    text_width = max(map(len, [*texts.values(), "ratio"]))
    bar_width = max(0, width - name_width - text_width - 2 * len(_GAP))
    most = max(one.high for one in prediction.ratios.values())
    yield f"{_HEAD.ljust(name_width)}{_GAP}{'ratio'.rjust(text_width)}"
    for name, text in texts.items():
        bar = _bar(prediction.ratios[name], most, bar_width)
        yield f"{name.ljust(name_width)}{_GAP}{text.rjust(text_width)}{_GAP}{bar}"


def _bar(ratio: Predicted, most: float, width: int) -> str:
    low, high = (round(float(end) / most * width) for end in (ratio.low, ratio.high))
    return "#" * low + "-" * (high - low)


def _results(prediction: RatioPrediction) -> Iterator[tuple[str, str]]:
    yield "ratio", f"{ratio_text(*prediction.ratio_to_reference)} times the reference"
    most_bps = prediction.ceiling_bps
    if prediction.ceiling is not None and most_bps is not None:
        yield "throughput", f"<= {rate_text(most_bps)}"
        yield "limits", ", ".join(_limits(prediction.ceiling))
    if prediction.grade is not None:
        yield "evidence", f"{prediction.grade.value}, the weakest of all parameters"


def _limits(ceiling: Prediction) -> Iterator[str]:
    """Those that are known without a factor and limit this traffic, the smallest first."""
    for name, rate in sorted(ceiling.limit_rates_bps.items(), key=lambda entry: entry[1].value):
        if isfinite(rate.value):
            yield f"{name} {predicted_text(rate)}"
