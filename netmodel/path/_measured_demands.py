"""Demands of a whole path that were fitted to measured series over connections."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from netmodel._estimates import LEVEL_RATIO, Predicted
from netmodel._numeric import FloatOrArray, maximum, minimum, where
from netmodel._numpy import np
from netmodel._text import span_text
from netmodel.path._by_connections import neighbours, share_between
from netmodel.path._expected import Expected
from netmodel.path._traffic import Traffic
from netmodel.units import BITS_PER_BYTE

MEASURED_ASSUMPTION = "the path behaves as in its measured series"
"""What an expected value rests on where not all service times of the path are known."""


@dataclass(frozen=True, slots=True)
class AmortisedDemand:
    r"""
    Time that the bottleneck of a path takes of a transaction or byte, by connections.

    Parameters
    ----------
    least_s : float
        Part that each of a batch takes, however large the batch. [s]
    shared_s : float
        Part that a batch takes once: all of it with one connection. [s]
    growing_s : float
        What each connection adds. [s]
    batching_count : float, optional
        Connections that double a batch; None where a batch is as large as the root of the
        connections.

    Notes
    -----
    .. math:: D(N) = d + \frac{w}{b(N)} + g N, \quad b(N) = \sqrt N \text{ or } 1 + N / n_0

    Examples
    --------
    >>> AmortisedDemand(10e-6, 90e-6).at(9)
    4e-05
    """

    least_s: float
    shared_s: float = 0.0
    growing_s: float = 0.0
    batching_count: float | None = None

    def at(self, connection_count: FloatOrArray) -> FloatOrArray:
        """The time with this number of connections. [s]"""
        batch = (
            connection_count**0.5
            if self.batching_count is None
            else 1 + connection_count / self.batching_count
        )
        return self.least_s + self.shared_s / batch + self.growing_s * connection_count


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredDemands:
    r"""
    Demands of a path fitted to one measured series of requests or streams over connections.

    Parameters
    ----------
    waits : bool
        Whether of requests, in batches; else of streams, pipelined.
    mtu_bytes : int
        Largest innermost packet in the series. [byte]
    request_bytes, response_bytes : float
        Payload of each message. Of a stream the larger one says its direction. [byte]
    connection_counts : tuple of int
        The fewest and the most connections of the series.
    alone_s : float
        Of requests the delay of a transaction, which nothing shares; of streams what one
        connection takes of each byte. [s]
    bottleneck : AmortisedDemand
        Demand of a transaction, or of each byte of a stream, where all connections meet.
    error_ratio, outside_error_ratio : float
        Half-width of an interval of 95 %, from left-out figures within and at the ends of
        series, as a ratio.

    Notes
    -----
    Requests move in one batch: each waits for the bottleneck to serve all of it,

    .. math:: R(N) = Z + N\,D(N)

    Streams are pipelined, and the knee between both limits is sharp:

    .. math:: X(N) = \min(N / t_1,\; 1 / D(N))

    Examples
    --------
    >>> demands = MeasuredDemands(
    ...     waits=True,
    ...     mtu_bytes=1492,
    ...     request_bytes=200,
    ...     response_bytes=1000,
    ...     connection_counts=(1, 50),
    ...     alone_s=300e-6,
    ...     bottleneck=AmortisedDemand(10e-6, 90e-6),
    ...     error_ratio=0.05,
    ...     outside_error_ratio=0.1,
    ... )
    >>> round(demands.rate_tps(1, 1000))
    2500
    """

    waits: bool
    mtu_bytes: int
    request_bytes: float
    response_bytes: float
    connection_counts: tuple[int, int]
    alone_s: float
    bottleneck: AmortisedDemand
    error_ratio: float
    outside_error_ratio: float

    @property
    def reversed(self) -> "MeasuredDemands":
        """The same with client and server exchanged."""
        return replace(self, request_bytes=self.response_bytes, response_bytes=self.request_bytes)

    def rate_tps(self, connection_count: FloatOrArray, payload_bytes: FloatOrArray) -> FloatOrArray:
        """Transaction rate of all connections, each transaction with this payload. [1/s]"""
        demand_s = self.bottleneck.at(connection_count)
        if self.waits:
            return connection_count / (self.alone_s + connection_count * demand_s)
        return minimum(connection_count / self.alone_s, 1 / demand_s) / payload_bytes

    def suits(self, traffic: Traffic) -> bool:
        """Whether the traffic is what the series measured."""
        if self.waits != traffic.waits or np.any(np.asarray(traffic.think_time_s) != 0):
            return False
        if self.waits:
            is_request = np.asarray(traffic.request_bytes == self.request_bytes)
            return bool(np.all(is_request & (traffic.response_bytes == self.response_bytes)))
        # the side that sends more
        to_client = np.asarray(traffic.response_bytes > traffic.request_bytes)
        return bool(np.all(to_client == (self.response_bytes > self.request_bytes)))

    @property
    def messages_text(self) -> str:
        """What the series measured, in words."""
        if not self.waits:
            return f"streams to the {'client' if self.response_bytes else 'server'}"
        return f"requests of {self.request_bytes:,.0f} B answered with {self.response_bytes:,.0f} B"


def suitable(measured: Sequence[MeasuredDemands], traffic: Traffic) -> list[MeasuredDemands]:
    """Those of this kind of traffic, by rising MTU."""
    return sorted(
        (each for each in measured if each.suits(traffic)), key=lambda each: each.mtu_bytes
    )


def measured_value(
    measured: Sequence[MeasuredDemands],
    traffic: Traffic,
    mtu_bytes: FloatOrArray,
    upper_tps: Predicted,
) -> Expected:
    """
    Expected value from demands fitted to measured series.

    Parameters
    ----------
    measured : sequence of MeasuredDemands
        What `suitable` returns, at least one.
    traffic : Traffic
        With a number of connections.
    mtu_bytes : float or numpy.ndarray
        Largest innermost packet. [byte]
    upper_tps : Predicted
        Upper bound of the rate, which the value does not exceed. [1/s]

    Returns
    -------
    expected : Expected
        Between two MTUs on the line between the logarithms of both rates; beyond them as
        at the nearest.
    """
    count = traffic.connection_count
    assert count is not None
    # (1) rate and error at each MTU that was measured
    rates = [each.rate_tps(count, traffic.payload_bytes) for each in measured]
    errors = [
        where(
            (count >= each.connection_counts[0]) & (count <= each.connection_counts[1]),
            each.error_ratio,
            each.outside_error_ratio,
        )
        for each in measured
    ]
    # (2) between two of them
    mtus = [each.mtu_bytes for each in measured]
    lower, upper = neighbours(mtus, mtu_bytes)
    share = share_between(mtus, mtu_bytes, lower, upper)

    def between(values: Sequence[FloatOrArray]) -> FloatOrArray:
        table = [np.asarray(value, float) for value in values]
        shape = np.broadcast_shapes(*(each.shape for each in table), np.shape(mtu_bytes))
        logs = np.log(np.stack([np.broadcast_to(each, shape) for each in table]))
        low, high = (
            np.take_along_axis(logs, np.broadcast_to(place, shape)[None], axis=0)[0]
            for place in (lower, upper)
        )
        result = np.exp(low + share * (high - low))
        return result if np.ndim(result) else float(result)

    error = between(errors)
    rate_tps = minimum(between(rates), upper_tps.value)
    rate = Predicted(
        rate_tps,
        rate_tps / (1 + error),
        maximum(minimum(rate_tps * (1 + error), upper_tps.high), rate_tps),
    )
    # (3) Little's law
    value, low, high = (count / each for each in (rate.value, rate.high, rate.low))
    return Expected(
        transaction_rate_tps=rate,
        throughput_bps=rate.scaled(BITS_PER_BYTE * traffic.payload_bytes),
        transaction_time_s=Predicted(value, low, high),
        stage_transaction_counts={},
        use_ratios={},
        approximations=(
            "requests move in batches" if traffic.waits else "streams have a sharp knee",
        ),
        assumption=MEASURED_ASSUMPTION,
        level_ratio=LEVEL_RATIO,
    )


def measured_notes(
    measured: Sequence[MeasuredDemands], traffic: Traffic, mtu_bytes: FloatOrArray
) -> Iterator[str]:
    """What a reader should know of the expected value."""
    counts = np.asarray(traffic.connection_count, float)
    fewest = max(each.connection_counts[0] for each in measured)
    most = min(each.connection_counts[1] for each in measured)
    if np.any((counts < fewest) | (counts > most)):
        yield f"extrapolation: expected value fitted to {fewest} to {most} connections"
    mtus = [each.mtu_bytes for each in measured]
    asked = np.asarray(mtu_bytes)
    if np.any((asked < mtus[0]) | (asked > mtus[-1])):
        text = span_text(f"{mtus[0]}", f"{mtus[-1]}") if len(mtus) > 1 else f"{mtus[0]}"
        yield f"extrapolation: expected value fitted at MTU {text}; the nearest holds"
    elif not np.all(np.isin(asked, mtus)):
        yield f"expected value interpolated between MTU {mtus[0]} and {mtus[-1]}"
