"""Ceilings of many MTUs or message sizes at once, column by column."""

from typing import TYPE_CHECKING, Any

from netmodel.ceilings._line_rates import MAX_PACKET_BYTES, frame_rate_fps, layer_rate_bps
from netmodel.framing import SILENT_BYTES, Stack, tcp_stack
from netmodel.lazy_numpy import np
from netmodel.numeric import (
    QuantityLike,
    require_above,
    require_at_least,
    require_at_most,
    require_kind,
)

if TYPE_CHECKING:
    import numpy.typing as npt


def ceiling_columns(
    line_rate_bps: QuantityLike,
    mtu_bytes: QuantityLike,
    stack: Stack,
    message_bytes: QuantityLike | None = None,
) -> "dict[str, npt.NDArray[Any]]":
    """
    Ceilings of an Ethernet line for many MTUs or message sizes.

    Parameters
    ----------
    line_rate_bps : float or array_like
        MAC rate of the line. [bit/s]
    mtu_bytes : float or array_like
        Largest packet of the innermost interface. [byte]
    stack : Stack
        Headers of each frame.
    message_bytes : float or array_like, optional
        Also messages of this size, each sent by itself. [byte]

    Returns
    -------
    columns : dict of str to numpy.ndarray
        By the names that :class:`LineCeiling` and :class:`MessageCeiling` give
        them in JSON, each of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If the line rate is not above zero, an MTU is below what the stack
        needs, a message has no bytes, or a packet or what a tunnel makes of it
        is above 65535 bytes.

    References
    ----------
    RFC 6349, section 4.1.1.

    Examples
    --------
    >>> from netmodel.framing import tcp_stack
    >>> ceiling_columns(25e9, [1500, 9000], tcp_stack())["payload_bytes"]
    array([1448., 8948.])
    """
    require_kind("stack", stack, Stack, "a Stack, as parse_stack makes it")
    columns = columns_of(line_rate_bps, mtu_bytes, stack, message_bytes)
    arrays = np.broadcast_arrays(*(np.asarray(column) for column in columns.values()))
    return dict(zip(columns, arrays, strict=True))


def columns_of(
    line_rate_bps: QuantityLike,
    mtu_bytes: QuantityLike,
    stack: Stack | None = None,
    message_bytes: QuantityLike | None = None,
) -> dict[str, Any]:
    """Columns of :func:`ceiling_columns`, each as long as what it depends on."""
    stack = tcp_stack() if stack is None else stack
    mtu_bytes = require_at_least("mtu_bytes", mtu_bytes, stack.minimum_mtu_bytes, "byte")
    outer_bytes = stack.outer_packet_bytes(mtu_bytes, mtu_bytes)
    require_at_most("outer_packet_bytes", outer_bytes, MAX_PACKET_BYTES, "byte")
    payload_bytes = stack.payload_bytes(mtu_bytes)
    wire_bytes = stack.wire_bytes(stack.packet_bytes(stack.segment_bytes(mtu_bytes)), mtu_bytes)
    line_rate_bps = require_above("line_rate_bps", line_rate_bps, 0, "bit/s")
    columns: dict[str, Any] = {
        "line_rate_bps": line_rate_bps,
        "mtu_bytes": mtu_bytes,
        "payload_bytes": payload_bytes,
        "overhead_bytes": wire_bytes - payload_bytes,
        "wire_bytes": wire_bytes,
        "efficiency_ratio": payload_bytes / wire_bytes,
        "payload_rate_bps": layer_rate_bps(line_rate_bps, payload_bytes, wire_bytes),
        "frame_rate_fps": frame_rate_fps(line_rate_bps, wire_bytes - SILENT_BYTES),
    }
    if message_bytes is not None:
        message_bytes = require_at_least("message_bytes", message_bytes, 1, "byte")
        message_wire_bytes = stack.message_wire_bytes(message_bytes, mtu_bytes)
        columns |= {
            "message_bytes": message_bytes,
            "message_frame_count": stack.message_frame_count(message_bytes, mtu_bytes),
            "message_wire_bytes": message_wire_bytes,
            "message_efficiency_ratio": message_bytes / message_wire_bytes,
            "message_payload_rate_bps": layer_rate_bps(
                line_rate_bps, message_bytes, message_wire_bytes
            ),
        }
    return columns
