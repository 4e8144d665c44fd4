"""CONTRIBUTING says where things are: every file, directory and name in it is there."""

import re
from pathlib import Path

import pytest

import netmodel

REPOSITORY = Path(netmodel.__file__).parents[1]
ROWS = re.findall(
    r"^\| (Where .*\?) \| (.*) \|$",
    (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8"),
    flags=re.MULTILINE,
)


def test_there_are_twenty_questions() -> None:
    assert len(ROWS) == 20


@pytest.mark.parametrize(("question", "answer"), ROWS)
def test_an_answer_names_what_is_there_in_two_places_at_most(question: str, answer: str) -> None:
    places = re.findall(r"`((?:netmodel|data)/[^`]*)`(?:: `(\w+)`)?", answer)
    assert 1 <= len(places) <= 2, question
    for place, name in places:
        path = REPOSITORY / place
        assert path.exists(), f"{question} {place} is not there"
        if name:
            source = path.read_text(encoding="utf-8")
            defined = rf"^(def {name}\(|class {name}\b|{name}(: \S+)? = )"
            assert re.search(defined, source, flags=re.MULTILINE), f"{question} {name}"
