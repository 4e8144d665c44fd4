"""What tools tell: each benchmark read into the same Measurement, and a host's interfaces."""

from netmodel.readers._csv import read_csv_results
from netmodel.readers._flent import read_flent
from netmodel.readers._formats import read_result, result_formats
from netmodel.readers._interface_stack import InterfaceStack, interface_stack
from netmodel.readers._ip_link import Interface, read_ip_link
from netmodel.readers._iperf2 import read_iperf2
from netmodel.readers._iperf3 import read_iperf3
from netmodel.readers._iperf3_text import read_iperf3_text
from netmodel.readers._measurement import CpuUse, Direction, Measurement
from netmodel.readers._netperf import read_netperf
from netmodel.readers._nuttcp import read_nuttcp
from netmodel.readers._perftest import PerftestUnit, read_perftest
from netmodel.readers._qperf import read_qperf
from netmodel.readers._sockperf import read_sockperf
from netmodel.readers._trex import read_trex
from netmodel.readers._uperf import read_uperf

__all__ = [
    "CpuUse",
    "Direction",
    "Interface",
    "InterfaceStack",
    "Measurement",
    "PerftestUnit",
    "interface_stack",
    "read_csv_results",
    "read_flent",
    "read_ip_link",
    "read_iperf2",
    "read_iperf3",
    "read_iperf3_text",
    "read_netperf",
    "read_nuttcp",
    "read_perftest",
    "read_qperf",
    "read_result",
    "read_sockperf",
    "read_trex",
    "read_uperf",
    "result_formats",
]
