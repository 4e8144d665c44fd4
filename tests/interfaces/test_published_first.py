"""What a document prints of the very case comes first: `predict` and `plan`, by slide."""

from pathlib import Path

import pytest
from invocation import printed, printed_json, words

OSA7S, OSA6S, ROCE = "osa-express7s-25gbe", "osa-express6s-10gbe", "roce-express2.1-25gbe"
LARGE = ("predict", "--adapter", OSA7S, "--workload", "rr1c-200x30k")


def sentence(*options: str) -> str:
    return words(printed(*options)).partition(" request ")[0]


@pytest.mark.parametrize(
    ("connections", "answer"),
    [
        # 23.49 Gbit/s of the line over 2.75, the far end of "2.8 times" (slide 20)
        ("1", "at most 8.54 Gbit/s: RoCE is 2.8 times as fast (adapter document, slide 20)"),
        ("10", "at most 13.13 Gbit/s; the bottleneck is client_adapter_in"),
        ("50", "about 13 Gbit/s (adapter document, slide 19)"),
        ("250", "about 13 Gbit/s (adapter document, slide 19)"),
    ],
)
def test_large_responses_on_osa_express7s(connections: str, answer: str) -> None:
    assert answer in sentence(*LARGE, "--mtu", "1500", "--connections", connections)


def test_a_printed_ratio_bounds_in_one_step_and_is_no_bottleneck() -> None:
    (row,) = printed_json(*LARGE, "--mtu", "1500", "--connections", "1")
    throughput = row["throughput_bps"]
    # responses of 30,720 byte in 22 frames, each with 90 byte around its payload
    line_bps = 25e9 * 30720 / (30720 + 22 * 90)
    assert throughput["value"] == pytest.approx(line_bps / 2.8)
    assert throughput["high"] == pytest.approx(line_bps / 2.75)
    assert throughput["bound"] == "upper"
    assert row["binding"] is None
    assert "slide 20" in row["bounded_by"]
    assert not any("RoCE" in limit["name"] for limit in row["limits"])
    (alone,) = printed_json(*LARGE, "--mtu", "1500", "--connections", "1", "--physics-only")
    assert (alone["binding"], alone["bounded_by"], alone["published"]) == ("connections", None, [])


def test_figures_of_the_case_and_of_the_nearest_stand_beside_it() -> None:
    (row,) = printed_json(*LARGE, "--mtu", "1500", "--connections", "50")
    first = row["published"][0]
    assert (first["quantity"], first["relation"], first["place"]) == (
        *("throughput", "about"),
        "slide 19",
    )
    assert (first["low"], first["high"], first["unit"]) == (13, 13, "Gbit/s")
    assert all(not figure["differs"] for figure in row["published"])
    assert all(figure["differs"] or figure["open"] for figure in row["also_published"])


def test_line_speed_is_the_answer_where_it_is_printed() -> None:
    stream = ("predict", "--adapter", ROCE, "--workload", "str-writex30k", "--mtu", "9000")
    assert "line speed, 24.75 Gbit/s (adapter document, slide 29)" in sentence(
        *stream, "--connections", "50"
    )


def test_hosts_lines_and_headers_of_ones_own_are_of_no_document() -> None:
    case = (*LARGE, "--mtu", "1500", "--connections", "50")
    host = Path(__file__).parents[2] / "data" / "examples" / "hosts" / "emulated-line.toml"
    tunnel = "ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps"
    for own in (
        ("--line-rate", "10Gbit/s"),
        ("--server-host", str(host)),
        ("--stack", tunnel),
        ("--ip", "6"),
    ):
        (row,) = printed_json(*case, *own)
        assert (row["published"], row["bounded_by"]) == ([], None)


COSTS = ("--client-cost", "50000 µs/Gbit", "--server-cost", "50000 µs/Gbit")


def busy(adapter: str, connections: str, measured_with: str, *more: str) -> dict[str, object]:
    """Busy CPUs of each side for 20 Gbit/s of a stream at MTU 9000."""
    (plan,) = printed_json(
        *("plan", "--flow", "20 Gbit/s str-writex30k", "--adapter", adapter, "--mtu", "9000"),
        *("--connections", connections, *COSTS, "--cost-measured-with", measured_with, *more),
        *("--spares", "0"),
    )
    return {pool["side"]: pool for pool in plan["pools"]}


def test_a_cost_of_another_adapter_is_multiplied_by_the_printed_ratio() -> None:
    """Slide 28: 0.74 at the client, 0.69 at the server; 20 Gbit/s at 50,000 µs/Gbit is 1 core."""
    pools = busy(OSA7S, "250", f"adapter={OSA6S}")
    client, server = (pools[side]["busy_count"] for side in ("client", "server"))  # type: ignore[index]
    assert [client[end] for end in ("value", "low", "high")] == pytest.approx([0.74, 0.735, 0.745])
    assert [server[end] for end in ("value", "low", "high")] == pytest.approx([0.69, 0.685, 0.695])
    assert [pools[side]["core_count"]["value"] for side in pools] == [2, 1]  # type: ignore[index]
    (full, server_full) = busy(OSA7S, "250", f"adapter={OSA6S}", "--max-utilisation", "1").values()
    assert full["core_count"]["value"] == server_full["core_count"]["value"] == 1  # type: ignore[index]


def test_a_cost_without_a_printed_ratio_is_used_unchanged_and_says_so() -> None:
    pools = busy(OSA7S, "250", "mtu=1500")
    assert pools["client"]["busy_count"]["value"] == pytest.approx(1.0)  # type: ignore[index]
    text = words(
        printed(
            *("plan", "--flow", "20 Gbit/s str-writex30k", "--adapter", OSA7S, "--mtu", "9000"),
            *("--connections", "250", *COSTS, "--cost-measured-with", "mtu=1500"),
        )
    )
    assert "unchanged, since no document prints the ratio to mtu 1500" in text


def test_words_without_a_figure_make_the_cost_a_bound() -> None:
    """Slide 29: with 10 and 50 connections RoCE takes more CPU than OSA-Express7S, no figures."""
    pools = busy(ROCE, "50", f"adapter={OSA7S}")
    client = pools["client"]["core_count"]
    assert (client["value"], client["bound"]) == (2, "lower")  # type: ignore[index]


def test_the_printed_bound_of_the_connections_limits_a_plan() -> None:
    # table 9 prints 50 connections; beyond them at most in proportion
    options = ("--flow", "39000/s awm-rr", "--path", "zvm-direct-osa-layer3-1gbe")
    options += ("--mtu", "1492")
    answer = words(printed("plan", *options, "--connections", "60", "--verbose", exit_code=1))
    assert answer.startswith("No: ")
    assert "printed figures of 60 connections allow at most 38,400/s of awm-rr" in answer


def test_a_printed_figure_above_the_line_is_of_another_case() -> None:
    # 13 Gbit/s through the trunk is printed with an open MTU; this line carries less
    path = ("predict", "--path", "powervm-sea-power7", "--workload", "str-writex30k")
    answer = words(printed(*path, "--mtu", "9000"))
    assert "at most 9.9 Gbit/s; the bottleneck is wire_to_server" in answer
