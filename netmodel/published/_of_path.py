"""Predictions with what is published of their case: a tighter bound, its figures, the nearest."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf, nan
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from netmodel.consumption import Side
from netmodel.consumption.cost import CpuCost
from netmodel.errors import ContradictionError
from netmodel.estimates import ABOUT_RATIO, Bound, Predicted
from netmodel.framing import Stack, tcp_stack
from netmodel.kept import Once
from netmodel.lazy_numpy import np
from netmodel.numeric import (
    ROUNDING_RATIO,
    FloatOrArray,
    holds_somewhere,
    is_array,
    is_symbol,
    where,
)
from netmodel.path import Path, Prediction, SpecifiedPath, Traffic
from netmodel.path._cpu_cost import partly_known
from netmodel.path._limits import Beside, Capacity, PathLimit, Published
from netmodel.path._predict import load_of
from netmodel.path._uncertain import Parameter, mapped
from netmodel.published._answers import (
    GBPS_OF_UNIT,
    RATES,
    Answer,
    answer,
    beside,
    is_tested,
    of_case,
)
from netmodel.published._rows import Case, Row, rows, with_implied
from netmodel.records import record, workload
from netmodel.records.files import record_files
from netmodel.units import BITS_PER_BYTE
from netmodel.units.prefixes import BITS_PER_GBIT, KILO, MEBI, MILLI

if TYPE_CHECKING:
    from netmodel.path._expected_rate import Expected

_Found: TypeAlias = Mapping[tuple[int, int], Answer]
"""What is published of cases, by their places in a table."""
_ENDS = ("client", "server")
_BOUNDS = {
    **dict.fromkeys(("more", "at_least"), (Bound.LOWER, "at least this: ")),
    **dict.fromkeys(("less", "at_most"), (Bound.UPPER, "at most this: ")),
}
"""On which side of a cost that of the case lies, by the relation of the printed ratio."""


class _Cells(NamedTuple):
    """Cases by places in a table of MTUs and connections, and the place of each prediction."""

    known: tuple[Row, ...]
    cases: Mapping[tuple[int, int], Case]
    at: tuple[Any, Any]
    shape: tuple[int, int]

    def spread(self, found: Mapping[tuple[int, int], Any], elsewhere: float) -> Any:
        """Return the number or the array with what is found of each case."""
        if not any(map(is_array, self.at)):
            return found.get((0, 0), elsewhere)
        table = np.full(self.shape, elsewhere)
        for place, value in found.items():
            table[place] = value
        return table[self.at]


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
    cells = case and _cells(case, prediction.mtu_bytes, traffic.connection_count)
    if not cells or not cells.cases:
        return prediction
    quantities = RATES[: 1 + traffic.waits] if prediction.limits else ()
    rates = [_published_of(cells, each) for each in quantities]
    return replace(
        prediction,
        published_limit=_limit(cells, rates, prediction),
        known_expected=Once(
            lambda: _expected(cells, rates, prediction) or prediction.known_expected()
        ),
        beside=Once(lambda: _beside(cells, rates, prediction)),
    )


def _cells(case: Case, mtu_bytes: FloatOrArray | None, count: FloatOrArray | None) -> _Cells:
    """Return the cases of a prediction; of arrays those with an MTU that a document tested."""
    (mtus, at_mtu), (counts, at_count) = map(_distinct, (mtu_bytes, count))
    known, is_one, cases = rows(case), len(mtus) == len(counts) == 1, {}
    for row, mtu in enumerate(mtus):
        of_mtu = case if mtu is None else {**case, "mtu": mtu}
        for column, number in enumerate(
            counts if is_one or is_tested(known, of_mtu, RATES[0]) else ()
        ):
            of_both = of_mtu if number is None else {**of_mtu, "connections": number}
            cases[row, column] = of_both
    return _Cells(known, cases, (at_mtu, at_count), (len(mtus), len(counts)))


def _distinct(value: Any) -> tuple[list[Any], Any]:
    """Return the different values, as documents print them, and the place of each."""
    several, at = np.unique(value, return_inverse=True) if is_array(value) else ([value], 0)
    known = (None if each != each else each for each in several if not is_symbol(each))
    return [int(each) if each is not None and each % 1 == 0 else each for each in known], at


def _published_of(cells: _Cells, quantity: str, part: Case = MappingProxyType({})) -> _Found:
    """Return what is published of the cases; of many where the connections are in a document."""
    cases = {place: {**case, **part} for place, case in cells.cases.items()}
    if len(cases) > 1:
        cases = {at: case for at, case in cases.items() if is_tested(cells.known, case, quantity)}
    return {place: of_case(cells.known, case, quantity) for place, case in cases.items()}


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


def _limit(cells: _Cells, rates: Sequence[_Found], prediction: Prediction) -> PathLimit | None:
    """Return the bounds that documents print where they are tighter, infinite elsewhere."""
    bounds: dict[tuple[int, int], tuple[Any, Any, Answer]] = {}
    for place, each in [item for found in rates for item in found.items()]:
        rate = _rate(each, prediction.traffic)
        value = rate.high if each.value is None else rate.value
        is_printed = each.status == "printed" and each.relation in {"at_most", "up_to"}
        is_bound = is_printed or each.status in {"one_step", "beyond"}
        if is_bound and value < bounds.get(place, (inf,))[0]:
            bounds[place] = value, rate.high, each
    value, high = (cells.spread({at: ends[n] for at, ends in bounds.items()}, inf) for n in (0, 1))
    own_tps = prediction.transaction_rate_tps.value * (1 - ROUNDING_RATIO)
    value = where(value < own_tps, value, inf)
    if not holds_somewhere(value < inf):
        return None
    tightest = min(bounds.values(), key=lambda bound: bound[0])[2]
    reason = "" if tightest.status == "beyond" else tightest.text.partition(": ")[2]
    return PathLimit(
        "published",
        Predicted(value, value, high, Bound.UPPER),
        Once(lambda: Capacity(1, ())),  # in proportion to no parameter of the path
        published=Published(reason or tightest.text, tightest.places),
    )


def _expected(cells: _Cells, rates: Sequence[_Found], prediction: Prediction) -> "Expected | None":
    """Return rates that documents print, or that lie between printed ones; NaN elsewhere."""
    from netmodel.path._expected_rate import expected_of_rate

    traffic, upper = prediction.traffic, prediction.transaction_rate_tps
    found = [item for each in reversed(rates) for item in each.items()]  # the first counts most
    known = {place: each for place, each in found if _is_value(each)}
    if not known or traffic.connection_count is None:
        return None
    of = {place: _rate(each, traffic) for place, each in known.items()}
    ends = [
        cells.spread({place: getattr(of[place], end) for place in of}, nan)
        for end in ("value", "low", "high")
    ]
    is_between = any(each.status == "interpolated" for each in known.values())
    why = "between printed numbers of connections" if is_between else "one printed figure"
    places = dict.fromkeys(place for each in known.values() for place in each.places)
    assumption = f"the path behaves as measured ({'; '.join(places)})"
    return expected_of_rate(Predicted(*ends), upper, traffic, assumption, why)


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
    cells = _cells(case, load.mtu_bytes, count)
    quantity, unit, scale_s = "cpu_time_per_transaction", "ms", MILLI
    if not traffic.waits:
        quantity, unit = "cpu_consumption", "ms/MB"
        scale_s = MILLI * float(traffic.payload_bytes) / MEBI
    stages, unknown = [*path.stages], partly_known(path, load.counts(), traffic.waits)
    for stage, side in [(each, of) for of in Side for each in path.cpu_stages(of)]:
        found = _published_of(cells, quantity, {"side": side.value, "part": stage.name})
        costs_s = {
            place: scale_s * (each.value or nan)
            for place, each in found.items()
            if _is_value(each) and each.unit == unit
        }
        if costs_s and stage.name not in unknown:
            cost_s, own_s = cells.spread(costs_s, nan), load.time_of([stage]).value
            ratio = where(cost_s == cost_s, cost_s / own_s, 1.0)
            stages[stages.index(stage)] = stage.changed(partial(_scaled, ratio=ratio))
    return replace(path, stages=tuple(stages))


def _scaled(parameter: Parameter, slows: bool, ratio: FloatOrArray) -> Parameter:
    """Return a time that is multiplied; numbers of servers and of messages as they are."""
    return mapped(parameter, lambda each: each * ratio) if slows else parameter


def _beside(cells: _Cells, rates: Sequence[_Found], prediction: Prediction) -> Beside:
    """
    Return what is printed of a case, and its rate first.

    A figure above what the path carries is of another case, in what its row leaves open.
    """
    if any(map(is_array, cells.at)):
        return Beside()
    most_bps = prediction.throughput_bps.high * (1 + float(ABOUT_RATIO))
    traffic = prediction.traffic
    figures = Once(lambda: beside(cells.known, cells.cases[0, 0]))
    for each in (found[0, 0] for found in rates):
        rate = _rate(each, traffic).scaled(BITS_PER_BYTE * float(traffic.payload_bytes))
        bps = rate.low if each.value is None else rate.value
        if each.status in {"printed", "interpolated"} and not bps > most_bps:
            return Beside(each.text, None if each.value is None else float(bps), figures)
    return Beside(found=figures)


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
        near = "".join(f"; nearest: {match.text}" for match in found.nearest[:1])
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
    ends: dict[str, Any] = dict(zip(_ENDS, path.adapters(traffic.sender), strict=True))
    if path.record is not None:
        own, kind, ends = SpecifiedPath(record=path.record), "paths", {"path": path.record}
    if path.records != own.records or path.line_rate_bps not in (None, own.own_line_rate_bps):
        return None
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
    is_plain = stack in (None, tcp_stack()) or place.get("protocol") == "smc-r"
    return with_implied({**place, "workload": name}) if is_plain else None


def _one_case_of(path: SpecifiedPath, traffic: Traffic, mtu_bytes: float | None) -> Case | None:
    """Return the same with one MTU and number of connections, as far as they are known."""
    case = case_of(path, traffic)
    return case and _cells(case, mtu_bytes, traffic.connection_count).cases[0, 0]
