"""The group of all commands, and what errors become."""

import atexit
import gc
from functools import partial
from importlib import import_module
from typing import Any

import click

from netmodel import __version__
from netmodel.cli._console import UNREADABLE_EXIT_CODE, printable_streams
from netmodel.errors import NetmodelError, ParseError

_COMMANDS = (
    *("audit", "calibrate", "calibrate host", "catalog", "ceiling", "check", "compare"),
    *("consumption", "demo", "evidence", "frame", "interface-load", "path-mtu", "pcie", "plan"),
    *("predict", "rps", "sweep"),
)


_RARER = 1000
"""The search for garbage then comes after some 700 000 objects, more than a command makes."""


class _FileFault(click.ClickException):
    """A file that cannot be read or is not valid."""

    exit_code = UNREADABLE_EXIT_CODE


class _Group(click.Group):
    """
    Loads the command that is asked for, as loading all takes longer than most of them.

    Turns what netmodel refuses into one line and exit code 2, or 3 where it is a file.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        name = cmd_name.replace("-", "_").replace(" ", "_")
        command: click.Command = getattr(import_module(f"netmodel.cli._{name}"), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """A command of two words comes before that of its first one."""
        two_words = " ".join(args[:2])
        if len(args) > 1 and two_words in _COMMANDS:
            args = [two_words, *args[2:]]
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        with printable_streams():
            return super().main(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except ParseError as error:
            raise _FileFault(str(error)) from error
        except NetmodelError as error:
            raise click.UsageError(str(error)) from error
        except OSError as error:
            raise click.UsageError(f"cannot write: {error.strerror}") from error


@click.group(
    cls=_Group,
    # "color" keeps click from cutting out what looks like colours; it is printed as it can be seen
    context_settings={"help_option_names": ["-h", "--help"], "color": True},
)
@click.version_option(__version__, prog_name="netmodel")
@click.option(
    "--own-data",
    "directories",
    type=click.Path(exists=True, file_okay=False),
    multiple=True,
    envvar="NETMODEL_DATA",
    metavar="DIRECTORY",
    help="Also use the records, statements and measurements in DIRECTORY, laid out as the bundled "
    "data. Can be given several times; NETMODEL_DATA holds directories for all commands.",
)
@click.pass_context
def main(ctx: click.Context, directories: tuple[str, ...]) -> None:
    """What a network path should deliver, its CPU cost, and whether a result is plausible.

    Rates and times need a unit (25Gbit/s, 25G, 1.2us); a bare size is in bytes.

    Exit codes: 0 fine, 1 a gate failed, 2 wrong argument, 3 unreadable or invalid file.
    """
    if directories:
        from netmodel.records import register_data, unregister_data

        for directory in directories:
            register_data(directory)
            ctx.call_on_close(partial(unregister_data, directory))


def run() -> None:
    """
    Run a command in a process of its own.

    The objects of a command, some 100 000, stay until it ends. Searching them for cyclic garbage
    finds nothing and takes a third of the time of a short command, so it is done a thousand times
    as rarely, and not at all as the process ends.
    """
    gc.set_threshold(_RARER * gc.get_threshold()[0])
    atexit.register(gc.freeze)
    main(prog_name="netmodel")
