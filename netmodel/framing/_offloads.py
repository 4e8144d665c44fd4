"""Segments that a host handles as one: TSO, GRO and BIG TCP."""

# what follows from a type at run time, `domain` has checked, and no type checker follows
# mypy: disable-error-code="arg-type,no-any-return,operator,return-value,type-var"

from netmodel.framing.lengths import LEGACY_AGGREGATE_BYTES
from netmodel.numeric import Number, Q, domain, floor, maximum

_RESERVED_BYTES = 320 + 1
"""Room that Linux keeps for headers (``MAX_TCP_HEADER``), and one byte."""


@domain(f"max_aggregate_bytes >= {_RESERVED_BYTES}")
def segments_per_aggregate_count(
    segment_bytes: Q | Number, max_aggregate_bytes: Q | Number = LEGACY_AGGREGATE_BYTES
) -> Q:
    r"""
    Return the segments that segmentation offload hands to the adapter as one packet.

    The host handles one packet in place of many; the frames on the wire
    stay the same.

    Parameters
    ----------
    segment_bytes : float or array_like
        Payload of a full segment. [byte]
    max_aggregate_bytes : float or array_like
        Largest aggregate that the device takes: its ``gso_max_size``. [byte]

    Returns
    -------
    segment_count : int, float or numpy.ndarray
        At least 1, of the broadcast shape of the inputs. [segment]

    Raises
    ------
    DomainError
        If the segment has no bytes, the aggregate has no room for headers, or
        either is infinite.

    Notes
    -----
    .. math:: g = \max\left(1, \left\lfloor \frac{G - 321}{D} \right\rfloor\right)

    An upper bound: page fragments may be the limit before it, and a receiver merges
    only what arrives of one flow in one poll.

    References
    ----------
    Linux, ``net/core/sock.c``, ``sk_dst_gso_max_size``, and
    ``include/linux/netdevice.h``.

    Examples
    --------
    >>> segments_per_aggregate_count(1448), segments_per_aggregate_count(8948)
    (45, 7)
    """
    return maximum(1, floor((max_aggregate_bytes - _RESERVED_BYTES) / segment_bytes))
