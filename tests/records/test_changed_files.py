"""Damaged files of every kind: each gives what it should, or an error that names the file."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from records.right_files import load_table

import netmodel
from netmodel.errors import ParseError
from netmodel.records import data_path, dataset, record

EXAMPLES = data_path("examples")
MEASURED = data_path("measurements", "zvm-layer2-layer3")
SCENARIO = EXAMPLES / "scenarios" / "order-system.toml"
ODD = st.sampled_from(
    (
        *("", "0", "-1", "nan", "inf", "1e31", "9" * 400, "true", "1979-05-27", "x", "'", '"', "="),
        *("[]", "[1]", "[[1]]", "{}", "{ a = 1 }", '""', '"x"', '"0 %"', '"9 to 8 s"', '"12 µs"'),
        *('"1e30 s"', '"about 0 Gbit/s"', '"1e-30 Gbit/s"', "{ per_frame = '1 s' }", "[candidate]"),
        *('"link"', "2", '"1/s"', ",", "\n", "\0", "\\ud800", "\ufeff", "id = 1", "#"),
    )
)


def read_record(path: Path) -> object:
    result = record(path, path.parent.name)
    assert result.to_dict()["id"] == path.stem
    return result


def read_table(path: Path) -> object:
    result = load_table(path)
    for column in result.columns:
        for cell in result.text(column.name):
            assert result.where(**{column.name: cell}).row_count
    return result


READERS: dict[Path, Callable[[Path], object]] = {
    **dict.fromkeys(sorted(data_path("catalog").rglob("*.toml")), read_record),
    EXAMPLES / "paths" / "powervm-sea-tandem.toml": read_record,
    EXAMPLES / "hosts" / "emulated-line.toml": read_record,
    SCENARIO: netmodel.plan_scenario,
    MEASURED / "measurements.csv": read_table,
    MEASURED / "dataset.toml": lambda path: dataset(path.parent),
    MEASURED / "flags.csv": lambda path: dataset(path.parent),
}


@st.composite
def damaged(draw: st.DrawFn, text: str) -> str:
    """Text with a line changed, lost, moved or twice, or with other characters at a place."""
    lines = text.splitlines()
    for _ in range(draw(st.integers(1, 3))):
        number = draw(st.integers(0, len(lines) - 1))
        line = lines.pop(number)
        odd = draw(ODD)
        at = draw(st.integers(0, len(line)))
        put = {
            "value": [f"{line.partition('=')[0]} = {odd}"],
            "part": [line[:at] + odd + line[at + draw(st.integers(0, 8)) :]],
            "twice": [line, line],
        }
        lines[number:number] = put.get(draw(st.sampled_from([*put, "value", "lost", "moved"])), [])
        lines = lines or [line]
    return "\n".join(lines)


@settings(max_examples=400)
@given(file=st.sampled_from(sorted(READERS)), data=st.data())
def test_a_damaged_file_is_read_or_refused(file: Path, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name, file.parent.name)
        if READERS[file] is read_record:
            directory.mkdir()
        else:  # what is read with it
            shutil.copytree(file.parent, directory)
        path = directory / file.name
        text = data.draw(damaged(file.read_text(encoding="utf-8")))
        path.write_text(text, encoding="utf-8", errors="replace", newline="")
        source = str(path)
        try:
            assert str(READERS[file](path))
        except ParseError as error:
            source = error.source
        assert source.startswith(str(directory))
