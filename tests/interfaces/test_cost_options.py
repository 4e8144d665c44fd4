"""``--client-cost`` and ``--server-cost`` of ``netmodel plan`` and ``netmodel predict``."""

import math

import pytest
from invocation import printed_json, refusal, words

OSA = "osa-express7s-25gbe"
ON_OSA = ("--adapter", OSA, "--mtu", "1500")
PLAN = ("plan", "--flow", "40 Gbit/s rr1c-200x30k", *ON_OSA)
RESPONSE_BYTES, EXCHANGED_BYTES = 30720, 30920
"""rr1c-200x30k: 200 byte of request, 30,720 of response."""
RATE_TPS = 40e9 / 8 / RESPONSE_BYTES


def pool(*options: str) -> dict[str, object]:
    (row,) = printed_json(*PLAN, *options)
    (one,) = row["pools"]
    assert isinstance(one, dict)
    return one


def counts(*options: str) -> tuple[float, float, float]:
    """CPUs busy and needed, and cores."""
    known = pool(*options)
    keys = ("busy_count", "needed_count", "core_count")
    busy, needed, cores = (known[key]["value"] for key in keys)  # type: ignore[index]
    return busy, needed, cores


@pytest.mark.parametrize(
    ("cost", "busy"),
    [
        # cost x 40 Gbit/s of responses and the requests with them
        ("0.16 cores/(Gbit/s)", 0.16 * 40 * EXCHANGED_BYTES / RESPONSE_BYTES),
        ("6.25 (Gbit/s)/core", 0.16 * 40 * EXCHANGED_BYTES / RESPONSE_BYTES),
        # cost x transactions per second
        ("35 µs/transaction", 35e-6 * RATE_TPS),
    ],
)
def test_a_cost_in_any_unit_gives_the_cores_of_its_side(cost: str, busy: float) -> None:
    known = counts("--client-cost", cost)
    whole = math.ceil(busy / 0.7)
    assert known == (pytest.approx(busy, rel=1e-12), whole, whole)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--client-cost", "10 Gbit/s"), "--client-cost: '10 Gbit/s': not a unit of CPU cost"),
        (("--client-cost", "160000"), "--client-cost: '160000': the unit is missing"),
        (("--server-cost", "35 µs"), "--server-cost: '35 µs': not a unit of CPU cost"),
        (("--server-cost", "-3 µs/Gbit"), "must not be negative"),
        (("--server-cost", "0 cores/(Gbit/s)"), "a CPU cost must be above 0"),
        (("--cost-measured-with", "mtu=9000"), "needs --client-cost or --server-cost"),
        (("--client-cost", "5 cycles/byte"), "netmodel consumption convert"),
    ],
)
def test_a_wrong_cost_is_refused_with_its_option(options: tuple[str, ...], problem: str) -> None:
    assert problem in words(refusal(*PLAN, *options))
