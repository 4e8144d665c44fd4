"""The ledger as a whole: how many statements have each verdict, and why the others have none."""

from collections import Counter

import pytest

from netmodel.judging import evidence
from netmodel.judging._evidence._ledger import NOT_DECLARED, EvidenceVerdict, records_of
from netmodel.records._subjects import QuantityKind

HOLDS, CONTRADICTED = EvidenceVerdict.HOLDS, EvidenceVerdict.CONTRADICTED
INPUT, NOT_MODELLED = EvidenceVerdict.INPUT, EvidenceVerdict.NOT_MODELLED
LEDGER = {row.statement.id: row for row in evidence()}

REGRESSION = {
    "adapter": {HOLDS: 80, CONTRADICTED: 1, INPUT: 25, NOT_MODELLED: 179},
    "kvm": {HOLDS: 10, CONTRADICTED: 2, INPUT: 13, NOT_MODELLED: 60},
    "powervm": {HOLDS: 6, INPUT: 13, NOT_MODELLED: 72},
    "smcr-distance": {HOLDS: 7, CONTRADICTED: 1, INPUT: 7, NOT_MODELLED: 80},
    "zvm": {HOLDS: 26, CONTRADICTED: 6, NOT_MODELLED: 98},
}
"""What the rules of this version make of the statements; not from a source."""


@pytest.mark.parametrize("document", sorted(REGRESSION))
def test_as_many_statements_as_before_have_each_verdict(document: str) -> None:
    result = Counter(row.verdict for row in LEDGER.values() if row.statement.source == document)
    assert result == REGRESSION[document]


def test_what_others_are_computed_from_is_never_judged() -> None:
    used = {name for row in LEDGER.values() for name in row.inputs}
    used |= set(records_of())
    assert used == {name for name, row in LEDGER.items() if row.verdict is INPUT}


@pytest.mark.parametrize(
    ("name", "record"),
    [
        ("osa7s-inbound-limit-slide-35", "osa-express7s-25gbe"),
        ("osa7s-against-osa6s-streaming", "osa-express6s-10gbe"),
        ("kvm-same-host-throughput", "kvm-one-host"),
        ("kvm-separate-hosts-throughput", "kvm-two-hosts"),
        ("powervm-tuning-throughput", "powervm-lpar-to-lpar-tuned"),
        ("powervm-cpu-linear", "powervm-lpar-to-lpar"),
    ],
)
def test_an_input_names_the_records_that_are_made_from_it(name: str, record: str) -> None:
    assert LEDGER[name].verdict is INPUT
    assert record in LEDGER[name].reason


def test_only_what_was_judged_names_what_it_comes_from() -> None:
    for row in LEDGER.values():
        assert row.verdict in {HOLDS, CONTRADICTED} or not row.inputs
        assert all(LEDGER[name].statement.source == row.statement.source for name in row.inputs)


def test_no_statement_has_the_reason_of_any_other() -> None:
    left = [row for row in LEDGER.values() if row.verdict is NOT_MODELLED]
    assert [row.statement.id for row in left if row.reason == NOT_DECLARED] == []
    by_reason: dict[str, set[tuple[QuantityKind, bool]]] = {}
    for row in left:
        published = row.statement
        about = (published.quantity, published.change is not None)
        by_reason.setdefault(row.reason, set()).add(about)
    for about in by_reason.values():
        assert len({is_compared for _, is_compared in about}) == 1


GIVEN = {
    QuantityKind.CLOCK_RATE,
    QuantityKind.CONNECTION_COUNT,
    QuantityKind.CORE_COUNT,
    QuantityKind.DURATION,
    QuantityKind.LINE_RATE,
    QuantityKind.MEMORY_SIZE,
    QuantityKind.MESSAGE_SIZE,
    QuantityKind.MTU,
    QuantityKind.PAYLOAD_SIZE,
    QuantityKind.PROCESSOR_COUNT,
    QuantityKind.THREAD_COUNT,
    QuantityKind.VERSION,
    QuantityKind.DISTANCE,
    QuantityKind.ITEM_COUNT,
}


def test_only_facts_of_the_set_up_are_said_to_be_given() -> None:
    for row in LEDGER.values():
        if "given, not a result" in row.reason:
            assert row.statement.quantity in GIVEN, row.statement.id
            assert row.statement.change is None, row.statement.id


def test_every_mask_is_computed() -> None:
    masks = [r for r in LEDGER.values() if r.statement.quantity is QuantityKind.CPU_MASK]
    assert len(masks) == 21
    assert {row.verdict for row in masks} == {HOLDS, CONTRADICTED}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("osa7s-against-osa6s-rr30k-10", "hosts may be the bottleneck"),
        ("osa7s-against-osa6s-rr1k-time", "hosts may be the bottleneck"),
        ("roce-best-rr30k-mtu-9000-osa7s", "at many, line or adapter limit both"),
        ("roce-against-osa7s-rr1k-cpu-1", "CPU cost of the driver"),
        ("osa7s-against-osa6s-rr1k-time-words", "figures are in osa7s-against-osa6s-rr1k-time"),
        ("osa-buffer-count-set", "2.68 ms at 25 Gbit/s"),
        ("kvm-iplink-qlen", "12.3 ms at 1 Gbit/s and 1.23 ms at 10 Gbit/s"),
        ("kvm-txqueuelen-increase-rate", "1.23 ms"),
        ("powervm-buffer-tiny-max", "sizes of these classes"),
        ("powervm-power7-two-trunks", "that they do is no evidence"),
        ("kvm-same-host-cpu", "no line between them"),
        ("smcr-summary-distance-dwdm", "0.979 ms"),
        ("smcr-summary2-viable-distance", "1.22 MB"),
        ("osa7s-receive-queues", "its record takes from here"),
        ("rps-bitmap-words-unset", "our own count"),
        ("zvm-osa-10gbe-rr-cpu-heavy", "which numbers of clients"),
        ("zvm-summary-osa-layer2-level", "no table compares"),
        ("kvm-ifconfig-rx-packets", "one counter of one host"),
        ("rps-note-softirq", "names no quantity"),
    ],
)
def test_what_is_not_modelled_says_what_is_missing(name: str, words: str) -> None:
    row = LEDGER[name]
    assert row.verdict is NOT_MODELLED
    assert words in "; ".join((row.reason, *row.notes))


def test_reasons_and_notes_of_what_is_not_modelled_are_short() -> None:
    """A reason fits two lines of a terminal, a note one."""
    rows = [row for row in LEDGER.values() if row.verdict is NOT_MODELLED]
    assert [row.reason for row in rows if len(row.reason) > 160] == []
    assert [note for row in rows for note in row.notes if len(note) > 100] == []


def test_words_name_all_statements_that_print_their_figures() -> None:
    """The note names the first one, JSON all."""
    row = LEDGER["osa7s-against-osa6s-streaming-mtu-9000-cpu-words"]
    sides = [f"{count}-{side}" for count in (50, 250) for side in ("client", "server")]
    ids = [f"osa7s-against-osa6s-streaming-mtu-9000-cpu-{each}" for each in sides]
    assert row.to_dict()["figures_in"] == ids
    assert row.notes == (f"in words only; figures are in {ids[0]} and 3 more",)


@pytest.mark.parametrize(
    ("name", "data", "cpu_time"),
    [
        ("rps-osa7s-time-250", "1.587", "1.032"),
        ("rps-osa7s-cpu-50-server", "0.885", "0.726"),
        ("rps-roce-cpu-250-client", "1.515", "1.091"),
        ("rps-roce-time-10", "0.855", "0.957"),
    ],
)
def test_transaction_time_and_consumption_imply_the_cpu_time(
    name: str, data: str, cpu_time: str
) -> None:
    """37 % less time is 1 / 0.63 = 1.587 times the data, and 0.65 of that 1.032 times the CPU."""
    (note,) = (note for note in LEDGER[name].notes if " times the data" in note)
    assert note.endswith(f": {data} times the data, {cpu_time} times the CPU time")
