"""Stages composed into paths: what a path delivers, what it costs, and which limit binds."""

from netmodel._estimates import Bound, Predicted
from netmodel.path._adapter_path import adapter_path
from netmodel.path._adapters import adapter_stages, wire_stages
from netmodel.path._hosts import host_pool, host_stages
from netmodel.path._networks import recorded_path
from netmodel.path._path import ByteLayer, Gain, Path, Pool, Reference, Stage, Times, ValidityRange
from netmodel.path._predict import predict_path
from netmodel.path._prediction import Prediction
from netmodel.path._ratio import predict_ratio
from netmodel.path._ratio_prediction import RatioPrediction
from netmodel.path._stated import SpecifiedPath
from netmodel.path._traffic import Traffic
from netmodel.path._uncertain import Interval, Joint
from netmodel.path._workloads import workload_traffic

__all__ = [
    "Bound",
    "ByteLayer",
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
    "ValidityRange",
    "adapter_path",
    "adapter_stages",
    "host_pool",
    "host_stages",
    "predict_path",
    "predict_ratio",
    "recorded_path",
    "wire_stages",
    "workload_traffic",
]
