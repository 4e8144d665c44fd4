"""``netmodel published``."""

from pathlib import Path

import pytest
from invocation import printed, printed_json, refusal, run_netmodel

OWN = """
document = "brief"

[names]
"ethernet-10gbe" = "our card"

[[rows]]
id = "brief-rate"
place = "page 2"
quantity = "throughput"
of = { client = "ethernet-10gbe", server = "ethernet-10gbe", connections = [1, 4] }
value = 9.1
unit = "Gbit/s"
printed = "9.1 Gbit/s"
"""


def own_data(directory: Path, text: str) -> tuple[str, str]:
    (directory / "published").mkdir()
    (directory / "published" / "brief.toml").write_text(text, encoding="utf-8")
    return "--own-data", str(directory)


def test_rows_of_two_adapters_have_conditions_and_place() -> None:
    """N. Hoppmann (2021), slide 20: RoCE has 2.8 times the throughput at one connection."""
    both = ("osa-express7s-25gbe", "roce-express2.1-25gbe")
    only = ("--workload", "rr1c-200x30k", "--quantity", "throughput")
    rows = printed_json("published", *both, *only)
    (row,) = [each for each in rows if each["low"] == 2.8]
    assert (row["document"], row["place"]) == ("adapter", "slide 20")
    assert row["of"]["connections"] == [1]
    assert row["against"]["client"] == ["osa-express7s-25gbe"]
    text = " ".join(printed("published", *both, *only).split())
    assert text.startswith(f"{len(rows)} printed rows name ")
    assert "throughput 2.8 times that of OSA-Express7S (adapter, slide 20): roce-" in text


def test_many_rows_are_counted_by_workload_and_quantity() -> None:
    rows = printed_json("published", "osa-express7s-25gbe")
    text = printed("published", "osa-express7s-25gbe")
    counts = [int(line.split()[-1]) for line in text.split("\n\n")[1].splitlines()[1:]]
    assert sum(counts) == len(rows)
    assert len(text.splitlines()) < 24
    assert len(printed("published", "osa-express7s-25gbe", "--verbose").splitlines()) > len(rows)


def test_what_no_row_names_is_refused_or_said() -> None:
    problem = refusal("published", "osa-expres7s-25gbe")
    assert (
        "no document has a row about 'osa-expres7s-25gbe'; did you mean osa-express7s-" in problem
    )
    assert "quantity 'throughputs'; did you mean throughput?" in refusal(
        "published", "--quantity", "throughputs"
    )
    text = printed("published", "kvm-one-host", "--workload", "awm-rr")
    assert text == "No document prints a figure that names kvm-one-host and awm-rr.\n"


def test_rows_of_your_own_are_found_by_their_names(tmp_path: Path) -> None:
    text = printed(*own_data(tmp_path, OWN), "published", "ethernet-10gbe")
    assert text.startswith("1 printed row names ethernet-10gbe")
    assert "page 2" in text
    assert "9.1 Gbit/s" in text


@pytest.mark.parametrize(
    ("written", "instead", "problem"),
    [
        ('place = "page 2"\n', "", "row brief-rate: place is missing"),
        ("9.1\n", '"much"\n', "row brief-rate: value must be a number from 0"),
        ("value", "valeu", "row brief-rate: valeu is not a known key"),
        ('"throughput"', '"speed"', "row brief-rate: quantity 'speed' is none of throughput"),
        ("value = 9.1\n", "", "row brief-rate: needs value, or low and high"),
        ("{ client", "[ 1 ] # ", "row brief-rate: of must be a table of texts"),
        ('document = "brief"', "", 'needs document = "brief"'),
        ("[names]", "[[implied]]\nwhere = 1\n[names]", "implied: each needs"),
        ("[1, 4]", "[[1], 4]", "row brief-rate: of must be a table of texts and numbers"),
    ],
)
def test_a_fault_in_a_file_of_your_own_names_file_row_and_key(
    tmp_path: Path, written: str, instead: str, problem: str
) -> None:
    assert written in OWN
    result = run_netmodel(*own_data(tmp_path, OWN.replace(written, instead, 1)), "published")
    assert result.exit_code == 3
    assert "brief.toml" in result.output + result.stderr
    assert problem in result.output + result.stderr


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("brief-x,page 3,throughput,much", "row brief-x: value must be a number from 0"),
        ("brief-x,page 3,throughput", "is no table with a cell for each column"),
        ("brief-rate,page 3,throughput,3", "row brief-rate: there is another one with this id"),
    ],
)
def test_a_fault_in_a_table_of_your_own_names_file_and_row(
    tmp_path: Path, line: str, problem: str
) -> None:
    data = own_data(tmp_path, OWN)
    (table,) = [path.with_name("brief.more.csv") for path in tmp_path.rglob("brief.toml")]
    table.write_text(f"id,place,quantity,value\n{line}\n")
    result = run_netmodel(*data, "published")
    assert result.exit_code == 3
    assert "brief.more.csv" in result.output + result.stderr
    assert problem in result.output + result.stderr
