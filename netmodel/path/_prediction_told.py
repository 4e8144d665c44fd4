"""What is told of a prediction: plain values, rows of text, and what is left out."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from netmodel._numeric import Quantity
from netmodel._text import range_text
from netmodel.concurrency import Bounds
from netmodel.consumption import Side
from netmodel.path._uncertain import Estimate
from netmodel.units import format_rate

if TYPE_CHECKING:
    from netmodel.path._prediction import Prediction

__all__ = ["prediction_dict", "prediction_rows", "untold"]

_DIGITS = 5


def prediction_dict(one: "Prediction") -> dict[str, Any]:
    """Plain values in base units."""
    one.require_one()
    time_s, light_s = one.transaction_time_s, one.light_load_time_s
    return {
        "connection_count": one.traffic.connection_count,
        "throughput_bps": one.throughput_bps.to_dict(),
        "ratio_to_reference": None,
        "transaction_rate_tps": one.transaction_rate_tps.value,
        "transaction_rate_bounds_tps": _bounds_dict(one.transaction_rate_bounds_tps),
        "transaction_time_s": None if time_s is None else time_s.value,
        "light_load_time_s": None if light_s is None else light_s.value,
        "cpu_us_per_gbit": _side_values(one.cpu_us_per_gbit),
        "cpu_busy": _side_values(one.cpu_busy),
        "pool_busy": {name: busy and busy.value for name, busy in one.pool_busy.items()},
        "mtu_bytes": one.mtu_bytes,
        "binding": one.binding,
        "limits": [_limit_dict(one, name, rate) for name, rate in one.limit_rates_bps.items()],
        "elasticities": {name: both._asdict() for name, both in one.elasticities.items()},
        "grade": one.grade and one.grade.value,
        "warnings": list(one.warnings),
    }


def prediction_rows(one: "Prediction") -> list[tuple[str, str]]:
    """Texts of throughput, what binds, each limit and each warning."""
    one.require_one()
    value, low, high = (format_rate(rate, _DIGITS) for rate in one.throughput_bps)
    spread = "" if low == high else f" ({range_text(low, high)})"
    rows = [("throughput", value + spread), ("binding", ", ".join(one.ties) or one.binding)]
    uses = {name: use.value for name, use in one.use_ratios.items()}
    rows += [
        (name, f"{format_rate(rate.value, _DIGITS)}, {uses[name]:.1%} in use")
        for name, rate in one.limit_rates_bps.items()
    ]
    return rows + [("warning", text) for text in one.warnings]


def untold(prediction: "Prediction") -> Iterator[str]:
    """What a prediction leaves out, and why."""
    path, traffic = prediction.path, prediction.traffic
    if path.unknown:
        parts = "; ".join(path.unknown)
        yield f"the throughput is a ceiling, and no transaction time is told; not known: {parts}"
    elif not traffic.waits:
        yield "no transaction time is told: the connections of a stream do not wait"
    elif traffic.connection_count is None:
        yield "no transaction time is told: the number of connections is not stated"
    yield from _untold_cpus(prediction)


def _untold_cpus(prediction: "Prediction") -> Iterator[str]:
    found: dict[str, list[str]] = {}
    for side in Side:
        stages = prediction.path.cpu_stages(side)
        names = ", ".join(one.name for one in stages if one.name in prediction.partly_told)
        if not stages:
            why = "the path has no stage of CPUs there"
        elif names:
            why = f"what {names} takes is not all known"
        else:
            continue
        found.setdefault(why, []).append(side.value)
    for why, sides in found.items():
        yield f"no CPU time of the {' and '.join(sides)} is told: {why}"


def _limit_dict(one: "Prediction", name: str, rate: Estimate) -> dict[str, Any]:
    return {
        "name": name,
        **{f"{end}_bps": bps for end, bps in rate.known().items()},
        "margin_ratio": 1 - one.throughput_bps.value / rate.value,
    }


def _bounds_dict(bounds: Bounds | None) -> dict[str, Quantity] | None:
    return None if bounds is None else bounds._asdict()


def _side_values(by_side: Mapping[Side, Estimate | None]) -> dict[str, Quantity | None]:
    return {side.value: one and one.value for side, one in by_side.items()}
