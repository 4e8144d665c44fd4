"""A figure that a document prints at two places is one figure."""

from pathlib import Path

import pytest

from netmodel.errors import ParseError
from netmodel.judging import audit_statements
from netmodel.records import register_data, unregister_data

ENTRY = """
[[statements]]
id = "{id}"
locator = "page {page}"
wording = "most that arrives"
quantity = "payload_rate"
subject = {{ direction = "in" }}
value = {value}
unit = "Gbit/s"
{repeats}
"""


def planted(directory: Path, first: str, second: str) -> Path:
    entries = [
        ENTRY.format(id="planted-1", page=1, value=first, repeats='repeats = ["planted-2"]'),
        ENTRY.format(id="planted-2", page=9, value=second, repeats=""),
    ]
    (directory / "statements").mkdir()
    text = '[defaults]\nsource = "planted"\ngrade = "published"\n' + "".join(entries)
    (directory / "statements" / "planted.toml").write_text(text)
    return directory


@pytest.mark.parametrize(
    ("first", "second", "faults"),
    [
        *(("13.4", "13.4", 0), ("13.4", "13.40", 0), ("13", "13.4", 0), ("13.4", "13.45", 0)),
        *(("13.4", "14.9", 1), ("14.9", "13.4", 1)),
    ],
)
def test_two_prints_of_one_figure_have_to_allow_the_same_value(
    tmp_path: Path, first: str, second: str, faults: int
) -> None:
    directory = planted(tmp_path, first, second)
    register_data(directory)
    try:
        result = audit_statements("planted")
    finally:
        unregister_data(directory)
    assert result.checked["same_quantity"] == 1
    assert [each.column for each in result.faults] == ["planted-1, planted-2"] * faults


@pytest.mark.thorough
def test_bundled_documents_repeat_themselves_rightly_but_once() -> None:
    result = audit_statements()
    assert result.checked["same_quantity"] > 80
    (fault,) = (each for each in result.faults if each.kind == "same_quantity")
    assert fault.column == "rps-example-1-table-binary, rps-example-1-text-binary"


def test_a_repetition_that_is_not_there_is_named(tmp_path: Path) -> None:
    directory = planted(tmp_path, "13.4", "13.4")
    path = directory / "statements" / "planted.toml"
    path.write_text(path.read_text().replace('["planted-2"]', '["planted-3"]'))
    register_data(directory)
    try:
        with pytest.raises(ParseError, match=r"\(planted-1\)\.repeats: .*did you mean planted-2"):
            audit_statements("planted")
    finally:
        unregister_data(directory)
