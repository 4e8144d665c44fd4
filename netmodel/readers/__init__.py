"""Results of measurement tools, each read into the same Measurement."""

from netmodel.readers._iperf3 import read_iperf3
from netmodel.readers._measurement import CpuUse, Direction, Measurement

__all__ = ["CpuUse", "Direction", "Measurement", "read_iperf3"]
