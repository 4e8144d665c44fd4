"""Records of paths: adapters and hosts at two ends, and the stages between them."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from netmodel.consumption import Side
from netmodel.records.equipment import Adapter, CpuTimeBasis, Fact, Host, Record
from netmodel.records.files import catalog_files, kept_record, record_files, unknown_record
from netmodel.records.stages import PathStage
from netmodel.records.values import (
    FROZEN,
    CpuNumberValue,
    SizeValue,
    SmtGainValue,
    Text,
    WholeValue,
)

Member = TypeVar("Member", bound=Record)

_RESERVED_NAMES = frozenset({"window", "loss", "connections"})
"""Names of limits in a prediction that are neither stages nor pools."""


PathEnd = dict[Literal["adapter", "host"], Text]
"""Ids of the equipment at one end of a path."""


class PathPool(BaseModel):
    """
    CPUs that several stages share.

    Parameters
    ----------
    side : Side, optional
        The end to which they belong; absent for a machine between the ends.
    core_count : Value
        Number of cores; a fraction where a partition is entitled to a fraction.
    threads_per_core : Value, optional
        Number of threads of each core.
    smt_gain : Value, optional
        Throughput of a core with two busy threads over that with one, from 1 to 2.
    cpu_time_basis : {"core", "thread"}, optional
        Unit of the CPU times of its stages, as of a `Host`.
    """

    model_config = FROZEN

    side: Side | None = None
    core_count: CpuNumberValue
    threads_per_core: WholeValue | None = None
    smt_gain: SmtGainValue | None = None
    cpu_time_basis: CpuTimeBasis | None = None


def _with_ids(tables: Any) -> Any:
    """Tables by id as records of the catalog; title and kind (own) may be left out."""
    if not isinstance(tables, Mapping):
        return tables
    records = dict(tables)
    for name, table in tables.items():
        if isinstance(table, Mapping):
            records[name] = {"title": name, "kind": "own", **table, "id": name}
    return records


ById = Annotated[
    dict[str, Member], BeforeValidator(_with_ids, json_schema_input_type=dict[str, Any])
]


class PathRecord(Record):
    """
    A path between a client and a server: equipment at its ends, and the stages between.

    Parameters
    ----------
    id : str
        Name of its file without the ending.
    title : str
        One-line description.
    description : str, optional
        Further description.
    unknown : tuple of str
        Properties that no source reports.
    client, server : mapping of str to str
        Ids of the adapter and the host at the ends, where they have them.
    window : Value, optional
        Largest payload in flight of a connection.
    stages : tuple of PathStage
        In order from the client to the server. At least one, unless both ends
        have adapters.
    pools : mapping of str to PathPool
        CPUs that stages share, by name.
    measured_with : mapping of str to Fact
        Settings under which its figures were measured.
    adapters, hosts : mapping
        Your own records by id, which take precedence over those of the catalog. Their
        title and kind may be left out.

    Raises
    ------
    pydantic.ValidationError
        If the parts do not belong together. `path_record` raises
        `ParseError` instead.

    Examples
    --------
    >>> from netmodel.records import path_record
    >>> path = path_record("worked-closed-network")
    >>> [stage.name for stage in path.stages][:3]
    ['client-cpu', 'client-queue', 'client-osa']
    >>> path.stages[1].times("to_client").quoted.per_message.time_s
    6e-06
    """

    client: PathEnd = Field(default_factory=dict)
    server: PathEnd = Field(default_factory=dict)
    window: SizeValue | None = None
    stages: tuple[PathStage, ...] = ()
    pools: dict[str, PathPool] = Field(default_factory=dict)
    measured_with: dict[str, Fact] = Field(default_factory=dict)
    adapters: ById[Adapter] = Field(default_factory=dict)
    hosts: ById[Host] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _parts_belong_together(self) -> Self:
        ends = {"client": self.client, "server": self.server}
        if not self.stages and ("adapter" in self.client) is not ("adapter" in self.server):
            raise ValueError("stages: at least one is needed unless both ends have adapters")
        names = [*_RESERVED_NAMES, *self.pools, *(stage.name for stage in self.stages)]
        if twice := [name for name in names if names.count(name) > 1]:
            raise ValueError(f"{twice[0]!r} is the name of two limits: give one another name")
        for number, stage in enumerate(self.stages, start=1):
            if stage.pool is None:
                continue
            place = f'stages {number} "{stage.name}".pool'
            if stage.pool not in self.pools:
                raise ValueError(f"{place}: {unknown_record('pool', stage.pool, self.pools)}")
            side = self.pools[stage.pool].side
            if None not in (side, stage.side) and side is not stage.side:
                raise ValueError(f"{place}: {stage.pool!r} belongs to the other side")
        for place, kind, name in ((end, *each) for end, of in ends.items() for each in of.items()):
            own = getattr(self, f"{kind}s")
            if name not in own and not record_files(f"{kind}s", name):
                known = {*own, *catalog_files(f"{kind}s")}
                raise ValueError(f"{place}.{kind}: {unknown_record(kind, name, known)}")
        return self

    def adapter(self, side: Side) -> Adapter | None:
        """Return the adapter of a side: the path's own, else that of the catalog."""
        return self._resolved(side, "adapter", Adapter)

    def host(self, side: Side) -> Host | None:
        """Return the host of a side: the path's own, else that of the catalog."""
        return self._resolved(side, "host", Host)

    def _resolved(self, side: Side, kind: str, model: type[Member]) -> Member | None:
        name = getattr(self, side.value).get(kind)
        own: Mapping[str, Member] = getattr(self, f"{kind}s")
        if name is None or name in own:
            return own.get(name)
        found: Member = kept_record(model, record_files(f"{kind}s", name))
        return found

    def _rows(self) -> Iterator[tuple[str, str]]:
        for name, end in (("client", self.client), ("server", self.server)):
            if ids := [f"{kind} {each}" for kind, each in end.items()]:
                yield name, ", ".join(ids)
        if self.stages:
            yield "stages", ", ".join(str(stage) for stage in self.stages)
        yield from super()._rows()
