"""Predictions as JSON: the keys that the documentation of ``netmodel predict`` names."""

from paths import line

from netmodel._estimates import Predicted
from netmodel._grades import Grade
from netmodel.concurrency import Bounds
from netmodel.path import DataBand, Path, Stage, Times, Traffic, predict_path
from netmodel.path._cpu_cost import CpuPart
from netmodel.path._distance import Distance, Protocol

CPU = Stage(name="cpu", to_server=Times(per_message_s=1e-5))


def test_a_prediction_has_the_documented_keys() -> None:
    prediction = predict_path(
        Path(stages=(CPU, *line(10e9))), Traffic(1000, 1000, connection_count=4), 1500
    )
    result = prediction.to_dict()
    assert set(result) == {
        *("connection_count", "mtu_bytes", "distance", "throughput_bps", "ratio_to_reference"),
        *("transaction_rate_tps", "transaction_time_s", "zero_load_time_s", "data_band"),
        *("transaction_rate_bounds_tps", "expected", "cpu_us_per_gbit", "cpu_s_per_transaction"),
        *("cpu_parts", "narrowing", "cpu_busy", "pool_busy", "cpu_busy_expected", "binding"),
        *("limits", "elasticities", "grade", "measured_with", "notes", "measured"),
    }
    assert set(result["transaction_rate_bounds_tps"]) == {"low", "high"}
    assert set(result["expected"]) == {
        *("transaction_rate_tps", "throughput_bps", "transaction_time_s"),
        *("stage_transaction_counts", "use_ratios", "service_variation_ratios", "level_ratio"),
        *("is_exact", "assumption", "approximations"),
    }
    for limit in result["limits"]:
        assert set(limit) == {
            *("name", "value_bps", "low_bps", "high_bps", "bound", "margin_ratio"),
        }
    assert set(result["elasticities"]["connection_count"]) == {"increase", "decrease"}


def test_a_distance() -> None:
    given = Distance(
        round_trip_s=1e-3,
        window_bytes=65535,
        loss_ratio=1e-4,
        protocol=Protocol.SMC_R,
        distance_m=1e5,
    )
    assert given.to_dict() == {
        "distance_km": 100,
        "round_trip_s": 1e-3,
        "window_bytes": 65535,
        "loss_ratio": 1e-4,
        "protocol": "smc-r",
    }


def test_a_part_of_the_cpu_cost() -> None:
    cost, time_s, busy = (Predicted(each, each, each) for each in (125.0, 1e-6, 0.5))
    assert CpuPart(cost, time_s, 0.25, busy).to_dict() == {
        "cpu_us_per_gbit": cost.to_dict(),
        "cpu_s_per_transaction": time_s.to_dict(),
        "share_ratio": 0.25,
        "cpu_busy_expected": busy.to_dict(),
    }


def test_what_statements_leave() -> None:
    """10 connections with 8,000 bit a transaction: R = 10 * 8,000 / X, alone 8,000 / X."""
    band = DataBand(
        10,
        Bounds(1e9, 4e9),
        Bounds(0.2e9, 0.5e9),
        expected_bps=Bounds(2e9, 2.5e9),
        one_expected_bps=Bounds(0.25e9, 0.4e9),
        payload_bits=8000,
        ratios={"other card": Bounds(1.5, float("inf"))},
        statements={"faster": Bounds(1e9, 5e9)},
        low_from=("faster",),
        high_from=("line",),
        grade=Grade.PUBLISHED,
        notes=("one is left out",),
    )
    assert band.to_dict() == {
        "throughput_bps": {"low": 1e9, "high": 4e9},
        "transaction_time_s": {"low": 20e-6, "high": 80e-6},
        "zero_load_time_s": {"low": 16e-6, "high": 40e-6},
        "expected": {
            "throughput_bps": {"low": 2e9, "high": 2.5e9},
            "transaction_time_s": {"low": 32e-6, "high": 40e-6},
            "zero_load_time_s": {"low": 20e-6, "high": 32e-6},
            "assumption": "service times are random and independent of load",
        },
        "ratios": {"other card": {"low": 1.5, "high": None}},
        "statements": {"faster": {"low": 1e9, "high": 5e9}},
        "low_from": ["faster"],
        "high_from": ["line"],
        "grade": "published",
        "notes": ["one is left out"],
    }
