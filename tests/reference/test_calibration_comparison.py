"""What predicts the measured series of z/VM, Layer 3 and Layer 2 Comparisons, tables 5 to 12.

The expected errors are those of a study of the same tables with other programs: one
observation of each series left out at a time, mean absolute error of what is left out.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest

from netmodel.calibration import Fit, Observed, Point, fit
from netmodel.calibration.named_models import curve_model
from netmodel.records import dataset
from netmodel.units import BITS_PER_BYTE

pytestmark = pytest.mark.thorough

BITS_PER_MIB = BITS_PER_BYTE * 2**20
TABLES = range(5, 13)
REQUESTS = (5, 8, 11)
COUNT = "connection_count"

Series = Sequence[Observed]
Method = Callable[[Series], Fit]


def figures(table: int, layer: int, column: str) -> Iterator[tuple[int, float]]:
    rows = dataset("zvm-layer2-layer3").tables["measurements"].where(table=table, layer=layer)
    counts = rows.numbers(COUNT)
    yield from zip(map(int, counts), map(float, rows.numbers(column)), strict=True)


def exactly(quantity: str, value: float, **conditions: float) -> Observed:
    return Observed(quantity=quantity, at=conditions, low=value, high=value, value=value)


def rates(table: int, layer: int) -> Series:
    if table in REQUESTS:
        many = figures(table, layer, "transaction_rate_tps")
        return [exactly("transaction_rate_tps", value, connection_count=n) for n, value in many]
    many = figures(table, layer, "data_rate_mb_per_s")
    return [
        exactly("throughput_bps", value * BITS_PER_MIB, connection_count=n) for n, value in many
    ]


def every(series: object, tables: Iterable[int] = TABLES) -> list[Series]:
    return [series(table, layer) for table in tables for layer in (3, 2)]


def errors_of(method: Method, known: Series, wanted: Iterable[Observed]) -> list[float]:
    """Relative errors, without their signs."""
    values = (method(known).predict(Point(each.quantity, each.at)).value for each in wanted)
    return [abs(value / each.low - 1) for value, each in zip(values, wanted, strict=True)]


def left_out(method: Method, values: Iterable[Series], least_count: int = 1) -> list[float]:
    """Of each figure from the others of its series."""
    return [
        error
        for series in values
        for each in series
        if float(each.at.get(COUNT, least_count)) >= least_count
        for error in errors_of(method, [other for other in series if other is not each], [each])
    ]


def percent(errors: Sequence[float]) -> float:
    return 100 * float(np.mean(errors))


def fitted(model: Any) -> Method:
    return partial(fit, model=model)


def test_the_scalability_law_over_connections() -> None:
    """About 14 %: a latency that one connection waits for, and many share, is beyond it."""
    errors = left_out(fitted(curve_model("scalability")), every(rates, [11]))
    assert percent(errors) == pytest.approx(14, abs=0.5)


@pytest.mark.parametrize(("layer", "error"), [(3, 2.8), (2, 3.6)])
def test_a_power_of_the_connections(layer: int, error: float) -> None:
    errors = left_out(fitted(curve_model("power")), [rates(11, layer)])
    assert percent(errors) == pytest.approx(error, abs=0.05)


@pytest.mark.parametrize(
    ("layer", "error", "heavier"),
    [pytest.param(3, 3.5, 1.8, marks=pytest.mark.nightly), (2, 1.8, 1.3)],
)
def test_work_that_batches_share(layer: int, error: float, heavier: float) -> None:
    errors = left_out(fitted(curve_model("amortised")), [rates(11, layer)])
    assert percent(errors) == pytest.approx(error, abs=0.05)
    assert percent(errors[1:]) == pytest.approx(heavier, abs=0.05), "without one connection"


@pytest.mark.parametrize(("layer", "amortised"), [(3, 3.5), (2, 1.8)])
def test_batches_as_large_as_the_root_predict_better_with_one_parameter_less(
    layer: int, amortised: float
) -> None:
    """Work that batches of their own size share misses left-out figures by these per cent."""
    errors = left_out(fitted(curve_model("batching")), [rates(11, layer)])
    assert percent(errors) < amortised
    assert len(curve_model("batching").parameters) == 3


def test_batches_by_hand() -> None:
    """N / X = 300 + 9 (10 + 90 / 3) = 660 µs."""
    model = curve_model("batching")
    at = model.function([Point("transaction_rate_tps", {COUNT: 9})])
    assert [each.name for each in model.parameters] == ["delay_s", "least_s", "shared_s"]
    assert 9 / at(np.array([300e-6, 10e-6, 90e-6]))[0] == pytest.approx(660e-6)
