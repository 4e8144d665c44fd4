"""Whether a printed figure allows all, a part or nothing of what is computed."""

from math import inf

import pytest

from netmodel.judging import evidence
from netmodel.judging._evidence._amounts import Agreement, Computed, agreement
from netmodel.records import statement

FIGURE = "osa7s-inbound-limit-slide-35"
UP_TO = "smcr-summary-10km-rr-1k-throughput"
MORE = "mtu-9000-against-1500-rr30k-osa7s"
LESS = "zvm-vswitch-rr-cpu-one-pair"
SAME = "roce-against-osa7s-rr30k-mtu-9000-many"
PREDICTED, CONSISTENT, MISSED = Agreement.PREDICTED, Agreement.CONSISTENT, Agreement.MISSED


@pytest.mark.parametrize(
    ("name", "low", "high", "of_one", "of_all"),
    [
        (FIGURE, 13.36, 13.44, PREDICTED, PREDICTED),
        (FIGURE, 13.4, 14, CONSISTENT, MISSED),
        (FIGURE, 13.46, 14, MISSED, MISSED),
        (UP_TO, 87.5, 88.4, PREDICTED, PREDICTED),
        (UP_TO, 10, 88, CONSISTENT, PREDICTED),
        (UP_TO, 10, 80, MISSED, MISSED),
        (MORE, 1, 5, PREDICTED, PREDICTED),
        (MORE, 0, 0, MISSED, MISSED),
        (MORE, -1, 5, CONSISTENT, MISSED),
        (LESS, -5, -1, PREDICTED, PREDICTED),
        (LESS, -inf, 3, CONSISTENT, MISSED),
        (SAME, -5, 5, PREDICTED, PREDICTED),
        (SAME, -5.1, 0, CONSISTENT, MISSED),
        (SAME, 5.1, 6, MISSED, MISSED),
    ],
)
def test_an_interval_inside_beside_and_between(
    name: str, low: float, high: float, of_one: Agreement, of_all: Agreement
) -> None:
    published = statement(name)
    assert agreement(published, Computed(low, high, "", "by hand")) is of_one
    assert agreement(published, Computed(low, high, "", "by hand", every=True)) is of_all


def test_the_ledger_marks_what_is_only_consistent() -> None:
    ledger = {row.statement.id: row for row in evidence("adapter")}
    assert ledger["osa7s-limit-rr30k-slide-19"].agreement is PREDICTED
    weak = ledger["roce-line-speed-rr30k-mtu-1500"]
    assert (weak.verdict.value, weak.to_dict()["agreement"]) == ("holds", "consistent")
    for row in ledger.values():
        assert (row.verdict.value == "contradicted") == (row.agreement is MISSED)
        if row.verdict.value in {"input", "not_modelled"}:
            assert row.agreement is Agreement.NOT_COMPUTED
