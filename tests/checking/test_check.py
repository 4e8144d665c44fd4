"""Verdicts on measured runs.

A frame at MTU 1500 takes 1500 + 38 = 1538 bytes on the wire (14 of header, 4 of check sequence, 20
of preamble, delimiter and gap). Of these TCP over IPv4 carries 1448 with timestamps (52 bytes of
headers) and 1460 without; UDP carries 1472.
"""

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import pytest
from runs import EVEN_CEILING_BPS, EVEN_LINE, run, sample

from netmodel.checking import Gate, Outcome, SpecifiedLine, Verdict, check, check_file
from netmodel.consumption import CpuScope, Side
from netmodel.errors import ContradictionError, DomainError
from netmodel.readers import CpuUse

LINE_TCP = sample("line_200m_mtu1500_ts1_v4.json")


def only(path: Path, specified: SpecifiedLine) -> Verdict:
    (verdict,) = check_file(path, specified)
    return verdict


def notes_of(verdict: Verdict) -> str:
    return "\n".join(verdict.notes)


# Outcomes


@pytest.mark.parametrize(
    ("goodput_bps", "outcome"),
    [
        (EVEN_CEILING_BPS, Outcome.AT_CEILING),
        (0.95 * EVEN_CEILING_BPS, Outcome.AT_CEILING),
        (1.005 * EVEN_CEILING_BPS, Outcome.AT_CEILING),
        (0.9499 * EVEN_CEILING_BPS, Outcome.BELOW),
        (0.0, Outcome.BELOW),
        (1.0051 * EVEN_CEILING_BPS, Outcome.IMPOSSIBLE),
        (1e15, Outcome.IMPOSSIBLE),
    ],
)
def test_the_ratio_to_the_ceiling_decides(goodput_bps: float, outcome: Outcome) -> None:
    verdict = check(run(goodput_bps), EVEN_LINE, Gate(min_ratio=0.95, max_ratio=1.005))
    assert verdict.outcome is outcome
    assert verdict.ratio == pytest.approx(goodput_bps / EVEN_CEILING_BPS, rel=1e-15)
    assert verdict.binding.value_bps == EVEN_CEILING_BPS


@pytest.mark.parametrize("outcome_bps", [0.5e9, 1448e6, 3e9])
def test_the_reason_shows_goodput_ratio_and_ceiling(outcome_bps: float) -> None:
    reason = check(run(outcome_bps), EVEN_LINE).reason
    assert f"{outcome_bps / EVEN_CEILING_BPS:.4f}" in reason
    assert "1.448 Gbit/s" in reason
    assert "the wire carries at MTU 1500" in reason


@pytest.mark.parametrize(
    ("reported", "payload_bytes", "wire_bytes"),
    [
        ({}, 1448, 1538),
        ({"timestamps": False}, 1460, 1538),
        ({"vlan_tags": 1}, 1448, 1542),
        ({"vlan_tags": 2}, 1448, 1546),
        ({"mtu_bytes": 9000}, 8948, 9038),
        ({"mtu_bytes": 9000, "timestamps": False}, 8960, 9038),
    ],
)
def test_the_wire_carries_what_the_specified_headers_leave(
    reported: dict[str, Any], payload_bytes: int, wire_bytes: int
) -> None:
    specified = SpecifiedLine(**({"line_rate_bps": 25e9, "mtu_bytes": 1500} | reported))
    ceiling_bps = check(run(), specified).binding.value_bps
    assert ceiling_bps == pytest.approx(25e9 * payload_bytes / wire_bytes, rel=1e-14)


@pytest.mark.parametrize(("ip_version", "payload_bytes"), [(4, 1448), (6, 1428)])
def test_the_run_shows_the_ip_version_where_it_is_not_specified(
    ip_version: int, payload_bytes: int
) -> None:
    measured, specified = run(ip_version=ip_version), run(ip_version=None)
    result = check(measured, SpecifiedLine(1e9, 1500)).binding.value_bps
    assert result == check(specified, SpecifiedLine(1e9, 1500, ip_version)).binding.value_bps
    assert result == pytest.approx(1e9 * payload_bytes / 1538, rel=1e-14)


@pytest.mark.parametrize(
    ("ratio", "outcome"),
    [(0.5, Outcome.BELOW), (1.0, Outcome.NOT_JUDGEABLE), (2.0, Outcome.IMPOSSIBLE)],
)
def test_datagrams_counted_at_the_sender_never_reach_a_ceiling(
    ratio: float, outcome: Outcome
) -> None:
    """1472 of 1538 byte; no more arrives than was sent, but it may be less."""
    message = {"protocol": None, "datagram_bytes": 1472, "is_counted_at_sender": True}
    specified = SpecifiedLine(1538e6, 1500, transport="udp")
    verdict = check(run(ratio * 1472e6, duration_s=60.0, **message), specified)
    assert verdict.outcome is outcome
    assert ("not at the receiver" in verdict.reason) == (outcome is Outcome.NOT_JUDGEABLE)
    assert ("or was lost" in verdict.reason) == (outcome is Outcome.IMPOSSIBLE)


@pytest.mark.parametrize(
    ("goodput_bps", "outcome", "words"),
    [
        (8e8, Outcome.BELOW, "is 0.9374 of the lower end of the"),
        (9e8, Outcome.NOT_JUDGEABLE, "is within the"),
        (9.95e8, Outcome.IMPOSSIBLE, "is 1.0035 of the upper end of the"),
    ],
)
def test_a_rate_is_beside_the_nearer_end_of_what_unknown_sizes_leave(
    goodput_bps: float, outcome: Outcome, words: str
) -> None:
    """524 of 614 byte at MTU 576 with time stamps, 9176 of 9254 at 9216 without."""
    verdict = check(run(goodput_bps, segment_bytes=None), SpecifiedLine(1e9))
    assert verdict.outcome is outcome
    assert f"{words} 853.42 Mbit/s to 991.57 Mbit/s that the wire carries" in verdict.reason


def test_an_error_of_the_tool_is_a_failed_run() -> None:
    verdict = check(run(None, error="unable to connect"), EVEN_LINE)
    assert verdict.outcome is Outcome.FAILED
    assert verdict.reason == "iperf3 reports: unable to connect"
    assert (verdict.ratio, verdict.binding) == (None, None)


def test_a_run_that_does_not_show_what_arrived_is_not_judgeable() -> None:
    unknown = check(run(None), EVEN_LINE)
    assert (unknown.outcome, unknown.reason) == (Outcome.NOT_JUDGEABLE, "goodput is not reported")
    latency = check(run(9e8, measures_latency=True), EVEN_LINE)
    assert (latency.outcome, latency.reason) == (unknown.outcome, "a test of response times")
    message = check(run(None, why_no_goodput="read the client's"), EVEN_LINE)
    assert message.reason == "read the client's"
    (wire,) = message.to_dict()["limits"]
    assert wire == {
        "name": "wire",
        "specified": True,
        "value_bps": EVEN_CEILING_BPS,
        "margin_ratio": None,
    }


@pytest.mark.parametrize("goodput_bps", [float("nan"), float("inf"), -1.0])
def test_a_goodput_that_cannot_be_is_refused(goodput_bps: float) -> None:
    with pytest.raises(DomainError, match=r"^goodput_bps must be "):
        check(run(goodput_bps), EVEN_LINE)


@pytest.mark.parametrize(
    "reported",
    [
        {"duration_s": 1e-300},
        {"duration_s": math.inf},
        {"round_trip_s": math.nan},
        {"least_round_trip_s": -1.0},
        {"peer_window_bytes": 10**19},
        {"offered_rate_bps": math.inf},
        {"offered_rate_bps": 5e-324},
        {"lost_ratio": -0.1},
    ],
)
def test_what_nothing_can_measure_is_refused(reported: dict[str, Any]) -> None:
    (name,) = reported
    with pytest.raises(DomainError, match=rf"^{name} must be 0, or from "):
        check(run(**reported), EVEN_LINE)


def test_a_file_with_what_nothing_can_measure_counts_as_unreadable(tmp_path: Path) -> None:
    table = tmp_path / "run.csv"
    table.write_text("throughput_bps,transport,mtu_bytes\n1e30,tcp,1500\n", encoding="utf-8")
    (verdict,) = check_file(table, EVEN_LINE, format_name="netmodel-csv")
    assert verdict.outcome is None
    assert verdict.reason


@pytest.mark.parametrize("transport", ["sctp", "UDP"])
def test_a_transport_that_is_unknown_is_refused(transport: str) -> None:
    with pytest.raises(DomainError, match="transport must be tcp or udp"):
        check(run(), SpecifiedLine(1e9, 1500, transport=transport))


def test_a_specified_transport_serves_where_the_run_shows_none() -> None:
    """1000 bytes of payload in a frame of 1000 + 8 + 20 + 18 + 20 bytes on the wire."""
    message = run(protocol=None, datagram_bytes=1000)
    verdict = check(message, SpecifiedLine(1e9, 1500, transport="udp"))
    assert verdict.binding is not None
    assert verdict.binding.value_bps == pytest.approx(1e9 * 1000 / 1066, rel=1e-12)
    unknown = check(message, SpecifiedLine(1e9, 1500))
    assert unknown.outcome is Outcome.IMPOSSIBLE
    assert unknown.limits.bounds_bps == pytest.approx((1e9 * 1000 / 1066, 1e9 * 1448 / 1538))


def test_an_mss_that_the_options_fill_is_not_judgeable() -> None:
    verdict = check(run(requested_mss_bytes=12), EVEN_LINE)
    assert verdict.outcome is Outcome.NOT_JUDGEABLE
    assert "12 byte of TCP options" in verdict.reason


@pytest.mark.parametrize(
    ("name", "payload_bytes", "mtu_bytes", "arrived_bytes", "seconds"),
    [
        ("line_200m_mtu1500_ts1_v4.json", 1448, 1500, 188350464, 8.00679),
        ("line_200m_mtu1500_ts0_v4.json", 1460, 1500, 188350464, 8.039242),
        ("line_200m_mtu9000_ts1_v4.json", 8948, 9000, 197787648, 8.006451),
        ("line_200m_mtu9000_ts1_v6.json", 8928, 9000, 197656576, 8.00384),
        ("line200m_iperf3_3.21_x.json", 1448, 1500, 117964800, 5.002494),
        ("line200m_iperf3_3.21_xub0l1472.json", 1472, 1500, 119995968, 5.005013),
    ],
)
def test_runs_over_a_real_line_reach_its_ceiling(
    name: str, payload_bytes: int, mtu_bytes: int, arrived_bytes: int, seconds: float
) -> None:
    verdict = only(sample(name), SpecifiedLine(200e6, mtu_bytes=mtu_bytes))
    ceiling_bps = 200e6 * payload_bytes / (mtu_bytes + 38)
    assert verdict.ratio == pytest.approx(arrived_bytes * 8 / seconds / ceiling_bps, rel=1e-12)
    assert verdict.outcome is Outcome.AT_CEILING
    assert verdict.file == str(sample(name))


# What is specified against what was measured


@pytest.mark.parametrize(
    ("reported", "specified", "words"),
    [
        ({"protocol": "udp"}, {"transport": "tcp"}, ("transport", "tcp", "udp")),
        ({"protocol": "tcp"}, {"transport": "udp"}, ("transport", "udp", "tcp")),
        ({"ip_version": 4}, {"ip_version": 6}, ("IP version", "6", "4")),
        ({"ip_version": 6}, {"ip_version": 4}, ("IP version", "4", "6")),
        ({"protocol": "udp"}, {"timestamps": True}, ("timestamps", "udp")),
        ({"protocol": "udp"}, {"timestamps": False}, ("timestamps", "udp")),
    ],
)
def test_a_contradiction_names_the_file_and_both_sides(
    reported: dict[str, Any], specified: dict[str, Any], words: tuple[str, ...]
) -> None:
    with pytest.raises(ContradictionError) as caught:
        check(run(**reported), SpecifiedLine(1e9, 1500, **specified))
    assert all(word in str(caught.value) for word in ("run.json", *words))


def test_what_the_run_does_not_show_contradicts_nothing() -> None:
    specified = SpecifiedLine(1538e6, 1500, ip_version=4, transport="tcp")
    assert check(run(ip_version=None, protocol=None), specified).ratio == 1


def test_a_segment_size_that_contradicts_the_mtu_is_said() -> None:
    verdict = only(LINE_TCP, SpecifiedLine(200e6, mtu_bytes=9000))
    assert verdict.ratio == pytest.approx(188350464 * 8 / 8.00679 / (200e6 * 8948 / 9038))
    assert (
        "segments of 1448 byte contradict MTU 9000: ethernet/ipv4/tcp+timestamps leaves 8948"
        in notes_of(verdict)
    )
    assert "path MTU of 1500, not 9000" in notes_of(verdict)


def test_a_run_that_agrees_with_what_is_specified_has_nothing_to_say() -> None:
    assert only(LINE_TCP, SpecifiedLine(200e6, 1500, 4, "tcp", timestamps=True)).notes == ()


# Gates


@pytest.mark.parametrize(
    ("min_ratio", "max_ratio", "outcome"),
    [
        (0.9, 1.005, Outcome.AT_CEILING),
        (0.92, 1.005, Outcome.BELOW),
        (0.91, 1.0, Outcome.AT_CEILING),
        (1.0, 1.0, Outcome.BELOW),
    ],
)
def test_the_gates_can_be_moved(min_ratio: float, max_ratio: float, outcome: Outcome) -> None:
    verdict = check(run(0.91 * EVEN_CEILING_BPS), EVEN_LINE, Gate(min_ratio, max_ratio))
    assert verdict.outcome is outcome
    assert verdict.to_dict()["tolerance_ratio"] == pytest.approx(1 - min_ratio)


@pytest.mark.parametrize(
    ("min_ratio", "max_ratio"),
    [
        (0.0, 1.005),
        (-1.0, 1.005),
        (0.95, 0.99),
        (0.95, 0.9),
        (1.2, 1.3),
        (float("nan"), 1.005),
        (0.95, float("nan")),
        (0.95, float("inf")),
    ],
)
def test_gates_that_make_no_sense_are_refused(min_ratio: float, max_ratio: float) -> None:
    """They must be 0 < min <= 1 <= max."""
    with pytest.raises(DomainError, match="ratio"):
        Gate(min_ratio, max_ratio)


def test_a_refused_ratio_is_reported_without_one_that_was_not_specified() -> None:
    with pytest.raises(DomainError, match=r"<= max_ratio; got min_ratio 1\.5$"):
        Gate(min_ratio=1.5)


@pytest.mark.parametrize(
    "specified",
    [
        SpecifiedLine(0.0, 1500),
        SpecifiedLine(-1e9, 1500),
        SpecifiedLine(float("inf"), 1500),
        SpecifiedLine(float("nan"), 1500),
        SpecifiedLine(1e9, 0),
        SpecifiedLine(1e9, 52),
        SpecifiedLine(1e9, 67),
        SpecifiedLine(1e9, 65536),
        SpecifiedLine(1e9, 1500, vlan_tags=-1),
        SpecifiedLine(1e9, 1279, ip_version=6),
        SpecifiedLine(1e9, 1500, ip_version=5),
    ],
    ids=str,
)
@pytest.mark.parametrize("protocol", ["tcp", "udp"])
def test_a_line_that_cannot_exist_is_refused(specified: SpecifiedLine, protocol: str) -> None:
    measured = run(ip_version=None, protocol=protocol, datagram_bytes=100, segment_bytes=1448)
    with pytest.raises(DomainError):
        check(measured, specified)


# As plain values

KEYS = [
    *("file", "tool", "tool_version", "direction", "goodput_bps", "ceiling_bps", "ratio"),
    *("verdict", "reason", "accepted", "binding", "limits", "expected"),
    *("tolerance_ratio", "min_ratio", "max_ratio"),
    *("tolerance", "cpu", "notes"),
]


def test_a_verdict_becomes_plain_values_in_a_fixed_order() -> None:
    cpu = CpuUse(0.5, 724e6, CpuScope.PROCESS, Side.CLIENT)
    message = {"requested_mss_bytes": 1000, "cpu": (cpu,), "notes": ("short",)}
    result = check(run(724e6, **message), EVEN_LINE, Gate(0.95, 1.005)).to_dict()
    limit, own = result.pop("limits")
    reason, warnings = result.pop("reason"), result.pop("notes")
    assert result == {
        "file": "run.json",
        "tool": "iperf3",
        "tool_version": "3.21",
        "direction": "client_to_server",
        "goodput_bps": 724e6,
        "ceiling_bps": EVEN_CEILING_BPS,
        "ratio": 0.5,
        "verdict": "below",
        "accepted": False,
        "binding": "wire",
        "expected": None,
        "tolerance_ratio": pytest.approx(0.05),
        "min_ratio": 0.95,
        "max_ratio": 1.005,
        "tolerance": [],
        "cpu": [
            {
                "side": "client",
                "scope": "process",
                "busy_cpus": 0.5,
                "us_per_gbit": pytest.approx(0.5e6 / 0.724),
            }
        ],
    }
    wire = {"name": "wire", "specified": True, "value_bps": 1448e6, "margin_ratio": 0.5}
    assert limit == wire
    assert (own["name"], own["specified"]) == ("segment_size", False)
    assert own["margin_ratio"] == pytest.approx(1 - 724e6 * 1078 / (1538e6 * 988))
    assert "something other than the wire limits (check CPUs, drops" in reason
    assert warnings[0] == "short"
    assert len(warnings) == 2


@pytest.mark.parametrize("name", ["run", "failed", "not judgeable", "unreadable"])
def test_the_keys_are_the_same_whatever_is_known(name: str) -> None:
    verdict = {
        "run": check(run(), EVEN_LINE),
        "failed": check(run(None, error="no route"), EVEN_LINE),
        "not judgeable": check(run(), SpecifiedLine(1e9)),
        "unreadable": check_file("no such file.json", EVEN_LINE)[0],
    }[name]
    result = verdict.to_dict()
    assert list(result) == KEYS
    assert json.loads(json.dumps(result, allow_nan=False)) == result


def test_a_file_that_cannot_be_read_has_a_row_without_a_verdict() -> None:
    verdict = only(Path("no such file.json"), EVEN_LINE)
    result = verdict.to_dict()
    assert (verdict.outcome, verdict.file) == (None, "no such file.json")
    assert "No such file" in result.pop("reason")
    assert result.pop("file") == "no such file.json"
    lists = ("limits", "tolerance", "cpu", "notes")
    assert [result[key] for key in lists] == [[]] * 4
    assert result.pop("accepted") is False
    assert {result[key] for key in set(result) - set(lists)} == {None}


@pytest.mark.parametrize("path", ["no such file.json", sample("iperf3_3.21_error.json")])
@pytest.mark.parametrize(
    ("specified", "min_ratio"), [(EVEN_LINE, 2.0), (SpecifiedLine(-1.0, 1500), 0.95)]
)
def test_a_wrong_argument_is_refused_whatever_the_file_holds(
    path: str | Path, specified: SpecifiedLine, min_ratio: float
) -> None:
    with pytest.raises(DomainError):
        check_file(path, specified, Gate(min_ratio))


def test_a_file_with_two_directions_gives_two_verdicts() -> None:
    path = sample("iperf3_3.12_tcp_bidir.json")
    verdicts = check_file(path, SpecifiedLine(25e9, 1500))
    directions = [verdict.to_dict()["direction"] for verdict in verdicts]
    assert directions == ["client_to_server", "server_to_client"]
    ratios = [1375731712 * 8 / 2.003193 / 25e9, 599916544 * 8 / 2.003193 / 25e9]
    expected = [ratio * 1538 / 1448 for ratio in ratios]
    assert [verdict.ratio for verdict in verdicts] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("line_rate_bps", [1e9, 20e9, 25e9])
def test_a_run_over_loopback_never_passes_for_one_over_the_line(line_rate_bps: float) -> None:
    """18.7 Gbit/s against 0.94, 18.8 and 23.5 Gbit/s: impossible, at the ceiling, below."""
    verdict = only(sample("iperf3_3.21_tcp.json"), SpecifiedLine(line_rate_bps, 1500))
    assert "loopback" in verdict.reason + notes_of(verdict)


def test_what_the_server_cannot_know_is_not_judgeable() -> None:
    verdict = only(sample("iperf3_3.12_server_tcp_reverse.json"), SpecifiedLine(25e9, 1500))
    assert verdict.outcome is Outcome.NOT_JUDGEABLE
    assert "read the client's" in verdict.reason


def test_a_verdict_for_notebooks_escapes_what_it_shows() -> None:
    shown = dataclasses.replace(check(run(), EVEN_LINE), file="<b>.json")._repr_html_()
    assert "&lt;b&gt;.json: at_ceiling" in shown
    assert "<b>" not in shown
    order = [shown.index(words) for words in ("direction", "of wire", "reason")]
    assert order == sorted(order)


def test_a_verdict_cannot_be_changed() -> None:
    verdict = check(run(), EVEN_LINE)
    with pytest.raises(dataclasses.FrozenInstanceError):
        verdict.outcome = Outcome.BELOW


def test_a_verdict_prints_as_a_sentence_and_a_list_of_them_fits_lines() -> None:
    verdict = only(LINE_TCP, SpecifiedLine(2e8, mtu_bytes=1500))
    assert str(verdict).startswith(f"{verdict.word}: {verdict.reason}")
    assert len(repr(verdict)) <= 100
    # 1448 of 1538 Mbit/s
    below, unknown = (check(run(goodput_bps), EVEN_LINE) for goodput_bps in (9e8, None))
    assert repr(below) == "<Verdict run.json: below, 900 Mbit/s of 1.448 Gbit/s (wire)>"
    assert repr(unknown) == "<Verdict run.json: not_judgeable>"
    assert repr(Verdict(file="a.json", outcome=None, reason="it is empty")) == (
        "<Verdict a.json: unreadable>"
    )
    assert "it is empty" in Verdict(file="a.json", outcome=None, reason="it is empty")._repr_html_()
