"""Runs against paths whose limits depend on luck."""

from pathlib import Path as File

import pytest
from runs import run

from netmodel.checking import Outcome, SpecifiedLine, check
from netmodel.path import SpecifiedPath
from netmodel.readers import Direction
from netmodel.records import adapter, path_record

EIGHT_QUEUES = """title = "x"
[defaults]
source = "notes"
locator = "page 1"
grade = "measured"
[[stages]]
name = "queues"
kind = "receive-queue-cpu"
side = "server"
servers = "8"
in.per_byte = "4.000 ns"
"""


@pytest.mark.parametrize(
    ("goodput_bps", "outcome"),
    [(3e9, Outcome.BELOW), (15.9e9, Outcome.AT_CEILING), (17e9, Outcome.IMPOSSIBLE)],
)
def test_a_lucky_hash_is_not_impossible(
    goodput_bps: float, outcome: Outcome, tmp_path: File
) -> None:
    """8 queues of 2 Gbit/s carry 16 Gbit/s where each has one of 8 streams."""
    file = tmp_path / "mine.toml"
    file.write_text(EIGHT_QUEUES, encoding="utf-8")
    line = SpecifiedLine(25e9, mtu_bytes=1500, path=SpecifiedPath(record=path_record(file)))
    assert check(run(goodput_bps, stream_count=8), line).outcome is outcome


MEASURED = """title = "x"
[defaults]
source = "notes"
locator = "page 1"
grade = "measured"
"""
BUS = """[[stages]]
name = "pcie"
kind = "bus"
side = "server"
in.per_byte = "1.000 ns"
"""
QUEUE = """[[stages]]
name = "softirq"
kind = "receive-queue-cpu"
side = "server"
servers = "1"
in.per_frame = "2.000 µs"
"""


def line_with(stages: str, tmp_path: File, **specified: object) -> SpecifiedLine:
    file = tmp_path / "mine.toml"
    file.write_text(MEASURED + stages, encoding="utf-8")
    path = SpecifiedPath(record=path_record(file))
    return SpecifiedLine(25e9, mtu_bytes=1500, path=path, **specified)


def test_a_capacity_of_a_stage_is_a_limit_of_each_flow(tmp_path: File) -> None:
    stage = '[[stages]]\nname = "shaper"\nkind = "shaper"\ncapacity = "1Gbit/s ip per flow"\n'
    line = line_with(stage, tmp_path, connection_count=4)
    for count in (2, None):  # those of the run go before
        most_bps = (count or 4) * 1e9 * 1448 / 1500
        assert check(run(most_bps, stream_count=count), line).outcome is Outcome.AT_CEILING


def test_a_bus_and_the_one_cpu_of_a_receive_queue_are_limits_with_their_margins(
    tmp_path: File,
) -> None:
    """1 ns a byte is 8 Gbit/s; 2 µs a frame are half a million frames of 1448 byte of payload."""
    verdict = check(run(5.77e9, duration_s=30.0), line_with(BUS + QUEUE, tmp_path))
    result = {limit["name"]: limit for limit in verdict.to_dict()["limits"]}
    assert list(result) == ["wire", "pcie", "softirq"]
    assert result["softirq"]["value_bps"] == pytest.approx(5e5 * 1448 * 8)
    assert result["softirq"]["margin_ratio"] == pytest.approx(1 - 5.77e9 / 5.792e9)
    assert verdict.binding is not None
    assert verdict.binding.name == "softirq"
    assert verdict.outcome is Outcome.AT_CEILING
    assert "the softirq of the path at MTU 1500 allows" in verdict.reason
    # what a host sends loads neither
    for side, direction in zip(("client", "server"), Direction, strict=True):
        line = line_with((BUS + QUEUE).replace('"server"', f'"{side}"'), tmp_path)
        sent = check(run(5.77e9, direction=direction), line)
        assert [limit["name"] for limit in sent.to_dict()["limits"]] == ["wire"]


def test_what_rests_on_no_measurement_refutes_no_run(tmp_path: File) -> None:
    """2 µs a frame are 5.792 Gbit/s, and the wire carries 23.54."""
    guess = '{ value = 2.000, unit = "µs", grade = "assumed", note = "guess" }'
    line = line_with(QUEUE.replace('"2.000 µs"', guess), tmp_path)
    for goodput_bps, outcome in ((6e9, Outcome.NOT_JUDGEABLE), (24.5e9, Outcome.IMPOSSIBLE)):
        assert check(run(goodput_bps, duration_s=30.0), line).outcome is outcome


def test_frames_alone_are_not_judged_against_a_path(tmp_path: File) -> None:
    frames = run(None, frame_rate_fps=4e5, layer1_rate_bps=8 * 1538.0 * 4e5)
    assert "frames alone" in check(frames, line_with(QUEUE, tmp_path)).why


def test_a_window_that_the_path_states_goes_before_that_of_the_run(tmp_path: File) -> None:
    delay = '[[stages]]\nname = "far"\nkind = "fibre"\ndelay = "5 ms"\n'
    text = MEASURED.replace('title = "x"', 'title = "x"\nwindow = "100 KiB"') + delay
    file = tmp_path / "far.toml"
    file.write_text(text, encoding="utf-8")
    line = SpecifiedLine(25e9, 1500, path=SpecifiedPath(record=path_record(file)))
    message = {"peer_window_bytes": 20_272, "round_trip_s": 10e-3}
    verdict = check(run(80e6, stream_count=1, **message), line)
    result = [limit for limit in verdict.limits.limits if limit.name == "window"]
    assert len(result) == 1
    assert result[0].value_bps == pytest.approx(8 * 102_400 / 10e-3, rel=0.01)


def test_writes_of_unknown_size_are_said_where_stages_count_them(tmp_path: File) -> None:
    """10 µs a write of 131 072 byte are 104.9 Gbit/s, of 1000 byte 0.8."""
    writes = '[[stages]]\nname = "app"\nkind = "application-cpu"\nside = "client"\nservers = "1"\n'
    line = line_with(writes + 'out.per_message = "10.00 µs"\n', tmp_path)
    unknown, known = check(run(1e9), line), check(run(0.8e9, write_bytes=1000), line)
    assert any("write size not known" in warning for warning in unknown.notes)
    assert not any("write size not known" in warning for warning in known.notes)
    limits = [{item.name: item for item in each.limits.limits} for each in (unknown, known)]
    assert limits[0]["app"].value_bps == pytest.approx(104.8576e9)
    assert limits[1]["app"].value_bps == pytest.approx(0.8e9)


@pytest.mark.parametrize(
    ("reported", "specified", "payload_bytes"),
    [(100, None, 100), (None, 100, 100), (100, 100, 100), (None, None, 1472)],
    ids=["reported", "specified", "both", "neither: those that fill frames"],
)
def test_a_stage_that_serves_frames_limits_datagrams_by_their_size(
    reported: int | None, specified: int | None, payload_bytes: int, tmp_path: File
) -> None:
    """2.000 µs a frame, from 1.9995 on: half a million datagrams a second."""
    line = line_with(QUEUE, tmp_path, transport="udp", message_bytes=specified)
    verdict = check(run(1e8, protocol="udp", datagram_bytes=reported, duration_s=10.0), line)
    limits = {limit["name"]: limit["value_bps"] for limit in verdict.to_dict()["limits"]}
    assert limits["softirq"] == pytest.approx(5e5 * 8 * payload_bytes, rel=3e-4)


def test_the_line_of_a_path_has_the_rate_of_its_slower_adapter() -> None:
    path = SpecifiedPath(
        sender=adapter("osa-express7s-25gbe"), receiver=adapter("osa-express6s-10gbe")
    )
    line = SpecifiedLine.over(path, None, mtu_bytes=1500, transport="tcp", vlan_tags=None)
    assert line == SpecifiedLine(10e9, 1500, transport="tcp", path=path)
    assert SpecifiedLine.over(path, 1e9) == SpecifiedLine(1e9, path=path)


def test_a_line_needs_a_rate() -> None:
    assert SpecifiedLine.over(None, None) is None
    ports, linked = (
        SpecifiedLine.over(SpecifiedPath(record=path_record(name)), None)
        for name in ("powervm-sea-power8", "worked-closed-network")
    )
    assert ports is None
    assert linked is not None
    assert linked.line_rate_bps == 25e9
