"""Pasted results, each with the verdict, the binding limit and the words that are right."""

import json
import re
import tomllib
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest
from invocation import printed_json, run_netmodel

from netmodel.errors import ParseError
from netmodel.readers import read_host_cpu, read_result

SAMPLES = Path(__file__).parent / "samples"
PASTES = Path(__file__).parent / "pastes"

ANSWERS = tomllib.loads((Path(__file__).parent / "answers.toml").read_text(encoding="utf-8"))
DIGITS = 2e-3
"""Three digits of a posted figure, or of bytes and time where those are finer."""


@pytest.mark.parametrize("file", ANSWERS)
def test_a_pasted_result_gets_the_right_answer(file: str) -> None:
    answer = ANSWERS[file]
    command = ("check", str(PASTES / file), *answer["options"].split(), "--json")
    result = run_netmodel(*command)
    rows = json.loads(result.stdout)
    reasons = " ".join(row["reason"] for row in rows)
    ratios = [eval(ratio) for ratio in answer["ratios"]]
    assert [row["verdict"] for row in rows] == [answer["verdict"]] * len(ratios), reasons
    assert [row["binding"] for row in rows] == [answer["binding"]] * len(ratios)
    found = [row["ratio"] or 0.0 for row in rows]  # without a goodput there is none
    assert found == pytest.approx(ratios, rel=answer.get("within", DIGITS))
    assert [word for word in answer.get("has", ()) if word not in reasons] == [], reasons
    assert [word for word in answer.get("lacks", ()) if word in reasons] == [], reasons
    assert result.exit_code == answer["exit_code"]


def test_every_paste_has_an_answer() -> None:
    files = {path.name for path in PASTES.iterdir()} - {"README.md"}
    assert ANSWERS.keys() == files


@pytest.mark.parametrize(
    ("name", "printed", "one_percent"),
    [
        # 11,877,600,000 byte in segments of 1448
        ("ntttcp/made_sender_1.4.0_W.txt", "retrans segs\t:{}", ("24", "82028")),
        # 11,215 MB of 2^20 byte
        ("ntttcp/made_sender_linux_mib.xml", "retransmitted>{}<", ("178", "81215")),
        # 3182.125 MB of 2^20 byte
        ("nuttcp/nuttcp_6.1.2.txt", "%RX {} retrans", ("0", "23043")),
    ],
)
def test_retransmits_count_in_segments_of_the_mtu(
    tmp_path: Path, name: str, printed: str, one_percent: tuple[str, str]
) -> None:
    """These files have no segment size."""
    text = (SAMPLES / name).read_text(encoding="utf-8")
    before, after = (printed.format(count) for count in one_percent)
    assert before in text
    path = tmp_path / "result"
    path.write_text(text.replace(before, after), encoding="utf-8")
    line = ("--line-rate", "40Gbit/s", "--mtu", "1500")
    (row,) = printed_json("check", *line, str(path), exit_code=1)
    assert f"{one_percent[1]} segments were retransmitted (1 %)" in row["reason"]


TABBED = [
    path
    for path in sorted(SAMPLES.rglob("*.txt"))
    if b"\t" in (content := path.read_bytes()) and content.lstrip()[:1] not in b"{["
]


def plain(value: object) -> object:
    """Values of a result in dictionaries, without the text that it was read from."""
    if isinstance(value, tuple):
        return tuple(plain(each) for each in value)
    if not is_dataclass(value):
        return value
    names = {each.name for each in fields(value)} - {"raw_text", "sha256"}
    return {name: plain(getattr(value, name)) for name in names}


def values(content: bytes) -> object:
    """What is read of a result or of a host; None where nothing is."""
    for read in (read_result, read_host_cpu):
        with suppress(ParseError):
            return plain(read(content))
    return None


@pytest.mark.parametrize("path", TABBED, ids=lambda path: path.name)
def test_tabs_that_became_blanks_change_nothing(path: Path) -> None:
    content = path.read_bytes()
    assert values(content.expandtabs(8)) == values(content)
    assert values(content.replace(b"\t", b" ")) == values(content)


@pytest.mark.parametrize(
    ("lost", "left"), [(rb"(?m)^[ \t]+", b""), (rb"[ \t]+", b" "), (rb"(?m)[ \t]+$", b"")]
)
def test_lost_blanks_change_nothing_or_make_a_result_unreadable(lost: bytes, left: bytes) -> None:
    """At the begin of lines, several for one, and at their end."""
    wrong = []
    for path in sorted(SAMPLES.rglob("*.txt")):
        content = path.read_bytes()
        with suppress(ParseError):
            whole = plain(read_result(content))
            if plain(read_result(re.sub(lost, left, content))) != whole:
                wrong.append(path.name)
    assert wrong == []


@pytest.mark.parametrize(
    ("line", "exit_code", "verdict", "reason"),
    [
        ("", 1, "below", "13.28 Gbit/s"),
        ("user@a:~$", 1, "below", "13.28 Gbit/s"),
        ("failed to receive data: timed out", 1, "failed", "failed to receive data"),
        ("192.0.2.2: failed to connect", 1, "failed", "failed to connect"),
        ("connect failed: Connection refused", 1, "failed", "Connection refused"),
    ],
)
def test_a_run_of_qperf_failed_only_where_qperf_says_so(
    tmp_path: Path, line: str, exit_code: int, verdict: str, reason: str
) -> None:
    """Errors as in its source, ``support.c`` and ``socket.c``."""
    path = tmp_path / "qperf.txt"
    path.write_text(f"tcp_bw:\nbw = 1.66 GB/sec\n{line}\n", encoding="utf-8")
    line_options = ("--line-rate", "25Gbit/s", "--mtu", "9000")
    (row,) = printed_json("check", *line_options, str(path), exit_code=exit_code)
    assert row["verdict"] == verdict
    assert reason in row["reason"]
