"""NumPy, loaded when an array is met: loading it takes a third of the start of a command."""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy

    np = numpy
else:
    np = sys.modules[__name__]
    """This module, which has each name of NumPy from when it is looked up."""


def __getattr__(name: str) -> Any:
    if name.startswith("__"):  # which imports ask for
        raise AttributeError(name)
    value = globals()[name] = getattr(import_module("numpy"), name)
    return value
