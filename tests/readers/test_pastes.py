"""Pasted results, each with the verdict, the binding limit and the words that are right."""

import json
import re
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path

import pytest
from invocation import printed_json, run_netmodel

from netmodel.errors import ParseError
from netmodel.readers import read_host_state, read_result

SAMPLES = Path(__file__).parent / "samples"
PASTES = Path(__file__).parent / "pastes"
LATER = pytest.mark.xfail(reason="needs the later front end of the readers", strict=True)


@dataclass(frozen=True)
class Answer:
    """What `check` must answer to a file; several ratios are those of several directions."""

    file: str
    options: str
    exit_code: int
    verdict: str
    binding: str
    ratios: tuple[float, ...]
    has: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    within: float = 2e-3
    """Three digits of a posted figure, or of bytes and time where those are finer."""

    def __str__(self) -> str:
        return self.file.partition(".")[0]


ROCE = "--stack ethernet/ipv4/udp/rocev2"
# The ratios are computed by hand: the goodput over line rate times payload over frame, of 1448 byte
# in 1538 at MTU 1500 and 8948 in 9038 at MTU 9000.
ANSWERS = [
    pytest.param(
        # blksize 14; max_snd_cwnd 28960 byte over 1.88 ms carries 123 Mbit/s, 20 times the goodput
        Answer(
            "01-small-writes-cwnd.json",
            "--line-rate 1Gbit/s --mtu 1500",
            *(1, "below", "wire", (5.9872e6 / 941.48e6,)),
            has=("14 byte", "writes"),
            lacks=("a window of that size",),
        ),
    ),
    pytest.param(
        # the receiving side counts 1000 messages over the time of 999; 1024 byte of 1106
        Answer(
            "02-ib-send-server-first-to-last.txt",
            f"--line-rate 25Gbit/s {ROCE}",
            *(0, "at_ceiling", "wire", (2759.25 * 2**20 * 8 / (25e9 * 1024 / 1106),)),
            lacks=("token bucket",),
        ),
    ),
    pytest.param(
        # a SEND has no RETH: 512 byte of 594
        Answer(
            "03-ib-send-512B-no-reth.txt",
            f"--line-rate 25Gbit/s {ROCE}",
            *(1, "below", "wire", (5.148017e6 * 512 * 8 / (25e9 * 512 / 594),)),
            lacks=("token bucket",),
        ),
    ),
    pytest.param(
        # 42 %TX 99 %RX: the receiving end is one thread
        Answer(
            "04-nuttcp-rx-99.txt",
            "--line-rate 40Gbit/s --mtu 9000",
            *(1, "limited", "server_process", (23.4527184e9 / (40e9 * 8948 / 9038),)),
            has=("nuttcp", "0.99 busy CPUs"),
        ),
    ),
    pytest.param(
        # local/sender 98.3% of a CPU
        Answer(
            "05-iperf3-tail-cpu.txt",
            "--line-rate 100Gbit/s --mtu 9000",
            *(1, "limited", "client_process", (27.0e9 / (100e9 * 8948 / 9038),)),
            has=("iperf3", "0.983 busy CPUs"),
        ),
    ),
    pytest.param(
        # 5.34 busy CPUs of 17 threads, and the host is 96.41 % idle
        Answer(
            "06-ntttcp-17-threads.txt",
            "--line-rate 200Gbit/s --mtu 1500",
            *(1, "below", "wire", (84.04e9 / (200e9 * 1448 / 1538),)),
            lacks=("the run was limited by",),
        ),
    ),
    pytest.param(
        # 8 CPUs, 0.00 % idle
        Answer(
            "07-ntttcp-no-idle.txt",
            "--line-rate 200Gbit/s --mtu 1500",
            *(1, "limited", "client_cpus", (101.14e9 / (200e9 * 1448 / 1538),)),
            has=("8 CPUs busy",),
        ),
    ),
    pytest.param(
        # no Jitter and no Lost/Total: TCP
        Answer(
            "08-win-server-no-retr.txt",
            "--line-rate 100Mbit/s --mtu 1500",
            *(0, "at_ceiling", "wire", (94.2e6 / (100e6 * 1448 / 1538),)),
        ),
    ),
    pytest.param(
        # 131190 x 1448 byte are 1.2 % of 14.4 GBytes
        Answer(
            "09-text-retransmits.txt",
            "--line-rate 10Gbit/s --mtu 1500",
            *(1, "below", "wire", (2.05e9 / (10e9 * 1448 / 1538),)),
            has=("131190 segments were retransmitted (1.2", "%"),
        ),
    ),
    pytest.param(
        # 2,384,000 messages of 1200 byte a second are 22.886 Gbit/s
        Answer(
            "10-sockperf-after-prompt.txt",
            "--line-rate 40Gbit/s --mtu 1500",
            *(1, "below", "wire", (2.384e6 * 1200 * 8 / (40e9 * 1448 / 1538),)),
        ),
        marks=LATER,
    ),
    pytest.param(
        # counted messages times their size: no unit is involved
        Answer(
            "11-sockperf-no-unit-mixup.txt",
            "--line-rate 25Gbit/s --mtu 1500",
            *(1, "below", "wire", (2.384e6 * 1200 * 8 / (25e9 * 1448 / 1538),)),
            lacks=("mixed up",),
        ),
    ),
    pytest.param(
        # blksize 512: 573,000 writes a second explain it, and no other line
        Answer(
            "12-512B-writes-other-line.json",
            "--line-rate 25Gbit/s --mtu 1500",
            *(1, "below", "wire", (2.346e9 / (25e9 * 1448 / 1538),)),
            has=("512 byte", "writes"),
            lacks=("a line of 2.5 Gbit/s",),
        ),
    ),
    pytest.param(
        # 285 MEG of 2^20 byte in 60.011 s
        Answer(
            "13-ntttcp-windows-console.txt",
            "--line-rate 1Gbit/s --mtu 1500",
            *(1, "below", "wire", (285 * 2**20 * 8 / 60.011 / (1e9 * 1448 / 1538),)),
        ),
        marks=LATER,
    ),
    pytest.param(
        # from 8.24 to 8.52 Gbit/s, by which of the lines of Txn2 its start is taken
        Answer(
            "14-uperf-without-first-line.txt",
            "--line-rate 10Gbit/s --mtu 1500 --assume-transport tcp",
            *(1, "below", "wire", (8.38e9 / (10e9 * 1448 / 1538),)),
            within=0.02,
        ),
        marks=LATER,
    ),
    pytest.param(
        # 280 Mbit/s sent in datagrams of 100 byte (166 on the line), 1922613 of 7009880 lost
        Answer(
            "15-iperf3-31-udp-summary.txt",
            "--line-rate 10Gbit/s --mtu 1500",
            *(1, "limited", "client_process", (203.5e6 / (10e9 * 100 / 166),)),
            has=("27.4",),
        ),
        marks=LATER,
    ),
    pytest.param(
        Answer(
            "16-netperf-quoted.txt",
            "--line-rate 10Gbit/s --mtu 1500",
            *(0, "at_ceiling", "wire", (9407.41e6 / (10e9 * 1448 / 1538),)),
        ),
        marks=LATER,
    ),
    pytest.param(
        Answer(
            "17-sockperf-masked-address.txt",
            "--line-rate 40Gbit/s --mtu 1500",
            *(1, "below", "wire", (2.384e6 * 1200 * 8 / (40e9 * 1448 / 1538),)),
        ),
        marks=LATER,
    ),
    pytest.param(
        Answer(
            "18-iperf3-mail-wrapped.txt",
            "--line-rate 10Gbit/s --mtu 1500",
            *(1, "below", "wire", (4.76e9 / (10e9 * 1448 / 1538),)),
        ),
        marks=LATER,
    ),
    pytest.param(
        # RX depth: the receiving side; 1518 byte with FCS are 1538 on the line
        Answer(
            "19-rawethernet-server.txt",
            "--line-rate 25Gbit/s",
            *(0, "at_ceiling", "wire", (2.031138e6 / (25e9 / 8 / 1538),)),
            lacks=("not what arrived",),
        ),
    ),
    pytest.param(
        # 1.18 busy CPUs of two threads, one for each direction from version 3.16 on
        Answer(
            "20-iperf3-bidir-cpu.txt",
            "--line-rate 25Gbit/s --mtu 1500",
            *(1, "below", "wire", tuple(bps / (25e9 * 1448 / 1538) for bps in (9.02e9, 8.40e9))),
            lacks=("the run was limited by",),
        ),
    ),
    pytest.param(
        # GB/sec of 10^9 byte, as qperf prints them
        Answer(
            "21-qperf-unindented.txt",
            "--line-rate 25Gbit/s --mtu 9000",
            *(1, "below", "wire", (1.66e9 * 8 / (25e9 * 8948 / 9038),)),
            lacks=("qperf reports",),
        ),
    ),
]


@pytest.mark.parametrize("answer", ANSWERS, ids=str)
def test_a_pasted_result_gets_the_right_answer(answer: Answer) -> None:
    command = ("check", str(PASTES / answer.file), *answer.options.split(), "--json")
    result = run_netmodel(*command)
    rows = json.loads(result.stdout)
    reasons = " ".join(row["reason"] for row in rows)
    assert [row["verdict"] for row in rows] == [answer.verdict] * len(answer.ratios), reasons
    assert [row["binding"] for row in rows] == [answer.binding] * len(answer.ratios)
    assert [row["ratio"] for row in rows] == pytest.approx(answer.ratios, rel=answer.within)
    assert [word for word in answer.has if word not in reasons] == [], reasons
    assert [word for word in answer.lacks if word in reasons] == [], reasons
    assert result.exit_code == answer.exit_code


def test_every_paste_has_an_answer() -> None:
    files = {path.name for path in PASTES.iterdir()} - {"README.md"}
    assert {str(param.values[0].file) for param in ANSWERS} == files


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
    for read in (read_result, read_host_state):
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
        ("user@a:~$", 3, None, "must be 'name = value'"),
        ("failed to receive data: timed out", 1, "failed", "failed to receive data"),
        ("192.0.2.2: failed to connect", 1, "failed", "failed to connect"),
        ("connect failed: Connection refused", 1, "failed", "Connection refused"),
    ],
)
def test_a_run_of_qperf_failed_only_where_qperf_says_so(
    tmp_path: Path, line: str, exit_code: int, verdict: str | None, reason: str
) -> None:
    """Errors as in its source, ``support.c`` and ``socket.c``."""
    path = tmp_path / "qperf.txt"
    path.write_text(f"tcp_bw:\nbw = 1.66 GB/sec\n{line}\n", encoding="utf-8")
    line_options = ("--line-rate", "25Gbit/s", "--mtu", "9000")
    (row,) = printed_json("check", *line_options, str(path), exit_code=exit_code)
    assert row["verdict"] == verdict
    assert reason in row["reason"]
