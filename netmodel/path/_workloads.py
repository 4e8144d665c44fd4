"""Traffic of the workloads that records describe."""

from typing import TYPE_CHECKING

from netmodel._numeric import Quantity
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

    Returns
    -------
    traffic : Traffic
        A transaction is a request with its response, or one write of a stream.

    Raises
    ------
    AmbiguousValueError
        If a size is only known as a range.
    DomainError
        If a count is below 1.

    Examples
    --------
    >>> from netmodel.records import workload
    >>> workload_traffic(workload("str-writex30k")).request_bytes
    30720
    """
    return Traffic(
        request_bytes=workload.request_bytes,
        response_bytes=workload.response_bytes,
        connection_count=connection_count,
        waits=not workload.is_stream,
        shares_segments=workload.is_stream and shares_segments,
        segments_per_ack=segments_per_ack,
    )
