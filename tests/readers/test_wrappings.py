"""Output of each tool as people post it: the same numbers, however it is wrapped."""

import gzip
import io
import json
import re
import textwrap
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from netmodel.readers import Measurement, read_result

SAMPLES = Path(__file__).parent / "samples"
FILES = (
    *(
        "iperf3/iperf3_3.12_tcp_V.txt",
        "iperf3/iperf3_3.12_udp_bidir.txt",
        "iperf2/iperf2_2.1.8_e.txt",
    ),
    *("netperf/netperf_2.7.0_UDP_STREAM.txt", "netperf/netperf_2.7.0_omni_k_all.txt"),
    *("nuttcp/nuttcp_6.1.2.txt", "nuttcp/nuttcp_6.1.2_v.txt", "sockperf/sockperf_3.7_tp_tcp.txt"),
    *("perftest/made_write_bw_gbits.txt", "ntttcp/made_sender_1.4.0_W.txt"),
    *("uperf/uperf_1.0.8_str-writex30k_a_i1.txt", "ntttcp/made_sender_windows_Bps.xml"),
    *("qperf/qperf_0.4.11_v.txt", "trex/made_console.txt"),
    *("perftest/made_send_bw_gbits.json", "iperf3/iperf3_3.12_tcp.json"),
)


def each_line(wrapping: str) -> Callable[[str], bytes]:
    """Return a wrapping of every line, in the words of the table."""

    def wrapped(line: str) -> str:
        forms = {"{json}": json.dumps(line), "{tabs}": re.sub(" {2,}", "\t", line), "{line}": line}
        return re.sub(r"\{\w+\}", lambda name: forms[name[0]], wrapping)

    return lambda text: "".join(f"{wrapped(line)}\n" for line in text.splitlines()).encode()


def zipped(text: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("run.txt", text)
    return packed.getvalue()


def logged_by_docker(text: str) -> bytes:
    lines = (json.dumps({"log": f"{line}\n", "stream": "stdout"}) for line in text.splitlines())
    return "\n".join(line.replace('": ', '":') for line in lines).encode()


def listed_by_ansible(text: str) -> bytes:
    lines = ",\n".join(f"        {json.dumps(line)}" for line in text.splitlines())
    return f'ok: [h] => {{\n    "stdout_lines": [\n{lines}\n    ]\n}}\n'.encode()


WRAPPINGS: dict[str, Callable[[str], bytes]] = {
    "utf-16": lambda text: text.encode("utf-16"),
    "latin-1": lambda text: f"gemessen für Jörg:\n{text}".encode("latin-1"),
    "lines of DOS": lambda text: text.replace("\n", "\r\n").encode(),
    "page": lambda text: text.replace(" ", " " if text[0] == "{" else "&nbsp;").encode(),
    "prompt": lambda text: f"user@a:~$ run the test\n{text}user@a:~$ \n".encode(),
    "prose": lambda text: f"Hello,\nthis is what I get:\n\n{text}\nIs that fine?\n".encode(),
    "fence": lambda text: f"See below.\n```console\n{text}```\n".encode(),
    "no-break": lambda text: text.replace(" ", "\u00a0").encode(),
    "docker": logged_by_docker,
    "ansible": listed_by_ansible,
    "gzip": lambda text: gzip.compress(text.encode()),
    "zip": zipped,
}
LINES = tomllib.loads((SAMPLES.parent / "line_wrappings.toml").read_text(encoding="utf-8"))
WRAPPINGS |= {name: each_line(wrapping) for name, wrapping in LINES.items()}


def numbers(runs: tuple[Measurement, ...]) -> list[tuple[object, ...]]:
    return [
        (
            *(run.tool, run.direction, run.goodput_bps, run.duration_s, run.tcp.retransmit_count),
            *(run.cpu, run.counted.frame_rate_fps, run.counted.layer1_rate_bps),
        )
        for run in runs
    ]


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("name", WRAPPINGS)
def test_a_result_gives_the_same_numbers_in_every_wrapping(name: str, file: str) -> None:
    text = (SAMPLES / file).read_text(encoding="utf-8")
    assert numbers(read_result(WRAPPINGS[name](text))) == numbers(read_result(text.encode()))


@pytest.mark.parametrize("width", [72, 76, 78])
@pytest.mark.parametrize("file", [*FILES[:-2], "netperf/netperf_2.7.0_TCP_STREAM_c.txt"])
def test_a_line_that_a_mail_program_wrapped_is_joined(file: str, width: int) -> None:
    text = (SAMPLES / file).read_text(encoding="utf-8")
    lines = (
        textwrap.fill(line, width, break_long_words=False) if len(line) > width else line
        for line in text.splitlines()
    )
    runs, wrapped = read_result(text.encode()), read_result("\n".join(lines).encode())
    assert numbers(wrapped) == numbers(runs)
    assert [run.tcp.round_trip_s for run in wrapped] == [run.tcp.round_trip_s for run in runs]


def test_a_ticket_has_the_runs_of_all_tools_pasted_in_it() -> None:
    texts = [(SAMPLES / file).read_text(encoding="utf-8") for file in FILES]
    ticket = "\n\nAnd then:\n\n".join(texts).encode()
    runs = read_result(ticket)
    apart = [run for text in texts for run in read_result(text.encode())]
    assert sorted(str(run.goodput_bps) for run in runs) == sorted(
        str(run.goodput_bps) for run in apart
    )
    assert numbers(read_result(ticket, "iperf3")) == numbers(read_result(texts[-1].encode()))


def test_a_list_of_documents_has_a_run_for_each() -> None:
    text = (SAMPLES / "iperf3" / "iperf3_3.12_tcp.json").read_text(encoding="utf-8")
    runs = read_result(f"[{text},{text}]".encode())
    assert numbers(runs) == 2 * numbers(read_result(text.encode()))


def test_the_end_of_a_run_before_is_no_run() -> None:
    text = (SAMPLES / "iperf3" / "iperf3_3.12_tcp_V.txt").read_text(encoding="utf-8")
    behind = f"iperf Done.\n$ iperf3 -c server\n{text}"
    assert numbers(read_result(behind.encode())) == numbers(read_result(text.encode()))
