"""Notes of predictions over everything in the catalog: each fits into one line."""

from collections.abc import Iterator
from typing import Any

import pytest

import netmodel
from netmodel.records import adapter, catalog, path_record, workload

LONGEST_NOTE = 100
"""Characters of a line in the text output of a wide terminal, and of the code."""
WORKLOADS = ("rr1c-200x30k", "str-writex30k", "awm-rr")
"""Of assumed sizes and given ones, requests and a stream."""
CASES = ((576, None), (1500, 30))
"""MTUs and connections: smaller than calibrated, hashed over a few adapters."""


def ends() -> Iterator[dict[str, Any]]:
    """Each path of the catalog, and each adapter with itself and with one that is calibrated."""
    for name in catalog()["paths"]:
        yield {"path": path_record(name)}
    calibrated = adapter("osa-express7s-25gbe")
    for name in catalog()["adapters"]:
        for receiver in {name: adapter(name), calibrated.id: calibrated}.values():
            yield {"sender": adapter(name), "receiver": receiver}


@pytest.mark.thorough
def test_each_note_of_a_prediction_is_one_line() -> None:
    notes = set()
    for between in ends():
        for name in WORKLOADS:
            for mtu_bytes, count in CASES:
                result = netmodel.predict(
                    workload=workload(name), mtu_bytes=mtu_bytes, connections=count, **between
                )
                notes |= set(result.notes)
    assert len(notes) > 100
    assert [note for note in notes if len(note) > LONGEST_NOTE or "\n" in note] == []
