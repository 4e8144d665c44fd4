"""Stages that stand for a whole path, with demands fitted to measured series over connections."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from netmodel._estimates import LEVEL_RATIO, Predicted
from netmodel._numeric import FloatOrArray, maximum, minimum, where
from netmodel._numpy import np
from netmodel._text import span_text
from netmodel.path._by_connections import TimeByConnections, neighbours, share_between
from netmodel.path._path import DIRECTIONS, Path, Stage
from netmodel.path._traffic import Load, Traffic, sum_of
from netmodel.path._uncertain import quoted_of
from netmodel.units import BITS_PER_BYTE

if TYPE_CHECKING:
    from netmodel.path._expected import Expected

MEASURED_ASSUMPTION = "the path behaves as in its measured series"
"""What an expected value rests on where stages stand for the whole path."""


class Waiting(Enum):
    """
    How requests of several connections meet at the stages that they share.

    Notes
    -----
    With the delays :math:`Z`, the demand of each shared stage :math:`D_k(N)` and
    :math:`D = \\sum_k D_k`:

    - ``BATCH``: connections move as one batch, and each waits for all of it,
      :math:`R = Z + N D(N)`.
    - ``STEADY``: requests of different connections never meet but at the bottleneck,
      :math:`R = \\max(Z + D,\\; N \\max_k D_k)`.
    - ``RANDOM``: mean value analysis with exponential service times.

    Streams do not wait: :math:`X = \\min(N / t_1,\\; 1 / \\max_k D_k(N))` of the bytes, with
    :math:`t_1` the time of a byte at the stages of each connection.
    """

    BATCH = "batch"
    STEADY = "steady"
    RANDOM = "random"


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedTo:
    """
    A measured series that demands were fitted to.

    Parameters
    ----------
    waits : bool
        Whether it is of requests; else of streams.
    request_bytes, response_bytes : float
        Payload of each message. Of a stream the larger one says its direction. [byte]
    connection_counts : tuple of int
        The fewest and the most connections of the series.
    error_ratio, outside_error_ratio : float
        Half-width of an interval of 95 %, within the series and beyond it, as a ratio.
    """

    waits: bool
    request_bytes: float
    response_bytes: float
    connection_counts: tuple[int, int]
    error_ratio: float
    outside_error_ratio: float

    def suits(self, traffic: Traffic) -> bool:
        """Whether it is of the same kind and direction of traffic."""
        if self.waits != traffic.waits:
            return False
        # the side that sends more: times of bytes in the other direction are not known
        to_client = np.asarray(traffic.response_bytes > traffic.request_bytes)
        return bool(np.all(to_client == (self.response_bytes > self.request_bytes)))

    def has_sizes_of(self, traffic: Traffic) -> bool:
        """Whether its messages are those of the traffic; of streams all are."""
        is_same = np.asarray(traffic.request_bytes == self.request_bytes)
        is_same = is_same & (traffic.response_bytes == self.response_bytes)
        return not self.waits or bool(np.all(is_same))

    @property
    def reversed(self) -> "FittedTo":
        """The same with client and server exchanged."""
        return replace(self, request_bytes=self.response_bytes, response_bytes=self.request_bytes)

    @property
    def text(self) -> str:
        """What was measured, in words."""
        if not self.waits:
            side = "client" if self.response_bytes > self.request_bytes else "server"
            return f"streams to the {side}"
        return f"requests of {self.request_bytes:,.0f} B answered with {self.response_bytes:,.0f} B"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredDemands:
    """
    Stages that stand for a whole path at one MTU, and how connections wait at them.

    They give expected values only; bounds come from the other stages of the path.

    Parameters
    ----------
    mtu_bytes : int
        Largest innermost packet of the series. [byte]
    stages : tuple of Stage
        Delays, stages of each connection (serial), and shared ones, whose times may depend on
        the number of connections.
    waiting : Waiting
        How requests meet at the shared ones.
    fitted_to : tuple of FittedTo
        The series.
    level_ratio : float, optional
        Confidence that the errors of the series hold one new figure; None where they are what
        published figures leave open.
    assumption : str
        What an expected value from them rests on.

    Examples
    --------
    >>> from netmodel.path import Stage, Times
    >>> from netmodel.path._by_connections import amortised
    >>> shared = Stage(name="shared", to_server=Times(per_message_s=amortised(10e-6, 90e-6)))
    >>> MeasuredDemands(mtu_bytes=1500, stages=(shared,)).waiting.value
    'batch'
    """

    mtu_bytes: int
    stages: tuple[Stage, ...]
    waiting: Waiting = Waiting.BATCH
    fitted_to: tuple[FittedTo, ...] = ()
    level_ratio: float | None = LEVEL_RATIO
    assumption: str = MEASURED_ASSUMPTION

    @property
    def reversed(self) -> "MeasuredDemands":
        """The same with client and server exchanged."""
        return replace(
            self,
            stages=tuple(stage.reversed for stage in reversed(self.stages)),
            fitted_to=tuple(each.reversed for each in self.fitted_to),
        )

    def series_of(self, traffic: Traffic) -> FittedTo | None:
        """The series of this kind of traffic, that with the same messages first."""
        suiting = [each for each in self.fitted_to if each.suits(traffic)]
        suiting.sort(key=lambda each: not each.has_sizes_of(traffic))
        return suiting[0] if suiting else None

    def rate_tps(self, load: Load) -> FloatOrArray:
        """Transaction rate of all connections together. [1/s]"""
        traffic = load.traffic
        count = traffic.connection_count
        assert count is not None
        # messages of a stream follow each other without a pause: only their bytes count; what
        # each connection adds to these is of streams, which all send at the same time
        change = _without_growth if traffic.waits else _without_messages
        path = Path(stages=tuple(map(change, self.stages))).at(count)
        demands_s = {stage.name: sum_of(load.demand(stage, quoted_of)) for stage in path.stages}
        shared = [demands_s[stage.name] for stage in path.stages if not stage.is_delay]
        own_s = sum(demands_s[stage.name] for stage in path.stages if stage.is_delay)
        longest_s = _largest(shared)
        if not traffic.waits:
            with np.errstate(divide="ignore"):
                fastest_tps: FloatOrArray = np.reciprocal(longest_s)
                return minimum(count / own_s, fastest_tps)
        apart_s = own_s + traffic.think_time_s
        if self.waiting is Waiting.BATCH:
            return count / (apart_s + count * sum(shared))
        if self.waiting is Waiting.STEADY:
            return count / maximum(apart_s + sum(shared), count * longest_s)
        from netmodel.path._expected import expected_value

        works_s = {stage.name: load.time_of([stage]) for stage in path.stages}
        return expected_value(path, load, works_s, {}).transaction_rate_tps.value


def suitable(measured: Sequence[MeasuredDemands], traffic: Traffic) -> list[MeasuredDemands]:
    """Those fitted to this kind of traffic, by rising MTU."""
    suiting = (each for each in measured if each.series_of(traffic) is not None)
    return sorted(suiting, key=lambda each: each.mtu_bytes)


def measured_value(
    measured: Sequence[MeasuredDemands],
    load: Load,
    mtu_bytes: FloatOrArray,
    upper_tps: Predicted,
) -> "Expected":
    """
    Expected value from stages that stand for the whole path.

    Parameters
    ----------
    measured : sequence of MeasuredDemands
        What `suitable` returns, at least one.
    load : Load
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
    traffic = load.traffic
    count = traffic.connection_count
    assert count is not None
    # (1) rate and error at each MTU that was measured
    rates = [each.rate_tps(load) for each in measured]
    errors = []
    for each in measured:
        series = each.series_of(traffic)
        assert series is not None
        fewest, most = series.connection_counts
        is_inside = (np.asarray(count) >= fewest) & (np.asarray(count) <= most)
        is_inside = is_inside & series.has_sizes_of(traffic)
        errors.append(where(is_inside, series.error_ratio, series.outside_error_ratio))
    # (2) between two of them
    between = _between([each.mtu_bytes for each in measured], mtu_bytes)
    error = between(errors)
    rate_tps = minimum(between(rates), upper_tps.value)
    rate = Predicted(
        rate_tps,
        rate_tps / (1 + error),
        maximum(minimum(rate_tps * (1 + error), upper_tps.high), rate_tps),
    )
    from netmodel.path._expected import Expected

    # (3) Little's law
    value, low, high = (
        count / each - traffic.think_time_s for each in (rate.value, rate.high, rate.low)
    )
    return Expected(
        transaction_rate_tps=rate,
        throughput_bps=rate.scaled(BITS_PER_BYTE * traffic.payload_bytes),
        transaction_time_s=Predicted(value, low, high),
        stage_transaction_counts={},
        use_ratios={},
        approximations=(
            " and ".join(dict.fromkeys(_WAITING_TEXTS[each.waiting] for each in measured))
            if traffic.waits
            else "streams have a sharp knee",
        ),
        assumption=measured[0].assumption,
        level_ratio=measured[0].level_ratio,
    )


_WAITING_TEXTS = {
    Waiting.BATCH: "requests move in batches",
    Waiting.STEADY: "requests meet at the bottleneck alone",
    Waiting.RANDOM: "requests queue at random",
}


def _without_messages(stage: Stage) -> Stage:
    to_server, to_client = (replace(getattr(stage, name), per_message_s=0) for name in DIRECTIONS)
    return replace(stage, to_server=to_server, to_client=to_client)


def _without_growth(stage: Stage) -> Stage:
    to_server, to_client = (
        replace(times, per_byte_s=replace(times.per_byte_s, growing_s=0.0))
        if isinstance(times.per_byte_s, TimeByConnections)
        else times
        for times in (stage.to_server, stage.to_client)
    )
    return replace(stage, to_server=to_server, to_client=to_client)


def _largest(demands_s: Sequence[FloatOrArray]) -> FloatOrArray:
    result: FloatOrArray = 0.0
    for demand_s in demands_s:
        result = maximum(result, demand_s)
    return result


def _between(
    mtus: Sequence[int], mtu_bytes: FloatOrArray
) -> Callable[[Sequence[FloatOrArray]], FloatOrArray]:
    """From values at each MTU to those at others, on lines between logarithms of both."""
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

    return between


def measured_notes(
    measured: Sequence[MeasuredDemands], traffic: Traffic, mtu_bytes: FloatOrArray
) -> Iterator[str]:
    """What a reader should know of the expected value."""
    series = [found for each in measured if (found := each.series_of(traffic)) is not None]
    counts = np.asarray(traffic.connection_count, float)
    fewest = max(each.connection_counts[0] for each in series)
    most = min(each.connection_counts[1] for each in series)
    if np.any((counts < fewest) | (counts > most)):
        yield f"extrapolation: expected value fitted to {fewest} to {most} connections"
    if not any(each.has_sizes_of(traffic) for each in series):
        yield f"extrapolation: expected value fitted to {series[0].text}"
    mtus = [each.mtu_bytes for each in measured]
    asked = np.asarray(mtu_bytes)
    if np.any((asked < mtus[0]) | (asked > mtus[-1])):
        text = span_text(f"{mtus[0]}", f"{mtus[-1]}") if len(mtus) > 1 else f"{mtus[0]}"
        yield f"extrapolation: expected value fitted at MTU {text}; the nearest holds"
    elif not np.all(np.isin(asked, mtus)):
        yield f"expected value interpolated between MTU {mtus[0]} and {mtus[-1]}"
