"""
Functions without a symbolic form, in closed form and in arithmetic of many digits.

Each is written from its textbook definition, not from the code: sums over states for queues,
convolutions for closed networks, counts of arrangements for hashing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, factorial
from typing import Any

from mpmath import mp, mpf

from netmodel import ceilings, concurrency, transport
from netmodel.planning import sizing

__all__ = ["EXACT_FORMS", "NOT_COMPARED", "ExactForm"]

Domains = Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class ExactForm:
    """
    A function of numbers, and the same of numbers with many digits.

    Parameters
    ----------
    function : callable
        As the library computes it, of keyword arguments.
    exact : callable
        By position, in the order of the domains.
    domains : mapping of str to tuple of float
        Lowest and highest value of each argument.
    whole : frozenset of str
        Arguments that must be whole numbers.
    """

    function: Callable[..., Any]
    exact: Callable[..., Any]
    domains: Domains
    whole: frozenset[str] = frozenset()


STAGES: Domains = {f"demand_{number}_s": (1e-6, 1e-3) for number in (1, 2, 3)}
THINK: Domains = {"think_time_s": (0, 1)}
CONNECTIONS: Domains = {"connection_count": (1, 30)}
SERVERS: Domains = {"parallel_count": (1, 12)}
NETWORK: Domains = {**STAGES, **THINK, **CONNECTIONS}
COUNTED = frozenset({"connection_count"})


def of_stages(function: Callable[..., Any], **fixed: Any) -> Callable[..., Any]:
    """A function of one demand for each stage, of numbered demands."""

    def numbered(demand_1_s: Any, demand_2_s: Any, demand_3_s: Any, **more: Any) -> Any:
        return function([demand_1_s, demand_2_s, demand_3_s], **fixed, **more)

    return numbered


def rate_of(function: Callable[..., Any], **fixed: Any) -> Callable[..., Any]:
    """The rate of a closed network, of numbered demands."""
    network = of_stages(function, **fixed)
    return lambda **arguments: float(network(**arguments).transaction_rate_tps)


def end_of(function: Callable[..., Any], end: str, **fixed: Any) -> Callable[..., Any]:
    """One end of the bounds of a closed network, of numbered demands."""
    bounds = of_stages(function, **fixed)
    return lambda **arguments: getattr(bounds(**arguments), end)


def convolved(stages: Sequence[Sequence[Any]], count: int) -> list[Any]:
    """Sums over all states of networks with 0 to count transactions (Buzen 1973)."""
    total = [mpf(1)] + [mpf(0)] * count
    for terms in stages:
        total = [
            sum(total[n - here] * terms[here] for here in range(n + 1)) for n in range(count + 1)
        ]
    return total


def products(demand_s: Any, count: int, servers: int) -> list[Any]:
    """Weights of 0 to count transactions at a stage of several servers."""
    terms = [mpf(1)]
    for here in range(1, count + 1):
        terms.append(terms[-1] * demand_s / min(here, servers))
    return terms


def closed_rate(servers: Sequence[int]) -> Callable[..., Any]:
    """Rate of a closed network with a product form: G(N - 1) / G(N)."""

    def rate(first: Any, second: Any, third: Any, think_s: Any, count: Any) -> Any:
        n = int(count)
        stages = [
            products(demand, n, each)
            for demand, each in zip((first, second, third), servers, strict=True)
        ]
        thinking = [think_s**here / factorial(here) for here in range(n + 1)]
        sums = convolved([*stages, thinking], n)
        return sums[n - 1] / sums[n]

    return rate


def batched_rate(first: Any, second: Any, third: Any, think_s: Any, count: Any) -> Any:
    """The same where a stage shares half of its demand among all that are there."""
    n = int(count)
    terms = [mpf(1)]
    for here in range(1, n + 1):
        terms.append(terms[-1] * first / 2 * (1 + mpf(1) / here))
    thinking = [think_s**here / factorial(here) for here in range(n + 1)]
    sums = convolved([terms, products(second, n, 1), products(third, n, 1), thinking], n)
    return sums[n - 1] / sums[n]


def sharing_rate(**arguments: Any) -> float:
    first, second, third = (arguments.pop(name) for name in STAGES)
    network = concurrency.load_dependent_closed_network(
        [lambda present: first / 2 * (1 + 1 / present), second, third], **arguments
    )
    return float(network.transaction_rate_tps)


def schweitzer_rate(first: Any, second: Any, third: Any, think_s: Any, count: Any) -> Any:
    """Where queues that arrivals meet are (N - 1) / N of the mean ones; the sum rises with X."""
    demands = (first, second, third)
    met = (count - 1) / count

    def excess(rate: Any) -> Any:
        queues = (rate * demand / (1 - met * rate * demand) for demand in demands)
        return sum(queues) + rate * think_s - count

    low, high = mpf(0), min(count / (sum(demands) + think_s), 1 / max(demands))
    for _ in range(int(mp.prec)):
        middle = (low + high) / 2
        low, high = (low, middle) if excess(middle) > 0 else (middle, high)
    return high


def two_class_rate(
    first: Any, second: Any, third: Any, fourth: Any, think_s: Any, one: Any, other: Any
) -> Any:
    """Rate of the first of two classes at two stages, by sums over all states."""
    demands = ((first, third), (second, fourth))

    @cache
    def weight(stage: int, mine: int, theirs: int) -> Any:
        ways = comb(mine + theirs, mine)
        return ways * demands[0][stage] ** mine * demands[1][stage] ** theirs

    def total(mine: int, theirs: int) -> Any:
        return sum(
            weight(0, i, j)
            * weight(1, k, m)
            * think_s ** (mine - i - k + theirs - j - m)
            / (factorial(mine - i - k) * factorial(theirs - j - m))
            for i, j in product(range(mine + 1), range(theirs + 1))
            for k, m in product(range(mine - i + 1), range(theirs - j + 1))
        )

    n, m = int(one), int(other)
    return total(n - 1, m) / total(n, m)


def first_class_rate(**arguments: Any) -> float:
    a, b, c, d, think_s, one, other = arguments.values()
    network = concurrency.exact_multiclass_network([[a, c], [b, d]], [one, other], think_s)
    return float(network.transaction_rates_tps[0])


def erlang_b(load: Any, servers: Any) -> Any:
    terms = [load**n / factorial(n) for n in range(int(servers) + 1)]
    return terms[-1] / sum(terms)


def erlang_c(load: Any, servers: Any) -> Any:
    m = int(servers)
    waiting = load**m / factorial(m) * m / (m - load)
    return waiting / (sum(load**n / factorial(n) for n in range(m)) + waiting)


def repairman(demand_s: Any, count: Any, think_s: Any, servers: Any) -> Any:
    """Transactions in service over their demand, summed over all states."""
    n, m = int(count), int(servers)
    weights = [mpf(1)]
    for here in range(1, n + 1):
        weights.append(weights[-1] * (n - here + 1) * demand_s / min(here, m))
    powers = [weight * think_s ** (n - here) for here, weight in enumerate(weights)]
    busy = sum(min(here, m) * each for here, each in enumerate(powers))
    return busy / sum(powers) / demand_s


@cache
def mean_maximum(flows: int, queues: int) -> Fraction:
    """Mean of the largest number of balls in a cell, by counting all arrangements."""
    total = Fraction(0)
    for most in range(flows):
        # arrangements with at most that many in each cell, cell after cell
        ways = [1] + [0] * flows
        for _ in range(queues):
            ways = [
                sum(comb(n, here) * ways[n - here] for here in range(min(n, most) + 1))
                for n in range(flows + 1)
            ]
        total += 1 - Fraction(ways[flows], queues**flows)
    return total


def as_mpf(number: Fraction) -> Any:
    return mpf(number.numerator) / number.denominator


def normal_quantile(chance: Any) -> Any:
    return mp.sqrt(2) * mp.erfinv(2 * chance - 1)


def lognormal_peak(chance: Any, variation: Any) -> Any:
    variance = mp.log(1 + variation**2)
    return mp.exp(normal_quantile(chance) * mp.sqrt(variance) - variance / 2)


def soft_minimum(first: Any, second: Any, third: Any, sharpness: Any) -> Any:
    return sum(each**-sharpness for each in (first, second, third)) ** (-1 / sharpness)


def later_latency(first: Any, near_s: Any, second: Any, far_s: Any) -> Any:
    """Latency before, of (L + r) / (L0 + r) = 1 - e at two distances."""
    return (far_s * second - near_s * first) / (first - second)


def per_byte(payload: Any, time_s: Any, more: Any, longer_s: Any) -> Any:
    return min((longer_s - time_s) / (more - payload), time_s / payload)


LATENCIES: Domains = {
    "first_reduction_ratio": (0.4, 0.6),
    "first_round_trip_s": (1e-6, 1e-4),
    "second_reduction_ratio": (0.05, 0.1),
    "second_round_trip_s": (6e-4, 1e-3),
}
CENSORED: Domains = {
    "payload_bytes": (1, 1500),
    "frame_time_s": (1e-9, 1e-6),
    "censored_payload_bytes": (1501, 9000),
    "censored_frame_time_s": (1e-6, 1e-3),
}
HASHED: Domains = {"flow_count": (1, 24), "queue_count": (1, 16)}
LOAD: Domains = {"offered_load_erlang": (0, 12), **SERVERS}
LIMITS: Domains = {f"limit_{number}_bps": (1e6, 1e12) for number in (1, 2, 3)}
QUANTILE: Domains = {"quantile_ratio": (0.5, 0.9999), "variation_ratio": (0, 3)}


def asymptotic_time(first: Any, second: Any, third: Any, think_s: Any, count: Any) -> Any:
    demands = (first, second, third)
    return max(sum(demands), count * max(demands) - think_s)


def balanced_times(
    first: Any, second: Any, third: Any, think_s: Any, count: Any
) -> tuple[Any, Any]:
    """Zahorjan et al. (1982), for closed networks with think time."""
    demands = (first, second, third)
    total, most = sum(demands), max(demands)
    even = total + (count - 1) * total / 3 / (1 + think_s / total)
    low = max(asymptotic_time(*demands, think_s, count), even)
    return low, total + (count - 1) * most / (1 + think_s / (count * total))


def knee(first: Any, second: Any, third: Any, think_s: Any) -> Any:
    return (first + second + third + think_s) / max(first, second, third)


WHOLE_SERVERS = frozenset({"parallel_count"})

EXACT_FORMS: dict[str, ExactForm] = {
    "ceilings.frame_time_segment": ExactForm(
        lambda **arguments: ceilings.frame_time_segment(**arguments).most_per_byte.time_per_byte_s,
        per_byte,
        CENSORED,
    ),
    "ceilings.soft_minimum_rate_bps": ExactForm(
        lambda sharpness, **limits: ceilings.soft_minimum_rate_bps([*limits.values()], sharpness),
        soft_minimum,
        {**LIMITS, "sharpness": (0.5, 50)},
    ),
    "transport.endpoint_latencies": ExactForm(
        lambda **arguments: transport.endpoint_latencies(**arguments).baseline_latency_s,
        later_latency,
        LATENCIES,
    ),
    "concurrency.approximate_closed_network": ExactForm(
        rate_of(concurrency.approximate_closed_network), schweitzer_rate, NETWORK
    ),
    "concurrency.asymptotic_rate_bounds_tps": ExactForm(
        end_of(concurrency.asymptotic_rate_bounds_tps, "high"),
        lambda *of: of[4] / (asymptotic_time(*of) + of[3]),
        NETWORK,
    ),
    "concurrency.asymptotic_time_bounds_s": ExactForm(
        end_of(concurrency.asymptotic_time_bounds_s, "low"), asymptotic_time, NETWORK
    ),
    "concurrency.balanced_rate_bounds_tps": ExactForm(
        end_of(concurrency.balanced_rate_bounds_tps, "high"),
        lambda *of: of[4] / (balanced_times(*of)[0] + of[3]),
        NETWORK,
    ),
    "concurrency.balanced_time_bounds_s": ExactForm(
        end_of(concurrency.balanced_time_bounds_s, "high"),
        lambda *of: balanced_times(*of)[1],
        NETWORK,
    ),
    "concurrency.busiest_queue_flow_count": ExactForm(
        concurrency.busiest_queue_flow_count,
        lambda flows, queues: as_mpf(mean_maximum(int(flows), int(queues))),
        HASHED,
        frozenset(HASHED),
    ),
    "concurrency.closed_transaction_time_s": ExactForm(
        concurrency.closed_transaction_time_s,
        lambda count, rate, think_s: count / rate - think_s,
        {
            "connection_count": (1e3, 1e5),
            "transaction_rate_tps": (1, 1e4),
            "think_time_s": (0, 0.1),
        },
    ),
    "concurrency.erlang_b_blocking_ratio": ExactForm(
        concurrency.erlang_b_blocking_ratio, erlang_b, LOAD, WHOLE_SERVERS
    ),
    "concurrency.erlang_c_waiting_ratio": ExactForm(
        concurrency.erlang_c_waiting_ratio, erlang_c, LOAD, WHOLE_SERVERS
    ),
    "concurrency.exact_closed_network": ExactForm(
        rate_of(concurrency.exact_closed_network), closed_rate((1, 1, 1)), NETWORK, COUNTED
    ),
    "concurrency.exact_closed_network, several servers": ExactForm(
        rate_of(concurrency.exact_closed_network, parallel_counts=(1, 4, 16)),
        closed_rate((1, 4, 16)),
        NETWORK,
        COUNTED,
    ),
    "concurrency.exact_multiclass_network": ExactForm(
        first_class_rate,
        two_class_rate,
        {
            **{f"demand_{number}_s": (1e-6, 1e-3) for number in (1, 2, 3, 4)},
            **THINK,
            "connection_count_1": (1, 4),
            "connection_count_2": (0, 4),
        },
        frozenset({"connection_count_1", "connection_count_2"}),
    ),
    "concurrency.knee_connection_count": ExactForm(
        of_stages(concurrency.knee_connection_count), knee, {**STAGES, **THINK}
    ),
    "concurrency.load_dependent_closed_network": ExactForm(
        sharing_rate, batched_rate, NETWORK, COUNTED
    ),
    "concurrency.mm1_place_count": ExactForm(
        concurrency.mm1_place_count,
        # a whole number is not exceeded by what the rounding of floats adds
        lambda load, overflow: mp.ceil(mp.log(overflow) / mp.log(load) * (1 - mpf(10) ** -12)),
        {"utilisation_ratio": (0.01, 0.999), "overflow_ratio": (1e-12, 0.5)},
    ),
    "concurrency.mm1k_loss_ratio": ExactForm(
        concurrency.mm1k_loss_ratio,
        lambda load, places: load ** int(places) / sum(load**n for n in range(int(places) + 1)),
        {"offered_load_erlang": (0, 12), "place_count": (1, 40)},
        frozenset({"place_count"}),
    ),
    "concurrency.mmc_waiting_time_s": ExactForm(
        concurrency.mmc_waiting_time_s,
        lambda rate, time_s, servers: (
            erlang_c(rate * time_s, servers) * time_s / (int(servers) - rate * time_s)
        ),
        {"arrival_rate_tps": (0, 900), "service_time_s": (0, 1e-2), **SERVERS},
        WHOLE_SERVERS,
    ),
    "concurrency.saturation_rate_tps": ExactForm(
        of_stages(concurrency.saturation_rate_tps), lambda *demands: 1 / max(demands), STAGES
    ),
    "concurrency.single_stage_rate_tps": ExactForm(
        concurrency.single_stage_rate_tps,
        repairman,
        {"demand_s": (1e-6, 1e-3), **CONNECTIONS, **THINK, **SERVERS},
        frozenset({"connection_count", "parallel_count"}),
    ),
    "concurrency.usable_capacity_ratio": ExactForm(
        concurrency.usable_capacity_ratio,
        lambda flows, queues: as_mpf(
            Fraction(int(flows), int(queues)) / mean_maximum(int(flows), int(queues))
        ),
        HASHED,
        frozenset(HASHED),
    ),
    "sizing.lognormal_peak_ratio": ExactForm(sizing.lognormal_peak_ratio, lognormal_peak, QUANTILE),
    "sizing.normal_peak_ratio": ExactForm(
        sizing.normal_peak_ratio,
        lambda chance, variation: 1 + normal_quantile(chance) * variation,
        QUANTILE,
    ),
}
"""By dotted name; of results with several quantities, the one with the longest computation."""

NOT_COMPARED = {
    "approximate_multiclass_network": "a fixed point, stopped where it settles",
    "best_mix": "a linear program, checked by the bound of its dual",
    "ceiling_columns": "columns of formulas that are compared themselves",
    "consumption_change": "a word, not a number",
    "general_service_closed_network": "an approximation, recursion and cap of its own",
    "line_ceiling": "fields of formulas that are compared themselves",
    "max_window_bytes": "whole numbers, exact",
    "mix_scale": "a linear program, checked by the bound of its dual",
    "pcie_raw_rate_bps": "a product of table entries",
    "pcie_tlp_ceiling_bps": "a product of table entries",
    "pcie_tlp_rate_bps": "a product of table entries",
    "rdma_throughput": "the smallest of limits that are compared themselves",
    "tcp_throughput": "the smallest of limits that are compared themselves",
}
"""Functions of quantities left out, and why."""
