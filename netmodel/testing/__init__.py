"""For tests of your own: what to draw, and which laws to check."""

from typing import Any

from netmodel.lazy import extra
from netmodel.packages import LoadedWhenUsed

with LoadedWhenUsed(__name__) as _names:
    from ._laws import assert_bounded as assert_bounded
    from ._laws import assert_inverse as assert_inverse
    from ._laws import assert_monotone as assert_monotone
    from ._laws import assert_refuses as assert_refuses
    from ._laws import assert_same_for_arrays as assert_same_for_arrays
    from ._laws import assert_scales as assert_scales
    from ._strategies import line_rates as line_rates
    from ._strategies import mtus as mtus
    from ._strategies import stacks as stacks
    from ._strategies import workloads as workloads


def __getattr__(name: str) -> Any:
    with extra("testing"):
        return _names.attribute(name)
