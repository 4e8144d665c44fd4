"""``netmodel ceiling``: one line, frames a second, or the layers of the stack grammar."""

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias, cast

from netmodel.api import ceiling as ceiling_of
from netmodel.api.arguments import ArgumentsError, listed_values
from netmodel.api.kinds import Count, Size, Windows
from netmodel.ceilings import LineCeiling, MessageCeiling, TransactionCeiling, frame_rate_fps
from netmodel.cli._derived import stating
from netmodel.framing import LAYER_FORMS, LayerForm
from netmodel.text import RATE_DIGITS
from netmodel.units import format_rate

_FRAMES_BYTES = (64, 128, 256, 512, 1024, 1280, 1518)
"""Frame sizes of RFC 2544, section 9.1, for Ethernet."""
_Answer: TypeAlias = tuple[str, list[dict[str, Any]] | dict[str, Any]]
"""The first sentence, and what JSON has."""


def line(
    *,
    payload_bytes: Size | None = None,
    request_bytes: Size | None = None,
    response_bytes: Size | None = None,
    segments_per_ack: Count | None = None,
    frame_bytes: Windows | None = None,
    packets: bool = False,
    list_: bool = False,
    **line: Annotated[Any, ceiling_of],
) -> _Answer:
    """
    Print what an Ethernet line carries at most, and why.

    Every byte of a frame that is not payload is listed. Give --line-rate, and --mtu or --link-mtu.
    With --payload or --request it also prints what the line carries of such messages; with --frame
    or --packets the frames a second, small ones as routers and DPDK count them.

    \b
    Example: netmodel ceiling --line-rate 25Gbit/s --mtu 9000

    Parameters
    ----------
    payload_bytes : int or str, optional
        Payload of one message. [byte]
    request_bytes : int or str, optional
        Size of a request. [byte]
    response_bytes : int or str, optional
        Size of its response. [byte]
    segments_per_ack : int or str, optional
        Also count pure acknowledgements, each for this many segments.
    frame_bytes : str, optional
        Frames a second of this size, from destination address to FCS, such as 64. [byte]
    packets : bool
        Frames a second of each size of RFC 2544.
    list_ : bool
        List known layers, or formulas; those of --stack with their bytes.
    """
    if list_:
        return "Layers of --stack:", [_layer(*each) for each in LAYER_FORMS.items()]
    if "line_rate_bps" not in line:
        raise ArgumentsError("give {line_rate_bps}")
    if frame_bytes is not None or packets:
        return _frames(frame_bytes, line)
    if None not in (request_bytes, payload_bytes):
        raise ArgumentsError("give {request_bytes} or {payload_bytes}, not both")
    if (request_bytes is None) != (response_bytes is None):
        raise ArgumentsError("give {request_bytes} and {response_bytes} together")
    found, per_ack = ceiling_of(**line), cast("Any", segments_per_ack)
    sent: MessageCeiling | TransactionCeiling | None = None
    data = found.to_dict()
    if payload_bytes is not None:
        sent = found.message(cast("int", payload_bytes))
    elif request_bytes is not None:
        sizes = cast("int", request_bytes), cast("int", response_bytes)
        sent = found.transaction(*sizes, per_ack)
    if per_ack is not None:
        data["acknowledged_payload_rate_bps"] = found.acknowledged_payload_rate_bps(per_ack)
    if found.stack.estimates:
        data["notes"] = [*found.stack.estimates]
    return _sentence(found, sent), {**(sent.to_dict() if sent else {}), **data}


def _sentence(line: LineCeiling, sent: MessageCeiling | TransactionCeiling | None) -> str:
    carried = f"{format_rate(line.payload_rate_bps, RATE_DIGITS)} of payload"
    if isinstance(sent, TransactionCeiling):
        carried = f"{sent.transaction_rate_tps:,.0f} transactions/s"
    elif sent is not None and not line.stack.merges_messages:
        rate = format_rate(sent.payload_rate_bps, RATE_DIGITS)
        carried = f"{rate} of payload in messages of {sent.message_bytes} B"
    outer = line.outer_packet_bytes
    around = f" (at least {outer} outside the tunnel)" if outer > line.mtu_bytes else ""
    return (
        f"A {format_rate(line.line_rate_bps)} line carries at most {carried} at MTU "
        f"{line.mtu_bytes}{around} with {line.stack}."
    )


def _frames(frame_bytes: Any, line: Mapping[str, Any]) -> _Answer:
    """Frames a second of each size, from destination address to FCS."""
    if beside := line.keys() - {"line_rate_bps"}:
        names = ", ".join(f"{{{each}}}" for each in sorted(beside))
        raise ArgumentsError(f"{{frame_bytes}} and {{packets}} are of frames: leave out {names}")
    rate_bps = line["line_rate_bps"]
    sizes = _FRAMES_BYTES if frame_bytes is None else listed_values(frame_bytes)
    rates = {int(size): frame_rate_fps(rate_bps, size) for size in sizes}
    least, most = min(rates.items())
    return (
        f"A {format_rate(rate_bps)} line carries at most {most:,.0f} frames of {least} B a second.",
        [{"bound": "upper", "frame_bytes": n, "frame_rate_fps": fps} for n, fps in rates.items()],
    )


def _layer(name: str, form: LayerForm) -> dict[str, Any]:
    """A layer that --stack knows, with its bytes and options and where it may stand."""
    layer = form.make(**form.defaults)
    return {
        "name": name,
        "bytes": layer.fixed_bytes,
        "block_bytes": layer.block_bytes,
        "record_bytes": layer.record_bytes or None,
        "options": [f"+{option}" for option in form.options],
        "inside": [carrier or "the line" for carrier in sorted(layer.carried_by)],
        "estimate": layer.estimate or None,
    }


ceiling = stating(
    line,
    digits=RATE_DIGITS,
    stated=("line_rate_bps", "mtu_bytes", "payload_rate_bps", "estimate", "bound"),
    first=("line_rate_bps", "mtu_bytes", "link_mtu_bytes", "stack"),
    name="ceiling",
)
