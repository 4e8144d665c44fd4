"""Answers of `plan`: the decision in a sentence, a row for each candidate, and details."""

from collections.abc import Iterator

from netmodel.planning import Plans, ScenarioPlan
from netmodel.report.fields import rows_table
from netmodel.report.text import first_rows, notes_text
from netmodel.terminal import columns_table

_SHOWN_ROWS, _SHOWN_REASONS = 20, 3
"""Candidates in a table that is read on a screen, and why some do not hold; --verbose has all."""


def plan_blocks(plans: Plans | ScenarioPlan, is_verbose: bool) -> Iterator[str]:
    """Yield the answer, a row for each candidate, why some do not hold; and all details."""
    best, is_one = plans.first, len(plans.candidates) == 1
    failing = [*map(": ".join, plans.grounds())]
    yield plans.answer
    yield from first_rows(plans.columns, is_verbose, _SHOWN_ROWS, "candidates with --verbose")
    reasons = failing[: None if is_verbose else _SHOWN_REASONS]
    more = [f"{len(failing) - len(reasons):,} more with --verbose"] * (failing != reasons)
    yield "" if is_one else "\n".join(reasons + more)
    if is_verbose and (not is_one or best.scenario):
        yield columns_table(best.columns)
    yield "\n".join(map(": ".join, best.grounds())) if is_verbose else ""
    if is_verbose and best.scenario:
        yield "With one input changed, bounds as above:\n" + rows_table(best.sensitivities, True)
    yield notes_text(plans.notes, is_verbose)
