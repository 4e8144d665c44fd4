"""Statements that cannot all be true: by figures and ratios alone, and by the model of adapters."""

from collections import Counter
from pathlib import Path

import pytest

from netmodel.judging import audit_statements
from netmodel.judging._audit_contradictions import contradiction_findings, published_ratios
from netmodel.judging._audit_findings import Finding, Severity
from netmodel.records import statements
from netmodel.records._statements import load_statements

HEAD = """
[defaults]
source = "planted"
locator = "page 1"
grade = "published"
"""
AT = 'workload = "rr1c-200x30k", mtu_bytes = 1500, connection_counts = [50]'
NEW, OLD = "osa-express7s-25gbe", "osa-express6s-10gbe"


def statement(name: str, adapter: str, figure: str, baseline: str = "") -> str:
    against = f'baseline = {{ adapter = "{baseline}" }}\nchange = "more"\n' if baseline else ""
    return f"""
[[statements]]
id = "{name}"
wording = "throughput of {name}"
quantity = "throughput"
subject = {{ adapter = "{adapter}", {AT} }}
{against}{figure}
not_modelled = "made on purpose"
"""


def found(directory: Path, *texts: str, by_records: bool = False) -> list[Finding]:
    """What contradicts with or without the limits that records of adapters have."""
    file = directory / "planted.toml"
    file.write_text(HEAD + "".join(texts), encoding="utf-8")
    findings = list(contradiction_findings(load_statements(file), Counter()))
    return [each for each in findings if ("limits of" in each.message) == by_records]


def exactly(value: str, unit: str = "Gbit/s") -> str:
    return f'relation = "equal"\nvalue = {value}\nunit = "{unit}"'


def at_least(value: str, unit: str) -> str:
    return f'relation = "at_least"\nvalue = {value}\nunit = "{unit}"'


def test_a_gain_and_two_rates_agree_or_not(tmp_path: Path) -> None:
    """13.45 / 1.45 is 9.276; 9.2 may be 9.25, 9.4 is 9.35 or more."""
    limit, gain = statement("limit", NEW, exactly("13.4")), at_least("45", "%")
    better = statement("better", NEW, gain, OLD)
    assert not found(tmp_path, limit, better, statement("before", OLD, exactly("9.2")))
    (finding,) = found(tmp_path, limit, better, statement("before", OLD, exactly("9.4")))
    assert finding.column == "limit, better, before"
    assert finding.severity is Severity.FAULT  # "more than" is not rounded
    assert finding.place == "planted, page 1"
    allowed = {each.column: each.allowed for each in finding.suspects}
    assert allowed == {
        "limit": "at least 13.558 Gbit/s",
        "better": "1.4127 to 1.4385 x",
        "before": "at most 9.2759 Gbit/s",
    }


def test_the_line_is_a_bound_of_every_claim(tmp_path: Path) -> None:
    """10 Gbit/s carry 9.394 Gbit/s of these responses at MTU 1500."""
    assert not found(tmp_path, statement("near", OLD, exactly("9.4")))
    (finding,) = found(tmp_path, statement("above", OLD, exactly("9.5")))
    assert finding.column == "above"
    assert "line of osa-express6s-10gbe (9.3945 Gbit/s)" in finding.message


@pytest.mark.parametrize(("gain", "severity"), [("45", Severity.NOTE), ("46", Severity.FAULT)])
def test_per_cents_may_be_rounded_by_eye(tmp_path: Path, gain: str, severity: Severity) -> None:
    """13.45 / 1.445 is 9.308, and 9.35 or more is printed; 45 % may be 42.5: then it is 9.439."""
    texts = [
        statement("limit", NEW, exactly("13.4")),
        statement("better", NEW, exactly(gain, "%"), OLD),
        statement("before", OLD, exactly("9.4")),
    ]
    (finding,) = found(tmp_path, *texts)
    assert finding.severity is severity
    assert ("rounded to 5 %: 45 % higher" in finding.message) == (severity is Severity.NOTE)


def test_a_claim_above_the_limits_of_a_record_is_a_note(tmp_path: Path) -> None:
    """Records of OSA-Express7S leave 13.18 Gbit/s of these responses at MTU 1500 at most."""
    assert not found(tmp_path, statement("within", NEW, exactly("13.0")), by_records=True)
    (finding,) = found(tmp_path, statement("beyond", NEW, exactly("15.0")), by_records=True)
    assert (finding.column, finding.severity) == ("beyond", Severity.NOTE)
    assert finding.message.startswith("cannot be true with limits of osa-express7s-25gbe (13.1")
    gain = statement("gain", NEW, exactly("70", "%"), OLD)
    (finding,) = found(tmp_path, gain, statement("before", OLD, exactly("9.0")), by_records=True)
    assert finding.column == "gain, before"


def test_claims_of_two_documents_may_both_be_right(tmp_path: Path) -> None:
    other = statement("other", OLD, exactly("8.0")).replace(
        "id =", 'source = "second"\nlocator = "page 1"\ngrade = "published"\nid ='
    )
    (finding,) = found(tmp_path, statement("one", OLD, exactly("9.0")), other)
    assert (finding.severity, finding.dataset) == (Severity.NOTE, "planted, second")
    assert finding.place == "planted, page 1; second, page 1"


def test_claims_on_other_cases_are_not_linked(tmp_path: Path) -> None:
    limit = statement("limit", NEW, exactly("13.4"))
    better = statement("better", NEW, at_least("45", "%"), OLD)
    before = statement("before", OLD, exactly("9.3")).replace("[50]", "[250]")
    assert not found(tmp_path, limit, better, before)


def test_a_chain_of_ratios_is_as_good_as_one(tmp_path: Path) -> None:
    """1.5 x 1.5 is 2.25, and 2.0 is printed."""
    third = "roce-express2.1-25gbe"
    texts = (
        statement("first", NEW, at_least("50", "%"), OLD),
        statement("second", third, at_least("50", "%"), NEW),
        statement("both", third, exactly("100", "%"), OLD),
    )
    (finding,) = found(tmp_path, *texts)
    assert finding.column == "first, second, both"
    for place in range(3):
        assert not found(tmp_path, *(text for n, text in enumerate(texts) if n != place))


CHECKED: Counter[str] = Counter()


@pytest.fixture(scope="module")
def bundled() -> list[Finding]:
    CHECKED.clear()
    return list(contradiction_findings(statements(), CHECKED))


@pytest.mark.thorough
def test_40_and_80_percent_more_do_not_fit_between_two_full_lines(
    bundled: list[Finding],
) -> None:
    """9.3945 x 1.395 is 13.105 Gbit/s, and 23.486 / 1.795 is 13.084."""
    finding, _ = bundled
    names = [each.column for each in finding.suspects]
    assert names == [
        "osa7s-against-osa6s-rr30k-many",
        "osa6s-line-speed-rr30k-mtu-1500",
        "roce-against-osa7s-rr30k-many",
    ]
    assert finding.suspects[0].allowed.endswith(f"{23.48624 / 1.795 / 9.394495:.5g} x")
    assert "line of roce-express2.1-25gbe (23.486 Gbit/s), unless" in finding.message
    assert "rounded to 5 %: 40 % higher, 80 % higher" in finding.message


def test_inputs_that_a_record_reads_as_about_are_named_as_printed(
    bundled: list[Finding],
) -> None:
    """9.3945 Gbit/s of responses, and 13.45 / 1.45 = 9.276 of streams over the same adapter."""
    _, finding = bundled
    assert finding.severity is Severity.NOTE
    names = {each.column for each in finding.suspects}
    assert {"osa7s-against-osa6s-streaming", "osa6s-line-speed-rr30k-mtu-1500"} < names
    assert any(name.startswith("osa7s-inbound-limit") for name in names)
    assert len(names) == 3
    assert "0.42 %" in finding.allowed
    # circles of ratios, and the one conflict of inputs
    assert CHECKED == {"contradiction": published_ratios(statements()).cycle_count + 1}


@pytest.mark.thorough
def test_a_document_is_audited_by_its_own_statements() -> None:
    kinds = Counter(each.kind for each in audit_statements("kvm"))
    assert kinds["contradiction"] == 0
    assert audit_statements("adapter").checked["contradiction"] > 0
