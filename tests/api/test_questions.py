"""The top-level functions give what the packages below give, and name what is wrong."""

from collections.abc import Callable
from pathlib import Path as FilePath
from typing import Any

import pytest
from invocation import refusal

import netmodel
from netmodel.ceilings import line_ceiling
from netmodel.errors import ContradictionError, DomainError, NetmodelError, UnitError
from netmodel.framing import parse_stack, tcp_stack
from netmodel.path import SpecifiedPath, predict_path, workload_traffic
from netmodel.readers import read_result
from netmodel.records import adapter, data_path, workload

OSA, ROCE = "osa-express7s-25gbe", "roce-express2.1-25gbe"
RUNS = data_path("examples", "iperf3")
RUN = RUNS / "line-200m-mtu1500.json"


def test_text_with_units_and_numbers_are_the_same_line() -> None:
    plain = netmodel.ceiling(25e9, 1500)
    assert plain == line_ceiling(25e9, 1500, tcp_stack())
    assert netmodel.ceiling("25 Gbit/s", "1500") == plain
    assert netmodel.ceiling("25G", link_mtu_bytes=1500) == plain
    assert netmodel.ceiling(25e9, 1500, stack="ipv4/tcp+timestamps") == plain
    assert netmodel.ceiling(25e9, 1500, ip=6, vlan_tags=1).stack == tcp_stack(
        ip_version=6, vlan_tags=1
    )
    assert netmodel.ceiling(25e9, 1500, transport="udp").stack == parse_stack("ipv4/udp")


@pytest.mark.parametrize("connections", [1, "50", None])
def test_ids_files_and_records_are_the_same_path(connections: int | str | None) -> None:
    osa, load = adapter(OSA), workload("str-writex30k")
    count = None if connections is None else int(connections)
    expected = predict_path(SpecifiedPath(osa, osa).path(), workload_traffic(load, count), 1500)
    for each in (OSA, osa):
        result = netmodel.predict(
            sender=each, receiver=each, workload=load, mtu_bytes=1500, connections=connections
        )
        keys = ("published", "also_published", "expected", "notes")
        looked_up = {key: result.to_dict()[key] for key in keys}
        assert result.to_dict() == expected.to_dict() | looked_up
        assert (looked_up["expected"] is None) is (count is None)  # "roughly 13.4 Gbit/s"
        assert "slide 21" in {figure["place"] for figure in looked_up["published"]}


def test_files_directories_measurements_and_rates_are_judged() -> None:
    by_file, by_path, by_run = (
        netmodel.check(each, line_rate_bps="200 Mbit/s", mtu_bytes=1500)
        for each in (str(RUN), RUN, read_result(RUN)[0])
    )
    assert by_file == by_path
    assert by_run[0].outcome is by_file[0].outcome
    many = netmodel.check([RUNS, "180 Mbit/s"], line_rate_bps=2e8, mtu_bytes=1500, transport="tcp")
    assert len(many) == 9
    assert many[-1].goodput_bps == 180e6


HOST = """
title = "mine"
kind = "lpar"
core_count = "4"

[defaults]
source = "lab"
locator = "run 1"
grade = "measured"

[receive.per_byte]
value = 4
unit = "ns"
resolution = 0.01
"""


def test_limits_of_hosts_judge_too(tmp_path: FilePath) -> None:
    """4 CPUs at 4 ns a byte receive 8 Gbit/s."""
    file = tmp_path / "mine.toml"
    file.write_text(HOST, encoding="utf-8")
    line: dict[str, Any] = {"mtu_bytes": 1500, "transport": "tcp"}
    with pytest.raises(ContradictionError, match="client_host needs adapter or sender or receiver"):
        netmodel.check("1 Gbit/s", line_rate_bps=1e10, client_host=file, **line)
    (verdict,) = netmodel.check("8 Gbit/s", sender=ROCE, receiver=ROCE, server_host=file, **line)
    assert verdict.binding is not None
    assert verdict.binding.name == "server_cpus"
    assert verdict.binding.value_bps == pytest.approx(8e9, rel=1e-3)


@pytest.mark.parametrize(
    ("sizes", "acks_s"),
    [
        ({"request_bytes": 0, "response_bytes": 14480}, 10 / 5 * 1e-6),
        ({"request_bytes": 100, "response_bytes": 14480}, 1e-6 + 9 / 5 * 1e-6),
        ({"request_bytes": 14480, "response_bytes": 14480}, 10e-6),
        ({"response_bytes": 1472, "transport": "udp"}, 0),
    ],
)
def test_acknowledgements_take_time_of_hosts(
    sizes: dict[str, Any], acks_s: float, tmp_path: FilePath
) -> None:
    """1 µs for each frame received; frames of messages acknowledge as many of the others."""
    file = tmp_path / "mine.toml"
    times = '[send]\nper_byte = "0 ns"\n[receive]\nper_packet = "1 µs"\nsegments_per_ack = "5"'
    limits_bps = []
    for text in (times.replace("segments_per_ack", "# "), times):
        file.write_text(HOST.partition("[receive")[0] + text, encoding="utf-8")
        path: dict[str, Any] = {"adapter": ROCE, "server_host": file, "mtu_bytes": 1500}
        asked = netmodel.predict(**path, connections=1, **sizes)
        limits_bps.append({x.name: x.rate.value for x in asked.limits if "cpu" not in x.name})
    assert asked.cpu_s_per_transaction["server"].value == pytest.approx(acks_s), asked
    assert limits_bps[0] == limits_bps[1]  # no message waits for them


def test_an_error_names_keywords_in_python_and_options_in_a_command() -> None:
    with pytest.raises(ContradictionError, match="give mtu_bytes or link_mtu_bytes, not both"):
        netmodel.ceiling(25e9, 1500, link_mtu_bytes=1500)
    asked = ("ceiling", "--line-rate", "25G", "--mtu", "1500", "--link-mtu", "1500")
    assert "give --mtu or --link-mtu, not both" in refusal(*asked)


PLAN = {"flows": "40 Gbit/s str-writex30k", "adapters": OSA, "mtu_bytes": 1500}
WRONG: list[tuple[Callable[..., Any], dict[str, Any], type[NetmodelError], str]] = [
    (netmodel.ceiling, {"line_rate_bps": "25", "mtu_bytes": 1500}, UnitError, "line_rate_bps"),
    (netmodel.ceiling, {"line_rate_bps": 25e9}, ContradictionError, "mtu_bytes or link_mtu_bytes"),
    (netmodel.ceiling, {"line_rate_bps": 25e9, "mtu_bytes": True}, DomainError, "mtu_bytes"),
    (
        netmodel.ceiling,
        {"line_rate_bps": 25e9, "mtu_bytes": 1500, "stack": "ipv4/tcp", "ip": 6},
        ContradictionError,
        "give stack or ip, not both",
    ),
    (netmodel.predict, {"workload": "str-writex30k"}, ContradictionError, "sender and receiver"),
    (
        netmodel.predict,
        {"workload": "str-writex30k", "sender": 7, "receiver": OSA},
        DomainError,
        "sender must be an id",
    ),
    (
        netmodel.check,
        {"results": "9.4 Gbit/s", "mtu_bytes": 1500},
        ContradictionError,
        "line_rate_bps",
    ),
    (netmodel.plan, {**PLAN, "adapters_available": "x"}, UnitError, "adapters_available: 'x'"),
]


@pytest.mark.parametrize(("function", "given", "error", "named"), WRONG)
def test_what_is_wrong_is_named(
    function: Callable[..., Any], given: dict[str, Any], error: type[NetmodelError], named: str
) -> None:
    with pytest.raises(error, match=named.replace("(", r"\(")):
        function(**given)


def test_what_is_published_can_be_left_out() -> None:
    case: dict[str, Any] = {
        "sender": OSA,
        "receiver": OSA,
        "workload": "rr1c-200x30k",
        "mtu_bytes": 9000,
        "connections": [5, 10, 50],
    }
    known, alone = netmodel.predict(**case), netmodel.predict(**case, physics_only=True)
    is_less = known.throughput_bps.value < alone.throughput_bps.value
    assert is_less.tolist() == [False, True, False]  # 34 % is printed of 10 connections
    flow: dict[str, Any] = {"adapters": OSA, "mtu_bytes": 9000, "connections": 10}
    flow |= {"max_utilisation": 1, "spares": 0}
    counts = [
        netmodel.plan("20 Gbit/s rr1c-200x30k", **flow, physics_only=without)[0].chosen_count
        for without in (False, True)
    ]
    assert counts == [2, 1]


def test_words_of_results_are_text() -> None:
    (verdict,) = netmodel.check("9.2 Gbit/s", line_rate_bps=10e9, mtu_bytes=1500, transport="tcp")
    assert (verdict.outcome, f"{verdict.outcome}") == ("below", "below")
    result = netmodel.predict(adapter=OSA, mtu_bytes=1500, client_cost="0.16 cores/(Gbit/s)")
    assert result.throughput_bps.bound == "upper"
    assert result.cpu_us_per_gbit["client"].value == pytest.approx(0.16e6)  # type: ignore[index]
