"""A path and what it is predicted to deliver, as text."""

from collections.abc import Iterator
from math import inf, isfinite
from textwrap import wrap

from netmodel._numeric import require_at_least
from netmodel._predicted_text import predicted_text, rate_text
from netmodel.consumption import Side
from netmodel.path import Predicted, Prediction, Traffic
from netmodel.report._path_rows import Row, State, next_name, rows_of
from netmodel.report._text import note_rows, number_text, range_text
from netmodel.units import format_time

__all__ = ["MIN_WIDTH", "WIDTH", "path_drawing", "workload_text", "wrapped"]

WIDTH = 80
MIN_WIDTH = 60
_MIN_BAR_WIDTH = 16
_HEAD = "* v ^  "
_GAP = "  "
_DIGITS = 5
_MARKS = {State.BINDS: "*", State.MAY_BIND: "?", State.HAS_ROOM: " "}


def path_drawing(prediction: Prediction, width: int = WIDTH, note_count: int | None = None) -> str:
    """
    Draw a path from client to server, with every limit, what binds and what is next.

    Parameters
    ----------
    prediction : Prediction
        Of one workload over one path.
    width : int
        Columns of the longest line; 60 at least.
    note_count : int, optional
        How many notes to print; all when left out.

    Returns
    -------
    text : str
        Stages in their order, then the limits that are no stage, then results.

    Raises
    ------
    DomainError
        If the prediction has arrays, or the width is below 60.

    Notes
    -----
    The two lanes at the left are the way to the server and the way back: an
    arrow where a transaction takes time of the stage, a line where it passes
    by; a stage that this traffic takes no time of is only named. A bar is the
    share of a capacity in use, on one scale from nothing to all of it. So the
    longest bar binds, the next longest is what binds next, what is empty is
    how far away it is, and limits too far away to matter
    are short; rates on a logarithmic scale would make the distant ones long.
    Where parameters are intervals, the part of a bar in ``-`` is in use in
    some cases only. ``*`` marks what binds at the values to quote, ``?`` what
    binds elsewhere in their ranges.

    Examples
    --------
    >>> from netmodel.path import Path, Stage, Times, Traffic, predict_path
    >>> out, back = Times(per_message_s=6e-6), Times(per_message_s=2e-6)
    >>> cpu = Stage(name="cpu", to_server=out, to_client=back)
    >>> disk = Stage(name="disk", to_server=back)
    >>> prediction = predict_path(Path(stages=(cpu, disk)), Traffic(1000, 500), mtu_bytes=1500)
    >>> print(path_drawing(prediction, width=60).partition("* bottleneck")[0].rstrip())
    request 1000 byte, response 500 byte, MTU 1500 byte
    <BLANKLINE>
      client     upper bound  in use
    * v ^  cpu   <= 1 Gbit/s  100.0%  ##########################
      v |  disk  <= 4 Gbit/s   25.0%  ######
      server
    """
    require_at_least("width", width, MIN_WIDTH, "columns")
    rows = rows_of(prediction)
    drawn = [*_limit_lines([row for row in rows if not _is_idle(row)], width)]
    has_ranges = any(line.endswith("-") for line in drawn)
    lines = [
        *wrapped("", workload_text(prediction.traffic, prediction.mtu_bytes), width),
        "",
        *drawn,
        "",
        *_result_lines(rows, prediction, has_ranges, width, note_count),
    ]
    return "\n".join(line.rstrip() for line in lines)


def workload_text(traffic: Traffic, mtu_bytes: float) -> str:
    """Messages, connections and MTU of a prediction."""
    sizes = (("request", traffic.request_bytes), ("response", traffic.response_bytes))
    count = traffic.connection_count
    return ", ".join(
        [
            *(f"{name} {number_text(size)} byte" for name, size in sizes if size),
            *([] if count is None else [f"{number_text(count)} connection{'s' * (count != 1)}"]),
            f"MTU {number_text(mtu_bytes)} byte",
        ]
    )


def _limit_lines(rows: list[Row], width: int) -> Iterator[str]:
    rates = [_bound_text(row.rate) for row in rows if row.rate]
    rate_width = max(map(len, [*rates, "upper bound"]))
    around = len(_HEAD) + rate_width + len("100.0%") + 3 * len(_GAP)
    name_width = min(max(len(row.label) for row in rows), width - around - _MIN_BAR_WIDTH)
    widths = (name_width, rate_width, width - around - name_width)
    title = "upper bound".rjust(rate_width)
    yield "  client".ljust(len(_HEAD) + name_width) + f"{_GAP}{title}{_GAP}in use"
    for row in rows:
        if row.is_stage:
            yield from _row_lines(row, widths)
    yield "  server"
    if not all(row.is_stage for row in rows):
        yield ""
    for row in rows:
        if not row.is_stage:
            yield from _row_lines(row, widths)


def _is_idle(row: Row) -> bool:
    """Whether it is a stage that this traffic takes no time of."""
    return row.is_stage and not (row.to_server or row.to_client)


def _row_lines(row: Row, widths: tuple[int, int, int]) -> Iterator[str]:
    """The row, its name apart where that is long, and below it the range of its rate."""
    name_width, rate_width, _ = widths
    lanes = f"{'v' if row.to_server else '|'} {'^' if row.to_client else '|'}  "
    here = f"{_MARKS[row.state]} {lanes if row.is_stage else ' ' * len(lanes)}"
    below = "  | |  " if row.is_stage else " " * len(_HEAD)
    label, values = row.label, _values(row, widths)
    if len(label) > name_width:
        for line in wrap(label, sum(widths) + len("100.0%") + 3 * len(_GAP)):
            yield here + line
            here = below
        label = ""
    yield here + label.ljust(name_width) + _GAP + values
    low, high = map(rate_text, (row.rate.low, row.rate.high)) if row.rate else ("", "")
    if low != high:
        yield below + " " * name_width + _GAP + range_text(low, high).rjust(rate_width)


def _values(row: Row, widths: tuple[int, int, int]) -> str:
    _, rate_width, bar_width = widths
    if row.rate is None or row.use is None:
        return row.note
    use = f"{row.use.value:.1%}" if isfinite(row.use.value) else ""
    cells = (_bound_text(row.rate).rjust(rate_width), use.rjust(len("100.0%")))
    return _GAP.join([*cells, _use_bar(row.use, bar_width)])


def _bound_text(rate: Predicted) -> str:
    sign = rate.bound.sign if isfinite(rate.value) else ""
    return f"{sign}{rate_text(rate.value)}"


def _use_bar(use: Predicted, width: int) -> str:
    """What is in use in all cases, and what in some only."""
    if not all(map(isfinite, (use.low, use.high))):
        return ""
    low, high = round(use.low * width), round(use.high * width)
    return "#" * low + "-" * (high - low) or "|"


def _result_lines(
    rows: list[Row],
    prediction: Prediction,
    has_ranges: bool,
    width: int,
    note_count: int | None,
) -> Iterator[str]:
    notes = note_rows(prediction.notes, note_count)
    results = [*_results(rows, prediction, has_ranges), *notes]
    name_width = max(len(name) for name, _ in results)
    for name, text in results:
        yield from wrapped(name.ljust(name_width) + _GAP, text, width)


def wrapped(name: str, text: str, width: int) -> list[str]:
    """Lines of a text behind its name."""
    return wrap(
        text, width, initial_indent=name, subsequent_indent=" " * len(name), break_on_hyphens=False
    )


def _results(
    rows: list[Row], prediction: Prediction, has_ranges: bool
) -> Iterator[tuple[str, str]]:
    for state, mark in _MARKS.items():
        names = [row.name for row in rows if row.state is state]
        if names and state is not State.HAS_ROOM:
            tie = ", a tie" if state is State.BINDS and len(names) > 1 else ""
            yield f"{mark} {state.value}", ", ".join(names) + tie
    idle = [row.name for row in rows if _is_idle(row)]
    if idle:
        yield "idle", ", ".join(idle)
    if has_ranges:
        yield "- spread", "in use at some of the values that the parameters leave open"
    throughput_bps = prediction.throughput_bps
    name, rates_bps = next_name(rows), prediction.limit_rates_bps
    if name and 0 < throughput_bps.value < inf:
        rate = rates_bps[name]
        times = f"{rate.value / throughput_bps.value:.4g} times that of the bottleneck"
        yield "next", f"{name} at {_bound_text(rate)}, {times}"
    yield "throughput", prediction.throughput_text
    yield "transactions", predicted_text(prediction.transaction_rate_tps, _per_second)
    bounds = prediction.transaction_rate_bounds_tps
    if bounds is not None:
        yield "", f">= {_per_second(bounds.low)}, however transactions queue"
    for name, time_s in (
        ("time", prediction.transaction_time_s),
        ("zero load", prediction.zero_load_time_s),
    ):
        if time_s is not None:
            yield name, f"{predicted_text(time_s, _time)} for a transaction"
    for side in Side:
        busy, cost = prediction.cpu_busy[side], prediction.cpu_us_per_gbit[side]
        if busy is not None and cost is not None:
            spent = f"{predicted_text(cost, number_text)} µs/Gbit of both directions"
            text = f"{predicted_text(busy, number_text)} busy, {spent}"
            yield f"{side.value} CPUs", text
    if prediction.grade is not None:
        yield "evidence", f"{prediction.grade.value}, the weakest of all parameters"


def _per_second(rate_tps: float) -> str:
    return f"{number_text(rate_tps)} /s" if isfinite(rate_tps) else "no limit"


def _time(time_s: float) -> str:
    return format_time(time_s, _DIGITS) if isfinite(time_s) else "not known"
