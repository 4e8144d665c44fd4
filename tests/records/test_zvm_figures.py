"""The z/VM dataset against a second transcription that was typed independently: every figure."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from zvm_rows import ENVIRONMENT, QUANTITIES, SECOND

from netmodel.records import Table, dataset

CLIENTS = {table["number"]: table["clients"] for table in SECOND["tables"]}
ROWS: list[dict[str, Any]] = SECOND["rows"]
LAYERS = {"layer3": "3", "layer2": "2"}
VERSIONS = {"layer3-versions": "3", "layer2-versions": "2"}
LEVELS = {"diff-5.1.0": "5.1.0", "diff-5.2.0": "5.2.0"}
DIFFERENCE = "difference_percent"
OURS = dataset("zvm-layer2-layer3").tables


def reported(table: Table, column: str, clients: list[str]) -> list[str]:
    """Cells of a column in the order of the client counts, each of which stands there once."""
    counts = [int(count) for count in clients]
    assert sorted(table.numbers("connection_count")) == counts
    return [table.where(connection_count=count).text(column)[0] for count in counts]


def ours(row: dict[str, Any]) -> list[str]:
    """The cells of the dataset that a row of the second transcription stands for."""
    number, section, name = row["table"], row["section"], row["name"]
    if section == "environment":
        table = OURS["environments"].where(measurement=name)
        return [table.text(column)[0] for column in ENVIRONMENT]
    if section in LAYERS:
        table = OURS["measurements"].where(table=number, layer=LAYERS[section])
        return reported(table, QUANTITIES[name], CLIENTS[number])
    cells = OURS["differences"].where(table=number, quantity=QUANTITIES[name])
    if section in VERSIONS:
        cells = cells.where(comparison="5.1.0-to-5.2.0", layer=VERSIONS[section])
    else:
        cells = cells.where(comparison="layer3-to-layer2")
        if section in LEVELS:
            cells = cells.where(hypervisor_level=LEVELS[section])
    return reported(cells, DIFFERENCE, CLIENTS[number])


def figures_of(number: str) -> Iterator[str]:
    """Every figure of the dataset that a table of the document prints, run ids included."""
    if number == "1":
        for column in ENVIRONMENT:
            yield from OURS["environments"].text(column)
        return
    for column in QUANTITIES.values():
        yield from filter(None, OURS["measurements"].where(table=number).text(column))
    yield from OURS["differences"].where(table=number).text(DIFFERENCE)


@pytest.mark.parametrize("row", ROWS, ids=lambda r: f"{r['table']}-{r['section']}-{r['name']}")
def test_every_figure_is_as_printed(row: dict[str, Any]) -> None:
    assert ours(row) == row["figures"]


@pytest.mark.parametrize("number", SECOND["sums"])
def test_counts_and_sums_are_those_of_the_second_transcription(number: str) -> None:
    figures = list(figures_of(number))
    runs = OURS["measurements"].where(table=number).text("run_id")
    plain = [figure for figure in figures if figure not in runs]
    if number == "1":
        plain = [figure for figure in figures if figure.isdigit()]
    expected = SECOND["sums"][number]
    assert (len(figures), len(plain)) == (expected["cells"], expected["decimals"])
    assert sum(map(Decimal, plain)) == Decimal(expected["sum"])


def test_no_cell_is_left_out() -> None:
    counted = sum(len(list(figures_of(number))) for number in SECOND["sums"])
    assert counted == sum(len(row["figures"]) for row in ROWS) == 543
    rows = OURS["measurements"].row_count, OURS["differences"].row_count
    assert rows == (2 * (6 * 3 + 8 + 4), 228)
    assert {row["table"] for row in ROWS} == set(range(1, 13))


def test_the_tables_of_the_document_are_those_of_the_dataset() -> None:
    numbers = {*OURS["measurements"].text("table"), *OURS["differences"].text("table")}
    assert numbers == set(OURS["tables"].text("table")) == set(OURS["footers"].text("table"))
    assert numbers == {str(number) for number in CLIENTS}


def test_every_row_repeats_what_its_table_says() -> None:
    for name in ("path", "workload", "link_rate_gbps", "mtu_bytes"):
        for row in OURS["measurements"].rows():
            assert OURS["tables"].where(table=row["table"]).text(name) == (row[name],)


def test_known_faults_name_their_places() -> None:
    """What the file says of a run id and of whole rates is to be seen in the tables."""
    of_run_id, of_rates, *_ = dataset("zvm-layer2-layer3").known_faults
    table, layer, clients, run_id, suggested = re.findall(r"\bsor\d+|\b\d+", of_run_id)
    cell = OURS["measurements"].where(table=table, layer=layer, connection_count=int(clients))
    assert cell.text("run_id") == (run_id,)
    assert int(run_id.removeprefix("sor")) == int(suggested) != int(clients)
    whole = [
        {cell[-2:] for cell in cells if cell}
        for number in re.findall(r"\b\d+", of_rates)[:2]
        for column in ("transaction_rate_tps", "data_rate_mb_per_s")
        for cells in [OURS["measurements"].where(table=number).text(column)]
    ]
    assert whole == [{".0"}, set(), set(), {".0"}]


def test_the_test_bed_is_that_of_table_1() -> None:
    """Levels, processors and CPUs of table 1; the rest is in the lines below the others."""
    bed = " ".join(dataset("zvm-layer2-layer3").test_bed.split())
    beds = []
    for of in ("Direct OSA 1 GbE", "Direct OSA 10 GbE"):
        (row,) = OURS["environments"].where(measurement=of).rows()
        parts = {"1": "one LPAR", "2": "two LPARs"}[row["lpar_count"]]
        real, virtual = (row[f"{kind}_cpu_count"] for kind in ("real", "virtual"))
        plural = "" if virtual == "1" else "s"
        beds.append(
            f"{row['processor_type']}, {parts}, {real} real CPUs, {virtual} virtual CPU{plural}, "
            f"z/VM {row['hypervisor_level']}"
        )
        assert beds[-1] in bed
    others = bed.replace(beds[0], "").replace(beds[1], "")
    # SLES 8, IPv4; cards of 1 and 10 GbE (OSA-Express2), feature 3368; layers; 600 seconds
    assert re.findall(r"\d+", others) == [*"84121", "2", "10", "3368", *"32", "10", "600"]
