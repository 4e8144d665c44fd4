"""Verdicts as JUnit XML, which servers of continuous integration show."""

from collections import Counter
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from netmodel.checking import Outcome, Verdict
from netmodel.report.verdict_text import detail_lines
from netmodel.text import printable

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

    Raises
    ------
    UnitError
        If a figure to be printed is not finite.

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
    >>> print(junit_xml([Verdict(file="a.json", outcome=None, why="empty")]))
    <?xml version='1.0' encoding='utf-8'?>
    <testsuites>
      <testsuite name="netmodel check" tests="1" failures="0" errors="1" skipped="0" time="0.000">
        <testcase classname="netmodel.check" name="a.json">
          <error type="unreadable" message="empty">empty</error>
        </testcase>
      </testsuite>
    </testsuites>
    """
    seen: Counter[tuple[str, str]] = Counter()
    error_count = sum(each.outcome in _ERRORS for each in verdicts)
    failure_count = len(verdicts) - error_count - sum(each.passes for each in verdicts)
    counts = {"tests": len(verdicts), "failures": failure_count, "errors": error_count}
    time_s = sum(each.measurement.duration_s or 0 for each in verdicts if each.measurement)
    texts = {"name": printable(name), **{key: str(count) for key, count in counts.items()}}
    root = ET.Element("testsuites")
    suite = ET.SubElement(root, "testsuite", texts | {"skipped": "0", "time": f"{time_s:.3f}"})
    for each in verdicts:
        run, reason = each.measurement, printable(each.reason)
        class_name = f"{_CLASS}.{printable(run.tool.split()[0])}" if run and run.tool else _CLASS
        case_name = each.run_name
        seen[class_name, case_name] += 1
        again = seen[class_name, case_name]
        case_name += f" #{again}" if again > 1 else ""
        case = ET.SubElement(suite, "testcase", {"classname": class_name, "name": case_name})
        if run and run.duration_s is not None:
            case.set("time", f"{run.duration_s:.3f}")
        output = detail_lines(each, is_verbose=True)
        if each.passes:
            output.insert(0, reason)
        else:
            kind = "error" if each.outcome in _ERRORS else "failure"
            ET.SubElement(case, kind, {"type": each.word, "message": reason}).text = reason
        if output:
            ET.SubElement(case, "system-out").text = "\n".join(output)
    ET.indent(root)
    document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return document.decode()
