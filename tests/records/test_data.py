"""The bundled data: found, and each example fit to be shown."""

from pathlib import Path

import pytest

from netmodel.errors import ParseError
from netmodel.readers import read_iperf3
from netmodel.records import data_path

EXAMPLES = sorted(data_path("examples", "iperf3").glob("*.json*"))


def read_me() -> str:
    return data_path("examples", "iperf3", "README.md").read_text(encoding="utf-8")


def test_the_data_are_a_folder() -> None:
    assert data_path().is_dir()
    assert data_path("examples", "iperf3").is_dir()


def test_a_file_of_the_data_is_found() -> None:
    assert data_path("examples", "iperf3", EXAMPLES[0].name) == EXAMPLES[0]


@pytest.mark.parametrize("names", [("nothing",), ("examples", "iperf3", "nothing.json")])
def test_what_is_not_carried_is_named(names: tuple[str, ...]) -> None:
    with pytest.raises(FileNotFoundError, match="/".join(names)):
        data_path(*names)


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 4


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_every_example_is_explained(path: Path) -> None:
    assert path.name in read_me()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_every_example_is_read_or_said_to_be_broken(path: Path) -> None:
    said = "\n".join(line for line in read_me().splitlines() if f"| `{path.name}`" in line)
    if "cut off" in said:
        with pytest.raises(ParseError, match="ends too early"):
            read_iperf3(path)
        return
    for measurement in read_iperf3(path):
        assert (measurement.error is None) == (measurement.goodput_bps is not None)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_tells_nothing_of_where_it_was_made(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if '"system_info"' in text:
        assert '"Linux host ' in text
