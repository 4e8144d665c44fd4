"""A calibration chooses its method, and says which conditions it does not look at."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from calibration.drawn import BATCHED
from scipy import stats

from netmodel.calibration import (
    FeasibleSet,
    Fit,
    Observed,
    Point,
    adapter_model,
    calibrate,
    feasible_set,
    fit,
)
from netmodel.calibration.models import read_conditions
from netmodel.calibration.named_models import curve_model
from netmodel.calibration.observations import Conditions, differing_beside
from netmodel.errors import CalibrationError, ContradictionError, DomainError
from netmodel.records.values import Relation

AT_1500 = Point("throughput_bps", {"mtu_bytes": 1500})


def rate(
    mtu_bytes: float, rate_gbps: float, is_published: bool = False, **others: float | str
) -> Observed:
    at: Conditions = {"mtu_bytes": mtu_bytes, **others}
    low, high = (rate_gbps - 0.005) * 1e9, (rate_gbps + 0.005) * 1e9
    return Observed(
        quantity="throughput_bps",
        at=at,
        low=low,
        high=high,
        value=rate_gbps * 1e9,
        is_published=is_published,
    )


SCATTERED = [rate(1500, 13.4), rate(2000, 15.51), rate(3000, 18.05), rate(4000, 19.92)]


def test_scatter_makes_a_fit() -> None:
    result = calibrate(SCATTERED, adapter_model())
    assert isinstance(result, Fit)
    assert all(each.value is not None for each in result.parameters.values())


def test_as_many_published_figures_as_parameters_make_a_set_unless_the_noise_is_known() -> None:
    published = [replace(each, is_published=True) for each in SCATTERED[:2]]
    result = calibrate(published, adapter_model())
    assert isinstance(result, FeasibleSet)
    assert result.notes[0].startswith("no unique best fit: 2 figures that are no bounds")
    assert set(result.estimable.values()) <= {None, False}
    assert "run-to-run scatter is not included" in result.notes[-1]
    assert isinstance(calibrate(published, adapter_model(), 0.01), Fit)


def test_a_curve_that_is_not_reported_is_refused() -> None:
    cost = Observed(
        quantity="cpu_s_per_transaction", at={"transaction_rate_tps": 1e3}, low=1e-5, high=2e-5
    )
    with pytest.raises(CalibrationError, match="is too few for 3 parameters"):
        calibrate([cost], BATCHED)


def test_a_start_at_which_the_line_binds_is_left_for_another() -> None:
    """By hand from the outer two: 7500 byte more take 3.0461 - 0.5651 us more."""
    wide = [rate(1500, 20.5), rate(4000, 22.5), rate(9000, 23.5)]
    observed = [replace(each, low=each.value - 5e7, high=each.value + 5e7) for each in wide]
    found = calibrate(observed, adapter_model(25e9)).parameters["per_byte_s"]
    assert found.value == pytest.approx(2.481e-6 / 7500, rel=0.01)


def test_intervals_of_own_runs_of_unknown_noise_are_open_with_a_remedy() -> None:
    result = calibrate(SCATTERED[:2], adapter_model())
    for each in (*result.parameters.values(), result.predict(AT_1500)):
        assert (each.low, each.high) == (0, math.inf)
    assert result.predict(AT_1500).value == pytest.approx(13.4e9, rel=1e-3)
    assert not any(result.estimable.values())
    assert any("repeat a run, or give noise_ratio=..." in each for each in result.notes)


def test_a_single_run_of_unknown_noise_is_refused_with_both_remedies() -> None:
    full = Observed(quantity="throughput_bps", at={"mtu_bytes": 9000}, low=24.7e9, high=math.inf)
    remedies = "measure at another MTU or message size; .* repeat a run, or give noise_ratio"
    with pytest.raises(CalibrationError, match=remedies):
        calibrate([SCATTERED[0], full], adapter_model(25e9))


def test_repeats_that_the_line_hides_elsewhere_make_a_set_with_their_scatter() -> None:
    """Six observations: each at the sixth root of 95 %, by Student with two degrees."""
    seen = [rate(1500, each) for each in (13.41, 13.38, 13.44)]
    full = [rate(9000, each) for each in (24.74, 24.73, 24.74)]
    result = calibrate([*seen, *full], line_rate_bps=25e9)
    assert isinstance(result, FeasibleSet)
    scatter = float(np.std(np.log([13.41, 13.38, 13.44]), ddof=1))
    assert result.scatter_ratio == pytest.approx(scatter, rel=1e-6)
    low, high = result.predict(AT_1500)[1:]
    reach = stats.t.ppf((1 + 0.95 ** (1 / 6)) / 2, 2) * scatter
    assert low == pytest.approx(13.435e9 * math.exp(-reach), rel=1e-6)
    assert high == pytest.approx(13.385e9 * math.exp(reach), rel=1e-6)
    assert any("degrees of freedom: 2" in note for note in result.notes)
    assert any("at line speed: censored above, since the line" in note for note in result.notes)
    alike = calibrate([rate(1500, 13.4)] * 3)  # the scatter is at least the rounding
    assert alike.scatter_ratio == pytest.approx(0.01 / 13.4 / math.sqrt(12), rel=1e-4)


def test_bounds_at_several_mtus_make_a_set() -> None:
    bounds = [replace(each, high=math.inf, relation=Relation.AT_LEAST) for each in SCATTERED]
    result = calibrate(bounds)
    assert isinstance(result, FeasibleSet)
    assert "every figure is a bound" in result.notes[0]


def test_no_mean_is_faster_than_the_line() -> None:
    """25 Gbit/s carry 1448 of 1538 bytes of payload at MTU 1500."""
    line_bps = 25e9 * 1448 / 1538
    result = calibrate(SCATTERED, adapter_model(25e9), 0.5)
    assert isinstance(result, Fit)
    assert result.predict(AT_1500).high == pytest.approx(line_bps)
    assert calibrate(SCATTERED, adapter_model(), 0.5).predict(AT_1500).high > 1.05 * line_bps


def test_a_conflict_beyond_the_noise_is_a_contradiction() -> None:
    full = Observed(
        quantity="throughput_bps",
        at={"mtu_bytes": 1500},
        low=20e9,
        high=math.inf,
        relation=Relation.CENSORED_ABOVE,
    )
    with pytest.raises(ContradictionError, match=r"a noise of 1 % does not explain it"):
        feasible_set([rate(1500, 13.4), full], adapter_model(), noise_ratio=0.01)


def test_a_set_is_widened_at_the_level_of_all_observations_together() -> None:
    """Two observations: each at the square root of 95 %, both ways, by the normal distribution."""
    seen = [rate(1500, 13.4), rate(3000, 18.05)]
    result = feasible_set(seen, adapter_model(), noise_ratio=0.02)
    reach = stats.norm.ppf((1 + math.sqrt(0.95)) / 2) * 0.02
    low, high = result.predict(AT_1500)[1:]
    assert math.log(high / low) == pytest.approx(2 * reach + math.log(13.405 / 13.395), rel=1e-6)
    assert "a joint level of 95 %" in result.notes[-1]
    plain = result.to_dict()
    assert (plain["noise_sd"], plain["level_ratio"]) == (0.02, 0.95)


@pytest.mark.parametrize("observed", [SCATTERED, SCATTERED[:2]])
def test_conditions_that_are_not_looked_at_are_warned_of(observed: list[Observed]) -> None:
    layered = [
        rate(each.at["mtu_bytes"], (each.value or 0) / 1e9, layer=place)  # type: ignore[arg-type]
        for place, each in enumerate(observed)
    ]
    noted = [
        note for note in calibrate(layered, adapter_model()).notes if "ignores layer (" in note
    ]
    assert len(noted) == 1
    assert not any("layer" in each for each in calibrate(observed, adapter_model()).notes)


def test_only_conditions_that_differ_and_are_not_read_are_unread() -> None:
    seen = [rate(1500, 13.4, layer=2, path="a"), rate(9000, 20.0, layer=2, path="b")]
    assert differing_beside(read_conditions(adapter_model(), seen), seen) == {"path": ("a", "b")}


def test_conditions_are_read_whether_they_are_reported_or_not() -> None:
    read = read_conditions(adapter_model(), [rate(1500, 13.4, layer=2)])
    assert {"mtu_bytes", "workload", "write_bytes"} <= read
    assert "layer" not in read


def test_an_observation_that_a_model_cannot_have_is_named() -> None:
    seen = Observed(
        quantity="transaction_rate_tps", at={"layer": 2}, low=1, high=2, place="my.csv, line 7"
    )
    with pytest.raises(DomainError, match=r"my\.csv, line 7: .* needs connection_count"):
        read_conditions(curve_model("scalability"), [seen])


@pytest.mark.parametrize("noise_ratio", [None, 0.02])
def test_a_run_that_is_ten_times_too_low_is_named(noise_ratio: float | None) -> None:
    mtus = (1500, 1500, 2000, 2000, 3000, 3000, 4000, 4000)
    rates = (13.4, 13.5, 15.51, 15.3, 18.05, 18.3, 1.992, 20.1)
    seen = [rate(*pair) for pair in zip(mtus, rates, strict=True)]
    result = calibrate(seen, adapter_model(), noise_ratio)
    assert isinstance(result, Fit)
    # the noise and the times are those of the others
    others = fit([*seen[:6], seen[7]], adapter_model(), noise_ratio=noise_ratio)
    assert result.values == pytest.approx(others.values, rel=1e-6)
    assert result.noise_sd == pytest.approx(others.noise_sd, rel=1e-6)
    assert re.match(r"outlier .*mtu_bytes 4000, which is left out", result.notes[0])


def test_a_failed_run_is_left_out_and_said_first() -> None:
    seen = [rate(1500, 13.4), rate(3000, 18.2)]
    failed = Observed(quantity="throughput_bps", at={"mtu_bytes": 9000}, low=0, high=0)
    result = calibrate([*seen, failed], adapter_model())
    assert "mtu_bytes 9000: left out: 0 is a failed run" in result.notes[0]
    assert result.values == calibrate(seen, adapter_model()).values
    assert "noise is not known" in result.notes[2]
    assert calibrate(seen, adapter_model(), 0.02).notes == ()


@pytest.mark.parametrize("noise_ratio", [None, 0.002])
def test_a_model_that_repeats_refute_is_said_first(noise_ratio: float | None) -> None:
    """A step of 0.4 µs beyond 4096 byte: scatter about the model is no noise of runs."""
    mtus = (1500, 3000, 4000, 6000, 8000, 9000)
    times_s = [0.5e-6 + 0.25e-9 * (mtu - 52) + 0.4e-6 * (mtu > 4096) for mtu in mtus]
    seen = [
        rate(mtu, 8e-9 * (mtu - 52) / time_s * by)
        for mtu, time_s in zip(mtus, times_s, strict=True)
        for by in (0.999, 1, 1.001)
    ]
    result = calibrate(seen, adapter_model(), noise_ratio)
    assert isinstance(result, Fit)
    assert result.answer.startswith("the model does not hold (p = ")
    assert result.notes[0].startswith("the model does not hold (p = ")
    assert result.scatter_ratio == pytest.approx(0.0524, rel=0.01)
    # as wide as those of the six means
    means = fit(seen[1::3], adapter_model()).parameters
    for name, (_, low, high) in result.parameters.items():
        assert (low, high) == pytest.approx(means[name][1:], rel=0.08)


def test_rounding_that_explains_all_misses_leaves_a_set() -> None:
    seen = [
        replace(rate(mtu, mid, is_published=True), low=(mid - 0.5) * 1e9, high=(mid + 0.5) * 1e9)
        for mtu, mid in ((1500, 12.0), (2000, 15.0), (3000, 21.0))
    ]
    assert isinstance(calibrate(seen, adapter_model()), FeasibleSet)


def test_the_largest_of_plain_scatter_is_named_without_a_warning() -> None:
    """Grubbs: with noise from the residuals, the largest deviation of n is below its root."""
    seen = [
        rate(*pair)
        for pair in zip((1500, 2000, 3000, 4000, 5000), (13.4, 15.6, 18.0, 20.0, 21.0), strict=True)
    ]
    result = calibrate(seen, adapter_model())
    assert isinstance(result, Fit)
    assert result.largest_residual in result.residuals
    assert not any("): check or flag " in each for each in result.notes)
    assert result.to_dict()["largest_residual"]["at"] == dict(result.largest_residual.at)
