"""The command line: arguments in, text or JSON out."""

from netmodel.cli._main import main

__all__ = ["main"]
