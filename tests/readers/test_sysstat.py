"""CPU time as mpstat, sar and sadf tell it: one host in many forms, and every trap."""

import json
import re
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from runs import run

from netmodel.errors import ContradictionError, ParseError
from netmodel.readers import HostCpu, pair_with_hosts, read_host_cpu

SAMPLES = Path(__file__).parent / "samples"
DAY = date(2026, 11, 20)
DAY_S = 1795132800  # 2026-11-20 00:00:00 UTC
AT_17_50_26 = DAY_S + 17 * 3600 + 50 * 60 + 26


def sample(name: str) -> Path:
    return SAMPLES / "sysstat" / name


def text(name: str) -> str:
    return sample(name).read_text(encoding="utf-8")


def edited(name: str, old: str, new: str) -> bytes:
    """A sample with a text in place of another."""
    whole = text(name)
    assert old in whole
    return whole.replace(old, new).encode()


def changed(name: str, change: Callable[[dict[str, Any]], None]) -> bytes:
    """A JSON sample after a change to its host."""
    document = json.loads(text(name))
    change(document["sysstat"]["hosts"][0])
    return json.dumps(document).encode()


def read(source: Path | bytes, day: date | None = None, **specified: Any) -> HostCpu:
    """What is read of a host, on a day that its locale does not tell."""
    host = read_host_cpu(source, **specified)
    return host if day is None or host.is_utc else replace(host, day=day).in_utc()


def mpstat(name: str) -> HostCpu:
    return read(sample(name), day=DAY, zone=UTC)


def sar(names: str, cells: str) -> bytes:
    """Text of sar with one line."""
    banner = "Linux 6 (h) \t2026-11-20 \t_x_\t(1 CPU)"
    return f"{banner}\n\n17:50:26 CPU {names}\n17:50:27 all {cells}\n".encode()


def busy(host: HostCpu, interval: int = 0, cpu: int | None = None) -> float:
    return host.intervals[interval].busy_ratios[cpu]


def problem_of(source: bytes, **specified: Any) -> str:
    with pytest.raises(ParseError) as caught:
        read(source, **specified)
    return str(caught.value)


def has(host: HostCpu, words: str) -> bool:
    return any(words in note for note in host.notes)


def test_busy_parts_are_added_by_name() -> None:
    """0.57 % user, 46.86 % kernel and 21.14 % softirqs; 31.43 % idle."""
    host = mpstat("mpstat_12.6.1_PALL.json")
    assert busy(host) == pytest.approx(0.0057 + 0.4686 + 0.2114)
    assert (host.tool, host.host, host.cpu_count) == ("mpstat", "host", 2)
    assert len(host.sha256) == 64


def test_text_of_mpstat_has_no_averages_and_its_own_times() -> None:
    host = mpstat("mpstat_12.6.1_PALL.txt")
    assert [each.span for each in host.intervals] == [
        (AT_17_50_26 - 3, AT_17_50_26 - 2),
        (AT_17_50_26 - 2, AT_17_50_26 - 1),
    ]
    assert busy(host, 1, 0) == pytest.approx(1, abs=1e-3)
    assert host.busy_cpu_count() == pytest.approx((0.6722 + 0.7069) / 2 * 2)


def test_times_of_json_are_ends_of_equal_intervals() -> None:
    host = mpstat("mpstat_12.6.1_PALL.json")
    assert [each.clock for each in host.intervals] == ["17:50:22", "17:50:23"]
    assert [each.duration_s for each in host.intervals] == [1, 1]
    assert host.span == (AT_17_50_26 - 5, AT_17_50_26 - 3)


def test_the_length_of_one_interval_of_json_is_unknown() -> None:
    assert mpstat("paired_mpstat_12.6.1.json").span is None


def test_all_cpus_are_the_sum_of_single_ones_where_only_those_are_reported() -> None:
    def without_all(host: dict[str, Any]) -> None:
        for each in host["statistics"]:
            del each["cpu-load"][0]

    host = read(changed("mpstat_12.6.1_PALL.json", without_all), day=DAY, zone=UTC)
    assert host.busy_cpu_count(host.intervals[:1]) == pytest.approx(1.2763)


def test_one_cpu_of_two_does_not_stand_for_both() -> None:
    def only_one(host: dict[str, Any]) -> None:
        for each in host["statistics"]:
            del each["cpu-load"][:2]

    host = read(changed("mpstat_12.6.1_PALL.json", only_one))
    with pytest.raises(ContradictionError, match="has 1 CPUs of 2"):
        host.busy_cpu_count()


def test_a_date_of_a_locale_is_not_guessed() -> None:
    host = read(sample("mpstat_12.6.1_PALL.json"), zone=UTC)
    assert host.span is None
    assert host.intervals[1].duration_s == 1
    reported = read(edited("mpstat_12.6.1_PALL.json", "11/20/26", "2026-11-20"), zone=UTC)
    assert reported.span == (AT_17_50_26 - 5, AT_17_50_26 - 3)


def test_a_time_without_zone_is_no_time_in_utc() -> None:
    host = read(sample("mpstat_12.6.1_PALL.json"), day=DAY)
    assert host.span is None
    east = read(sample("mpstat_12.6.1_PALL.json"), day=DAY, zone=timezone(timedelta(hours=2)))
    assert east.span == (AT_17_50_26 - 5 - 7200, AT_17_50_26 - 3 - 7200)


@pytest.mark.parametrize("half", ["PM", "pm", "p.m."])
def test_times_of_twelve_hours_are_read(half: str) -> None:
    source = re.sub(r"17:50:(\d\d)", rf"05:50:\1 {half}", text("mpstat_12.6.1_PALL.json")).encode()
    assert read(source, day=DAY, zone=UTC).span == (AT_17_50_26 - 5, AT_17_50_26 - 3)


def test_times_of_twelve_hours_are_read_from_text_too() -> None:
    source = re.sub(r"17:50:(\d\d)", r"05:50:\1 PM", text("mpstat_12.6.1_PALL.txt")).encode()
    host = read(source, day=DAY, zone=UTC)
    assert host.span == (AT_17_50_26 - 3, AT_17_50_26 - 1)
    assert host.busy_cpu_count() == mpstat("mpstat_12.6.1_PALL.txt").busy_cpu_count()


def test_midnight_and_noon_of_twelve_hours_differ() -> None:
    for printed, seconds in (("12:00:01 AM", 1), ("12:00:01 PM", 43201)):
        source = edited("paired_mpstat_idle.json", "18:21:27", printed)
        host = read(source, day=DAY, zone=UTC)
        assert host.intervals[0].end_s == DAY_S + seconds


def test_times_of_unknown_form_are_unknown() -> None:
    host = read(edited("paired_mpstat_idle.json", "18:21:27", "18.21.27"), day=DAY, zone=UTC)
    assert host.intervals[0].end_s is None
    assert has(host, "of no known form")


def test_a_time_without_a_known_day_is_unknown() -> None:
    host = read(edited("sadf_12.6.1_u_n.json", '"date": "2026-11-20"', '"date": "20.11.26"'))
    assert {each.end_s for each in host.intervals} == {None}
    assert has(host, 'times such as "20.11.26 17:50:27 UTC" are of no known form')


def test_intervals_go_on_after_midnight() -> None:
    source = text("mpstat_12.6.1_PALL.json").replace("17:50:22", "23:59:59")
    host = read(source.replace("17:50:23", "00:00:00").encode(), day=DAY, zone=UTC)
    assert host.span == (DAY_S + 86398, DAY_S + 86400)


def test_old_mpstat_writes_all_as_minus_one() -> None:
    source = edited("mpstat_12.6.1_PALL.json", '"cpu": "all"', '"cpu": "-1"')
    assert read(source, day=DAY, zone=UTC).intervals == mpstat("mpstat_12.6.1_PALL.json").intervals


def test_steal_is_of_the_whole_and_not_busy() -> None:
    """Half of the time given away, a quarter busy: a quarter, not half of what was left."""
    source = edited("paired_mpstat_idle.json", '"usr": 51.00', '"usr": 0.00')
    source = source.replace(b'"steal": 0.50', b'"steal": 51.50')
    host = read(source)
    assert busy(host) == pytest.approx(0.0117)


def test_decimal_commas_of_a_locale_are_read() -> None:
    source = re.sub(r"(\d)\.(\d\d)", r"\1,\2", text("mpstat_12.6.1_PALL.txt")).encode()
    assert read(source, day=DAY, zone=UTC).intervals == mpstat("mpstat_12.6.1_PALL.txt").intervals


def test_an_offline_cpu_does_not_count_as_busy_or_idle() -> None:
    source = text("mpstat_12.6.1_PALL.txt")
    source = re.sub(r"(17:50:24 +1) .*", r"\1" + " 0.00" * 10, source)
    host = read(source.encode(), day=DAY, zone=UTC)
    assert host.intervals[0].busy_ratios.keys() == {None, 0}
    assert has(host, "offline")


def test_parts_that_cannot_be_are_refused() -> None:
    over = edited("paired_mpstat_idle.json", '"usr": 51.00', '"usr": 61.00')
    assert "the parts add up to 110 %" in problem_of(over)
    for figure in ("151.0", "-0.5"):
        odd = edited("paired_mpstat_idle.json", '"usr": 51.00', f'"usr": {figure}')
        assert f"cpu-load[0].usr must be from 0 to 100 %; got {figure}" in problem_of(odd)
    less = edited("paired_mpstat_idle.json", '"usr": 51.00', '"usr": 41.00')
    assert "the parts add up to 89.99 %" in problem_of(less)
    gone = edited("paired_mpstat_idle.json", '"idle"', '"resting"')
    assert "no CPU time here" in problem_of(gone)


def test_sadf_and_sar_report_the_same() -> None:
    printed = read(sample("sar_12.6.1.txt"), day=DAY, zone=UTC)
    json_form = read(sample("sadf_12.6.1_u_n.json"))
    assert printed.span == json_form.span == (AT_17_50_26, AT_17_50_26 + 3)
    assert printed.cpu_count == json_form.cpu_count == 2
    for ours, other in zip(printed.intervals, json_form.intervals, strict=True):
        assert ours.busy_ratios == pytest.approx(dict(other.busy_ratios))
    assert printed.busy_cpu_count() == pytest.approx(2 * (0.7143 + 0.7344 + 0.6798) / 3)


@pytest.mark.parametrize("marked", ['"tz": "UTC"', '"utc": 1'])
def test_both_marks_of_utc_are_read(marked: str) -> None:
    host = read(edited("sadf_12.6.1_u_n.json", '"utc": 1', marked))
    assert host.span == (AT_17_50_26, AT_17_50_26 + 3)


@pytest.mark.parametrize("marked", ['"tz": "CET"', '"utc": 0'])
def test_other_zones_of_sadf_are_specified_or_unknown(marked: str) -> None:
    source = edited("sadf_12.6.1_u_n.json", '"utc": 1', marked)
    source = source.replace(b'"timezone": "UTC"', b'"timezone": "CET"')
    host = read(source)
    assert host.span is None
    there = read(source, zone=timezone(timedelta(hours=1)))
    assert there.span == (AT_17_50_26 - 3600, AT_17_50_26 - 3597)


def test_softirqs_may_be_folded_into_sys() -> None:
    names = "%user %nice %system %iowait %steal %idle"
    assert busy(read(sar(names, "1.71 0.00 69.72 0.00 0.57 28.00"))) == pytest.approx(0.7143)


def test_the_number_of_cpus_is_unknown_where_only_all_are_reported() -> None:
    host = read(
        b"# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle\n"
        b"host;1;1795197027;-1;1.71;0.00;69.72;0.00;0.57;28.00\n"
    )
    assert host.span == (AT_17_50_26, AT_17_50_26 + 1)  # sadf -U: seconds since 1970
    with pytest.raises(ContradictionError, match="number of CPUs is not reported"):
        host.busy_cpu_count()


def test_columns_are_taken_by_name_whatever_their_order() -> None:
    other = []
    for line in text("sar_12.6.1.txt").splitlines():
        cells = line.split()
        if "%idle" in cells or (len(cells) == 12 and cells[1] in {"all", "0", "1"}):
            cells[2:] = reversed(cells[2:])
        other.append(" ".join(cells))
    swapped = read("\n".join(other).encode(), day=DAY, zone=UTC)
    assert swapped.intervals == read(sample("sar_12.6.1.txt"), day=DAY, zone=UTC).intervals


def test_the_mean_since_the_start_of_a_host_is_of_no_run() -> None:
    """A table whose only row has the time of its header, as sar and mpstat print without times."""
    names = "%user %nice %system %iowait %steal %idle"
    host = read(sar(names, "1.71 0.00 69.72 0.00 0.57 28.00").replace(b"17:50:27", b"17:50:26"))
    with pytest.raises(ContradictionError, match="has the mean since the host started"):
        pair_with_hosts([run(duration_s=1.0)], server=host)


def test_an_interval_of_more_than_a_year_is_refused() -> None:
    source = edited("sadf_12.6.1_u_n.json", '"interval": 1', '"interval": 1e17')
    assert "longer than a year" in problem_of(source)


def test_json_that_was_interrupted_is_refused() -> None:
    whole = sample("mpstat_12.6.1_PALL.json").read_bytes()
    assert "the text ends too early" in problem_of(whole[:-20])


@pytest.mark.parametrize(
    ("usr", "idle", "is_refused"),
    [
        ("1.00", "99.00", False),
        ("1.00", "100.00", False),  # 101 % are rounding
        ("1.01", "100.00", True),
        ("0.00", "95.00", False),  # ten parts, each rounded down by up to half a percent
        ("0.00", "94.99", True),
    ],
)
def test_parts_may_miss_the_whole_by_their_rounding(usr: str, idle: str, is_refused: bool) -> None:
    source = sar("%usr %nice %sys %iowait %steal %irq %soft %idle", f"{usr} 0 0 0 0 0 0 {idle}")
    if is_refused:
        assert "the parts add up to" in problem_of(source)
    else:
        assert read(source).intervals


@pytest.mark.parametrize(
    "name",
    [
        *("sadf_12.6.1_d_U_uall.csv", "sadf_12.6.1_d_T_uall.csv", "sadf_12.6.1_d_C_uall.csv"),
        *("sadf_12.6.1_j_C_uall.json", "sar_12.6.1_PALL_C.txt"),
    ],
)
def test_one_record_is_the_same_with_comments_and_times_of_other_forms(name: str) -> None:
    """Of the first second 69.40 % were idle: 68.09 % of CPU 0 and 70.79 % of CPU 1."""
    host = read(sample(name))
    assert (len(host.intervals), host.cpu_count) == (6, 2)
    expected = {None: 1 - 0.6940, 0: 1 - 0.6809, 1: 1 - 0.7079}
    assert host.intervals[0].busy_ratios == pytest.approx(expected, abs=2e-4)


def test_percent_signs_of_sar_are_read() -> None:
    assert busy(read(sample("sar_12.6.1_h.txt"))) == pytest.approx(1 - 0.694)
    assert busy(read(sample("sar_12.6.1_dec0.txt"))) == pytest.approx(1 - 0.69)


@pytest.mark.parametrize(
    "name", ["sadf_12.6.1_d_restart.csv", "sadf_12.6.1_j_restart.json", "sar_12.6.1_restart.txt"]
)
def test_a_restart_within_a_record_is_noted(name: str) -> None:
    host = read(sample(name))
    assert len(host.intervals) == 7
    assert "the host restarted during the record" in host.notes


def test_what_mpstat_had_printed_when_it_was_stopped_is_read() -> None:
    host = read(sample("mpstat_12.6.1_int.txt"))
    assert [interval.clock for interval in host.intervals] == ["03:40:46", "03:40:47"]
    with pytest.raises(ParseError, match="the text ends too early"):
        read(sample("mpstat_12.6.1_term_json.txt"))


def test_lines_of_all_cpus_have_no_core() -> None:
    (interval,) = read(sample("mpstat_12.6.1_T.txt")).intervals
    assert interval.busy_ratios.keys() == {None, 0, 1}


def test_json_of_any_length_takes_little_more_memory_than_its_text() -> None:
    """100 intervals of 64 CPUs; json.loads alone makes seven times their text of them."""
    document = json.loads(sample("mpstat_12.6.1_PALL.json").read_text(encoding="utf-8"))
    (host,) = document["sysstat"]["hosts"]
    (whole, *_) = host["statistics"][0]["cpu-load"]
    loads = [whole | {"cpu": str(cpu)} for cpu in range(64)]
    host["number-of-cpus"] = 64
    host["statistics"] = [
        {"timestamp": f"01:{i // 60:02}:{i % 60:02}", "cpu-load": loads} for i in range(100)
    ]
    raw = json.dumps(document).encode()
    tracemalloc.start()
    cpu = read(raw)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(cpu.intervals) == 100
    assert most < 3 * len(raw)
