"""Paths of your own: short files, what they refuse, and the examples that come along."""

import pickle
from decimal import Decimal
from pathlib import Path

import pytest
from paths import TANDEM
from pydantic import ValidationError

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.records import (
    Grade,
    PathRecord,
    path_record,
)
from netmodel.records.equipment import CpuTimeBasis
from netmodel.records.stages import PathStage, StageKind

MINE = """\
title = "mine"
client = { adapter = "my-card", host = "my-host" }
server = { adapter = "ethernet-25gbe", host = "z15-lpar-4core-smt2" }
window = "4 MiB"

[defaults]
source = "my notes"
locator = "page 3"
grade = "measured"

[adapters.my-card]
line_rate = "25 Gbit/s"
receive_queue_count = "4"

[hosts.my-host]
adapters = ["my-card"]
core_count = "4"
smt_gain = "1.3"
cpu_time_basis = "thread"

[pools.cpus]
side = "client"
core_count = "3.5"
cpu_time_basis = "core"

[[stages]]
name = "cpu"
kind = "protocol-cpu"
side = "client"
pool = "cpus"
out = { per_message = "12 to 14 µs", per_byte = "0.5 ns" }
in.vertices = [{ per_frame = "1 µs", per_byte = "0 ns" }, { per_frame = "0 µs", per_byte = "1 ns" }]

[[stages]]
name = "police"
kind = "shaper"
rate_cap = "about 13 Gbit/s"
"""
DEFAULTS = '[defaults]\nsource = "my notes"\nlocator = "page 3"\ngrade = "measured"\n'


def written(directory: Path, text: str, name: str = "mine.toml") -> Path:
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def with_stage(directory: Path, body: str, name: str = "mine.toml") -> Path:
    text = f'title = "x"\n{DEFAULTS}[[stages]]\nname = "here"\n{body}\n'
    return written(directory, text, name)


def stage_of(directory: Path, body: str) -> PathStage:
    return path_record(with_stage(directory, body)).stages[0]


def problem_of(path: Path) -> str:
    with pytest.raises(ParseError) as caught:
        path_record(path)
    assert caught.value.source == str(path)
    return caught.value.problem


@pytest.fixture
def mine(tmp_path: Path) -> PathRecord:
    return path_record(written(tmp_path, MINE))


def test_a_complete_path_is_short(mine: PathRecord) -> None:
    assert len([line for line in MINE.splitlines() if line]) < 40
    assert (mine.id, mine.title) == ("mine", "mine")
    assert mine.client_adapter is not None
    assert mine.client_adapter.line_rate_bps == 25e9
    assert mine.client_adapter.id == "my-card"
    assert mine.server_adapter is not None
    assert mine.server_adapter.id == "ethernet-25gbe"
    assert mine.client_host is not None
    assert mine.client_host.cpu_time_basis is CpuTimeBasis.THREAD
    assert mine.client_host.smt_gain is not None
    assert mine.client_host.smt_gain.number_estimate.value == 1.3
    assert mine.server_host is not None
    assert mine.server_host.id == "z15-lpar-4core-smt2"
    assert mine.window is not None
    assert mine.window.size_bytes_bounds == (4 * 2**20, 4 * 2**20)
    assert mine.stages[0].pool is not None
    pool = mine.pools[mine.stages[0].pool]
    assert (pool.core_count.value, pool.cpu_time_basis) == (Decimal("3.5"), CpuTimeBasis.CORE)
    assert mine.stages[1].pool is None
    assert mine.grades == (Grade.MEASURED,)
    assert mine.assumptions == ()


def test_service_times_are_read_by_direction(mine: PathRecord) -> None:
    cpu = mine.stages[0]
    assert cpu.times("to_server") is cpu.out
    assert cpu.times("to_client") is cpu.in_
    assert cpu.in_ is not None
    assert [point.present for point in cpu.in_.points] == [("per_frame", "per_byte")] * 2
    assert cpu.in_.quoted is cpu.in_.vertices[0]
    assert cpu.out is not None
    assert cpu.out.points == (cpu.out,)
    assert cpu.out.per_message is not None
    assert cpu.out.per_message.time_s_estimate == pytest.approx((13e-6, 11.5e-6, 14.5e-6))
    assert mine.stages[1].times("to_client") is None


def test_times_of_the_server_are_seen_from_the_server(tmp_path: Path) -> None:
    text = 'kind = "adapter"\nside = "server"\nin.per_frame = "1 µs"\nout.per_frame = "2 µs"'
    stage = stage_of(tmp_path, text)
    assert stage.times("to_server") is stage.in_
    assert stage.times("to_client") is stage.out


def test_times_without_a_side(tmp_path: Path) -> None:
    stage = stage_of(tmp_path, 'kind = "switch"\nboth.samples = [{ per_frame = "1 µs" }]')
    assert stage.both is not None
    assert stage.times("to_server") is stage.times("to_client") is stage.both
    assert stage.both.points == stage.both.samples


def test_a_kind_implies_what_the_stage_does_not_say(tmp_path: Path) -> None:
    bus = 'kind = "bus"\nline_rate = "64 Gbit/s"'
    assert stage_of(tmp_path, bus).layer == 4
    assert stage_of(tmp_path, f"{bus}\ncounted_layer = 2").layer == 2
    thread = 'kind = "protocol-cpu"\nboth.per_frame = "1 µs"'
    assert stage_of(tmp_path, thread).is_serial
    assert not stage_of(tmp_path, f"{thread}\nserial = false").is_serial


SERVED = 'kind = "switch"\nboth.per_frame = "1 µs"\n'
CPU = 'kind = "protocol-cpu"\nside = "client"\nout.per_frame = "1 µs"\n'


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ('kind = "swich"', "stages 1 \"here\".kind: must be 'application-cpu', "),
        ('kind = "switch"', 'stages 1 "here": needs one of out, in, both, delay'),
        (f'{CPU}both.per_frame = "1 µs"', 'stages 1 "here": both: gives the times of each'),
        (
            'kind = "adapter"\nin.per_frame = "1 µs"',
            'stages 1 "here": in: needs side: out and in are seen from a host',
        ),
        (f'{SERVED}side = "middle"', "stages 1 \"here\".side: must be 'client' or 'server'"),
        (
            'kind = "switch"\nboth = {}',
            "both: per_message, per_wakeup, per_interrupt, per_frame, per_packet, per_ack, "
            "per_byte: at least",
        ),
        ('kind = "switch"\nboth = "1 µs"', 'stages 1 "here".both: '),
        ('kind = "switch"\nboth.vertices = [{}]', 'stages 1 "here".both.vertices.0: per_message, '),
        (
            'kind = "switch"\nboth = { per_frame = "1 s", samples = [{ per_byte = "1 s" }] }',
            'stages 1 "here".both: per_frame and samples: only one',
        ),
        (
            'kind = "switch"\nboth.samples = [{ per_byte = "1 s" }, { per_frame = "1 s" }]',
            'stages 1 "here".both: samples: all of them need the same times',
        ),
        (
            'kind = "switch"\nboth.per_frame = "1 Gbit/s"',
            "stages 1 \"here\".both.per_frame: '1 Gbit/s': un",
        ),
        ('kind = "switch"\nboth.per_frame = "-1 s"', "both.per_frame: '-1 s': a time must not be"),
        ('kind = "switch"\nboth.per_frame = 1.5', 'stages 1 "here".both.per_frame: must be'),
        ('kind = "switch"\nboth.per_frame = "soon"', "both.per_frame: 'soon' is not a figure"),
        (f'{SERVED}servers = "0"', 'stages 1 "here".servers: must be at least 1; got 0'),
        (f'{SERVED}servers = "1.5"', 'stages 1 "here".servers: must be a whole number'),
        (f'{SERVED}rate_cap = "0 Gbit/s"', 'stages 1 "here".rate_cap: must be above 0'),
        (f'{SERVED}rate_cap = "13"', "stages 1 \"here\".rate_cap: '13': the unit is missing"),
        (
            f'{SERVED}frame_rate_cap = "1 M/s"',
            "stages 1 \"here\".frame_rate_cap: '1 M/s': write a rate",
        ),
        (f"{SERVED}counted_layer = 3", 'stages 1 "here".counted_layer: must be 1, 2 or 4'),
        (f'{CPU}incomplete = ["up"]', "stages 1 \"here\".incomplete.0: must be 'out'"),
        (f"{SERVED}in_.per_frame = '1 s'", 'stages 1 "here".in_: is not a known key'),
    ],
)
def test_a_stage_whose_parts_do_not_fit_is_refused(tmp_path: Path, body: str, fault: str) -> None:
    assert fault in problem_of(with_stage(tmp_path, body))


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('"my-card", host', '"my-crd", host', "client.adapter: unknown adapter 'my-crd'; did you"),
        ('host = "my-host"', 'host = "his"', "client.host: unknown host 'his'; "),
        ("ethernet-25gbe", "ethernet-26gbe", "server.adapter: unknown adapter 'ethernet-26gbe'; d"),
        ("z15-lpar-4core-smt2", "z15", "server.host: unknown host 'z15'; did you mean z15-lpar"),
        (
            'pool = "cpus"',
            'pool = "cpu"',
            "stages 1 \"cpu\".pool: unknown pool 'cpu'; did you mean cpus?",
        ),
        ("[pools.cpus]", "[pools.cpus]\nx = 1", "pools.cpus.x: is not a known key"),
        ('core_count = "3.5"', 'core_count = "0"', "pools.cpus.core_count: must be above 0"),
        ('side = "client"\ncore', 'side = "server"\ncore', "pool: 'cpus' belongs to the other"),
        ('"thread"', '"lwp"', "hosts.my-host.cpu_time_basis: must be 'core' or 'thread'"),
        (
            'smt_gain = "1.3"',
            'smt_gain = "2.1"',
            "smt_gain: must be at least 1 and at most 2; got 2.1",
        ),
        (
            'name = "police"',
            'name = "cpu"',
            "'cpu' is the name of two limits",
        ),
        ('window = "4 MiB"', 'window = "0"', "window: must be at least 1; got 0"),
        ('window = "4 MiB"', 'window = "4k"', "is ambiguous: k may"),
        ("[adapters.my-card]", "[adapters.my-card]\nx = 1", "adapters.my-card.x: is not a known"),
        ('title = "mine"', 'title = "mine"\nadapters = 5', "not TOML"),
        ('title = "mine"', 'id = "mine"', "id: is the name of the file"),
        ('adapter = "ethernet-25gbe"', 'port = "x"', "server.port: is not a known key"),
    ],
)
def test_what_does_not_fit_is_reported_with_file_and_key(
    tmp_path: Path, old: str, new: str, fault: str
) -> None:
    assert old in MINE
    assert fault in problem_of(written(tmp_path, MINE.replace(old, new, 1)))


def test_a_path_has_stages_or_two_adapters(tmp_path: Path) -> None:
    text = 'title = "x"\nclient.adapter = "ethernet-1gbe"\n'
    assert "stages: at least one is needed" in problem_of(written(tmp_path, text))
    path = path_record(written(tmp_path, f'{text}server.adapter = "ethernet-1gbe"\n'))
    assert (path.stages, path.grades, path.server_host) == ((), (), None)


def test_assumptions_need_a_note_that_defaults_may_have(tmp_path: Path) -> None:
    text = MINE.replace('"measured"', '"assumed"')
    assert "grade assumed needs a note" in problem_of(written(tmp_path, text))
    noted = path_record(written(tmp_path, text.replace("assumed", 'assumed"\nnote = "guess')))
    assert noted.grades == (Grade.ASSUMED,)
    assert "mine: stages.police.rate_cap of about 13 Gbit/s is assumed: guess" in noted.assumptions
    assert any("stages.cpu.in.vertices.1.per_frame" in message for message in noted.assumptions)


def test_records_of_the_file_take_precedence_over_the_catalog(tmp_path: Path) -> None:
    text = MINE.replace("my-card", "ethernet-1gbe").replace('"25 Gbit/s"', '"2 Gbit/s"')
    card = path_record(written(tmp_path, text)).client_adapter
    assert card is not None
    assert card.line_rate_bps == 2e9


def test_a_path_made_in_python_is_checked() -> None:
    ends = {"client": {"adapter": "ethernet-5gbe"}, "server": {"adapter": "ethernet-1gbe"}}
    path = PathRecord.model_validate({"id": "x", "title": "x"} | ends)
    assert path.client_adapter
    with pytest.raises(ValidationError, match="unknown adapter 'a'"):
        PathRecord.model_validate({"id": "x", "title": "x"} | ends | {"client": {"adapter": "a"}})
    with pytest.raises(ValidationError, match="frozen"):
        path.title = "y"  # type: ignore[misc]


def test_a_path_prints_and_survives_copies(mine: PathRecord) -> None:
    assert str(mine).splitlines()[:2] == [
        "mine: mine",
        "  client: adapter my-card, host my-host",
    ]
    assert "stages.police.rate cap: about 13 Gbit/s (measured; my notes, page 3)" in str(mine)
    assert "cpu (protocol-cpu, client), police (shaper)" in str(mine)
    shown = mine.to_dict()
    assert shown["stages"][0]["in"]["vertices"][1]["per_byte"]["value"] == "1"
    assert shown["adapters"]["my-card"]["line_rate"]["value"] == "25"
    assert pickle.loads(pickle.dumps(mine)) == mine
    assert PathRecord.model_validate(mine.model_dump(by_alias=True)).stages == mine.stages


def demands_us(path: PathRecord) -> dict[str, Decimal]:
    """Figures of both directions of each stage, one message of one frame each way."""
    return {
        stage.name: sum(
            (
                value.value or Decimal(0)
                for times in (stage.times("to_server"), stage.times("to_client"))
                for value in ([] if times is None else [times.per_message, times.per_frame])
                if value is not None
            ),
            start=Decimal(0),
        )
        for stage in path.stages
    }


def test_the_worked_example_has_the_demands_of_the_handbook() -> None:
    path = path_record("worked-closed-network")
    demands = demands_us(path)
    assert demands["client-cpu"] == demands["server-cpu"] == 12
    queues = [stage for stage in path.stages if stage.kind is StageKind.RECEIVE_QUEUE_CPU]
    assert [stage.servers.value for stage in queues if stage.servers] == [1, 1]
    assert 1e6 / float(demands["client-queue"]) == pytest.approx(166_667, abs=0.5)
    wire = Decimal(290 + 1090) * 8 / 25_000
    delays = [2 * stage.delay.value for stage in path.stages if stage.delay and stage.delay.value]
    total = sum(demands.values()) + wire + sum(delays)
    assert total == pytest.approx(Decimal("79.3007"), abs=Decimal("0.00005"))


def test_the_costs_of_the_shared_adapter_are_those_of_the_handbook() -> None:
    path = path_record(TANDEM)
    for name, consumption in (("client-cpu", 150_000), ("sea", 90_000)):
        stage = next(stage for stage in path.stages if stage.name == name)
        times = stage.times("to_server")
        assert times is not None
        assert times.per_byte is not None
        assert times.per_byte.time_s_estimate.value * 1e6 * 1e9 / 8 == pytest.approx(consumption)
        assert stage.side is Side.CLIENT
    cap = path.stages[2].rate_cap
    assert cap is not None
    assert cap.rate_bps_estimate == pytest.approx((13e9, 11.7e9, 14.3e9))
