"""Kinds of records in the catalog: a folder each, and what its files are."""

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from netmodel.records._equipment import Adapter, Host, Link
from netmodel.records._files import catalog_files
from netmodel.records._load import Stamped, read_joined, read_record, stamped, unknown_record
from netmodel.records._workloads import Workload

__all__ = ["ADAPTERS", "HOSTS", "LINKS", "WORKLOADS", "Kind"]

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
        found: Record_co = _of_files(stamped(files[name]), self.model)
        return found

    def loaded(self, path: str | os.PathLike[str]) -> Record_co:
        return read_record(path, self.model)

    def _files(self) -> dict[str, tuple[Path, ...]]:
        return catalog_files(self.folder)


@lru_cache(maxsize=64)
def _of_files(files: tuple[Stamped, ...], model: type[BaseModel]) -> Any:
    """Read again only what has changed: records are frozen, and hundreds of claims name a few."""
    return read_joined([name for name, _, _ in files], model)


ADAPTERS = Kind("adapters", "adapter", Adapter)
HOSTS = Kind("hosts", "host", Host)
LINKS = Kind("links", "link", Link)
WORKLOADS = Kind("workloads", "workload", Workload)
