"""Arguments that functions of connections at stages share, checked."""

from collections.abc import Sequence
from typing import Any, cast

from netmodel.errors import DomainError
from netmodel.lazy_numpy import np
from netmodel.numeric import (
    Floats,
    Number,
    Q,
    is_symbol,
    require_above,
    require_at_least,
    require_at_most,
)

_MAX_CONNECTION_COUNT = 1_000_000
"""Beyond it the recursion over the connections takes more than about 3 s, and the approximation
loses more than 6 of the 16 digits of a float: a full stage is free for 1 / N of the time."""


def _inputs(
    demands_s: Sequence[Q | Number],
    connection_count: Q | Number,
    think_time_s: Q | Number,
    parallel_counts: Sequence[Q | Number] | Q | Number,
) -> tuple[Floats, Floats, Floats, Floats]:
    """Demands and servers with the stages on the first axis, think time and connections."""
    demands: list[Q]
    servers: list[Q]
    demands, servers = _demands_and_servers(demands_s, parallel_counts)
    think_s, count = _think(think_time_s), _connections(connection_count)
    require_at_most("connection_count", connection_count, _MAX_CONNECTION_COUNT, "")
    if any(map(is_symbol, (*demands, *servers, think_s, count))):
        raise DomainError("arguments of a closed network must not be symbols")
    each = np.broadcast_arrays(*(np.asarray(value, dtype=float) for value in (*demands, *servers)))
    stages = len(demands)
    return (
        np.stack(each[:stages]),
        np.asarray(think_s, dtype=float),
        np.asarray(count, dtype=float),
        np.stack(each[stages:]),
    )


def _demands_and_servers(
    demands_s: Sequence[Q | Number], parallel_counts: Sequence[Q | Number] | Q | Number
) -> tuple[list[Q], list[Q]]:
    """Demand of each stage, and how many it serves at a time."""
    given = _listed(demands_s)
    if not given:
        raise DomainError(f"demands_s must hold one demand for each stage; got {demands_s!r}")
    demands = [
        require_at_least(f"demands_s[{stage}]", demand, 0, "s")
        for stage, demand in enumerate(given)
    ]
    counts = _for_each_stage("parallel_counts", parallel_counts, len(demands), at_least=1)
    require_above("sum of demands_s", sum(demands), 0, "s")
    return demands, counts


def _for_each_stage(
    name: str, values: Sequence[Q | Number] | Q | Number, stage_count: int, at_least: int
) -> list[Q]:
    """One value for each stage; one number counts for all."""
    entries = _listed(values)
    if entries is None:
        return [require_at_least(name, cast("Number", values), at_least, "")] * stage_count
    if len(entries) != stage_count:
        raise DomainError(
            f"{name} must be one number, or one for each of {stage_count} stages; "
            f"got {len(entries)}"
        )
    return [
        require_at_least(f"{name}[{stage}]", entry, at_least, "")
        for stage, entry in enumerate(entries)
    ]


def _listed(values: Any) -> list[Any] | None:
    """One entry for each stage; None for a single number."""
    try:
        return list(values)
    except TypeError:
        return None


def _connections(connection_count: Q | Number) -> Q:
    return require_at_least("connection_count", connection_count, 1, "")


def _think(think_time_s: Q | Number) -> Q:
    return require_at_least("think_time_s", think_time_s, 0, "s")


def _whole(name: str, count: Floats) -> set[float]:
    """The numbers among the counts, which must be whole."""
    numbers = count[~np.isnan(count)]
    if (numbers != np.floor(numbers)).any():
        bad = float(numbers[numbers != np.floor(numbers)][0])
        raise DomainError(f"{name} must be a whole number; got {bad:.15g}")
    return set(numbers.tolist())
