"""Results of flent, made from the documentation of its files; means by hand."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers import Direction, read_flent, read_result

SAMPLES = Path(__file__).parent / "samples" / "flent"
UPLOAD = SAMPLES / "made_tcp_upload.flent.gz"
RRUL = SAMPLES / "made_rrul_part.flent.gz"
PING = SAMPLES / "made_ping.flent"
RESULTS = [UPLOAD, RRUL, PING]


def text_of(result: Path) -> bytes:
    raw = result.read_bytes()
    return gzip.decompress(raw) if result.suffix == ".gz" else raw


def document(result: Path) -> dict[str, Any]:
    whole: dict[str, Any] = json.loads(text_of(result))
    return whole


def problem_of(source: Any) -> str:
    with pytest.raises(ParseError) as caught:
        read_flent(source)
    return str(caught.value)


def test_a_rate_is_the_mean_of_the_samples_that_are_there() -> None:
    run, _ = read_flent(UPLOAD)
    assert run.goodput_bps == pytest.approx((180 + 190 + 188 + 194) / 4 * 1e6)
    assert run.reported_rate_bps == pytest.approx(188e6)
    assert run.duration_s == pytest.approx(4 * 0.2)
    assert (run.direction, run.part, run.stream_count) == (
        Direction.CLIENT_TO_SERVER,
        "TCP upload",
        1,
    )
    assert run.warnings == ("counted at the sender: what lay in socket buffers is included",)
    assert (run.tool, run.tool_version, run.recorded_by) == ("flent", "2.1.1", Side.CLIENT)
    assert (run.protocol, run.ip_version) == ("tcp", 4)


def test_a_ping_is_a_transaction_of_its_own() -> None:
    _, ping = read_flent(UPLOAD)
    assert ping.part == "Ping (ms) ICMP"
    assert ping.transaction_time_s == pytest.approx((0.5 + 1 + 1.5 + 2 + 1) / 5 * 1e-3)
    assert (ping.goodput_bps, ping.protocol) == (None, None)
    (ping,) = read_flent(PING)
    assert ping.transaction_time_s == pytest.approx(0.6e-3)


def test_flows_of_a_direction_are_taken_together() -> None:
    down, up, icmp, udp = read_flent(RRUL)
    assert (down.part, down.stream_count) == ("TCP download sum", 2)
    assert down.goodput_bps == pytest.approx((90 + 100 + 100 + 90) / 4 * 1e6)
    assert down.direction is Direction.SERVER_TO_CLIENT
    assert down.is_bidirectional
    assert down.warnings == ()
    assert (up.part, up.goodput_bps) == ("TCP upload BE", pytest.approx(92e6))
    assert icmp.transaction_time_s == pytest.approx(20e-3)
    assert udp.transaction_time_s == pytest.approx(30e-3)


def test_a_mean_that_contradicts_the_samples_is_a_warning() -> None:
    whole = document(UPLOAD)
    whole["metadata"]["SERIES_META"]["TCP upload"]["MEAN_VALUE"] = 190.0
    run, _ = read_flent(whole)
    assert "flent prints 190 Mbit/s, but what it counts is 188 Mbit/s" in run.warnings


def test_totals_that_contradict_the_directions_are_a_warning() -> None:
    whole = document(RRUL)
    whole["results"]["TCP totals"] = [None, 200.0, 200.0, 200.0, 200.0, None]
    told = "flent as TCP totals prints 200 Mbit/s, but what it counts is 187 Mbit/s"
    assert [told in run.warnings for run in read_flent(whole)] == [True, True, False, False]


def test_totals_alone_have_no_direction() -> None:
    whole = document(UPLOAD)
    for holder in (whole["results"], whole["metadata"]["SERIES_META"]):
        holder["TCP totals"] = holder.pop("TCP upload")
    run, _ = read_flent(whole)
    assert (run.part, run.direction) == ("TCP totals", None)
    assert run.goodput_bps == pytest.approx(188e6)


def test_a_mean_of_pings_stands_in_where_there_is_no_other() -> None:
    whole = document(PING)
    for holder in (whole["results"], whole["metadata"]["SERIES_META"]):
        holder["Ping (ms) avg"] = holder.pop("Ping (ms) ICMP")
    (ping,) = read_flent(whole)
    assert (ping.part, ping.transaction_time_s) == ("Ping (ms) avg", pytest.approx(0.6e-3))


def test_a_series_without_samples_has_no_rate() -> None:
    whole = document(UPLOAD)
    whole["results"] = {name: [None] * 6 for name in whole["results"]}
    run, ping = read_flent(whole)
    assert (run.goodput_bps, run.why_no_goodput) == (None, "TCP upload has no samples")
    assert (ping.transaction_time_s, ping.warnings) == (None, ("Ping (ms) ICMP has no samples",))


@pytest.mark.parametrize("result", RESULTS, ids=lambda path: path.name)
def test_the_format_is_recognised_packed_and_plain(result: Path) -> None:
    assert read_result(result) == read_flent(result)
    plain = read_result(text_of(result))
    assert [run.goodput_bps for run in plain] == [run.goodput_bps for run in read_flent(result)]


def changed(result: Path, place: str, value: object) -> dict[str, Any]:
    whole = document(result)
    *outer, last = place.split("/")
    holder = whole
    for key in outer:
        holder = holder[key]
    holder[last] = value
    return whole


REFUSED = {
    "other JSON": ({"results": {}}, "not a result of flent"),
    "version": (changed(PING, "version", 5), "version must be 3 or 4; got 5"),
    "nothing of use": (changed(PING, "results", {}), "holds no series of TCP or ping"),
    "list": (changed(PING, "results", []), "results must be an object"),
    "no unit": (
        changed(UPLOAD, "metadata/SERIES_META", None),
        'has no SERIES_META of "TCP upload"',
    ),
    "other unit": (
        changed(UPLOAD, "metadata/SERIES_META/TCP upload/UNITS", "MB/s"),
        'UNITS must be Mbits/s or Mbit/s; got "MB/s"',
    ),
    "two units": (
        changed(RRUL, "metadata/SERIES_META/TCP download CS5/UNITS", "Gbit/s"),
        'UNITS must be Mbits/s or Mbit/s; got "Gbit/s"',
    ),
    "length": (changed(PING, "x_values", [0.0]), "must have the length of x_values, 1; got 6"),
    "text": (
        changed(PING, "results/Ping (ms) ICMP", ["fast"] * 6),
        'results.Ping (ms) ICMP.0 must be a number; got "fast"',
    ),
    "IP version": (changed(PING, "metadata/IP_VERSION", 5), "IP_VERSION must be 4 or 6"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_content_is_refused_with_its_fault(name: str) -> None:
    source, expected = REFUSED[name]
    assert expected in problem_of(source)


def test_several_flows_need_their_sum() -> None:
    whole = document(RRUL)
    del whole["results"]["TCP download sum"]
    assert "has 2 series of TCP download without 'TCP download sum'" in problem_of(whole)
