"""JUnit XML as servers of continuous integration read it."""

import dataclasses
from collections.abc import Sequence
from xml.etree import ElementTree as ET

import pytest
from checking.verdicts import NASTY, UNREADABLE, judged, limited, one_of_each

from netmodel.checking import Verdict
from netmodel.checking.limits import Limit
from netmodel.report import junit_xml

ALLOWED = {
    "testsuites": ({"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname"},
        {"properties", "testcase", "system-out", "system-err"},
    ),
    "testcase": (
        {"name", "time", "classname"},
        {"skipped", "error", "failure", "system-out", "system-err"},
    ),
    "failure": ({"type", "message"}, set()),
    "error": ({"type", "message"}, set()),
    "system-out": (set(), set()),
}
"""Attributes and children of each element, from the Jenkins xUnit plugin's junit-10.xsd."""
REQUIRED = {"testsuite": {"name", "tests", "failures", "errors"}, "testcase": {"name"}}


def root_of(verdicts: Sequence[Verdict]) -> ET.Element:
    """The document as a parser sees it, once its structure has been looked at."""
    root = ET.fromstring(junit_xml(verdicts).encode())
    assert root.tag == "testsuites"
    for element in root.iter():
        attributes, children = ALLOWED[element.tag]
        assert set(element.attrib) <= attributes
        assert set(element.attrib) >= REQUIRED.get(element.tag, set())
        assert {child.tag for child in element} <= children
    return root


def suite_of(verdicts: Sequence[Verdict]) -> ET.Element:
    (suite,) = root_of(verdicts)
    return suite


def fault_of(verdict: Verdict) -> ET.Element | None:
    (case,) = suite_of([verdict])
    return next((child for child in case if child.tag != "system-out"), None)


def output_of(verdict: Verdict) -> list[str]:
    return suite_of([verdict]).findtext("testcase/system-out", "").splitlines()


def test_a_suite_counts_its_cases() -> None:
    suite = suite_of(one_of_each())
    assert suite.attrib == {
        "name": "netmodel check",
        "tests": "8",
        "failures": "5",
        "errors": "2",
        "skipped": "0",
        "time": "15.500",
    }
    assert [case.tag for case in suite] == ["testcase"] * 8
    assert len(suite.findall("testcase/failure")) == 5
    assert len(suite.findall("testcase/error")) == 2


@pytest.mark.parametrize("verdict", one_of_each(), ids=lambda verdict: verdict.file)
def test_a_fault_says_what_and_why(verdict: Verdict) -> None:
    expected = {
        "loop.json": ("failure", "not judgeable"),
        "low.json": ("failure", "below"),
        "high.json": ("failure", "impossible"),
        "near.json": ("failure", "borderline"),
        "paced.json": ("failure", "limited"),
        "failed.json": ("error", "failed"),
        "gone.json": ("error", "unreadable"),
    }
    fault = fault_of(verdict)
    if fault is None:
        assert verdict.file == "full.json"
    else:
        assert (fault.tag, fault.get("type")) == expected[verdict.file]
        assert fault.get("message") == fault.text == verdict.reason


def test_cases_are_named_in_their_order() -> None:
    result = [judged("b.json", part="port 5201"), judged("a.json", tool_version=None), UNREADABLE]
    assert [case.attrib for case in suite_of(result)] == [
        {"classname": "netmodel.check.iperf3", "name": "b.json (client_to_server, port 5201)"},
        {"classname": "netmodel.check.iperf3", "name": "a.json (client_to_server)"},
        {"classname": "netmodel.check", "name": "gone.json"},
    ]


def test_no_two_cases_have_one_name() -> None:
    names = [case.get("name") for case in suite_of([UNREADABLE, UNREADABLE, judged("gone.json")])]
    assert names == ["gone.json", "gone.json #2", "gone.json (client_to_server)"]


def test_limits_cpu_use_and_notes_are_output() -> None:
    full, _, low, *_ = one_of_each()
    low = dataclasses.replace(low, tolerance=None)
    first, *_, last = output_of(full)
    assert [first, last] == [
        "1.448 Gbit/s is 1.0000 of the 1.448 Gbit/s that the wire carries at MTU 1500",
        "client: 0.5 CPUs busy (process only), 345,304 µs/Gbit",
    ]
    assert output_of(limited(low, Limit("wire", 2e9), Limit("queue", 1e9))) == [
        "limits: queue 1 Gbit/s, wire 2 Gbit/s",
        "note: too short",
    ]
    assert output_of(UNREADABLE) == []


def test_what_xml_cannot_hold_is_written_as_numbers() -> None:
    verdict = judged(NASTY, 0.5, part=NASTY, tool_version=NASTY, notes=(NASTY,))
    verdict = dataclasses.replace(verdict, tolerance=None, causes=(), why=NASTY)
    text = junit_xml([verdict], name=NASTY)
    assert "<script>" not in text
    shown = '<script>alert("1")</script>&amp;\'größe-\\x00\\x1b[31m\\udcff\\u202e\\uffff.json'
    (suite,) = ET.fromstring(text.encode())
    assert suite.get("name") == shown
    assert suite.findtext("testcase/failure") == shown
    assert suite.find("testcase").get("name") == f"{shown} (client_to_server, {shown})"
    assert suite.findtext("testcase/system-out").endswith(f"note: {shown}")
