"""Hosts at both ends of a path: what they spend on what they send and receive."""

from pathlib import Path as File
from typing import Any

import pytest
from paths import STREAM, ends

from netmodel.consumption import Side
from netmodel.consumption.cost import parse_cpu_cost
from netmodel.errors import ContradictionError
from netmodel.path import (
    Interval,
    Joint,
    Path,
    Pool,
    Prediction,
    SpecifiedPath,
    Stage,
    Times,
    Traffic,
    predict_path,
)
from netmodel.path.from_records import host_pool, host_stages
from netmodel.records import Host, adapter, host, path_record

GIVEN = '[defaults]\nsource = "lab"\nlocator = "run 3"\ngrade = "measured"\n'
PLAIN = '{ per_message = "1.00 µs", per_packet = "0.50 µs", per_byte = "0.20 ns" }'
CARD = adapter("ethernet-100gbe")


def written(directory: File, text: str, name: str = "box") -> Host:
    file = directory / f"{name}.toml"
    file.write_text(f'title = "x"\nkind = "own"\n{text}\n{GIVEN}', encoding="utf-8")
    return host(file)


def client_cost(prediction: Prediction) -> float:
    result = prediction.cpu_us_per_gbit[Side.CLIENT]
    assert result is not None
    return result.value


@pytest.mark.parametrize("side", Side)
def test_each_direction_has_its_own_times(side: Side, tmp_path: File) -> None:
    box = written(tmp_path, 'send.per_message = "1 µs"\nreceive.per_message = "3 µs"')
    send, receive = host_stages(box, side)
    assert (send.name, receive.name) == (f"{side.value}_host_send", f"{side.value}_host_receive")
    out, back = ("to_server", "to_client") if side is Side.CLIENT else ("to_client", "to_server")
    assert getattr(send, out).per_message_s.value == pytest.approx(1e-6)
    assert getattr(receive, back).per_message_s.value == pytest.approx(3e-6)
    assert not [*getattr(send, back).named, *getattr(receive, out).named]
    assert send.pool == receive.pool == host_pool(box, side).name


def test_directions_measured_with_other_connections_stand_alone(tmp_path: File) -> None:
    """By hand: 2 µs to send with 9 connections, 3 µs to receive, as with the nearest number."""
    sent = '{ connections = 1, per_message = "1 µs" }, { connections = 9, per_message = "2 µs" }'
    text = f'send.at = [{sent}]\nreceive.at = [{{ connections = 1, per_message = "3 µs" }}]'
    path = SpecifiedPath(CARD, CARD, client_host=written(tmp_path, text)).path()
    cost = client_cost(predict_path(path, Traffic(1000, 1000, connection_count=9), 1500))
    assert cost == pytest.approx(5 / 16e-6)


def test_every_key_of_a_host_is_a_part_of_its_stage(tmp_path: File) -> None:
    times = ", ".join(
        f'per_{part} = "{number}.00 µs"'
        for number, part in enumerate(
            ("message", "wakeup", "interrupt", "packet", "ack", "byte"), start=1
        )
    )
    counts = 'messages_per_wakeup = "2.5", frames_per_interrupt = "4", segments_per_packet = "45"'
    (_, receive) = host_stages(written(tmp_path, f"receive = {{ {times}, {counts} }}"), Side.SERVER)
    result = {name: round(value.value * 1e6) for name, value in receive.to_server.named}
    assert result == {
        "per_message_s": 1,
        "per_wakeup_s": 2,
        "per_interrupt_s": 3,
        "per_frame_s": 4,
        "per_ack_s": 5,
        "per_byte_s": 6,
    }
    assert receive.messages_per_wakeup == Interval(2.5, 2.45, 2.55)
    assert (receive.frames_per_interrupt, receive.segments_per_packet) == (4, 45)


def test_the_cpus_bind_when_they_are_scarcest(tmp_path: File) -> None:
    """By hand: 30720 byte take 17.75 µs of one CPU, so 4 CPUs carry 8 * 30720 * 4 / 17.75 µs."""
    cores = 'core_count = { value = 4, unit = "1" }'
    box = written(tmp_path, f"{cores}\nsend = {PLAIN}\nreceive = {PLAIN}")
    path = SpecifiedPath(CARD, CARD, client_host=box, server_host=box).path()
    result = predict_path(path, STREAM, 1500)
    cpu_us = 1 + 0.5 * 30720 / 1448 + 0.2e-3 * 30720
    assert result.binding in {"client_cpus", "server_cpus"}
    assert result.throughput_bps.value == pytest.approx(8 * 30720 * 4 / cpu_us * 1e6)
    for side in Side:
        busy = result.cpu_busy[side]
        assert busy is not None
        assert busy.value == pytest.approx(4)
    assert path.unknown == ("the network between the adapters",)


def test_one_connection_is_one_cpu_only_where_that_is_known(tmp_path: File) -> None:
    cores = 'core_count = { value = 4, unit = "1" }'
    stream = Traffic(30720, waits=False, shares_segments=True, connection_count=1)
    alone = "serial = true\n"
    names = {}
    for text in ("", alone):
        box = written(tmp_path, f"{text}{cores}\nsend = {PLAIN}\nreceive = {PLAIN}")
        result = predict_path(SpecifiedPath(CARD, CARD, client_host=box).path(), stream, 1500)
        names[text] = set(result.limit_rates_bps)
    assert names[alone] - names[""] == {"client_host_send of each connection"}


def test_an_unknown_direction_of_a_host_is_not_made_up(tmp_path: File) -> None:
    box = written(tmp_path, f"send = {PLAIN}")
    path = SpecifiedPath(CARD, CARD, client_host=box).path()
    stream = predict_path(path, STREAM, 1500)
    assert stream.cpu_us_per_gbit[Side.CLIENT] is not None
    both = predict_path(path, Traffic(200, 1000, connection_count=10), 1500)
    assert both.cpu_us_per_gbit[Side.CLIENT] is both.cpu_busy[Side.CLIENT] is None
    note = (
        "CPU cost of the client not predicted: not all service times of client_host_receive are "
        "known"
    )
    assert note in both.notes
    assert note not in stream.notes
    assert "CPU times of the client for receiving" in path.unknown
    assert "the number of CPUs of the client" in path.unknown
    acks = predict_path(path, Traffic(30720, waits=False, segments_per_ack=2), 1500)
    assert acks.cpu_us_per_gbit[Side.CLIENT] is None


@pytest.mark.parametrize("form", ["vertices", "samples"])
def test_points_of_both_directions_go_together(form: str, tmp_path: File) -> None:
    """Cheap to send where it is dear to receive: the cost of both is the same at every point."""
    box = written(
        tmp_path,
        f'send.{form} = [{{ per_byte = "1 ns" }}, {{ per_byte = "3 ns" }}]\n'
        f'receive.{form} = [{{ per_byte = "3 ns" }}, {{ per_byte = "1 ns" }}]',
    )
    send, _ = host_stages(box, Side.CLIENT)
    assert isinstance(send.to_server.per_byte_s, Joint)
    result = predict_path(
        SpecifiedPath(CARD, CARD, client_host=box).path(), Traffic(1000, 1000), 1500
    )
    cost = result.cpu_us_per_gbit[Side.CLIENT]
    assert ends(cost) == pytest.approx([2e-9 / 8e-9 * 1e6] * 3)


def test_stages_and_a_host_cannot_both_have_cpu_times(tmp_path: File) -> None:
    file = tmp_path / "path.toml"
    cpu = '[[stages]]\nname = "app"\nkind = "{}"\nside = "client"\nboth.per_message = "1 µs"\n'
    box = written(tmp_path, f"send = {PLAIN}")
    head = f'title = "x"\n{GIVEN}'
    file.write_text(head + cpu.format("protocol-cpu"), encoding="utf-8")
    with pytest.raises(ContradictionError, match=r"stage app of path and host box both have CPU"):
        SpecifiedPath(record=path_record(file), client_host=box).path()
    file.write_text(head + cpu.format("hypervisor-cpu"), encoding="utf-8")
    path = SpecifiedPath(record=path_record(file), client_host=box).path()
    assert {each.name for each in path.stages} == {"client_host_send", "client_host_receive", "app"}
    assert len(path.pools) == 1


@pytest.mark.parametrize(
    ("changed", "cost_us"),
    [
        ({}, 15),  # 10 frames and 5 acknowledgements at 1 µs each
        ({"per_ack_s": 0.2e-6}, 11),
        ({"per_ack_s": 0}, 10),
    ],
)
def test_acknowledgements_take_what_a_frame_does_by_default(
    changed: dict[str, Any], cost_us: float
) -> None:
    cpu = Stage(
        name="cpu",
        to_server=Times(per_frame_s=1e-6, **changed),
        to_client=Times(per_frame_s=1e-6, **changed),
        pool="cpus",
        parallel_count=None,
        segments_per_ack=20,  # of a host, where the traffic has none
    )
    path = Path(stages=(cpu,), pools=(Pool("cpus", 1, Side.CLIENT),))
    result = predict_path(path, Traffic(14480, segments_per_ack=2), 1500)
    assert result.transaction_rate_tps.value == pytest.approx(1e6 / cost_us)


def test_hosts_that_are_given_go_before_those_of_the_record(tmp_path: File) -> None:
    """4 and 8 CPUs of the record; 2 in place of either."""
    file = tmp_path / "path.toml"
    ends = f'client.adapter = "{CARD.id}"\nserver.adapter = "{CARD.id}"\n'
    hosts = 'client.host = "four"\nserver.host = "eight"\n'
    own = '[hosts.four]\ncore_count = "4"\n[hosts.eight]\ncore_count = "8"\n'
    file.write_text(f'title = "x"\n{ends}{hosts}{GIVEN}{own}', encoding="utf-8")
    record, two = path_record(file), written(tmp_path, 'core_count = "2"', "two")
    for given, counts, names in (
        ({}, (4, 8), ["four", "eight"]),
        ({"client_host": two}, (2, 8), ["two", "eight"]),
        ({"server_host": two}, (4, 2), ["four", "two"]),
    ):
        specified = SpecifiedPath(
            record=record,
            client_cost=parse_cpu_cost("0.1 µs/Gbit"),
            server_cost=parse_cpu_cost("0.1 µs/Gbit"),
            **given,
        )
        pools = specified.path_of(STREAM).pools
        assert tuple(pool.parallel_count for pool in pools) == counts
        assert [each.id for each in specified.records if isinstance(each, Host)] == names
