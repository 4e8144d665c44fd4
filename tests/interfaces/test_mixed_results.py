"""The directory of results of several tools: explained, neutral, and judged as it should be."""

from dataclasses import replace
from datetime import UTC, date
from pathlib import Path

import pytest
from invocation import printed_json
from runs import check_file

from netmodel.checking import Outcome, SpecifiedLine, Verdict, check, pooled
from netmodel.readers import interface_load, pair_with_hosts, read_result
from netmodel.readers.counters import read_ip_link_counters
from netmodel.readers.sysstat import read_mpstat
from netmodel.records import data_path

DIRECTORY = data_path("examples", "mixed-results")
README = (DIRECTORY / "README.md").read_text(encoding="utf-8")
RESULTS = sorted(
    path
    for path in DIRECTORY.iterdir()
    if path.is_file() and path.suffix in {".json", ".txt", ".csv"}
)
LINE = SpecifiedLine(200e6, mtu_bytes=1500)
COUNTED_S = 8.009
DAY = date(2026, 11, 21)


def judged(name: str) -> Verdict:
    specified = replace(LINE, transport="tcp") if name == "uperf.txt" else LINE
    (verdict,) = check_file(DIRECTORY / name, specified)
    return verdict


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.name)
def test_each_result_is_at_its_ceiling(path: Path) -> None:
    verdict = judged(path.name)
    assert verdict.binding is not None
    paced = path.name == "iperf3-rate-limited.json"
    assert verdict.outcome is (Outcome.LIMITED if paced else Outcome.AT_CEILING), verdict.reason
    assert verdict.binding.name == ("offered_rate" if paced else "wire")


def test_uperf_alone_needs_its_transport_specified() -> None:
    outcomes = {path.name: check_file(path, LINE)[0].outcome for path in RESULTS}
    unjudged = [name for name, outcome in outcomes.items() if outcome is Outcome.NOT_JUDGEABLE]
    assert unjudged == ["uperf.txt"]


def test_the_three_repeats_are_recognised() -> None:
    (together,) = (each for each in pooled([judged(path.name) for path in RESULTS]) if each.repeats)
    assert together.repeats is not None
    names = [Path(file).name for file in together.repeats.files]
    assert names == [f"iperf3-tcp-{number}.json" for number in (1, 2, 3)]
    assert together.repeats.outliers == ()


def test_the_cpu_time_of_the_host_is_that_of_its_run() -> None:
    during, afterwards = (
        read_mpstat(
            DIRECTORY / "host" / f"mpstat-{name}.json", interval_s=seconds, day=DAY, zone=UTC
        )
        for name, seconds in (("during-iperf3-tcp-1", 7), ("idle", 3))
    )
    runs = read_result(DIRECTORY / "iperf3-tcp-1.json")
    (whole,) = pair_with_hosts(runs, client=during, client_idle=afterwards).cpu
    assert sum(use.busy_cpu_count for use in runs[0].cpu) < whole.busy_cpu_count < 2


def test_the_counters_of_the_interface_agree_with_the_line() -> None:
    before, after = (
        read_ip_link_counters(DIRECTORY / "host" / f"ip-link-{when}.json")
        for when in ("before", "after")
    )
    load = interface_load(before, after, COUNTED_S, "eth0", "out", mtu_bytes=1500)
    assert f"{COUNTED_S} s later" in README
    assert check(load.measurement, LINE).outcome is Outcome.AT_CEILING


def test_one_command_judges_runs_without_reported_transport_beside_datagrams() -> None:
    rows = printed_json(
        *("check", *map(str, RESULTS), "--line-rate", "200M", "--mtu", "1500"),
        *("--assume-transport", "tcp", "--accept", "offered_rate"),
    )
    assert {row["verdict"] for row in rows} == {"at_ceiling", "limited"}
    assert {"uperf", "iperf3", "nuttcp"} <= {row["tool"] for row in rows}
