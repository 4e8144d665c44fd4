"""Faults that ``make mutation`` plants, for small sources, and the list of equivalent ones."""

from pathlib import Path

import pytest

from mutation.__main__ import ROOT, equivalent, is_within, sampled
from mutation.mutants import mutants_of
from mutation.servers import replacements


def lines(tmp_path: Path, source: str, name: str = "one.py") -> set[str]:
    """What a source becomes, by each of its faults."""
    (tmp_path / name).write_text(source, encoding="utf-8")
    mutants = mutants_of(tmp_path, name)
    for mutant in mutants:
        assert mutant.becomes in mutant.applied(source.encode()).decode()
    return {mutant.becomes for mutant in mutants}


@pytest.mark.parametrize(
    ("source", "becomes"),
    [
        ("y = x + 1", {"y = x - 1", "y = x + 2", "y = x + 0"}),
        ("y = x * z", {"y = x / z", "y = (x)", "y = (z)"}),
        ("y = x <= z", {"y = x < z", "y = x > z"}),
        ("y = min(x, z)", {"y = max(x, z)"}),
        ("y = -x", {"y =  x"}),
        ("y = not x", {"y =  x"}),
        ("y = not (x)", {"y =  (x)"}),
        ("y = 1.50e-9", {"y = 2.50e-9", "y = 1.51e-9"}),
        ("y = x['µs']", {"y = x['µs_']"}),
        ("y = {'µs': x}", {"y = {'µs_': x}"}),
        ("y = x if z else x", {"y = x if not (z) else x"}),
        ("x.clear()", {"pass"}),
        ("y = x and z", {"y = x or z"}),
        (
            "def f(x: 'int' = 7) -> 3: ...",
            {"def f(x: 'int' = 8) -> 3: ...", "def f(x: 'int' = 6) -> 3: ..."},
        ),
        ("y = f'{x:>10}'", set()),
        ("if x:\n    raise ValueError(8)", {"if False:"}),
    ],
)
def test_faults_of_source(tmp_path: Path, source: str, becomes: set[str]) -> None:
    assert lines(tmp_path, source) == becomes


def test_faults_of_figures(tmp_path: Path) -> None:
    toml = 'locator = "page 7"\n[mtu]\nvalue = 15.4 # from 3\nid = "osa-7"\n'
    assert lines(tmp_path, toml, "a.toml") == {
        "value = 25.4 # from 3",
        "value = 16.4 # from 3",
        "value = 15.5 # from 3",
    }
    assert lines(tmp_path, "mtu_2,rate\n8992,6.1\n", "a.csv") == {
        *("9992,6.1", "8092,6.1", "8902,6.1", "8993,6.1"),
        *("8992,7.1", "8992,6.2"),
    }


def test_a_fault_is_the_same_when_its_line_moves(tmp_path: Path) -> None:
    file = tmp_path / "one.py"
    file.write_text("def f(x):\n    return x + 1\n", encoding="utf-8")
    before = {mutant.key for mutant in mutants_of(tmp_path, "one.py")}
    file.write_text("import math\n\n\ndef f(x):\n    return x + 1\n", encoding="utf-8")
    assert {mutant.key for mutant in mutants_of(tmp_path, "one.py")} == before
    assert ("one.py", "f", "return x + 1", "return x - 1") in before


def test_more_faults_of_a_seed_include_the_same_ones() -> None:
    few, more = (sampled("tuning", count, 1, []) for count in (5, 20))
    assert more[:5] == few
    assert sampled("tuning", 5, 2, []) != few
    assert set(sampled("tuning", 20, 1, ["constant"])) <= set(sampled("tuning", None, 1, []))


def test_each_equivalent_fault_can_be_planted() -> None:
    """Else the line is gone or differs: remove the entry, or judge the fault again."""
    files = {key[0] for key in equivalent()}
    known = {mutant.key for file in files for mutant in mutants_of(ROOT, file)}
    assert equivalent().keys() <= known
    assert all(equivalent().values())


FUNCTIONS = """
LIMIT = 3


class Line:
    rate = 2

    def ratio(self, x=7):
        return tuple(x / one for one in (1, self.rate))
"""


@pytest.mark.parametrize(
    ("was", "becomes", "names"),
    [
        ("x / one", "x * one", {"Line.ratio.<locals>.<genexpr>", "Line.ratio"}),
        ("(1, self", "(2, self", {"Line.ratio"}),
        ("(1, self", "(True, self", {"Line.ratio"}),
        ("rate = 2", "rate = 3", None),
        ("x=7", "x=8", None),
        ("LIMIT = 3", "LIMIT = 4", None),
        ("LIMIT = 3", "LIMIT = 3", set()),
    ],
)
def test_only_faults_in_functions_are_planted_in_what_is_imported(
    was: str, becomes: str, names: set[str] | None
) -> None:
    old, new = (
        compile(text, "one.py", "exec") for text in (FUNCTIONS, FUNCTIONS.replace(was, becomes))
    )
    changed = replacements(old, new)
    assert (changed if changed is None else {code.co_qualname for code, _ in changed}) == names


@pytest.mark.parametrize(
    ("called", "name", "judges"),
    [
        ("a.py:outer", "a.py:outer", True),
        ("a.py:outer.<locals>.inner", "a.py:outer.inner", True),
        ("a.py:outer.<locals>.<genexpr>", "a.py:outer", True),
        ("a.py:outer_other", "a.py:outer", False),
        ("a.py:Line.ratio", "a.py:Line", False),
        ("b.py:outer", "a.py:outer", False),
    ],
)
def test_tests_that_call_a_function_judge_what_is_in_it(
    called: str, name: str, judges: bool
) -> None:
    assert is_within(called, name) == judges
