"""Stages composed into paths: what a path delivers, what it costs, and its bottleneck."""

from netmodel.packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from netmodel.estimates import Bound as Bound
    from netmodel.estimates import Predicted as Predicted
    from netmodel.path.ensemble import Interval as Interval
    from netmodel.path.ensemble import Joint as Joint
    from netmodel.path.from_records import adapter_stages as adapter_stages
    from netmodel.path.from_records import host_pool as host_pool
    from netmodel.path.from_records import host_stages as host_stages
    from netmodel.path.from_records import wire_stages as wire_stages
    from netmodel.path.from_records import workload_traffic as workload_traffic
    from netmodel.path.prediction import Prediction as Prediction
    from netmodel.path.prediction import predict_path as predict_path
    from netmodel.path.protocols import TransportTimes as TransportTimes
    from netmodel.path.protocols import transport_times as transport_times
    from netmodel.path.specified import SpecifiedPath as SpecifiedPath
    from netmodel.path.specified import adapter_path as adapter_path
    from netmodel.path.specified import recorded_path as recorded_path
    from netmodel.path.stages import Path as Path
    from netmodel.path.stages import Pool as Pool
    from netmodel.path.stages import Stage as Stage
    from netmodel.path.stages import Times as Times
    from netmodel.path.stages import ValidityRange as ValidityRange
    from netmodel.path.traffic import Traffic as Traffic
