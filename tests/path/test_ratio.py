"""Ratios of paths whose times are known up to a factor: what cancels, and what is refused."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from paths import STREAM, ends, line

from netmodel.calibration import PathModel, Point
from netmodel.errors import DomainError
from netmodel.path import (
    Gain,
    Interval,
    Joint,
    Path,
    Pool,
    Reference,
    Stage,
    Times,
    Traffic,
    predict_path,
    predict_ratio,
)
from netmodel.path._ratio import KNOWN_TIMES
from netmodel.path._settings import Setting
from netmodel.records import Grade

LINE_ONLY = (8140 / 8230) / (1448 / 1538)


def cpu(frame: Any, byte: Any = 1.0, **more: Any) -> Stage:
    times = Times(per_frame_s=frame, per_byte_s=byte)
    return Stage(name="cpu", to_server=times, factor="cpu", **more)


def path_of(*stages: Stage, **more: Any) -> Path:
    return Path(stages=stages, reference=Reference(mtu_bytes=1500), **more)


def test_a_ratio_by_hand() -> None:
    """(1000 / 1448 + 1) / (1000 / 8140 + 1)"""
    result = predict_ratio(path_of(cpu(1000)), STREAM, 8192)
    assert result.ratio_to_reference == pytest.approx([(1000 / 1448 + 1) / (1000 / 8140 + 1)] * 3)
    assert result.ceiling is None
    assert (result.mtu_bytes, result.reference_mtu_bytes) == (8192, 1500)


def test_the_ends_are_those_of_the_parts() -> None:
    result = predict_ratio(path_of(cpu(1000), *line(10e9)), STREAM, 8192)
    assert set(result.ratios) == {"cpu", KNOWN_TIMES}
    value, low, high = result.ratio_to_reference
    assert value is None
    assert (low, high) == pytest.approx((LINE_ONLY, (1000 / 1448 + 1) / (1000 / 8140 + 1)))
    assert result.ceiling_bps == pytest.approx(10e9 * 8140 / 8230)
    assert "the bottleneck is not known" in " ".join(result.notes)


def test_parts_that_agree_make_a_value() -> None:
    result = predict_ratio(path_of(cpu(1000), *line(10e9)), STREAM, 1500)
    assert result.ratio_to_reference == (1, 1, 1)


def test_corners_stay_together_and_intervals_do_not() -> None:
    corners = cpu(Joint((1000, 0), of="cpu"), Joint((1, 2), of="cpu"))
    most = (1000 / 1448 + 1) / (1000 / 8140 + 1)
    ratio = predict_ratio(path_of(corners), STREAM, 8192).ratio_to_reference
    assert ratio == pytest.approx((most, 1, most))
    apart = cpu(Interval(1000, 1000, 2000), Interval(1, 1, 2))
    ends = [(p / 1448 + y) / (p / 8140 + y) for p in (1000, 2000) for y in (1, 2)]
    ratio = predict_ratio(path_of(apart), STREAM, 8192).ratio_to_reference
    assert ratio == pytest.approx((most, min(ends), max(ends)))


def test_a_pool_of_unknown_size_cancels_where_the_reference_leaves_it() -> None:
    stage = cpu(1000, parallel_count=None, pool="cpus")
    stage = replace(stage, factor="cpus")
    path = path_of(stage, pools=(Pool("cpus", None),))
    assert predict_ratio(path, STREAM, 8192).ratio_to_reference.value is not None


def test_times_under_the_reference_may_be_others() -> None:
    reference = Reference(time_ratios={"cpu": Interval(1.7, 1.65, 1.75)})
    path = replace(path_of(cpu(1000), *line(10e9)), reference=reference)
    result = predict_ratio(path, STREAM, 1500)
    assert ends(result.ratios["cpu"]) == pytest.approx((1.7, 1.65, 1.75))
    assert ends(result.ratios[KNOWN_TIMES]) == pytest.approx((1, 1, 1))


def test_cpus_under_the_reference_may_be_a_range() -> None:
    """4 CPUs of 2, which may be 1 or 4."""
    stage = cpu(1000, parallel_count=None, pool="cpus")
    reference = Reference(pool_counts={"cpus": Interval(2, 1, 4)})
    path = replace(path_of(stage, pools=(Pool("cpus", 4),)), reference=reference)
    assert ends(predict_ratio(path, STREAM, 1500).ratios["cpu"]) == pytest.approx((2, 1, 4))


def test_cpus_may_be_a_range_where_the_reference_has_a_number() -> None:
    """3 to 5 CPUs of 2."""
    stage = cpu(1000, parallel_count=None, pool="cpus")
    reference = Reference(pool_counts={"cpus": 2})
    path = path_of(stage, pools=(Pool("cpus", Interval(4, 3, 5)),))
    ratio = predict_ratio(replace(path, reference=reference), STREAM, 1500).ratios["cpu"]
    assert ends(ratio) == pytest.approx((2, 1.5, 2.5))


def test_how_many_connections_wait_is_not_in_it() -> None:
    """The slower of two stages limits, though a connection alone takes the time of both."""
    frames = Stage(name="frames", to_client=Times(per_frame_s=1000), factor="cpu")
    stored = Stage(name="bytes", to_client=Times(per_byte_s=0.5), factor="cpu")
    for count in (1, 100):
        traffic = Traffic(200, 30720, connection_count=count)
        result = predict_ratio(path_of(frames, stored), traffic, 8192)
        assert result.ratio_to_reference.value == pytest.approx(22 * 1000 / (0.5 * 30720))
        assert any("enough connections" in text for text in result.notes)


def test_a_path_of_delays_has_no_ratio_of_known_times() -> None:
    there = Times(per_message_s=1e-3)
    delay = Stage(name="fibre", to_server=there, to_client=there, parallel_count=None)
    result = predict_ratio(path_of(cpu(1000), delay), STREAM, 8192)
    assert set(result.ratios) == {"cpu"}
    assert result.ceiling is None


def test_a_window_is_of_the_part_that_is_known() -> None:
    """1000 byte in each round trip of 2 ms, at any MTU; the CPU has its ratio without it."""
    there = Times(per_message_s=1e-3)
    fibre = Stage(name="fibre", to_server=there, to_client=there, parallel_count=None)
    stream = replace(STREAM, connection_count=1)
    result = predict_ratio(path_of(cpu(1000), fibre, window_bytes=1000), stream, 8192)
    assert ends(result.ratios[KNOWN_TIMES]) == pytest.approx((1, 1, 1))
    alone = (1000 / 1448 + 1) / (1000 / 8140 + 1)
    assert ends(result.ratios["cpu"]) == pytest.approx((alone, alone, alone))
    assert result.ceiling_bps == pytest.approx(8 * 1000 / 2e-3)


def test_arrays_are_ratios_one_by_one() -> None:
    sizes = np.array([1500, 4000, 8192])
    result = predict_ratio(path_of(cpu(Joint((1000, 0), of="cpu")), *line(10e9)), STREAM, sizes)
    value, low, high = result.ratio_to_reference
    for place, mtu_bytes in enumerate(sizes):
        first = predict_ratio(
            path_of(cpu(Joint((1000, 0), of="cpu")), *line(10e9)), STREAM, int(mtu_bytes)
        ).ratio_to_reference
        assert (low[place], high[place]) == pytest.approx((first.low, first.high))
        assert np.isnan(value[place]) == (first.value is None)
    with pytest.raises(DomainError, match="has arrays"):
        result.to_dict()
    assert repr(result) == "<RatioPrediction of 3 cases>"


def test_the_part_that_is_known_is_a_path_of_its_own() -> None:
    path = path_of(cpu(1000), *line(10e9))
    known = path.without_factors
    assert known is not None
    assert [stage.name for stage in known.stages] == [stage.name for stage in line(10e9)]
    prediction = predict_path(known, STREAM, 8192)
    assert prediction.throughput_bps.value == pytest.approx(10e9 * 8140 / 8230)
    assert any("but for a factor, times of cpu" in text for text in prediction.notes)
    assert path_of(cpu(1000)).without_factors is None
    pooled = replace(cpu(1000, pool="cpus"), factor="cpus")
    known = path_of(pooled, *line(10e9), pools=(Pool("cpus", 1),)).without_factors
    assert known is not None
    assert known.pools == ()


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (Path(stages=line(1e9)), "all service times of this path are known"),
        (Path(stages=(cpu(1),)), "no reference"),
        (path_of(cpu(0, 0)), "nothing limits the part of the path with the factor 'cpu'"),
        (path_of(cpu(Joint((1, 0), of="a"), Joint((0, 0), of="a"))), "all 0 in a case"),
    ],
)
def test_what_has_no_ratio_is_refused(path: Path, message: str) -> None:
    with pytest.raises(DomainError, match=message):
        predict_ratio(path, STREAM, 8192)


def test_no_rate_is_predicted_from_times_up_to_a_factor() -> None:
    with pytest.raises(DomainError, match="times of cpu are known up to a factor only"):
        predict_path(path_of(cpu(1000)), STREAM, 8192)


def test_no_cost_is_calibrated_beside_times_up_to_a_factor() -> None:
    model = PathModel(
        path_of(cpu(1000), *line(10e9)), {"wire": ("wire_to_server.to_server.per_byte_s",)}
    )
    point = Point("throughput_bps", {"mtu_bytes": 1500, "payload_bytes": 1448})
    with pytest.raises(DomainError, match="times of cpu are known up to a factor only"):
        model.loads(point)


def test_a_pool_has_one_factor() -> None:
    stages = (cpu(1, pool="cpus"), replace(line(1e9)[0], pool="cpus"))
    with pytest.raises(DomainError, match="one and the same factor"):
        path_of(*stages, pools=(Pool("cpus", 1),))


def test_counts_and_ratios_of_a_reference_are_above_zero() -> None:
    with pytest.raises(DomainError, match="reference count of cpus"):
        Reference(pool_counts={"cpus": 0})
    with pytest.raises(DomainError, match="reference times of cpu"):
        Reference(time_ratios={"cpu": 0})
    with pytest.raises(DomainError, match="mtu_bytes"):
        Reference(mtu_bytes=0)
    assert Reference(mtu_bytes=1).mtu_bytes == 1


GAINS = (
    Gain(8192, 1.05, 1.2, note="page 3"),
    Gain(4000, 1.1, 1.1, 1.1, "cpu"),
    Gain(9000, 1.3, 1.5, of="cpu"),
)


def published(mtu_bytes: Any, gains: tuple[Gain, ...] = GAINS, load: Traffic = STREAM) -> Any:
    reference = Reference(mtu_bytes=1500, gains=gains)
    return predict_ratio(replace(path_of(cpu(1000)), reference=reference), load, mtu_bytes)


@pytest.mark.parametrize(
    ("mtu_bytes", "part", "whole"),
    [
        (1500, (1, 1, 1), (1, 1, 1)),
        (4000, (1.1, 1.1, 1.1), (None, 1, 1.2)),
        (6000, (1.25, 1.1, 1.5), (None, 1, 1.2)),
        (8192, (1.365, 1.1, 1.5), (None, 1.05, 1.2)),
        (9000, (1.4, 1.3, 1.5), (None, 1.05, 1.2)),
        (12000, (1.4, 1.3, 1.5), (None, 1.05, 1.2)),
    ],
)
def test_published_gains_go_before_frames_and_bytes(
    mtu_bytes: int, part: tuple[float, ...], whole: tuple[float | None, ...]
) -> None:
    """6000 is half way from 4000 to 9000 by logarithms, 8192 at 0.884 of it."""
    for load in (STREAM, Traffic(200, 1000)):
        result = published(mtu_bytes, load=load)
        assert ends(result.ratios["cpu"]) == pytest.approx(part, abs=1e-3)
        assert result.ratio_to_reference[1:] == pytest.approx(whole[1:])
        value = result.ratio_to_reference.value
        assert value is None if whole[0] is None else value == pytest.approx(1)


def test_gains_of_arrays_are_as_each_alone() -> None:
    mtus = np.array([1400, 1500, 4000, 6000, 8192, 12000])
    together = published(mtus)
    for place, mtu_bytes in enumerate(mtus):
        alone = published(int(mtu_bytes))
        assert [end[place] for end in ends(together.ratios["cpu"])] == pytest.approx(
            [*ends(alone.ratios["cpu"])]
        )
        value, *known = (end[place] for end in together.ratio_to_reference)
        assert known == pytest.approx(alone.ratio_to_reference[1:])
        assert np.isnan(value) == (alone.ratio_to_reference.value is None)


@pytest.mark.parametrize(
    ("mtu_bytes", "ends_there", "is_published"),
    [
        (1400, (0.45, 0.4, 0.5), True),
        (1500, (0.45, 0.4, 0.5), True),
        (4000, (0.8, 0.7, 0.9), True),
        # half way by logarithms to the reference of 9000, which is 1
        (6000, (0.9, 0.7, 1.0), True),
        (9000, (1, 1, 1), False),
        (9001, None, False),
    ],
)
def test_gains_may_be_of_smaller_packets_than_those_of_the_reference(
    mtu_bytes: int, ends_there: tuple[float, ...] | None, is_published: bool
) -> None:
    gains = (Gain(1500, 0.4, 0.5, of="cpu"), Gain(4000, 0.7, 0.9, of="cpu"))
    path = replace(path_of(cpu(1000)), reference=Reference(mtu_bytes=9000, gains=gains))
    result = predict_ratio(path, STREAM, mtu_bytes)
    if ends_there is None:
        plain = replace(path, reference=Reference(mtu_bytes=9000))
        ends_there = ends(predict_ratio(plain, STREAM, mtu_bytes).ratios["cpu"])
    assert ends(result.ratios["cpu"]) == pytest.approx(ends_there, abs=1e-3)
    assert any("published for MTU 4000: cpu" in text for text in result.notes) is is_published


def test_below_the_reference_frames_make_the_ratio() -> None:
    plain = predict_ratio(path_of(cpu(1000)), STREAM, 1400)
    result = published(1400)
    assert result.ratio_to_reference == pytest.approx(plain.ratio_to_reference)
    assert not result.to_dict()["ratio_to_reference"]["published"]
    assert "no gain is published beyond MTU 1500" in " ".join(result.notes)


@pytest.mark.parametrize(
    ("mtu_bytes", "published_for", "is_between", "is_beyond"),
    [
        (1500, False, False, False),
        (4000, True, True, False),
        (8192, True, True, False),
        (9000, True, False, True),
        (12000, True, False, True),
    ],
)
def test_notes_say_what_of_it_is_published(
    mtu_bytes: int, published_for: bool, is_between: bool, is_beyond: bool
) -> None:
    """The whole has 8192 alone, the part 4000 and 9000."""
    notes = " ".join(published(mtu_bytes).notes)
    assert ("published for MTU 8192: whole path (page 3)" in notes) is published_for
    assert ("what both neighbours have" in notes) is is_between
    assert ("for MTU 4000, 8192 and 9000 only" in notes) is is_beyond


def test_what_frames_do_not_explain_is_named() -> None:
    assert "do not explain the ratio of cpu" in " ".join(
        published(9000, load=Traffic(200, 1000)).notes
    )
    exact = (Gain(8192, 1.4, 1.7, of="cpu"),)
    exactly = published(8192, exact)
    assert "do not explain" not in " ".join(exactly.notes)
    assert exactly.ratio_to_reference == pytest.approx((1.55, 1.4, 1.7))


def test_gains_are_of_the_mtu_alone() -> None:
    for more in ({"pool_counts": {"p": 1}}, {"time_ratios": {"cpu": 2.0}}):
        with pytest.raises(DomainError, match="differs in its MTU alone"):
            Reference(mtu_bytes=1500, gains=GAINS, **more)
    with pytest.raises(DomainError, match="differs in its MTU alone"):
        Reference(gains=GAINS)


def test_a_ratio_as_plain_values() -> None:
    """At MTU 8192 a CPU of 1000 by frame and 1 by byte, and a line of 10 Gbit/s."""
    most = (1000 / 1448 + 1) / (1000 / 8140 + 1)
    adapter = replace(line(10e9)[0], grades={"to_server.per_byte_s": Grade.STANDARD})
    tso = Setting("card", "tso", "on", "lab", "run 3", "")
    path = path_of(
        cpu(1000, grades={"to_server.per_frame_s": Grade.FITTED}),
        adapter,
        notes=("of 2019",),
        unknown=("a bus",),
        settings=(tso,),
    )
    traffic = replace(STREAM, connection_count=3, waits=True)
    result = predict_ratio(path, traffic, 8192).to_dict()
    of_ratios = result.pop("ratio_to_reference")
    limit, waiting = result.pop("limits")
    assert (waiting["name"], waiting["margin_ratio"]) == ("connections", None)
    (wire,) = result.pop("measured_with")
    assert wire == tso.to_dict()
    assert limit == {
        "name": "wire_to_server",
        "value_bps": pytest.approx(10e9 * 8140 / 8230),
        "low_bps": pytest.approx(10e9 * 8140 / 8230),
        "high_bps": pytest.approx(10e9 * 8140 / 8230),
        "bound": "upper",
        "margin_ratio": None,
    }
    assert result == {
        "connection_count": 3,
        "distance": None,
        "throughput_bps": None,
        "transaction_rate_tps": None,
        "transaction_rate_bounds_tps": None,
        "expected": None,
        "transaction_time_s": None,
        "zero_load_time_s": None,
        "bounded_by": None,
        "cpu_us_per_gbit": None,
        "cpu_s_per_transaction": None,
        "cpu_busy": None,
        "cpu_busy_expected": None,
        "cpu_parts": None,
        "pool_busy": None,
        "mtu_bytes": 8192,
        "binding": None,
        "elasticities": None,
        "grade": "fitted",
        "notes": [
            "only ratios predicted: service times of cpu known up to a factor only",
            "the bottleneck is not known: each candidate has its ratio",
            "the ratio holds for enough connections that the path is full",
            "not modelled: a bus",
            "of 2019",
        ],
        "published": [],
        "also_published": [],
    }
    assert of_ratios.pop("where") == [
        {"binding": name, **dict.fromkeys(("value", "low", "high"), ratio), "bound": "value"}
        for name, ratio in (("cpu", pytest.approx(most)), (KNOWN_TIMES, pytest.approx(LINE_ONLY)))
    ]
    assert of_ratios == {
        "value": None,
        "low": pytest.approx(LINE_ONLY),
        "high": pytest.approx(most),
        "bound": "value",
        "reference": "MTU 1500 byte",
        "published": False,
    }


def test_a_ratio_in_rows_of_text() -> None:
    """2 CPUs of 1, with the CPU alone; a line of 10 Gbit/s that the reference has as well."""
    stage = cpu(1000, parallel_count=None, pool="cpus")
    path = path_of(stage, *line(10e9), pools=(Pool("cpus", 2),))
    reference = Reference(
        mtu_bytes=1500, pool_counts={"cpus": 1}, time_ratios={"cpu": Interval(1.5, 1, 2)}
    )
    result = predict_ratio(replace(path, reference=reference), STREAM, 1500)
    assert str(result).splitlines()[:5] == [
        "ratio: 1 to 4",
        "reference: MTU 1500 byte, 1 CPU of cpus, 1.5 times the CPU time of cpu",
        "where cpu is the bottleneck: 3 (2 to 4)",
        "where known times is the bottleneck: 1",
        "throughput: <= 9.4148 Gbit/s",  # 10 * 1448 / 1538
    ]
    assert repr(result) == "<RatioPrediction 1 to 4>"
    assert str(Reference(pool_counts={"cpus": 2})) == "2 CPUs of cpus"
    assert str(Reference()) == "the same case"
