"""What a network path should deliver, what it costs in CPU, and whether a result is plausible."""

import importlib
from types import ModuleType

__version__ = "0.1.0"
__all__ = [
    "calibration",
    "ceilings",
    "concurrency",
    "consumption",
    "errors",
    "framing",
    "judging",
    "path",
    "planning",
    "readers",
    "records",
    "report",
    "transport",
    "tuning",
    "units",
]


def __getattr__(name: str) -> ModuleType:
    if name in __all__:
        return importlib.import_module(f"netmodel.{name}")
    raise AttributeError(f"module 'netmodel' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
