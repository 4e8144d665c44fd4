"""Laws of the time at servers that requests reach at random."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netmodel.concurrency import erlang_c_waiting_ratio
from netmodel.concurrency._open import open_residence_ratio
from netmodel.errors import DomainError

USES = st.floats(1e-6, 0.999)
SERVERS = st.integers(1, 200)


@given(use=USES, count=SERVERS)
def test_whole_servers_wait_as_erlang_has_it(use: float, count: int) -> None:
    load = use * count
    waiting = float(erlang_c_waiting_ratio(load, count))
    expected = 1 + waiting / (count - load)
    assert open_residence_ratio(load, count) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("count", "ratio"), [(0.5, 2), (1, 1), (4, 1)])
def test_without_load_half_a_server_takes_twice_as_long(count: float, ratio: float) -> None:
    assert open_residence_ratio(0, count) == ratio
    assert open_residence_ratio(1e-12, count) == pytest.approx(ratio, rel=1e-9)


@given(use=USES, counts=st.tuples(st.floats(1, 200), st.floats(1, 200)))
def test_a_larger_group_at_the_same_use_waits_less(use: float, counts: tuple[float, float]) -> None:
    few, many = (open_residence_ratio(use * count, count) for count in sorted(counts))
    assert many <= few * (1 + 1e-9)
    assert few <= 1 / (1 - use) * (1 + 1e-9)


@given(count=st.floats(0.1, 100), excess=st.floats(0, 10))
def test_a_full_station_is_refused(count: float, excess: float) -> None:
    with pytest.raises(DomainError, match="below the"):
        open_residence_ratio(count + excess, count)


def test_a_station_has_a_million_servers_at_most() -> None:
    assert open_residence_ratio(1.0, 1_000_000) == pytest.approx(1)
    with pytest.raises(DomainError, match="at most 1000000"):
        open_residence_ratio(1.0, 1_000_001)
