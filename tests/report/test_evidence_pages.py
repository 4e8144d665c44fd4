"""The tables of the page on evidence, from the functions that write them."""

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from judging.ledger import ledger

from netmodel.judging._evidence._kinds import EvidenceKind
from netmodel.report._evidence_text import kind_words, summary_lines, waits

DOCS = Path(__file__).parents[2] / "docs"
LEDGER = ledger()
DOCUMENTS = sorted({row.statement.source for row in LEDGER})


def rows_of(document: str) -> list[Any]:
    return [row for row in LEDGER if row.statement.source == document]


@pytest.fixture(scope="module")
def writer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("evidence_pages", DOCS / "evidence_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(DOCS))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(DOCS))
    return module


def test_the_table_counts_each_kind_in_each_document(writer: ModuleType) -> None:
    table = writer.counts(LEDGER)
    for kind in EvidenceKind:
        total = sum(row.kind is kind for row in LEDGER)
        (line,) = (line for line in table.splitlines() if line.startswith(f"| {kind_words(kind)} "))
        assert line.endswith(f" | {total} |")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_document_has_a_section_with_the_four_groups(writer: ModuleType, document: str) -> None:
    rows = rows_of(document)
    text = writer.section(rows)
    for heading in (
        "Predicted without being an input",
        "Holds besides",
        "Contradicted or doubtful",
        "Waits for a model",
    ):
        assert text.count(f"**{heading}**") == 1
    named = [row for row in rows if row.kind is EvidenceKind.PREDICTED]
    named += [row for row in rows if row.kind.value in {"contradicted", "doubtful"}]
    for row in named:
        assert f" | {writer.plain(row.statement.claim)} | " in text
    counts = Counter(row.kind for row in rows)
    for kind in writer.HOLDING:
        assert (f"| {kind_words(kind)} | {counts[kind]} |" in text) == (counts[kind] > 0)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_statement_that_is_not_modelled_waits_for_something(document: str) -> None:
    rows = rows_of(document)
    counts = waits(rows)
    assert sum(counts.values()) == sum(row.kind is EvidenceKind.NOT_MODELLED for row in rows)
    assert list(counts)[:1] != ["no model"]


def test_rows_of_tables_have_as_many_cells_as_their_head(writer: ModuleType) -> None:
    for block in writer.page(LEDGER).split("\n\n"):
        if block.startswith("|"):
            lines = block.replace("\\|", "").splitlines()
            assert len({line.count("|") for line in lines}) == 1


def test_a_group_without_statements_says_so() -> None:
    lines = list(summary_lines(rows_of("zvm")))
    assert lines[0] == "predicted without being an input: 0"
    assert any(line.startswith("disagrees: ") for line in lines)
