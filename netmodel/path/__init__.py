"""Stages composed into paths: what a path delivers, what it costs, and which limit binds."""

from netmodel.path._path import Limit, Path
from netmodel.path._prediction import Elasticity, Prediction, predict
from netmodel.path._stage import Pool, Stage, Times
from netmodel.path._traffic import ByteLayer, Traffic
from netmodel.path._uncertain import Estimate, Interval, Joint

__all__ = [
    "ByteLayer",
    "Elasticity",
    "Estimate",
    "Interval",
    "Joint",
    "Limit",
    "Path",
    "Pool",
    "Prediction",
    "Stage",
    "Times",
    "Traffic",
    "predict",
]
