"""Stages composed into paths: what a path delivers, what it costs, and which limit binds."""

from netmodel.path._adapter_path import adapter_path
from netmodel.path._adapters import ADAPTER_STAGES, LINE_STAGES, adapter_stages, wire_stages
from netmodel.path._composition import Limit, usable_count
from netmodel.path._elasticity import Elasticity
from netmodel.path._gains import Gain
from netmodel.path._hosts import host_pool, host_stages
from netmodel.path._load import Load
from netmodel.path._networks import recorded_path
from netmodel.path._path import Path
from netmodel.path._predict import in_same_cases, predict_path
from netmodel.path._prediction import InCases, OtherBound, Prediction
from netmodel.path._prediction_text import throughput_text
from netmodel.path._ratio import predict_ratio
from netmodel.path._ratio_prediction import KNOWN_TIMES, Ratio, RatioPrediction
from netmodel.path._reference import Reference
from netmodel.path._stage import (
    COUNT_NAMES,
    DIRECTION_AT,
    DIRECTIONS,
    TIME_NAMES,
    TIMES_OF_MESSAGES,
    Pool,
    Stage,
    Times,
    ValidityRange,
)
from netmodel.path._stated import SpecifiedPath
from netmodel.path._traffic import ByteLayer, Traffic
from netmodel.path._uncertain import (
    Bound,
    Estimate,
    Interval,
    Joint,
    Predicted,
    ends_of,
    mapped,
    quoted_of,
)
from netmodel.path._workloads import workload_traffic
from netmodel.path._zero_load import passages

__all__ = [
    "ADAPTER_STAGES",
    "COUNT_NAMES",
    "DIRECTIONS",
    "DIRECTION_AT",
    "KNOWN_TIMES",
    "LINE_STAGES",
    "TIMES_OF_MESSAGES",
    "TIME_NAMES",
    "Bound",
    "ByteLayer",
    "Elasticity",
    "Estimate",
    "Gain",
    "InCases",
    "Interval",
    "Joint",
    "Limit",
    "Load",
    "OtherBound",
    "Path",
    "Pool",
    "Predicted",
    "Prediction",
    "Ratio",
    "RatioPrediction",
    "Reference",
    "SpecifiedPath",
    "Stage",
    "Times",
    "Traffic",
    "ValidityRange",
    "adapter_path",
    "adapter_stages",
    "ends_of",
    "host_pool",
    "host_stages",
    "in_same_cases",
    "mapped",
    "passages",
    "predict_path",
    "predict_ratio",
    "quoted_of",
    "recorded_path",
    "throughput_text",
    "usable_count",
    "wire_stages",
    "workload_traffic",
]
