"""What tools report: each benchmark as the same Measurement, a host's CPUs and interfaces."""

from typing import TYPE_CHECKING

from netmodel._lazy import loaded_when_used
from netmodel.readers._formats import read_result, result_formats
from netmodel.readers._found_results import (
    FoundResults,
    NoResult,
    Progress,
    ResultStream,
    UnreadableResult,
    find_results,
)
from netmodel.readers._measurement import CpuUse, Direction, Measurement

if TYPE_CHECKING:
    from netmodel.readers._both_ends import with_ends_joined
    from netmodel.readers._counter_change import CounterChange, Counters, counter_change
    from netmodel.readers._csv import read_csv_results
    from netmodel.readers._ethtool import (
        LinkSettings,
        Offload,
        Offloads,
        read_ethtool,
        read_ethtool_offloads,
        read_ethtool_statistics,
    )
    from netmodel.readers._flent import read_flent
    from netmodel.readers._host_cpu import CpuInterval, CpuLoad, CpuShares, HostCpu, InterruptRate
    from netmodel.readers._host_formats import HostState, read_host_state, recognised_host_state
    from netmodel.readers._interface_stack import InterfaceStack, interface_stack
    from netmodel.readers._ip_link import Interface, read_ip_link
    from netmodel.readers._iperf2 import read_iperf2
    from netmodel.readers._iperf3 import read_iperf3
    from netmodel.readers._iperf3_text import read_iperf3_text
    from netmodel.readers._kernel_counters import (
        read_ip_link_counters,
        read_net_dev,
        read_nstat,
        read_softirqs,
        read_tc_qdisc,
    )
    from netmodel.readers._netperf import read_netperf
    from netmodel.readers._nuttcp import read_nuttcp
    from netmodel.readers._perftest import PerftestUnit, read_perftest
    from netmodel.readers._proc_stat import read_proc_stat, read_proc_stat_counters
    from netmodel.readers._qperf import read_qperf
    from netmodel.readers._sockperf import read_sockperf
    from netmodel.readers._sysstat import read_mpstat, read_sadf, read_sar
    from netmodel.readers._sysstat_interfaces import (
        InterfaceRates,
        read_sadf_interfaces,
        read_sar_interfaces,
    )
    from netmodel.readers._trex import read_trex
    from netmodel.readers._uperf import read_uperf

__all__ = [
    "CounterChange",
    "Counters",
    "CpuInterval",
    "CpuLoad",
    "CpuShares",
    "CpuUse",
    "Direction",
    "FoundResults",
    "HostCpu",
    "HostState",
    "Interface",
    "InterfaceRates",
    "InterfaceStack",
    "InterruptRate",
    "LinkSettings",
    "Measurement",
    "NoResult",
    "Offload",
    "Offloads",
    "PerftestUnit",
    "Progress",
    "ResultStream",
    "UnreadableResult",
    "counter_change",
    "find_results",
    "interface_stack",
    "read_csv_results",
    "read_ethtool",
    "read_ethtool_offloads",
    "read_ethtool_statistics",
    "read_flent",
    "read_host_state",
    "read_ip_link",
    "read_ip_link_counters",
    "read_iperf2",
    "read_iperf3",
    "read_iperf3_text",
    "read_mpstat",
    "read_net_dev",
    "read_netperf",
    "read_nstat",
    "read_nuttcp",
    "read_perftest",
    "read_proc_stat",
    "read_proc_stat_counters",
    "read_qperf",
    "read_result",
    "read_sadf",
    "read_sadf_interfaces",
    "read_sar",
    "read_sar_interfaces",
    "read_sockperf",
    "read_softirqs",
    "read_tc_qdisc",
    "read_trex",
    "read_uperf",
    "recognised_host_state",
    "result_formats",
    "with_ends_joined",
]

__getattr__ = loaded_when_used(
    __name__,
    {
        "_both_ends": ("with_ends_joined",),
        "_counter_change": (
            "CounterChange",
            "Counters",
            "counter_change",
        ),
        "_csv": ("read_csv_results",),
        "_ethtool": (
            "LinkSettings",
            "Offload",
            "Offloads",
            "read_ethtool",
            "read_ethtool_offloads",
            "read_ethtool_statistics",
        ),
        "_flent": ("read_flent",),
        "_host_cpu": (
            "CpuInterval",
            "CpuLoad",
            "CpuShares",
            "HostCpu",
            "InterruptRate",
        ),
        "_host_formats": (
            "HostState",
            "read_host_state",
            "recognised_host_state",
        ),
        "_interface_stack": (
            "InterfaceStack",
            "interface_stack",
        ),
        "_ip_link": (
            "Interface",
            "read_ip_link",
        ),
        "_iperf2": ("read_iperf2",),
        "_iperf3": ("read_iperf3",),
        "_iperf3_text": ("read_iperf3_text",),
        "_kernel_counters": (
            "read_ip_link_counters",
            "read_net_dev",
            "read_nstat",
            "read_softirqs",
            "read_tc_qdisc",
        ),
        "_netperf": ("read_netperf",),
        "_nuttcp": ("read_nuttcp",),
        "_perftest": (
            "PerftestUnit",
            "read_perftest",
        ),
        "_proc_stat": (
            "read_proc_stat",
            "read_proc_stat_counters",
        ),
        "_qperf": ("read_qperf",),
        "_sockperf": ("read_sockperf",),
        "_sysstat": (
            "read_mpstat",
            "read_sadf",
            "read_sar",
        ),
        "_sysstat_interfaces": (
            "InterfaceRates",
            "read_sadf_interfaces",
            "read_sar_interfaces",
        ),
        "_trex": ("read_trex",),
        "_uperf": ("read_uperf",),
    },
)
"""Readers are loaded when one is used: a command needs one or two of them."""
