"""Results of benchmark tools, the CPU time of their hosts, and counters of interfaces."""

from typing import TYPE_CHECKING

from netmodel._packages import loaded_when_used
from netmodel.readers._find_results import FoundResults, find_results
from netmodel.readers._formats import read_result, result_formats
from netmodel.readers._measurement import CpuUse, Direction, Measurement

if TYPE_CHECKING:
    from netmodel.readers._both_ends import join_ends
    from netmodel.readers._counters import Counters, counter_change
    from netmodel.readers._host_cpu import HostCpu
    from netmodel.readers._host_state import HostState, read_host_state
    from netmodel.readers._interface_load import interface_load
    from netmodel.readers._interfaces import interface_stack
    from netmodel.readers._pairing import pair_with_hosts
    from netmodel.readers._proc_stat import cpu_between

__all__ = [
    "Counters",
    "CpuUse",
    "Direction",
    "FoundResults",
    "HostCpu",
    "HostState",
    "Measurement",
    "counter_change",
    "cpu_between",
    "find_results",
    "interface_load",
    "interface_stack",
    "join_ends",
    "pair_with_hosts",
    "read_host_state",
    "read_result",
    "result_formats",
]

__getattr__ = loaded_when_used(
    __name__,
    {
        "_both_ends": ("join_ends",),
        "_counters": ("Counters", "counter_change"),
        "_host_cpu": ("HostCpu",),
        "_host_state": ("HostState", "read_host_state"),
        "_interface_load": ("interface_load",),
        "_interfaces": ("interface_stack",),
        "_pairing": ("pair_with_hosts",),
        "_proc_stat": ("cpu_between",),
    },
)
"""What a check of results does not need is loaded when it is used."""
