"""Feasible sets of the published figures of adapters, against numbers computed apart."""

import math
from collections.abc import Mapping
from dataclasses import replace

import pytest

from netmodel.calibration import (
    FeasibleSet,
    Observed,
    Point,
    adapter_model,
    feasible_set,
)
from netmodel.calibration.models import with_fixed
from netmodel.ceilings import payload_rate_bps
from netmodel.errors import ContradictionError
from netmodel.published import listing
from netmodel.records.values import Relation

pytestmark = pytest.mark.thorough

MODEL = adapter_model(25e9)
FRAMES_ONLY = with_fixed(MODEL, {"per_byte_s": 0.0})
RR30K = {"mtu_bytes": 1500, "workload": "rr1c-200x30k", "connection_count": 50}


def at_mtu(mtu_bytes: float) -> Point:
    return Point("throughput_bps", {"mtu_bytes": mtu_bytes})


LIMITS = {
    "inbound": "osa7s-inbound-limit-slide-34",
    "outbound": "osa7s-outbound-limit-slide-35",
}
ROWS = {row.id: row for row in listing()}


def printed(name: str, conditions: Mapping[str, float | str]) -> Observed:
    """The figure of a row in Gbit/s, as it is printed."""
    row = ROWS[name]
    assert row.low is not None
    low, high = (end * 1e9 for end in row.interval)
    return Observed(
        quantity="throughput_bps",
        at=conditions,
        low=low,
        high=high,
        value=row.low * 1e9,
        place=name,
    )


def more(
    name: str, conditions: Mapping[str, float | str], baseline: Mapping[str, float | str]
) -> Observed:
    """The ratio of a row, as it is printed."""
    low, high = ROWS[name].interval
    return Observed(
        quantity="throughput_bps", at=conditions, low=low, high=high, baseline=baseline, place=name
    )


def line_reached(conditions: Mapping[str, float | str], line_bps: float) -> Observed:
    return Observed(
        quantity="throughput_bps",
        at=conditions,
        low=line_bps,
        high=math.inf,
        relation=Relation.CENSORED_ABOVE,
        place="line reached",
    )


def seen(direction: str) -> list[Observed]:
    return [
        printed(LIMITS[direction], {"mtu_bytes": 1500}),
        line_reached({"mtu_bytes": 9000}, float(payload_rate_bps(25e9, 9000))),
    ]


def exactly(direction: str) -> FeasibleSet:
    return feasible_set([each.as_printed() for each in seen(direction)], MODEL)


@pytest.mark.parametrize(
    ("direction", "frame_us", "byte_ns", "pps_m", "byte_limit_gbps"),
    [
        ("inbound", (0.473000, 0.864478), 0.270358, (1.156768, 2.114166), 29.590),
        ("outbound", (0.115790, 0.565073), 0.310278, (1.769682, 8.636304), 25.783),
    ],
)
def test_the_set_of_13_4_and_20_5_with_a_hidden_limit(
    direction: str,
    frame_us: tuple[float, float],
    byte_ns: float,
    pps_m: tuple[float, float],
    byte_limit_gbps: float,
) -> None:
    per_frame, per_byte = exactly(direction).parameters.values()
    low, high = per_frame.low, per_frame.high
    assert (low * 1e6, high * 1e6) == pytest.approx(frame_us, abs=6e-7)
    assert (per_byte.low, per_byte.high * 1e9) == pytest.approx((0, byte_ns), abs=6e-7)
    assert (1e-6 / high, 1e-6 / low) == pytest.approx(pps_m, abs=1e-6)
    assert 8e-9 / per_byte.high == pytest.approx(byte_limit_gbps, abs=6e-4)


@pytest.mark.parametrize(
    ("mtu_bytes", "low_gbps", "high_gbps"),
    [
        (1500, 13.4, 13.4),
        (2000, 15.589, 18.027),
        (3000, 18.570, 24.259),
        (4000, 20.504, 24.443),
        (6000, 22.865, 24.627),
        (9000, 24.751, 24.751),
    ],
)
def test_predictions_at_other_mtus(mtu_bytes: int, low_gbps: float, high_gbps: float) -> None:
    result = exactly("inbound").predict(at_mtu(mtu_bytes))
    assert (result.low / 1e9, result.high / 1e9) == pytest.approx((low_gbps, high_gbps), abs=6e-4)


def test_rounding_of_a_pure_frame_limit() -> None:
    result = feasible_set(seen("inbound"), FRAMES_ONLY)
    per_frame = result.parameters["per_frame_s"]
    assert result.estimable == {"per_frame_s": None}
    assert per_frame.value == pytest.approx(0.864478e-6, abs=6e-13)
    assert (1 / per_frame.high, 1 / per_frame.low) == pytest.approx((1_152_452, 1_161_084), abs=0.6)
    rate = result.predict(Point("throughput_bps", RR30K))
    assert (rate.low / 1e9, rate.high / 1e9) == pytest.approx((12.8739, 12.9704), abs=6e-5)


def test_with_rounding_the_calibrated_point_stays_exact() -> None:
    result = feasible_set(seen("inbound"), MODEL)
    assert not any(result.estimable.values())
    rate = result.predict(at_mtu(1500))
    assert (rate.value, rate.low, rate.high) == pytest.approx((13.4e9, 13.35e9, 13.45e9))
    # By hand: 8 * 8948 byte / 24.751 Gbit/s, less 8 * 1448 byte / 13.45 Gbit/s, by 7500 byte.
    assert result.parameters["per_byte_s"].high == pytest.approx(0.270786e-9, abs=6e-16)
    assert result.printed_vertices[0] == pytest.approx([0.864478e-6, 0], abs=6e-13)


def test_an_adapter_reported_at_its_line_was_not() -> None:
    """More than 45 % above it were 13.4 Gbit/s: at most 9.276 Gbit/s, below its 9.415."""
    both = adapter_model({"osa7s": 25e9, "osa6s": 10e9}, by="adapter")
    newer, older = ({"adapter": name, "mtu_bytes": 1500} for name in ("osa7s", "osa6s"))
    result = feasible_set(
        [
            printed("osa7s-inbound-limit-slide-34", newer),
            more("osa7s-against-osa6s-streaming", newer, older),
        ],
        both,
    )
    rate = result.predict(Point("throughput_bps", older))
    assert rate.low == 0
    assert rate.high / 1e9 == pytest.approx(9.276, abs=6e-4)
    assert rate.high < payload_rate_bps(10e9, 1500)
    assert result.parameters["osa6s.per_frame_s"].high == math.inf


def test_gains_over_two_lines_do_not_meet() -> None:
    """40 % above 9.3945 is 13.105 to 13.200 Gbit/s, 80 % below 23.486 is 13.011 to 13.084."""
    lines = {"osa6s": 10e9, "osa7s": 25e9, "roce": 25e9}
    model = adapter_model(lines, by="adapter")
    conditions = {name: RR30K | {"adapter": name} for name in lines}
    observed = [
        more("osa7s-against-osa6s-rr30k-many", conditions["osa7s"], conditions["osa6s"]),
        more("roce-against-osa7s-rr30k-many", conditions["roce"], conditions["osa7s"]),
        line_reached(conditions["osa6s"], 9.3945e9),
        line_reached(conditions["roce"], 23.486e9),
        printed("osa7s-limit-rr30k-slide-19", conditions["osa7s"]),
    ]
    # the line of RoCE is in the model, whether it was reached or not
    three = "osa7s-against-osa6s-rr30k-many; roce-against-osa7s-rr30k-many; line reached: cannot"
    with pytest.raises(ContradictionError, match=three):
        feasible_set(observed, model)
    # by hand: 9.3945 * 1.395 * 1.795 is 0.16 % above 23.486
    slower = replace(observed[2], low=observed[2].low * 23.4857 / (9.3945 * 1.395 * 1.795) * 0.9999)
    assert feasible_set([*observed[:2], slower, *observed[3:]], model).parameters
