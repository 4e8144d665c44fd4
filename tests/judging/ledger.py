"""The ledger of published statements, which several modules read before their first test."""

from functools import cache

from netmodel.judging import evidence
from netmodel.judging._evidence._ledger import Evidence


@cache
def ledger() -> tuple[Evidence, ...]:
    """Every statement with its verdict, computed once."""
    return evidence()
