"""``netmodel audit``."""

import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from invocation import printed, printed_json, refusal, run_netmodel

from netmodel.cli._audit import LAWS
from netmodel.judging import audit_dataset
from netmodel.judging._audit import _CHECKS, flags_csv
from netmodel.records import (
    data_path,
    dataset,
    dataset_ids,
)

DATASET = "zvm-layer2-layer3"


@pytest.mark.parametrize("name", dataset_ids())
def test_the_flags_of_bundled_data_are_current(name: str) -> None:
    result = data_path("measurements", name, "flags.csv").read_text(encoding="utf-8")
    assert result == flags_csv(audit_dataset(dataset(name)))


def test_an_audit_lists_its_findings_with_their_place() -> None:
    result = printed_json("audit", DATASET)
    keys = {"dataset", "location", "kind", "severity", "printed", "allowed", "message"}
    assert all(keys <= row.keys() for row in result)
    kinds = Counter((row["kind"], row["severity"]) for row in result)
    assert kinds == {
        ("parts", "note"): 3,
        ("utilisation", "fault"): 13,
        ("change", "fault"): 1,
        ("changes_agree", "fault"): 13,
        ("identifier", "fault"): 9,
        ("identifier", "note"): 2,
        ("unit", "note"): 1,
        ("quantised", "note"): 3,
    }
    text = printed("audit", DATASET)
    assert "36 faults, 9 notes" in text
    assert "differ by rounding alone" in text


def test_every_check_says_what_it_finds() -> None:
    """Each kind of finding has a heading of its own, at most a line long."""
    assert _CHECKS.keys() <= LAWS.keys()
    assert all(len(f"fault {kind} (999): {text}") <= 80 for kind, text in LAWS.items())


def test_an_audit_answers_first_and_notes_what_was_compared() -> None:
    text = printed("audit", DATASET)
    assert text.startswith("36 figures or claims cannot be right as printed; 9 more need care.\n")
    assert text.index("fault ") < text.index("note ")
    assert "120 of 228 changes compared with base figures; 108 have none, all compared with" in text
    assert "2 more notes with --verbose" in text
    place = "table 7, z/VM 5.1.0, Total CPU msec/MB, 50 clients: 14.1 %; allowed 12.37 to 12.71 %"
    assert place in text
    assert "-6.2 %; the others give -5.04 to -4.76 %; its base figures" not in text
    words = " ".join(printed("audit", DATASET, "--verbose").split())
    assert "-6.2 %; the others give -5.04 to -4.76 %; its base figures confirm it" in words
    assert "more notes" not in words


@pytest.mark.thorough
def test_a_table_of_ones_own_is_audited_by_its_names(tmp_path: Path) -> None:
    """2e6 transactions a second of 3 us each keep 6 CPUs busy."""
    file = tmp_path / "mine.csv"
    file.write_text(
        "run_id,transaction_rate_tps,cpu_s_per_transaction,cpu_count\n"
        "a1,2000000,0.000003,4\na2,1000000,0.000003,4\n"
    )
    (row,) = printed_json("audit", str(file))
    assert (row["kind"], row["row"], row["column"]) == ("utilisation", 1, "cpu_s_per_transaction")
    assert (row["place"], row["line"]) == ("line 2, column cpu_s_per_transaction", 2)
    assert "1 figure or claim cannot be right as printed" in printed("audit", str(file))
    assert run_netmodel("audit", str(file), "--strict").exit_code == 1


def test_a_quoted_cell_of_two_lines_moves_the_lines_below_it(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text(
        "run_id,transaction_rate_tps,cpu_s_per_transaction,cpu_count\n"
        '"a\n1",1000000,0.000003,4\na2,2000000,0.000003,4\n'
    )
    (row,) = printed_json("audit", str(file))
    assert (row["row"], row["line"]) == (2, 4)


OWN = """
title = "Changes between versions and drivers"
source = "my report"
locator = "page 7"
grade = "measured"

[files]
"changes.csv" = "one row for each printed change"

[columns]
version = {{ meaning = "version", unit = "none" }}
driver = {{ meaning = "driver", unit = "none" }}
load = {{ meaning = "clients", unit = "count" }}
change_percent = {{ meaning = "change", unit = "%", printed_as = "throughput" }}

[row_places]
changes = {places}

[[checks]]
kind = "changes_agree"
file = "changes"
change = "change_percent"
keys = ["load"]
comparisons = [
  {{ compared = "version", before = "1", after = "2", where = {{ version = "" }} }},
  {{ compared = "driver", before = "A", after = "B", where = {{ driver = "" }} }},
]
"""
PLACES = '["table 3", "driver {driver}", "version {version}", "{load:02} clients", "{column}"]'
CHANGES = "version,driver,load,change_percent\n,A,5,2.0\n,B,5,3.5\n1,,5,1.0\n2,,5,4.5\n"


def own_dataset(directory: Path, places: str) -> Path:
    (directory / "dataset.toml").write_text(OWN.format(places=places), encoding="utf-8")
    (directory / "changes.csv").write_text(CHANGES, encoding="utf-8")
    return directory


def test_tables_of_ones_own_are_compared_along_both_ways(tmp_path: Path) -> None:
    """1.035 x 1.01 / 1.02 is 1.0249 for version 2, where 4.5 % is printed."""
    directory = own_dataset(tmp_path, PLACES)
    (row,) = printed_json("audit", str(directory))
    assert row["place"] == "table 3, version 2, 05 clients, throughput"
    assert (row["printed"], row["allowed"]) == ("4.5 %", "2.33 to 2.64 %")
    assert [each["row"] for each in row["suspects"]] == [1, 2, 3, 4]
    text = printed("audit", str(directory), "--verbose")
    assert "0 of 4 changes compared with base figures; 4 have none, all compared" in text
    assert "table 3, driver A, 05 clients, throughput: 2.0 %; the others give" in text
    printed("audit", str(directory), "--write-flags")
    lines = (directory / "flags.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + 4


@pytest.mark.parametrize(
    ("places", "words"),
    [
        ('["table {tables}"]', "unknown column 'tables'"),
        ('["table {"]', "row_places.changes"),
        ('["{load.real}"]', "load.real"),
        ('["{driver:d}"]', "driver"),
    ],
)
def test_a_wrong_place_of_rows_is_refused(tmp_path: Path, places: str, words: str) -> None:
    result = run_netmodel("audit", str(own_dataset(tmp_path, places)))
    assert result.exit_code == 3
    assert "dataset.toml" in result.stderr
    assert words in result.stderr


def test_flags_are_written_beside_the_tables(tmp_path: Path) -> None:
    directory = tmp_path / "copy"
    shutil.copytree(data_path("measurements", DATASET), directory)
    (directory / "flags.csv").unlink()
    printed("audit", str(directory), "--write-flags")
    bundled = data_path("measurements", DATASET, "flags.csv").read_text(encoding="utf-8")
    assert (directory / "flags.csv").read_text(encoding="utf-8") == bundled


@pytest.mark.thorough
@pytest.mark.parametrize("command", [("audit",)])
def test_faults_end_it_with_1_only_where_that_is_wanted(command: Sequence[str]) -> None:
    assert run_netmodel(*command).exit_code == 0
    assert run_netmodel(*command, "--strict").exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("audit", "zvm-layer2"), "did you mean zvm-layer2-layer3?"),
        (("audit", "nothing-like-it"), "known are all, zvm-layer2-layer3"),
    ],
)
def test_an_unknown_name_is_answered_with_the_known_ones(
    arguments: Sequence[str], words: str
) -> None:
    assert words in refusal(*arguments)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a_bps,a_bps\n1,2\n", "another column"),
        ("a_bps\nfast\n", "line 2, column a_bps"),
        ("a_bps,b\n1\n", "line 2"),
        ("", "is empty"),
    ],
)
def test_a_faulty_file_is_exit_code_3(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "mine.csv"
    file.write_text(text)
    result = run_netmodel("audit", str(file))
    assert result.exit_code == 3
    assert str(file) in result.stderr
    assert words in result.stderr


def test_a_table_without_related_columns_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("a_bps\n1\n")
    result = run_netmodel("audit", str(file))
    assert result.exit_code == 3
    assert "throughput_bps" in result.stderr


def test_only_datasets_have_flags() -> None:
    assert "for datasets" in refusal("audit", "mine.csv", "--write-flags")
