"""The data that netmodel carries, each value with its source: the only place that reads them."""

from netmodel.records._documents import Document, document, document_ids
from netmodel.records._files import data_path
from netmodel.records._values import Grade, Relation, Sourced, Value
from netmodel.records._workloads import (
    ConnectionCounts,
    Workload,
    WorkloadKind,
    load_workload,
    workload,
    workload_ids,
)

__all__ = [
    "ConnectionCounts",
    "Document",
    "Grade",
    "Relation",
    "Sourced",
    "Value",
    "Workload",
    "WorkloadKind",
    "data_path",
    "document",
    "document_ids",
    "load_workload",
    "workload",
    "workload_ids",
]
