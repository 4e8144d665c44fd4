"""Verdicts as JUnit XML, which servers of continuous integration show."""

from collections import Counter
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from netmodel._text import printable
from netmodel.checking import Outcome, Verdict
from netmodel.report._verdict_rows import VerdictRow, verdict_row

_ERRORS = (None, Outcome.FAILED)
_CLASS = "netmodel.check"


def junit_xml(verdicts: Sequence[Verdict], name: str = "netmodel check") -> str:
    """
    Verdicts as one test suite in JUnit XML.

    Parameters
    ----------
    verdicts : sequence of Verdict
        Judged measurements, in the order in which they are to be listed.
    name : str
        Name of the suite.

    Returns
    -------
    text : str
        An XML document, to be written in UTF-8: a test case for each verdict,
        named after file, direction and part. It passed at the ceiling, or limited by
        what the user accepts; what
        the tool reports as failed, and a file that could not be read, is an
        error; any other outcome a failure. Limits, tolerance, CPU use and
        notes are its output.

    Notes
    -----
    A run that cannot be judged is a failure and not skipped, because servers
    accept skipped cases, while ``netmodel check`` ends with exit code 1.

    Names that occur again get a number, since GitLab reads the first only. It
    shows the text of a failure, and Jenkins its attribute ``message`` too:
    both hold the reason.

    References
    ----------
    Jenkins xUnit plugin, ``junit-10.xsd``: elements and attributes. GitLab
    documentation, "Unit test reports", "JUnit XML format specification".

    Examples
    --------
    >>> print(junit_xml([Verdict(file="a.json", outcome=None, reason="empty")]))
    <?xml version='1.0' encoding='utf-8'?>
    <testsuites>
      <testsuite name="netmodel check" tests="1" failures="0" errors="1" skipped="0" time="0.000">
        <testcase classname="netmodel.check" name="a.json">
          <error type="unreadable" message="empty">empty</error>
        </testcase>
      </testsuite>
    </testsuites>
    """
    rows = list(map(verdict_row, verdicts))
    seen: Counter[tuple[str, str]] = Counter()
    root = ET.Element("testsuites")
    suite = ET.SubElement(root, "testsuite", _counts(rows, printable(name)))
    for row in rows:
        key = _class_name(row), row.name
        seen[key] += 1
        name = row.name if seen[key] == 1 else f"{row.name} #{seen[key]}"
        case = ET.SubElement(suite, "testcase", {"classname": _class_name(row), "name": name})
        if row.duration_s is not None:
            case.set("time", f"{row.duration_s:.3f}")
        if not row.passes:
            kind = "error" if row.outcome in _ERRORS else "failure"
            fault = ET.SubElement(case, kind, {"type": row.word, "message": row.reason})
            fault.text = row.reason
        if output := _output(row):
            ET.SubElement(case, "system-out").text = "\n".join(output)
    ET.indent(root)
    document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return document.decode()


def _counts(rows: Sequence[VerdictRow], name: str) -> dict[str, str]:
    error_count = sum(row.outcome in _ERRORS for row in rows)
    fine_count = sum(row.passes for row in rows)
    return {
        "name": name,
        "tests": str(len(rows)),
        "failures": str(len(rows) - error_count - fine_count),
        "errors": str(error_count),
        "skipped": "0",
        "time": f"{sum(row.duration_s or 0 for row in rows):.3f}",
    }


def _class_name(row: VerdictRow) -> str:
    return f"{_CLASS}.{row.tool.split()[0]}" if row.tool else _CLASS


def _output(row: VerdictRow) -> list[str]:
    passed = [row.reason] if row.passes else []
    limits = [f"limit {limit.sentence}" for limit in row.limits]
    return [
        *passed,
        *limits,
        *row.details,
        *row.cpu_texts,
        *(f"note: {text}" for text in row.notes),
    ]
