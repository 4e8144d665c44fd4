"""Results of benchmark tools, the CPU time of their hosts, and counters of interfaces."""

from netmodel.packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from netmodel.readers._document import LARGEST as LARGEST
    from netmodel.readers._formats import FoundResults as FoundResults
    from netmodel.readers._formats import find_results as find_results
    from netmodel.readers._formats import read_result as read_result
    from netmodel.readers._formats import result_formats as result_formats
    from netmodel.readers._host_activity import HostCpu as HostCpu
    from netmodel.readers._host_activity import read_host_cpu as read_host_cpu
    from netmodel.readers.host_runs import pair_with_hosts as pair_with_hosts
    from netmodel.readers.measurement import CpuUse as CpuUse
    from netmodel.readers.measurement import Direction as Direction
    from netmodel.readers.measurement import Measurement as Measurement
    from netmodel.readers.measurement import join_ends as join_ends
