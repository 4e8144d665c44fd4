"""What tools tell: each benchmark read into the same Measurement, and a host's interfaces."""

from netmodel.readers._formats import read_result, result_formats
from netmodel.readers._interface_stack import InterfaceStack, interface_stack
from netmodel.readers._ip_link import Interface, read_ip_link
from netmodel.readers._iperf3 import read_iperf3
from netmodel.readers._measurement import CpuUse, Direction, Measurement
from netmodel.readers._qperf import read_qperf
from netmodel.readers._sockperf import read_sockperf

__all__ = [
    "CpuUse",
    "Direction",
    "Interface",
    "InterfaceStack",
    "Measurement",
    "interface_stack",
    "read_ip_link",
    "read_iperf3",
    "read_qperf",
    "read_result",
    "read_sockperf",
    "result_formats",
]
