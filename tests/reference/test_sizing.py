"""Sizes for a demand against numbers computed by hand and from tables of distributions."""

import numpy as np
import pytest

from netmodel.concurrency import erlang_c_waiting_ratio
from netmodel.planning.sizing import (
    adapter_use_ratio,
    lognormal_peak_ratio,
    mix_scale,
    normal_peak_ratio,
    pooled_variation_ratio,
    required_adapter_count,
    required_core_count,
    square_root_server_count,
)

DEMAND_BPS, INTO_OSA7S_BPS = 40e9, 13.4e9
CAPACITIES = (25, 1.156768, 4)
"""Gbit/s of line, million frames/s into an adapter, CPUs."""
TAKES = ((1538 / 1448, 0.00872), (1 / 11.584, 0.001), (0.1, 0.015))
"""Of a Gbit/s of stream at MTU 1500, and of a thousand small requests a second."""
OPTIMUM = (11.173853, 192.174311)
"""Where the last two of them are used up."""


def test_forty_gbit_into_adapters_of_thirteen() -> None:
    assert required_adapter_count(DEMAND_BPS, INTO_OSA7S_BPS, 0.7) == 5
    assert required_adapter_count(DEMAND_BPS, INTO_OSA7S_BPS, 0.7, 1) == 6


@pytest.mark.parametrize(("count", "ratio"), [(6, 0.597), (5, 0.746), (4, 0.995)])
def test_after_one_of_them_failed(count: int, ratio: float) -> None:
    result = adapter_use_ratio(DEMAND_BPS, INTO_OSA7S_BPS, count, 1)
    assert result == pytest.approx(ratio, abs=0.0005)


@pytest.mark.parametrize(
    ("quantile", "variation", "ratio"),
    # The second is 2.6841125 to more digits, at the edge of two roundings.
    [(0.95, 0.5, 1.945318), (0.99, 0.5, 2.684113), (0.95, 1, 2.781129)],
)
def test_lognormal_peaks(quantile: float, variation: float, ratio: float) -> None:
    assert lognormal_peak_ratio(quantile, variation) == pytest.approx(ratio, abs=6e-7)


def test_normal_peaks() -> None:
    assert normal_peak_ratio(0.95, 0.5) == pytest.approx(1.8224, abs=5e-5)
    pooled = pooled_variation_ratio(0.5, 16)
    assert normal_peak_ratio(0.99, pooled) == pytest.approx(1.29079, abs=5e-6)


def test_cores_with_two_threads_do_the_work_of_fewer() -> None:
    """4 CPUs of work: 4 / 0.7 = 5.71 cores, and 4 / 0.7 / 1.3 = 4.40 of them with both threads."""
    assert required_core_count(4, 0.7) == 6
    assert required_core_count(4, 0.7, 1.3) == 5


def test_servers_that_keep_waiting_rare() -> None:
    """10 busy and their root are 13.16; of 14 servers all are busy for .17413 of the arrivals."""
    assert square_root_server_count(10) == pytest.approx(13.16, abs=0.005)
    assert erlang_c_waiting_ratio(10, 14) == pytest.approx(0.17413, abs=5e-6)


@pytest.mark.parametrize(("margin", "ratio"), [(0.5, 0.505), (1, 0.223), (2, 0.0269)])
def test_with_many_servers_the_share_that_waits_follows_from_the_margin(
    margin: float, ratio: float
) -> None:
    """1 / (1 + b Phi(b) / phi(b)), by a table of the normal distribution."""
    count = round(float(square_root_server_count(250_000, margin)))
    assert erlang_c_waiting_ratio(250_000, count) == pytest.approx(ratio, rel=0.01)


def test_a_mix_that_uses_up_two_of_three() -> None:
    """The mix was found as the optimum of a linear program, in which both bind."""
    result = mix_scale(CAPACITIES, TAKES, OPTIMUM)
    assert result.scale_ratio == pytest.approx(1, rel=1e-6)
    assert result.slack_ratios[1:] == pytest.approx([0, 0], abs=1e-6)
    line = (1538 / 1448 * OPTIMUM[0] + 0.00872 * OPTIMUM[1]) / 25
    assert result.slack_ratios[0] == pytest.approx(1 - line, rel=1e-6)


def test_the_resource_that_is_the_bottleneck_depends_on_the_mix() -> None:
    """4 / 0.015 = 266.7 thousand requests by CPU, 1.156768 * 11.584 = 13.4 Gbit/s of stream."""
    requests, stream = mix_scale(CAPACITIES, TAKES, (0, 1)), mix_scale(CAPACITIES, TAKES, (1, 0))
    assert (requests.binding_index, stream.binding_index) == (2, 1)
    assert requests.scale_ratio == pytest.approx(4 / 0.015)
    assert stream.scale_ratio == pytest.approx(13.4, abs=5e-6)
    assert np.argmin(stream.slack_ratios) == 1
