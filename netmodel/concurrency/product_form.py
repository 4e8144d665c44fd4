"""Closed networks with a product form, stable at any load: only positive terms are added."""

from collections.abc import Sequence

from netmodel.errors import DomainError
from netmodel.lazy_numpy import np
from netmodel.numeric import Floats

_MAX_STEP_COUNT = 10**10
"""Connections times gaps that differ: about a minute for one network."""
_SCALE = 2.0**300
"""Sums beyond it are carried as a multiple of it. A float holds 2^1023, so that a step may still
multiply by 10^200; a power of two loses no digit."""


def product_form(
    gaps_s: Sequence[Floats], think_s: Floats, largest_count: int
) -> tuple[Floats, Floats]:
    """
    Return rate and connections at each stage for every number of connections up to the largest.

    ``gaps_s`` has an array for each stage, with the models on its second axis: row j - 1 is the
    mean time between completions while j transactions are at the stage, the last row also that of
    more. The results have a row for each number of connections, from 0 on, where they are NaN.

    The normalising constants have the generating function e^(Z z) times, for each stage with gaps
    g_j, of which d is the shortest,

        F(z) = sum_j z^j prod_(i<=j) g_i = 1/(1 - d z) * (1 + sum_j (g_j - d) z^j prod_(i<j) g_i)

    The first factor is a stage of one server, for which mean value analysis is stable. The second
    one has no negative term. It ends where the gaps stay the shortest: at m for m servers.
    """
    longest = max(_term_count(gap_s, largest_count) for gap_s in gaps_s)
    if largest_count * longest > _MAX_STEP_COUNT:
        raise DomainError(
            f"{largest_count} connections at a stage whose demand changes up to {longest} of them "
            f"take too long: at most {_MAX_STEP_COUNT:.0e} as a product; use fewer"
        )
    shortest_s = np.stack([gap_s.min(axis=0) for gap_s in gaps_s])
    shape = (largest_count + 1, think_s.size)
    rate, queues = np.full(shape, np.nan), np.zeros((len(gaps_s), *shape))
    # (1) mean value analysis of stages with one server each, as fast as the shortest gap
    single = np.zeros_like(shortest_s)
    for count in range(1, largest_count + 1):
        times_s = shortest_s * (1 + single)
        rate[count] = count / (think_s + times_s.sum(axis=0))
        queues[:, count] = single = rate[count] * times_s
    queues[:, 0] = np.nan
    # (2) the other factor of each stage whose gaps differ: S(N) = G'(N) / G(N), with and without
    # it, and X'(N) = X(N) S(N - 1) / S(N)
    differing = [stage for stage, gap_s in enumerate(gaps_s) if _term_count(gap_s, largest_count)]
    if not differing:
        return rate, queues
    queues[:, 1:] = 0
    for place, stage in enumerate(differing):
        without = rate
        rate = _with_factor(without, gaps_s[stage])[0]
        for later in differing[place + 1 :]:
            without = _with_factor(without, gaps_s[later])[0]
        queues[stage] = _with_factor(without, gaps_s[stage])[1]
    # (3) mean transactions at a stage: those of the factor, and those of the single server by
    # the arrival theorem, which holds for its part of the normalising constant
    single = np.zeros_like(shortest_s)
    for count in range(1, largest_count + 1):
        single = rate[count] * shortest_s * (1 + single)
        queues[:, count] += single
    return rate, queues


def _term_count(gap_s: Floats, largest_count: int) -> int:
    """Return how many transactions at the stage have a gap that is not the shortest for good."""
    longer = (gap_s > gap_s.min(axis=0)).any(axis=1)
    if not longer.any():
        return 0
    last = len(gap_s) - int(longer[::-1].argmax())
    return largest_count if last == len(gap_s) else min(last, largest_count)


def _with_factor(rate: Floats, gap_s: Floats) -> tuple[Floats, Floats]:
    """
    Return the rate of a network with the second factor of a stage, and its mean power.

    With X the rate without it and e_j = g_j - d, from the last term to the first,

        W_j(n) = X(n) (e_j + g_j W_(j+1)(n-1)),   S(n) = 1 + W_1(n)

    and the sum of the same terms, each times its power, by M_j(n) = W_j(n) + X(n) g_j M_(j+1)(n-1).
    """
    largest_count = len(rate) - 1
    excess_s = gap_s - gap_s.min(axis=0)
    total, weighted = np.zeros_like(rate), np.zeros_like(rate)
    scales = np.zeros(rate.shape, dtype=np.int64)  # both are carried over _SCALE to this power
    for power in range(_term_count(gap_s, largest_count), 0, -1):
        row = min(power, len(gap_s)) - 1
        now, before = slice(1, largest_count - power + 2), slice(largest_count - power + 1)
        ending = rate[now] * excess_s[row]
        if scales.any():
            scales[now] = scales[before].copy()
            ending *= _SCALE ** -scales[now]
        step = rate[now] * gap_s[row]
        total[now] = ending + step * total[before]
        weighted[now] = total[now] + step * weighted[before]
        change = (weighted[now] > _SCALE) * 1 - ((weighted[now] < 1) & (scales[now] > 0))
        if change.any():
            scales[now] += change
            total[now] *= _SCALE**-change
            weighted[now] *= _SCALE**-change
    total += _SCALE**-scales
    with_factor = np.full_like(rate, np.nan)
    with_factor[1:] = rate[1:] * (total[:-1] / total[1:]) * _SCALE ** (scales[:-1] - scales[1:])
    return with_factor, weighted / total
