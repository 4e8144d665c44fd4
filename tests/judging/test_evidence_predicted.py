"""What the ledger computes for published statements, by hand, and what they imply for others."""

import pytest
from judging.ledger import ledger

from netmodel.judging._evidence._ledger import EvidenceVerdict

HOLDS = EvidenceVerdict.HOLDS
LEDGER = {row.statement.id: row for row in ledger()}
OSA7S_RR30K = (12.8739, 13.1844)
"""Gbit/s of large responses at MTU 1500: 22 frames of 1448 byte each, to 30720 byte in all."""


def computed(name: str) -> list[float]:
    words = LEDGER[name].computed.replace("%", "").split()
    return [float(word) for word in words if word.lstrip("-")[:1].isdigit()]


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("osa7s-limit-rr30k-slide-19", OSA7S_RR30K),
        ("roce-line-speed-rr30k-mtu-1500", (22.698 / 23.486, 1)),
        ("overall-roce-line-speed", (22.698 / 23.486, 1)),
        ("osa7s-line-speed-rr30k-mtu-9000", (24.0951 / 24.7104, 1)),
        ("osa7s-to-roce-against-osa7s-to-osa7s", (100 * (20.45 / 13.45 - 1), 53.93)),
        ("roce-to-osa7s-against-osa7s-to-osa7s", (-0.7435, 0.7491)),
        ("osa7s-against-osa6s-streaming-mtu-9000", (2.5,)),
        ("osa7s-reduced-throughput-slide-31", (-45.19, -42.86)),
        ("mtu-9000-against-1500-rr30k-osa7s", (100 * (24.0951 / 13.1844 - 1), 91.94)),
        ("mtu-9000-against-1500-rr1k-roce-cpu", (0,)),
        ("kvm-separate-hosts-time", (100 * (1 - 1448 / 1538 * 8230 / 8140),)),
        ("kvm-mtu-lower-hop", (100 * (1448 / 8140 - 1),)),
        ("kvm-mtu-larger-packets", (100 * (4 / 21 - 1),)),
        ("kvm-txqueuelen-increase", (900,)),
        ("kvm-txqueuelen-too-large-latency", (150,)),
        ("powervm-sea-ten-times", (1, 10)),
        ("powervm-power7-20g", (0.9 * 13, 1.1 * 13)),
        ("powervm-power8-easier", (100 * (20 / 14.3 - 1),)),
        ("powervm-final-trunks", (0,)),
        ("smcr-distance-shared-switch", (600,)),
        ("smcr-rr-1k-100km-latency-words", (-90, 0)),
        ("rps-mask-unset", (0,)),
        ("rps-processors-available", (4 * 2,)),
        ("rps-bits-settable", (8,)),
        ("rps-example-1-cores", (8,)),
        ("consumption-example-1-level", (0,)),
        ("osa-buffer-count-default", (64,)),
        ("zvm-vswitch-str-8992-throughput", (0, 0.8)),
        ("zvm-summary-vswitch-relative-changed", (2.1, 38.7)),
        ("kvm-macvtap-stall", (-100,)),  # nothing of a full packet passes
        ("kvm-macvtap-no-fragmentation", (0,)),
        ("kvm-mtu-smallest-on-path", (0,)),  # 1500 over 1500
        ("kvm-macvtap-host-mtu", (0,)),  # 8192 of 8192, or more
        ("kvm-ifconfig-rx-packets", (87361147022 / 1514, 87361147022 / 34)),
        ("kvm-mtu-compared-sizes", (2,)),  # 1500 and 8192
        ("set-up-adapter-types", (3,)),
        ("zvm-detail-background-tables", (3,)),  # tables 2 to 4
        ("zvm-env-direct-osa-10gbe-real-cpus", (8,)),
        ("roce-receive-queues-intro", (15 - 0 + 1,)),
        ("rps-bitmap-bits-unset", (12 * 8 * 4,)),
    ],
)
def test_what_holds_was_computed_by_hand(name: str, ends: tuple[float, ...]) -> None:
    assert LEDGER[name].verdict is HOLDS
    assert computed(name) == [pytest.approx(end, rel=2e-3, abs=1e-9) for end in ends]


def test_gains_of_both_layers_are_those_of_the_tables() -> None:
    """Tables 2 to 4: layer 2 gained on all counts, layer 3 up to 8.7 % CPU time."""
    better, same = (LEDGER[f"zvm-summary-vswitch-layer{layer}-level"] for layer in (2, 3))
    assert better.verdict is HOLDS
    assert better.computed == "2.2 to 54.8 % throughput, -30.7 to -3.1 % CPU time"
    assert same.verdict is EvidenceVerdict.DOUBTFUL  # "essentially unchanged"
    assert "8.7 % CPU time" in same.computed


def test_two_documents_differ_in_a_default() -> None:
    """The vendor's reference has 64 buffers; the older document prints 16."""
    rows = [LEDGER[name] for name in ("osa-buffer-count-default", "kvm-buffer-default")]
    assert [row.verdict.value for row in rows] == ["holds", "contradicted"]
    assert [row.computed for row in rows] == ["64", "64"]


@pytest.mark.parametrize(
    "name", ["powervm-sea-cpu-resources", "powervm-cpu-allocation", "powervm-final-cpu"]
)
def test_what_a_record_was_made_to_say_is_no_evidence(name: str) -> None:
    assert LEDGER[name].verdict is EvidenceVerdict.NOT_MODELLED
    assert "powervm-cpu-linear" in LEDGER[name].reason
