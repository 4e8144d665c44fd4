"""``netmodel predict`` over virtual paths: line and trunk bounds, or nothing but printed ratios."""

import pytest
from invocation import printed, printed_json, refusal, words

import netmodel
from netmodel.errors import ContradictionError

GUESTS = ("--path", "kvm-one-host", "--mtu", "8192", "--workload", "str-writex30k")
STREAM = ("--mtu", "1500", "--workload", "str-writex30k", "--connections", "10")


def test_between_guests_of_one_host_nothing_is_predicted() -> None:
    """There is no line; up to 120 % from MTU 1500 to 8192 is printed (text on figure 1)."""
    (row,) = printed_json("predict", *GUESTS, "--connections", "10")
    rates = (row["throughput_bps"], row["transaction_rate_tps"])
    assert all(
        (rate["value"], rate["high"], rate["bound"]) == (None, None, "upper") for rate in rates
    )
    assert {row["binding"], row["expected"], *row["cpu_us_per_gbit"].values()} == {None}
    assert row["limits"] == []
    (gain,) = [each for each in row["published"] if each["quantity"] == "throughput"]
    assert (gain["relation"], gain["high"], gain["against"]) == ("up_to", 2.2, {"mtu": [1500]})
    text = words(printed("predict", *GUESTS))
    assert "over kvm-one-host: not published, no physical bound" in text
    assert "throughput up to 2.2 times that with MTU 1500 (kvm document" in text


@pytest.mark.parametrize(
    "path", ["kvm-one-host", "kvm-two-hosts", "powervm-lpar-to-lpar", "powervm-lpar-to-lpar-tuned"]
)
def test_what_needs_a_rate_refuses_a_path_without_one(path: str) -> None:
    assert "line rate and limits not known" in words(
        refusal("plan", "--path", path, "--flow", "5 Gbit/s str-writex30k", "--mtu", "1500")
    )
    assert "nothing to plot" in words(
        refusal("predict", "--path", path, *STREAM, "--plot", "x.svg")
    )
    pytest.importorskip("xarray")
    with pytest.raises(ContradictionError, match="line rate and limits not known"):
        netmodel.sweep(path=path, workload="str-writex30k", mtu_bytes=[1500, 9000])
