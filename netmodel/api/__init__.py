"""Questions to the library, asked with ids, files, records or objects, and text with units."""

from typing import TYPE_CHECKING

from netmodel._packages import loaded_when_used

if TYPE_CHECKING:
    from netmodel.api._calibrate import calibrate
    from netmodel.api._calibrate_host import calibrate_host
    from netmodel.api._check import check
    from netmodel.api._compare import compare
    from netmodel.api._measure import measure
    from netmodel.api._questions import ceiling, plan, predict
    from netmodel.api._scenario import plan_scenario
    from netmodel.api._sweep import sweep
    from netmodel.api._versions import show_versions

__all__ = [
    "calibrate",
    "calibrate_host",
    "ceiling",
    "check",
    "compare",
    "measure",
    "plan",
    "plan_scenario",
    "predict",
    "show_versions",
    "sweep",
]

__getattr__ = loaded_when_used(
    __name__,
    {
        "_calibrate": ("calibrate",),
        "_calibrate_host": ("calibrate_host",),
        "_check": ("check",),
        "_compare": ("compare",),
        "_measure": ("measure",),
        "_questions": ("ceiling", "plan", "predict"),
        "_scenario": ("plan_scenario",),
        "_sweep": ("sweep",),
        "_versions": ("show_versions",),
    },
)
