"""A prediction in words: its case, figures, CPU of each side, and what is printed of the case."""

from collections.abc import Callable, Iterator
from math import isfinite
from textwrap import wrap

from netmodel.consumption import Side
from netmodel.estimates import Bound, Predicted
from netmodel.numeric import is_array
from netmodel.path import Prediction
from netmodel.path.stages import settings_text
from netmodel.predicted_text import PARAMETERS_ALLOW, predicted_text, rate_text
from netmodel.report.text import note_rows, row_text
from netmodel.text import RESULT_DIGITS, fixed_percent, number_text
from netmodel.units import format_time


def case_text(prediction: Prediction) -> str:
    """Return the path and the workload by their names, and the conditions that do not vary."""
    traffic, mtu_bytes = prediction.traffic, prediction.mtu_bytes
    count = traffic.connection_count
    sizes = {"request": traffic.request_bytes, "response": traffic.response_bytes}
    parts = [traffic.name] if traffic.name else []
    for name, size in sizes.items():
        if not traffic.name and not is_array(size) and size:
            parts.append(f"{name} {number_text(float(size))} byte")
    if count is not None and not is_array(count):
        parts.append(f"{number_text(float(count))} connection{'s' * (count != 1)}")
    if not is_array(mtu_bytes):
        parts.append(f"MTU {number_text(float(mtu_bytes))} byte")
    return ": ".join(filter(None, (prediction.path.name, ", ".join(parts))))


def binding_names(prediction: Prediction) -> tuple[str, ...]:
    """Return all limits that are the smallest at the best values."""
    return prediction.ties or (() if prediction.binding is None else (str(prediction.binding),))


def summary_text(
    prediction: Prediction, width: int, *, is_alone: bool = True, is_verbose: bool = False
) -> str:
    """
    Return figures, CPU of each side, evidence, printed rows and notes, each beside its name.

    Parameters
    ----------
    prediction : Prediction
        Of one workload over one path.
    width : int
        Columns of the longest line. [columns]
    is_alone : bool
        Whether no table has the figures already.
    is_verbose : bool
        Whether to print all notes and settings; printed figures then stand elsewhere.
    """
    rows: list[tuple[str, str]] = []
    if is_alone:
        rows += _expected_rows(prediction)
        rows += _bound_rows(prediction)
        rows += (row for side in Side for row in _cpu_rows(prediction, side))
    if prediction.grade is not None:
        rows.append(("evidence", f"lowest grade: {prediction.grade.value}"))
    settings = prediction.path.settings
    rows += [("measured with", settings_text(settings))] if settings else []
    rows += () if is_verbose else published_rows(prediction, is_full=False)
    rows += note_rows(prediction.notes, is_verbose)
    names = max((len(name) for name, _ in rows), default=0) + 2
    out: list[str] = []
    for name, text in rows:
        lead, gap = name.ljust(names), " " * names
        out += wrap(text, width, initial_indent=lead, subsequent_indent=gap, break_on_hyphens=False)
    return "\n".join(out)


def _expected_rows(prediction: Prediction) -> Iterator[tuple[str, str]]:
    """Yield the expected value and what it rests on, where the answer has not both."""
    expected, waits = prediction.expected, prediction.traffic.waits
    if expected is None or (prediction.is_known_as_whole and not waits):
        return
    allow = "figures allow" if prediction.is_known_as_whole else PARAMETERS_ALLOW

    def text(quantity: Predicted, text_of: Callable[[float], str]) -> str:
        return predicted_text(quantity.numbers(), text_of, allow)

    if waits:
        rate = rate_text(float(expected.throughput_bps.value))
        time = text(expected.transaction_time_s, timed)
        parts = [f"{text(expected.transaction_rate_tps, _per_second)}, {rate}"]
        parts.append(f"{time} for a transaction")
    else:
        parts = [text(expected.throughput_bps, rate_text)]
    if not prediction.is_known_as_whole:
        parts.append(f"if {expected.assumption}")
        parts += [f"approximate: {each}" for each in expected.approximations]
    yield "expected", "; ".join(parts)


def shown_bound(prediction: Prediction, bound: Predicted) -> Predicted[float]:
    """Return a bound as people read it: that of a printed ratio by the far end of its digits."""
    one = bound.numbers()
    far = one.low if one.bound is Bound.LOWER else one.high
    return Predicted(far, far, far, one.bound) if prediction.bounded_by else one


def _bound_rows(prediction: Prediction) -> Iterator[tuple[str, str]]:
    """Bounds of rate and time, and the limit that would be the next bottleneck."""
    waits, time_s = prediction.traffic.waits, prediction.transaction_time_s
    (bound, best), text_of = bounds_of(prediction), _per_second if waits else rate_text
    text, *rest = predicted_text(bound, text_of).partition(" (")
    if best is not None:
        text += f" on average over hashes, <= {text_of(best)} in a run whose flows are spread best"
    yield "transactions" if waits else "throughput", text + "".join(rest)
    if time_s is not None:
        yield "time", f"{predicted_text(shown_bound(prediction, time_s), timed)} for a transaction"
    between = prediction.path.distance
    if between is not None and between.round_trip_s is not None:
        yield "round trip", f"{timed(float(between.round_trip_s))} without queues"
    bound_bps = shown_bound(prediction, prediction.throughput_bps).value
    others = {
        name: rate.numbers()
        for name, rate in prediction.limit_rates_bps.items()
        if name not in binding_names(prediction) and isfinite(rate.value)
    }
    if others and isfinite(bound_bps) and bound_bps > 0:
        name, rate = min(others.items(), key=lambda each: each[1].value)
        than = "this bound" if prediction.bounded_by else "that of the bottleneck"
        times = f"{number_text(rate.value / bound_bps)} times {than}"
        yield "next", f"{name} at {rate.bound.sign}{rate_text(rate.value)}, {times}"


def bounds_of(prediction: Prediction) -> tuple[Predicted[float], float | None]:
    """Return the bound of the rate, and that of each run where the first is a mean over hashes."""
    rate, best_bps = prediction.throughput_bps, prediction.best_throughput_bps
    own = prediction.transaction_rate_tps if prediction.traffic.waits else rate
    bound, best = shown_bound(prediction, own), None
    if best_bps is not None and bound.bound is not Bound.MEAN:
        best = float(best_bps) * bound.value / float(rate.value)
    return bound, best if best and number_text(best) != number_text(bound.value) else None


def _cpu_rows(prediction: Prediction, side: Side) -> Iterator[tuple[str, str]]:
    """CPUs of a side that are busy, and CPU cost: of requests per transaction, else per Gbit."""
    busy, cost = prediction.cpu_busy[side], prediction.cpu_us_per_gbit[side]
    if busy is None or cost is None:
        return
    expected, time_s = prediction.cpu_busy_expected[side], prediction.cpu_s_per_transaction[side]
    text = predicted_text(busy.numbers(), number_text)
    if expected is not None:
        # the range of the bound is left to the JSON
        most = f"{busy.bound.sign}{number_text(float(busy.value))}"
        text = f"{predicted_text(expected.numbers(), number_text)} expected, {most}"
    costs = f"{predicted_text(cost.numbers(), number_text)} µs/Gbit of both directions"
    if prediction.traffic.waits and time_s is not None:
        costs = f"{predicted_text(time_s.numbers(), timed)} of CPU per transaction"
    for pool in prediction.path.pools:
        if pool.side is side and pool.cost is not None:
            exchanged_bytes = float(prediction.traffic.exchanged_bytes)
            costs = f"given as {pool.cost.conversion_text(exchanged_bytes)}"
    parts = prediction.cpu_parts[side] or {}
    of_parts = ", ".join(
        f"{name} {fixed_percent(float(part.share_ratio), 0)}" for name, part in parts.items()
    )
    yield f"{side.value} CPUs", f"{text} busy; {costs}{f': {of_parts}' if len(parts) > 1 else ''}"


def _per_second(rate_tps: float) -> str:
    return f"{number_text(rate_tps)} /s" if isfinite(rate_tps) else "no limit"


def timed(time_s: float) -> str:
    """Return a time with its unit; infinite ones are not known."""
    return format_time(time_s, RESULT_DIGITS) if isfinite(time_s) else "not known"


def published_rows(prediction: Prediction, is_full: bool = True) -> Iterator[tuple[str, str]]:
    """
    Return lead and text of each printed figure or ratio of the case, then of the nearest ones.

    Parameters
    ----------
    prediction : Prediction
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
    ('published', 'throughput 44 % lower than with RoCE (adapter document, slide 20)')
    """
    known, left = prediction.beside(), 0
    answer = "" if is_full else known.rate
    own = [each for each in known.figures if not (answer and each.text.endswith(answer))]
    for lead, figures in (("published", own), ("also published", known.others)):
        is_near = figures is known.others
        count = _PUBLISHED_COUNT if is_full else 0 if is_near and known.figures else _FEW
        for each in figures[:count]:
            # after the place stands what differs, and after that how the figure is to be read
            figure, end, rest = row_text(each).partition("); ")
            parts = [figure + end[:1], *rest.split("; ")]
            yield lead, "; ".join(filter(None, parts if is_full else parts[: 1 + is_near]))
        left += len(figures[count:])
    if left:
        yield "", f"{left} more: netmodel published lists them"


_FEW = 2
"""Printed figures in an answer of one screen."""
_PUBLISHED_COUNT = 3
"""Printed figures below an answer: as many as a reader takes in."""
