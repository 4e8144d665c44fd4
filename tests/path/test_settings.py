"""Settings that equipment was measured with: which records have them, and how they read."""

from types import SimpleNamespace
from typing import Any

from netmodel.path.settings import Setting, settings_of, settings_text


def fact(value: str, name: str = "", note: str | None = None) -> Any:
    return SimpleNamespace(value=value, name=name, note=note, source="lab", locator="run 3")


def record(name: str, *offloads: Any, hops: Any = None) -> Any:
    known = SimpleNamespace(offloads=offloads, every_hop_mtu=hops)
    return SimpleNamespace(id=name, measured_with=known)


CARD = record(
    "card",
    fact("on", "tso", "segments in the card"),
    fact("off", "gro"),
    fact("on", "rx"),
    hops=fact("every hop", note="of the path"),
)
HOST = record("host", fact("off", "rps"))


def test_each_record_has_its_settings_once() -> None:
    plain: Any = SimpleNamespace(id="plain", measured_with=None)
    known = list(settings_of([CARD, plain, HOST, CARD]))
    assert known == [
        Setting("card", "tso", "on", "lab", "run 3", "segments in the card"),
        Setting("card", "gro", "off", "lab", "run 3", ""),
        Setting("card", "rx", "on", "lab", "run 3", ""),
        Setting("card", "mtu", "every hop", "lab", "run 3", ""),
        Setting("host", "rps", "off", "lab", "run 3", ""),
    ]
    assert [str(each) for each in known] == [
        "card: tso on, segments in the card (lab, run 3)",
        "card: gro off (lab, run 3)",
        "card: rx on (lab, run 3)",
        "card: MTU needed on every hop (lab, run 3)",
        "host: rps off (lab, run 3)",
    ]
    assert known[0]._asdict() == {
        "of": "card",
        "name": "tso",
        "value": "on",
        "source": "lab",
        "locator": "run 3",
        "note": "segments in the card",
    }


def test_settings_in_a_line_are_by_adapter_and_switch() -> None:
    assert settings_text(list(settings_of([CARD, HOST]))) == (
        "card: tso, rx on and gro off; host: rps off; MTU on every hop"
    )
    # two records with the same rule for the MTU name it once
    other = record("other", hops=fact("every hop"))
    assert settings_text(list(settings_of([CARD, other]))) == (
        "card: tso, rx on and gro off; MTU on every hop"
    )
    assert settings_text(list(settings_of([other]))) == "MTU on every hop"
    assert settings_text([]) == ""
