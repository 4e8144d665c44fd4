"""Noise of runs: what scatters, and the scatter of repeats."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from netmodel.calibration.observations import Observed
from netmodel.errors import DomainError
from netmodel.text import argument

Noise: TypeAlias = Literal["relative", "absolute"]
"""Scatter about the model is normal in the logarithm of the quantity (its standard deviation is a
ratio, as of rates, times and costs), or in the quantity itself."""
WIDTH_IN_SD = math.sqrt(12)
"""Width of a uniform distribution in its standard deviations."""


def noise_argument() -> str:
    """How the reader gives the noise of a run."""
    return argument("noise_ratio", "--noise")


def noise_unknown() -> str:
    """Why an interval is open."""
    return (
        "the run-to-run noise is not known (open interval): repeat a run, or give "
        f"{noise_argument()}"
    )


def require_noise(noise_ratio: float | None) -> None:
    """Refuse noise that is not above zero."""
    if noise_ratio is not None and not 0 < noise_ratio < math.inf:
        raise DomainError(f"noise_ratio must be above 0; got {noise_ratio!r}")


def widened(
    observed: Sequence[Observed], noise_ratio: float, level_ratio: float
) -> Iterator[Observed]:
    """
    Yield observations whose intervals jointly hold the mean of runs at a level.

    Each of n holds it at the level to the power of 1/n (Šidák), so that the joint level is at
    least the one asked for.
    """
    from scipy.special import ndtri

    reach = noise_ratio * float(ndtri((1 + level_ratio ** (1 / len(observed))) / 2))
    for each in observed:
        factor = math.exp(reach * math.sqrt(len(each.all_conditions)))
        yield replace(each, low=each.low / factor, high=each.high * factor)
