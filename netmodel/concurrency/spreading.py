"""Flows that a hash spreads on receive queues."""

import math
from collections.abc import Callable
from functools import lru_cache
from itertools import takewhile
from typing import Any

from netmodel.errors import DomainError
from netmodel.lazy_numpy import np
from netmodel.numeric import Number, Q, any_of_many, domain, floor, is_array, is_symbol

_REMAINDER = 1e-13
"""Chances below it are no larger than what rounding leaves of the sums they come from."""
MAX_FLOW_COUNT = 10_000_000
"""Beyond it one sum takes more than a second."""
_ALL_TERMS = 100_000
"""Flows beyond which not every term of the sum is computed."""
_TERMS_PER_DEVIATION = 6
"""Keeps the sum of Euler and Maclaurin within 10^-6 of all terms: 8e-7 with 4 queues."""
_WIDTH = 12
"""Deviations from the mean: a Poisson count is farther away with a chance below 1e-30."""
_EXTRA = 40
"""The same for means near zero, where the tail is wider than its deviation suggests."""


@domain("flow_count >= 0")
def used_queue_count(flow_count: Q | Number, queue_count: Q | Number) -> Q:
    r"""
    Queues that get at least one flow, on average.

    Parameters
    ----------
    flow_count : int or array_like
        Flows, each hashed to any queue with the same chance.
    queue_count : int or array_like
        Queues, at least 1.

    Returns
    -------
    queue_count : float or numpy.ndarray
        Mean, at most the flows and at most the queues, of the broadcast shape
        of the inputs.

    Raises
    ------
    DomainError
        If the flows are negative, there is no queue, or either is infinite.

    Notes
    -----
    .. math:: E = q\,\bigl(1 - (1 - 1/q)^N\bigr)

    References
    ----------
    W. Feller, "An Introduction to Probability Theory and Its Applications",
    volume 1, 3rd edition (1968), chapters II.5 and IX.2, for balls in cells.

    Examples
    --------
    >>> round(used_queue_count(10, 16), 6)
    7.608632
    """
    return queue_count * any_of_many(1 / queue_count, flow_count)


@domain("flow_count >= 0", f"flow_count <= {MAX_FLOW_COUNT}")
def busiest_queue_flow_count(flow_count: Q | Number, queue_count: Q | Number) -> Q:
    r"""
    Flows of the queue that has most of them, on average.

    Parameters
    ----------
    flow_count : int or array_like
        Flows, each hashed to any queue with the same chance; whole numbers.
    queue_count : int or array_like
        Queues, at least 1; whole numbers.

    Returns
    -------
    flow_count : float or numpy.ndarray
        Mean of the maximum, of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If the flows are negative, there is no queue, or an argument is not a
        whole number or is a symbol.

    Notes
    -----
    The chance that no queue has more than :math:`m` flows is a quotient of
    coefficients of :math:`x^N`,

    .. math:: P_m = \frac{[x^N]\,\bigl(\sum_{j \le m} w_j x^j\bigr)^q}
        {[x^N]\,\bigl(\sum_j w_j x^j\bigr)^q}, \qquad
        w_j = \frac{(N/q)^j e^{-N/q}}{j!}

    and the mean of the maximum is :math:`\sum_{m \ge 0} (1 - P_m)`. The powers
    are taken at the roots of unity; the weights are such that all sums stay
    near :math:`N`, so that a number of roots of the order of :math:`\sqrt N`
    separates the coefficients to the rounding of floats. Exact but for that
    rounding: nothing is drawn at random. Beyond 100 000 flows 6 terms for each
    standard deviation of a queue are computed, and the sum is that of Euler and
    Maclaurin over them, which is within :math:`10^{-6}` of it.

    References
    ----------
    P. Flajolet and R. Sedgewick, "Analytic Combinatorics" (2009), section
    II.3, for the generating function.

    Examples
    --------
    >>> round(busiest_queue_flow_count(10, 16), 4)
    2.3303
    """
    return _each(_mean_maximum, flow_count, queue_count)


@domain("flow_count >= 1", f"flow_count <= {MAX_FLOW_COUNT}")
def usable_capacity_ratio(flow_count: Q | Number, queue_count: Q | Number) -> Q:
    r"""
    Share of the capacity of all queues that is reached when the busiest is full.

    Parameters
    ----------
    flow_count : int or array_like
        Flows of equal rate, each hashed to any queue with the same chance;
        whole numbers, at least 1.
    queue_count : int or array_like
        Queues of equal capacity, at least 1; whole numbers.

    Returns
    -------
    capacity_ratio : float or numpy.ndarray
        Above 0 and at most 1, of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If there is no flow or no queue, or an argument is not a whole number
        or is a symbol.

    Notes
    -----
    .. math:: \frac{N}{q\,E[\max]}

    with :math:`E[\max]` the :func:`busiest_queue_flow_count`. Flows that yield
    to each other, or of which some are faster, share differently.

    References
    ----------
    P. Flajolet and R. Sedgewick, "Analytic Combinatorics" (2009), section
    II.3, for the maximum.

    Examples
    --------
    >>> [round(usable_capacity_ratio(flow_count, 16), 2) for flow_count in (10, 50, 250)]
    [0.27, 0.47, 0.68]
    """

    def ratio(flows: int, queues: int) -> float:
        return flows / (queues * _mean_maximum(flows, queues))

    return _each(ratio, flow_count, queue_count)


@lru_cache(maxsize=4096)  # a fit asks for the same counts at every step
def _mean_maximum(flow_count: int, queue_count: int) -> float:
    if flow_count == 0 or queue_count == 1:
        return float(flow_count)
    # (1) w_j of a Poisson distribution, for the j that a queue may have at all
    mean = flow_count / queue_count
    lowest = max(0, math.floor(mean) - _reach(mean))
    most = min(flow_count, math.floor(mean) + _reach(mean))
    logarithm = math.log(mean)
    weights = np.exp([j * logarithm - mean - math.lgamma(j + 1) for j in range(lowest, most + 1)])
    root_count = 1 << _reach(flow_count).bit_length()  # a power of two: transforms are fastest
    places = np.arange(lowest, lowest + weights.size) % root_count

    # (2) [x^N] of a power of the polynomial, from its values at the roots of unity
    def coefficient(size: int) -> float:
        powers = np.fft.rfft(np.bincount(places[:size], weights[:size], root_count)) ** queue_count
        return float(np.fft.irfft(powers, root_count)[flow_count % root_count])

    # (3) 1 - P_m, the chance that some queue has more than m flows: 1 below the mean of the queues
    of_all = coefficient(weights.size)
    first = math.ceil(mean)
    step = 1 if flow_count <= _ALL_TERMS else max(1, int(math.sqrt(mean) / _TERMS_PER_DEVIATION))
    chances = (1 - coefficient(m + 1 - lowest) / of_all for m in range(first, most, step))
    terms = list(takewhile(_REMAINDER.__le__, chances))
    # (4) their sum; of every n-th by Euler and Maclaurin, with the slope at the start by three
    # points (4 f_1 - 3 f_0 - f_2) / 2n; terms fade to 0, so that the end adds nothing
    if step == 1:
        return first + sum(terms)
    slope = (4 * terms[1] - 3 * terms[0] - terms[2]) / (2 * step)
    total = step * sum(terms) - (step - 1) * terms[0] / 2 + (step**2 - 1) / 12 * slope
    return first + total


def _reach(variance: float) -> int:
    """Return how far from its mean a count may be with a chance that shows in no digit."""
    return math.ceil(_WIDTH * math.sqrt(variance)) + _EXTRA


def _each(function: Callable[[int, int], float], flow_count: Any, queue_count: Any) -> Any:
    """Return the function of each pair of whole numbers; NaN where one of them is NaN."""
    for name, count in (("flow_count", flow_count), ("queue_count", queue_count)):
        if is_symbol(count):
            raise DomainError(f"{name} must be a number; got {count}")
        bad = np.asarray((count == count) & (count != floor(count)))
        if bad.any():
            raise DomainError(f"{name} must be whole; got {float(np.asarray(count)[bad][0]):.15g}")

    def of_one(flows: float, queues: float) -> float:
        return math.nan if flows != flows or queues != queues else function(int(flows), int(queues))

    if not is_array(flow_count) and not is_array(queue_count):
        return of_one(flow_count, queue_count)
    pairs = np.broadcast(flow_count, queue_count)
    return np.array([of_one(*pair) for pair in pairs], dtype=float).reshape(pairs.shape)
