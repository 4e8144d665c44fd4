"""Predictions with what is published of their case: a tighter bound, its figures, the nearest."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from math import inf, isnan, nan
from operator import attrgetter
from typing import Any

from netmodel.consumption import Side
from netmodel.consumption.cost import CpuCost
from netmodel.estimates import ABOUT_RATIO, Bound, Predicted
from netmodel.framing import Stack, tcp_stack
from netmodel.kept import Once
from netmodel.lazy_numpy import np
from netmodel.numeric import ROUNDING_RATIO, holds_somewhere, is_array, require_one, where
from netmodel.path import Path, Prediction, SpecifiedPath, Traffic
from netmodel.path.cpu_cost import partly_known
from netmodel.path.ensemble import Parameter, mapped
from netmodel.path.limits import PathLimit, Published, load_of
from netmodel.path.prediction import Beside
from netmodel.path.response import Expected, expected_of_rate
from netmodel.published._answers import GBPS_OF_UNIT, Answer, answer, may_be_known, of_case
from netmodel.published._look_up import beside, is_tested
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
    case = case_of(path, traffic, prediction.stack)
    if not case:
        return prediction
    at = (prediction.mtu_bytes, traffic.connection_count)
    quantities = RATES[: 1 + traffic.waits] if prediction.limits else ()
    rates = [_answers(case, *at, quantity) for quantity in quantities]
    return replace(
        prediction,
        published_limit=_limit(rates, prediction) if rates else None,
        known_expected=Once(lambda: _expected(rates, prediction) or prediction.known_expected()),
        beside=Once(lambda: _beside(_one(case, *at), rates, prediction)),
    )


def _answers(case: Case, mtu_bytes: Any, count: Any, quantity: str) -> Any:
    """
    Return what is published of a case: one answer, or an array of them.

    Of arrays, it is asked of what documents may have tested alone.
    """
    known, is_one = rows(case), not (is_array(mtu_bytes) or is_array(count))

    nothing = Answer(quantity)

    @cache
    def has_mtu(mtu_bytes: float) -> bool:
        return is_tested(known, "mtu", _one(case, mtu_bytes, None).get("mtu"))

    @cache
    def of_one(mtu_bytes: float, count: float) -> Answer:
        if not is_one and not has_mtu(mtu_bytes):
            return nothing
        one = _one(case, mtu_bytes, count)
        is_asked = is_one or may_be_known(known, one, quantity)
        return of_case(known, one, quantity) if is_asked else nothing

    return _each(of_one, mtu_bytes, count, kind=object)


def _each(function: Callable[..., Any], *given: Any, kind: type = float) -> Any:
    """Return a value of each case; of one case no array."""
    if any(getattr(each, "ndim", 0) for each in given):
        with np.errstate(invalid="ignore"):  # NaN is none of a document
            return np.vectorize(function, [kind])(*given)
    return function(*given)


def _one(case: Case, mtu_bytes: Any, count: Any) -> Case:
    """Return a case with MTU and connections as documents print them, as far as they are known."""
    given = {"mtu": mtu_bytes, "connections": count}
    known = {key: x for key, x in given.items() if x is not None and not isnan(x)}
    return {**case, **{key: int(x) if x % 1 == 0 else x for key, x in known.items()}}


def _rate(found: Answer, traffic: Traffic) -> Predicted:
    """Return an answer as transactions per second; NaN where it has no such end."""
    bits = BITS_PER_BYTE * float(traffic.payload_bytes)
    of_data = GBPS_OF_UNIT.get(found.unit, nan) * BITS_PER_GBIT / bits
    value, low, high = (nan if x is None else x for x in (found.value, found.low, found.high))
    return Predicted(value, low, high).scaled(1.0 if found.unit == "1/s" else of_data)


def _upper(found: Answer, traffic: Traffic) -> Predicted:
    """Return the upper bound that an answer is; infinite where it is none."""
    is_printed = found.status == "printed" and found.relation in {"at_most", "up_to"}
    if not is_printed and found.status not in {"one_step", "beyond"}:
        return Predicted(inf, inf, inf)
    rate = _rate(found, traffic)
    value = rate.high if found.value is None else rate.value
    return Predicted(value, value, rate.high, Bound.UPPER)


def _limit(rates: Sequence[Any], prediction: Prediction) -> PathLimit | None:
    """Return the bounds that documents print where they are tighter, infinite elsewhere."""
    upper = partial(_upper, traffic=prediction.traffic)
    best = _each(lambda *each: min(each, key=lambda x: upper(x).value), *rates, kind=object)
    bounds = _each(upper, best, kind=object)
    value, high = (_each(attrgetter(end), bounds) for end in ("value", "high"))
    own_tps = prediction.transaction_rate_tps.value * (1 - ROUNDING_RATIO)
    value = where(value < own_tps, value, inf)
    if not holds_somewhere(value < inf):
        return None
    tightest = min(getattr(best, "flat", [best]), key=lambda each: upper(each).value)
    reason = "" if tightest.status == "beyond" else tightest.text.partition(": ")[2]
    return PathLimit(
        "published",
        Predicted(value, value, high, Bound.UPPER),
        published=Published(reason or tightest.text, tightest.places),
    )


def _expected(rates: Sequence[Any], prediction: Prediction) -> Expected | None:
    """Return rates that documents print, or that lie between printed ones; NaN elsewhere."""
    traffic, none = prediction.traffic, Answer("")
    if not rates or traffic.connection_count is None:
        return None
    best = _each(lambda *each: next((x for x in each if x.is_value), none), *rates, kind=object)
    known = [each for each in getattr(best, "flat", [best]) if each.places]
    if not known:
        return None
    tps = _each(partial(_rate, traffic=traffic), best, kind=object)
    ends = (_each(attrgetter(end), tps) for end in ("value", "low", "high"))
    is_between = any(each.status == "interpolated" for each in known)
    why = "between printed numbers of connections" if is_between else "one printed figure"
    places = dict.fromkeys(place for each in known for place in each.places)
    assumption = f"the path behaves as measured ({'; '.join(places)})"
    upper = prediction.transaction_rate_tps
    return expected_of_rate(Predicted(*ends), upper, traffic, assumption, why)


def _beside(case: Case, rates: Sequence[Any], prediction: Prediction) -> Beside:
    """
    Return what is printed of a case, and its rate first.

    A figure above what the path carries is of another case, in what its row leaves open.
    """
    traffic = prediction.traffic
    if is_array(prediction.mtu_bytes) or is_array(traffic.connection_count):
        return Beside()
    figures = Once(lambda: beside(rows(case), case))
    most_bps = prediction.throughput_bps.high * (1 + float(ABOUT_RATIO))
    for each in rates:
        rate = _rate(each, traffic).scaled(BITS_PER_BYTE * float(traffic.payload_bytes))
        bps = rate.low if each.value is None else rate.value
        if each.status in {"printed", "interpolated"} and not bps > most_bps:
            return Beside(each.text, None if each.value is None else float(bps), figures)
    return Beside(found=figures)


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

    def cost_of(found: Answer) -> float:
        return scales_s.get(found.unit, nan) * (found.value or nan) if found.is_value else nan

    stages, unknown = [*path.stages], partly_known(path, load.counts, traffic.waits)
    known = [(each, of) for of in Side for each in path.cpu_stages(of) if each.name not in unknown]
    for stage, side in known:
        of_stage = {**case, "side": side.value, "part": stage.name}
        cost_s = _each(cost_of, _answers(of_stage, load.mtu_bytes, count, quantity))
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
        _carried(cost, case and _one(case, *at), side) if cost and cost.case else cost
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
    sizes = (
        (traffic.request_bytes, *load.request_bytes_bounds),
        (traffic.response_bytes, *load.response_bytes_bounds),
    )
    is_own = all(isinstance(size, int | float) and low <= size <= high for size, low, high in sizes)
    return with_implied({**case, "workload": name}) if is_own else None
