"""Tables of words: all members of an enumeration, each with its meaning, on the page."""

import re

import pages_of_docs
import pytest

word_pages = pages_of_docs.module("word_pages")
PAGE = (pages_of_docs.DOCS / "nomenclature.md").read_text(encoding="utf-8")
NAMES = re.findall(r"^```\{word-table\} (.+)$", PAGE, flags=re.MULTILINE)


@pytest.mark.parametrize("name", NAMES)
def test_every_word_has_a_meaning(name: str) -> None:
    from pydoc import locate

    enumeration = locate(name)
    found = dict(word_pages.words(enumeration))
    assert list(found) == [member.value for member in enumeration]  # type: ignore[attr-defined]
    assert all(text.endswith(".") for text in found.values())
    rows = word_pages.word_table(name).splitlines()[2:]
    assert [row.split("`")[1] for row in rows] == list(found)


def test_the_nomenclature_has_the_words_of_results() -> None:
    kinds = {name.rpartition(".")[2] for name in NAMES}
    assert kinds >= {"Outcome", "Bound", "Grade", "Relation"}
