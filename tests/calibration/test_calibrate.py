"""A calibration chooses its method, and says which conditions it does not look at."""

import pytest

from netmodel.calibration import (
    Conditions,
    FeasibleSet,
    Fit,
    Observed,
    adapter_model,
    calibrate,
    coalescing_curve,
    read_conditions,
    scalability_model,
    unread_conditions,
    varied_numbers,
)
from netmodel.errors import CalibrationError, ContradictionError, DomainError


def rate(mtu_bytes: float, rate_gbps: float, **others: float | str) -> Observed:
    at: Conditions = {"mtu_bytes": mtu_bytes, **others}
    low, high = (rate_gbps - 0.005) * 1e9, (rate_gbps + 0.005) * 1e9
    return Observed(quantity="throughput_bps", at=at, low=low, high=high, value=rate_gbps * 1e9)


SCATTERED = [rate(1500, 13.4), rate(2000, 15.51), rate(3000, 18.05), rate(4000, 19.92)]


def test_scatter_makes_a_fit() -> None:
    found = calibrate(adapter_model(), SCATTERED)
    assert isinstance(found, Fit)
    assert all(one.value is not None for one in found.parameters.values())


def test_as_many_figures_as_parameters_make_a_set_unless_the_noise_is_known() -> None:
    found = calibrate(adapter_model(), SCATTERED[:2])
    assert isinstance(found, FeasibleSet)
    assert found.warnings[0].startswith(
        "all that the figures allow, since no values are the likeliest: 2 observations with two"
    )
    assert isinstance(calibrate(adapter_model(), SCATTERED[:2], 0.01), Fit)


def test_a_curve_that_is_not_told_is_refused() -> None:
    cost = Observed(
        quantity="cpu_s_per_transaction", at={"transaction_rate_tps": 1e3}, low=1e-5, high=2e-5
    )
    with pytest.raises(CalibrationError, match="do not tell 3 parameters"):
        calibrate(coalescing_curve(), [cost])


def test_a_contradiction_also_says_why_there_is_no_fit() -> None:
    with pytest.raises(ContradictionError, match="cannot be true together") as refused:
        calibrate(adapter_model(), [rate(1500, 13.4), rate(1500, 14.4)])
    assert "nor are any values the likeliest: " in str(refused.value)


@pytest.mark.parametrize("observed", [SCATTERED, SCATTERED[:2]])
def test_conditions_that_are_not_looked_at_are_warned_of(observed: list[Observed]) -> None:
    layered = [
        rate(one.at["mtu_bytes"], (one.value or 0) / 1e9, layer=place)  # type: ignore[arg-type]
        for place, one in enumerate(observed)
    ]
    told = [one for one in calibrate(adapter_model(), layered).warnings if "layer is 0, 1" in one]
    assert len(told) == 1
    assert not any("layer" in one for one in calibrate(adapter_model(), observed).warnings)


def test_only_conditions_that_differ_and_are_not_read_are_unread() -> None:
    seen = [rate(1500, 13.4, layer=2, path="a"), rate(9000, 20.0, layer=2, path="b")]
    assert unread_conditions(adapter_model(), seen) == {"path": ("a", "b")}


def test_conditions_are_read_whether_they_are_told_or_not() -> None:
    read = read_conditions(adapter_model(), [rate(1500, 13.4, layer=2)])
    assert {"mtu_bytes", "workload", "write_bytes"} <= read
    assert "layer" not in read


def test_an_observation_that_a_model_cannot_have_is_named() -> None:
    seen = Observed(
        quantity="transaction_rate_tps", at={"layer": 2}, low=1, high=2, place="my.csv, line 7"
    )
    with pytest.raises(DomainError, match=r"my\.csv, line 7: .* needs connection_count"):
        read_conditions(scalability_model(), [seen])


def test_varied_numbers_are_those_of_all_with_most_values_first() -> None:
    seen = [
        rate(1500, 13.4, layer=2, connection_count=1, path="a", table=1),
        rate(9000, 13.4, layer=2, connection_count=10, path="b"),
        rate(1500, 13.4, layer=2, connection_count=50, path="a"),
    ]
    assert varied_numbers(seen) == ("connection_count", "mtu_bytes")
