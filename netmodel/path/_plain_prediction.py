"""A prediction as plain values, for JSON."""

from typing import TYPE_CHECKING, Any

from netmodel.estimates import Predicted
from netmodel.units import BITS_PER_BYTE

if TYPE_CHECKING:
    from netmodel.path._prediction import Prediction


def plain_prediction(prediction: "Prediction") -> dict[str, Any]:
    """
    Plain values in base units, as in the JSON of ``netmodel predict``.

    Raises
    ------
    DomainError
        If a parameter is an array: there is one object for each prediction.
    """
    prediction.require_one()
    bits = BITS_PER_BYTE * prediction.traffic.payload_bytes
    quoted_bps = prediction.throughput_bps.value
    throughput = prediction.throughput_bps.to_dict()
    if prediction.best_throughput_bps is not None:
        throughput["upper_bound"] = prediction.best_throughput_bps
    if prediction.even_throughput_bps is not None:
        throughput["even_flows"] = prediction.even_throughput_bps
    limits = []
    for each in prediction.limits:
        rate = each.rate.scaled(bits).to_dict()
        limit = {
            "name": each.name,
            **{f"{end}_bps": rate[end] for end in ("value", "low", "high")},
            "bound": rate["bound"],
            "margin_ratio": 1 - quoted_bps / (each.rate_tps * bits),
        }
        if each.best_rate_tps is not None:
            limit["upper_bound_bps"] = each.best_rate_tps * bits
        if each.even_rate_tps is not None:
            limit["even_flows_bps"] = each.even_rate_tps * bits
        limits.append(limit)

    def plain(predicted: Predicted | None) -> dict[str, Any] | None:
        return None if predicted is None else predicted.to_dict()

    bounds = prediction.transaction_rate_bounds_tps
    return {
        "connection_count": prediction.traffic.connection_count,
        "distance": None
        if prediction.path.distance is None
        else prediction.path.distance.to_dict(),
        "throughput_bps": throughput,
        "transaction_rate_tps": prediction.transaction_rate_tps.to_dict(),
        "transaction_rate_bounds_tps": None if bounds is None else bounds._asdict(),
        "transaction_time_s": plain(prediction.transaction_time_s),
        "expected": None if prediction.expected is None else prediction.expected.to_dict(),
        "copy_time_s": plain(prediction.copy_time_s),
        "zero_load_time_s": plain(prediction.zero_load_time_s),
        "cpu_us_per_gbit": {
            item.value: plain(cost) for item, cost in prediction.cpu_us_per_gbit.items()
        },
        "cpu_s_per_transaction": {
            item.value: plain(time_s) for item, time_s in prediction.cpu_s_per_transaction.items()
        },
        "cpu_busy": {item.value: plain(busy) for item, busy in prediction.cpu_busy.items()},
        "cpu_busy_expected": {
            item.value: plain(busy) for item, busy in prediction.cpu_busy_expected.items()
        },
        "cpu_parts": {
            item.value: parts and {name: part.to_dict() for name, part in parts.items()}
            for item, parts in prediction.cpu_parts.items()
        },
        "pool_busy": {name: plain(busy) for name, busy in prediction.pool_busy.items()},
        "mtu_bytes": prediction.mtu_bytes,
        "binding": prediction.binding,
        "bounded_by": prediction.bounded_by,
        "limits": limits,
        "elasticities": {name: item._asdict() for name, item in prediction.elasticities.items()},
        "grade": prediction.grade and prediction.grade.value,
        "measured_with": [each.to_dict() for each in prediction.path.settings],
        "notes": list(prediction.notes),
        "published": [figure.to_dict() for figure in prediction.published],
        "also_published": [figure.to_dict() for figure in prediction.also_published],
    }
