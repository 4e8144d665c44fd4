"""For tests of your own: what to draw, and which laws to check."""

from typing import Any

from netmodel.lazy import extra
from netmodel.packages import LoadedWhenUsed

with LoadedWhenUsed(__name__) as _names:
    from netmodel.testing._laws import assert_bounded as assert_bounded
    from netmodel.testing._laws import assert_inverse as assert_inverse
    from netmodel.testing._laws import assert_monotone as assert_monotone
    from netmodel.testing._laws import assert_refuses as assert_refuses
    from netmodel.testing._laws import assert_same_for_arrays as assert_same_for_arrays
    from netmodel.testing._laws import assert_scales as assert_scales
    from netmodel.testing._strategies import line_rates as line_rates
    from netmodel.testing._strategies import mtus as mtus
    from netmodel.testing._strategies import stacks as stacks
    from netmodel.testing._strategies import workloads as workloads


def __getattr__(name: str) -> Any:
    with extra("testing"):
        return _names.attribute(name)
