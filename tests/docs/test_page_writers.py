"""What Sphinx extensions make of notebooks, cells, packages, findings and project files."""

import json
import re

import pages_of_docs
import pytest

audit_pages = pages_of_docs.module("audit_pages")
notebook_pages = pages_of_docs.module("notebook_pages")
shell_cells = pages_of_docs.module("shell_cells")


def test_every_notebook_is_a_page_with_links_into_the_site() -> None:
    files = notebook_pages.notebooks()
    assert [file.stem for file in files] == sorted(
        file.stem for file in notebook_pages.SOURCE.glob("*.md")
    )
    for file in files:
        page = notebook_pages.page(file)
        assert "](../docs/" not in page
        assert notebook_pages.title(file)
        assert re.search(r"[\w%][.?!]$", notebook_pages.summary(file))
        before, after = (json.loads(text)["cells"] for text in (file.read_text("utf-8"), page))
        assert [cell.get("outputs") for cell in before] == [cell.get("outputs") for cell in after]
        for target in re.findall(r"\]\(\.\./([^()#\s]+\.md)", page):
            assert (pages_of_docs.DOCS / target).exists(), (file, target)


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("!netmodel frame", "netmodel frame"),
        ("!cat a\n!rm a", "cat a\nrm a"),
        ("!netmodel plan \\\n    --mtu 1500\n!ls", "netmodel plan --mtu 1500\nls"),
        ("import netmodel", None),
        ("x = 1\n!ls", None),
        ("", None),
        (
            "!netmodel " + " ".join(f"--option-{n} value{n}" for n in range(8)) + " | head -3",
            "netmodel --option-0 value0 --option-1 value1 --option-2 value2 --option-3 value3 \\\n"
            "    --option-4 value4 --option-5 value5 --option-6 value6 --option-7 value7 | head -3",
        ),
    ],
)
def test_commands_are_shown_as_they_are_typed(source: str, shown: str | None) -> None:
    assert shell_cells.shown(source) == shown


def test_the_page_of_findings_is_that_of_the_tool() -> None:
    page = audit_pages.page()
    assert "| busy CPUs: " in page
    assert page.count("\n## ") == len(set(re.findall(r"^## (.+?):", page, re.MULTILINE))) > 5
