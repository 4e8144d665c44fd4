"""Predictions as JSON: the keys that the documentation of ``netmodel predict`` names."""

from dataclasses import replace

import pytest
from paths import line

from netmodel.consumption import Side
from netmodel.grades import Grade
from netmodel.path import Interval, Path, Pool, Stage, Times, Traffic, predict_path
from netmodel.path.stages import Setting

CPU = Stage(name="cpu", to_server=Times(per_message_s=1e-5))


def test_a_prediction_has_the_documented_keys() -> None:
    prediction = predict_path(
        Path(stages=(CPU, *line(10e9))), Traffic(1000, 1000, connection_count=4), 1500
    )
    result = prediction.to_dict()
    assert set(result) == {
        *("connection_count", "mtu_bytes", "distance", "throughput_bps"),
        *("connection_throughput_bps", "transaction_rate_tps", "transaction_time_s"),
        *("zero_load_time_s", "expected", "cpu_us_per_gbit", "cpu_s_per_transaction"),
        *("cpu_parts", "cpu_busy", "cpu_busy_expected", "binding"),
        *("limits", "grade", "measured_with", "notes"),
        *("bounded_by", "published", "also_published", "copy_time_s"),
    }
    assert set(result["expected"]) == {
        *("transaction_rate_tps", "throughput_bps", "transaction_time_s"),
        *("is_exact", "assumption", "approximations"),
    }
    for limit in result["limits"]:
        assert set(limit) == {
            *("name", "value_bps", "low_bps", "high_bps", "bound", "margin_ratio"),
        }


def quantity(value: float, low: float, high: float, bound: str = "value") -> dict[str, object]:
    ends = {"value": value, "low": low, "high": high}
    return {name: pytest.approx(end) for name, end in ends.items()} | {"bound": bound}


def test_every_figure_of_a_small_prediction() -> None:
    """
    1000 byte there and 250 back: 10 µs (8 to 16) of 2 CPUs of the client, and 4 µs of a disk.

    8 connections: 2 / 10 µs, (2 / 16 to 2 / 8), is the bottleneck; 1 / 4 µs at the disk.
    """
    cpu = Stage(
        name="cpu",
        to_server=Times(
            per_message_s=Interval(10e-6, 8e-6, 16e-6), grades={"per_message_s": Grade.FITTED}
        ),
        parallel_count=None,
        pool="cpus",
        side=Side.CLIENT,
    )
    disk = Stage(name="disk", to_client=Times(per_message_s=4e-6))
    tso = Setting("card", "tso", "on", "lab", "run 3", "")
    path = Path(
        stages=(cpu, disk),
        pools=(Pool("cpus", 2, Side.CLIENT),),
        settings=(tso,),
        notes=("of 2019",),
    )
    prediction = predict_path(path, Traffic(1000, 250, connection_count=8), 1500)
    first = replace(prediction.limits[0], best_rate_tps=3e5, even_rate_tps=1e5)
    prediction = replace(prediction, limits=(first, *prediction.limits[1:]))
    result = prediction.to_dict()
    # 8000 bit
    rate = quantity(0.2e6, 0.125e6, 0.25e6, "upper")
    assert result["transaction_rate_tps"] == rate
    assert result["throughput_bps"] == quantity(1.6e9, 1e9, 2e9, "upper") | {
        "upper_bound": pytest.approx(2e9),  # 2 CPUs at 8 µs
    }
    ends = ("value_bps", "low_bps", "high_bps", "margin_ratio")
    assert {row["name"]: [row[key] for key in ends] for row in result["limits"]} == {
        "disk": pytest.approx([2e9, 2e9, 2e9, 0.2]),
        "cpus": pytest.approx([1.6e9, 1e9, 2e9, 0]),
        "connections": pytest.approx([8 * 8000 / us * 1e6 for us in (14, 20, 12)] + [1 - 14 / 40]),
    }
    assert {row["bound"] for row in result["limits"]} == {"upper"}
    assert result["limits"][0]["upper_bound_bps"] == pytest.approx(2.4e9)
    assert result["limits"][0]["even_flows_bps"] == pytest.approx(0.8e9)
    assert result["transaction_time_s"] == quantity(40e-6, 32e-6, 64e-6, "lower")
    assert result["zero_load_time_s"] == quantity(14e-6, 12e-6, 20e-6, "lower")
    # 1250 byte in both directions are 10^4 bit; 10 µs of them are 1 s for 10^9
    cost = quantity(1e6, 0.8e6, 1.6e6)
    assert result["cpu_us_per_gbit"] == {"client": cost, "server": None}
    time_s = quantity(10e-6, 8e-6, 16e-6)
    assert result["cpu_s_per_transaction"] == {"client": time_s, "server": None}
    busy = quantity(2, 1, 2, "upper")
    assert result["cpu_busy"] == {"client": busy, "server": None}
    (part,) = result["cpu_parts"]["client"].items()
    assert part[0] == "cpu"
    assert part[1] == {"cpu_us_per_gbit": cost, "cpu_s_per_transaction": time_s, "share_ratio": 1}
    assert result["cpu_parts"]["server"] is result["cpu_busy_expected"]["server"] is None
    assert result["expected"]["is_exact"]
    assert result["bounded_by"] is result["distance"] is None
    assert result["connection_count"] == 8
    assert result["mtu_bytes"] == 1500
    assert result["binding"] == "cpus"
    assert result["grade"] == "fitted"
    assert result["measured_with"] == [tso._asdict()]
    assert result["published"] == result["also_published"] == []
    assert result["notes"] == ["CPU cost of the server not predicted: no CPU model", "of 2019"]
