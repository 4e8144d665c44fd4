"""Stages composed into paths: what a path delivers, what it costs, and its bottleneck."""

from netmodel.packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from netmodel.estimates import Bound as Bound
    from netmodel.estimates import Predicted as Predicted
    from netmodel.path._from_records import adapter_path as adapter_path
    from netmodel.path._from_records import adapter_stages as adapter_stages
    from netmodel.path._from_records import host_pool as host_pool
    from netmodel.path._from_records import host_stages as host_stages
    from netmodel.path._from_records import wire_stages as wire_stages
    from netmodel.path._from_records import workload_traffic as workload_traffic
    from netmodel.path._path import ByteLayer as ByteLayer
    from netmodel.path._path import Path as Path
    from netmodel.path._path import Pool as Pool
    from netmodel.path._path import Stage as Stage
    from netmodel.path._path import Times as Times
    from netmodel.path._path import ValidityRange as ValidityRange
    from netmodel.path._predict import predict_path as predict_path
    from netmodel.path._prediction import Prediction as Prediction
    from netmodel.path._recorded_path import SpecifiedPath as SpecifiedPath
    from netmodel.path._recorded_path import recorded_path as recorded_path
    from netmodel.path._traffic import Traffic as Traffic
    from netmodel.path._transport_times import TransportTimes as TransportTimes
    from netmodel.path._transport_times import transport_times as transport_times
    from netmodel.path._unbounded import NO_LINE as NO_LINE
    from netmodel.path._unbounded import Unbounded as Unbounded
    from netmodel.path._uncertain import Interval as Interval
    from netmodel.path._uncertain import Joint as Joint
