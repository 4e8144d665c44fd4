"""The group of all commands, and what errors become."""

import io
import sys
from typing import Any

import click

from netmodel import __version__
from netmodel.cli._audit import audit
from netmodel.cli._calibrate import calibrate
from netmodel.cli._catalog import catalog
from netmodel.cli._ceiling import ceiling
from netmodel.cli._check import check
from netmodel.cli._consumption import consumption
from netmodel.cli._demo import demo
from netmodel.cli._evidence import evidence
from netmodel.cli._frame import frame
from netmodel.cli._interface_load import interface_load
from netmodel.cli._path_mtu import path_mtu
from netmodel.cli._pcie import pcie
from netmodel.cli._plan import plan
from netmodel.cli._predict import predict
from netmodel.cli._rps import rps
from netmodel.errors import NetmodelError, ParseError

__all__ = ["main"]


class _FileFault(click.ClickException):
    """A file that cannot be read or is not valid."""

    exit_code = 3


class _Group(click.Group):
    """Turns what netmodel refuses into one line and exit code 2, or 3 where it is a file."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except ParseError as error:
            raise _FileFault(str(error)) from error
        except NetmodelError as error:
            raise click.UsageError(str(error)) from error
        except BrokenPipeError:
            raise
        except OSError as error:
            raise click.UsageError(f"cannot write: {error.strerror}") from error


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="netmodel")
def main() -> None:
    """What a network path should deliver, what it costs in CPU, and whether a result is plausible.

    Rates and times need a unit (25Gbit/s, 25G, 1.2us); a bare size is in bytes.

    Exit codes: 0 fine, 1 a gate failed, 2 wrong argument, 3 unreadable or invalid file.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


for command in (
    *(audit, calibrate, catalog, ceiling, check, consumption, demo, evidence),
    *(frame, interface_load, path_mtu, pcie, plan, predict, rps),
):
    main.add_command(command)
