"""
A series from a related one: its figures, times a ratio that few own figures set.

Another series, of the same path in another layer, MTU or adapter, has the same shape and another
level. How far ratios spread comes from other pairs of series that differ in the same conditions,
where there are any.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from netmodel._dataclasses import dataclass
from netmodel._display import short_repr
from netmodel._estimates import LEVEL_RATIO, Estimate
from netmodel._numeric import Floats
from netmodel._terminal import fitted
from netmodel._text import SENTENCE_DIGITS, argument, fixed_percent, listed, percent_text
from netmodel.calibration._conditions import shared_conditions
from netmodel.calibration._leave_out import Method, Predictor, figures_of
from netmodel.calibration._models import FreeParameter, Model, Point, require_quantity
from netmodel.calibration._observed import COSTS, RATES, Conditions, Observed, needed
from netmodel.calibration._ratios import (
    NO_RATIO,
    Pair,
    Series,
    Spread,
    StudentT,
    pair_of,
    pooled_spread,
    ratio_at,
    series_of,
    series_over,
    standardised,
)
from netmodel.calibration._shown import Shown
from netmodel.errors import CalibrationError, DomainError


@dataclass(frozen=True, slots=True)
class RatioModel(Model):
    """
    A related series times a ratio at each of its places.

    Parameters
    ----------
    related : Series
        It gives the shape.
    """

    related: Series

    @property
    def parameters(self) -> tuple[FreeParameter, ...]:
        over = self.related.over
        return tuple(FreeParameter(f"ratio at {over} {n:g}", "") for n in self.related.places)

    def function(self, points: Sequence[Point]) -> Callable[[Floats], Floats]:
        places = []
        for point in points:
            require_quantity(point, (self.related.quantity,))
            places.append(float(needed(point.at, self.related.over, point.quantity)))
        base = np.array([self.related.logarithm(place)[0] for place in places])
        across = np.log(self.related.places)

        def values(parameters: Floats) -> Floats:
            flat = np.log(parameters).reshape(len(across), -1)
            ratios = [np.interp(np.log(places), across, column) for column in flat.T]
            result: Floats = np.exp(base[:, np.newaxis] + np.array(ratios).T)
            return result.reshape(len(places), *parameters.shape[1:])

        return values


class Candidate(NamedTuple):
    """
    A series that another one may be calibrated from.

    Parameters
    ----------
    series : Series
        Its figures.
    differing : dict
        By condition its value in the own series and in this one.
    spread : Spread
        Of the ratio.
    deviation : float
        Half width of the interval of a run over its value, as a logarithm: the mean over its
        places, or at the wanted one.
    """

    series: Series
    differing: dict[str, tuple[Any, Any]]
    spread: Spread
    deviation: float


@dataclass(frozen=True)
class RelatedFit(Shown):
    """
    A series that is a related one times a ratio, with intervals.

    Parameters
    ----------
    observed : tuple of Observed
        Own observations.
    model : RatioModel
        The related series; its parameters are ratios to it.
    candidates : tuple of Candidate
        Related series that were possible, the one that is taken first: of those whose spread
        other pairs show, else of all, the one with the narrowest interval.
    level_ratio : float
        Probability that intervals hold the quantity.
    notes : tuple of str
        What to know before using it, most important first.
    """

    observed: tuple[Observed, ...]
    model: RatioModel
    candidates: tuple[Candidate, ...]
    level_ratio: float
    notes: tuple[str, ...]
    _own: Series | None = field(repr=False, compare=False)

    @property
    def method(self) -> str:
        """The kind of calibration."""
        return "related series"

    @property
    def answer(self) -> str:
        """What it is, in a few words."""
        return "a related series times a ratio"

    @property
    def table(self) -> str:
        """Nothing was tried but the related series."""
        return ""

    @property
    def over(self) -> str:
        """The condition that the series is over."""
        return self.model.related.over

    @property
    def free(self) -> tuple[FreeParameter, ...]:
        """Names and units of the parameters."""
        return self.model.parameters

    @property
    def is_scatter_known(self) -> bool:
        """Whether the distance of one more run from its mean is known."""
        return True

    @property
    def spread(self) -> Spread:
        """Of the ratio before own figures."""
        return self.candidates[0].spread

    @cached_property
    def parameters(self) -> dict[str, Estimate]:
        """Ratios to the related series at each of its places, with intervals."""
        names = (parameter.name for parameter in self.model.parameters)
        logs = np.log(self.model.related.places / self.model.related.places[0])
        return {
            name: ratio_at(self._pair, self.spread, float(place), 0.0, False).estimate(
                self.level_ratio
            )
            for name, place in zip(names, logs, strict=True)
        }

    @property
    def estimable(self) -> dict[str, bool]:
        """Whether own figures set the ratio there more than other pairs do, by name."""
        return {name: share >= 0.5 for name, share in self.own_shares.items()}

    @cached_property
    def own_shares(self) -> dict[str, float]:
        """Share of the variance of the ratio at each place that own figures take away."""
        names = (parameter.name for parameter in self.model.parameters)
        shares = {}
        related = self.model.related.places
        for name, place in zip(names, np.log(related / related[0]), strict=True):
            here = np.array([place])
            before = float(self.spread.covariance(here, here)[0, 0])
            after = before
            if len(self._pair.ratios):
                root, _ = standardised(self._pair, self.spread)
                shared = self.spread.covariance(self._pair.places, here)[:, 0]
                after -= float((np.linalg.solve(root, shared) ** 2).sum())
            shares[name] = 1 - after / before
        return shares

    def predict(self, point: Point) -> Estimate:
        """
        A quantity under conditions, with its interval.

        Raises
        ------
        DomainError
            If it is another quantity, or the condition is missing.
        CalibrationError
            Outside the related series.
        """
        return self.distribution(point, of_run=False).estimate(self.level_ratio)

    def predict_run(self, point: Point) -> Estimate:
        """
        Where one more run would be: the quantity with the scatter of a run.

        Raises
        ------
        DomainError
            If it is another quantity, or the condition is missing.
        CalibrationError
            Outside the related series.
        """
        return self.distribution(point, of_run=True).estimate(self.level_ratio)

    def distribution(self, point: Point, *, of_run: bool) -> StudentT:
        """
        Student's distribution of the logarithm of a quantity, or of a run of it.

        Where the related series has no value, from the next best one that has.
        """
        require_quantity(point, (self.model.related.quantity,))
        place = float(needed(point.at, self.over, point.quantity))
        why: CalibrationError | None = None
        for candidate in self.candidates:
            series = candidate.series
            try:
                base, variance = series.logarithm(place)
            except CalibrationError as refusal:
                why = why or refusal
                continue
            pair = NO_RATIO if self._own is None else pair_of(self._own, series)
            across = math.log(place / series.places[0])
            ratio = ratio_at(pair, candidate.spread, across, variance, of_run)
            return ratio._replace(mean=base + ratio.mean)
        assert why is not None
        raise why

    @cached_property
    def left_out_errors(self) -> Floats:
        """Error of each own figure as predicted without it, as a logarithm."""
        if self._own is None:
            return np.empty(0)
        errors = []
        for index, place in enumerate(self._pair.places):
            rest = Pair(*(np.delete(each, index) for each in self._pair))
            ratio = ratio_at(rest, self.spread, float(place), 0.0, True)
            errors.append(ratio.mean - self._pair.ratios[index])
        return np.array(errors)

    def to_dict(self) -> dict[str, Any]:
        """Ratios with intervals, the related series, and how far ratios spread."""
        taken = self.candidates[0]
        errors = np.abs(np.expm1(self.left_out_errors))
        return {
            "parameters": {
                name: {**each.known(), "unit": ""} for name, each in self.parameters.items()
            },
            "own_share_ratios": self.own_shares,
            "level_ratio": self.level_ratio,
            "related": {
                "at": dict(taken.series.at),
                "differing": {name: list(both) for name, both in taken.differing.items()},
                "figure_count": len(taken.series.places),
                "spread": taken.spread._asdict(),
                "candidate_count": len(self.candidates),
            },
            "left_out_mean_absolute_ratio": float(errors.mean()) if len(errors) else None,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        return fitted("\n".join(f"{name}: {text}" for name, text in self._rows()))

    def __repr__(self) -> str:
        rows = ", ".join(f"{name} {text}" for name, text in self._rows() if name != "note")
        return short_repr(self, f"{len(self.observed)} observations: {rows}")

    def _rows(self) -> list[tuple[str, str]]:
        level = f"{100 * self.level_ratio:g} %"
        return [
            *(
                (name, f"{value:.{SENTENCE_DIGITS}g}, {level} {low:.4g} to {high:.4g}")
                for name, (value, low, high) in self.parameters.items()
            ),
            *(("note", note) for note in self.notes),
        ]

    @cached_property
    def _pair(self) -> Pair:
        if self._own is None:
            return NO_RATIO
        return pair_of(self._own, self.model.related)


def related_fit(
    observed: Sequence[Observed],
    related: Iterable[Observed],
    *,
    wanted: Point | None = None,
    choose: Callable[[Conditions], bool] = lambda at: True,
    noise_ratio: float | None = None,
    level_ratio: float = LEVEL_RATIO,
) -> RelatedFit:
    """
    A series from the related one whose ratio to it is known best.

    Parameters
    ----------
    observed : sequence of Observed
        Own figures, of one quantity over one condition; one is enough.
    related : iterable of Observed
        Figures of one or more other series, distinguished by their conditions. Those of the
        own series, and those that are no figures, are ignored. Series that are not chosen
        still show how far ratios spread.
    wanted : Point, optional
        What the series is about, where it has no figure.
    choose : callable
        Whether a series under these conditions may be the related one.
    noise_ratio : float, optional
        Standard deviation from run to run as a ratio, where it is known.
    level_ratio : float
        Probability that intervals hold the quantity.

    Returns
    -------
    fit : RelatedFit
        With the ratio to the related series at each of its places.

    Raises
    ------
    CalibrationError
        If no series shares quantity and condition with the own one.
    DomainError
        If own figures are of several series.

    Examples
    --------
    Half as fast with 1 and 10 connections, and so with 3 as well:

    >>> def rates(layer, figures):
    ...     return [
    ...         Observed(
    ...             quantity="transaction_rate_tps",
    ...             at={"layer": layer, "connection_count": count}, low=rate, high=rate,
    ...         )
    ...         for count, rate in figures.items()
    ...     ]
    >>> layer_3 = rates(3, {1: 1000.0, 3: 2000.0, 10: 4000.0})
    >>> result = related_fit(rates(2, {1: 500.0, 10: 2000.0}), layer_3)
    >>> at = {"layer": 2, "connection_count": 3}
    >>> round(result.predict(Point("transaction_rate_tps", at)).value)
    1000
    """
    others = list(related)
    own_figures = [seen for seen, _ in figures_of(observed)]
    over = series_over([*own_figures, *(seen for seen, _ in figures_of(others))])
    own, at, quantity = _own_series(own_figures, over, wanted)

    # (1) other series, by all conditions but those that vary within the own one, or are figures
    varying = {name for seen in own_figures for name in seen.at} - set(at)
    ignored = {over, *varying, *RATES, *COSTS}
    names = {name for seen in others for name in seen.at} - ignored
    known = series_of(others, over, names)
    same = set(map(_identity, own_figures))
    itself = set(series_of((each for each in others if _identity(each) in same), over, names))
    possible = [
        series
        for key, series in known.items()
        if key not in itself and series.quantity == quantity and choose(series.at)
    ]
    if not possible:
        raise CalibrationError(_nothing_shared(quantity, over, known.values()))

    # (2) of each, how far ratios spread in other pairs that differ alike, and so its interval
    kind = RATES if quantity in RATES else COSTS if quantity in COSTS else (quantity,)
    pool = [each for key, each in known.items() if key not in itself and each.quantity in kind]
    place = None if wanted is None else float(needed(wanted.at, over, quantity))
    candidates = sorted(
        (_candidate(own, at, each, pool, place, noise_ratio, level_ratio) for each in possible),
        # a spread that other pairs show comes before an assumed one
        key=lambda each: (each.spread.pair_count == 0, each.deviation),
    )
    best = candidates[0]
    result = RelatedFit(
        observed=tuple(observed),
        model=RatioModel(best.series),
        candidates=tuple(candidates),
        level_ratio=level_ratio,
        notes=(),
        _own=own,
    )
    return replace(result, notes=tuple(_notes(result, own)))


def related_series(level_ratio: float = LEVEL_RATIO) -> Method:
    """
    Each series by the related one whose ratio to it is known best, among all that are observed.

    Returns
    -------
    method : callable
        Takes observations of several series. It predicts runs, with intervals, also of a series
        without any figure of its own.
    """

    def method(observed: Sequence[Observed]) -> Predictor:
        return _AmongSeries(tuple(observed), level_ratio)

    return method


@dataclass(frozen=True)
class _AmongSeries:
    """Predicts each series from its own figures and from all others."""

    seen: tuple[Observed, ...]
    level_ratio: float
    _known: dict[Hashable, RelatedFit] = field(default_factory=dict, repr=False)

    @property
    def parameters(self) -> Mapping[str, Estimate]:
        return {}

    def predict(self, point: Point) -> Estimate:
        figures = [seen for seen, _ in figures_of(self.seen)]
        over = series_over(figures)
        at = {name: value for name, value in point.at.items() if name != over}
        place = float(needed(point.at, over, point.quantity))
        key = (point.quantity, place, frozenset(at.items()))
        if key not in self._known:

            def is_own(seen: Observed) -> bool:
                return seen.quantity == point.quantity and at == {
                    name: value for name, value in seen.at.items() if name != over
                }

            self._known[key] = related_fit(
                [seen for seen in figures if is_own(seen)],
                [seen for seen in figures if not is_own(seen)],
                wanted=point,
                level_ratio=self.level_ratio,
            )
        return self._known[key].predict_run(point)


def _identity(observed: Observed) -> Hashable:
    """What makes an observation the same one: its place, else quantity and conditions."""
    return observed.name, observed.quantity


def _own_series(
    figures: Sequence[Observed], over: str, wanted: Point | None
) -> tuple[Series | None, Conditions, str]:
    """The own series, if it has figures; its conditions without that it is over; its quantity."""
    if not figures:
        if wanted is None:
            raise CalibrationError("no figure of the own series: measure at least one")
        at = {name: value for name, value in wanted.at.items() if name != over}
        return None, at, wanted.quantity
    quantities = list(dict.fromkeys(seen.quantity for seen in figures))
    if len(quantities) > 1:
        raise DomainError(f"a series is of one quantity; got {listed(quantities)}")
    at = {
        name: value
        for name, value in shared_conditions(figures).items()
        if name not in (over, *RATES, *COSTS)
    }
    series = series_of(figures, over, at)
    if not series:
        raise CalibrationError(f"no own figure has a value of {over} above 0")
    ((_, own),) = series.items()
    return own, at, quantities[0]


def _candidate(
    own: Series | None,
    at: Conditions,
    series: Series,
    pool: Sequence[Series],
    place: float | None,
    noise_ratio: float | None,
    level_ratio: float,
) -> Candidate:
    # a condition that only one of them has is taken as the same
    differing = {
        name: (at[name], value)
        for name, value in series.at.items()
        if name in at and at[name] != value
    }
    pairs = [
        pair
        for first in pool
        for second in pool
        if first is not series
        and second is not series
        and first.quantity == second.quantity
        and _differs_alike(first.at, second.at, differing)
        and len((pair := pair_of(first, second)).ratios)
    ]
    spread = pooled_spread(pairs) if pairs else Spread()
    if noise_ratio is not None:
        spread = spread._replace(noise_sd=noise_ratio)
    known = NO_RATIO if own is None else pair_of(own, series)
    first, last = series.places[[0, -1]]
    places = list(series.places) if place is None else [place]
    reaches = [
        math.log(each.estimate(level_ratio).high) - each.mean
        for each in (
            ratio_at(known, spread, math.log(n / first), 0.0, True)
            for n in places
            if first <= n <= last
        )
    ]
    return Candidate(series, differing, spread, float(np.mean(reaches or [math.inf])))


def _differs_alike(
    first: Conditions, second: Conditions, differing: Mapping[str, tuple[Any, Any]]
) -> bool:
    """Whether two series differ in exactly these conditions, with the same values."""
    return all(
        (first.get(name), second.get(name)) == differing.get(name, (first.get(name),) * 2)
        for name in dict.fromkeys((*first, *second, *differing))
    )


def _nothing_shared(quantity: str, over: str, known: Iterable[Series]) -> str:
    others = list(known)
    if not others:
        return (
            f"no related series: no figure has {over}, or all are of the series itself; name one "
            "that differs in a condition"
        )
    quantities = listed(sorted({each.quantity for each in others}))
    if quantity in {each.quantity for each in others}:
        return (
            f"no related series of {quantity} over {over} has the conditions given with "
            f"{argument('related_where', '--related')}"
        )
    return f"no related series of {quantity} over {over}: the related figures are of {quantities}"


def _notes(result: RelatedFit, own: Series | None) -> Iterator[str]:
    """What the result rests on, and how far to trust it."""
    taken, related = result.candidates[0], result.model.related
    differing = ", ".join(f"{name} {theirs}" for name, (_, theirs) in taken.differing.items())
    first, last = related.places[[0, -1]]
    yield (
        f"shape from the related series ({differing or 'same conditions'}): "
        f"{len(related.places)} figures, {related.over} {first:g} to {last:g}"
    )
    used = len(result._pair.ratios)
    shares = [100 * share for share in result.own_shares.values()]
    yield (
        f"ratio to it from {used} own figure{'s' * (used != 1)}: {min(shares):.0f} to "
        f"{max(shares):.0f} % of its variance removed"
    )
    spread = taken.spread
    if spread.pair_count:
        yield (
            f"spread of the ratio from {spread.pair_count} other pairs that differ alike: "
            f"{percent_text(spread.level_sd, 2)}, drift {percent_text(spread.drift_sd, 2)}"
        )
    else:
        yield (
            f"no other pair differs alike: spread of the ratio assumed, "
            f"{percent_text(spread.level_sd, 2)}, drift {percent_text(spread.drift_sd, 2)}"
        )
    if len(result.left_out_errors) > 1:
        error = np.abs(np.expm1(result.left_out_errors)).mean()
        yield f"own figures, each predicted without itself: {fixed_percent(error, 1)} mean error"
    missing = [name for name in taken.series.at if own is not None and name not in own.at]
    if missing:
        yield f"conditions of the related series only, taken as the same here: {', '.join(missing)}"
    if own is not None and (left := len(own.places) - used):
        figures = "figure is" if left == 1 else "figures are"
        yield f"{left} own {figures} left out: outside the related series"
    if len(result.candidates) > 1:
        yield (
            f"{len(result.candidates)} related series are possible: taken is the one with the "
            "narrowest interval"
        )
