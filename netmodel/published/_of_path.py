"""Predictions with what is published of their case: a tighter bound, its figures, the nearest."""

from collections.abc import Iterator
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any

from netmodel._estimates import Bound, Predicted
from netmodel._kept import Once
from netmodel._numeric import (
    ROUNDING_RATIO,
    FloatOrArray,
    Floats,
    holds_somewhere,
    is_array,
    is_symbol,
    require_one,
)
from netmodel._numpy import np
from netmodel.consumption import Side
from netmodel.consumption._cost import CpuCost
from netmodel.errors import ContradictionError
from netmodel.framing import tcp_stack
from netmodel.path import (
    Prediction,
    SpecifiedPath,
    Traffic,
    Unbounded,
    predict_path,
)
from netmodel.path._limits import Beside, Capacity, PathLimit, Published
from netmodel.path._settings import settings_of
from netmodel.path._uncertain import Parameter, mapped
from netmodel.published import _bounds, _match
from netmodel.published._answers import Answer, answer, points_of, with_cost_of_case
from netmodel.published._match import Match
from netmodel.published._rows import ABOUT_RATIO, Case, rows, with_implied
from netmodel.records import adapter, path_record, workload
from netmodel.records.files import record_files
from netmodel.units import BITS_PER_BYTE
from netmodel.units._prefixes import BITS_PER_GBIT, KILO, MEBI, MILLI

if TYPE_CHECKING:
    from netmodel.path._expected import Expected

_RATES = ("throughput", "transaction_rate")
_BOUNDS = {
    **dict.fromkeys(("more", "at_least"), Bound.LOWER),
    **dict.fromkeys(("less", "at_most"), Bound.UPPER),
}
"""On which side of a cost that of the case lies, by the relation of the printed ratio."""
_COST_UNITS = {"cpu_time_per_transaction": "ms", "cpu_consumption": "ms/MB"}
"""Units in which documents print the CPU time of parts."""
_OF_STAGES = ("path", "load", "zero_load", "limits", "outside_validity")
"""What of a prediction follows from the times of its stages."""
_SHOWN = 3
"""Nearest figures that stand below an answer: as many as a reader takes in."""


def case_of(path: SpecifiedPath, traffic: Traffic) -> dict[str, Any] | None:
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
    place = _place(path, traffic)
    name = traffic.name.partition(" of ")[0]  # behind it a size within the range of the record
    if place is None or not record_files("workloads", name) or traffic.think_time_s:
        return None
    sizes = (traffic.request_bytes, traffic.response_bytes)
    if any(is_array(each) or is_symbol(each) for each in sizes):
        return None
    record = workload(name)
    bounds = (record.request_bytes_bounds, record.response_bytes_bounds)
    if any(not low <= size <= high for size, (low, high) in zip(sizes, bounds, strict=True)):
        return None
    return {**place, "workload": name}


def _place(path: SpecifiedPath, traffic: Traffic) -> dict[str, Any] | None:
    """Return adapters or path, and the distance, as documents name them."""
    record, between = path.record, path.distance
    place: dict[str, Any] = {}
    if (path.client_host, path.server_host) != (None, None):
        return None
    own = SpecifiedPath(path.sender, path.receiver, record)
    if path.line_rate_bps not in (None, own.own_line_rate_bps):
        return None
    if between is not None:
        known = (between.window_bytes, between.loss_ratio)
        distance_m = between.distance_m
        if known != (None, None) or distance_m is None or is_array(distance_m):
            return None
        place = {"km": float(distance_m) / KILO, "protocol": between.protocol.value}
    if record is not None:
        is_known = bool(record_files("paths", record.id)) and path_record(record.id) == record
        is_whole = (path.sender, path.receiver) == (None, None)
        return {**place, "path": record.id} if is_known and is_whole else None
    for end, card in zip(("client", "server"), path.adapters(traffic.sender), strict=True):
        # an adapter of a user's own may have the id of one of the catalog
        if card is None or not record_files("adapters", card.id) or adapter(card.id) != card:
            return None
        place[end] = card.id
    return place


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
    >>> osa = adapter("osa-express7s-25gbe")
    >>> path, load = SpecifiedPath(osa, osa), workload("rr1c-200x30k")
    >>> alone = predict_path(path.path(load.sender), workload_traffic(load, 1), 1500)
    >>> known = with_published(alone, path)
    >>> [round(each.throughput_bps.value / 1e9, 2) for each in (alone, known)]
    [12.28, 8.39]
    >>> known.bounded_by
    'RoCE is 2.8 times as fast (adapter document, slide 20) and its line carries 23.49'
    """
    numbers = (prediction.mtu_bytes, prediction.traffic.connection_count)
    if any(each is not None and is_symbol(each) for each in numbers):
        return prediction
    case = case_of(path, prediction.traffic)
    # no document has figures with a tunnel or with other headers
    if case is None or not (prediction.stack == tcp_stack() or case.get("protocol") == "smc-r"):
        return prediction
    if any(map(is_array, numbers)):
        prediction = _with_printed_costs(prediction, case)
        expected = Once(lambda: _expected_of_all(case, prediction))
        return replace(
            prediction, published_limit=_limits(case, prediction), known_expected=expected
        )
    if any(each is not None and each != each for each in numbers):
        return prediction  # nothing is known of NaN
    known = {**case, **_numbers(*numbers)}
    prediction = _with_printed_costs(prediction, case)
    found, limit = _bound(known, prediction)
    is_tighter = limit.rate.value < prediction.transaction_rate_tps.value * (1 - ROUNDING_RATIO)
    most_bps = float(prediction.throughput_bps.high)
    return replace(
        prediction,
        published_limit=limit if is_tighter else None,
        known_expected=Once(lambda: _expected(found, prediction) or prediction.known_expected()),
        beside=Once(lambda: _beside(known, found, prediction.traffic, most_bps)),
    )


def unbounded(path: SpecifiedPath, traffic: Traffic, mtu_bytes: float | None) -> Unbounded:
    """Return the printed ratios of a case whose path has no line and no known limit."""
    assert path.record is not None
    case, numbers = case_of(path, traffic), _numbers(mtu_bytes, traffic.connection_count)

    def find() -> Beside:
        return Beside() if case is None else _beside({**case, **numbers}, [], traffic)

    record, settings = path.record, tuple(settings_of([path.record]))
    return Unbounded(record.id, traffic, mtu_bytes, record.unknown, settings, Once(find))


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
    case = case_of(path, traffic)
    if case is not None:
        case |= _numbers(mtu_bytes, traffic.connection_count)
    costs = (path.client_cost, path.server_cost)
    client, server = (
        cost if cost is None or not cost.case else _carried(cost, case, side)
        for side, cost in zip(Side, costs, strict=True)
    )
    return replace(path, client_cost=client, server_cost=server)


def _carried(cost: CpuCost, case: Case | None, side: Side) -> CpuCost:
    """Return a cost times the printed ratio of its case; unchanged, with the reason, without."""
    if case is None:
        text = "unchanged, since no document prints figures of this path and workload"
        return cost.carried_to((1.0, 1.0, 1.0), text)
    measured_with = with_implied(dict(cost.case))
    if all(case.get(key) == value for key, value in measured_with.items()):
        return cost
    found = with_cost_of_case(1.0, measured_with, case, side.value)
    if found.relation == "unchanged":
        near = next((each for each in found.notes if each.startswith("nearest")), "")
        why = f"unchanged, since no document prints the ratio to {_words(measured_with)}"
        return cost.carried_to((1.0, 1.0, 1.0), "; ".join(filter(None, (why, near))))
    ends = [each for each in (found.low, found.high) if each is not None]
    bound, value = _BOUNDS.get(found.relation), found.value
    if value is None or found.relation == "up_to":
        value = sum(ends) / len(ends) if ends else 1.0  # words alone leave the cost as a bound
    if bound is not None:
        words = "at most" if bound is Bound.UPPER else "at least"
        return cost.carried_to((value,) * 3, f"{words} this: {found.text}", bound)
    ratios = (value, min([value, *ends]), max([value, *ends]))
    return cost.carried_to(ratios, found.text)


def _words(case: Case) -> str:
    return ", ".join(f"{key} {value}" for key, value in case.items())


def _numbers(mtu_bytes: FloatOrArray | None, count: FloatOrArray | None) -> dict[str, int | float]:
    """Return one MTU and number of connections as conditions, as far as they are known."""
    given = {"mtu": mtu_bytes, "connections": count}
    known = {key: require_one(key, each) for key, each in given.items() if each is not None}
    return {key: int(each) if each == int(each) else each for key, each in known.items()}


def _bound(case: Case, prediction: Prediction) -> tuple[list[Answer], PathLimit]:
    """Return what is published of the rates of a case, and the tightest bound of it."""
    found = [answer(case, quantity) for quantity in _quantities(prediction.traffic)]
    return found, min((_limit(each, prediction) for each in found), key=lambda x: x.rate.value)


def _limit(found: Answer, prediction: Prediction) -> PathLimit:
    """Return the upper bound of an answer as one of the rate, infinite where it has none."""
    scale = _bps_of(found.unit, prediction.traffic) / _bits(prediction.traffic)
    is_printed_bound = found.status == "printed" and found.relation in {"at_most", "up_to"}
    is_bound = found.status in {"one_step", "beyond"} or is_printed_bound
    value, high = (
        scale * end if is_bound and end is not None else inf for end in (found.value, found.high)
    )
    value = min(value, high)
    reason = found.text
    if found.status != "beyond":
        reason = reason.partition(": ")[2] or reason
    return PathLimit(
        "published",
        (),
        Predicted(value, value, high, Bound.UPPER),
        Once(lambda: Capacity(1, ())),  # in proportion to no parameter of the path
        published=Published(reason, found.places),
    )


def _bits(traffic: Traffic) -> float:
    """Return the payload of a transaction in the direction with more. [bit]"""
    return BITS_PER_BYTE * float(traffic.payload_bytes)


def _bps_of(unit: str, traffic: Traffic) -> float:
    """Return the payload rate of 1 in a unit of rows; infinite for units of other quantities."""
    if unit == "1/s":
        return _bits(traffic)
    return _bounds.GBPS_OF_UNIT.get(unit, inf) * BITS_PER_GBIT


def _limits(case: Case, prediction: Prediction) -> PathLimit | None:
    """Return the bounds of all elements of arrays, infinite where nothing is printed."""
    own_tps = prediction.transaction_rate_tps.value
    known, printed = with_implied(case), rows(case)
    matches = [
        match
        for quantity in _quantities(prediction.traffic)
        for match in (
            *_match.ratios_of(printed, known, quantity),
            *_match.figures(printed, known, quantity)[0],
        )
    ]
    count = prediction.traffic.connection_count
    mtus, counts = np.broadcast_arrays(prediction.mtu_bytes, np.nan if count is None else count)
    ends: tuple[FloatOrArray, FloatOrArray] = (np.full(mtus.shape, inf), np.full(mtus.shape, inf))
    bounds: list[PathLimit] = []
    for mtu, connections in _pairs_of(matches, mtus, counts, has_count=count is not None):
        named = _numbers(mtu, None if count is None else connections)
        _, limit = _bound({**case, **named}, prediction)
        is_there = (mtus == mtu) & ((counts == connections) | (connections != connections))
        is_tighter = is_there & (limit.rate.value < own_tps * (1 - ROUNDING_RATIO))
        if holds_somewhere(is_tighter):
            bounds.append(limit)
            new = (limit.rate.value, limit.rate.high)
            ends = tuple(np.where(is_tighter, *e) for e in zip(new, ends, strict=True))  # type: ignore[assignment]
    if not bounds:
        return None
    rate = Predicted(ends[0], ends[0], ends[1], Bound.UPPER)
    return replace(min(bounds, key=lambda each: float(each.rate.value)), rate=rate)


def _expected(found: list[Answer], prediction: Prediction) -> "Expected | None":
    """Return the rate that documents print of a case, or that lies between printed ones."""
    from netmodel.path._expected import expected_of_rate

    for each in found:
        rate = _rate_tps(each, prediction.traffic)
        if rate is None or prediction.traffic.connection_count is None:
            continue
        is_between = each.status == "interpolated"
        why = "between printed numbers of connections" if is_between else "one printed figure"
        assumption = f"the path behaves as measured ({'; '.join(each.places)})"
        known = (rate, prediction.transaction_rate_tps, prediction.traffic, assumption, why)
        return expected_of_rate(*known)
    return None


def _with_printed_costs(prediction: Prediction, case: Case) -> Prediction:
    """
    Return a prediction whose CPU stages take what is printed of them in its very cases.

    All times of a stage are multiplied by one factor, which is 1 where nothing is printed.
    """
    traffic, count = prediction.traffic, prediction.traffic.connection_count
    if count is None or "path" not in case:
        return prediction
    mtus, counts = np.broadcast_arrays(prediction.mtu_bytes, count)
    stages = {stage.name: stage for stage in prediction.path.stages}
    for side in Side:
        for stage in prediction.path.cpu_stages(side):
            of_part = {**case, "side": side.value, "part": stage.name}
            cost_s = _printed_cost_s(of_part, traffic, mtus, counts)
            if np.isnan(cost_s).all() or stage.name in prediction.partly_known:
                continue
            factor = np.where(np.isnan(cost_s), 1.0, cost_s / prediction.loads_s[stage.name].value)
            ratio = factor if mtus.ndim else float(factor)

            def change(time_s: Parameter, _: bool, ratio: FloatOrArray = ratio) -> Parameter:
                return mapped(time_s, lambda each: each * ratio)

            stages[stage.name] = replace(
                stage,
                to_server=stage.to_server.changed(change),
                to_client=stage.to_client.changed(change),
            )
    if all(stages[each.name] is each for each in prediction.path.stages):
        return prediction
    path = replace(prediction.path, stages=(*stages.values(),))
    printed = predict_path(path, traffic, prediction.mtu_bytes, prediction.stack)
    return replace(prediction, **{name: getattr(printed, name) for name in _OF_STAGES})


def _printed_cost_s(case: Case, traffic: Traffic, mtus: Floats, counts: Floats) -> Floats:
    """
    Return printed CPU times of a transaction; NaN where none is.

    Between two printed numbers of connections as everywhere: on a line of logarithms.
    """
    quantity = "cpu_time_per_transaction" if traffic.waits else "cpu_consumption"
    unit = _COST_UNITS[quantity]
    costs_s = np.full(mtus.shape, np.nan)
    for mtu in np.unique(mtus[~np.isnan(mtus)]).tolist():
        series = with_implied({**case, **_numbers(mtu, None)})
        points = points_of(rows(case), series, quantity)
        found = {n: row.low for n, row in sorted(points.items()) if row.unit == unit and row.low}
        if found and all("part" in row.of for row in points.values()):
            known, costs = np.log([*found]), np.log([*found.values()])
            between = np.interp(np.log(counts), known, costs, left=np.nan, right=np.nan)
            costs_s = np.where(mtus == mtu, np.exp(between), costs_s)
    scale_s = MILLI * (1.0 if traffic.waits else traffic.payload_bytes / MEBI)
    return np.asarray(scale_s * costs_s, dtype=float)


def _rate_tps(found: Answer, traffic: Traffic) -> Predicted[float] | None:
    """Return the rate of an answer that is a value of the very case; None for bounds and words."""
    is_value = found.status in {"printed", "interpolated"} and found.relation in {"equal", "about"}
    is_value = is_value and not found.open_conditions and not found.doubt
    scale = _bps_of(found.unit, traffic) / _bits(traffic)
    if not is_value or found.value is None or scale == inf:
        return None
    low, high = (found.value if end is None else end for end in (found.low, found.high))
    return Predicted(scale * found.value, scale * low, scale * high)


def _expected_of_all(case: Case, prediction: Prediction) -> "Expected | None":
    """Return the expected value of all elements of arrays, NaN where nothing is printed."""
    from netmodel.path._expected import expected_of_rate

    count = prediction.traffic.connection_count
    if count is None:
        return prediction.known_expected()
    mtus, counts = np.broadcast_arrays(prediction.mtu_bytes, count)
    ends = np.full((3, *mtus.shape), np.nan)
    places: dict[str, None] = {}
    figures = [
        match
        for quantity in _quantities(prediction.traffic)
        for match in _match.figures(rows(case), with_implied(case), quantity)[0]
    ]
    for mtu, connections in _pairs_of(figures, mtus, counts, has_count=True, between=True):
        known = {**case, **_numbers(mtu, connections)}
        for each in (answer(known, quantity) for quantity in _quantities(prediction.traffic)):
            rate = _rate_tps(each, prediction.traffic)
            if rate is not None:
                ends[:, (mtus == mtu) & (counts == connections)] = [
                    *([rate.value], [rate.low], [rate.high])
                ]
                places |= dict.fromkeys(each.places)
                break
    if not places:
        return prediction.known_expected()
    assumption = f"the path behaves as measured ({'; '.join(places)})"
    upper, why = prediction.transaction_rate_tps, "between printed numbers of connections"
    return expected_of_rate(Predicted(*ends), upper, prediction.traffic, assumption, why)


def _quantities(traffic: Traffic) -> tuple[str, ...]:
    """Return the quantities of rates that this traffic has."""
    return _RATES[: 1 + traffic.waits]


def _pairs_of(
    matches: list[Match],
    mtus: FloatOrArray,
    counts: FloatOrArray,
    has_count: bool,
    between: bool = False,
) -> Iterator[tuple[float, float]]:
    """Yield the different pairs of MTU and connections of which rows may say something."""
    known = [float(n) for match in matches for n in match.row.of.get("connections", ())]

    def named(match: Match, key: str, value: float) -> bool:
        if between and key == "connections" and known:
            return min(known) <= value <= max(known)
        return value != value or value in match.row.of.get(key, (value,))

    pairs = np.unique(np.stack([np.ravel(mtus), np.ravel(counts)], 1), axis=0).tolist()
    for mtu, count in pairs:
        if mtu != mtu or (has_count and count != count):
            continue  # nothing is known of NaN
        if any(named(each, "mtu", mtu) and named(each, "connections", count) for each in matches):
            yield mtu, count


def _beside(case: Case, found: list[Answer], traffic: Traffic, most_bps: float = inf) -> Beside:
    """
    Return what is printed of a case, figures before ratios, and the nearest of its rates.

    A figure above what the path carries is of another case, in what its row leaves open.
    """
    known, implied = rows(case), with_implied(case)
    of_case = {match.row.id: match for match in _match.printed_of(known, implied)}
    nearest: dict[str, Match] = {}
    for quantity in _RATES:
        for match in _match.nearest(known, implied, quantity):
            nearest.setdefault(match.row.id, match)
    printed = [each for each in found if each.status in {"printed", "interpolated"}]
    rates = [
        (each, (each.value or each.low or 0) * _bps_of(each.unit, traffic)) for each in printed
    ]
    fits = [(each, bps) for each, bps in rates if not bps > most_bps * (1 + ABOUT_RATIO)]
    first, rate_bps = fits[0] if fits else (None, None)
    if first is None or first.value is None:
        rate_bps = None
    others = [match for key, match in nearest.items() if key not in of_case]
    return Beside(first, rate_bps, tuple(of_case.values()), tuple(others[:_SHOWN]))
