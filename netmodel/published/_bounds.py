"""What line and adapters allow by physics, and what lies between printed numbers of connections."""

import math
from collections.abc import Callable
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias

from netmodel.errors import NetmodelError
from netmodel.published._rows import Case

Ceiling: TypeAlias = Callable[[Case], float | None]
"""Physical upper bound of the throughput of a case [Gbit/s]; None where it has none."""
Point: TypeAlias = tuple[float, float]
"""A number of connections, and the printed figure there."""

GBPS_OF_UNIT = MappingProxyType({"Gbit/s": 1.0, "MB/s": 8 * 2**20 / 1e9})
"""Throughput units as printed; MB is read as 2**20 byte, as flat rates at line speed show."""
RATES = frozenset({"transaction_rate", "throughput"})
_BATCHED = 0.8
"""Exponent of the time of a round of requests over connections, which are handled in batches: of
0.5 to 1.0 the one with the least error on inner points of the measured series that are left out."""
_ABOVE_NEXT = 1.01
"""A rate between two connections exceeds the greater neighbour by at most 1 %: runs scatter so."""
_DEFAULT_MTU_BYTES = 1500
"""IP MTU of Ethernet (IEEE 802.3), where the case names none."""


def line_and_adapters_gbps(case: Case) -> float | None:
    """Return the throughput that line and adapters of a case allow; None where it names none."""
    return min(limits_gbps(case), default=None)


def limits_gbps(case: Case) -> tuple[float, ...]:
    """Return the throughput that the line of a case carries, then those of its adapters."""
    if "path" in case or case.get("protocol", "tcp") != "tcp":
        return ()
    named = (case.get("client"), case.get("server"), case.get("workload"))
    mtu_bytes = int(case.get("mtu", _DEFAULT_MTU_BYTES))
    return _limits(*map(str, named), mtu_bytes) if all(named) else ()


@lru_cache
def _limits(client: str, server: str, name: str, mtu_bytes: int) -> tuple[float, ...]:
    """Return the limits of line, sending and receiving adapter in the direction of the payload."""
    from netmodel.ceilings import MessageCeiling, line_ceiling, stage_payload_rate_bps
    from netmodel.records import adapter, workload

    try:
        ends = {"client": adapter(client), "server": adapter(server)}
        work = workload(name)
        line = line_ceiling(min(each.line_rate_bps for each in ends.values()), mtu_bytes)
        rate_bps, message_bytes, frame_count = line.payload_rate_bps, line.payload_bytes, 1
        if not work.is_stream:
            message_bytes = max(work.request_bytes, work.response_bytes)
            message = MessageCeiling(line.line_rate_bps, mtu_bytes, line.stack, int(message_bytes))
            rate_bps, frame_count = message.payload_rate_bps, message.frame_count
        sender = work.sender.value
    except NetmodelError:  # an unknown id, or a workload without a size: no bound by physics
        return ()
    limits_bps = [rate_bps]
    for times in (ends.pop(sender).out, ends.popitem()[1].in_):
        points = () if times is None else times.points[: times.quoted_count]
        demands_s = [
            frame_count * point.per_frame.time_s + message_bytes * point.per_byte.time_s
            for point in points
            if point.per_frame is not None and point.per_byte is not None
        ]
        if demands_s and min(demands_s) > 0:
            limits_bps.append(stage_payload_rate_bps(message_bytes, min(demands_s)))
    return tuple(limit_bps / 1e9 for limit_bps in limits_bps)


def between(quantity: str, count: float, below: Point, above: Point) -> tuple[float, float, float]:
    """
    Return a figure between two printed ones, and the lowest and highest that curves leave open.

    Of requests N/X, the time of a round, is a straight line in N**0.8. Each stream keeps its rate
    until the next row is reached. CPU times are a straight line in logarithms. Rates lie above
    that line, because curves are concave, and no connection gets faster by others.
    """
    (x1, y1), (x2, y2) = below, above
    share = math.log(count / x1) / math.log(x2 / x1)
    in_logarithms = math.exp((1 - share) * math.log(y1) + share * math.log(y2))
    if quantity not in RATES:
        return in_logarithms, min(y1, y2), max(y1, y2)
    if quantity == "transaction_rate":
        share = (count**_BATCHED - x1**_BATCHED) / (x2**_BATCHED - x1**_BATCHED)
        value = count / ((1 - share) * x1 / y1 + share * x2 / y2)
    else:
        share = (count - x1) / (x2 - x1)
        value = min(y1 * count / x1, y2 if y2 >= y1 else 1 / ((1 - share) / y1 + share / y2))
    return value, in_logarithms, min(y1 * count / x1, _ABOVE_NEXT * max(y1, y2))
