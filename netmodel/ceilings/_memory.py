"""Paths between systems of one machine, which no wire limits."""

from netmodel.numeric import Number, Q, require_above, require_at_least
from netmodel.units import BITS_PER_BYTE


def memory_path_payload_rate_bps(
    message_bytes: Q | Number, time_per_message_s: Q | Number, copy_rate_bps: Q | Number
) -> Q:
    r"""
    Payload rate of messages that one system moves into the memory of another.

    For SMC-D, HiperSockets and other paths without frames, one message after
    the other.

    Parameters
    ----------
    message_bytes : float or array_like
        What one move carries. [byte]
    time_per_message_s : float or array_like
        Time of a move that does not depend on its length. [s]
    copy_rate_bps : float or array_like
        Rate at which the bytes themselves are moved. [bit/s]

    Returns
    -------
    payload_rate_bps : float or numpy.ndarray
        Of the broadcast shape of the inputs. [bit/s]

    Raises
    ------
    DomainError
        If the message has no bytes, the copy rate is not above zero, the time
        of a message is negative, or an argument is infinite.

    Notes
    -----
    .. math:: X = \frac{8\,n}{\alpha + 8\,n / C}

    with :math:`n` the message, :math:`\alpha` the time of a message and
    :math:`C` the copy rate. Neither has a published value for these paths: two
    measured message sizes give both.

    References
    ----------
    R. W. Hockney, "The communication challenge for MPP: Intel Paragon and Meiko
    CS-2", Parallel Computing 20 (1994), for the linear model.

    Examples
    --------
    Half of the copy rate, where the message takes as long as its bytes:

    >>> memory_path_payload_rate_bps(10000, 1e-6, 80e9) / 1e9
    40.0
    """
    message_bytes = require_above("message_bytes", message_bytes, 0, "byte")
    time_per_message_s = require_at_least("time_per_message_s", time_per_message_s, 0, "s")
    copy_rate_bps = require_above("copy_rate_bps", copy_rate_bps, 0, "bit/s")
    message_bits = BITS_PER_BYTE * message_bytes
    return message_bits / (time_per_message_s + message_bits / copy_rate_bps)
