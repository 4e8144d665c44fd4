"""
Stages that stand for a whole path over connections, from the throughput in tables of a series.

(1) Streams: X(N) = min(N / t1, 1 / (D + g N)) of the bytes; t1 from one connection, D and g from
    several, by least squares of relative errors, none below zero.
(2) Requests: R(N) = Z + n t1 + N (d + n D + w / √N), with n bytes to the side that receives the
    streams; t1 and D of (1), as measured at the same MTU, and the others likewise.
(3) Errors: each figure of the series that have more figures than parameters, predicted from the
    others, within the series and at its ends. Three figures set three parameters and show none.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from netmodel._estimates import LEVEL_RATIO
from netmodel._numeric import Floats
from netmodel.calibration._conditions import traffic_under
from netmodel.calibration._declarations import Document
from netmodel.calibration._declared_tables import Series, WorkloadColumns
from netmodel.calibration._documents import chosen_rows, dataset_rows, observed_from_dataset
from netmodel.calibration._observed import Conditions, Observed
from netmodel.calibration._records import time_text
from netmodel.consumption import Side
from netmodel.errors import CalibrationError
from netmodel.units import BITS_PER_BYTE
from netmodel.units._prefixes import WHOLE_PERCENT

_COUNT, _MTU, _WORKLOAD = "connection_count", "mtu_bytes", "workload"
_PARAMETER_COUNT = 3
"""Of each form: t1, D and g, or Z, d and w."""
_ERROR_DIGITS = 2
"""Of a spread of a dozen errors, which is itself known to 20 %."""


class _Curve(NamedTuple):
    """The figures of one series, by rising number of connections."""

    waits: bool
    at: Conditions
    counts: Floats
    rates: Floats

    def without(self, place: int) -> "_Curve":
        """All figures but one."""
        return self._replace(
            counts=np.delete(self.counts, place), rates=np.delete(self.rates, place)
        )

    def received_bytes(self, side: Side) -> float:
        """Payload of each request with its answer to one side."""
        traffic = traffic_under(self.at)
        sent = (traffic.request_bytes, traffic.response_bytes)
        return float(sent[side is Side.CLIENT])


class _Streams(NamedTuple):
    """(1): times of a byte."""

    alone_s: float = 0.0
    least_s: float = 0.0
    growing_s: float = 0.0

    def rate_bps(self, count: float) -> float:
        """X(N)."""
        longest_s = max(self.alone_s / count, self.least_s + self.growing_s * count)
        return BITS_PER_BYTE / longest_s


class _Requests(NamedTuple):
    """(2): times of a request, those of its bytes apart."""

    delay_s: float
    least_s: float
    shared_s: float
    bytes_: float
    streams: _Streams

    def rate_tps(self, count: float) -> float:
        """X(N)."""
        own_s = self.delay_s + self.bytes_ * self.streams.alone_s
        shared_s = self.shared_s / math.sqrt(count)
        demand_s = self.least_s + self.bytes_ * self.streams.least_s + shared_s
        return count / (own_s + count * demand_s)


def measured_demands(declared: Series) -> list[Document]:
    """
    Tables ``measured`` of a path record, by MTU.

    Parameters
    ----------
    declared : Series
        Which rows and columns.

    Raises
    ------
    CalibrationError
        If streams lack a single connection or several, or no series of a workload has more
        figures than parameters.
    """
    assert declared.demands is not None
    side = declared.side
    stream_columns = (declared.streams, declared.demands.streams)
    streams = _curves(declared, *stream_columns, is_own=True)
    stream_errors = _errors(_curves(declared, *stream_columns, is_own=False), side)
    requests, request_errors = [], (0.0, 0.0)
    if declared.requests is not None:
        request_columns = (declared.requests, declared.demands.requests)
        requests = _curves(declared, *request_columns, is_own=True)
        request_errors = _errors(_curves(declared, *request_columns, is_own=False), side)
    tables = []
    for mtu in sorted({int(curve.at[_MTU]) for curve in (*streams, *requests)}):
        stages: list[Document] = []
        series: list[Document] = []
        bottleneck: Document = {"name": "bottleneck", "shared": True}
        of_bytes, per_byte = _Streams(), f"per_byte_to_{side.value}"
        for curve in (each for each in streams if each.at[_MTU] == mtu):
            of_bytes = _streams(curve)
            stages.append({"name": "each connection", per_byte: time_text(of_bytes.alone_s)})
            bottleneck[per_byte] = {
                "least": time_text(of_bytes.least_s),
                **_unless_nothing("growing", of_bytes.growing_s),
            }
            series.append(_series(f"streams to {side.value}", curve, stream_errors))
        for curve in (each for each in requests if each.at[_MTU] == mtu):
            fitted = _requests(curve, side, of_bytes)
            stages.append({"name": "delay", "per_transaction": time_text(fitted.delay_s)})
            bottleneck["per_transaction"] = {
                "least": time_text(fitted.least_s),
                **_unless_nothing("shared", fitted.shared_s),
            }
            traffic = traffic_under(curve.at)
            sizes = {
                "request": f"{traffic.request_bytes:.0f} B",
                "response": f"{traffic.response_bytes:.0f} B",
            }
            series.append(_series("requests", curve, request_errors) | sizes)
        tables.append(
            {
                "mtu": f"{mtu} B",
                "waiting": "batch",
                "stages": [*stages, bottleneck],
                "fitted_to": series,
            }
        )
    return tables


def _unless_nothing(name: str, time_s: float) -> Document:
    return {name: time_text(time_s)} if time_s else {}


def _series(workload: str, curve: _Curve, errors: tuple[float, float]) -> Document:
    inside, outside = (f"{WHOLE_PERCENT * ratio:.{_ERROR_DIGITS}g} %" for ratio in errors)
    counts = [int(curve.counts[0]), int(curve.counts[-1])]
    return {
        "workload": workload,
        "connections": counts,
        "error": inside,
        "outside_error": outside,
    }


def _curves(declared: Series, workload: WorkloadColumns, column: str, is_own: bool) -> list[_Curve]:
    """Series of a workload, of this path or of the whole table."""
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
        curves.append(
            _Curve(
                workload is declared.requests,
                group[0].at,
                np.array([float(each.at[_COUNT]) for each in group]),
                np.array([each.figure for each in group], float),
            )
        )
    return curves


def _streams(curve: _Curve) -> _Streams:
    """(1)."""
    several = curve.counts > 1
    if several.all() or not several.any():
        raise CalibrationError("streams need a figure of one connection, and of several")
    byte_rates = curve.rates / BITS_PER_BYTE
    columns = np.column_stack([np.ones_like(curve.counts), curve.counts])[several]
    # one figure leaves no growth to estimate
    columns = columns[:, : len(columns)]
    parameters = _least_squares(columns, byte_rates[several])
    return _Streams(float(1 / byte_rates[~several][0]), *parameters)


def _requests(curve: _Curve, side: Side, streams: _Streams) -> _Requests:
    """(2)."""
    counts, received = curve.counts, curve.received_bytes(side)
    columns = np.column_stack([1 / counts, np.ones_like(counts), counts**-0.5])
    of_bytes = received * (streams.alone_s / counts + streams.least_s)
    delay_s, least_s, shared_s = _least_squares(columns, curve.rates, of_bytes)
    return _Requests(delay_s, least_s, shared_s, received, streams)


def _least_squares(
    columns: Floats, rates: Floats, known_s: Floats | float = 0.0
) -> tuple[float, ...]:
    """Parameters of one over the rate, by its relative errors, none below zero."""
    from scipy.optimize import nnls

    return tuple(map(float, nnls(columns * rates[:, None], 1 - known_s * rates)[0]))


def _errors(curves: Sequence[_Curve], side: Side) -> tuple[float, float]:
    """(3): half-widths of 95 % within a series and at its ends, as ratios."""
    from scipy.stats import t as student

    within: list[float] = []
    at_ends: list[float] = []
    for curve in curves:
        if len(curve.counts) <= _PARAMETER_COUNT:
            continue
        for place, missed in _left_out(curve, side):
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


def _left_out(curve: _Curve, side: Side) -> Iterator[tuple[int, float]]:
    """Place of each figure that the others predict, and the logarithm of prediction over it."""
    for place, (count, rate) in enumerate(zip(curve.counts, curve.rates, strict=True)):
        if curve.waits:
            value = _requests(curve.without(place), side, _Streams()).rate_tps(float(count))
        elif count > 1:
            value = _streams(curve.without(place)).rate_bps(float(count))
        else:
            continue  # the plateau says nothing of one stream
        yield place, math.log(value / rate)
