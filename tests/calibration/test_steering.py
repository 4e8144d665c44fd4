"""Shares of packet steering, calibrated from statements: bundled ones and one's own."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from netmodel.calibration._calibrated_records import document_of
from netmodel.calibration._declarations import Declaration, declarations
from netmodel.calibration._steering import _Declared, _Figure, _Fit
from netmodel.errors import ParseError
from netmodel.path._steered_exchange import ExchangeShares, steered_exchange
from netmodel.records import register_data, unregister_data
from netmodel.records._load import validated
from netmodel.records._steering import steering_records
from netmodel.records._subjects import QuantityKind

pytestmark = pytest.mark.thorough

NAME = "rps-rr1c-200x1000"
OSA7S, ROCE = "osa-express7s-25gbe", "roce-express2.1-25gbe"
OWN = ExchangeShares(0.2, 0.4, 6, 0.3, 0.5, 0.4, 0.05, 0.2, 30, 0.1)
"""Hosts of an invented document, whose figures are those of the model with these shares."""
COUNTS = (1, 10, 50, 250)
STATEMENT = """
[[statements]]
id = "own-{name}-{count}"
locator = "page 1"
wording = "changed with packet steering"
quantity = "{quantity}"
baseline = {{ receive_packet_steering = false }}
change = "{change}"
relation = "equal"
value = {percent}
unit = "%"
not_modelled = "measured"
[statements.subject]
adapter = "osa-express7s-25gbe"
workload = "rr1c-200x30k"
connection_counts = [{count}]
receive_packet_steering = true
"""


def few(declaration: Declaration, **changes: object) -> Declaration:
    """A declaration with two samples: the best fit, and one more."""
    document = {
        **declaration.document,
        "sample_count": 1,
        "left_out_sample_count": 1,
        **changes,
    }
    return declaration._replace(document=document)


@pytest.fixture(scope="module")
def bundled() -> Declaration:
    return declarations()["steering", NAME]


@pytest.fixture(scope="module")
def own_data(tmp_path_factory: pytest.TempPathFactory, bundled: Declaration) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("own")
    (root / "statements").mkdir()
    (root / "calibrations/steering").mkdir(parents=True)
    (root / "documents.toml").write_text('[own]\ntitle = "Own runs"\nauthor = "me"\nyear = 2026\n')
    exchange = steered_exchange(OWN, np.array(COUNTS), 1, 8)
    blocks, names = [], []
    for quantity, ratios in (
        ("transaction_time", exchange.time_ratio),
        ("cpu_consumption", exchange.cost_ratio),
    ):
        for count, ratio in zip(COUNTS, ratios, strict=True):
            percent = 100 * (float(ratio) - 1)
            change = "more" if percent > 0 else "less"
            name = quantity.replace("_", "-")
            names.append(f"own-{name}-{count}")
            blocks.append(
                STATEMENT.format(
                    name=name,
                    quantity=quantity,
                    count=count,
                    change=change,
                    percent=f"{abs(percent):.1f}",
                )
            )
    head = '[defaults]\nsource = "own"\ngrade = "measured"\n[reasons]\nmeasured = "needs runs"\n'
    (root / "statements/own.toml").write_text(head + "".join(blocks))
    ranges = "\n".join(
        f"{name} = [{ends[0]}, {ends[1]}]" for name, ends in bundled.document["ranges"].items()
    )
    (root / "calibrations/steering/own-rps.toml").write_text(
        'title = "Own runs"\nworkload = "rr1c-200x30k"\nhost = "z15-lpar-4core-smt2"\n'
        'adapters = ["osa-express7s-25gbe"]\nscatter_ratio = 0.02\nsample_count = 2\n'
        f"left_out_sample_count = 1\nstatements = {names}\n[ranges]\n{ranges}\n".replace("'", '"')
    )
    register_data(root)
    yield root
    unregister_data(root)


def test_the_bundled_record_is_current(bundled: Declaration) -> None:
    """The best fit and one left-out range; digits differ between versions of SciPy."""
    document = document_of(few(bundled))
    (record,) = (each for each in steering_records() if each.workload == "rr1c-200x1000")
    for adapter in (OSA7S, ROCE):
        made, kept = (
            np.array(rows[0], dtype=float)
            for rows in (document["samples"][adapter], record.samples[adapter])
        )
        np.testing.assert_allclose(made, kept, rtol=0.02, atol=0.005)
    assert document["statements"] == list(record.statements)
    made_rows = {row["statement"]: row for row in document["left_out"]}
    assert set(made_rows) == {row.statement for row in record.left_out}
    for row in record.left_out:
        assert float(row.low) - 0.03 < float(made_rows[row.statement]["value"])
        assert float(made_rows[row.statement]["value"]) < float(row.high) + 0.03


def test_a_statement_left_out_is_no_input(bundled: Declaration) -> None:
    document = document_of(few(bundled), {"rps-roce-time-10"})
    assert "rps-roce-time-10" not in document["statements"]
    assert "left_out" not in document


def test_own_runs_are_reproduced(own_data: Path) -> None:
    """Figures of known shares: within 2 points, half of what scatter alone allows."""
    document = document_of(declarations()["steering", "own-rps"])
    (best, *_) = document["samples"]["osa-express7s-25gbe"]
    # five decimals of each share: predictions then keep four
    assert {Decimal(str(share)).as_tuple().exponent for share in best} == {-5}
    exchange = steered_exchange(ExchangeShares(*map(float, best)), np.array(COUNTS), 1, 8)
    truth = steered_exchange(OWN, np.array(COUNTS), 1, 8)
    np.testing.assert_allclose(exchange.time_ratio, truth.time_ratio, atol=0.02)
    np.testing.assert_allclose(exchange.cost_ratio, truth.cost_ratio, atol=0.02)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"statements": ["rps-note-streaming-cpu"]}, "does not compare transaction time"),
        ({"statements": ["osa7s-receive-queues"]}, "does not compare transaction time"),
        (
            {"adapters": [OSA7S], "statements": ["rps-roce-time-10"]},
            "rps-roce-time-10 does not compare",
        ),
        ({"ranges": {"cpu_ratio": [0, 1]}}, "ranges: must be of"),
        ({"scatter_ratio": 0}, "scatter_ratio"),
        ({"adapters": []}, "adapters"),
        ({"adapters": [OSA7S, "osa-express6s-10gbe", ROCE]}, "no receive_queue_count"),
        ({"host": "z990-2084-324-2cpu"}, "has no thread_count"),
        ({"host": "mine"}, "mine"),
    ],
)
def test_declarations_at_fault_are_refused(
    bundled: Declaration, changes: dict[str, object], words: str
) -> None:
    with pytest.raises(ParseError, match=words):
        document_of(few(bundled, **changes))


def test_adapters_compare_by_the_times_and_costs_of_their_transactions(
    bundled: Declaration,
) -> None:
    """
    One connection takes its CPU time over its share of the time; more take so much longer.

    The CPU time of each adapter with one connection is relative to that of the first.
    """
    declared = validated(bundled.path, _Declared, bundled.document)
    fit = _Fit(declared, ())
    points = np.random.default_rng(1).uniform(0.1, 0.9, (4, len(fit.places)))
    values = dict(zip(fit.places, fit.values(points), strict=True))
    times, costs = {}, {}
    for place, name in enumerate(declared.adapters):
        rows = [values.get((each, place), values.get((each, None))) for each in OWN._fields]
        exchange = steered_exchange(
            ExchangeShares(*map(np.asarray, rows)), 50.0, fit.queue_counts[place], fit.cpu_count
        )
        alone = np.exp(values["cost", place]) if place else np.ones(len(points))
        costs[name] = alone * exchange.cost
        times[name] = alone / np.asarray(rows[0]) * exchange.time
    for quantity, known in (
        (QuantityKind.TRANSACTION_TIME, times),
        (QuantityKind.CPU_CONSUMPTION, costs),
    ):
        both = [
            _Figure((), quantity, name, other, 50, 0.0, 0.0)
            for name, other in ((ROCE, OSA7S), (OSA7S, ROCE))
        ]
        ratio = known[ROCE] / known[OSA7S]
        np.testing.assert_allclose(fit.predicted(both, points), [ratio, 1 / ratio], rtol=1e-12)


def test_figures_are_missed_by_their_distance_from_what_is_printed(bundled: Declaration) -> None:
    """Between the ends by nothing; below the low one by what is left to it, above by less."""
    declared = validated(bundled.path, _Declared, bundled.document)
    point = np.full((1, len(_Fit(declared, ()).places)), 0.5)
    one = _Figure((), QuantityKind.TRANSACTION_TIME, OSA7S, None, 10, 0.0, 0.0)
    ((ratio,),) = _Fit(declared, ()).predicted([one], point)
    figures = tuple(
        one._replace(low=ratio + low, high=ratio + high)
        for low, high in ((-0.1, 0.1), (0.2, 0.3), (-0.3, -0.2))
    )
    fit = _Fit(declared, figures)
    missed = fit.misses(point, np.zeros(3))[:, 0]
    np.testing.assert_allclose(missed, [0, 0.2, -0.2], atol=1e-12)
    # figures that are 0.15 higher than printed
    shifted = fit.misses(point, np.full(3, 0.15))[:, 0]
    np.testing.assert_allclose(np.abs(shifted), [0.05, 0.35, 0.05], atol=1e-12)
    assert fit.misfit_ratio(point[0]) == pytest.approx(np.sqrt(0.08 / 3))
