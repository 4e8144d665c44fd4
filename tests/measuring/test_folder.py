"""Folder of a run and file of facts: what is written, and what is refused."""

import tomllib
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from measuring.recorded import SAMPLES, recorded

from netmodel.errors import ParseError
from netmodel.measuring.facts import Fact, Facts, printed_by
from netmodel.measuring.folder import (
    MANIFEST,
    HostFacts,
    facts_document,
    masked_toml,
    read_facts,
    write_masked,
)
from netmodel.measuring.mask import Mask


def test_what_is_written_is_masked_and_other_bytes_stay(tmp_path: Path) -> None:
    write = partial(write_masked, tmp_path, Mask())
    write("result.txt", b"from aa:bb:cc:dd:ee:01")
    write("stderr.txt", b"\xffaa:bb:cc:dd:ee:01")
    command = {"arguments": ["cat", "aa:bb:cc:dd:ee:01"], "exit_code": 4, "tool": None}
    for state in ("running", "failed"):
        write(MANIFEST, {"state": state, "notes": [], "command": command})
    assert (tmp_path / "result.txt").read_text() == "from 02:00:00:00:00:01"
    assert (tmp_path / "stderr.txt").read_bytes() == b"\xff02:00:00:00:00:01"
    assert tomllib.loads((tmp_path / MANIFEST).read_text()) == {
        "state": "failed",
        "command": {"arguments": ["cat", "02:00:00:00:00:01"], "exit_code": 4},
    }


def test_a_missing_fact_has_its_reason() -> None:
    facts = Facts()
    facts.keep("ethtool-eth0.txt", "ethtool eth0", None, "ethtool is not installed")
    host = HostFacts("eth0", "now", facts, Facts())
    (row,) = tomllib.loads(masked_toml(facts_document(host, "0"), Mask()))["settings"]
    assert row["reason"] == "ethtool is not installed"
    assert "text" not in row


def test_a_command_that_prints_nothing_says_why_itself_or_has_its_exit_code() -> None:
    assert printed_by(["sh", "-c", "echo a; echo busy >&2; exit 3"]) == (None, "busy")
    assert printed_by(["false"]) == (None, "it printed nothing, with exit code 1")


@given(st.dictionaries(st.sampled_from(["a.txt", "b.json"]), st.text(), max_size=2))
def test_facts_are_read_back_as_they_were(texts: dict[str, str]) -> None:
    encodable = {name: text.encode(errors="replace").decode() for name, text in texts.items()}
    facts = Facts({name: Fact(name, "made", text) for name, text in encodable.items()})
    host = HostFacts(interface="eth0", time_utc="now", settings=facts, counters=Facts())
    document = tomllib.loads(masked_toml(facts_document(host, "0"), lambda text: text))  # type: ignore[arg-type]
    assert {each["name"]: each["text"] for each in document.get("settings", ())} == encodable


@pytest.mark.parametrize("name", [path.stem for path in sorted(SAMPLES.glob("*.toml"))])
def test_recorded_facts_are_written_as_they_were_read(name: str) -> None:
    host = recorded(name)
    text = masked_toml(facts_document(host, "0.2.0"), Mask())
    assert text == (SAMPLES / f"{name}.toml").read_text()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("schema = 1", "kind: is missing"),
        ('schema = 9\nkind = "facts"', "schema: must be 1; got 9"),
        ('schema = 1\nkind = "facts"\n[[settings]]\nname = "a"', 'settings 1 "a".origin: is'),
        ('schema = 1\nkind = "facts"\nsettings = 3', "settings: must be an array"),
    ],
)
def test_another_file_of_facts_is_refused(text: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "facts.toml"
    path.write_text(text)
    with pytest.raises(ParseError, match=problem):
        read_facts(path)
