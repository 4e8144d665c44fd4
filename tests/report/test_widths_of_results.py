"""Texts of results end where the terminal does, or COLUMNS, and are as they are elsewhere."""

import pytest
from result_cases import EXAMPLES, example

from netmodel.report.plan_text import plan_blocks

WIDTHS = (40, 80, 200)
ON_ONE_LINE = {"Dataset", "Document", "Flow", "Scenario"}
"""Texts that stand in those of others, which break their lines; rows of measurements stay whole."""


def too_long(text: str, columns: int) -> list[str]:
    """Lines that end behind the terminal, but for single words."""
    return [line for line in text.splitlines() if len(line) > columns and len(line.split()) > 1]


@pytest.mark.parametrize("name", sorted(set(EXAMPLES) - ON_ONE_LINE))
def test_results_print_within_the_columns_of_a_terminal(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = example(name)
    usual = str(result)
    if type(result).__str__ is object.__str__:  # printed by its short form
        assert "\n" not in usual
        return
    for columns in WIDTHS:
        monkeypatch.setenv("COLUMNS", str(columns))
        text = str(result)
        assert too_long(text, columns) == []
        if name != "ScenarioPlan":  # its table has as many columns as fit
            assert text.split() == usual.split()
    monkeypatch.delenv("COLUMNS")
    assert str(result) == usual


def test_a_wide_terminal_gets_more_of_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = example("ScenarioPlan")
    heads = []
    for columns in WIDTHS:
        monkeypatch.setenv("COLUMNS", str(columns))
        heads.append(set([*plan_blocks(plan, False)][1].splitlines()[0].split()))
    assert heads[0] <= heads[1] < heads[2]
