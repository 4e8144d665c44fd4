"""Demands of a whole path that were fitted to measured series over connections."""

from enum import Enum
from typing import Self

from pydantic import BaseModel, model_validator

from netmodel.records._times import ConnectionCount
from netmodel.records._values import (
    FROZEN,
    CpuNumberValue,
    MtuValue,
    ScatterValue,
    SizeValue,
    TimeValue,
)


class MeasuredWorkload(Enum):
    """What a series measured: requests, or streams by the side that receives them."""

    REQUESTS = "requests"
    STREAMS_TO_CLIENT = "streams to client"
    STREAMS_TO_SERVER = "streams to server"


class DemandByConnections(BaseModel):
    """
    Demand at the bottleneck by the number of connections N: least + shared / batch + growing × N.

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


class MeasuredDemands(BaseModel):
    """
    Demands of a path fitted to one measured series over connections.

    Parameters
    ----------
    workload : MeasuredWorkload
        Requests, which move in batches, or streams, which are pipelined.
    mtu : Value
        Largest innermost packet in the series.
    request, response : Value, optional
        Payload of each message of requests; of streams any.
    connections : tuple of int
        The fewest and the most connections of the series.
    delay : Value, optional
        Of requests: what nothing shares, per transaction.
    per_transaction : DemandByConnections, optional
        Of requests: demand of a transaction at the bottleneck.
    alone_per_byte : Value, optional
        Of streams: what one connection takes of each byte.
    per_byte : DemandByConnections, optional
        Of streams: demand of each byte at the bottleneck.
    error, outside_error : Value
        Half-width of an interval of 95 %, within the connections of the series and beyond.

    Raises
    ------
    pydantic.ValidationError
        If requests have times of streams or lack their own, or the reverse.
    """

    model_config = FROZEN

    workload: MeasuredWorkload
    mtu: MtuValue
    request: SizeValue | None = None
    response: SizeValue | None = None
    connections: tuple[ConnectionCount, ConnectionCount]
    delay: TimeValue | None = None
    per_transaction: DemandByConnections | None = None
    alone_per_byte: TimeValue | None = None
    per_byte: DemandByConnections | None = None
    error: ScatterValue
    outside_error: ScatterValue

    @model_validator(mode="after")
    def _has_what_its_workload_needs(self) -> Self:
        of_requests = ("request", "response", "delay", "per_transaction")
        of_streams = ("alone_per_byte", "per_byte")
        is_requests = self.workload is MeasuredWorkload.REQUESTS
        needed, other = (of_requests, of_streams) if is_requests else (of_streams, of_requests)
        for key in needed:
            if getattr(self, key) is None:
                raise ValueError(f"{key}: is missing; {self.workload.value} need it")
        for key in other:
            if getattr(self, key) is not None:
                raise ValueError(f"{key}: is not a known key of {self.workload.value}")
        if self.connections[0] > self.connections[1]:
            raise ValueError("connections: the fewest go before the most")
        return self

    def __str__(self) -> str:
        fewest, most = self.connections
        return f"{self.workload.value} at MTU {self.mtu}, {fewest} to {most} connections"
