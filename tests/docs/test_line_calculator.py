"""The line calculator of the documents: its page in Chromium computes what netmodel does."""

import html
import json
import math
import random
import re
import shlex
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from browsing import Measured, browse, in_chromium, laid_out, measured
from invocation import printed_json
from pages_of_docs import module

import netmodel
from netmodel.errors import DomainError
from netmodel.framing import LAYER_FORMS, Level, Stack, parse_stack

pytestmark = pytest.mark.thorough

DOCS = Path(__file__).parents[2] / "docs"
FILES = DOCS / "_static" / "calculator"
CASES = 300
AGREES = 1e-12
"""Relative: a few roundings of floats, which have 16 digits."""
THEME = """
document.documentElement.dataset.theme =
  matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
"""
"""What the theme of the documents does, and its grounds."""
GROUNDS = "html{background:#fff}html[data-theme=dark]{background:#14181e}body{margin:8px}"
DRIVE = r"""
const json = (id) => JSON.parse(document.getElementById(id).textContent);
const answer = (case_) => {
  try {
    const {stack, ...found} = netmodelCalculator.computed(case_);
    return {...found, text: stack.text, notes: stack.notes};
  } catch (error) {
    if (error instanceof netmodelCalculator.Refusal)
      return {refusal: error.message, field: error.field};
    return {fault: String(error.stack)};
  }
};
const at = (id) => document.getElementById(`nlc-${id}`);
const actions = {
  type: (id, text) => { at(id).value = text; at(id).dispatchEvent(new Event("input")); },
  choose: (id, text) => { at(id).value = text; at(id).dispatchEvent(new Event("change")); },
  press: (id) => { at(id).focus(); at(id).click(); },
  pick: (text) => [...document.querySelectorAll("#nlc-insert button")]
    .find((each) => each.textContent === text).click(),
  escape: () => document.activeElement.dispatchEvent(
    new KeyboardEvent("keydown", {key: "Escape", bubbles: true})),
  work: (kind) => document.querySelector(`input[value=${kind}]`).click(),
  open: (hash) => { location.hash = hash; }
};
const seen = () => ({
  answer: at("answer").textContent,
  tables: [...document.querySelectorAll("#nlc-tables tr")].map((each) => each.innerText),
  errors: Object.fromEntries([...document.querySelectorAll("#nlc [aria-invalid]")]
    .map((each) => [each.id.slice(4), at(`${each.id.slice(4)}-error`).textContent])),
  stack: at("stack").value,
  preset: at("preset").value,
  command: at("command").value,
  link: at("link").value,
  focus: document.activeElement.id,
  odd: /NaN|undefined|null|Infinity/.test(document.getElementById("nlc").innerText),
  unnamed: [...document.querySelectorAll("#nlc :is(input, select, textarea, button)")]
    .filter((each) => !(each.labels?.length || each.getAttribute("aria-label")
      || each.textContent.trim())).map((each) => each.id)
});
const drive = async () => {
  const found = [];
  for (const [name, ...given] of json("steps")) {
    actions[name](...given);
    if (name === "open") await new Promise((done) => { setTimeout(done, 50); });
    found.push(seen());
  }
  document.getElementById("driven").textContent = JSON.stringify(found);
};
document.getElementById("answers").textContent = JSON.stringify(json("asked").map(answer));
drive();
"""


@cache
def extension() -> ModuleType:
    return module("line_calculator")


@cache
def layers_of_page() -> ModuleType:
    return module("calculator_layers")


@cache
def formulas() -> str:
    return str(extension().script())


def page() -> str:
    """The page in one file, without the rest of the documents."""
    texts = {name: (FILES / name).read_text("utf-8") for name in ("calculator.css", "form.html")}
    scripts = [formulas(), *((FILES / name).read_text("utf-8") for name in extension().SCRIPTS[1:])]
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Line calculator</title>'
        f"<style>{GROUNDS}{texts['calculator.css']}</style><script>{THEME}</script>"
        f"{texts['form.html']}" + "".join(f"<script>{text}</script>" for text in scripts)
    )


class Browsed(NamedTuple):
    """What one load of the page showed."""

    answers: list[dict[str, Any]]
    steps: dict[str, dict[str, Any]]
    layouts: list[Measured]


def json_in(name: str, value: object) -> str:
    return f'<pre id="{name}" hidden>{html.escape(json.dumps(value))}</pre>'


@pytest.fixture(scope="module")
def browsed(tmp_path_factory: pytest.TempPathFactory) -> Browsed:
    """The page in all layouts, its answers to all cases, and after each step of a person."""
    directory = tmp_path_factory.mktemp("calculator")
    whole = page()
    file = directory / "calculator.html"
    file.write_text(
        f"{whole}{json_in('asked', cases())}{json_in('steps', list(STEPS.values()))}"
        f'<pre id="answers"></pre><pre id="driven"></pre>{laid_out(whole)}'
        f"<script>{DRIVE}</script>",
        encoding="utf-8",
    )
    dumped = browse(directory, "--virtual-time-budget=20000", "--dump-dom", file.as_uri())
    answers, steps = (
        json.loads(
            html.unescape(re.findall(rf'<pre id="{name}">(.+?)</pre>', dumped, re.DOTALL)[0])
        )
        for name in ("answers", "driven")
    )
    return Browsed(answers, dict(zip(STEPS, steps, strict=True)), measured(dumped))


# Random questions


RARE = {"rocev1": 0.3, "ipv4": 4, "ipv6": 2, "tcp": 3, "udp": 4, "mpls": 0.5}
"""How often a layer follows another, where it is not as often as most."""
COUNTS = {
    "options": (4, 40),
    "extension": (8, 80),
    "sack": (1, 3),
    "cid": (1, 20),
    "record": (1, 2**14),
    "segment": (4, 2**14),
    "data": (4, 2**14),
}
"""Steps of counts, and how large they are at most; now and then one is refused."""


def random_layer(rng: random.Random, name: str) -> str:
    """A layer with random options, often such that none is refused."""
    form = LAYER_FORMS[name]
    options = [flag for flag in form.flags if rng.random() < 0.4]
    for key, (_, members) in form.choices.items():
        if rng.random() < 0.6:
            options.append(f"{key}={rng.choice(list(members)).value}")
    for key in form.counts:
        if rng.random() < 0.4:
            step, most = COUNTS[key] if rng.random() < 0.9 else (1, 20)
            options.append(f"{key}={step * rng.randrange(most // step + 1)}")
    rng.shuffle(options)
    return "+".join([name, *options])


def random_stack(rng: random.Random) -> str:
    """Layers each of which may stand inside the one before, down to one that may end a stack."""
    inside = {
        name: [inner for inner in LAYER_FORMS if name in LAYER_FORMS[inner].make().carried_by]
        for name in LAYER_FORMS
    }
    names = ["ethernet"]
    while inside[names[-1]]:
        level = LAYER_FORMS[names[-1]].make().level
        may_end = level is not Level.TUNNEL
        if may_end and rng.random() < (0.5 if level in {Level.TRANSPORT, Level.RECORDS} else 0.04):
            break
        if len(names) > 8 and "tcp" in inside[names[-1]]:
            names.append("tcp")
            break
        weights = [RARE.get(name, 1) for name in inside[names[-1]]]
        names += rng.choices(inside[names[-1]], weights)
    if rng.random() < 0.03:
        names.insert(rng.randrange(len(names) + 1), rng.choice(list(LAYER_FORMS)))
    layers = [random_layer(rng, name) for name in names]
    return "/".join(layers[1:] if rng.random() < 0.2 and len(layers) > 1 else layers)


def random_size(rng: random.Random, segment_bytes: int) -> int:
    """Any size; often one that fills its segments, where a rounded count shows."""
    if rng.random() < 0.4:
        return max(rng.randrange(1, 400) * segment_bytes + rng.choice([-1, 0, 0, 1]), 1)
    return rng.randrange(1, rng.choice([100, 5000, 60_000, 10**9]))


def random_mtu(rng: random.Random, stack: Stack | None) -> int:
    """Mostly one that the stack allows; those near its smallest as often as others."""
    if stack is None or rng.random() < 0.1:
        return rng.randrange(20, 70_000)
    smallest = min(stack.minimum_mtu_bytes, 60_000)
    return rng.choice([1500, 9000, smallest + rng.randrange(60), rng.randrange(smallest, 65_536)])


def random_case(rng: random.Random) -> dict[str, Any]:
    text = random_stack(rng)
    try:
        stack = parse_stack(text)
    except DomainError:
        stack = None
    mtu_bytes = random_mtu(rng, stack)
    fits = stack is not None and mtu_bytes >= stack.minimum_mtu_bytes
    segment_bytes = int(stack.segment_bytes(mtu_bytes)) if stack and fits else 1448
    case: dict[str, Any] = {
        "stack": text,
        "line_rate_bps": rng.choice([25e9, 10 ** rng.uniform(6, 12)]),
        "mtu_bytes": mtu_bytes,
    }
    kind = rng.choice(["frames", "messages", "messages", "transactions"])
    if kind == "messages":
        case["message_bytes"] = random_size(rng, segment_bytes)
    if kind == "transactions":
        for name in ("request_bytes", "response_bytes"):
            case[name] = random_size(rng, segment_bytes)
    if rng.random() < 0.2:
        case["segments_per_ack"] = rng.choice([1, 2, rng.randrange(1, 60)])
    return case


def own_answer(case: Mapping[str, Any]) -> dict[str, Any]:
    """What netmodel answers, in the form of the page."""
    try:
        stack = parse_stack(case["stack"])
        line = netmodel.ceiling(case["line_rate_bps"], case["mtu_bytes"], stack=stack)
        per_ack = case.get("segments_per_ack")
        if per_ack is not None and per_ack != int(per_ack):  # as the command line does
            raise DomainError(f"segments_per_ack must be a whole number; got {per_ack!r}")
        found: dict[str, Any] = dict.fromkeys(
            ("message", "request", "response", "transaction", "acknowledged")
        )
        if per_ack is not None:
            rate_bps = line.acknowledged_payload_rate_bps(per_ack)
            found["acknowledged"] = {"acknowledged_payload_rate_bps": rate_bps}
        if "message_bytes" in case:
            found["message"] = line.message(case["message_bytes"]).to_dict()
        if "request_bytes" in case:
            sizes = case["request_bytes"], case["response_bytes"]
            found["request"], found["response"] = (line.message(one).to_dict() for one in sizes)
            found["transaction"] = line.transaction(*sizes, per_ack).to_dict()
        sizes_of_layers = ("segment_bytes", "packet_bytes", "outer_packet_bytes")
        of_line = line.to_dict() | {name: getattr(line, name) for name in sizes_of_layers}
        return found | {
            "parts": of_line.pop("parts"),
            "line": of_line,
            "text": str(stack),
            "notes": list(stack.estimates),
        }
    except DomainError as error:
        return {"refusal": str(error)}


def differences(own: Any, other: Any, place: str = "") -> list[str]:
    """Where two answers differ by more than the rounding of floats."""
    if isinstance(own, dict) and isinstance(other, dict):
        names = dict.fromkeys([*own, *other])
        return [
            each
            for name in names
            for each in differences(own.get(name), other.get(name), f"{place}.{name}")
        ]
    if isinstance(own, list) and isinstance(other, list) and len(own) == len(other):
        pairs = enumerate(zip(own, other, strict=True))
        return [each for n, (a, b) in pairs for each in differences(a, b, f"{place}[{n}]")]
    if isinstance(own, float | int) and isinstance(other, float | int):
        is_same = own == other or math.isclose(own, other, rel_tol=AGREES, abs_tol=0)
    else:
        is_same = own == other
    return [] if is_same else [f"{place}: {own!r} != {other!r}"]


REFUSED_IN_OTHER_WORDS = ("unknown", "options_bytes must", "TCP options must fit")


def comparable(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer without what is only for the drawing, and near matches of names."""
    if "refusal" in answer:
        text = answer["refusal"].replace("request_bytes", "message_bytes")
        text = text.replace("response_bytes", "message_bytes")
        return {
            "refusal": text.partition(";")[0] if text.startswith(REFUSED_IN_OTHER_WORDS) else text
        }
    parts = [{"name": part["name"], "bytes": part["bytes"]} for part in answer["parts"]]
    return answer | {"parts": parts}


@cache
def cases() -> Sequence[dict[str, Any]]:
    rng = random.Random(25)
    usual = {"line_rate_bps": 25e9, "mtu_bytes": 9000, "message_bytes": 30720}
    presets = [{"stack": text, **usual} for text in layers_of_page().PRESETS.values()]
    wrong = [
        {"stack": stack, **usual}
        for stack in (
            "",
            "/",
            "tcp/ipv4",
            "ipv5",
            "ipv4/tcp/",
            "ipv4/gre",
            "ipv4/tcp+sack=x",
            "ipv4/tcp+sack=1+sack=2",
            "ipv4+options=44/tcp",
            "ipv4/esp+suite=aes/tcp",
            "vlan",
            "ipv4/tcp+timestamps+timestamps",
            "ipv4+tcp",
            "constructor",
            "ipv4/tcp+toString=1",
        )
    ]
    odd = [
        {**usual, "stack": "ipv4/tcp", name: value}
        for name, value in (
            ("mtu_bytes", 0),
            ("mtu_bytes", 1500.5),
            ("mtu_bytes", 1e9),
            ("mtu_bytes", -1500),
            ("line_rate_bps", 0),
            ("line_rate_bps", -1e9),
            ("message_bytes", 0),
            ("message_bytes", 0.5),
            ("message_bytes", -3),
            ("message_bytes", 10**15),
            ("segments_per_ack", 0),
            ("segments_per_ack", 1.5),
        )
    ]
    # whole segments and records, of which a quotient that is rounded twice makes one more
    whole = [
        (size, count)
        for size in range(100, 4000, 7)
        for count in range(2, 99)
        if math.ceil(count * size * (1 / size)) > count
    ]
    rounded = [
        case
        for size, count in rng.sample(whole, 20)
        for case in (
            {
                "line_rate_bps": 25e9,
                "mtu_bytes": size + 40,
                "stack": "ipv4/tcp",
                "message_bytes": count * size,
            },
            {
                "line_rate_bps": 25e9,
                "mtu_bytes": 9000,
                "stack": f"ipv4/tcp/tls+record={size}",
                "message_bytes": count * size,
            },
        )
    ]
    return [*(random_case(rng) for _ in range(CASES)), *presets, *wrong, *odd, *rounded]


@in_chromium
def test_page_computes_what_netmodel_does(browsed: Browsed) -> None:
    faults, refused = [], 0
    for case, answer in zip(cases(), browsed.answers, strict=True):
        assert "fault" not in answer, (case, answer)
        own = own_answer(case)
        refused += "refusal" in own
        found = differences(comparable(own), comparable(answer))
        if found:
            faults.append((case, found[:3]))
    assert faults == []
    assert CASES / 20 < refused < CASES / 2


@in_chromium
def test_page_is_readable_on_all_screens_and_on_paper(browsed: Browsed) -> None:
    assert {each["name"]: each["faults"] for each in browsed.layouts if each["faults"]} == {}
    assert min(each["texts"] for each in browsed.layouts) > 60


# What a person does, step after step, and what the page then shows

STEPS: Mapping[str, Sequence[str]] = {
    "start": ("work", "stream"),
    "jumbo": ("type", "mtu", "9000"),
    "kilobytes": ("choose", "mtu-unit", "kB"),
    "too large": ("type", "mtu", "9000"),
    "too small": ("type", "mtu", "0.012"),
    "empty": ("type", "mtu", ""),
    "comma": ("type", "mtu", "1,5"),
    "whole": ("type", "mtu", "1.5"),
    "bytes": ("choose", "mtu-unit", "B"),
    "half": ("type", "mtu", "1500.5"),
    "again": ("type", "mtu", "1500"),
    "words": ("type", "rate", "fast"),
    "unit": ("type", "rate", "40 Gbit/s"),
    "none": ("type", "rate", "0"),
    "huge": ("type", "rate", "1e400"),
    "rate": ("type", "rate", "100"),
    "no count": ("type", "layer-2-count", "x"),
    "many": ("type", "layer-2-count", "29"),
    "two": ("type", "layer-2-count", "2"),
    "none again": ("type", "layer-2-count", ""),
    "panel": ("press", "add-1"),
    "closed": ("escape",),
    "panel again": ("press", "add-1"),
    "tunnel": ("pick", "udp/vxlan/ethernet/ipv4"),
    "removed": ("press", "remove-3"),
    "text": ("type", "stack", "vlan/ipv6/tcp+sack=2"),
    "wrong text": ("type", "stack", "vlan/ipv6/tpc"),
    "preset": ("choose", "preset", "RoCEv2"),
    "messages": ("work", "messages"),
    "much": ("type", "message", "1e9"),
    "transactions": ("work", "transactions"),
    "no request": ("type", "request", "0"),
    "request": ("type", "request", "64"),
    "acks": ("type", "acks", "2"),
    "tcp": ("choose", "preset", "TCP over IPv4"),
    "udp": ("choose", "preset", "UDP over IPv4"),
    "opened": (
        "open",
        "rate=10Gbit/s&mtu=1400B&workload=transactions&request=200B&response=30KiB&acks=2"
        "&stack=ethernet/ipv4/esp+suite=aes-cbc-sha1/ipv4/tcp+timestamps",
    ),
    "opened wrongly": ("open", "rate=x&mtu=%E0%A4%A&workload=toString&stack=a%00<b>"),
}


@in_chromium
def test_what_a_person_does_has_a_result_or_a_message_by_the_field(browsed: Browsed) -> None:
    steps = browsed.steps
    assert [name for name, seen in steps.items() if seen["odd"] or seen["unnamed"]] == []
    assert "23.537061118 Gbit/s of payload at MTU 1500" in steps["start"]["answer"]
    assert "MTU 9000" in steps["jumbo"]["answer"]
    assert steps["whole"]["answer"] == steps["start"]["answer"]
    wrong = {"bytes", "removed"}
    for name, field, words in (
        ("kilobytes", "mtu", "MTU must be at most 65,535 byte; got 9,000,000"),
        ("too large", "mtu", "MTU must be at most 65,535 byte; got 9,000,000"),
        ("too small", "mtu", "MTU must be at least 68 byte; got 12"),
        ("empty", "mtu", "Enter the MTU"),
        ("comma", "mtu", "MTU must be a number; got 1,5: write a point"),
        ("half", "mtu", "MTU must be a whole number; got 1500.5"),
        ("words", "rate", "Line rate must be a number; got fast"),
        ("unit", "rate", "got 40 Gbit/s: choose the unit beside the number"),
        ("none", "rate", "Line rate must be above 0 bit/s; got 0"),
        ("huge", "rate", "too large"),
        ("no count", "stack", "tcp+sack needs a whole number; got 'x'"),
        ("many", "stack", "TCP options must fit 40 byte"),
        ("wrong text", "stack", "unknown layer 'tpc'"),
        ("no request", "request", "Request must be at least 1 byte; got 0"),
        ("udp", "acks", "has no acknowledgements of a known size"),
        ("opened wrongly", "stack", "unknown layer"),
    ):
        wrong.add(name)
        assert list(steps[name]["errors"]) == [field], name
        assert words in steps[name]["errors"][field]
        assert steps[name]["answer"] == f"No result: {steps[name]['errors'][field]}"
        assert steps[name]["command"] == ""
    refused = {name for name, seen in steps.items() if seen["errors"]}
    assert refused == wrong


@in_chromium
@pytest.mark.parametrize("name", ["start", "text"])
def test_command_computes_what_the_page_shows(browsed: Browsed, name: str) -> None:
    seen = browsed.steps[name]
    program, *arguments = shlex.split(seen["command"])
    assert program == "netmodel"
    rate_bps = printed_json(*arguments)["payload_rate_bps"]
    assert f"{rate_bps / 1e9:.11g} Gbit/s of payload" in seen["answer"]


@in_chromium
def test_link_leads_to_the_same_inputs(browsed: Browsed) -> None:
    opened = browsed.steps["opened"]
    pairs = set(opened["link"].partition("#")[2].split("&"))
    assert pairs == set(STEPS["opened"][1].split("&"))
    assert "--line-rate 10Gbit/s --mtu 1400B" in opened["command"]


# What is generated


def test_every_layer_and_option_is_on_the_page() -> None:
    data = layers_of_page().data()["layers"]
    assert list(data) == list(LAYER_FORMS)
    for name, form in LAYER_FORMS.items():
        of_page = data[name]
        assert (of_page["flags"], [*of_page["choices"]]) == ([*form.flags], [*form.choices])
        assert [of_page["count"]] == ([*form.counts] or [None])
        assert len(form.counts) <= 1, "the page has one field for a count"


def test_nothing_is_loaded_from_elsewhere() -> None:
    for file in FILES.iterdir():
        text = file.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "//www" not in text, file
        assert not re.search(r"https?:|@import|url\(|import\(|fetch\(", text), file
