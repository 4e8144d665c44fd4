"""Completion in shells: commands, options, choices, ids, conditions and files."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from command_tree import COMMANDS
from invocation import PACKAGE_DIRECTORY, refusal, run_in_a_process, words

from netmodel.cli import main
from netmodel.cli._ids import CASE_NAMES
from netmodel.records import catalog, data_path

TOO_SLOW = ("pydantic", "scipy", "matplotlib", "pandas", "xarray", "sympy")
"""What takes longer to import than one waits for a completion."""
SHELLS = ("bash", "zsh", "fish")


def completed(*words: str) -> list[str]:
    """What may stand in place of the last word."""
    *before, incomplete = words
    shell = ShellComplete(main, {}, "netmodel", "_NETMODEL_COMPLETE")
    return [str(each.value) for each in shell.get_completions(before, incomplete)]


def test_commands_and_their_second_words() -> None:
    assert completed("p") == ["path-mtu", "pcie", "plan", "predict", "published"]
    assert completed("catalog", "") == ["list", "schema", "show"]
    assert "host" in completed("calibrate", "")
    assert completed("measure", "f") == ["facts"]
    assert "--peer" in completed("measure", "facts", "--p")
    assert all(" " not in each for each in completed(""))


def test_options_and_their_choices() -> None:
    assert completed("plan", "--max-u") == ["--max-utilisation", "--max-utilisation-after-failure"]
    assert completed("predict", "--ip", "") == ["4", "6"]
    assert completed("calibrate", "--side", "c") == ["client"]
    assert completed("check", "--format", "iperf3-") == ["iperf3-text"]
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
    assert "osa-express7s-25gbe" in completed("calibrate", "osa")


def test_models_and_axes_that_are_completed_are_known() -> None:
    """The lists stand beside the commands, whose packages take long to load."""
    refused = words(refusal("calibrate", "osa-express7s-25gbe", "--model", "zqx"))
    named = refused.partition("choose one of ")[2].partition(", or a path")[0].split(", ")
    assert [*named, "auto"] == completed("calibrate", "osa-express7s-25gbe", "--model", "")
    axes = {option.removesuffix("=") for option in completed("sweep", "")}
    known = {name for each in COMMANDS["predict"].params for name in each.opts}
    assert {f"--{axis}" for axis in axes} <= known


def test_cases_flows_and_stacks_are_completed_word_by_word() -> None:
    known = refusal("compare", "--baseline", "zqx=1", "--variant", "zqx=2")
    assert set(CASE_NAMES) <= {*words(known.partition("known are")[2]).replace(",", "").split()}
    assert completed("compare", "--baseline", "rps=on con") == ["rps=on connections="]
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


@pytest.mark.parametrize(
    "words",
    [
        ("predict", "--adapter", "osa"),
        ("compare", "--baseline", "mt"),
        ("calibrate", "--model", "k"),
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


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_click_prints_the_script_of_each_shell(shell: str) -> None:
    if shell == "bash" and shutil.which(shell) is None:
        pytest.skip("click asks bash for its version")
    done = run_in_a_process(_NETMODEL_COMPLETE=f"{shell}_source", COLUMNS="20")
    assert done.returncode == 0
    assert b"_NETMODEL_COMPLETE" in done.stdout


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("netmodel pred", b"plain,predict"),
        ("netmodel predict --adapter osa-express7", b"plain,osa-express7s-25gbe"),
        ("netmodel no-such-command --x", b""),
        ("netmodel catalog nothing --x", b""),
        ("netmodel predict 'not", b""),
        ("netmodel --own-data /no/such/directory predict --path xyz", b"file,xyz"),
    ],
)
def test_a_line_that_is_typed_is_answered_and_raises_nothing(line: str, shown: bytes) -> None:
    count = str(len(line.split()) - 1)
    done = run_in_a_process(
        _NETMODEL_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=count, COLUMNS="20"
    )
    assert (done.stdout.strip(), done.stderr) == (shown, b"")
