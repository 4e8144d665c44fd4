"""Stages that stand for a whole path, with demands fitted to measured series over connections."""

from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from netmodel._printable import quoted
from netmodel.records._times import ConnectionCount
from netmodel.records._values import (
    FROZEN,
    CpuNumberValue,
    MtuValue,
    ScatterValue,
    SizeValue,
    Text,
    TimeValue,
)

_PARTS = frozenset({"least", "shared", "growing", "batching_connections"})


def _with_least(given: object) -> object:
    """A plain time is the same with any number of connections."""
    is_parts = isinstance(given, Mapping) and set(given) & _PARTS
    return given if is_parts or given is None else {"least": given}


class DemandByConnections(BaseModel):
    """
    A time by the number of connections N: least + shared / batch + growing × N.

    Parameters
    ----------
    least : Value
        What each of a batch takes.
    shared : Value, optional
        What a batch takes once.
    growing : Value, optional
        What each connection adds.
    batching_connections : Value, optional
        A batch is 1 + N / batching_connections; √N where it is absent.
    """

    model_config = FROZEN

    least: TimeValue
    shared: TimeValue | None = None
    growing: TimeValue | None = None
    batching_connections: CpuNumberValue | None = None


Demand = Annotated[DemandByConnections, BeforeValidator(_with_least)]
"""A table of parts, or a plain time."""


class MeasuredStage(BaseModel):
    """
    One of the stages that stand for a whole path.

    Parameters
    ----------
    name : str
        Its own among them.
    shared : bool
        Whether all connections share one server; else no connection waits for another there.
    per_transaction : DemandByConnections, optional
        Of each request with its response.
    per_byte_to_client, per_byte_to_server : DemandByConnections, optional
        Of each byte of payload in this direction.
    """

    model_config = FROZEN

    name: Text
    shared: bool = False
    per_transaction: Demand | None = None
    per_byte_to_client: Demand | None = None
    per_byte_to_server: Demand | None = None

    @model_validator(mode="after")
    def _takes_time(self) -> Self:
        names = ("per_transaction", "per_byte_to_client", "per_byte_to_server")
        if all(getattr(self, name) is None for name in names):
            raise ValueError(f"{', '.join(names)}: at least one is needed")
        return self

    def __str__(self) -> str:
        return f"{self.name}{', shared' if self.shared else ''}"


class MeasuredSeries(BaseModel):
    """
    A measured series that the stages were fitted to.

    Parameters
    ----------
    workload : str
        ``requests``, ``streams to client`` or ``streams to server``.
    request, response : Value, optional
        Payload of each message of requests; of streams any.
    connections : tuple of int
        The fewest and the most connections of the series.
    error, outside_error : Value
        Half-width of an interval of 95 %, within the connections and messages of the series
        and beyond.

    Raises
    ------
    pydantic.ValidationError
        If requests lack the sizes of their messages, or streams have them.
    """

    model_config = FROZEN

    workload: Literal["requests", "streams to client", "streams to server"]
    request: SizeValue | None = None
    response: SizeValue | None = None
    connections: tuple[ConnectionCount, ConnectionCount]
    error: ScatterValue
    outside_error: ScatterValue

    @model_validator(mode="after")
    def _has_the_sizes_of_its_messages(self) -> Self:
        for key in ("request", "response"):
            is_there, is_needed = getattr(self, key) is not None, self.workload == "requests"
            if is_there != is_needed:
                raise ValueError(f"{key}: belongs to requests, which need it")
        if self.connections[0] > self.connections[1]:
            raise ValueError("connections: the fewest go before the most")
        return self

    def __str__(self) -> str:
        fewest, most = self.connections
        return f"{self.workload}, {fewest} to {most} connections"


class WaitingKind(Enum):
    """How requests meet at the shared stages; see ``netmodel.path``."""

    BATCH = "batch"
    STEADY = "steady"
    RANDOM = "random"


class MeasuredDemands(BaseModel):
    """
    Stages that stand for a whole path at one MTU: expected values come from them alone.

    Parameters
    ----------
    mtu : Value
        Largest innermost packet of the series.
    waiting : WaitingKind
        ``batch``: connections move as one batch; ``steady``: they meet at the bottleneck alone;
        ``random``: mean value analysis.
    stages : tuple of MeasuredStage
        At least one.
    fitted_to : tuple of MeasuredSeries
        What they were fitted to, at least one.
    """

    model_config = FROZEN

    mtu: MtuValue
    waiting: WaitingKind = WaitingKind.BATCH
    stages: Annotated[tuple[MeasuredStage, ...], Field(min_length=1)]
    fitted_to: Annotated[tuple[MeasuredSeries, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _stages_differ(self) -> Self:
        names = [stage.name for stage in self.stages]
        for number, name in enumerate(names):
            if name in names[:number]:
                raise ValueError(
                    f"stages.{number}.name: {quoted(name)} is the name of another stage"
                )
        return self

    def __str__(self) -> str:
        return f"MTU {self.mtu}: {'; '.join(map(str, self.fitted_to))}"
