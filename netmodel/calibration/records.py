"""The record of a calibrated adapter or host, as tables of a TOML file."""

import math
from collections.abc import Collection
from decimal import Decimal
from typing import Any, TypeAlias

from netmodel.calibration.calibrations import Calibration
from netmodel.calibration.models import noise_unknown
from netmodel.calibration.path_models import (
    HOST_TABLES,
    ServiceTimes,
    frame_payloads,
    service_times,
)
from netmodel.calibration.sets import FeasibleSet
from netmodel.errors import CalibrationError, DomainError
from netmodel.grades import Grade
from netmodel.path.stages import COUNT_NAMES, TIME_NAMES
from netmodel.text import argument, fixed_percent, span_text
from netmodel.units import format_rate, format_time

_DIGITS = 10
"""Of 15 that a float has: the last ones depend on the machine's order of operations."""
_SCATTER_DIGITS = 3
"""A standard deviation of 30 runs is within 13 %: more digits say nothing."""
_EDGE_COUNT, _LARGE_EDGE_COUNT = 32, 128
"""
Points at the edge of a likelihood region of up to two parameters, and of more.

32 on an ellipse leave 0.5 % of its half-width between a chord and the arc.
"""
HOW_MANY_CPUS = "how many CPUs it has"
"""Unknown of each host record: CPU time alone does not show it."""


def adapter_document(
    calibration: Calibration, line_rate_bps: float, title: str, source: str
) -> dict[str, Any]:
    """
    The record of a calibrated adapter, for `netmodel.records.write_record`.

    Parameters
    ----------
    calibration : Fit or FeasibleSet
        Of one direction of an adapter, or of several by the condition ``direction``.
    line_rate_bps : float
        MAC rate of its line. [bit/s]
    title : str
        One line.
    source : str
        Source of the observations.

    Returns
    -------
    document : dict
        Service times of each direction, as points that are possible together: vertices of the
        feasible set of figures as printed, and of their rounding where that is one point; or
        the most likely point and then the edge of the likelihood region. A prediction with them
        spans what they leave open. ``scatter`` is the standard deviation from run to run,
        where it is known.

    Raises
    ------
    CalibrationError
        If a time is unbounded, or the noise of your own runs is not known.
    DomainError
        If the model is not that of an adapter, or the condition ``direction`` is missing.

    Examples
    --------
    >>> from netmodel.calibration import Observed, calibrate
    >>> seen = [
    ...     Observed(
    ...         quantity="throughput_bps",
    ...         at={"mtu_bytes": mtu_bytes, "direction": "in"},
    ...         low=rate_bps,
    ...         high=rate_bps,
    ...     )
    ...     for mtu_bytes, rate_bps in ((1500, 13.4e9), (4000, 20.0e9), (9000, 24.1e9))
    ... ]
    >>> document = adapter_document(calibrate(seen, noise_ratio=0.01), 25e9, "mine", "lab")
    >>> document["in"]["known_payload"]
    '1448 to 8948 B'
    """
    seen = calibration.observed
    ways = dict.fromkeys(str(each.at.get("direction", "")) for each in seen)
    if set(ways) - {"in", "out"}:
        give = argument("given", "--given", {"direction": "in"})
        raise DomainError(
            "the record of an adapter needs the condition direction: in (it receives) or out (it "
            f"sends), as a column, or {give} for all"
        )
    times = service_times(calibration.model)
    if times is None or times.is_of_host or len(times.places) < len(ways):
        raise DomainError("only the model of an adapter, for each direction, gives its record")
    number, unit = format_rate(line_rate_bps).split()
    specified = {"locator": "line rate as specified", "grade": Grade.PUBLISHED.value}
    rate = {"value": Decimal(number), "unit": unit, "source": source, **specified}
    document = {**_about(calibration, title, source), "line_rate": rate}
    for place in times.places:
        (way,) = [place] if times.by else ways
        own = {name for (where, _), name in times.names.items() if where == place}
        document[way] = _times(_points(calibration, own), calibration, times, place)
    return document


def host_document(calibration: Calibration, title: str, source: str) -> dict[str, Any]:
    """
    The record of a host with calibrated CPU times, for `netmodel.records.write_record`.

    Parameters
    ----------
    calibration : Fit or FeasibleSet
        Of the CPU cost of a host.
    title : str
        One line.
    source : str
        Source of the observations.

    Returns
    -------
    document : dict
        CPU times of what it sends and of what it receives, as far as the model has them; the
        points of both belong together. Batch sizes that were the same in all observations, such as
        ``segments_per_packet``, stand beside them.

    Raises
    ------
    CalibrationError
        If a time is unbounded, or the noise of a fit is not known.
    DomainError
        If the model is not that of the CPU cost of a host.

    Examples
    --------
    >>> from netmodel.calibration import Observed, calibrate, host_cost_model
    >>> seen = [
    ...     Observed(
    ...         quantity="cpu_us_per_gbit",
    ...         at={"mtu_bytes": mtu, "request_bytes": size, "side": "client"},
    ...         low=0.99 * cost,
    ...         high=1.01 * cost,
    ...     )
    ...     for mtu, size, cost in ((1500, 30720, 73828), (9000, 30720, 37207), (1500, 200, 1e6))
    ... ]
    >>> result = calibrate(seen, host_cost_model(), noise_ratio=0.01)
    >>> sorted(host_document(result, "my host", "lab"))
    ['defaults', 'kind', 'receive', 'scatter', 'send', 'title', 'unknown']
    """
    times, seen = service_times(calibration.model), calibration.observed
    if times is None or not times.is_of_host:
        raise DomainError("only the model of the CPU cost of a host gives the record of a host")
    # batch sizes: a number where all runs had the same, else the range of the runs
    counts, unknown = dict[str, str](), [HOW_MANY_CPUS]
    for name in COUNT_NAMES:
        values = sorted({float(each.at.get(name, 1)) for each in seen})
        if values != [1]:
            counts[name] = span_text(f"{values[0]:g}", f"{values[-1]:g}")
        if len(values) > 1:
            unknown.append(f"{name} of a load: {counts[name]} in the runs")
    points = _points(calibration, {*calibration.parameters})
    document = {**_about(calibration, title, source), "unknown": unknown}
    for place in times.places:
        document[HOST_TABLES[place]] = _times(points, calibration, times, place) | counts
    return document


_Points: TypeAlias = tuple[list[dict[str, float]], str, int]
"""Points of parameters that span what is possible, their form, and how many are as printed."""


def _points(calibration: Calibration, own: Collection[str]) -> _Points:
    """Points of parameters, regardless of the others; those to quote first."""
    is_set = isinstance(calibration, FeasibleSet)
    # intervals of published figures are their rounding: only own runs have a noise to know
    is_published = is_set and all(each.is_published for each in calibration.observed)
    if calibration.scatter_ratio is None and not is_published:
        raise CalibrationError(f"no record: {noise_unknown()}")
    places = {name: place for place, name in enumerate(calibration.parameters) if name in own}
    if not isinstance(calibration, FeasibleSet):
        # the edge of one or two parameters is two points or an ellipse
        count = _EDGE_COUNT if len(places) <= 2 else _LARGE_EDGE_COUNT
        first: Any = [[*calibration.values.values()]]
        others = calibration.edge(count, places)
    elif not all(each.high < math.inf for each in calibration.parameters.values()):
        raise CalibrationError(f"no record of times: {'; '.join(calibration.notes)}")
    else:
        first, others = calibration.printed_vertices, calibration.vertices
        if len(first) > 1 and calibration.scatter_ratio is None:
            others = first
    # with the digits that hold on every machine: rounding may part the projections of one corner
    rows = [
        tuple(float(decimal_of(point[place])) for place in places.values())
        for point in (*first, *others)
    ]
    points = [dict(zip(places, row, strict=True)) for row in dict.fromkeys(rows)]
    return points, "vertices" if is_set else "samples", len({*rows[: len(first)]})


def _times(
    points: _Points, calibration: Calibration, times: ServiceTimes, place: str
) -> dict[str, Any]:
    """Times of one direction as records have them: a table for each point, and known payloads."""
    rows, form, printed_count = points
    # hosts handle packets of one or several frames
    written = {"per_frame_s": "per_packet_s"} if times.is_of_host else {}
    result: dict[str, Any] = {form: []}
    for row in rows:
        known = {**calibration.model.fixed, **row}
        result[form].append(
            {
                written.get(time, time)[: -len("_s")]: format_time(known[name])
                for time in TIME_NAMES
                if (name := times.names.get((place, time), "")) and (known[name] or name in row)
            }
        )
    if form == "vertices" and printed_count < len(rows):
        result["printed_count"] = printed_count
    every = (frame_payloads(calibration.model, each.at) for each in calibration.observed)
    payloads = [of_place[place] for of_place in every if place in of_place]
    if payloads:
        ends = (f"{math.floor(min(payloads))} B", f"{math.ceil(max(payloads))} B")
        result["known_payload"] = span_text(*ends)
    return result


def _about(calibration: Calibration, title: str, source: str) -> dict[str, Any]:
    """Return the title, the scatter of runs and the description that any record has."""
    if isinstance(calibration, FeasibleSet):
        of = "as printed" if calibration.scatter_ratio is None else "and their scatter"
        points = f"vertices of the feasible set of the figures {of}; any may be true"
    else:
        level = fixed_percent(calibration.level_ratio, 0)
        points = f"most likely, then the edge of the region of {level}"
    ratio = calibration.scatter_ratio
    scatter = {} if ratio is None else {"scatter": f"{100 * ratio:.{_SCATTER_DIGITS}g} %"}
    about = {"grade": Grade.FITTED.value, "note": f"netmodel calibrate: {points}"}
    place = {"source": source, "locator": f"{len(calibration.observed)} observations"}
    return {"title": title, "kind": "calibrated", **scatter, "defaults": place | about}


def decimal_of(number: float) -> Decimal:
    """
    A number as calibrated records hold it, with 10 digits.

    Examples
    --------
    >>> decimal_of(1 / 3)
    Decimal('0.3333333333')
    """
    return Decimal(f"{number:.{_DIGITS}g}")
