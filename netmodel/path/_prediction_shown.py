"""A prediction as tables of a notebook and as a pandas frame."""

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from netmodel.estimates import Bound
from netmodel.frames import columns_frame, frame_of, range_row
from netmodel.html import bar, definition_table, row_table
from netmodel.lazy_numpy import np
from netmodel.predicted_text import predicted_text, rate_text
from netmodel.text import RESULT_DIGITS

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

    from netmodel.path._prediction import Prediction

_VARIED = ("request_bytes", "response_bytes", "connection_count", "think_time_s")
"""Fields of traffic that may be arrays."""
_SHOWN_CASES = 20
"""Cases of arrays that a notebook shows: a screen of them."""


def html_of_prediction(result: "Prediction", about: Iterable[tuple[str, str]]) -> str:
    """Tables of the limits with what is used of each; of arrays, the first cases."""
    limits = result.limit_rates_bps
    rows = [
        (name, predicted_text(rate.numbers()), bar(float(result.use_ratios[name].value)))
        for name, rate in limits.items()
    ]
    names = ("limit", "throughput", "in use at the bound")
    others = [row for row in about if row[0] not in limits]
    return definition_table("Prediction", others) + row_table("Limits", names, rows)


def frame_of_prediction(result: "Prediction") -> "pd.DataFrame":
    """A row for each limit; of arrays a row for each case, in their order."""
    if not result.load.points.rank:
        rows = [
            {
                "limit": name,
                **range_row("throughput_bps", rate),
                "throughput_bps_bound": rate.bound.value,
                **range_row("use_ratio", result.use_ratios[name]),
                "is_binding": name == result.binding or name in result.ties,
            }
            for name, rate in result.limit_rates_bps.items()
        ]
        return frame_of(rows, "limit")
    return columns_frame({"case": np.arange(result.load.points.size), **_cases(result)}, "case")


def cases_html(result: "Prediction") -> str:
    """The first cases of arrays."""
    cases, count = _cases(result), result.load.points.size
    rates_bps = cases["throughput_bps"]
    finite_bps = rates_bps[np.isfinite(rates_bps)]
    most_bps = float(finite_bps.max(initial=0.0)) or math.nan
    shown = {name: cells[:_SHOWN_CASES].tolist() for name, cells in cases.items()}
    texts = {
        name: [
            f"{each:.{RESULT_DIGITS}g}" if isinstance(each, float) else str(each) for each in own
        ]
        for name, own in shown.items()
        if name not in {"throughput_bps_low", "throughput_bps_high", "throughput_bps_bound"}
    }
    signs = [Bound(each).sign for each in shown["throughput_bps_bound"]]
    texts["throughput_bps"] = [
        bar(each / most_bps, sign + rate_text(each))
        for each, sign in zip(shown["throughput_bps"], signs, strict=True)
    ]
    texts["transaction_rate_tps"] = [
        sign + text for sign, text in zip(signs, texts["transaction_rate_tps"], strict=True)
    ]
    places = [str(place) for place in range(len(signs))]
    caption = f"Prediction of {count:,} cases"
    if count > _SHOWN_CASES:
        caption += f", the first {_SHOWN_CASES}; to_frame() has all"
    names, rows = ["case", *texts], list(zip(places, *texts.values(), strict=True))
    return row_table(caption, names, rows)


def _cases(result: "Prediction") -> "dict[str, npt.NDArray[Any]]":
    """Columns of a row for each case of arrays: what varies, and the bound."""
    rate_tps = result.transaction_rate_tps
    is_mean: Any = False
    for limit in result.limits:
        if limit.rate.bound is Bound.MEAN:
            is_mean = is_mean | (limit.rate.value <= rate_tps.value)
    given = {name: getattr(result.traffic, name) for name in _VARIED}
    columns: dict[str, Any] = {
        "mtu_bytes": result.mtu_bytes,
        **{name: value for name, value in given.items() if np.ndim(value)},
        "throughput_bps": result.throughput_bps.value,
        "throughput_bps_low": result.throughput_bps.low,
        "throughput_bps_high": result.throughput_bps.high,
        "throughput_bps_bound": np.where(is_mean, Bound.MEAN.value, Bound.UPPER.value),
        "transaction_rate_tps": rate_tps.value,
        "binding": result.binding,
    }
    arrays = np.broadcast_arrays(*columns.values())
    return {name: array.ravel() for name, array in zip(columns, arrays, strict=True)}
