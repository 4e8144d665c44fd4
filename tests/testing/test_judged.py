"""A run inside a test: what passes, and the sentence of what does not."""

import gzip
from pathlib import Path

import pytest

import netmodel
from netmodel.errors import ContradictionError, DomainError
from netmodel.judging import Outcome
from netmodel.readers import read_result
from netmodel.records import data_path
from netmodel.testing import judged

RUNS = data_path("examples", "iperf3")
FULL = Path(str(RUNS)) / "line-200m-mtu1500.json"
NARROW = Path(str(RUNS)) / "line-200m-mtu1500-small-window.json"
LINE = {"line_rate_bps": "200 Mbit/s", "mtu_bytes": 1500}


def failure(*arguments: object, **limits: object) -> str:
    with pytest.raises(AssertionError) as caught:
        judged(*arguments, **limits)
    return str(caught.value)


@pytest.mark.parametrize(
    "result",
    [FULL, str(FULL), FULL.read_text("utf-8"), FULL.read_bytes(), gzip.compress(FULL.read_bytes())],
    ids=["path", "name", "text", "bytes", "packed"],
)
def test_a_full_line_passes_in_every_form(result: object) -> None:
    (verdict,) = judged(result, **LINE)
    assert verdict.outcome is Outcome.AT_CEILING
    assert verdict.ratio == pytest.approx(0.9989, abs=5e-5)


def test_measurements_and_lists_pass_as_netmodel_check_takes_them() -> None:
    verdicts = judged([*read_result(FULL), FULL], **LINE)
    assert verdicts == netmodel.check([*read_result(FULL), FULL], **LINE)
    assert len(verdicts) == 2


def test_a_run_below_the_gate_fails_with_its_sentence() -> None:
    message = failure("8 Gbit/s", line_rate_bps=10e9, mtu_bytes=1500, transport="tcp")
    first, *more = message.splitlines()
    assert first.startswith("below: 8 Gbit/s is 0.8497 of the 9.4148 Gbit/s that the wire carries")
    assert [line.strip() for line in more] == [
        "a pass is from 92.75 % to 106.3 % of that limit",
        "8 Gbit/s",
    ]


def test_the_gate_is_as_wide_as_it_is_specified() -> None:
    line = {"line_rate_bps": 10e9, "mtu_bytes": 1500, "transport": "tcp"}
    (verdict,) = judged("8.50 Gbit/s", **line, min_ratio=0.9)
    assert verdict.passes
    assert "a pass is from 91 % to" in failure("8.50 Gbit/s", **line, min_ratio=0.91)


def test_too_much_fails_as_impossible() -> None:
    message = failure("26.0 Gbit/s", line_rate_bps=25e9, mtu_bytes=1500, transport="tcp")
    assert message.startswith("impossible: 26 Gbit/s is 1.1046 of the 23.537 Gbit/s")


def test_a_limit_of_the_run_itself_passes_only_where_it_is_accepted() -> None:
    assert failure(NARROW, **LINE).startswith("limited: 60.55 Mbit/s is 0.3216 of the 188.3 Mbit/s")
    assert "line-200m-mtu1500-small-window.json (client_to_server)" in failure(NARROW, **LINE)
    (verdict,) = judged(NARROW, **LINE, accept="window")
    assert verdict.is_accepted


def test_every_run_that_fails_is_named_and_no_other() -> None:
    message = failure([FULL, NARROW, RUNS / "server-not-reached.json"], **LINE)
    assert [line.partition(":")[0] for line in message.splitlines() if line[0] != " "] == [
        "limited",
        "failed",
    ]


def test_what_is_no_result_fails(tmp_path: Path) -> None:
    assert failure([], **LINE) == "no result of a benchmark was given"
    assert failure(tmp_path, **LINE).startswith("unreadable: the directory has no visible files")
    assert failure("{}", **LINE).startswith("unreadable: ")
    assert failure(FULL.read_text("utf-8")[:-9], **LINE).startswith("unreadable: not valid JSON")
    assert failure("iperf3: error\nconnection refused\n", **LINE).startswith("unreadable: ")


def test_wrong_arguments_are_errors_and_no_failures() -> None:
    with pytest.raises(ContradictionError, match="line_rate_bps"):
        judged(FULL)
    with pytest.raises(DomainError, match="min_ratio"):
        judged(FULL, **LINE, min_ratio=1.5)
    with pytest.raises(TypeError, match="line_rate"):
        judged(FULL, line_rate="200 Mbit/s")
