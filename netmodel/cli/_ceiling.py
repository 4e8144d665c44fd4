"""``netmodel ceiling``: one line, frames a second, or the layers of the stack grammar."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, TypeAlias, cast

from netmodel.api import ceiling as ceiling_of
from netmodel.api._kinds import AWorkload, Count, Size, Windows
from netmodel.api.arguments import (
    ArgumentsError,
    given_workload,
    listed_values,
    require_one_size,
)
from netmodel.ceilings import LineCeiling, MessageCeiling, TransactionCeiling, frame_rate_fps
from netmodel.ceilings._line import RATE_DIGITS
from netmodel.cli._console import notes_text, wrapped
from netmodel.cli._derived import answering
from netmodel.framing import LAYER_FORMS, LayerForm
from netmodel.report.fields import fields_table, rows_table
from netmodel.units import format_rate

_FRAMES_BYTES = (64, 128, 256, 512, 1024, 1280, 1518)
"""Frame sizes of RFC 2544, section 9.1, for Ethernet."""
_IN_THE_ANSWER = frozenset({"line_rate_bps", "mtu_bytes", "payload_rate_bps", "parts", "notes"})
_Rows: TypeAlias = list[dict[str, Any]]
_Answer: TypeAlias = tuple[str, _Rows | dict[str, Any]]
"""The first sentence, and what JSON has."""


def line(
    *,
    payload_bytes: Size | None = None,
    workload: AWorkload | None = None,
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
    With --payload, --workload or --request it also prints what the line carries of such messages;
    with --frame or --packets the frames a second, small ones as routers and DPDK count them.

    \b
    Example: netmodel ceiling --line-rate 25Gbit/s --mtu 9000

    Parameters
    ----------
    payload_bytes : int or str, optional
        Payload of one message. [byte]
    workload : str, optional
        What is exchanged: a workload of the catalog, or your own in a ``.toml`` file.
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
    given = {"request_bytes": request_bytes, "payload_bytes": payload_bytes, "workload": workload}
    several = [f"{{{name}}}" for name, each in given.items() if each is not None]
    if len(several) > 1:
        raise ArgumentsError(f"give {' or '.join(several)}, not both")
    if (request_bytes is None) != (response_bytes is None):
        raise ArgumentsError("give {request_bytes} and {response_bytes} together")
    found = ceiling_of(**line)
    per_ack = cast("int", segments_per_ack)
    sent, data, notes = None, found.to_dict(), [*found.stack.estimates]
    if workload is not None:
        named = given_workload(workload)
        require_one_size(named)
        sizes = (named.request_bytes, named.response_bytes)
        is_sent = named.is_stream
        sent = found.message(named.write_bytes) if is_sent else found.transaction(*sizes, per_ack)
        data["workload"], notes = named.id, [*notes, *named.assumptions]
    elif payload_bytes is not None:
        sent = found.message(cast("int", payload_bytes))
    elif request_bytes is not None and response_bytes is not None:
        sizes = cast("int", request_bytes), cast("int", response_bytes)
        sent = found.transaction(*sizes, per_ack)
    if per_ack is not None:
        data["acknowledged_payload_rate_bps"] = found.acknowledged_payload_rate_bps(per_ack)
    return _sentence(found, sent), {
        **(sent.to_dict() if sent else {}),
        **data,
        **({"notes": notes} if notes else {}),
    }


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
    rows = [
        {
            "bound": "upper",
            "frame_bytes": int(size),
            "frame_rate_fps": frame_rate_fps(rate_bps, size),
        }
        for size in sizes
    ]
    return (
        f"A {format_rate(rate_bps)} line carries at most {rows[0]['frame_rate_fps']:,.0f} frames "
        f"of {rows[0]['frame_bytes']} B a second.",
        rows,
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


def _tables(rows: _Rows) -> Iterator[str]:
    """Frames, or layers: those with options again with these."""
    lists: list[str] = [name for name in ("inside", "options") if name in rows[0]]
    others = [name for name in rows[0] if name not in ("bound", "inside", "options", "estimate")]
    for last in lists or [""]:
        shown = [row for row in rows if row.get(last, True)]
        yield rows_table([{name: row[name] for name in [*others, last] if name} for row in shown])


def _text(answer: _Answer, is_verbose: bool) -> Iterator[str]:
    sentence, data = answer
    yield wrapped(sentence)
    if isinstance(data, list):
        yield from _tables(data) if len(data) > 1 else ()
        return
    yield rows_table(data["parts"])
    layers = {name: data["layer_rates_bps"][name] for name in ("layer2", "layer3")}
    fields = {name: each for name, each in data.items() if name not in _IN_THE_ANSWER}
    yield fields_table((fields | {"layer_rates_bps": layers}).items(), RATE_DIGITS)
    yield notes_text(data.get("notes", ()), is_verbose)


ceiling = answering(
    line,
    _text,
    data=lambda answer: answer[1],
    first=("line_rate_bps", "mtu_bytes", "link_mtu_bytes", "stack"),
    documented_by=ceiling_of,
    name="ceiling",
)
