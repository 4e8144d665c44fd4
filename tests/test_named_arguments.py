"""Messages name what their reader can give: keywords in Python, options in a command."""

import ast
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click
import pytest
from invocation import PACKAGE_DIRECTORY, refusal

import netmodel
import netmodel.api
import netmodel.planning
from netmodel.api.arguments import kinds_of
from netmodel.cli import main
from netmodel.errors import DomainError
from netmodel.text import argument, names_of_arguments

PACKAGE = Path(PACKAGE_DIRECTORY, "netmodel")
FUNCTIONS = {
    "calibration": ("calibrate", "calibrate_host"),
    "calibration/_host_runs": ("calibrate_host",),
    "checking": ("check",),
    "api/comparison": ("compare",),
    "readers": ("check", "calibrate_host"),
    "readers/_host_runs": ("calibrate_host",),
    "api/calibrating": ("calibrate",),
    "api/lines": ("check",),
    "path": ("predict", "plan"),
    # its other keywords are those of check
    "api/_measure": ("check",),
}
"""Functions of netmodel that messages come from: by module, or by folder for its others."""
_OPTION = re.compile(r"(?<!netmodel plan )--[a-z][a-z-]*")
"""But not where the text names a whole command."""
COMMANDS = {"calibrate_host": "calibrate host"}


def _named() -> Iterator[tuple[str, str, str]]:
    """Each call of `argument` with two constants: the module, the keyword and the option."""
    for file in sorted(PACKAGE.rglob("*.py")):
        source = file.read_text("utf-8")
        if "argument(" not in source:  # to parse all takes seconds
            continue
        place = file.relative_to(PACKAGE).with_suffix("").as_posix()
        names = dict[str, str]()
        for node in ast.walk(ast.parse(source)):
            match node:
                case ast.Assign(targets=[ast.Tuple(names_of)], value=ast.Tuple(values)):
                    names |= {
                        name.id: value.value
                        for name, value in zip(names_of, values, strict=False)
                        if isinstance(name, ast.Name) and isinstance(value, ast.Constant)
                    }
                case ast.Call(func=ast.Name("argument"), args=[name, ast.Constant(option), *_]):
                    keyword = name.value if isinstance(name, ast.Constant) else names[name.id]
                    yield place, keyword, option


NAMED = list(_named())


def _function(name: str) -> Callable[..., object]:
    return getattr(netmodel.api, name, None) or getattr(netmodel.planning, name)


def _options(command: str) -> set[str]:
    context = click.Context(main)
    found = main.get_command(context, command)
    if found is None:
        group, _, name = command.partition(" ")
        found = main.get_command(context, group).get_command(context, name)
    return {option for each in found.params for option in (*each.opts, *each.secondary_opts)}


def test_arguments_are_found() -> None:
    assert {"noise_ratio", "mtu_bytes", "fix", "host_zone"} <= {name for _, name, _ in NAMED}
    assert len(NAMED) > 20


@pytest.mark.parametrize(("place", "keyword", "option"), NAMED)
def test_a_named_argument_exists(place: str, keyword: str, option: str) -> None:
    functions = FUNCTIONS.get(place) or FUNCTIONS[place.partition("/")[0]]
    able = [name for name in functions if keyword in kinds_of(_function(name))]
    assert able, f"{keyword} is an argument of none of {functions}"
    assert any(option in _options(COMMANDS.get(name, name)) for name in able)


def test_no_other_message_below_the_command_line_names_an_option() -> None:
    # other tools have --json; what names the others is called by commands alone
    ours = {
        option
        for name in ("check", "predict", "plan", "compare", "calibrate", "calibrate host")
        for option in _options(name)
        if option.startswith("--")
    } - {"--json", "--verbose", "--predict-at"}
    found = set[tuple[str, str]]()
    for file in PACKAGE.rglob("*.py"):
        if {"cli", "measuring"} & {*file.relative_to(PACKAGE).parts}:
            continue
        tree = ast.parse(file.read_text())
        not_messages = {id(part) for node in ast.walk(tree) for part in _without_messages(node)}
        texts = [
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in not_messages
        ]
        found |= {(file.name, each) for text in texts for each in ours & {*_OPTION.findall(text)}}
    assert not found


def _without_messages(node: ast.AST) -> list[ast.AST]:
    """Docstrings and texts between definitions, and options that `argument` is given."""
    match node:
        case ast.Expr(ast.Constant() as text):
            return [text]
        case ast.Call(func=ast.Name("argument")):
            return list(node.args)
    return []


def test_the_same_message_names_an_option_in_a_command(tmp_path: Path) -> None:
    table = tmp_path / "runs.csv"
    table.write_text("connection_count,throughput_bps\n1,1e9\n2,2e9\n4,3e9\n")
    refused = refusal("calibrate", str(table), "--model", "auto", "--fix", "x=1")
    assert "--fix is for one model" in refused
    with pytest.raises(DomainError, match=r"fix=\.\.\. is for one model"):
        netmodel.calibrate(table, model="auto", fix={"x": 1})


def test_values_are_written_for_their_reader() -> None:
    of_a_run = {"run-1.json": {"request_bytes": 200, "response_bytes": ...}}
    keyword = "given={'run-1.json': {'request_bytes': 200, 'response_bytes': ...}}"
    assert argument("given", "--given", of_a_run) == keyword
    before = names_of_arguments.set({"noise_ratio": "--noise", "given": "--given"})
    try:
        text = argument("given", "--given", of_a_run)
        assert argument("noise_ratio", "--noise") == "--noise"
        with ThreadPoolExecutor(1) as thread:  # that of a program which runs a command in another
            elsewhere = thread.submit(argument, "noise_ratio", "--noise").result()
    finally:
        names_of_arguments.reset(before)
    assert elsewhere == "noise_ratio=..."
    assert text == "--given run-1.json:request_bytes=200,response_bytes=..."
