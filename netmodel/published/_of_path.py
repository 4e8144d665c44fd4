"""Predictions with what is published of their case: a tighter bound, its figures, the nearest."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import inf, nan
from typing import TYPE_CHECKING, Any, NamedTuple

from netmodel._kept import Once
from netmodel._numeric import (
    ROUNDING_RATIO,
    FloatOrArray,
    holds_somewhere,
    is_array,
    is_symbol,
    require_one,
    where,
)
from netmodel._numpy import np
from netmodel.consumption import Side
from netmodel.consumption.cost import CpuCost
from netmodel.errors import ContradictionError
from netmodel.estimates import Bound, Predicted
from netmodel.framing import tcp_stack
from netmodel.path import Prediction, SpecifiedPath, Traffic, Unbounded, predict_path
from netmodel.path._limits import Beside, Capacity, PathLimit, Published
from netmodel.path._settings import settings_of
from netmodel.path._uncertain import Parameter, mapped
from netmodel.published._answers import (
    GBPS_OF_UNIT,
    Answer,
    Matches,
    answer,
    is_tested,
    nearest,
    of_case,
    points_of,
    printed_of,
)
from netmodel.published._rows import ABOUT_RATIO, Case, Condition, rows, with_implied
from netmodel.records import record, workload
from netmodel.records.files import record_files
from netmodel.units import BITS_PER_BYTE
from netmodel.units._prefixes import BITS_PER_GBIT, KILO, MEBI, MILLI

if TYPE_CHECKING:
    from netmodel.path._expected_rate import Expected

_RATES = ("throughput", "transaction_rate")
_ENDS = ("client", "server")
_BOUNDS = {
    **dict.fromkeys(("more", "at_least"), (Bound.LOWER, "at least this: ")),
    **dict.fromkeys(("less", "at_most"), (Bound.UPPER, "at most this: ")),
}
"""On which side of a cost that of the case lies, by the relation of the printed ratio."""
_OF_STAGES = ("path", "load", "zero_load", "limits", "outside_validity")
"""What of a prediction follows from the times of its stages."""
_SHOWN = 3
"""Nearest figures that stand below an answer: as many as a reader takes in."""


class _Point(NamedTuple):
    """What is published of one MTU and number of connections, and where these are in arrays."""

    case: Case
    place: Any
    rates: Sequence[Answer]


def with_published(prediction: Prediction, path: SpecifiedPath) -> Prediction:
    """
    Return a prediction with the bound that a printed ratio sets in one step, and printed figures.

    Parameters
    ----------
    prediction : Prediction
        Of any numbers of connections and MTUs, as `netmodel.path.predict_path` returns it.
    path : SpecifiedPath
        Adapters at both ends, or a path of the catalog.

    Returns
    -------
    prediction : Prediction
        The same object where no document prints anything of the case.

    Examples
    --------
    >>> from netmodel.path import predict_path, workload_traffic
    >>> from netmodel.records import adapter
    >>> osa = adapter("osa-express7s-25gbe")
    >>> path, load = SpecifiedPath(osa, osa), workload("rr1c-200x30k")
    >>> alone = predict_path(path.path(load.sender), workload_traffic(load, 1), 1500)
    >>> known = with_published(alone, path)
    >>> [round(each.throughput_bps.value / 1e9, 2) for each in (alone, known)]
    [12.28, 8.39]
    >>> known.bounded_by
    'RoCE is 2.8 times as fast (adapter document, slide 20) and its line carries 23.49'
    """
    case, traffic = case_of(path, prediction.traffic), prediction.traffic
    is_symbolic = any(map(is_symbol, (prediction.mtu_bytes, traffic.connection_count)))
    # no document has figures with a tunnel or with other headers
    is_plain = prediction.stack == tcp_stack() or (case or {}).get("protocol") == "smc-r"
    points = list(_points(case, prediction)) if case and is_plain and not is_symbolic else []
    if not points:
        return prediction
    prediction = _with_printed_costs(prediction, points)
    return replace(
        prediction,
        published_limit=_limit(points, prediction),
        known_expected=Once(lambda: _expected(points, prediction) or prediction.known_expected()),
        beside=Once(lambda: _beside(points[0], prediction)),
    )


def unbounded(path: SpecifiedPath, traffic: Traffic, mtu_bytes: float | None) -> Unbounded:
    """Return the printed ratios of a case whose path has no line and no known limit."""
    assert path.record is not None
    case, settings = _one_case_of(path, traffic, mtu_bytes), tuple(settings_of([path.record]))
    beside = Once(lambda: Beside(found=Once(lambda: _figures(case)) if case else None))
    return Unbounded(path.record.id, traffic, mtu_bytes, path.record.unknown, settings, beside)


def _points(case: Case, prediction: Prediction) -> Iterator[_Point]:
    """
    Yield what is published of the cases of a prediction; of arrays where it may be something.

    That is where the MTU was tested, and the connections too or others of a series.
    """
    mtu_bytes, traffic = prediction.mtu_bytes, prediction.traffic
    known, count = rows(case), traffic.connection_count
    quantities = _RATES[: 1 + traffic.waits]
    is_one = not (is_array(mtu_bytes) or is_array(count))
    for mtu in _distinct(mtu_bytes):
        of_mtu = {**case, "mtu": mtu}
        if is_one or is_tested(known, "mtu", mtu):
            is_series = is_one or any(points_of(known, of_mtu, each) for each in quantities)
            for number in _distinct(count):
                of_both = of_mtu if number is None else {**of_mtu, "connections": number}
                if is_series or number is None or is_tested(known, "connections", number):
                    place = (mtu_bytes == mtu) & (number is None or count == number)
                    rates = [of_case(known, of_both, each) for each in quantities]
                    yield _Point(of_both, place, rates)


def _distinct(value: FloatOrArray | None) -> list[Any]:
    """Return the different values, as documents print them; nothing is known of NaN."""
    if value is None:
        return [None]
    several = np.unique(value).tolist() if is_array(value) else [value]
    return [int(each) if each == int(each) else each for each in several if each == each]


def _rate(found: Answer, traffic: Traffic) -> Predicted:
    """Return an answer as transactions per second; NaN where it has no such end."""
    bits = BITS_PER_BYTE * float(traffic.payload_bytes)
    of_data = GBPS_OF_UNIT.get(found.unit, nan) * BITS_PER_GBIT / bits
    value, low, high = (nan if x is None else x for x in (found.value, found.low, found.high))
    return Predicted(value, low, high).scaled(1.0 if found.unit == "1/s" else of_data)


def _is_value(found: Answer) -> bool:
    """Return whether an answer is a sure value of the very case."""
    is_figure = found.status in {"printed", "interpolated"} and found.relation in {"equal", "about"}
    return is_figure and found.value is not None and not found.open_conditions and not found.doubt


def _limit(points: Sequence[_Point], prediction: Prediction) -> PathLimit | None:
    """Return the bounds that documents print where they are tighter, infinite elsewhere."""
    bounds = []
    for _, place, rates in points:
        for each in rates:
            is_printed = each.status == "printed" and each.relation in {"at_most", "up_to"}
            rate = _rate(each, prediction.traffic)
            value = rate.high if each.value is None else rate.value
            if (is_printed or each.status in {"one_step", "beyond"}) and value < inf:
                bounds.append((value, place, rate.high, each))
    bounds.sort(key=lambda bound: -bound[0])  # the tightest of a place is written last
    value, high = _filled([(place, (value, high)) for value, place, high, _ in bounds], inf, 2)
    own_tps = prediction.transaction_rate_tps.value * (1 - ROUNDING_RATIO)
    value = where(value < own_tps, value, inf)
    if not holds_somewhere(value < inf):
        return None
    tightest = bounds[-1][-1]
    reason = "" if tightest.status == "beyond" else tightest.text.partition(": ")[2]
    return PathLimit(
        "published",
        (),
        Predicted(value, value, high, Bound.UPPER),
        Once(lambda: Capacity(1, ())),  # in proportion to no parameter of the path
        published=Published(reason or tightest.text, tightest.places),
    )


def _expected(points: Sequence[_Point], prediction: Prediction) -> "Expected | None":
    """Return rates that documents print, or that lie between printed ones; NaN elsewhere."""
    from netmodel.path._expected_rate import expected_of_rate

    traffic, upper = prediction.traffic, prediction.transaction_rate_tps
    firsts = [(place, next(filter(_is_value, rates), None)) for _, place, rates in points]
    known = [(place, each) for place, each in firsts if each is not None]
    if not known or traffic.connection_count is None:
        return None
    rates = [(place, _rate(each, traffic)) for place, each in known]
    ends = _filled([(place, (x.value, x.low, x.high)) for place, x in rates], nan, 3)
    is_between = any(each.status == "interpolated" for _, each in known)
    why = "between printed numbers of connections" if is_between else "one printed figure"
    places = dict.fromkeys(place for _, each in known for place in each.places)
    assumption = f"the path behaves as measured ({'; '.join(places)})"
    return expected_of_rate(Predicted(*ends), upper, traffic, assumption, why)


def _filled(found: Sequence[tuple[Any, Sequence[Any]]], elsewhere: float, count: int) -> list[Any]:
    """Return numbers or arrays with values where they hold, the last of a place."""
    ends: list[Any] = [elsewhere] * count
    for place, values in found:
        ends = [where(place, value, end) for value, end in zip(values, ends, strict=True)]
    return ends


def _with_printed_costs(prediction: Prediction, points: Sequence[_Point]) -> Prediction:
    """
    Return a prediction whose CPU stages take what is printed of them in its very cases.

    All times of a stage are multiplied by one factor, which is 1 where nothing is printed.
    """
    traffic, path, known = prediction.traffic, prediction.path, rows(points[0].case)
    if traffic.connection_count is None or "path" not in points[0].case:
        return prediction
    quantity, unit, scale_s = "cpu_time_per_transaction", "ms", MILLI
    if not traffic.waits:
        quantity, unit = "cpu_consumption", "ms/MB"
        scale_s = MILLI * float(traffic.payload_bytes) / MEBI
    stages = {stage.name: stage for stage in path.stages}
    sides = {stage.name: side.value for side in Side for stage in path.cpu_stages(side)}
    for name in sides.keys() - prediction.partly_known:
        factors = []
        for case, place, _ in points:
            found = of_case(known, {**case, "side": sides[name], "part": name}, quantity)
            if _is_value(found) and found.unit == unit:
                cost_s = scale_s * (found.value or nan)
                factors.append((place, [cost_s / prediction.loads_s[name].value]))
        if factors:
            scaled = partial(_scaled, ratio=_filled(factors, 1.0, 1)[0])
            ways = [way.changed(scaled) for way in (stages[name].to_server, stages[name].to_client)]
            stages[name] = replace(stages[name], to_server=ways[0], to_client=ways[1])
    if all(stages[each.name] is each for each in path.stages):
        return prediction
    costed = replace(path, stages=(*stages.values(),))
    printed = predict_path(costed, traffic, prediction.mtu_bytes, prediction.stack)
    return replace(prediction, **{name: getattr(printed, name) for name in _OF_STAGES})


def _scaled(time_s: Parameter, _: bool, ratio: FloatOrArray) -> Parameter:
    return mapped(time_s, lambda each: each * ratio)


def _beside(point: _Point, prediction: Prediction) -> Beside:
    """
    Return what is printed of a case, and its rate first.

    A figure above what the path carries is of another case, in what its row leaves open.
    """
    if is_array(point.place):
        return Beside()
    most_bps = prediction.throughput_bps.high * (1 + ABOUT_RATIO)
    figures, traffic = Once(lambda: _figures(point.case)), prediction.traffic
    for each in point.rates:
        rate = _rate(each, traffic).scaled(BITS_PER_BYTE * float(traffic.payload_bytes))
        bps = rate.low if each.value is None else rate.value
        if each.status in {"printed", "interpolated"} and not bps > most_bps:
            return Beside(each, None if each.value is None else float(bps), figures)
    return Beside(found=figures)


def _figures(case: Case) -> tuple[Matches, Matches]:
    """Return what is printed of a case, figures before ratios, and the nearest of its rates."""
    known = rows(case)
    figures = {match.row.id: match for match in printed_of(known, case)}
    found = dict(figures)
    for match in (each for quantity in _RATES for each in nearest(known, case, quantity)):
        found.setdefault(match.row.id, match)
    others = [*found.values()][len(figures) :]
    return tuple(figures.values()), tuple(others[:_SHOWN])


# ---- CPU costs of another case


def with_costs_of_case(
    path: SpecifiedPath, traffic: Traffic, mtu_bytes: float | None
) -> SpecifiedPath:
    """
    Return a path whose CPU costs are those of this case, by printed ratios to where they are from.

    Parameters
    ----------
    path : SpecifiedPath
        With a CPU cost of either side that names the conditions of its measurement.
    traffic : Traffic
        Of the question, with one number of connections.
    mtu_bytes : float, optional
        Of the question. [byte]

    Raises
    ------
    ContradictionError
        If there are several numbers of connections.
    """
    if any(map(is_array, (traffic.connection_count, mtu_bytes))):
        raise ContradictionError(
            "a CPU cost that was measured in another case is converted for one number of "
            "connections and one MTU at a time"
        )
    case = _one_case_of(path, traffic, mtu_bytes)
    client, server = (
        _carried(cost, case, side) if cost and cost.case else cost
        for side, cost in zip(Side, (path.client_cost, path.server_cost), strict=True)
    )
    return replace(path, client_cost=client, server_cost=server)


def _carried(cost: CpuCost, case: Case | None, side: Side) -> CpuCost:
    """Return a cost times the printed ratio of its case; unchanged, with the reason, without."""
    measured_with = with_implied(dict(cost.case))
    if case is None:
        why = "unchanged, since no document prints figures of this path and workload"
        return cost.carried_to((1.0, 1.0, 1.0), why)
    if measured_with.items() <= case.items():
        return cost
    asked = {**case, "side": side.value}
    found = answer(asked, "cpu_consumption", {**asked, **measured_with})
    if found.status != "printed":
        words = ", ".join(f"{key} {value}" for key, value in measured_with.items())
        near = [f"; nearest: {match.text}" for match in found.nearest[:1]]
        why = "".join([f"unchanged, since no document prints the ratio to {words}", *near])
        return cost.carried_to((1.0, 1.0, 1.0), why)
    ends, value = [end for end in (found.low, found.high) if end is not None], found.value
    if value is None or found.relation == "up_to":
        value = sum(ends) / len(ends) if ends else 1.0  # words alone leave the cost as a bound
    bound, lead = _BOUNDS.get(found.relation, (Bound.VALUE, ""))
    ends = [value] if lead else [value, *ends]
    return cost.carried_to((value, min(ends), max(ends)), lead + found.text, bound)


# ---- the case of a path


def case_of(path: SpecifiedPath, traffic: Traffic) -> dict[str, Condition] | None:
    """
    Return what documents call a path and its workload; None where no document can print it.

    Parameters
    ----------
    path : SpecifiedPath
        Adapters at both ends or a path, of the catalog. Hosts or records of a user's own, another
        line, and a loss or window between the sites are of no document.
    traffic : Traffic
        Of a workload of the catalog.
    """
    own = SpecifiedPath(path.sender, path.receiver, path.record)
    ends: dict[str, Any] = dict(zip(_ENDS, path.adapters(traffic.sender), strict=True))
    if path.record is not None:
        own, ends = SpecifiedPath(record=path.record), {"path": path.record}
    if path.records != own.records or path.line_rate_bps not in (None, own.own_line_rate_bps):
        return None
    kind = "adapters" if path.record is None else "paths"
    for each in ends.values():  # a record of a user's own may have the id of one of the catalog
        if not record_files(kind, each.id) or record(each.id, kind) != each:
            return None
    between, place = path.distance, {key: each.id for key, each in ends.items()}
    if between is not None:
        distance_m, window, loss = between.distance_m, between.window_bytes, between.loss_ratio
        if not isinstance(distance_m, int | float) or window is not None or loss is not None:
            return None
        place |= {"km": distance_m / KILO, "protocol": between.protocol.value}
    name = traffic.name.partition(" of ")[0]  # behind it a size within the range of the record
    if not record_files("workloads", name) or traffic.think_time_s:
        return None
    load = workload(name)
    sizes = (traffic.request_bytes, traffic.response_bytes)
    bounds = (load.request_bytes_bounds, load.response_bytes_bounds)
    for size, (low, high) in zip(sizes, bounds, strict=True):
        if not isinstance(size, int | float) or not low <= size <= high:
            return None
    return with_implied({**place, "workload": name})


def _one_case_of(
    path: SpecifiedPath, traffic: Traffic, mtu_bytes: float | None
) -> dict[str, Condition] | None:
    """Return the same with one MTU and number of connections, as far as they are known."""
    case = case_of(path, traffic)
    numbers = {"mtu": mtu_bytes, "connections": traffic.connection_count}
    known = {key: require_one(key, each) for key, each in numbers.items() if each is not None}
    return case and {
        **case,
        **{key: value for key, each in known.items() for value in _distinct(each)},
    }
