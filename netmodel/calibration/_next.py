"""Which measurement would narrow a quantity most."""

import math
from collections.abc import Iterable

import numpy as np

from netmodel.calibration._fit import Fit
from netmodel.calibration.models import Point, bounds_of, noise_unknown
from netmodel.calibration.sets import FeasibleSet
from netmodel.errors import CalibrationError
from netmodel.estimates import LEVEL_DEVIATIONS
from netmodel.text import span_text, value_text

_RESOLUTION_RATIO = 0.005
"""Half of the last digit of 10.0, the worst of the rates that tools print as 10.0 to 99.9."""


def next_measurements(
    calibration: FeasibleSet | Fit, target: Point, candidates: Iterable[Point]
) -> list[tuple[Point, float, str]]:
    r"""
    Measurements, first the one that would most narrow the range of a quantity.

    Parameters
    ----------
    calibration : FeasibleSet or Fit
        Present knowledge.
    target : Point
        The wanted quantity.
    candidates : iterable of Point
        Possible measurements.

    Returns
    -------
    ranked : list of (Point, float, str)
        Each candidate, the expected reduction of the present range as a ratio, and the reason in
        a sentence; most reduction first.

    Raises
    ------
    CalibrationError
        If the range of the target has an open end, or the noise of a fit is unknown.
    DomainError
        If the model does not know the target or a candidate.

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
    >>> others = [Point("throughput_bps", {"mtu_bytes": size}) for size in (576, 3000, 9000)]
    >>> first, *_ = next_measurements(feasible_set(seen, adapter_model(25e9)), target, others)
    >>> first[0].at["mtu_bytes"], first[2]
    (3000, 'may read 18.53 to 24.26 Gbit/s now, after which the range would be 98 % narrower')
    """
    model, scatter = calibration.model, calibration.scatter_ratio
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
    ranked = []
    for point, part in zip(points[1:], np.sqrt(np.maximum(left[1:], 0.0)).tolist(), strict=True):
        ends = calibration.predict(point)[1:]
        texts = ("any" if math.isinf(end) else value_text(point.quantity, end) for end in ends)
        then = f"the range would be {100 * (1 - part):.0f} % narrower"
        ranked.append((point, 1 - part, f"may read {span_text(*texts)} now, after which {then}"))
    return sorted(ranked, key=lambda each: -each[1])
