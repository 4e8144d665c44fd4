"""Plots are drawn into memory, and closed after each test."""

from collections.abc import Iterator
from types import ModuleType

import pytest


@pytest.fixture
def plt() -> Iterator[ModuleType]:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    yield plt
    plt.close("all")
