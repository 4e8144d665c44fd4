"""What was found, as records that the rest of netmodel reads."""

import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from netmodel._grades import Grade
from netmodel._numeric import Floats
from netmodel._text import span_text
from netmodel.calibration._calibrate import Calibration
from netmodel.calibration._models._base import SeveralModels
from netmodel.calibration._models._path import HOST_WAYS, PathModel, host_ways
from netmodel.calibration._observed import Observed
from netmodel.calibration._scatter import NOISE_UNKNOWN
from netmodel.calibration._sets import FeasibleSet
from netmodel.errors import CalibrationError, DomainError
from netmodel.path import COUNT_NAMES, Stage
from netmodel.units import format_rate, format_time

__all__ = ["adapter_document", "host_document", "known_payload_text"]

_NAMES_OF_HOSTS = MappingProxyType({"per_frame_s": "per_packet"})
_SCATTER_DIGITS = 3
_EDGE_COUNT, _LARGE_EDGE_COUNT = 32, 128


def adapter_document(
    calibration: Calibration, line_rate_bps: float, title: str, source: str
) -> dict[str, Any]:
    """
    The record of an adapter whose times were found, for `netmodel.records.write_record`.

    Parameters
    ----------
    calibration : Fit or FeasibleSet
        Of one direction of an adapter, or of several by the condition ``direction``.
    line_rate_bps : float
        MAC rate of its line. [bit/s]
    title : str
        A line that says what it is.
    source : str
        Where the observations are from.

    Returns
    -------
    document : dict
        Times of each direction together: corners of all that figures as
        printed allow, and of their rounding where that is one point; or points
        at the edge of the likelihood region, after the likeliest. A prediction
        with them spans what they leave open. ``scatter`` is the standard deviation
        from run to run, where it is known.

    Raises
    ------
    CalibrationError
        If a time may be infinite, or nothing tells the noise of one's own runs.
    DomainError
        If the model is of no adapter, or the direction is not told.

    Examples
    --------
    >>> from netmodel.calibration import SeveralModels, adapter_model, calibrate
    >>> from netmodel.calibration import observed_from_adapter
    >>> model = SeveralModels("direction", dict.fromkeys(("in", "out"), adapter_model(25e9)))
    >>> found = calibrate(observed_from_adapter("osa-express7s-25gbe"), model)
    >>> document = adapter_document(found, 25e9, "OSA-Express7S", "published limits")
    >>> document["in"]["known_payload"]
    '1396 to 8948 B'
    """
    number, unit = format_rate(line_rate_bps).split()
    directions = list(_by_direction(calibration))
    stated = {"source": source, "locator": "line rate as stated", "grade": Grade.PUBLISHED.value}
    return {
        "title": title,
        "kind": "calibrated",
        "line_rate": {"value": Decimal(number), "unit": unit, **stated},
        **_scatter(calibration),
        "defaults": _provenance(calibration, source),
        **{
            direction: _times(calibration, model, names, _observed(calibration, direction))
            for direction, model, names in directions
        },
    }


def host_document(calibration: Calibration, title: str, source: str) -> dict[str, Any]:
    """
    The record of a host whose CPU times were found, for `netmodel.records.write_record`.

    Parameters
    ----------
    calibration : Fit or FeasibleSet
        Of the cost of a host.
    title : str
        A line that says what it is.
    source : str
        Where the observations are from.

    Returns
    -------
    document : dict
        Times of what it sends and of what it receives, as far as they were to be
        found; the points of both go together. Counts that were the same in
        all observations, such as ``segments_per_packet``, stand beside them.

    Raises
    ------
    CalibrationError
        If a time may be infinite, or nothing tells the noise of a fit.
    DomainError
        If the model is not that of the cost of a host.

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
    >>> found = calibrate(seen, host_cost_model(Side.CLIENT), noise_ratio=0.01)
    >>> sorted(host_document(found, "my host", "lab"))
    ['defaults', 'kind', 'receive', 'scatter', 'send', 'title', 'unknown']
    """
    model = calibration.model
    if not isinstance(model, PathModel) or model.batching_stages != tuple(HOST_WAYS):
        raise DomainError("only the model of the cost of a host has a record of its own")
    counts, open_counts = _counts(calibration.observed)
    rows = _rows(_spread(calibration, range(len(model.parameters))))
    tables = {
        table: _host_times(calibration, model, stage, rows) | counts
        for stage, table in zip(model.path.stages, HOST_WAYS.values(), strict=True)
        if _has_times(model, stage)
    }
    return {
        "title": title,
        "kind": "calibrated",
        "defaults": _provenance(calibration, source),
        "unknown": ["how many CPUs it has", *open_counts],
        **_scatter(calibration),
        **tables,
    }


def _by_direction(
    calibration: Calibration,
) -> Iterator[tuple[str, PathModel, dict[str, int]]]:
    """Each direction with its model, and the place of each of its times by name."""
    told = dict.fromkeys(str(one.at.get("direction", "")) for one in calibration.observed)
    if set(told) - {"in", "out"}:
        raise DomainError("the record of an adapter needs the condition direction: in or out")
    model = calibration.model
    several = model.models if isinstance(model, SeveralModels) else dict.fromkeys(told, model)
    place = 0
    for direction, one in several.items():
        if not isinstance(one, PathModel) or len(several) < len(told):
            raise DomainError("only an adapter, each direction for itself, has such a record")
        yield direction, one, {free.name: place + k for k, free in enumerate(one.parameters)}
        place += len(one.parameters)


def _observed(calibration: Calibration, direction: str) -> list[Observed]:
    return [one for one in calibration.observed if one.at["direction"] == direction]


class _Spread(NamedTuple):
    """Parameters that span what is possible, those to quote first, and their name in records."""

    points: Floats
    form: str
    printed_count: int | None = None


def _spread(calibration: Calibration, places: Sequence[int]) -> _Spread:
    """Of the parameters at these places, whatever the others then are."""
    if not calibration.is_scatter_known and not _is_published(calibration):
        raise CalibrationError(f"no record: {NOISE_UNKNOWN}")
    if isinstance(calibration, FeasibleSet):
        if not calibration.is_bounded:
            raise CalibrationError(f"no record of times: {'; '.join(calibration.notes)}")
        printed, allowed = calibration.printed_vertices, calibration.vertices
        if len(printed) > 1 and calibration.scatter is None:
            return _Spread(printed, "vertices")
        points = np.concatenate([printed, allowed])
        return _Spread(points, "vertices", printed_count=len(printed))
    likeliest = np.array([*calibration.values.values()])
    names = [calibration.model.parameters[place].name for place in places]
    count = _EDGE_COUNT if len(names) < 3 else _LARGE_EDGE_COUNT
    return _Spread(np.array([likeliest, *calibration.edge(count, names)]), "samples")


def _is_published(calibration: Calibration) -> bool:
    """Whether all figures are of documents, whose intervals are their printed rounding."""
    is_set = isinstance(calibration, FeasibleSet) and not calibration.is_open
    return is_set and all(one.is_published for one in calibration.observed)


def _scatter(calibration: Calibration) -> dict[str, str]:
    """How far one run is from the mean that the times stand for; nothing where that is open."""
    if isinstance(calibration, FeasibleSet):
        ratio = None if calibration.scatter is None else calibration.scatter.ratio
    else:
        ratio = calibration.corrected_noise_sd if calibration.is_scatter_known else None
    return {} if ratio is None else {"scatter": f"{100 * ratio:.{_SCATTER_DIGITS}g} %"}


def _times(
    calibration: Calibration,
    model: PathModel,
    names: Mapping[str, int],
    observed: Sequence[Observed],
) -> dict[str, Any]:
    """Those of an adapter one way, each point once."""
    spread = _spread(calibration, [*names.values()])
    rows = _rows(spread, [*names.values()])
    stated = dict(model.path.stages[0].to_server.named())
    payloads = [payload for one in observed for payload in model.frame_payloads(one.at).values()]
    return {
        rows.form: [_point(stated | dict(zip(names, row, strict=True))) for row in rows.points],
        **_printed_count(rows),
        **_known_payload(payloads),
    }


class _Rows(NamedTuple):
    """Each point of all parameters once, and the name of their form in records."""

    points: list[tuple[float, ...]]
    form: str
    printed_count: int | None


def _rows(spread: _Spread, places: Sequence[int] | None = None) -> _Rows:
    """The points, or their parameters at some places."""
    chosen = spread.points if places is None else spread.points[:, [*places]]
    rows = [tuple(map(float, row)) for row in chosen]
    printed_count = spread.printed_count and len(set(rows[: spread.printed_count]))
    return _Rows([*dict.fromkeys(rows)], spread.form, printed_count)


def _printed_count(rows: _Rows) -> dict[str, int]:
    """How many points take figures as printed, where that is not all of them."""
    count = rows.printed_count
    return {} if count is None or count == len(rows.points) else {"printed_count": count}


def _host_times(
    calibration: Calibration, model: PathModel, stage: Stage, rows: _Rows
) -> dict[str, Any]:
    """Those of a host one way, in the order of the points of both ways."""
    assert stage.side is not None
    way = host_ways(stage.side)[stage.name]
    prefix = f"{stage.name}.{way}."
    stated = dict(getattr(stage, way).named())
    places = {
        time.removeprefix(prefix): place
        for place, times in enumerate(model.free.values())
        for time in times
        if time.startswith(prefix)
    }
    found = [
        _point(stated | {name: row[place] for name, place in places.items()}, _NAMES_OF_HOSTS)
        for row in rows.points
    ]
    told = (model.frame_payloads(one.at) for one in calibration.observed)
    payloads = [payload[way] for payload in told if way in payload]
    return {rows.form: found, **_printed_count(rows), **_known_payload(payloads)}


def _has_times(model: PathModel, stage: Stage) -> bool:
    """Whether times of a stage were to be found, or were taken as known."""
    names = [time for times in model.free.values() for time in times]
    stated = [*stage.to_server.named(), *stage.to_client.named()]
    return bool(stated) or any(name.startswith(f"{stage.name}.") for name in names)


def _point(
    times: Mapping[str, Any], names: Mapping[str, str] = MappingProxyType({})
) -> dict[str, str]:
    """Times as records have them."""
    return {
        names.get(name, name.removesuffix("_s")): format_time(float(np.asarray(time_s)))
        for name, time_s in times.items()
    }


def _known_payload(payloads: Sequence[float]) -> dict[str, str]:
    if not payloads:
        return {}
    return {"known_payload": known_payload_text(payloads)}


def known_payload_text(payloads_bytes: Sequence[float]) -> str:
    """Least and most payload of frames, in whole bytes, as records have it."""
    low, high = math.floor(min(payloads_bytes)), math.ceil(max(payloads_bytes))
    return span_text(f"{low} B", f"{high} B")


def _counts(observed: Sequence[Observed]) -> tuple[dict[str, str], list[str]]:
    """Counts that were the same in all observations, and what is open of the others."""
    counts, unknown = {}, []
    for name in COUNT_NAMES:
        values = sorted({float(one.at.get(name, 1)) for one in observed})
        if len(values) > 1:
            unknown.append(f"{name}: {values[0]:g} to {values[-1]:g} when seen; 1 until stated")
        elif values[0] != 1:
            counts[name] = f"{values[0]:g}"
    return counts, unknown


def _provenance(calibration: Calibration, source: str) -> dict[str, str]:
    count = len(calibration.observed)
    if not isinstance(calibration, FeasibleSet):
        how = f"likeliest, then the edge of the region of {calibration.level_ratio:.0%}"
    elif calibration.scatter is None:
        how = "corners of all that the figures as printed allow; the first is a choice"
    else:
        how = "corners of all that the figures and their scatter allow; the first are a choice"
    return {
        "source": source,
        "locator": f"{count} observations",
        "grade": Grade.FITTED.value,
        "note": f"netmodel calibrate: {how}",
    }
