"""Completion in shells: commands, options, choices, ids, conditions and files."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from invocation import PACKAGE_DIRECTORY, printed, printed_json, refusal, run_in_a_process

from netmodel.cli import main
from netmodel.cli._completion import answer
from netmodel.cli._ids import CASE_NAMES
from netmodel.judging._compared_cases import KEYS, short_name
from netmodel.records import catalog, data_path, statements

TOO_SLOW = ("pydantic", "scipy", "matplotlib", "pandas", "xarray", "sympy")
"""What takes longer to import than one waits for a completion."""
SHELLS = ("bash", "zsh", "fish")


def completed(*words: str) -> list[str]:
    """What may stand in place of the last word."""
    *before, incomplete = words
    shell = ShellComplete(main, {}, "netmodel", "_NETMODEL_COMPLETE")
    return [str(each.value) for each in shell.get_completions(before, incomplete)]


def test_commands_and_their_second_words() -> None:
    assert completed("p") == ["path-mtu", "pcie", "plan", "predict"]
    assert completed("interf") == ["interface-load"]
    assert completed("catalog", "") == ["calibrate", "list", "show"]
    assert "host" in completed("calibrate", "")
    assert completed("measure", "f") == ["facts"]
    assert "--peer" in completed("measure", "facts", "--p")
    assert all(" " not in each for each in completed(""))


def test_options_and_their_choices() -> None:
    assert completed("plan", "--max-u") == ["--max-utilisation", "--max-utilisation-after-failure"]
    assert completed("plan", "--spreading", "") == ["even", "hashed"]
    assert completed("predict", "--ip", "") == ["4", "6"]
    assert completed("calibrate", "--adapter-of", "c") == ["client"]
    assert completed("check", "--format", "iperf3-") == ["iperf3-text"]
    assert completed("completion", "z") == ["zsh"]
    assert completed("--own") == ["--own-data"]


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (("predict", "--adapter", ""), "adapters"),
        (("plan", "--sender", ""), "adapters"),
        (("check", "--receiver", ""), "adapters"),
        (("predict", "--path", ""), "paths"),
        (("predict", "--workload", ""), "workloads"),
        (("plan", "--client-host", ""), "hosts"),
    ],
)
def test_ids_of_records(words: tuple[str, ...], kind: str) -> None:
    assert completed(*words) == list(catalog()[kind])


def test_ids_of_several_kinds() -> None:
    assert set(completed("catalog", "show", "")) == {
        each for ids in catalog().values() for each in ids
    }
    assert completed("catalog", "list", "") == list(catalog())
    assert completed("catalog", "calibrate", "zvm-d")
    assert set(completed("evidence", "--document", "")) == {each.source for each in statements()}
    assert {"all", "statements"} < set(completed("audit", ""))
    assert "osa-express7s-25gbe" in completed("calibrate", "osa")


def test_cases_flows_and_stacks_are_completed_word_by_word() -> None:
    assert {f"{short_name(key)}" for key in KEYS} == set(CASE_NAMES)
    assert completed("compare", "--baseline", "rps=on mt") == ["rps=on mtu="]
    assert completed("compare", "--variant", "roce-express2") == ["roce-express2.1-25gbe"]
    assert completed("plan", "--flow", "10 Gbit/s str") == ["10 Gbit/s str-writex30k"]
    assert completed("plan", "--flow", "100000/s rr1c-200x1000 from cl") == [
        "100000/s rr1c-200x1000 from client"
    ]
    assert completed("ceiling", "--stack", "ipv4/udp/vx") == ["ipv4/udp/vxlan"]


def test_ids_of_own_data_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    adapters = tmp_path / "catalog" / "adapters"
    adapters.mkdir(parents=True)
    source = data_path("catalog", "adapters", "ethernet-25gbe.toml")
    shutil.copy(source, adapters / "mine-25gbe.toml")
    try:
        assert completed("--own-data", str(tmp_path), "predict", "--adapter", "min") == [
            "mine-25gbe"
        ]
    finally:
        from netmodel.records import unregister_data

        unregister_data(tmp_path)
    done = asked("bash", "netmodel predict --adapter min", NETMODEL_DATA=str(tmp_path))
    assert done.stdout == b"plain,mine-25gbe"


def asked(shell: str, line: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """What a shell is told when TAB is pressed at the end of a line."""
    words = line.split(" ")
    return run_in_a_process(
        _NETMODEL_COMPLETE=f"{shell}_complete",
        COMP_LINE=line,
        COMP_WORDS=line,
        COMP_WORD=words[-1],
        COMP_CWORD=str(len(words) - 1) if shell != "fish" else words[-1],
        **environment,
    )


@pytest.mark.parametrize(
    "line",
    [
        "netmodel no-such-command --x",
        "netmodel predict 'not closed",
        "netmodel --own-data /no/such/directory predict --adapter osa",
        "netmodel plan --flow \udcff",
        "",
    ],
)
def test_no_line_that_is_typed_raises(
    line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("COMP_LINE", "COMP_WORDS", "COMP_WORD", "COMP_CWORD"):
        monkeypatch.setenv(name, line)
    for shell in (*SHELLS, "tcsh"):
        answer(main, f"{shell}_complete")
    assert capsys.readouterr() == ("", "")


def test_a_line_that_is_wrong_is_answered_with_nothing() -> None:
    done = asked("zsh", "netmodel no-such-command --x")
    assert (done.stdout, done.stderr, done.returncode) == (b"", b"", 0)


@pytest.mark.parametrize(
    "words",
    [
        ("predict", "--adapter", "osa"),
        ("compare", "--baseline", "mt"),
        ("calibrate", "--model", "k"),
        ("evidence", "--document", ""),
        ("sweep", "--formula", "p"),
    ],
)
def test_completion_loads_nothing_slow(words: tuple[str, ...]) -> None:
    code = (
        "import sys; from click.shell_completion import ShellComplete as S; "
        "from netmodel.cli import main; "
        f"S(main, {{}}, 'netmodel', 'X').get_completions({list(words[:-1])}, {words[-1]!r}); "
        f"print([each for each in {TOO_SLOW} if each in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": PACKAGE_DIRECTORY},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


def test_scripts_are_printed_for_each_shell() -> None:
    for shell in SHELLS:
        script = printed("completion", shell)
        assert "_NETMODEL_COMPLETE" in script
        assert printed_json("completion", shell) == {"shell": shell, "script": script}
    assert "not one of" in refusal("completion", "tcsh")


LINES = {
    "netmodel pred\t": "predict ",
    "netmodel predict --adapter osa-express7\t": "osa-express7s-25gbe ",
    "netmodel predict --adapter=osa-express7\t": "--adapter=osa-express7s-25gbe ",
    'netmodel compare --baseline "osa-express7s-25gbe mt\t': "osa-express7s-25gbe mtu=",
    "netmodel plan sce\t": "scenario.toml ",
    "netmodel check --client-cpu sce\t": "scenario.toml ",
    "netmodel plan --html sce\t": "scenario.toml ",
    "netmodel catalog l\t": "list ",
    "netmodel calibrate h\t": "host ",
}
"""What is typed, and what then stands on the line."""


def test_a_real_bash_completes(tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not installed")
    pexpect = pytest.importorskip("pexpect")
    (tmp_path / "scenario.toml").touch()
    program = tmp_path / "bin" / "netmodel"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m netmodel "$@"\n')
    program.chmod(0o755)
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("COV_")},
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "PYTHONPATH": PACKAGE_DIRECTORY,
        "PS1": "> ",
        "INPUTRC": "/dev/null",
        "TERM": "dumb",
    }
    shell = pexpect.spawn(
        bash,
        ["--norc", "--noprofile"],
        env=environment,
        cwd=str(tmp_path),
        encoding="utf-8",
        timeout=30,
        dimensions=(24, 200),
    )
    shell.sendline("bind 'set enable-bracketed-paste off'; PS1='> '; echo rea''dy")
    shell.expect("\nready")
    shell.sendline('eval "$(netmodel completion bash)"; echo do""ne')
    shell.expect("\ndone")
    for typed, expected in LINES.items():
        shell.send(typed)
        try:
            shell.expect_exact(expected)
        except pexpect.TIMEOUT:
            raise AssertionError((typed, shell.before)) from None
        shell.send("\x15\r")
    shell.close(force=True)


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_read_the_script(shell: str, tmp_path: Path) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / "script"
    script.write_text(printed("completion", shell))
    subprocess.run([program, "-n", str(script)], check=True)


def test_zsh_and_fish_get_names_in_their_own_form() -> None:
    done = asked("zsh", "netmodel predict --adapter osa-express7")
    assert done.stdout.decode().split("\n")[:2] == ["plain", "osa-express7s-25gbe"]
    done = asked("fish", "netmodel predict --adapter osa-express7")
    assert json.dumps(done.stdout.decode()).startswith('"plain,osa-express7s-25gbe')
