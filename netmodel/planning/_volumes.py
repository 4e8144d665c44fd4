"""Planned rates: from a mean and its variation, a measured percentile, or a load over time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from netmodel._numeric import (
    Floats,
    ceil_but_for_rounding,
    require_above,
    require_at_least,
    require_one,
)
from netmodel._text import SENTENCE_DIGITS, few_names
from netmodel.errors import ContradictionError, DomainError
from netmodel.planning._joint import JointLoads, quantile_of_rows
from netmodel.planning.sizing import (
    MAX_QUANTILE_RATIO,
    lognormal_peak_ratio,
    normal_peak_ratio,
)
from netmodel.units import format_rate
from netmodel.units._prefixes import WHOLE_PERCENT

if TYPE_CHECKING:
    from netmodel.records._load_series import LoadSeries
    from netmodel.records._scenarios import TrafficClass

PEAK_RATIOS = {"lognormal": lognormal_peak_ratio, "normal": normal_peak_ratio}
_HOUR_S = 3600.0
"""Seconds of an hour: busy hours are counted in them (ITU-T E.600)."""
_SAME_STEP = 1e-9
"""Of an hour: whole steps but for the rounding of floats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesFigures:
    """
    What a load over time was.

    Parameters
    ----------
    mean_bps, peak_bps : float
        Over all of it, and its highest value. [bit/s]
    variation_ratio : float
        Standard deviation of its values over their mean.
    hours : float
        How long it is. [h]
    busy_hour_bps : float, optional
        Mean of the hour with the highest, which begins at any step; None where steps are longer
        than an hour or an hour has no whole number of them. [bit/s]
    busy_hour_start : datetime.datetime, optional
        When that begins.
    """

    mean_bps: float
    peak_bps: float
    variation_ratio: float
    hours: float
    busy_hour_bps: float | None
    busy_hour_start: datetime | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values in base units."""
        start = self.busy_hour_start
        return {
            "mean_bps": self.mean_bps,
            "peak_bps": self.peak_bps,
            "variation_ratio": self.variation_ratio,
            "hours": self.hours,
            "busy_hour_bps": self.busy_hour_bps,
            "busy_hour_start": None if start is None else start.isoformat(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedVolume:
    """
    The rate that a traffic class is planned for, and where it comes from.

    Parameters
    ----------
    name : str
        The class.
    planned_bps : float
        Payload rate of the side that sends more. [bit/s]
    quantile_ratio : float, optional
        Share of the time that the load is to stay below it; None where that is not known.
    basis : str
        Where the rate comes from.
    mean_bps : float, optional
        Mean of the load; None where it is not known. [bit/s]
    variation_ratio : float, optional
        Standard deviation over mean; None where it is not known.
    distribution : str, optional
        ``"lognormal"`` or ``"normal"``; None where none is assumed.
    payload_bits : float, optional
        Of a transaction; None where a transaction has no size. [bit]
    growth_per_year_ratio : float
        Compound growth of the load.
    series : LoadSeries, optional
        The load over time.
    figures : SeriesFigures, optional
        What that was.
    notes : tuple of str
        What a reader should know of it.
    """

    name: str
    planned_bps: float
    quantile_ratio: float | None
    basis: str
    mean_bps: float | None = None
    variation_ratio: float | None = None
    distribution: str | None = None
    payload_bits: float | None = None
    growth_per_year_ratio: float = 0.0
    series: "LoadSeries | None" = None
    figures: SeriesFigures | None = None
    notes: tuple[str, ...] = ()

    @property
    def planned_tps(self) -> float | None:
        """Transactions per second; None where a transaction has no size. [1/s]"""
        return None if self.payload_bits is None else self.planned_bps / self.payload_bits

    @property
    def varies(self) -> bool:
        """Whether it is known how the load varies: from a series, or by mean and variation."""
        return self.series is not None or bool(self.mean_bps and self.variation_ratio)

    def load_ratios(self, quantile_ratios: Floats) -> Floats:
        """Loads that are not exceeded in shares of the time, over the planned load."""
        if self.series is not None:
            loads_bps = series_rates_bps(self.series, self.payload_bits)
            places = np.asarray(ceil_but_for_rounding(quantile_ratios * len(loads_bps))) - 1
            return np.sort(loads_bps)[np.maximum(places, 0).astype(np.intp)] / self.planned_bps
        assert self.mean_bps is not None
        assert self.variation_ratio is not None  # it varies
        peak_ratio = PEAK_RATIOS[self.distribution or "lognormal"]
        quantiles = np.minimum(quantile_ratios, MAX_QUANTILE_RATIO)
        peaks = np.asarray(peak_ratio(quantiles, self.variation_ratio), dtype=np.float64)
        return np.maximum(peaks, 0.0) * self.mean_bps / self.planned_bps

    @property
    def peak_ratio(self) -> float | None:
        """Planned rate over mean; None where the mean is not known."""
        return None if not self.mean_bps else self.planned_bps / self.mean_bps

    def to_dict(self) -> dict[str, Any]:
        """Plain values in base units; of the series where it comes from."""
        return {
            "name": self.name,
            "planned_bps": self.planned_bps,
            "planned_tps": self.planned_tps,
            "mean_bps": self.mean_bps,
            "quantile_ratio": self.quantile_ratio,
            "peak_ratio": self.peak_ratio,
            "variation_ratio": self.variation_ratio,
            "distribution": self.distribution,
            "basis": self.basis,
            "growth_per_year_ratio": self.growth_per_year_ratio,
            "series": self.figures and self.figures.to_dict(),
            "notes": list(self.notes),
        }


def volume_of_mean(
    name: str,
    mean_bps: float,
    quantile_ratio: float,
    *,
    variation_ratio: float | None = None,
    distribution: str = "lognormal",
    payload_bits: float | None = None,
    growth_per_year_ratio: float = 0.0,
) -> PlannedVolume:
    r"""
    Planned rate of a class whose mean is known.

    Parameters
    ----------
    name : str
        The class.
    mean_bps : float
        Mean payload rate, above zero. [bit/s]
    quantile_ratio : float
        Share of the time that the load is to stay below the planned rate.
    variation_ratio : float, optional
        Standard deviation over mean; the mean is planned for when left out.
    distribution : str
        ``"lognormal"`` or ``"normal"``.
    payload_bits : float, optional
        Of a transaction. [bit]
    growth_per_year_ratio : float
        Compound growth, above -1.

    Returns
    -------
    volume : PlannedVolume
        With the distribution.

    Raises
    ------
    DomainError
        If the mean is not above zero, the quantile not above 0 and at most 0.999999, the variation
        negative, or the quantile of a normal load not above zero.

    Notes
    -----
    .. math:: D_q = \bar D\, e^{z_q s - s^2/2}, \quad s^2 = \ln(1 + c_v^2)
        \qquad\text{or}\qquad D_q = \bar D\,(1 + z_q c_v)

    See `netmodel.planning.sizing.lognormal_peak_ratio` and `normal_peak_ratio`.

    References
    ----------
    N. L. Johnson, S. Kotz and N. Balakrishnan, "Continuous univariate
    distributions", volume 1, 2nd edition (1994), chapters 13 and 14.

    Examples
    --------
    >>> volume = volume_of_mean("orders", 8e9, 0.95, variation_ratio=0.5)
    >>> round(volume.planned_bps / 1e9, 3), volume.basis
    (15.563, '95 % quantile of a lognormal load, mean 8 Gbit/s, variation 50 %')
    """
    mean_bps = require_above("mean_bps", require_one("mean_bps", mean_bps), 0, "bit/s")
    parts: dict[str, Any] = {
        "name": name,
        "mean_bps": mean_bps,
        "payload_bits": payload_bits,
        "growth_per_year_ratio": _growth(growth_per_year_ratio),
    }
    if variation_ratio is None:
        quantile = _percent(quantile_ratio)
        return PlannedVolume(
            planned_bps=mean_bps,
            quantile_ratio=None,
            basis="mean as given",
            notes=(f"{name}: planned at its mean; give variation for its {quantile} quantile",),
            **parts,
        )
    ratio = _peak_ratio(name, distribution, quantile_ratio, variation_ratio)
    return PlannedVolume(
        planned_bps=mean_bps * ratio,
        quantile_ratio=quantile_ratio,
        basis=f"{_percent(quantile_ratio)} quantile of a {distribution} load, mean "
        f"{format_rate(mean_bps, SENTENCE_DIGITS)}, variation {_percent(variation_ratio)}",
        variation_ratio=variation_ratio,
        distribution=distribution,
        **parts,
    )


def volume_of_peak(
    name: str,
    peak_bps: float,
    quantile_ratio: float,
    *,
    peak_quantile_ratio: float | None = None,
    variation_ratio: float | None = None,
    distribution: str = "lognormal",
    payload_bits: float | None = None,
    growth_per_year_ratio: float = 0.0,
) -> PlannedVolume:
    r"""
    Planned rate of a class of which a percentile was measured.

    Parameters
    ----------
    name : str
        The class.
    peak_bps : float
        Payload rate that was measured, above zero. [bit/s]
    quantile_ratio : float
        Share of the time that the load is to stay below the planned rate.
    peak_quantile_ratio : float, optional
        The same of the rate that was measured; it is taken as it is when left out.
    variation_ratio : float, optional
        Standard deviation over mean, with which one quantile leads to another.
    distribution : str
        ``"lognormal"`` or ``"normal"``.
    payload_bits : float, optional
        Of a transaction. [bit]
    growth_per_year_ratio : float
        Compound growth, above -1.

    Returns
    -------
    volume : PlannedVolume
        With the mean and the distribution where the variation is given.

    Raises
    ------
    ContradictionError
        If another quantile was measured than the load is planned at, without a variation.
    DomainError
        If the peak is not above zero, a quantile not above 0 and at most 0.999999, the variation
        negative, or a quantile of a normal load not above zero.

    Notes
    -----
    .. math:: D_q = D_p\,\frac{r(q, c_v)}{r(p, c_v)}

    with :math:`r` the ratio of a quantile to the mean.

    References
    ----------
    N. L. Johnson, S. Kotz and N. Balakrishnan, "Continuous univariate
    distributions", volume 1, 2nd edition (1994), chapters 13 and 14.

    Examples
    --------
    2.684 times the mean is the 99 % quantile, and 1.945 times the 95 % one:

    >>> volume = volume_of_peak(
    ...     "orders", 12e9, 0.95, peak_quantile_ratio=0.99, variation_ratio=0.5
    ... )
    >>> round(volume.planned_bps / 1e9, 3), round(volume.mean_bps / 1e9, 3)
    (8.697, 4.471)
    """
    peak_bps = require_above("peak_bps", require_one("peak_bps", peak_bps), 0, "bit/s")
    parts: dict[str, Any] = {
        "name": name,
        "payload_bits": payload_bits,
        "growth_per_year_ratio": _growth(growth_per_year_ratio),
    }
    if peak_quantile_ratio is None:
        return PlannedVolume(
            planned_bps=peak_bps,
            quantile_ratio=None,
            basis="peak as given",
            notes=(f"{name}: planned at its peak as given; peak_quantile says how rare it is",),
            **parts,
        )
    measured = f"measured {_percent(peak_quantile_ratio)} quantile"
    if variation_ratio is None:
        if peak_quantile_ratio != quantile_ratio:
            quantile = _percent(quantile_ratio)
            raise ContradictionError(
                f"{name}: the peak is the {_percent(peak_quantile_ratio)} quantile, and the load "
                f"is planned at its {quantile} one: give that as peak, or variation (standard "
                "deviation over mean), which leads from one to the other"
            )
        return PlannedVolume(
            planned_bps=peak_bps, quantile_ratio=quantile_ratio, basis=measured, **parts
        )
    mean_bps = peak_bps / _peak_ratio(name, distribution, peak_quantile_ratio, variation_ratio)
    planned_bps = mean_bps * _peak_ratio(name, distribution, quantile_ratio, variation_ratio)
    basis = f"{measured} of {format_rate(peak_bps, SENTENCE_DIGITS)}"
    if peak_quantile_ratio != quantile_ratio:
        basis = (
            f"{_percent(quantile_ratio)} quantile of a {distribution} load, from the {basis}, "
            f"variation {_percent(variation_ratio)}"
        )
    return PlannedVolume(
        planned_bps=planned_bps,
        quantile_ratio=quantile_ratio,
        basis=basis,
        mean_bps=mean_bps,
        variation_ratio=variation_ratio,
        distribution=distribution,
        **parts,
    )


def volume_of_series(
    name: str,
    series: "LoadSeries",
    quantile_ratio: float,
    *,
    payload_bits: float | None = None,
    growth_per_year_ratio: float = 0.0,
) -> PlannedVolume:
    r"""
    Planned rate of a class whose load was recorded over time.

    Parameters
    ----------
    name : str
        The class.
    series : LoadSeries
        The load in equal steps.
    quantile_ratio : float
        Share of the time that the load is to stay below the planned rate, above 0 and at most 1;
        1 for its peak.
    payload_bits : float, optional
        Of a transaction; needed where the load is in transactions. [bit]
    growth_per_year_ratio : float
        Compound growth, above -1.

    Returns
    -------
    volume : PlannedVolume
        With mean, peak and busy hour of the series.

    Raises
    ------
    DomainError
        If the quantile is not above 0 and at most 1, the load is 0 at it, or transactions have
        no size.

    Notes
    -----
    The lowest value of the series that at least a share :math:`q` of its values does not exceed,
    :math:`x_{(\lceil q n \rceil)}`: no value is interpolated, and none is assumed of the
    distribution. The busy hour is the hour, from any step on, with the highest mean.

    References
    ----------
    R. J. Hyndman and Y. Fan, "Sample quantiles in statistical packages", The American
    Statistician 50 (1996), definition 1; ITU-T Recommendation E.600 (1993), busy hour.

    Examples
    --------
    >>> from datetime import datetime
    >>> from netmodel.records._load_series import LoadSeries
    >>> day = tuple(1e9 * hour for hour in range(1, 25))
    >>> series = LoadSeries("day.csv", "load", "bit/s", datetime(2026, 12, 1), 3600, day, False)
    >>> volume = volume_of_series("orders", series, 0.95)
    >>> volume.planned_bps / 1e9, volume.mean_bps / 1e9, volume.figures.busy_hour_start.hour
    (23.0, 12.5, 23)
    """
    quantile_ratio = require_one("quantile_ratio", quantile_ratio)
    require_above("quantile_ratio", quantile_ratio, 0, "")
    if quantile_ratio > 1:
        raise DomainError(f"quantile_ratio must be at most 1; got {quantile_ratio!r}")
    loads_bps = series_rates_bps(series, payload_bits)
    planned_bps = float(quantile_of_rows(loads_bps, quantile_ratio))
    count, quantile = loads_bps.size, _percent(quantile_ratio)
    if not planned_bps:
        raise DomainError(
            f"{name}: the {quantile} quantile of {series.file} is 0: plan a higher one"
        )
    figures = series_figures(series, payload_bits)
    step = _step_text(series.step_s)
    notes = [f"{name}: means over {step} hide shorter bursts"]
    if planned_bps == figures.peak_bps and quantile_ratio < 1:
        notes.append(f"{name}: the {quantile} quantile of {count:,} values is their peak")
    return PlannedVolume(
        name=name,
        planned_bps=planned_bps,
        quantile_ratio=quantile_ratio,
        basis=f"{quantile} quantile of {count:,} values, each of {step}",
        mean_bps=figures.mean_bps,
        variation_ratio=figures.variation_ratio,
        payload_bits=payload_bits,
        growth_per_year_ratio=_growth(growth_per_year_ratio),
        series=series,
        figures=figures,
        notes=tuple(notes),
    )


def series_figures(series: "LoadSeries", payload_bits: float | None = None) -> SeriesFigures:
    """Mean, peak, variation, length and busy hour of a load over time."""
    loads_bps = series_rates_bps(series, payload_bits)
    steps = _HOUR_S / series.step_s
    width = round(steps)
    busy_bps = start = None
    if width and abs(steps - width) < _SAME_STEP * steps and loads_bps.size >= width:
        # means of all windows of an hour
        sums = np.concatenate([[0.0], np.cumsum(loads_bps)])
        means = (sums[width:] - sums[:-width]) / width
        place = int(np.argmax(means))
        busy_bps = float(means[place])
        start = series.start + timedelta(seconds=place * series.step_s)
    mean_bps = float(loads_bps.mean())
    return SeriesFigures(
        mean_bps=mean_bps,
        peak_bps=float(loads_bps.max()),
        variation_ratio=float(loads_bps.std()) / mean_bps,
        hours=loads_bps.size * series.step_s / _HOUR_S,
        busy_hour_bps=busy_bps,
        busy_hour_start=start,
    )


def planned_volume(
    traffic: "TrafficClass",
    quantile_ratio: float,
    *,
    payload_bits: float | None = None,
    series: "LoadSeries | None" = None,
) -> PlannedVolume:
    """
    Planned rate of a class of a scenario, from what is given of it.

    Parameters
    ----------
    traffic : TrafficClass
        With a mean, a peak or a series.
    quantile_ratio : float
        Share of the time that the load is to stay below the planned rate.
    payload_bits : float, optional
        Of a transaction; needed where rates are transactions per second. [bit]
    series : LoadSeries, optional
        The load over time, where the class names one.

    Returns
    -------
    volume : PlannedVolume
        As of `volume_of_mean`, `volume_of_peak` or `volume_of_series`.

    Raises
    ------
    ContradictionError
        If another quantile was measured than the load is planned at, without a variation.
    DomainError
        If a rate or quantile cannot be, or transactions have no size.
    """
    name, growth = traffic.name, traffic.growth_per_year
    if series is not None:
        return volume_of_series(
            name,
            series,
            quantile_ratio,
            payload_bits=payload_bits,
            growth_per_year_ratio=growth,
        )
    given = traffic.mean or traffic.peak
    assert given is not None  # a class has one of three
    rate_bps = given.bps
    if rate_bps is None:
        assert given.tps is not None
        rate_bps = given.tps * _bits(payload_bits)
    common: dict[str, Any] = {
        "variation_ratio": traffic.variation,
        "distribution": traffic.distribution or "lognormal",
        "payload_bits": payload_bits,
        "growth_per_year_ratio": growth,
    }
    if traffic.mean is not None:
        return volume_of_mean(name, rate_bps, quantile_ratio, **common)
    return volume_of_peak(
        name, rate_bps, quantile_ratio, peak_quantile_ratio=traffic.peak_quantile, **common
    )


def joint_loads(volumes: Sequence[PlannedVolume], quantile_ratio: float) -> JointLoads | None:
    """
    Classes whose series have the same times, to be planned together; None where there are none.

    Parameters
    ----------
    volumes : sequence of PlannedVolume
        Of the flows of a demand, in their order.
    quantile_ratio : float
        Share of the time that planned loads are to suffice for.
    """
    groups = []
    for places in same_times(volumes):
        if len(places) > 1:
            columns = []
            for place in places:
                volume = volumes[place]
                assert volume.series is not None
                rates_bps = series_rates_bps(volume.series, volume.payload_bits)
                columns.append(rates_bps / volume.planned_bps)
            groups.append((places, np.stack(columns, axis=1)))
    return JointLoads(tuple(groups), quantile_ratio) if groups else None


def same_times(volumes: Sequence[PlannedVolume]) -> list[tuple[int, ...]]:
    """Places of the volumes with series, those of the same times together."""
    by_times: dict[tuple[datetime, float, int], list[int]] = {}
    for place, volume in enumerate(volumes):
        if (series := volume.series) is not None:
            times = series.start, series.step_s, len(series.values)
            by_times.setdefault(times, []).append(place)
    return [tuple(places) for places in by_times.values()]


def sum_notes(volumes: Sequence[PlannedVolume], joint: JointLoads | None) -> tuple[str, ...]:
    """What a sum of quantiles is where loads are not known at the same times."""
    together = () if joint is None else joint.groups
    notes = [
        f"{few_names([volumes[place].name for place in places], 'classes')}: planned together, "
        "at the quantile of their sum"
        for places, _ in together
    ]
    apart = len(together) + sum(
        volume.quantile_ratio is not None and all(place not in places for places, _ in together)
        for place, volume in enumerate(volumes)
    )
    if apart > 1:
        notes.append(
            "quantiles of classes are added: exact if loads rise together, else usually too high"
        )
    return tuple(notes)


def series_rates_bps(series: "LoadSeries", payload_bits: float | None) -> Floats:
    """All values as payload rates. [bit/s]"""
    factor = _bits(payload_bits) if series.is_tps else 1.0
    return np.asarray(series.values, dtype=np.float64) * factor


def _bits(payload_bits: float | None) -> float:
    if payload_bits is None:
        raise DomainError("transactions per second need a workload, which gives them a size")
    return payload_bits


def _peak_ratio(name: str, distribution: str, quantile: float, variation: float) -> float:
    require_at_least("variation_ratio", require_one("variation_ratio", variation), 0, "")
    formula = PEAK_RATIOS.get(distribution)
    if formula is None:
        raise DomainError(f"distribution must be lognormal or normal; got {distribution!r}")
    ratio = float(formula(require_one("quantile_ratio", quantile), variation))
    if not ratio > 0:
        raise DomainError(
            f"{name}: a normal load with variation {_percent(variation)} is not above 0 at its "
            f"{_percent(quantile)} quantile: take the lognormal distribution"
        )
    return ratio


def _growth(growth_per_year_ratio: float) -> float:
    name = "growth_per_year_ratio"
    return require_above(name, require_one(name, growth_per_year_ratio), -1, "")


def _step_text(step_s: float) -> str:
    """
    A step of a series in the largest unit of which it is a whole number.

    Examples
    --------
    >>> _step_text(3600), _step_text(900), _step_text(0.5)
    ('1 h', '15 min', '0.5 s')
    """
    for unit, unit_s in (("h", _HOUR_S), ("min", _HOUR_S / 60)):
        if step_s >= unit_s and step_s % unit_s == 0:
            return f"{step_s / unit_s:,.0f} {unit}"
    return f"{step_s:,g} s"


def _percent(ratio: float) -> str:
    return f"{WHOLE_PERCENT * ratio:.{SENTENCE_DIGITS + 2}g} %"
