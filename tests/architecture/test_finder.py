"""CONTRIBUTING says where things are: every file, directory and name in it is there."""

import re
from pathlib import Path

import netmodel

REPOSITORY = Path(netmodel.__file__).parents[1]
ROWS = re.findall(
    r"^\| (Where .*\?) \| (.*) \|$",
    (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8"),
    flags=re.MULTILINE,
)


def test_there_are_twenty_questions() -> None:
    assert len(ROWS) == 20


def test_an_answer_names_what_is_there_in_two_places_at_most() -> None:
    wrong = [f"{question} {each}" for question, answer in ROWS for each in not_there(answer)]
    assert not wrong, "\n".join(wrong)


def not_there(answer: str) -> list[str]:
    """What an answer names that is not there; also that it names no place, or more than two."""
    places = re.findall(r"`((?:netmodel|data)/[^`]*)`(?:: `(\w+)`)?", answer)
    wrong = [] if 1 <= len(places) <= 2 else [f"names {len(places)} places"]
    for place, name in places:
        path = REPOSITORY / place
        defined = rf"^(def {name}\(|class {name}\b|{name}(: \S+)? = )"
        if not path.exists():
            wrong.append(place)
        elif name and not re.search(defined, path.read_text("utf-8"), flags=re.MULTILINE):
            wrong.append(f"{place}: {name}")
    return wrong
