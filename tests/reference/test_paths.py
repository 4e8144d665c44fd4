"""Predictions of paths against numbers from the sources and computed apart from the code."""

from dataclasses import replace

import pytest
from paths import STREAM, ends, line

from netmodel.ceilings import ByteLayer
from netmodel.consumption import Side, smt_capacity_core_count
from netmodel.path import (
    Interval,
    Path,
    Pool,
    Prediction,
    Stage,
    Times,
    Traffic,
    predict_path,
)

FRAME_TIMES = {"in": 8 * 1448 / 13.4e9, "out": 8 * 1448 / 20.5e9}
"""Slide 35 of the adapter document: 13.4 Gbit/s in, 20.5 Gbit/s out at MTU 1500."""


def costing(name: str, us_per_gbit: float, pool: str | None = None) -> Stage:
    """A stage that costs so much for each payload byte."""
    return Stage(
        name=name,
        to_server=Times(per_byte_s=us_per_gbit * 8e-15),
        parallel_count=None if pool else 1.0,
        pool=pool,
    )


def predict(*stages: Stage, pools: tuple[Pool, ...] = (), traffic: Traffic = STREAM) -> Prediction:
    return predict_path(Path(stages=stages, pools=pools), traffic, 1500)


@pytest.mark.parametrize(("sender", "receiver", "gbit"), [("out", "in", 13.4), ("out", None, 20.5)])
def test_directions_of_an_adapter(sender: str, receiver: str | None, gbit: float) -> None:
    stages = [
        Stage(name=f"adapter_{way}", to_server=Times(per_frame_s=FRAME_TIMES[way]))
        for way in (sender, receiver)
        if way
    ]
    prediction = predict(*stages, *line(25e9))
    assert prediction.throughput_bps.value == pytest.approx(gbit * 1e9, rel=1e-12)
    assert prediction.binding == f"adapter_{receiver or sender}"


def test_two_stages_in_a_row() -> None:
    prediction = predict(costing("client_lpar", 150_000), costing("vios", 90_000))
    rates = {name: rate.value for name, rate in prediction.limit_rates_bps.items()}
    assert rates["client_lpar"] == pytest.approx(6.6667e9, abs=5e4)
    assert rates["vios"] == pytest.approx(11.1111e9, abs=5e4)
    assert prediction.binding == "client_lpar"


def test_a_shared_pool() -> None:
    stages = (costing("client_lpar", 150_000, "cores"), costing("vios", 90_000, "cores"))
    prediction = predict(*stages, pools=(Pool("cores", 2),))
    assert prediction.throughput_bps.value == pytest.approx(8.3333e9, abs=5e4)


def test_two_threads_on_each_core() -> None:
    """The slides' 4 cores with SMT-2 are 4 * 1.3 cores, not 8."""
    pool = Pool("client", smt_capacity_core_count(4, 1.3), Side.CLIENT, time_basis="core")
    prediction = predict(costing("protocol", 300_000, "client"), pools=(pool,))
    assert prediction.throughput_bps.value == pytest.approx(5.2 / 0.3 * 1e9)
    busy = prediction.cpu_busy[Side.CLIENT]
    assert busy is not None
    assert busy.value == pytest.approx(5.2)


@pytest.mark.parametrize(
    ("mtu_bytes", "segments_per_packet", "shares_segments", "us_per_gbit"),
    [
        (1500, 1, True, 72_231.994),
        (1500, 45, True, 30_028.188),
        (9000, 1, True, 36_053.8115),
        (1500, 1, False, 73_828.125),
        (1500, 45, False, 30_063.657),
        (9000, 1, False, 37_207.031),
    ],
)
def test_parts_of_the_cpu_time(
    mtu_bytes: int, segments_per_packet: int, shares_segments: bool, us_per_gbit: float
) -> None:
    stage = Stage(
        name="protocol",
        to_server=Times(per_message_s=1e-6, per_frame_s=0.5e-6, per_byte_s=0.2e-9),
        parallel_count=None,
        pool="client",
        segments_per_packet=segments_per_packet,
    )
    path = Path(stages=(stage, *line(25e9)), pools=(Pool("client", 8, Side.CLIENT),))
    traffic = Traffic(30720, waits=False, shares_segments=shares_segments)
    cost = predict_path(path, traffic, mtu_bytes).cpu_us_per_gbit[Side.CLIENT]
    assert cost is not None
    assert cost.value == pytest.approx(us_per_gbit, rel=1e-7)


@pytest.mark.parametrize(
    ("connection_count", "busiest"), [(1, 1.0), (10, 2.3303), (50, 6.5896), (250, 22.9778)]
)
def test_flows_hashed_to_sixteen_queues(connection_count: int, busiest: float) -> None:
    """On average over hashes, where all are as fast as on the busiest queue, and at best."""
    queues = Stage(
        name="queues", to_server=Times(per_message_s=6e-6), parallel_count=16, hashes_flows=True
    )
    traffic = Traffic(1000, connection_count=connection_count, waits=False)
    prediction = predict(queues, traffic=traffic)
    used = 16 * (1 - (15 / 16) ** connection_count)
    assert prediction.transaction_rate_tps.value == pytest.approx(used / 6e-6)
    (limit,) = (each for each in prediction.limits if each.name == "queues")
    assert limit.even_rate_tps == pytest.approx(connection_count / busiest / 6e-6, rel=1e-4)
    assert limit.best_rate_tps == pytest.approx(min(connection_count, 16) / 6e-6)


@pytest.mark.parametrize(
    ("window_bytes", "distance_km", "gbit"),
    [(65_535, 10, 5.3526), (65_535, 100, 0.5353), (2**18, 10, 21.411), (2**20, 100, 8.5644)],
)
def test_windows_over_a_distance(window_bytes: int, distance_km: int, gbit: float) -> None:
    one_way = Times(per_message_s=0.0979478e-3 / 2 * distance_km / 10)
    fibre = Stage(name="fibre", to_server=one_way, to_client=one_way, parallel_count=None)
    path = Path(stages=(fibre, *line(25e9)), window_bytes=window_bytes)
    traffic = Traffic(30720, connection_count=1, waits=False, shares_segments=True)
    prediction = predict_path(path, traffic, 9000)
    assert prediction.throughput_bps.value / 1e9 == pytest.approx(gbit, rel=1e-4)
    assert prediction.binding == "window"


@pytest.mark.parametrize("of_host", [None, 2])
def test_acknowledgements_take_frames_of_the_other_way(of_host: int | None) -> None:
    """At 1.156768 Mframes/s in, one for each two frames are 0.578384 Mframes/s out."""
    inward = Stage(name="in", to_server=Times(per_frame_s=FRAME_TIMES["in"]))
    back = Times(per_frame_s=FRAME_TIMES["out"])
    outward = Stage(name="out", to_client=back, segments_per_ack=of_host)
    per_ack = None if of_host else 2
    traffic = Traffic(30720, waits=False, shares_segments=True, segments_per_ack=per_ack)
    prediction = predict(inward, outward, traffic=traffic)
    used = prediction.use_ratios["out"].value
    assert used == pytest.approx(0.578384e6 * FRAME_TIMES["out"], rel=1e-6)


@pytest.mark.parametrize(("layer", "ack_bytes"), [(ByteLayer.WIRE, 90), (ByteLayer.FRAME, 70)])
def test_acknowledgements_take_bytes_of_the_other_way(layer: ByteLayer, ack_bytes: int) -> None:
    """20 byte of IP, 20 of TCP, 12 of timestamps, 18 of Ethernet: 70; 20 more of silence."""
    back = Stage(name="back", to_client=Times(per_byte_s=8 / 1e9), byte_layer=layer)
    traffic = Traffic(30720, waits=False, shares_segments=True, segments_per_ack=2)
    prediction = predict(line(25e9)[0], back, traffic=traffic)
    acks_per_s = 25e9 / (8 * 1538) / 2
    used = prediction.use_ratios["back"].value
    assert used == pytest.approx(acks_per_s * 8 * ack_bytes / 1e9, rel=1e-12)


def test_an_interval_of_rounding() -> None:
    low, high = (8 * 1448 / rate for rate in (13.45e9, 13.35e9))
    inward = Times(per_frame_s=Interval(FRAME_TIMES["in"], low, high))
    rates = predict(Stage(name="in", to_server=inward)).throughput_bps
    assert [rate / 1e9 for rate in ends(rates)] == pytest.approx([13.4, 13.35, 13.45])


@pytest.mark.parametrize(
    ("connection_count", "gbit"), [(1, 10.0), (3, 30.0), (8, 80.0), (50, 80.0)]
)
def test_a_connection_keeps_one_cpu_busy(connection_count: int, gbit: float) -> None:
    """100000 µs/Gbit: 10 Gbit/s for each of 8 CPUs, and no more for one connection."""
    stage = replace(costing("stack", 100_000, "cpus"), is_serial=True)
    traffic = replace(STREAM, connection_count=connection_count)
    prediction = predict(stage, pools=(Pool("cpus", 8),), traffic=traffic)
    assert prediction.throughput_bps.value == pytest.approx(gbit * 1e9)
