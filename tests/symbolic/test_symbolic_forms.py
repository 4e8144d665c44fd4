"""Every public function of the formulas has a symbolic form or a reason, and LaTeX where it has."""

import pytest
from formulas import public_formulas

from netmodel.errors import DomainError
from netmodel.symbolic import expression, latex
from netmodel.symbolic._formulas import Formula, formulas_by_name
from netmodel.symbolic._latex import latex_of, symbol_of
from netmodel.symbolic._reasons import FIXED, REASONS, fixed_of, reason_of

FUNCTIONS = list(formulas_by_name().values())
SYMBOLIC = [each for each in FUNCTIONS if reason_of(each) is None]
OTHERS = [each for each in FUNCTIONS if reason_of(each) is not None]
WITH_DEFAULTS = {"ceiling_columns", "line_ceiling"}
"""Formulas whose example only shows more than their defaults do."""


def test_every_formula_is_symbolic() -> None:
    assert {each.function for each in public_formulas()} <= {each.function for each in SYMBOLIC}


@pytest.mark.parametrize("formula", SYMBOLIC, ids=lambda each: each.name)
def test_what_has_no_reason_has_a_form(formula: Formula) -> None:
    written = latex(formula.function, **fixed_of(formula))
    for text in written.values() if isinstance(written, dict) else [written]:
        assert " = " in text
        assert text.count("{") == text.count("}")
        assert text.count(r"\left") == text.count(r"\right")
        assert "_bytes" not in text, "a name without a symbol"


@pytest.mark.parametrize("formula", OTHERS, ids=lambda each: each.name)
def test_what_has_a_reason_has_no_form(formula: Formula) -> None:
    reason = reason_of(formula)
    assert reason is not None
    with pytest.raises(DomainError) as refused:
        expression(formula.function)
    assert str(refused.value) == f"{formula.name} has no symbolic form: {reason}"


def test_the_tables_name_functions_that_exist() -> None:
    names = {each.short_name for each in FUNCTIONS}
    assert set(REASONS) <= names
    assert set(FIXED) <= {each.short_name for each in SYMBOLIC}


@pytest.mark.parametrize("name", sorted(set(FIXED) - WITH_DEFAULTS))
def test_what_must_be_fixed_is_named(name: str) -> None:
    with pytest.raises(DomainError, match=next(iter(FIXED[name]))):
        expression(name)


@pytest.mark.parametrize("formula", SYMBOLIC, ids=lambda each: each.name)
def test_no_two_quantities_of_a_formula_share_a_symbol(formula: Formula) -> None:
    names = [*formula.parameters, formula.short_name]
    assert len({symbol_of(name) for name in names}) == len(set(names))


def test_symbols_of_the_field() -> None:
    assert latex("efficiency_ratio", header_bytes=52, link_header_bytes=14) == (
        r"\eta = \frac{\mathrm{MTU} - 52}{\max\left(64, \mathrm{MTU} + 18\right) + 20}"
    )
    assert latex("busy_cpu_count") == r"N_\mathrm{busy\,cpu} = \frac{c X}{10^{15}}"
    assert symbol_of("time_per_frame_s") == r"t_\mathrm{per\,frame}"
    assert "1.05383" in latex("cubic_window_segment_count")
    assert latex_of(expression("transport.window_payload_rate_bps")) == (
        r"\frac{8 N_\mathrm{flow} w}{\mathrm{RTT}}"
    )
