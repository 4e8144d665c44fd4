"""All commands, and all options of them."""

from collections.abc import Iterator

import click

from netmodel.cli import main

__all__ = ["COMMANDS", "OPTIONS"]


def commands(
    command: click.Command = main, path: tuple[str, ...] = ()
) -> Iterator[tuple[str, click.Command]]:
    yield " ".join(path) or "netmodel", command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from commands(inner, (*path, name))


COMMANDS = dict(commands())
"""By their names with spaces between."""
OPTIONS = {
    (path, parameter.opts[-1]): parameter
    for path, command in COMMANDS.items()
    for parameter in command.params
    if isinstance(parameter, click.Option)
}
"""By command and by the last of its names."""
