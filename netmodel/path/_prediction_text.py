"""A prediction as plain values and as rows of text, and what it leaves out."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from netmodel._estimates import Predicted
from netmodel._numeric import Quantity
from netmodel._predicted_text import predicted_text, rate_text
from netmodel._text import range_text
from netmodel.concurrency import Bounds
from netmodel.consumption import Side
from netmodel.units import BITS_PER_BYTE

if TYPE_CHECKING:
    from netmodel.path._composition import Limit
    from netmodel.path._prediction import Prediction

__all__ = ["TIME_WORDS", "not_predicted", "prediction_dict", "prediction_rows", "throughput_text"]

TIME_WORDS = {
    "per_message_s": "per message",
    "per_wakeup_s": "per wake-up",
    "per_interrupt_s": "per interrupt",
    "per_frame_s": "per frame",
    "per_ack_s": "per acknowledgement",
    "per_byte_s": "per byte",
}
"""What the service times are called in text."""


def prediction_dict(one: "Prediction") -> dict[str, Any]:
    """Plain values in base units."""
    one.require_one()
    throughput = one.throughput_bps.to_dict()
    if one.best_throughput_bps is not None:
        throughput["upper_bound"] = one.best_throughput_bps
    if one.even_throughput_bps is not None:
        throughput["even_flows"] = one.even_throughput_bps
    return {
        "connection_count": one.traffic.connection_count,
        "throughput_bps": throughput,
        "ratio_to_reference": None,
        "transaction_rate_tps": one.transaction_rate_tps.to_dict(),
        "transaction_rate_bounds_tps": _bounds_dict(one.transaction_rate_bounds_tps),
        "transaction_time_s": _dict(one.transaction_time_s),
        "zero_load_time_s": _dict(one.zero_load_time_s),
        "cpu_us_per_gbit": _side_dicts(one.cpu_us_per_gbit),
        "cpu_busy": _side_dicts(one.cpu_busy),
        "pool_busy": {name: _dict(busy) for name, busy in one.pool_busy.items()},
        "mtu_bytes": one.mtu_bytes,
        "binding": one.binding,
        "limits": [_limit_dict(one, limit) for limit in one.limits],
        "elasticities": {name: both._asdict() for name, both in one.elasticities.items()},
        "grade": one.grade and one.grade.value,
        "notes": list(one.notes),
    }


def prediction_rows(one: "Prediction") -> list[tuple[str, str]]:
    """Texts of the throughput, its bottleneck, each limit and each note."""
    one.require_one()
    rows = [
        ("throughput", throughput_text(one)),
        ("bottleneck", ", ".join(one.ties) or one.binding),
    ]
    uses = {name: use.value for name, use in one.use_ratios.items()}
    rows += [
        (name, f"{predicted_text(rate)}, {uses[name]:.1%} in use at the bound")
        for name, rate in one.limit_rates_bps.items()
    ]
    return rows + [("note", text) for text in one.notes]


def throughput_text(one: "Prediction") -> str:
    """
    The upper bound of the throughput, with all that is open of it.

    The smallest that published figures leave open stands in the same sentence; where a
    hash spreads flows, it is said which figure is a mean and which bounds each run.

    Parameters
    ----------
    one : Prediction
        Of one workload over one path.

    Returns
    -------
    text : str
        The part of a sentence.

    Raises
    ------
    DomainError
        If the prediction has arrays.
    """
    bound = one.throughput_bps
    text, *rest = predicted_text(bound).partition(" (")
    if bound.new_run_low is not None and bound.new_run_high is not None:
        run = range_text(rate_text(bound.new_run_low), rate_text(bound.new_run_high))
        rest.append(f"; one run at the bound, 19 times in 20: {run}")
    other = one.smallest_throughput
    if one.best_throughput_bps is not None and one.best_throughput_bps != bound.value:
        even_bps = one.even_throughput_bps
        even = f", {rate_text(even_bps)} if all flows are equally fast" if even_bps else ""
        text = (
            f"{text} on average over hashes{even}, <= {rate_text(one.best_throughput_bps)} in a "
            "run whose flows are spread best"
        )
    if other is not None:
        why = (
            f"with the longest service times of {other.limit} that the data allow"
            if other.time is None
            else f"if the time of {other.limit} is largely {TIME_WORDS[other.time]}"
        )
        text = f"{text}, or <= {rate_text(other.throughput_bps)} {why}"
    return text + "".join(rest)


def not_predicted(prediction: "Prediction") -> Iterator[str]:
    """What a prediction leaves out, and why."""
    path, traffic = prediction.path, prediction.traffic
    if path.unknown:
        parts = "; ".join(path.unknown)
        yield f"upper bound only, latency not predicted; not modelled: {parts}"
    elif not traffic.waits:
        yield "latency not predicted: the connections of a stream do not wait for answers"
    elif traffic.connection_count is None:
        yield "latency under load not predicted: give the number of connections"
    yield from _cpus_not_predicted(prediction)


def _cpus_not_predicted(prediction: "Prediction") -> Iterator[str]:
    found: dict[str, list[str]] = {}
    for side in Side:
        stages = prediction.path.cpu_stages(side)
        names = ", ".join(one.name for one in stages if one.name in prediction.partly_known)
        if not stages:
            why = "no CPU model"
        elif names:
            why = f"not all service times of {names} are known"
        else:
            continue
        found.setdefault(why, []).append(side.value)
    for why, sides in found.items():
        yield f"CPU cost of the {' and '.join(sides)} not predicted: {why}"


def _limit_dict(one: "Prediction", limit: "Limit") -> dict[str, Any]:
    rate = one.limit_rates_bps[limit.name]
    ends = rate.to_dict()
    found = {
        "name": limit.name,
        **{f"{end}_bps": ends[end] for end in ("value", "low", "high")},
        "bound": ends["bound"],
        "margin_ratio": 1 - one.throughput_bps.value / rate.value,
    }
    if limit.best_rate_tps is not None:
        found["upper_bound_bps"] = one.highest_limit_rates_bps[limit.name]
    if limit.even_rate_tps is not None:
        found["even_flows_bps"] = limit.even_rate_tps * BITS_PER_BYTE * one.traffic.payload_bytes
    return found


def _bounds_dict(bounds: Bounds[Quantity] | None) -> dict[str, Quantity] | None:
    return None if bounds is None else bounds._asdict()


def _dict(one: Predicted | None) -> dict[str, Any] | None:
    return None if one is None else one.to_dict()


def _side_dicts(by_side: Mapping[Side, Predicted | None]) -> dict[str, Any]:
    return {side.value: _dict(one) for side, one in by_side.items()}
