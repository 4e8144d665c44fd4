"""One spelling of percentages and of the catalog, in messages, pages and notebooks."""

import re
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
MODULES = sorted((REPOSITORY / "netmodel").rglob("*.py"))
PAGES = sorted(
    page
    for page in (
        *(REPOSITORY / "docs").rglob("*.md"),
        *(REPOSITORY / "notebooks").glob("*.md"),
        *(REPOSITORY / each for each in ("README.md", "CONTRIBUTING.md")),
    )
    # made while the site is built
    if "generated" not in page.parts and page.name != "changelog.md"
)
RECORDS = sorted((REPOSITORY / "data").rglob("*.toml"))
PYTHON_PERCENT = re.compile(r"\{[^{}\n]*%\}")
"""A field of a format that prints 70% for 0.7."""
CLOSE_PERCENT = re.compile(r"\d%")
CODE = re.compile(r"^( *)(`{3,})[^\n]*\n.*?^\1\2$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
"""What is typed or printed: a shell takes 70% as one word."""


def faults(pattern: re.Pattern[str], files: list[Path], left_out: re.Pattern[str]) -> list[str]:
    return [
        f"{file.relative_to(REPOSITORY)}: {line.strip()}"
        for file in files
        for line in left_out.sub("", file.read_text(encoding="utf-8")).splitlines()
        if pattern.search(line)
    ]


NOTHING = re.compile(r"(?!)")


def test_messages_and_pages_print_percentages_with_a_space() -> None:
    assert faults(PYTHON_PERCENT, [*MODULES, *PAGES], NOTHING) == []


def test_the_text_of_pages_has_percentages_with_a_space() -> None:
    assert faults(CLOSE_PERCENT, PAGES, CODE) == []


def test_the_catalog_has_one_spelling() -> None:
    assert (
        faults(re.compile("catalogue", re.IGNORECASE), [*MODULES, *PAGES, *RECORDS], NOTHING) == []
    )
