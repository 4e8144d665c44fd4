"""Ends of convex likelihood regions, by Newton steps."""

import math

import numpy as np
import numpy.typing as npt

from netmodel.calibration._noise import Noise
from netmodel.calibration._problem import Optimum, Problem
from netmodel.numeric import Floats

_FARTHEST_MISS = 1.0
"""Of logarithms: a squared logarithm is convex in its argument up to the number e."""
_LEAST_CURVATURE = 1e-10
"""Smallest to largest curvature: below it rays judge whether the region is open."""
_LARGEST_EXPONENT = 300.0
"""Half of the 709 of the largest float: parameters beyond it are as unlikely as any."""
_MOST_STEPS = 20
"""Four or five settle a region that is nearly a ball."""
_FAR_OUTSIDE = 4.0
"""Square of a distance, in units of that of the edge, from which a place moves back."""
_SETTLED_RATIO = 1e-7
"""Of the radius: a Newton step squares the error, so that the next is rounding."""
_NEAR_EDGE = 1e-6
"""Of the square of the radius: a settled step moves no farther."""
_ROUNDING = 1e-9
"""Of a goal: a smaller slope at a bound may have either sign."""


def is_convex(problem: Problem, optimum: Optimum, radius: float) -> bool:
    r"""
    Whether the region of a radius is convex, so that a sum of parameters has one maximum there.

    Notes
    -----
    Let each figure y be about one sum u of parameters. With absolute noise, :math:`(y - u)^2` is
    convex in u, and the probability of an interval is log-concave (Prékopa). With relative noise
    :math:`(\ln y - \ln u)^2` is convex where :math:`\ln u - \ln y \le 1`. For an interval whose
    upper end y is z standard deviations σ below u, take minus the logarithm of the probability.
    Its second derivative has the sign of :math:`1 - V - \sigma |E|`, with mean E and variance V of
    the standard normal distribution within the interval. An open lower end makes both largest.
    With the hazard λ of z the sign is then that of :math:`\lambda - z - \sigma`, and as
    :math:`\lambda - z \ge 2 / (z + \sqrt{z^2 + 4})`, it is positive up to
    :math:`\sigma z = 1 - \sigma^2`. For rates, 1/u and 1/y are as far apart as u and y.

    A load that is at least a constant c, as where a line limits a rate, stays convex if a term
    rises with it from c on; else c must miss so much that no place of the region has it.

    No figure misses by more than all together may: z takes at least :math:`z^2 / 2` of the
    log-likelihood. With estimated noise the region of exact figures is that of a sum of squares.
    That of rounded figures is the union of the convex regions of each noise, which Olsen's
    coordinates show to have no second summit but for the bend of logarithms; a test compares
    them with rays.
    """
    sums = problem.single_sums
    if sums is None or problem.is_rounding_free:
        return False
    information = optimum.likely.information
    if not (np.diag(information) > 0).all():
        return False
    scale = np.sqrt(np.diag(information))
    curvatures = np.linalg.eigvalsh(information / np.outer(scale, scale))
    if curvatures[0] < _LEAST_CURVATURE * curvatures[-1]:
        return False
    noise_sd = optimum.likely.noise_sd
    most = problem.shortfalls(problem.means(optimum.parameters), noise_sd).sum() + radius**2 / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        floors = np.where(sums.is_rate, 1 / sums.floors, sums.floors)
        floors = np.log(floors) if problem.noise is Noise.RELATIVE else floors
        middles = 0.5 * (problem.low + problem.high)
        is_worse = np.where(sums.is_rate, middles >= floors, middles <= floors)
        is_excluded = problem.shortfalls(floors, noise_sd) > most
    if not (is_worse | is_excluded)[sums.floors > -math.inf].all():
        return False
    if problem.noise is Noise.ABSOLUTE:
        return not sums.is_rate.any()
    widest_sd = noise_sd / problem.sharpness.min()
    return bool(widest_sd * math.sqrt(2 * most) <= _FARTHEST_MISS - widest_sd**2)


def summits(problem: Problem, optimum: Optimum, radius: float, sums: Floats) -> Floats | None:
    """
    Parameters of a convex region, and within their bounds, where each sum of them is largest.

    Each step goes to the largest of the sum where the squared distance from the optimum is that
    of its second-order expansion (Venzon and Moolgavkar). A place where steps settle fulfils the
    conditions of Karush, Kuhn and Tucker: in a convex region no other is better.

    Parameters
    ----------
    problem : Problem
        With a region that `is_convex`.
    optimum : Optimum
        Its likeliest parameters.
    radius : float
        Distance of the edge.
    sums : numpy.ndarray
        Coefficients, shape (sums, parameters).

    Returns
    -------
    parameters : numpy.ndarray, optional
        Shape (sums, parameters); None where the steps do not settle.

    References
    ----------
    D. J. Venzon and S. H. Moolgavkar, "A method for computing profile-likelihood-based confidence
    intervals", Applied Statistics 37 (1988).
    """
    scale = 1 / np.sqrt(np.diag(optimum.likely.information))
    low, high = problem.bounds
    places = np.tile(optimum.parameters, (len(sums), 1))
    for _ in range(_MOST_STEPS):
        squares, slopes, bends = _squared_distances(problem, optimum, places.T)
        squares, slopes = squares / radius**2, slopes * scale / radius**2
        bends = bends * np.outer(scale, scale) / radius**2
        is_far = squares > _FAR_OUTSIDE
        if is_far.any():
            shares = 1 / np.sqrt(squares[is_far])
            places[is_far] += (shares[:, np.newaxis] - 1) * (places[is_far] - optimum.parameters)
            continue
        room = (low - places) / scale, (high - places) / scale
        try:
            steps, is_summit = _steps(sums * scale, squares - 1, slopes, bends, room)
        except np.linalg.LinAlgError:
            return None
        if not np.isfinite(steps).all():
            return None
        places = np.clip(places + steps * scale, low, high)
        if is_summit.all():
            return places
    return None


@np.errstate(all="ignore")
def _steps(
    goals: Floats, excess: Floats, slopes: Floats, bends: Floats, room: tuple[Floats, Floats]
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """
    Steps to the largest goals where quadratics are at most 0 within bounds; whether they settle.

    A parameter that leaves its bounds stays there, the farthest one first. NaN where the quadratic
    is above 0 everywhere.
    """
    rows, eye = np.arange(len(goals)), np.eye(goals.shape[1])
    steps, is_held = np.zeros_like(goals), np.zeros(goals.shape, bool)
    while True:
        # (1) excess and slopes after the steps of held parameters, of the others only
        held = np.where(is_held, steps, 0.0)
        pushed = np.einsum("gij,gj->gi", bends, held)
        at_held = excess + ((slopes + 0.5 * pushed) * held).sum(axis=1)
        free_goals = np.where(is_held, 0.0, goals)
        free_slopes = np.where(is_held, 0.0, slopes + pushed)
        is_fixed = is_held[:, :, np.newaxis] | is_held[:, np.newaxis]
        solved = np.linalg.solve(
            np.where(is_fixed, eye, bends), np.stack([free_goals, free_slopes], axis=-1)
        )
        onward, back = solved[..., 0], solved[..., 1]
        # (2) the step m onward - back is at the edge where m^2 goal onward / 2 is what is left
        left = 0.5 * (free_slopes * back).sum(axis=1) - at_held
        is_within = ~free_goals.any(axis=1) & (left >= 0)
        factors = np.sqrt(2 * left / (free_goals * onward).sum(axis=1))
        factors = np.where(is_within, 0.0, factors)
        steps = np.where(is_held, steps, factors[:, np.newaxis] * onward - back)
        inside = np.clip(steps, *room)
        beyond = np.where(is_held, 0.0, np.abs(steps - inside))
        farthest = beyond.argmax(axis=1)
        is_beyond = beyond[rows, farthest] > 0
        if not is_beyond.any():
            break
        chosen = rows[is_beyond], farthest[is_beyond]
        is_held[chosen], steps[chosen] = True, inside[chosen]
    # (3) a summit: the step is short, from the edge or within it where only bounds hold the goal,
    # and a held parameter would raise the goal outward only
    weights = np.where(is_within, 0.0, 1 / factors)[:, np.newaxis]
    rise = goals - weights * (slopes + np.einsum("gij,gj->gi", bends, steps))
    outward = np.where(steps <= room[0], -rise, rise)
    is_right = ~is_held | (outward >= -_ROUNDING * np.abs(goals).max(axis=1, keepdims=True))
    is_short = np.einsum("gi,gij,gj->g", steps, bends, steps) <= 2 * _SETTLED_RATIO**2
    is_at_edge = (excess <= _NEAR_EDGE) & ((excess >= -_NEAR_EDGE) | is_within)
    return steps, is_right.all(axis=1) & is_short & is_at_edge


def squared_distance(problem: Problem, loss: Floats) -> Floats:
    """Of a place from the optimum, by twice its loss of log-likelihood: as if noise were known."""
    if problem.noise_sd is None:
        count = len(problem.informative)
        loss = count * np.expm1(np.minimum(loss / count, _LARGEST_EXPONENT))
    return np.minimum(loss, math.exp(_LARGEST_EXPONENT))


@np.errstate(all="ignore")
def _squared_distances(
    problem: Problem, optimum: Optimum, parameters: Floats
) -> tuple[Floats, Floats, Floats]:
    """
    Squares of distances from the optimum, with first and second derivatives; NaN where infinite.

    Of shape (sets,), (sets, parameters) and (sets, parameters, parameters), for parameters of
    shape (parameters, sets).
    """
    sums, noise = problem.single_sums, problem.noise
    assert sums is not None
    likelihoods, precisions, added = problem.likelihoods(parameters)
    sets, width = len(likelihoods), len(parameters)
    if not np.isfinite(likelihoods).all():
        return (
            np.full(sets, np.nan),
            np.full((sets, width), np.nan),
            np.full((sets, width, width), np.nan),
        )
    # (1) slopes of the means: costs u, ln u of costs, or -ln u of rates
    rows, signs = sums.coefficients, np.where(sums.is_rate, -1.0, 1.0)[:, np.newaxis]
    loads = rows @ parameters + sums.constants[:, np.newaxis]
    rises = (loads > sums.floors[:, np.newaxis]) * np.where(
        noise is Noise.RELATIVE, signs / loads, 1.0
    )
    slopes = rows[..., np.newaxis] * rises[:, np.newaxis]
    # (2) twice the loss of log-likelihood
    factors = precisions * problem.sharpness[:, np.newaxis]
    first, second = -added.shift * factors, added.shift_shift * factors**2
    if noise is Noise.RELATIVE:
        # the second derivative of ln u is minus the square of the first
        second = second - first * signs
    losses = 2 * (optimum.likely.log_likelihood - likelihoods)
    gradients = -2 * np.einsum("is,ips->sp", first, slopes)
    bends = -2 * np.einsum("is,ips,iqs->spq", second, slopes, slopes)
    if problem.noise_sd is not None:
        return losses, gradients, bends
    # (3) the noise follows the parameters, unless rounding hides it: eliminate row and column
    is_free = np.array([not problem.is_hidden(1 / each) for each in precisions.tolist()])
    cross = 2 * np.einsum("is,ips->sp", (added.shift_stretch + added.shift) * factors, slopes)
    noise_bends = -2 * added.stretch_stretch.sum(axis=0)
    bends -= _products(cross) * (is_free / noise_bends)[:, np.newaxis, np.newaxis]
    # (4) n (exp(loss / n) - 1), whose slope is exp(loss / n)
    squares, count = squared_distance(problem, losses), len(problem.informative)
    growth = (1 + squares / count)[:, np.newaxis]
    bends = growth[..., np.newaxis] * (bends + _products(gradients) / count)
    return squares, growth * gradients, bends


def _products(vectors: Floats) -> Floats:
    """Of each vector with itself."""
    return vectors[:, :, np.newaxis] * vectors[:, np.newaxis]
