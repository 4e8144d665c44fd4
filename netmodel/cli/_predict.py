"""``netmodel predict``."""

import re
from collections.abc import Iterator, Mapping, Sequence
from inspect import signature
from math import isfinite
from typing import TYPE_CHECKING, TypeAlias, cast

import click

from netmodel._estimates import Bound
from netmodel._numpy import np
from netmodel._predicted_text import rate_text
from netmodel._terminal import Column, columns_table
from netmodel._text import RESULT_DIGITS, range_text
from netmodel.api import predict as predict_path
from netmodel.api._arguments import cases_of, given_workload, path_between, require_path, series
from netmodel.cli._console import (
    drawing_width,
    print_blocks,
    print_csv,
    print_json,
    wrapped,
)
from netmodel.cli._derived import DerivedCommand, Given, Output
from netmodel.cli._files import save_plot
from netmodel.consumption import Side
from netmodel.path._settings import settings_text
from netmodel.path._unbounded import NO_LINE
from netmodel.report import path_drawing
from netmodel.report._distance_text import SWEPT, limited_text, place_text, swept_parts
from netmodel.report._prediction_text import published_rows, summary_text
from netmodel.report._text import number_text
from netmodel.units import BITS_PER_BYTE, format_rate, format_time, parse_rate_bps
from netmodel.units._prefixes import GIGA, US_PER_S

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from netmodel.path import Predicted, Prediction, SpecifiedPath, Unbounded
    from netmodel.path._cpu_cost import CpuPart

_Ends: TypeAlias = Mapping[str, object]
_AnyPredictions: TypeAlias = "Sequence[Prediction | Unbounded]"

_WHOLE_COUNTS = 500
"""Up to here a curve has every number of connections; then each is a pixel beside the next."""
_REACHED_RATIO = 0.95
"""Of a bound, from which on it is reached: printed figures are "about" this much apart."""
_ABOUT_DIGITS = 3
"""Of an expected value in a sentence: what it assumes of service times is good for no more."""
_CSV_QUANTITIES = (
    *("throughput_bps", "transaction_rate_tps", "transaction_time_s"),
    "zero_load_time_s",
)
_CSV_EXPECTED = ("transaction_rate_tps", "throughput_bps", "transaction_time_s")
_CSV_SIDES = [
    (name, side.value)
    for name in ("cpu_us_per_gbit", "cpu_s_per_transaction", "cpu_busy", "cpu_busy_expected")
    for side in Side
]
_CSV_CASE = ("workload", "client_adapter", "server_adapter", "connection_count", "mtu_bytes")
_CSV_DISTANCE = ("distance_km", "round_trip_s", "window_bytes", "loss_ratio", "protocol")
_OVER_DISTANCE = ("km", "rtt_s", "window_bytes", "loss_ratio")
"""Arguments of which each value is a case."""
_OPTION_OF = {"distance_m": "km", "round_trip_s": "rtt_s"}
"""Arguments of parts of a distance that have another name."""
_PLACES = 300
"""Of a curve over a distance: as many as pixels that show a bend."""
_CSV_PARTS = ("cpu_us_per_gbit", "cpu_s_per_transaction", "cpu_busy_expected")
"""What each part of a side has columns of."""


def _print(given: Given, output: Output) -> None:
    """Predict throughput, CPU cost and bottleneck of a path.

    Give --adapter, or --sender with --receiver, or --path, and --workload; without one, the client
    sends full frames. The sender is the side that sends more of the payload, the client when equal.
    What a document prints of this very case comes first; "<=" marks an upper bound, "expected" what
    a run is likely to reach.

    --connections, --km, --rtt, --window and --loss take lists and ranges, such as 1,10,50 or
    10..100:10 or 64KiB..4MiB:x2, with a row for each case; --plot draws the path, or its limits
    over them.

    \b
    Example: netmodel predict --sender ethernet-25gbe --receiver mine.toml
                 --workload str-writex30k --mtu 1500 --connections 1,10,50
    """
    from netmodel.path import Prediction, Unbounded

    workload = given_workload(given["workload"]) if "workload" in given else None
    counts = [int(each) for each in series("connections", given.get("connections", ()))]
    counts = counts or ([*workload.connection_counts] if workload else [])
    places = cases_of({**given, "connections": None}, _OVER_DISTANCE)
    of_counts = [{"connections": count} for count in counts] or [{}]
    cases = [{**place, **count} for place in places for count in of_counts]
    predictions = [predict_path(**case) for case in cases]
    sending = predictions[0].traffic.sender
    ends = roles(
        _path_of(given), sending, predictions[0].traffic.name if workload is None else workload.id
    )
    # all are of one path, so all have rates, or none has
    rates = [each for each in predictions if isinstance(each, Prediction)]
    unbounded = [each for each in predictions if isinstance(each, Unbounded)]
    if output.plot is not None:
        if unbounded:
            raise click.UsageError(f"nothing to plot: {unbounded[0].notes[0]}")
        save_plot(_plot(given, counts, rates), output.plot)
    if output.json:
        print_json([{**ends, **each.to_dict()} for each in predictions])
    elif output.csv:
        cells = [_csv_row({**ends, **each.to_dict()}) for each in predictions]
        print_csv(list(cells[0]), cells)
    elif unbounded:
        print_blocks(_unbounded_blocks(ends, unbounded))
    else:
        print_blocks(_blocks(ends, rates, output))


predict = DerivedCommand(
    predict_path,
    _print,
    first=("workload", "adapter", "path", "mtu_bytes", "connections", "km"),
    outputs=("draw", "verbose", "plot", "csv", "json"),
)


def _path_of(given: Given) -> "SpecifiedPath":
    """The path of the question, with its adapters."""
    names = signature(path_between).parameters
    return require_path(path_between(**{name: given[name] for name in names if name in given}))


def _plot(given: Given, counts: Sequence[int], rates: "Sequence[Prediction]") -> "Axes":
    """The path, or its limits over the argument that has several values."""
    from netmodel.path import Prediction
    from netmodel.report import plot_path, plot_predictions

    if len(rates) > max(len(counts), 1):
        return _plot_over_distance(given, rates)
    drawn = _drawn_counts(counts)
    swept = predict_path(**{**given, "connections": drawn}) if len(drawn) > 1 else None
    if isinstance(swept, Prediction):
        return plot_predictions(swept, drawn, "connections", rates)
    return plot_path(rates[0])


def roles(path: "SpecifiedPath", sending: Side, workload: str) -> dict[str, object]:
    """Workload and adapters of sender and receiver, and of client and server, as in the JSON."""
    client, server = (card and card.id for card in path.adapters(sending))
    sender, receiver = (client, server) if sending is Side.CLIENT else (server, client)
    return {
        "workload": workload,
        "sender": {"side": sending.value, "adapter": sender},
        "receiver": {"side": sending.other.value, "adapter": receiver},
        "client_adapter": client,
        "server_adapter": server,
    }


def _plot_over_distance(given: Given, rates: "Sequence[Prediction]") -> "Axes":
    """Limits over the distance, round trip, window or loss, whichever has several values."""
    from netmodel.report import plot_predictions

    parts = swept_parts([each.path.distance for each in rates])
    counts = {each.traffic.connection_count for each in rates}
    if len(parts) != 1 or len(counts) != 1:
        raise click.UsageError(
            "--plot draws over one of --connections, --km, --rtt, --window and --loss: give one "
            "value of the others"
        )
    (part,) = parts
    option = _OPTION_OF.get(part, part)
    ends = sorted(series(option, given[option]))
    # as many as pixels
    space = np.geomspace if ends[0] else np.linspace
    values = np.unique(np.append(space(ends[0], ends[-1], _PLACES), ends))
    swept = predict_path(**{**given, "connections": counts.pop(), option: values})
    # distances are in km already
    scale = 1.0 if part == "distance_m" else SWEPT[part].scale
    label = f"{SWEPT[part].title} [{SWEPT[part].unit}]"
    return plot_predictions(cast("Prediction", swept), list(values * scale), label)


def _csv_row(row: Mapping[str, object]) -> dict[str, object]:
    """The row with a column for value, ends and bound of each quantity; empty where unknown."""
    cells = {name: row[name] for name in _CSV_CASE}
    between = row["distance"]
    over = between if isinstance(between, Mapping) else {}
    cells |= {name: over.get(name) for name in _CSV_DISTANCE}
    quantities = {name: row[name] for name in _CSV_QUANTITIES}
    for name, side in _CSV_SIDES:
        of_sides = row[name]
        quantities[f"{name}_{side}"] = of_sides[side] if isinstance(of_sides, Mapping) else None
    sides = row["cpu_parts"]
    for side, parts in sides.items() if isinstance(sides, Mapping) else ():
        for part, costs in (parts or {}).items():
            quantities |= {f"{name}_{side}_{part}": costs[name] for name in _CSV_PARTS}
    expected = row["expected"]
    known = expected if isinstance(expected, Mapping) else {}
    quantities |= {f"expected_{name}": known.get(name) for name in _CSV_EXPECTED}
    for name, quantity in quantities.items():
        known = quantity if isinstance(quantity, Mapping) else {}
        cells[name] = known.get("value")
        cells |= {f"{name}_{key}": known.get(key) for key in ("low", "high", "bound")}
    return cells | {name: row[name] for name in ("binding", "bounded_by", "grade")}


def _blocks(ends: _Ends, predictions: "Sequence[Prediction]", output: Output) -> Iterator[str]:
    """The answer; a table of several cases; of the highest its figures, or a drawing."""
    bounds = [float(each.throughput_bps.value) for each in predictions]
    # by what to expect, where that is known of any
    known = [each.expected.throughput_bps.value if each.expected else 0 for each in predictions]
    ranks = [*zip(known if any(known) else bounds, bounds, strict=True)]
    best = [each for each, rank in zip(predictions, ranks, strict=True) if rank == max(ranks)]
    highest = next((each for each in best if each.beside().rate), best[0])
    case, over = "", highest.path.distance
    swept = swept_parts([each.path.distance for each in predictions])
    if len({each.traffic.connection_count for each in predictions}) > 1 and len(set(ranks)) > 1:
        case = f" with {highest.traffic.connection_count} connections"
    # where a hash spreads flows, the answer is the upper bound of a single run
    bound = highest.throughput_bps.bound
    best_bps = None if bound is Bound.MEAN else highest.best_throughput_bps
    bound_bps = float(highest.throughput_bps.value if best_bps is None else best_bps)
    most, expected = f"{bound.words} {rate_text(bound_bps)}", highest.expected
    printed = highest.beside().rate
    if expected is not None:
        about = format_rate(float(expected.throughput_bps.value), _ABOUT_DIGITS)
        if highest.traffic.waits:
            about_tps = float(f"{float(expected.transaction_rate_tps.value):.{_ABOUT_DIGITS}g}")
            about = f"{number_text(about_tps)} transactions/s ({about})"
            most_tps = bound_bps / (BITS_PER_BYTE * float(highest.traffic.payload_bytes))
            most = f"at most {number_text(most_tps)} ({rate_text(bound_bps)})"
        if printed is None:
            most = f"about {about} expected, {most}"
    # what is known of the whole path says what to expect, not which stage sets it
    is_below = (
        expected is not None
        and highest.is_known_as_whole
        and float(expected.throughput_bps.value) < _REACHED_RATIO * bound_bps
    )
    role = "the upper bound is that of" if is_below else "the bottleneck is"
    busy = " and ".join(_busy_texts(highest))
    # a range is that of cost and limits, at a rate that is an upper bound
    at_rate = " at that rate" if highest.expected is None and "(" in busy else ""
    busy = f"; {busy} busy{at_rate}" if busy else ""
    ends_text = _ends_text(ends)
    if over is not None:
        ends_text += f" at {place_text(over, swept)}"
    limit = f"{role} {' and '.join(highest.ties) or highest.binding}"
    if printed is not None:
        # what to know of the figure stands below
        figure = re.split(r"(?<=\)); ", printed.text)[0]
        most, case = f"{figure}{case}", f"; {most} by the path"
    elif highest.bounded_by:
        most = f"at most {rate_text(float(highest.throughput_bps.high))}{case}"
        case = f": {highest.bounded_by}"
        name, rate = min(highest.limit_rates_bps.items(), key=lambda each: each[1].value)
        limit = f"{name} allows {rate_text(float(rate.value))}"
    answer = f"{ends_text}: {most}{case}; {limit}{busy}."
    if over is not None and not highest.traffic.waits:
        answer = f"{ends_text}: {limited_text(highest)}{busy}."
        lowest = predictions[ranks.index(min(ranks))]
        if swept and lowest.path.distance is not None and lowest is not highest:
            there = place_text(lowest.path.distance, swept)
            answer += f" At {there}, {limited_text(lowest)}."
    yield wrapped(answer)
    if len(predictions) > 1:
        yield _rates_table(predictions, output.verbose)
    if output.verbose:
        yield from (
            _cost_table(predictions, side) for side in Side if _cost_changes(predictions, side)
        )
    # one of each bottleneck
    cases = {each.binding: each for each in reversed(predictions)}.values()
    for each in reversed(cases) if output.verbose else [highest]:
        if output.draw or output.verbose:
            yield path_drawing(each, drawing_width())
        is_alone = output.verbose or len(predictions) == 1
        yield summary_text(each, drawing_width(), is_alone=is_alone, is_verbose=output.verbose)
    if output.verbose:
        yield _published_block(predictions)


def _busy_texts(prediction: "Prediction") -> Iterator[str]:
    """CPUs of each side that are busy at the expected rate, or at most at the bound."""
    for side in Side:
        expected, most = prediction.cpu_busy_expected[side], prediction.cpu_busy[side]
        busy = most if expected is None else expected
        if busy is None:
            continue
        names = {stage.pool for stage in prediction.path.cpu_stages(side)}
        bases = {pool.time_basis for pool in prediction.path.pools if pool.name in names}
        value, *ends = (
            float(f"{float(end):.{_ABOUT_DIGITS}g}") for end in (busy.value, busy.low, busy.high)
        )
        noun = f"{bases.pop() if len(bases) == 1 else 'CPU'}{'s' * (value != 1)}"
        sign = "about " if expected is not None else "at most " if ends[0] == ends[1] else ""
        span = "" if ends[0] == ends[1] else f" ({range_text(*map(number_text, ends))})"
        yield f"{sign}{number_text(value)} {side.value} {noun}{span}"


def _rates_table(predictions: "Sequence[Prediction]", is_verbose: bool) -> str:
    """A row for each prediction, all rates in the unit of the highest."""
    rates = [each.throughput_bps.numbers() for each in predictions]
    finite = [rate.value for rate in rates if isfinite(rate.value)]
    _, _, unit = rate_text(max(finite, default=GIGA)).partition(" ")
    unit_bps = parse_rate_bps(f"1 {unit}")

    def in_unit(rate_bps: float) -> str:
        return number_text(rate_bps / unit_bps) if isfinite(rate_bps) else rate_text(rate_bps)

    times_s = [each.transaction_time_s for each in predictions]
    expected = [each.expected for each in predictions]
    printed = [each.beside().rate for each in predictions]
    # writes of a stream are no transactions that a user waits for
    waits = predictions[0].traffic.waits
    has_expected = waits and any(expected)
    distances = [each.path.distance for each in predictions]
    rates_tps = [each.transaction_rate_tps for each in predictions]
    columns = (
        Column("connections", _connections(predictions), is_number=True),
        *(
            Column(
                SWEPT[part].title,
                [SWEPT[part].text(getattr(each, part)) for each in distances],
                is_number=True,
            )
            for part in swept_parts(distances)
        ),
        Column(
            f"expected {unit}",
            [
                "" if waits or each is None else in_unit(float(each.throughput_bps.value))
                for each in expected
            ],
            is_number=True,
        ),
        Column(
            unit,
            [
                f"{rate.bound.sign if isfinite(rate.value) else ''}{in_unit(rate.value)}"
                for rate in rates
            ],
            is_number=True,
            # the bound of transactions says the same beside their expected rate
            rank=3 if has_expected else 0,
        ),
        Column(
            "expected tps",
            [
                f"{each.transaction_rate_tps.value:,.0f}" if waits and each is not None else ""
                for each in expected
            ],
            is_number=True,
        ),
        Column(
            "tps",
            [f"{rate.bound.sign}{rate.value:,.0f}" for rate in rates_tps],
            is_number=True,
            rank=0 if has_expected else 2 if waits else 5,
        ),
        Column(
            "expected time",
            [
                _time_text(each.transaction_time_s) if waits and each is not None else ""
                for each in expected
            ],
            is_number=True,
            rank=2,
        ),
        Column(
            "time",
            [
                "" if time_s is None else f"{time_s.bound.sign}{_time_text(time_s)}"
                for time_s in times_s
            ],
            is_number=True,
            rank=3 if has_expected else 2,
        ),
        Column(
            "bottleneck",
            [", ".join(each.ties) or str(each.binding or "published") for each in predictions],
        ),
        _cost_column(predictions),
        Column(
            "range",
            [
                "" if rate.low == rate.high else range_text(in_unit(rate.low), in_unit(rate.high))
                for rate in rates
            ],
            rank=4,
        ),
        Column(
            "published",
            [re.split(r" \(|, between", rate.text)[0] if rate else "" for rate in printed],
        ),
    )
    return columns_table(columns, is_verbose)


def _cost_column(predictions: "Sequence[Prediction]") -> Column:
    """CPU cost of the sides of which it is known: of requests per transaction, else per data."""
    waits = predictions[0].traffic.waits
    scale = US_PER_S if waits else 1.0
    rows = [each.cpu_s_per_transaction if waits else each.cpu_us_per_gbit for each in predictions]
    sides = [side for side in Side if any(row[side] is not None for row in rows)]
    costs = [[row[side] for side in sides] for row in rows]
    cells = [
        ", ".join("-" if one is None else number_text(float(one.value) * scale) for one in row)
        for row in costs
    ]
    names = ", ".join(side.value for side in sides)
    return Column(f"{names} {'µs' if waits else 'µs/Gbit'}", cells, is_number=True, rank=1)


def _time_text(time_s: "Predicted") -> str:
    return format_time(float(time_s.value), RESULT_DIGITS)


def _cost_changes(predictions: "Sequence[Prediction]", side: Side) -> bool:
    """Whether the cost of a side has parts, and changes with the number of connections."""
    many = [each.cpu_parts[side] or {} for each in predictions]
    times = {tuple(part.s_per_transaction.value for part in parts.values()) for parts in many}
    return len(times) > 1 and max(map(len, many)) > 1


def _cost_table(predictions: "Sequence[Prediction]", side: Side) -> str:
    """CPU cost of a side by part, along the numbers of connections."""
    waits = predictions[0].traffic.waits

    def cost(part: "CpuPart") -> float:
        # requests by the transaction, streams by the data
        known = part.s_per_transaction.scaled(US_PER_S) if waits else part.us_per_gbit
        return known.numbers().value

    parts = [each.cpu_parts[side] or {} for each in predictions]
    names = dict.fromkeys(name for each in parts for name in each)
    wholes = [
        each.cpu_s_per_transaction[side] if waits else each.cpu_us_per_gbit[side]
        for each in predictions
    ]
    totals = [
        None if each is None else each.numbers().scaled(US_PER_S if waits else 1.0)
        for each in wholes
    ]
    busy = [each.cpu_busy_expected[side] for each in predictions]
    columns = [
        Column("connections", _connections(predictions), is_number=True),
        Column(
            f"{side.value} CPU, {'µs/transaction' if waits else 'µs/Gbit'}",
            ["" if each is None else number_text(each.value) for each in totals],
            is_number=True,
        ),
        *(
            Column(
                name,
                [number_text(cost(each[name])) if name in each else "" for each in parts],
                is_number=True,
            )
            for name in names
        ),
        Column(
            "range",
            [
                ""
                if each is None or each.low == each.high
                else range_text(number_text(each.low), number_text(each.high))
                for each in totals
            ],
            rank=3,
        ),
    ]
    if any(busy):
        cells = ["" if each is None else number_text(float(each.value)) for each in busy]
        columns.append(Column("CPUs busy, expected", cells, is_number=True, rank=2))
    return columns_table(columns)


def _connections(predictions: _AnyPredictions) -> list[str]:
    return [str(each.traffic.connection_count) for each in predictions]


def _unbounded_blocks(ends: _Ends, predictions: "Sequence[Unbounded]") -> Iterator[str]:
    """The answer that nothing is published, why nothing bounds it, and the printed ratios."""
    first = predictions[0]
    yield wrapped(
        f"{_ends_text(ends)} over {first.path_name}: not published, no physical bound: {NO_LINE}. "
        "CPU costs are not published."
    )
    if first.settings:
        yield wrapped(f"measured with {settings_text(first.settings)}")
    yield _published_block(predictions)


def _drawn_counts(counts: Sequence[int]) -> list[int]:
    """All numbers of connections up to the largest, far up only some, and those asked for."""
    least, most = min(counts, default=1), max(counts, default=1)
    ratio = 1 + 1 / _WHOLE_COUNTS
    drawn, count = {*counts}, least
    while count < most:
        drawn.add(count)
        count = max(count + 1, int(count * ratio))
    return sorted(drawn)


def _ends_text(ends: _Ends) -> str:
    """The workload, and side and adapter of both ends."""
    texts = []
    for role in ("sender", "receiver"):
        end = ends[role]
        assert isinstance(end, dict)
        texts.append(" ".join(filter(None, (end["side"], end["adapter"]))))
    return f"{ends['workload']} from {' to '.join(texts)}"


def _published_block(predictions: _AnyPredictions) -> str:
    """A line for each printed figure, with the connections that it belongs to if not to all."""
    counts: dict[str, list[str]] = {}
    for each in predictions:
        for lead, figure in published_rows(each):
            text = f"{lead}: {figure}" if lead else figure
            counts.setdefault(text, []).append(str(each.traffic.connection_count))
    lines = []
    for text, cases in counts.items():
        noun = "connection" if cases == ["1"] else "connections"
        case = "" if len(cases) == len(predictions) else f"{', '.join(cases)} {noun}: "
        lines.append(f"{case}{text}")
    return wrapped("\n".join(lines)) if lines else ""
