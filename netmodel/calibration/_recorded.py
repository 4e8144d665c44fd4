"""What was found, as records that the rest of netmodel reads."""

import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from netmodel._grades import Grade
from netmodel.calibration._calibrate import Calibration
from netmodel.calibration._feasible import FeasibleSet
from netmodel.calibration._model import Floats, SeveralModels
from netmodel.calibration._observed import Observed
from netmodel.calibration._path_model import PathModel
from netmodel.errors import CalibrationError, DomainError
from netmodel.units import format_rate, format_time

__all__ = ["adapter_document", "host_document"]

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
        with them spans what they leave open.

    Raises
    ------
    CalibrationError
        If a time may be infinite, or nothing tells the noise of a fit.
    DomainError
        If the model is of no adapter, or the direction is not told.

    Examples
    --------
    >>> from netmodel.calibration import (
    ...     SeveralModels,
    ...     adapter_model,
    ...     calibrate,
    ...     observed_from_adapter,
    ... )
    >>> model = SeveralModels("direction", dict.fromkeys(("in", "out"), adapter_model(25e9)))
    >>> found = calibrate(model, observed_from_adapter("osa-express7s-25gbe").observed)
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
        "defaults": _provenance(calibration, source),
        **{
            direction: _times(calibration, model, names, _observed(calibration, direction))
            for direction, model, names in directions
        },
    }


def host_document(calibration: Calibration, title: str, source: str) -> dict[str, Any]:
    """
    A network path with the CPU of one host, for `netmodel.records.write_record`.

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
        One stage on a CPU, with times of messages, frames and bytes together.
        What else is on the path is not known.

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
    >>> found = calibrate(host_cost_model(Side.CLIENT), seen)
    >>> host_document(found, "my host", "lab")["stages"][0]["side"]
    'client'
    """
    model = calibration.model
    if not isinstance(model, PathModel) or model.path.stages[0].side is None:
        raise DomainError("only the model of the cost of a host has a record of its own")
    names = {one.name: place for place, one in enumerate(model.parameters)}
    stage = {
        "name": "host",
        "kind": "protocol-cpu",
        "side": model.path.stages[0].side.value,
        "both": _times(calibration, model, names, calibration.observed),
    }
    return {
        "title": title,
        "defaults": _provenance(calibration, source),
        "unknown": ["what else is on the path"],
        "stages": [stage],
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


def _spread(calibration: Calibration, places: Sequence[int]) -> _Spread:
    """Of the parameters at these places, whatever the others then are."""
    if isinstance(calibration, FeasibleSet):
        if not calibration.is_bounded:
            raise CalibrationError(f"no record of times: {' '.join(calibration.warnings)}")
        printed, allowed = calibration.printed_vertices, calibration.vertices
        points = printed if len(printed) > 1 else np.concatenate([printed, allowed])
        return _Spread(points, "vertices")
    likeliest = np.array([*calibration.values.values()])
    names = [calibration.model.parameters[place].name for place in places]
    count = _EDGE_COUNT if len(names) < 3 else _LARGE_EDGE_COUNT
    return _Spread(np.array([likeliest, *calibration.edge(count, names)]), "samples")


def _times(
    calibration: Calibration,
    model: PathModel,
    names: Mapping[str, int],
    observed: Sequence[Observed],
) -> dict[str, Any]:
    """Those of one stage, each point once."""
    spread = _spread(calibration, [*names.values()])
    keys = {name.removesuffix("_s"): place for name, place in names.items()}
    rows = dict.fromkeys(tuple(map(float, row[[*keys.values()]])) for row in spread.points)
    stated = {
        name.removesuffix("_s"): format_time(float(np.asarray(time_s)))
        for name, time_s in model.path.stages[0].to_server.named()
    }
    found: dict[str, Any] = {
        spread.form: [
            {**stated, **{key: format_time(time_s) for key, time_s in zip(keys, row, strict=True)}}
            for row in rows
        ]
    }
    payloads = [payload for one in observed for payload in model.frame_payloads(one.at)]
    if payloads:
        found["known_payload"] = f"{math.floor(min(payloads))} to {math.ceil(max(payloads))} B"
    return found


def _provenance(calibration: Calibration, source: str) -> dict[str, str]:
    count = len(calibration.observed)
    how = (
        "corners of all that the figures as printed allow; the first is a choice"
        if isinstance(calibration, FeasibleSet)
        else f"likeliest, then the edge of the region of {calibration.level_ratio:.0%}"
    )
    return {
        "source": source,
        "locator": f"{count} observations",
        "grade": Grade.FITTED.value,
        "note": f"netmodel calibrate: {how}",
    }
