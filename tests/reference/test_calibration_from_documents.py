"""What the published statements allow, from the records alone."""

import pytest
from printed_limits import osa7s_streams

from netmodel.calibration import (
    Observed,
    Point,
    SeveralModels,
    adapter_model,
    feasible_set,
    next_measurements,
)

pytestmark = pytest.mark.thorough

DIRECTIONS = SeveralModels("direction", dict.fromkeys(("in", "out"), adapter_model(25e9)))


def streams() -> list[Observed]:
    return [each.as_printed() for each in osa7s_streams()]


def adapter_at(direction: str, mtu_bytes: int) -> Point:
    return Point("throughput_bps", {"mtu_bytes": mtu_bytes, "direction": direction})


def test_the_interval_table_of_osa_express7s() -> None:
    """Times per frame and byte, in and out, and what they leave for other MTUs."""
    result = feasible_set(streams(), DIRECTIONS)
    micro = {name: (each.low * 1e6, each.high * 1e6) for name, each in result.parameters.items()}
    assert micro["in.per_frame_s"] == pytest.approx((0.473000, 0.864478), abs=1e-6)
    assert micro["out.per_frame_s"] == pytest.approx((0.115790, 0.565073), abs=1e-6)
    assert micro["in.per_byte_s"] == pytest.approx((0, 0.270358e-3), abs=1e-9)
    assert micro["out.per_byte_s"] == pytest.approx((0, 0.310278e-3), abs=1e-9)
    assert not any(result.estimable.values())
    expected = {
        2000: (15.589, 18.027),
        3000: (18.570, 24.259),
        4000: (20.504, 24.443),
        6000: (22.865, 24.627),
    }
    for mtu_bytes, (low, high) in expected.items():
        rate = result.predict(adapter_at("in", mtu_bytes))
        assert rate.value is None
        assert (rate.low / 1e9, rate.high / 1e9) == pytest.approx((low, high), abs=6e-4)
    assert result.predict(adapter_at("in", 1500)).value == pytest.approx(13.4e9)
    assert result.predict(adapter_at("out", 1500)).value == pytest.approx(20.5e9)


@pytest.mark.parametrize("mtu_bytes", [3000, 4000])
def test_the_next_measurement_is_between_the_mtus_or_of_small_frames(mtu_bytes: int) -> None:
    result = feasible_set(
        [each for each in osa7s_streams() if each.at["mtu_bytes"] == 1500], DIRECTIONS
    )
    both = feasible_set(streams(), DIRECTIONS)
    assert (
        result.predict(adapter_at("in", mtu_bytes)).low
        < both.predict(adapter_at("in", mtu_bytes)).low
    )
    first = next_measurements(both, adapter_at("in", mtu_bytes))[0].point.at
    is_small = float(first.get("request_bytes", 1e9)) <= 512
    assert first["direction"] == "in"
    assert is_small or 2500 <= float(first["mtu_bytes"]) <= 4000
