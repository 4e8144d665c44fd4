"""Records of workloads: the messages that applications exchange."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from netmodel.consumption import Side
from netmodel.errors import AmbiguousValueError
from netmodel.records.equipment import ConnectionNumbers, Record
from netmodel.records.values import PayloadValue, Sourced, Value
from netmodel.text import span_text

Bounds = tuple[int, int]


_MESSAGES = ("request", "response", "write", "writer")
_NEEDED = {"request_response": {"request", "response"}, "streaming": {"write", "writer"}}


class ConnectionCounts(Sourced):
    """
    Numbers of connections with which a workload runs.

    Parameters
    ----------
    counts : tuple of int
        Number of concurrent connections, one for each run.
    source, locator, grade, note
        See `Sourced`.
    """

    counts: Annotated[ConnectionNumbers, Field(min_length=1)]

    def __str__(self) -> str:
        return ", ".join(str(count) for count in self.counts)


class Workload(Record):
    """
    The messages of each connection, and the numbers of connections.

    Parameters
    ----------
    id : str
        Name of its file without the ending.
    title : str
        One-line description.
    description : str, optional
        Further description.
    unknown : tuple of str
        Properties that no source reports.
    kind : {"request_response", "streaming"}
        Pattern that each connection repeats: the client sends a request and waits for
        the response, or one side writes, either continuously or one piece for each
        request of the client, and the other sends no payload back.
    request : Value
        Size of the message that the client sends. A stream has one only where
        the server writes: the request for the next piece.
    response : Value
        Size of the message with which the server answers; request-response only.
    write : Value
        Size of each write; streams only.
    writer : Side
        The side that writes; streams only.
    connections : ConnectionCounts
        Numbers of connections, where they are reported.

    Raises
    ------
    pydantic.ValidationError
        If the parts do not belong together. `workload` raises
        `ParseError` instead.

    Examples
    --------
    >>> from netmodel.records import workload
    >>> print(workload("str-writex30k"))
    str-writex30k: client streams 30 KiB writes (streaming, sent by the client)
      description: The client writes without a pause; the server only acknowledges.
      write: 30720 byte (published; adapter, slide 10)
      connections: 1, 10, 50, 250 (published; adapter, slide 10)
    """

    kind: Literal["request_response", "streaming"]
    request: PayloadValue | None = None
    response: PayloadValue | None = None
    write: PayloadValue | None = None
    writer: Side | None = None
    connections: ConnectionCounts | None = None

    @model_validator(mode="after")
    def _messages_fit_the_kind(self) -> Self:
        present = {name for name in _MESSAGES if getattr(self, name) is not None}
        for name in sorted(_NEEDED[self.kind] - present):
            raise ValueError(f"{name}: is missing, which kind {self.kind} needs")
        of_server = {"request"} if self.writer is Side.SERVER else set[str]()
        for name in sorted(present - _NEEDED[self.kind] - of_server):
            raise ValueError(f"{name}: is not a part of kind {self.kind}")
        return self

    @property
    def is_stream(self) -> bool:
        """True where one side writes without waiting for the other."""
        return self.kind == "streaming"

    @property
    def request_bytes(self) -> int:
        """
        Payload that the client sends each time; 0 where it sends none. [byte]

        Raises
        ------
        AmbiguousValueError
            If only a range is known.
        """
        return self._exact("request_bytes", self.request_bytes_bounds)

    @property
    def response_bytes(self) -> int:
        """
        Payload that the server sends each time; 0 where it sends none. [byte]

        Raises
        ------
        AmbiguousValueError
            If only a range is known.
        """
        return self._exact("response_bytes", self.response_bytes_bounds)

    @property
    def write_bytes(self) -> int:
        """
        The message of the sender: the larger of request and response. [byte]

        Raises
        ------
        AmbiguousValueError
            If only a range is known.
        """
        return self.request_bytes if self.sender is Side.CLIENT else self.response_bytes

    @property
    def request_bytes_bounds(self) -> Bounds:
        """Smallest and largest payload that the client sends each time. [byte]"""
        return _bounds(self.write if self.writer is Side.CLIENT else self.request)

    @property
    def response_bytes_bounds(self) -> Bounds:
        """Smallest and largest payload that the server sends each time. [byte]"""
        return _bounds(self.write if self.writer is Side.SERVER else self.response)

    @property
    def sender(self) -> Side:
        """
        The side that sends the larger part of the payload; the client when equal.

        Raises
        ------
        AmbiguousValueError
            If the ranges of the sizes overlap.
        """
        request, response = self.request_bytes_bounds, self.response_bytes_bounds
        senders = {
            Side.sending_more(request[0], response[1]),
            Side.sending_more(request[1], response[0]),
        }
        if request == response:
            return Side.CLIENT
        if len(senders) == 1:
            return senders.pop()
        raise AmbiguousValueError(
            f"the sender of {self.id} may be either side: the client sends "
            f"{_span(request)} each time, the server {_span(response)}"
        )

    @property
    def connection_counts(self) -> tuple[int, ...]:
        """Numbers of connections with which it runs; empty where not reported."""
        return self.connections.counts if self.connections else ()

    def _caption(self) -> str:
        kind = self.kind.replace("_", "-")
        written = f", sent by the {self.writer.value}" if self.writer else ""
        return f"{self.id}: {self.title} ({kind}{written})"

    def _exact(self, name: str, bounds: Bounds) -> int:
        if bounds[0] != bounds[1]:
            raise AmbiguousValueError(
                f"{name} of {self.id} is not known exactly: {_span(bounds)}; give one size in a "
                f"workload of your own, or use {name}_bounds"
            )
        return bounds[0]


def _bounds(value: Value | None) -> Bounds:
    return (0, 0) if value is None else value.size_bytes_bounds


def _span(bounds: Bounds) -> str:
    low, high = bounds
    return span_text(f"{low} byte", f"{high} byte")
