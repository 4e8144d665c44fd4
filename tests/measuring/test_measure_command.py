"""``netmodel measure`` as a user meets it: tools that work, fail, hang, or print garbage."""

import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
from invocation import run_netmodel
from measuring.recorded import plain_interface, route
from runs import sample

import netmodel
from netmodel.errors import ContradictionError
from netmodel.measuring.folder import read_facts
from netmodel.measuring.tools import TOOLS

RESULT = sample("line_200m_mtu1500_ts1_v4.json")
LINE = ("--line-rate", "200Mbit/s", "--mtu", "1500")
OF_NO_TOOL = ("--format", "iperf3")
"""Beside a program, such as cat, whose name says not what it prints."""


def measured(tmp_path: Path, *command: str, options: tuple[str, ...] = LINE) -> Any:
    given = (*OF_NO_TOOL[: 0 if Path(command[0]).name in TOOLS else None], *options)
    return run_netmodel("measure", "-o", str(tmp_path / "run"), *given, "--", *command)


def manifest(tmp_path: Path) -> dict[str, Any]:
    return tomllib.loads((tmp_path / "run" / "manifest.toml").read_text())


def program(tmp_path: Path, name: str, text: str) -> str:
    """A shell script that stands for a tool."""
    path = tmp_path / name
    path.write_text(f'#!/bin/sh\nif [ "$1" = --version ]; then exit; fi\n{text}\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_a_run_is_recorded_and_judged_as_check_does(tmp_path: Path) -> None:
    result = measured(tmp_path, "cat", str(RESULT), options=(*LINE, "--json"))
    assert result.exit_code == 0, result.output
    shown = json.loads(result.stdout)
    (verdict,) = shown["verdicts"]
    (checked,) = netmodel.check(RESULT, line_rate_bps="200 Mbit/s", mtu_bytes=1500)
    assert verdict["verdict"] == checked.to_dict()["verdict"] == "at_ceiling"
    assert verdict["reason"] == checked.reason
    assert verdict["limits"] == checked.to_dict()["limits"]
    assert (shown["state"], shown["exit_code"]) == ("complete", 0)
    assert manifest(tmp_path)["state"] == "complete"
    assert (tmp_path / "run" / "result.json").read_text() == RESULT.read_text()
    assert (tmp_path / "run" / "client-proc-stat.txt").read_text().count("\ncpu ") == 2


def test_the_output_of_the_tool_comes_first_and_untouched(tmp_path: Path) -> None:
    result = measured(tmp_path, "sh", "-c", f"sleep 1.2; cat '{RESULT}'")
    assert result.stdout.startswith(RESULT.read_text())
    rest = result.stdout.removeprefix(RESULT.read_text())
    assert rest.startswith("\nat ceiling: ")
    assert "line rate: " in rest
    assert "CPU time of the client is left out: no interval of CPU time lies within" in rest
    assert f"recorded in {tmp_path / 'run'} (complete)" in rest


def test_without_a_line_rate_the_record_is_kept_and_the_option_named(tmp_path: Path) -> None:
    result = measured(tmp_path, "cat", str(RESULT), options=())
    assert result.exit_code == 1
    assert "not judgeable: 188.19 Mbit/s: " in result.stdout
    assert "give --line-rate" in result.stdout.replace("\n    ", " ")
    assert (tmp_path / "run" / "result.json").exists()


def test_a_tool_that_fails_leaves_a_record_with_its_exit_code(tmp_path: Path) -> None:
    tool = program(tmp_path, "iperf3", "echo 'unable to connect: no route' >&2; exit 4")
    options = (*LINE, "--interface", "lo")
    result = measured(tmp_path, tool, "-4", "-c", "127.0.0.1", options=options)
    assert result.exit_code == 1
    assert "failed: iperf3 failed with exit code 4: unable to connect" in result.stdout
    assert "unable to connect: no route" in result.stderr
    assert manifest(tmp_path)["state"] == "failed"
    assert manifest(tmp_path)["command"]["exit_code"] == 4
    assert (tmp_path / "run" / "stderr.txt").read_text() == "unable to connect: no route\n"
    assert "ethtool -S lo" in (tmp_path / "run" / "client-after.toml").read_text()


@pytest.mark.parametrize("text", ["", "printf 'garbage \\033[31m\\377'", "echo '{\"start\": '"])
def test_garbage_is_kept_and_fails(text: str, tmp_path: Path) -> None:
    tool = program(tmp_path, "iperf3", text)
    result = measured(tmp_path, tool, "-c", "127.0.0.1")
    assert result.exit_code == 1
    assert "failed: iperf3 printed no result" in result.stdout
    assert manifest(tmp_path)["state"] == "complete"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_a_whole_record(number: signal.Signals, tmp_path: Path) -> None:
    tool = program(tmp_path, "iperf3", "echo started; exec sleep 60")
    command = [sys.executable, "-m", "netmodel", "measure", "-o", str(tmp_path / "run"), *LINE]
    with subprocess.Popen(
        [*command, "--", tool, "-c", "127.0.0.1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"started\n"
        time.sleep(0.2)
        os.kill(process.pid, number)
        output, errors = process.communicate(timeout=30)
    assert process.returncode == 1, errors
    assert b"iperf3 was interrupted" in output
    assert b"Traceback" not in errors
    assert manifest(tmp_path)["state"] == "interrupted"
    assert manifest(tmp_path)["command"]["exit_code"] == -signal.SIGINT
    assert not list((tmp_path / "run").rglob(".netmodel-*"))


def test_a_run_that_is_killed_says_that_it_has_no_end(tmp_path: Path) -> None:
    tool = program(tmp_path, "iperf3", "echo started; exec sleep 3")
    command = [sys.executable, "-m", "netmodel", "measure", "-o", str(tmp_path / "run"), *LINE]
    with subprocess.Popen(
        [*command, "--", tool, "-c", "127.0.0.1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.kill()
    found = manifest(tmp_path)
    assert found["state"] == "running"
    assert "end" not in found["command"]
    assert tomllib.loads((tmp_path / "run" / "client.toml").read_text())["kind"] == "facts"


def test_a_tool_that_is_not_installed_is_refused_before_a_folder_is_made(tmp_path: Path) -> None:
    result = measured(tmp_path, "no-such-tool", "-c", "10.0.0.2")
    assert result.exit_code == 2
    assert "no-such-tool: not found: install it" in result.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("text", "reason"),
    [("no program", "Exec format error"), ("#!/no/such", "No such file or directory")],
)
def test_a_program_that_cannot_be_run_is_named(text: str, reason: str, tmp_path: Path) -> None:
    tool = tmp_path / "iperf3"
    tool.write_text(text)
    tool.chmod(0o755)
    result = measured(tmp_path, str(tool), "-c", "127.0.0.1")
    assert result.exit_code == 2
    assert f"{tool}: cannot be run: {reason}" in " ".join(result.stderr.split())


def test_the_mtu_of_the_connection_is_a_condition_of_the_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = f"case $* in *route*) echo '{route('eth0')}';; *) echo '{plain_interface()}';; esac"
    program(tmp_path, "ip", shown)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    measured(tmp_path, program(tmp_path, "iperf3", f"cat '{RESULT}'"), "-c", "10.0.0.2")
    conditions = tomllib.loads((tmp_path / "run" / "conditions.toml").read_text())
    assert conditions == {"mtu_bytes": 1500}


def test_a_server_and_a_used_folder_are_refused(tmp_path: Path) -> None:
    tool = program(tmp_path, "iperf3", "exit 0")
    result = measured(tmp_path, tool, "-s")
    assert result.exit_code == 2
    assert "iperf3 would wait for a client" in result.stderr
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "file").write_text("")
    result = measured(tmp_path, tool, "-c", "127.0.0.1")
    assert result.exit_code == 2
    assert "is not empty: give another folder" in result.stderr


def test_wrong_options_are_refused_before_the_tool_runs(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    tool = program(tmp_path, "iperf3", f"touch '{mark}'")
    result = measured(tmp_path, tool, "-c", "x", options=("--ip", "4", "--stack", "ipv4/tcp"))
    assert result.exit_code == 2
    assert not mark.exists()
    result = measured(tmp_path, tool, "-c", "x", options=("--accept", "nothing"))
    assert result.exit_code == 2
    assert not mark.exists()


def test_where_nothing_can_be_asked_the_run_is_judged_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither ip nor ethtool nor nstat nor lscpu on the PATH, as in a small container."""
    tool = program(tmp_path, "iperf3", f"while read line; do echo \"$line\"; done < '{RESULT}'")
    monkeypatch.setenv("PATH", str(tmp_path))
    result = measured(tmp_path, tool, "-c", "10.0.0.2", options=(*LINE, "--verbose"))
    assert result.exit_code == 0, result.output
    assert "not recorded: ip -j route get 10.0.0.2 and" in result.stdout
    assert "ip is not installed" in result.stdout
    assert result.stdout.count("not recorded: ") == len({"ip", "nstat", "tc", "uname"})
    facts = tomllib.loads((tmp_path / "run" / "client.toml").read_text())
    missing = {each["origin"]: each.get("reason") for each in facts["counters"]}
    assert missing["nstat -asz --json"] == "nstat is not installed"


def test_facts_are_written_for_the_other_host(tmp_path: Path) -> None:
    file = tmp_path / "facts.toml"
    result = run_netmodel("measure", "facts", "-o", str(file), "--interface", "lo", "--json")
    assert result.exit_code == 0, result.output
    shown = json.loads(result.stdout)
    assert shown["file"] == str(file)
    document = tomllib.loads(file.read_text())
    assert document["kind"] == "facts"
    texts = {each["name"]: each.get("text", "") for each in document["settings"]}
    timestamps = Path("/proc/sys/net/ipv4/tcp_timestamps").read_text()
    assert f"net.ipv4.tcp_timestamps = {timestamps}" in texts["sysctl.txt"]
    assert f"mtu {Path('/sys/class/net/lo/mtu').read_text()}" in texts["sys-lo.txt"]
    assert "is_virtual true\n" in texts["sys-lo.txt"]
    assert texts["limits.txt"].startswith("affinity ")


def test_facts_of_the_peer_are_used_and_kept(tmp_path: Path) -> None:
    facts = Path(__file__).parents[1] / "measuring" / "samples" / "virtio.toml"
    options = ("--line-rate", "200Mbit/s", "--peer-facts", str(facts))
    result = measured(tmp_path, "cat", str(RESULT), options=options)
    assert re.search("MTU +1400", result.stdout)
    assert "(eth0 of the server)" in result.stdout
    kept = read_facts(tmp_path / "run" / "server.toml")
    assert kept.settings.keys() == read_facts(facts).settings.keys()
    bad = tmp_path / "bad.toml"
    bad.write_text("schema = 1")
    result = run_netmodel("measure", "--peer-facts", str(bad), *OF_NO_TOOL, "--", "true")
    assert result.exit_code == 3


def test_the_function_returns_what_the_command_prints(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    line: dict[str, Any] = {"line_rate_bps": "200 Mbit/s", "mtu_bytes": 1500}
    run = netmodel.measure(
        ["cat", str(RESULT)], folder=tmp_path / "new" / "run", format_name="iperf3", **line
    )
    assert run.passes
    assert run.verdicts[0].word == "at ceiling"
    assert run.line["line rate"] == ("200 Mbit/s", "specified")
    assert "at ceiling" in str(run)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("a file")
    place = str(tmp_path / "run" / "below")
    result = run_netmodel("measure", "-o", place, *LINE, *OF_NO_TOOL, "--", "true")
    assert result.exit_code == 2
    assert f"cannot write: {place}: Not a directory" in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--peer", "no-such-host.invalid"), "the peer cannot be looked up"),
        (("--interface", "nope0"), "no interface 'nope0' here"),
    ],
)
def test_a_peer_or_interface_that_is_not_there_is_refused(
    options: tuple[str, ...], words: str, tmp_path: Path
) -> None:
    result = measured(tmp_path, "true", options=(*LINE, *options))
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())
    assert not (tmp_path / "run").exists()


def test_a_program_that_is_no_tool_is_not_started(tmp_path: Path) -> None:
    place, line = tmp_path / "run", {"line_rate_bps": "200 Mbit/s", "mtu_bytes": 1500}
    with pytest.raises(ContradictionError, match=r"touch is not a tool .* give format_name if"):
        netmodel.measure(["touch", str(tmp_path / "made")], folder=place, **line)
    assert not [*tmp_path.iterdir()]
