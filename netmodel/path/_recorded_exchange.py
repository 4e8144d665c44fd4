"""What a record of receive packet steering (RPS) says of a number of connections."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from netmodel._estimates import LEVEL_DEVIATIONS, LEVEL_RATIO, Estimate
from netmodel._numeric import Floats
from netmodel._numpy import np
from netmodel.path._steered_exchange import ExchangeShares, SteeredExchange, steered_exchange

if TYPE_CHECKING:
    from netmodel.records._steering import SteeringRecord


def recorded_exchange(
    record: "SteeringRecord",
    adapter: str,
    connection_counts: Sequence[int],
    cpu_count: int | None = None,
    steered_count: int | None = None,
) -> SteeredExchange:
    """
    Transactions of the samples of a record, by number of connections and sample.

    Parameters
    ----------
    record : SteeringRecord
        Calibrated from runs with and without RPS.
    adapter : str
        Id of one of its adapters.
    connection_counts : sequence of int
        Connections, each with one transaction at a time.
    cpu_count : int, optional
        CPUs of each host; those of the measured hosts when left out.
    steered_count : int, optional
        CPUs that RPS steers to; all of a host when left out.
    """
    samples = np.array(record.samples[adapter], dtype=float).T
    shares = ExchangeShares(**dict(zip(record.columns, samples[:, None], strict=True)))
    counts = np.array(connection_counts, dtype=float)[:, None]
    host_count = record.cpu_count if cpu_count is None else cpu_count
    return steered_exchange(shares, counts, record.queue_counts[adapter], host_count, steered_count)


def spread(samples: Floats) -> Estimate:
    """The best fit, which comes first, and the ends of 95 % of the samples."""
    tail = (1 - LEVEL_RATIO) / 2
    low, high = (
        float(np.quantile(samples, share, method="inverted_cdf")) for share in (tail, 1 - tail)
    )
    best = float(samples[0])
    return Estimate(best, min(low, best), max(high, best))


def of_run(expected: Estimate, scatter_ratio: float) -> Estimate:
    """Interval of one run around an expected value, of which the scatter of runs is independent."""
    run = LEVEL_DEVIATIONS * scatter_ratio
    below = np.hypot(expected.value - expected.low, run)
    above = np.hypot(expected.high - expected.value, run)
    return Estimate(expected.value, float(expected.value - below), float(expected.value + above))
