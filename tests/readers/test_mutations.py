"""Damaged files: each reader gives what it reads or a ParseError, soon and in little room."""

import os

import pytest
from damage import (
    answer,
    damaged,
    require_answered,
    require_sound,
    with_each_number_replaced,
    within_limits,
)
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from readers.reader_cases import READERS
from runs import sample

from netmodel.errors import ContradictionError
from netmodel.readers import HostCpu, pair_with_hosts, read_result

MUTATIONS = 50 if os.environ.get("NETMODEL_FEW_EXAMPLES") else 150
NIGHTLY_MUTATIONS = 20_000
RUN = read_result(sample("paired_iperf3_3.21_serverJ.json"))
SELDOM_READ = frozenset({"intervals", "streams"})


def try_one(data: st.DataObject, name: str) -> None:
    """Damage a sample, read it, and go on as users do: what does not fit is refused in words."""
    tried = READERS[name]
    whole = data.draw(st.sampled_from(tried.files()), label="file").read_bytes()
    try:
        result = answer(tried.read, damaged(data, whole, SELDOM_READ))
        if isinstance(result, tuple):
            assert result
        if isinstance(result, HostCpu):
            assert 0 <= result.busy_cpu_count() <= 1.02 * (result.cpu_count or 0)
            require_sound(pair_with_hosts(RUN, server=result))
    except ContradictionError as error:
        assert str(error)  # noqa: PT017


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=MUTATIONS)
@given(data=st.data())
def test_damage_gives_a_result_or_a_parse_error(data: st.DataObject, name: str) -> None:
    try_one(data, name)


@pytest.mark.nightly
@pytest.mark.parametrize("name", READERS)
@settings(
    max_examples=NIGHTLY_MUTATIONS,
    derandomize=False,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_much_damage_gives_a_result_or_a_parse_error(data: st.DataObject, name: str) -> None:
    try_one(data, name)


@pytest.mark.parametrize("name", READERS)
def test_samples_are_read_within_the_limits(name: str) -> None:
    files = READERS[name].files()
    assert files
    assert any(answer(READERS[name].read, path.read_bytes()) for path in files)


@pytest.mark.thorough
@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\x89PNG\r\n\x1a\n",
        b"[" * 100_000,
        b'{"sysstat": ' * 50_000,
        b"[]",
        b"prose",
        b"1" * 1_000_000,
        b"\n" * 1_000_000,
        b"a\n" * 100_000,
        b"Linux x (" + b" _(" * 100_000,
        "Linux".encode("utf-16"),
    ],
    ids=lambda raw: repr(raw[:20]),
)
def test_what_is_nothing_of_the_kind_is_a_parse_error(name: str, raw: bytes) -> None:
    assert answer(READERS[name].read, raw) is None


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["qperf", "sockperf", "netmodel-csv"])
def test_any_odd_number_gives_measurements_or_a_parse_error(name: str) -> None:
    for path in READERS[name].files():
        for raw in with_each_number_replaced(path.read_bytes()):
            require_answered(READERS[name].read, raw)


def test_what_takes_too_long_or_too_much_is_found() -> None:
    """The limits work, so that a hang or a bomb would fail the tests above."""
    with pytest.raises(AssertionError, match="took longer"), within_limits(longest_s=0.05):
        sum(range(10**7))
    with pytest.raises(MemoryError), within_limits():
        bytearray(300 * 10**6)
    with within_limits():
        assert bytearray(100 * 10**6)
