"""``netmodel check``: verdicts in text and JSON, exit codes, and whatever a file may hold."""

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from case_tables import cases
from invocation import printed, printed_json, refusal, run_netmodel, words
from runs import GONE, changed, sample

from netmodel.records import data_path

HERE = Path(__file__).parent
LINE = ("--line-rate", "200Mbit/s", "--mtu", "1500")
GOOD = str(sample("line_200m_mtu1500_ts1_v4.json"))
LOW = str(sample("iperf3_3.12_udp_100M.json"))
FAILED = str(sample("iperf3_3.21_error.json"))
MISSING = "no such file.json"


@pytest.mark.parametrize(
    ("files", "exit_code"),
    [
        ((GOOD,), 0),
        ((LOW,), 1),
        ((GOOD, LOW), 1),
        ((MISSING,), 3),
        ((GOOD, MISSING), 3),
    ],
    ids=str,
)
def test_the_exit_code_is_that_of_the_worst_row(files: Sequence[str], exit_code: int) -> None:
    assert printed("check", *LINE, *files, exit_code=exit_code)
    assert len(printed_json("check", *LINE, *files, exit_code=exit_code)) == len(files)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--transport", "udp"), ("transport", "udp", "tcp")),
        (("--ip", "6"), ("IP version", "6", "4")),
    ],
)
@pytest.mark.parametrize("others", [(), (FAILED, MISSING)])
def test_a_contradiction_between_options_and_file_is_a_wrong_argument(
    options: Sequence[str], words: Sequence[str], others: Sequence[str]
) -> None:
    result = run_netmodel("check", *LINE, *options, *others, GOOD)
    assert result.exit_code == 2
    assert all(word in result.stderr for word in (GOOD, *words)), result.stderr
    assert all(other in result.stdout for other in others), "the other files are judged"


def test_check_needs_a_file_and_a_rate() -> None:
    assert "Missing argument 'RESULT...'" in refusal("check", *LINE)
    result = run_netmodel("check", GOOD)
    assert result.exit_code == 2
    assert "no limit given: nothing was judged; give --line-rate, or --adapter" in result.stderr
    missing = run_netmodel("check", GOOD, MISSING)
    assert missing.exit_code == 3
    assert f"{MISSING}: cannot be read: No such file" in missing.stderr
    judged = printed("check", *LINE, GOOD, MISSING, exit_code=3)
    assert f"{MISSING}: No such file" in " ".join(judged.split())


@pytest.mark.parametrize("case", [*cases(HERE / "answers.toml")])
def test_an_answer_says_what_its_table_has(case: dict[str, Any]) -> None:
    result = run_netmodel(*shlex.split(case["command"].format(here=HERE, good=GOOD)))
    shown = words(result.stdout + result.stderr)
    assert result.exit_code == case.get("code", 0), shown
    assert [text for text in case.get("says", ()) if text not in shown] == [], shown
    assert [text for text in case.get("lacks", ()) if text in shown] == [], shown


UNREADABLE = {
    "empty": (b"", "empty"),
    "binary": (bytes(range(128, 256)), "not a text file"),
    "cut": (Path(GOOD).read_bytes()[:3000], "the text ends too early"),
    "another tool": (b'{"sysstat": {"hosts": []}}', "CPU time by mpstat: netmodel calibrate host"),
    "prose": (b"Interval  Transfer\n", "not a result of a known tool"),
    "no time": (changed(GOOD, {"end.sum_received.end": 0}), "end.sum_received has no duration"),
    "no payload": (changed(GOOD, {"end.sum_received": GONE}), "end.sum_received is missing"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_an_invalid_file_is_a_row_with_its_fault(name: str, tmp_path: Path) -> None:
    raw, words = UNREADABLE[name]
    path = tmp_path / "run.json"
    path.write_bytes(raw)
    shown = printed("check", *LINE, str(path), GOOD, exit_code=3)
    counts, _, first, second = (line for line in shown.splitlines() if line[:1].strip())
    assert counts == "1 of 2 runs pass: 1 unreadable, 1 at ceiling. Details: --verbose."
    assert first.startswith("unreadable  ")
    assert words in " ".join(shown.split())
    assert f"{path.name}:" in shown
    assert second.startswith("at ceiling")


def test_all_files_that_cannot_be_read_are_named_without_a_limit(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.txt", "b.txt")]
    for path in paths:
        path.write_text("prose\n", encoding="utf-8")
    result = run_netmodel("check", GOOD, *map(str, paths), "--json")
    assert result.exit_code == 3
    run, *others = json.loads(result.stdout)
    assert run["tool"] == "iperf3"
    assert [each["source"] for each in others] == [str(path) for path in paths]
    assert all(f"Error: {path}: not a result" in result.stderr for path in paths)


# A number in place of a file


# Limits that pass on purpose


def test_only_a_named_limit_of_the_run_passes() -> None:
    paced = str(data_path("examples", "mixed-results", "iperf3-rate-limited.json"))
    low = ("check", *LINE, paced)
    assert printed_json(*low, exit_code=1)[0]["verdict"] == "limited"
    for names, exit_code in (("offered_rate", 0), ("window,offered-rate", 0), ("window", 1)):
        (row,) = printed_json(*low, "--accept", names, exit_code=exit_code)
        assert (row["verdict"], row["accepted"]) == ("limited", exit_code == 0)
    assert "limits to accept must be among segment_size" in refusal(*low, "--accept", "wire")


def test_a_borderline_run_fails_unless_it_is_accepted() -> None:
    """9.33 of 9.415 Gbit/s: 0.0015 above the end; repeats may differ by 0.0038: 7 runs decide."""
    near = ("check", "9.33Gbit/s", "--line-rate", "10Gbit/s", "--mtu", "1500")
    for options, exit_code in (((), 1), (("--accept", "window,BORDERLINE"), 0)):
        (row,) = printed_json(*near, *options, exit_code=exit_code)
        assert (row["verdict"], row["accepted"]) == ("borderline", exit_code == 0)
        assert row["more_runs"] == {"run_count": 6, "duration_s": 30.0}
    assert "more_runs" not in printed_json("check", "9.4Gbit/s", *near[2:])[0]


@pytest.mark.parametrize("name", ["9.41", "9.41e9", "1.1GB/s", "9,2Gbit/s"])
def test_a_number_with_another_unit_is_refused_as_one(name: str) -> None:
    message = refusal("check", "--line-rate", "10G", "--mtu", "1500", name)
    assert f"no file has the name '{name}', and as a goodput" in message
    missing = printed("check", "--line-rate", "10G", "1.json", exit_code=3)
    assert "No such file" in missing
