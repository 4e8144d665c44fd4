"""``netmodel catalog``."""

import json
from collections.abc import Sequence

import pytest
from invocation import (
    printed,
    printed_json,
    refusal,
)

from netmodel.records import catalog, data_path, record

KINDS_BY_ID = {name: kind for kind, ids in catalog().items() for name in ids}
CARD = str(data_path("catalog", "adapters", "ethernet-1gbe.toml"))


def test_the_list_has_each_record_with_its_grade_and_source() -> None:
    lines = printed("catalog", "list").splitlines()[2:]
    assert lines[0].split() == ["id", "kind", "grade", "source", "title"]
    rows = [line.split() for line in lines[1:] if not line.startswith(" ")]
    assert [(kind, name) for name, kind, *_ in rows] == [
        (kind, name) for kind, names in catalog().items() for name in names
    ]
    assert all(grade == record(name).grades[-1].value for name, _, grade, *_ in rows)


@pytest.mark.parametrize(
    ("where", "ids"),
    [
        (
            ("adapters", "line_rate=25Gbit/s"),
            [
                *("connectx-4-lx", "ethernet-25gbe", "intel-e810-xxv", "intel-e822-cq"),
                *("intel-e823-c", "intel-xxv710", "osa-express7s-25gbe", "roce-express2.1-25gbe"),
            ],
        ),
        (("adapters", "line_rate=25000M", "kind=OSA"), ["osa-express7s-25gbe"]),
        (("workloads", "request=1KiB"), ["smc-rr-1k"]),
        (("hosts", "adapters=roce"), ["z15-lpar-4core-smt2", "zec12-2cpu"]),
    ],
)
def test_the_list_is_filtered_by_value(where: Sequence[str], ids: Sequence[str]) -> None:
    kind, *conditions = where
    options = [part for each in conditions for part in ("--where", each)]
    assert [row["id"] for row in printed_json("catalog", "list", kind, *options)] == ids


@pytest.mark.parametrize("name", [names[0] for names in catalog().values()])
def test_a_record_of_each_kind_is_shown_whole(name: str) -> None:
    answer = record(name)
    shown = printed("catalog", "show", name)
    assert shown.split() == str(answer).split()
    assert printed("catalog", "show", name, "--kind", KINDS_BY_ID[name]) == shown
    expected = {"kind": KINDS_BY_ID[name], "record": answer.to_dict()}
    assert printed_json("catalog", "show", name) == expected


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("list", "adapter"), ("'adapter' is not one of 'adapters', 'hosts'",)),
        (("show", "osa-express7s"), ("did you mean osa-express7s-25gbe",)),
        (("list", "adapters", "--where", "line_rat=25G"), ("unknown key 'line_rat'", "line_rate?")),
        (("list", "--where", "vcpus=8"), ("unknown key 'vcpus'; give kind instances",)),
        (("list", "--where", "line_rate"), ("--where: 'line_rate': write name=value",)),
        (("list", "--where", "a=1", "--where", "a=2"), ("--where: a is given twice",)),
        (("show", "awm-rr", "--kind", "adapters"), ("it is an id of workloads",)),
        (("show", CARD), ("--kind: ", "needs its kind: adapters")),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_wrong_arguments_are_refused(arguments: Sequence[str], words: Sequence[str]) -> None:
    answer = refusal("catalog", *arguments)
    assert all(word in answer for word in words), answer


def test_the_schema_is_json() -> None:
    schema = json.loads(printed("schema", "scenarios"))
    assert "mtu" in schema["$defs"]["Candidate"]["properties"]
    (answer,) = json.loads(printed("schema", "compare"))["anyOf"]
    assert {"value", "nearest"} <= {*answer["properties"]}
