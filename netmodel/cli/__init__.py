"""The command line: arguments in, text or JSON out."""

from netmodel.cli._main import main, run

__all__ = ["main", "run"]
