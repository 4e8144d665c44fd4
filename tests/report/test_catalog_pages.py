"""The pages of the catalog in the documentation, from the function that writes them."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from netmodel.records import catalog, document, record
from netmodel.records.lookup import document_ids

SOURCE = Path(__file__).parents[2] / "docs" / "catalog_pages.py"
RECORDS = [(kind, name) for kind, names in catalog().items() for name in names]
ADAPTER = """
title = "My card"
kind = "test"
unknown = ["what it costs in [euro]"]
[defaults]
source = "my notes"
locator = "page 3"
grade = "measured"
[line_rate]
value = 25
unit = "Gbit/s"
[in]
vertices = [
  { per_frame = { value = 864.4776119, unit = "ns", grade = "fitted", note = "by hand" } },
  { per_frame = { value = 472.9997322, unit = "ns", grade = "fitted", note = "by hand" } },
]
"""


@pytest.fixture(scope="module")
def writer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("catalog_pages", SOURCE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SOURCE.parent))
        spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def texts(writer: ModuleType) -> dict[str, str]:
    return writer.pages()


@pytest.mark.parametrize(("kind", "name"), RECORDS)
def test_a_record_has_a_section_with_all_its_sources_and_grades(
    kind: str,
    name: str,
    writer: ModuleType,
    texts: dict[str, str],
) -> None:
    message = record(name, kind)
    text = writer.section(kind, message)
    assert text in texts[f"{kind}.md"]
    assert f"](#catalog-{kind}-{name}): " in texts["index.inc"]
    assert f"evidence: {', '.join(grade.value for grade in message.grades)}\n" in text
    for part in message.parts.values():
        assert f". {writer.plain(part.provenance)}\n" in text
        if part.source in document_ids():
            assert writer.plain(document(part.source).title) in text
    for unknown in message.unknown:
        assert f"- Unknown: {writer.plain(unknown)}" in text


def test_figures_stand_with_what_they_allow(writer: ModuleType) -> None:
    text = writer.section("adapters", record("osa-express7s-25gbe", "adapters"))
    assert "| buffer count used | 128 | exact | published |" in text
    assert "| payload rate | 13.4 Gbit/s | 13.35 to 13.45 Gbit/s | direction in; workload" in text
    assert "| line rate | censored above 25 Gbit/s | from 25 Gbit/s |" in text


def test_times_that_go_together_are_points(writer: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(ADAPTER)
    text = writer.section("adapters", record(path, "adapters"))
    assert (
        "**in**: 2 vertices, each a set of times that belong together, the first to quote" in text
    )
    assert "(fitted; source 2)\n\n| vertices | per frame |\n|---|---|\n| 1 | 864.5 ns |" in text
    assert "2. fitted; my notes, page 3; by hand\n" in text
    assert r"- Unknown: what it costs in \[euro\]" in text
