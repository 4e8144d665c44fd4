"""Keys of scenario files: each is in the guide, and each option of ``netmodel plan`` is a key."""

from pathlib import Path

from click import Option
from pydantic_core import PydanticUndefined

import netmodel
from netmodel.cli._plan import plan
from netmodel.records.scenarios import (
    Candidate,
    Policy,
    Scenario,
    TrafficClass,
)

GUIDE = Path(netmodel.__file__).parents[1] / "docs/howto/plan-a-scenario.md"
HEAD = "| Table | Key | Meaning | Default |\n|---|---|---|---|\n"
TABLES = {
    "": Scenario,
    "[[traffic]]": TrafficClass,
    "[[candidate]]": Candidate,
    "[policy]": Policy,
}
NOT_IN_A_FILE = {
    "flow": "mean",
    "link_mtu": "mtu",
    "html": None,
    "request": "workload",
    "response": "workload",
    "volume": None,
    "plot": None,
    "verbose": None,
    "json": None,
    "help_all": None,
    "ip": "stack",
    "transport": "stack",
    "timestamps": "stack",
    "vlan_tags": "stack",
    "segments_per_ack": None,
}
"""Options of which the file has no key, or another one."""


def table() -> str:
    rows = []
    for name, model in TABLES.items():
        for key, field in model.model_fields.items():
            if name == "" and key in {"traffic", "candidate", "policy"}:
                continue
            default = field.default
            text = {PydanticUndefined: "needed", None: "", "": ""}.get(default, f"`{default}`")
            where = f"`{name}`" if name else ""
            rows.append(f"| {where} | `{key}` | {field.description} | {text} |\n")
    return HEAD + "".join(rows)


def test_the_guide_has_every_key() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    start = text.index(HEAD)
    listed = text[start:].partition("\n\n")[0].rstrip("\n") + "\n"
    assert listed == table(), f"{GUIDE.name}: replace the table of keys by\n{table()}"


def test_every_option_of_a_plan_is_a_key() -> None:
    keys = {key for model in TABLES.values() for key in model.model_fields}
    for option in plan.params:
        if isinstance(option, Option):
            name = option.opts[0].removeprefix("--").replace("-", "_")
            key = NOT_IN_A_FILE.get(name, name)
            assert key is None or key in keys, name
