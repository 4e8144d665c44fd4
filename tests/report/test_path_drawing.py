"""The drawing of a path as text says what the prediction says."""

import re

import numpy as np
import pytest
from paths import STREAM, closed_network, line

from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.path import Interval, Path, Pool, Prediction, Stage, Times, Traffic, predict_path
from netmodel.records import Grade
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


def lines_of(prediction: Prediction, name: str, width: int = 80) -> list[str]:
    """Lines of the drawing from the one with this name on."""
    lines = path_drawing(prediction, width).splitlines()
    first = next(place for place, text in enumerate(lines) if name in text.split())
    return lines[first:]


def line_of(prediction: Prediction, name: str) -> str:
    return lines_of(prediction, name)[0]


# The path


def test_stages_stand_between_client_and_server_and_other_limits_behind() -> None:
    text = path_drawing(requests()).split("\n\n")[1:3]
    path, shared = (block.splitlines() for block in text)
    assert path[0].split()[0] == "client"
    assert path[-1].strip() == "server"
    names = [re.split(r"[v|] [\^|]  ", text)[1].split()[0] for text in path[1:-1]]
    assert names == [stage.name for stage in closed_network().stages]
    assert [text.split()[0] for text in shared] == ["client", "server", "connections"]


@pytest.mark.parametrize(
    ("name", "lanes"),
    [("client_adapter_out", "v |"), ("client_softirq", "| ^"), ("delay", "v ^")],
)
def test_lanes_show_both_directions(name: str, lanes: str) -> None:
    assert line_of(requests(), name)[2:5] == lanes


def test_stages_of_a_direction_without_traffic_are_idle() -> None:
    assert line_of(stream(*line(25e9)), "wire_to_client") == "idle          wire_to_client"


def test_a_stage_names_its_pool_and_a_pool_its_side() -> None:
    cpu = Stage(name="cpu", to_server=gbit(8), parallel_count=None, pool="cores")
    side = Stage(name="card", to_server=gbit(30), side=Side.SERVER)
    prediction = stream(cpu, side, pools=(Pool("cores", 2, Side.CLIENT), Pool("spare", None)))
    assert "cpu (cores)" in line_of(prediction, "cpu")
    assert line_of(prediction, "cpu").endswith("30.72 µs, of the pool")
    assert "card (server)" in line_of(prediction, "card")
    assert "cores (pool, client)" in line_of(prediction, "(pool,")
    assert line_of(prediction, "spare").endswith("number not known")


# Limits


def test_a_limit_has_its_rate_its_use_and_a_bar_to_scale() -> None:
    prediction = stream(
        Stage(name="slow", to_server=gbit(10)), Stage(name="fast", to_server=gbit(40))
    )
    slow, fast = line_of(prediction, "slow"), line_of(prediction, "fast")
    assert "10 Gbit/s  100.0 %" in slow
    assert "40 Gbit/s   25.0 %" in fast
    assert fast.count("#") == round(slow.count("#") / 4)
    assert len(slow) == 80


def test_less_than_a_column_is_a_mark() -> None:
    far = Stage(name="far", to_server=gbit(40_000))
    assert line_of(stream(*line(1e9), far), "far").endswith("0.0 %  |")


def test_all_ties_are_marked() -> None:
    lines = path_drawing(requests()).splitlines()
    marked = [text.split()[3] for text in lines if text.startswith("* v") or "* |" in text]
    assert marked == ["server_softirq", "client_softirq"]
    assert "* bottleneck  server_softirq, client_softirq, a tie" in lines
    assert "next          client at <= 5.3333 Gbit/s, 4 times that of the bottleneck" in lines


def test_connections_may_be_the_bottleneck() -> None:
    assert line_of(requests(1), "connections").startswith("*")


def test_windows_are_limits() -> None:
    """64 KiB in a round trip of 100 µs."""
    one_way = Times(per_message_s=50e-6)
    fibre = Stage(name="fibre", to_server=one_way, to_client=one_way, parallel_count=None)
    path = Path(stages=(fibre, *line(25e9)), window_bytes=65_536)
    traffic = Traffic(30_720, connection_count=1, waits=False)
    prediction = predict_path(path, traffic, 1500)
    assert re.search(r"^\* +window +<= 5\.2429 Gbit/s +100\.0 %", line_of(prediction, "window"))


def test_ranges_have_a_line_and_a_lighter_part_of_the_bar() -> None:
    text, below, *_ = lines_of(uncertain(), "third")
    assert re.search(r"40 Gbit/s +25\.0 %  #+-+$", text)
    assert below.split("| |")[1].strip() == "40 to 80 Gbit/s"
    bar = text.split()[-1]
    full = line_of(uncertain(), "first").split()[-1]
    assert bar.count("#") / len(full) == pytest.approx(8 / 80, abs=0.02)
    assert len(bar) / len(full) == pytest.approx(10 / 40, abs=0.02)


def test_possible_bottlenecks_have_a_mark_of_their_own() -> None:
    lines = path_drawing(uncertain()).splitlines()
    assert line_of(uncertain(), "first").startswith("*")
    assert line_of(uncertain(), "second").startswith("?")
    assert line_of(uncertain(), "third").startswith(" ")
    assert "? may be it   second" in lines


def test_infinite_limits_are_printed_as_no_limit() -> None:
    free = Times(per_byte_s=Interval(0, 0, BIT_S / 40))
    text, below, *_ = lines_of(stream(*line(10e9), Stage(name="free", to_server=free)), "free")
    assert re.search(r"no limit +0\.0 %  -+$", text)
    assert below.strip().endswith("40 Gbit/s to no limit")


# Results


def results_of(prediction: Prediction) -> dict[str, str]:
    last = path_drawing(prediction).split("\n\n")[-1].splitlines()
    width = next(
        len(text) - len(text.removeprefix("throughput").lstrip())
        for text in last
        if text.startswith("throughput")
    )
    return {text[:width].strip(): text[width:] for text in last}


def test_results_are_those_of_the_prediction() -> None:
    """250 connections at 166,667 transactions/s are 1.5 ms by Little's law."""
    results = results_of(requests())
    assert results["throughput"] == "<= 1.3333 Gbit/s"
    assert results["transactions"] == "<= 166,667 /s"
    assert results["time"] == ">= 1.5 ms for a transaction"
    assert results["zero load"] == "79.301 µs for a transaction"
    assert results["client CPUs"] == "1.9917 expected, <= 2 busy"
    text = " ".join(path_drawing(requests()).split())
    assert "<= 2 busy 12 µs of CPU per transaction" in text


def test_results_have_their_range() -> None:
    assert results_of(uncertain())["throughput"] == (
        "<= 10 Gbit/s (parameters leave 8 to 10 Gbit/s)"
    )


def test_what_is_not_known_leaves_an_upper_bound_alone() -> None:
    results = results_of(stream(*line(10e9), unknown=("server CPU",)))
    assert results["throughput"] == "<= 9.4148 Gbit/s"
    text = path_drawing(stream(*line(10e9), unknown=("server CPU",)))
    assert "upper bound: server CPU not modelled" in text
    assert "time" not in results


def test_the_worst_grade_is_reported() -> None:
    stage = Stage(name="cpu", to_server=gbit(1), grades={"parallel_count": Grade.ASSUMED})
    assert results_of(stream(stage))["evidence"].startswith("assumed")


def test_the_workload_is_reported() -> None:
    first = path_drawing(requests(1)).splitlines()[0]
    assert first == "request 200 byte, response 1000 byte, 1 connection, MTU 1500 byte"


# Width


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_however_long_names_and_notes_are(width: int) -> None:
    name = "the_first_of_all_stages_" * 4
    stages = (Stage(name=name, to_server=between(1e-3, 2e-3, 4e5)), *line(400e9))
    notes = ("the adapter was measured with another firmware " * 4,)
    text = path_drawing(stream(*stages, notes=notes), width)
    assert max(map(len, text.splitlines())) <= width
    assert name in re.sub(r"\n  \| \|  ", "", text)
    assert re.sub(r"\s+", " ", text).count("another firmware") == 4
    assert not re.search(r" $", text, re.MULTILINE)


def test_a_narrow_drawing_is_refused() -> None:
    with pytest.raises(DomainError, match="width must be at least 60"):
        path_drawing(requests(), 59)


@pytest.mark.parametrize("mtus_bytes", [[1500, 9000], [1500]])
def test_arrays_are_refused(mtus_bytes: list[int]) -> None:
    prediction = predict_path(closed_network(), Traffic(200, 1000), np.array(mtus_bytes))
    with pytest.raises(DomainError, match="plot_predictions"):
        path_drawing(prediction)
