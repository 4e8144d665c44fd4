"""Python of README, pages and notebooks as type checkers see it: a page is a module of its own."""

import doctest
import subprocess
import sys
from pathlib import Path

import pytest
from docs.test_public_imports import PAGES, REPOSITORY, code_of

pytest.importorskip("mypy")

NOT_YET = {"docs/explanation/calibration.md", "notebooks/your-own-adapter.md"}
"""Pages whose code is not typed throughout: the list only gets shorter."""
STRICT = (
    *("--strict", "--allow-redefinition-new", "--local-partial-types", "--no-error-summary"),
    *("--allow-untyped-defs", "--allow-untyped-calls", "--allow-incomplete-defs"),
    "--disable-error-code=import-untyped",
    "--disable-error-code=import-not-found",  # of tests; another test reads the imports of pages
    "--no-strict-optional",  # a page shows a value that is known in its case
)


def test_pages_check_strictly(tmp_path: Path) -> None:
    codes = {page: "\n\n".join(code_of(page)) for page in PAGES}
    readme = REPOSITORY / "README.md"
    examples = doctest.DocTestParser().get_examples(readme.read_text(encoding="utf-8"))
    codes[readme] = "".join(example.source for example in examples)
    files = []
    for page, code in codes.items():
        name = page.relative_to(REPOSITORY).as_posix()
        if code.strip() and name not in NOT_YET:
            files.append(tmp_path / f"{name.replace('/', '_').replace('-', '_')[:-3]}.py")
            files[-1].write_text(code, encoding="utf-8")
    assert len(files) > 50
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", *STRICT, "--cache-dir", ".mypy_cache/pages", *files],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.stdout + checked.stderr == ""
