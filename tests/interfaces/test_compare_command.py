"""``netmodel compare``: printed ratios, ratios of two predictions, and what is printed nearest."""

from typing import Any

import pytest
from invocation import printed, printed_json, refusal, words

OSA7, ROCE = "osa-express7s-25gbe", "roce-express2.1-25gbe"
RR, RR30K, STREAM = "rr1c-200x1000", "rr1c-200x30k", "str-writex30k"


def rows_of(*options: str) -> list[dict[str, Any]]:
    return printed_json("compare", *options)


def row_of(rows: list[dict[str, Any]], quantity: str, **conditions: object) -> dict[str, Any]:
    (found,) = [
        row
        for row in rows
        if row["quantity"] == quantity
        and conditions.items() <= {**row, **row["conditions"]}.items()
    ]
    return found


def headline(*options: str) -> str:
    return words(printed("compare", *options).partition("\n\n")[0])


@pytest.mark.parametrize(
    ("baseline", "variant", "options", "answer"),
    [
        (  # slide 20
            *(OSA7, ROCE, f"--workload {RR30K} --mtu 1500 --connections 250"),
            "throughput 80 % higher; CPU per data about the same.",
        ),
        (
            *(OSA7, ROCE, f"--workload {RR30K} --mtu 1500 --connections 10"),
            "throughput 65 % higher; CPU per data 40 to 60 % higher.",
        ),
        (  # slide 20 prints 2.8 times and 40 to 60 % of the other order
            *(ROCE, OSA7, f"--workload {RR30K} --mtu 1500 --connections 1"),
            "throughput 64 % lower; CPU per data 29 to 38 % lower.",
        ),
        (  # slide 33
            *(OSA7, f"client={ROCE}", f"--workload {STREAM} --mtu 1500"),
            "CPU per data higher (no figure) for the client, about the same for the server.",
        ),
        (  # slide 27 has 1, 10, 50 and 250 connections
            *(OSA7, ROCE, f"--workload {RR30K} --mtu 9000 --connections 3"),
            "not published; nearest throughput about 2 times at 1 connection, 34 % higher at 10 "
            "connections.",
        ),
        (  # table 6 has 1, 10 and 50 clients
            *("zvm-vswitch layer=3", "layer=2"),
            "--workload awm-str --mtu 1492 --connections 25",
            "nearest throughput 1.2 % lower at 50 connections, 1.2 % lower at 10 connections.",
        ),
        (  # slide 27 prints both, and no figure between
            *(ROCE, OSA7, f"--workload {RR30K} --mtu 9000 --connections 100"),
            "not published; nearest throughput about the same at 50 or 250 connections, 25 % lower "
            "at 10 connections.",
        ),
        (  # slides 36 and 45
            *(ROCE, "rps=on", f"--workload {STREAM} --mtu 9000"),
            f"rps on against rps off ({STREAM}, MTU 9000, {ROCE}): throughput about the same; "
            "CPU per data may be higher (no figure).",
        ),
        (  # Maximum Transmission Unit, text on Figure 1
            *("kvm-one-host mtu=1500", "mtu=8192", ""),
            "throughput up to 2.2 times for payload 30 KiB, about the same for payload within the "
            "default MTU.",
        ),
        (
            *("kvm-one-host mtu=1500", "mtu=8192", f"--workload {RR}"),
            "throughput about the same.",
        ),
        (  # Tuning attributes impact over virtual Ethernet performance
            *("powervm-lpar-to-lpar", "attributes=tuned", ""),
            "throughput 70 % higher; CPU utilisation lower (no figure).",
        ),
        (  # slide 41
            *(f"{OSA7} rps=off", "rps=on", f"--workload {RR} --connections 250"),
            "transaction time about 37 % lower; CPU per data about 35 % lower.",
        ),
        (*("Ethernet-25GbE MTU=1500", "mtu=9000", ""), "and models need a workload."),
        (  # summary, of both workloads
            *("tcp", "smc-r", "--km 10,40,100"),
            "transaction time up to 60 % lower at 10 km, smc-rr-32k to up to 9 % lower at 100 km, "
            "smc-rr-1k; CPU per data lower (no figure).",
        ),
        (  # summary: 47 % at 10 km, 9 % at 100 km
            *("tcp", "smc-r", "--workload smc-rr-1k --km 10,40,100"),
            "transaction time up to 47 % lower at 10 km, about 20 % lower (modelled) at 40 km, up "
            "to 9 % lower at 100 km.",
        ),
    ],
)
def test_the_first_sentence_is_what_is_printed(
    baseline: str, variant: str, options: str, answer: str
) -> None:
    said = headline("--baseline", baseline, "--variant", variant, *options.split())
    assert said.endswith(answer), said
    assert len(said.replace(" %", "").split()) <= 30


def test_the_json_has_a_row_for_each_quantity_side_and_number_of_connections() -> None:
    rows = rows_of(
        *("--baseline", OSA7, "--variant", ROCE, "--workload", STREAM, "--mtu", "9000"),
        *("--connections", "1,250"),
    )
    assert [(row["quantity"], row["side"], row["connection_count"]) for row in rows] == [
        (quantity, side, count)
        for count in (1, 250)
        for quantity, side in (
            ("throughput", None),
            ("cpu_consumption", "client"),
            ("cpu_consumption", "server"),
        )
    ]
    server = row_of(rows, "cpu_consumption", side="server", connection_count=250)
    # slide 29: 19 % more
    assert server["value"] == 1.19
    assert (server["low"], server["high"]) == pytest.approx((1.185, 1.195))
    assert server["unit"] == "times"
    assert server["places"] == ["adapter document, slide 29"]


def test_bounds_are_compared_with_bounds_and_named_so() -> None:
    """The line carries 24.751 Gbit/s at MTU 9000; slide 21 prints 13.4 Gbit/s at MTU 1500."""
    options = ("--baseline", f"{OSA7} mtu=1500", "--variant", "mtu=9000", "--workload", STREAM)
    row, *_ = rows_of(*options)
    assert (row["status"], row["relation"]) == ("modelled", "upper_bounds")
    assert row["value"] == pytest.approx(24.751 / 13.4, rel=1e-4)
    assert (row["low"], row["high"]) == (None, None)
    shown = words(printed("compare", *options))
    assert shown.count("1.85 times") == 1, "the headline says it, and no note again"
    assert "throughput 1.85 times, the ratio of two upper bounds" in headline(*options)


def test_a_baseline_without_mtu_has_the_usual_one_and_a_note_says_so() -> None:
    case = ("--workload", STREAM, "--variant", "mtu=9000", "--baseline")
    assert rows_of(*case, OSA7) == rows_of(*case, f"{OSA7} mtu=1500")
    note = "note: the baseline names no MTU: the usual 1500 is taken\n"
    assert note in printed("compare", *case, OSA7)
    # an MTU beside another change is that of both
    assert "(MTU 9000" in headline("--baseline", OSA7, "--variant", f"{ROCE} mtu=9000")


@pytest.mark.parametrize(
    ("baseline", "variant", "problem"),
    [
        ("osa-express7s-25gb", ROCE, f"did you mean {OSA7}"),
        (OSA7, f"{ROCE} rps=maybe", "known are off, on"),
        (OSA7, OSA7, "the variant does not differ from the baseline"),
        ("mtu=1500 mtu=9000", OSA7, "mtu is given twice"),
        (OSA7, " ", "--variant: it names no condition"),
    ],
)
def test_a_wrong_case_is_refused(baseline: str, variant: str, problem: str) -> None:
    assert problem in words(refusal("compare", "--baseline", baseline, "--variant", variant))
