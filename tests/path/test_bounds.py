"""On which side of the true value each quantity lies: as a type and in JSON."""

import pytest
from paths import closed_network, ends

from netmodel.consumption import Side
from netmodel.estimates import Bound
from netmodel.path import Joint, Path, Pool, Prediction, Stage, Times, Traffic, predict_path

REQUESTS = Traffic(200, 1000, connection_count=250)
LARGE = Traffic(200, 30720, connection_count=250)
UPPER = ("throughput_bps", "transaction_rate_tps")


def requests(traffic: Traffic = REQUESTS) -> Prediction:
    return predict_path(closed_network(), traffic, 1500)


def test_rates_are_upper_bounds_times_lower_ones_and_costs_values() -> None:
    result = requests()
    assert all(getattr(result, name).bound is Bound.UPPER for name in UPPER)
    assert result.transaction_time_s is not None
    assert result.transaction_time_s.bound is Bound.LOWER
    assert all(each.rate.bound is Bound.UPPER for each in result.limits)
    assert all(rate.bound is Bound.UPPER for rate in result.limit_rates_bps.values())
    for side in Side:
        cost, busy = result.cpu_us_per_gbit[side], result.cpu_busy[side]
        assert cost is not None
        assert busy is not None
        assert (cost.bound, busy.bound) == (Bound.VALUE, Bound.UPPER)


@pytest.mark.parametrize(("traffic", "bound"), [(REQUESTS, Bound.VALUE), (LARGE, Bound.LOWER)])
def test_the_zero_load_time_is_a_lower_bound_where_frames_overlap(
    traffic: Traffic, bound: Bound
) -> None:
    """One frame in each direction takes what it takes; 22 frames of a response overlap."""
    light = requests(traffic).zero_load_time_s
    assert light is not None
    assert light.bound is bound
    assert requests(traffic).to_dict()["zero_load_time_s"]["bound"] == bound.value


def test_an_upper_bound_is_the_highest_and_a_time_the_lowest_of_what_is_printed() -> None:
    """By hand: 4, 2 and 8 µs for a message, of which the first two are as printed."""
    times = Joint((4e-6, 2e-6, 8e-6), of="fit", printed_count=2)
    cpu = Stage(name="cpu", to_server=Times(per_message_s=times), pool="p", parallel_count=None)
    path = Path(stages=(cpu,), pools=(Pool("p", 1, Side.CLIENT),))
    result = predict_path(path, Traffic(1000, 1000, connection_count=1), 1500)
    assert ends(result.transaction_rate_tps) == pytest.approx((0.5e6, 0.125e6, 0.5e6))
    assert ends(result.transaction_time_s) == pytest.approx((2e-6, 2e-6, 8e-6))
    cost = result.cpu_us_per_gbit[Side.CLIENT]
    assert ends(cost) == pytest.approx(tuple(us / 16e-6 for us in (4, 2, 8)))
