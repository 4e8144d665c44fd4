"""Answers of ``netmodel plan`` that agree with each other and with the other commands."""

import pytest
from invocation import printed, words


@pytest.mark.parametrize(
    ("flow", "connections", "spares", "share", "in_use"),
    [
        # the busiest of 4 has 2 of 5 connections; a line carries 23.537 Gbit/s at MTU 1500
        ("30 Gbit/s in", 5, 1, "40 %", 100 * 30 / 23.537061 * 2 / 5),
        # the busiest of 3 has 34 of 100
        ("45 Gbit/s in", 100, 0, "34 %", 100 * 45 / 23.537061 * 34 / 100),
    ],
)
def test_the_note_on_a_hash_has_the_share_that_is_planned(
    flow: str, connections: int, spares: int, share: str, in_use: float
) -> None:
    options = ("--adapter", "ethernet-25gbe", "--mtu", "1500", "--spares", str(spares))
    shown = words(
        printed("plan", "--flow", flow, "--connections", str(connections), *options, "--verbose")
    )
    assert f"connections on one adapter; the plan assumes {share}" in shown
    assert f">= {in_use:.1f} %" in shown
