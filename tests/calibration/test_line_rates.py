"""Lines that a calibration was not given, and figures of documents that contradict each other."""

from typing import Any

import pytest

from netmodel.calibration import DemandModel, FreeParameter, Observed, Point
from netmodel.calibration.calibrations import line_rate_hints
from netmodel.calibration.sets import feasible_set

LINE_BPS = 10e9 * 1448 / 1538
"""Payload of full frames at MTU 1500 on a line of 10 Gbit/s."""


def seen(rate_bps: float, quantity: str = "throughput_bps", **at: Any) -> Observed:
    conditions = {"mtu_bytes": 1500, **at}
    return Observed(quantity=quantity, at=conditions, low=rate_bps, high=rate_bps)


@pytest.mark.parametrize(
    ("share", "is_near"),
    [(0.975, False), (0.9805, True), (0.999, True), (1.0045, True), (1.0055, False)],
)
def test_a_rate_close_to_that_of_a_usual_line_asks_for_it(share: float, is_near: bool) -> None:
    """From 98 % of the payload of full frames to half a percent more."""
    observed = [seen(share * LINE_BPS)]
    notes = list(line_rate_hints("adapter", observed))
    assert bool(notes) is is_near
    if is_near:
        name = observed[0].name
        assert notes[0] == (
            f"no line rate is given: {name} is {100 * share:.3g} % of a 10 Gbit/s line "
            "(line_rate_bps='10Gbit/s')"
        )
    assert list(line_rate_hints("host", observed)) == []


def test_a_sum_of_two_times_has_the_ends_of_both() -> None:
    """Twice 2 to 3 s, and half of 1 to 2 s."""
    free = tuple(FreeParameter(name, "s") for name in ("a_s", "b_s"))
    model = DemandModel("y_s", free, lambda at: (float(at["a"]), float(at["b"])), is_rate=False)

    def bounded(a: float, b: float, low: float, high: float) -> Observed:
        return Observed(quantity="y_s", at={"a": a, "b": b}, low=low, high=high)

    allowed = feasible_set([bounded(1, 0, 2, 3), bounded(0, 1, 1, 2)], model)
    estimate = allowed.predict(Point("y_s", {"a": 2.0, "b": 0.5}))
    assert (estimate.low, estimate.high) == pytest.approx((4.5, 7))
