"""What tools tell: each benchmark read into the same Measurement, a host's CPUs and interfaces."""

from netmodel.readers._ethtool import (
    LinkSettings,
    Offload,
    Offloads,
    read_ethtool,
    read_ethtool_offloads,
    read_ethtool_statistics,
)
from netmodel.readers._formats import read_result, result_formats
from netmodel.readers._host_cpu import CpuInterval, CpuLoad, CpuShares, HostCpu, InterruptRate
from netmodel.readers._interface_stack import InterfaceStack, interface_stack
from netmodel.readers._ip_link import Interface, read_ip_link
from netmodel.readers._iperf3 import read_iperf3
from netmodel.readers._kernel_counters import (
    CounterChange,
    Counters,
    counter_change,
    read_ip_link_counters,
    read_net_dev,
    read_nstat,
    read_softirqs,
    read_tc_qdisc,
)
from netmodel.readers._measurement import CpuUse, Direction, Measurement
from netmodel.readers._proc_stat import read_proc_stat
from netmodel.readers._sysstat import read_mpstat, read_sadf, read_sar
from netmodel.readers._sysstat_interfaces import (
    InterfaceRates,
    read_sadf_interfaces,
    read_sar_interfaces,
)

__all__ = [
    "CounterChange",
    "Counters",
    "CpuInterval",
    "CpuLoad",
    "CpuShares",
    "CpuUse",
    "Direction",
    "HostCpu",
    "Interface",
    "InterfaceRates",
    "InterfaceStack",
    "InterruptRate",
    "LinkSettings",
    "Measurement",
    "Offload",
    "Offloads",
    "counter_change",
    "interface_stack",
    "read_ethtool",
    "read_ethtool_offloads",
    "read_ethtool_statistics",
    "read_ip_link",
    "read_ip_link_counters",
    "read_iperf3",
    "read_mpstat",
    "read_net_dev",
    "read_nstat",
    "read_proc_stat",
    "read_result",
    "read_sadf",
    "read_sadf_interfaces",
    "read_sar",
    "read_sar_interfaces",
    "read_softirqs",
    "read_tc_qdisc",
    "result_formats",
]
