"""A rate that is expected of a path, and what follows from it by Little's law."""

from dataclasses import dataclass, field

from netmodel.estimates import Predicted
from netmodel.numeric import FloatOrArray, maximum, minimum
from netmodel.path._traffic import Traffic
from netmodel.results import Result
from netmodel.units import BITS_PER_BYTE

ASSUMPTION = "service times are exponential"
"""What expected values rest on, beside what the bounds do."""


@dataclass(frozen=True)
class Expected(Result):
    """
    Expected value of a transaction rate, and what follows from it.

    Parameters
    ----------
    transaction_rate_tps : Predicted
        Mean rate of all connections; its ends are with the longest and the shortest
        service times that the parameters leave open. [1/s]
    throughput_bps : Predicted
        Payload rate of the side that sends more. [bit/s]
    transaction_time_s : Predicted
        Mean time from a request to its response, without the think time. [s]
    stage_transaction_counts : dict of str to float or numpy.ndarray
        Mean transactions that wait or are served, by stage, pool or limit; they and those
        of connections that think add up to the connections.
    use_ratios : dict of str to float or numpy.ndarray
        Share of the servers of each stage and pool that is busy.
    approximations : tuple of str
        Why the value is not exact under its assumption; none where it is.
    assumption : str
        What the value rests on, beside what the bounds do.
    service_variation_ratios : dict of str to float or numpy.ndarray
        Coefficients of variation of service times that are not exponential, by stage or pool.
    """

    transaction_rate_tps: Predicted
    throughput_bps: Predicted
    transaction_time_s: Predicted
    stage_transaction_counts: dict[str, FloatOrArray]
    use_ratios: dict[str, FloatOrArray]
    approximations: tuple[str, ...]
    assumption: str = ASSUMPTION
    service_variation_ratios: dict[str, FloatOrArray] = field(default_factory=dict)

    json_keys = (
        "transaction_rate_tps throughput_bps transaction_time_s stage_transaction_counts "
        "use_ratios service_variation_ratios is_exact assumption approximations"
    )

    @property
    def is_exact(self) -> bool:
        """Whether the value is exact under its assumption, and not an approximation."""
        return not self.approximations


def expected_of_rate(
    rate_tps: Predicted, upper_tps: Predicted, traffic: Traffic, assumption: str, why: str
) -> Expected:
    """
    Return the expected value of a rate that is known as a whole, by Little's law.

    Parameters
    ----------
    rate_tps : Predicted
        Of all connections together. [1/s]
    upper_tps : Predicted
        Upper bound of it, which the value does not exceed. [1/s]
    traffic : Traffic
        With a number of connections.
    assumption, why : str
        What the value rests on, and why it is not exact.
    """
    count = traffic.connection_count
    assert count is not None
    value = minimum(rate_tps.value, upper_tps.value)
    high = maximum(minimum(rate_tps.high, upper_tps.high), value)
    rate = Predicted(value, minimum(rate_tps.low, value), high)
    time_s, least_s, most_s = (
        count / each - traffic.think_time_s for each in (rate.value, rate.high, rate.low)
    )
    return Expected(
        transaction_rate_tps=rate,
        throughput_bps=rate.scaled(BITS_PER_BYTE * traffic.payload_bytes),
        transaction_time_s=Predicted(time_s, least_s, most_s),
        stage_transaction_counts={},
        use_ratios={},
        approximations=(why,),
        assumption=assumption,
    )
