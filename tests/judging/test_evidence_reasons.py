"""The ledger as a whole: how many statements have each verdict, and why the others have none."""

from collections import Counter
from decimal import Decimal

import pytest
from judging.ledger import ledger

from netmodel.calibration import calibrated_inputs
from netmodel.judging._evidence._amounts import Agreement
from netmodel.judging._evidence._kinds import EvidenceKind
from netmodel.judging._evidence._ledger import (
    NOT_DECLARED,
    Evidence,
    EvidenceVerdict,
    judged,
    records_of,
)
from netmodel.judging._evidence._predictions import Sources, is_same_case
from netmodel.records import Relation, statement, statements
from netmodel.records._subjects import Change, QuantityKind

HOLDS, CONTRADICTED = EvidenceVerdict.HOLDS, EvidenceVerdict.CONTRADICTED
DOUBTFUL = EvidenceVerdict.DOUBTFUL
INPUT, NOT_MODELLED = EvidenceVerdict.INPUT, EvidenceVerdict.NOT_MODELLED
LEDGER = {row.statement.id: row for row in ledger()}

AT_LEAST = {
    EvidenceKind.PREDICTED: {"adapter": 30, "kvm": 12, "powervm": 1, "smcr-distance": 1},
    EvidenceKind.LOOK_UP: {
        "adapter": 45,
        "kvm": 10,
        "powervm": 12,
        "smcr-distance": 39,
        "zvm": 100,
    },
    EvidenceKind.NOTATION: {"adapter": 25, "kvm": 3, "smcr-distance": 6},
    EvidenceKind.DERIVED: {"smcr-distance": 15},
    EvidenceKind.INPUT: {"adapter": 40, "kvm": 15, "powervm": 15, "smcr-distance": 10},
}
"""How many statements count as each kind at least: rules of this version, not from a source."""
MOST_NOT_MODELLED = {"adapter": 110, "kvm": 36, "powervm": 56, "smcr-distance": 24, "zvm": 16}


@pytest.mark.parametrize("document", sorted(MOST_NOT_MODELLED))
def test_rules_reach_as_many_statements_of_each_kind(document: str) -> None:
    counts = Counter(row.kind for row in LEDGER.values() if row.statement.source == document)
    for kind, least in AT_LEAST.items():
        assert counts[kind] >= least.get(document, 0), kind
    assert counts[EvidenceKind.NOT_MODELLED] <= MOST_NOT_MODELLED[document]


def test_fewer_than_400_statements_are_not_modelled() -> None:
    counts = Counter(row.kind for row in LEDGER.values())
    assert counts[EvidenceKind.NOT_MODELLED] < 400
    assert counts.total() == len(statements())


def test_each_kind_has_its_verdict() -> None:
    """What does not hold is its own kind; what holds is one of five."""
    own = {DOUBTFUL, CONTRADICTED, INPUT, NOT_MODELLED}
    for row in LEDGER.values():
        assert (row.verdict in own) == (row.kind.value == row.verdict.value)
        assert (row.agreement is Agreement.CONSISTENT) >= (row.kind is EvidenceKind.CONSISTENT)


def test_no_statement_that_is_an_input_of_its_own_model_counts_as_predicted() -> None:
    records = records_of()
    for row in LEDGER.values():
        assert row.statement.id not in row.inputs
        if row.kind in {EvidenceKind.PREDICTED, EvidenceKind.CONSISTENT}:
            assert row.statement.id not in records
            assert not any(is_same_case(row.statement, statement(name)) for name in row.inputs)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("roce-against-osa7s-streaming", EvidenceKind.DERIVED),  # the line over 13.4, both inputs
        ("osa7s-to-roce-against-osa7s-to-osa7s", EvidenceKind.DERIVED),  # 20.5 over 13.4
        ("osa7s-against-osa6s-streaming-mtu-9000", EvidenceKind.DERIVED),  # line over line
        ("smcr-summary-10km-rr-1k-throughput", EvidenceKind.DERIVED),  # latency seen another way
        ("consumption-example-2-factor", EvidenceKind.DERIVED),  # 1.32 over 1.1
        ("powervm-power7-20g", EvidenceKind.DERIVED),
        ("osa7s-limit-rr30k-slide-19", EvidenceKind.PREDICTED),  # responses from streams
        ("mtu-9000-against-1500-rr30k-osa7s", EvidenceKind.PREDICTED),
        ("osa7s-against-osa6s-rr30k-many", EvidenceKind.CONSISTENT),
        ("kvm-macvtap-stall", EvidenceKind.PREDICTED),
        ("powervm-jumbo-same-mtu", EvidenceKind.PREDICTED),
        ("osa7s-against-osa6s-rr1k-time-words", EvidenceKind.LOOK_UP),
        ("zvm-summary-osa-10gbe-cpu", EvidenceKind.LOOK_UP),
        ("zvm-table5-real-cpus", EvidenceKind.LOOK_UP),
        ("zvm-env-direct-osa-10gbe-virtual-cpus", EvidenceKind.LOOK_UP),
        ("smcr-rr-32k-label-request", EvidenceKind.LOOK_UP),
        ("smcr-rr-32k-request", EvidenceKind.NOTATION),
        ("rps-example-1-table-hex", EvidenceKind.NOTATION),
        ("kvm-ifconfig-tx-bytes-short", EvidenceKind.NOTATION),
        ("set-up-line-rate-roce", EvidenceKind.INPUT),
    ],
)
def test_a_statement_counts_as_what_it_is_evidence_of(name: str, kind: EvidenceKind) -> None:
    assert LEDGER[name].kind is kind


def test_predictions_over_adapters_name_what_their_records_come_from() -> None:
    row = LEDGER["osa7s-limit-rr30k-slide-19"]
    assert row.inputs == calibrated_inputs("adapters")["osa-express7s-25gbe"]
    assert row.to_dict()["inputs"] == list(row.inputs)
    over = [each for each in LEDGER.values() if each.computed_by == "path"]
    assert len(over) > 20
    assert all(each.inputs for each in over)


def test_summaries_of_tables_name_the_cells() -> None:
    row = LEDGER["zvm-vswitch-rr-throughput"]
    (cells,) = row.to_dict()["cells"]
    assert cells.startswith("3 differences of zvm-layer2-layer3 (table 5,")


def test_what_others_are_computed_from_is_never_judged() -> None:
    used = {name for row in LEDGER.values() for name in row.inputs} | set(records_of())
    cited = {
        name
        for name, row in LEDGER.items()
        if row.verdict is INPUT and row.reason.endswith("is taken from it")
    }
    # throughput that the time of the same case implies, which both are inputs
    implied = {
        f"smcr-summary-{distance}-rr-{size}-throughput"
        for distance in ("10km", "100km")
        for size in ("1k", "32k")
    }
    inputs = {name for name, row in LEDGER.items() if row.verdict is INPUT}
    assert (used | cited) - implied == inputs
    assert {LEDGER[name].computed_by for name in implied} == {"formula"}
    assert len(cited) > 20


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
        assert row.verdict in {HOLDS, DOUBTFUL, CONTRADICTED} or not row.inputs
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
    QuantityKind.BUFFER_COUNT,
    QuantityKind.DROP_COUNT,
    QuantityKind.ERROR_COUNT,
    QuantityKind.PACKET_COUNT,
    QuantityKind.QUEUE_COUNT,
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
        if row.reason.startswith("given: "):
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
        ("roce-response-time-rr30k-mtu-9000", "at many, line or adapter limit both"),
        ("roce-against-osa7s-rr1k-cpu-250", "CPU model of adapter drivers"),
        ("osa-buffer-count-set", "2.68 ms at 25 Gbit/s"),
        ("kvm-txqueuelen-increase-rate", "1.23 ms"),
        ("powervm-buffer-tiny-max", "sizes of these classes"),
        ("powervm-power7-two-trunks", "that they do is no evidence"),
        ("kvm-same-host-cpu", "no line between them"),
        ("smcr-summary-distance-dwdm", "0.979 ms"),
        ("rps-bitmap-words-unset", "our own count"),
        ("zvm-osa-10gbe-rr-cpu-unexplained", "no numbers of clients"),
        ("zvm-summary-osa-layer2-level", "no table compares"),
        ("kvm-ifconfig-rx-dropped", "one counter of one host"),
        ("rps-note-softirq", "names no quantity"),
        ("rps-osa7s-cpu-10", "leaves open whether it is more or less"),
    ],
)
def test_what_is_not_modelled_says_what_is_missing(name: str, words: str) -> None:
    row = LEDGER[name]
    assert row.verdict is NOT_MODELLED
    assert words in "; ".join((row.reason, *row.notes))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("kvm-iplink-qlen", "12.3 ms at 1 Gbit/s and 1.23 ms at 10 Gbit/s"),
        ("smcr-summary2-viable-distance", "1.22 MB"),
    ],
)
def test_what_is_printed_again_keeps_what_follows_from_it(name: str, words: str) -> None:
    assert LEDGER[name].kind is EvidenceKind.LOOK_UP
    assert words in "; ".join(LEDGER[name].notes)


def test_what_waits_for_a_model_names_it() -> None:
    waits = {name: row.waits_for for name, row in LEDGER.items() if row.waits_for}
    assert waits["kvm-queue-tcp-rate"] == "a loss model of TCP"
    assert waits["rps-note-streaming-cpu"] == "a model of packet steering for streams"
    assert {LEDGER[name].verdict for name in waits} == {NOT_MODELLED}
    assert len(set(waits.values())) < 12


def test_reasons_and_notes_of_what_is_not_modelled_are_short() -> None:
    """A reason fits two lines of a terminal, a note one."""
    rows = [row for row in LEDGER.values() if row.verdict is NOT_MODELLED]
    assert [row.reason for row in rows if len(row.reason) > 160] == []
    assert [note for row in rows for note in row.notes if len(note) > 100] == []


def test_words_name_all_statements_that_print_their_figures() -> None:
    """The reason names the first three, JSON all."""
    row = LEDGER["osa7s-against-osa6s-streaming-mtu-9000-cpu-words"]
    sides = [f"{count}-{side}" for count in (50, 250) for side in ("client", "server")]
    ids = [f"osa7s-against-osa6s-streaming-mtu-9000-cpu-{each}" for each in sides]
    assert row.to_dict()["figures_in"] == ids
    assert row.reason.startswith("in figures: CPU consumption 12 % lower")
    assert row.reason.endswith("and 1 more")


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


FIGURES = [
    row
    for row in LEDGER.values()
    if row.statement.value and (row.verdict is HOLDS or row.reason.endswith("is taken from it"))
]


@pytest.mark.parametrize("row", FIGURES, ids=lambda row: row.statement.id)
def test_every_computed_figure_can_fail(row: Evidence) -> None:
    """A thousand times as much, or a thousandth, is not what is computed."""
    about = row.statement
    assert about.value is not None
    wrong = [about.value * 1000, about.value / 1000]
    planted = [about.model_copy(update={"value": value, "resolution": None}) for value in wrong]
    assert {judged(each, Sources()).verdict for each in planted} & {CONTRADICTED, DOUBTFUL}


CHANGES = [
    row
    for row in LEDGER.values()
    if row.verdict is HOLDS and row.statement.change in {Change.MORE, Change.LESS}
]


@pytest.mark.parametrize("row", CHANGES, ids=lambda row: row.statement.id)
def test_every_computed_change_can_fail(row: Evidence) -> None:
    """More in place of less, or less in place of more, is not what is computed."""
    about = row.statement
    other = Change.LESS if about.change is Change.MORE else Change.MORE
    planted = judged(about.model_copy(update={"change": other}), Sources())
    assert planted.verdict is not HOLDS


UNCHANGED = [
    row for row in LEDGER.values() if row.verdict is HOLDS and row.statement.change is Change.SAME
]


@pytest.mark.parametrize("row", UNCHANGED, ids=lambda row: row.statement.id)
def test_every_computed_sameness_can_fail(row: Evidence) -> None:
    """A fifth more, or a fifth less, is not what is computed where nothing changes."""
    figure = {"relation": Relation.AT_LEAST, "value": Decimal(21), "unit": "%"}
    for change in (Change.MORE, Change.LESS):
        planted = row.statement.model_copy(update={**figure, "change": change})
        assert judged(planted, Sources()).verdict is CONTRADICTED
