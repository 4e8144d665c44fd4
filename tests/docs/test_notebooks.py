"""Notebooks: the executed ones are current, show results, and name nothing of the machine."""

import base64
import functools
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import run_notebooks

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
NAMES = run_notebooks.names()
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)

LARGEST_BYTES = 500_000
"""Of one executed notebook: it has to open at once on a code host, and to stay small in history."""
LINE_LENGTH = 100
"""Characters of code, as in the sources of the library: they fit a page of the site."""
LONGEST_LINE = 500
"""Characters of a line of output: a long sentence, and not the fields of a result in full."""
OF_A_MACHINE = re.compile(
    r"(?<![\w.<])/(?:tmp|home|root|work|usr|opt|var|private|Users)/|[A-Z]:\\\\|0x[0-9a-f]{6,}"
)
"""Paths, and addresses of objects, which change from run to run."""


def code_of(name: str) -> str:
    """Code of all cells of a notebook, without their tags."""
    cells = CELL.findall((NOTEBOOKS / f"{name}.md").read_text(encoding="utf-8"))
    assert cells
    return "\n".join(re.sub(r"^:.*$", "", cell, flags=re.MULTILINE) for cell in cells)


@functools.cache
def executed(name: str) -> Any:
    """The notebook beside the source, as it is kept."""
    return json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))


def outputs_of(name: str) -> list[Any]:
    """All outputs of an executed notebook."""
    return [output for cell in executed(name)["cells"] for output in cell.get("outputs", ())]


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_answers_first_and_asserts_what_it_says(name: str) -> None:
    first, *cells = executed(name)["cells"]
    title, *_ = "".join(first["source"]).splitlines()
    assert title.startswith("# ")
    assert "?" in "".join(first["source"]).partition("**Answer.**")[0]
    assert "**Answer.**" in "".join(first["source"])
    code = "".join("".join(cell["source"]) + "\n" for cell in cells if cell["cell_type"] == "code")
    assert len(re.findall(r"^ *assert ", code, re.MULTILINE)) >= 4
    # all that fits a page, and nothing that it hides
    assert max(map(len, code.splitlines())) <= LINE_LENGTH
    assert not re.search(r"[\"']\.\./", code), "data come from netmodel.records.data_path"
    assert not any("remove-cell" in cell["metadata"].get("tags", ()) for cell in cells)


def test_each_source_has_an_executed_notebook_and_the_reverse() -> None:
    assert NAMES
    assert sorted(file.stem for file in NOTEBOOKS.glob("*.ipynb")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_an_executed_notebook_is_current(name: str) -> None:
    pytest.importorskip("jupytext")
    kept, wanted = executed(name), run_notebooks.source(name)
    assert kept["metadata"] == wanted.metadata
    assert (kept["nbformat"], kept["nbformat_minor"]) == (4, 5)
    for cell, now in zip(kept["cells"], wanted.cells, strict=True):
        assert "".join(cell["source"]) == now.source, "make ipynb renews it"
        assert (cell["id"], cell["cell_type"], cell["metadata"]) == (
            now.id,
            now.cell_type,
            now.metadata,
        )


@pytest.mark.parametrize("name", NAMES)
def test_an_executed_notebook_shows_results_and_no_error(name: str) -> None:
    code = [cell for cell in executed(name)["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    kinds = [output["output_type"] for output in outputs_of(name)]
    assert set(kinds) <= {"stream", "display_data", "execute_result"}  # no error
    assert len(kinds) >= 3
    assert not any(output.get("name") == "stderr" for output in outputs_of(name))
    figures = [
        output["data"]["image/png"]
        for output in outputs_of(name)
        if "image/png" in output.get("data", {})
    ]
    assert figures, "a notebook shows at least one plot"
    assert all(base64.b64decode(figure).startswith(b"\x89PNG") for figure in figures)


@pytest.mark.parametrize("name", NAMES)
def test_an_executed_notebook_says_nothing_of_the_machine_or_the_run(name: str) -> None:
    assert (NOTEBOOKS / f"{name}.ipynb").stat().st_size < LARGEST_BYTES
    for output in outputs_of(name):
        assert not set(output) - {
            "data",
            "execution_count",
            "metadata",
            "name",
            "output_type",
            "text",
        }
        data = output.get("data", {"text/plain": output.get("text", "")})
        assert set(data) <= {"text/plain", "text/html", "text/markdown", "text/latex", "image/png"}
        shown = json.dumps({kind: text for kind, text in data.items() if kind != "image/png"})
        assert not OF_A_MACHINE.search(shown)
        plain = "".join(data.get("text/plain", ""))
        assert max(map(len, plain.splitlines()), default=0) <= LONGEST_LINE


@pytest.mark.parametrize(
    ("kept", "now", "is_same"),
    [
        (["a 13.4 b"], ["a 13.5 b"], True),
        (["a 13.4 b"], ["a 13.6 b"], False),
        (["a 1,234 b"], ["a 1,235 b"], True),
        (["a 13.4 b"], ["a 13.40 b"], True),
        (["a 13.4 b"], ["c 13.4 b"], False),
        (["a"], ["a", "b"], False),
        (["1\n2"], ["1", "2"], True),
    ],
)
def test_outputs_may_differ_in_the_last_digit_only(
    kept: list[str], now: list[str], is_same: bool
) -> None:
    assert (run_notebooks.differs(kept, now) == "") is is_same


@pytest.mark.thorough
def test_sliders_have_a_fallback(tmp_path: Path) -> None:
    for needed in ("matplotlib", "IPython"):
        pytest.importorskip(needed)
    code = code_of("what-if-with-sliders")
    setup = (
        "import sys\nsys.modules['ipywidgets'] = None\nimport matplotlib\nmatplotlib.use('Agg')\n"
    )
    file = tmp_path / "notebook.py"
    file.write_text(setup + code, encoding="utf-8")
    root = NOTEBOOKS.parent
    run = subprocess.run(
        [sys.executable, file],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(root), "MPLCONFIGDIR": str(tmp_path), "HOME": str(tmp_path)},
        check=False,
    )
    assert run.returncode == 0, run.stderr
    # the table of fixed cases, which `make runbooks` asserts with sliders
    assert re.search(r"^MTU 9000 +>= 4 ", run.stdout, re.MULTILINE)
    assert "The sliders need ipywidgets" in run.stdout
