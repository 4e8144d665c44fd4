"""Records of paths as numbers: every key of a stage, pools, ends, and what is left out."""

from dataclasses import replace
from pathlib import Path as File
from typing import Any

import pytest
from paths import TANDEM

from netmodel.ceilings import ByteLayer
from netmodel.consumption import Side
from netmodel.errors import ContradictionError, DomainError
from netmodel.grades import Grade
from netmodel.path import Interval, Path, SpecifiedPath, Stage, Traffic, predict_path
from netmodel.records import adapter, path_record

HEAD = """title = "x"
[defaults]
source = "notes"
locator = "page 1"
grade = "measured"
"""
STREAM = Traffic(30720, connection_count=4, waits=False, shares_segments=True)


def read(directory: File, text: str, **changed: Any) -> Path:
    file = directory / "mine.toml"
    file.write_text(HEAD + text, encoding="utf-8")
    return SpecifiedPath(record=path_record(file), **changed).path()


def stage_of(directory: File, text: str) -> dict[str, Stage]:
    path = read(directory, f'[[stages]]\nname = "it"\n{text}\n')
    return {stage.name: stage for stage in path.stages}


def nanoseconds(interval: Any) -> tuple[float, ...]:
    return tuple(end * 1e9 for end in (interval.value, interval.low, interval.high))


def test_the_worked_example_is_the_closed_network() -> None:
    path = SpecifiedPath(record=path_record("worked-closed-network")).path()
    prediction = predict_path(path, Traffic(200, 1000, connection_count=250), 1500)
    light = prediction.zero_load_time_s
    assert light is not None
    assert light.value == pytest.approx(79.3007e-6, abs=5e-11)
    assert prediction.transaction_rate_tps.value == pytest.approx(166_667, abs=0.5)
    assert set(prediction.ties) == {"client-queue", "server-queue"}
    assert prediction.grade is Grade.ASSUMED
    assert any("are assumed" in warning for warning in prediction.notes)


def test_the_tandem_is_bound_by_its_client() -> None:
    path = SpecifiedPath(record=path_record(TANDEM)).path()
    rates = predict_path(path, STREAM, 1500).limit_rates_bps
    assert rates["client-lpar"].value == pytest.approx(6.6667e9, abs=5e4)
    assert rates["vios"].value == pytest.approx(11.1111e9, abs=5e4)
    assert rates["trunk_out"].value == pytest.approx(13e9)


def test_each_direction_of_a_stage_with_a_side_is_seen_from_its_host(tmp_path: File) -> None:
    text = 'kind = "adapter"\nside = "{}"\nout.per_frame = "1 µs"\nin.per_frame = "2 µs"'
    result = stage_of(tmp_path, text.format("client"))
    assert set(result) == {"it_out", "it_in"}
    assert isinstance(result["it_out"].to_server.per_frame_s, Interval)
    assert result["it_out"].to_server.per_frame_s.value == pytest.approx(1e-6)
    assert result["it_in"].to_client.per_frame_s.value == pytest.approx(2e-6)
    result = stage_of(tmp_path, text.format("server"))
    assert result["it_out"].to_client.per_frame_s.value == pytest.approx(1e-6)
    assert result["it_in"].to_server.per_frame_s.value == pytest.approx(2e-6)


def test_rates_of_lines_are_exact_and_count_the_wire(tmp_path: File) -> None:
    result = stage_of(tmp_path, 'kind = "link-aggregation"\nline_rate = "10 Gbit/s"\nservers = "4"')
    assert set(result) == {"it_to_server", "it_to_client"}
    line = result["it_to_server"]
    assert line.to_server.per_byte_s == 8 / 10e9
    assert (line.byte_layer, line.parallel_count, line.hashes_flows) == (ByteLayer.WIRE, 4, True)
    assert line.grades == {"parallel_count": Grade.MEASURED}
    assert line.to_server.grades == {"per_byte_s": Grade.MEASURED}


def test_caps_do_not_delay(tmp_path: File) -> None:
    result = stage_of(tmp_path, 'kind = "shaper"\ncapacity = "about 10 Gbit/s"')
    assert set(result) == {"it_to_server", "it_to_client"}
    assert not any(stage.delays for stage in result.values())
    cap = result["it_to_server"]
    assert cap.byte_layer is ByteLayer.FRAME
    expected = [8e9 / rate for rate in (10e9, 10.5e9, 9.5e9)]
    assert nanoseconds(cap.to_server.per_byte_s) == pytest.approx(expected)
    packets = stage_of(tmp_path, 'kind = "shaper"\ncapacity = "1 Mpps"')["it_to_server"]
    rate = predict_path(Path(stages=(packets,)), STREAM, 1500).throughput_bps
    assert rate.value == pytest.approx(1e6 * 8 * 1448)


@pytest.mark.parametrize(
    ("words", "names", "rate_bps"),
    [
        ("ip", {"it_out", "it_in"}, 1e9 * 1448 / 1500),
        ("ip out", {"it"}, 1e9 * 1448 / 1500),
        ("payload in", {"it"}, None),
        ("payload both", {"it"}, 1e9),
        ("payload per flow", {"it_out", "it_in"}, 3e9),
        ("for 30GB then 0.5Gbit/s payload", {"it_out", "it_in"}, 1e9),
    ],
)
def test_a_capacity_has_layer_direction_scope_and_bucket(
    tmp_path: File, words: str, names: set[str], rate_bps: float | None
) -> None:
    text = f'kind = "shaper"\nside = "client"\ncapacity = "1Gbit/s {words}"'
    stages = stage_of(tmp_path, text)
    assert set(stages) == names
    traffic = replace(STREAM, connection_count=3)
    if rate_bps is None:
        with pytest.raises(DomainError, match="nothing limits this path"):
            predict_path(Path(stages=(*stages.values(),)), traffic, 1500)
        return
    rate = predict_path(Path(stages=(*stages.values(),)), traffic, 1500).throughput_bps
    assert rate.value == pytest.approx(rate_bps)


def test_line_rate_and_time_of_a_byte_are_one_thing(tmp_path: File) -> None:
    with pytest.raises(ContradictionError, match="it: line_rate and per_byte"):
        stage_of(tmp_path, 'kind = "link"\nline_rate = "1 Gbit/s"\nboth.per_byte = "1 ns"')


QUEUE = (
    '[[stages]]\nname = "queue"\nkind = "receive-queue-cpu"\nside = "server"\n'
    'in.per_frame = "1 µs"\n'
)


@pytest.mark.parametrize(
    ("name", "count"), [("osa-express7s-25gbe", 1), ("roce-express2.1-25gbe", 16)]
)
def test_receive_queues_are_those_of_the_adapter(name: str, count: int, tmp_path: File) -> None:
    path = read(
        tmp_path,
        f'server.adapter = "{name}"\n{QUEUE}'.replace("server.adapter", "[server]\nadapter"),
    )
    (queue,) = (stage for stage in path.stages if stage.name == "queue")
    assert (queue.parallel_count, queue.hashes_flows, queue.pool) == (count, True, "server_cpus")


CPU = (
    '[[stages]]\nname = "cpu"\nkind = "protocol-cpu"\nside = "client"\nout.per_byte = "1.000 ns"\n'
)


def test_what_a_record_leaves_out_is_noted(tmp_path: File) -> None:
    path = read(tmp_path, f"[client]\n{CPU}")
    assert path.unknown == ("CPU times of the server",)
    prediction = predict_path(path, Traffic(1000, 1000, connection_count=1), 1500)
    assert prediction.zero_load_time_s is None
    assert prediction.cpu_us_per_gbit[Side.SERVER] is None
    assert prediction.cpu_us_per_gbit[Side.CLIENT] is not None


def test_a_record_with_a_line_has_no_adapters(tmp_path: File) -> None:
    wire = '[[stages]]\nname = "wire"\nkind = "link"\nline_rate = "25 Gbit/s"\n'
    card = adapter("ethernet-25gbe")
    assert [stage.name for stage in read(tmp_path, wire).stages] == [
        "wire_to_server",
        "wire_to_client",
    ]
    with pytest.raises(DomainError, match="two stages or pools have the name 'wire_to_server'"):
        read(tmp_path, wire, sender=card, receiver=card)


def test_a_cap_of_a_stage_on_cpus_is_one_of_each_direction(tmp_path: File) -> None:
    text = 'kind = "shared-ethernet-adapter"\nside = "client"\ncapacity = "13 Gbit/s payload"\n'
    stages = tuple(stage_of(tmp_path, text).values())
    both = Traffic(30720, 30720, waits=False, shares_segments=True)
    rate = predict_path(Path(stages=stages), both, 1500).throughput_bps
    assert rate.value == pytest.approx(13e9)
