"""Predictions with what is published of their case: a tighter bound, its figures, the nearest."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import inf, nan
from typing import Any

from netmodel.consumption import Side
from netmodel.consumption.cost import CpuCost
from netmodel.estimates import ABOUT_RATIO, Bound, Predicted
from netmodel.framing import Stack, tcp_stack
from netmodel.kept import Once
from netmodel.lazy_numpy import np
from netmodel.numeric import ROUNDING_RATIO, holds_somewhere, is_array, require_one, where
from netmodel.path import Path, Prediction, SpecifiedPath, Traffic, predict_path
from netmodel.path.ensemble import Parameter, mapped
from netmodel.path.limits import PathLimit, Published, load_of, partly_known
from netmodel.path.prediction import Beside, unbounded
from netmodel.path.response import Expected, expected_of_rate
from netmodel.path.stages import LINE_STAGES
from netmodel.path.traffic import least
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
    Return what a path makes of a workload, with what documents print of the very case.

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
        Whether to leave out all but costs that are carried from another case.

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
    """
    headers = tcp_stack() if stack is None else stack
    case = None if physics_only else case_of(path, traffic, headers)
    if path.is_unbounded and path.distance is None:
        assert path.record is not None
        prediction = unbounded(path.record, traffic, mtu_bytes)
    else:
        costed = _with_costs_of_case(path, traffic, mtu_bytes)
        composed = costed.path_of(traffic, sending)
        if case and "path" in case and traffic.connection_count is not None:
            composed = _with_printed_costs(composed, case, traffic, mtu_bytes, headers)
        prediction = predict_path(composed, traffic, mtu_bytes, headers)
    return _with_published(prediction, case) if case else prediction


def _with_published(prediction: Prediction, case: Case) -> Prediction:
    """Return a prediction with the bound that documents print, its expected value, and figures."""
    traffic, limits = prediction.traffic, prediction.limits
    quantities = RATES[: 1 + traffic.waits] if limits else ()
    found, at = of_each(case, prediction.mtu_bytes, traffic.connection_count, quantities)
    answers = [answer for each in found for answer in each]
    columns = zip(*(_rates(each, traffic) for each in found), strict=True)
    value, high, at_line, *rate = (_in_place(column, at) for column in columns)
    if holds_somewhere(at_line > 0):  # the limits below are not those of runs
        line = least(each.rate.value for each in limits if each.name in LINE_STAGES)
        least_tps = at_line * line * (1 - ROUNDING_RATIO)
        limits = tuple(
            _not_below(each, least_tps)
            for each in limits
            if holds_somewhere(each.rate.value >= least_tps)
        )
        prediction = replace(prediction, limits=limits)
    is_tighter = value < prediction.transaction_rate_tps.value * (1 - ROUNDING_RATIO)
    limit = None
    if limits and holds_somewhere(is_tighter):
        tightest = min(answers, key=lambda each: _rates([each], traffic))
        reason = "" if tightest.status == "beyond" else tightest.text.partition(": ")[2]
        published = Published(reason or tightest.text, tightest.places)
        value = where(is_tighter, value, inf)
        limit = PathLimit(
            "published", Predicted(value, value, high, Bound.UPPER), published=published
        )
    expected = partial(_expected, Predicted(*rate), answers, prediction)
    return replace(
        prediction,
        published_limit=limit,
        known_expected=Once(lambda: expected() or prediction.known_expected()),
        beside=Once(lambda: _beside(case, answers, prediction)),
    )


def _in_place(column: Sequence[float], at: Any) -> Any:
    """Return the number of the one case, or an array of those of all."""
    return column[0] if at is None else np.array(column)[at]


def _rates(answers: Sequence[Answer], traffic: Traffic) -> tuple[float, ...]:
    """
    Return the bound by printed digits and by their far end, 1 at line speed, and the sure value.

    In transactions per second; infinite where no bound is printed, NaN where no value is.
    """
    bound, at_line, known = (inf, inf), 0.0, (nan, nan, nan)
    for each in answers:
        scale, ends = _tps(each.unit, traffic), (each.value, each.low, each.high)
        value, low, high = (nan if end is None else end * scale for end in ends)
        is_limit = each.status == "printed" and each.relation in {"at_most", "up_to"}
        if is_limit or each.status in {"one_step", "beyond"}:
            bound = min(bound, (high if each.value is None else value, high))
        if each.relation == "line" and each.value is not None:
            at_line = 1.0
        if each.is_value and known[0] != known[0]:
            known = value, low, high
    return (*bound, at_line, *known)


def _tps(unit: str, traffic: Traffic) -> float:
    """Return the transactions per second of a unit of rates; NaN of other units."""
    bits = BITS_PER_BYTE * float(traffic.payload_bytes)
    return 1.0 if unit == "1/s" else GBPS_OF_UNIT.get(unit, nan) * BITS_PER_GBIT / bits


def _not_below(limit: PathLimit, line_tps: Any) -> PathLimit:
    """Return a limit of the path, infinite where it is below a line that runs were seen to fill."""
    is_below = limit.rate.value < line_tps
    return replace(limit, rate=limit.rate.mapped(lambda end: where(is_below, inf, end)))


def _expected(rate: Predicted, answers: list[Answer], prediction: Prediction) -> Expected | None:
    """Return rates that documents print, or that lie between printed ones; NaN elsewhere."""
    traffic, known = prediction.traffic, [each for each in answers if each.is_value]
    if traffic.connection_count is None or not known:
        return None
    is_between = any(each.status == "interpolated" for each in known)
    why = "between printed numbers of connections" if is_between else "one printed figure"
    places = dict.fromkeys(place for each in known for place in each.places)
    assumption = f"the path behaves as measured ({'; '.join(places)})"
    return expected_of_rate(rate, prediction.transaction_rate_tps, traffic, assumption, why)


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


def _with_printed_costs(
    path: Path, case: Case, traffic: Traffic, mtu_bytes: Any, stack: Stack
) -> Path:
    """
    Return a path whose CPU stages take what is printed of them in the very cases.

    All times of a stage are multiplied by one factor, which is 1 where nothing is printed.
    """
    path, load = load_of(path, traffic, mtu_bytes, stack)
    quantity = "cpu_time_per_transaction" if traffic.waits else "cpu_consumption"
    scales_s = {"ms": MILLI, "ms/MB": MILLI * float(traffic.payload_bytes) / MEBI}
    stages, unknown = [*path.stages], partly_known(path, load.counts, traffic.waits)
    known = [(each, of) for of in Side for each in path.cpu_stages(of) if each.name not in unknown]
    for stage, side in known:
        of_stage = {**case, "side": side.value, "part": stage.name}
        found, at = of_each(of_stage, load.mtu_bytes, traffic.connection_count, [quantity])
        costs_s = [
            scales_s.get(each.unit, nan) * (each.value or nan) if each.is_value else nan
            for (each,) in found
        ]
        cost_s = _in_place(costs_s, at)
        if holds_somewhere(cost_s == cost_s):
            ratio = where(cost_s == cost_s, cost_s / load.time_of([stage]).quoted, 1.0)
            stages[stages.index(stage)] = stage.changed(partial(_scaled, ratio=ratio))
    return replace(path, stages=tuple(stages))


def _scaled(parameter: Parameter, ratio: Any) -> Parameter:
    """Return a time that is multiplied."""
    return mapped(parameter, lambda each: each * ratio)


def _with_costs_of_case(path: SpecifiedPath, traffic: Traffic, mtu_bytes: Any) -> SpecifiedPath:
    """Return a path whose CPU costs are those of this case, by printed ratios to their own."""
    if not path.has_cost_of_another_case:
        return path
    given = {"mtu_bytes": mtu_bytes, "connections": traffic.connection_count}
    at = [None if each is None else require_one(name, each) for name, each in given.items()]
    case = case_of(path, traffic)
    case, costs = case and with_numbers(case, *at), (path.client_cost, path.server_cost)
    client, server = (x and _carried(x, case, of) for x, of in zip(costs, Side, strict=True))
    return replace(path, client_cost=client, server_cost=server)


def _carried(cost: CpuCost, case: Case | None, side: Side) -> CpuCost:
    """Return a cost times the printed ratio of its case; unchanged, with the reason, without."""
    quantity, measured_with = "cpu_consumption", with_implied(dict(cost.case))
    if not cost.case or (case and measured_with.items() <= case.items()):
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
        line, a capacity, and a loss or window between the sites are of no document.
    traffic : Traffic
        Of a workload of the catalog.
    stack : Stack, optional
        All headers; no document has figures with a tunnel or with other headers.
    """
    if path.capacities:
        return None
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
