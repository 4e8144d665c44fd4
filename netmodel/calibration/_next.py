"""Which parameters the spread of a quantity is due to, and which measurement would narrow it."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from netmodel.calibration._fit import Fit
from netmodel.calibration._likelihood import quantities
from netmodel.calibration._noise import Noise, noise_unknown
from netmodel.calibration._polytopes import clauses, narrowed, quantity_ends, sums_of
from netmodel.calibration.models import LinearModel, Point, SeveralModels
from netmodel.calibration.observations import Conditions, Observed, conditions_with
from netmodel.calibration.sets import FeasibleSet
from netmodel.errors import CalibrationError, DomainError
from netmodel.estimates import LEVEL_DEVIATIONS
from netmodel.numeric import Floats
from netmodel.results import Result
from netmodel.text import span_text, value_text

_READINGS = 9
"""Readings tried for a measurement: twice as many move their mean by a few per cent."""
_RESOLUTION_RATIO = 0.005
"""Half of the last digit of 10.0, the worst of the rates that tools print as 10.0 to 99.9."""
_MTUS = (576, 1000, 1500, 2000, 2500, 3000, 4000, 6000, 9000)
"""From the 576 byte that every IPv4 host accepts (RFC 791) to jumbo frames: usual settings."""
_SMALL_MESSAGES = (64, 128, 256, 512)
"""Bytes, of which per-message and per-frame costs prevail: sizes of RFC 2544 up to 512."""
_CONNECTION_COUNTS = (1, 2, 5, 10, 50, 250)
"""Those of the published series, 1, 10, 50, 250, and two between 1 and 10."""
_SAME_DIGITS = 9
"""Of coefficients: those of points that a model computes alike agree to this many."""


@dataclass(frozen=True, slots=True)
class Advice(Result):
    """
    How one more measurement would narrow the range of a quantity.

    Parameters
    ----------
    point : Point
        Quantity and conditions to measure.
    expected_width : float
        Width of the range of the target afterwards, mean over readings.
    shrinkage_ratio : float
        Reduction of the present range.
    worst_shrinkage_ratio : float
        The same for the reading that narrows it least.
    why : str
        The reason in a sentence.
    """

    point: Point
    expected_width: float
    shrinkage_ratio: float
    worst_shrinkage_ratio: float
    why: str


def next_measurements(
    calibration: FeasibleSet | Fit,
    target: Point,
    candidates: Iterable[Point] | None = None,
    resolution_ratio: float = _RESOLUTION_RATIO,
) -> list[Advice]:
    r"""
    Measurements, first the one that would most narrow the range of a quantity.

    Parameters
    ----------
    calibration : FeasibleSet or Fit
        Present knowledge; of a fit the parameters and their covariance.
    target : Point
        The wanted quantity.
    candidates : iterable of Point, optional
        Possible measurements; when left out, other MTUs, messages and connection counts, for a
        linear model only.
    resolution_ratio : float
        Largest relative error of a reading; for a fit, in 95 % of readings, in addition to the
        scatter of runs.

    Returns
    -------
    advice : list of Advice
        For each candidate, most shrinkage first.

    Raises
    ------
    CalibrationError
        If the range of the target has an open end, or the noise of a fit is unknown.
    DomainError
        If the model does not know the target or a candidate, candidates are left out for a
        nonlinear model, or the resolution is not above zero.

    Notes
    -----
    For a feasible set, nine readings of each candidate are tried, spread evenly over its present
    range of service times: with one time per frame and one per byte, of which one measurement
    leaves a segment, evenly over that segment. A reading beyond the line rate reads as the line
    rate, and is then a lower bound. The width afterwards is that of the exact set with the
    reading added.

    A fit is taken as linear near its likeliest parameters. A reading with slopes :math:`h` and
    variance :math:`v` reduces the covariance :math:`C` regardless of its value:

    .. math:: C' = C - \frac{C h h^T C}{h^T C h + v} \qquad (1)

    and with the slopes :math:`g` of the target its variance :math:`g^T C g`. The interval of the
    target narrows with its standard deviation; that one more run also determines the noise better
    is left out.

    Examples
    --------
    >>> from netmodel.calibration import adapter_model, feasible_set
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
    if not 0 < resolution_ratio < 1:
        raise DomainError(f"resolution_ratio must be above 0 and below 1; got {resolution_ratio!r}")
    if candidates is None:
        if not isinstance(calibration.model, LinearModel):
            raise DomainError("candidates must be given for a model that is not linear")
        candidates = candidate_points(calibration.model, target)
    of_kind = _narrowing_of_set if isinstance(calibration, FeasibleSet) else _narrowing_of_fit
    narrowing: Callable[[Point], Advice] = of_kind(calibration, target, resolution_ratio)  # type: ignore[arg-type]
    advice = [narrowing(point) for point in candidates]
    return sorted(advice, key=lambda each: (each.expected_width, -each.worst_shrinkage_ratio))


def candidate_points(model: LinearModel, target: Point) -> list[Point]:
    """
    Points to measure that the model can distinguish from each other.

    Parameters
    ----------
    model : LinearModel
        The model.
    target : Point
        Its conditions are varied.

    Returns
    -------
    points : list of Point
        The target itself; other MTUs from 576 to 9000 byte; transactions of 64 to 512 byte in
        each direction; 1 to 250 connections where a count is given; and everything that has
        parameters of its own, such as the other direction. Of points that the model computes
        alike only the first.

    Raises
    ------
    DomainError
        If the model does not know the target.

    Examples
    --------
    >>> from netmodel.calibration import adapter_model
    >>> target = Point("throughput_bps", {"mtu_bytes": 4000})
    >>> len(candidate_points(adapter_model(25e9), target))
    13
    """
    model.loads(target)
    conditions, given = dict(target.at), list[Conditions]()
    if "mtu_bytes" in conditions:
        given += [{"mtu_bytes": size} for size in _MTUS]
        given += [{"request_bytes": size, "response_bytes": size} for size in _SMALL_MESSAGES]
    if "connection_count" in conditions:
        given += [{"connection_count": count} for count in _CONNECTION_COUNTS]
    if isinstance(model, SeveralModels):
        given += [{model.by: name} for name in model.models]
    # of points that depend on the parameters alike, only the first
    points: dict[frozenset[tuple[str, ...]], Point] = {}
    for changed in ({}, *given):
        point = Point(target.quantity, conditions_with(conditions, changed))
        try:
            rows = model.loads(point).rows
        except DomainError:
            continue
        key = frozenset(tuple(f"{value:.{_SAME_DIGITS}g}" for value in row) for row in rows)
        points.setdefault(key, point)
    return list(points.values())


def _narrowing_of_set(
    known: FeasibleSet, target: Point, resolution_ratio: float
) -> Callable[[Point], Advice]:
    """How each measurement narrows a set: the mean over its possible readings."""
    wanted = sums_of(known.model, target)
    low, high = quantity_ends(known.parts, wanted)
    if high == math.inf:
        raise CalibrationError(
            f"{target.quantity} has no upper bound yet; first measure a bound: "
            f"{' '.join(known.notes)}"
        )

    def advice(point: Point) -> Advice:
        loads = sums_of(known.model, point)
        ends = quantity_ends(known.parts, loads)
        # readings evenly over their service times; beyond the line as many as the line hides
        readings = [loads.most] * _READINGS
        if len(loads.uncapped.rows):
            first, last = quantity_ends(known.parts, replace(loads.uncapped, is_rate=False))
            if last == math.inf:
                return Advice(point, high - low, 0.0, 0.0, "its reading has no bound yet")
            middles = first + (np.arange(_READINGS) + 0.5) / _READINGS * (last - first)
            readings = [1 / max(each, loads.fixed) if loads.is_rate else each for each in middles]
        widths = []
        for reading in readings:
            least, most = reading * (1 - resolution_ratio), reading * (1 + resolution_ratio)
            seen = Observed(quantity=point.quantity, at=point.at, low=least, high=most)
            parts = narrowed(known.parts, clauses(known.model, seen))
            if parts:
                least, most = quantity_ends(parts, wanted)
                widths.append(most - least)
        shrinkages = [max(0.0, 1 - each / (high - low)) if high > low else 0.0 for each in widths]
        expected, worst = float(np.mean(shrinkages)), min(shrinkages)
        hidden = sum(reading == loads.most for reading in readings)
        why = (
            f"may read {_span(point, *ends)} now, after which the range would be "
            f"{100 * expected:.0f} % narrower, {100 * worst:.0f} % at worst"
        )
        why += f"; the line hides {hidden} of {_READINGS} readings" if hidden else ""
        return Advice(point, float(np.mean(widths)), expected, worst, why)

    return advice


def _narrowing_of_fit(
    known: Fit, target: Point, resolution_ratio: float
) -> Callable[[Point], Advice]:
    """How each measurement narrows a fit, by (1)."""
    covariance, parameters = known.covariance, np.array([*known.values.values()])

    def linear(point: Point) -> tuple[float, Floats]:
        """A quantity, and its slope in each parameter."""
        values, slopes = quantities(known.model, [point], parameters)(parameters)
        return float(values[0]), slopes[0]

    _, wanted = linear(target)
    variance = float(wanted @ covariance @ wanted)
    _, low, high = known.predict(target)
    if not (math.isfinite(variance) and high - low < math.inf):
        raise CalibrationError(f"no range of {target.quantity} to narrow: {noise_unknown()}")

    def advice(point: Point) -> Advice:
        value, slopes = linear(point)
        shared = float(wanted @ covariance @ slopes)
        own = float(slopes @ covariance @ slopes)
        scatter = known.corrected_noise_sd * (value if known.noise is Noise.RELATIVE else 1)
        noise = scatter**2 + (resolution_ratio * value / LEVEL_DEVIATIONS) ** 2
        left = max(0.0, variance - (shared**2 / (own + noise) if shared else 0.0))
        shrinkage = 1 - math.sqrt(left / variance) if variance else 0.0
        half = LEVEL_DEVIATIONS * math.sqrt(own)
        why = (
            f"may read {_span(point, value - half, value + half)} now, after which the range "
            f"would be {100 * shrinkage:.0f} % narrower"
        )
        return Advice(point, (1 - shrinkage) * (high - low), shrinkage, shrinkage, why)

    return advice


def _span(point: Point, *ends: float) -> str:
    """A range in the unit of the quantity, which its name ends in."""
    low, high = ("any" if math.isinf(end) else value_text(point.quantity, end) for end in ends)
    return span_text(low, high)
