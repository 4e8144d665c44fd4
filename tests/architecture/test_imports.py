"""What an import loads, seen in an interpreter of its own."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import netmodel
from netmodel.records import data_path

PARENT = Path(netmodel.__file__).parents[1]
HEAVY = frozenset({"click", "hypothesis", "matplotlib", "pandas", "pydantic", "scipy", "sympy"})


def evaluated(code: str) -> object:
    """The value that the code leaves in ``result``."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport json; print(json.dumps(result))"],
        env=os.environ | {"PYTHONPATH": str(PARENT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def loaded_by(code: str) -> set[str]:
    names = evaluated(f"{code}\nimport sys; result = sorted(sys.modules)")
    assert isinstance(names, list)
    return {name.split(".")[0] for name in names}


def test_the_package_alone_loads_nothing_heavy() -> None:
    loaded = loaded_by("import netmodel")
    assert "netmodel" in loaded
    assert not loaded & HEAVY


def test_formula_layers_load_numpy_at_most() -> None:
    layers = ("units", "framing", "ceilings", "consumption", "concurrency", "transport", "tuning")
    imports = "\n".join(f"import netmodel.{layer}" for layer in layers)
    assert not loaded_by(imports) & HEAVY


def test_layers_above_load_what_checks_records_at_most() -> None:
    layers = ("records", "readers", "path", "calibration", "checking", "testing")
    imports = "\n".join(f"import netmodel.{layer}" for layer in layers)
    assert loaded_by(imports) & HEAVY <= {"pydantic"}


SLOW = frozenset({"netmodel.calibration", "pydantic", "scipy"})


def modules_after(*arguments: str) -> set[str]:
    """What is loaded when a command has ended."""
    named = evaluated(
        "import contextlib, io, sys\nfrom netmodel.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        f"    main({list(arguments)!r})\n"
        "result = sorted(sys.modules)"
    )
    assert isinstance(named, list)
    return set(named)


def own(modules: set[str]) -> set[str]:
    return {name for name in modules if name.split(".")[0] == "netmodel"}


def test_help_loads_no_question() -> None:
    """The modules of commands have their texts; options are read when a command is asked for."""
    loaded = modules_after("--help")
    assert not {"numpy", "pydantic", "netmodel.readers._formats", "netmodel.path.stages"} & loaded
    assert not {f"netmodel.api.{x}" for x in ("results", "_questions", "calibrating")} & loaded


PLAN = ("plan", "--flow", "18 Gbit/s in", "--adapter", "osa-express7s-25gbe", "--mtu", "1500")
PREDICT = (
    *("predict", "--adapter", "osa-express7s-25gbe", "--workload", "rr1c-200x30k"),
    *("--mtu", "1500", "--connections", "50"),
)


CALIBRATE = (
    *("calibrate", "osa-express7s-25gbe"),
    *("--where", "workload=str-writex30k", "--where", "direction=in"),
)


@pytest.mark.parametrize(
    "arguments",
    [
        PREDICT,
        PLAN,
        CALIBRATE,
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_command_loads_no_scipy_and_no_measuring(arguments: tuple[str, ...]) -> None:
    result = modules_after(*arguments)
    assert not {"scipy", "sympy", "pandas", "matplotlib", "netmodel.measuring"} & result


def test_a_command_with_arrays_loads_what_numpy_is_alone() -> None:
    """Newer ones load random numbers and masked arrays when they are used."""
    alone = evaluated("import numpy, sys; result = sorted(sys.modules)")
    assert isinstance(alone, list)
    result = modules_after(*CALIBRATE)
    assert "numpy" in result
    assert not {"numpy.random", "numpy.ma"} & (result - set(alone))


def test_predicting_one_case_of_known_parameters_loads_no_numpy() -> None:
    assert "numpy" not in modules_after(*PREDICT[:2], "ethernet-25gbe", *PREDICT[3:])


@pytest.mark.parametrize("command", [PREDICT, PLAN])
def test_one_case_loads_few_modules(command: tuple[str, ...]) -> None:
    """Of the 400 that there are."""
    assert len(own(modules_after(*command))) <= 140


def test_each_data_class_says_what_it_is() -> None:
    """The standard library else makes one of its signature, which takes as long as 20 classes."""
    found = [
        f"{module.stem}.{node.name}"
        for module in sorted((PARENT / "netmodel").rglob("*.py"))
        for node in ast.walk(ast.parse(module.read_text("utf-8")))
        if isinstance(node, ast.ClassDef) and ast.get_docstring(node) is None
        if any("dataclass" in ast.unparse(each) for each in node.decorator_list)
    ]
    assert found == []


def test_a_command_reads_the_records_that_are_named_by_their_file_names() -> None:
    opened = evaluated(
        "import contextlib, io, os, sys\nfrom netmodel.cli import main\n"
        f"root, result = {str(data_path())!r}, []\n"
        "def seen(event, details):\n"
        "    if event in ('open', 'os.scandir') and str(details[0]).startswith(root):\n"
        "        result.append(os.path.relpath(details[0], root))\n"
        "sys.addaudithook(seen)\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        f"    main({list(PREDICT)!r})"
    )
    assert isinstance(opened, list)
    records = [place for place in opened if not place.startswith("published")]
    assert len(records) == len(set(records)), "each is read once"
    assert all(place.endswith(".toml") for place in records), "no directory is listed"
    assert "catalog/adapters/osa-express7s-25gbe.toml" in opened
    assert "catalog/adapters/osa-express2-1gbe.toml" not in opened


def test_a_command_loads_no_others() -> None:
    result = modules_after("ceiling", "--line-rate", "25Gbit/s", "--mtu", "1500")
    assert {"netmodel.cli._formulas", "netmodel.report"} <= result
    others = {"netmodel.checking", "netmodel.path.stages", "netmodel.readers"}
    assert not (SLOW | others) & result


def test_formulas_load_numpy_for_arrays_alone() -> None:
    code = "from netmodel.ceilings import payload_rate_bps as f; f(25e9, 1500); f(25e9, 9000.0)"
    assert "numpy" not in loaded_by(code)
    assert "numpy" in loaded_by(f"{code}; f(25e9, [1500])")


def test_judging_a_run_loads_no_numpy() -> None:
    run = Path(netmodel.__file__).parents[1] / "data/examples/iperf3/line-200m-mtu1500.json"
    result = modules_after("check", str(run), "--line-rate", "200Mbit/s", "--mtu", "1500")
    assert "numpy" not in result


def test_a_formula_of_numbers_and_arrays_loads_nothing_more() -> None:
    code = "from netmodel.ceilings import payload_rate_bps as f; f(25e9, 1500); f(25e9, [1500])"
    assert not loaded_by(code) & HEAVY


def test_layers_are_there_after_importing_the_package() -> None:
    layers = sorted(set(netmodel.__all__) - set(netmodel.api.__all__))
    assert set(layers) <= set(dir(netmodel))
    code = f"import netmodel, sys\nnames = {[f'netmodel.{layer}' for layer in layers]}\n"
    before, names = evaluated(  # type: ignore[misc]
        f"{code}before = [each for each in names if each in sys.modules]\n"
        f"result = [before, [getattr(netmodel, each).__name__ for each in {layers}]]"
    )
    assert before == []
    assert names == [f"netmodel.{layer}" for layer in layers]


def test_an_unknown_attribute_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'netmodel' has no attribute 'telepathy'"):
        netmodel.telepathy  # noqa: B018
    assert not hasattr(netmodel, "_numeric_")
