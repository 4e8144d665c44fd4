"""The record of a calibrated adapter or host, as tables of a TOML file."""

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from netmodel.calibration._noise import noise_unknown
from netmodel.calibration._path_model import HOST_TABLES, TimesModel, host_directions
from netmodel.calibration.calibrations import Calibration
from netmodel.calibration.models import SeveralModels
from netmodel.calibration.sets import FeasibleSet
from netmodel.errors import CalibrationError, DomainError
from netmodel.grades import Grade
from netmodel.path import Stage
from netmodel.path.stages import COUNT_NAMES, Direction
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
_PACKETS = {"per_frame_s": "per_packet_s"}
"""Names of times in records of hosts, which handle packets of one or several frames."""


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
    ways = dict.fromkeys(str(each.at.get("direction", "")) for each in calibration.observed)
    if set(ways) - {"in", "out"}:
        give = argument("given", "--given", {"direction": "in"})
        raise DomainError(
            "the record of an adapter needs the condition direction: in (it receives) or out (it "
            f"sends), as a column, or {give} for all"
        )
    model = calibration.model
    models = model.models if isinstance(model, SeveralModels) else dict.fromkeys(ways, model)
    number, unit = format_rate(line_rate_bps).split()
    document = {
        **_about(calibration, title, source),
        "line_rate": {
            "value": Decimal(number),
            "unit": unit,
            "source": source,
            "locator": "line rate as specified",
            "grade": Grade.PUBLISHED.value,
        },
    }
    first = 0
    for way, own in models.items():
        if not isinstance(own, TimesModel) or own.side is not None or len(models) < len(ways):
            raise DomainError("only the model of an adapter, for each direction, gives its record")
        count = len(own.parameters)
        points = _points(calibration, range(first, first + count))
        payloads = [
            size
            for each in calibration.observed
            if each.at["direction"] == way
            for size in own.frame_payloads(each.at).values()
        ]
        document[way] = _times(points, own, own.path.stages[0], "to_server", payloads)
        first += count
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
    >>> from netmodel.consumption import Side
    >>> seen = [
    ...     Observed(
    ...         quantity="cpu_us_per_gbit",
    ...         at={"mtu_bytes": mtu, "request_bytes": size, "side": "client"},
    ...         low=0.99 * cost,
    ...         high=1.01 * cost,
    ...     )
    ...     for mtu, size, cost in ((1500, 30720, 73828), (9000, 30720, 37207), (1500, 200, 1e6))
    ... ]
    >>> result = calibrate(seen, host_cost_model(Side.CLIENT), noise_ratio=0.01)
    >>> sorted(host_document(result, "my host", "lab"))
    ['defaults', 'kind', 'receive', 'scatter', 'send', 'title', 'unknown']
    """
    model = calibration.model
    if not isinstance(model, TimesModel) or model.side is None:
        raise DomainError("only the model of the CPU cost of a host gives the record of a host")

    # batch sizes: a number where all runs had the same, else the range of the runs
    counts, unknown = {}, ["how many CPUs it has"]
    for name in COUNT_NAMES:
        values = sorted({float(each.at.get(name, 1)) for each in calibration.observed})
        if values != [1]:
            counts[name] = " to ".join(
                f"{value:g}" for value in dict.fromkeys(values[:1] + values[-1:])
            )
        if len(values) > 1:
            unknown.append(f"{name} of a load: {counts[name]} in the runs")

    points = _points(calibration, range(len(model.parameters)))
    payloads = [model.frame_payloads(each.at) for each in calibration.observed]
    directions = host_directions(model.side)
    tables = {}
    for stage in model.path.stages:
        direction = directions[stage.name]
        if getattr(stage, direction).named:
            own = [payload[direction] for payload in payloads if direction in payload]
            times = _times(points, model, stage, direction, own, _PACKETS)
            tables[HOST_TABLES[stage.name]] = times | counts
    return {**_about(calibration, title, source), "unknown": unknown, **tables}


class _Points(NamedTuple):
    """Points of parameters that span what is possible, each once, and their form in records."""

    points: list[tuple[float, ...]]
    form: str
    printed_count: int | None


def _points(calibration: Calibration, places: Sequence[int]) -> _Points:
    """Points of the parameters at these places, regardless of the others; those to quote first."""
    # intervals of published figures are their rounding: only own runs have a noise to know
    is_published = isinstance(calibration, FeasibleSet) and all(
        each.is_published for each in calibration.observed
    )
    if calibration.scatter_ratio is None and not is_published:
        raise CalibrationError(f"no record: {noise_unknown()}")
    printed_count = None
    if isinstance(calibration, FeasibleSet):
        if not all(each.high < math.inf for each in calibration.parameters.values()):
            raise CalibrationError(f"no record of times: {'; '.join(calibration.notes)}")
        form, printed, points = "vertices", calibration.printed_vertices, calibration.vertices
        if len(printed) > 1 and calibration.scatter is None:
            points = printed
        else:
            points, printed_count = np.concatenate([printed, points]), len(printed)
    else:
        names = [calibration.model.parameters[place].name for place in places]
        # the edge of one or two parameters is two points or an ellipse
        count = _EDGE_COUNT if len(names) <= 2 else _LARGE_EDGE_COUNT
        likeliest = np.array([*calibration.values.values()])
        form, points = "samples", np.array([likeliest, *calibration.edge(count, names)])
    # with the digits that hold on every machine: rounding may part the projections of one corner
    rows = [tuple(float(decimal_of(time_s)) for time_s in row) for row in points[:, [*places]]]
    distinct_count = printed_count and len(set(rows[:printed_count]))
    return _Points([*dict.fromkeys(rows)], form, distinct_count)


def _times(
    found: _Points,
    model: TimesModel,
    stage: Stage,
    direction: Direction,
    payloads: Sequence[float],
    names: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Times of one direction as records have them: a table for each point, and known payloads."""
    free = {time: place for place, times in enumerate(model.free.values()) for time in times}
    points = []
    for point in found.points:
        times = {}
        for name, fixed_s in getattr(stage, direction).named:
            place = free.get(f"{stage.name}.{direction}.{name}")
            known_s = float(np.asarray(fixed_s)) if place is None else point[place]
            times[(names or {}).get(name, name).removesuffix("_s")] = format_time(known_s)
        points.append(times)
    result: dict[str, Any] = {found.form: points}
    if found.printed_count not in (None, len(points)):
        result["printed_count"] = found.printed_count
    if payloads:
        ends = (f"{math.floor(min(payloads))} B", f"{math.ceil(max(payloads))} B")
        result["known_payload"] = span_text(*ends)
    return result


def _about(calibration: Calibration, title: str, source: str) -> dict[str, Any]:
    """Return the title, the scatter of runs and the description that any record has."""
    if isinstance(calibration, FeasibleSet):
        of = "as printed" if calibration.scatter is None else "and their scatter"
        points = f"vertices of the feasible set of the figures {of}; any may be true"
    else:
        level = fixed_percent(calibration.level_ratio, 0)
        points = f"most likely, then the edge of the region of {level}"
    ratio = calibration.scatter_ratio
    return {
        "title": title,
        "kind": "calibrated",
        **({} if ratio is None else {"scatter": f"{100 * ratio:.{_SCATTER_DIGITS}g} %"}),
        "defaults": {
            "source": source,
            "locator": f"{len(calibration.observed)} observations",
            "grade": Grade.FITTED.value,
            "note": f"netmodel calibrate: {points}",
        },
    }


def decimal_of(number: float) -> Decimal:
    """
    A number as calibrated records hold it, with 10 digits.

    Examples
    --------
    >>> decimal_of(1 / 3)
    Decimal('0.3333333333')
    """
    return Decimal(f"{number:.{_DIGITS}g}")
