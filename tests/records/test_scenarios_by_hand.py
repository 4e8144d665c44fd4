"""Entries of a scenario on both sides of their limits, and every field of a small one."""

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from netmodel.errors import ParseError, UnitError
from netmodel.records import scenario
from netmodel.records._scenario_values import (
    NO_VOLUME,
    Volume,
    above_zero,
    listed_or,
    parse_connections,
    parse_from_one,
    parse_gain,
    parse_growth,
    parse_mtu,
    parse_quantile,
    parse_share,
    parse_variation,
    parse_volume,
    parse_years,
    read_date,
    shown,
)
from netmodel.records._scenarios import Candidate, Policy, Scenario, TrafficClass
from netmodel.units import parse_time_s

LIMITS: dict[Callable[[str], Any], dict[str, float | str]] = {
    parse_share: {
        "1e-9": 1e-9,
        "0.7": 0.7,
        "70 %": 0.7,
        "1": 1,
        "100 %": 1,
        "0": '"0"',
        "-0.1": '"-0.1"',
        "1.5": '"1.5"; write "1.5 %"',
        "70": '"70"; write "70 %"',
        "100": '"100"; write "100 %"',
        "101": '"101"',
        "150 %": '"150 %"',
    },
    parse_quantile: {
        "0.95": 0.95,
        "99.9 %": 0.999,
        "0": '"0"',
        "1": '"1": no load is below the largest that can be',
        "95": '"95"; write "95 %"',
        "100 %": '"100 %": no load is below the largest that can be',
    },
    parse_variation: {
        "0": 0,
        "0.3": 0.3,
        "4.9": 4.9,
        "50 %": 0.5,
        "500 %": 5,
        "900 %": 9,
        "-0.1": '"-0.1"',
        "5": '"5"; write "5 %"',
        "30": '"30"; write "30 %"',
        "101": '"101"',
    },
    parse_growth: {
        "0.2": 0.2,
        "20 %": 0.2,
        "-99 %": -0.99,
        "4.9": 4.9,
        "600 %": 6,
        "-1": '"-1", which leaves no load after a year',
        "-200 %": '"-200 %", which leaves no load after a year',
        "5": '"5"; write "5 %"',
        "20": '"20"; write "20 %"',
    },
    parse_from_one: {"1": 1, "12": 12, "0": '"0"'},
    parse_connections: {"1": 1, "10000000": 10_000_000, "0": '"0"', "10000001": '"10000001"'},
    parse_mtu: {"68": 68, "9 kB": 9000, "65536": 65536, "67": '"67"', "65537": '"65537"'},
    parse_gain: {"1": 1, "1.3": 1.3, "2": 2, "0.99": '"0.99"', "2.01": '"2.01"'},
    parse_years: {"0.5": 0.5, "100": 100, "0": '"0"', "100.5": '"100.5"'},
    above_zero(parse_time_s): {"1 ns": 1e-9, "2 ms": 2e-3, "0 s": '"0 s"'},
}


@pytest.mark.parametrize(
    ("parse", "text", "result"),
    [(parse, text, result) for parse, cases in LIMITS.items() for text, result in cases.items()],
)
def test_an_entry_on_both_sides_of_its_limits(
    parse: Callable[[str], Any], text: str, result: float | str
) -> None:
    if isinstance(result, str):
        with pytest.raises(UnitError) as caught:
            parse(text)
        assert str(caught.value) == result
    else:
        assert parse(text) == pytest.approx(result, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "bps", "tps"),
    [
        ("8 Gbit/s", 8e9, None),
        ("100000/s", None, 100_000),
        *((f"5 {unit}/s", None, 5) for unit in ("1", "transactions", "requests", "message")),
        ("5 writes / s", None, 5),
    ],
)
def test_a_volume_is_a_rate_or_transactions(
    text: str, bps: float | None, tps: float | None
) -> None:
    assert parse_volume(text) == Volume(text, bps, tps)
    assert NO_VOLUME == ("", None, None)


@pytest.mark.parametrize("text", ["0/s", "0 Gbit/s"])
def test_a_volume_is_above_zero(text: str) -> None:
    with pytest.raises(UnitError, match=f"'{text}': a volume must be above 0"):
        parse_volume(text)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (True, "true"),
        ("a", '"a"'),
        ({"a": 1}, "a table"),
        ([1, "b", [True]], '[1, "b", [true]]'),
        ((2.5,), "[2.5]"),
        (None, "None"),
        ("x" * 58, f'"{"x" * 58}"'),
        ("x" * 59, f'"{"x" * 59}…'),
    ],
)
def test_a_value_is_shown_as_in_the_file(given: object, text: str) -> None:
    assert shown(given) == text


def test_words_and_days() -> None:
    assert listed_or(["a"]) == "a"
    assert listed_or(["a", "b", "c"]) == "a, b or c"
    day = datetime.date(2026, 12, 1)
    assert read_date(day) is day
    assert read_date("2026-12-01") == day
    noon = datetime.datetime(2026, 12, 1, 12)
    with pytest.raises(ValueError, match="must be a day such as 2026-12-01; got 2026-12-01 12:00"):
        read_date(noon)


# Tables made in Python, as by those who plan from a notebook


def problem_of(model: type[Any], **data: object) -> str:
    with pytest.raises(ValidationError) as caught:
        model(**data)
    return str(caught.value)


def test_every_entry_of_traffic_is_in_base_units() -> None:
    made = TrafficClass(
        name=" orders ",
        workload="rr1c-200x1000",
        sender="server",
        connections="200",
        segments_per_ack=2,
        mean="8 Gbit/s",
        variation="50 %",
        distribution="normal",
        growth_per_year="20 %",
        max_transaction_time="2 ms",
    )
    assert made.model_dump() == {
        "name": "orders",
        "workload": "rr1c-200x1000",
        "sender": "server",
        "connections": 200,
        "segments_per_ack": 2,
        "mean": ("8 Gbit/s", 8e9, None),
        "variation": 0.5,
        "distribution": "normal",
        "peak": None,
        "peak_quantile": None,
        "series": None,
        "growth_per_year": 0.2,
        "max_transaction_time": 2e-3,
    }
    peak = TrafficClass(name="a", peak="8 Gbit/s", peak_quantile="99 %", variation=0.3)
    assert (peak.peak_quantile, peak.variation, peak.growth_per_year) == (0.99, 0.3, 0.0)
    assert TrafficClass(name="a", mean=Volume("", 1e9, None)).mean == ("", 1e9, None)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({}, "give one of mean, peak and series: it has none"),
        ({"mean": "1/s", "peak": "2/s"}, "it has mean and peak"),
        ({"mean": "1/s", "peak": "2/s", "series": {}}, "series.file"),
        ({"mean": "1/s"}, "workload: is missing; a rate in 1/s needs the sizes of its messages"),
        ({"peak": "1/s"}, "workload: is missing"),
        ({"mean": "1 Gbit/s", "distribution": "normal"}, "distribution: is for variation, which"),
        ({"mean": "1 Gbit/s", "peak_quantile": 0.9}, "peak_quantile: is for peak, which is not"),
        ({"mean": "1 Gbit/s", "connections": True}, "from 1 to 10,000,000; got true"),
        ({"mean": "1 Gbit/s", "connections": [1]}, "from 1 to 10,000,000; got [1]"),
        ({"mean": "1 Gbit/s", "sender": "clint"}, 'got "clint"; did you mean client?'),
        ({"mean": "1 Gbit/s", "sender": 5}, "must be client or server; got 5"),
    ],
)
def test_parts_of_traffic_that_do_not_fit(data: dict[str, object], problem: str) -> None:
    text = problem_of(TrafficClass, name="a", **data).replace("\n", ".")
    assert problem in text


SERIES = {"file": "load.csv", "column": "rate", "unit": "Gbit/s"}


def test_a_series_needs_neither_a_variation_nor_a_workload() -> None:
    made = TrafficClass(name="a", series=SERIES)
    assert made.series is not None
    assert made.series.model_dump() == SERIES | {"time": "time"}
    message = "variation: is for mean or peak, which is not given"
    assert message in problem_of(TrafficClass, name="a", series=SERIES, variation=0.3)


EQUIPMENT: dict[str, object] = {
    "adapter": ["a", "b"],
    "path": "lab",
    "mtu": ["1500", "9 kB"],
    "line_rate": "25 Gbit/s",
    "client_host": "c",
    "server_host": "s",
    "client_cost": "30 µs/transaction",
    "server_cost": "0.16 cores/(Gbit/s)",
    "cpu_frequency": "5.2 GHz",
    "smt_gain": 1.3,
    "cpu_time_basis": "thread",
    "cost_measured_with": "mtu=1500",
    "km": [35, "800 m"],
    "route_factor": 1,
    "equipment": "20 µs",
    "window": "256 KiB",
    "loss": ["0.01 %", 1e-3],
    "protocol": ["tcp", "smc-r"],
    "stack": "ethernet/ipv4/tcp",
    "ip": 6,
    "transport": "udp",
    "timestamps": False,
    "vlan_tags": 0,
    "adapters_available": 3,
    "client_cpus": 4,
    "server_cpus": "5",
    "adapter_cost": 100,
    "core_cost": "2.5",
}
READ: dict[str, object] = {
    **EQUIPMENT,
    "adapter": ("a", "b"),
    "mtu": (1500, 9000),
    "line_rate": 25e9,
    "cpu_frequency": 5.2e9,
    "km": (35.0, 0.8),
    "equipment": 20e-6,
    "window": (262144,),
    "loss": (1e-4, 1e-3),
    "protocol": ("tcp", "smc-r"),
    "server_cpus": 5,
    "core_cost": 2.5,
    "sender": None,
    "receiver": None,
    "rtt": None,
}


def test_every_entry_of_a_candidate_is_in_base_units() -> None:
    made = Candidate(name="one", **EQUIPMENT)
    dumped = made.model_dump()
    assert dumped.keys() == READ.keys() | {"name"}
    for key, value in READ.items():
        assert dumped[key] == (pytest.approx(value) if key in {"km", "loss"} else value), key
    assert made.varied == {
        key: getattr(made, key) for key in ("adapter", "mtu", "km", "loss", "protocol")
    }
    single = Candidate(name="one", adapter="a", rtt=["1 ms", "2 ms"], window=[1, 2])
    assert single.varied == {"rtt": (1e-3, 2e-3), "window": (1, 2)}


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({}, "give adapter, or sender and receiver, or path"),
        ({"sender": "a"}, "give adapter, or sender and receiver, or path"),
        ({"receiver": "a"}, "give adapter, or sender and receiver, or path"),
        ({"adapter": "a", "sender": "b"}, "give adapter, or sender and receiver, not both"),
        ({"adapter": "a", "receiver": "b"}, "give adapter, or sender and receiver, not both"),
        ({"path": "p", "km": 1, "rtt": "1 ms"}, "give km or rtt, not both"),
        ({"path": "p", "ip": 5}, "ip: must be 4 or 6; got 5"),
        ({"path": "p", "route_factor": 0.99}, "route_factor: must be at least 1; got 0.99"),
        ({"path": "p", "line_rate": "0 Gbit/s"}, 'must be a rate such as "25 Gbit/s"; got "0 G'),
        ({"path": "p", "cpu_frequency": "0 GHz"}, "must be a frequency such as"),
        ({"path": "p", "loss": ["0.01 %", 1e-4]}, "has 0.0001 twice"),
        ({"path": "p", "mtu": []}, "must not be an empty list: leave the key out"),
        ({"path": "p", "stack": "x"}, "unknown layer 'x'"),
        ({"path": "p", "timestamps": 1}, "must be true or false, without quotes; got 1"),
        ({"path": " "}, "must not be empty"),
        ({"path": 7}, "must be text in quotes; got 7"),
    ],
)
def test_parts_of_a_candidate_that_do_not_fit(data: dict[str, object], problem: str) -> None:
    assert problem in problem_of(Candidate, name="one", **data)


@pytest.mark.parametrize(
    "data",
    [{"sender": "a", "receiver": "b"}, {"path": "p"}, {"path": "p", "ip": 4, "route_factor": 1}],
)
def test_equipment_is_named_in_one_way(data: dict[str, object]) -> None:
    made = Candidate(name="one", **data).model_dump(exclude_none=True)
    assert made == {"name": "one"} | data


def test_a_policy_says_what_it_takes_for_granted() -> None:
    assert Policy().model_dump() == {
        "quantile": 0.95,
        "max_utilisation": 0.7,
        "max_utilisation_after_failure": None,
        "spares": 1,
        "spare_cores": 0,
        "max_transaction_time": None,
        "currency": "",
        "objective": None,
        "spreading": "even",
        "plan_on": "worst",
        "without_statements": False,
        "adapters_available": None,
        "client_cpus": None,
        "server_cpus": None,
        "adapter_cost": None,
        "core_cost": None,
    }
    headroom = problem_of(Policy, headroom="30 %")
    assert 'headroom "30 %" is max_utilisation "70 %"; got "30 %"' in headroom


ONE = {"name": "one", "mean": "1 Gbit/s"}
OTHER = {"name": "two", "path": "p"}


def made_scenario(**changed: Any) -> Scenario:
    return Scenario(**{"traffic": [ONE], "candidate": [OTHER], **changed})


def test_a_scenario_has_a_title_and_five_years() -> None:
    made = made_scenario()
    assert (made.title, made.start, made.horizon_years) == ("Scenario", None, 5.0)
    assert (made.source_name, made.source_text, made.policy) == ("", "", Policy())
    assert repr(made) == "<Scenario Scenario, 1 traffic classes, 1 candidates>"
    html = made._repr_html_()
    assert (html.count(">traffic</th>"), html.count(">candidate</th>")) == (1, 1)


HASHED = 'traffic 2 "b", connections: is missing, which spreading "hashed" needs'


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"traffic": []}, "traffic: give at least one [[traffic]]"),
        ({"candidate": []}, "candidate: give at least one [[candidate]]"),
        (
            {"traffic": [ONE, ONE | {"name": "b"}, ONE]},
            'traffic 3, name: "one" is the name of traffic 1 too',
        ),
        ({"candidate": [OTHER, OTHER]}, 'candidate 2, name: "two" is the name of candidate 1 too'),
        (
            {
                "traffic": [ONE | {"connections": 4}, ONE | {"name": "b"}],
                "policy": {"spreading": "hashed"},
            },
            HASHED,
        ),
        ({"start": "9995-01-01"}, "start: is too late for 5 years; got 9995-01-01"),
        (
            {"policy": {"spares": 2, "adapters_available": 2}},
            'candidate 1 "two": spares is 2, and adapters_available 2: none is left to work',
        ),
        (
            {"candidate": [OTHER | {"adapters_available": 1}], "policy": {"adapters_available": 9}},
            "spares is 1, and adapters_available 1: none is left to work",
        ),
        ({"policy": {"objective": "cost"}}, '"cost" needs adapter_cost or core_cost'),
    ],
)
def test_parts_of_a_scenario_that_do_not_fit(changed: dict[str, Any], problem: str) -> None:
    usual = {"traffic": [ONE], "candidate": [OTHER]}
    assert problem in problem_of(Scenario, **usual | changed)


@pytest.mark.parametrize(
    "changed",
    [
        {"start": "9994-01-01"},
        {"policy": {"spares": 1, "adapters_available": 2}},
        {"candidate": [OTHER | {"adapters_available": 9}], "policy": {"adapters_available": 1}},
        {"policy": {"objective": "cost", "adapter_cost": 0}},
        {"candidate": [OTHER | {"core_cost": 1}], "policy": {"objective": "cost"}},
        {"policy": {"objective": "cores"}},
        {"traffic": [ONE | {"connections": 4}], "policy": {"spreading": "hashed"}},
    ],
)
def test_parts_of_a_scenario_that_just_fit(changed: dict[str, Any]) -> None:
    assert made_scenario(**changed).traffic[0].name == "one"


FILE = """\
[[traffic]]
name = "one"
series = { file = "load.csv", column = "rate", unit = "/s" }
workload = "mine.toml"
[[candidate]]
name = "two"
adapter = ["card.toml", "an-id"]
path = "an-id"
"""


def test_files_of_a_scenario_are_beside_it_and_ids_stay(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(FILE, encoding="utf-8")
    read = scenario(file)
    (traffic,), (candidate,) = read.traffic, read.candidate
    assert traffic.series is not None
    assert (traffic.series.file, traffic.workload) == (
        str(tmp_path / "load.csv"),
        str(tmp_path / "mine.toml"),
    )
    assert candidate.adapter == (str(tmp_path / "card.toml"), "an-id")
    assert candidate.path == "an-id"
    assert (read.source_name, read.source_text, read.policy) == (str(file), FILE, Policy())


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("", ["traffic: give at least one [[traffic]]", "candidate: give at least one"]),
        ("traffic = 1\n", ["traffic: write its tables as [[traffic]], with two brackets"]),
        ("trafic = 1\n", ["trafic: is not a known key; did you mean traffic?"]),
        (
            "zzz = 1\n" + FILE.replace('name = "two"', "name = 2"),
            ["candidate 1: name: must be text", "zzz: is not a known key; known are candidate, "],
        ),
        ("policy = 1\n" + FILE, ["policy: must be a table"]),
        (
            FILE.replace('unit = "/s"', 'unit = "km"'),
            ['traffic 1 "one": series: unit: must be one'],
        ),
        (FILE + "[policy]\nspares = true\n", ["policy: spares: must be a whole number from 0 up"]),
        ("start = 1\n" + FILE, ["start: must be a day such as 2026-12-01; got 1"]),
    ],
)
def test_each_table_of_a_file_is_read_alone(text: str, problems: list[str], tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ParseError) as caught:
        scenario(file)
    assert caught.value.source == str(file)
    for problem in problems:
        assert problem in caught.value.problem
    if text.startswith("trafic"):
        assert "traffic: give" not in caught.value.problem
