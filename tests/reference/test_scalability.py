"""The universal scalability law: the example of the R package usl."""

import numpy as np
import pytest

from netmodel.concurrency import scalability_rate_tps

LOADS = np.array([1, 18, 36, 72, 108, 144, 216])
RATES_TPS = np.array([64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2])
"""SPEC SDM91 on a SPARCcenter 2000: data set specsdm91 of the R package usl."""

PUBLISHED = (89.9952330, 0.0277285, 0.0001044)
"""README of the R package usl, version 3: gamma, alpha and beta of ``summary(usl.model)``."""


def test_residuals_are_those_that_the_package_prints() -> None:
    """There: -81.7, -48.3, -25.1, 29.5 and 111.1 for least, quartiles and most."""
    residuals = RATES_TPS - scalability_rate_tps(LOADS, *PUBLISHED)
    # the printed coherency has four digits, which leave 0.5 of the largest loads
    assert np.quantile(residuals, [0, 0.25, 0.5, 0.75, 1]) == pytest.approx(
        [-81.7, -48.3, -25.1, 29.5, 111.1], abs=0.6
    )
