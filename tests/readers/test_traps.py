"""What tools print that is easily taken for something else, each with what is made of it."""

import json
from pathlib import Path

import pytest

from netmodel.errors import ParseError
from netmodel.readers import Measurement, read_host_cpu, read_result

SAMPLES = Path(__file__).parent / "samples"


def first(raw: bytes) -> Measurement:
    return read_result(raw)[0]


def sample(name: str) -> bytes:
    return (SAMPLES / name).read_bytes()


@pytest.mark.parametrize("version", ["3.12", "3.21"])
def test_what_iperf3_omits_is_neither_in_time_nor_in_bytes(version: str) -> None:
    raw = sample(f"iperf3/iperf3_{version}_tcp_M1000_omit.json")
    run = first(raw)
    sums = [interval["sum"] for interval in json.loads(raw)["intervals"]]
    counted = [each for each in sums if not each["omitted"]]
    assert len(counted) < len(sums)
    assert run.counted.leaves_out_start
    assert run.duration_s == pytest.approx(sum(each["seconds"] for each in counted), rel=0.01)
    arrived_bytes = sum(each["bytes"] for each in counted)
    assert run.counted.received_bytes == pytest.approx(arrived_bytes, rel=0.01)


def test_what_uperf_counts_of_its_groups_is_not_read() -> None:
    raw = sample("uperf/uperf_1.0.8_str-writex30k_a_i1_R.txt")
    changed = raw.replace(b"name:Group0 nr_bytes:", b"name:Group0 nr_bytes:9")
    assert changed != raw
    assert first(changed).goodput_bps == first(raw).goodput_bps


def test_the_year_1970_of_iperf2_is_no_time() -> None:
    raw = sample("iperf2/iperf2_2.1.8.csv")
    assert raw.startswith(b"19700101000000,")
    assert first(raw).begin_utc_s is None


def test_what_ethtool_says_when_it_refuses_json_is_no_output_of_it() -> None:
    with pytest.raises(ParseError, match="no CPU time in a known format"):
        read_host_cpu(b"ethtool: bad command line argument(s)\n")
