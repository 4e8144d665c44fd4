"""``netmodel compare``: printed ratios, ratios of two predictions, and what is printed nearest."""

from pathlib import Path
from typing import Any

import pytest
from case_tables import cases
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


@pytest.mark.parametrize("case", [*cases(Path(__file__).with_name("first_sentences.toml"))])
def test_the_first_sentence_is_what_is_printed(case: dict[str, str]) -> None:
    ends = ("--baseline", case["baseline"], "--variant", case["variant"])
    said = headline(*ends, *case["options"].split())
    assert said.endswith(case["answer"]), said
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
    """The line carries 24.443 Gbit/s at MTU 4000; slide 21 prints 13.4 Gbit/s at MTU 1500."""
    options = ("--baseline", f"{OSA7} mtu=1500", "--variant", "mtu=4000", "--workload", STREAM)
    row, *_ = rows_of(*options)
    assert (row["status"], row["relation"]) == ("modelled", "upper_bounds")
    assert row["value"] == pytest.approx(24.443 / 13.4, rel=1e-4)
    assert (row["low"], row["high"]) == (None, None)
    shown = words(printed("compare", *options))
    assert shown.count("1.82 times") == 1, "the headline says it, and no note again"
    assert "throughput 1.82 times, the ratio of two upper bounds" in headline(*options)


def test_a_baseline_without_mtu_has_the_usual_one_and_a_note_says_so() -> None:
    case = ("--workload", STREAM, "--variant", "mtu=9000", "--baseline")
    assert rows_of(*case, OSA7) == rows_of(*case, f"{OSA7} mtu=1500")
    note = "note: baseline without MTU: the usual 1500 assumed\n"
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
