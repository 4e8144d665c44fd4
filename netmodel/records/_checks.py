"""Which columns of a table have to agree with each other, as a dataset declares it."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from netmodel.records._values import FROZEN, Text

__all__ = [
    "CeilingCheck",
    "ChangeCheck",
    "Check",
    "IdentifierCheck",
    "LittleCheck",
    "Lookup",
    "PartsCheck",
    "QuantisedCheck",
    "UnitCheck",
    "UtilisationCheck",
]


class _Check(BaseModel):
    model_config = FROZEN

    file: Text


class Lookup(BaseModel):
    """
    A value in another file, in the row with the same key.

    Parameters
    ----------
    file : str
        Name of the file, without the ending.
    key : str
        Column that both files have.
    column : str
        Column of the value.
    """

    model_config = FROZEN

    file: Text
    key: Text
    column: Text


class PartsCheck(_Check):
    """
    Costs that add up to a total cost, column by column.

    With a rate and a number of CPUs, the audit says where whole per cents of
    the machine, from which the costs may have been computed, explain a sum.
    """

    kind: Literal["parts"] = "parts"
    total: Text
    parts: Annotated[tuple[Text, ...], Field(min_length=1)]
    rate: Text | None = None
    cpu_count: Lookup | Text | None = None


class UtilisationCheck(_Check):
    """A rate whose cost in CPU time must not need more CPUs than there are."""

    kind: Literal["utilisation"] = "utilisation"
    rate: Text
    cost: Text
    cpu_count: Lookup | Text


class LittleCheck(_Check):
    """Rate times time of transactions, which is the mean number of connections that wait."""

    kind: Literal["littles_law"] = "littles_law"
    rate: Text
    time: Text
    connection_count: Text


class ChangeCheck(_Check):
    """
    Printed percentages against the figures that they compare.

    The rows of `file` that `where` picks, and whose cell of the column of
    `matches` is that of the other file, name a quantity of `figures` and its
    change from the row with `before` to the row with `after` in the column
    `compared`, both with the same `keys`.
    """

    kind: Literal["change"] = "change"
    change: Text
    quantity: Text
    figures: Text
    keys: tuple[Text, ...]
    compared: Text
    before: Text
    after: Text
    where: dict[str, str] = Field(default_factory=dict)
    matches: Lookup | None = None


class CeilingCheck(_Check):
    """Payload rates against what their line carries."""

    kind: Literal["ceiling"] = "ceiling"
    rate: Text
    line_rate: Text
    mtu: Text


class UnitCheck(_Check):
    """Payload rates in an ambiguous unit, some of which fill the line."""

    kind: Literal["unit"] = "unit"
    rate: Text
    line_rate: Text
    mtu: Text
    group: tuple[Text, ...]


class IdentifierCheck(_Check):
    """A column that names each row once, in one pattern for each group."""

    kind: Literal["identifier"] = "identifier"
    column: Text
    group: tuple[Text, ...] = ()


class QuantisedCheck(_Check):
    """A cost that may have been computed from whole per cents of a CPU, or of all CPUs."""

    kind: Literal["quantised"] = "quantised"
    rate: Text
    cost: Text
    group: tuple[Text, ...]
    cpu_count: Lookup | Text | None = None


Check = Annotated[
    PartsCheck
    | UtilisationCheck
    | LittleCheck
    | ChangeCheck
    | CeilingCheck
    | UnitCheck
    | IdentifierCheck
    | QuantisedCheck,
    Field(discriminator="kind"),
]
