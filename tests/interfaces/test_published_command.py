"""``netmodel published``."""

from collections.abc import Callable
from pathlib import Path

import pytest
from invocation import printed, printed_json, refusal, run_netmodel

OWN = """\
id,place,quantity,client,server,connections,relation,value,unit,printed
brief-rate,page 2,throughput,ethernet-10gbe,ethernet-10gbe,1|4,,9.1,Gbit/s,9.1 Gbit/s
brief-gain,page 2,throughput,ethernet-10gbe,ethernet-10gbe,4,range,0.5|0.7,Gbit/s,
"""


OwnData = Callable[[str], None]


@pytest.fixture
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OwnData:
    def written(text: str) -> None:
        (tmp_path / "published").mkdir()
        (tmp_path / "published" / "brief.csv").write_text(text, encoding="utf-8")
        monkeypatch.setenv("NETMODEL_DATA", str(tmp_path))

    return written


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


def test_rows_of_your_own_are_found_by_their_names(own_data: OwnData) -> None:
    own_data(OWN)
    text = printed("published", "ethernet-10gbe")
    assert text.startswith("2 printed rows name ethernet-10gbe")
    assert "page 2" in text
    assert "9.1 Gbit/s" in text
    assert "0.5 to 0.7 Gbit/s" in text


@pytest.mark.parametrize(
    ("written", "instead", "problem"),
    [
        ("brief-rate,page 2", "brief-rate,", '1 "brief-rate".place: is missing'),
        ("9.1,", "much,", '1 "brief-rate".low: must be a valid number'),
        ("throughput", "speed", "1 \"brief-rate\": quantity 'speed' is none of throughput"),
        ("range", "span", "2 \"brief-gain\": relation 'span' is none of equal"),
        ("9.1,", ",", '1 "brief-rate": needs a value'),
        ("9.1,", "-9.1,", '1 "brief-rate": value must be at least 0'),
        ("0.5|0.7", "0.7|0.5", '2 "brief-gain": value must be at least 0, and its ends in order'),
        ("brief-gain", "brief-rate", "two rows have one id"),
        (",page 2", "", "is no table with a cell for each column"),
        (OWN, "", "is no table with a cell for each column"),
    ],
)
def test_a_fault_in_a_table_of_your_own_names_file_row_and_key(
    own_data: OwnData, written: str, instead: str, problem: str
) -> None:
    assert written in OWN
    own_data(OWN.replace(written, instead, 1))
    result = run_netmodel("published")
    assert result.exit_code == 3
    assert "brief.csv" in result.output + result.stderr
    assert problem in result.output + result.stderr
