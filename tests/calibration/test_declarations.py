"""Declarations of calibrated records: what each reference becomes, and faults with their place."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from netmodel.calibration import calibrated_documents, calibrated_inputs
from netmodel.calibration._declarations import declarations
from netmodel.errors import ContradictionError, ParseError
from netmodel.records import register_data, unregister_data

STATEMENTS = """\
[defaults]
source = "notes"
locator = "page 1"
grade = "published"

[[statements]]
id = "notes-line"
wording = "the line"
quantity = "line_rate"
subject = { setting = "the line" }
value = 10
unit = "Gbit/s"

[[statements]]
id = "notes-less"
wording = "larger frames take less time"
quantity = "transaction_time"
subject = { mtu_bytes = 9000 }
baseline = { mtu_bytes = 1500 }
change = "less"
value = 30.0
unit = "%"

[[statements]]
id = "notes-less-range"
wording = "larger frames take less time"
quantity = "transaction_time"
subject = { mtu_bytes = 9000 }
baseline = { mtu_bytes = 1500 }
change = "less"
relation = "range"
low = 30
high = 37
unit = "%"

[[statements]]
id = "notes-less-bound"
wording = "larger frames take at least 40 % less time"
quantity = "transaction_time"
subject = { mtu_bytes = 9000 }
baseline = { mtu_bytes = 1500 }
change = "less"
relation = "at_least"
value = 40
resolution = 5
unit = "%"

[[statements]]
id = "notes-gain"
wording = "larger frames carry more"
quantity = "throughput"
subject = { mtu_bytes = 9000 }
baseline = { mtu_bytes = 1500 }
change = "more"
value = 100
unit = "%"

[[statements]]
id = "notes-impossible-gain"
wording = "larger frames carry ten times as much"
quantity = "throughput"
subject = { mtu_bytes = 9000 }
baseline = { mtu_bytes = 1500 }
change = "more"
value = 900
unit = "%"

[[statements]]
id = "notes-mtu-small"
wording = "usual"
quantity = "mtu"
subject = { setting = "usual" }
value = 1500
unit = "byte"

[[statements]]
id = "notes-mtu-large"
wording = "jumbo frames"
quantity = "mtu"
subject = { setting = "jumbo" }
value = 9000
unit = "byte"

[[statements]]
id = "notes-cost-small"
wording = "cost"
quantity = "cpu_consumption"
subject = { side = "receiver", workload = "str-writex30k", mtu_bytes = 1500 }
value = 30000
unit = "µs/Gbit"
resolution = 100

[[statements]]
id = "notes-cost-large"
wording = "cost"
quantity = "cpu_consumption"
subject = { side = "receiver", workload = "str-writex30k", mtu_bytes = 9000 }
value = 1
unit = "µs/Gbit"
resolution = 1
"""
HEAD = 'title = "mine"\n[[stages]]\nname = "wire"\nkind = "link"\n'
CPU = 'title = "mine"\n[[stages]]\nname = "cpu"\nkind = "protocol-cpu"\nside = "server"\n'

Declare = Callable[..., dict[str, Any]]


@pytest.fixture
def declare(tmp_path: Path) -> Iterator[Declare]:
    """Makes a path from the text of a declaration, in a directory with statements."""
    (tmp_path / "statements").mkdir()
    (tmp_path / "statements" / "notes.toml").write_text(STATEMENTS, encoding="utf-8")
    directory = tmp_path / "calibrations" / "paths"
    directory.mkdir(parents=True)
    register_data(tmp_path)

    def made(text: str, **others: str) -> dict[str, Any]:
        for name, content in {"mine": text, **others}.items():
            (directory / f"{name}.toml").write_text(content, encoding="utf-8")
        return calibrated_documents("paths", ["mine"])["paths", "mine"]

    yield made
    unregister_data(tmp_path)


def test_a_statement_becomes_its_figure_with_source_and_place(declare: Declare) -> None:
    (stage,) = declare(HEAD + 'line_rate = { statement = "notes-line", note = "of both" }')[
        "stages"
    ]
    assert stage["line_rate"] == {
        "value": Decimal(10),
        "unit": "Gbit/s",
        "source": "notes",
        "locator": "page 1",
        "grade": "published",
        "note": "of both; statement notes-line",
    }


def test_a_citation_gives_source_and_place_to_another_figure(declare: Declare) -> None:
    text = HEAD + (
        '[stages.line_rate]\nvalue = 9\nunit = "Gbit/s"\ncites = "notes-line"\n'
        'grade = "assumed"\nnote = "nine in ten"\n'
    )
    (stage,) = declare(text)["stages"]
    rate = stage["line_rate"]
    assert (rate["value"], rate["source"], rate["locator"]) == (9, "notes", "page 1")
    assert rate["note"] == "nine in ten; statement notes-line"


def test_a_cell_becomes_the_figure_that_a_dataset_prints(declare: Declare) -> None:
    text = HEAD.replace('"link"', '"protocol-cpu"') + (
        'both.per_byte = { value = 1, unit = "ns", cites = "notes-line" }\n[stages.servers]\n'
        'locator = "below the table"\n[stages.servers.cell]\ndataset = "zvm-layer2-layer3"\n'
        'table = "footers"\nwhere = { table = [11, 12] }\ncolumn = "virtual_cpu_count"\n'
    )
    (stage,) = declare(text)["stages"]
    servers = stage["servers"]
    assert (servers["value"], servers["unit"], servers["locator"]) == (3, "1", "below the table")
    with pytest.raises(ParseError, match=r"stages\.0\.servers: cells of virtual_cpu_count must"):
        declare(text.replace("[11, 12]", "[10, 11]"))


def test_rates_of_a_table_bound_an_adapter_from_below_by_their_resolution() -> None:
    """157.0 MiB/s is the fastest of table 12, in whole numbers: 1440 byte take at most this."""
    document = calibrated_documents("adapters", ["osa-express2-10gbe"])
    (_, _, frames) = document["adapters", "osa-express2-10gbe"]["in"]["vertices"]
    time_s = float(frames["per_frame"].removesuffix(" µs")) * 1e-6
    assert time_s == pytest.approx(1440 / (156.5 * 2**20), rel=1e-9)


def test_like_takes_the_tables_of_another_declaration(declare: Declare) -> None:
    base = (
        HEAD + 'line_rate = { statement = "notes-line" }\n[client]\nadapter = "osa-express2-1gbe"\n'
    )
    result = declare('like = "base"\ntitle = "other"\nlink = "link-10gbe"\n', base=base)
    assert (result["title"], result["client"]) == ("other", {"adapter": "osa-express2-1gbe"})
    with pytest.raises(ParseError, match=r"mine\.toml: like: .*did you mean base"):
        declare('like = "bas"\n', base=base)
    with pytest.raises(ParseError, match="refers back to this declaration"):
        declare('like = "base"\n', base='like = "mine"\n')


def test_like_joins_tables_of_an_array_by_their_name(declare: Declare) -> None:
    base = (
        HEAD
        + 'line_rate = { statement = "notes-line" }\nnote = "of each port"\n'
        + '[[stages]]\nname = "cable"\nkind = "fibre"\ndistance = "5 km"\n'
        + '[[stages]]\nname = "left-out"\nkind = "fibre"\ndistance = "9 km"\n'
    )
    own = 'like = "base"\n[[stages]]\nname = "cable"\n'
    own += '[[stages]]\nname = "wire"\nservers = { value = 2, unit = "1" }\n'
    own += '[[stages]]\nname = "second"\nkind = "link"\nline_rate = "1 Gbit/s"\n'
    own += '[defaults]\nsource = "lab"\nlocator = "page 1"\ngrade = "measured"\n'
    cable, wire, second = declare(own, base=base)["stages"]
    assert cable == {"name": "cable", "kind": "fibre", "distance": "5 km"}
    assert wire["line_rate"]["value"] == 10
    assert (wire["note"], wire["servers"]) == ("of each port", {"value": 2, "unit": "1"})
    assert second == {"name": "second", "kind": "link", "line_rate": "1 Gbit/s"}


def calibrated(*statements: str, more: str = "") -> str:
    ids = ", ".join(f'"{name}"' for name in statements)
    return CPU + (
        f'[stages.in]\nmodel = "host"\nside = "server"\n{more}[[stages.in.calibrated_from]]\n'
        f"statements = [{ids}]\n"
    )


def test_observations_that_contradict_each_other_name_the_table(declare: Declare) -> None:
    """At MTU 9000 a byte costs 1/30000 of what frames of a sixth of the size can explain."""
    with pytest.raises(ContradictionError, match=r"^paths/mine, stages\.0\.in: notes-cost-small"):
        declare(calibrated("notes-cost-small", "notes-cost-large"))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (HEAD + 'line_rate = { statement = "notes-lin" }', "stages.0.line_rate: unknown statement"),
        (
            HEAD + 'line_rate = { statement = "notes-line", grad = "assumed" }',
            "stages.0.line_rate.grad: is not a known key",
        ),
        (HEAD + 'line_rat = { statement = "notes-line" }', "stages.0.line_rat: is not a known key"),
        (
            calibrated("notes-cost-small", more='modl = "x"\n'),
            "stages.0.in.modl: is not a known key",
        ),
        (calibrated("notes-line"), "stages.0.in: statement notes-line is not an observation"),
        (
            calibrated("notes-cost-small") + 'taken_as = "about"\n',
            "stages.0.in.calibrated_from.0.statements: taken_as about needs a reason",
        ),
        (
            calibrated("notes-cost-small").replace('side = "server"\n[[', "[["),
            "stages.0.in: side: belongs to the model host",
        ),
        (
            CPU + '[series]\ndataset = "zvm-layer2-layer3"\ntable = "measurements"\n',
            "series.side: is missing",
        ),
        ("title = ", "not TOML"),
    ],
)
def test_a_fault_names_file_table_and_key(declare: Declare, text: str, problem: str) -> None:
    with pytest.raises(ParseError) as caught:
        declare(text)
    assert "mine.toml: " in str(caught.value)
    assert problem in str(caught.value)


def test_an_adapter_is_a_part_whose_keys_are_known(declare: Declare, tmp_path: Path) -> None:
    own = tmp_path / "calibrations" / "adapters"
    own.mkdir()
    (own / "my-card.toml").write_text('[inn]\nper_frame = "1 µs"\n', encoding="utf-8")
    with pytest.raises(ParseError, match=r"my-card\.toml: inn: is not a known key; known are "):
        calibrated_documents("adapters", ["my-card"])


def test_the_model_of_an_adapter_is_for_adapters(declare: Declare) -> None:
    text = calibrated("notes-cost-small").replace('"host"\nside = "server"', '"adapter"')
    with pytest.raises(ParseError, match=r"stages\.0\.in: the model adapter belongs to records"):
        declare(text)


def test_a_kind_that_does_not_exist_is_refused(declare: Declare, tmp_path: Path) -> None:
    other = tmp_path / "calibrations" / "pathes"
    other.mkdir()
    (other / "mine.toml").write_text('title = "mine"\n', encoding="utf-8")
    with pytest.raises(ParseError, match="unknown kind of records 'pathes'; did you mean paths"):
        calibrated_documents("pathes")


def test_two_directories_cannot_declare_the_same_record(declare: Declare, tmp_path: Path) -> None:
    own = tmp_path / "calibrations" / "paths" / "zvm-vswitch-layer2-1gbe.toml"
    own.write_text(HEAD, encoding="utf-8")
    with pytest.raises(ParseError, match=r"zvm-vswitch-layer2-1gbe\.toml declares the same record"):
        calibrated_inputs()


def test_every_record_names_its_statements() -> None:
    inputs = calibrated_inputs()
    assert inputs["zvm-vswitch-layer2-1gbe"] == ()
    assert set(calibrated_inputs("adapters")) < set(inputs)


@pytest.mark.parametrize(
    "like", ['"../adapters/osa-express2-1gbe"', '"a/b"', "1", "[1]", '"\\u0000"']
)
def test_like_is_the_name_of_a_declaration(like: str, tmp_path: Path) -> None:
    folder = tmp_path / "calibrations" / "paths"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text(f"like = {like}\n", encoding="utf-8")
    register_data(tmp_path)
    try:
        with pytest.raises(ParseError, match=r"mine\.toml: like: unknown declaration"):
            declarations()
    finally:
        unregister_data(tmp_path)
