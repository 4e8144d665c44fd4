"""The data that netmodel carries, each value with its source; your own files are read alike."""

from netmodel._packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from netmodel._grades import Grade as Grade
    from netmodel.records._catalog import adapter as adapter
    from netmodel.records._catalog import catalog as catalog
    from netmodel.records._catalog import document as document
    from netmodel.records._catalog import host as host
    from netmodel.records._catalog import link as link
    from netmodel.records._catalog import path_record as path_record
    from netmodel.records._catalog import record as record
    from netmodel.records._catalog import workload as workload
    from netmodel.records._datasets import Dataset as Dataset
    from netmodel.records._datasets import dataset as dataset
    from netmodel.records._equipment import Adapter as Adapter
    from netmodel.records._equipment import Host as Host
    from netmodel.records._equipment import Link as Link
    from netmodel.records._figures import Relation as Relation
    from netmodel.records._load import data_path as data_path
    from netmodel.records._load import dataset_ids as dataset_ids
    from netmodel.records._load import register_data as register_data
    from netmodel.records._load import unregister_data as unregister_data
    from netmodel.records._paths import PathRecord as PathRecord
    from netmodel.records._scenarios import scenario as scenario
    from netmodel.records._stages import KIND_TRAITS as KIND_TRAITS
    from netmodel.records._tables import Table as Table
    from netmodel.records._tables import load_table as load_table
    from netmodel.records._values import Document as Document
    from netmodel.records._values import Value as Value
    from netmodel.records._workloads import Workload as Workload
    from netmodel.records._write import record_text as record_text
    from netmodel.records._write import write_record as write_record
