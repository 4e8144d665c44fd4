"""The ledger of published statements: complete, and each rule against figures made by hand."""

import csv
import json
from collections import Counter
from collections.abc import Callable
from decimal import Decimal

import pytest
from judging.ledger import ledger

from netmodel.errors import UnknownRecordError
from netmodel.judging import evidence
from netmodel.judging._evidence._ledger import Evidence, EvidenceVerdict
from netmodel.records import data_path, statements

HOLDS, CONTRADICTED = EvidenceVerdict.HOLDS, EvidenceVerdict.CONTRADICTED
DOUBTFUL = EvidenceVerdict.DOUBTFUL
KEYS = {"id", "document", "locator", "quantity", "printed", "computed", "verdict", "reason"}
LEDGER = {row.statement.id: row for row in ledger()}
CONTRADICTIONS = {
    "kvm-buffer-default",
    "kvm-ifconfig-rx-bytes-short",
    "rps-example-1-text-binary",
    "zvm-osa-1gbe-str-8992-cpu-gap-heavy",
    "zvm-summary-layer2-throughput",
    "zvm-summary-vswitch-cpu",
    "zvm-summary-vswitch-layer2-level-cpu",
    "zvm-vswitch-str-1492-throughput",
}
DOUBTS = {"smcr-summary-100km-rr-32k-throughput", "zvm-summary-vswitch-layer3-level"}

Planter = Callable[..., dict[str, Evidence]]


def computed(row: Evidence) -> list[float]:
    """The figure that was computed, or both ends of its interval."""
    return [float(word) for word in row.computed.split() if word[-1].isdigit()]


def test_every_statement_has_a_row_of_its_own() -> None:
    assert [row.statement for row in ledger()] == list(statements())
    assert len(LEDGER) == len(statements())


@pytest.mark.parametrize("document", sorted({published.source for published in statements()}))
def test_a_document_has_the_rows_of_all_its_statements(document: str) -> None:
    rows = evidence(document)
    assert rows == tuple(row for row in LEDGER.values() if row.statement.source == document)
    assert [row.statement for row in rows] == list(statements(document))


def test_verdicts_add_up() -> None:
    counts = Counter(row.verdict for row in LEDGER.values())
    assert set(counts) == set(EvidenceVerdict)
    assert sum(counts.values()) == len(statements())


def test_no_verdict_is_without_a_reason() -> None:
    assert [row.statement.id for row in LEDGER.values() if not row.reason.strip()] == []


def test_what_was_judged_was_computed_and_nothing_else() -> None:
    for row in LEDGER.values():
        judged = row.verdict in {HOLDS, DOUBTFUL, CONTRADICTED}
        assert bool(row.computed) == judged, row.statement.id


def test_json_has_the_columns_of_the_ledger() -> None:
    for row in LEDGER.values():
        answer = json.loads(json.dumps(row.to_dict()))
        assert answer.keys() >= KEYS
        assert answer["verdict"] in {verdict.value for verdict in EvidenceVerdict}
        assert answer["computed"] != ""
    answer = LEDGER["ceiling-25g-mtu-1500"].to_dict()
    assert {key: answer[key] for key in KEYS - {"locator", "reason"}} == {
        "id": "ceiling-25g-mtu-1500",
        "document": "adapter",
        "quantity": "payload_rate",
        "printed": "payload rate 23.537 Gbit/s",
        "computed": "23.5371 Gbit/s",
        "verdict": "holds",
    }


@pytest.mark.parametrize("name", ["adaptor", "", "rfc9999"])
def test_an_unknown_document_is_refused(name: str) -> None:
    with pytest.raises(UnknownRecordError):
        evidence(name)


def test_the_documents_contradict_themselves_here_and_nowhere_else() -> None:
    result = {name for name, row in LEDGER.items() if row.verdict is CONTRADICTED}
    assert result == CONTRADICTIONS


@pytest.mark.parametrize(
    ("name", "arithmetic"),
    [
        ("smcr-summary-100km-rr-32k-throughput", "stands for 32.5 to 37.5 %, and 32.45 to 34.23 %"),
        ("zvm-summary-vswitch-layer3-level", '"essentially" sets no figure: beyond 5 %, but'),
    ],
)
def test_what_disagrees_by_rounding_or_by_a_loose_word_is_doubtful(
    name: str, arithmetic: str
) -> None:
    assert LEDGER[name].verdict is DOUBTFUL
    assert arithmetic in LEDGER[name].reason
    assert {row.verdict for other, row in LEDGER.items() if other not in DOUBTS} == {
        *EvidenceVerdict
    } - {DOUBTFUL}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("wire-math-overhead", 14 + 4 + 7 + 1 + 12 + 20 + 20 + 12),
        ("wire-math-payload", 1500 - 20 - 20 - 12),
        ("wire-math-payload-ratio", 1448 / 1538),
        ("wire-math-ceiling-25g", 25 * 1448 / 1538),
        ("ceiling-25g-mtu-1500", 25 * 1448 / 1538),
        ("ceiling-25g-mtu-9000", 25 * 8948 / 9038),
        ("ceiling-10g-mtu-1500", 10 * 1448 / 1538),
        ("ceiling-10g-mtu-9000", 10 * 8948 / 9038),
        ("consumption-example-1-result", 1.1 / 1.1),
        ("consumption-example-2-factor", 1.32 / 1.1),
        ("consumption-example-2-percent", 20),
        ("set-up-threads-per-lpar", 4 * 2),
        ("rr1k-response-packets", 1),
        ("rps-example-1-table-hex", 1 + 2 + 8 + 64),
        ("rps-example-2-table-hex", 0xFF),
        ("kvm-ifconfig-tx-bytes-short", 117.748544954),
        ("powervm-tcp-recvspace", 2 * 256 * 1024),
    ],
)
def test_what_holds_was_computed_by_hand(name: str, value: float) -> None:
    row = LEDGER[name]
    assert row.verdict is HOLDS
    assert computed(row) == [pytest.approx(value, rel=1e-5, abs=1e-12)]


def test_the_mask_that_is_printed_wrong() -> None:
    """Processors 0, 1, 3 and 6 are 1 + 2 + 8 + 64 = 75, 4b or 1001011; 01001101 is 77."""
    masks = {name: row for name, row in LEDGER.items() if name.startswith("rps-example-1-t")}
    verdicts = Counter(row.verdict for row in masks.values())
    assert verdicts == {HOLDS: 3, CONTRADICTED: 1}
    row = LEDGER["rps-example-1-text-binary"]
    assert row.statement.printed is not None
    assert int(row.statement.printed, 2) == 77
    assert computed(row) == [0b1001011]


def test_the_bytes_that_are_rounded_wrong() -> None:
    """87361147022 byte are 87.4 GB, and printed as 87.3."""
    row = LEDGER["kvm-ifconfig-rx-bytes-short"]
    assert row.verdict is CONTRADICTED
    assert computed(row) == [pytest.approx(87361147022 / 1e9, rel=1e-5)]


def test_buffers_of_64_kib_are_megabytes_of_either_sort() -> None:
    """128 of 65536 byte are 8388608 byte: 8 MiB, or 8.39 MB; the nearer one is meant."""
    row = LEDGER["kvm-buffer-memory-128"]
    assert row.verdict is HOLDS
    assert computed(row) == [8]


def test_a_limit_that_is_printed_gives_the_gain_of_whoever_has_none() -> None:
    """23.537 over 13.4 Gbit/s is 75.65 % more; 13.4 may be 13.35 to 13.45, thus 75.0 to 76.3."""
    row = LEDGER["roce-against-osa7s-streaming"]
    assert row.verdict is HOLDS
    low, high = computed(row)
    ends = [100 * (23.537061 / rate - 1) for rate in (13.45, 13.35)]
    assert [low, high] == pytest.approx(ends, abs=0.006)
    assert 74 < low
    assert high < 77


def test_lines_of_25_and_10_gbit_s_stand_2_5_to_1() -> None:
    row = LEDGER["osa7s-against-osa6s-streaming-mtu-9000"]
    assert row.verdict is HOLDS
    assert all(value == pytest.approx(2.5, rel=0.01) for value in computed(row))


@pytest.mark.parametrize("count", ["1", "10"])
def test_a_limit_of_many_connections_says_nothing_of_few(count: str) -> None:
    row = LEDGER[f"osa7s-against-osa6s-rr30k-{count}"]
    assert row.verdict is EvidenceVerdict.NOT_MODELLED


@pytest.mark.parametrize(
    ("name", "percent", "is_held"),
    [
        ("smcr-summary-10km-rr-1k-throughput", 47, True),  # printed 88, and 88.68 by hand
        ("smcr-summary-10km-rr-32k-throughput", 60, True),  # 150
        ("smcr-summary-10km-str-throughput", 60, True),
        ("smcr-summary-100km-rr-32k-throughput", 25, False),  # 33.3, printed 35: a multiple of 5
    ],
)
def test_throughput_follows_from_latency(name: str, percent: int, is_held: bool) -> None:
    """1 / (1 - 0.47) - 1 = 88.68 %, and 86.92 to 90.48 % where 47 is 46.5 to 47.5."""
    row = LEDGER[name]
    assert row.verdict is (HOLDS if is_held else DOUBTFUL)
    ends = [100 * (1 / (1 - (percent + half) / 100) - 1) for half in (-0.5, 0.5)]
    assert computed(row) == pytest.approx(ends, rel=1e-3)


def differences() -> list[dict[str, str]]:
    path = data_path("measurements", "zvm-layer2-layer3", "differences.csv")
    return list(csv.DictReader(path.read_text("utf-8").splitlines()))


RATES = {"transaction_rate_tps", "data_rate_mb_per_s"}
COSTS = {"total_cpu_ms_per_transaction", "total_cpu_ms_per_mb"}


def spread(tables: range, quantities: set[str], level: str, layer: str = "") -> list[Decimal]:
    """Printed differences, of the two layers at a level or of the two levels on a layer."""
    return [
        Decimal(cells["difference_percent"])
        for cells in differences()
        if int(cells["table"]) in tables
        and cells["quantity"] in quantities
        and (cells["hypervisor_level"], cells["layer"]) == (level, layer)
    ]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("zvm-summary-layer2-throughput", spread(range(5, 11), RATES, "5.2.0")),
        ("zvm-summary-vswitch-cpu", spread(range(5, 8), COSTS, "5.2.0")),
        ("zvm-summary-osa-1gbe-cpu", spread(range(8, 11), COSTS, "5.2.0")),
        ("zvm-summary-osa-10gbe-throughput", spread(range(11, 13), RATES, "5.1.0")),
        ("zvm-summary-osa-10gbe-cpu", spread(range(11, 13), COSTS, "5.1.0")),
        ("zvm-summary-vswitch-layer2-level-throughput", spread(range(2, 5), RATES, "", "2")),
        ("zvm-summary-vswitch-layer2-level-cpu", spread(range(2, 5), COSTS, "", "2")),
    ],
)
def test_a_summary_holds_if_its_range_covers_the_tables(name: str, values: list[Decimal]) -> None:
    row = LEDGER[name]
    published = row.statement
    assert computed(row) == [float(min(values)), float(max(values))]
    assert published.low is not None
    assert published.high is not None
    covers = published.low <= min(values) and max(values) <= published.high
    assert row.verdict is (HOLDS if covers else CONTRADICTED)
    assert f"{len(values)} differences" in row.reason


def test_less_throughput_than_the_table_has() -> None:
    """Table 6 has -1.2 % twice, but +0.4 % for one client, of which no rounding makes less."""
    values = spread(range(6, 7), RATES, "5.2.0")
    assert sorted(values) == [Decimal("-1.2"), Decimal("-1.2"), Decimal("0.4")]
    assert LEDGER["zvm-vswitch-str-1492-throughput"].verdict is CONTRADICTED


def test_a_change_that_is_rounded_to_nothing_has_either_sign() -> None:
    """Table 11 has 0 to 6 % more transactions; 0 may be 0.4."""
    values = spread(range(11, 12), RATES, "5.1.0")
    assert (min(values), max(values)) == (0, 6)
    assert LEDGER["zvm-osa-10gbe-rr-throughput"].verdict is HOLDS


CEILING = (
    'quantity = "payload_rate"; subject = {{ line_rate = "25 Gbit/s", mtu_bytes = 1500 }}; '
    'value = {}; unit = "{}"; computed = {{ rule = "ceiling" }}'
)
MASK = (
    'quantity = "cpu_mask"; subject = {{}}; given = {{ cpus = [1, 2, 3] }}; value = {}; unit = "1"'
    '; computed = {{ rule = "mask", of = "given.cpus" }}'
)
OF_64_KIB = (
    '{{ rule = "arithmetic", operation = "multiply", '
    'of = [{{ rule = "figure", field = "given.buffer_count" }}, "64 KiB"] }}'
)
BUFFERS_IN = (
    'quantity = "buffer_memory"; subject = {{}}; given = {{ buffer_count = 100 }}; '
    f'value = {{}}; unit = "{{}}"; computed = {OF_64_KIB}'
)
BUFFERS = (
    BUFFERS_IN.replace('"{}"', '"MB"').partition("; computed")[0]
    + f'; computed = {{{{ rule = "reading", of = {OF_64_KIB}, units = ["MB", "MiB"] }}}}'
)
PACKETS = (
    'quantity = "packet_count"; subject = {{ mtu_bytes = {} }}; '
    'given = {{ message_bytes = 30720 }}; value = {}; unit = "1"; '
    'computed = {{ rule = "frames", of = {{ rule = "figure", field = "given.message_bytes" }} }}'
)
THREADS = (
    'quantity = "thread_count"; subject = {{}}; given = {{ cores = 6, threads_per_core = 2 }}; '
    'value = {}; unit = "1"; computed = {{ rule = "arithmetic", operation = "multiply", of = [{{ '
    'rule = "figure", field = "given.cores" }}, {{ rule = "figure", field = '
    '"given.threads_per_core" }}] }}'
)
BYTES = 'quantity = "byte_count"; subject = {{ interface = "eth7" }}; value = {}; unit = "{}"'
COLUMNS = {
    "throughput": '["transaction_rate_tps", "data_rate_mb_per_s"]',
    "cpu_time": '["total_cpu_ms_per_transaction", "total_cpu_ms_per_mb"]',
}


def summary(quantity: str, table: int, change: str, figures: str) -> str:
    """A claim on layer 2 against layer 3, computed from the cells of a table."""
    return (
        f'quantity = "{quantity}"; subject = {{ layer = 2, table = {table} }}; '
        f'baseline = {{ layer = 3 }}; change = "{change}"; {figures}; '
        'computed = { rule = "cells", dataset = "zvm-layer2-layer3", table = "differences", '
        f'column = "difference_percent", where = {{ table = {table}, hypervisor_level = "5.2.0", '
        f'comparison = "layer3-to-layer2", quantity = {COLUMNS[quantity]} }} }}'
    )


@pytest.mark.parametrize(
    ("true", "wrong"),
    [
        (CEILING.format("23.54", "Gbit/s"), CEILING.format("23.55", "Gbit/s")),
        (MASK.format(14), MASK.format(7)),
        (BUFFERS.format("6.25"), BUFFERS.format("6.4")),
        (BUFFERS.format("6.55"), BUFFERS.format("6.60")),
        (PACKETS.format(1500, 22), PACKETS.format(1500, 21)),
        (PACKETS.format(9000, 4), PACKETS.format(9000, 3)),
        (THREADS.format(12), THREADS.format(8)),
    ],
)
def test_a_planted_wrong_figure_is_contradicted(plant: Planter, true: str, wrong: str) -> None:
    """25 x 1448 / 1538 = 23.5371, 2 + 4 + 8 = 14, 100 x 64 KiB = 6.25 MiB or 6.5536 MB."""
    rows = plant(true, wrong)
    assert [row.verdict for row in rows.values()] == [HOLDS, CONTRADICTED]


@pytest.mark.parametrize(
    ("value", "verdict"), [("87.36", HOLDS), ("87.35", CONTRADICTED), ("87.4", HOLDS)]
)
def test_a_short_counter_is_the_long_one_rounded(
    plant: Planter, value: str, verdict: EvidenceVerdict
) -> None:
    short = BYTES.format(value, "GB") + '; computed = { rule = "figure", statement = "planted-1" }'
    rows = plant(BYTES.format("87361147022", "bytes"), short)
    assert rows["planted-2"].verdict is verdict


GAIN = (
    'quantity = "{}"; subject = {{ workload = "smc-rr-1k", transport = "smcr" }}; '
    'baseline = {{ transport = "tcp" }}; change = "{}"; value = {}; unit = "%"'
)


@pytest.mark.parametrize(
    ("less", "more", "verdict"),
    [
        ("47", "89", HOLDS),
        ("47", "95", CONTRADICTED),
        ("47", "80", CONTRADICTED),
        ("47", "85", DOUBTFUL),  # 86.92 to 90.48 %, and 82.5 to 87.5 % if 85 is rounded to 5
        ("47", "86", CONTRADICTED),  # no multiple of 5
        ("50", "100", HOLDS),
        ("47.5", "90.5", HOLDS),
        ("47.5", "92.0", CONTRADICTED),  # 90.29 to 90.66 % from 47.45 to 47.55 %
    ],
)
def test_a_planted_gain_has_to_follow_from_its_latency(
    plant: Planter, less: str, more: str, verdict: EvidenceVerdict
) -> None:
    """1 / (1 - 0.475) - 1 = 90.48 %; more digits of the latency leave less room."""
    law = (
        '; computed = { rule = "formula", name = "consumption.data_ratio_at_fixed_concurrency", '
        'arguments = { transaction_time_ratio = { rule = "figure", statement = "planted-1" } } }'
    )
    latency = GAIN.format("latency", "less", less)
    rows = plant(latency, GAIN.format("throughput", "more", more) + law)
    assert rows["planted-2"].verdict is verdict


LINE_SPEED = (
    'quantity = "payload_rate"; relation = "censored_above"; value = 1; unit = "line"; '
    'subject = {{ adapter = "{}", workloads = ["rr1c-200x30k", "str-writex30k"]{} }}; '
    'computed = {{ rule = "cases", of = {{ rule = "line_share" }}, vary = {{ '
    'workload = ["rr1c-200x30k", "str-writex30k"]{} }} }}'
)


def test_line_speed_at_no_mtu_in_particular_is_that_at_all(plant: Planter) -> None:
    """13.4 of 23.54 Gbit/s pass an OSA-Express7S at MTU 1500, and all at 9000."""
    mtus = (
        ("", ", mtu_bytes = [1500, 9000]"),
        (", mtu_bytes = 9000", ""),
        (", mtu_bytes = 1500", ""),
    )
    rows = list(plant(*(LINE_SPEED.format(OSA7S, *mtu) for mtu in mtus)).values())
    assert [row.verdict for row in rows] == [CONTRADICTED, HOLDS, CONTRADICTED]
    assert "MTU 1500" in rows[0].reason
    assert "MTU 9000" in rows[0].reason


def test_line_speed_is_not_predicted_where_a_document_has_no_mtu(plant: Planter) -> None:
    row = plant(LINE_SPEED.format(OSA7S, "", ""))["planted-1"]
    assert row.verdict is EvidenceVerdict.NOT_MODELLED


RATIO = (
    'quantity = "throughput"; change = "factor"; value = {value}; unit = "x"; '
    'subject = {{ adapter = "roce-express2.1-25gbe", mtu_bytes = 1500, {about} }}; '
    'baseline = {{ adapter = "{other}" }}; computed = {{ rule = "cases", of = {{ rule = "ratio", '
    'of = {{ rule = "path" }}, over = {{ rule = "path", side = "baseline" }} }}{vary} }}'
)
OF_BOTH = ', vary = { workload = ["str-writex30k", "rr1c-200x30k"] }'
OSA7S, UNKNOWN = "osa-express7s-25gbe", "osa-express5s-10gbe"


@pytest.mark.parametrize(
    ("about", "true"),
    [
        ('workload = "str-writex30k", connection_counts = [1]', "1.76"),
        ('workload = "str-writex30k", connection_counts = [1, 10, 50, 250]', "1.76"),
        ('workload = "rr1c-200x30k", connection_counts = [50]', "1.80"),
        ('workloads = ["str-writex30k", "rr1c-200x30k"], connection_counts = [250]', "1.76"),
    ],
)
def test_a_ratio_of_rates_is_that_of_two_predictions(plant: Planter, about: str, true: str) -> None:
    """23.537 over 13.4 is 1.7565; 23.486 over 12.922 is 1.8175, and 1.78 over 13.18."""
    vary = OF_BOTH if "workloads" in about else ""
    texts = [
        RATIO.format(value=value, about=about, other=OSA7S, vary=vary) for value in (true, "1.9")
    ]
    assert [row.verdict for row in plant(*texts).values()] == [HOLDS, CONTRADICTED]


def test_a_claim_on_several_workloads_has_to_allow_each(plant: Planter) -> None:
    """1.80 is allowed of large responses alone, 1.76 of streams too."""
    both = 'workloads = ["str-writex30k", "rr1c-200x30k"], connection_counts = [250]'
    large = 'workload = "rr1c-200x30k", connection_counts = [250]'
    texts = [
        RATIO.format(value="1.80", about=about, other=OSA7S, vary=vary)
        for about, vary in ((large, ""), (both, OF_BOTH))
    ]
    assert [row.verdict for row in plant(*texts).values()] == [HOLDS, CONTRADICTED]


@pytest.mark.parametrize(
    ("about", "other"),
    [
        ('workload = "rr1c-200x30k", connection_counts = [10]', OSA7S),
        ('workload = "rr1c-200x30k", connection_counts = [10, 50]', OSA7S),
        ('workload = "rr1c-200x1000", connection_counts = [250]', OSA7S),
        ('workload = "str-writex30k", transport = "smcr"', OSA7S),
        ('workload = "str-writex30k", connection_counts = [50]', UNKNOWN),
    ],
    ids=["hosts bind", "hosts bind at one", "small messages", "another transport", "not known"],
)
def test_no_ratio_is_predicted_where_hosts_or_unknown_times_may_bind(
    plant: Planter, about: str, other: str
) -> None:
    row = plant(RATIO.format(value="1.76", about=about, other=other, vary=""))["planted-1"]
    assert row.verdict is EvidenceVerdict.NOT_MODELLED
    assert row.computed == ""


SAME = (
    'quantity = "{}"; subject = {{ adapter = "{}", workload = "{}", mtu_bytes = 9000, '
    'connection_counts = [50] }}; baseline = {{ {} }}; change = "same"; relation = "sign"'
)


@pytest.mark.parametrize(
    ("about", "verdict"),
    [
        (("throughput", OSA7S, "str-writex30k", 'adapter = "roce-express2.1-25gbe"'), HOLDS),
        (("throughput", OSA7S, "str-writex30k", "mtu_bytes = 1500"), CONTRADICTED),
        (("transaction_time", OSA7S, "rr1c-200x1000", "mtu_bytes = 1500"), HOLDS),
        (("cpu_consumption", OSA7S, "rr1c-200x1000", "mtu_bytes = 1500"), HOLDS),
        (
            ("transaction_time", OSA7S, "rr1c-200x30k", "mtu_bytes = 1500"),
            EvidenceVerdict.NOT_MODELLED,
        ),
        (
            ("transaction_time", OSA7S, "rr1c-200x1000", "mtu_bytes = 576"),
            EvidenceVerdict.NOT_MODELLED,
        ),
    ],
    ids=["at the line", "85 % apart", "one frame", "same work", "fewer frames", "two frames"],
)
def test_the_same_is_within_what_about_means(
    plant: Planter, about: tuple[str, ...], verdict: EvidenceVerdict
) -> None:
    computed_from = (
        '{ rule = "ratio", of = { rule = "path" }, over = { rule = "path", side = "baseline" } }'
        if about[0] == "throughput"
        else '{ rule = "one_frame" }'
    )
    entry = f"{SAME.format(*about)}; computed = {computed_from}"
    assert plant(entry)["planted-1"].verdict is verdict


LOOSE = (
    'quantity = "throughput"; subject = {{ setting = "new" }}; baseline = {{ setting = "old" }}; '
    'change = "same"; relation = "sign"{}; computed = {{ rule = "arithmetic", '
    'operation = "divide", of = [{}, 1] }}'
)


@pytest.mark.parametrize(
    ("loose", "ratio", "verdict"),
    [
        ("", "1.05", HOLDS),
        ("", "1.08", CONTRADICTED),
        ('; loose = "essentially"', "1.08", DOUBTFUL),
        ('; loose = "essentially"', "0.92", DOUBTFUL),
        ('; loose = "essentially"', "1.11", CONTRADICTED),
    ],
)
def test_a_loose_word_leaves_twice_the_room(
    plant: Planter, loose: str, ratio: str, verdict: EvidenceVerdict
) -> None:
    assert plant(LOOSE.format(loose, ratio))["planted-1"].verdict is verdict


WORDS = (
    'quantity = "latency"; subject = {{ workload = "smc-rr-1k"{} }}; '
    'baseline = {{ transport = "tcp" }}; change = "{}"; {}'
)


@pytest.mark.parametrize(
    ("change", "loose", "verdict"),
    [
        ("less", "", HOLDS),
        ("more", "", CONTRADICTED),
        ("more", '; loose = "may"', EvidenceVerdict.NOT_MODELLED),
    ],
)
def test_words_have_to_allow_the_figures_of_their_cases(
    plant: Planter, change: str, loose: str, verdict: EvidenceVerdict
) -> None:
    """47 % less with ten connections is less, unless the words leave room for other cases."""
    words = WORDS.format("", change, f'relation = "sign"{loose}; not_modelled = "a model lacks"')
    figure = WORDS.format(", connection_counts = [10]", "less", 'value = 47; unit = "%"')
    row = plant(words, figure)["planted-1"]
    assert row.verdict is verdict
    assert row.figures_in == (() if loose else ("planted-2",))


LIMIT = 'quantity = "payload_rate"; value = {}; unit = "{}"; subject = {{ adapter = "{}", {} }}'


@pytest.mark.parametrize(
    ("entry", "verdict"),
    [
        (("20.5", "Gbit/s", OSA7S, 'direction = "out", mtu_bytes = 1500'), HOLDS),
        (("13.4", "Gbit/s", OSA7S, 'direction = "in", mtu_bytes = 1500'), HOLDS),
        (("20.5", "Gbit/s", OSA7S, 'direction = "in", mtu_bytes = 1500'), CONTRADICTED),
        (
            (
                "20.5",
                "Gbit/s",
                OSA7S,
                'mtu_bytes = 1500, sender_adapter = "osa-express7s-25gbe", '
                'receiver_adapter = "roce-express2.1-25gbe"',
            ),
            HOLDS,
        ),
        (("1", "line", OSA7S, 'direction = "in", mtu_bytes = 9000'), HOLDS),
        (("1", "line", OSA7S, 'direction = "in", mtu_bytes = 1500'), CONTRADICTED),
        (("13.4", "Gbit/s", OSA7S, 'direction = "in"'), EvidenceVerdict.NOT_MODELLED),
    ],
    ids=["out", "in", "wrong way", "a pair", "line", "below the line", "no MTU"],
)
def test_a_planted_limit_is_held_against_the_prediction_of_its_direction(
    plant: Planter, entry: tuple[str, ...], verdict: EvidenceVerdict
) -> None:
    relation = '; relation = "censored_above"' if entry[1] == "line" else ""
    rule = "line_share" if entry[1] == "line" else "path"
    computed_from = f'; computed = {{ rule = "{rule}", workload = "str-writex30k" }}'
    planted = LIMIT.format(*entry) + relation + computed_from
    assert plant(planted)["planted-1"].verdict is verdict


@pytest.mark.parametrize(
    ("quantity", "table", "change", "verdict"),
    [
        ("throughput", 5, "more", HOLDS),  # 2.8, 3.7 and 1.9
        ("throughput", 5, "less", CONTRADICTED),
        ("throughput", 6, "more", CONTRADICTED),  # 0.4, -1.2 and -1.2
        ("throughput", 10, "more", HOLDS),  # 4.0 and twice 0.0, which may be 0.04
        ("throughput", 10, "less", CONTRADICTED),
        ("cpu_time", 5, "less", HOLDS),  # -3.1 and twice 0.0, which may be -0.04
        ("cpu_time", 5, "more", CONTRADICTED),
    ],
)
def test_a_planted_sign_is_held_against_every_cell_of_its_table(
    plant: Planter, quantity: str, table: int, change: str, verdict: EvidenceVerdict
) -> None:
    entry = summary(quantity, table, change, 'relation = "sign"')
    assert plant(entry, source="zvm")["planted-1"].verdict is verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        ("1.1", "2.5", HOLDS),
        ("1", "3", HOLDS),
        ("1.2", "2.5", CONTRADICTED),
        ("1.1", "2.4", CONTRADICTED),
    ],
)
def test_a_planted_range_has_to_hold_every_cell_of_its_table(
    plant: Planter, low: str, high: str, verdict: EvidenceVerdict
) -> None:
    """Table 8 has 1.1, 2.4 and 2.5 % more transactions."""
    figures = f'relation = "range"; low = {low}; high = {high}; unit = "%"'
    entry = summary("throughput", 8, "more", figures)
    assert plant(entry, source="zvm")["planted-1"].verdict is verdict


AT_LEAST = 'relation = "at_least"; value = {}; unit = "%"'
UP_TO = 'relation = "up_to"; value = {}; unit = "%"'
RANGE = 'relation = "range"; low = {}; high = {}; unit = "{}"'
CONSUMPTION = (
    'quantity = "cpu_consumption"; subject = {{}}; baseline = {{}}; change = "{}"; '
    'given = {{ cpu_time_ratio = 0.9, data_ratio = 1.0 }}; value = {}; unit = "{}"; computed = {{ '
    'rule = "formula", name = "consumption.consumption_ratio", arguments = {{ cpu_time_ratio = {{ '
    'rule = "figure", field = "given.cpu_time_ratio" }}, data_ratio = {{ rule = "figure", '
    'field = "given.data_ratio" }} }} }}'
)


@pytest.mark.parametrize(
    ("true", "wrong", "source"),
    [
        (CEILING.format("23537", "Mbit/s"), CEILING.format("24537", "Mbit/s"), "planted"),
        (CONSUMPTION.format("less", 10, "%"), CONSUMPTION.format("more", 10, "%"), "planted"),
        (CONSUMPTION.format("factor", 0.9, "x"), CONSUMPTION.format("factor", 1.1, "x"), "planted"),
        (BUFFERS_IN.format(6400, "KiB"), BUFFERS_IN.format(64, "KiB"), "planted"),
        (
            summary("cpu_time", 7, "less", RANGE.format(3.2, 6.2, "%")),
            summary("cpu_time", 7, "more", RANGE.format(3.2, 6.2, "%")),
            "zvm",
        ),
        (
            summary("throughput", 8, "factor", RANGE.format(1.01, 1.03, "x")),
            summary("throughput", 8, "factor", RANGE.format(1.1, 2.5, "x")),
            "zvm",
        ),
        (
            summary("throughput", 8, "more", UP_TO.format(2.5)),
            summary("throughput", 8, "more", UP_TO.format(2.0)),
            "zvm",
        ),
        (
            summary("throughput", 8, "more", AT_LEAST.format(1.0)),
            summary("throughput", 8, "more", AT_LEAST.format(2.0)),
            "zvm",
        ),
    ],
    ids=[
        "in megabit",
        "less by a ratio",
        "times a ratio",
        "in kibibyte",
        "less by a range",
        "times a range",
        "up to the largest",
        "at least the smallest",
    ],
)
def test_the_same_claim_in_other_words_has_no_other_verdict(
    plant: Planter, true: str, wrong: str, source: str
) -> None:
    """Table 7 has 3.2 to 6.2 % less CPU time, table 8 has 1.011 to 1.025 times the transactions."""
    rows = plant(true, wrong, source=source)
    assert rows["planted-1"].verdict is not CONTRADICTED
    assert rows["planted-2"].verdict is not HOLDS


def test_planted_statements_are_gone_with_their_directory() -> None:
    with pytest.raises(UnknownRecordError):
        evidence("planted")
