"""Which measurement would narrow a quantity most."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from netmodel.calibration._fit import Fit
from netmodel.calibration._noise import noise_unknown
from netmodel.calibration.models import LinearModel, Point, bounds_of
from netmodel.calibration.observations import Conditions, conditions_with
from netmodel.calibration.path_models import service_times
from netmodel.calibration.sets import FeasibleSet
from netmodel.errors import CalibrationError, DomainError
from netmodel.estimates import LEVEL_DEVIATIONS
from netmodel.results import Result
from netmodel.text import span_text, value_text

_RESOLUTION_RATIO = 0.005
"""Half of the last digit of 10.0, the worst of the rates that tools print as 10.0 to 99.9."""
_TRIED = (
    *({"mtu_bytes": size} for size in (576, 1000, 1500, 2000, 2500, 3000, 4000, 6000, 9000)),
    *({"request_bytes": size, "response_bytes": size} for size in (64, 128, 256, 512)),
    *({"connection_count": count} for count in (1, 2, 5, 10, 50, 250)),
)
"""
MTUs from the 576 byte that every IPv4 host accepts (RFC 791) to jumbo frames; messages of which
per-message costs prevail (RFC 2544); connections of the published series, and two between.
"""


@dataclass(frozen=True, slots=True)
class Advice(Result):
    """
    How one more measurement would narrow the range of a quantity.

    Parameters
    ----------
    point : Point
        Quantity and conditions to measure.
    shrinkage_ratio : float
        Expected reduction of the present range.
    why : str
        The reason in a sentence.
    """

    point: Point
    shrinkage_ratio: float
    why: str


def next_measurements(
    calibration: FeasibleSet | Fit, target: Point, candidates: Iterable[Point] | None = None
) -> list[Advice]:
    r"""
    Measurements, first the one that would most narrow the range of a quantity.

    Parameters
    ----------
    calibration : FeasibleSet or Fit
        Present knowledge.
    target : Point
        The wanted quantity.
    candidates : iterable of Point, optional
        Possible measurements; when left out, other MTUs, small messages, connection counts and
        directions under the conditions of the target, for a linear model only.

    Returns
    -------
    advice : list of Advice
        For each candidate, most shrinkage first.

    Raises
    ------
    CalibrationError
        If the range of the target has an open end, or the noise of a fit is unknown.
    DomainError
        If the model does not know the target or a candidate, or candidates are left out for a
        nonlinear model.

    Notes
    -----
    Parameters that are possible together, the corners of a set or places of the covariance of a
    fit, give a reading the relative variance :math:`v` and the target :math:`w`, with the
    covariance :math:`u`. A reading of variance :math:`n`, by digits and scatter, leaves of the
    deviation of the target

    .. math:: \sqrt{1 - \frac{u^2}{w (v + n)}} \qquad (1)

    Examples
    --------
    >>> from netmodel.calibration import Observed, adapter_model, feasible_set
    >>> at = [{"mtu_bytes": mtu_bytes} for mtu_bytes in (1500, 9000)]
    >>> seen = [
    ...     Observed(quantity="throughput_bps", at=at[0], low=13.35e9, high=13.45e9),
    ...     Observed(quantity="throughput_bps", at=at[1], low=24.75e9, high=math.inf),
    ... ]
    >>> target = Point("throughput_bps", {"mtu_bytes": 4000})
    >>> first, *_ = next_measurements(feasible_set(seen, adapter_model(25e9)), target)
    >>> first.point.at["mtu_bytes"], first.shrinkage_ratio > 0.9
    (3000, True)
    """
    model, scatter = calibration.model, calibration.scatter_ratio
    if candidates is None:
        if not isinstance(model, LinearModel):
            raise DomainError("candidates must be given for a model that is not linear")
        candidates = _candidates(model, target)
    is_set, points = isinstance(calibration, FeasibleSet), [target, *candidates]
    if calibration.predict(target).high == math.inf or (scatter is None and not is_set):
        why = " ".join(calibration.notes) if is_set else noise_unknown()
        raise CalibrationError(f"{target.quantity} has no upper bound yet; {why}")
    if isinstance(calibration, FeasibleSet):
        joint = calibration.vertices
    else:  # places about the likeliest parameters whose covariance is that of the fit
        values, vectors = np.linalg.eigh(calibration.covariance)
        spread = (vectors * np.sqrt(np.maximum(values, 0.0) * len(values))).T
        likeliest = np.array([*calibration.values.values()])
        joint = np.clip(likeliest + np.vstack([spread, -spread]), *bounds_of(model))
        if scatter and calibration.noise == "absolute":
            scatter /= calibration.predict(target).value
    with np.errstate(divide="ignore", invalid="ignore"):
        each = model.function(points)(joint.T)
        each = np.where(np.isinf(each).any(axis=1, keepdims=True), 1 / each, each)
        each = np.nan_to_num(each / each.mean(axis=1, keepdims=True) - 1)
    noise = (scatter or 0.0) ** 2 + (_RESOLUTION_RATIO / LEVEL_DEVIATIONS) ** 2
    shared, own = (each @ each[0]) / len(joint), (each**2).mean(axis=1)
    left = 1 - shared**2 / ((own[0] or 1.0) * (own + noise))  # (1)
    advice = []
    for point, part in zip(points[1:], np.sqrt(np.maximum(left[1:], 0.0)).tolist(), strict=True):
        ends = calibration.predict(point)[1:]
        texts = ("any" if math.isinf(end) else value_text(point.quantity, end) for end in ends)
        then = f"the range would be {100 * (1 - part):.0f} % narrower"
        why = f"may read {span_text(*texts)} now, after which {then}"
        advice.append(Advice(point, 1 - part, why))
    return sorted(advice, key=lambda each: -each.shrinkage_ratio)


def _candidates(model: LinearModel, target: Point) -> list[Point]:
    """Return points under other conditions, of those that the model computes alike the first."""
    tried: list[Conditions] = [
        each for each in _TRIED if {*each} & {*target.at} or "request_bytes" in each
    ]
    times = service_times(model)
    if times is not None and times.by:
        tried += [{times.by: place} for place in times.places]
    points: dict[tuple[str, ...], Point] = {}
    for each in ({}, *tried):
        point = Point(target.quantity, conditions_with(target.at, each))
        points.setdefault(tuple(f"{end:.9g}" for end in model.loads(point).rows.ravel()), point)
    return [*points.values()]
