"""What a document prints of the very case comes first: `predict` and `plan`, by slide."""

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


def test_line_speed_is_the_answer_where_it_is_printed() -> None:
    stream = ("predict", "--adapter", ROCE, "--workload", "str-writex30k", "--mtu", "9000")
    assert "line speed, 24.75 Gbit/s (adapter document, slide 29)" in sentence(
        *stream, "--connections", "50"
    )


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
