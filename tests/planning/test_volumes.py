"""Planned rates: from means and measured percentiles."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from netmodel.errors import ContradictionError, DomainError
from netmodel.planning.volumes import PlannedVolume, planned_volume, sum_notes
from netmodel.records.scenarios import TrafficClass

ADDED = "quantiles of classes are added: exact if loads rise together, else usually too high"


def volume(
    quantile: float = 0.95, name: str = "orders", bits: float | None = None, **keys: Any
) -> PlannedVolume:
    return planned_volume(TrafficClass(name=name, **keys), quantile, payload_bits=bits)


@pytest.mark.parametrize(
    ("quantile", "variation", "ratio"),
    [(0.95, 0.5, 1.945318), (0.99, 0.5, 2.684113), (0.95, 1, 2.781129), (0.95, 0, 1)],
)
def test_a_quantile_of_a_lognormal_load(quantile: float, variation: float, ratio: float) -> None:
    found = volume(quantile, mean="8 Gbit/s", variation=variation, bits=8000)
    assert found.planned_bps == pytest.approx(8e9 * ratio, rel=1e-6)
    assert found.planned_tps == pytest.approx(found.planned_bps / 8000)
    assert found.notes == ()


def test_a_quantile_of_nothing_is_refused() -> None:
    with pytest.raises(DomainError, match="quantile_ratio must be above 0; got 0"):
        volume(0.0, mean="8 Gbit/s", variation=0.5)


def test_what_is_given_alone_is_planned_as_it_is() -> None:
    mean, peak = volume(mean="8 Gbit/s"), volume(peak="12 Gbit/s", growth_per_year="20 %")
    assert (mean.planned_bps, mean.mean_bps, mean.basis) == (8e9, 8e9, "mean as given")
    assert mean.notes == ("orders: planned at its mean; give variation for its 95 % quantile",)
    assert (peak.planned_bps, peak.mean_bps, peak.basis) == (12e9, None, "peak as given")
    assert peak.notes[0].startswith("orders: planned at its peak as given")
    assert "its peak is a mean over a longer time" in volume(peak="5 TB/day").notes[0]
    assert peak.to_dict() == {
        "name": "orders",
        "planned_bps": 12e9,
        "growth_per_year_ratio": pytest.approx(0.2),
        "basis": "peak as given",
        "notes": list(peak.notes),
        **dict.fromkeys(("planned_tps", "mean_bps", "quantile_ratio", "variation_ratio")),
    }


@given(p=st.floats(0.01, 0.99), q=st.floats(0.01, 0.99), variation=st.floats(0.01, 3))
def test_a_percentile_leads_to_another_through_the_mean(
    p: float, q: float, variation: float
) -> None:
    """By the quantiles of scipy, which have no mean in them."""
    found = volume(q, peak="1 Gbit/s", peak_quantile=p, variation=variation)
    shape = math.sqrt(math.log1p(variation**2))
    ratio = stats.lognorm.ppf(q, shape) / stats.lognorm.ppf(p, shape)
    assert found.planned_bps == pytest.approx(1e9 * ratio, rel=1e-9)


def test_a_percentile_alone_leads_to_no_other() -> None:
    same = volume(peak="12 Gbit/s", peak_quantile="95 %")
    assert (same.planned_bps, same.mean_bps, same.basis) == (12e9, None, "measured 95 % quantile")
    with pytest.raises(ContradictionError) as error:
        volume(peak="12 Gbit/s", peak_quantile="99 %")
    assert str(error.value) == (
        "orders: the peak is the 99 % quantile, and the load is planned at its 95 % one: give that "
        "as peak, or variation (standard deviation over mean), which leads from one to the other"
    )


@pytest.mark.parametrize(
    ("keys", "basis"),
    [
        (
            {"mean": "8 Gbit/s", "variation": "50 %"},
            "95 % quantile of a lognormal load, mean 8 Gbit/s, variation 50 %",
        ),
        (
            {"peak": "12 Gbit/s", "peak_quantile": "95 %", "variation": "50 %"},
            "measured 95 % quantile of 12 Gbit/s",
        ),
        (
            {"peak": "12 Gbit/s", "peak_quantile": "99 %", "variation": "50 %"},
            "95 % quantile of a lognormal load, from the measured 99 % quantile of 12 Gbit/s, "
            "variation 50 %",
        ),
    ],
)
def test_the_basis_says_where_a_rate_comes_from(keys: dict[str, Any], basis: str) -> None:
    assert volume(**keys).basis == basis


def test_transactions_need_a_size() -> None:
    assert volume(mean="200/s", workload="awm-rr", bits=8000).planned_bps == 1.6e6
    assert volume(mean="20 TB/day").planned_bps == pytest.approx(20e12 * 8 / 86_400)
    with pytest.raises(DomainError, match="transactions per second need a workload"):
        volume(mean="200/s", workload="awm-rr")


def test_a_sum_of_quantiles_is_noted() -> None:
    varied, mean = volume(mean="8 Gbit/s", variation="50 %"), volume(mean="8 Gbit/s")
    assert sum_notes([varied, mean]) == []
    assert sum_notes([varied, varied, mean]) == [ADDED]
