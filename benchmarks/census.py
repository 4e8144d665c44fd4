"""
Size and shape of the code, and how much of it one call crosses. Run by hand.

``python benchmarks/census.py`` counts this checkout, ``python benchmarks/census.py DIRECTORY ...``
the named ones, a column each, such as work trees of two commits. Prints a Markdown table.

Code lines hold more than a comment or a docstring. A body is the lines of a function below its
signature and docstring. A private function is used once if its name occurs once more in the
package. What a call crosses is counted in a process of its own, at the second call, when modules
and records are loaded: the functions of netmodel that run and the files that hold them, in brackets
those outside framing and the numeric helpers.
"""

import ast
import io
import json
import os
import re
import statistics
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
FORMULA_PACKAGES = frozenset(
    {"units", "framing", "ceilings", "consumption", "transport", "concurrency", "tuning"}
)

PREDICT = """
from netmodel import path
predict = getattr(path, "predict_path", None) or path.predict
from netmodel.records import adapter, workload
osa = adapter("osa-express7s-25gbe")
of_two = path.Path(stages=path.adapter_path(osa, osa, line_rate_bps=25e9).stages[:2])
traffic = path.workload_traffic(workload("str-writex30k"), 10)
call = lambda: predict(of_two, traffic, 1500)
"""
COMMAND = """
import contextlib, io, shlex
from netmodel.cli import main
def call():
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        main(shlex.split({!r}))
"""
CALLS = {
    "payload_rate_bps": "from netmodel.ceilings import payload_rate_bps\n"
    "call = lambda: payload_rate_bps(25e9, 1500)",
    "predict in Python": PREDICT,
} | {
    f"netmodel {command.split()[0]}": COMMAND.format(command)
    for command in (
        "predict --sender osa-express7s-25gbe --receiver osa-express7s-25gbe"
        " --workload str-writex30k --mtu 1500 --connections 50",
        "check data/examples/iperf3/line-200m-mtu1500.json --line-rate 200Mbit/s --mtu 1500",
        "calibrate osa-express7s-25gbe --where workload=str-writex30k,direction=in"
        " --line-rate 25Gbit/s",
        "plan --flow '40 Gbit/s str-writex30k' --adapter osa-express7s-25gbe --mtu 1500",
    )
}
"""Two stages of a path, and commands of the README."""

COUNTED = """
import json, sys
from pathlib import Path
{call}
crossed = set()
package = str(Path({root!r}) / "netmodel")
def note(frame, event, _):
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(package) and code.co_name[0] != "<":
        crossed.add((code.co_filename[len(package) + 1:], code.co_qualname))
call()
sys.setprofile(note)
call()
sys.setprofile(None)
print(json.dumps(sorted(crossed)))
"""


def sources(root: Path) -> dict[Path, str]:
    return {path: path.read_text(encoding="utf-8") for path in (root / "netmodel").rglob("*.py")}


def lines_of(source: str) -> tuple[int, int]:
    """Lines with code, and lines with comments alone."""
    tree = ast.parse(source)
    docstrings: set[int] = set()
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            docstrings.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    code: set[int] = set()
    comments: set[int] = set()
    layout = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            comments.add(token.start[0])
        elif token.type not in layout:
            code.update(range(token.start[0], token.end[0] + 1))
    return len(code - docstrings), len(comments - code)


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def public_names(root: Path) -> tuple[int, int]:
    """Names in ``__all__`` of the packages: all of them, and those outside the formula packages."""
    total = upper = 0
    for init in sorted((root / "netmodel").rglob("__init__.py")):
        package = init.parent.relative_to(root / "netmodel").parts
        if any(part.startswith("_") for part in package):
            continue
        for node in ast.parse(init.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                count = len(ast.literal_eval(node.value))
                total += count
                upper += 0 if package and package[0] in FORMULA_PACKAGES else count
    return total, upper


def crossed(root: Path, call: str) -> str:
    """Functions and files that a call runs."""
    done = subprocess.run(
        [sys.executable, "-c", COUNTED.format(call=call, root=str(root))],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        return "failed: " + done.stderr.strip().splitlines()[-1]
    pairs = json.loads(done.stdout.splitlines()[-1])
    beside = [pair for pair in pairs if not re.match(r"framing/|_num", pair[0])]
    text = f"{len(pairs)} / {len({file for file, _ in pairs})}"
    if len(beside) < len(pairs):
        text += f" ({len(beside)} / {len({file for file, _ in beside})})"
    return text


def census(root: Path) -> dict[str, str]:
    texts = sources(root)
    trees = [ast.parse(text) for text in texts.values()]
    bodies = [body_lines(function) for tree in trees for function in functions(tree)]
    words = Counter(re.findall(r"\w+", "\n".join(texts.values())))
    private = [
        function.name
        for tree in trees
        for function in functions(tree)
        if re.match(r"_[^_]", function.name)
    ]
    code, comments = map(sum, zip(*map(lines_of, texts.values()), strict=True))
    total, upper = public_names(root)
    once = sum(words[name] == 2 for name in private)
    return {
        "files": f"{len(texts):,}",
        "code lines": f"{code:,}",
        "comment lines": f"{comments:,}",
        "functions": f"{len(bodies):,}",
        "median body, lines": f"{statistics.median(bodies):.0f}",
        "private functions used once": f"{once:,} of {len(private):,}",
        "public names": f"{total:,}",
        "of them above the formulas": f"{upper:,}",
    } | {
        f"functions / files crossed by {name}": crossed(root, call) for name, call in CALLS.items()
    }


def main(roots: list[Path]) -> None:
    columns = [census(root) for root in roots]
    print("| | " + " | ".join(root.name for root in roots) + " |")
    print("|---|" + "---:|" * len(roots))
    for row in columns[0]:
        print(f"| {row} | " + " | ".join(column[row] for column in columns) + " |")


if __name__ == "__main__":
    main([Path(name).resolve() for name in sys.argv[1:]] or [HERE])
