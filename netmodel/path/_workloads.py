"""Traffic of the workloads that records describe."""

from typing import TYPE_CHECKING

from netmodel._numeric import Quantity
from netmodel._text import span_text
from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.path._traffic import Traffic

if TYPE_CHECKING:
    from netmodel.records import Workload

__all__ = ["workload_traffic"]


def workload_traffic(
    workload: "Workload",
    connection_count: Quantity | None = None,
    *,
    shares_segments: bool = True,
    segments_per_ack: Quantity | None = None,
    payload_bytes: int | None = None,
) -> Traffic:
    """
    What a workload puts on a path.

    Parameters
    ----------
    workload : Workload
        From the catalog, or from a file.
    connection_count : float or array_like, optional
        Connections at the same time.
    shares_segments : bool
        Whether the writes of a stream share segments, as they do where the
        sender never pauses; requests and responses never do.
    segments_per_ack : float or array_like, optional
        Frames that one pure acknowledgement answers; not counted when left out.
    payload_bytes : int, optional
        What the side sends each time that sends more: one of the sizes that the
        workload allows, where it tells a range. [byte]

    Returns
    -------
    traffic : Traffic
        A transaction is a request with its response, or one write of a stream.

    Raises
    ------
    AmbiguousValueError
        If a size is only known as a range, and is not told.
    DomainError
        If a count is below 1, or the workload does not allow the size told.

    Examples
    --------
    >>> from netmodel.records import workload
    >>> workload_traffic(workload("str-writex30k")).request_bytes
    30720
    """
    is_client = workload.sender is Side.CLIENT
    told_bytes = None if payload_bytes is None else _allowed_bytes(workload, payload_bytes)
    return Traffic(
        request_bytes=(is_client and told_bytes) or workload.request_bytes,
        response_bytes=(not is_client and told_bytes) or workload.response_bytes,
        connection_count=connection_count,
        waits=not workload.is_stream,
        shares_segments=workload.is_stream and shares_segments,
        segments_per_ack=segments_per_ack,
    )


def _allowed_bytes(workload: "Workload", payload_bytes: int) -> int:
    """The size, which the sender of the workload may have."""
    client, server = workload.request_bytes_bounds, workload.response_bytes_bounds
    low, high = client if workload.sender is Side.CLIENT else server
    if not low <= payload_bytes <= high:
        raise DomainError(
            f"payload_bytes must be {span_text(f'{low} byte', f'{high} byte')} in {workload.id}; "
            f"got {payload_bytes}"
        )
    return payload_bytes
