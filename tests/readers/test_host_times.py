"""When hosts were measured: zones, what lies inside the runs, one host twice, ticks not counted."""

import dataclasses
from datetime import UTC, date, datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from runs import run

from netmodel.consumption import Side
from netmodel.errors import ContradictionError, ParseError
from netmodel.readers import (
    HostCpu,
    Measurement,
    cpu_between,
    pair_with_hosts,
    read_host_state,
    read_result,
)
from netmodel.readers._host_cpu import CpuInterval, CpuLoad, CpuShares
from netmodel.readers._pairing import PairedRuns
from netmodel.readers._proc_stat import read_proc_stat_copies
from netmodel.readers.sysstat import read_mpstat

read_iperf3 = partial(read_result, format_name="iperf3")

SAMPLES = Path(__file__).parent / "samples"
BOTH = SAMPLES / "both-ends"
RUNS = read_iperf3(BOTH / "iperf3_3.12_tcp_client.json")
"""From 03:23:11 UTC, 6.002 s."""
LOCAL = ["mpstat_12.6.1_berlin.json", "mpstat_12.6.1_berlin.txt", "sar_12.6.1_berlin.txt"]
T = 1_000_000.0
COLUMNS = "CPU %usr %nice %sys %iowait %irq %soft %steal %guest %gnice %idle"
IDLE = " 0.00" * 9 + " 100.00"


def recorded(name: str, **options: Any) -> HostCpu:
    host = read_host_state(BOTH / name, **options).cpu
    assert host is not None
    return host


def has_note(paired: PairedRuns, words: str) -> bool:
    return any(words in note for note in paired.notes)


def shares(busy_ratio: float) -> CpuShares:
    none = dict.fromkeys(("irq_ratio", "soft_ratio", "steal_ratio", "guest_ratio", "gnice_ratio"))
    return CpuShares(
        usr_ratio=busy_ratio,
        nice_ratio=0,
        sys_ratio=0,
        iowait_ratio=0,
        idle_ratio=1 - busy_ratio,
        **none,
    )


def host(*spans: tuple[float, float, float], name: str | None = "a", sha: str = "a") -> HostCpu:
    """Two CPUs; each interval has begin and end after T, and how many CPUs were busy."""
    intervals = tuple(
        CpuInterval(
            begin_utc_s=T + begin,
            end_utc_s=T + end,
            duration_s=end - begin,
            loads=(CpuLoad(None, shares(busy / 2)),),
        )
        for begin, end, busy in spans
    )
    return HostCpu(
        source=f"{sha}.json", sha256=sha, tool="t", host=name, cpu_count=2, intervals=intervals
    )


def run_of(duration_s: float = 10.0, **changes: Any) -> Measurement:
    usual = {"goodput_bps": 1e9, "begin_utc_s": T, "duration_s": duration_s}
    return dataclasses.replace(run(), **(usual | changes))


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
    dated = read_mpstat(BOTH / LOCAL[0], day=date(2026, 11, 22))
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
    with pytest.raises(ContradictionError, match="in no zone; specify their zone"):
        pair_with_hosts([later], client=recorded(LOCAL[1]))
    assert pair_with_hosts([later], client=recorded(LOCAL[0])).cpu, "its date is of a locale"


@pytest.mark.parametrize(
    ("begin_s", "hours", "printed"),
    [
        (1795392000, -12, "2026-11-22 11:59:58"),  # 2026-11-23 00:00 UTC
        (1795348800, 13, "2026-11-23 00:59:58"),  # 2026-11-22 12:00 UTC
        (1795392000, 5.75, "2026-11-23 05:44:58"),
    ],
)
def test_the_day_of_a_zone_may_be_another(begin_s: float, hours: float, printed: str) -> None:
    (item,) = RUNS
    moved = dataclasses.replace(item, begin_utc_s=begin_s)
    day, _, first = printed.partition(" ")
    begin = datetime.fromisoformat(printed)
    rows = "\n".join(
        f"{begin + timedelta(seconds=second):%H:%M:%S} all{IDLE}" for second in range(1, 9)
    )
    text = f"Linux 6.1 (host) \t{day} \t_x86_64_\t(2 CPU)\n\n{first} {COLUMNS}\n{rows}"
    paired = pair_with_hosts([moved], client=read_mpstat(text.encode()))
    assert has_note(paired, f"taken as {timezone(timedelta(hours=hours))}")
    assert has_note(paired, "CPU time is known for 6 s of the 6.002 s")


def test_a_record_that_fits_in_several_zones_is_refused() -> None:
    """40 min of a local clock, and a run in them: two shifts by 15 min fit."""
    head = "Linux 6.1 (host) \t2026-11-22 \t_x86_64_\t(2 CPU)\n\n"
    rows = "\n".join(f"04:{minute}:00 all{IDLE}" for minute in range(11, 51))
    text = f"{head}04:10:00 {COLUMNS}\n{rows}"
    with pytest.raises(ContradictionError, match=r"more than one would make them .*UTC\+01:00"):
        pair_with_hosts(RUNS, client=read_mpstat(text.encode()))
    zoned = read_mpstat(text.encode(), zone=timezone(timedelta(hours=1)))
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
    within = dataclasses.replace(interval, clock="03:23:15")
    begin_s = RUNS[0].begin_utc_s
    assert begin_s is not None
    today = datetime.fromtimestamp(begin_s, UTC).date()
    of_day = dataclasses.replace(known, zone=UTC, day=today, intervals=(within,))
    assert pair_with_hosts(RUNS, client=of_day).cpu
    before = dataclasses.replace(of_day, day=today - timedelta(days=1))
    with pytest.raises(ContradictionError, match="unknown length that ended at 03:23:15"):
        pair_with_hosts(RUNS, client=before)


def test_an_interval_longer_than_the_run_gives_bounds() -> None:
    """
    0.13 CPUs busy for 4 s are 0.52 CPU seconds: 0.26 CPUs if all of that was in the 2 s of the run.

    The 2 s outside may hold all of it too, for two CPUs have 4 CPU seconds there: at least 0.
    """
    paired = pair_with_hosts([run_of(2.0)], client=host((-1, 3, 0.13)))
    assert paired.cpu[0].busy_cpu_count == pytest.approx(0.13)
    assert has_note(paired, "CPU time is known for 2 s of the 2 s common to all runs")
    assert has_note(
        paired,
        "client: 2 s of the measured 4 s lie outside the runs: during the runs 0 to 0.26 CPUs were "
        "busy",
    )


def test_one_host_is_refused_by_name_or_by_what_was_measured() -> None:
    spans = ((0.0, 1.0, 0.5), (1.0, 2.0, 0.7))
    for other in (
        host((0, 1, 0.1), name="a", sha="b"),
        host(*spans, name=None, sha="b"),
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
    timeless = dataclasses.replace(first, begin_utc_s=None, end_utc_s=None)
    record = dataclasses.replace(host(), intervals=(timeless,))
    with pytest.raises(ContradictionError, match="client: the idle baseline is the record of the"):
        pair_with_hosts([run_of(2.0)], client=record, client_idle=record)


def test_latency_has_cpu_time_and_no_cost_per_data() -> None:
    latency = run_of(2.0, goodput_bps=None, measures_latency=True, why_no_goodput="latency")
    paired = pair_with_hosts([latency], client=host((0, 2, 0.5)))
    (use,) = paired.cpu
    assert (paired.goodput_bps, use.payload_rate_bps, use.consumption) == (0.0, 0.0, None)
    assert use.busy_cpu_count == pytest.approx(0.5)
    assert has_note(paired, "measures response times: it has no CPU time per data")
    answered = dataclasses.replace(latency, goodput_bps=1e6)
    assert pair_with_hosts([answered], client=host((0, 2, 0.5))).cpu[0].consumption is None
    beside = dataclasses.replace(latency, sha256="b")
    assert pair_with_hosts([run_of(2.0), beside]).goodput_bps == 1e9
    failed = dataclasses.replace(latency, error="no server")
    with pytest.raises(ContradictionError, match="no server"):
        pair_with_hosts([failed])


TWICE = BOTH / "proc_stat_twice.txt"


def test_two_copies_in_a_file_with_their_times() -> None:
    """
    Ticks between them: user 46, system 209, idle 845, softirq 161: 1261 in 7.0046 s of two CPUs.

    12.61 of 14.01 CPU seconds. Busy are 416 ticks, 4.16 / 7.0046 = 0.594 CPUs; idle are 845 ticks,
    which leaves (14.0092 - 8.45) / 7.0046 = 0.794 CPUs.
    """
    copies = recorded("proc_stat_twice.txt")
    assert copies.cpu_count == 2
    assert copies.span == (1795317791.246865949, 1795317798.251474426)
    assert copies.busy_cpu_count() == pytest.approx(2 - 8.45 / 7.004608560, rel=1e-6)
    (note,) = (text for text in copies.notes if "counted" in text)
    assert note == (
        "the kernel counted 12.61 s of 14.01 s of CPU time: busy CPUs 0.594 by ticks, 0.794 by "
        "idle time"
    )
    assert has_note(pair_with_hosts(RUNS, server=copies), "server: the kernel counted 12.61 s")


def test_two_files_say_the_same_and_no_time_says_nothing() -> None:
    first, second = split_copies()
    times = {"begin_utc_s": 1795317791.246865949, "end_utc_s": 1795317798.251474426}
    known = cpu_between(first, second, **times)
    assert any("the kernel counted 12.61 s" in text for text in known.notes)
    assert known.intervals == recorded("proc_stat_twice.txt").intervals
    unknown = cpu_between(first, second)
    assert not any("counted" in text for text in unknown.notes)


def test_ticks_that_make_up_the_time_need_no_note() -> None:
    """1261 ticks in 6.3 s of two CPUs: 12.61 of 12.6 CPU seconds."""
    first, second = split_copies()
    full = cpu_between(first, second, begin_utc_s=T, end_utc_s=T + 6.3)
    assert not any("counted" in text for text in full.notes)
    near = cpu_between(first, second, begin_utc_s=T, end_utc_s=T + 6.6)  # 0.955
    assert not any("counted" in text for text in near.notes)


def split_copies() -> tuple[bytes, bytes]:
    text = TWICE.read_text(encoding="utf-8")
    start = text.index("1795317798")
    return text[:start].encode(), text[start:].encode()


def test_copies_without_times_are_read_and_trusted() -> None:
    lines = TWICE.read_text(encoding="utf-8").splitlines()
    bare = "\n".join(line for line in lines if not line.startswith("1795"))
    copies = read_proc_stat_copies(bare.encode())
    assert copies.busy_cpu_count() == pytest.approx(2 * 416 / 1261)
    assert copies.span is None


def test_each_copy_after_the_first_ends_an_interval() -> None:
    first, second = (raw.decode() for raw in split_copies())
    third = second.replace("1795317798.251474426", "1795317799")
    third = third.replace("178802", "178902")
    copies = read_proc_stat_copies((first + second + third).encode())
    assert [each.end_utc_s for each in copies.intervals] == [1795317798.251474426, 1795317799.0]
    assert copies.intervals[1].loads[0].shares.idle_ratio == 1


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("1795317798.251474426", "1795317791", "not in the order of time"),
        ("cpu  9784", "cpu  x", "line 13 must be counts"),
        ("cpu  9784", "xcpu  9784", "holds one copy"),
    ],
)
def test_copies_that_are_none_are_refused(old: str, new: str, words: str) -> None:
    text = TWICE.read_text(encoding="utf-8")
    assert old in text
    with pytest.raises(ParseError, match=words):
        read_proc_stat_copies(text.replace(old, new).encode())


def test_zones_are_kept_with_the_record() -> None:
    assert recorded(LOCAL[0]).day is None
    assert recorded(LOCAL[1]).day == date(2026, 11, 22)
    assert recorded(LOCAL[1], zone=UTC).zone is UTC
    assert {use.side for use in pair_with_hosts(RUNS, client=recorded(LOCAL[1])).cpu} == {
        Side.CLIENT
    }


def test_ticks_in_step_with_a_timer_do_not_count() -> None:
    """
    A paced iperf3 wakes up with the tick: 198 of its ticks are busy, while it was idle for 1.87 s.

    Measured in 2.61 s of one CPU; iperf3 itself reports 27.8 % of a CPU, 0.73 s, and wall time
    less idle time is 0.74 s.
    """
    first = "1795317791.25\ncpu  0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0\nbtime 5\n"
    last = "1795317793.86\ncpu  0 0 94 187 0 0 104 0\ncpu0 0 0 94 187 0 0 104 0\nbtime 5\n"
    copies = read_proc_stat_copies((first + last).encode())
    assert copies.busy_cpu_count() == pytest.approx((2.61 - 1.87) / 2.61)
    (note,) = copies.notes
    assert note == (
        "the kernel counted 3.85 s of 2.61 s of CPU time: busy CPUs 0.759 by ticks, 0.284 by idle "
        "time"
    )


def test_work_that_no_tick_sampled_is_the_kernels() -> None:
    first = "1795317791.25\ncpu  0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0\nbtime 5\n"
    last = "1795317793.75\ncpu  0 0 0 200 0 0 0 0\ncpu0 0 0 0 200 0 0 0 0\nbtime 5\n"
    (interval,) = read_proc_stat_copies((first + last).encode()).intervals
    assert interval.loads[0].shares.sys_ratio == pytest.approx(0.2)


def test_a_cpu_that_was_idle_for_a_tick_more_than_the_time_was_not_busy() -> None:
    first = "1795317791.25\ncpu  0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0\nbtime 5\n"
    last = "1795317793.75\ncpu  0 0 1 251 0 0 0 0\ncpu0 0 0 1 251 0 0 0 0\nbtime 5\n"
    assert read_proc_stat_copies((first + last).encode()).busy_cpu_count() == 0


@pytest.mark.parametrize(("idle_ticks", "is_refused"), [(263, False), (264, True)])
def test_idle_time_may_exceed_the_clock_by_a_twentieth(idle_ticks: int, is_refused: bool) -> None:
    """95 % of 2.63 s are 2.4985 s, of 2.64 s 2.508 s: one below 2.5 s, one above."""
    of_cpu = f"0 0 0 {idle_ticks} 0 0 0 0"
    first = "1795317791.25\ncpu  0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0\nbtime 5\n"
    last = f"1795317793.75\ncpu  {of_cpu}\ncpu0 {of_cpu}\nbtime 5\n"
    if is_refused:
        with pytest.raises(ParseError, match=r"cpu was idle for 2.64 s in 2.50 s: the times"):
            read_proc_stat_copies((first + last).encode())
    else:
        assert read_proc_stat_copies((first + last).encode()).busy_cpu_count() == 0
