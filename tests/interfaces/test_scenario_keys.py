"""Keys of scenario files: each option of ``netmodel plan`` is one."""

from command_tree import OPTIONS

from netmodel.records.scenarios import (
    Candidate,
    Policy,
    Scenario,
    TrafficClass,
)

TABLES = (Scenario, TrafficClass, Candidate, Policy)
NOT_IN_A_FILE = {
    "flow": "mean",
    "link": "stack",
    "html": None,
    "request": "workload",
    "response": "workload",
    "volume": None,
    "plot": None,
    "verbose": None,
    "json": None,
    "help_all": None,
}
"""Options of which the file has no key, or another one."""


def test_every_option_of_a_plan_is_a_key() -> None:
    keys = {key for model in TABLES for key in model.model_fields}
    for command, option in OPTIONS:
        if command == "plan":
            name = option.removeprefix("--").replace("-", "_")
            key = NOT_IN_A_FILE.get(name, name)
            problem = f"netmodel/records/scenarios.py has no key {name}; or list it above"
            assert key is None or key in keys, problem
