"""``netmodel ceiling``, ``path-mtu`` and ``pcie``: frames on a line, over hops, over a bus."""

from collections.abc import Sequence
from typing import Annotated, Any

import netmodel.ceilings as formulas
from netmodel.api import ceiling as ceiling_of
from netmodel.api.arguments import ArgumentsError, listed_values
from netmodel.api.kinds import COUNT, RATE, SIZE, Kind, Windows
from netmodel.ceilings.pcie import FIRST_WITH_FLITS, USUAL_PAYLOAD_BYTES
from netmodel.cli._derived import Stated, answering
from netmodel.framing import Hop, MtuFate, PathMtu, parse_stack, tcp_stack
from netmodel.framing.grammar import known_layers
from netmodel.framing.lengths import FCS_BYTES
from netmodel.text import RATE_DIGITS
from netmodel.units import BITS_PER_BYTE, format_rate, parse_size_bytes

_RFC_2544_BYTES = (64, 128, 256, 512, 1024, 1280, 1518)
"""Frame sizes of RFC 2544, section 9.1, for Ethernet."""
_BUS_FRAMES_BYTES = (64, 128, 256, 512, 1024, 1518, 4096, 9018)
"""Powers of two as in RFC 2544, and full frames of MTU 1500 and 9000."""
_WAYS: dict[str, Any] = {
    "duplex": formulas.pcie_nic_duplex_rate_bps,
    "transmit": formulas.pcie_nic_transmit_rate_bps,
    "receive": formulas.pcie_nic_receive_rate_bps,
}
_WITHOUT_TRANSPORT = ("ethernet", "vlan", "qinq", "ipv4", "ipv6", "mpls", "pppoe", "gre")
"""Innermost layers of a stack that ends before the transport."""
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
    --capacity in its place says what a shaper or a contract allows, and is converted to each layer.
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
        return Stated("Layers of --stack:", known_layers())
    if line.keys().isdisjoint({"line_rate_bps", "capacity"}):
        raise ArgumentsError("give {line_rate_bps} or {capacity}")
    rate_bps, capacity = line.get("line_rate_bps"), " and ".join(line.get("capacity", ()))
    whose = f"{format_rate(rate_bps)} line" if rate_bps else f"capacity of {capacity}"
    carries = f"A {whose} carries at most"
    if frame_bytes is not None or packets:
        for name in sorted(line.keys() - {"line_rate_bps"}):
            problem = "{frame_bytes} and {packets} are of frames: leave out {%s}"
            raise ArgumentsError(problem % name)
        sizes = _RFC_2544_BYTES if packets else [*map(int, listed_values(frame_bytes))]
        rates = {size: formulas.frame_rate_fps(rate_bps, size) for size in sizes}
        rows = [{"bound": "upper", "frame_bytes": n, "frame_rate_fps": rates[n]} for n in rates]
        most = f"{rates[min(rates)]:,.0f} frames of {min(rates)} B a second"
        return Stated(f"{carries} {most}.", rows, _STATED)
    found = ceiling_of(**line)
    outer, innermost = found.outer_packet_bytes, found.stack.protocols[-1]
    carried = f"{format_rate(found.payload_rate_bps, RATE_DIGITS)} of payload"
    if innermost in _WITHOUT_TRANSPORT:
        carried += f" of {innermost} (no transport header)"
    around = f" (at least {outer} outside the tunnel)" if outer > found.mtu_bytes else ""
    sentence = f"{carries} {carried} at MTU {found.mtu_bytes}{around} with {found.stack}."
    notes = {"notes": [*found.stack.estimates]} if found.stack.estimates else {}
    return Stated(sentence, found.to_dict() | notes, _STATED, RATE_DIGITS)


def hops(
    hops: Annotated[Sequence[str], Kind("hop", repeats=True)],
    /,
    *,
    sender_mtu_bytes: Annotated[int | None, SIZE] = None,
) -> Stated:
    """
    Find the path MTU, and what becomes of larger packets.

    Each HOP is NAME=MTU[,silent][,STACK], in the order from sender to receiver. MTU is the Ethernet
    MTU of the hop; PPPoE and MPLS in front of IP take their bytes from it. "silent" marks a hop
    that drops larger packets without an answer, as a bridge or a MacVTap interface does. STACK is
    the headers of a tunnel or session, such as ipv4/udp/vxlan/ethernet/ipv4/tcp or pppoe/ipv4/tcp;
    ethernet/ in front may be left out.

    Exit code 1: full packets of the sender stall.

    \b
    Example: netmodel path-mtu --sender-mtu 9000 lan=9000 bridge=1500,silent

    Parameters
    ----------
    sender_mtu_bytes : int or str, optional
        MTU of the sending interface; that of the first hop by default. [byte]
    """
    path = PathMtu([_hop(each) for each in hops])
    names = " and ".join(hop.name for hop in path.smallest_hops)
    sent = path.hops[0].mtu_bytes if sender_mtu_bytes is None else sender_mtu_bytes
    fate = path.outcome(sent).to_dict()
    sentence = f"path MTU {path.mtu_bytes}, set by {names}; {fate['fate']}: {fate['reason']}"
    stated = ("mtu_bytes", "smallest_hops", "fate", "packet_bytes", "reason")
    return Stated(sentence, path.to_dict() | fate, stated)


def _hop(text: str) -> Hop:
    """Return a hop from ``overlay=1500,silent,ipv4/udp/vxlan/ethernet/ipv4/tcp``."""
    name, _, rest = text.partition("=")
    mtu, *options = (part.strip() for part in rest.split(","))
    stacks = [option for option in options if option != "silent"]
    if not (name and mtu and all(options)) or len(stacks) > 1:
        raise ArgumentsError("{text!r} is not a hop; write NAME=MTU[,silent][,STACK]", text=text)
    stack = parse_stack(stacks[0]) if stacks else tcp_stack()
    return Hop(name, int(parse_size_bytes(mtu)), stack, sends_too_big="silent" not in options)


def bus(
    *,
    generation: Annotated[int, COUNT],
    lanes: Annotated[int, COUNT],
    max_payload_bytes: Annotated[int, SIZE] = USUAL_PAYLOAD_BYTES,
    line_rate_bps: Annotated[float | None, RATE] = None,
) -> Stated:
    """
    Print what an adapter can move over PCIe, by frame size.

    Frames count from destination address to FCS; their Gbit/s leave out the FCS, which does not
    cross the link. The model is of a generic adapter with a kernel driver, not of a product, with
    64-bit addresses and read requests of 512 byte. --line-rate also shows the frame sizes for which
    PCIe cannot keep up.

    Parameters
    ----------
    generation : int or str
        PCIe generation, 1 to 6.
    lanes : int or str
        Number of lanes.
    max_payload_bytes : int or str
        Configured maximum payload size (MPS); 256 by default. [byte]
    line_rate_bps : float or str, optional
        MAC rate of the line, such as ``25e9`` or ``"25 Gbit/s"``. [bit/s]
    """
    link = (generation, lanes)
    common: dict[str, Any] = {
        "tlp_rate_bps": formulas.pcie_tlp_ceiling_bps(*link),
        "max_payload_bytes": max_payload_bytes,
        "adapter": formulas.PcieAdapter.KERNEL_DRIVER,
        "flit_mode": generation >= FIRST_WITH_FLITS,
    }
    frames = list[dict[str, Any]]()
    for size in _BUS_FRAMES_BYTES:
        row: dict[str, Any] = {"frame_bytes": size, "bound": "upper"}
        if line_rate_bps is not None:
            row["line_frame_rate_fps"] = formulas.frame_rate_fps(line_rate_bps, size)
        rates = {name: way(data_bytes=size - FCS_BYTES, **common) for name, way in _WAYS.items()}
        bits = BITS_PER_BYTE * (size - FCS_BYTES)
        row |= {f"{name}_frame_rate_fps": each / bits for name, each in rates.items()}
        frames.append(row | {f"{name}_rate_bps": each for name, each in rates.items()})
    data = {
        "generation": generation,
        "lanes": lanes,
        "max_payload_bytes": max_payload_bytes,
        "raw_rate_bps": formulas.pcie_raw_rate_bps(*link),
        "tlp_rate_bps": formulas.pcie_tlp_rate_bps(*link, max_payload_bytes),
        "bound": "upper",
        "frames": frames,
    }
    most = f"{frames[0]['duplex_frame_rate_fps']:,.0f} frames of {_BUS_FRAMES_BYTES[0]} B a second"
    moves = f"PCIe generation {generation} with {lanes} lanes moves at most {most}"
    return Stated(f"{moves} in both directions at once.", data, ("generation", "lanes", "bound"))


ceiling = answering(line, first=("line_rate_bps", "mtu_bytes", "link_mtu_bytes", "stack"))
path_mtu = answering(
    hops, exit_code=lambda answer: int(answer.data["fate"] == MtuFate.STALLS.value)
)
pcie = answering(bus)
