"""Rows of a comparison: printed ratios, else ratios of two predictions, else what is nearest."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from netmodel.api._compared_text import is_known
from netmodel.consumption import Side
from netmodel.errors import NetmodelError
from netmodel.published import USUAL_CASE, Answer, comparison

Case: TypeAlias = Mapping[str, str | int | float]

_RATES = ("transaction_time", "throughput", "transaction_rate")
_COSTS = ("cpu_consumption", "cpu_time_per_transaction", "cpu_efficiency", "cpu_time")
_OTHERS = ("cpu_utilisation", "drop_count", "buffer_memory", "queue_length")
_WITHOUT_METRIC = "performance"
"""Faster or slower, and not in which quantity: a row only where nothing else is near."""
_ARGUMENTS = {
    "workload": "workload",
    "path": "path",
    "mtu": "mtu_bytes",
    "connections": "connections",
    "protocol": "protocol",
    "km": "km",
    "window": "window_bytes",
    "loss": "loss_ratio",
}
"""Arguments of a prediction, by the conditions that they are of."""
_KINDS = {"upper": "upper bounds", "lower": "lower bounds", "mean": "mean rates"}


def compared_rows(baseline: Case, variant: Case, distance: Mapping[str, Any]) -> list[Answer]:
    """
    Return one row for each quantity, side and number of connections.

    Parameters
    ----------
    baseline, variant : mapping
        Conditions of both cases, whole.
    distance : mapping
        What lies between the sites as it was given, for predictions.
    """
    found = comparison(variant, baseline, (*_RATES, *_COSTS, *_OTHERS, _WITHOUT_METRIC))
    families = [
        [row for row in found if row.quantity in names]
        for names in (_RATES[_is_stream(variant.get("workload")) :], _COSTS)
    ]
    printed = [_printed_first(family, variant) for family in families]
    of = {row.quantity: row for row in found}
    ratios = () if all(printed) else tuple(_ratios_of_predictions(baseline, variant, distance, of))
    result: list[Answer] = []
    for family, rows in zip(families, printed, strict=True):
        own = {row.quantity for row in family}
        modelled = [row for row in ratios if row.quantity in own]
        best = max(family, key=lambda row: sum(not m.row.is_converted for m in row.nearest))
        is_covered = best.quantity in {row.quantity for row in modelled}
        result += rows or [*([] if is_covered else [best]), *modelled]
    result += [row for row in found if row.quantity in _OTHERS and is_known(row)]
    general = [row for row in found if row.quantity == _WITHOUT_METRIC and is_known(row)]
    is_empty = all(row.status == "not_published" and not row.nearest for row in result)
    kept = [row for row in result if row.status != "not_published" or row.nearest]
    return (general if is_empty and general else kept) or result[:1]


def _printed_first(rows: Sequence[Answer], variant: Case) -> list[Answer]:
    """Return known rows of quantities that follow from each other: time and rate, one CPU cost."""
    cells: dict[tuple[object, ...], Answer] = {}
    for row in filter(is_known, rows):
        name = row.conditions.get("workload", variant.get("workload"))
        is_time = row.quantity == "transaction_time"
        if is_time and (_is_stream(name) or (name is None and row.is_converted)):
            continue
        key = (is_time, *sorted(row.conditions.items()))
        if key not in cells or (cells[key].is_converted and not row.is_converted):
            cells[key] = row
    return list(cells.values())


def _is_stream(name: object) -> bool:
    from netmodel.records import workload

    return name is not None and workload(str(name)).is_stream


# ---- two predictions


def _ratios_of_predictions(
    baseline: Case, variant: Case, distance: Mapping[str, Any], of: Mapping[str, Answer]
) -> Iterator[Answer]:
    """Yield ratios of expected values, or of bounds of the same kind, in place of open rows."""
    pair = [_prediction(case, distance) for case in (variant, baseline)]
    if None in pair:
        return
    is_far = "km" in variant or distance["km"] is not None or distance["rtt_s"] is not None
    expected = [getattr(each, "expected", None) for each in pair]
    limits = dict.fromkeys(getattr(each, "binding", None) or "" for each in pair)
    is_line = all(name.startswith("wire") for name in limits)
    where, names, sources = f" ({' and '.join(limits)})", {"throughput": "throughput_bps"}, pair
    if None not in expected:
        names = {"transaction_time": "transaction_time_s", **names}
        where, sources = "", expected
    figures: list[tuple[str, Case, list[Any]]] = [
        (quantity, {}, [getattr(each, name, None) for each in sources])
        for quantity, name in names.items()
    ]
    costs = [getattr(each, "cpu_us_per_gbit", None) or {} for each in pair]
    figures += [
        ("cpu_consumption", {"side": side.value}, [each.get(side) for each in costs])
        for side in Side
    ]
    for quantity, own, (first, second) in figures:
        if first is None or second is None or first.bound is not second.bound:
            continue
        kind, value = first.bound.value, float(first.value / second.value)
        low, high, relation = None, None, f"{kind}_bounds"
        text = f"{value:.3g} times, the ratio of two {_KINDS.get(kind, 'expected values')}{where}"
        if kind not in {"upper", "lower"}:
            low, high = float(first.low / second.high), float(first.high / second.low)
            relation, text = "about", f"{text} ({low:.3g} to {high:.3g})"
        elif is_far and is_line:
            continue  # lines bound both sides, and no document finds them full at a distance
        found = replace(of[quantity], status="modelled", relation=relation, value=value, text=text)
        yield replace(found, low=low, high=high, conditions={**found.conditions, **own})


def _prediction(case: Case, distance: Mapping[str, Any]) -> Any:
    """Return what is predicted of a case; None where it has a condition that no model reads."""
    from netmodel.api._questions import predict
    from netmodel.records import workload

    case = _with_known_ends(case)
    read = {*_ARGUMENTS, "client", "server", "side"}
    unread = {key for key in case if key not in read and case[key] != USUAL_CASE.get(key)}
    if unread or "workload" not in case:
        return None
    given: dict[str, Any] = {_ARGUMENTS[key]: case[key] for key in case if key in _ARGUMENTS}
    if "path" not in given:
        is_server = workload(str(case["workload"])).sender is Side.SERVER
        ends = ("receiver", "sender") if is_server else ("sender", "receiver")
        given |= {ends[0]: case.get("client"), ends[1]: case.get("server")}
    if distance["km"] is not None or distance["rtt_s"] is not None:
        given |= {key: distance[key] for key in ("km", "rtt_s", "equipment_s")}
    try:
        return predict(**given)
    except NetmodelError:
        return None  # as where nothing is predicted of a workload without a size


def _with_known_ends(case: Case) -> Case:
    """Return a case over a distance with the adapters that its protocol is calibrated for."""
    from netmodel.records.transports import transport_records

    if {"client", "server", "path"} & {*case} or not {"km", "protocol"} <= {*case}:
        return case
    for record in transport_records():
        for known in record.protocols.values():
            if known.transport.replace("smcr", "smc-r") == case["protocol"]:
                ends = dict.fromkeys(("client", "server"), known.adapter)
                is_stream = _is_stream(case.get("workload"))
                count = {} if is_stream else {"connections": max(record.connection_counts)}
                return {"mtu": known.mtu_bytes, **ends, **count, **case}
    return case
