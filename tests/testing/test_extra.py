"""Without Hypothesis: what it takes is named."""

import sys

import pytest

from netmodel import testing
from netmodel.errors import MissingPartError


@pytest.mark.parametrize("name", ["line_rates", "workloads", "assert_bounded"])
def test_what_needs_hypothesis_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    for module in ("_laws", "_strategies"):
        monkeypatch.delitem(sys.modules, f"netmodel.testing.{module}", raising=False)
    monkeypatch.delitem(vars(testing), name, raising=False)
    with pytest.raises(MissingPartError, match=r"\[testing\]'? brings it"):
        getattr(testing, name)
