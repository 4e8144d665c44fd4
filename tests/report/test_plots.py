"""Plots show the numbers that the formulas give."""

import dataclasses
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
from checking.verdicts import one_of_each
from runs import EVEN_CEILING_BPS, EVEN_LINE, run

from netmodel.checking import Verdict, check, check_file
from netmodel.errors import MissingExtraError
from netmodel.framing import parse_stack, tcp_stack, udp_stack
from netmodel.report import plot_checks, plot_payload_rates

pytest.importorskip("matplotlib")
TUNNEL = "ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps"
pytestmark = pytest.mark.usefixtures("plt")


def curve(line: object, frame_bytes: int) -> float:
    """Where a drawn line passes over a frame size."""
    sizes, values = line.get_data()
    (position,) = (sizes == frame_bytes).nonzero()[0]
    return float(values[position])


def verdicts() -> list[Verdict]:
    shares = {"low.json": 0.5, "full.json": 1.0, "high.json": 1.5}
    result = [check(run(share * EVEN_CEILING_BPS), EVEN_LINE) for share in shares.values()]
    return [
        dataclasses.replace(verdict, file=f"directory/{name}")
        for verdict, name in zip(result, shares, strict=True)
    ]


# Rates over frame sizes


def test_payload_rates_have_labels_with_units() -> None:
    axes = plot_payload_rates(25e9, [tcp_stack(), udp_stack()])
    assert "[byte]" in axes.get_xlabel()
    assert axes.get_ylabel() == "payload rate [Gbit/s]"
    assert "25 Gbit/s" in axes.get_title()
    (frames,) = (other for other in axes.figure.axes if other is not axes)
    assert frames.get_ylabel() == "frame rate, dotted [million frames/s]"
    labels = [entry.get_text() for entry in axes.get_legend().get_texts()]
    assert labels == ["ethernet/ipv4/tcp+timestamps", "ethernet/ipv4/udp"]


@pytest.mark.parametrize(("frame_bytes", "payload_bytes"), [(1518, 1448), (9018, 8948), (128, 58)])
def test_a_curve_is_payload_over_wire_bytes(frame_bytes: int, payload_bytes: int) -> None:
    axes = plot_payload_rates(25e9, [tcp_stack()])
    expected = 25 * payload_bytes / (frame_bytes + 20)
    assert curve(axes.lines[0], frame_bytes) == pytest.approx(expected, rel=1e-12)


def test_the_frame_rate_is_drawn_in_millions() -> None:
    """RFC 2544 counts 14,880,952 frames/s of 64 bytes on 10 GbE and 812,743 of 1518."""
    axes = plot_payload_rates(10e9, [tcp_stack()])
    (frames,) = (other for other in axes.figure.axes if other is not axes)
    assert curve(frames.lines[0], 64) == pytest.approx(14.880952, abs=1e-6)
    assert curve(frames.lines[0], 1518) == pytest.approx(0.812743, abs=1e-6)


def test_no_curve_passes_the_line_rate() -> None:
    axes = plot_payload_rates(1e9, [tcp_stack(ip_version=6), udp_stack()], 1518)
    *curves, line_rate = axes.lines
    assert set(line_rate.get_ydata()) == {1.0}
    assert len(curves) == 2
    assert all(0 < drawn.get_ydata().max() < 1 for drawn in curves)
    assert all(drawn.get_xdata().max() == 1518 for drawn in curves)


def test_tunnels_are_part_of_the_frame() -> None:
    """Of a frame of 1518 bytes, VXLAN takes 50 more: 1398 bytes of payload."""
    axes = plot_payload_rates(25e9, [parse_stack(TUNNEL)])
    assert curve(axes.lines[0], 1518) == pytest.approx(25 * 1398 / 1538, rel=1e-12)


def test_a_tunnel_that_pads_up_to_its_mtu_has_a_curve() -> None:
    """Of a frame of 1518 bytes, WireGuard takes 60 more: 1388 bytes of payload."""
    axes = plot_payload_rates(
        25e9, [parse_stack("ethernet/ipv4/udp/wireguard/ipv4/tcp+timestamps")]
    )
    assert curve(axes.lines[0], 1518) == pytest.approx(25 * 1388 / 1538, rel=1e-12)


def test_payload_rates_go_where_they_are_asked(plt: ModuleType) -> None:
    _, axes = plt.subplots()
    assert plot_payload_rates(1e9, [tcp_stack()], ax=axes) is axes


# Measurements against ceilings


def test_each_bar_is_a_ratio() -> None:
    axes = plot_checks(verdicts())
    assert [bar.get_width() for bar in axes.patches] == pytest.approx([0.5, 1.0, 1.5], rel=1e-12)
    assert [note.get_text().strip() for note in axes.texts] == [
        "0.5000",
        "1.0000",
        "1.5000",
        "ceiling",
    ]
    assert axes.get_xlabel() == "goodput over ceiling"


def test_bars_are_named_by_file_and_outcome() -> None:
    labels = [label.get_text() for label in plot_checks(verdicts()).get_yticklabels()]
    assert labels == ["low.json\nbelow", "full.json\nat_ceiling", "high.json\nimpossible"]


def test_the_ceiling_and_every_bar_lie_inside() -> None:
    axes = plot_checks(verdicts())
    low, high = axes.get_xlim()
    assert low == 0
    assert high > 1.5
    assert list(axes.lines[0].get_xdata()) == [1, 1]


def test_runs_without_a_ceiling_are_left_out(tmp_path: Path) -> None:
    unreadable = check_file(tmp_path / "no.json", EVEN_LINE)
    failed = check(run(None, error="no route"), EVEN_LINE)
    axes = plot_checks([*unreadable, failed, *verdicts()])
    assert len(axes.patches) == 3


def test_a_run_over_loopback_is_drawn() -> None:
    axes = plot_checks([check(run(is_loopback=True), EVEN_LINE)])
    assert [label.get_text() for label in axes.get_yticklabels()] == ["run.json\nnot_judgeable"]


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingExtraError, match=re.escape("[plot]")):
        plot_checks([])


def test_nothing_to_draw_is_an_empty_plot() -> None:
    assert len(plot_checks([]).patches) == 0


def test_checks_go_where_they_are_asked(plt: ModuleType) -> None:
    _, axes = plt.subplots()
    assert plot_checks(verdicts(), axes) is axes


def test_a_plot_can_be_written(plt: ModuleType, tmp_path: Path) -> None:
    for axes in (plot_checks(verdicts()), plot_payload_rates(25e9, [tcp_stack()])):
        path = tmp_path / "plot.png"
        axes.figure.savefig(path)
        assert path.read_bytes().startswith(b"\x89PNG")


def test_every_outcome_with_a_ratio_has_a_colour_of_its_own() -> None:
    judged = [verdict for verdict in one_of_each() if verdict.ratio is not None]
    bars = plot_checks(judged).patches
    assert len({bar.get_facecolor() for bar in bars}) == len({each.outcome for each in judged}) == 5
