"""
Hypothesis draws fresh examples on a desk, where each run tries others, and the same ones in
continuous integration.

With NETMODEL_MANY_EXAMPLES set, as at night, each law is tried as often as Hypothesis does itself,
or as a test says; by day no test draws more than twice what others do.
With NETMODEL_FEW_EXAMPLES set, as on the other Pythons, each law is tried a few times only, and
tests marked thorough are left out, unless ``-m`` names them.
Tests marked nightly run only where ``-m nightly`` asks for them.
Tests reach no other host.
"""

import gc
import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings
from offline import refuse_other_hosts

FEW = 10
"""On the other Pythons, and where faults are planted."""
SOME = 15
"""Each run on a desk draws others, and each night draws many."""
MANY = 100
EXAMPLES = MANY if os.environ.get("NETMODEL_MANY_EXAMPLES") else SOME

settings.register_profile("default", deadline=None, max_examples=EXAMPLES)
settings.register_profile(
    "ci", deadline=None, derandomize=True, print_blob=True, max_examples=EXAMPLES
)
os.environ.pop("COLUMNS", None)  # what a terminal asks of commands is not tested
refuse_other_hosts()
settings.load_profile("ci" if os.environ.get("CI") else "default")


def draw_few_examples() -> None:
    """Where the environment asks for it: also of law checks, which draw by themselves."""
    if os.environ.get("NETMODEL_FEW_EXAMPLES"):
        settings.register_profile("few", settings(), max_examples=FEW)
        settings.load_profile("few")


draw_few_examples()
gc.disable()  # until all tests are known: none of what is collected is garbage


def pytest_collection_finish() -> None:
    """Leave tests and libraries, a million objects, out of what is searched for garbage."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "nightly" not in config.option.markexpr:
        items[:] = [item for item in items if not item.get_closest_marker("nightly")]
        if EXAMPLES < MANY:
            draw_at_most(items, 2 * EXAMPLES)
    if not os.environ.get("NETMODEL_FEW_EXAMPLES"):
        return
    if "thorough" not in config.option.markexpr:
        items[:] = [item for item in items if not item.get_closest_marker("thorough")]
    draw_at_most(items, FEW)


def draw_at_most(items: list[pytest.Item], most: int) -> None:
    """Also in tests that say themselves how many examples they draw."""
    for item in items:
        test = getattr(item, "obj", None)
        known = getattr(test, "_hypothesis_internal_use_settings", None)
        if known is not None and known.max_examples > most:
            fewer = settings(known, max_examples=most)
            test._hypothesis_internal_use_settings = fewer  # type: ignore[union-attr]


@pytest.fixture(autouse=True)
def _figures_closed() -> Iterator[None]:
    """Plots of a test end with it: pyplot keeps every figure, and warns of more than twenty."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
