"""Scenario files: what is read from them, and what each wrong entry is answered with."""

import datetime
from pathlib import Path

import pytest
from records.right_files import FILES

from netmodel.errors import ParseError
from netmodel.records import scenario

GOOD = FILES["scenario"]["mine.toml"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "s.toml"


def test_values_are_in_base_units(file: Path) -> None:
    own = 'mtu = [1500, "9 kB", 65536]\nrtt = "1 ms"\npath = "own.toml"\nstack = "ipv4/tcp"'
    text = GOOD.replace("mtu = 9000", own)
    text = text.replace("[policy]", '[policy]\nmax_utilisation = "60 %"')
    file.write_text(text, encoding="utf-8")
    read = scenario(file)
    assert read.start == datetime.date(2026, 12, 1)
    assert read.traffic[0].mean is not None
    assert read.traffic[0].mean.tps == 100_000
    assert read.candidate[0].mtu == (1500, 9000, 65536)
    assert read.candidate[0].rtt == (1e-3,)
    assert read.candidate[0].stack == "ipv4/tcp"
    assert read.candidate[0].path == str(file.with_name("own.toml"))
    assert read.policy.max_utilisation == 0.6
    assert (read.source_name, read.source_text) == (str(file), text)
    assert read.with_policy({"spares": 2}).policy.max_utilisation == 0.6


def test_a_plan_has_a_spare_and_five_of_a_hundred_loads_above_it(file: Path) -> None:
    file.write_text(GOOD.partition("[policy]")[0], encoding="utf-8")
    policy = scenario(file).policy
    assert (policy.spares, policy.quantile, policy.max_utilisation) == (1, 0.95, 0.7)


def test_all_wrong_tables_are_named_at_once(file: Path) -> None:
    text = GOOD.replace("mtu = 9000", "mtu = 1").replace("200\n", "0\n")
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ParseError, match=r"(?s)traffic 1.*candidate 1"):
        scenario(file)


def test_a_file_without_tables_names_both(file: Path) -> None:
    file.write_text('title = "T"\n', encoding="utf-8")
    with pytest.raises(ParseError, match="traffic: is missing; candidate: is missing"):
        scenario(file)


def test_quoted_dates_and_misplaced_keys_are_refused_with_what_is_meant(file: Path) -> None:
    text = 'start = "2026-12-01"\nspares = 1\n[policy]\nhorizon_years = 3\n'
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ParseError) as refused:
        scenario(file)
    for hint in ("without quotes", "belongs to policy", "belongs to the top of the file"):
        assert hint in str(refused.value)
