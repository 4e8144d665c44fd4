"""Statements that a test makes, in place of those of the documents."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from netmodel.judging import _measured_cases, _statement_claims
from netmodel.judging._statement_bands import _ranges
from netmodel.judging._statement_bounds import _bounds, _named_mtus
from netmodel.records import Grade, Statement
from netmodel.records._subjects import Change, Configuration, QuantityKind


@contextmanager
def of_statements(known: list[Statement]) -> Iterator[None]:
    """Ranges, bounds and figures of these statements alone."""
    _clear()
    with (
        patch.object(_statement_claims, "statements_in_files_naming", lambda _: known),
        patch.object(_measured_cases, "statements_in_files_naming", lambda _: known),
    ):
        yield
    _clear()


def _clear() -> None:
    for cached in (_ranges, _bounds, _named_mtus):
        cached.cache_clear()


def statement_with(usual: Mapping[str, Any], **fields: Any) -> Statement:
    """The usual fields and these, which go first; without those that are None."""
    made = {
        "id": "mine",
        "wording": "made",
        "source": "made",
        "locator": "page 1",
        "grade": Grade.PUBLISHED,
    }
    whole = {**made, **usual, **fields}
    return Statement(**{key: each for key, each in whole.items() if each is not None})


def made_statement(
    name: str,
    subject: tuple[str, int],
    baseline: str | None = None,
    workload: str = "rr1c-200x30k",
    mtu_bytes: int = 1500,
    **figures: object,
) -> Statement:
    """Throughput over an adapter with a number of connections, or its ratio to another one's."""
    adapter, count = subject
    relative = {"baseline": Configuration(adapter=baseline), "change": Change.FACTOR, "unit": "x"}
    return statement_with(
        {"unit": "Gbit/s"} if baseline is None else relative,
        id=name,
        quantity=QuantityKind.THROUGHPUT,
        subject=Configuration(
            adapter=adapter, workload=workload, mtu_bytes=mtu_bytes, connection_counts=(count,)
        ),
        **figures,
    )
