"""Folder of a measured run: what is in it, written file by file, whole or not at all."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from netmodel._reading import read_toml
from netmodel._writing import write_whole
from netmodel.errors import ParseError
from netmodel.measuring._facts import FactFile, Facts, Missing
from netmodel.measuring.mask import Mask
from netmodel.readers.host_runs import RECORD_MANIFEST
from netmodel.records import record_text

SCHEMA = 1
"""Version of the format; a reader refuses a higher one."""
MANIFEST = RECORD_MANIFEST
STATES = ("running", "complete", "failed", "interrupted", "timed_out")
"""Of a run; one that is still ``running`` was ended by force."""
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
    _files: dict[str, dict[str, Any]] = field(default_factory=dict)
    _missing: list[dict[str, Any]] = field(default_factory=list)

    def write(self, name: str, text: str | bytes, origin: str) -> Path:
        """Write a file whole, masked, and note its checksum for the manifest."""
        if isinstance(text, bytes):
            # what is no text is kept as it is
            try:
                content = self.mask(text.decode()).encode()
            except UnicodeDecodeError:
                content = text
        else:
            content = self.mask(text).encode(errors="surrogateescape")
        path = self.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
        self._files[name] = {
            "name": name,
            "origin": self.mask(origin),
            "bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        return path

    def write_facts(self, below: str, facts: Facts, names: Mapping[str, str] | None = None) -> None:
        """Write all files of facts into a folder below; some names may stand beside it instead."""
        for each in facts.files.values():
            name = (names or {}).get(each.name, f"{below}/{each.name}")
            self.write(name, each.text, each.origin)
        self._missing += [
            {
                "name": f"{below}/{each.name}",
                "origin": self.mask(each.origin),
                "reason": self.mask(each.reason),
            }
            for each in facts.missing.values()
        ]

    def write_manifest(self, state: str, document: Mapping[str, Any]) -> None:
        """Write what the folder holds; called first, and again when the run is over."""
        whole = {
            "schema": SCHEMA,
            "state": state,
            **_masked(document, self.mask),
            "file": list(self._files.values()),
            "missing": self._missing,
        }
        text = record_text({key: value for key, value in whole.items() if value != []})
        write_whole(self.place / MANIFEST, text.encode(), is_update=True)


def _masked(value: Any, mask: Mask) -> Any:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {key: _masked(each, mask) for key, each in value.items() if each is not None}
    if isinstance(value, Sequence):
        return [_masked(each, mask) for each in value]
    return Decimal(repr(value)) if isinstance(value, float) else value


def read_manifest(place: Path) -> dict[str, Any]:
    """
    The manifest of a folder.

    Raises
    ------
    ParseError
        If it is missing, not TOML, or of a later format.
    """
    path = place / MANIFEST
    document = _toml(path)
    if document.get("state") not in STATES:
        raise ParseError(str(path), f"state must be one of {', '.join(STATES)}")
    return document


def _toml(path: Path) -> dict[str, Any]:
    """A document of this format."""
    document = read_toml(str(path))
    schema = document.get("schema")
    if not isinstance(schema, int) or isinstance(schema, bool) or not 1 <= schema <= SCHEMA:
        raise ParseError(str(path), f"schema must be 1 to {SCHEMA}; got {schema!r}")
    return document


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


def facts_text(host: HostFacts, mask: Mask, version: str) -> str:
    """
    One TOML file with all facts of a host; each text stands in it as it was printed.

    Parameters
    ----------
    host : HostFacts
        The facts.
    mask : Mask
        What is replaced.
    version : str
        Of netmodel.
    """
    head = {
        "schema": SCHEMA,
        "kind": "facts",
        "netmodel": version,
        "time_utc": host.time_utc,
        **({} if host.interface is None else {"interface": host.interface}),
    }
    parts = [record_text(head)]
    for group, facts in (("settings", host.settings), ("counters", host.counters)):
        for each in facts.files.values():
            parts.append(f"\n[[{group}.file]]\n")
            parts.append(record_text({"name": each.name, "origin": mask(each.origin)}))
            parts.append(f"text = {_long_text(mask(each.text))}\n")
        for missing in facts.missing.values():
            parts.append(f"\n[[{group}.missing]]\n")
            shown = {"name": missing.name, "origin": mask(missing.origin)}
            parts.append(record_text({**shown, "reason": mask(missing.reason)}))
    return "".join(parts)


def _long_text(text: str) -> str:
    """A literal of several lines where TOML has no escapes, else one line with escapes."""
    has_control = any(each < " " and each not in "\n\t" for each in text) or "\x7f" in text
    if "'''" in text or has_control or text.endswith("'"):
        return record_text({"text": text}).removeprefix("text = ").rstrip("\n")
    return f"'''\n{text}'''"


def read_facts(path: Path) -> HostFacts:
    """
    Facts of a host, from a file of `netmodel measure facts`.

    Raises
    ------
    ParseError
        If it is not such a file; names key and file.
    """
    document = _toml(path)
    if document.get("kind") != "facts":
        raise ParseError(str(path), 'kind must be "facts": write it with netmodel measure facts')
    parts = {}
    for group in ("settings", "counters"):
        facts = Facts()
        table = document.get(group, {})
        for key, kind, last in (("file", FactFile, "text"), ("missing", Missing, "reason")):
            rows = table.get(key, []) if isinstance(table, dict) else None
            for number, row in enumerate(rows if isinstance(rows, list) else [None]):
                names = ("name", "origin", last)
                texts = [row.get(name) for name in names] if isinstance(row, dict) else []
                values = [each for each in texts if isinstance(each, str)]
                if len(values) < len(names):
                    where = f"{group}.{key}[{number}]"
                    raise ParseError(str(path), f"{where} must have name, origin and {last}")
                made = kind(*values)
                if isinstance(made, FactFile):
                    facts.files[made.name] = made
                else:
                    facts.missing[made.name] = made
        parts[group] = facts
    interface = document.get("interface")
    return HostFacts(
        interface=interface if isinstance(interface, str) else None,
        time_utc=str(document.get("time_utc", "")),
        settings=parts["settings"],
        counters=parts["counters"],
    )
