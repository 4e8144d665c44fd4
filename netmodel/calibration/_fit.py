"""Maximum-likelihood fits of few observations, with their intervals."""

import math
from collections.abc import Collection, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from typing import Any, ClassVar, get_args

import numpy as np
import numpy.typing as npt

from netmodel.calibration import _likelihood, diagnostics, models
from netmodel.calibration._likelihood import Goal, LargestSums, Noise, Optimum, Problem, Region
from netmodel.calibration.diagnostics import Residual, largest_of, misfit_notes, notes_of
from netmodel.calibration.models import LinearModel, Model, Point, Shown
from netmodel.calibration.observations import Observed
from netmodel.calibration.sets import agree
from netmodel.errors import CalibrationError, DomainError
from netmodel.estimates import LEVEL_RATIO, Estimate
from netmodel.numeric import Floats, require_member

_ESTIMABLE_FACTOR = 10.0
"""Ends of an interval that count as an estimate: the order of magnitude is known."""
TYPO_RATIO = 1e-3
"""Probability that noise alone puts the farthest figure so far off; below it, it is left out."""
_MANY = 50
"""Observations that are left out in turn to look for an outlier: half a second."""
_TYPED_RATIO = 0.05
"""Scatter above which a typo may be among the figures and draw the model to itself."""
_TAILED_SD = math.sqrt(_likelihood.TAIL_DEGREES / (_likelihood.TAIL_DEGREES - 2))
"""Standard deviation of Student's distribution."""
_NO_MORE = 1e-6
"""An end this near to a bound, as a share of the distance from the value, is at it: searches end
no nearer."""


@dataclass(frozen=True, repr=False)
class Fit(Shown):
    """
    The parameters under which observations are likeliest, with intervals.

    An interval holds all values of the likelihood region: of parameters that are not much less
    likely than the likeliest. Those of parameters and of predictions are obtained the same way,
    joint in all parameters.

    Parameters
    ----------
    model : Model
        The fitted model.
    observed : tuple of Observed
        All observations but those open at both ends.
    noise : {"relative", "absolute"}
        What scatters normally: the logarithm of the quantity, or the quantity itself.
    noise_sd : float
        Its standard deviation for one run: a ratio where noise is relative, else in the unit of
        the quantity. The likeliest, unless it is given; JSON has `scatter_ratio`, as text has.
    is_noise_known : bool
        Whether it is given.
    level_ratio : float
        Confidence level of the intervals.
    log_likelihood : float
        Of the observations.
    degrees_of_freedom : int
        Observations with two ends, exact or not, less parameters and less quantities that are
        known by comparisons only. Censored ones do not count.
    active_bounds : tuple of str
        Parameters at a bound that keeps them from a likelier value. Their intervals are
        one-sided.
    residuals : tuple of Residual
        Of each observation.
    misfit_ratio : float, optional
        Probability of differences at least as large if the model holds: by the given noise
        (chi-square), or by repeats at one condition (F test of lack of fit); None where no test can
        decide. Below 0.05 intervals are by how far conditions are from the model.
    notes : tuple of str
        What to know before using the parameters, most important first.
    over : str
        Condition that a law is about, such as ``"connection_count"``; empty of other models.

    Examples
    --------
    >>> from netmodel.calibration import Observed, adapter_model, fit
    >>> runs = ((1500, 13.1e9), (1500, 13.6e9), (3000, 18.3e9), (3000, 17.9e9))
    >>> seen = [
    ...     Observed(quantity="throughput_bps", at={"mtu_bytes": mtu}, low=rate, high=rate)
    ...     for mtu, rate in runs
    ... ]
    >>> result = fit(seen, adapter_model(25e9))
    >>> result.degrees_of_freedom, round(result.values["per_frame_s"] * 1e6, 2)
    (2, 0.45)
    """

    model: Model
    observed: tuple[Observed, ...]
    noise: Noise
    noise_sd: float
    is_noise_known: bool
    log_likelihood: float
    degrees_of_freedom: int
    active_bounds: tuple[str, ...]
    residuals: tuple[Residual, ...]
    misfit_ratio: float | None
    notes: tuple[str, ...]
    _variance_ratio: float = field(repr=False, compare=False)
    _degrees: float = field(repr=False, compare=False)
    _problem: Problem = field(repr=False, compare=False)
    _optimum: Optimum = field(repr=False, compare=False)
    _known: dict[float, Any] = field(default_factory=dict, repr=False, compare=False)
    level_ratio: float = LEVEL_RATIO
    over: str = ""

    json_keys = "level_ratio noise noise_sd=scatter_ratio noise_kind is_noise_known log_likelihood "
    json_keys += "degrees_of_freedom active_bounds residuals largest_residual misfit_ratio"
    method: ClassVar[str] = "likelihood"

    @property
    def values(self) -> dict[str, float]:
        """The likeliest parameters by name."""
        parameters = self._optimum.parameters * self._problem.typical
        return dict(zip(self._problem.names, parameters.tolist(), strict=True))

    @property
    def parameters(self) -> dict[str, Estimate]:
        """The likeliest parameters with their intervals, by name; one-sided at a bound."""
        if self.level_ratio not in self._known:
            self._known[self.level_ratio] = self._intervals()
        return dict(self._known[self.level_ratio])

    def _intervals(self) -> dict[str, Estimate]:
        optimum, ends = self._optimum, {}
        goals = [_sum(row) for row in np.diag(self._problem.typical)]
        spans = [] if self.is_undetermined else [self._region.ends(goal) for goal in goals]
        for place, free in enumerate(self.model.parameters):
            value, low, high = self.values[free.name], free.low, free.high
            if spans and not optimum.is_unseen[place]:
                least, most = spans[place]
                if optimum.is_active[place]:  # the bound takes half of the chances
                    half = self._region_of(max(0.0, 2 * self.level_ratio - 1))
                    least, most = half.ends(goals[place])
                is_at_bound = least - low < _NO_MORE * (value - low)
                low, high = low if is_at_bound else max(least, low), min(most, high)
            ends[free.name] = Estimate(value, min(value, low), max(value, high))
        return ends

    @property
    def estimable(self) -> dict[str, bool]:
        """
        Names of parameters, each True if known to an order of magnitude.

        Its interval ends within its bounds on both sides, and the ends are of one sign and within
        a factor of ten of each other. A parameter that may be negative has a sign instead of an
        order of magnitude to know: its interval only ends within the bounds.
        """
        pairs = zip(self.model.parameters, self.parameters.values(), strict=True)
        return {
            free.name: free.low < low <= high < free.high
            and (free.low < 0 or high <= _ESTIMABLE_FACTOR * low)
            for free, (_, low, high) in pairs
        }

    @np.errstate(all="ignore")
    def predict(self, point: Point) -> Estimate:
        """
        Return a quantity of the model under conditions, with its interval.

        Neither end exceeds the limits of the model.

        Raises
        ------
        DomainError
            If the model does not know the quantity, or a condition that it needs is missing.
        CalibrationError
            If the end of the interval cannot be found.
        """
        there = _likelihood.quantities(self.model, [point], self._problem.typical)
        value = self.value(point)
        most = self.model.loads(point).most if isinstance(self.model, LinearModel) else math.inf
        if self.is_undetermined:
            return Estimate(value, 0.0, most)
        is_rate = isinstance(there, LargestSums) and bool(there.is_rate[0])
        if isinstance(there, LargestSums):  # by its load, which is finite where a rate is not
            there.is_rate = np.array([False])

        def goal(parameters: Floats) -> tuple[float, Floats]:
            (quantity,), (slopes,) = there(parameters)
            return float(quantity), slopes

        low, high = self._region.ends(goal)
        if is_rate:
            low, high = (1 / load if load > 0 else math.inf for load in (high, low))
        return Estimate(value, min(value, max(low, 0.0)), max(value, min(high, most)))

    def value(self, point: Point) -> float:
        """Likeliest quantity under conditions."""
        return float(self.model.function([point])(np.array([*self.values.values()]))[0])

    @property
    def scatter_ratio(self) -> float | None:
        """Scatter of one more run about its mean; None where it is not known."""
        if self.is_undetermined:
            return None
        if self.answer:  # by what is missed, not by what was taken for noise
            missed = self._problem.misses(self._optimum.parameters)[0][self._problem.is_informative]
            return math.sqrt(float(missed @ missed) / max(self.degrees_of_freedom, 1))
        return self.noise_sd * math.sqrt(self._problem.correction)

    @property
    def answer(self) -> str:
        """Warning that the model does not hold, in front of an answer; else empty."""
        is_met = self.misfit_ratio is None or self.misfit_ratio >= 1 - LEVEL_RATIO
        return "" if is_met else f"{diagnostics.MISFIT} (p = {self.misfit_ratio:.2g}); "

    @property
    def is_undetermined(self) -> bool:
        """True if the noise is unknown, so that every interval is open."""
        is_noiseless = self._problem.is_noiseless(self.noise_sd)
        return not self.is_noise_known and (self.degrees_of_freedom < 1 or is_noiseless)

    def edge(self, count: int, names: Collection[str] = ()) -> Floats:
        """
        Parameters at the edge of the likelihood region, joint in all of them.

        The values of a quantity at these parameters nearly span its interval: less by half a
        per cent for two parameters and 32 directions, for four parameters by an eighth with
        32 and by a sixtieth with 256.

        Parameters
        ----------
        count : int
            Number of directions.
        names : collection of str
            Parameters among which the directions are spread, such as those that a quantity
            depends on; all when left out.

        Returns
        -------
        parameters : numpy.ndarray
            Shape (count, parameters).

        Raises
        ------
        CalibrationError
            If the noise is not known.
        """
        if self.is_undetermined:
            raise CalibrationError(f"no edge of the likelihood region: {models.noise_unknown()}")
        every = [*self.values]
        places = [place for place, name in enumerate(every) if not names or name in names]
        # directions are even among these parameters, regardless of the others: on a circle of two,
        # else at random on a sphere
        directions = np.random.default_rng(0).standard_normal((count, len(places)))
        if len(places) == 2:
            angles = 2 * np.pi * np.arange(count) / count
            directions = np.column_stack([np.cos(angles), np.sin(angles)])
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        region, rows = self._region, np.zeros((count, len(every)))
        axes = region.axes[places, : len(every)]
        rows[:, places] = directions @ np.linalg.inv(np.linalg.cholesky(axes @ axes.T))
        return np.array([region.farthest(_sum(row))[1] for row in rows]) * self._problem.typical

    def without(self, is_out: npt.NDArray[np.bool_], points: Sequence[Point]) -> Floats:
        """Return quantities by the parameters that are likeliest without some figures."""
        problem = self._problem.without(is_out, self._optimum.parameters)
        diagnostics.require_enough(problem)
        optimum = _likelihood.likeliest(problem, 1)
        diagnostics.require_separable(problem, optimum)
        return self.model.function(points)(optimum.parameters * problem.typical)

    @property
    def largest_residual(self) -> Residual | None:
        """The observation that is most standard deviations from the model."""
        return None if self.is_undetermined else largest_of(self.residuals)

    @cached_property
    def covariance(self) -> Floats:
        """
        Covariance of the parameters, by the curvature of the log-likelihood; zero at active bounds.

        Where the noise is estimated, it is that of n - p degrees of freedom, as if the model held.
        """
        optimum, typical = self._optimum, self._problem.typical
        is_free = ~(optimum.is_active | optimum.is_unseen)
        scale = np.where(is_free, np.sqrt(np.diag(optimum.information)), math.inf)
        values, vectors = np.linalg.eigh(optimum.information / np.outer(scale, scale))
        # what nothing but rounding shows is open
        curvatures = np.maximum(values, np.finfo(float).eps * max(values.max(), 1.0))
        root = vectors / np.sqrt(curvatures) * (typical / scale)[:, np.newaxis]
        return np.where(np.outer(is_free, is_free), root @ root.T * self._problem.correction, 0.0)

    def changes_from(self, old: "Fit") -> dict[str, tuple[Estimate, float | None]]:
        r"""
        Change of each parameter since another fit, with its interval, and the p-value of none.

        Parameters
        ----------
        old : Fit
            Of the same model, and of other observations.

        Returns
        -------
        changes : dict of str to (Estimate, float or None)
            Parameter less that of the other fit at `level_ratio`, and the probability of a
            difference at least as large if nothing changed; None where both are at a bound.

        Raises
        ------
        CalibrationError
            If the noise of one of them is not known.
        DomainError
            If they have other parameters.

        Notes
        -----
        .. math:: d_{low} = v - v_0 - \sqrt{(v - l)^2 + (h_0 - v_0)^2} \qquad (1)

        with :math:`v` the value and :math:`l` and :math:`h` the ends of its interval, likewise
        for the high end, each distance scaled to the quantile of the degrees of freedom of both
        together. The p-value is that of Welch's test, by the curvature at both values.

        References
        ----------
        G. Zou and A. Donner, "Construction of confidence limits about effect measures",
        Statistics in Medicine 27 (2008), for (1). B. L. Welch, "The generalization of
        'Student's' problem", Biometrika 34 (1947).
        """
        from scipy.special import stdtr, stdtrit

        if self.values.keys() != old.values.keys():
            both = " and ".join(", ".join(each.values) for each in (self, old))
            raise DomainError(f"fits of the same parameters can be compared; these have {both}")
        if self.is_undetermined or old.is_undetermined:
            raise CalibrationError(f"no interval of a change: {models.noise_unknown()}")
        fits, changes, quantile = (self, old), {}, (1 + self.level_ratio) / 2
        ratios = [each._variance_ratio / each._problem.correction for each in fits]
        parts = np.array([np.diag(each.covariance) for each in fits]) * np.array([ratios]).T
        freedoms = [each._degrees for each in fits]
        pairs = zip(self.parameters.items(), old.parameters.values(), parts.T, strict=True)
        for (name, (new, low, high)), (before, least, most), variances in pairs:
            change, total, p_value = new - before, float(variances.sum()), None
            reach = np.array([[new - low, high - new], [most - before, before - least]])
            if total:
                spent = float(((variances / total) ** 2 / freedoms).sum())  # 1 / degrees of freedom
                freedom = 1 / spent if spent else math.inf
                p_value = 2 * float(stdtr(freedom, -abs(change) / math.sqrt(total)))
                reach *= stdtrit(freedom, quantile) / stdtrit(freedoms, quantile)[:, np.newaxis]
            below, above = np.hypot(*reach).tolist()  # (1)
            changes[name] = Estimate(change, change - below, change + above), p_value
        return changes

    @cached_property
    def _region(self) -> Region:
        return self._region_of(self.level_ratio)

    @np.errstate(all="ignore")
    def _region_of(self, level_ratio: float) -> Region:
        """Return the likelihood region of a level."""
        from scipy.special import stdtrit

        problem, student = self._problem, float(stdtrit(self._degrees, (1 + level_ratio) / 2))
        lost = student**2 * self._variance_ratio
        if not self.is_noise_known:
            # n ln(1 + t^2 / (n - p)): exact for figures, normal noise and a linear model
            lost = problem.count * math.log1p(lost / problem.count)
        return Region(problem, self._optimum, lost)


def _sum(row: Floats) -> Goal:
    return lambda given: (float(row @ given), row)


def fit(
    observed: Sequence[Observed],
    model: Model,
    *,
    noise: Noise = "relative",
    noise_ratio: float | None = None,
) -> Fit:
    """
    Parameters of a model under which observations are likeliest, with intervals.

    Parameters
    ----------
    observed : sequence of Observed
        A censored figure is about the quantity with its calibrated limits only; every other
        figure is about the quantity with all limits of the model.
    model : Model
        The model to fit, with the bounds of its parameters.
    noise : {"relative", "absolute"}
        What scatters normally: the logarithm of the quantity, or the quantity itself.
    noise_ratio : float, optional
        Standard deviation of the noise of one run, where it is known: a ratio where noise is
        relative, else in the unit of the quantity. A comparison of two runs has twice the square.

    Returns
    -------
    fit : Fit
        Parameters, predictions, and diagnostics.

    Raises
    ------
    CalibrationError
        If the observations do not determine the parameters: too few with two ends, all
        depending on them alike, or met without noise; the message says which measurement would
        help. If the search does not converge.
    DomainError
        If noise is not above zero.

    Notes
    -----
    The log-likelihood adds, for m of the model, σ of the noise and Φ the normal
    distribution, ``ln φ((y - m)/σ) - ln σ`` for a figure, ``ln(1 - Φ((c - m)/σ))`` above an
    end, ``ln Φ((c - m)/σ)`` below one, ``ln(Φ((u - m)/σ) - Φ((l - m)/σ))`` between two, and
    ``ln(Π Φ((u - m_k)/σ) - Π Φ((l - m_k)/σ))`` where the largest of cases is between them.
    For linear models and absolute noise its optimum is the only one.

    References
    ----------
    J. Tobin, "Estimation of relationships for limited dependent variables", Econometrica 26
    (1958); R. J. Olsen, "Note on the uniqueness of the maximum likelihood estimator for the
    Tobit model", Econometrica 46 (1978).

    Examples
    --------
    A time for each amount, where none above 6.5 could be measured:

    >>> from netmodel.calibration.models import FreeParameter, demand_model
    >>> from netmodel.records.values import Relation
    >>> seen = [2.4, 2.1, 4.6, 4.2, 6.5, 5.4, 6.5, 6.5]
    >>> model = demand_model(
    ...     "time_s",
    ...     (FreeParameter("fixed_s", "s"), FreeParameter("each_s", "s")),
    ...     lambda at: (1, at["count"]),
    ...     is_rate=False,
    ... )
    >>> observed = [
    ...     Observed(quantity="time_s", at={"count": count}, low=time_s,
    ...              high=time_s if time_s < 6.5 else float("inf"),
    ...              relation=Relation.EQUAL if time_s < 6.5 else Relation.CENSORED_ABOVE)
    ...     for count, time_s in enumerate(seen, 1)
    ... ]
    >>> result = fit(observed, model, noise="absolute")
    >>> round(result.values["each_s"], 6)
    0.890884
    """
    models.require_noise(noise_ratio)
    require_member("noise", noise, get_args(Noise))
    problem = Problem(model, observed, noise, noise_ratio)
    diagnostics.require_enough(problem)
    is_rounded = not problem.is_exact.any()
    is_set = problem.is_rounded_only and is_rounded and isinstance(model, LinearModel)
    is_met = is_set and agree(observed, model)  # type: ignore[arg-type]
    if not is_met:
        optimum = _likelihood.likeliest(problem)
        is_sure = is_rounded and optimum.log_likelihood > diagnostics.CERTAIN
        is_met = problem.is_rounded_only and (is_sure or problem.is_noiseless(optimum.noise_sd))
    if is_met:
        raise CalibrationError(
            f"the model meets all observations within their digits; give {models.noise_argument()}"
        )
    diagnostics.require_separable(problem, optimum)
    residuals = diagnostics.residuals_of(problem, optimum)
    misfit, variance_ratio, degrees = diagnostics.misfit_of(problem, optimum)
    return Fit(
        model=model,
        observed=problem.observed,
        noise=noise,
        noise_sd=float(optimum.noise_sd),
        is_noise_known=noise_ratio is not None,
        log_likelihood=optimum.log_likelihood,
        degrees_of_freedom=problem.degrees_of_freedom,
        active_bounds=tuple(compress(problem.names, optimum.is_active)),
        residuals=residuals,
        misfit_ratio=misfit,
        notes=(*misfit_notes(misfit, residuals), *notes_of(problem, optimum)),
        _variance_ratio=variance_ratio,
        _degrees=degrees,
        _problem=problem,
        _optimum=optimum,
    )


@np.errstate(all="ignore")
def with_tails(fitted: Fit) -> Fit:
    r"""
    Return the fit by noise with tails, in which a figure far off counts for less.

    Raises
    ------
    CalibrationError
        If the model has no value near those of normal noise.

    Notes
    -----
    Noise has Student's distribution with three degrees of freedom. A profile may lose

    .. math:: n \ln\Big(1 + \frac{t^2}{n - p - 1}\,\frac{\sum s_i^2}{\sum b_i}\Big)

    of twice the log-likelihood, with :math:`s_i` and :math:`b_i` its slope and curvature in the
    mean of each of n figures: their ratio, at most 4, is 1 for the noise of the likelihood, and
    larger where the noise has longer tails (Huber's sandwich). One degree of freedom goes to the
    figure far off.

    References
    ----------
    K. Lange, R. Little and J. Taylor, "Robust statistical modeling using the t distribution",
    Journal of the American Statistical Association 84 (1989).
    """
    problem = copy(fitted._problem)
    problem.start, problem.is_smooth = fitted._optimum.parameters, False
    problem.tail_degrees = _likelihood.TAIL_DEGREES
    optimum, degrees = _likelihood.likeliest(problem, 1), fitted.degrees_of_freedom - 1
    means, _ = problem.means(optimum.parameters)
    _, slopes, _, bends, _ = problem.terms(means, optimum.noise_sd)[:, problem.is_informative]
    noise_sd = optimum.noise_sd * _TAILED_SD
    own = diagnostics.residuals_of(problem, optimum._replace(noise_sd=noise_sd))
    pairs, square = zip(own, fitted.residuals, strict=True), float(slopes @ slopes)
    return replace(
        fitted,
        noise_sd=noise_sd,
        log_likelihood=optimum.log_likelihood,
        active_bounds=tuple(compress(problem.names, optimum.is_active)),
        residuals=tuple(x._replace(probability_ratio=y.probability_ratio) for x, y in pairs),
        _variance_ratio=square / max(float(bends.sum()), square / 4) * problem.count / degrees,
        _degrees=float(degrees),
        _problem=problem,
        _optimum=optimum,
        _known={},
    )


@np.errstate(all="ignore")
def with_hidden_outlier(fitted: Fit) -> Fit:
    """
    Return the fit with an observation named that hides itself, if without it the others agree.

    One that is far off draws the model to itself, or a parameter to its bound. Residuals then say
    little, as the others are far from the model too: each is left out in turn, else the worst, and
    the noise of the others compared (F test of one mean that is shifted).
    """
    problem, optimum, degrees = fitted._problem, fitted._optimum, fitted.degrees_of_freedom - 1
    worst, count = fitted.largest_residual, len(fitted.observed)
    is_named = fitted.is_noise_known or (worst and worst.is_beyond_noise(TYPO_RATIO))
    if is_named or degrees < 1:
        return fitted
    is_wide = count <= _MANY and (bool(fitted.active_bounds) or fitted.noise_sd > _TYPED_RATIO)
    tried = np.array([is_wide or each is worst for each in fitted.residuals])
    squares = np.full(count, math.inf)
    for place in np.flatnonzero(tried & problem.is_informative).tolist():
        with suppress(CalibrationError):
            rest = problem.without(np.arange(count) == place, optimum.parameters)
            squares[place] = rest.count * _likelihood.likeliest(rest).noise_sd ** 2 or math.inf
    place, left = int(squares.argmin()), float(squares.min())
    excess = max(problem.count * fitted.noise_sd**2 - left, 0.0)
    own, residuals = fitted.residuals[place], [*fitted.residuals]
    shift = math.copysign(math.sqrt(excess / (left / degrees)), own.measured - own.fitted)
    (chance,) = diagnostics.probability_of_largest(np.array([shift]), count, degrees)
    residuals[place] = own._replace(deviations=shift, probability_ratio=chance)
    if not residuals[place].is_beyond_noise():
        return fitted
    doubts = (diagnostics.MISFIT, diagnostics.OUTLIER)
    kept = (each for each in fitted.notes if not each.startswith(doubts))
    notes = (*misfit_notes(fitted.misfit_ratio, residuals), *kept)
    return replace(fitted, residuals=tuple(residuals), notes=notes)
