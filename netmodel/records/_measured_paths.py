"""Which path the figures of a dataset or of statements are of."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, PlainSerializer

from netmodel.records._mapping import FrozenMapping
from netmodel.records._values import FROZEN, Text

__all__ = ["MeasuredPath", "MeasuredRows"]


class MeasuredPath(BaseModel):
    """
    A path of the catalog that figures were measured over.

    Parameters
    ----------
    path : str
        Id of the path.
    where : mapping of str to str or int
        Which figures: parts of the subject of a statement, or columns of a
        table, and what each of them has to be. At least one.

    Examples
    --------
    >>> linked = MeasuredPath(path="my-bridge", where={"setting": "two guests"})
    >>> linked.where["setting"]
    'two guests'
    """

    model_config = FROZEN

    path: Text
    where: Annotated[
        Mapping[str, Text | int],
        Field(min_length=1),
        AfterValidator(FrozenMapping),
        PlainSerializer(dict),
    ]


class MeasuredRows(MeasuredPath):
    """
    A path of the catalog that rows of a table were measured over.

    Parameters
    ----------
    path, where
        See `MeasuredPath`.
    file : str
        Name of the table's file, without the ending.
    """

    file: Text
