"""A path with its prediction, ratio and measured figures, as text."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import chain, repeat
from math import inf, isfinite
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from netmodel._numeric import (
    ROUNDING_RATIO,
    FloatOrArray,
    is_array,
    of_plain_numbers,
    require_at_least,
)
from netmodel._predicted_text import PARAMETERS_LEAVE, predicted_text, rate_text
from netmodel._terminal import table_width
from netmodel._text import RESULT_DIGITS, fixed_percent, range_text
from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.path import Predicted, Prediction, Traffic, Unbounded
from netmodel.path._settings import Setting, settings_text
from netmodel.report._text import NOTE_COUNT, note_rows, number_text
from netmodel.units import format_time

if TYPE_CHECKING:
    from netmodel.path import Stage
    from netmodel.path._cpu_cost import CpuPart


_FULL_RATIO = 1 - ROUNDING_RATIO
"""A share in use from here up is all of it, within rounding."""


class State(Enum):
    """Whether a limit is the bottleneck."""

    BINDS = "bottleneck"
    MAY_BIND = "may be it"
    """Not at the best values, but at others within their ranges."""
    HAS_ROOM = ""


class Row(NamedTuple):
    """
    A stage, a pool, the window or the connections.

    Parameters
    ----------
    name : str
        Name in the path.
    label : str
        The name, with the pool or side in brackets.
    note : str
        Text in place of a missing rate.
    is_stage : bool
        Whether it has a place between client and server.
    to_server, to_client : bool
        Whether a transaction spends time there, in each direction.
    rate : Predicted, optional
        Upper bound of the payload rate that it sets. [bit/s]
    use : Predicted, optional
        Share of it in use at the upper bound of the throughput.
    state : State
        Whether it is the bottleneck.
    """

    name: str
    label: str
    note: str = ""
    is_stage: bool = False
    to_server: bool = False
    to_client: bool = False
    rate: "Predicted[float] | None" = None
    use: "Predicted[float] | None" = None
    state: State = State.HAS_ROOM


def rows_of(prediction: "Prediction") -> list[Row]:
    """
    Stages in the order of the path, and the limits that are no stage.

    Raises
    ------
    DomainError
        If the prediction has arrays.
    """
    traffic = prediction.traffic
    quantities = (
        traffic.request_bytes,
        traffic.response_bytes,
        traffic.connection_count,
        prediction.mtu_bytes,
        prediction.throughput_bps.value,
    )
    if any(is_array(quantity) for quantity in quantities):
        raise DomainError(
            "this prediction has arrays: draw it with plot_predictions, or predict one by one"
        )
    rates = {name: rate.numbers() for name, rate in prediction.limit_rates_bps.items()}
    uses = {name: use.numbers() for name, use in prediction.use_ratios.items()}
    parts = [_of_stage(stage, prediction) for stage in prediction.path.stages]
    for pool in prediction.path.pools:
        side = f", {pool.side.value}" if pool.side and pool.side.value != pool.name else ""
        note = "number not known" if pool.parallel_count is None else "takes no time"
        parts.append(Row(pool.name, f"{pool.name} (pool{side})", note))
    named = {row.name for row in parts}
    binding, rows = binding_names(prediction), []
    for row in [*parts, *(Row(name, name) for name in rates if name not in named)]:
        use, state = uses.get(row.name), State.HAS_ROOM
        if row.name in binding:
            state = State.BINDS
        elif use and use.high >= _FULL_RATIO:
            state = State.MAY_BIND
        rows.append(row._replace(rate=rates.get(row.name), use=use, state=state))
    return rows


def binding_names(prediction: "Prediction") -> tuple[str, ...]:
    """All limits that are the smallest at the best values."""
    return prediction.ties or (() if prediction.binding is None else (str(prediction.binding),))


def next_name(rows: list[Row]) -> str | None:
    """The limit that would be the next bottleneck."""
    others = [row for row in rows if row.rate and row.state is not State.BINDS]
    finite = {row.name: row.rate.value for row in others if row.rate and isfinite(row.rate.value)}
    return min(finite, key=finite.__getitem__, default=None)


def _of_stage(stage: "Stage", prediction: "Prediction") -> Row:
    """The row of a stage, with its time in place of a rate where it has none."""
    names = [name for name, _ in prediction.demands[stage.name]]
    total_s = float(sum(time_s for _, time_s in prediction.demands[stage.name]))
    kind = "delay" if stage.is_delay else "of the pool"
    whose = stage.pool or (stage.side and stage.side.value)
    return Row(
        stage.name,
        f"{stage.name} ({whose})" if whose else stage.name,
        f"{format_time(total_s, RESULT_DIGITS)}, {kind}" if names else "takes no time",
        is_stage=True,
        to_server=any(name.startswith(f"{stage.name}.to_server.") for name in names),
        to_client=any(name.startswith(f"{stage.name}.to_client.") for name in names),
    )


_MIN_WIDTH = 60
"""Columns that leave a name room beside rate, share and the shortest bar."""
_MIN_BAR_WIDTH = 16
"""Each character of the shortest bar is then about 6 %."""
_HEAD = "* v ^  "
_GAP = "  "
_USE_WIDTH = len("100.0 %")
_GAPS_WIDTH = 3 * len(_GAP)
"""Between name, rate, share in use and bar."""
_MARKS = {State.BINDS: "*", State.MAY_BIND: "?", State.HAS_ROOM: " "}


@of_plain_numbers
def path_drawing(
    prediction: Prediction,
    width: int | None = None,
    note_count: int | None = None,
) -> str:
    """
    Draw a path from client to server with every limit, the bottleneck and the next limit.

    Parameters
    ----------
    prediction : Prediction
        Of one workload over one path.
    width : int, optional
        Columns of the longest line; 60 at least. When left out, those of the
        terminal or of ``COLUMNS``, and 80 where neither is known.
    note_count : int, optional
        Number of notes to print; all when left out.

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
    The two lanes at the left are the directions to the server and back: an
    arrow where a transaction spends time at the stage, otherwise a line; a
    stage at which this traffic spends no time is only named. A bar is the share
    of a capacity in use, on one linear scale: the longest bar is the
    bottleneck, the next longest the next limit, and the empty part the distance
    to it. Where parameters are intervals, the part of a bar in ``-`` is in use
    in some cases only. ``*`` marks the bottleneck at the best values, ``?`` a
    limit that is the bottleneck for other values within the ranges.

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
    * v ^  cpu   <= 1 Gbit/s  100.0 %  #########################
      v |  disk  <= 4 Gbit/s   25.0 %  ######
      server
    """
    if width is None:
        width = max(table_width(), _MIN_WIDTH)
    require_at_least("width", width, _MIN_WIDTH, "columns")
    rows = rows_of(prediction)
    drawn = [*_limit_lines([row for row in rows if not _is_idle(row)], width)]
    has_ranges = any(line.endswith("-") for line in drawn)
    results = [
        *_results(rows, prediction, has_ranges),
        *setting_rows(prediction.path.settings, note_count is None),
        *note_rows(prediction.notes, note_count),
    ]
    lines = [
        *_wrapped_text("", workload_text(prediction.traffic, prediction.mtu_bytes), width),
        "",
        *drawn,
        "",
        *_named_lines(results, width),
    ]
    return "\n".join(line.rstrip() for line in lines)


def summary_text(prediction: Prediction, width: int, *, is_alone: bool) -> str:
    """
    Bounds and expected values of a prediction, CPU of each side, printed figures and notes.

    Parameters
    ----------
    prediction : Prediction
        Of one workload over one path.
    width : int
        Columns of the longest line. [columns]
    is_alone : bool
        Whether no table has the figures already: of several cases only printed figures, evidence
        and notes.
    """
    leads = ["evidence", "measured with"]
    if is_alone:
        # writes are no transactions that a user waits for
        rate = "transactions" if prediction.traffic.waits else "throughput"
        leads = ["expected", rate, "time", "next", *(f"{side.value} CPUs" for side in Side), *leads]
    results: dict[str, list[str]] = {}
    lead = ""
    known = _results(rows_of(prediction), prediction, has_ranges=False)
    for name, text in chain(known, setting_rows(prediction.path.settings, is_full=False)):
        lead = name or lead
        results.setdefault(lead, []).append(text)
    if prediction.is_known_as_whole:  # the first sentence names the document
        results["expected"] = results.get("expected", [])[:-1]
    lines = [
        *((lead, "; ".join(results[lead])) for lead in leads if results.get(lead)),
        *published_rows(prediction, is_full=False),
        *note_rows(prediction.notes, NOTE_COUNT),
    ]
    return "\n".join(_named_lines(lines, width))


def setting_rows(settings: Sequence[Setting], is_full: bool) -> Iterator[tuple[str, str]]:
    """What equipment was measured with, in a line; in full with a line and source for each."""
    texts = list(map(str, settings)) if is_full else [settings_text(settings)]
    for name, text in zip(chain(["measured with"], repeat("")), texts, strict=False):
        if text:
            yield name, text


def workload_text(traffic: Traffic, mtu_bytes: FloatOrArray) -> str:
    """Messages, connections and MTU of a prediction."""
    return ", ".join([*_messages(traffic), *_conditions(traffic, mtu_bytes)])


def case_text(path_name: str, traffic: Traffic, mtu_bytes: FloatOrArray) -> str:
    """The path, the workload by its name where it has one, and what does not vary of the rest."""
    workload = [traffic.name] if traffic.name else _messages(traffic)
    case = ", ".join([*workload, *_conditions(traffic, mtu_bytes)])
    return f"{path_name}: {case}" if path_name else case


def _messages(traffic: Traffic) -> list[str]:
    sizes = (("request", traffic.request_bytes), ("response", traffic.response_bytes))
    return [
        f"{name} {number_text(float(size))} byte"
        for name, size in sizes
        if not is_array(size) and size
    ]


def _conditions(traffic: Traffic, mtu_bytes: FloatOrArray) -> list[str]:
    count, result = traffic.connection_count, []
    if count is not None and not is_array(count):
        result.append(f"{number_text(float(count))} connection{'s' * (count != 1)}")
    if not is_array(mtu_bytes):
        result.append(f"MTU {number_text(float(mtu_bytes))} byte")
    return result


def _limit_lines(rows: list[Row], width: int) -> Iterator[str]:
    rates = [_bound_text(row.rate) for row in rows if row.rate]
    rate_width = max(map(len, [*rates, "upper bound"]))
    around = len(_HEAD) + rate_width + _USE_WIDTH + _GAPS_WIDTH
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
    """Whether it is a stage at which this traffic spends no time."""
    return row.is_stage and not (row.to_server or row.to_client)


def _row_lines(row: Row, widths: tuple[int, int, int]) -> Iterator[str]:
    """The row, with a long name on lines of its own, and below it the range of its rate."""
    name_width, rate_width, _ = widths
    lanes = f"{'v' if row.to_server else '|'} {'^' if row.to_client else '|'}  "
    here = f"{_MARKS[row.state]} {lanes if row.is_stage else ' ' * len(lanes)}"
    below = "  | |  " if row.is_stage else " " * len(_HEAD)
    label, values = row.label, _values(row, widths)
    if len(label) > name_width:
        for line in wrap(label, sum(widths) + _USE_WIDTH + _GAPS_WIDTH):
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
    use, bar = fixed_percent(row.use.value, 1) if isfinite(row.use.value) else "", ""
    if isfinite(row.use.low) and isfinite(row.use.high):
        # '#' is in use in all cases, '-' in some of them
        low, high = round(row.use.low * bar_width), round(row.use.high * bar_width)
        bar = "#" * low + "-" * (high - low) or "|"
    return _GAP.join([_bound_text(row.rate).rjust(rate_width), use.rjust(_USE_WIDTH), bar])


def _bound_text(rate: Predicted[float]) -> str:
    sign = rate.bound.sign if isfinite(rate.value) else ""
    return f"{sign}{rate_text(rate.value)}"


def _named_lines(results: list[tuple[str, str]], width: int) -> Iterator[str]:
    """Names in a column, and beside it their texts."""
    name_width = max(len(name) for name, _ in results)
    for name, text in results:
        yield from _wrapped_text(name.ljust(name_width) + _GAP, text, width)


def _wrapped_text(name: str, text: str, width: int) -> list[str]:
    """Lines of a text after its name."""
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
    if prediction.bounded_by:
        yield "bounded by", prediction.bounded_by
    if has_ranges:
        yield "- spread", "in use at some values within the parameter ranges"
    throughput_bps = float(prediction.throughput_bps.value)
    name, rates_bps = next_name(rows), prediction.limit_rates_bps
    if name and 0 < throughput_bps < inf:
        rate = rates_bps[name].numbers()
        than = "this bound" if prediction.bounded_by else "that of the bottleneck"
        times = f"{rate.value / throughput_bps:.4g} times {than}"
        yield "next", f"{name} at {_bound_text(rate)}, {times}"
    yield from _expected_results(prediction)
    yield "throughput", prediction.throughput_text
    yield "transactions", predicted_text(prediction.transaction_rate_tps.numbers(), _per_second)
    bounds = prediction.transaction_rate_bounds_tps
    if bounds is not None:
        yield "", f">= {_per_second(float(bounds.low))}, however transactions queue"
    for name, time_s in (
        ("time", prediction.transaction_time_s),
        ("zero load", prediction.zero_load_time_s),
    ):
        if time_s is not None:
            yield name, f"{predicted_text(time_s.numbers(), _time)} for a transaction"
    for side in Side:
        yield from _cpu_results(prediction, side)
    if prediction.grade is not None:
        yield "evidence", f"{prediction.grade.value}, the weakest of all parameters"


def _cpu_results(prediction: Prediction, side: Side) -> Iterator[tuple[str, str]]:
    """CPUs of a side that are busy, and CPU cost: of requests per transaction, else per Gbit."""
    busy, cost = prediction.cpu_busy[side], prediction.cpu_us_per_gbit[side]
    if busy is None or cost is None:
        return
    expected, parts = prediction.cpu_busy_expected[side], prediction.cpu_parts[side] or {}
    text = predicted_text(busy.numbers(), number_text)
    if expected is not None:
        # the range of the bound is left to the JSON
        most = f"{busy.bound.sign}{number_text(float(busy.value))}"
        text = predicted_text(expected.numbers(), number_text)
        text = f"{text} expected, {most}"
    yield f"{side.value} CPUs", f"{text} busy"
    time_s = prediction.cpu_s_per_transaction[side]
    if prediction.traffic.waits and time_s is not None:
        text = f"{predicted_text(time_s.numbers(), _time)} of CPU per transaction"
    else:
        text = f"{predicted_text(cost.numbers(), number_text)} µs/Gbit of both directions"
    for pool in prediction.path.pools:
        if pool.side is side and pool.cost is not None:
            text = (
                f"given as {pool.cost.conversion_text(float(prediction.traffic.exchanged_bytes))}"
            )
    yield "", f"{text}: {parts_text(prediction, parts)}" if len(parts) > 1 else text


def _expected_results(prediction: Prediction) -> Iterator[tuple[str, str]]:
    """The expected value, where transactions are then, and what it rests on."""
    expected = prediction.expected
    # of a stream the answer has the rate that is printed already
    if expected is None or (prediction.is_known_as_whole and not prediction.traffic.waits):
        return

    def text(quantity: Predicted, text_of: Callable[[float], str]) -> str:
        leave = "figures leave" if prediction.is_known_as_whole else PARAMETERS_LEAVE
        return predicted_text(quantity.numbers(), text_of, leave)

    rate, throughput = expected.transaction_rate_tps, expected.throughput_bps
    if prediction.traffic.waits:
        bps = rate_text(float(throughput.value))
        rates = f"{text(rate, _per_second)}, {bps}"
        time = f"{text(expected.transaction_time_s, _time)} for a transaction"
        lines = [f"{rates}, {time}"] if "(" not in rates else [rates, time]
        yield from zip(chain(["expected"], repeat("")), lines, strict=False)
    else:
        yield "expected", text(throughput, rate_text)
    counts = {name: float(count) for name, count in expected.stage_transaction_counts.items()}
    largest = sorted(counts, key=counts.__getitem__, reverse=True)[:_CROWDED_COUNT]
    crowded = (f"{counts[name]:.{_CROWD_DIGITS}g} at {name}" for name in largest)
    if counts:
        present = number_text(float(prediction.traffic.connection_count or 0))
        yield "", f"of {present} transactions, {', '.join(crowded)}"
    why = "; ".join(expected.approximations)
    yield "", f"if {expected.assumption}" + (why and f"; approximate: {why}")


def parts_text(prediction: Prediction, parts: "Mapping[str, CpuPart]") -> str:
    """CPU cost of a side by part: of a transaction, or of a stream for a Gbit."""
    costs = []
    for name, part in parts.items():
        if prediction.traffic.waits:
            cost = format_time(float(part.s_per_transaction.value), RESULT_DIGITS)
        else:
            cost = number_text(float(part.us_per_gbit.value))
        costs.append(f"{name} {cost} ({fixed_percent(float(part.share_ratio), 0)})")
    return ", ".join(costs)


def _per_second(rate_tps: float) -> str:
    return f"{number_text(rate_tps)} /s" if isfinite(rate_tps) else "no limit"


def _time(time_s: float) -> str:
    return format_time(time_s, RESULT_DIGITS) if isfinite(time_s) else "not known"


_CROWDED_COUNT = 3
"""Stages with most transactions that text names: beyond the bottleneck few have a queue."""
_CROWD_DIGITS = 3
"""Of mean transactions at a stage: the assumption on service times is good for no more."""


def published_rows(
    prediction: Prediction | Unbounded, is_full: bool = True
) -> Iterator[tuple[str, str]]:
    """
    Return lead and text of each printed figure or ratio of the case, then of the nearest ones.

    Parameters
    ----------
    prediction : Prediction or Unbounded
        Of a path and workload of the catalog.
    is_full : bool
        Whether to print the conditions of each figure too, and the nearest where the case has one.

    Examples
    --------
    >>> import netmodel
    >>> prediction = netmodel.predict(
    ...     adapter="osa-express7s-25gbe", workload="rr1c-200x30k", mtu_bytes=1500, connections=50
    ... )
    >>> next(published_rows(prediction, is_full=False))
    ('published', 'throughput 0.5556 times that of RoCE (adapter document, slide 20)')
    """
    known, left = prediction.beside(), 0
    own = [each for each in known.figures if is_full or each != known.rate]
    for lead, figures in (("published", own), ("also published", known.others)):
        is_near = figures is known.others
        count = _PUBLISHED_COUNT if is_full else 0 if is_near and known.figures else _FEW
        for each in figures[:count]:
            # after the place stands what differs, and after that how the figure is to be read
            parts = each.line.split("; ")
            yield lead, each.line if is_full else "; ".join(parts[: 1 + is_near])
        left += len(figures[count:])
    if left:
        yield "", f"{left} more: netmodel published lists them"


_FEW = 2
"""Printed figures in an answer of one screen."""
_PUBLISHED_COUNT = 3
"""Printed figures below an answer: as many as a reader takes in."""
