"""Decision records: one number each, the same in the name of the file and in the heading."""

from pathlib import Path

DECISIONS = Path(__file__).parents[2] / "docs/decisions"


def test_each_decision_has_a_number_of_its_own() -> None:
    names = sorted(path.name for path in DECISIONS.glob("0*.md"))
    numbers = [name.partition("-")[0] for name in names]
    assert numbers == sorted(set(numbers)), "renumber with the next free number, heading and links"
    for name, number in zip(names, numbers, strict=True):
        heading = (DECISIONS / name).read_text(encoding="utf-8").splitlines()[0]
        assert heading.startswith(f"# {int(number)} "), f"{name}: {heading}"
