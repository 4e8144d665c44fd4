"""Workloads: what is published of them, who sends, and files of your own."""

from pathlib import Path

import pytest

from netmodel.consumption import Side
from netmodel.errors import AmbiguousValueError, UnknownRecordError
from netmodel.grades import Grade
from netmodel.records import document, workload
from netmodel.records.lookup import document_ids

DEFAULTS = '[defaults]\nsource = "my notes"\nlocator = "page 3"\ngrade = "measured"\n'


def written(directory: Path, text: str, name: str = "mine.toml") -> Path:
    path = directory / name
    path.write_text(text, encoding="utf-8")
    return path


def size(name: str, number: object, unit: str = "byte") -> str:
    return f'[{name}]\nvalue = {number}\nunit = "{unit}"\n'


def size_range(name: str, low: int, high: int) -> str:
    return f'[{name}]\nrelation = "range"\nlow = {low}\nhigh = {high}\nunit = "byte"\n'


def request_response(*sizes: str) -> str:
    return "\n".join(['title = "mine"\nkind = "request_response"', DEFAULTS, *sizes])


@pytest.mark.parametrize(
    ("name", "request_bytes", "response_bytes", "write_bytes", "sender"),
    [
        ("rr1c-200x1000", 200, 1000, 1000, Side.SERVER),
        ("rr1c-200x30k", 200, 30720, 30720, Side.SERVER),
        ("str-writex30k", 30720, 0, 30720, Side.CLIENT),
        ("awm-rr", 200, 1000, 1000, Side.SERVER),
        ("smc-rr-1k", 1024, 1024, 1024, Side.CLIENT),
        ("smc-rr-32k", 32768, 32768, 32768, Side.CLIENT),
    ],
)
def test_published_messages(
    name: str, request_bytes: int, response_bytes: int, write_bytes: int, sender: Side
) -> None:
    load = workload(name)
    assert (load.request_bytes, load.response_bytes) == (request_bytes, response_bytes)
    assert (load.write_bytes, load.sender) == (write_bytes, sender)
    assert load.request_bytes_bounds == (request_bytes, request_bytes)


@pytest.mark.parametrize(("name", "request_bytes"), [("awm-str", 20), ("smc-str-20m", 1)])
def test_20_mb_that_may_be_mib_stay_a_range(name: str, request_bytes: int) -> None:
    load = workload(name)
    assert load.kind == "streaming"
    assert load.sender is Side.SERVER
    assert load.request_bytes == request_bytes
    assert load.response_bytes_bounds == (20 * 10**6, 20 * 2**20)
    with pytest.raises(AmbiguousValueError, match=f"{name}.*20000000 to 20971520 byte"):
        _ = load.response_bytes
    with pytest.raises(AmbiguousValueError, match="use response_bytes_bounds"):
        _ = load.write_bytes


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("rr1c-200x1000", (1, 10, 50, 250)),
        ("rr1c-200x30k", (1, 10, 50, 250)),
        ("str-writex30k", (1, 10, 50, 250)),
        ("awm-rr", (1, 10, 50)),
        ("awm-str", (1, 10, 50)),
        ("smc-rr-1k", (10,)),
        ("smc-rr-32k", (10,)),
        ("smc-str-20m", (1, 3)),
    ],
)
def test_published_connections(name: str, counts: tuple[int, ...]) -> None:
    assert workload(name).connection_counts == counts


def test_a_kilobyte_that_is_not_defined_is_graded_as_assumed() -> None:
    load = workload("smc-rr-32k")
    assert load.request is not None
    assert load.request.grade is Grade.ASSUMED
    assert "32KB" in str(load.request.note)


def test_documents_are_found_by_id() -> None:
    assert {"adapter", "zvm", "smcr-distance", "kvm", "powervm"} <= set(document_ids())
    assert document("adapter").year == 2021
    assert document("kvm").year is None
    assert str(document("smcr-distance")).endswith('SMC-R over distance", IBM, 2014')
    with pytest.raises(
        UnknownRecordError, match="unknown document 'adaptor'; did you mean adapter"
    ):
        document("adaptor")


def test_a_workload_of_ones_own(tmp_path: Path) -> None:
    text = request_response(size("request", 64), size("response", 8, "KiB"))
    load = workload(written(tmp_path, text, "web.toml"))
    assert (load.id, load.request_bytes, load.response_bytes) == ("web", 64, 8192)
    assert load.connection_counts == ()
    assert load.request is not None
    assert load.request.provenance == "measured; my notes, page 3"


@pytest.mark.parametrize(
    ("asked", "answered", "sender"),
    [
        ((100, 100), (101, 200), Side.SERVER),
        ((100, 100), (90, 100), Side.CLIENT),
        ((100, 100), (1, 10), Side.CLIENT),
        ((100, 100), (99, 101), None),
        ((99, 101), (100, 100), None),
        ((99, 101), (99, 101), Side.CLIENT),
    ],
)
def test_the_sender_of_vague_sizes(
    tmp_path: Path, asked: tuple[int, int], answered: tuple[int, int], sender: Side | None
) -> None:
    sizes = size_range("request", *asked), size_range("response", *answered)
    load = workload(written(tmp_path, request_response(*sizes)))
    if sender:
        assert load.sender is sender
    else:
        with pytest.raises(AmbiguousValueError, match="sender of mine may be either side"):
            _ = load.sender
