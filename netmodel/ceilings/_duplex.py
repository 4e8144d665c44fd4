"""Ceilings where both directions matter: acknowledgements, requests and responses."""

from netmodel.numeric import (
    Number,
    Q,
    maximum,
    require_above,
    require_at_least,
    require_at_most,
)
from netmodel.units import BITS_PER_BYTE


def acknowledged_payload_rate_bps(
    line_rate_bps: Q | Number,
    payload_bytes: Q | Number,
    wire_bytes: Q | Number,
    ack_wire_bytes: Q | Number,
    segments_per_ack: Q | Number,
) -> Q:
    r"""
    Payload rate of a direction that also carries acknowledgements.

    On a full-duplex line this is the rate of each direction when both are
    saturated with data. On a half-duplex line it is the rate of one direction,
    whose acknowledgements take turns with its data.

    Parameters
    ----------
    line_rate_bps : float or array_like
        MAC rate of the line. [bit/s]
    payload_bytes : float or array_like
        Payload of a full frame. [byte]
    wire_bytes : float or array_like
        A full frame with preamble, delimiter and gap. [byte]
    ack_wire_bytes : float or array_like
        A pure acknowledgement with preamble, delimiter and gap: 90 for TCP
        over IPv4 with timestamps. [byte]
    segments_per_ack : float or array_like
        Segments that one acknowledgement answers: 2 with delayed
        acknowledgements, as many as an aggregate has where segments are
        merged on receipt. [segment]

    Returns
    -------
    payload_rate_bps : float or numpy.ndarray
        Rate in one direction, of the broadcast shape of the inputs. [bit/s]

    Raises
    ------
    DomainError
        If the line rate or a length is not above zero, the payload is longer
        than its frame, an acknowledgement answers less than one segment, or an
        argument is infinite.

    Notes
    -----
    .. math:: X = R\,\frac{D}{W + A / b}

    No acknowledgement rides on data, which would take no frame of its own.

    References
    ----------
    RFC 5681, section 4.2; RFC 9293, section 3.8.6.3.

    Examples
    --------
    >>> round(acknowledged_payload_rate_bps(25e9, 1448, 1538, 90, 2) / 1e9, 6)
    22.867972
    """
    line_rate_bps = require_above("line_rate_bps", line_rate_bps, 0, "bit/s")
    wire_bytes = require_above("wire_bytes", wire_bytes, 0, "byte")
    payload_bytes = require_above("payload_bytes", payload_bytes, 0, "byte")
    payload_bytes = require_at_most("payload_bytes", payload_bytes, wire_bytes, "byte")
    ack_wire_bytes = require_at_least("ack_wire_bytes", ack_wire_bytes, 0, "byte")
    segments_per_ack = require_at_least("segments_per_ack", segments_per_ack, 1, "segment")
    return line_rate_bps * (payload_bytes / (wire_bytes + ack_wire_bytes / segments_per_ack))


def full_duplex_transaction_rate_tps(
    line_rate_bps: Q | Number, request_wire_bytes: Q | Number, response_wire_bytes: Q | Number
) -> Q:
    r"""
    Transactions per second that saturate the busier direction of a full-duplex line.

    Parameters
    ----------
    line_rate_bps : float or array_like
        MAC rate of each direction. [bit/s]
    request_wire_bytes : float or array_like
        Frames of a request, and of what acknowledges the response if that
        does not ride on the next request, with preamble, delimiter and gap.
        [byte]
    response_wire_bytes : float or array_like
        The same of a response. [byte]

    Returns
    -------
    transaction_rate_tps : float or numpy.ndarray
        Of the broadcast shape of the inputs. [1/s]

    Raises
    ------
    DomainError
        If the line rate or a length is not above zero, or infinite.

    Notes
    -----
    .. math:: x = \frac{R}{8 \max(W_{req}, W_{resp})}

    References
    ----------
    RFC 2544, appendix B, for the rate of frames that a line carries.

    Examples
    --------
    200 bytes asked, 1000 answered, over TCP and IPv4 with timestamps on 25 GbE:

    >>> round(full_duplex_transaction_rate_tps(25e9, 290, 1090))
    2866972
    """
    line_rate_bps = require_above("line_rate_bps", line_rate_bps, 0, "bit/s")
    request_wire_bytes = require_above("request_wire_bytes", request_wire_bytes, 0, "byte")
    response_wire_bytes = require_above("response_wire_bytes", response_wire_bytes, 0, "byte")
    return line_rate_bps / (BITS_PER_BYTE * maximum(request_wire_bytes, response_wire_bytes))


def half_duplex_transaction_rate_tps(
    line_rate_bps: Q | Number, request_wire_bytes: Q | Number, response_wire_bytes: Q | Number
) -> Q:
    r"""
    Transactions per second that saturate a line whose directions take turns.

    Parameters
    ----------
    line_rate_bps : float or array_like
        MAC rate of the line. [bit/s]
    request_wire_bytes : float or array_like
        Frames of a request, and of what acknowledges the response if that
        does not ride on the next request, with preamble, delimiter and gap.
        [byte]
    response_wire_bytes : float or array_like
        The same of a response. [byte]

    Returns
    -------
    transaction_rate_tps : float or numpy.ndarray
        Of the broadcast shape of the inputs. [1/s]

    Raises
    ------
    DomainError
        If the line rate or a length is not above zero, or infinite.

    Notes
    -----
    .. math:: x = \frac{R}{8 (W_{req} + W_{resp})}

    Collisions are left out.

    References
    ----------
    RFC 2544, appendix B, for the rate of frames that a line carries.

    Examples
    --------
    >>> round(half_duplex_transaction_rate_tps(25e9, 290, 1090))
    2264493
    """
    line_rate_bps = require_above("line_rate_bps", line_rate_bps, 0, "bit/s")
    request_wire_bytes = require_above("request_wire_bytes", request_wire_bytes, 0, "byte")
    response_wire_bytes = require_above("response_wire_bytes", response_wire_bytes, 0, "byte")
    return line_rate_bps / (BITS_PER_BYTE * (request_wire_bytes + response_wire_bytes))
