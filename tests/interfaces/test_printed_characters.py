"""Text of users' files as it is printed: nothing steers the terminal or turns the writing."""

import json
from pathlib import Path

import pytest
from invocation import run_netmodel
from runs import sample

LINE = ("--line-rate", "200Mbit/s", "--mtu", "1500")
GOOD = json.loads(sample("line_200m_mtu1500_ts1_v4.json").read_text(encoding="utf-8"))
NASTY = "\x1b[2Ja\x07b\x7fc\x9bd\u202ee\u2066g"
SHOWN = r"\x1b[2Ja\x07b\x7fc\x9bd\u202ee\u2066g"
STEERING = {*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0)), *"\u202e\u2066"} - set("\n\t")


@pytest.fixture
def failed(tmp_path: Path) -> Path:
    path = tmp_path / "failed.json"
    path.write_text(json.dumps(GOOD | {"error": f"{NASTY}\nand more"}), encoding="utf-8")
    return path


def test_the_message_of_a_tool_is_printed_without_control_characters(failed: Path) -> None:
    report = failed.with_suffix(".xml")
    result = run_netmodel("check", *LINE, str(failed), "--junit", str(report))
    as_json = run_netmodel("check", *LINE, "--json", *[str(failed)] * 501).stdout
    assert result.exit_code == 1
    assert SHOWN in result.stdout.splitlines()[0]
    assert SHOWN in report.read_text(encoding="utf-8")
    assert "\x7fc\x9bd\u202ee" in json.loads(as_json)[0]["reason"]
    assert not STEERING & {*result.stdout, *as_json, *report.read_text(encoding="utf-8")}
    assert "and more" not in result.stdout


def test_error_messages_hold_none(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text(f"throughput_bps,mtu_bytes\n1e9,1500\nx{NASTY},1500\n", encoding="utf-8")
    for command in (("check", *LINE), ("calibrate",)):
        result = run_netmodel(*command, str(table))
        assert result.exit_code == 3
        assert not STEERING & set(result.output)
        assert "b[2Ja" in result.output
