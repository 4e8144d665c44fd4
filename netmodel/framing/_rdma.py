"""How much payload an RDMA packet carries over an Ethernet interface."""

# what follows from a type at run time, `domain` has checked, and no type checker follows
# mypy: disable-error-code="arg-type,no-any-return,operator,return-value,type-var"

from itertools import pairwise

from netmodel.framing.lengths import RDMA_HEADERS_BYTES, RDMA_MTUS_BYTES
from netmodel.numeric import Number, Q, domain, where


@domain(f"mtu_bytes >= {RDMA_MTUS_BYTES[0] + RDMA_HEADERS_BYTES}")
def rdma_mtu_bytes(mtu_bytes: Q | Number) -> Q:
    r"""
    Return the RDMA MTU that an Ethernet interface gets from its own MTU.

    Parameters
    ----------
    mtu_bytes : float or array_like
        MTU of the Ethernet interface. [byte]

    Returns
    -------
    rdma_mtu_bytes : int, float or numpy.ndarray
        Largest payload of an RDMA packet: 256, 512, 1024, 2048 or 4096, of the
        shape of the input. [byte]

    Raises
    ------
    DomainError
        If the MTU is below 352, the smallest that any RDMA MTU fits, or
        infinite.

    Notes
    -----
    The largest standard size that leaves 96 bytes for headers, regardless of the
    headers of the packets are. At MTU 1500 that is 1024, and a third of each
    possible packet stays empty.

    References
    ----------
    Linux, ``include/rdma/ib_addr.h``, ``iboe_get_mtu``.

    Examples
    --------
    >>> [rdma_mtu_bytes(mtu) for mtu in (1500, 2144, 4191, 4192, 9000)]
    [1024, 2048, 2048, 4096, 4096]
    """
    room_bytes = mtu_bytes - RDMA_HEADERS_BYTES
    gains = (
        where(room_bytes >= larger, larger - smaller, 0)
        for smaller, larger in pairwise(RDMA_MTUS_BYTES)
    )
    return RDMA_MTUS_BYTES[0] + sum(gains) + 0 * mtu_bytes
