"""Results that are found: files, directories and streams, in their order."""

from pathlib import Path

import pytest
from runs import sample

from netmodel.readers import Measurement, find_results
from netmodel.readers._formats import UnreadableResult

GOOD = sample("line_200m_mtu1500_ts1_v4.json")
RECEIVED = "[  5]   0.00-10.00  sec  1.09 GBytes   939 Mbits/sec        receiver\n"
SENTENCE = "This is what the host printed yesterday."
QUOTED, UNKNOWN = "quotes output in its text", "of no known format"
BREAKS_OFF = "begins like a result and breaks off"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "1.json").write_bytes(GOOD.read_bytes())
    (tmp_path / "a.json").write_bytes(GOOD.read_bytes()[:3000])
    (tmp_path / "notes.txt").write_text("Runs of Tuesday", encoding="utf-8")
    return tmp_path


def test_files_that_are_found_keep_their_order_and_lose_their_text(directory: Path) -> None:
    result = find_results([GOOD, directory, directory / "notes.txt", directory / "gone.json"])
    first, broken, two, notes, gone = result.rows
    assert isinstance(first, Measurement)
    assert isinstance(two, Measurement)
    assert (first.source, two.source) == (str(GOOD), str(directory / "b" / "1.json"))
    assert first.file.raw_text == two.file.raw_text == ""
    assert first.file.sha256 == two.file.sha256 != ""
    assert isinstance(broken, UnreadableResult)
    assert isinstance(notes, UnreadableResult), "it was named itself"
    assert gone == UnreadableResult(
        str(directory / "gone.json"), "cannot be read: No such file or directory"
    )


def test_a_stream_is_read_and_named(tmp_path: Path) -> None:
    with GOOD.open("rb") as file:
        (run,) = find_results([file]).rows
    assert isinstance(run, Measurement)
    assert run.source == str(GOOD)
    with (tmp_path / "x").open("wb") as unreadable:
        (row,) = find_results([unreadable]).rows
    assert row == UnreadableResult(str(tmp_path / "x"), "cannot be read: read")


def test_two_files_with_a_snapshot_of_counters_each_are_one_run(tmp_path: Path) -> None:
    text = (Path(__file__).parent / "samples/counters/line200m_ip_s_link.txt").read_text("utf-8")
    first, last = tmp_path / "1", tmp_path / "2"
    first.write_text(text[: len(text) // 2], encoding="utf-8")
    last.write_text(text[len(text) // 2 :], encoding="utf-8")
    good, run = find_results([first, GOOD, last]).rows
    assert isinstance(run, Measurement)
    assert (good.source, run.source) == (str(GOOD), f"{first}, {last}")  # type: ignore[union-attr]
    assert run.file.part == "vA out"
    (alone,) = find_results([first]).rows
    assert isinstance(alone, UnreadableResult)
    assert [each.problem for each in find_results([tmp_path]).passed_over] == [
        "counters of one time",
        "counters of one time",
    ]


@pytest.mark.parametrize(
    ("name", "text", "passed_over"),
    [
        ("title.txt", f"{SENTENCE}\n{RECEIVED}", None),
        ("ticket.txt", f"{SENTENCE} {SENTENCE}\n{RECEIVED}", QUOTED),
        ("page.md", RECEIVED, QUOTED),
        ("run.sh.gz", RECEIVED, QUOTED),
        ("cut.txt", "iperf 3.12\nLinux h 6.1\n", ""),
        ("absent.txt", "bash: iperf3: command not found\n", ""),
        ("notes.txt", "iperf was slow\n", UNKNOWN),
        ("cut.json", '{"start": {"version": "iper', ""),
        ("value.json", '{"start": {"version": fals', ""),
        ("words.json", '{"start": oops, no JSON}', UNKNOWN),
        ("other.json", '{"start": 1}', UNKNOWN),
        ("deep.json", "[" * 100_000, UNKNOWN),
    ],
)
def test_a_file_that_nobody_named_is_a_result_or_is_passed_over(
    name: str, text: str, passed_over: str | None, tmp_path: Path
) -> None:
    """None where it is read, nothing where it breaks off."""
    (tmp_path / name).write_text(text, encoding="utf-8")
    for format_name in (None, "iperf3-text"):
        found = find_results([tmp_path], format_name)
        assert [each.problem for each in found.passed_over] == [passed_over] * bool(passed_over)
        if passed_over is None:
            assert isinstance(found.rows[0], Measurement)
        elif not passed_over:
            assert found.rows == (UnreadableResult(str(tmp_path / name), BREAKS_OFF),)
