"""A recorded run judged by what its hosts show, and what is specified in its place."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from measuring.recorded import made, plain_interface, recorded, route
from runs import sample

import netmodel
from netmodel.api._measure import judged
from netmodel.framing import parse_stack
from netmodel.measuring.measured import MeasuredRun
from netmodel.measuring.record import Record
from netmodel.measuring.run import Ran
from netmodel.measuring.shown import HostShown, shown_of
from netmodel.measuring.tools import parse_call
from netmodel.readers import read_host_cpu

RESULT = sample("line_200m_mtu1500_ts1_v4.json")
ETHTOOL = "Settings for eth0:\n\tSpeed: {}Mb/s\n"
RAN = Ran(exit_code=0, begin_utc_s=0.0, end_utc_s=10.0, output=b"", errors=b"")


def adapter(speed_mbps: int = 200, mtu_bytes: int = 1500, **more: str) -> HostShown:
    """A host with an adapter of this speed."""
    return shown_of(
        made(
            route=route("eth0"),
            address=plain_interface(mtu_bytes=mtu_bytes),
            ethtool=ETHTOOL.format(speed_mbps),
            driver="driver: mlx5_core\n",
            **more,
        )
    )


def host(name: str) -> HostShown:
    facts = recorded(name)
    return shown_of(facts.settings, facts.interface)


def judge(
    client: HostShown,
    server: HostShown | None = None,
    given: dict[str, Any] | None = None,
    result: Path = RESULT,
    **more: Any,
) -> MeasuredRun:
    record = Record(
        place=result.parent,
        call=more.pop("call", None) or parse_call(["iperf3", "-c", "10.0.0.2"]),
        ran=more.pop("ran", RAN),
        result=result,
        client=client,
        server=server,
        cpu=more.pop("cpu", None),
        notes=(),
    )
    return judged(record, given or line())


def line(**specified: Any) -> dict[str, Any]:
    return specified


def test_the_speed_and_mtu_of_an_adapter_judge_the_run() -> None:
    run = judge(adapter())
    (expected,) = netmodel.check(RESULT, line_rate_bps=200e6, mtu_bytes=1500)
    (verdict,) = run.verdicts
    assert verdict.reason == expected.reason
    assert verdict.limits == expected.limits
    assert run.passes
    assert run.line["line rate"] == ("200 Mbit/s", "eth0 of the client")
    assert run.line["MTU"] == ("1500", "eth0 of the client")


def test_of_both_ends_the_smaller_counts() -> None:
    run = judge(adapter(25_000, 9000), adapter(200, 1500))
    assert run.passes
    assert run.line["line rate"] == ("200 Mbit/s", "eth0 of the server")
    assert run.notes[:2] == (
        "the ends have different speeds: 25 Gbit/s (client) and 200 Mbit/s (server); the lower "
        "counts",
        "the ends have different MTUs: 9000 (client) and 1500 (server); the lower counts",
    )
    assert "the ends have different" not in " ".join(judge(adapter(), adapter()).notes)


def test_segments_show_whether_both_ends_agreed_on_timestamps() -> None:
    """At MTU 1488 a segment has 1448 byte without them, 1436 with them."""
    file = RESULT.parents[1] / "iperf2" / "iperf2_2.1.8_line_hide.txt"
    shown = shown_of(made(address=plain_interface(mtu_bytes=1488)), "eth0")
    (verdict,) = judge(shown, given=line(line_rate_bps=100e6), result=file).verdicts
    assert verdict.limits is not None
    assert verdict.limits.ceiling is not None
    assert verdict.limits.ceiling.stack == parse_stack("ethernet/ipv4/tcp")


def test_cpu_time_is_that_of_the_run(tmp_path: Path) -> None:
    """One of two CPUs is busy for 1.7 of 8.6 s about the run, and none in the 2 s after it."""
    begin_s, texts = 1795197255.5, []
    for second, busy in ((0, 0), (8.6, 170), (10.6, 170)):
        cpus = f"cpu0 {busy} 0 0 {100 * second - busy:.0f}\ncpu1 0 0 0 {100 * second:.0f}\n"
        total = f"cpu {busy} 0 0 {200 * second - busy:.0f}"
        texts.append(f"{begin_s + second:.6f}\n{total}\n{cpus}")
    (tmp_path / "stat.txt").write_text("".join(texts))
    cpu = read_host_cpu(tmp_path / "stat.txt")
    ran = replace(RAN, begin_utc_s=begin_s, end_utc_s=begin_s + 10.6)
    found = judge(adapter(), ran=ran, cpu=cpu).verdicts[0].measurement
    assert found is not None
    (use,) = (each for each in found.cpu if each.scope == "system")
    assert use.busy_cpu_count == pytest.approx(1.7 / 8.6)
    assert not any("together" in note for note in found.notes)
    (tmp_path / "result.txt").write_text("garbage")
    failed = judge(adapter(), result=tmp_path / "result.txt", ran=ran, cpu=cpu)
    assert not any("CPU time" in note for note in failed.notes)


def test_a_virtual_speed_is_not_judged_by() -> None:
    run = judge(host("veth"))
    (verdict,) = run.verdicts
    assert verdict.word == "not judgeable"
    assert "mv0 (veth) reports 10 Gbit/s" in verdict.reason
    assert not run.passes
    assert judge(host("veth"), given=line(line_rate_bps=200e6)).passes


def test_a_tunnel_sets_the_stack_with_what_the_run_reports() -> None:
    run = judge(host("vxlan"), given=line(line_rate_bps=200e6))
    (verdict,) = run.verdicts
    assert verdict.limits is not None
    assert verdict.limits.ceiling is not None
    stack = parse_stack("ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps")
    assert verdict.limits.ceiling.stack == stack
    assert run.line["MTU"] == ("1450", "vx of the client")
    assert run.line["headers"] == (str(stack), "vx of the client")


@pytest.mark.parametrize(
    ("specified", "name", "words"),
    [
        (
            {"stack": parse_stack("ethernet/ipv4/tcp")},
            "vxlan",
            "has ethernet/ipv4/udp/vxlan/ethernet",
        ),
        (
            {"vlan_tags": 1},
            "veth",
            "headers ethernet/vlan are specified, mv0 of the client has ethernet",
        ),
        ({"stack": parse_stack("ethernet/ipv4/tcp")}, "veth", ""),
        ({"mtu_bytes": 1400}, "veth", "MTU 1400 is specified, mv0 of the client has 1500"),
    ],
)
def test_other_headers_than_the_interface_shows_are_a_contradiction(
    specified: dict[str, Any], name: str, words: str
) -> None:
    known = {"line_rate_bps": 200e6, "mtu_bytes": host(name).mtu_bytes}
    run = judge(host(name), given=known | specified)
    assert words in " ".join(run.contradictions)
    assert len(run.contradictions) == bool(words)


@pytest.mark.parametrize(
    ("is_interrupted", "exit_code", "errors", "words"),
    [
        (False, 1, b"a\nunable to connect\n", "failed with exit code 1: unable to connect"),
        (False, -1, b"", "failed with signal 1"),
        (True, -2, b"", "was interrupted before it printed a result"),
        (False, 0, b"", "printed no result: "),
    ],
)
def test_a_run_without_a_result_fails_with_the_reason(
    is_interrupted: bool, exit_code: int, errors: bytes, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "result.txt"
    path.write_text("garbage")
    ran = replace(RAN, exit_code=exit_code, errors=errors, is_interrupted=is_interrupted)
    run = judge(adapter(), result=path, ran=ran)
    (verdict,) = run.verdicts
    assert verdict.word == "failed"
    assert words in verdict.reason
    assert not run.passes


VXLAN = "ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps"
HOSTS: dict[str, dict[str, Any]] = {
    "virtio": {"mtu_bytes": 1400, "ip": 4},
    "veth": {"mtu_bytes": 1500, "ip": 4},
    "vxlan": {"mtu_bytes": 1450, "stack": VXLAN},
}
"""Recorded facts, and what a user reads from them and specifies."""
RUNS = {
    "iperf3": ("iperf3/line_200m_mtu1500_ts1_v4.json", "-c 192.0.2.1 -J"),
    "netperf": ("netperf/netperf_2.7.0_line100m_k_tcp.txt", "-H 192.0.2.1 -- -k all"),
}
CASES = [*product(RUNS, HOSTS)]
JUDGED = ("verdict", "reason", "ceiling_bps", "goodput_bps", "ratio", "binding", "min_ratio")


@pytest.mark.parametrize("rate_bps", [1e8, 1e9])
@pytest.mark.parametrize(("tool", "name"), CASES)
def test_the_verdict_is_that_of_check_with_all_specified(
    tool: str, name: str, rate_bps: float
) -> None:
    file, arguments = RUNS[tool]
    result = RESULT.parents[1] / file
    both: dict[str, Any] = {"line_rate_bps": rate_bps}
    call = parse_call([tool.partition(" ")[0], *arguments.split()])
    run = judge(host(name), given=both, result=result, call=call)
    shown = [each.to_dict() for each in run.verdicts]
    specified = [each.to_dict() for each in netmodel.check(result, **both, **HOSTS[name])]
    assert len(shown) >= 1
    assert [[each.get(key) for key in JUDGED] for each in shown] == [
        [each.get(key) for key in JUDGED] for each in specified
    ]
