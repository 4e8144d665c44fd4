"""The command line: the group of all commands, and the process of one."""

import os
import signal
import sys
from contextlib import redirect_stderr
from importlib import import_module
from io import StringIO, TextIOWrapper
from types import ModuleType
from typing import Any

import click

from netmodel import __version__
from netmodel.terminal import fitted
from netmodel.text import printable

_MODULES = dict.fromkeys(("calibrate", "calibrate host", "check", "compare"), "questions")
_MODULES |= dict.fromkeys(("measure", "measure facts", "plan", "predict"), "questions")
_MODULES |= dict.fromkeys(("ceiling", "consumption", "path-mtu", "pcie", "rps"), "formulas")
_MODULES |= dict.fromkeys(("catalog", "explain", "published", "schema"), "formulas")
"""Module of each command."""


class _Group(click.Group):
    """Loads the command that is asked for, as loading all takes longer than most of them."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> Any:
        name = cmd_name.replace(" ", "_").replace("-", "_")
        module = _MODULES.get(cmd_name)
        return module and getattr(import_module(f"netmodel.cli._{module}"), name)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return the command of two words, else that of the first one."""
        words = " ".join(args[:2])
        return super().resolve_command(ctx, [words, *args[2:]] if words in _MODULES else args)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command; its messages reach the terminal without control characters."""
        stream, messages = sys.stderr, StringIO()
        try:
            with redirect_stderr(messages):
                return super().main(*args, obj=stream, **kwargs)
        finally:
            if text := printable(messages.getvalue()).rstrip():
                click.echo(fitted(text), err=True)


@click.group(
    cls=_Group,
    commands={name: click.Command(name) for name in _MODULES},
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="netmodel")
def main() -> None:
    """Predict throughput and CPU cost of network paths, and check measured results.

    Rates and times need a unit (25Gbit/s, 25G, 1.2us); a bare size is in bytes.

    Exit codes: 0 fine, 1 a gate failed, 2 wrong argument, 3 unreadable or invalid file.
    """


def run() -> None:
    """Run a command with what its process needs."""
    # in place of a module that reads the metadata of all distributions to find plugins of pydantic
    loader = sys.modules.setdefault("pydantic.plugin._loader", ModuleType("no plugins"))
    vars(loader).setdefault("get_plugins", tuple)
    if "measure" not in sys.argv:  # whose program would inherit it
        # matrices of a command are small: more threads would only wait, which takes CPU time
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if isinstance(sys.stdout, TextIOWrapper):  # what an encoding has not is printed as its number
        sys.stdout.reconfigure(errors="backslashreplace")
    if hasattr(signal, "SIGPIPE"):  # ends quietly after its reader, such as ``head``
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    main(prog_name="netmodel")
