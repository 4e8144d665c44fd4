"""The grammar of cases: names, ids alone, units, switches, and errors with a suggestion."""

import pytest

from netmodel.api.arguments import given_case
from netmodel.errors import NetmodelError

OSA7, ROCE = "osa-express7s-25gbe", "roce-express2.1-25gbe"


@pytest.mark.parametrize(
    ("text", "case"),
    [
        (f"{OSA7} mtu=9000 rps=yes", {"adapter": OSA7, "mtu": 9000, "rps": "on"}),
        ("aws:m5.large mtu=9001", {"adapter": "aws:m5.large", "mtu": 9001}),
        ("mtu=1500, connections=10", {"mtu": 1500, "connections": 10}),
        (f"client={ROCE} server={OSA7}", {"client": ROCE, "server": OSA7}),
        ("zvm-vswitch layer=2 level=5.1.0", {"path": "zvm-vswitch", "layer": 2, "level": "5.1.0"}),
        ("dcbflush_local=off", {"dcbflush_local": "no"}),
        ("tcp km=10", {"protocol": "tcp", "km": 10}),
        ("tcp window=4MiB loss=1e-4", {"protocol": "tcp", "window": 4 << 20, "loss": 1e-4}),
        ("payload='30 KiB'", {"payload": "30 KiB"}),
        ("line_rate=10Gbit/s", {"line_rate": "10 Gbit/s"}),
    ],
)
def test_a_case_is_read(text: str, case: dict[str, str | int | float]) -> None:
    assert given_case(text) == case
    assert given_case(case) == case


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (f"adapter={OSA7[:-1]}", f"unknown adapter '{OSA7[:-1]}'; did you mean {OSA7}"),
        ("roce", f"did you mean roce-express-10gbe or {ROCE}?"),
        ("adaptr=x", "unknown condition 'adaptr'; did you mean adapter?"),
        ("rps=maybe", "unknown rps 'maybe'; known are off, on"),
        ("checksum=off", "did you mean checksumming?"),
        ("path=zvm-vswich", "did you mean zvm-vswitch"),
        ("mtu=0", "mtu must be at least 1; got 0"),
        ("mtu=abc", "'abc' does not start with a number"),
        ("on", "'on' may be of rps or mtu_bypass: write name=on"),
        ("'layer=2", "no closing quotation"),
    ],
)
def test_a_wrong_case_is_refused_with_a_suggestion(text: str, problem: str) -> None:
    with pytest.raises(NetmodelError) as refused:
        given_case(text)
    assert problem in str(refused.value)
