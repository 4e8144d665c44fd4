"""For tests of your own: what to draw, which laws to check, and runs that have to pass."""

from typing import TYPE_CHECKING, Any

from netmodel._lazy import extra
from netmodel._packages import loaded_when_used

if TYPE_CHECKING:
    from netmodel.testing._frames import (
        composed_stacks,
        full_packets,
        invalid_line_rates,
        invalid_mtus,
        invalid_stacks,
        line_rates,
        mtus,
        stacks,
    )
    from netmodel.testing._judged import judged
    from netmodel.testing._laws import (
        assert_bounded,
        assert_inverse,
        assert_monotone,
        assert_refuses,
        assert_same_for_arrays,
        assert_scales,
    )
    from netmodel.testing._paths import (
        PathCase,
        adapters,
        invalid_adapters,
        invalid_paths,
        invalid_workloads,
        path_cases,
        paths,
        stages,
        workloads,
    )
    from netmodel.testing._results import (
        impossible_measurements,
        invalid_measurements,
        invalid_series,
        measurements,
        series,
    )

__all__ = [
    "PathCase",
    "adapters",
    "assert_bounded",
    "assert_inverse",
    "assert_monotone",
    "assert_refuses",
    "assert_same_for_arrays",
    "assert_scales",
    "composed_stacks",
    "full_packets",
    "impossible_measurements",
    "invalid_adapters",
    "invalid_line_rates",
    "invalid_measurements",
    "invalid_mtus",
    "invalid_paths",
    "invalid_series",
    "invalid_stacks",
    "invalid_workloads",
    "judged",
    "line_rates",
    "measurements",
    "mtus",
    "path_cases",
    "paths",
    "series",
    "stacks",
    "stages",
    "workloads",
]

_attribute = loaded_when_used(
    __name__,
    {
        "_frames": (
            *("composed_stacks", "full_packets", "line_rates", "mtus", "stacks"),
            *("invalid_line_rates", "invalid_mtus", "invalid_stacks"),
        ),
        "_judged": ("judged",),
        "_laws": (
            *("assert_bounded", "assert_inverse", "assert_monotone", "assert_refuses"),
            *("assert_same_for_arrays", "assert_scales"),
        ),
        "_paths": (
            *("PathCase", "adapters", "path_cases", "paths", "stages", "workloads"),
            *("invalid_adapters", "invalid_paths", "invalid_workloads"),
        ),
        "_results": (
            *("impossible_measurements", "measurements", "series"),
            *("invalid_measurements", "invalid_series"),
        ),
    },
)


def __getattr__(name: str) -> Any:
    with extra("testing"):
        return _attribute(name)
