"""Datasets: the bundled ones, directories of your own, and what is refused."""

import shutil
from pathlib import Path

import pytest
from records.right_files import FILES

from netmodel.consumption import Side
from netmodel.errors import ParseError, UnknownRecordError
from netmodel.records import (
    catalog,
    data_path,
    dataset,
    dataset_ids,
    record,
)
from netmodel.records.lookup import document_ids


def directory_of(parent: Path, flags: str | None = None) -> Path:
    directory = parent / "mine"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    for name, text in (FILES["dataset"] | {"flags.csv": flags}).items():
        if text is not None:
            (directory / name).write_text(text, encoding="utf-8")
    return directory


def refused(directory: Path) -> tuple[str, str]:
    """Name of the file that a refusal names, and the problem."""
    with pytest.raises(ParseError) as caught:
        dataset(directory)
    source = Path(caught.value.source)
    assert source.parent == directory
    return source.name, caught.value.problem


def test_a_dataset_of_ones_own(tmp_path: Path) -> None:
    mine = dataset(directory_of(tmp_path))
    assert (mine.id, mine.title, mine.side) == ("mine", "my runs", Side.CLIENT)
    assert mine.provenance == "measured; my notes, page 3"
    assert list(mine.tables) == ["runs", "beds"]
    runs = mine.tables["runs"]
    assert runs.description == "one row for each run"
    assert runs.text("throughput_gbps") == ("9.4", "")
    assert runs.half_widths("throughput_gbps")[0] == 0.05
    assert runs.column("throughput_gbps").printed_as == "Gbps"
    assert mine.flags == ()
    assert dataset(str(tmp_path / "mine")) == mine


def test_a_relative_directory_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(directory_of(tmp_path))
    assert dataset(".").id == "mine"


def test_flags_are_read(tmp_path: Path) -> None:
    rows = 'runs.csv,2,throughput_gbps,missing,note,"is empty, why?"\nbeds.csv,,,unit,grave,x\n'
    head = FILES["dataset"]["flags.csv"]
    first, second = dataset(directory_of(tmp_path, flags=head + rows)).flags
    rest = ["missing", "note", "is empty, why?"]
    assert [*first.values()] == ["runs.csv", "2", "throughput_gbps", *rest]
    assert [*second.values()] == ["beds.csv", "", "", "unit", "grave", "x"]
    assert dataset(directory_of(tmp_path, flags=head)).flags == ()


def test_a_directory_without_a_header(tmp_path: Path) -> None:
    for directory in (tmp_path, tmp_path / "nothing"):
        assert refused(directory)[0] == "dataset.toml"
    (tmp_path / "dataset.toml").write_text('title = "x"\n', encoding="utf-8")
    assert "files: is missing" in refused(tmp_path)[1]


def test_near_ids_are_suggested() -> None:
    with pytest.raises(UnknownRecordError, match="did you mean zvm-layer2-layer3"):
        dataset("zvm-layer2")


@pytest.mark.parametrize("name", dataset_ids())
def test_a_bundled_dataset_cites_what_is_known(name: str) -> None:
    message = dataset(name)
    assert message.source in document_ids()
    assert set(message.workloads) <= set(catalog()["workloads"])
    for table in message.tables.values():
        names = {column.name for column in table.columns}
        if "adapter" in names:
            assert set(table.text("adapter")) <= set(catalog()["adapters"])
        if "workload" in names:
            assert set(table.text("workload")) <= set(catalog()["workloads"])


def test_a_dataset_prints_its_rows() -> None:
    assert "ConnectX-5  linux     route     one route" in str(record("xdp-cores"))


@pytest.mark.parametrize("name", dataset_ids())
def test_nothing_else_lies_in_the_directory(name: str) -> None:
    files = {path.name for path in data_path("measurements", name).iterdir() if path.is_file()}
    tables = {f"{stem}.csv" for stem in dataset(name).tables}
    assert files - {"flags.csv"} == {"dataset.toml", *tables}
