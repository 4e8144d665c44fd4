"""Results and errors survive `pickle` and `copy`, and so the way back from another process."""

import copy
import json
import pickle
import subprocess
import sys
from collections.abc import Iterator
from inspect import signature
from pathlib import Path
from typing import Any

from result_cases import EXAMPLES

import netmodel
from netmodel.errors import NetmodelError

PATHS = [str(Path(__file__).parents[1]), str(Path(netmodel.__file__).parents[1])]
IN_ANOTHER_PROCESS = """
import pickle, sys
kept, again = sys.argv[1:]
with open(kept, "rb") as file:
    results = pickle.load(file)
plain = {name: each.to_dict() for name, each in results.items() if hasattr(each, "to_dict")}
with open(again, "wb") as file:
    pickle.dump((results, plain), file)
"""


def plain(result: Any) -> Any:
    """Its plain values, where it has some."""
    return digits(result.to_dict()) if hasattr(result, "to_dict") else None


def digits(values: Any) -> Any:
    """Twelve digits of each number: sums of arrays that lie elsewhere differ in the last one."""
    return json.loads(json.dumps(values), parse_float=lambda text: f"{float(text):.12g}")


def use(result: Any) -> None:
    """Ask for all that it makes when it is first asked for."""
    for name in dir(type(result)):
        if not name.startswith("_") and isinstance(getattr(type(result), name), property):
            try:
                getattr(result, name)
            except NetmodelError:  # of several predictions, or of an adapter without cost
                continue
    repr(result)
    for name in ("to_dict", "_repr_html_"):
        if hasattr(result, name):
            getattr(result, name)()


def test_results_survive_copies_and_a_process_that_did_not_make_them(tmp_path: Path) -> None:
    made = {name: make() for name, make in EXAMPLES.items()}
    unused = pickle.loads(pickle.dumps(made))
    for result in made.values():
        use(result)
    kept, again = tmp_path / "kept", tmp_path / "again"
    kept.write_bytes(pickle.dumps(made))
    run = subprocess.run(
        [sys.executable, "-c", IN_ANOTHER_PROCESS, kept, again],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": ":".join(PATHS), "HOME": str(tmp_path)},
        check=False,
    )
    assert run.returncode == 0, run.stderr
    results, values = pickle.loads(again.read_bytes())
    for name, result in made.items():
        for each in (unused[name], copy.deepcopy(result), results[name]):
            assert (type(each), repr(each)) == (type(result), repr(result))
            assert plain(each) == plain(result) == digits(values.get(name))


def errors_of(kind: type[Exception]) -> Iterator[type[Exception]]:
    for each in kind.__subclasses__():
        yield each
        yield from errors_of(each)


def test_an_error_survives_whatever_it_is_made_of() -> None:
    for kind in set(errors_of(NetmodelError)):
        given = signature(kind.__init__).parameters.values()
        count = sum(each.kind is each.POSITIONAL_OR_KEYWORD for each in given) - 1  # without self
        error = kind(*["why"] * max(count, 1))
        error.add_note("and where")
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), vars(again)) == (kind, str(error), vars(error))
