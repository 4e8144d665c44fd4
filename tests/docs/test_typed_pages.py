"""Python of README, pages and notebooks as type checkers see it: a page is a module of its own."""

import doctest
import subprocess
import sys
from pathlib import Path

import pytest
from docs.test_public_imports import PAGES, REPOSITORY, code_of

pytest.importorskip("mypy")

STRICT = (
    *("--strict", "--allow-redefinition-new", "--local-partial-types", "--no-error-summary"),
    *("--allow-untyped-defs", "--allow-untyped-calls", "--allow-incomplete-defs"),
    *("--hide-error-context", "--no-pretty"),
    "--disable-error-code=import-untyped",
    "--disable-error-code=import-not-found",  # of tests; another test reads the imports of pages
)
MAY_BE_NONE = {
    "docs/explanation/calibration.md",
    "docs/explanation/paths.md",
    "docs/explanation/planning.md",
    "docs/explanation/verdict.md",
    "docs/explanation/virtual-paths.md",
    "docs/howto/gate-your-ci-on-physics.md",
    "docs/howto/predict.md",
    "docs/howto/smc-r-over-a-distance.md",
    "docs/reference/accuracy.md",
    "notebooks/a-second-site.md",
    "notebooks/find-the-bottleneck.md",
    "notebooks/judge-a-directory-of-results.md",
    "notebooks/layer-2-and-layer-3-over-connections.md",
    "notebooks/moving-to-jumbo-frames.md",
    "notebooks/plan-before-hardware.md",
    "notebooks/two-z15-lpars-mixed-load.md",
    "notebooks/what-if-with-sliders.md",
    "notebooks/your-own-adapter.md",
}
"""Pages that show values which are known in their case alone: the list only gets shorter."""


def test_pages_check_strictly(tmp_path: Path) -> None:
    codes = {page: "\n\n".join(code_of(page)) for page in PAGES}
    readme = REPOSITORY / "README.md"
    examples = doctest.DocTestParser().get_examples(readme.read_text(encoding="utf-8"))
    codes[readme] = "".join(example.source for example in examples)
    files = {}
    for page, code in codes.items():
        name = page.relative_to(REPOSITORY).as_posix()
        if code.strip():
            file = tmp_path / f"{name.replace('/', '_').replace('-', '_')[:-3]}.py"
            file.write_text(code, encoding="utf-8")
            files[file.name] = name
    assert len(files) > 50
    checked = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            *STRICT,
            "--cache-dir",
            ".mypy_cache/pages",
            *map(tmp_path.joinpath, files),
        ],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    errors = [line for line in checked.stdout.splitlines() if ": error: " in line]
    of_none = [line for line in errors if "None" in line.partition(": error: ")[2]]
    assert [line for line in errors if line not in of_none] + checked.stderr.splitlines() == []
    assert {files[Path(line.partition(":")[0]).name] for line in of_none} == MAY_BE_NONE
