"""RDMA over distance: what go-back-N leaves of a rate, and buffers that keep frames from loss."""

from netmodel.numeric import Number, Q, maximum, require_above, require_at_least, require_below
from netmodel.transport._window import bandwidth_delay_product_bytes
from netmodel.units import BITS_PER_BYTE

_FRAMES_ON_THE_WAY = 2
"""One that has begun when a pause arrives, and one that the pause waits for (802.1Qbb, annex O)."""


def go_back_n_payload_rate_bps(
    path_rate_bps: Q | Number,
    round_trip_s: Q | Number,
    loss_ratio: Q | Number,
    rdma_mtu_bytes: Q | Number,
) -> Q:
    r"""
    Payload rate of RDMA whose adapter sends again all that followed a lost packet.

    Parameters
    ----------
    path_rate_bps : float or array_like
        Payload rate without loss: of the line, or of the window where this is
        smaller. [bit/s]
    round_trip_s : float or array_like
        From sending a packet to the news that it is missing. [s]
    loss_ratio : float or array_like
        Lost packets over packets, at least 0 and below 1.
    rdma_mtu_bytes : float or array_like
        Payload of a packet, the RDMA MTU. [byte]

    Returns
    -------
    payload_rate_bps : float or numpy.ndarray
        Of the broadcast shape of the inputs. [bit/s]

    Raises
    ------
    DomainError
        If the rate or the packet is not above zero, the round trip is negative,
        the ratio is not at least 0 and below 1, or an argument is infinite.

    Notes
    -----
    .. math::

       X = R\, \frac{1 - p}{1 + (w - 1)\, p} \qquad
       w = \max\left(1,\; \frac{R\, r}{8\, L}\right)

    Each loss costs the :math:`w` packets in flight. Packets are lost
    independently, also those that are sent again, and no loss waits for a
    timeout, as that of the last packet of a message does.

    References
    ----------
    D. Bertsekas and R. Gallager, "Data networks", 2nd edition (1992), section
    2.4, for go-back-N.

    Examples
    --------
    1000 packets in flight, one loss in 10,000, as a share of the rate:

    >>> round(go_back_n_payload_rate_bps(8.192e9, 1e-3, 1e-4, 1024) / 8.192e9, 6)
    0.909083
    """
    rdma_mtu_bytes = require_above("rdma_mtu_bytes", rdma_mtu_bytes, 0, "byte")
    in_flight = bandwidth_delay_product_bytes(path_rate_bps, round_trip_s) / rdma_mtu_bytes
    path_rate_bps = require_above("path_rate_bps", path_rate_bps, 0, "bit/s")
    loss_ratio = require_at_least("loss_ratio", loss_ratio, 0, "")
    loss_ratio = require_below("loss_ratio", loss_ratio, 1, "")
    return path_rate_bps * (1 - loss_ratio) / (1 + (maximum(in_flight, 1) - 1) * loss_ratio)


def pfc_headroom_bytes(
    line_rate_bps: Q | Number, round_trip_s: Q | Number, mtu_bytes: Q | Number
) -> Q:
    r"""
    Buffer that a lossless priority needs above the mark where it pauses the sender.

    Parameters
    ----------
    line_rate_bps : float or array_like
        Of the link. [bit/s]
    round_trip_s : float or array_like
        Of the link, there and back, with the time to react to a pause. [s]
    mtu_bytes : float or array_like
        Largest frame that may have begun in either direction. [byte]

    Returns
    -------
    headroom_bytes : float or numpy.ndarray
        Least buffer for each port and lossless priority, of the broadcast shape
        of the inputs. [byte]

    Raises
    ------
    DomainError
        If the rate or the frame is not above zero, the round trip is negative,
        or an argument is infinite.

    Notes
    -----
    .. math:: B \ge R\, r / 8 + 2\, L

    What is in flight when the pause is sent, and what the line carries until it
    arrives. Buffers are cells of a fixed size, which adds to it.

    References
    ----------
    IEEE 802.1Qbb-2011, annex O (802.1Q, annex O).

    Examples
    --------
    25 Gbit/s, 0.98 ms and 1500 bytes, in MB:

    >>> round(pfc_headroom_bytes(25e9, 0.98e-3, 1500) / 1e6, 4)
    3.0655
    """
    line_rate_bps = require_above("line_rate_bps", line_rate_bps, 0, "bit/s")
    round_trip_s = require_at_least("round_trip_s", round_trip_s, 0, "s")
    mtu_bytes = require_above("mtu_bytes", mtu_bytes, 0, "byte")
    return line_rate_bps * round_trip_s / BITS_PER_BYTE + _FRAMES_ON_THE_WAY * mtu_bytes
