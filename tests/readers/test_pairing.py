"""Runs paired with their hosts: numbers by hand, and what is refused."""

import dataclasses
from datetime import UTC, date
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from runs import run
from runs import sample as iperf3_sample

from netmodel.consumption import Side
from netmodel.errors import ContradictionError
from netmodel.readers import (
    HostCpu,
    Measurement,
    pair_with_hosts,
    read_host_cpu,
    read_result,
)
from netmodel.readers._host_activity import CpuInterval, clock_s
from netmodel.readers.host_runs import PairedRuns

read_iperf3 = partial(read_result, format_name="iperf3")

SAMPLES = Path(__file__).parent / "samples"
DAY = date(2026, 11, 20)
T = 1_000_000.0


def mpstat(name: str, interval_s: float) -> HostCpu:
    cpu = read_host_cpu(SAMPLES / "sysstat" / name, zone=UTC)
    lasting = (dataclasses.replace(each, duration_s=interval_s) for each in cpu.intervals)
    return dataclasses.replace(cpu, intervals=tuple(lasting), day=DAY).in_utc()


def loopback() -> tuple[Measurement, ...]:
    return read_iperf3(iperf3_sample("paired_iperf3_3.21_serverJ.json"))


def host(*busy: float, begin_s: float | None = T, name: str = "a", **reported: Any) -> HostCpu:
    """Four CPUs, busy by so much on average in each second."""
    ends = (None if begin_s is None else begin_s + second + 1 for second in range(len(busy)))
    intervals = tuple(
        CpuInterval({None: ratio}, str(second), end_s, 1)
        for second, (ratio, end_s) in enumerate(zip(busy, ends, strict=True))
    )
    usual = {"source": name, "sha256": name, "tool": "mpstat", "host": name, "cpu_count": 4}
    return HostCpu(intervals=intervals, is_utc=True, **(usual | reported))


def run_from(begin_s: float | None = T, duration_s: float = 10.0, **reported: Any) -> Measurement:
    """A run of 1 Gbit/s over TCP."""
    usual = {"goodput_bps": 1e9, "begin_utc_s": begin_s, "duration_s": duration_s}
    return run(**(usual | reported))


def warns(paired: PairedRuns, words: str) -> bool:
    return any(words in note for note in paired.notes)


def test_a_loopback_run_against_the_idle_host() -> None:
    """
    Busy 50.63 + 34.25 + 15.04 = 99.92 %, idle 51.00 + 1.00 + 0.17 = 52.17 %, of two CPUs.

    2 × 47.75 % = 0.955 CPUs at 18.890034 Gbit/s are 50 555.8 µs/Gbit.
    """
    paired = pair_with_hosts(
        loopback(),
        server=mpstat("paired_mpstat_12.6.1.json", 6),
        server_idle=mpstat("paired_mpstat_idle.json", 3),
    )
    (use,) = paired.cpu
    assert use.busy_cpu_count == pytest.approx(0.955)
    assert use.installed_cpu_count == 2
    assert (use.scope, use.side) == ("system", Side.SERVER)
    assert use.us_per_gbit == pytest.approx(50_555.8, abs=0.1)
    assert paired.goodput_bps == pytest.approx(18.890034e9)
    assert warns(paired, "both ends were one host")
    assert warns(paired, "1.04 CPUs were busy while idle")
    assert not warns(paired, "on trust")


def test_both_hosts_have_their_own_cpu_time() -> None:
    paired = pair_with_hosts(
        [run_from()],
        client=host(*[0.5] * 10),
        client_idle=host(0.1, begin_s=T - 5),
        server=host(*[0.25] * 10, name="b"),
        server_idle=host(0.0, begin_s=T + 60, name="b"),
    )
    assert [(use.side, use.busy_cpu_count) for use in paired.cpu] == [
        (Side.CLIENT, pytest.approx(1.6)),
        (Side.SERVER, pytest.approx(1.0)),
    ]
    assert [use.us_per_gbit for use in paired.cpu] == [
        pytest.approx(1.6e6),
        pytest.approx(1.0e6),
    ]


def test_instances_at_once_add_up_and_cpu_counts_once() -> None:
    runs = [run_from(sha256="1"), run_from(T + 0.5, sha256="2", goodput_bps=3e9)]
    paired = pair_with_hosts(runs, server=host(*[0.5] * 10))
    assert paired.goodput_bps == 4e9
    assert paired.cpu[0].busy_cpu_count == 2
    assert paired.cpu[0].payload_rate_bps == 4e9
    assert not warns(paired, "ran together")


def test_instances_that_overlap_little_are_reported_and_those_that_do_not_refused() -> None:
    runs = [run_from(sha256="1"), run_from(T + 5, sha256="2")]
    paired = pair_with_hosts(runs, server=host(*[0.5] * 15))
    assert warns(paired, "the runs overlap for only 5 s of 10 s")
    with pytest.raises(ContradictionError, match="not run at the same time"):
        pair_with_hosts([run_from(sha256="1"), run_from(T + 10, sha256="2")])


def test_only_intervals_within_the_runs_count() -> None:
    """Idle, then 10 s of half the CPUs, then idle: the mean of the ten is one half."""
    record = host(0, 0, 0, *[0.5] * 10, 0, 0, begin_s=T - 3)
    paired = pair_with_hosts([run_from()], server=record)
    assert paired.cpu[0].busy_cpu_count == 2
    shifted = host(0, 0, 0, 0.1, *[0.5] * 9, 0.2, 0, begin_s=T - 3.4)
    assert pair_with_hosts([run_from()], server=shifted).cpu[0].busy_cpu_count == 2


def test_cpu_time_of_another_time_is_refused_with_both_times() -> None:
    with pytest.raises(ContradictionError) as caught:
        pair_with_hosts([run_from()], server=host(0.5, begin_s=T + 3600))
    assert "from 1970-01-12 13:46:40 UTC to 1970-01-12 13:46:50 UTC" in str(caught.value)
    assert "ended at 1970-01-12 14:46:41 UTC" in str(caught.value)
    with pytest.raises(ContradictionError, match="no interval"):
        pair_with_hosts(loopback(), server=mpstat("paired_mpstat_idle.json", 3))


def test_times_beyond_all_calendars_are_refused_in_words() -> None:
    with pytest.raises(ContradictionError, match=r"1e\+18 s after 1970"):
        pair_with_hosts([run_from(1e18, 1e9)], server=host(0.5))


def test_times_that_are_not_known_are_reported() -> None:
    paired = pair_with_hosts([run_from(None)], server=host(0.5))
    assert warns(paired, "begin of the runs not known")
    paired = pair_with_hosts([run_from()], server=host(0.5, begin_s=None))
    assert warns(paired, "server: time of the CPU data not known")


def test_an_idle_baseline_must_be_of_the_same_idle_host() -> None:
    busy = host(*[0.5] * 10)
    for idle, expected in (
        (host(0.1, begin_s=T + 3), "during the runs"),
        (host(0.1, begin_s=T - 9, name="b"), "another host: b, not a"),
        (host(0.1, begin_s=T - 9, cpu_count=2), "another number of CPUs: 2, not 4"),
        (host(0.6, begin_s=T - 9), "2.4 CPUs were busy while idle, and only 2 during the runs"),
    ):
        with pytest.raises(ContradictionError, match=expected):
            pair_with_hosts([run_from()], server=busy, server_idle=idle)
    with pytest.raises(ContradictionError, match="no host to use it"):
        pair_with_hosts([run_from()], client=busy, server_idle=busy)


def test_without_a_baseline_a_note_stays() -> None:
    assert warns(pair_with_hosts([run_from()], server=host(0.5)), "no idle baseline is subtracted")


def test_one_host_is_not_counted_twice() -> None:
    with pytest.raises(ContradictionError, match="would count twice"):
        pair_with_hosts([run_from()], client=host(0.5), server=host(0.5))
    both = host(0.5), host(0.5, name="b")
    over_line, in_host = run_from(), run_from(is_loopback=True, sha256="other")
    assert pair_with_hosts([over_line], client=both[0], server=both[1]).cpu
    with pytest.raises(ContradictionError, match="would count twice"):
        pair_with_hosts([over_line, in_host], client=both[0], server=both[1])
    with pytest.raises(ContradictionError, match="would count twice"):
        pair_with_hosts([run_from(is_loopback=True)], client=host(0.5), server=host(0.5, name="b"))


def test_runs_without_goodput_or_there_twice_are_refused() -> None:
    with pytest.raises(ContradictionError, match="no run"):
        pair_with_hosts([])
    with pytest.raises(ContradictionError, match="no goodput to pair with: unable to connect"):
        pair_with_hosts([run_from(goodput_bps=None, error="unable to connect")])
    with pytest.raises(ContradictionError, match="given twice"):
        pair_with_hosts([run_from(), run_from()])


def spanning(begin_s: float, end_s: float, busy_ratio: float = 0.5, **reported: Any) -> HostCpu:
    """Four CPUs in one interval, from and to these times after T."""
    (first,) = host(busy_ratio).intervals
    span = {"end_s": T + end_s, "duration_s": end_s - begin_s}
    return dataclasses.replace(
        host(busy_ratio), intervals=(dataclasses.replace(first, **span),), **reported
    )


def of_local_clock(clock: str, day: date | None, duration_s: float | None = 1.0) -> HostCpu:
    """A second that ended at this local time, in a zone that is not known."""
    interval = CpuInterval({None: 0.5}, clock, clock_s(clock), duration_s)
    return dataclasses.replace(host(), intervals=(interval,), day=day, is_utc=False)


@pytest.mark.parametrize(
    ("clock", "day", "zone"),
    [
        # T is 13:46:40 UTC on 12 January
        ("13:46:45", 12, "UTC"),
        ("01:46:45", 12, "UTC-12:00"),
        ("03:46:45", 13, "UTC+14:00"),
        ("03:46:45", 12, "UTC-10:00"),
        ("14:01:45", 12, "UTC+00:15"),
        ("13:31:45", 12, "UTC-00:15"),
        # the zone that is nearest to UTC, on any day
        ("03:46:45", None, "UTC-10:00"),
        ("00:46:45", None, "UTC+11:00"),
        # no zone
        ("13:54:15", 12, None),
        ("01:31:45", 12, None),
        ("04:01:45", 13, None),
        ("13:46:45", 14, None),
    ],
)
def test_a_zone_that_is_not_known_is_one_in_use(
    clock: str, day: int | None, zone: str | None
) -> None:
    record = of_local_clock(clock, None if day is None else date(1970, 1, day))
    if zone is None:
        with pytest.raises(ContradictionError, match="in no zone: specify their zone"):
            pair_with_hosts([run_from()], server=record)
        return
    paired = pair_with_hosts([run_from()], server=record)
    assert warns(paired, f"its times have no zone and are taken as {zone}, in which they overlap")
    assert warns(paired, "CPU time is known for 1 s of the 10 s common to all runs, only a part")
    assert warns(paired, "its date has the form of a locale") is (day is None)


def test_a_record_in_local_time_may_begin_long_before_the_runs() -> None:
    """A hundred seconds, of which the last ten are those of the run: 13:45:10 to 13:46:50."""
    first = of_local_clock("13:45:11", date(1970, 1, 12))
    (known,) = first.intervals
    assert known.end_s is not None
    intervals = tuple(
        dataclasses.replace(known, end_s=known.end_s + second) for second in range(100)
    )
    paired = pair_with_hosts([run_from()], server=dataclasses.replace(first, intervals=intervals))
    assert warns(paired, "are taken as UTC, in which they overlap the runs")
    assert warns(paired, "CPU time is known for 10 s of the 10 s common to all runs")


@pytest.mark.parametrize(("length_s", "is_inside"), [(1.22, True), (1.23, False)])
def test_a_clock_of_whole_seconds_may_be_off_by_one(length_s: float, is_inside: bool) -> None:
    """From 0.1 s before the end: 1.1 s of it lie within the runs and a second more."""
    record = spanning(9.9, 9.9 + length_s)
    if is_inside:
        assert pair_with_hosts([run_from()], server=record).cpu[0].busy_cpu_count == 2
    else:
        with pytest.raises(ContradictionError, match="no interval of CPU time lies within"):
            pair_with_hosts([run_from()], server=record)


@pytest.mark.parametrize(
    ("first_s", "last_s", "count"),
    [(0.0, 10.0, 10), (-0.1, 9.9, 10), (-0.11, 9.89, 9), (0.1, 10.1, 10), (0.11, 10.11, 9)],
)
def test_a_second_counts_from_nine_tenths_of_it(first_s: float, last_s: float, count: int) -> None:
    record = host(*[0.5] * 10, begin_s=T + first_s)
    assert record.intervals[-1].end_s == pytest.approx(T + last_s)
    paired = pair_with_hosts([run_from()], server=record)
    (note,) = [note for note in paired.notes if "CPU time is known for" in note]
    inside_s = count - abs(first_s) if count == 10 else 9.0
    assert f"known for {inside_s:.4g} s of the 10 s" in note


@pytest.mark.parametrize(("seconds", "is_part"), [(10, False), (9, False), (8, True)])
def test_less_than_nine_tenths_of_the_runs_are_a_part_of_them(seconds: int, is_part: bool) -> None:
    paired = pair_with_hosts([run_from()], server=host(*[0.5] * seconds))
    assert warns(paired, "only a part of them") is is_part


@pytest.mark.parametrize(("begin_s", "is_noted"), [(-0.1, False), (0.1, False), (-0.5, True)])
def test_time_outside_the_runs_is_noted_from_a_hundredth_on(begin_s: float, is_noted: bool) -> None:
    paired = pair_with_hosts([run_from()], server=spanning(begin_s, begin_s + 10))
    assert warns(paired, "0.5 s of the measured 10 s lie outside the runs") is is_noted


@pytest.mark.parametrize(("later_s", "is_noted"), [(1.0, False), (1.125, True)])
def test_runs_that_overlap_for_nine_tenths_are_together(later_s: float, is_noted: bool) -> None:
    runs = [run_from(sha256="1"), run_from(T + later_s, sha256="2")]
    assert warns(pair_with_hosts(runs), "the runs overlap for only") is is_noted


@pytest.mark.parametrize(("lost_ratio", "is_noted"), [(None, False), (0.01, False), (0.011, True)])
def test_one_lost_datagram_of_a_hundred_needs_no_note(
    lost_ratio: float | None, is_noted: bool
) -> None:
    paired = pair_with_hosts([run_from(lost_ratio=lost_ratio)])
    assert warns(paired, "datagrams that did not arrive") is is_noted


@pytest.mark.parametrize(("idle_ratio", "is_noted"), [(0.025, False), (0.026, True)])
def test_a_tenth_of_a_cpu_is_an_idle_host(idle_ratio: float, is_noted: bool) -> None:
    paired = pair_with_hosts(
        [run_from()], server=host(0.5), server_idle=host(idle_ratio, begin_s=T - 9)
    )
    assert warns(paired, "CPUs were busy while idle") is is_noted
    assert paired.cpu[0].busy_cpu_count == pytest.approx(2 - 4 * idle_ratio)


@pytest.mark.parametrize(("seconds", "is_refused"), [(9, False), (12, False), (13, True)])
def test_cpu_data_are_not_longer_than_runs_of_unknown_time(seconds: int, is_refused: bool) -> None:
    """9 s over nine tenths, and a second at each end: 12 s."""
    runs = [run_from(None, 9.0, sha256="1"), run_from(None, 5.0, sha256="2")]
    record = host(*[0.5] * seconds)
    if is_refused:
        with pytest.raises(ContradictionError, match="are of 13 s, and the runs took 9 s and do"):
            pair_with_hosts(runs, server=record)
    else:
        assert pair_with_hosts(runs, server=record).cpu[0].busy_cpu_count == 2
    unknown = [runs[0], dataclasses.replace(runs[1], duration_s=None)]
    assert pair_with_hosts(unknown, server=record).cpu[0].busy_cpu_count == 2


@pytest.mark.parametrize(
    ("clock", "is_refused"),
    [
        ("13:46:40", False),
        ("13:46:39", True),
        # all of the runs may lie in an interval that ends by their length and a second later
        ("13:47:01", False),
        ("13:47:02", True),
        # in some zone, on the day of the record
        ("03:46:45", False),
        ("13:54:15", True),
    ],
)
def test_an_interval_of_unknown_length_has_to_end_near_the_runs(
    clock: str, is_refused: bool
) -> None:
    record = of_local_clock(clock, date(1970, 1, 12), None)
    many = dataclasses.replace(
        record,
        intervals=record.intervals * 5,
    )
    if is_refused:
        with pytest.raises(ContradictionError) as caught:
            pair_with_hosts([run_from()], server=many)
        assert f"ended at {clock} to {clock}, of unknown length: record" in str(caught.value)
    else:
        paired = pair_with_hosts([run_from()], server=many)
        assert warns(paired, "server: time of the CPU data not known")


def test_a_host_may_be_as_busy_as_without_the_runs() -> None:
    idle = host(0.5, begin_s=T - 9)
    paired = pair_with_hosts([run_from()], server=host(0.5), server_idle=idle)
    assert paired.cpu[0].busy_cpu_count == 0


def test_datagrams_that_one_of_several_runs_lost_are_noted() -> None:
    runs = [run_from(sha256="1"), run_from(sha256="2", lost_ratio=0.02)]
    assert warns(pair_with_hosts(runs), "includes datagrams that did not arrive")


@pytest.mark.parametrize(
    ("end_s", "is_refused"), [(-1.0, True), (0.0, False), (21.0, False), (22.0, True)]
)
def test_an_interval_without_a_begin_is_judged_by_its_end(end_s: float, is_refused: bool) -> None:
    """Up to as long as the run, of 10 s, and a second after it."""
    (first,) = host(0.5).intervals
    open_begin = dataclasses.replace(first, end_s=T + end_s, duration_s=None, clock="12:00:00")
    record = dataclasses.replace(host(0.5), intervals=(open_begin,))
    if is_refused:
        with pytest.raises(ContradictionError, match="no interval of CPU time lies within"):
            pair_with_hosts([run_from()], server=record)
    else:
        assert pair_with_hosts([run_from()], server=record).cpu[0].busy_cpu_count == 2
