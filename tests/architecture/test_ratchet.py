"""Size and shape of each room are on record: a count changes only together with its record."""

import pytest
from architecture.census import census, recorded

pytestmark = pytest.mark.thorough


def test_counts_are_those_on_record() -> None:
    """Less is recorded as less; more needs its reason in the commit, and what it frees."""
    now, before = (
        {(room, name): n for room, row in counts.items() for name, n in row.items()}
        for counts in (census(), recorded())
    )
    changed = [
        f"{' '.join(key)}: {before.get(key, 0)} on record, now {now.get(key, 0)}"
        for key in {**before, **now}
        if before.get(key, 0) != now.get(key, 0)
    ]
    assert not changed, "\n".join([*changed, "python tests/architecture/census.py --write"])
