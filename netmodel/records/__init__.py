"""The data that netmodel carries, each value with its source; your own files are read alike."""

from typing import TYPE_CHECKING

from netmodel._packages import loaded_when_used

if TYPE_CHECKING:
    from netmodel._grades import Grade
    from netmodel.records._catalog import (
        adapter,
        catalog,
        document,
        host,
        link,
        path_record,
        record,
        workload,
    )
    from netmodel.records._datasets import Dataset, dataset
    from netmodel.records._equipment import Adapter, Host, Link
    from netmodel.records._figures import Relation
    from netmodel.records._load import data_path, dataset_ids, register_data, unregister_data
    from netmodel.records._paths import PathRecord
    from netmodel.records._scenarios import scenario
    from netmodel.records._stages import KIND_TRAITS
    from netmodel.records._statements import Statement, statement, statements
    from netmodel.records._tables import Table, load_table
    from netmodel.records._values import Document, Value
    from netmodel.records._workloads import Workload
    from netmodel.records._write import write_record

__all__ = [
    "KIND_TRAITS",
    "Adapter",
    "Dataset",
    "Document",
    "Grade",
    "Host",
    "Link",
    "PathRecord",
    "Relation",
    "Statement",
    "Table",
    "Value",
    "Workload",
    "adapter",
    "catalog",
    "data_path",
    "dataset",
    "dataset_ids",
    "document",
    "host",
    "link",
    "load_table",
    "path_record",
    "record",
    "register_data",
    "scenario",
    "statement",
    "statements",
    "unregister_data",
    "workload",
    "write_record",
]

__getattr__ = loaded_when_used(
    __name__,
    {
        "_catalog": (
            *("adapter", "catalog", "document", "host", "link"),
            *("path_record", "record", "workload"),
        ),
        "_datasets": ("Dataset", "dataset"),
        "_equipment": ("Adapter", "Host", "Link"),
        "_figures": ("Relation",),
        "_load": ("data_path", "dataset_ids", "register_data", "unregister_data"),
        "_paths": ("PathRecord",),
        "_scenarios": ("scenario",),
        "_stages": ("KIND_TRAITS",),
        "_statements": ("Statement", "statement", "statements"),
        "_tables": ("Table", "load_table"),
        "_values": ("Document", "Grade", "Value"),
        "_workloads": ("Workload",),
        "_write": ("write_record",),
    },
)
