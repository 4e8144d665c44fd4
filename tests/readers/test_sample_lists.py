"""The lists of samples: every file with its form, where it is from, and of which version."""

import tomllib
from pathlib import Path

import pytest

from netmodel.errors import ParseError
from netmodel.readers import read_result, result_formats

DIRECTORIES = sorted(
    path for path in (Path(__file__).parent / "samples").iterdir() if path.is_dir()
)


def listed(directory: Path) -> list[dict[str, str]]:
    assert (directory / "samples.toml").is_file(), f"{directory} needs a samples.toml"
    return tomllib.loads((directory / "samples.toml").read_text(encoding="utf-8"))["sample"]


@pytest.mark.parametrize("directory", DIRECTORIES, ids=lambda path: path.name)
def test_every_sample_is_listed_once_with_its_origin(directory: Path) -> None:
    samples = listed(directory)
    names = sorted(sample["file"] for sample in samples)
    files = (path for path in directory.rglob("*") if path.is_file() and path.suffix != ".md")
    there = sorted(path.relative_to(directory).as_posix() for path in files)
    assert names == [name for name in there if name != "samples.toml" and "profiles/" not in name]
    for sample in samples:
        assert set(sample) == {"file", "form", "command", "origin", "version"}
        assert all(sample.values()), sample
        assert sample["origin"] in {"recorded", "made"}
        assert sample["file"].startswith("made_") <= (sample["origin"] == "made"), sample["file"]


def test_every_format_that_is_recognised_has_a_sample_that_is_read() -> None:
    read = set()
    for directory in DIRECTORIES:
        for sample in listed(directory):
            try:
                runs = read_result(directory / sample["file"])
            except ParseError:
                continue
            read |= {run.tool.lower() for run in runs}
    tools = {name.partition("-")[0] for name in result_formats()}
    assert tools - read <= {"netmodel"}, "tables name the tool of each row"


def test_the_page_of_formats_has_a_row_for_each() -> None:
    page = (Path(__file__).parents[2] / "docs/reference/results.md").read_text(encoding="utf-8")
    missing = [name for name in result_formats() if f"\n| `{name}` | " not in page]
    assert not missing, f"docs/reference/results.md: {missing}"
