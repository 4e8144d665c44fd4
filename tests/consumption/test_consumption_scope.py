"""A consumption says whose CPU time it counts, and compares with its like only."""

import pytest

from netmodel.consumption import Consumption, CpuScope, Side
from netmodel.errors import ContradictionError, DomainError

SERVER = Consumption(100_000, CpuScope.SYSTEM, Side.SERVER)


def test_consumptions_of_one_scope_and_side_compare() -> None:
    """N. Hoppmann (2021), slide 15: 20 % more."""
    dearer = Consumption(120_000, CpuScope.SYSTEM, Side.SERVER)
    assert dearer.ratio_to(SERVER) == pytest.approx(1.2, rel=1e-15)
    assert SERVER.ratio_to(SERVER) == 1


@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize("scope", CpuScope)
def test_consumptions_of_another_scope_or_side_do_not(scope: CpuScope, side: Side) -> None:
    other = Consumption(100_000, scope, side)
    if other == SERVER:
        assert other.ratio_to(SERVER) == 1
        return
    with pytest.raises(ContradictionError) as caught:
        other.ratio_to(SERVER)
    assert str(caught.value) == (
        f"cannot compare {scope.value} CPU time of the {side.value} "
        "with system CPU time of the server"
    )


def test_nothing_compares_with_a_free_run() -> None:
    free = Consumption(0, CpuScope.SYSTEM, Side.SERVER)
    assert free.ratio_to(SERVER) == 0
    with pytest.raises(
        DomainError, match=r"^baseline\.us_per_gbit must be above 0 µs/Gbit; got 0$"
    ):
        SERVER.ratio_to(free)


def test_a_run_gives_its_consumption() -> None:
    """By hand: 2.5 CPUs at 25 Gbit/s are 2.5e6 µs each second for 25 Gbit."""
    run = Consumption.from_busy_cpus(2.5, 25e9, CpuScope.SYSTEM, Side.SERVER)
    assert run.us_per_gbit == pytest.approx(100_000, rel=1e-15)
    assert (run.scope, run.side) == (CpuScope.SYSTEM, Side.SERVER)


@pytest.mark.parametrize("value", [-1, float("inf"), "100", None])
def test_impossible_consumptions_are_refused(value: float) -> None:
    with pytest.raises(DomainError, match=r"^us_per_gbit must be "):
        Consumption(value, CpuScope.SYSTEM, Side.CLIENT)


def test_scope_and_side_are_no_words() -> None:
    with pytest.raises(DomainError, match=r"^scope must be one of .* got 'system'"):
        Consumption(1, "system", Side.CLIENT)  # type: ignore[arg-type]
    with pytest.raises(DomainError, match=r"^side must be one of .* got 'server'"):
        Consumption(1, CpuScope.SYSTEM, "server")  # type: ignore[arg-type]


def test_a_connection_has_two_sides() -> None:
    assert (Side.CLIENT.other, Side.SERVER.other) == (Side.SERVER, Side.CLIENT)


@pytest.mark.parametrize(
    ("from_client", "from_server", "side"),
    [(200, 1000, Side.SERVER), (1000, 200, Side.CLIENT), (200, 200, Side.CLIENT)],
)
def test_who_sends_more_is_the_sender(from_client: float, from_server: float, side: Side) -> None:
    """The client where both send the same, as in an even request and response."""
    assert Side.sending_more(from_client, from_server) is side
