"""Files of a measured run, each written whole or not at all, and facts of a host in one file."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
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


def utc_text(utc_s: float) -> str:
    """Return a time as in RFC 3339, to the microsecond, which sorts as text."""
    return datetime.fromtimestamp(utc_s, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def write_masked(place: Path, mask: Mask, name: str, content: bytes | Mapping[str, Any]) -> Path:
    """
    Write a file of a folder whole, masked; tables as TOML. The manifest is written again and again.

    Parameters
    ----------
    place : Path
        The folder.
    mask : Mask
        What is replaced in all its texts.
    name : str
        Of the file.
    content : bytes or mapping
        Text, or tables.
    """
    if isinstance(content, bytes):
        text = mask(content.decode(errors="surrogateescape"))
    else:
        text = masked_toml(content, mask)
    write_whole(place / name, text.encode(errors="surrogateescape"))
    return place / name


def masked_toml(document: Mapping[str, Any], mask: Mask) -> str:
    """TOML of a document, its texts masked, without keys that have no value."""
    return record_text({key: each for key, each in _masked(document, mask).items() if each != []})


def _masked(value: Any, mask: Mask) -> Any:
    """Return a value as TOML has it."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {key: _masked(each, mask) for key, each in value.items() if each is not None}
    if isinstance(value, Sequence):
        return [_masked(each, mask) for each in value]
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


def facts_document(host: HostFacts, version: str) -> dict[str, Any]:
    """
    Return all facts of a host as a file has them.

    Parameters
    ----------
    host : HostFacts
        The facts.
    version : str
        Of netmodel.
    """
    groups = {"settings": host.settings, "counters": host.counters}
    rows = {
        name: [
            {key: text for key, text in asdict(fact).items() if text or key == "text"}
            for fact in group.values()
        ]
        for name, group in groups.items()
    }
    head = {"schema": SCHEMA, "kind": "facts", "netmodel": version, "time_utc": host.time_utc}
    return {**head, "interface": host.interface, **rows}


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
