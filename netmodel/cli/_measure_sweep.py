"""``netmodel measure --sweep``: asks for each change of an interface, and never makes one."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from netmodel.api._measure import RecordingArguments
from netmodel.cli._options import SizeSweep
from netmodel.measuring._facts import settings_of_host
from netmodel.measuring._record import default_place, require_empty, require_runnable
from netmodel.measuring._shown import shown_of

if TYPE_CHECKING:
    from netmodel.measuring._measured import MeasuredRun

_SKIP = "s"
_QUIT = "q"


def mtu_of_interface(
    command: Sequence[str], recording: RecordingArguments
) -> Callable[[], tuple[str | None, int | None]]:
    """A function that looks up the interface of the connection and its MTU, as they are then."""
    call = require_runnable(command)
    peer = recording.peer or call.peer

    def looked_up() -> tuple[str | None, int | None]:
        facts = settings_of_host(peer, recording.interface, call.ip_version)
        shown = shown_of(facts, recording.interface)
        return shown.interface, shown.mtu_bytes

    return looked_up


def swept(
    sweep: SizeSweep,
    recording: RecordingArguments,
    looked_up: Callable[[], tuple[str | None, int | None]],
    one: Callable[[RecordingArguments], "MeasuredRun"],
) -> list[tuple[int, "MeasuredRun"]]:
    """
    A run at each MTU, once the user has set it.

    Parameters
    ----------
    sweep : SizeSweep
        The MTUs.
    recording : RecordingArguments
        Its folder gets one for each MTU.
    looked_up : callable
        Interface of the connection, and its MTU at that time.
    one : callable
        Measures, prints and returns.
    """
    if sweep.name != "mtu":
        raise click.UsageError(f"--sweep {sweep.name}: measure sweeps the MTU alone, as mtu=...")
    place = default_place() if recording.folder is None else Path(recording.folder)
    require_empty(place)
    name, first_bytes = looked_up()
    if name is None or first_bytes is None:
        raise click.UsageError("--sweep: the interface to the peer is not known: give --interface")
    runs = []
    for mtu_bytes in sweep.values:
        answer = ""
        while looked_up()[1] != mtu_bytes and answer not in (_SKIP, _QUIT):
            click.echo(
                f"MTU {mtu_bytes}: run this here and the same at the other host, then press Enter "
                f"({_SKIP} skips it, {_QUIT} ends):\n{_change(name, mtu_bytes)}",
                err=True,
            )
            answer = click.prompt("", default="", show_default=False, prompt_suffix="> ", err=True)
        if answer == _QUIT:
            break
        if answer != _SKIP:
            folder = place / f"mtu-{mtu_bytes}"
            runs.append((mtu_bytes, one(replace(recording, folder=folder))))
    if looked_up()[1] != first_bytes:
        click.echo(f"to set the MTU back:\n{_change(name, first_bytes)}", err=True)
    return runs


def _change(name: str, mtu_bytes: int) -> str:
    return f"    ip link set dev {shlex.quote(name)} mtu {mtu_bytes}"
