"""Files of records: each gives a record or a ParseError that names the file, nothing else."""

from pathlib import Path

import pytest
from hypothesis import strategies as st

from netmodel.errors import ParseError
from netmodel.records import (
    Workload,
    data_path,
    workload,
)

BUNDLED = sorted(data_path("catalog", "workloads").glob("*.toml"))
STREAM = """\
title = "mine"
kind = "streaming"
writer = "client"

[defaults]
source = "adapter"
locator = "slide 10"
grade = "published"

[write]
value = 100
unit = "byte"
"""
EXAMPLES = 150

ODD_NUMBERS = ["nan", "-inf", "0", "-1", "1.50", "1e31", "1e-999", "0e-999999"]
LONG_NUMBERS = ["9" * 400, "9" * 5000, "0x" + "f" * 4000, "1e9999999999999999999"]
ODD_TEXTS = ['""', '"KB"', '"\\u0000"', "'assumed'", "'range'", "'request_response'", "x", ""]
NESTED = ["[]", "[0]", "[[1]]", "[1, 'x']", "{}", "{value = 1}", "[" * 3000, "{a=" * 3000]
OTHERS = ["true", "{unit = 'byte', value = 2}", "1979-05-27", "07:32:00"]
odd_values = st.sampled_from([*ODD_NUMBERS, *LONG_NUMBERS, *ODD_TEXTS, *NESTED, *OTHERS])


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


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("value = 100", "value = ", "not TOML: Invalid value (at line 11, column 9)"),
        ("value = 100", "value = 100\nvalue = 9", "not TOML: Cannot overwrite a value (at line 12"),
        ("[write]", "[defaults]", "not TOML: Cannot declare ('defaults',) twice (at line 10"),
        ("value = 100", "value = nan", "write.value: must be a finite number"),
        ("value = 100", "value = inf", "write.value: must be a finite number"),
        ("value = 100", 'value = "100"', "write.value: must be an integer or a decimal number"),
        ("value = 100", "vlaue = 100", "write.vlaue: is not a known key"),
        ('unit = "byte"', "", "write.unit: is missing"),
        ('"published"', '"good"', "defaults.grade: must be 'standard', 'measured', 'published'"),
        ('"published"', '"assumed"', "write: grade assumed needs a note"),
        ('"slide 10"', '" "', "defaults.locator: must not be empty"),
        ('"mine"', "7", "title: must be text in quotes"),
        ('"mine"', '"mine"\nid = "mine"', "id: is the name of the file"),
        ("[defaults]", "[default]", "default: is not a known key"),
        ("[write]\n", "[[write]]\n", "write: must be"),
        ("value = 100", "value = 1e99999999999999999999", "a number has too many digits"),
        ("value = 100", f"value = {'9' * 5000}", "a number has too many digits"),
        ("value = 100", f"value = {'[' * 5000}", "is nested too deeply"),
    ],
)
def test_faults_are_reported_with_table_and_key(
    tmp_path: Path, old: str, new: str, problem: str
) -> None:
    assert old in STREAM
    assert problem in problem_of(tmp_path, STREAM.replace(old, new, 1))


def test_every_fault_of_a_file_is_reported_at_once(tmp_path: Path) -> None:
    problem = problem_of(tmp_path, STREAM.replace("value", "vlaue").replace("title", "titel"))
    assert "title: is missing" in problem
    assert "titel: is not a known key" in problem


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert problem_of(tmp_path, b"\xff\xfe") == "not a text file in UTF-8"
    for path in (tmp_path / "missing.toml", tmp_path, "a\0b.toml"):
        with pytest.raises(ParseError, match="cannot be read: ") as caught:
            workload(path)
        assert caught.value.source == str(path)
