"""The plot of efficiency over messages and MTU shows the numbers that the formulas give."""

from collections.abc import Iterator

import pytest

from netmodel.errors import DomainError
from netmodel.framing import parse_stack
from netmodel.report import plot_efficiency

pytest.importorskip("matplotlib")

TEXTS = ("ethernet/ipv4/tcp+timestamps", "ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps")


@pytest.fixture(autouse=True)
def _closed_figures() -> Iterator[None]:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


def at(line: object, place: int) -> float:
    places, values = line.get_data()
    (index,) = (places == place).nonzero()[0]
    return float(values[index])


def test_two_places_show_messages_and_full_frames() -> None:
    """100 of 190 bytes, and of 240 with the tunnel; 8948 of 9038 and 8898 of 9038."""
    over_messages, over_mtu = plot_efficiency([parse_stack(text) for text in TEXTS])
    plain, tunnel = over_messages.lines
    assert at(plain, 100) == pytest.approx(100 / 190)
    assert at(tunnel, 100) == pytest.approx(100 / 240)
    plain, tunnel = over_mtu.lines
    assert at(plain, 9000) == pytest.approx(8948 / 9038)
    assert at(tunnel, 9000) == pytest.approx(8898 / 9038)
    (legend,) = over_mtu.figure.legends
    assert [entry.get_text() for entry in legend.get_texts()] == list(TEXTS)
    assert "[byte]" in over_messages.get_xlabel()
    assert "[byte]" in over_mtu.get_xlabel()


def test_it_draws_where_it_is_asked() -> None:
    import matplotlib.pyplot as plt

    places = plt.subplots(1, 2)[1]
    assert list(plot_efficiency([parse_stack(TEXTS[0])], ax=places)) == list(places)
    assert [entry.get_text() for entry in places[1].get_legend().get_texts()] == [TEXTS[0]]


def test_a_stack_that_does_not_fit_the_mtu_is_refused() -> None:
    with pytest.raises(DomainError, match="link_mtu_bytes must be at least"):
        plot_efficiency([parse_stack(TEXTS[1])], link_mtu_bytes=100)
