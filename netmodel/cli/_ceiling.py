"""``netmodel ceiling``: one line, frames a second, or the layers of the stack grammar."""

from typing import Annotated, Any

from netmodel.api import ceiling as ceiling_of
from netmodel.api.arguments import ArgumentsError, listed_values
from netmodel.api.kinds import Windows
from netmodel.ceilings import frame_rate_fps
from netmodel.cli._derived import Stated, answering
from netmodel.framing import LAYER_FORMS
from netmodel.text import RATE_DIGITS
from netmodel.units import format_rate

_FRAMES_BYTES = (64, 128, 256, 512, 1024, 1280, 1518)
"""Frame sizes of RFC 2544, section 9.1, for Ethernet."""
_STATED = ("line_rate_bps", "mtu_bytes", "payload_rate_bps", "bound")


def line(
    *,
    frame_bytes: Windows | None = None,
    packets: bool = False,
    list_: bool = False,
    **line: Annotated[Any, ceiling_of],
) -> Stated:
    """
    Print what an Ethernet line carries at most, and why.

    Every byte of a frame that is not payload is listed. Give --line-rate, and --mtu or --link-mtu.
    With --frame or --packets it prints the frames a second, small ones as routers and DPDK count
    them.

    \b
    Example: netmodel ceiling --line-rate 25Gbit/s --mtu 9000

    Parameters
    ----------
    frame_bytes : str, optional
        Frames a second of this size, from destination address to FCS, such as 64. [byte]
    packets : bool
        Frames a second of each size of RFC 2544.
    list_ : bool
        List known layers, or formulas; those of --stack with their bytes.
    """
    if list_:
        known = {name: each.make(**each.defaults).fixed_bytes for name, each in LAYER_FORMS.items()}
        layers = [
            {"name": name, "bytes": size, "options": LAYER_FORMS[name].options}
            for name, size in known.items()
        ]
        return Stated("Layers of --stack:", layers)
    if "line_rate_bps" not in line:
        raise ArgumentsError("give {line_rate_bps}")
    rate = format_rate(line["line_rate_bps"])
    if frame_bytes is not None or packets:
        if beside := sorted(line.keys() - {"line_rate_bps"}):
            problem = "{frame_bytes} and {packets} are of frames: leave out {%s}"
            raise ArgumentsError(problem % beside[0])
        sizes = _FRAMES_BYTES if packets else listed_values(frame_bytes)
        rates = {int(size): frame_rate_fps(line["line_rate_bps"], size) for size in sizes}
        least, most = min(rates.items())
        rows = [{"bound": "upper", "frame_bytes": n, "frame_rate_fps": rates[n]} for n in rates]
        sentence = f"A {rate} line carries at most {most:,.0f} frames of {least} B a second."
        return Stated(sentence, rows, _STATED)
    found = ceiling_of(**line)
    outer, carried = found.outer_packet_bytes, format_rate(found.payload_rate_bps, RATE_DIGITS)
    around = f" (at least {outer} outside the tunnel)" if outer > found.mtu_bytes else ""
    at = f"at MTU {found.mtu_bytes}{around} with {found.stack}"
    notes = {"notes": [*found.stack.estimates]} if found.stack.estimates else {}
    sentence = f"A {rate} line carries at most {carried} of payload {at}."
    return Stated(sentence, found.to_dict() | notes, _STATED, RATE_DIGITS)


ceiling = answering(line, first=("line_rate_bps", "mtu_bytes", "link_mtu_bytes", "stack"))
