"""A path and what it is predicted to deliver, as text."""

from collections.abc import Callable, Iterator
from math import isfinite
from textwrap import wrap

from netmodel._numeric import require_at_least
from netmodel.consumption import Side
from netmodel.path import Estimate, Prediction, Traffic
from netmodel.report._path_rows import (
    Row,
    State,
    next_name,
    rate_text,
    rows_of,
)
from netmodel.report._text import number_text, range_text
from netmodel.units import format_time

__all__ = ["MIN_WIDTH", "WIDTH", "path_drawing", "spread_text", "workload_text", "wrapped"]

WIDTH = 80
MIN_WIDTH = 60
_MIN_BAR_WIDTH = 16
_HEAD = "* v ^  "
_GAP = "  "
_DIGITS = 5
_MARKS = {State.BINDS: "*", State.MAY_BIND: "?", State.HAS_ROOM: " "}


def path_drawing(prediction: Prediction, width: int = WIDTH) -> str:
    """
    Draw a path from client to server, with every limit, what binds and what is next.

    Parameters
    ----------
    prediction : Prediction
        Of one workload over one path.
    width : int
        Columns of the longest line; 60 at least.

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
    >>> from netmodel.path import Path, Stage, Times, Traffic, predict
    >>> out, back = Times(per_message_s=6e-6), Times(per_message_s=2e-6)
    >>> cpu = Stage(name="cpu", to_server=out, to_client=back)
    >>> disk = Stage(name="disk", to_server=back)
    >>> prediction = predict(Path(stages=(cpu, disk)), Traffic(1000, 500), mtu_bytes=1500)
    >>> print(path_drawing(prediction, width=60).partition("warning")[0].rstrip())
    request 1000 byte, response 500 byte, MTU 1500 byte
    <BLANKLINE>
      client     payload rate  in use
    * v ^  cpu       1 Gbit/s  100.0%  #########################
      v |  disk      4 Gbit/s   25.0%  ######
      server
    <BLANKLINE>
    * binds       cpu
    next          disk at 4 Gbit/s, 4 times the throughput
    throughput    1 Gbit/s
    transactions  125,000 /s
    light load    10 µs for a transaction
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
        *_result_lines(rows, prediction, has_ranges, width),
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
    rates = [rate_text(row.rate.value) for row in rows if row.rate]
    rate_width = max(map(len, [*rates, "payload rate"]))
    around = len(_HEAD) + rate_width + len("100.0%") + 3 * len(_GAP)
    name_width = min(max(len(row.label) for row in rows), width - around - _MIN_BAR_WIDTH)
    widths = (name_width, rate_width, width - around - name_width)
    title = "payload rate".rjust(rate_width)
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
    low, high = map(rate_text, row.rate[1:]) if row.rate else ("", "")
    if low != high:
        yield below + " " * name_width + _GAP + range_text(low, high).rjust(rate_width)


def _values(row: Row, widths: tuple[int, int, int]) -> str:
    _, rate_width, bar_width = widths
    if row.rate is None or row.use is None:
        return row.note
    use = f"{row.use.value:.1%}" if isfinite(row.use.value) else ""
    cells = (rate_text(row.rate.value).rjust(rate_width), use.rjust(len("100.0%")))
    return _GAP.join([*cells, _use_bar(row.use, bar_width)])


def _use_bar(use: Estimate, width: int) -> str:
    """What is in use in all cases, and what in some only."""
    if not all(map(isfinite, use)):
        return ""
    low, high = round(use.low * width), round(use.high * width)
    return "#" * low + "-" * (high - low) or "|"


def _result_lines(
    rows: list[Row], prediction: Prediction, has_ranges: bool, width: int
) -> Iterator[str]:
    results = list(_results(rows, prediction, has_ranges))
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
        yield "- ranges", "in use at some of the values that parameters may have"
    throughput_bps = prediction.throughput_bps
    name, rates_bps = next_name(rows), prediction.limit_rates_bps
    if name and throughput_bps.value:
        rate_bps = rates_bps[name].value
        times = f"{rate_bps / throughput_bps.value:.4g} times the throughput"
        yield "next", f"{name} at {rate_text(rate_bps)}, {times}"
    most = "at most " if prediction.path.unknown else ""
    yield "throughput", most + spread_text(throughput_bps, rate_text)
    yield "transactions", most + spread_text(prediction.transaction_rate_tps, _per_second)
    bounds = prediction.transaction_rate_bounds_tps
    if bounds is not None:
        yield "", f"at least {_per_second(bounds.low)}, however transactions queue"
    for name, time_s in (
        ("time", prediction.transaction_time_s),
        ("light load", prediction.light_load_time_s),
    ):
        if time_s is not None:
            yield name, f"{spread_text(time_s, _time)} for a transaction"
    for side in Side:
        busy, cost = prediction.cpu_busy[side], prediction.cpu_us_per_gbit[side]
        if busy is not None and cost is not None:
            spent = f"{spread_text(cost, number_text)} µs/Gbit of both ways"
            text = f"{spread_text(busy, number_text)} busy, {spent}"
            yield f"{side.value} CPUs", text
    if prediction.grade is not None:
        yield "evidence", f"{prediction.grade.value}, the weakest of all parameters"
    yield from (("warning", text) for text in prediction.warnings)


def spread_text(estimate: Estimate, text_of: Callable[[float], str]) -> str:
    """A value, and its range where there is one."""
    value, low, high = map(text_of, estimate)
    return value if low == high else f"{value} ({range_text(low, high)})"


def _per_second(rate_tps: float) -> str:
    return f"{number_text(rate_tps)} /s"


def _time(time_s: float) -> str:
    return format_time(time_s, _DIGITS) if isfinite(time_s) else "not known"
