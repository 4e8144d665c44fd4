"""The command line: arguments in, text or JSON out."""

from netmodel.packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from netmodel.cli._main import main as main
    from netmodel.cli._main import run as run
