"""Files of records: each gives a record or a ParseError that names the file, nothing else."""

from pathlib import Path

import pytest
from records.right_files import FILES

from netmodel.errors import ParseError
from netmodel.records import workload
from netmodel.records.files import unknown_record
from netmodel.records.workloads import Workload

STREAM = FILES["workload"]["mine.toml"]


def load_bytes(directory: Path, content: bytes) -> Workload:
    path = directory / "mine.toml"
    path.write_bytes(content)
    return workload(path)


def problem_of(directory: Path, content: str | bytes) -> str:
    raw = content.encode() if isinstance(content, str) else content
    with pytest.raises(ParseError) as caught:
        load_bytes(directory, raw)
    assert caught.value.source == str(directory / "mine.toml")
    return caught.value.problem


def test_defaults_serve_what_lacks_its_own(tmp_path: Path) -> None:
    write = load_bytes(tmp_path, STREAM.encode()).write
    assert write is not None
    assert write.provenance == "published; adapter, slide 10"


def test_a_value_of_its_own_place_keeps_the_rest(tmp_path: Path) -> None:
    write = load_bytes(tmp_path, f'{STREAM}locator = "slide 11"'.encode()).write
    assert write is not None
    assert write.provenance == "published; adapter, slide 11"


def test_a_place_belongs_to_its_source(tmp_path: Path) -> None:
    assert problem_of(tmp_path, f'{STREAM}source = "zvm"') == "write.locator: is missing"
    write = load_bytes(tmp_path, f'{STREAM}source = "zvm"\nlocator = "table 5"'.encode()).write
    assert write is not None
    assert write.provenance == "published; zvm, table 5"


def test_without_defaults_each_value_needs_its_own(tmp_path: Path) -> None:
    text = STREAM.replace("[defaults]", "[defaults.nothing]")
    assert "defaults.nothing: is not a known key" in problem_of(tmp_path, text)
    bare = "".join(part + "\n" for part in STREAM.splitlines() if "slide" not in part)
    assert problem_of(tmp_path, bare) == "write.locator: is missing"


def test_printed_digits_survive_the_file(tmp_path: Path) -> None:
    write = load_bytes(tmp_path, STREAM.replace("100", "100.0").encode()).write
    assert write is not None
    assert str(write) == "100.0 byte"


def test_every_fault_of_a_file_is_reported_at_once(tmp_path: Path) -> None:
    problem = problem_of(tmp_path, STREAM.replace("value", "vlaue").replace("title", "titel"))
    assert "title: is missing" in problem
    assert "titel: is not a known key" in problem


@pytest.mark.parametrize(("count", "has_more"), [(20, False), (21, True)])
def test_the_first_twenty_faults_of_a_file_are_listed(
    count: int, has_more: bool, tmp_path: Path
) -> None:
    problem = problem_of(tmp_path, "".join(f"x{n} = 1\n" for n in range(count)) + STREAM)
    assert problem.count("is not a known key") == 20
    assert problem.endswith("; and 1 more") is has_more


@pytest.mark.parametrize(("count", "end"), [(16, "id15"), (17, "id15 and 1 more")])
def test_the_first_sixteen_ids_are_listed(count: int, end: str) -> None:
    ids = [f"id{n:02}" for n in range(count)]
    assert str(unknown_record("adapter", "zzz", ids)).endswith(f", {end}")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert problem_of(tmp_path, b"\xff\xfe") == "not a text file in UTF-8"
    for path in (tmp_path / "missing.toml", tmp_path, "a\0b.toml"):
        with pytest.raises(ParseError, match="cannot be read: ") as caught:
            workload(path)
        assert caught.value.source == str(path)
