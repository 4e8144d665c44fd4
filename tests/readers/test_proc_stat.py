"""CPU time between copies of /proc/stat: ticks by hand, wall time, and what is refused."""

from pathlib import Path

import pytest

from netmodel.errors import ParseError
from netmodel.readers import HostCpu, read_host_cpu

SAMPLES = Path(__file__).parent / "samples"
TWICE = SAMPLES / "both-ends" / "proc_stat_twice.txt"
FIRST, LAST = (
    (SAMPLES / "kernel" / name).read_text(encoding="utf-8")
    for name in ("proc_stat.txt", "made_proc_stat_after.txt")
)


def read(*copies: str) -> HostCpu:
    return read_host_cpu("\n".join(copies).encode())


def one_cpu(of_cpu: str, stamp: str = "") -> str:
    return f"{stamp}\ncpu  {of_cpu}\ncpu0 {of_cpu}\nbtime 5\n"


NOTHING = "0 0 0 0 0 0 0 0"


def test_two_copies_of_proc_stat_are_an_interval() -> None:
    """CPU 0: user 30 of which guest 10, system 20, idle 40, iowait 4, softirq 5, steal 1 of 100."""
    host = read("1000000001", FIRST, "1000000003", LAST)
    (interval,) = host.intervals
    assert interval.busy_ratios[0] == pytest.approx(0.55)
    assert interval.busy_ratios[1] == pytest.approx(0.28)
    assert host.busy_cpu_count() == pytest.approx(0.83)
    assert host.span == (1e9 + 1, 1e9 + 3)
    assert host.cpu_count == 2


def test_waiting_that_fell_counts_as_none_and_is_reported() -> None:
    """Iowait fell by 2 instead of 4 more: 55 busy ticks of 96."""
    host = read(FIRST, LAST.replace("54626 136 0", "54626 130 0"))
    assert host.intervals[0].busy_ratios[0] == pytest.approx(55 / 96)
    assert "cpu0: iowait fell by 2 ticks, counted as 0" in host.notes


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("cpu0 11021", "cpu0 10", "cpu0: user fell"),
        ("btime 1795196289", "btime 1795196290", "restarted"),
        ("cpu1 ", "cpu2 ", "other CPUs"),
        ("cpu0 11021", "cpu0 x", f"line {len(FIRST.splitlines()) + 3} must be counts"),
        ("cpu0 11021", "cpu0 99999999999999999999", "must be counts of 64 bits"),
        ("340 10 0", "340 10", "other CPUs or counters"),
        ("cpu1 ", "cpu0 ", "is a second"),
    ],
)
def test_copies_that_do_not_belong_together_are_refused(old: str, new: str, expected: str) -> None:
    assert old in LAST
    with pytest.raises(ParseError, match=expected):
        read(FIRST, LAST.replace(old, new))


def test_the_same_copy_twice_is_no_interval() -> None:
    with pytest.raises(ParseError, match="no time passed"):
        read(FIRST, FIRST)
    with pytest.raises(ParseError, match="not in the order of time"):
        read("1000000001", FIRST, "1000000000", LAST)
    with pytest.raises(ParseError, match="holds one copy"):
        read(FIRST)


@pytest.mark.parametrize("stamps", [("", ""), ("1000000000.125", "1000000001.5")])
def test_the_sum_of_all_cpus_has_no_wall_time_of_its_own(stamps: tuple[str, str]) -> None:
    """Busy for 100 of 300 ticks; how many CPUs that are is not known, nor how long they took."""
    host = read(stamps[0], "cpu 0 0 0 0 0\nbtime 1", stamps[1], "cpu 100 0 0 200 0\nbtime 1")
    assert host.intervals[0].busy_ratios[None] == pytest.approx(1 / 3)
    assert host.cpu_count is None
    assert ["by ticks" in each for each in host.notes] == [True] * (not stamps[0])


@pytest.mark.parametrize("length_s", [0.5, 0.75, 2.5])
def test_idle_time_of_one_cpu_is_time_of_its_clock(length_s: float) -> None:
    """0.4 s idle: the rest of the time was busy, whatever the samples at ticks say."""
    last = one_cpu("30 0 0 40 0 0 0 0", f"{1000000000.125 + length_s}")
    host = read(one_cpu(NOTHING, "1000000000.125"), last)
    assert host.busy_cpu_count() == pytest.approx(1 - 0.4 / length_s)


def test_two_copies_in_a_file_with_their_times() -> None:
    """
    Ticks between them: user 46, system 209, idle 845, softirq 161: 1261 in 7.0046 s of two CPUs.

    12.61 of 14.01 CPU seconds. Busy are 416 ticks, 4.16 / 7.0046 = 0.594 CPUs; idle are 845 ticks,
    which leaves (14.0092 - 8.45) / 7.0046 = 0.794 CPUs.
    """
    copies = read(TWICE.read_text(encoding="utf-8"))
    assert copies.span == pytest.approx((1795317791.246865949, 1795317798.251474426), abs=1e-6)
    assert copies.busy_cpu_count() == pytest.approx(2 - 8.45 / 7.004608560, rel=1e-6)


def test_copies_without_times_are_read_and_trusted() -> None:
    lines = TWICE.read_text(encoding="utf-8").splitlines()
    copies = read(*(line for line in lines if not line.startswith("1795")))
    assert copies.busy_cpu_count() == pytest.approx(2 * 416 / 1261)
    assert copies.span is None


def test_each_copy_after_the_first_ends_an_interval() -> None:
    """Half busy for 1 s, a tenth for 3 s: 0.5 and 0.3 s of 4 s."""
    ticks = {0: NOTHING, 1: "0 0 1 1 0 0 0 0", 4: "0 0 2 10 0 0 0 0"}
    copies = read(*(one_cpu(of_cpu, f"{1000000000 + at_s}") for at_s, of_cpu in ticks.items()))
    assert [each.end_s for each in copies.intervals] == [1e9 + 1, 1e9 + 4]
    assert copies.intervals[1].busy_ratios[0] == pytest.approx(0.1)
    assert copies.busy_cpu_count() == pytest.approx(0.2)


def test_ticks_in_step_with_a_timer_do_not_count() -> None:
    """
    A paced iperf3 wakes up with the tick: 198 of its ticks are busy, while it was idle for 1.87 s.

    Measured in 2.61 s of one CPU; iperf3 itself reports 27.8 % of a CPU, 0.73 s, and wall time
    less idle time is 0.74 s.
    """
    last = one_cpu("0 0 94 187 0 0 104 0", "1795317793.86")
    copies = read(one_cpu(NOTHING, "1795317791.25"), last)
    assert copies.busy_cpu_count() == pytest.approx((2.61 - 1.87) / 2.61)


@pytest.mark.parametrize(
    ("of_cpu", "busy_count"),
    [
        ("0 0 0 200 0 0 0 0", 0.2),  # work that no tick sampled
        ("0 0 1 251 0 0 0 0", 0),  # idle for a tick more than the time
        ("0 0 0 263 0 0 0 0", 0),  # 95 % of 2.63 s are 2.4985 s
    ],
)
def test_what_was_not_idle_in_two_and_a_half_seconds_was_busy(
    of_cpu: str, busy_count: float
) -> None:
    copies = read(one_cpu(NOTHING, "1795317791.25"), one_cpu(of_cpu, "1795317793.75"))
    assert copies.busy_cpu_count() == pytest.approx(busy_count)


def test_idle_time_may_exceed_the_clock_by_a_twentieth() -> None:
    """95 % of 2.64 s are 2.508 s, above 2.5 s."""
    last = one_cpu("0 0 0 264 0 0 0 0", "1795317793.75")
    with pytest.raises(ParseError, match=r"cpu was idle for 2.64 s in 2.50 s: the times"):
        read(one_cpu(NOTHING, "1795317791.25"), last)
