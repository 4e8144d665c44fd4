"""How much of the processor others use, whose work makes a run on an emulated line slower."""

import os
import time
from pathlib import Path

QUIET_CPUS = 0.2
"""Daemons of an idle machine use a hundredth of a CPU; what uses a fifth is work."""
SAMPLE_S = 1.0
"""A hundred ticks of USER_HZ: good to a hundredth of a CPU."""
_IDLE = slice(3, 5)
"""Columns idle and iowait of a CPU line in /proc/stat; guests count as user time already."""
_COUNTED = slice(0, 8)


def other_busy_cpus() -> float:
    """Return how many CPUs are busy while this process waits, and its children have ended."""
    before_s, before = time.monotonic(), _busy_s()
    time.sleep(SAMPLE_S)
    return (_busy_s() - before) / (time.monotonic() - before_s)


def _busy_s() -> float:
    row = Path("/proc/stat").read_text().partition("\n")[0]
    ticks = [int(each) for each in row.split()[1:]]
    return (sum(ticks[_COUNTED]) - sum(ticks[_IDLE])) / os.sysconf("SC_CLK_TCK")
