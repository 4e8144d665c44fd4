"""``netmodel path-mtu``."""

from collections.abc import Sequence
from typing import Annotated, TypeAlias, cast

from netmodel.api.arguments import ArgumentsError
from netmodel.api.kinds import Kind, Size
from netmodel.cli._derived import Stated, answering
from netmodel.framing import Hop, MtuFate, PathMtu, parse_stack, tcp_stack
from netmodel.units import parse_size_bytes

_Hops: TypeAlias = Annotated[Sequence[str], Kind("hop", repeats=True)]


def between(hops: _Hops, /, *, sender_mtu_bytes: Size | None = None) -> Stated:
    """
    Find the path MTU, and what becomes of larger packets.

    Each HOP is NAME=MTU[,silent][,STACK], in the order from sender to receiver. MTU is the Ethernet
    MTU of the hop; PPPoE and MPLS in front of IP take their bytes from it. "silent" marks a hop
    that drops larger packets without an answer, as a bridge or a MacVTap interface does. STACK is
    the headers of a tunnel or session, such as ipv4/udp/vxlan/ethernet/ipv4/tcp or pppoe/ipv4/tcp;
    ethernet/ in front may be left out.

    Exit code 1: full packets of --sender-mtu stall.

    \b
    Example: netmodel path-mtu --sender-mtu 9000 lan=9000 bridge=1500,silent

    Parameters
    ----------
    sender_mtu_bytes : int or str, optional
        MTU of the sending interface. [byte]
    """
    path = PathMtu([_hop(each) for each in hops])
    names = " and ".join(hop.name for hop in path.smallest_hops)
    sentence, data = f"path MTU {path.mtu_bytes}, set by {names}", path.to_dict()
    if sender_mtu_bytes is not None:
        fate = path.outcome(cast("int", sender_mtu_bytes)).to_dict()
        sentence, data = f"{sentence}; {fate['fate']}: {fate['reason']}", data | fate
    return Stated(sentence, data, ("mtu_bytes", "smallest_hops", "fate", "packet_bytes", "reason"))


def _hop(text: str) -> Hop:
    """A hop as ``overlay=1500,silent,ipv4/udp/vxlan/ethernet/ipv4/tcp``."""
    name, _, rest = text.partition("=")
    mtu, *options = (part.strip() for part in rest.split(","))
    stacks = [option for option in options if option != "silent"]
    if not (name and mtu and all(options)) or len(stacks) > 1:
        raise ArgumentsError("{text!r} is not a hop; write NAME=MTU[,silent][,STACK]", text=text)
    stack = parse_stack(stacks[0]) if stacks else tcp_stack()
    return Hop(name, int(parse_size_bytes(mtu)), stack, sends_too_big="silent" not in options)


path_mtu = answering(
    between,
    exit_code=lambda answer: int(answer.data.get("fate") == MtuFate.STALLS.value),
)
