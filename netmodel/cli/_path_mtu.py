"""``netmodel path-mtu``."""

from difflib import get_close_matches

import click

from netmodel.cli._console import print_json, wrapped
from netmodel.cli._options import SIZE, json_option
from netmodel.framing import Hop, MtuFate, PathMtu, parse_stack, tcp_stack
from netmodel.report import text_table

_FORM = "NAME=MTU[,silent][,STACK]"


class _HopType(click.ParamType[Hop]):
    """A hop as ``overlay=1500,silent,ipv4/udp/vxlan/ethernet/ipv4/tcp``."""

    name = "hop"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Hop:
        name, has_mtu, text = str(value).partition("=")
        mtu_text, *options = (part.strip() for part in text.split(","))
        if not (name and has_mtu and mtu_text and all(options)):
            self.fail(f"{value!r} is not a hop; write {_FORM}", param, ctx)
        for option in options:
            if option != "silent" and get_close_matches(option, ["silent"]):
                self.fail(f"unknown option {option!r} of a hop; did you mean silent?", param, ctx)
        mtu_bytes = int(SIZE.convert(mtu_text, param, ctx))
        stacks = [parse_stack(option) for option in options if option != "silent"]
        if len(stacks) > 1:
            self.fail(f"{value!r} has more than one stack; write {_FORM}", param, ctx)
        stack = stacks[0] if stacks else tcp_stack()
        return Hop(name, mtu_bytes, stack, sends_too_big="silent" not in options)


@click.command("path-mtu")
@click.argument("hops", nargs=-1, required=True, type=_HopType(), metavar="HOP...")
@click.option("--sender-mtu", "sender_mtu_bytes", type=SIZE, help="MTU of the sending interface.")
@json_option
def path_mtu(hops: tuple[Hop, ...], sender_mtu_bytes: int | None, as_json: bool) -> None:
    """Find the path MTU, and what becomes of larger packets.

    Each HOP is NAME=MTU[,silent][,STACK], in the order from sender to receiver. MTU is the Ethernet
    MTU of the hop; PPPoE and MPLS in front of IP take their bytes from it. "silent" marks a hop
    that drops larger packets without an answer, as a bridge or a MacVTap interface does. STACK is
    the headers of a tunnel or session, such as ipv4/udp/vxlan/ethernet/ipv4/tcp or pppoe/ipv4/tcp;
    ethernet/ in front may be left out.

    Exit code 1: full packets of --sender-mtu stall.

    \b
    Example: netmodel path-mtu --sender-mtu 9000 lan=9000 bridge=1500,silent
    """
    path = PathMtu(hops)
    outcome = None if sender_mtu_bytes is None else path.outcome(sender_mtu_bytes)
    if as_json:
        print_json(path.to_dict() | (outcome.to_dict() if outcome else {}))
    else:
        names = " and ".join(hop.name for hop in path.smallest_hops)
        answer = f"path MTU {path.mtu_bytes}, set by {names}"
        if outcome:
            answer = f"{answer}; {outcome.fate.value}: {outcome.reason}"
        click.echo(f"{wrapped(answer)}\n")
        head = ("hop", "MTU", "Ethernet MTU", "packets too big", "headers")
        click.echo(text_table([head, *map(_row, path.hops)], right_aligned=[1, 2]))
        for hop in path.hops:
            if hop.note:
                click.echo(wrapped(f"\n{hop.note}"))
    click.get_current_context().exit(int(outcome is not None and outcome.fate is MtuFate.STALLS))


def _row(hop: Hop) -> tuple[str, str, str, str, str]:
    answer = "reported" if hop.sends_too_big else "dropped"
    return hop.name, str(hop.mtu_bytes), str(hop.link_mtu_bytes), answer, str(hop.stack)
