"""``netmodel published``."""

from invocation import printed, printed_json


def test_rows_of_two_adapters_have_conditions_and_place() -> None:
    """N. Hoppmann (2021), slide 20: RoCE has 2.8 times the throughput at one connection."""
    both = ("osa-express7s-25gbe", "roce-express2.1-25gbe")
    only = ("--workload", "rr1c-200x30k", "--quantity", "throughput")
    rows = printed_json("published", *both, *only)
    (row,) = [each for each in rows if each["low"] == 2.8]
    assert (row["document"], row["place"]) == ("adapter", "slide 20")
    assert row["of"]["connections"] == [1]
    assert row["against"]["client"] == ["osa-express7s-25gbe"]
    assert row["text"].startswith("2.8 times that with OSA-Express7S (adapter document, slide 20)")
    text = " ".join(printed("published", *both, *only).split())
    assert text.startswith(f"Printed rows of throughput in document adapter: {len(rows)}. ")
    assert "1500 1 RoCE, rps off 2.8 times that slide 20 with OSA-Express7S" in text


def test_of_many_rows_the_first_are_printed() -> None:
    rows = printed_json("published", "osa-express7s-25gbe")
    text = printed("published", "OSA-Express7S-25GbE")
    assert f"{len(rows) - 24} more rows with --verbose" in text
    assert len(printed("published", "osa-express7s-25gbe", "--verbose").splitlines()) > len(rows)
