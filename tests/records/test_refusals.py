"""Files of records that are refused, with file and key: refusals.toml has what is wrong in them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from records.right_files import REFUSALS, load_table

from netmodel.errors import ParseError
from netmodel.records import Adapter, adapter, dataset, path_record, scenario, workload
from netmodel.records.files import read_record

READERS: dict[str, Callable[[Path], object]] = {
    "workload": lambda directory: workload(directory / "mine.toml"),
    "path_record": lambda directory: path_record(directory / "mine.toml"),
    "scenario": lambda directory: scenario(directory / "mine.toml"),
    "adapter": lambda directory: adapter(directory / "mine.toml"),
    "dataset": dataset,
    "table": lambda directory: load_table(directory / "mine.csv"),
    "joined": lambda directory: read_record(
        [directory / "head.toml", directory / "times.toml"], Adapter
    ),
}


def cases() -> Iterator[Any]:
    for name, table in REFUSALS.items():
        for file, rows in table["refused"].items():
            for number, row in enumerate(rows, 1):
                yield pytest.param(table, file, *row, id=f"{name} {file} {number}")


@pytest.mark.parametrize(("table", "file", "old", "new", "problem"), [*cases()])
def test_what_is_wrong_is_said_with_file_and_key(
    tmp_path: Path, table: dict[str, Any], file: str, old: str, new: str, problem: str
) -> None:
    texts = table["files"]
    assert old in texts[file]
    for name, text in (texts | {file: texts[file].replace(old, new, 1)}).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ParseError) as caught:
        READERS[table["reader"]](tmp_path)
    assert problem in caught.value.problem
    # columns that a description lacks are at fault in the table
    assert caught.value.source == str(tmp_path / file) or file == "dataset.toml"
