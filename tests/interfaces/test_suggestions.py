"""Misspelt commands, options, choices and ids: the message names the one that was meant."""

import pytest
from command_tree import COMMANDS, OPTIONS
from invocation import refusal, run_netmodel, words
from runs import sample

GOOD = str(sample("line_200m_mtu1500_ts1_v4.json"))
OSA = "osa-express7s-25gbe"
LEAST_LETTERS = 4
"""Of names that are recognised with one letter missing; shorter ones have others as near."""


def misspelt(name: str) -> str:
    """The name with the letter in its middle left out."""
    return name[: len(name) // 2] + name[len(name) // 2 + 1 :]


@pytest.mark.parametrize(
    "path", sorted({*COMMANDS} - {"netmodel", "calibrate host", "measure facts"})
)
def test_a_misspelt_command_is_recognised(path: str) -> None:
    *groups, name = path.split()
    if len(name) < LEAST_LETTERS:
        pytest.skip("too short to be recognised")
    message = words(refusal(*groups, misspelt(name)))
    assert f"{path!r}" in message or f"{name!r}" in message, message
    assert "Did you mean" in message


@pytest.mark.parametrize("path", [path for path in COMMANDS if path != "netmodel"])
def test_a_misspelt_option_is_recognised(path: str) -> None:
    names = [each.opts[-1] for (of, _), each in OPTIONS.items() if of == path]
    for name in names:
        wrong = misspelt(name)
        if len(name) <= LEAST_LETTERS + 2 or any(each.startswith(wrong) for each in names):
            continue
        message = words(refusal(*path.split(), wrong))
        assert f"did you mean {name}?" in message, (name, message)


def test_what_is_no_option_has_no_suggestion_that_is_not_near() -> None:
    assert "-year; scenario files have it" in words(refusal("plan", "--growth-per-year", "20%"))
    assert words(refusal("plan", "--foo", "3")).endswith("no option --foo")
    assert words(refusal("check", "-5 Gbit/s")).endswith("no option -5: no value is negative")


STREAM = ("--mtu", "1500", "--workload", "str-writex30k")
NAMED = {
    ("predict", "--adapter", "osa-expres7s-25gbe", *STREAM): OSA,
    ("predict", "--path", "worked-closed-netwrk", *STREAM): "worked-closed-network",
    ("predict", "--adapter", OSA, "--mtu", "1500", "--workload", "str-writx30k"): "str-writex30k",
    ("check", GOOD, "--mtu", "1500", "--adapter", "osa-expres7s-25gbe"): OSA,
    ("plan", "--flow", "1G", "--adapter", "osa-expres7s-25gbe", "--mtu", "1500"): OSA,
    ("compare", "--baseline", OSA, "--variant", "adaptr=on"): "adapter",
    ("catalog", "show", "osa-expres7s-25gbe"): OSA,
    ("calibrate", "zvm-layer2-layer"): "zvm-layer2-layer3",
    ("check", GOOD, "--line-rate", "1G", "--mtu", "1500", "--accept", "windw"): "window",
    ("ceiling", "--line-rate", "1G", "--mtu", "1500", "--stack", "ipv4/tpc"): "tcp",
}
"""Commands with a misspelt name of each kind, and the one that is meant."""


@pytest.mark.parametrize("arguments", NAMED, ids=lambda each: " ".join(each)[-40:])
def test_a_misspelt_name_is_recognised(arguments: tuple[str, ...]) -> None:
    result = run_netmodel(*arguments)
    message = words(result.stderr)
    assert result.exit_code in (2, 3), message
    problem, _, hint = message.lower().rpartition("did you mean")
    assert NAMED[arguments] in (hint if problem else message.partition(" may be meant")[0])
    assert problem or " may be meant" in message, message
