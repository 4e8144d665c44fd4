"""Run every notebook from top to bottom: ``make runbooks``, and ``make ipynb`` with ``--write``.

The sources are ``notebooks/*.md``. Each runs in a kernel of Jupyter. Beside its source stands the
executed ``.ipynb``. Without ``--write`` its outputs are compared with those of this run: words have
to be equal, numbers equal within one unit of their last digit, and of figures their number.

Nothing in an executed notebook depends on when, where or how fast it ran: no metadata of the run,
no random ids, no state of widgets. The same library writes the same bytes.
"""

import base64
import hashlib
import io
import multiprocessing
import multiprocessing.connection
import os
import re
import resource
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from kernels import image_count, kernel, run_cell, warm_up

ROOT = Path(__file__).parents[1]
NOTEBOOKS = ROOT / "notebooks"

LONGEST_RUN_S = 300
"""A notebook takes less than a minute on a quiet machine; what takes longer here hangs."""
PALETTE_COUNT = 256
"""Colours of a figure, as many as a byte has: a third of the size, for the same look."""
LONGEST_FIRST = ("a-fleet-sweep", "two-z15-lpars-mixed-load")
"""Started before the others, so that none of them is the last alone."""
SHOWN = 200
"""Characters of a line that differs: a table of the library is at most 120 wide."""
WIDGETS = "application/vnd.jupyter.widget-view+json"
IN_PLACE_OF_WIDGETS = "Sliders stand here while the notebook runs in Jupyter with ipywidgets."

_STANDARD_ERROR = 2
"""Its file descriptor, in every process."""
_RANDOM_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_NUMBER = re.compile(r"(\d[\d,]*(?:\.\d+)?)")


def names() -> list[str]:
    """Of all notebooks, in order."""
    return sorted(file.stem for file in NOTEBOOKS.glob("*.md"))


def source(name: str) -> Any:
    """The notebook of a source, without outputs; ids of cells follow from what they contain."""
    import jupytext

    notebook = jupytext.read(NOTEBOOKS / f"{name}.md", fmt="md:myst")
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
    }
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    seen: set[str] = set()
    for cell in notebook.cells:
        number = 0
        while (of_cell := _digest(f"{number}{cell.cell_type}{cell.source}")) in seen:
            number += 1
        seen.add(of_cell)
        cell["id"] = of_cell
    return notebook


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def execute(notebook: Any) -> None:
    """Run all cells in a kernel, in the folder of the notebooks; an error ends it."""
    with kernel(NOTEBOOKS) as client:
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        for count, cell in enumerate(code, start=1):
            cell.outputs = [_lasting(each) for each in run_cell(client, cell.source)]
            cell.execution_count = count


def _lasting(output: Any) -> Any:
    """An output without state of widgets, paths of this machine and random ids."""
    data = output.get("data", {})
    for of_output in (output, data):
        for kind, text in of_output.items():
            if isinstance(text, str) and not kind.startswith("image/"):
                of_output[kind] = text.replace(f"{ROOT}{os.sep}", "")
    if data.pop(WIDGETS, None):
        data.clear()
        data["text/plain"] = IN_PLACE_OF_WIDGETS
    if "text/html" in data:
        ids: dict[str, str] = {}
        data["text/html"] = _RANDOM_ID.sub(
            lambda found: ids.setdefault(found[0], f"id-{len(ids)}"), data["text/html"]
        )
    return output


def _smaller_figures(notebook: Any) -> None:
    """Give each figure a palette; nothing else of it changes."""
    from PIL import Image

    for output in _outputs(notebook):
        if figure := output.get("data", {}).get("image/png"):
            whole = Image.open(io.BytesIO(base64.b64decode(figure))).convert("RGB")
            kept = io.BytesIO()
            whole.quantize(PALETTE_COUNT, dither=Image.Dither.NONE).save(kept, "PNG", optimize=True)
            output["data"]["image/png"] = base64.b64encode(kept.getvalue()).decode()


def _outputs(notebook: Any) -> Iterator[Any]:
    for cell in notebook.cells:
        yield from cell.get("outputs", ())


def texts(notebook: Any) -> list[str]:
    """All outputs but figures, one after the other."""
    found = []
    for output in _outputs(notebook):
        data = output.get("data", {"text": output.get("text", "")})
        found += [text for kind, text in sorted(data.items()) if not kind.startswith("image/")]
    return found


def _difference(kept: Any, now: Any) -> str:
    """What is first found to differ in the outputs; else empty."""
    for before, after in zip(kept.cells, now.cells, strict=True):
        figures = [image_count(each.get("outputs", ())) for each in (before, after)]
        if len(set(figures)) > 1:
            return "kept: {} figures, now: {}, of the cell:\n{}".format(*figures, after.source)
    return differs(texts(kept), texts(now))


def differs(kept: Sequence[str], now: Sequence[str]) -> str:
    """The first line that differs in more than the last digit of numbers; else empty."""
    old, new = ("\n".join(each).splitlines() for each in (kept, now))
    for before, after in zip(old, new, strict=False):
        if before != after and not _nearly(before, after):
            return f"kept: {before[:SHOWN]}\nnow:  {after[:SHOWN]}"
    return "" if len(old) == len(new) else f"kept: {len(old)} lines of outputs, now: {len(new)}"


def _nearly(before: str, after: str) -> bool:
    one, other = _NUMBER.split(before), _NUMBER.split(after)
    if len(one) != len(other) or one[::2] != other[::2]:
        return False
    numbers = zip(one[1::2], other[1::2], strict=True)
    pairs = [tuple(Decimal(each.replace(",", "")) for each in pair) for pair in numbers]
    units = [max(each.as_tuple().exponent for each in pair) for pair in pairs]
    return all(
        abs(a - b) <= Decimal(1).scaleb(unit) for (a, b), unit in zip(pairs, units, strict=True)
    )


def _run(name: str, writes: bool, report: Any) -> None:
    """One notebook, in a process of its own: what is wrong, and the CPU time it took."""
    import nbformat

    problem = ""
    kept = NOTEBOOKS / f"{name}.ipynb"
    logged = tempfile.TemporaryFile()  # noqa: SIM115 - until the process ends
    os.dup2(logged.fileno(), _STANDARD_ERROR)  # also of workers, which report their end
    try:
        notebook = source(name)
        execute(notebook)
        if writes:
            _smaller_figures(notebook)
            nbformat.validate(notebook)
            kept.write_text(nbformat.writes(notebook, indent=1) + "\n", encoding="utf-8")
        elif not kept.exists():
            problem = "it has no .ipynb: make ipynb"
        elif line := _difference(nbformat.read(kept, 4), notebook):
            problem = f"its .ipynb has other outputs, which `make ipynb` renews:\n{line}"
    except Exception:  # noqa: BLE001 - whatever a cell raises
        logged.seek(0)
        problem = logged.read().decode(errors="replace") + traceback.format_exc()
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    report.send((problem, sum(each.ru_utime + each.ru_stime for each in used)))


def main(arguments: Sequence[str]) -> int:
    """Run the notebooks named, or all, as many at a time as there are processors."""
    writes = "--write" in arguments
    chosen = [name for name in arguments if not name.startswith("--")] or names()
    unknown = sorted(set(chosen) - set(names()))
    if unknown:
        print("no such notebook:", *unknown, file=sys.stderr)  # noqa: T201
        return 2
    waiting = sorted(chosen, key=lambda name: name not in LONGEST_FIRST)
    warm_up()
    forks = multiprocessing.get_context("fork")
    running: dict[Any, tuple[str, Any, float]] = {}
    is_wrong = False
    while waiting or running:
        while waiting and len(running) < (os.cpu_count() or 1):
            name = waiting.pop(0)
            receives, sends = forks.Pipe(duplex=False)
            process = forks.Process(target=_run, args=(name, writes, sends))
            process.start()
            sends.close()
            running[receives] = (name, process, time.monotonic())
        for ready in multiprocessing.connection.wait(list(running), timeout=1):
            name, process, _ = running.pop(ready)
            try:
                problem, used_s = ready.recv()
            except EOFError:
                problem, used_s = "its process ended without a result", 0.0
            process.join()
            is_wrong |= bool(problem)
            print(f"{name:40} {used_s:5.1f} s of CPU  {'failed' if problem else 'ok'}", flush=True)  # noqa: T201
            if problem:
                print(problem, flush=True)  # noqa: T201
        for name, process, start in running.values():
            if time.monotonic() - start > LONGEST_RUN_S:
                print(f"{name}: stopped after {LONGEST_RUN_S} s", flush=True)  # noqa: T201
                process.kill()
    return int(is_wrong)


if __name__ == "__main__":
    # one thread for each notebook: as many notebooks run as there are processors
    for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(threads, "1")
    with tempfile.TemporaryDirectory(prefix="netmodel-notebooks-") as own:
        os.environ["IPYTHONDIR"] = own
        sys.exit(main(sys.argv[1:]))
