"""``netmodel check`` with two counter snapshots: the load of a line."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from invocation import printed_json, refusal, run_netmodel

SAMPLES = Path(__file__).parents[1] / "readers" / "samples"
AFTER = SAMPLES / "kernel" / "line200m_ip_s_s_link_after.json"
"""Recorded after five runs of 5.003 s had filled a line of 200 Mbit/s."""
ASKED = ("--duration", "25.0151s", "--interface", "vA out")
LINE = ("--line-rate", "200M", "--mtu", "1500")


@pytest.fixture
def before(tmp_path: Path) -> str:
    """The counters of the same interface when it was new."""
    shown = json.loads(AFTER.read_text(encoding="utf-8"))
    for way, counts in shown[0]["stats64"].items():
        shown[0]["stats64"][way] = dict.fromkeys(counts, 0)
    path = tmp_path / "before.json"
    path.write_text(json.dumps(shown), encoding="utf-8")
    return str(path)


def sent() -> Mapping[str, int]:
    counts: dict[str, int] = json.loads(AFTER.read_text(encoding="utf-8"))[0]["stats64"]["tx"]
    return counts


def judged(before: str, *options: str) -> dict[str, Any]:
    (row,) = printed_json("check", before, str(AFTER), *ASKED, *options, exit_code=1)
    return row


def test_the_load_of_a_line_is_judged(before: str) -> None:
    row = judged(before, *LINE)
    assert row["frame_rate_fps"] == pytest.approx(sent()["packets"] / 25.0151)
    assert row["notes"] == []
    assert row["verdict"] == "impossible", "the emulated line counts less for each frame"
    assert row["reason"].startswith("47,597 frames/s is 1.0020 of the 47,503 frames/s that ")


def test_a_line_in_use_is_below_and_segments_in_aggregates_are_not_judged(before: str) -> None:
    row = judged(before, "--line-rate", "1G", "--mtu", "1500")
    assert row["verdict"] == "below"
    asked = ("--line-rate", "1G", "--mtu", "400")
    row = judged(before, *asked)
    assert row["verdict"] == "not_judgeable"
    assert "the rate is a lower bound" in row["reason"]
    assert any("are aggregates" in text for text in row["notes"])


def test_counters_of_the_kernel_and_of_a_driver_serve_too(tmp_path: Path) -> None:
    texts = {
        "net_dev": (SAMPLES / "kernel" / "proc_net_dev.txt").read_text(encoding="utf-8"),
        "driver": "NIC statistics:\n     rx_packets: 7\n     rx_bytes: 700\n",
    }
    for name, text in texts.items():
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        interface = "eth0" if name == "driver" else text.splitlines()[2].split(":")[0].strip()
        asked = ("--duration", "1s", "--interface", f"{interface} in", *LINE)
        (row,) = printed_json("check", str(path), str(path), *asked, exit_code=1)
        assert (row["verdict"], row["reason"]) == ("not_judgeable", "no frame was counted")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--interface", "eth9 out"), "--interface: "),
        (("--interface", "vA up"), "need --interface with in or out"),
        (("--duration", "10"), "the unit is missing"),
        (("--duration", "0s"), "--duration"),
    ],
)
def test_a_wrong_argument_is_refused(options: tuple[str, ...], words: str, before: str) -> None:
    assert words in refusal("check", before, str(AFTER), *LINE, *ASKED, *options)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the file is empty"),
        (b"hello", "not the state of a host in a known format"),
        (AFTER.read_bytes()[:500], "not valid JSON"),
        ((SAMPLES / "ethtool" / "ethtool_6.1_eth0.txt").read_bytes(), "no interface counters"),
    ],
)
def test_a_file_without_counters_is_a_fault_of_it(
    content: bytes, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "look"
    path.write_bytes(content)
    result = run_netmodel("check", str(path), str(AFTER), *LINE, *ASKED)
    assert (result.exit_code, result.stdout) == (3, "")
    assert f"{path}: " in result.stderr
    assert words in result.stderr
