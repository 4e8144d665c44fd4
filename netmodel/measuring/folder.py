"""Folder of a measured run: what is in it, written file by file, whole or not at all."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from netmodel.measuring.facts import Fact, Facts
from netmodel.measuring.mask import Mask
from netmodel.readers.host_runs import RECORD_MANIFEST
from netmodel.records import record_text
from netmodel.records.files import read_toml, validated
from netmodel.writing import write_whole

SCHEMA = 1
"""Version of the format; a reader refuses another one."""
MANIFEST = RECORD_MANIFEST
CPU_FILE = "{role}-proc-stat.txt"
PROCESSOR_FILE = "{role}-lscpu.txt"
"""Beside the result, where `netmodel calibrate host` looks for both."""


def utc_text(utc_s: float) -> str:
    """A time as in RFC 3339, to the microsecond, which sorts as text."""
    return datetime.fromtimestamp(utc_s, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


@dataclass
class Folder:
    """
    A folder that is being written.

    Parameters
    ----------
    place : Path
        The folder.
    mask : Mask
        What is replaced in all texts.
    """

    place: Path
    mask: Mask
    _files: list[dict[str, str]] = field(default_factory=list)
    _missing: list[dict[str, str]] = field(default_factory=list)

    def write(self, name: str, text: str | bytes, origin: str) -> Path:
        """Write a file whole, masked, and note it for the manifest."""
        if isinstance(text, bytes):
            text = text.decode(errors="surrogateescape")
        content = self.mask(text).encode(errors="surrogateescape")
        path = self.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
        self._files.append({"name": name, "origin": self.mask(origin)})
        return path

    def write_facts(self, below: str, facts: Facts, names: Mapping[str, str] | None = None) -> None:
        """Write all facts into a folder below; some names may stand beside it instead."""
        for each in facts.values():
            name = (names or {}).get(each.name, f"{below}/{each.name}")
            if each.text is not None:
                self.write(name, each.text, each.origin)
            else:
                missing = {"name": name, "origin": each.origin, "reason": each.reason}
                self._missing.append(masked(missing, self.mask))

    def write_manifest(self, state: str, document: Mapping[str, Any]) -> None:
        """Write what the folder holds; called first, and again when the run is over."""
        whole = {
            "schema": SCHEMA,
            "state": state,
            **masked(document, self.mask),
            "file": self._files,
            "missing": self._missing,
        }
        text = record_text({key: value for key, value in whole.items() if value != []})
        write_whole(self.place / MANIFEST, text.encode(), is_update=True)


def masked(value: Any, mask: Mask) -> Any:
    """A value as TOML has it, its texts masked, without keys that have no value."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {key: masked(each, mask) for key, each in value.items() if each is not None}
    if isinstance(value, Sequence):
        return [masked(each, mask) for each in value]
    return Decimal(repr(value)) if isinstance(value, float) else value


# Facts of one host in one file


@dataclass(frozen=True, slots=True)
class HostFacts:
    """
    Facts of a host, as `netmodel measure facts` writes them.

    Parameters
    ----------
    interface : str
        Interface towards the other host; None where it is not known.
    time_utc : str
        When they were recorded.
    settings, counters : Facts
        What does not change, and counters at that time.
    """

    interface: str | None
    time_utc: str
    settings: Facts
    counters: Facts


class _FactsFile(BaseModel):
    """A file of this format; keys beyond those that are read are for people."""

    model_config = ConfigDict(frozen=True)

    schema_: Literal[1] = Field(alias="schema")
    kind: Literal["facts"]
    time_utc: str = ""
    interface: str | None = None
    settings: tuple[Fact, ...] = ()
    counters: tuple[Fact, ...] = ()


def facts_text(host: HostFacts, mask: Mask, version: str) -> str:
    """
    One TOML file with all facts of a host.

    Parameters
    ----------
    host : HostFacts
        The facts.
    mask : Mask
        What is replaced.
    version : str
        Of netmodel.
    """
    document = {
        "schema": SCHEMA,
        "kind": "facts",
        "netmodel": version,
        "time_utc": host.time_utc,
        "interface": host.interface,
        "settings": [_row(each) for each in host.settings.values()],
        "counters": [_row(each) for each in host.counters.values()],
    }
    return record_text(masked(document, mask))


def _row(fact: Fact) -> dict[str, str]:
    return {key: text for key, text in asdict(fact).items() if text or key == "text"}


def read_facts(path: Path) -> HostFacts:
    """
    Facts of a host, from a file of `netmodel measure facts`.

    Raises
    ------
    ParseError
        If it is not such a file; names key and file.
    """
    read = validated(str(path), _FactsFile, read_toml(path))
    groups = (
        Facts({each.name: each for each in group}) for group in (read.settings, read.counters)
    )
    return HostFacts(read.interface, read.time_utc, *groups)
