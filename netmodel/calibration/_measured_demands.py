"""
Demands of a whole path over connections, from the throughput in the tables of a series.

(1) Requests: R(N) = Z + N (d + w / √N), the least squares of relative errors of the rates, no
    parameter below zero.
(2) Streams: X(N) = min(N / t1, 1 / (D + g N)); t1 from one connection, D and g from several.
(3) Errors: each figure of the series that have more figures than parameters, predicted from the
    others, within the series and at its ends. Three figures set three parameters and show none.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from netmodel._estimates import LEVEL_RATIO
from netmodel._numeric import Floats
from netmodel.calibration._declarations import Document, Series, WorkloadColumns
from netmodel.calibration._documents import chosen_rows, dataset_rows, observed_from_dataset
from netmodel.calibration._observed import Observed
from netmodel.calibration._path_model import traffic_under
from netmodel.calibration._records import time_text
from netmodel.errors import CalibrationError
from netmodel.path._measured_demands import AmortisedDemand, MeasuredDemands
from netmodel.units import BITS_PER_BYTE
from netmodel.units._prefixes import WHOLE_PERCENT

_COUNT, _MTU, _WORKLOAD = "connection_count", "mtu_bytes", "workload"
_PARAMETER_COUNT = 3
"""Of each form: Z, d and w, or t1, D and g."""
_ERROR_DIGITS = 2
"""Of a spread of a dozen errors, which is itself known to 20 %."""


class _Curve(NamedTuple):
    """The figures of one series, by rising number of connections."""

    mtu_bytes: int
    waits: bool
    counts: Floats
    rates: Floats

    def without(self, place: int) -> "_Curve":
        """All figures but one."""
        return self._replace(
            counts=np.delete(self.counts, place), rates=np.delete(self.rates, place)
        )


def measured_demands(declared: Series) -> list[Document]:
    """
    Tables ``measured`` of a path record.

    Parameters
    ----------
    declared : Series
        Which rows and columns.

    Raises
    ------
    CalibrationError
        If a series lacks a single connection or several, or none has more figures than
        parameters.
    """
    assert declared.demands is not None
    tables = []
    for workload, column in (
        (declared.requests, declared.demands.requests),
        (declared.streams, declared.demands.streams),
    ):
        if workload is None:
            continue
        own = _curves(declared, workload, column, is_own=True)
        error_ratio, outside_ratio = _errors(_curves(declared, workload, column, is_own=False))
        for curve, conditions in own:
            fitted = _fitted(curve)
            counts = [int(curve.counts[0]), int(curve.counts[-1])]
            table: Document = {
                "workload": "requests" if curve.waits else f"streams to {declared.side.value}",
                "mtu": f"{curve.mtu_bytes} B",
                "connections": counts,
            }
            if curve.waits:
                traffic = traffic_under(conditions)
                table |= {
                    "request": f"{traffic.request_bytes:.0f} B",
                    "response": f"{traffic.response_bytes:.0f} B",
                    "delay": time_text(fitted.alone_s),
                    "per_transaction": {
                        "least": time_text(fitted.bottleneck.least_s),
                        "shared": time_text(fitted.bottleneck.shared_s),
                    },
                }
            else:
                table |= {
                    "alone_per_byte": time_text(fitted.alone_s),
                    "per_byte": {
                        "least": time_text(fitted.bottleneck.least_s),
                        "growing": time_text(fitted.bottleneck.growing_s),
                    },
                }
            tables.append(
                table
                | {
                    "error": _percent_text(error_ratio),
                    "outside_error": _percent_text(outside_ratio),
                }
            )
    return tables


def _curves(
    declared: Series, workload: WorkloadColumns, column: str, is_own: bool
) -> "list[tuple[_Curve, dict[str, float | str | bool]]]":
    """Series of a workload, of this path or of the whole table, with the conditions of each."""
    assert declared.demands is not None
    where = declared.where if is_own else {}
    source, rows = dataset_rows(declared.dataset, declared.table, where)
    conditions = dict.fromkeys((*declared.demands.by, _MTU, _COUNT, _WORKLOAD))
    observed = observed_from_dataset(
        source, chosen_rows(rows, workload.where), [column], conditions=[*conditions]
    ).observed
    groups: dict[tuple[float | str | bool, ...], list[Observed]] = {}
    for each in observed:
        key = tuple(each.at[name] for name in (*declared.demands.by, _MTU))
        groups.setdefault(key, []).append(each)
    curves = []
    for group in groups.values():
        group.sort(key=lambda each: float(each.at[_COUNT]))
        at = dict(group[0].at)
        curve = _Curve(
            int(at[_MTU]),
            workload is declared.requests,
            np.array([float(each.at[_COUNT]) for each in group]),
            np.array([each.figure for each in group], float),
        )
        curves.append((curve, at))
    return curves


def _fitted(curve: _Curve) -> MeasuredDemands:
    """(1), (2): demands of one series; of requests per transaction, of streams per byte."""
    counts = curve.counts
    if curve.waits:
        columns = np.column_stack([1 / counts, np.ones_like(counts), counts**-0.5])
        delay_s, least_s, shared_s = _least_squares(columns, curve.rates)
        alone_s, bottleneck = delay_s, AmortisedDemand(least_s, shared_s)
    else:
        byte_rates = curve.rates / BITS_PER_BYTE
        several = counts > 1
        if several.all() or not several.any():
            raise CalibrationError("streams need a figure of one connection, and of several")
        alone_s = float(1 / byte_rates[~several][0])
        columns = np.column_stack([np.ones_like(counts), counts])[several]
        # one figure leaves no growth to estimate
        columns = columns[:, : min(len(columns), 2)]
        least_s, growing_s = np.append(_least_squares(columns, byte_rates[several]), 0.0)[:2]
        bottleneck = AmortisedDemand(float(least_s), growing_s=float(growing_s))
    return MeasuredDemands(
        waits=curve.waits,
        mtu_bytes=curve.mtu_bytes,
        request_bytes=0.0,
        response_bytes=1.0,
        connection_counts=(int(counts[0]), int(counts[-1])),
        alone_s=float(alone_s),
        bottleneck=bottleneck,
        error_ratio=0.0,
        outside_error_ratio=0.0,
    )


def _least_squares(columns: Floats, rates: Floats) -> tuple[float, ...]:
    """Parameters of one over the rate, by its relative errors, none below zero."""
    return tuple(map(float, nnls(columns * rates[:, None], np.ones_like(rates))[0]))


def _errors(curves: Sequence[tuple[_Curve, object]]) -> tuple[float, float]:
    """(3): half-widths of 95 % within a series and at its ends, as ratios."""
    from scipy.stats import t as student

    within: list[float] = []
    at_ends: list[float] = []
    for curve, _ in curves:
        if len(curve.counts) <= _PARAMETER_COUNT:
            continue
        for place, missed in _left_out(curve):
            is_end = place in (0, len(curve.counts) - 1)
            (at_ends if is_end else within).append(missed)
    if not within or not at_ends:
        raise CalibrationError(
            f"no series has more than {_PARAMETER_COUNT} figures: errors of the form are unknown"
        )
    widths = []
    for logs in (within, [*within, *at_ends]):
        t_value = float(student.ppf((1 + LEVEL_RATIO) / 2, len(logs)))
        widths.append(math.expm1(t_value * math.sqrt(float(np.mean(np.square(logs))))))
    return widths[0], widths[1]


def _left_out(curve: _Curve) -> Iterator[tuple[int, float]]:
    """Place of each figure that the others predict, and the logarithm of prediction over it."""
    for place, (count, rate) in enumerate(zip(curve.counts, curve.rates, strict=True)):
        if not curve.waits and count == 1:
            continue  # the plateau says nothing of one stream
        payload = 1.0 if curve.waits else 1 / BITS_PER_BYTE
        value = _fitted(curve.without(place)).rate_tps(count, payload)
        yield place, math.log(float(value) / rate)


def _percent_text(ratio: float) -> str:
    return f"{WHOLE_PERCENT * ratio:.{_ERROR_DIGITS}g} %"
