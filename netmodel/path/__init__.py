"""Stages composed into paths: what a path delivers, what it costs, and its bottleneck."""

from netmodel.packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from netmodel.path.ensemble import Interval as Interval
    from netmodel.path.ensemble import Joint as Joint
    from netmodel.path.from_records import workload_traffic as workload_traffic
    from netmodel.path.prediction import Prediction as Prediction
    from netmodel.path.prediction import predict_path as predict_path
    from netmodel.path.specified import SpecifiedPath as SpecifiedPath
    from netmodel.path.stages import Path as Path
    from netmodel.path.stages import Pool as Pool
    from netmodel.path.stages import Stage as Stage
    from netmodel.path.stages import Times as Times
    from netmodel.path.traffic import Traffic as Traffic
