"""Rows of a comparison: printed ratios, else ratios of two predictions, else what is nearest."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from netmodel._text import listed
from netmodel.api._compared_text import is_known
from netmodel.errors import NetmodelError
from netmodel.published import Answer, comparison

if TYPE_CHECKING:
    from netmodel._estimates import Predicted
    from netmodel.api._arguments import DistanceArguments

Case: TypeAlias = Mapping[str, str | int | float]
Rated: TypeAlias = "tuple[str, str | None, Predicted[Any], Predicted[Any], str]"
"""Quantity, side, its prediction for variant and baseline, and what they are."""

_RATES = ("transaction_time", "throughput", "transaction_rate")
_COSTS = ("cpu_consumption", "cpu_time_per_transaction", "cpu_efficiency", "cpu_time")
_OTHERS = ("cpu_utilisation", "drop_count", "buffer_memory", "queue_length")
_WITHOUT_METRIC = "performance"
"""Faster or slower, and not in which quantity: a row only where nothing else is near."""
_PREDICTED = frozenset(
    {
        *("client", "server", "path", "workload", "mtu", "connections", "side"),
        *("protocol", "km", "window", "loss", "message"),
    }
)
"""Conditions that predictions depend on, and the side that they give both of."""


def compared_rows(baseline: Case, variant: Case, distance: "DistanceArguments") -> list[Answer]:
    """
    Return one row for each quantity, side and number of connections.

    Parameters
    ----------
    baseline, variant : mapping
        Conditions of both cases, whole.
    distance : DistanceArguments
        What lies between the sites as it was given, for predictions.
    """
    found = comparison(variant, baseline, (*_RATES, *_COSTS, *_OTHERS, _WITHOUT_METRIC))
    of = {row.quantity: row for row in found}
    is_stream = _is_stream(variant.get("workload"))
    names = (_RATES[is_stream:], _COSTS)
    families = [[row for row in found if row.quantity in each] for each in names]
    rates, costs = (_of_family(rows, variant) for rows in families)
    if not (rates and costs):
        near = [_with_most_nearest(rows) for rows in families]
        ratios = list(_ratios_of_predictions(baseline, variant, distance))
        modelled = [
            [_modelled(of, each) for each in ratios if (each[1] is not None) is is_cost]
            for is_cost in (False, True)
        ]
        left = [
            [row for row in near[place] if row.quantity not in {m.quantity for m in rows}]
            for place, rows in enumerate(modelled)
        ]
        if not rates and not modelled[0] and not any(row.nearest for row in left[0]):
            rates = [row for row in found if row.quantity == _WITHOUT_METRIC and is_known(row)]
        rates = rates or [*left[0], *modelled[0]]
        costs = costs or [*(row for row in left[1] if row.nearest or not rates), *modelled[1]]
    others = [row for row in found if row.quantity in _OTHERS and is_known(row)]
    return [*rates, *costs, *others]


def _of_family(rows: Sequence[Answer], variant: Case) -> list[Answer]:
    """
    Return the known rows of quantities that follow from each other, printed ones first.

    Of requests time and rate, of CPU costs the one that is printed.
    """
    cells: dict[tuple[object, ...], Answer] = {}
    for row in filter(is_known, rows):
        name = row.conditions.get("workload", variant.get("workload"))
        if row.quantity == "transaction_time" and name is None and row.is_converted:
            continue
        if row.quantity == "transaction_time" and _is_stream(name):
            continue
        is_time = row.quantity == "transaction_time"
        key = (is_time, *sorted(row.conditions.items()))
        kept = cells.get(key)
        if kept is None or (kept.is_converted and not row.is_converted):
            cells[key] = row
    return list(cells.values())


def _with_most_nearest(rows: Sequence[Answer]) -> list[Answer]:
    """Return the quantity of which most near rows are printed as such."""
    direct = [sum(not near.row.is_converted for near in row.nearest) for row in rows]
    return [rows[direct.index(max(direct))]] if rows else []


def _is_stream(name: object) -> bool:
    from netmodel.records import workload

    return name is not None and workload(str(name)).is_stream


# ---- two predictions


def _modelled(of: Mapping[str, Answer], rated: Rated) -> Answer:
    """Return the ratio of two predictions, with the nearest printed rows of its quantity."""
    quantity, side, variant, baseline, text = rated
    row = of[quantity]
    is_bound = variant.bound.value in {"upper", "lower"}
    value = float(variant.value) / float(baseline.value)
    ends = (float(variant.low / baseline.high), float(variant.high / baseline.low))
    low, high = (None, None) if is_bound else ends
    kind = f"{variant.bound.value}_bounds" if is_bound else "about"
    words = f"{value:.3g} times, the ratio of two {text}"
    if not is_bound:
        words += f" ({ends[0]:.3g} to {ends[1]:.3g})"
    own = {**row.conditions, **({} if side is None else {"side": side})}
    changed = replace(row, status="modelled", relation=kind, value=value, low=low, high=high)
    return replace(changed, text=words, conditions=own)


def _ratios_of_predictions(
    baseline: Case, variant: Case, distance: "DistanceArguments"
) -> Iterator[Rated]:
    """Yield pairs of expected values, or of bounds of the same kind."""
    pair = [_prediction(case, distance) for case in (variant, baseline)]
    if None in pair:
        return
    expected = [getattr(each, "expected", None) for each in pair]
    if None not in expected:
        names = ["transaction_time", "throughput"][_is_stream(variant["workload"]) :]
        for name in names:
            suffix = {"transaction_time": "_s", "throughput": "_bps"}[name]
            first, second = (getattr(each, f"{name}{suffix}") for each in expected)
            yield name, None, first, second, "expected values"
    else:
        first, second = (getattr(each, "throughput_bps", None) for each in pair)
        if first is not None and second is not None and first.bound is second.bound:
            kinds = {"upper": "upper bounds", "lower": "lower bounds", "mean": "mean rates"}
            binding = listed(dict.fromkeys(each.binding for each in pair if each.binding))
            words = f"{kinds.get(first.bound.value, 'values')}{f' ({binding})' * bool(binding)}"
            yield "throughput", None, first, second, words
    for side, cost in (getattr(pair[0], "cpu_us_per_gbit", None) or {}).items():
        other = (getattr(pair[1], "cpu_us_per_gbit", None) or {}).get(side)
        if cost is not None and other is not None and cost.bound is other.bound:
            yield "cpu_consumption", side.value, cost, other, "predicted costs"


def _prediction(case: Case, distance: "DistanceArguments") -> Any:
    """Return what is predicted of a case; None where it has a condition that no model reads."""
    from netmodel.api._questions import predict
    from netmodel.records import workload

    case = _with_known_ends(case)
    path = _catalog_path(case)
    read = _PREDICTED | ({"layer", "level"} if path else set())
    unread = {key for key in case if key not in read and (key, case[key]) != ("rps", "off")}
    if unread or "workload" not in case or ("path" in case and path is None):
        return None
    ends: dict[str, object] = {"path": path}
    if path is None:
        sides = ("client", "server")
        if workload(str(case["workload"])).sender.value == "server":
            sides = ("server", "client")
        ends = {"sender": case.get(sides[0]), "receiver": case.get(sides[1])}
    between = {name: getattr(distance, name) for name in ("km", "rtt_s", "equipment_s")}
    if between["km"] is None and between["rtt_s"] is None:
        between["km"] = case.get("km")
    names = {
        "mtu_bytes": "mtu",
        "payload_bytes": "message",
        "window_bytes": "window",
        "loss_ratio": "loss",
        **{name: name for name in ("workload", "connections", "protocol")},
    }
    given = {name: case[key] for name, key in names.items() if key in case}
    try:
        return predict(**given, **ends, **between)  # type: ignore[arg-type]
    except NetmodelError:
        return None  # as where nothing is predicted of a workload without a size


def _with_known_ends(case: Case) -> Case:
    """Return a case over a distance with the adapters that its protocol is calibrated for."""
    from netmodel.records._transports import transport_records

    if {"client", "server", "path"} & {*case} or not {"km", "protocol"} <= {*case}:
        return case
    is_stream = _is_stream(case.get("workload"))
    for record in transport_records():
        for known in record.protocols.values():
            if known.transport.replace("smcr", "smc-r") == case["protocol"]:
                count = {} if is_stream else {"connections": max(record.connection_counts)}
                ends = dict.fromkeys(("client", "server"), known.adapter)
                return {"mtu": known.mtu_bytes, **ends, **count, **case}
    return case


def _catalog_path(case: Case) -> str | None:
    """Return the only path of the catalog whose published conditions are those of a case."""
    from netmodel._reading import is_file
    from netmodel.published._rows import with_implied
    from netmodel.records import catalog

    own = with_implied(case)
    name = str(case.get("path", ""))
    known = catalog()["paths"]
    if name in known or is_file(name):
        return name
    fitting = []
    for path in known if name else ():
        means = with_implied({"path": path})
        if means["path"] == own["path"] and all(own.get(k, v) == v for k, v in means.items()):
            fitting.append(path)
    return fitting[0] if len(fitting) == 1 else None
