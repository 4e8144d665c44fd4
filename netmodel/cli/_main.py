"""The group of all commands, and what errors become."""

import atexit
import gc
import os
import shutil
import sys
from collections.abc import Iterable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from netmodel import __version__
from netmodel._reading import noting_files, status_of
from netmodel._terminal import TABLE_WIDTH, known_width
from netmodel._text import near_name
from netmodel.cli._console import UNREADABLE_EXIT_CODE, printable_streams
from netmodel.errors import NetmodelError, ParseError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_COMMANDS = {
    "calibrate": "Estimate model parameters from measurements.",
    "calibrate host": "Estimate what a host spends, from runs with CPU data.",
    "catalog": "Records of adapters, hosts, paths, workloads.",
    "ceiling": "Print what an Ethernet line carries at most, and why.",
    "check": "Judge results of iperf3 and other tools against limits.",
    "compare": "Compare two cases: what a change of adapter or MTU gains.",
    "consumption": "CPU cost per data: convert, compare, CPUs needed.",
    "explain": "Print a calculation: formula, numbers, result and source.",
    "measure": "Run a tool, record its hosts, judge the result.",
    "measure facts": "Facts of this host, for measure at the other one.",
    "path-mtu": "Find the path MTU, and what becomes of larger packets.",
    "pcie": "Print what an adapter can move over PCIe, by frame size.",
    "plan": "Plan adapters and CPUs for a demand, with spares.",
    "predict": "Predict throughput, CPU cost and bottleneck of a path.",
    "published": "List what documents print of adapters, paths, workloads.",
    "rps": "Encode and decode masks of CPUs for packet steering.",
    "sweep": "Predict over a grid of arguments.",
}
"""What `--help` lists: each command with the first sentence of its own help, without loading it."""

_COMPLETE_VARIABLE = "_NETMODEL_COMPLETE"
"""Environment variable by which click is asked for the script of a shell, and what can follow."""
_RARER = 1000
"""The search for garbage then comes after some 700 000 objects, more than a command makes."""


class _FileFault(click.ClickException):
    """A file that cannot be read or is not valid."""

    exit_code = UNREADABLE_EXIT_CODE


_USUAL_WIDTH = 60
"""Columns from which on the names of options take as many as click gives them."""


class _Formatter(click.HelpFormatter):
    """Lists options in a third of a narrow terminal, so that their texts keep the rest."""

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        most = col_max if self.width >= _USUAL_WIDTH else max(self.width // 3, 1)
        super().write_dl(rows, most, col_spacing)


class _Context(click.Context):
    formatter_class = _Formatter


def _with_context(command: click.Command) -> click.Command:
    """The command, and those in it, with help for narrow terminals."""
    command.context_class = _Context
    for each in getattr(command, "commands", {}).values():
        _with_context(each)
    return command


class _Group(click.Group):
    """
    Loads the command that is asked for, as loading all takes longer than most of them.

    Turns what netmodel refuses into one line and exit code 2, or 3 where it is a file.
    """

    context_class = _Context

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        name = cmd_name.replace("-", "_").replace(" ", "_")
        command: click.Command = getattr(import_module(f"netmodel.cli._{name}"), name)
        return _with_context(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands from their texts above: loading all takes longer than most."""
        listed = [click.Command(name, help=text) for name, text in _COMMANDS.items()]
        click.Group(commands=listed).format_commands(ctx, formatter)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem[str]]":
        """Options, and commands without loading any; the second word of one is completed later."""
        from click.shell_completion import CompletionItem

        names = (each for each in _COMMANDS if " " not in each and each.startswith(incomplete))
        return [*map(CompletionItem, names), *click.Command.shell_complete(self, ctx, incomplete)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """A command of two words comes before that of its first one."""
        two_words = " ".join(args[:2])
        if len(args) > 1 and two_words in _COMMANDS:
            args = [two_words, *args[2:]]
        elif ctx.resilient_parsing:  # a line that is being typed
            pass
        elif near := _second_word_meant(args):
            ctx.fail(f"No such command {two_words!r}. Did you mean {near!r}?")
        elif args[0] not in _COMMANDS and not args[0].startswith("-"):
            near = near_name(args[0], _COMMANDS)
            hint = f"Did you mean {near!r}?" if near else f"{ctx.info_name} --help lists all."
            ctx.fail(f"No such command {args[0]!r}. {hint}")
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        if _COMPLETE_VARIABLE in os.environ:  # a shell reads lines as they are
            return super().main(*args, **kwargs)
        with printable_streams():
            width = known_width()
            # of itself click takes 50 columns at least
            narrow = width if width is not None and width < TABLE_WIDTH else None
            return super().main(*args, **{"terminal_width": narrow, **kwargs})

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with noting_files():
                return super().invoke(ctx)
        except ParseError as error:
            raise _FileFault(str(error)) from error
        except NetmodelError as error:
            raise click.UsageError(str(error)) from error
        except OSError as error:
            place = error.filename or "cannot write"
            raise click.UsageError(f"{place}: {error.strerror}") from error


def _second_word_meant(args: list[str]) -> str | None:
    """The command of two words whose second one is misspelt, and stands for nothing else."""
    if len(args) < 2 or args[1].startswith("-"):
        return None
    near = near_name(args[1], [each.split()[-1] for each in _COMMANDS if " " in each])
    meant = f"{args[0]} {near}"
    is_other = shutil.which(args[1]) is not None or status_of(args[1]) is not None
    return meant if near and meant in _COMMANDS and not is_other else None


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
    help="Also use the records, rows and measurements in DIRECTORY, laid out as the bundled "
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
    # pydantic would look for plugins in the metadata of every installed distribution
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    if "measure" not in sys.argv:  # whose program would inherit it
        # matrices of a command are small: more threads would only wait, which takes CPU time
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(_RARER * gc.get_threshold()[0])
    atexit.register(gc.freeze)
    main(prog_name="netmodel")
