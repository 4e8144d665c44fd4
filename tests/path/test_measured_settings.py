"""Offloads that adapters were measured with, in records, predictions and plans."""

import pytest
from invocation import printed, printed_json, words

from netmodel.path.from_records import settings_of
from netmodel.path.stages import Setting, settings_text
from netmodel.records import adapter

OSA, ROCE = "osa-express7s-25gbe", "roce-express2.1-25gbe"
BETWEEN = ("--sender", OSA, "--receiver", ROCE, "--mtu", "1500")
PREDICT = ("predict", "--workload", "str-writex30k", *BETWEEN, "--connections", "50")
PLAN = ("plan", "--flow", "20 Gbit/s str-writex30k", *BETWEEN)


@pytest.mark.parametrize("command", [PREDICT, PLAN])
def test_a_result_says_what_its_adapters_were_measured_with(command: tuple[str, ...]) -> None:
    (row,) = printed_json(*command)
    settings = {(each["of"], each["name"], each["value"]) for each in row["measured_with"]}
    assert settings == {
        *((OSA, name, "on") for name in ("rx", "tx", "tso")),
        (ROCE, "rx_striding_rq", "on"),
        *((of, "mtu", "every hop of the path") for of in (OSA, ROCE)),
    }
    shown = words(printed(*command, *(("--verbose",) if command[0] == "plan" else ())))
    line = f"{OSA}: rx, tx, tso on; {ROCE}: rx_striding_rq on; MTU on every hop of the path"
    assert f"measured with {line}" in shown.replace("measured with:", "measured with")


def test_offloads_that_differ_stand_apart() -> None:
    settings = [
        Setting("card", name, value, "lab", "run 3", "")
        for name, value in (("rx", "on"), ("gro", "off"), ("tx", "on"))
    ]
    assert settings_text(settings) == "card: rx, tx on and gro off"
    assert settings_text([]) == ""
    assert len(list(settings_of([adapter(OSA)] * 2))) == 4


@pytest.mark.parametrize(
    ("path", "mtu", "settings"),
    [
        # the article on KVM: all hops at the same MTU
        ("kvm-one-host", "8192", "MTU on all hops of the path"),
        # AIX 7.2: mtu_bypass by default, and jumbo frames on all devices
        ("powervm-lpar-to-lpar", "1500", "mtu_bypass on; MTU on all devices of the path"),
    ],
)
def test_a_path_has_what_its_document_measured_it_with(path: str, mtu: str, settings: str) -> None:
    case = ("predict", "--workload", "str-writex30k", "--path", path, "--mtu", mtu)
    shown = words(printed(*case))
    assert "measured with" in shown
    assert settings in shown
    for each in printed_json(*case)[0]["measured_with"]:
        assert each["of"] == path
        assert each["source"]
        assert each["locator"]
