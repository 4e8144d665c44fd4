"""Rules of the ledger, each on statements that a test writes, with what they come to by hand."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from netmodel.errors import ParseError
from netmodel.judging import evidence
from netmodel.judging._evidence._ledger import Evidence, EvidenceVerdict
from netmodel.records import data_path, register_data, unregister_data

HOLDS, CONTRADICTED = EvidenceVerdict.HOLDS, EvidenceVerdict.CONTRADICTED
NOT_MODELLED = EvidenceVerdict.NOT_MODELLED
Planter = Callable[..., dict[str, Evidence]]


# Figures of other statements

TIME = 'quantity = "transaction_time"; subject = {{ setting = "{}" }}; {}; value = {}; unit = "µs"'


@pytest.mark.parametrize(
    ("reading", "computed"),
    [("interval", "19 to 21 µs"), ("rounded", "19.5 to 20.5 µs"), ("printed", "20 µs")],
)
def test_a_figure_is_read_with_its_words_or_its_rounding_or_alone(
    plant: Planter, reading: str, computed: str
) -> None:
    """About 20 µs are 5 % more or less; 20 with two digits are half a microsecond."""
    again = TIME.format("again", 'relation = "equal"', 20) + (
        f'; computed = {{ rule = "figure", statement = "planted-1", reading = "{reading}" }}'
    )
    rows = plant(TIME.format("first", 'relation = "about"', 20), again)
    assert rows["planted-2"].computed == computed


def test_a_change_in_a_unit_of_its_own_is_no_ratio(plant: Planter) -> None:
    change = TIME.format("new", 'baseline = { setting = "old" }; change = "less"', 20)
    factor = change.replace('"less"', '"factor"').replace('"µs"', '"x"')
    declared = '; computed = { rule = "figure", statement = "planted-1" }'
    with pytest.raises(ParseError, match="change of planted-1 is in µs, not a factor or %"):
        plant(change, factor + declared)


@pytest.mark.parametrize(
    ("quantity", "value", "unit", "constant", "verdict"),
    [
        ("line_rate", 25, "GbE", "25 Gbit/s", HOLDS),
        ("line_rate", 25, "GbE", "10 Gbit/s", CONTRADICTED),
        ("duration", 300, "seconds", "5 min", HOLDS),
        ("duration", 300, "seconds", "3 min", CONTRADICTED),
    ],
)
def test_units_are_read_as_documents_print_them(
    plant: Planter, quantity: str, value: int, unit: str, constant: str, verdict: EvidenceVerdict
) -> None:
    entry = (
        f'quantity = "{quantity}"; subject = {{}}; value = {value}; unit = "{unit}"; '
        f'computed = {{ rule = "arithmetic", operation = "multiply", of = ["{constant}", 1] }}'
    )
    assert plant(entry)["planted-1"].verdict is verdict


@pytest.mark.parametrize(
    ("unit", "computed"), [("KiB", "65536 byte"), ("kB", "64000 byte"), ("byte", "64 byte")]
)
def test_a_given_number_is_read_in_the_unit_that_the_rule_names(
    plant: Planter, unit: str, computed: str
) -> None:
    entry = (
        'quantity = "buffer_size"; subject = {}; given = { buffer = 64 }; value = 65536; '
        f'unit = "byte"; computed = {{ rule = "figure", field = "given.buffer", unit = "{unit}" }}'
    )
    assert plant(entry)["planted-1"].computed == computed


def test_what_comes_to_no_number_is_a_wrong_declaration(plant: Planter) -> None:
    """One less any number from 1 on has no lower end, and no share of what has no upper one."""
    open_range = '{ rule = "range", low = 1 }'
    entry = (
        'quantity = "item_count"; subject = {}; value = 1; unit = "1"; computed = { rule = '
        f'"ratio", of = {{ rule = "arithmetic", operation = "subtract", of = [1, {open_range}] }}, '
        f"over = {open_range} }}"
    )
    with pytest.raises(ParseError, match=r"\(planted-1\)\.computed: comes to no number"):
        plant(entry)


# Frames and paths

PATH_MTU = (
    'quantity = "mtu"; subject = {{}}; value = {}; unit = "byte"; computed = {{ rule = "path_mtu"'
    ', part = "path_mtu", sender_mtu_bytes = {}, hops = [9000, {}] }}'
)


@pytest.mark.parametrize(("sender", "hop", "path_mtu"), [(1500, 4000, 1500), (9000, 4000, 4000)])
def test_the_path_mtu_is_the_smallest_of_the_sender_and_the_hops(
    plant: Planter, sender: int, hop: int, path_mtu: int
) -> None:
    row = plant(PATH_MTU.format(path_mtu, sender, hop))["planted-1"]
    assert row.verdict is HOLDS
    assert row.computed == f"{path_mtu} byte"


@pytest.mark.parametrize("named", ["mtu_bytes = 1500", 'workload = "rr1c-200x1000"'])
def test_frames_of_a_case_need_its_workload_and_its_mtu(plant: Planter, named: str) -> None:
    entry = (
        f'quantity = "transaction_time"; subject = {{ {named} }}; relation = "sign"; '
        'baseline = { mtu_bytes = 9000 }; change = "same"; computed = { rule = "one_frame" }'
    )
    row = plant(entry)["planted-1"]
    assert row.verdict is NOT_MODELLED
    assert "names no workload or no MTU" in row.reason


WORK, CARD = 'workload = "rr1c-200x1000"', 'adapter = "osa-express7s-25gbe"'


@pytest.mark.parametrize(
    ("named", "is_known"),
    [
        (f"{WORK}, {CARD}, connection_counts = [50]", True),
        (f"{WORK}, {CARD}", False),
        (f"{WORK}, connection_counts = [50]", False),
        (f"{CARD}, connection_counts = [50]", False),
    ],
    ids=["all", "no connections", "no adapter", "no workload"],
)
def test_packet_steering_needs_a_workload_an_adapter_and_connections(
    plant: Planter, named: str, is_known: bool
) -> None:
    """The document prints about 13 % more time with steering at 50 connections."""
    entry = (
        f'quantity = "transaction_time"; subject = {{ {named}, receive_packet_steering = true }}; '
        'baseline = { receive_packet_steering = false }; change = "more"; relation = "about"; '
        'value = 13; unit = "%"; computed = { rule = "steering" }'
    )
    row = plant(entry)["planted-1"]
    assert (row.verdict is not NOT_MODELLED) is is_known
    assert ("no workload, adapter or single number of connections" in row.reason) is not is_known


@pytest.mark.parametrize(
    ("ends", "value"),
    [
        # 25 Gbit/s x 1448 / 1538 arrive at most, of which the adapter takes 13.4
        ("", "13.4"),
        # 10 Gbit/s x 1448 / 1538 leave the other end
        (', sender_adapter = "ethernet-10gbe"', "9.41"),
    ],
    ids=["of the adapter alone", "from a slower one"],
)
def test_a_direction_is_limited_by_the_other_end_where_that_is_named(
    plant: Planter, ends: str, value: str
) -> None:
    entry = (
        f'quantity = "payload_rate"; value = {value}; unit = "Gbit/s"; subject = {{ mtu_bytes = '
        f'1500, adapter = "osa-express7s-25gbe", direction = "in"{ends} }}; '
        'computed = { rule = "path", workload = "str-writex30k" }'
    )
    assert plant(entry)["planted-1"].verdict is HOLDS


# What a statement is evidence of


@pytest.mark.parametrize(
    ("declared", "computed_by", "kind"),
    [
        ('{ rule = "record", kind = "workload", id = "smc-rr-1k", field = "request_bytes" }',
         "reference", "look_up"),
        ('{ rule = "frame", part = "payload", mtu_bytes = 1076, headers = "ipv4/tcp+timestamps" }',
         "framing", "predicted"),
        ('{ rule = "arithmetic", operation = "add", of = ["1000 byte", "24 byte"] }',
         "arithmetic", "derived"),
    ],
)  # fmt: skip
def test_a_statement_counts_as_what_its_rule_can_show(
    plant: Planter, declared: str, computed_by: str, kind: str
) -> None:
    """1076 byte less 20 of IPv4 and 32 of TCP with time stamps are 1024."""
    entry = (
        'quantity = "payload_size"; subject = {}; value = 1024; unit = "byte"; '
        f"computed = {declared}"
    )
    row = plant(entry)["planted-1"]
    assert (row.computed_by, row.kind.value) == (computed_by, kind)


def test_a_gain_between_measured_distances_is_predicted_from_endpoint_times(
    plant: Planter,
) -> None:
    """1 / gain is linear in distance: 47.5 % at 10 km, 9 % at 100 km, so 16.4 % at 50 km."""
    entry = (
        'quantity = "latency"; baseline = { transport = "tcp" }; change = "less"; value = 16; '
        'unit = "%"; computed = { rule = "transports" }; '
        'subject = { transport = "smcr", workload = "smc-rr-1k", distance_km = 50 }'
    )
    row = plant(entry)["planted-1"]
    assert row.verdict is HOLDS
    assert (row.computed_by, row.kind.value) == ("transports", "consistent")


RATE = '{ rule = "path", path = "brief-appliance", limit_reached = true, because = "'
COST = 'value = 300000\nunit = "µs/Gbit"\nresolution = 1000\n'
TIMES = '{{ rule = "arithmetic", operation = "multiply", of = [{}, {}] }}'
JUMBO = '{ rule = "figure", statement = "brief-cost-mtu-9000" }'
FRAMES = '{ rule = "figure", statement = "brief-frames" }'
OVER_FRAMES = (
    f'{{ rule = "arithmetic", operation = "divide", of = [{TIMES.format(115, JUMBO)}, {FRAMES}] }}'
)


def changed_brief(directory: Path, old: str, new: str) -> dict[str, Evidence]:
    """The ledger of the example of a user's own document with one change."""
    shutil.copytree(data_path("examples", "own-document"), directory, dirs_exist_ok=True)
    path = directory / "statements" / "brief.toml"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    register_data(directory)
    try:
        return {row.statement.id: row for row in evidence("brief")}
    finally:
        unregister_data(directory)


def test_a_workload_that_only_the_rule_names_makes_the_same_case(tmp_path: Path) -> None:
    """The CPU cost of these streams is an input: their rate is that cost seen another way."""
    subject = 'subject = { workload = "str-writex30k", mtu_bytes = 1500 }\nrelation = "about"'
    rows = changed_brief(
        tmp_path,
        f'{subject}\nvalue = 6.7\nunit = "Gbit/s"\ncomputed = {RATE}',
        'subject = { mtu_bytes = 1500 }\nrelation = "about"\nvalue = 6.7\nunit = "Gbit/s"\n'
        f"computed = {RATE}".replace('"path", ', '"path", workload = "str-writex30k", '),
    )
    assert rows["brief-appliance-rate"].kind.value == "derived"


@pytest.mark.parametrize(
    ("declared", "verdict"),
    [
        (TIMES.format(2.5, JUMBO), "holds"),
        (OVER_FRAMES, "input"),
    ],
    ids=["of the same records", "and of other figures"],
)
def test_an_input_that_follows_from_another_one_of_the_same_records_is_judged(
    tmp_path: Path, declared: str, verdict: str
) -> None:
    """2.5 x 120000 are 300000 µs/Gbit, and so are 115 x 120000 over 46 frames."""
    rows = changed_brief(tmp_path, COST, f"{COST}computed = {declared}\n")
    assert rows["brief-cost-mtu-1500"].verdict.value == verdict


# Several figures for one claim

WORDS = (
    'quantity = "latency"; subject = {{ workload = "smc-rr-1k"{} }}; '
    'baseline = {{ transport = "tcp" }}; change = "{}"; {}'
)


def words_and_figures(plant: Planter, change: str, *percents: int) -> Evidence:
    """The row of a word whose cases have changes in per cent with 1, 2, 3... connections."""
    words = WORDS.format("", change, 'relation = "sign"; not_modelled = "a model lacks"')
    figures = [
        WORDS.format(
            f", connection_counts = [{count}]",
            "more" if percent > 0 else "less",
            f'value = {abs(percent)}; unit = "%"',
        )
        for count, percent in enumerate(percents, start=1)
    ]
    return plant(words, *figures)["planted-1"]


@pytest.mark.parametrize(
    ("change", "percents", "verdict"),
    [
        ("less", (-47, -12), HOLDS),
        ("less", (-47, 12), CONTRADICTED),
        ("more", (47, 12), HOLDS),
        ("more", (47, -12), CONTRADICTED),
    ],
)
def test_words_have_to_allow_each_of_their_figures(
    plant: Planter, change: str, percents: tuple[int, ...], verdict: EvidenceVerdict
) -> None:
    row = words_and_figures(plant, change, *percents)
    assert row.verdict is verdict
    assert row.computed == f"{min(percents)} to {max(percents)} %"


@pytest.mark.parametrize(("low", "verdict"), [(12, HOLDS), (-12, CONTRADICTED)])
def test_a_word_has_to_allow_the_whole_range_of_a_figure(
    plant: Planter, low: int, verdict: EvidenceVerdict
) -> None:
    words = WORDS.format("", "less", 'relation = "sign"; not_modelled = "a model lacks"')
    span = f'relation = "range"; low = {low}; high = 47; unit = "%"'
    rows = plant(words, WORDS.format(", connection_counts = [1]", "less", span))
    assert rows["planted-1"].verdict is verdict


@pytest.mark.parametrize(("count", "more"), [(3, None), (4, "; and 1 more")])
def test_three_figures_of_a_claim_are_named_and_others_counted(
    plant: Planter, count: int, more: str | None
) -> None:
    row = words_and_figures(plant, "less", *range(-10 - count, -10))
    named = [f"(planted-{number})" in row.reason for number in range(2, 2 + count)]
    assert named == [True, True, True, False][:count]
    assert row.reason.endswith(more or "(planted-4)")


CELLS = (
    '{{ rule = "cells", dataset = "zvm-layer2-layer3", table = "differences", column = '
    '"difference_percent", where = {{ table = 5, hypervisor_level = "5.2.0", comparison = '
    '"layer3-to-layer2", quantity = {} }} }}'
)
RATES, COSTS = '["transaction_rate_tps"]', '["total_cpu_ms_per_transaction"]'


@pytest.mark.parametrize(
    ("change", "quantities", "verdict"),
    [
        ("less", (COSTS,), HOLDS),  # -3.1 and twice 0.0, which may be -0.04
        ("less", (COSTS, RATES), CONTRADICTED),
        ("more", (RATES,), HOLDS),  # 2.8, 3.7 and 1.9
        ("more", (RATES, COSTS), CONTRADICTED),
    ],
)
def test_a_claim_on_several_tables_has_to_allow_the_cells_of_each(
    plant: Planter, change: str, quantities: tuple[str, ...], verdict: EvidenceVerdict
) -> None:
    """Table 5 of the layers: throughput is higher with layer 2, and CPU time lower."""
    of = ", ".join(CELLS.format(quantity) for quantity in quantities)
    entry = (
        'quantity = "cpu_time"; subject = { layer = 2, table = 5 }; baseline = { layer = 3 }; '
        f'change = "{change}"; relation = "sign"; '
        f'computed = {{ rule = "cases", of = [{of}], vary = {{}} }}'
    )
    assert plant(entry, source="zvm")["planted-1"].verdict is verdict


# Figures that may be rounded to 5 %

GAIN = (
    'quantity = "{}"; subject = {{ workload = "smc-rr-1k", transport = "smcr" }}; '
    'baseline = {{ transport = "tcp" }}; change = "{}"; {}; unit = "%"'
)
LAW = (
    '; computed = { rule = "formula", name = "consumption.data_ratio_at_fixed_concurrency", '
    'arguments = { transaction_time_ratio = { rule = "figure", statement = "planted-1" } } }'
)


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        ("value = 85", "85 % higher stands for 82.5 to 87.5 %"),
        ('relation = "range"; low = 80; high = 85', "80 to 85 % higher stands for 77.5 to 87.5 %"),
    ],
)
def test_a_doubt_gives_the_figures_that_rounding_to_5_percent_allows(
    plant: Planter, figures: str, words: str
) -> None:
    """47 % less time, from 46.5 to 47.5 %, is 1 / 0.535 - 1 = 86.92 to 90.48 % more data."""
    latency = GAIN.format("latency", "less", "value = 47")
    row = plant(latency, GAIN.format("throughput", "more", figures) + LAW)["planted-2"]
    assert row.verdict is EvidenceVerdict.DOUBTFUL
    assert row.reason.startswith(f"rounded to 5 %, {words}, and 86.92 to 90.48 % is computed; ")
