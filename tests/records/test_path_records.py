"""Paths of your own: short files, what they refuse, and the examples that come along."""

import pickle
from decimal import Decimal
from pathlib import Path

import pytest
from paths import TANDEM
from pydantic import ValidationError
from records.right_files import FILES

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.grades import Grade
from netmodel.records import path_record
from netmodel.records.paths import PathRecord
from netmodel.records.stages import PathStage, StageKind

MINE = FILES["path"]["mine.toml"]
DEFAULTS = '[defaults]\nsource = "my notes"\nlocator = "page 3"\ngrade = "measured"\n'


def test_kinds_of_stages_differ_by_what_they_are() -> None:
    """Software counts the payload that it copies, wires all bytes, shapers of Linux frames."""
    of_threads = {StageKind.APPLICATION_CPU, StageKind.PROTOCOL_CPU}
    of_hosts = {StageKind.HYPERVISOR_CPU, StageKind.VIRTUAL_SWITCH}
    cpus = {StageKind.RECEIVE_QUEUE_CPU, StageKind.SHARED_ETHERNET_ADAPTER, *of_threads, *of_hosts}
    wires = {StageKind.TRUNK, StageKind.LINK, StageKind.SWITCH, StageKind.LINK_AGGREGATION}
    assert {x for x in StageKind if x.is_cpu} == cpus
    assert {x for x in StageKind if x.is_serial} == of_threads
    hashed = {StageKind.RECEIVE_QUEUE_CPU, StageKind.LINK_AGGREGATION}
    assert {x for x in StageKind if x.spreads_flows} == hashed
    assert {x for x in StageKind if x.counted_layer == 1} == wires
    assert {x for x in StageKind if x.counted_layer == 2} == {StageKind.SHAPER}
    assert {x.counted_layer for x in StageKind} == {1, 2, 4}


def written(directory: Path, text: str) -> Path:
    path = directory / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def stage_of(directory: Path, body: str) -> PathStage:
    text = f'title = "x"\n{DEFAULTS}[[stages]]\nname = "here"\n{body}\n'
    return path_record(written(directory, text)).stages[0]


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
    card, other = mine.adapter(Side.CLIENT), mine.adapter(Side.SERVER)
    host, far = mine.host(Side.CLIENT), mine.host(Side.SERVER)
    assert card
    assert other
    assert host
    assert far
    assert host.smt_gain
    assert (card.id, card.line_rate_bps, other.id) == ("my-card", 25e9, "ethernet-25gbe")
    assert (host.cpu_time_basis, host.smt_gain.number_estimate.value) == ("thread", 1.3)
    assert far.id == "z15-lpar-4core-smt2"
    assert mine.window is not None
    assert mine.window.size_bytes_bounds == (4 * 2**20, 4 * 2**20)
    assert mine.stages[0].pool is not None
    pool = mine.pools[mine.stages[0].pool]
    assert (pool.core_count.value, pool.cpu_time_basis) == (Decimal("3.5"), "core")
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
    assert stage.both.quoted_count == 1


def test_a_kind_implies_what_the_stage_does_not_say(tmp_path: Path) -> None:
    bus = 'kind = "bus"\nline_rate = "64 Gbit/s"'
    assert stage_of(tmp_path, bus).layer == 4
    assert stage_of(tmp_path, f"{bus}\ncounted_layer = 2").layer == 2
    for kind in ("link-aggregation", "trunk", "link", "switch"):
        assert stage_of(tmp_path, f'kind = "{kind}"\nline_rate = "50 Gbit/s"').layer == 1
    thread = 'kind = "protocol-cpu"\nboth.per_frame = "1 µs"'
    assert stage_of(tmp_path, thread).is_serial
    assert not stage_of(tmp_path, f"{thread}\nserial = false").is_serial
    assert not stage_of(tmp_path, 'kind = "shaper"\ncapacity = "1 Mpps"').is_serial


def test_a_path_has_stages_or_two_adapters(tmp_path: Path) -> None:
    text = 'title = "x"\nclient.adapter = "ethernet-1gbe"\n'
    assert "stages: at least one is needed" in problem_of(written(tmp_path, text))
    path = path_record(written(tmp_path, f'{text}server.adapter = "ethernet-1gbe"\n'))
    assert (path.stages, path.grades, path.host(Side.SERVER)) == ((), (), None)


def test_assumptions_need_a_note_that_defaults_may_have(tmp_path: Path) -> None:
    text = MINE.replace('"measured"', '"assumed"')
    assert "grade assumed needs a note" in problem_of(written(tmp_path, text))
    noted = path_record(written(tmp_path, text.replace("assumed", 'assumed"\nnote = "guess')))
    assert noted.grades == (Grade.ASSUMED,)
    assert "mine: stages.police.capacity of about 13 Gbit/s is assumed: guess" in noted.assumptions
    assert any("stages.cpu.in.vertices.1.per_frame" in message for message in noted.assumptions)


def test_records_of_the_file_take_precedence_over_the_catalog(tmp_path: Path) -> None:
    text = MINE.replace("my-card", "ethernet-1gbe").replace('"25 Gbit/s"', '"2 Gbit/s"')
    card = path_record(written(tmp_path, text)).adapter(Side.CLIENT)
    assert card is not None
    assert card.line_rate_bps == 2e9


def test_a_path_made_in_python_is_checked() -> None:
    ends = {"client": {"adapter": "ethernet-5gbe"}, "server": {"adapter": "ethernet-1gbe"}}
    path = PathRecord.model_validate({"id": "x", "title": "x"} | ends)
    assert path.adapter(Side.CLIENT)
    with pytest.raises(ValidationError, match="unknown adapter 'a'"):
        PathRecord.model_validate({"id": "x", "title": "x"} | ends | {"client": {"adapter": "a"}})
    with pytest.raises(ValidationError, match="should be a valid dictionary"):
        PathRecord.model_validate({"id": "x", "title": "x", "adapters": 5} | ends)
    with pytest.raises(ValidationError, match="frozen"):
        path.title = "y"  # type: ignore[misc]


def test_a_path_prints_and_survives_copies(mine: PathRecord) -> None:
    assert str(mine).splitlines()[:2] == [
        "mine: mine",
        "  client: adapter my-card, host my-host",
    ]
    assert "stages.police.capacity: about 13 Gbit/s (measured; my notes, page 3)" in str(mine)
    assert "cpu (protocol-cpu, client), police (shaper)" in str(mine)
    assert "stages.cpu.out: 12 to 14 µs per message, 0.5 ns per byte (" in str(mine)
    assert "stages.cpu.in: 1 µs per frame, 0 ns per byte, first of 2 points (" in str(mine)
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
    cap = path.stages[2].capacity
    assert cap is not None
    assert cap.capacity_estimate == pytest.approx((13e9, 11.7e9, 14.3e9))
