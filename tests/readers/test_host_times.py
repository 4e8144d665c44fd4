"""When hosts were measured: zones, what lies inside the runs, and one host twice."""

import dataclasses
from datetime import UTC, date, datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from runs import having, run

from netmodel.consumption import Side
from netmodel.errors import ContradictionError
from netmodel.readers import (
    HostCpu,
    Measurement,
    pair_with_hosts,
    read_host_cpu,
    read_result,
)
from netmodel.readers._host_activity import CpuInterval
from netmodel.readers.host_runs import PairedRuns

read_iperf3 = partial(read_result, format_name="iperf3")

SAMPLES = Path(__file__).parent / "samples"
BOTH = SAMPLES / "both-ends"
RUNS = read_iperf3(BOTH / "iperf3_3.12_tcp_client.json")
"""From 03:23:11 UTC, 6.002 s."""
LOCAL = ["mpstat_12.6.1_berlin.json", "mpstat_12.6.1_berlin.txt", "sar_12.6.1_berlin.txt"]
T = 1_000_000.0
COLUMNS = "CPU %usr %nice %sys %iowait %irq %soft %steal %guest %gnice %idle"
IDLE = " 0.00" * 9 + " 100.00"


def read(source: Path | bytes, **options: Any) -> HostCpu:
    return read_host_cpu(source, **options)


def recorded(name: str, **options: Any) -> HostCpu:
    return read(BOTH / name, **options)


def has_note(paired: PairedRuns, words: str) -> bool:
    return any(words in note for note in paired.notes)


def host(*spans: tuple[float, float, float], name: str | None = "a", sha: str = "a") -> HostCpu:
    """Two CPUs; each interval has begin and end after T, and how many CPUs were busy."""
    intervals = tuple(
        CpuInterval({None: busy / 2}, "", T + end, end - begin) for begin, end, busy in spans
    )
    return HostCpu(
        source=f"{sha}.json",
        sha256=sha,
        tool="t",
        host=name,
        cpu_count=2,
        intervals=intervals,
        is_utc=True,
    )


def run_of(duration_s: float = 10.0, **changes: Any) -> Measurement:
    usual = {"goodput_bps": 1e9, "begin_utc_s": T, "duration_s": duration_s}
    return run(**(usual | changes))


@pytest.mark.parametrize("name", LOCAL)
def test_local_times_are_compared_modulo_the_zones_in_use(name: str) -> None:
    """The files begin at 04:23:08 in Berlin, 03:23:08 UTC; six of their seconds are of the run."""
    without = pair_with_hosts(RUNS, client=recorded(name))
    assert has_note(without, "client: its times have no zone and are taken as UTC+01:00")
    assert has_note(without, "host_zone=...")
    assert has_note(without, "CPU time is known for 6 s of the 6.002 s common to all runs")
    assert not has_note(without, "specify it,")
    specified = pair_with_hosts(RUNS, client=recorded(name, zone=ZoneInfo("Europe/Berlin")))
    assert specified.cpu == without.cpu
    assert not has_note(specified, "no zone")


def test_a_date_of_a_locale_leaves_the_time_of_day() -> None:
    note = "its date has the form of a locale: only the time of day is compared"
    for zone in (None, ZoneInfo("Europe/Berlin")):
        paired = pair_with_hosts(RUNS, client=recorded(LOCAL[0], zone=zone))
        assert has_note(paired, note)
        assert not has_note(paired, "specify the day")
    dated = dataclasses.replace(read(BOTH / LOCAL[0]), day=date(2026, 11, 22))
    assert not has_note(pair_with_hosts(RUNS, client=dated), note)


def test_intervals_in_and_without_utc_are_the_same_seconds() -> None:
    """sar printed the file that sadf printed too: the same intervals, the same busy CPUs."""
    local = pair_with_hosts(RUNS, client=recorded(LOCAL[2]))
    utc = pair_with_hosts(RUNS, client=recorded("sadf_12.6.1.json"))
    assert local.cpu[0].busy_cpu_count == pytest.approx(utc.cpu[0].busy_cpu_count, abs=1e-4)


@pytest.mark.parametrize("shift_s", [450, -450, 3600 + 450])
@pytest.mark.parametrize("name", LOCAL)
def test_times_that_fit_in_no_zone_are_refused(name: str, shift_s: float) -> None:
    (first,) = RUNS
    moved = dataclasses.replace(first, begin_utc_s=(first.begin_utc_s or 0) + shift_s)
    with pytest.raises(ContradictionError, match="no interval of CPU time lies within the runs"):
        pair_with_hosts([moved], client=recorded(name))
    with pytest.raises(ContradictionError, match="host_zone"):
        pair_with_hosts([moved], client=recorded(name))


def test_another_day_fits_in_no_zone_where_the_date_is_known() -> None:
    (first,) = RUNS
    later = dataclasses.replace(first, begin_utc_s=(first.begin_utc_s or 0) + 2 * 86400)
    with pytest.raises(ContradictionError, match="in no zone: specify their zone"):
        pair_with_hosts([later], client=recorded(LOCAL[1]))
    assert pair_with_hosts([later], client=recorded(LOCAL[0])).cpu, "its date is of a locale"


@pytest.mark.parametrize(
    ("begin_s", "hours", "printed"),
    [
        (1795392000, -12, "2026-11-22 11:59:58"),  # 2026-11-23 00:00 UTC
        (1795348800, 13, "2026-11-23 00:59:58"),  # 2026-11-22 12:00 UTC
        (1795392000, 5.75, "2026-11-23 05:44:58"),
        (1795395600, -5, "11/22/26 19:59:58"),  # 2026-11-23 01:00 UTC
    ],
)
def test_the_day_of_a_zone_may_be_another(begin_s: float, hours: float, printed: str) -> None:
    (item,) = RUNS
    moved = dataclasses.replace(item, begin_utc_s=begin_s)
    day, _, first = printed.partition(" ")
    begin = datetime.fromisoformat(f"2026-11-22 {first}")
    rows = "\n".join(
        f"{begin + timedelta(seconds=second):%H:%M:%S} all{IDLE}" for second in range(1, 9)
    )
    text = f"Linux 6.1 (host) \t{day} \t_x86_64_\t(2 CPU)\n\n{first} {COLUMNS}\n{rows}"
    paired = pair_with_hosts([moved], client=read(text.encode()))
    assert has_note(paired, f"taken as {timezone(timedelta(hours=hours))}")
    assert has_note(paired, "CPU time is known for 6 s of the 6.002 s")


def test_a_record_that_fits_in_several_zones_is_refused() -> None:
    """40 min of a local clock, and a run in them: two shifts by 15 min fit."""
    head = "Linux 6.1 (host) \t2026-11-22 \t_x86_64_\t(2 CPU)\n\n"
    rows = "\n".join(f"04:{minute}:00 all{IDLE}" for minute in range(11, 51))
    text = f"{head}04:10:00 {COLUMNS}\n{rows}"
    with pytest.raises(ContradictionError, match=r"more than one would make them .*UTC\+01:00"):
        pair_with_hosts(RUNS, client=read(text.encode()))
    zoned = read(text.encode(), zone=timezone(timedelta(hours=1)))
    with pytest.raises(ContradictionError, match="no interval of CPU time"):
        pair_with_hosts(RUNS, client=zoned)


def test_a_single_interval_of_unknown_length_is_taken_on_trust() -> None:
    paired = pair_with_hosts(RUNS, client=recorded("mpstat_12.6.1_11s.json"))
    assert has_note(paired, "assuming that")
    assert not has_note(paired, "CPU time is known for")


def test_a_single_interval_of_another_day_cannot_be_of_the_runs() -> None:
    """The day before those of 03:23:11, at a time of day within them."""
    known = recorded("mpstat_12.6.1_11s.json")
    (interval,) = known.intervals
    within = dataclasses.replace(interval, clock="03:23:15", end_s=(3 * 60 + 23) * 60 + 15)
    begin_s = RUNS[0].begin_utc_s
    assert begin_s is not None
    today = datetime.fromtimestamp(begin_s, UTC).date()
    of_day = dataclasses.replace(known, zone=UTC, day=today, intervals=(within,))
    assert pair_with_hosts(RUNS, client=of_day).cpu
    before = dataclasses.replace(of_day, day=today - timedelta(days=1))
    with pytest.raises(
        ContradictionError,
        match="03:23:15, of unknown length",
    ):
        pair_with_hosts(RUNS, client=before)


def test_an_interval_longer_than_the_run_is_noted() -> None:
    paired = pair_with_hosts([run_of(2.0)], client=host((-1, 3, 0.13)))
    assert paired.cpu[0].busy_cpu_count == pytest.approx(0.13)
    assert has_note(paired, "CPU time is known for 2 s of the 2 s common to all runs")
    assert has_note(paired, "client: 2 s of the measured 4 s lie outside the runs and count too")


def test_one_host_is_refused_by_name_or_by_what_was_measured() -> None:
    spans = ((0.0, 1.0, 0.5), (1.0, 2.0, 0.7))
    for other in (
        host((0, 1, 0.1), name="a", sha="b"),
        host((0, 1, 0.1), name="b", sha="a"),
    ):
        with pytest.raises(ContradictionError, match="client and server are one host"):
            pair_with_hosts([run_of(2.0)], client=host(*spans), server=other)
    pair_with_hosts([run_of(2.0)], client=host(*spans), server=host(*spans, name="b", sha="b"))


def test_one_idle_record_is_not_of_two_hosts() -> None:
    busy = {
        "client": host((0, 2, 0.5)),
        "server": host((0, 2, 0.5), name=None, sha="b"),
    }
    busy["server"] = dataclasses.replace(busy["server"], host="b")
    idle = host((-5, -4, 0.1), name=None, sha="idle")
    with pytest.raises(ContradictionError, match="client and server while idle are one host"):
        pair_with_hosts([run_of(2.0)], **busy, client_idle=idle, server_idle=idle)


def test_the_record_of_the_run_is_no_idle_baseline() -> None:
    """Without times nothing else shows it: the baseline would take off all, and leave 0."""
    (first,) = host((0, 2, 0.5)).intervals
    timeless = dataclasses.replace(first, end_s=None)
    record = dataclasses.replace(host(), intervals=(timeless,))
    with pytest.raises(ContradictionError, match="client: the idle baseline is the record of the"):
        pair_with_hosts([run_of(2.0)], client=record, client_idle=record)


def test_latency_has_cpu_time_and_no_cost_per_data() -> None:
    latency = run_of(2.0, goodput_bps=None, measures_latency=True, why_no_goodput="latency")
    paired = pair_with_hosts([latency], client=host((0, 2, 0.5)))
    (use,) = paired.cpu
    assert (paired.goodput_bps, use.payload_rate_bps, use.us_per_gbit) == (0.0, 0.0, None)
    assert use.busy_cpu_count == pytest.approx(0.5)
    assert has_note(paired, "measures response times: it has no CPU time per data")
    answered = dataclasses.replace(latency, goodput_bps=1e6)
    assert pair_with_hosts([answered], client=host((0, 2, 0.5))).cpu[0].us_per_gbit is None
    beside = having(latency, sha256="b")
    assert pair_with_hosts([run_of(2.0), beside]).goodput_bps == 1e9
    failed = dataclasses.replace(latency, error="no server")
    with pytest.raises(ContradictionError, match="no server"):
        pair_with_hosts([failed])


def test_zones_are_kept_with_the_record() -> None:
    assert recorded(LOCAL[0]).day is None
    assert recorded(LOCAL[1]).day == date(2026, 11, 22)
    assert recorded(LOCAL[1], zone=UTC).zone is UTC
    assert {use.side for use in pair_with_hosts(RUNS, client=recorded(LOCAL[1])).cpu} == {
        Side.CLIENT
    }
