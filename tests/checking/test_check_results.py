"""All results in a directory, read and judged without the command line."""

from pathlib import Path

import pytest
from runs import check_file, run, sample

from netmodel.checking import Gate, SpecifiedLine, Verdicts, check, check_results
from netmodel.errors import DomainError
from netmodel.readers import find_results

LINE = SpecifiedLine(200e6, mtu_bytes=1500)
GOOD = sample("line_200m_mtu1500_ts1_v4.json")


def judged(directory: Path, line: SpecifiedLine = LINE, *gate: Gate) -> Verdicts:
    return check_results(find_results([directory]), line, *gate)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "1.json").write_bytes(GOOD.read_bytes())
    (tmp_path / "a.json").write_bytes(GOOD.read_bytes()[:3000])
    (tmp_path / "notes.txt").write_text("Runs of Tuesday", encoding="utf-8")
    return tmp_path


def test_a_directory_is_judged_file_by_file(directory: Path) -> None:
    verdicts = judged(directory)
    broken, good = verdicts
    assert (broken.file, broken.outcome) == (str(directory / "a.json"), None)
    assert "ends too early" in broken.reason
    (alone,) = check_file(directory / "b" / "1.json", LINE)
    assert (good.file, good.outcome, good.ratio) == (alone.file, alone.outcome, alone.ratio)
    assert "contradiction" not in {each.word for each in verdicts}
    assert repr(verdicts).startswith("1 of 2 runs pass: 1 unreadable, 1 at ceiling.\n\noutcome ")
    assert repr(good).startswith("<Verdict b/1.json: at ceiling")


def test_a_run_that_failed_has_the_rate_that_it_had_reached() -> None:
    failed = check(run(1e9, error="stopped"), SpecifiedLine(25e9, mtu_bytes=1500))
    assert "failed   1 Gbit/s" in repr(Verdicts([failed]))


BOTH_ENDS = sample("").parent / "both-ends"


def test_two_files_of_one_run_get_one_verdict_at_the_receiver(tmp_path: Path) -> None:
    """94.217 Mbit/s at the server, of 1448/1538 of 100 Mbit/s."""
    for side in ("client", "server"):
        name = f"iperf3_3.12_tcp_{side}.json"
        (tmp_path / name).write_bytes((BOTH_ENDS / name).read_bytes())
    (verdict,) = judged(tmp_path, SpecifiedLine(100e6, mtu_bytes=1500))
    assert verdict.file == str(tmp_path / "iperf3_3.12_tcp_server.json")
    assert verdict.ratio == pytest.approx(94.217e6 / (1448 / 1538 * 100e6), rel=1e-4)


def test_a_run_that_contradicts_what_is_specified_is_reported_and_has_no_verdict(
    directory: Path,
) -> None:
    checked = judged(directory, SpecifiedLine(200e6, mtu_bytes=1500, ip_version=6))
    assert [verdict.outcome for verdict in checked] == [None, None]
    broken, other = checked
    assert broken.measurement is None
    assert other.measurement is not None
    assert (other.file, other.word) == (str(directory / "b" / "1.json"), "contradiction")
    assert other.why.startswith("the specified IP version is 6")


def test_what_cannot_be_is_refused_before_anything_is_read(directory: Path) -> None:
    results = find_results([directory])
    with pytest.raises(DomainError, match=r"limits to accept must be among .* got wire"):
        check_results(results, LINE, Gate(accepted=frozenset({"wire"})))
    with pytest.raises(DomainError, match="line_rate_bps"):
        check_results(results, SpecifiedLine(0.0))
