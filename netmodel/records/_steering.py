"""Records of what receive packet steering changes over connections."""

from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, Field, PlainSerializer, model_validator

from netmodel.records._load import Stamped, catalog_files, read_record, stamped
from netmodel.records._values import FROZEN, FrozenMapping, Text

KIND = "steering"
"""Directory of these records."""
_CACHED_COUNT = 16
"""Records kept in memory: more than anyone has workloads."""

Row = tuple[Decimal, ...]


class LeftOutRange(BaseModel):
    """What the other statements predict for one that is left out, in one run; a ratio."""

    model_config = FROZEN

    statement: Text
    low: Decimal
    value: Decimal
    high: Decimal


class SteeringRecord(BaseModel):
    """
    What RPS changes for a workload, from runs with and without it on like hosts.

    Parameters
    ----------
    id, title, workload : str
        Of the record, and of the catalog.
    cpu_count : int
        CPUs of each host, all of which packets were steered to.
    connection_counts : tuple of int
        The numbers of connections that were compared.
    queue_counts : mapping of str to int
        Receive queues by id of the adapter.
    columns : tuple of str
        Names of the shares in each sample.
    samples : mapping of str to tuple of tuple of decimal.Decimal
        By id of the adapter, its shares: those of the best fit, then those of refits to
        figures that scatter. Samples of one place belong together.
    scatter_ratio : decimal.Decimal
        How far a run is from the expected value: the misfit of the best fit, a standard deviation.
    left_out : tuple of LeftOutRange
        Of each statement what the others predict.
    statements : tuple of str
        Ids of the statements that it was made from.
    """

    model_config = FROZEN

    id: Text
    title: Text
    workload: Text
    cpu_count: Annotated[int, Field(ge=2)]
    connection_counts: tuple[int, ...]
    queue_counts: Annotated[Mapping[str, int], AfterValidator(FrozenMapping), PlainSerializer(dict)]
    columns: tuple[Text, ...]
    samples: Annotated[
        Mapping[str, tuple[Row, ...]], AfterValidator(FrozenMapping), PlainSerializer(dict)
    ]
    scatter_ratio: Decimal
    left_out: tuple[LeftOutRange, ...] = ()
    statements: tuple[Text, ...]

    @model_validator(mode="after")
    def _has_all_samples(self) -> Self:
        sizes = {len(rows) for rows in self.samples.values()}
        widths = {len(row) for rows in self.samples.values() for row in rows}
        if self.samples.keys() != self.queue_counts.keys() or len(sizes) != 1:
            raise ValueError("samples: each adapter of queue_counts needs as many")
        if widths != {len(self.columns)}:
            raise ValueError("samples: each needs a number for each of columns")
        return self


def steering_records() -> tuple[SteeringRecord, ...]:
    """All of them, of the bundled data and of registered directories."""
    return tuple(_read(stamped(files)) for files in catalog_files(KIND).values())


@lru_cache(maxsize=_CACHED_COUNT)
def _read(files: tuple[Stamped, ...]) -> SteeringRecord:
    return read_record([file for file, *_ in files], SteeringRecord)
