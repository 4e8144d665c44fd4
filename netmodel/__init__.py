"""What a network path should deliver, what it costs in CPU, and whether a result is plausible."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from netmodel.api import (
        calibrate,
        ceiling,
        check,
        compare,
        measure,
        plan,
        plan_scenario,
        predict,
        show_versions,
        sweep,
    )

__version__ = "0.2.0"
__all__ = [
    "api",
    "calibrate",
    "calibration",
    "ceiling",
    "ceilings",
    "check",
    "compare",
    "concurrency",
    "consumption",
    "errors",
    "framing",
    "judging",
    "measure",
    "path",
    "plan",
    "plan_scenario",
    "planning",
    "predict",
    "readers",
    "records",
    "report",
    "show_versions",
    "sweep",
    "symbolic",
    "testing",
    "transport",
    "tuning",
    "units",
]


_QUESTIONS = frozenset(
    {"calibrate", "ceiling", "check", "compare", "measure", "plan", "plan_scenario"}
    | {"predict", "show_versions", "sweep"}
)
"""Names of `netmodel.api` that are here too, loaded when they are used."""


def __getattr__(name: str) -> Any:
    if name in _QUESTIONS:
        return getattr(importlib.import_module("netmodel.api"), name)
    if name in __all__:
        return importlib.import_module(f"netmodel.{name}")
    raise AttributeError(f"module 'netmodel' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
