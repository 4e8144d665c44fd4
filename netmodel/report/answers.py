"""Answers of `predict`: the decision in a sentence, and a row for each of several cases."""

import re
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

from netmodel.consumption import Side
from netmodel.path import Prediction
from netmodel.path.stages import settings_text
from netmodel.predicted_text import copy_text, rate_text
from netmodel.report._path_drawing import path_drawing
from netmodel.report.distances import SWEPT, limited_text, place_text, swept_parts
from netmodel.report.figures import binding_names, bounds_of, published_rows, summary_text, timed
from netmodel.report.text import row_text
from netmodel.terminal import TEXT_WIDTH, Column, columns_table, known_width
from netmodel.text import listed, number_text, range_text
from netmodel.units import BITS_PER_BYTE, format_rate, parse_rate_bps
from netmodel.units.prefixes import GIGA, US_PER_S

_REACHED_RATIO = 0.95
"""Of a bound, from which on it is reached: printed figures are "about" this much apart."""
_ABOUT_DIGITS = 3
"""Of an expected value in a sentence: what it assumes of service times is good for no more."""
_RANKS = {"expected time": 2, "time": 2, "range": 4}
"""Columns that leave first where a terminal is narrow."""
_TEXTS = ("bottleneck", "published")


def prediction_blocks(
    predictions: Sequence[Prediction], ends: Mapping[str, Any], is_drawn: bool, is_verbose: bool
) -> Iterator[str]:
    """
    Yield the answer, a table of several cases, and of the highest its figures or a drawing.

    Parameters
    ----------
    predictions : sequence of Prediction
        Of one workload over one path, all bounded or none.
    ends : mapping
        Name of the workload, side and adapter of sender and receiver.
    is_drawn : bool
        True draws the path with each of its limits.
    is_verbose : bool
        True prints all notes, figures and the drawing.
    """
    places = (" ".join(filter(None, ends[role].values())) for role in ("sender", "receiver"))
    subject = f"{ends['workload']} from {' to '.join(places)}"
    rows = dict.fromkeys(row for each in predictions for row in published_rows(each))
    published = "\n".join(f"{lead}: {figure}" if lead else figure for lead, figure in rows)
    first, width, is_alone = predictions[0], known_width() or TEXT_WIDTH, len(predictions) == 1
    if first.is_unbounded:
        # of the first figure its conditions, and not what it leaves open
        texts = (row_text(each) for each in first.published if not each.against)
        said = [text.partition("; not specified")[0] for text in texts][:1]
        answer = "; ".join([*said, first.notes[0]])
        yield f"{subject} over {first.path.name}: {answer}. CPU costs are not published."
        settings = first.path.settings
        yield f"measured with {settings_text(settings)}" if settings else ""
        yield published
        return
    highest, _ = extreme_cases(predictions)
    time, answer = highest.copy_time_s, answer_text(predictions, subject)
    if time is not None and (size_bytes := highest.traffic.volume_bytes) is not None:
        answer += f" {copy_text(size_bytes, float(time.value), time.bound)}."
        if after := highest.lasting_throughput_bps:
            time = after.inverse(BITS_PER_BYTE * size_bytes)
            taken = copy_text(size_bytes, float(time.value), time.bound).partition(" takes ")[2]
            answer = f"{answer[:-1]}, without a burst {taken}."
    yield answer
    yield "" if is_alone else cases_table(predictions, is_verbose)
    if is_drawn or is_verbose:
        yield path_drawing(highest, width)
    yield summary_text(highest, width, is_alone=is_verbose or is_alone, is_verbose=is_verbose)
    yield published if is_verbose else ""


def extreme_cases(predictions: Sequence[Prediction]) -> tuple[Prediction, Prediction]:
    """Return the cases with the highest rate (of ties, a printed one first) and the lowest."""
    bounds_bps = [float(each.throughput_bps.value) for each in predictions]
    known = [each.expected for each in predictions]
    expected = [float(each.throughput_bps.value) if each else 0.0 for each in known]
    # by what to expect, where that is known of any, then by the bound
    ranks = [*zip(expected if any(expected) else bounds_bps, bounds_bps, strict=True)]
    best = [each for each, rank in zip(predictions, ranks, strict=True) if rank == max(ranks)]
    highest = next((each for each in best if each.beside().rate), best[0])
    return highest, predictions[ranks.index(min(ranks))]


def answer_text(predictions: Sequence[Prediction], subject: str) -> str:
    """
    Return the decision: rate and bottleneck of the highest case, and CPUs that it keeps busy.

    Parameters
    ----------
    predictions : sequence of Prediction
        Of one workload over one path.
    subject : str
        The workload, and what it runs between.
    """
    highest, lowest = extreme_cases(predictions)
    over, busy = highest.path.distance, " and ".join(_busy_texts(highest))
    # a range is that of cost and limits, at a rate that is an upper bound
    at_rate = " at that rate" if highest.expected is None and "(" in busy else ""
    busy = f"; {busy} busy{at_rate}" if busy else ""
    swept = swept_parts([each.path.distance for each in predictions])
    if over is not None:
        place = place_text(over, swept)
        subject += f" over {place.upper()}" if over.round_trip_s is None else f" at {place}"
    if over is not None and not highest.traffic.waits:
        answer = f"{subject}: {limited_text(highest)}{busy}."
        if (after := highest.lasting_throughput_bps) is not None:
            answer += f" After a burst at most {rate_text(float(after.value))}."
        if swept and lowest.path.distance is not None and lowest is not highest:
            answer += f" At {place_text(lowest.path.distance, swept)}, {limited_text(lowest)}."
        return answer
    case, counts = "", {each.traffic.connection_count for each in predictions}
    if len(counts) > 1 and highest is not lowest:
        case = f" with {highest.traffic.connection_count} connections"
    return f"{subject}: {_rate_text(highest, case)}{busy}."


def _rate_text(prediction: Prediction, case: str) -> str:
    """Return the printed or expected rate, its bound, and what sets the bound."""
    expected, printed = prediction.expected, prediction.beside().rate
    (rate, best), waits = bounds_of(prediction), prediction.traffic.waits
    bits = BITS_PER_BYTE * float(prediction.traffic.payload_bytes) if waits else 1.0
    # where a hash spreads flows, the answer is the upper bound of a single run
    bound_bps = (best or rate.value) * bits
    if not printed and prediction.bounded_by:
        name, limit = min(prediction.limit_rates_bps.items(), key=lambda each: each[1].value)
        allowed = rate_text(float(limit.value))
        most = f"at most {rate_text(rate.value * bits)}{case}"
        return f"{most}: {prediction.bounded_by}; {name} allow{'s' * (name[-1] != 's')} {allowed}"
    amount = rate_text(bound_bps)
    if waits and isfinite(bound_bps):
        amount = f"{number_text(bound_bps / bits)} /s ({amount})"
    most = f"{rate.bound.words} {amount}"
    if (after := prediction.lasting_throughput_bps) is not None:
        burst_s = max(x.capacity.burst_s for x in prediction.path.stages if x.capacity)
        # of a copy the rate is a mean
        burst = "with a burst" if burst_s and prediction.traffic.volume_bytes else "in a burst"
        burst += f" of at least {burst_s:.3g} s" if burst_s else ""
        most, case = f"{most}{case} {burst}, and {rate_text(float(after.value))} after it", ""
    expected_bps = 0.0 if expected is None else float(expected.throughput_bps.value)
    if expected is not None and not printed:
        about = format_rate(expected_bps, _ABOUT_DIGITS)
        if waits:
            about_tps = float(f"{float(expected.transaction_rate_tps.value):.{_ABOUT_DIGITS}g}")
            about = f"{number_text(about_tps)} /s ({about})"
        most = f"about {about} expected, {most}"
    # what is known of the whole path says what to expect, not which stage sets it
    is_below = prediction.is_known_as_whole and 0 < expected_bps < _REACHED_RATIO * bound_bps
    is_below |= bool(prediction.bounded_by)
    names = ("printed figures",) if prediction.bounded_by else binding_names(prediction)
    of_limit = f"{'upper bound set by' if is_below else 'the bottleneck is'} {listed(names)}"
    near = [row for row in prediction.also_published if "path" in row.of and "mtu" in row.differs]
    mtus = {x for row in near if {*row.differs} <= {"mtu", "connections"} for x in row.of["mtu"]}
    if not printed and not expected and mtus:
        at, at_others = f"MTU {number_text(float(prediction.mtu_bytes))}", listed(sorted(mtus))
        asked = f"not published at {at}, only at MTU {at_others}"
        return f"{asked}; {most}{case}; {of_limit}; a run at {at} would tell more"
    if not printed:
        return f"{most}{case}; {of_limit}"
    # what to know of the figure stands below
    figure, *ends = re.split(r"(?<=\)); ", printed)[0].partition(", between")
    return f"{figure}{case}{''.join(ends)}; {most} by the path; {of_limit}"


def _busy_texts(prediction: Prediction) -> Iterator[str]:
    """Yield the busy CPUs of each side at the expected rate, or at most at the bound."""
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


def cases_table(predictions: Sequence[Prediction], is_verbose: bool) -> str:
    """
    Return a table with a row for each case, all rates in the unit of the highest.

    Parameters
    ----------
    predictions : sequence of Prediction
        Of one workload over one path.
    is_verbose : bool
        Whether to keep columns that do not fit the terminal.
    """
    rates_bps = [float(each.throughput_bps.value) for each in predictions]
    highest_bps = max(filter(isfinite, rates_bps), default=GIGA)
    swept = swept_parts([each.path.distance for each in predictions])
    unit = rate_text(highest_bps).partition(" ")[2]
    sides = [side for side in Side if any(_cost(each, side) is not None for each in predictions)]
    rows = [_cells(each, unit, swept, sides) for each in predictions]
    columns = [
        Column(x, [row[x] for row in rows], x not in _TEXTS, _RANKS.get(x, int("µs" in x)))
        for x in rows[0]
    ]
    return columns_table(columns, is_verbose)


def _cells(
    prediction: Prediction, unit: str, swept: Sequence[str], sides: Sequence[Side]
) -> dict[str, str]:
    """Return the cells of a case by the titles of their columns."""
    waits, expected = prediction.traffic.waits, prediction.expected
    (rate, best), time_s = bounds_of(prediction), prediction.transaction_time_s
    printed = prediction.beside().rate
    unit_bps, sign = parse_rate_bps(f"1 {unit}"), rate.bound.sign if isfinite(rate.value) else ""

    def in_unit(rate_bps: float) -> str:
        return number_text(rate_bps / unit_bps) if isfinite(rate_bps) else rate_text(rate_bps)

    cells = {"connections": str(prediction.traffic.connection_count)}
    own = ((SWEPT[name], getattr(prediction.path.distance, name)) for name in swept)
    cells |= {title: text(value) for (title, text), value in own}
    if waits:
        known = expected.transaction_rate_tps.numbers() if expected else None
        cells["expected tps"] = number_text(known.value) if known else ""
        cells["tps"] = f"{sign}{number_text(best or rate.value)}"
        cells["expected time"] = timed(float(expected.transaction_time_s.value)) if expected else ""
        cells["time"] = f"{time_s.bound.sign}{timed(float(time_s.value))}" if time_s else ""
    else:
        about = in_unit(float(expected.throughput_bps.value)) if expected else ""
        cells[f"expected {unit}"] = about
        cells[unit] = f"{sign}{in_unit(best or rate.value)}"
    mean, *ends = map(number_text if waits else in_unit, (rate.value, rate.low, rate.high))
    cells["mean over hashes"] = f"{sign}{mean}" if best else ""
    cells["bottleneck"] = ", ".join(binding_names(prediction))
    scale = US_PER_S if waits else 1.0
    costs = [_cost(prediction, side) for side in sides]
    texts = ["-" if each is None else number_text(each * scale) for each in costs]
    title = f"{', '.join(side.value for side in sides)} {'µs' if waits else 'µs/Gbit'}"
    cells[title] = ", ".join(texts)
    cells["range"] = "" if best or rate.low == rate.high else range_text(*ends)
    cells["published"] = re.split(r" \(|, between", printed or prediction.bounded_by or "")[0]
    return cells


def _cost(prediction: Prediction, side: Side) -> float | None:
    """Return the CPU cost of a side: of requests per transaction [s], else per data [µs/Gbit]."""
    waits = prediction.traffic.waits
    cost = (prediction.cpu_s_per_transaction if waits else prediction.cpu_us_per_gbit)[side]
    return None if cost is None else float(cost.value)
