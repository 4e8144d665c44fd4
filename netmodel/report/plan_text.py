"""Answers of `plan`: the decision in a sentence, a row for each candidate, and details."""

from collections.abc import Iterator

from netmodel.planning import Plans, ScenarioPlan
from netmodel.report.fields import rows_table
from netmodel.report.text import first_rows, notes_text
from netmodel.terminal import columns_table
from netmodel.text import fixed_percent

_SHOWN_ROWS, _SHOWN_REASONS = 20, 3
"""Candidates in a table that is read on a screen, and why some do not hold; --verbose has all."""


def plan_blocks(plans: Plans | ScenarioPlan, is_verbose: bool) -> Iterator[str]:
    """Yield the answer, a row for each candidate, why some do not hold; and all details."""
    best, is_one = plans.first, len(plans.candidates) == 1
    failing = [*map(": ".join, plans.grounds())]
    yield plans.answer
    yield from first_rows(plans.columns, is_verbose, _SHOWN_ROWS, "candidates with --verbose")
    reasons = None if is_verbose else _SHOWN_REASONS
    left_out = len(failing) - len(failing[:reasons])
    failing = failing[:reasons] + [f"not feasible: {left_out:,} more"] * bool(left_out)
    yield "" if is_one else "\n".join(failing)
    if is_verbose and (not is_one or best.scenario):
        yield columns_table(best.columns)
    yield "\n".join(map(": ".join, best.grounds())) if is_verbose else ""
    if is_verbose and best.scenario:
        yield "With one input changed, bounds as above:\n" + rows_table(best.sensitivities, True)
        lines = [f"{more}: {ratio:.4g} times the volumes" for more, ratio in best.prices.items()]
        if best.held_ratio is not None:
            held = fixed_percent(best.held_ratio, 1)
            lines.append(f"nothing is too small {held} of the time, if loads vary independently")
        yield "\n".join(lines)
    yield notes_text(plans.notes, is_verbose)
