"""Questions on the documents, with the answers that their pages print."""

import json
from pathlib import Path
from typing import Any

import pytest

from netmodel.published import answer, listing

QUESTIONS = [
    question
    for name in ("questions.json", "more_questions.json")
    for question in json.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))
]
TOLERANCE = {"about": 0.05, "same": 0.05}
"""Conventions for words; all else is equal within 2 %, as printed digits are."""


def is_near(found: float | None, wanted: float | None, relation: str) -> bool:
    return found == (wanted and pytest.approx(wanted, rel=TOLERANCE.get(relation, 0.02)))


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda each: each["id"])
def test_a_question_has_the_printed_answer(question: dict[str, Any]) -> None:
    right, case, quantity = question["right"], question["case"], question["quantity"]
    scale = question.get("cost", 1.0)
    if question["kind"] == "list":
        assert any(is_near(row.low, right["value"], "equal") for row in listing(quantity=quantity))
        return
    if question["kind"] == "cost":
        case = {**case, "side": question["side"]}
        found = answer(case, quantity, {**case, **question["baseline"]})
    else:
        found = answer(case, quantity, question["baseline"])
    assert found.status == right["status"], found.text
    relation = right.get("relation", "")
    assert found.relation == (relation or found.relation), found.text
    for name in ("value", "low", "high"):
        if name in right:
            ends = {"at_least": found.low, "at_most": found.value or found.high}
            known = getattr(found, name)
            known = ends.get(relation, known) if name == "value" and known is None else known
            assert is_near(known and known * scale, right[name], relation), found
    if "within" in right:
        lowest, highest = right["within"]
        assert lowest < (found.value or 0) < highest
    shown = [found.text, *found.notes, *(each.text for each in found.nearest)]
    assert [x for x in shown if x in right.get("texts", ())] == right.get("texts", []), shown
    assert len(found.nearest) == right.get("nearest_count", len(found.nearest))
    near = [1.0 if m.relation == "same" else m.low for m in found.nearest]
    for figure in right.get("nearest", ()):
        assert any(is_near(each, figure, "equal") for each in near), found.nearest
