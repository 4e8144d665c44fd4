"""
Sources of calibrated records, as TOML files below ``calibrations/<kind>`` declare them.

A declaration is the record itself, in which some tables name a source in place of figures:

``statement``        the figure of a published statement, with its source and place
``cell``             the figure of a cell of a dataset, with its source and place
``cites``            source and place of a statement, for a figure that stands beside the key
``gain``             service times relative to a byte, from the gain of a larger MTU
``calibrated_from``  service times that observations allow
``series``           stages and their CPU cost, from tables at several MTUs and connection counts

``like`` names another declaration of the same directory, whose tables serve where this one has
none. In an array of tables, such as ``stages``, each table with a ``name`` has the keys that it
lacks from the table of that name there; those that are not listed are left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self, TypeAlias, TypeGuard

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    model_validator,
)

from netmodel._reading import is_file
from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.records import Grade, Relation
from netmodel.records._datasets import Lookup
from netmodel.records._load import data_roots, read_toml, unknown_record
from netmodel.records._stages import StageKind
from netmodel.records._values import FROZEN, Text

DIRECTORY = "calibrations"
Document: TypeAlias = dict[str, Any]
"""Tables of a TOML file; `netmodel.records.record_text` takes them."""
Key: TypeAlias = tuple[str, str]
"""Kind and id of a record."""

_Cell: TypeAlias = int | float | str


def _cells(wanted: object) -> tuple[object, ...]:
    return tuple(wanted) if isinstance(wanted, list | tuple) else (wanted,)


Where: TypeAlias = Mapping[
    Text, Annotated[tuple[_Cell, ...], BeforeValidator(_cells), Field(min_length=1)]
]
"""Values of columns of the chosen rows: a single one, or alternatives."""


class TakenAs(Enum):
    """
    How to read a figure, where that differs from its words.

    ``ABOUT`` extends its lower end by the tolerance of "about"; ``LOWER_BOUND`` means that it was
    reached, and more may be possible.
    """

    ABOUT = "about"
    LOWER_BOUND = "lower_bound"


class _Source(BaseModel):
    model_config = FROZEN

    taken_as: TakenAs | None = None
    reason: Text | None = None

    @model_validator(mode="after")
    def _says_why(self) -> Self:
        if self.taken_as is not None and self.reason is None:
            raise ValueError(f"taken_as {self.taken_as.value} needs a reason")
        return self


class StatementSource(_Source):
    """Observations from published statements, by their ids."""

    statements: Annotated[tuple[Text, ...], Field(min_length=1)]


class DatasetSource(_Source):
    """Observations from columns of some rows of a dataset; `resolution` replaces their digits."""

    dataset: Text
    table: Text
    where: Where = {}
    columns: Annotated[tuple[Text, ...], Field(min_length=1)]
    conditions: tuple[Text, ...]
    resolution: Text | None = None
    locator: Text


def _tag(source: object) -> str:
    return "statements" if isinstance(source, Mapping) and "statements" in source else "dataset"


Source: TypeAlias = Annotated[
    Annotated[StatementSource, Tag("statements")] | Annotated[DatasetSource, Tag("dataset")],
    Discriminator(_tag),
]


class CalibratedTimes(BaseModel):
    """
    Times per frame and byte that observations allow.

    The model ``adapter`` is of one direction of the adapter that the record is of, ``host`` of
    the CPUs of a side. `assumed` names assumptions besides the observations.
    """

    model_config = FROZEN

    calibrated_from: Annotated[tuple[Source, ...], Field(min_length=1)]
    model: Literal["adapter", "host"]
    side: Side | None = None
    assumed: Text | None = None

    @model_validator(mode="after")
    def _has_the_side_of_its_cpus(self) -> Self:
        if (self.model == "host") != (self.side is not None):
            raise ValueError("side: belongs to the model host, which needs it")
        return self


class StatementFigure(BaseModel):
    """The figure of a statement; `as_ratio` makes a change in per cent a factor."""

    model_config = FROZEN

    statement: Text
    as_ratio: bool = False
    relation: Relation | None = None
    note: Text | None = None


class _Cells(BaseModel):
    model_config = FROZEN

    dataset: Text
    table: Text
    where: Where = {}
    column: Text


class CellFigure(BaseModel):
    """The figure that cells of a dataset print, the same in each of them."""

    model_config = FROZEN

    cell: _Cells
    unit: Text = "1"
    locator: Text
    grade: Grade = Grade.PUBLISHED
    note: Text | None = None


class Citation(BaseModel):
    """Source and place of a statement, beside other keys of a figure or of defaults."""

    model_config = ConfigDict(frozen=True, extra="allow")

    cites: Text
    note: Text | None = None


class _Gain(BaseModel):
    model_config = FROZEN

    statement: Text
    mtu: StatementFigure
    reference_mtu: StatementFigure


class GainTimes(BaseModel):
    """
    Times of a frame relative to a byte, from the gain of an MTU over a smaller MTU.

    Parameters
    ----------
    gain : table
        The statement on the gain, and those on both MTUs.
    per_byte : str
        Placeholder for the unknown time of a byte.
    """

    model_config = FROZEN

    gain: _Gain
    per_byte: Text


class WorkloadColumns(BaseModel):
    """Rows of one workload in a series, and their column of CPU time of all parts together."""

    model_config = FROZEN

    where: Where
    total: Text


class SeriesPart(BaseModel):
    """A stage that takes a part of the CPU time; `servers` counts CPUs that it alone may use."""

    model_config = FROZEN

    name: Text
    kind: StageKind
    streams: Text
    requests: Text | None = None
    servers: Lookup | None = None
    servers_note: Text | None = None


class SeriesFrameLimit(BaseModel):
    """A stage for the frame rate that several streams stop at while line and CPUs have room."""

    model_config = FROZEN

    name: Text
    kind: StageKind


class SeriesDemands(BaseModel):
    """
    Columns from which demands of the whole path over connections are fitted.

    Parameters
    ----------
    requests, streams : str
        Columns of the rates of requests and of streams.
    by : tuple of str
        Columns that separate one series from another. Errors of the forms come from all
        series of the table that have more figures than parameters.
    """

    model_config = FROZEN

    requests: Text
    streams: Text
    by: Annotated[tuple[Text, ...], Field(min_length=1)]


class Series(BaseModel):
    """
    Rates and CPU cost of one path in tables, at one MTU or several, by connection count.

    Parameters
    ----------
    dataset, table, where
        The rows of the path.
    side : Side
        The end whose CPU time they have, and which receives the streams.
    line_rate : str
        MAC rate of the line that the path ends at.
    rate : str
        Column of the throughput of streams.
    streams, requests : WorkloadColumns
        Rows of each workload; requests may be absent.
    cpu_count : Lookup
        CPUs of the machine, in another table.
    parts : tuple of SeriesPart
        Stages among which the CPU time is divided.
    frame_limit : SeriesFrameLimit, optional
        Stage with the limit of frames that the rates show, if they do.
    demands : SeriesDemands, optional
        What the expected values over connections are fitted from.
    """

    model_config = FROZEN

    dataset: Text
    table: Text
    where: Where = {}
    side: Side
    line_rate: Text
    rate: Text
    streams: WorkloadColumns
    requests: WorkloadColumns | None = None
    cpu_count: Lookup
    parts: Annotated[tuple[SeriesPart, ...], Field(min_length=1)]
    frame_limit: SeriesFrameLimit | None = None
    demands: SeriesDemands | None = None

    @model_validator(mode="after")
    def _parts_have_the_requests(self) -> Self:
        for number, part in enumerate(self.parts):
            if (part.requests is None) != (self.requests is None):
                raise ValueError(f"parts.{number}.requests: belongs to a table requests beside it")
        return self


class Declaration(NamedTuple):
    """What one file declares, with `like` resolved; `root` is the directory of data it lies in."""

    kind: str
    id: str
    root: Path
    path: str
    document: Document

    @property
    def key(self) -> Key:
        return self.kind, self.id

    @property
    def statement_ids(self) -> tuple[str, ...]:
        """Ids of the statements that the record is made from, in the order of the file."""
        return tuple(dict.fromkeys(_statement_ids(self.document)))

    @property
    def cell_texts(self) -> tuple[str, ...]:
        """Cells of datasets that the record is made from, in words, in the order of the file."""
        return tuple(dict.fromkeys(_cell_texts(self.document)))


def declarations() -> dict[Key, Declaration]:
    """
    Declarations of the bundled data and of registered directories, by kind and id.

    Raises
    ------
    ParseError
        If a file is not TOML, two declare the same record, or `like` names none.
    """
    result: dict[Key, Declaration] = {}
    for root in data_roots():
        for path in sorted((root / DIRECTORY).glob("*/*.toml")):
            key = path.parent.name, path.stem
            if key in result:
                raise ParseError(str(path), f"{result[key].path} declares the same record")
            result[key] = Declaration(*key, root, str(path), _with_like(path))
    return result


def _with_like(path: Path, seen: tuple[Path, ...] = ()) -> Document:
    """The tables of a file over those of the declaration that it is like."""
    document = read_toml(str(path))
    like = document.pop("like", None)
    if like is None:
        return document
    is_name = isinstance(like, str) and Path(like).name == like
    base = path.parent / f"{like}.toml"
    if base in (*seen, path):
        raise ParseError(str(path), f"like: {like!r} refers back to this declaration")
    if not is_name or not is_file(base):
        known = [each.stem for each in path.parent.glob("*.toml") if each != path]
        raise ParseError(str(path), f"like: {unknown_record('declaration', str(like), known)}")
    return _over(_with_like(base, (*seen, path)), document)


def _over(base: Mapping[str, Any], own: Mapping[str, Any]) -> Document:
    """Own keys over those of the base; tables are joined, and tables of arrays by their name."""
    joined = dict(base)
    for key, value in own.items():
        below = base.get(key)
        if isinstance(value, Mapping) and isinstance(below, Mapping):
            joined[key] = _over(below, value)
        elif _are_tables(value) and _are_tables(below):
            # the own array decides which tables there are, and in which order
            named = {str(each["name"]): each for each in below if "name" in each}
            joined[key] = [_over(named.get(str(each.get("name")), {}), each) for each in value]
        else:
            joined[key] = value
    return joined


def _are_tables(value: object) -> TypeGuard[list[Mapping[str, Any]]]:
    return isinstance(value, list) and all(isinstance(each, Mapping) for each in value)


def _statement_ids(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key in ("statement", "cites") and isinstance(inner, str):
                yield inner
            elif key == "statements" and isinstance(inner, Sequence):
                yield from (each for each in inner if isinstance(each, str))
            else:
                yield from _statement_ids(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _statement_ids(inner)


def _cell_texts(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        if isinstance(value.get("dataset"), str) and isinstance(value.get("table"), str):
            where = ", ".join(
                f"{name} {' '.join(map(str, _cells(wanted)))}"
                for name, wanted in value.get("where", {}).items()
            )
            yield f"{value['table']} of {value['dataset']}" + (f" ({where})" if where else "")
        for inner in value.values():
            yield from _cell_texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _cell_texts(inner)
