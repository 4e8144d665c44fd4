"""Options that say what lies between two applications."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from netmodel.path import StatedPath
    from netmodel.records import Adapter

__all__ = ["path_options", "stated_path"]

_Command = TypeVar("_Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--sender", help="Adapter of the side that sends more of the payload."),
    click.option("--receiver", help="Adapter of the other side."),
)


def path_options(command: _Command) -> _Command:
    """Options for the adapters at both ends."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def stated_path(
    sender: str | None, receiver: str | None, line_rate_bps: float | None
) -> "StatedPath | None":
    """The path that the options state; None where they state none."""
    from netmodel.path import StatedPath

    if sender is None and receiver is None:
        return None
    if sender is None or receiver is None:
        raise click.UsageError("give --sender and --receiver, or neither")
    return StatedPath(_adapter(sender), _adapter(receiver), line_rate_bps)


def _adapter(name: str) -> "Adapter":
    from netmodel.records import adapter, load_adapter

    return load_adapter(name) if name.endswith(".toml") else adapter(name)
