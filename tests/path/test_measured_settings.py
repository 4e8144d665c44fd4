"""Offloads that adapters were measured with, in records, predictions and plans."""

from pathlib import Path

import pytest
from invocation import printed, printed_json, words
from pydantic import ValidationError

from netmodel.path.from_records import settings_of
from netmodel.path.stages import Setting, settings_text
from netmodel.records import Adapter, adapter

OSA, ROCE = "osa-express7s-25gbe", "roce-express2.1-25gbe"
BETWEEN = ("--sender", OSA, "--receiver", ROCE, "--mtu", "1500")
PREDICT = ("predict", "--workload", "str-writex30k", *BETWEEN, "--connections", "50")
PLAN = ("plan", "--flow", "20 Gbit/s str-writex30k", *BETWEEN)
GIVEN = {"source": "lab", "locator": "run 3", "grade": "measured"}


@pytest.mark.parametrize(
    ("name", "offloads"),
    [
        ("osa-express6s-10gbe", ["rx", "tx", "tso"]),
        (OSA, ["rx", "tx", "tso"]),
        (ROCE, ["rx_striding_rq"]),
    ],
)
def test_adapters_have_what_their_document_set(name: str, offloads: list[str]) -> None:
    """Slide 9 has what differs from the default: ethtool -K rx, tx, tso; rx_striding_rq."""
    known = adapter(name).measured_with
    assert known is not None
    assert [(each.name, each.value, each.locator) for each in known.offloads] == [
        (each, "on", "slide 9") for each in offloads
    ]
    assert known.every_hop_mtu is not None
    assert known.every_hop_mtu.locator == "slide 8"


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


def test_an_adapter_of_your_own_has_them_too(tmp_path: Path) -> None:
    card = tmp_path / "mine.toml"
    card.write_text(
        'title = "mine"\nkind = "own"\n'
        '[defaults]\nsource = "lab"\nlocator = "run 3"\ngrade = "measured"\n'
        '[line_rate]\nvalue = 10\nunit = "Gbit/s"\n'
        '[[measured_with.offloads]]\nname = "gro"\nvalue = "off"\n',
        encoding="utf-8",
    )
    shown = printed(
        *("plan", "--flow", "1 Gbit/s str-writex30k", "--adapter", str(card), "--mtu=1500"),
        "--verbose",
    )
    assert "measured with: mine: gro off" in shown


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"offloads": [{"name": "tso", "value": "yes", **GIVEN}]}, "Input should be 'on' or 'off'"),
    ],
)
def test_a_wrong_setting_is_refused(settings: dict[str, object], problem: str) -> None:
    line_rate = {"value": 10, "unit": "Gbit/s", **GIVEN}
    with pytest.raises(ValidationError, match=problem):
        Adapter.model_validate(
            {
                "id": "mine",
                "title": "mine",
                "kind": "own",
                "line_rate": line_rate,
                "measured_with": settings,
            }
        )


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
        ("kvm-two-hosts", "8192", "MTU on all hops of the path"),
        # AIX 7.2: mtu_bypass by default, and jumbo frames on all devices
        ("powervm-lpar-to-lpar", "1500", "mtu_bypass on; MTU on all devices of the path"),
        ("powervm-lpar-to-lpar-tuned", "1500", "mtu_bypass on; MTU on all devices of the path"),
        ("powervm-sea-power7", "1500", "MTU on all devices of the path"),
        ("powervm-sea-power7-two-trunks", "1500", "MTU on all devices of the path"),
        ("powervm-sea-power8", "1500", "MTU on all devices of the path"),
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
