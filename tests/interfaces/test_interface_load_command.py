"""``netmodel interface-load``: the load of a line from two snapshots of counters."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from invocation import printed, printed_json, refusal, run_netmodel

SAMPLES = Path(__file__).parents[1] / "readers" / "samples"
AFTER = SAMPLES / "kernel" / "line200m_ip_s_s_link_after.json"
OFFLOADS = str(SAMPLES / "ethtool" / "ethtool_6.1_k_eth0.txt")
ASKED = ("--duration", "25.0151s", "--interface", "vA", "--direction", "out")
KEYS = [
    *("interface", "direction", "duration_s", "packet_count", "device_bytes", "device_rate_bps"),
    *("frame_rate_fps", "wire_rate_bps", "utilisation_ratio", "is_lower_bound"),
    *("drop_count", "error_count", "verdict", "reason", "notes"),
]


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


def load(before: str, *options: str) -> dict[str, Any]:
    answer: dict[str, Any] = printed_json("interface-load", before, str(AFTER), *ASKED, *options)
    return answer


def test_the_load_of_a_line_is_printed(before: str) -> None:
    answer = load(before, "--line-rate", "200M", "--mtu", "1500")
    assert list(answer) == KEYS
    wire_bps = (sent()["bytes"] + 24 * sent()["packets"]) * 8 / 25.0151
    assert answer["wire_rate_bps"] == pytest.approx(wire_bps)
    assert answer["utilisation_ratio"] == pytest.approx(wire_bps / 200e6)
    assert answer["frame_rate_fps"] == pytest.approx(sent()["packets"] / 25.0151)
    assert (answer["drop_count"], answer["error_count"], answer["notes"]) == (0, 0, [])
    assert answer["verdict"] == "impossible", "the emulated line counts less for each frame"
    assert answer["reason"].startswith("47,597 frames/s is 1.0020 of the 47,503 frames/s that ")


def test_people_read_the_same(before: str) -> None:
    shown = printed(
        "interface-load", before, str(AFTER), *ASKED, "--line-rate", "200M", "--mtu", "1500"
    )
    *table, verdict, tolerance = shown.splitlines()
    assert verdict.startswith("impossible: 47,597 frames/s is 1.0020 of the 47,503 frames/s that ")
    assert tolerance == "tolerance: -1.04 % to +0.1 % (floor, timing)"
    lines = dict(line.rsplit("  ", 1) for line in table)
    assert {name.strip(): text.strip() for name, text in lines.items()} == {
        "vA out, counted": "191.26 Mbit/s",
        "on the wire": "200.4 Mbit/s",
        "of the line": "100.20 %",
        "frames": "47,597 /s",
        "dropped": "0",
        "with errors": "0",
    }


def test_what_is_not_known_is_null_and_a_warning(before: str) -> None:
    answer = load(before)
    assert (answer["utilisation_ratio"], answer["verdict"], answer["reason"]) == (None, None, None)
    assert "specify MTU or offloads" in answer["notes"][0]
    assert "note: a packet may hold" in printed("interface-load", before, str(AFTER), *ASKED)
    assert "tcp-segmentation-offload" in load(before, "--offloads", OFFLOADS)["notes"][0]


def test_a_line_in_use_is_below_and_segments_in_aggregates_are_not_judged(before: str) -> None:
    answer = load(before, "--line-rate", "1G", "--mtu", "1500")
    assert (answer["verdict"], answer["utilisation_ratio"]) == (
        "below",
        pytest.approx(0.2, rel=0.01),
    )
    asked = ("--line-rate", "1G", "--mtu", "400")
    aggregates = load(before, *asked)
    assert aggregates["verdict"] == "not_judgeable"
    assert "the rate is a lower bound" in aggregates["reason"]
    assert aggregates["is_lower_bound"] is True
    assert any("are aggregates" in text for text in aggregates["notes"])
    shown = printed("interface-load", before, str(AFTER), *ASKED, *asked)
    frames = (sent()["bytes"] - 42 * sent()["packets"]) / (418 - 42)  # headers once in each packet
    assert f"at least {frames / 25.0151:,.0f} /s" in shown
    assert load(before, "--line-rate", "200M", "--mtu", "400")["verdict"] == "impossible"


def test_without_a_frame_there_is_nothing_to_judge(before: str) -> None:
    asked = ("interface-load", before, before, *ASKED, "--line-rate", "200M", "--mtu", "1500")
    answer = printed_json(*asked)
    assert (answer["verdict"], answer["reason"]) == ("not_judgeable", "no frame was counted")
    assert "not_judgeable: no frame was counted" in printed(*asked)


def test_counters_of_the_kernel_and_of_a_driver_serve_too(tmp_path: Path) -> None:
    texts = {
        "net_dev": (SAMPLES / "kernel" / "proc_net_dev.txt").read_text(encoding="utf-8"),
        "driver": "NIC statistics:\n     rx_packets: 7\n     rx_bytes: 700\n",
    }
    for name, text in texts.items():
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        interface = "eth0" if name == "driver" else text.splitlines()[2].split(":")[0].strip()
        asked = ("--duration", "1s", "--interface", interface, "--direction", "in")
        answer = printed_json("interface-load", str(path), str(path), *asked)
        assert (answer["packet_count"], answer["direction"]) == (0, "in")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--interface", "eth9"), "--interface eth9: "),
        (("--duration", "10"), "the unit is missing"),
        (("--duration", "0s"), "duration_s"),
        (("--direction", "up"), "'up' is not one of"),
        (("--line-rate", "0G"), "line_rate_bps"),
        (("--mtu", "0"), "mtu_bytes"),
    ],
)
def test_a_wrong_argument_is_refused(options: tuple[str, ...], words: str, before: str) -> None:
    assert words in refusal("interface-load", before, str(AFTER), *ASKED, *options)


def test_snapshots_in_the_wrong_order_are_refused(before: str) -> None:
    answer = refusal("interface-load", str(AFTER), before, *ASKED)
    assert "it was reset, or the later snapshot comes first" in answer


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
    result = run_netmodel("interface-load", str(path), str(AFTER), *ASKED)
    assert (result.exit_code, result.stdout) == (3, "")
    assert f"{path}: " in result.stderr
    assert words in result.stderr
