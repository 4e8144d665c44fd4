"""Scenario files: what is read from them, and what each wrong entry is answered with."""

import datetime
from pathlib import Path

import pytest

from netmodel.errors import ParseError
from netmodel.records import data_path, scenario

EXAMPLE = data_path("examples", "scenarios", "order-system.toml")
GOOD = """\
title = "T"
start = 2026-12-01
[[traffic]]
name = "orders"
workload = "rr1c-200x1000"
connections = 200
mean = "100000/s"
[[candidate]]
name = "OSA, jumbo frames"
adapter = "osa-express7s-25gbe"
mtu = 9000
[policy]
adapters_available = 8
"""
TRAFFIC, CANDIDATE = 'traffic 1 "orders"', 'candidate 1 "OSA, jumbo frames"'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "s.toml"


def read_with(file: Path, old: str, new: str) -> str:
    """The error of a file with another text in one place."""
    assert old in GOOD
    file.write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ParseError) as error:
        scenario(file)
    assert error.value.source == str(file)
    return error.value.problem


def test_values_are_in_base_units(file: Path) -> None:
    file.write_text(
        GOOD.replace("mtu = 9000", 'mtu = [1500, "9 kB"]\nrtt = "1 ms"').replace(
            "[policy]", '[policy]\nmax_utilisation = "60 %"'
        ),
        encoding="utf-8",
    )
    read = scenario(file)
    assert read.start == datetime.date(2026, 12, 1)
    assert read.traffic[0].mean is not None
    assert read.traffic[0].mean.tps == 100_000
    assert read.candidate[0].mtu == (1500, 9000)
    assert read.candidate[0].rtt == (1e-3,)
    assert read.candidate[0].varied == {"mtu": (1500, 9000)}
    assert read.policy.max_utilisation == 0.6
    assert (read.source_name, read.source_text) == (str(file), file.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"100000/s"', '"-5/s"', f"{TRAFFIC}.mean: '-5/s': a volume must be above 0"),
        ('"100000/s"', '"-5 Gbit/s"', "a rate must not be negative"),
        ('"100000/s"', '"0/s"', "a volume must be above 0"),
        ('"100000/s"', '"100000"', "the unit is missing"),
        ('"100000/s"', "nan", "'NaN' is not a finite number"),
        ('"100000/s"', "true", "must be text with a unit, or a number; got true"),
        ('mean = "100000/s"', "", "give mean or peak: it has none"),
        ("mean =", 'peak = "1 Gbit/s"\nmean =', "give mean or peak: it has both"),
        ("mean =", "variation = -0.1\nmean =", "a ratio must not be negative"),
        ("mean =", "peak_quantile = 0.9\nmean =", "peak_quantile: is for peak"),
        (
            "mean =",
            'growth_per_year = "-100 %"\nmean =',
            'growth_per_year: must be above -1; got "-100 %"',
        ),
        ("mean =", 'sender = "srv"\nmean =', "must be 'client' or 'server'; got \"srv\""),
        ('workload = "rr1c-200x1000"\n', "", "workload: is missing; a rate in 1/s needs"),
        ("200\n", "0\n", "connections: must be at least 1; got 0"),
        ("200\n", "1e9\n", "connections: must be at most 10000000"),
        ("200\n", "2.5\n", "'2.5' is not a whole number"),
        ("connections", "conections", "conections: is not a known key; did you mean connections?"),
        ("mtu = 9000", "mtuu = 9000", f"{CANDIDATE}.mtuu: is not a known key; did you mean mtu?"),
        ("mtu = 9000", "mtu = 60", "mtu: must be at least 68; got 60"),
        ("mtu = 9000", "mtu = []", "must not be an empty list"),
        ("mtu = 9000", 'km = 1\nrtt = "1 ms"', f"{CANDIDATE}: give km or rtt, not both"),
        ("mtu = 9000", 'sender = "ethernet-25gbe"', "give adapter, or sender and receiver, not"),
        ('adapter = "osa-express7s-25gbe"', "", "give adapter, or sender and receiver, or path"),
        ("mtu = 9000", 'stack = "ipv4/tcpp"', "stack: unknown layer 'tcpp'; did you mean tcp?"),
        (
            "mtu = 9000",
            'protocol = "tcpp"',
            "must be 'tcp' or 'smc-r'; got \"tcpp\"; did you mean tcp?",
        ),
        ("[policy]", '[policy]\nphysics_only = "no"', "must be true or false, without quotes"),
        ('"OSA, jumbo frames"', "5", "candidate.0.name: must be text in quotes; got 5"),
        ('"OSA, jumbo frames"', '""', "name: must not be empty"),
        (
            "[policy]",
            "[policy]\nmax_utilisation = 0",
            "policy.max_utilisation: must be above 0; got 0",
        ),
        ("[policy]", "[policy]\nmax_utilisation = 70", 'a share is at most 1; write "70 %"'),
        ("[policy]", "[policy]\nquantile = 1", "quantile: must be below 1; got 1"),
        ("[policy]", "[policy]\nspares = 8", f"{CANDIDATE}: spares is 8, and adapters_available 8"),
        ("[policy]", "[policy]\nspares = -1", "must not be negative"),
        ("[policy]", "[policy]\nadapter_cost = -1", "a ratio must not be negative"),
        ("[policy]", "[policy]\nadapter_cost = inf", "'Infinity' is not a finite number"),
        ("[policy]", '[policy]\nobjective = "costs"', 'got "costs"; did you mean cost?'),
        ("[policy]", '[policy]\nobjective = "cost"', '"cost" needs adapter_cost or core_cost'),
        ("[policy]", "[polcy]", "polcy: is not a known key; did you mean policy?"),
        (
            "[policy]",
            "[policy",
            "not TOML: Expected ']' at the end of a table declaration (at line",
        ),
        (
            "[policy]",
            '[[candidate]]\nname = "OSA, jumbo frames"\npath = "x"\n[policy]',
            "is the name of several",
        ),
        (
            "[[candidate]]",
            "[[candidates]]",
            "candidates: is not a known key; did you mean candidate?",
        ),
        ("[[traffic]]", "[traffic]", "traffic: must be an array, of tables [[...]]"),
        ("2026-12-01", "12", "start: must be a valid date; got 12"),
        ("2026-12-01", '"tomorrow"', "start: must be a valid date"),
        ("2026-12-01", "9999-01-01", "start: is too late for 5 years"),
        ("start", "horizon_years = 0\nstart", "horizon_years: must be above 0; got 0"),
        ("start", "horizon_years = 1e9\nstart", "horizon_years: must be at most 100"),
        ('"T"', '"T', "not TOML"),
        ("title", "titel", "titel: is not a known key; did you mean title?"),
    ],
)
def test_a_wrong_entry_is_named_with_its_table_and_what_is_allowed(
    file: Path, old: str, new: str, problem: str
) -> None:
    assert problem in read_with(file, old, new)


def test_all_wrong_tables_are_named_at_once(file: Path) -> None:
    text = GOOD.replace("mtu = 9000", "mtu = 1").replace("200\n", "0\n")
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ParseError, match=r"(?s)traffic 1.*candidate 1"):
        scenario(file)


def test_a_file_without_tables_names_both(file: Path) -> None:
    file.write_text('title = "T"\n', encoding="utf-8")
    with pytest.raises(ParseError, match="traffic: is missing; candidate: is missing"):
        scenario(file)


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(ParseError, match="cannot be read: No such file"):
        scenario(tmp_path / "none.toml")
