"""Tables of declarations of calibrated records, which name a source in place of figures."""

from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    model_validator,
)

from netmodel.calibration._declarations import cells_of
from netmodel.consumption import Side
from netmodel.records import Grade, Relation
from netmodel.records._datasets import Lookup
from netmodel.records._stages import StageKind
from netmodel.records._values import FROZEN, Text

_Cell: TypeAlias = int | float | str


Where: TypeAlias = Mapping[
    Text, Annotated[tuple[_Cell, ...], BeforeValidator(cells_of), Field(min_length=1)]
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
    """The figure of a statement."""

    model_config = FROZEN

    statement: Text
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
