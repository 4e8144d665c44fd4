"""What tools tell: each benchmark read into the same Measurement, and a host's interfaces."""

from netmodel.readers._csv import read_csv_results
from netmodel.readers._flent import read_flent
from netmodel.readers._formats import read_result, result_formats
from netmodel.readers._interface_stack import InterfaceStack, interface_stack
from netmodel.readers._ip_link import Interface, read_ip_link
from netmodel.readers._iperf3 import read_iperf3
from netmodel.readers._measurement import CpuUse, Direction, Measurement
from netmodel.readers._perftest import PerftestUnit, read_perftest
from netmodel.readers._qperf import read_qperf
from netmodel.readers._sockperf import read_sockperf
from netmodel.readers._trex import read_trex

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
    "read_iperf3",
    "read_perftest",
    "read_qperf",
    "read_result",
    "read_sockperf",
    "read_trex",
    "result_formats",
]
