"""What a loader says of a wrong record, of an unknown id, and which files it finds."""

import os
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from netmodel.errors import (
    AmbiguousIdError,
    ContradictionError,
    MissingDataError,
    ParseError,
    UnknownRecordError,
)
from netmodel.records import (
    adapter,
    catalog,
    data_path,
    document,
    record,
    register_data,
    unregister_data,
    workload,
)
from netmodel.records._catalog import document_ids, is_file, kind_of, titles
from netmodel.records._load import (
    catalog_files,
    data_roots,
    dataset_files,
    dataset_ids,
    id_as_written,
    listed_files,
    near_ids,
    read_record,
    read_toml,
    stamped,
    statement_files,
    unchanged_files,
    unknown_record,
    validated,
)
from netmodel.records._steering import steering_record
from netmodel.records._transports import transport_record


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")

    size: int
    speed: int = 0


class Outer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    id: str = "x"
    inner: Inner | None = None
    many: tuple[Inner, ...] = ()
    by_name: dict[str, Inner] = {}
    flag: bool = Field(default=False, strict=True)
    in_: int = Field(default=0, alias="in")


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({"inner": {}}, "inner.size: is missing"),
        ({"inner": 5}, "inner: must be a table"),
        ({"many": 5}, "many: must be an array"),
        ({"by_name": 5}, "by_name: must be a table"),
        ({"flag": 1}, "flag: must be true or false"),
        ({"inner": {"size": "a"}}, "inner.size: must be a valid integer"),
        (
            {"inner": {"size": 1, "sped": 2}},
            "inner.sped: is not a known key; did you mean speed?",
        ),
        ({"inner": {"size": 1, "zzz": 2}}, "inner.zzz: is not a known key; known are size, speed"),
        ({"many": [{"size": 1}, {"sise": 1}]}, "many.1.sise: is not a known key; did you mean"),
        ({"by_name": {"a": {"sise": 1}}}, "by_name.a.sise: is not a known key; did you mean size?"),
        ({"inn": 5}, "inn: is not a known key; did you mean in?"),
        ({"zzz": 5}, "zzz: is not a known key; known are by_name, flag, in, inner, many"),
    ],
)
def test_a_fault_has_table_key_and_a_hint(data: dict[str, Any], problem: str) -> None:
    with pytest.raises(ParseError) as caught:
        validated("f.toml", Outer, data)
    assert caught.value.source == "f.toml"
    assert problem in caught.value.problem
    with pytest.raises(ParseError) as placed:
        validated("f.toml", Outer, data, ("top", "2"))
    assert f"top.2.{problem}" in placed.value.problem


@pytest.mark.parametrize(("count", "text"), [(20, ""), (21, "and 1 more"), (25, "and 5 more")])
def test_a_message_names_twenty_faults(count: int, text: str) -> None:
    with pytest.raises(ParseError) as caught:
        validated("f.toml", Outer, {"many": [{}] * count})
    problems = caught.value.problem.split("; ")
    assert sum("is missing" in each for each in problems) == 20
    assert problems[0] == "many.0.size: is missing"
    assert problems[20:] == ([text] if text else [])


def test_ids_are_meant_without_capitals_or_with_a_slip() -> None:
    known = ["osa-7s", "OSA-8s", "roce-2", "Roce-2"]
    assert id_as_written("osa-7s", known) == "osa-7s"
    assert id_as_written(" OSA-7S ", known) == "osa-7s"
    assert id_as_written("osa-8S", known) == "OSA-8s"
    assert id_as_written("ROCE-2", known) == "ROCE-2"  # two differ in capitals alone
    assert id_as_written("Roce-2", known) == "Roce-2"
    assert id_as_written("other", known) == "other"


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("etherent-10gbe", ["ethernet-10gbe"]),  # misspelt
        (" 25GBE ", ["osa-express7s-25gbe", "roce-express2.1-25gbe"]),  # with the text in them
        ("exp", ["osa-express7s-25gbe", "roce-express2.1-25gbe"]),
        ("rocket", ["roce-express2.1-25gbe"]),  # that begin alike
        ("ex", []),  # two letters are in many
        ("zzz", []),
    ],
)
def test_ids_that_may_have_been_meant(name: str, near: list[str]) -> None:
    known = ["roce-express2.1-25gbe", "ethernet-10gbe", "osa-express7s-25gbe", "smc"]
    assert near_ids(name, known) == near


def test_an_unknown_id_names_those_that_are_near_or_all() -> None:
    assert str(unknown_record("card", "gren", ["green", "blue"])) == (
        "unknown card 'gren'; did you mean green?"
    )
    assert str(unknown_record("card", "apple", ["red-apple", "an-apple"])) == (
        "unknown card 'apple'; did you mean an-apple or red-apple?"
    )
    assert str(unknown_record("card", "zzz", ["b", "a"])) == "unknown card 'zzz'; known are a, b"
    assert str(unknown_record("card", "zzz", [])) == "unknown card 'zzz'; none is known"


# Files

DEFAULTS = '[defaults]\nsource = "notes"\nlocator = "page {}"\ngrade = "measured"\n'
WRITTEN = 'title = "mine"\nkind = "own"\nline_rate = "25 Gbit/s"\n' + DEFAULTS.format(1)
CALIBRATED = 'in = { per_frame = "1 µs" }\n' + DEFAULTS.format(2)


def put(directory: Path, name: str, text: str) -> Path:
    file = directory / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_a_record_of_two_files_has_the_defaults_of_each(tmp_path: Path) -> None:
    from netmodel.records import Adapter

    files = [put(tmp_path, "a/mine.toml", WRITTEN), put(tmp_path, "b/mine.toml", CALIBRATED)]
    card = read_record(files, Adapter)
    assert (card.id, card.line_rate.locator) == ("mine", "page 1")
    assert card.in_ is not None
    assert card.in_.per_frame is not None
    assert card.in_.per_frame.locator == "page 2"
    put(tmp_path, "b/mine.toml", 'title = "other"\n' + CALIBRATED)
    with pytest.raises(
        ParseError, match=f"title: is in {files[0]} too; a record has each key once"
    ):
        read_record(files, Adapter)
    put(tmp_path, "b/mine.toml", 'inn = "x"\n' + CALIBRATED)
    with pytest.raises(ParseError, match="inn: is not a known key; did you mean in") as caught:
        read_record(files, Adapter)
    assert caught.value.source == str(files[1])
    put(tmp_path, "a/mine.toml", 'id = "mine"\n' + WRITTEN)
    with pytest.raises(ParseError, match="id: is the name of the file; leave it out"):
        read_record(files[:1], Adapter)


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Path]:
    """A registered directory with a card, its calibration, a dataset, a document, statements."""
    root = tmp_path / "own"
    put(root, "catalog/adapters/zz-card.toml", WRITTEN)
    put(root, "catalog/adapters/notes.txt", "no record")
    put(root, "calibrated/adapters/zz-card.toml", CALIBRATED)
    put(root, "calibrated/adapters/zz-fitted.toml", WRITTEN)
    put(root, "measurements/zz-runs/dataset.toml", "")
    put(root, "measurements/zz-empty/other.toml", "")
    put(root, "statements/zz.toml", "")
    put(root, "documents.toml", '[zz-notes]\ntitle = "T"\npublisher = "P"\n')
    register_data(root)
    yield root
    unregister_data(root)


def test_a_registered_directory_is_searched_behind_the_bundled_data(own: Path) -> None:
    assert data_roots() == (data_path(), own)
    register_data(str(own))  # again changes nothing
    assert data_roots() == (data_path(), own)
    files = catalog_files("adapters")
    assert files["zz-card"] == (
        own / "catalog/adapters/zz-card.toml",
        own / "calibrated/adapters/zz-card.toml",
    )
    assert files["zz-fitted"] == (own / "calibrated/adapters/zz-fitted.toml",)
    assert "notes" not in files
    assert list(files) == sorted(files)
    assert dataset_files()["zz-runs"] == own / "measurements/zz-runs/dataset.toml"
    assert "zz-empty" not in dataset_ids()
    assert statement_files()[-1] == own / "statements/zz.toml"
    assert (adapter("zz-card").line_rate_bps, kind_of("ZZ-card")) == (25e9, "adapters")
    assert titles("adapters")["zz-card"] == "mine"
    assert str(document("zz-notes")) == '"T", P'
    assert "zz-notes" in document_ids()
    assert list(document_ids()) == sorted(document_ids())


def test_two_directories_have_no_record_in_common(own: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    put(other, "catalog/adapters/zz-card.toml", WRITTEN)
    with pytest.raises(ContradictionError) as caught:
        register_data(other)
    both = [root / "catalog/adapters/zz-card.toml" for root in (own, other)]
    assert str(caught.value) == f"'zz-card' is the id of both {both[0]} and {both[1]}"
    assert data_roots() == (data_path(), own)
    for name in ("measurements/zz-runs/dataset.toml",):
        third = tmp_path / "third"
        put(third, name, "")
        with pytest.raises(ContradictionError, match="'zz-runs' is the id of both"):
            register_data(third)
    with pytest.raises(MissingDataError, match="absent is not a directory"):
        register_data(tmp_path / "absent")
    put(other, "documents.toml", '[zz-notes]\ntitle = "U"\npublisher = "P"\n')
    (other / "catalog/adapters/zz-card.toml").unlink()
    register_data(other)
    try:
        with pytest.raises(ParseError, match='zz-notes: is the id of another document, "T", P'):
            document("zz-notes")
    finally:
        unregister_data(other)
        unregister_data(other)  # nothing happens again
    assert data_roots() == (data_path(), own)


def test_files_are_looked_for_once_while_they_are_not_to_change(own: Path) -> None:
    with unchanged_files():
        before = dict(catalog_files("adapters")), dataset_files(), statement_files()
        for name in ("catalog/adapters/zz-b.toml", "measurements/zz-b/dataset.toml"):
            put(own, name, WRITTEN)
        put(own, "statements/zz-b.toml", "")
        assert (catalog_files("adapters"), dataset_files(), statement_files()) == before
    assert "zz-b" in catalog_files("adapters")
    assert "zz-b" in dataset_ids()
    assert own / "statements/zz-b.toml" in statement_files()


def test_a_directory_is_listed_again_when_it_changed(tmp_path: Path) -> None:
    """A directory that changed in the last two seconds may change again at the same time."""
    assert listed_files(tmp_path / "absent", "*") == ()
    put(tmp_path, "b.toml", "")
    put(tmp_path, "a.toml", "")
    put(tmp_path, "c.csv", "")
    known = (tmp_path / "a.toml", tmp_path / "b.toml")
    assert listed_files(tmp_path, "*.toml") == known
    (tmp_path / "b.toml").rename(tmp_path / "d.toml")
    os.utime(tmp_path, (1e9, 1e9))
    changed = (tmp_path / "a.toml", tmp_path / "d.toml")
    assert listed_files(tmp_path, "*.toml") == changed
    (tmp_path / "d.toml").rename(tmp_path / "e.toml")
    os.utime(tmp_path, (1e9, 1e9))
    assert listed_files(tmp_path, "*.toml") == changed  # as its time says


def test_a_stamp_is_time_and_size(tmp_path: Path) -> None:
    file = put(tmp_path, "a.toml", "abc")
    os.utime(file, ns=(5, 7_000_000_000))
    assert stamped([file]) == ((str(file), 7_000_000_000, 3),)
    with pytest.raises(ParseError, match="cannot be read: No such file") as caught:
        stamped([file, tmp_path / "b.toml"])
    assert caught.value.source == str(tmp_path / "b.toml")
    assert read_toml(str(put(tmp_path, "c.toml", "a = 1.50"))) == {"a": Decimal("1.50")}
    with pytest.raises(MissingDataError, match="without its data: no a/b"):
        data_path("a", "b")


# Ids

OSA, LOAD = "osa-express7s-25gbe", "rr1c-200x1000"


def test_a_record_is_named_by_id_or_file_and_kind() -> None:
    assert record(OSA).id == record(OSA.upper()).id == record(OSA, "adapters").id == OSA
    file = data_path("catalog", "workloads", f"{LOAD}.toml")
    assert record(file, "workloads") == workload(str(file)) == workload(LOAD)
    assert (is_file("a.toml"), is_file(Path("a")), is_file("a")) == (True, True, False)
    kinds = "adapters, hosts, links, paths, workloads"
    with pytest.raises(AmbiguousIdError, match=f"needs its kind: {kinds}"):
        record(file)
    with pytest.raises(UnknownRecordError, match="unknown kind 'adaptors'; did you mean adapters"):
        record(OSA, "adaptors")
    with pytest.raises(UnknownRecordError) as caught:
        adapter(LOAD)
    assert str(caught.value) == f"unknown adapter '{LOAD}'; it is an id of workloads"
    with pytest.raises(UnknownRecordError, match=f"unknown id '{OSA[:-1]}'; did you mean {OSA}"):
        kind_of(OSA[:-1])
    with pytest.raises(UnknownRecordError, match="'zzzz'; netmodel catalog list prints all"):
        kind_of("zzzz")
    with pytest.raises(UnknownRecordError, match="unknown document 'zvmm'; did you mean zvm"):
        document("zvmm")
    assert tuple(catalog()) == ("adapters", "hosts", "links", "paths", "workloads")


def test_what_is_not_calibrated_names_what_is() -> None:
    with pytest.raises(UnknownRecordError, match=f"known of zzz over {OSA}; known are .* over "):
        steering_record("zzz", OSA)
    with pytest.raises(UnknownRecordError, match="over zzz; known are ") as caught:
        steering_record("rr1c-200x1000", "zzz")
    assert f"over {OSA}" in str(caught.value)
    assert steering_record("rr1c-200x1000", OSA).workload == "rr1c-200x1000"
    made = transport_record()
    one = next(iter(made.protocols.values()))
    assert transport_record(one.adapter) == made
    with pytest.raises(UnknownRecordError, match=f"known for zzz; known are .* over {one.adapter}"):
        transport_record("zzz")
