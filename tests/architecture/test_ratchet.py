"""Size and shape of each room are on record: a count changes only together with its record."""

import pytest
from architecture.census import as_toml, census, recorded

pytestmark = pytest.mark.thorough


def test_counts_are_those_on_record() -> None:
    """Less is recorded as less; more needs its reason in the commit, and what it frees.

    ``python tests/architecture/census.py --write`` records the counts.
    """
    assert as_toml(census()).splitlines() == as_toml(recorded()).splitlines()
