"""``netmodel path-mtu``."""

from difflib import get_close_matches
from typing import Any

import click

from netmodel.cli._options import SIZE, json_option, print_json
from netmodel.framing import Hop, MtuFate, PathMtu, parse_stack, tcp_stack
from netmodel.report import text_table

__all__ = ["path_mtu"]

_FORM = "NAME=MTU[,silent][,STACK]"


class _HopType(click.ParamType[Hop]):
    """A hop as ``overlay=1500,silent,ipv4/udp/vxlan/ethernet/ipv4/tcp``."""

    name = "hop"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Hop:
        name, has_mtu, text = value.partition("=")
        mtu_text, *options = (part.strip() for part in text.split(","))
        if not (name and has_mtu and mtu_text and all(options)):
            self.fail(f"{value!r} is no hop; write {_FORM}", param, ctx)
        for option in options:
            if option != "silent" and get_close_matches(option, ["silent"]):
                self.fail(f"unknown option {option!r} of a hop; did you mean silent?", param, ctx)
        mtu_bytes = int(SIZE.convert(mtu_text, param, ctx))
        stacks = [parse_stack(option) for option in options if option != "silent"]
        if len(stacks) > 1:
            self.fail(f"{value!r} has more than one stack; write {_FORM}", param, ctx)
        stack = stacks[0] if stacks else tcp_stack()
        return Hop(name, mtu_bytes, stack, tells_too_big="silent" not in options)


@click.command("path-mtu")
@click.argument("hops", nargs=-1, required=True, type=_HopType(), metavar="HOP...")
@click.option("--sender-mtu", "sender_mtu_bytes", type=SIZE, help="MTU of the sending interface.")
@json_option
@click.pass_context
def path_mtu(
    ctx: click.Context, hops: tuple[Hop, ...], sender_mtu_bytes: int | None, as_json: bool
) -> None:
    """Find the largest packet over several hops, and what becomes of the sender's.

    Each HOP is NAME=MTU[,silent][,STACK], in the order from sender to receiver. MTU is that of
    Ethernet on the hop, from which PPPoE and MPLS in front of IP take their bytes. "silent" is a
    hop that drops larger packets without an answer, as a bridge or a MacVTap interface does. STACK
    is the headers on it where it is a tunnel or a session, such as
    ipv4/udp/vxlan/ethernet/ipv4/tcp or pppoe/ipv4/tcp; ethernet/ in front may be left out.

    Exit code 1 where the sender's full packets stall.
    """
    path = PathMtu(hops)
    outcome = None if sender_mtu_bytes is None else path.outcome(sender_mtu_bytes)
    if as_json:
        print_json(path.to_dict() | (outcome.to_dict() if outcome else {}))
    else:
        head = ("hop", "MTU", "Ethernet MTU", "packets too big", "headers")
        click.echo(text_table([head, *map(_row, path.hops)], right_aligned=[1, 2]))
        for hop in path.hops:
            if hop.note:
                click.echo(f"\n{hop.note}")
        names = " and ".join(hop.name for hop in path.smallest_hops)
        click.echo(f"\npath MTU {path.mtu_bytes}, set by {names}")
        if outcome:
            click.echo(f"{outcome.fate.value}: {outcome.reason}")
    ctx.exit(int(outcome is not None and outcome.fate is MtuFate.STALLS))


def _row(hop: Hop) -> tuple[str, str, str, str, str]:
    answer = "reported" if hop.tells_too_big else "dropped"
    return hop.name, str(hop.mtu_bytes), str(hop.link_mtu_bytes), answer, str(hop.stack)
