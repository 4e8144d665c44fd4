"""Whose CPU time a consumption counts, and at which side."""

import pytest

from netmodel.consumption import Consumption, Side
from netmodel.errors import DomainError


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1, "system", Side.CLIENT), "us_per_gbit must be at least 0 µs/Gbit; got -1"),
        ((1, "core", Side.CLIENT), r"scope must be one of process, .* got 'core'"),
        ((1, "system", "server"), r"side must be one of .* got 'server'"),
    ],
)
def test_impossible_consumptions_are_refused(arguments: tuple, message: str) -> None:
    with pytest.raises(DomainError, match=f"^{message}"):
        Consumption(*arguments)


@pytest.mark.parametrize(("from_client", "from_server"), [(200, 1000), (1000, 200), (200, 200)])
def test_who_sends_more_is_the_sender(from_client: float, from_server: float) -> None:
    """The client where both send the same, as in an even request and response."""
    sending = Side.sending_more(from_client, from_server)
    assert sending is (Side.SERVER if from_server > from_client else Side.CLIENT)
    assert {sending, sending.other} == set(Side)
