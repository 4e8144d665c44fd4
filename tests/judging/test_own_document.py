"""A document of your own: statements, a table and a path in data/examples/own-document."""

import json
import re
import shutil
from collections.abc import Iterator
from math import inf
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from invocation import printed, run_netmodel

from netmodel.errors import ParseError
from netmodel.judging import evidence
from netmodel.judging._evidence._interpreter import computed
from netmodel.judging._evidence._ledger import Evidence
from netmodel.judging._evidence._predictions import Sources
from netmodel.records import data_path, register_data, statement, statements, unregister_data
from netmodel.records._rules import RULE_NAMES, rules_within
from netmodel.records._statements import load_statements

DIRECTORY = data_path("examples", "own-document")
DOCUMENT = load_statements(DIRECTORY / "statements" / "brief.toml")
GROUP_INDEX, LIGHT_M_PER_S = 1.4682, 299_792_458
ROUND_TRIP_S = 2 * 50e3 * GROUP_INDEX / LIGHT_M_PER_S
KM_US = 2 * 1.4682 / 0.299792458
"""There and back in a kilometre of glass."""
TCP_US = 287.44 / 0.405 - 10 * KM_US
"""What TCP spends on 32 KiB at both ends, at least."""
CORES = 2
FRAME_S = 300e-3 * 8 * 1448 / 1e9
"""CPU time of a frame of 1448 byte at 300000 µs/Gbit; the figure may be off by 500 µs/Gbit."""


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    register_data(DIRECTORY)
    yield
    unregister_data(DIRECTORY)


@pytest.fixture(scope="module")
def ledger(registered: None) -> dict[str, Evidence]:
    return {row.statement.id: row for row in evidence("brief")}


def test_the_document_uses_every_rule() -> None:
    used = {rule.rule for each in statements("brief") for rule in rules_within(each.computed)}
    assert used == set(RULE_NAMES)


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("thread-count", 2 * 2, 2 * 2),
        ("ring-count", 64, 64),
        ("ring-memory", 4, 4),  # 64 x 64 KiB are 4 MiB, or 4.19 MB
        ("appliance-rate", CORES * 11584 / FRAME_S / 1e9 / 1.00167, 6.6778),
        ("appliance-most", 0, 6.677796 / 2),  # one connection keeps one of the cores busy
        ("appliance-gain", 100 * (9.900420 / 6.677796 - 1), 100 * (9.900420 / 6.655574 - 1)),
        ("cost-ratio", 100 * (1 - 0.9 / 1.2), 25),
        ("payload", 1500 - 20 - 20, 1460),
        ("payload-sum", 1460, 1460),
        ("vlan-tag", 4, 4),
        ("ceiling", 10 * 1448 / 1538, 10 * 1448 / 1538),
        ("ceiling-jumbo", 10_000 * 8948 / 9038, 10_000 * 8948 / 9038),
        ("frames", 46, 46),  # 65536 / 1448 = 45.3
        ("fewer-frames", 100 * (1 - 8 / 46), 100 * (1 - 8 / 46)),  # 65536 / 8948 = 7.3
        ("pages", 3, 3),  # 9000 / 4096 = 2.2
        ("one-frame", 0, 0),
        ("faster-line", 1, 2.5),
        ("cpu-count", 4, 4),
        ("mask", 1 + 4 + 16 + 64, 85),
        ("mask-binary", 85, 85),
        ("table-gain", 41.2, 48.4),
        ("table-firmware", 48.4 - 48.2, 46.9 - 45.0),
        ("adapters", 100 * (23.537061 / 13.45 - 1), 100 * (23.537061 / 13.35 - 1)),
        ("line-speed", 1, 1),
        ("round-trip", 1e3 * ROUND_TRIP_S, 1e3 * ROUND_TRIP_S),
        ("window", 10e9 / 8 * ROUND_TRIP_S / 1e3, 10e9 / 8 * ROUND_TRIP_S / 1e3),
        ("latency-throughput", 100 * (1 / 0.805 - 1), 100 * (1 / 0.795 - 1)),
        ("same-mtu", 0, 0),
        ("stalls", -100, -100),
        ("firmware-count", 2, 2),
        # 59.5 % less at 10 km, where the line leaves SMC-R 287.44 µs; at most as much of TCP's time
        # at 100 km as 35.5 % more throughput leaves, with 100 µs of equipment
        (
            "transports",
            100 * (TCP_US + 10 * KM_US - 287.44) / (TCP_US + 35 * KM_US),
            100 * (1 - 1 / 1.355) * (TCP_US + 100 * KM_US + 100) / (TCP_US + 35 * KM_US),
        ),
    ],
)
def test_what_is_computed_was_computed_by_hand(name: str, low: float, high: float) -> None:
    result = computed(statement(f"brief-{name}"), Sources())
    assert (result.low, result.high) == pytest.approx((low, high), rel=1e-4, abs=1e-9)


def test_only_the_wrong_mask_is_contradicted(ledger: dict[str, Evidence]) -> None:
    verdicts = {name: row.verdict.value for name, row in ledger.items()}
    assert [name for name, each in verdicts.items() if each == "contradicted"] == [
        "brief-mask-binary"
    ]
    not_modelled = {name for name, each in verdicts.items() if each == "not_modelled"}
    assert {"brief-adapters-few", "brief-queue", "brief-drops"} <= not_modelled
    inputs = {"brief-latency", "brief-line-rate", "brief-core-count", "brief-cost-mtu-1500"}
    assert {verdicts[name] for name in inputs} == {"input"}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("appliance-rate", "derived"),  # the CPU cost of the same case is an input
        ("appliance-gain", "predicted"),  # the line is the limit at MTU 9000
        ("appliance-most", "consistent"),
        ("adapters", "derived"),  # the ratio of two inputs of the bundled records
        ("latency-throughput", "derived"),
        ("cost-ratio", "derived"),  # declared: a ratio of two figures that it gives itself
        ("core-count-again", "look_up"),
        ("table-gain", "look_up"),
        ("ring-memory", "notation"),
        ("frames", "predicted"),
    ],
)
def test_kinds_are_those_of_the_bundled_documents(
    ledger: dict[str, Evidence], name: str, kind: str
) -> None:
    assert ledger[f"brief-{name}"].kind.value == kind


def test_a_prediction_over_a_path_names_what_its_record_comes_from(
    ledger: dict[str, Evidence],
) -> None:
    costs = {"brief-cost-mtu-1500", "brief-cost-mtu-9000"}
    assert costs < set(ledger["brief-appliance-rate"].inputs)


def test_a_condition_that_is_not_met_is_a_reason(ledger: dict[str, Evidence]) -> None:
    assert "as few connections as 10" in ledger["brief-adapters-few"].reason
    assert "1.23 ms at 10 Gbit/s" in " ".join(ledger["brief-queue"].notes)
    assert "bursts" in ledger["brief-drops"].reason


def test_the_command_reads_the_directory() -> None:
    command = ("--own-data", str(DIRECTORY), "evidence", "--document", "brief")
    unregister_data(DIRECTORY)
    try:
        rows = json.loads(printed(*command, "--json"))
        text = printed(*command)
    finally:
        register_data(DIRECTORY)
    assert [row["id"] for row in rows] == [each.id for each in statements("brief")]
    assert "41 statements of brief: " in " ".join(text.split())


HEAD = '[defaults]\nsource = "mine"\nlocator = "page 1"\ngrade = "published"\n\n'
ENTRY = """[[statements]]
id = "mine"
wording = "mine"
quantity = "{quantity}"
subject = {{ mtu_bytes = 1500 }}
value = 1
unit = "{unit}"
given = {{ cpus = [1, 2] }}
{declared}
"""


def mistake(directory: Path, declared: str, quantity: str = "item_count", unit: str = "1") -> str:
    """What the ledger answers to a wrong declaration."""
    (directory / "statements").mkdir()
    path = directory / "statements" / "mine.toml"
    entry = ENTRY.format(quantity=quantity, unit=unit, declared=declared)
    path.write_text(HEAD + entry, encoding="utf-8")
    register_data(directory)
    try:
        with pytest.raises(ParseError) as error:
            evidence("mine")
        # the command names the file and ends as after any other wrong file
        unregister_data(directory)
        result = run_netmodel("--own-data", str(directory), "evidence", "--document", "mine")
        assert result.exit_code == 3
        assert str(path) in result.stderr
    finally:
        unregister_data(directory)
    assert error.value.source == str(path)
    return error.value.problem


FORMULA = 'computed = {{ rule = "formula", name = "{}", arguments = {{ {} }} }}'
CELLS = (
    'computed = {{ rule = "cells", dataset = "brief-runs", table = "{}", column = "{}", '
    "where = {{ {} }} }}"
)


@pytest.mark.parametrize(
    ("declared", "key", "words"),
    [
        ('computed = { rule = "ratoi", of = 1, over = 2 }', "computed", "did you mean ratio?"),
        ("computed = { of = 1 }", "computed", "rule: is missing"),
        ('computed = { rule = "ratio", of = 1 }', "computed.over", "is missing"),
        (
            'computed = { rule = "count", of = "given.cpus", off = 1 }',
            "computed.off",
            "is not a known key; did you mean of?",
        ),
        ('not_modelled = "reason"', "not_modelled", "unknown key of [reasons] 'reason'"),
        (
            'computed = { rule = "figure", statement = "brief-mas" }',
            "computed.statement",
            "did you mean brief-mask",
        ),
        (
            'computed = { rule = "figure", statement = "mine" }',
            "computed.statement",
            "not computed from itself",
        ),
        (
            'computed = { rule = "figure", field = "given.cores" }',
            "computed.field",
            "no single figure",
        ),
        (
            'computed = { rule = "figure", statement = "brief-mask", also = ["brief-frames"] }',
            "computed.also",
            "prints packet count 46",
        ),
        (FORMULA.format("tuning.drain", ""), "computed.name", "unknown formula 'drain'"),
        (FORMULA.format("tunin.drain_time_s", ""), "computed.name", "did you mean tuning?"),
        (
            FORMULA.format("tuning.pages_per_packet_count", ""),
            "computed.arguments",
            "missing a required argument",
        ),
        (
            FORMULA.format("tuning.pages_per_packet_count", 'mtu_bytes = "10 Gbit/s"'),
            "computed.arguments.mtu_bytes",
            "must be in byte; got bit/s",
        ),
        (
            FORMULA.format("tuning.pages_per_packet_count", "mtu_bytes = 1"),
            "computed.arguments.mtu_bytes",
            "must be in byte; got 1",
        ),
        (CELLS.format("gain", "gain_percent", ""), "computed.table", "did you mean gains?"),
        (CELLS.format("gains", "gain", ""), "computed", "column"),
        (
            CELLS.format("gains", "gain_percent", 'firmware = "3.0"'),
            "computed.where",
            "no cell of brief-runs/gains has firmware 3.0",
        ),
        ('computed = { rule = "frame", part = "trailer" }', "computed.part", "part of a frame"),
        (
            'computed = { rule = "frame", part = "payload" }',
            "computed",
            "comes to byte, but the statement is in 1",
        ),
        (
            'computed = { rule = "arithmetic", operation = "add", of = [1, "2 byte"] }',
            "computed",
            "takes one unit; got 1 and byte",
        ),
        (
            'computed = { rule = "record", kind = "adapter", id = "osa", field = "x" }',
            "computed",
            "unknown adapter 'osa'",
        ),
        ('computed = { rule = "mask", of = "given.cores" }', "computed.of", "is not a list"),
        ('computed = { rule = "path", side = "baseline" }', "computed.side", "no baseline"),
        ('computed = { rule = "distinct", of = "adapters" }', "computed.of", "have no adapters"),
        (
            'computed = { rule = "distinct", dataset = "brief-runs", of = "firmware" }',
            "computed",
            "dataset and table belong together",
        ),
        (
            'computed = { rule = "path_mtu", part = "mtu", sender_mtu_bytes = 1500, hops = 1500 }',
            "computed.part",
            "'path_mtu', 'packet', 'needed' or 'carried'",
        ),
        (
            'computed = { rule = "path_mtu", part = "needed", sender_mtu_bytes = "9000 byte", '
            'hops = ["1500 byte", "9000 byte"] }',
            "computed.hops",
            "no MTU of the last hop",
        ),
        (
            'computed = { rule = "count", of = "given.cpus", counts_as = "predicted" }',
            "computed.counts_as",
            "'derived', 'notation' or 'look_up'",
        ),
        ('computed = { rule = "range", low = 2, high = 1 }', "computed", "low must not exceed"),
        (
            'computed = { rule = "cases", of = 1, vary = { mtu = [1] } }',
            "computed.vary.mtu",
            "not a known key",
        ),
    ],
)
def test_a_wrong_declaration_names_statement_and_key(
    tmp_path: Path, declared: str, key: str, words: str
) -> None:
    problem = mistake(tmp_path, declared)
    assert "mine" in problem.partition(": ")[0]
    assert key in problem.partition(": ")[0]
    assert words in problem


def test_a_statement_is_computed_or_not_modelled(tmp_path: Path) -> None:
    declared = 'computed = { rule = "count", of = "given.cpus" }\nnot_modelled = "a given fact"'
    assert "not both" in mistake(tmp_path, declared)


def test_an_open_range_has_no_upper_end() -> None:
    result = computed(statement("powervm-power8-easier"), Sources())
    assert (result.low, result.high) == (pytest.approx(100 * (20 / 14.3 - 1), rel=1e-6), inf)


LINES = (DIRECTORY / "statements" / "brief.toml").read_text("utf-8").splitlines()
DECLARED = [i for i, line in enumerate(LINES) if "rule" in line or " = { " in line]
ODD = ["nan", "0", "-1", "1e31", "[]", "[1]", "{}", '""', '"x"', "true", '"5 km"', '"0 byte"']
ODD += ['"value"', '"baseline"', '"brief-mask"', '"brief-latency"', '"given.cpus"', '"subject.x"']
WORDS = re.compile(r'"[^"]*"|\b\d[\d.]*\b')


@pytest.fixture(scope="module")
def mutated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("mutated")
    for part in ("measurements", "calibrated"):
        shutil.copytree(DIRECTORY / part, directory / part)
    (directory / "statements").mkdir()
    return directory


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.data())
def test_changed_declarations_give_rows_or_are_refused(mutated: Path, data: st.DataObject) -> None:
    lines = list(LINES)
    for _ in range(data.draw(st.integers(1, 2))):
        number = data.draw(st.sampled_from(DECLARED))
        words = list(WORDS.finditer(lines[number]))
        if words:
            word = data.draw(st.sampled_from(words))
            odd = data.draw(st.sampled_from(ODD))
            lines[number] = lines[number][: word.start()] + odd + lines[number][word.end() :]
    path = mutated / "statements" / "brief.toml"
    path.write_text("\n".join(lines), "utf-8")
    unregister_data(DIRECTORY)
    register_data(mutated)
    try:
        is_sound = len(evidence("brief")) == len(DOCUMENT)
    except ParseError as error:
        is_sound = error.source == str(path)
    finally:
        unregister_data(mutated)
        register_data(DIRECTORY)
    assert is_sound


OVER_PATH = """[[statements]]
id = "mine"
wording = "mine"
quantity = "transaction_time"
subject = {{ workload = "awm-rr", mtu_bytes = 1492, connection_counts = [1, 10] }}
relation = "range"
low = 0.1
high = 1000
unit = "µs"
computed = {{ rule = "cases", of = {of}, vary = {vary} }}
"""
TIME = '{ rule = "path", path = "my-line", quantity = "transaction_time", limit_reached = true }'


def over_path(directory: Path, of: str, vary: str) -> Evidence:
    """A claim on one and ten connections over an emulated line whose stages are all known."""
    example = data_path("examples", "paths", "emulated-line.toml").read_text("utf-8")
    (directory / "catalog" / "paths").mkdir(parents=True)
    complete = re.sub("(?m)^unknown = .*\n", "", example)
    (directory / "catalog" / "paths" / "my-line.toml").write_text(complete, "utf-8")
    (directory / "statements").mkdir()
    entry = OVER_PATH.format(of=of, vary=vary)
    (directory / "statements" / "mine.toml").write_text(HEAD + entry, encoding="utf-8")
    register_data(directory)
    try:
        (row,) = evidence("mine")
    finally:
        unregister_data(directory)
    return row


def test_a_transaction_time_over_a_path_is_of_each_connection_count(tmp_path: Path) -> None:
    """Of ten connections nine wait for the link: 436 µs; of one nothing waits, 58 to 77 µs."""
    row = over_path(tmp_path, TIME, "{ connection_counts = [1, 10] }")
    assert row.computed == "58.26 to 436 µs"
    assert "connection counts 10: " in row.reason


def test_a_bound_over_a_path_is_open_at_one_end(tmp_path: Path) -> None:
    bound = TIME.replace(", limit_reached = true", "")
    row = over_path(tmp_path, bound, "{ connection_counts = [1] }")
    assert row.computed == "58.26 µs or more"
    assert "at least 58.261 µs over my-line" in row.reason


def test_several_connection_counts_over_a_path_need_cases(tmp_path: Path) -> None:
    row = over_path(tmp_path, TIME, "{}")
    assert "let cases vary connection_counts" in row.reason


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ('{ rule = "path", quantity = "transaction_time" }', "needs path, a path of the catalog"),
        ('{ rule = "line_share", path = "brief-appliance" }', "between adapters"),
        ('{ rule = "path", limit_reached = true }', "needs path, a path of the catalog"),
    ],
)
def test_rules_on_paths_take_what_they_can_predict(tmp_path: Path, rule: str, words: str) -> None:
    assert words in mistake(tmp_path, f"computed = {rule}")
