"""The drawing of a path as text says what the prediction says."""

import re

import numpy as np
import pytest
from paths import STREAM, closed_network, line

from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.path import Interval, Path, Pool, Prediction, Stage, Times, Traffic, predict_path
from netmodel.report import path_drawing

BIT_S = 8e-9


def gbit(rate: float) -> Times:
    """Times of a stage that lets so many Gbit/s pass."""
    return Times(per_byte_s=BIT_S / rate)


def between(slow: float, quoted: float, fast: float) -> Times:
    return Times(per_byte_s=Interval(BIT_S / quoted, BIT_S / fast, BIT_S / slow))


def requests(connection_count: int = 250) -> Prediction:
    return predict_path(closed_network(), Traffic(200, 1000, connection_count), 1500)


def stream(*stages: Stage, pools: tuple[Pool, ...] = (), **others: object) -> Prediction:
    return predict_path(Path(stages=stages, pools=pools, **others), STREAM, 1500)  # type: ignore[arg-type]


def uncertain() -> Prediction:
    """10 Gbit/s at the values to quote, where the second of the stages binds in the slow case."""
    return stream(
        Stage(name="first", to_server=gbit(10)),
        Stage(name="second", to_server=between(8, 16, 20)),
        Stage(name="third", to_server=between(40, 40, 80)),
    )


def line_of(prediction: Prediction, name: str) -> str:
    lines = path_drawing(prediction, 80).splitlines()
    return next(text for text in lines if name in text.split())


def test_stages_stand_between_client_and_server_and_other_limits_behind() -> None:
    first, _, *lines = path_drawing(requests(1)).splitlines()
    assert first == "request 200 byte, response 1000 byte, 1 connection, MTU 1500 byte"
    names = [text[7:].split()[0] for text in lines]
    stages = [stage.name for stage in closed_network().stages]
    assert names == ["client", *stages, "server", "client", "server", "connections"]


def test_a_stage_names_its_pool_or_side_and_a_delay_its_time() -> None:
    cpu = Stage(name="cpu", to_server=gbit(8), parallel_count=None, pool="cores")
    side = Stage(name="card", to_server=gbit(30), side=Side.SERVER)
    prediction = stream(cpu, side, pools=(Pool("cores", 2, Side.CLIENT),))
    assert "cpu (cores)" in line_of(prediction, "cpu")
    assert line_of(prediction, "cpu").endswith("30.72 µs")
    assert "card (server)" in line_of(prediction, "card")
    flow = Stage(name="flow", to_server=gbit(1), parallel_count=None, is_serial=True, delays=False)
    assert line_of(stream(*line(10e9), flow), "flow") == "  v |  flow"


def test_a_limit_has_its_rate_its_use_and_a_bar_to_scale() -> None:
    far = Stage(name="far", to_server=gbit(40_000))
    prediction = stream(
        Stage(name="slow", to_server=gbit(10)), Stage(name="fast", to_server=gbit(40)), far
    )
    slow, fast = line_of(prediction, "slow"), line_of(prediction, "fast")
    assert "10 Gbit/s  100.0 %" in slow
    assert "40 Gbit/s   25.0 %" in fast
    assert fast.count("#") == round(slow.count("#") / 4)
    assert len(slow) == 80
    assert line_of(prediction, "far").endswith("0.0 %  |")


def test_bottlenecks_ties_and_possible_ones_are_marked() -> None:
    marked = [text.split()[3] for text in path_drawing(requests()).splitlines() if text[:1] == "*"]
    assert marked == ["server_softirq", "client_softirq"]
    assert line_of(requests(1), "connections").startswith("*")
    marks = [line_of(uncertain(), name)[0] for name in ("first", "second", "third")]
    assert marks == ["*", "?", " "]


def test_ranges_are_a_lighter_part_of_the_bar() -> None:
    text = line_of(uncertain(), "third")
    assert re.search(r"40 Gbit/s +25\.0 %  #+-+$", text)
    bar, full = text.split()[-1], line_of(uncertain(), "first").split()[-1]
    assert bar.count("#") / len(full) == pytest.approx(8 / 80, abs=0.02)
    assert len(bar) / len(full) == pytest.approx(10 / 40, abs=0.02)
    free = Stage(name="free", to_server=Times(per_byte_s=Interval(0, 0, BIT_S / 40)))
    assert re.search(r"no limit +0\.0 %  -+$", line_of(stream(*line(10e9), free), "free"))


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_however_long_names_are(width: int) -> None:
    name = "the_first_of_all_stages_" * 4
    stages = (Stage(name=name, to_server=between(1e-3, 2e-3, 4e5)), *line(400e9))
    text = path_drawing(stream(*stages), width)
    assert max(map(len, text.splitlines())) <= width
    assert "the_fir" in text
    assert not re.search(r" $", text, re.MULTILINE)


@pytest.mark.parametrize("mtus_bytes", [[1500, 9000], [1500]])
def test_arrays_are_refused(mtus_bytes: list[int]) -> None:
    prediction = predict_path(closed_network(), Traffic(200, 1000), np.array(mtus_bytes))
    with pytest.raises(DomainError, match="this prediction has arrays"):
        path_drawing(prediction)
