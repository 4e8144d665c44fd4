"""The line calculator of the documents: its page in Chromium computes what netmodel does."""

import html
import json
import math
import random
import re
import shlex
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from browsing import Measured, browse, in_chromium, laid_out, measured
from invocation import printed_json
from pages_of_docs import module

from netmodel.ceilings import line_ceiling
from netmodel.errors import DomainError
from netmodel.framing import parse_stack

pytestmark = pytest.mark.thorough

FILES = Path(__file__).parents[2] / "docs" / "_static" / "calculator"
THEME = """
document.documentElement.dataset.theme =
  matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
"""
"""What the theme of the documents does, and its grounds."""
GROUNDS = "html{background:#fff}html[data-theme=dark]{background:#14181e}body{margin:8px}"
DRIVE = Path(__file__).with_name("calculating.js").read_text(encoding="utf-8")
STEPS = {
    ("mtu", "9000"): "25 Gbit/s line carries at most 24.751051118",
    ("mtu", ""): "Enter the MTU",
    ("mtu", "1,5"): "must be a number; got 1,5: write a point",
    ("mtu", "1500.5"): "whole number of 68 to 65,535 byte; got 1500.5",
    ("mtu", "1500"): "23.537061118 Gbit/s of payload at MTU 1500",
    ("rate", "fast"): "must be a number; got fast",
    ("rate", "0"): "must be above 0; got 0 Gbit/s",
    ("rate", "1e400"): "must be above 0",
    ("rate", "100"): "A 100 Gbit/s line",
    ("stack", "QUIC"): "at most 93.5",
    ("mtu", "100"): "whole number of 1,228 to 65,535",
    ("stack", "VXLAN"): "of payload at MTU 100",
    ("unit", "Mbit/s"): "A 100 Mbit/s line",
}
"""What a person enters, step after step, and what the page then says."""


@cache
def extension() -> ModuleType:
    return module("line_calculator")


def asked() -> list[dict[str, str]]:
    """Every stack at MTUs that it takes, its ends, and some that it refuses."""
    rng, cases = random.Random(25), []
    for name, text in extension().PRESETS.items():
        least = parse_stack(text).minimum_mtu_bytes
        mtus = [least - 1, least, 1500, 9000, 65475, 65511, 65535, 65536]
        mtus += [rng.randrange(least, 65476) for _ in range(20)]
        rates = [
            (rng.choice([1, 10, 25, 2.5, 0.3]), rng.choice(["Mbit/s", "Gbit/s"])) for _ in mtus
        ]
        cases += [
            {"rate": str(rate), "unit": unit, "mtu": str(mtu), "stack": name}
            for mtu, (rate, unit) in zip(mtus, rates, strict=True)
        ]
    return cases


class Browsed(NamedTuple):
    """What one load of the page showed."""

    answers: list[dict[str, Any]]
    steps: list[dict[str, Any]]
    layouts: list[Measured]


@pytest.fixture(scope="module")
def browsed(tmp_path_factory: pytest.TempPathFactory) -> Browsed:
    """The page in all layouts, its answers to all cases, and after each step of a person."""
    directory = tmp_path_factory.mktemp("calculator")
    css, form, script = (
        (FILES / f"{name}").read_text("utf-8")
        for name in ("calculator.css", "form.html", "calculator.js")
    )
    page = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Line calculator</title>'
        f"<style>{GROUNDS}{css}</style><script>{THEME}</script>{form}"
        f"<script>{extension().script()}</script><script>{script}</script>"
    )
    held = "".join(
        f'<pre id="{name}" hidden>{html.escape(json.dumps(value))}</pre>'
        for name, value in (("asked", asked()), ("steps", list(STEPS)))
    )
    file = directory / "calculator.html"
    file.write_text(
        f'{page}{held}<pre id="answers"></pre><pre id="driven"></pre>{laid_out(page)}'
        f"<script>{DRIVE}</script>",
        encoding="utf-8",
    )
    dumped = browse(directory, "--virtual-time-budget=20000", "--dump-dom", file.as_uri())
    answers, steps = (
        json.loads(html.unescape(re.findall(rf'<pre id="{name}">(.+?)</pre>', dumped, re.S)[0]))
        for name in ("answers", "driven")
    )
    return Browsed(answers, steps, measured(dumped))


@in_chromium
def test_page_computes_what_netmodel_does(browsed: Browsed) -> None:
    refused = 0
    for case, answer in zip(asked(), browsed.answers, strict=True):
        stack = parse_stack(extension().PRESETS[case["stack"]])
        scale = {"Mbit/s": 1e6, "Gbit/s": 1e9}[case["unit"]]
        try:
            line = line_ceiling(float(case["rate"]) * scale, int(case["mtu"]), stack)
        except DomainError:
            assert answer == {"refusal": "mtu"}, case
            refused += 1
            continue
        own = {name: getattr(line, name) for name in extension().QUANTITIES}
        own |= line.layer_rates
        for name, value in own.items():  # a few roundings of floats, which have 16 digits
            assert math.isclose(answer[name], value, rel_tol=1e-12), (case, name)
        parts = [(part.name, part.bytes) for part in line.parts]
        assert [part["name"] for part in answer["parts"]] == [name for name, _ in parts], case
        for part, (_, length) in zip(answer["parts"], parts, strict=True):
            assert math.isclose(part["bytes"], length, rel_tol=1e-9), (case, part)
    assert 2 * len(extension().PRESETS) <= refused < len(asked()) / 5


@in_chromium
def test_what_a_person_enters_has_a_result_or_a_message_by_the_field(browsed: Browsed) -> None:
    for ((field, _), words), seen in zip(STEPS.items(), browsed.steps, strict=True):
        assert words in seen["answer"]
        assert not seen["odd"]
        is_refused = seen["answer"].startswith("No result")
        assert (seen["error"], seen["command"] == "") == (field if is_refused else "", is_refused)


@in_chromium
def test_command_computes_what_the_page_shows(browsed: Browsed) -> None:
    last = browsed.steps[-1]
    program, *arguments = shlex.split(last["command"])
    assert program == "netmodel"
    rate_bps = printed_json(*arguments)["payload_rate_bps"]
    assert f"{rate_bps / 1e6:.11g} Mbit/s of payload" in last["answer"]


@in_chromium
def test_page_is_readable_on_all_screens_and_on_paper(browsed: Browsed) -> None:
    assert {each["name"]: each["faults"] for each in browsed.layouts if each["faults"]} == {}
    assert min(each["texts"] for each in browsed.layouts) > 40


def test_nothing_is_loaded_from_elsewhere() -> None:
    for file in FILES.iterdir():
        text = file.read_text("utf-8")
        assert not re.search(r"https?:|//www|@import|url\(|import\(|fetch\(", text), file
