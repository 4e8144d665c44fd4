"""What the drawings of a path show, row by row."""

from enum import Enum
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from netmodel._numpy import np
from netmodel.errors import DomainError
from netmodel.units import format_time

if TYPE_CHECKING:
    from netmodel.path import Pool, Predicted, Prediction, Stage

__all__ = ["Row", "State", "binding_names", "next_name", "rows_of"]

_DIGITS = 5
_FULL_RATIO = 1 - 1e-9


class State(Enum):
    """Whether a limit is the one that counts."""

    BINDS = "bottleneck"
    MAY_BIND = "may be it"
    """It is not the smallest at the values to quote, and is elsewhere in their spread."""
    HAS_ROOM = ""


class Row(NamedTuple):
    """
    A stage, a pool, the window or the connections.

    Parameters
    ----------
    name : str
        As the path has it.
    label : str
        The name, with the pool or side in brackets.
    note : str
        What to say where there is no rate.
    is_stage : bool
        Whether it has a place between client and server.
    to_server, to_client : bool
        Whether a transaction takes time of it on its way there, and back.
    rate : Predicted, optional
        Upper bound of the payload rate that it sets. [bit/s]
    use : Predicted, optional
        Share of it in use at the upper bound of the throughput.
    state : State
        Whether it binds.
    """

    name: str
    label: str
    note: str = ""
    is_stage: bool = False
    to_server: bool = False
    to_client: bool = False
    rate: "Predicted | None" = None
    use: "Predicted | None" = None
    state: State = State.HAS_ROOM


def rows_of(prediction: "Prediction") -> list[Row]:
    """
    Stages in the order of the path, and the limits that are no stage.

    Raises
    ------
    DomainError
        If the prediction has arrays.
    """
    traffic = prediction.traffic
    sizes = (traffic.request_bytes, traffic.response_bytes, traffic.connection_count)
    if any(map(np.ndim, (*sizes, prediction.mtu_bytes, prediction.throughput_bps.value))):
        raise DomainError(
            "this prediction has arrays: draw it with plot_predictions, or predict one by one"
        )
    rates, uses = prediction.limit_rates_bps, prediction.use_ratios
    parts = [
        *(_of_stage(stage, prediction) for stage in prediction.path.stages),
        *(_of_pool(pool) for pool in prediction.path.pools),
    ]
    named = {row.name for row in parts}
    rows = [*parts, *(Row(name, name) for name in rates if name not in named)]
    binding = binding_names(prediction)
    return [
        row._replace(
            rate=rates.get(row.name),
            use=uses.get(row.name),
            state=State.BINDS if row.name in binding else _state(uses.get(row.name)),
        )
        for row in rows
    ]


def binding_names(prediction: "Prediction") -> tuple[str, ...]:
    """All limits that are the smallest at the values to quote."""
    return prediction.ties or (prediction.binding,)


def next_name(rows: list[Row]) -> str | None:
    """The limit that would bind if those that do were gone."""
    others = [row for row in rows if row.rate and row.state is not State.BINDS]
    finite = {row.name: row.rate.value for row in others if row.rate and isfinite(row.rate.value)}
    return min(finite, key=finite.__getitem__, default=None)


def _of_stage(stage: "Stage", prediction: "Prediction") -> Row:
    names = [name for name, _ in prediction.demands[stage.name]]
    whose = stage.pool or (stage.side and stage.side.value)
    return Row(
        stage.name,
        f"{stage.name} ({whose})" if whose else stage.name,
        _note(stage, prediction),
        is_stage=True,
        to_server=any(name.startswith(f"{stage.name}.to_server.") for name in names),
        to_client=any(name.startswith(f"{stage.name}.to_client.") for name in names),
    )


def _of_pool(pool: "Pool") -> Row:
    side = f", {pool.side.value}" if pool.side and pool.side.value != pool.name else ""
    note = "number not known" if pool.parallel_count is None else "takes no time"
    return Row(pool.name, f"{pool.name} (pool{side})", note)


def _note(stage: "Stage", prediction: "Prediction") -> str:
    times = [time_s for _, time_s in prediction.demands[stage.name]]
    if not times:
        return "takes no time"
    kind = "delay" if stage.is_delay else "of the pool"
    return f"{format_time(float(sum(times)), _DIGITS)}, {kind}"


def _state(use: "Predicted | None") -> State:
    return State.MAY_BIND if use and use.high >= _FULL_RATIO else State.HAS_ROOM
