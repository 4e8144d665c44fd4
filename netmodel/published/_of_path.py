"""Predictions with what is published of their case: a tighter bound, its figures, the nearest."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial
from math import inf, nan
from typing import Any

from netmodel.consumption import Side
from netmodel.consumption.cost import CpuCost
from netmodel.estimates import ABOUT_RATIO, Bound, Predicted
from netmodel.framing import Stack, tcp_stack
from netmodel.kept import Once
from netmodel.lazy_numpy import np
from netmodel.numeric import FULL_RATIO, holds_somewhere, is_array, maximum, require_one, where
from netmodel.path import Path, Prediction, SpecifiedPath, Traffic
from netmodel.path.limits import PUBLISHED, PathLimit, partly_known
from netmodel.path.prediction import Beside, bounded, unbounded
from netmodel.path.response import Expected, expected_of_rate
from netmodel.path.traffic import least, load_of
from netmodel.published import rows
from netmodel.published._answers import Answer, answer, in_series, look_up, nearest, of_case, values
from netmodel.records import workload
from netmodel.records.files import record_files
from netmodel.units.prefixes import BITS_PER_BYTE, BITS_PER_GBIT, MEBI, MILLI

_LEAST, _MOST = (Bound.LOWER, "at least this: "), (Bound.UPPER, "at most this: ")
_BOUND = {"more": _LEAST, "at_least": _LEAST, "less": _MOST, "at_most": _MOST}
"""On which side of a cost that of the case lies, by the relation of the printed ratio."""


def predicted(
    path: SpecifiedPath,
    traffic: Traffic,
    mtu_bytes: Any,
    stack: Stack | None = None,
    sending: Side | None = None,
    *,
    physics_only: bool = False,
) -> Prediction:
    """
    Predict a workload on a path, with the figures that documents print for this case.

    Printed CPU times are those of the stages, a printed ratio bounds the rate in one step, and a
    printed rate is the expected one.

    Parameters
    ----------
    path : SpecifiedPath
        Adapters at both ends, or a path of the catalog. A CPU cost that was measured in another
        case is multiplied by the printed ratio of the two cases.
    traffic : Traffic
        What is exchanged, over any numbers of connections.
    mtu_bytes : float or array_like
        Largest packet of the innermost interface. [byte]
    stack : Stack, optional
        All headers; TCP over IPv4 over Ethernet when left out.
    sending : Side, optional
        That which sends more of all traffic; of this traffic when left out.
    physics_only : bool
        True leaves out everything published, except costs that are carried from another case.

    Returns
    -------
    prediction : Prediction
        That of the path alone where no document prints anything of the case.

    Raises
    ------
    DomainError
        If a cost of another case is asked for at several MTUs or numbers of connections.

    Examples
    --------
    >>> from netmodel.path import workload_traffic
    >>> from netmodel.records import adapter
    >>> osa, load = adapter("osa-express7s-25gbe"), workload("rr1c-200x30k")
    >>> known = predicted(SpecifiedPath(osa, osa), workload_traffic(load, 1), 1500)
    >>> round(known.throughput_bps.value / 1e9, 2)
    8.39
    >>> known.bounded_by
    'RoCE is 2.8 times as fast (adapter document, slide 20) and its line carries 23.49'
    >>> for count in (50, None):  # with none named, at a number that reaches it
    ...     known = predicted(SpecifiedPath(osa, osa), workload_traffic(load, count), 1500)
    ...     print(known.beside().rate_bps)
    13000000000.0
    13000000000.0
    """
    case = None if physics_only else case_of(path, traffic, stack)
    if path.record and path.is_unbounded and path.distance is None:
        prediction = unbounded(path.record, traffic, mtu_bytes)
    else:
        composed = _with_costs_of_case(path, traffic, mtu_bytes).path_of(traffic, sending)
        composed, load = load_of(composed, traffic, mtu_bytes, stack or tcp_stack())
        if case and "path" in case and traffic.connection_count is not None:
            composed = _with_printed_costs(case, composed, load)
        prediction = bounded(composed, load)
    return _with_published(prediction, case) if case else prediction


def _with_published(prediction: Prediction, case: rows.Case) -> Prediction:
    """Return a prediction with the bound that documents print, its expected value, and figures."""
    traffic = prediction.traffic
    quantities = rows.RATES[: 1 + traffic.waits] if prediction.limits else ()
    answers, (value, high, line, *rate) = _known(case, prediction.load, quantities)
    if any(x.relation == "line" for x in answers):  # the limits below are not those of runs
        low = line * FULL_RATIO
        reached = (x for x in prediction.limits if holds_somewhere(x.rate.value >= low))
        cut = ((x, x.rate.mapped(partial(where, x.rate.value < low, inf))) for x in reached)
        # no parameters leave less than a run reached
        limits = tuple(replace(x, rate=rate.mapped(partial(maximum, line))) for x, rate in cut)
        prediction = replace(prediction, limits=limits)
    is_tighter = value < prediction.transaction_rate_tps.value * FULL_RATIO
    limit = None
    if holds_somewhere(is_tighter):
        best = min(answers, key=lambda each: _numbers([each], traffic))
        why = {"one_step": best.text.partition(": ")[2], "interpolated": "printed neighbours"}
        value = where(is_tighter, value, inf)
        bound = Predicted(value, value, high, Bound.UPPER)
        limit = PathLimit(PUBLISHED, bound, value, published=why.get(best.status, best.text))
    expected = Once(partial(_expected, Predicted(*rate), answers, prediction))
    figures = Once(partial(_beside, case, answers, prediction))
    return replace(prediction, published_limit=limit, known_expected=expected, beside=figures)


def _known(case: rows.Case, load: Any, quantities: Sequence[str]) -> tuple[list[Answer], Any]:
    """
    Return what is published of a case, and its numbers.

    Of arrays, that of each MTU and number of connections: those that no document has are looked
    up as one, and in a series those between the same printed numbers.
    """
    mtu_bytes, (count, at) = load.mtu_bytes, load.traffic.distinct_counts
    answers, known = list[Answer](), rows.about(case)

    def numbers(mtu_bytes: Any, count: Any, counts: Any = None) -> tuple[Any, ...]:
        one = with_numbers(case, mtu_bytes, count)
        answers.extend(found := [of_case(known, tuple(one.items()), x) for x in quantities])
        if counts is not None:  # of others than physics
            found = [in_series(known, one, x.quantity, counts) or x for x in found if x.places]
        return _numbers(found, load.traffic)

    if not (is_array(mtu_bytes) or is_array(count)):
        return answers, numbers(mtu_bytes, count)
    each = np.nan_to_num(np.atleast_1d(np.array(count, float)))
    mtus, printed = ([-inf, *sorted(values(known, x)), inf] for x in ("mtu", "connections"))
    of_mtu = sum(place * (mtu_bytes == mtu) for place, mtu in enumerate(mtus[1:-1], 1))
    # odd between two printed numbers
    places = np.searchsorted(printed, each) + np.searchsorted(printed, each, "right") - 1
    nothing = _numbers((), load.traffic)
    result = np.full((len(each), len(mtus), 6), nothing).T
    codes = np.ravel(of_mtu * 2 * len(printed) + places[at])
    for code in np.flatnonzero(np.bincount(codes)).tolist():
        row, place = divmod(code, 2 * len(printed))
        one = None if count is None else (printed[place // 2] + printed[(place + 1) // 2]) / 2
        for part, of_part in enumerate(numbers(mtus[row], one, each[places == place])):
            result[part, row, places == place] = of_part
    is_known, index = any(x.places for x in answers), of_mtu * len(each) + at
    return answers, result.reshape(6, -1).take(index, axis=1) if is_known else nothing


def _numbers(answers: Sequence[Answer], traffic: Traffic) -> tuple[Any, ...]:
    """
    Return the bound to quote, its far end, line speed, and the sure value.

    The bound to quote is that far end too, but of one step its value by the printed digits.

    In transactions per second, or of a CPU cost in seconds; infinite where no bound is printed,
    -infinite where line speed is not, NaN where no value is.
    """
    bounds, line, known = [(inf, inf)], -inf, (nan, nan, nan)
    for each in (x for x in answers if x.status not in {"physics", "not_published"}):
        scale, ends = _scale(each.unit, traffic), (each.value, each.low, each.high)
        value, low, high = (nan if end is None else end * scale for end in ends)
        if each.relation in {"at_most", "up_to"} or each.status == "interpolated":
            bounds.append((value if each.status == "one_step" else high, high))
        elif each.relation == "line" and each.value:
            line = value
        if each.is_value:
            known = value, low, high
    return *map(least, zip(*bounds, strict=True)), line, *known


def _scale(unit: str, traffic: Traffic) -> float:
    """Return the transactions per second, or the seconds, of a unit; NaN of other units."""
    size_bytes = float(traffic.payload_bytes)
    # MB is read as 2**20 byte, as flat rates at line speed show
    per_s = {"Gbit/s": BITS_PER_GBIT / BITS_PER_BYTE, "MB/s": MEBI}.get(unit, nan) / size_bytes
    return {"1/s": 1.0, "ms": MILLI, "ms/MB": MILLI * size_bytes / MEBI}.get(unit, per_s)


def with_numbers(case: rows.Case, mtu_bytes: Any, count: Any) -> rows.Case:
    """Return a case with MTU and connections as documents print them, as far as they are known."""
    given = {"mtu": mtu_bytes, "connections": count}
    return {**case, **{key: x for key, x in given.items() if x is not None and x == x}}


def _expected(rate: Predicted, answers: list[Answer], prediction: Prediction) -> Expected | None:
    """Return printed rates, or those between printed ones; else the expected value of the path."""
    traffic, known = prediction.traffic, [each for each in answers if each.is_value]
    if traffic.connection_count is None or not known:
        return prediction.known_expected()
    is_between = any(each.status == "interpolated" for each in known)
    why = "between printed numbers of connections" if is_between else "one printed figure"
    places = dict.fromkeys(place for each in known for place in each.places)
    assumption = f"the path behaves as measured ({'; '.join(places)})"
    return expected_of_rate(rate, prediction.transaction_rate_tps, traffic, assumption, why)


def _beside(case: rows.Case, answers: Sequence[Answer], prediction: Prediction) -> Beside:
    """
    Return the printed rows of a case, its rate first, figures before ratios, and the nearest.

    A figure above what the path carries is of another case, in what its row leaves open.
    """
    traffic, mtu_bytes = prediction.traffic, prediction.mtu_bytes
    if is_array(mtu_bytes) or is_array(traffic.connection_count):
        return Beside()
    rest = _rows_beside(tuple(with_numbers(case, mtu_bytes, traffic.connection_count).items()))
    for each in [x for x in answers if x.status in {"printed", "interpolated"}]:
        rate_tps = _scale(each.unit, traffic) * (each.value or each.low or nan)
        if not rate_tps > prediction.transaction_rate_tps.high * (1 + float(ABOUT_RATIO)):
            rate_bps = rate_tps * BITS_PER_BYTE * float(traffic.payload_bytes)
            return Beside(each.text, rate_bps if each.value else None, *rest)
    return Beside("", None, *rest)


@lru_cache
def _rows_beside(conditions: tuple[tuple[str, Any], ...]) -> tuple[Any, Any]:
    """Return the rows of a case, figures before ratios, and the nearest rates, its kind first."""
    known = rows.about(case := dict(conditions))
    names = {x.quantity for x in known} & set().union(*rows.said_once()["families"])
    found = (x for q in names for y in (None, dict[str, Any]()) for x in look_up(known, case, q, y))
    own = [x for x in found if not (x.is_converted or rows.PLACES.isdisjoint({*x.of, *x.against}))]
    figures = {row.id: row for row in sorted(own, key=lambda x: (bool(x.against), x.rank))}
    near = [row for quantity in rows.RATES for row in nearest(known, case, quantity)]
    # those of other numbers of connections, which the answer has, last
    near.sort(key=lambda x: (x.differs == ("connections",) and x.unit == "1/s", x.distance(case)))
    # and after them requests beside a stream, or streams beside requests
    other = {not workload(str(case["workload"])).is_stream}
    near.sort(key=lambda x: other == {workload(str(y)).is_stream for y in x.of.get("workload", ())})
    return tuple(figures.values()), tuple(near[:3])  # as many near ones as a reader takes in


# ---- CPU costs


def _with_printed_costs(case: rows.Case, path: Path, load: Any) -> Path:
    """
    Return a path whose CPU stages have the printed cost of this case.

    The ratio of a stage is 1 where nothing is printed.
    """
    asked = "cpu_time_per_transaction" if load.traffic.waits else "cpu_consumption"
    stages = {stage.name: stage for stage in path.stages}
    unknown = partly_known(path, load.counts, load.traffic.waits)
    known = [(each, of) for of in Side for each in path.cpu_stages(of) if each.name not in unknown]
    for stage, side in known:
        cost_s = _known({**case, "side": side.value, "part": stage.name}, load, [asked])[1][3]
        if holds_somewhere(cost_s == cost_s):
            ratio = where(cost_s == cost_s, cost_s / load.time_of([stage]).quoted, 1.0)
            stages[stage.name] = replace(stage, ratio=ratio)
    return replace(path, stages=tuple(stages.values()))


def _with_costs_of_case(path: SpecifiedPath, traffic: Traffic, mtu_bytes: Any) -> SpecifiedPath:
    """Return a path whose CPU costs are those of this case, by printed ratios to their own."""
    costs = (path.client_cost, path.server_cost)
    if not any(cost and cost.case for cost in costs):
        return path
    given = {"mtu_bytes": mtu_bytes, "connections": traffic.connection_count}
    at = [None if each is None else require_one(name, each) for name, each in given.items()]
    own = case_of(path, traffic, None)
    case = with_numbers(own, *at) if own else {}
    client, server = map(partial(_carried, case), Side, costs)
    return replace(path, client_cost=client, server_cost=server)


def _carried(case: rows.Case, side: Side, cost: CpuCost | None) -> CpuCost | None:
    """Return a cost times the printed ratio of its case; unchanged, with the reason, without."""
    quantity, measured = "cpu_consumption", rows.with_implied(dict(cost.case) if cost else {})
    if cost is None or all({**rows.USUAL_CASE, **case}.get(k) == x for k, x in measured.items()):
        return cost
    asked = {**case, "side": side.value}
    found = answer(asked, quantity, {**asked, **measured}) if case else Answer(quantity)
    if found.status != "printed":
        near = "".join(f"; nearest: {row.text}" for row in found.nearest[:1])
        why = f"unchanged, since no document prints the ratio to {rows.words_of(measured)}{near}"
        return cost.carried_to((1.0, 1.0, 1.0), why)
    ends = [end for end in (found.low, found.high) if end is not None]
    # of words alone their one end, which leaves a bound
    value = found.value if found.value and found.relation != "up_to" else sum(ends) / len(ends)
    bound, lead = _BOUND.get(found.relation, (Bound.VALUE, ""))
    return cost.carried_to((value, ends[0], ends[-1]), lead + found.text, bound)


# ---- the case of a path


def case_of(path: SpecifiedPath, traffic: Traffic, stack: Stack | None) -> rows.Case | None:
    """
    Return the published conditions of a path and workload; None where no document can have them.

    Parameters
    ----------
    path : SpecifiedPath
        Adapters at both ends or a path, of the catalog, without capacities. Hosts or records of a
        user's own, another line, and a loss or window between the sites are of no document.
    traffic : Traffic
        Of a workload of the catalog.
    stack : Stack, optional
        All headers; no document has figures with a tunnel or with other headers.
    """
    case: dict[str, Any] = path.catalog_ids(traffic.sender)
    name = traffic.name.partition(" of ")[0]  # behind it a size within the range of the record
    suits = bool(case and record_files("workloads", name) and not traffic.think_time_s)
    if (far := path.distance) is not None and case:
        case |= {"km": far.distance_km, "protocol": far.protocol}
        suits &= far.window_bytes is far.loss_ratio is None
        suits &= isinstance(far.distance_km, int | float)
    if not (suits and (stack in (None, tcp_stack()) or case.get("protocol") == "smc-r")):
        return None
    load, sizes = workload(name), (traffic.request_bytes, traffic.response_bytes)
    known = zip(sizes, (load.request_bytes_bounds, load.response_bytes_bounds), strict=True)
    is_own = all(isinstance(x, int | float) and low <= x <= high for x, (low, high) in known)
    return rows.with_implied({**case, "workload": name}) if is_own else None
