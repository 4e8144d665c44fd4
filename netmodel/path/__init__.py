"""Stages composed into paths: what a path delivers, what it costs, and its bottleneck."""

from typing import TYPE_CHECKING

from netmodel._estimates import Bound, Predicted
from netmodel._packages import loaded_when_used

if TYPE_CHECKING:
    from netmodel.path._data_band import DataBand
    from netmodel.path._from_records import (
        adapter_path,
        adapter_stages,
        host_pool,
        host_stages,
        wire_stages,
        workload_traffic,
    )
    from netmodel.path._path import (
        ByteLayer,
        Gain,
        Path,
        Pool,
        Reference,
        Stage,
        Times,
        ValidityRange,
    )
    from netmodel.path._predict import predict_path
    from netmodel.path._prediction import Prediction
    from netmodel.path._ratio import RatioPrediction, predict_ratio
    from netmodel.path._recorded_path import SpecifiedPath, recorded_path
    from netmodel.path._traffic import Traffic
    from netmodel.path._transport_times import TransportTimes, transport_times
    from netmodel.path._uncertain import Interval, Joint

__all__ = [
    "Bound",
    "ByteLayer",
    "DataBand",
    "Gain",
    "Interval",
    "Joint",
    "Path",
    "Pool",
    "Predicted",
    "Prediction",
    "RatioPrediction",
    "Reference",
    "SpecifiedPath",
    "Stage",
    "Times",
    "Traffic",
    "TransportTimes",
    "ValidityRange",
    "adapter_path",
    "adapter_stages",
    "host_pool",
    "host_stages",
    "predict_path",
    "predict_ratio",
    "recorded_path",
    "transport_times",
    "wire_stages",
    "workload_traffic",
]

__getattr__ = loaded_when_used(
    __name__,
    {
        "_data_band": ("DataBand",),
        "_from_records": (
            "adapter_path",
            "adapter_stages",
            "host_pool",
            "host_stages",
            "wire_stages",
            "workload_traffic",
        ),
        "_path": (
            "ByteLayer",
            "Gain",
            "Path",
            "Pool",
            "Reference",
            "Stage",
            "Times",
            "ValidityRange",
        ),
        "_predict": ("predict_path",),
        "_prediction": ("Prediction",),
        "_ratio": (
            "RatioPrediction",
            "predict_ratio",
        ),
        "_recorded_path": (
            "SpecifiedPath",
            "recorded_path",
        ),
        "_traffic": ("Traffic",),
        "_transport_times": ("TransportTimes", "transport_times"),
        "_uncertain": (
            "Interval",
            "Joint",
        ),
    },
)
