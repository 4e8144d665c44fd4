"""Lint of all bundled records, never of a chosen few."""

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from netmodel.errors import UnknownRecordError
from netmodel.grades import Grade
from netmodel.records import (
    Adapter,
    Host,
    adapter,
    catalog,
    data_path,
    host,
    link,
    path_record,
    record,
    workload,
)
from netmodel.records.lookup import document_ids, kind_of, schema_of
from netmodel.records.values import Sourced

LOOKUPS: dict[str, Callable[[Path | str], BaseModel]] = {
    "adapters": adapter,
    "hosts": host,
    "links": link,
    "paths": path_record,
    "workloads": workload,
}
"""Function that reads the records of each directory of the catalog, by id and from a file."""
FIGURES = ("value", "low", "high", "counts")
"""Keys that hold what is printed."""
CHOICES = {"counted_layer"}
"""Keys whose numbers are names."""

SHORT_FIGURE = re.compile(r"(about )?[0-9.]+( to [0-9.]+)?( \S+)?")

CATALOG = data_path("catalog")
HEADS = {path.name for path in data_path("calibrated", "paths").glob("*.toml")}
"""Paths whose stages calibration wrote: records only together with these."""
FILES = (path for kind in LOOKUPS for path in (CATALOG / kind).glob("*.toml"))
RECORDS = sorted(path for path in FILES if path.name not in HEADS)

each_record = pytest.mark.parametrize(
    "path", RECORDS, ids=lambda path: str(path.relative_to(CATALOG))
)

KNOWN = [(kind, name) for kind, names in catalog().items() for name in names]
"""Kind and id of each record, those included that calibration wrote."""
each_known = pytest.mark.parametrize(("kind", "name"), KNOWN)


def loaded(path: Path) -> BaseModel:
    return LOOKUPS[str(path.parent.relative_to(CATALOG))](path)


def sourced_parts(value: object) -> Iterator[Sourced]:
    """Everything in a record that carries a source, however deep."""
    if isinstance(value, Sourced):
        yield value
    if isinstance(value, BaseModel):
        yield from sourced_parts(dict(value))
    elif isinstance(value, Mapping):
        yield from sourced_parts(tuple(value.values()))
    elif isinstance(value, tuple | list):
        for member in value:
            yield from sourced_parts(member)


def tables(value: Any) -> Iterator[dict[str, Any]]:
    """Tables of a TOML document, however deep."""
    if isinstance(value, dict):
        yield value
    if isinstance(value, dict | list):
        for member in value.values() if isinstance(value, dict) else value:
            yield from tables(member)


def short_figures(value: Any) -> Iterator[str]:
    """Texts that stand for figures, outside of tables that hold one."""
    for table in tables(value):
        if not set(FIGURES) & set(table):
            texts = (member for member in table.values() if isinstance(member, str))
            yield from (text for text in texts if SHORT_FIGURE.fullmatch(text))


@each_record
def test_a_record_loads(path: Path) -> None:
    assert dict(loaded(path))["id"] == path.stem


@each_known
def test_what_a_record_cites_is_known(kind: str, name: str) -> None:
    parts = list(sourced_parts(record(name, kind)))
    assert parts
    cited = {part.source for part in parts}
    assert not cited - set(document_ids()), "no document of this id in data/documents.toml"


@each_known
def test_what_is_assumed_or_derived_is_explained(kind: str, name: str) -> None:
    explained = {Grade.ASSUMED, Grade.DERIVED, Grade.FITTED}
    assert all(part.note for part in sourced_parts(record(name, kind)) if part.grade in explained)


@each_record
def test_every_figure_carries_a_source(path: Path) -> None:
    document_of_file = tomllib.loads(path.read_text(encoding="utf-8"))
    message = [table for table in tables(document_of_file) if set(FIGURES) & set(table)]
    short = list(short_figures(document_of_file)) if path.parent.name == "paths" else []
    assert len(message) + len(short) == len(list(sourced_parts(loaded(path))))


@each_record
def test_no_number_stands_outside_of_a_figure(path: Path) -> None:
    for table in tables(tomllib.loads(path.read_text(encoding="utf-8"))):
        if not set(FIGURES) & set(table):
            message = {key: member for key, member in table.items() if key not in CHOICES}
            assert not any(isinstance(member, int | float) for member in message.values())


@each_record
def test_a_record_is_found_by_its_id(path: Path) -> None:
    kind = path.parent.name
    assert path.stem in catalog()[kind]
    result = LOOKUPS[kind](path.stem)
    assert loaded(path) == record(path, kind)
    assert all(getattr(result, key) == message for key, message in loaded(path) if message)
    is_calibrated = (data_path("calibrated") / kind / path.name).exists()
    assert (result == loaded(path)) is not is_calibrated
    assert result == record(path.stem) == record(path.stem, kind)
    assert kind_of(path.stem) == kind
    assert kind_of("aws:m5.large") == "instances"


@pytest.mark.parametrize(
    ("name", "kind", "answer"),
    [
        ("OSA", None, "unknown id 'OSA'; did you mean osa-express2-10gbe or "),
        ("", None, "unknown id ''; netmodel catalog list prints all"),
        ("xdp-core", None, "unknown id 'xdp-core'; did you mean xdp-cores?"),
        ("awm-rr", "adapters", "unknown adapter 'awm-rr'; it is an id of workloads"),
        (
            "zvm-vswitch-layer2",
            "paths",
            "unknown path 'zvm-vswitch-layer2'; did you mean zvm-vswitch-layer2-1gbe",
        ),
        ("osa-express7s", "adapters", "unknown adapter 'osa-express7s'; did you mean osa-exp"),
        ("awm-rr", "workload", "unknown kind 'workload'; did you mean workloads?"),
        ("../hosts/zec12-2cpu", None, "unknown id '../hosts/zec12-2cpu'; did you mean zec12-2cpu"),
    ],
)
def test_near_ids_of_all_kinds_are_suggested(name: str, kind: str | None, answer: str) -> None:
    with pytest.raises(UnknownRecordError) as caught:
        record(name, kind)
    assert str(caught.value).startswith(answer)


@each_record
def test_a_record_prints_where_it_comes_from(path: Path) -> None:
    message: Any = loaded(path)
    assert str(message).startswith(f"{path.stem}: ")
    assert all(part.source in str(message) for part in sourced_parts(message))
    assert json.loads(json.dumps(message.to_dict()))["id"] == path.stem


@each_record
def test_what_a_record_names_is_known(path: Path) -> None:
    message = loaded(path)
    if isinstance(message, Host):
        assert set(message.adapters) <= set(catalog()["adapters"])
    if isinstance(message, Adapter):
        for seen in message.observations:
            assert {seen.workload} <= {None, *catalog()["workloads"]}
            assert {seen.peer_adapter} <= {None, *catalog()["adapters"]}
            assert seen.capacity_estimate.low <= message.line_rate_bps


@pytest.mark.parametrize("kind", [*catalog(), "scenarios"])
def test_bundled_files_are_valid_by_the_schema_for_editors(kind: str) -> None:
    validator = pytest.importorskip("jsonschema").Draft202012Validator(schema_of(kind))
    validator.check_schema(schema_of(kind))
    files = [
        *data_path("catalog").glob(f"{kind}/*.toml"),
        *data_path("examples").glob(f"{kind}/*.toml"),
    ]
    assert files
    for file in files:
        document = json.loads(
            json.dumps(tomllib.loads(file.read_text(encoding="utf-8")), default=str)
        )
        assert [fault.message for fault in validator.iter_errors(document)] == [], file
        faults = list(validator.iter_errors(document | {"misspelt": 1}))
        assert "'misspelt' was unexpected" in faults[0].message
