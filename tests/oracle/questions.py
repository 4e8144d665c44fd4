"""
Draws the questions once, into questions.jsonl: commands of the pages, predictions over the catalog,
combinations of arguments, valid and invalid, and damaged results of every tool.

    PYTHONPATH=tests python -m oracle.questions
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import click
from command_tree import COMMANDS
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

HERE = Path(__file__).parent
CHECKOUT = HERE.parents[1]
DRAWN_COUNT = 3000
DAMAGED_EACH = 4
"""Damaged copies of each sample."""
LARGEST_SAMPLE_BYTES = 300_000

Question = dict[str, Any]
Arguments = dict[str, Any]

SPEED_GBPS = (1, 2.5, 5, 10, 25, 40, 50, 100, 200, 400)
ADAPTERS = [
    *("osa-express2-1gbe", "osa-express2-10gbe", "osa-express5s-10gbe", "osa-express6s-10gbe"),
    *("osa-express7s-25gbe", "roce-express-10gbe", "roce-express2.1-25gbe"),
    *(f"ethernet-{speed}gbe" for speed in SPEED_GBPS),
]
PATHS = [
    *("kvm-one-host", "kvm-two-hosts", "worked-closed-network"),
    *("powervm-sea-power7", "powervm-sea-power7-two-trunks", "powervm-sea-power8"),
    *("powervm-lpar-to-lpar", "powervm-lpar-to-lpar-tuned"),
    *("zvm-direct-osa-layer2-1gbe", "zvm-direct-osa-layer3-1gbe"),
    *("zvm-direct-osa-layer2-10gbe", "zvm-direct-osa-layer3-10gbe"),
    *("zvm-vswitch-layer2-1gbe", "zvm-vswitch-layer3-1gbe"),
]
REQUESTS = ["rr1c-200x1000", "rr1c-200x30k", "awm-rr", "smc-rr-1k", "smc-rr-32k"]
STREAMS = ["str-writex30k", "awm-str", "smc-str-20m"]
WORKLOADS = REQUESTS + STREAMS
WITHOUT_JSON = {"measure", "measure facts", "demo", "versions", "completion"}
"""Of these, what is printed is about this machine, or is made anew."""


def _options(command: str) -> dict[str, click.Option]:
    return {
        name: each
        for each in COMMANDS[command].params
        if isinstance(each, click.Option)
        for name in (*each.opts, *each.secondary_opts)
    }


def as_question(words: list[str]) -> tuple[str, Arguments] | None:
    """Return the command and its arguments by name; None of one that prints no JSON."""
    command = " ".join(words[:2]) if " ".join(words[:2]) in COMMANDS else words[0]
    if command not in COMMANDS or command in WITHOUT_JSON or "--json" not in _options(command):
        return None
    options, arguments = _options(command), {}
    rest = iter(words[len(command.split()) :])
    for word in rest:
        name, _, value = word.partition("=") if word.startswith("--") else (word, "", "")
        option = options.get(name)
        if option is None:
            arguments.setdefault("", []).append(word)
        elif option.type.__class__.__name__ == "OutputFile" or name.startswith("--plot"):
            next(rest)
        elif option.is_flag:
            arguments[name.removeprefix("--")] = True
        else:
            key = option.opts[-1].removeprefix("--")
            value = value or next(rest)
            arguments[key] = [*arguments[key], value] if key in arguments else [value]
    for name in ("csv", "verbose", "json"):
        arguments.pop(name, None)
    return command, {
        name: value[0] if name and isinstance(value, list) and len(value) == 1 else value
        for name, value in arguments.items()
    }


def of_pages() -> Iterator[tuple[str, Arguments]]:
    """Commands of README, docs and notebooks, but for those that the shell makes."""
    pages = [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").rglob("*.md"))]
    pages += sorted((CHECKOUT / "notebooks").glob("*.md"))
    for page in pages:
        text = page.read_text().replace("\\\n", " ")
        for row in re.findall(r"^\s*(?:!|\$ )?netmodel ([a-z].*)$", text, re.MULTILINE):
            words = re.split(r"\s[|>;#&]|\s2>|;", row)[0].replace("../../data/", "data/")
            if "$" in words or "{" in words or "..." in words:
                continue
            try:
                question = as_question(shlex.split(words))
            except (ValueError, StopIteration, KeyError):
                continue
            if question is not None:
                yield question


def predictions() -> Iterator[tuple[str, Arguments]]:
    """Predictions over all adapter pairs and paths, with workloads, MTUs and connections."""
    connections = {"connections": "1,10,50,250"}
    pairs = list(product(ADAPTERS, ADAPTERS))
    for (number, (sender, receiver)), mtu in product(enumerate(pairs), ("1500", "9000")):
        # each pair with two workloads in turn, those of printed figures with all
        printed = all(not each.startswith("ethernet") for each in (sender, receiver))
        own = {"sender": sender, "receiver": receiver, "mtu": mtu}
        few = ["rr1c-200x30k", "str-writex30k", "rr1c-200x1000"]
        for workload in few if printed else [few[number % 2], few[2 - number % 2]]:
            yield "predict", own | {"workload": workload} | connections
    for path, workload, mtu in product(PATHS, WORKLOADS, ("1492", "1500", "8992", "9000")):
        yield "predict", {"path": path, "workload": workload, "mtu": mtu} | connections
    for km, protocol, workload in product(
        ("0.3", "10", "40", "100"), ("tcp", "smc-r"), ("smc-rr-1k", "smc-rr-32k", "smc-str-20m")
    ):
        own = {"km": km, "protocol": protocol, "workload": workload, "mtu": "1492"}
        yield "predict", own | {"adapter": "roce-express-10gbe", "connections": "1,10"}


def mostly(valid: st.SearchStrategy[str], *invalid: str) -> st.SearchStrategy[str]:
    """Return values of which one in forty is wrong."""
    return st.integers(0, 39).flatmap(lambda n: st.sampled_from(invalid) if n == 39 else valid)


def any_of(*values: str) -> st.SearchStrategy[str]:
    return st.sampled_from(values)


RATE = mostly(
    any_of("1Gbit/s", "2.5Gbit/s", "10Gbit/s", "25Gbit/s", "100Gbit/s", "400Gbit/s", "123.4Mbit/s"),
    *("0", "10", "-1Gbit/s", "nan", "10 apples", "10Gbit", "1e400bit/s"),
)
MTU = mostly(st.integers(68, 9216).map(str) | any_of("576", "1500", "9000"), "12", "0", "x", "1e9")
SIZE = mostly(
    st.integers(1, 70_000).map(str) | any_of("30KiB", "1MiB", "1448"), "0", "-1", "30k", "nan"
)
COUNT = mostly(st.integers(1, 500).map(str), "0", "-3", "1.5", "many")
COUNTS = COUNT | any_of("1,10,50", "1..5", "10,250")
SHARE = mostly(any_of("0.5", "70%", "1", "0.01", "2 %"), "0", "-1", "nan", "150%")
LOSS = mostly(any_of("1e-4", "0.01%", "1e-6", "0.1%"), "1.5", "-1", "x")
TIME = mostly(any_of("1ms", "20 ms", "0.5s", "150us"), "5", "-1ms", "1 min 3")
COST = mostly(
    any_of("0.16 cores/(Gbit/s)", "0.14..0.18 cores/(Gbit/s)", "35 us/transaction", "5000 us/Gbit"),
    "0.16",
    "-1 us/Gbit",
    "5 apples",
)
ADAPTER = mostly(st.sampled_from(ADAPTERS), "osa-expres7s", "none.toml")
WORKLOAD = mostly(st.sampled_from(WORKLOADS), "rr1c", "none.toml")
PATH = any_of(*(each for each in PATHS if each.startswith("zvm"))) | any_of(*PATHS)
STACK = mostly(
    any_of(
        "ethernet/ipv4/tcp",
        "ethernet/vlan/ipv6/udp",
        "ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps",
        "ethernet/ipv4/esp+suite=aes-gcm/ipv4/tcp",
        "ethernet/ipv4/udp/wireguard/ipv4/tcp",
        "ethernet/ipv6/gre+key/ipv4/udp",
        "ethernet/ipv4/ipv4/tcp",
        "ethernet/mpls/ipv4/tcp",
        "ethernet/ipv4/udp/geneve+options=8/ethernet/ipv6/tcp",
    ),
    *("tcp/ipv4", "ethernet/", "ethernet/ipv4/vxlam"),
)
HEADERS: tuple[Arguments, ...] = (
    {"stack": STACK},
    {"ip": any_of("4", "6", "6", "5")},
    {"transport": any_of("tcp", "udp")},
    {"vlan-tags": any_of("0", "1", "2", "-1"), "no-timestamps": st.just(True)},
    {"stack": STACK},
    {"stack": STACK, "ip": any_of("4")},
)
WITH_HEADERS = {"ceiling", "predict", "check"}
KM = mostly(any_of("0.3", "10", "1.5", "10,40,100", "100"), "-1", "x", "1e99")
DISTANCES: tuple[Arguments, ...] = (
    {"km": KM},
    {"km": KM, "window": SIZE},
    {"rtt": TIME, "window": SIZE},
    {"rtt": TIME, "loss": LOSS},
    {"km": KM, "protocol": any_of("tcp", "smc-r")},
    {"window": SIZE},
    {"km": KM, "rtt": TIME},
)
COSTS = {"client-cost": COST, "server-cost": COST}
FLOW = mostly(
    any_of(
        *("18 Gbit/s in", "60 Gbit/s out", "5000/s rr1c-200x30k", "3 Gbit/s str-writex30k"),
        *("40 Gbit/s rr1c-200x30k", "10000/s awm-rr", "2 Gbit/s in", "200 Mbit/s out"),
    ),
    *("18 in", "Gbit/s", "5 Gbit/s sideways", "-1 Gbit/s in"),
)
WORKLOADS_WITH_SIZE: tuple[Arguments, ...] = (
    {"workload": any_of("rr1c-200x1000", "rr1c-200x30k", "str-writex30k")},
    {"workload": any_of("awm-rr", "smc-rr-1k", "smc-rr-32k")},
    {"workload": any_of("awm-str", "smc-str-20m"), "payload": any_of("20000000")},
    {"workload": WORKLOAD, "payload": SIZE},
)
LINE = {"line-rate": RATE}
MTUS = ({"mtu": MTU}, {"mtu": MTU}, {"link-mtu": MTU})
ENDS = ({"adapter": ADAPTER}, {"sender": ADAPTER, "receiver": ADAPTER}, {"path": PATH})
DRAWN: Mapping[str, tuple[tuple[tuple[Arguments, ...], ...], Arguments]] = {
    "ceiling": (
        ((LINE,), MTUS, ({}, {"payload": SIZE})),
        {"segments-per-ack": COUNT},
    ),
    "predict": (
        (ENDS, WORKLOADS_WITH_SIZE, MTUS, ({}, {"connections": COUNTS}), ({}, {}, *DISTANCES)),
        COSTS | LINE,
    ),
    "check": (
        (({"": st.lists(RATE, min_size=1, max_size=2)},), (LINE, *ENDS, {"rate-cap": RATE}), MTUS),
        COSTS | {"payload": SIZE, "tolerance": SHARE, "min-ratio": SHARE, "rate-cap": RATE},
    ),
    "plan": (
        (({"flow": FLOW},), (*ENDS[:1], *ENDS), MTUS, ({}, {}, *DISTANCES)),
        COSTS | {"connections": COUNT, "spares": any_of("0", "1", "2"), "max-utilisation": SHARE},
    ),
    "consumption convert": ((({"": st.lists(COST, min_size=1, max_size=1)},),), {}),
    "consumption cpus": (
        (({"": st.lists(COST, min_size=1, max_size=1), "rate": RATE},),),
        {"max-utilisation": SHARE},
    ),
    "pcie": (
        (({"generation": any_of("3", "4", "5", "6", "7"), "lanes": any_of("1", "8", "16", "3")},),),
        LINE | {"max-payload": any_of("128", "256", "100"), "driver": any_of("simple")},
    ),
    "path-mtu": (
        (({"": st.just(["lan=9000", "bridge=1500,silent"]), "sender-mtu": MTU},),),
        {},
    ),
    "rps encode": (
        (({"cpus": mostly(any_of("0,1,3,6", "0-7", "63"), "x", "-1", "1,,2")},),),
        {},
    ),
    "explain": (
        (({"": st.just(["payload_rate_bps", "line_rate_bps=25Gbit/s", "mtu_bytes=1500"])},),),
        {},
    ),
    "catalog show": ((({"": st.lists(ADAPTER | WORKLOAD, min_size=1, max_size=1)},),), {}),
}
"""By command: groups of which one alternative each is needed, and what may be added."""
WEIGHTS = {"ceiling": 5, "predict": 9, "check": 6, "plan": 6}
"""Draws of a command for each of those that have few arguments."""


@st.composite
def combinations(draw: st.DrawFn) -> tuple[str, Arguments]:
    """Draw a command with what it needs and up to five further arguments."""
    names = [name for name in DRAWN for _ in range(WEIGHTS.get(name, 1))]
    command = draw(st.sampled_from(names))
    groups, more = DRAWN[command]
    strategies: Arguments = {}
    for alternatives in groups:
        if draw(st.integers(0, 49)) < 49:  # one in fifty lacks what it needs
            strategies |= draw(st.sampled_from(alternatives))
    for each in draw(st.lists(st.sampled_from(sorted(more)), max_size=2)) if more else ():
        strategies[each] = more[each]
    if command in WITH_HEADERS and draw(st.integers(0, 2)) == 2:
        strategies |= draw(st.sampled_from(HEADERS))
    return command, {name: draw(strategy) for name, strategy in strategies.items()}


def drawn() -> list[tuple[str, Arguments]]:
    """Return combinations of arguments, each once."""
    found: dict[str, tuple[str, Arguments]] = {}

    @settings(
        max_examples=2 * DRAWN_COUNT,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        deadline=None,
    )
    @given(combinations())
    def keep(question: tuple[str, Arguments]) -> None:
        if len(found) < DRAWN_COUNT:
            found.setdefault(json.dumps(question), question)

    keep()
    return list(found.values())


def damaged() -> Iterator[tuple[str, Arguments, tuple[str, int]]]:
    """Judgements of every sample of the readers, as it is and after damages."""
    below = CHECKOUT / "tests" / "readers" / "samples"
    samples = sorted(each for each in below.rglob("*") if each.is_file())
    for number, sample in enumerate(samples):
        if sample.stat().st_size > LARGEST_SAMPLE_BYTES:
            continue
        place = f"samples/{sample.relative_to(below)}"
        line = {"line-rate": ["10Gbit/s", "200Mbit/s"][number % 2], "mtu": "1500"}
        yield "check", line | {"": [place]}, ("", 0)
        if sample.suffix not in {".gz", ".zip", ".pb"}:
            for seed in range(DAMAGED_EACH):
                yield "check", line, (place, seed)


def main() -> None:
    """Write questions.jsonl."""
    rows: list[Question] = []
    parts = {"page": of_pages(), "grid": predictions(), "drawn": iter(drawn())}
    seen = set()
    for part, questions in parts.items():
        for command, arguments in questions:
            key = json.dumps([command, arguments])
            if key not in seen:
                rows.append(
                    {"id": f"{part}-{len(rows)}", "command": command} | {"arguments": arguments}
                )
            seen.add(key)
    for command, arguments, (place, seed) in damaged():
        row: Question = {"id": f"sample-{len(rows)}", "command": command, "arguments": arguments}
        rows.append(row | ({"damaged": [place, seed]} if place else {}))
    (HERE / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


if __name__ == "__main__":
    main()
