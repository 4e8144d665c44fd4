"""Verdicts on measured runs.

A frame at MTU 1500 takes 1500 + 38 = 1538 bytes on the wire (14 of header, 4 of check sequence, 20
of preamble, delimiter and gap). Of these TCP over IPv4 carries 1448 with timestamps (52 bytes of
headers) and 1460 without; UDP carries 1472.
"""

import json
from pathlib import Path
from unittest.mock import ANY

import pytest
from runs import EVEN_CEILING_BPS, EVEN_LINE, check_file, run, sample

import netmodel
from netmodel.checking import Gate, Outcome, SpecifiedLine, Verdict, check, check_results
from netmodel.consumption import Side
from netmodel.readers import CpuUse, find_results

LINE_TCP = sample("line_200m_mtu1500_ts1_v4.json")


def only(path: Path, specified: SpecifiedLine) -> Verdict:
    (verdict,) = check_file(path, specified)
    return verdict


# Outcomes


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


@pytest.mark.parametrize(
    ("name", "payload_bytes", "mtu_bytes", "arrived_bytes", "seconds"),
    [
        ("line_200m_mtu1500_ts1_v4.json", 1448, 1500, 188350464, 8.00679),
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


# As plain values

KEYS = [
    *("file", "tool", "tool_version", "direction", "goodput_bps", "ceiling_bps"),
    *(
        "stack",
        "mtu_bytes",
        "ratio",
        "verdict",
        "reason",
        "causes",
        "accepted",
        "binding",
        "limits",
    ),
    *("tolerance_ratio", "min_ratio", "max_ratio"),
    *("tolerance", "cpu", "notes"),
]


def test_a_verdict_becomes_plain_values_in_a_fixed_order() -> None:
    cpu = CpuUse(0.5, 724e6, "process", Side.CLIENT)
    message = {"requested_mss_bytes": 1000, "cpu": (cpu,), "notes": ("short",)}
    result = check(run(724e6, **message), EVEN_LINE, Gate(0.95)).to_dict()
    limit, own = result.pop("limits")
    reason, warnings = result.pop("reason"), result.pop("notes")
    assert result == {
        "file": "run.json",
        "tool": "iperf3",
        "tool_version": "3.21",
        "direction": "client_to_server",
        "goodput_bps": 724e6,
        "ceiling_bps": EVEN_CEILING_BPS,
        "stack": "ethernet/ipv4/tcp+timestamps",
        "mtu_bytes": 1500,
        "ratio": 0.5,
        "verdict": "below",
        "causes": [
            {"name": "unknown", "text": "something other than the wire limits", "confirm": ANY}
        ],
        "accepted": False,
        "binding": "wire",
        "tolerance_ratio": pytest.approx(0.05),
        "min_ratio": 0.95,
        "max_ratio": 1.0006,
        "tolerance": ANY,
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
    assert "something other than the wire limits (confirm: CPUs, drops" in reason
    assert warnings[0] == "short"
    assert len(warnings) == 2


@pytest.mark.parametrize("name", ["run", "failed", "not judgeable", "unreadable"])
def test_the_keys_are_the_same_whatever_is_known(name: str) -> None:
    verdict = {
        "run": check(run(), EVEN_LINE),
        "failed": check(run(None, error="no route"), EVEN_LINE),
        "not judgeable": check(run(), SpecifiedLine(1e9)),
        "unreadable": check_results(find_results(["no such file.json"]), EVEN_LINE)[0],
    }[name]
    result = verdict.to_dict()
    assert list(result) == KEYS
    assert json.loads(json.dumps(result, allow_nan=False)) == result


def test_a_verdict_prints_as_a_sentence_and_a_list_of_them_fits_lines() -> None:
    verdict = only(LINE_TCP, SpecifiedLine(2e8, mtu_bytes=1500))
    assert str(verdict).startswith(f"{verdict.word}: {verdict.reason}")
    assert len(repr(verdict)) <= 100
    # 1448 of 1538 Mbit/s
    below, unknown = (check(run(goodput_bps), EVEN_LINE) for goodput_bps in (9e8, None))
    assert repr(below) == "<Verdict run.json: below, 900 Mbit/s is 0.6215 of the 1.448 Gbit/s>"
    assert repr(unknown) == "<Verdict run.json: not judgeable>"
    unreadable = Verdict(file="a.json", outcome=None, why="it is empty")
    assert repr(unreadable) == "<Verdict a.json: unreadable>"
    assert "it is empty" in unreadable._repr_html_()


def test_the_usual_mtu_of_a_preset_is_named_where_segments_are_smaller() -> None:
    """Pods have MTU 1420, and segments of 1368 byte, where WireGuard leaves 1440."""
    given = {"line_rate_bps": 200e6, "stack": "cilium-wireguard"}
    full_bps = netmodel.ceiling(**given, mtu_bytes=1420).payload_rate_bps
    message = run(full_bps, segment_bytes=1368, duration_s=30.0)
    (verdict,) = netmodel.check(message, **given, link_mtu_bytes=1500)
    assert any("(mtu_bytes=...): cilium-wireguard: usual MTU 1420" in x for x in verdict.notes)
    (verdict,) = netmodel.check(message, **given, mtu_bytes=1420)
    assert verdict.outcome is Outcome.AT_CEILING
