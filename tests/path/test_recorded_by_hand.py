"""A record of a path with every kind of key, as the path that it is, field by field."""

from dataclasses import replace
from pathlib import Path as File

import pytest

from netmodel._grades import Grade
from netmodel.consumption import Side
from netmodel.errors import ContradictionError
from netmodel.path import (
    ByteLayer,
    Path,
    Pool,
    SpecifiedPath,
    Stage,
    Times,
    Traffic,
    recorded_path,
    wire_stages,
)
from netmodel.path._distance import Distance
from netmodel.path._measured_demands import FittedTo, MeasuredDemands, Waiting
from netmodel.path._path import Gain, Reference
from netmodel.path._settings import Setting
from netmodel.records import PathRecord, adapter, path_record
from netmodel.transport import propagation_delay_s

RECORD = """title = "x"
link = "far"
window = "65536"
unknown = ["a firewall"]
[defaults]
source = "lab"
locator = "run 3"
grade = "standard"
[links.far]
line_rate = "10 Gbit/s"
distance = { value = 100, unit = "km", grade = "standard" }
[pools.guest]
side = "server"
core_count = "4"
service_variation = "0.5"
[measured_with]
offloads = [{ name = "gro", value = "off" }]
[[stages]]
name = "app"
kind = "application-cpu"
side = "client"
out = { per_message = "6 µs", per_wakeup = "8 µs" }
in.per_byte = "1 ns"
messages_per_wakeup = "4"
incomplete = ["in"]
[[stages]]
name = "queue"
kind = "receive-queue-cpu"
side = "server"
pool = "guest"
servers = "2"
in = { per_frame = "2 µs", per_interrupt = "3 µs", per_ack = "1 µs" }
frames_per_interrupt = "8"
service_variation = "0"
[[stages]]
name = "bridge"
kind = "virtual-switch"
pool = "guest"
to_client.per_frame = "3 µs"
segments_per_packet = "2"
serial = true
[[stages]]
name = "trunk"
kind = "trunk"
line_rate = "25 Gbit/s"
rate_cap = "20 Gbit/s"
frame_rate_cap = "1000000 1/s"
delay = "5 µs"
mtu = "9000"
stack = "ethernet/vlan/ipv4/tcp"
[[stages]]
name = "fibre"
kind = "fibre"
distance = { value = 10, unit = "km", grade = "standard" }
"""
STANDARD = Grade.STANDARD


def record(directory: File, text: str = RECORD) -> PathRecord:
    file = directory / "mine.toml"
    file.write_text(text, encoding="utf-8")
    return path_record(file)


def grades(*names: str) -> dict[str, Grade]:
    return dict.fromkeys(names, STANDARD)


def each_way(time_s: float, name: str) -> Stage:
    both = Times(per_message_s=time_s)
    known = grades("to_server.per_message_s", "to_client.per_message_s")
    return Stage(name=name, to_server=both, to_client=both, parallel_count=None, grades=known)


def test_every_stage_of_a_record(tmp_path: File) -> None:
    path = recorded_path(record(tmp_path))
    stages = {stage.name: stage for stage in path.stages}
    trunk = {
        "byte_layer": ByteLayer.WIRE,
        "mtu_bytes": 9000,
        "stack": stages["trunk_to_server"].stack,
    }
    assert str(trunk["stack"]) == "ethernet/vlan/ipv4/tcp"
    line, cap = Times(per_byte_s=8 / 25e9), Times(per_byte_s=8 / 20e9)
    frames = Times(per_frame_s=1e-6)
    expected = [
        Stage(
            name="app",
            to_server=Times(per_message_s=6e-6, per_wakeup_s=8e-6),
            to_client=Times(per_byte_s=1e-9, is_complete=False),
            parallel_count=None,
            pool="client_cpus",
            is_serial=True,
            messages_per_wakeup=4.0,
            side=Side.CLIENT,
            grades=grades(
                "messages_per_wakeup",
                "to_server.per_message_s",
                "to_server.per_wakeup_s",
                "to_client.per_byte_s",
            ),
        ),
        *wire_stages(10e9, STANDARD),
        each_way(propagation_delay_s(100e3), "link_delay"),
        Stage(
            name="bridge",
            to_client=Times(per_frame_s=3e-6),
            parallel_count=None,
            pool="guest",
            is_serial=True,
            segments_per_packet=2.0,
            grades=grades("segments_per_packet", "to_client.per_frame_s"),
        ),
        *(
            Stage(
                name=f"trunk{part}_{direction}",
                **{direction: times},
                delays=part == "",
                grades=grades(f"{direction}.{time}"),
                **trunk,
            )
            for part, times, time in (
                ("", line, "per_byte_s"),
                ("_cap", cap, "per_byte_s"),
                ("_frame_cap", frames, "per_frame_s"),
            )
            for direction in ("to_server", "to_client")
        ),
        replace(each_way(5e-6, "trunk_delay"), **trunk),
        each_way(propagation_delay_s(10e3), "fibre"),
        Stage(
            name="queue",
            to_server=Times(per_frame_s=2e-6, per_interrupt_s=3e-6, per_ack_s=1e-6),
            parallel_count=2.0,
            pool="guest",
            hashes_flows=True,
            frames_per_interrupt=8.0,
            service_variation_ratio=0,
            side=Side.SERVER,
            grades=grades(
                "parallel_count",
                "frames_per_interrupt",
                "to_server.per_frame_s",
                "to_server.per_interrupt_s",
                "to_server.per_ack_s",
            ),
        ),
    ]
    assert list(stages) == [stage.name for stage in expected]
    for stage in expected:
        assert stages[stage.name] == stage, stage.name


def test_all_else_that_a_record_says_of_a_path(tmp_path: File) -> None:
    path = recorded_path(record(tmp_path))
    assert path.pools == (
        Pool(
            "guest",
            4.0,
            Side.SERVER,
            time_basis="core",
            grade=STANDARD,
            service_variation_ratio=0.5,
        ),
        Pool("client_cpus", None, Side.CLIENT),
    )
    assert (path.window_bytes, path.window_grade) == (65536, STANDARD)
    assert path.unknown == ("a firewall",)
    assert path.notes == path.mixed_notes == path.measured == ()
    assert (path.reference, path.scatter_ratio, path.loss_ratio) == (None, None, None)
    assert path.name == "mine"
    one_way_s = propagation_delay_s(100e3)
    assert path.distance == Distance(distance_m=100e3, round_trip_s=2 * one_way_s)
    assert path.settings == (Setting("mine", "gro", "off", "lab", "run 3", ""),)
    card = adapter("ethernet-25gbe")
    with_cards = recorded_path(record(tmp_path), card, card, 10e9)
    assert with_cards.name == "mine: ethernet-25gbe at both ends"
    names = [stage.name for stage in with_cards.stages]
    assert names[:4] == ["app", "client_adapter_out", "client_adapter_in", "wire_to_server"]
    assert names[4:6] == ["wire_to_client", "link_delay"]
    assert names[6:8] == ["server_adapter_in", "server_adapter_out"]


MEASURED = """title = "x"
[defaults]
source = "lab"
locator = "run 3"
grade = "standard"
[[stages]]
name = "cap"
kind = "shaper"
rate_cap = "20 Gbit/s"
[[measured]]
mtu = "1500"
waiting = "steady"
[[measured.stages]]
name = "own"
per_transaction = "284 µs"
per_byte_to_server = { least = "16 ns" }
[[measured.stages]]
name = "shared"
shared = true
per_transaction = { least = "2 µs", shared = "90 µs", batching_connections = "10" }
per_byte_to_client = { least = "8 ns", growing = "0.5 ns" }
[[measured.fitted_to]]
workload = "requests"
request = "200"
response = "1000"
connections = [1, 50]
error = "5 %"
outside_error = "10 %"
[[measured.fitted_to]]
workload = "streams to client"
connections = [5, 20]
error = "4 %"
outside_error = "8 %"
[[measured.fitted_to]]
workload = "streams to server"
connections = [2, 20]
error = "3 %"
outside_error = "6 %"
"""


def test_measured_demands_of_a_record_hold_for_its_own_equipment(tmp_path: File) -> None:
    known = record(tmp_path, MEASURED)
    (measured,) = recorded_path(known).measured
    own, shared = measured.stages
    assert own == Stage(
        name="own",
        to_server=Times(per_message_s=284e-6, per_byte_s=16e-9),
        parallel_count=None,
    )
    # 92 µs alone, and 2 + 90 / (1 + 9 / 10) with 9; bytes 8 + 9 * 0.5 ns
    nine = Path(stages=(shared,)).at(9).stages[0]
    assert nine.to_server.per_message_s == pytest.approx(2e-6 + 90e-6 / 1.9)
    assert nine.to_client.per_byte_s == pytest.approx(12.5e-9)
    assert nine.to_server.per_byte_s == 0
    assert (shared.name, shared.parallel_count) == ("shared", 1)
    assert measured == MeasuredDemands(
        mtu_bytes=1500,
        stages=(own, shared),
        waiting=Waiting.STEADY,
        fitted_to=(
            FittedTo(
                waits=True,
                request_bytes=200,
                response_bytes=1000,
                connection_counts=(1, 50),
                error_ratio=0.05,
                outside_error_ratio=0.1,
            ),
            FittedTo(
                waits=False,
                request_bytes=0,
                response_bytes=1,
                connection_counts=(5, 20),
                error_ratio=0.04,
                outside_error_ratio=0.08,
            ),
            FittedTo(
                waits=False,
                request_bytes=1,
                response_bytes=0,
                connection_counts=(2, 20),
                error_ratio=0.03,
                outside_error_ratio=0.06,
            ),
        ),
    )
    card = adapter("ethernet-25gbe")
    assert recorded_path(known, line_rate_bps=10e9).measured == ()
    for cards in ((card, None), (None, card)):
        assert recorded_path(known, *cards).measured == ()


RELATIVE = """title = "x"
[defaults]
source = "lab"
locator = "run 3"
grade = "measured"
[reference]
mtu = "1500"
[[reference.gains]]
mtu = "8192"
of = "cpu"
ratio = { relation = "range", low = 1.1, high = 1.3, unit = "1", note = "page 3" }
[[reference.gains]]
mtu = "4000"
ratio = { value = 1.25, unit = "1", grade = "standard" }
[[stages]]
name = "cpu"
kind = "hypervisor-cpu"
relative = true
both.per_frame = "1 µs"
"""


def test_a_reference_has_its_published_gains(tmp_path: File) -> None:
    path = recorded_path(record(tmp_path, RELATIVE))
    (stage,) = path.stages
    assert stage.factor == "cpu"
    assert path.reference == Reference(
        1500,
        gains=(
            Gain(8192, 1.1, 1.3, None, "cpu", "page 3", Grade.MEASURED),
            Gain(4000, 1.25, 1.25, 1.25, None, "", STANDARD),
        ),
    )


def test_a_specified_path_takes_what_is_given_before_what_its_record_has(tmp_path: File) -> None:
    known = record(tmp_path)
    slow, fast = adapter("ethernet-10gbe"), adapter("ethernet-25gbe")
    given = SpecifiedPath(record=known, sender=slow, receiver=fast)
    assert given.adapters(Side.CLIENT) == (slow, fast)
    assert given.adapters(Side.SERVER) == (fast, slow)
    assert [each.id for each in given.records] == ["mine", slow.id, fast.id, "far"]
    assert given.own_line_rate_bps == 10e9
    assert SpecifiedPath(fast, fast).own_line_rate_bps == 25e9
    assert SpecifiedPath(fast, slow).own_line_rate_bps == 10e9
    assert SpecifiedPath(record=record(tmp_path, RELATIVE)).own_line_rate_bps is None
    far = Distance(round_trip_s=1e-3)
    over = replace(given, distance=far, line_rate_bps=5e9)
    answers = Traffic(200, 1000, connection_count=1)
    path = over.path_of(answers)
    assert path.stages[1].name == "client_adapter_out"
    assert path.distance is far
    assert [stage.name for stage in path.stages].count("distance") == 1
    # the server sends more: its adapter is that of the sender
    assert path.name == f"mine: client {fast.id}, server {slow.id}"
    assert over.path_of(answers, Side.CLIENT).name == f"mine: client {slow.id}, server {fast.id}"
    shown = repr(over)
    for text in ("mine", f"{slow.id} to {fast.id}", "5 Gbit/s"):
        assert text in shown
    html = over._repr_html_()
    for text in ("mine", slow.id, fast.id, "line rate", "5 Gbit/s", "a round trip of 1 ms"):
        assert text in html
    with pytest.raises(ContradictionError, match="give the adapters of both sides, or the path"):
        SpecifiedPath(slow)
