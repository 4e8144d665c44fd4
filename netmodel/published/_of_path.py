"""Predictions with what is published of their case: a tighter bound, its figures, the nearest."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, reduce
from math import inf, nan
from typing import Any

from netmodel.consumption import Side
from netmodel.consumption.cost import CpuCost
from netmodel.estimates import ABOUT_RATIO, Bound, Predicted
from netmodel.framing import Stack, tcp_stack
from netmodel.kept import Once
from netmodel.lazy_numpy import np
from netmodel.numeric import ROUNDING_RATIO, holds_somewhere, is_array, minimum, require_one, where
from netmodel.path import Path, Prediction, SpecifiedPath, Traffic
from netmodel.path.ensemble import Parameter, mapped
from netmodel.path.limits import PathLimit, Published, load_of, partly_known
from netmodel.path.prediction import Beside
from netmodel.path.response import Expected, expected_of_rate
from netmodel.published._answers import GBPS_OF_UNIT, Answer, answer, beside, of_each, with_numbers
from netmodel.published._rows import RATES, Case, rows, with_implied
from netmodel.records import record, workload
from netmodel.records.files import record_files
from netmodel.units import BITS_PER_BYTE
from netmodel.units.prefixes import BITS_PER_GBIT, KILO, MEBI, MILLI

_BOUNDS = {
    **dict.fromkeys(("more", "at_least"), (Bound.LOWER, "at least this: ")),
    **dict.fromkeys(("less", "at_most"), (Bound.UPPER, "at most this: ")),
}
"""On which side of a cost that of the case lies, by the relation of the printed ratio."""


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
    traffic = prediction.traffic
    case = case_of(path, traffic, prediction.load.stack)
    if not case:
        return prediction
    at = (prediction.mtu_bytes, traffic.connection_count)
    quantities = RATES[: 1 + traffic.waits] if prediction.limits else ()
    found = [of_each(case, *at, quantity) for quantity in quantities]
    answers = [each for known, _ in found for each in known]
    ends = [*zip(*(_over(*each, partial(_rates, traffic)) for each in found), strict=True)]
    expected = partial(_expected, ends[2:], answers, prediction)
    return replace(
        prediction,
        published_limit=_limit(ends[:2], answers, prediction) if found else None,
        known_expected=Once(lambda: expected() or prediction.known_expected()),
        beside=Once(lambda: _beside(case, answers, prediction)),
    )


def _over(answers: list[Answer], at: Any, ends: Callable[[Answer], Sequence[float]]) -> list[Any]:
    """Return ends of answers as arrays where the cases are arrays."""
    columns = zip(*map(ends, answers), strict=True)
    return [column[0] if at is None else np.array(column)[at] for column in columns]


def _rates(traffic: Traffic, found: Answer) -> tuple[float, ...]:
    """
    Return the bound that an answer is, by printed digits and their far end, and its sure value.

    All in transactions per second; infinite where it is no bound, NaN where it has no sure value.
    """
    scale, ends = _tps(found.unit, traffic), (found.value, found.low, found.high)
    value, low, high = (nan if x is None else x * scale for x in ends)
    is_limit = found.status == "printed" and found.relation in {"at_most", "up_to"}
    is_bound = is_limit or found.status in {"one_step", "beyond"}
    bound = (high if found.value is None else value, high) if is_bound else (inf, inf)
    return (*bound, *((value, low, high) if found.is_value else (nan, nan, nan)))


def _tps(unit: str, traffic: Traffic) -> float:
    """Return the transactions per second of a unit of rates; NaN of other units."""
    bits = BITS_PER_BYTE * float(traffic.payload_bytes)
    return 1.0 if unit == "1/s" else GBPS_OF_UNIT.get(unit, nan) * BITS_PER_GBIT / bits


def _limit(ends: list[Any], answers: list[Answer], prediction: Prediction) -> PathLimit | None:
    """Return the bounds that documents print where they are tighter, infinite elsewhere."""
    value, high = (reduce(minimum, end) for end in ends)
    own_tps = prediction.transaction_rate_tps.value * (1 - ROUNDING_RATIO)
    value = where(value < own_tps, value, inf)
    if not holds_somewhere(value < inf):
        return None
    tightest = min(answers, key=partial(_rates, prediction.traffic))
    reason = "" if tightest.status == "beyond" else tightest.text.partition(": ")[2]
    published = Published(reason or tightest.text, tightest.places)
    rate = Predicted(value, value, high, Bound.UPPER)
    return PathLimit("published", rate, published=published)


def _expected(ends: list[Any], answers: list[Answer], prediction: Prediction) -> Expected | None:
    """Return rates that documents print, or that lie between printed ones; NaN elsewhere."""
    traffic, known = prediction.traffic, [each for each in answers if each.is_value]
    if traffic.connection_count is None or not known:
        return None
    rate = Predicted(*(reduce(lambda x, other: where(x == x, x, other), end) for end in ends))
    is_between = any(each.status == "interpolated" for each in known)
    why = "between printed numbers of connections" if is_between else "one printed figure"
    places = dict.fromkeys(place for each in known for place in each.places)
    assumption = f"the path behaves as measured ({'; '.join(places)})"
    upper = prediction.transaction_rate_tps
    return expected_of_rate(rate, upper, traffic, assumption, why)


def _beside(case: Case, answers: Sequence[Answer], prediction: Prediction) -> Beside:
    """
    Return what is printed of a case, and its rate first.

    A figure above what the path carries is of another case, in what its row leaves open.
    """
    traffic, mtu_bytes = prediction.traffic, prediction.mtu_bytes
    if is_array(mtu_bytes) or is_array(traffic.connection_count):
        return Beside()
    one = with_numbers(case, mtu_bytes, traffic.connection_count)
    known = beside(rows(one), one)
    most_bps = prediction.throughput_bps.high * (1 + float(ABOUT_RATIO))
    for each in answers:
        bps = _tps(each.unit, traffic) * BITS_PER_BYTE * float(traffic.payload_bytes)
        least = each.low if each.value is None else each.value
        if each.status in {"printed", "interpolated"} and not bps * (least or nan) > most_bps:
            return Beside(each.text, None if each.value is None else bps * each.value, *known)
    return Beside("", None, *known)


# ---- CPU costs


def with_printed_costs(
    path: Path, specified: SpecifiedPath, traffic: Traffic, mtu_bytes: Any, stack: Stack
) -> Path:
    """
    Return a path whose CPU stages take what is printed of them in the very cases.

    All times of a stage are multiplied by one factor, which is 1 where nothing is printed.

    Parameters
    ----------
    path : Path
        Stages of the specified path.
    specified : SpecifiedPath
        Of records, as documents name them.
    traffic, mtu_bytes, stack
        Of the prediction.
    """
    case, count = case_of(specified, traffic, stack), traffic.connection_count
    if not case or "path" not in case or count is None:
        return path
    path, load = load_of(path, traffic, mtu_bytes, stack)
    quantity = "cpu_time_per_transaction" if traffic.waits else "cpu_consumption"
    scales_s = {"ms": MILLI, "ms/MB": MILLI * float(traffic.payload_bytes) / MEBI}

    def cost_of(found: Answer) -> Sequence[float]:
        return [scales_s.get(found.unit, nan) * (found.value or nan) if found.is_value else nan]

    stages, unknown = [*path.stages], partly_known(path, load.counts, traffic.waits)
    known = [(each, of) for of in Side for each in path.cpu_stages(of) if each.name not in unknown]
    for stage, side in known:
        of_stage = {**case, "side": side.value, "part": stage.name}
        (cost_s,) = _over(*of_each(of_stage, load.mtu_bytes, count, quantity), cost_of)
        if holds_somewhere(cost_s == cost_s):
            ratio = where(cost_s == cost_s, cost_s / load.time_of([stage]).quoted, 1.0)
            stages[stages.index(stage)] = stage.changed(partial(_scaled, ratio=ratio))
    return replace(path, stages=tuple(stages))


def _scaled(parameter: Parameter, ratio: Any) -> Parameter:
    """Return a time that is multiplied."""
    return mapped(parameter, lambda each: each * ratio)


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
    DomainError
        If there are several MTUs or numbers of connections.
    """
    case = case_of(path, traffic)
    given = {"mtu_bytes": mtu_bytes, "connections": traffic.connection_count}
    at = [None if each is None else require_one(name, each) for name, each in given.items()]
    client, server = (
        _carried(cost, case and with_numbers(case, *at), side) if cost and cost.case else cost
        for side, cost in zip(Side, (path.client_cost, path.server_cost), strict=True)
    )
    return replace(path, client_cost=client, server_cost=server)


def _carried(cost: CpuCost, case: Case | None, side: Side) -> CpuCost:
    """Return a cost times the printed ratio of its case; unchanged, with the reason, without."""
    quantity, measured_with = "cpu_consumption", with_implied(dict(cost.case))
    if case and measured_with.items() <= case.items():
        return cost
    asked = {**(case or {}), "side": side.value}
    found = answer(asked, quantity, {**asked, **measured_with}) if case else Answer(quantity)
    if found.status != "printed":
        words = ", ".join(f"{key} {value}" for key, value in measured_with.items())
        near = "".join(f"; nearest: {row.text}" for row in found.nearest[:1])
        why = f"unchanged, since no document prints the ratio to {words}{near}"
        return cost.carried_to((1.0, 1.0, 1.0), why)
    ends, value = [end for end in (found.low, found.high) if end is not None], found.value
    if value is None or found.relation == "up_to":
        value = sum(ends) / len(ends) if ends else 1.0  # words alone leave the cost as a bound
    bound, lead = _BOUNDS.get(found.relation, (Bound.VALUE, ""))
    ends = [value] if lead else [value, *ends]
    return cost.carried_to((value, min(ends), max(ends)), lead + found.text, bound)


# ---- the case of a path


def case_of(path: SpecifiedPath, traffic: Traffic, stack: Stack | None = None) -> Case | None:
    """
    Return what documents call a path and its workload; None where no document can print it.

    Parameters
    ----------
    path : SpecifiedPath
        Adapters at both ends or a path, of the catalog. Hosts or records of a user's own, another
        line, and a loss or window between the sites are of no document.
    traffic : Traffic
        Of a workload of the catalog.
    stack : Stack, optional
        All headers; no document has figures with a tunnel or with other headers.
    """
    own, kind = SpecifiedPath(path.sender, path.receiver, path.record), "adapters"
    client, server = path.adapters(traffic.sender)
    ends: dict[str, Any] = {"client": client, "server": server}
    if path.record is not None:
        own, kind, ends = SpecifiedPath(record=path.record), "paths", {"path": path.record}
    case, between = {key: each.id for key, each in ends.items()}, path.distance
    if between is not None:
        distance_m, window, loss = between.distance_m, between.window_bytes, between.loss_ratio
        if not isinstance(distance_m, int | float) or window is not None or loss is not None:
            return None
        case |= {"km": distance_m / KILO, "protocol": between.protocol.value}
    name = traffic.name.partition(" of ")[0]  # behind it a size within the range of the record
    if not (
        path.records == own.records
        and path.line_rate_bps in (None, own.own_line_rate_bps)
        # a record of a user's own may have the id of one of the catalog
        and all(record_files(kind, x.id) and record(x.id, kind) == x for x in ends.values())
        and (stack in (None, tcp_stack()) or case.get("protocol") == "smc-r")
        and (record_files("workloads", name) and not traffic.think_time_s)
    ):
        return None
    load = workload(name)
    request = (traffic.request_bytes, *load.request_bytes_bounds)
    response = (traffic.response_bytes, *load.response_bytes_bounds)
    for size, low, high in (request, response):
        if not (isinstance(size, int | float) and low <= size <= high):
            return None
    return with_implied({**case, "workload": name})
