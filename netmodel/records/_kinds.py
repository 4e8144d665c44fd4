"""Kinds of records in the catalog: a folder each, and what its files are."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel

from netmodel.records._equipment import Adapter, Host, Link, VirtualPath
from netmodel.records._files import catalog_files
from netmodel.records._load import read_joined, read_record, unknown_record
from netmodel.records._workloads import Workload

__all__ = ["ADAPTERS", "HOSTS", "LINKS", "PATHS", "WORKLOADS", "Kind"]

Record_co = TypeVar("Record_co", bound=BaseModel, covariant=True)


@dataclass(frozen=True)
class Kind(Generic[Record_co]):
    """A folder of the catalog, and what its records are."""

    folder: str
    word: str
    model: type[Record_co]

    def ids(self) -> tuple[str, ...]:
        return tuple(self._files())

    def found(self, name: str) -> Record_co:
        files = self._files()
        if name not in files:
            raise unknown_record(self.word, name, files)
        return read_joined(files[name], self.model)

    def loaded(self, path: str | os.PathLike[str]) -> Record_co:
        return read_record(path, self.model)

    def _files(self) -> dict[str, tuple[Path, ...]]:
        return catalog_files(self.folder)


ADAPTERS = Kind("adapters", "adapter", Adapter)
HOSTS = Kind("hosts", "host", Host)
LINKS = Kind("links", "link", Link)
PATHS = Kind("paths", "virtual path", VirtualPath)
WORKLOADS = Kind("workloads", "workload", Workload)
