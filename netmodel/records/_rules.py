"""
What a published statement is computed from: the rules that a file of statements may nest.

A file writes a rule as a table whose key ``rule`` names it. Where a rule takes another one, a
number or a quantity in text may stand for it: ``2``, ``"25 Gbit/s"``.
"""

import difflib
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Literal, Self, TypeAlias, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Discriminator,
    Field,
    PlainSerializer,
    Tag,
    model_validator,
)
from typing_extensions import TypeAliasType

from netmodel._printable import quoted
from netmodel.records._figures import number_as_printed
from netmodel.records._values import FROZEN, FrozenMapping, Text

TCP_HEADERS = "ipv4/tcp+timestamps"
"""Headers where a statement names none: those that Linux uses unless timestamps are turned off."""


def _number_or_text(given: object) -> Decimal | str:
    if not isinstance(given, str):
        return number_as_printed(given)
    if not given.strip():
        raise ValueError("must not be empty")
    return given


def _several(given: object) -> object:
    return given if isinstance(given, list | tuple) else (given,)


NumberOrText: TypeAlias = Annotated[Decimal | str, BeforeValidator(_number_or_text)]


class Rule(BaseModel):
    """
    What every rule may have.

    Parameters
    ----------
    because : str, optional
        What a reader should know of this step, printed behind how it was computed.
    counts_as : str, optional
        Of the outermost rule, where the rules cannot know it: ``derived`` where the figure
        follows from inputs alone, ``notation`` where only its writing is checked, ``look_up``
        where the document prints it elsewhere. None of them counts as predicted.
    """

    model_config = FROZEN

    rule: str
    because: Text | None = None
    counts_as: Literal["derived", "notation", "look_up"] | None = None


class Constant(Rule):
    """
    A number, or a quantity with its unit; a file writes it without a table.

    Parameters
    ----------
    value : decimal.Decimal or str
        ``2``, or ``"64 KiB"``.
    """

    rule: Literal["constant"]
    value: NumberOrText


class Figure(Rule):
    """
    A figure of a statement.

    Parameters
    ----------
    statement : str, optional
        Id of another statement, which becomes an input; this one when left out.
    field : str
        ``value``, or a part such as ``given.cores`` or ``subject.line_rate``. The value of a
        change is its ratio: 47 % less is 0.53.
    reading : str
        ``interval``: the interval that the printed figure allows; ``rounded``: the figure within
        its rounding, regardless of its relation; ``printed``: the figure alone.
    unit : str, optional
        How its unit is read, where the printed one is ambiguous: ``KiB`` for ``Kb``.
    also : tuple of str
        Ids of statements that print the same figure again; they are inputs, too.
    """

    rule: Literal["figure"]
    statement: Text | None = None
    field: Text = "value"
    reading: Literal["interval", "rounded", "printed"] = "interval"
    unit: Text | None = None
    also: tuple[Text, ...] = ()


class Record(Rule):
    """
    A figure of a record of the catalog.

    Parameters
    ----------
    kind : str
        ``adapter``, ``host``, ``link`` or ``workload``.
    id : str
        Of the record.
    field : str
        Such as ``buffers.count_default``; of several numbers, as in ``connections.counts``, the
        one nearest to the figure of the statement.
    """

    rule: Literal["record"]
    kind: Literal["adapter", "host", "link", "workload"]
    id: Text
    field: Text


class Distinct(Rule):
    """
    How many different values the statements of the document, or the rows of a table, have.

    Parameters
    ----------
    of : str
        A part of the subjects, such as ``mtu_bytes``, or with `dataset` a column.
    where : mapping of str to str, int or tuple of them
        What other parts of the subjects, or other columns, have to hold.
    dataset, table : str, optional
        Id of the dataset and name of its file.
    """

    rule: Literal["distinct"]
    of: Text
    where: Annotated[
        Mapping[str, Annotated[tuple[NumberOrText, ...], BeforeValidator(_several)]],
        AfterValidator(FrozenMapping),
        PlainSerializer(dict),
    ] = Field(default_factory=dict, validate_default=True)
    dataset: Text | None = None
    table: Text | None = None

    @model_validator(mode="after")
    def _names_a_table(self) -> Self:
        if (self.dataset is None) != (self.table is None):
            raise ValueError("dataset and table belong together")
        return self


class Arithmetic(Rule):
    """Several quantities added, subtracted, multiplied or divided from left to right."""

    rule: Literal["arithmetic"]
    operation: Literal["add", "subtract", "multiply", "divide"]
    of: Annotated[tuple["Operand", ...], Field(min_length=2)]


class Ratio(Rule):
    """What the statement is about, over what it is compared with."""

    rule: Literal["ratio"]
    of: "Operand"
    over: "Operand"


class Members(Rule):
    """The bit mask of numbered CPUs, or how many things are listed, in a part of the statement."""

    rule: Literal["mask", "count"]
    of: Text


class Frame(Rule):
    """
    A part of a full frame.

    Parameters
    ----------
    part : str
        ``payload``, ``overhead``, ``frame`` (on the wire), ``efficiency``, or the name of a field
        of the headers such as ``fcs``.
    mtu_bytes : rule, optional
        That of the subject when left out. [byte]
    headers : str
        As in ``--stack``.
    """

    rule: Literal["frame"]
    part: Text
    mtu_bytes: "Operand | None" = None
    headers: Text = TCP_HEADERS


class Ceiling(Rule):
    """The payload rate that headers leave of a line: of the subject, where not given here."""

    rule: Literal["ceiling"]
    line_rate: "Operand | None" = None
    mtu_bytes: "Operand | None" = None
    headers: Text = TCP_HEADERS


class Frames(Rule):
    """Frames of a message of this many bytes."""

    rule: Literal["frames"]
    of: "Operand"
    mtu_bytes: "Operand | None" = None
    headers: Text = TCP_HEADERS


class Pages(Rule):
    """Memory pages of a packet of this many bytes; pages of 4 KiB where none is given."""

    rule: Literal["pages"]
    of: "Operand"
    page_bytes: "Operand | None" = None


class PathMtu(Rule):
    """
    What hops with an MTU make of the full packets of a sender.

    Parameters
    ----------
    part : str
        ``path_mtu``: largest packet that passes all hops; ``packet``: packet that the sender uses
        in the end; ``needed``: smallest MTU of the last hop at which its full packets pass
        [byte]; ``carried``: 1, or 0 where its full packets stall.
    sender_mtu_bytes : rule
        MTU of the sending interface. [byte]
    hops : tuple of rule
        MTU of each hop, from the sender to the receiver. [byte]
    silent : bool
        Whether hops drop larger packets without an answer, as a MacVTap interface does.
    """

    rule: Literal["path_mtu"]
    part: Literal["path_mtu", "packet", "needed", "carried"]
    sender_mtu_bytes: "Operand"
    hops: Annotated[tuple["Operand", ...], BeforeValidator(_several), Field(min_length=1)]
    silent: Annotated[bool, Field(strict=True)] = False


class OneFrame(Rule):
    """
    No change: request and response are a frame each at both MTUs, so every stage works the same.

    The workload and both MTUs are those of the statement.
    """

    rule: Literal["one_frame"]


class Formula(Rule):
    """
    A formula of netmodel.

    Parameters
    ----------
    name : str
        Package and function, such as ``transport.propagation_round_trip_s``.
    arguments : mapping of str to rule
        By the names of its parameters, in any unit of their kind.
    """

    rule: Literal["formula"]
    name: Annotated[str, Field(pattern=r"^[a-z_]+\.[a-z][a-z0-9_]*$")]
    arguments: Annotated[
        Mapping[str, "Operand"], AfterValidator(FrozenMapping), PlainSerializer(dict)
    ]


class Path(Rule):
    """
    A prediction of a path, or with ``line_share`` its share of what the line alone carries.

    Parameters
    ----------
    side : str
        ``subject``, or ``baseline``: the subject with what the baseline has instead. Its adapters
        are the path; without adapters its line alone is.
    path : str, optional
        Id of a path of the catalog, in place of the adapters.
    workload : str, optional
        Id of a workload; that of the statement when left out.
    mtu_bytes : rule, optional
        That of the statement when left out. [byte]
    quantity : str
        What is predicted: ``throughput``, or over a path of the catalog ``transaction_time``.
    limit_reached : bool
        Over a path of the catalog: whether the statement is about a case in which the limit of
        the path is reached. Otherwise a throughput that is an upper bound excludes larger
        figures only, and a transaction time that is a lower bound smaller ones.
    """

    rule: Literal["path", "line_share"]
    side: Literal["subject", "baseline"] = "subject"
    path: Text | None = None
    workload: Text | None = None
    mtu_bytes: "Operand | None" = None
    quantity: Literal["throughput", "transaction_time"] = "throughput"
    limit_reached: Annotated[bool, Field(strict=True)] = False

    @model_validator(mode="after")
    def _fits_the_path(self) -> Self:
        if self.rule == "line_share" and (self.path or self.quantity != "throughput"):
            raise ValueError("line_share: applies to the throughput between adapters only")
        if self.quantity == "transaction_time" and self.path is None:
            raise ValueError("quantity: a transaction time needs path, a path of the catalog")
        if self.limit_reached and self.path is None:
            raise ValueError("limit_reached: needs path, a path of the catalog")
        return self


class Steering(Rule):
    """
    The change that receive packet steering makes of a request and its response.

    Adapter, workload and number of connections are those of the statement; its quantity is the
    transaction time, the throughput or the CPU cost.
    """

    rule: Literal["steering"]


class Transports(Rule):
    """
    The change that a protocol makes of a request and its response over distance.

    Protocol, workload and distance are those of the statement; its quantity is the latency, the
    transaction time or the throughput.
    """

    rule: Literal["transports"]


class Cells(Rule):
    """
    The range of the selected cells of a measured table.

    Parameters
    ----------
    dataset, table, column : str
        Id of the dataset, name of its file and of the column with the figures.
    where : mapping of str to str, int or tuple of them
        What other columns have to hold; of several values any of them.
    minus : mapping of str to str or int
        Subtract from each cell the one with these values and the same `keys`.
    keys : tuple of str
        Columns that both rows have in common.
    gain : str
        ``more`` where a larger figure is better, ``less`` where a smaller one is: then the signs
        are turned.
    """

    rule: Literal["cells"]
    dataset: Text
    table: Text
    column: Text
    where: Annotated[
        Mapping[str, Annotated[tuple[NumberOrText, ...], BeforeValidator(_several)]],
        AfterValidator(FrozenMapping),
        PlainSerializer(dict),
    ]
    minus: Annotated[
        Mapping[str, NumberOrText], AfterValidator(FrozenMapping), PlainSerializer(dict)
    ] = Field(default_factory=dict, validate_default=True)
    keys: tuple[Text, ...] = ()
    gain: Literal["more", "less"] = "more"


class Reading(Rule):
    """A quantity in a unit that has several readings: the one that comes nearest is meant."""

    rule: Literal["reading"]
    of: "Operand"
    units: Annotated[tuple[Text, ...], Field(min_length=1)]


class Range(Rule):
    """
    From the lower end of one rule to the upper end of another.

    Parameters
    ----------
    low : rule
        The lower end.
    high : rule, optional
        The upper end; open when left out.
    reaches_high : bool
        Whether the upper end itself is possible.
    """

    rule: Literal["range"]
    low: "Operand"
    high: "Operand | None" = None
    reaches_high: bool = True


class Cases(Rule):
    """
    Several cases, each of which the statement has to allow.

    Parameters
    ----------
    of : rule, or tuple of rule
        What is computed.
    names : tuple of str
        Of several rules, in print.
    vary : mapping of str to tuple
        Parts of the subject, such as ``workload`` or ``mtu_bytes``, and their values: every
        combination is a case.
    """

    rule: Literal["cases"]
    of: Annotated[
        tuple["Operand", ...],
        BeforeValidator(_several),
        Field(min_length=1),
    ]
    names: tuple[Text, ...] = ()
    vary: Annotated[
        Mapping[str, Annotated[tuple[Text | int, ...], Field(min_length=1)]],
        AfterValidator(FrozenMapping),
        PlainSerializer(dict),
    ] = Field(default_factory=dict, validate_default=True)


_MODELS: tuple[type[Rule], ...] = (
    Constant,
    Figure,
    Record,
    Distinct,
    Arithmetic,
    Ratio,
    Members,
    Frame,
    Ceiling,
    Frames,
    Pages,
    PathMtu,
    OneFrame,
    Formula,
    Path,
    Steering,
    Transports,
    Cells,
    Reading,
    Range,
    Cases,
)
_MODEL_OF = {
    name: model for model in _MODELS for name in get_args(model.model_fields["rule"].annotation)
}
RULE_NAMES = tuple(_MODEL_OF)
"""What the key ``rule`` may be."""


def _with_known_rule(given: object) -> object:
    if isinstance(given, BaseModel):
        return given
    if not isinstance(given, Mapping):
        raise ValueError("must be a rule: a table with the key rule")
    name = given.get("rule")
    if name is None:
        raise ValueError(f"rule: is missing; known are {', '.join(RULE_NAMES)}")
    if name not in RULE_NAMES:
        near = difflib.get_close_matches(str(name), RULE_NAMES, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(RULE_NAMES)}"
        raise ValueError(f"rule: unknown rule {quoted(str(name))}; {hint}")
    return given


def _with_constants(given: object) -> object:
    """Numbers and texts that stand for a rule, as the rule for constants."""
    is_plain = isinstance(given, int | Decimal | str) and not isinstance(given, bool)
    return {"rule": "constant", "value": given} if is_plain else given


def _tag(given: object) -> str:
    """Tag of the model that a rule is read with; in brackets, since it is no key of a file."""
    model = _MODEL_OF[str(given["rule"])] if isinstance(given, Mapping) else type(given)
    return f"<{model.__name__}>"


Computation = TypeAliasType(
    "Computation",
    Annotated[
        Annotated[Constant, Tag("<Constant>")]
        | Annotated[Figure, Tag("<Figure>")]
        | Annotated[Record, Tag("<Record>")]
        | Annotated[Distinct, Tag("<Distinct>")]
        | Annotated[Arithmetic, Tag("<Arithmetic>")]
        | Annotated[Ratio, Tag("<Ratio>")]
        | Annotated[Members, Tag("<Members>")]
        | Annotated[Frame, Tag("<Frame>")]
        | Annotated[Ceiling, Tag("<Ceiling>")]
        | Annotated[Frames, Tag("<Frames>")]
        | Annotated[Pages, Tag("<Pages>")]
        | Annotated[PathMtu, Tag("<PathMtu>")]
        | Annotated[OneFrame, Tag("<OneFrame>")]
        | Annotated[Formula, Tag("<Formula>")]
        | Annotated[Path, Tag("<Path>")]
        | Annotated[Steering, Tag("<Steering>")]
        | Annotated[Transports, Tag("<Transports>")]
        | Annotated[Cells, Tag("<Cells>")]
        | Annotated[Reading, Tag("<Reading>")]
        | Annotated[Range, Tag("<Range>")]
        | Annotated[Cases, Tag("<Cases>")],
        Discriminator(_tag),
        BeforeValidator(_with_known_rule),
    ],
)
Operand = TypeAliasType("Operand", Annotated[Computation, BeforeValidator(_with_constants)])
"""Named types, so that pydantic builds the validator of each once, and not for each rule."""


class Implication(BaseModel):
    """
    What follows from a statement that nothing can be held against.

    Parameters
    ----------
    text : str
        With ``{}`` where the quantity is printed.
    value : rule
        What it comes to.
    unit : str
        In which it is printed.
    """

    model_config = FROZEN

    text: Annotated[str, Field(pattern=r"\{\}")]
    value: Operand
    unit: Text


def rules_within(rule: object) -> list[Rule]:
    """A rule and the rules nested in it, from the outside in."""
    if isinstance(rule, Rule):
        return [rule, *(nested for _, part in rule for nested in rules_within(part))]
    parts = rule.values() if isinstance(rule, Mapping) else rule if isinstance(rule, tuple) else ()
    return [nested for part in parts for nested in rules_within(part)]
