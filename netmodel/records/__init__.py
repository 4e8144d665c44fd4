"""The data that netmodel carries, each value with its source; your own files are read alike.

Each bundled file is read once. A record of ``catalog`` and one of ``calibrated`` with the same
kind and id are one record, and either may be the whole of it.
"""

from netmodel.packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from netmodel.records._write import record_text as record_text
    from netmodel.records._write import write_record as write_record
    from netmodel.records.datasets import dataset as dataset
    from netmodel.records.equipment import Adapter as Adapter
    from netmodel.records.equipment import Host as Host
    from netmodel.records.files import data_path as data_path
    from netmodel.records.files import dataset_ids as dataset_ids
    from netmodel.records.lookup import adapter as adapter
    from netmodel.records.lookup import catalog as catalog
    from netmodel.records.lookup import document as document
    from netmodel.records.lookup import host as host
    from netmodel.records.lookup import link as link
    from netmodel.records.lookup import path_record as path_record
    from netmodel.records.lookup import record as record
    from netmodel.records.lookup import workload as workload
    from netmodel.records.scenarios import scenario as scenario
