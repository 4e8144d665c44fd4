"""Loops of recorded formulas as plain Python: what numba compiles, without its compiler."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["interpreted"]


def interpreted(source: str) -> Callable[..., int]:
    names: dict[str, Any] = {"np": np, "inf": math.inf, "nan": math.nan}
    exec(source, names)

    def loop(*arrays: Any) -> int:
        with np.errstate(all="ignore"):
            return int(names["loop"](*arrays))

    return loop
