"""The data that netmodel carries: the only place that reads them."""

from netmodel.records._files import data_path

__all__ = ["data_path"]
