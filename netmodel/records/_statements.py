"""Statements of documents, in figures and in words, as records."""

import os
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from types import MappingProxyType
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    PlainSerializer,
    model_validator,
)

from netmodel._display import short_repr
from netmodel._html import definition_table
from netmodel._terminal import fitted
from netmodel.errors import ContradictionError, ParseError, UnitError
from netmodel.framing.layers._internet import MIN_IPV4_MTU_BYTES
from netmodel.records._figures import (
    UNIT_OF_COUNTS,
    Number,
    Relation,
    allowed_interval,
    half_step,
    interval_of_figures,
    number_as_printed,
    with_unit,
)
from netmodel.records._load import (
    Stamped,
    catalog_files,
    read_with_defaults,
    stamped,
    statement_files,
    unknown_record,
    validated,
)
from netmodel.records._subjects import Change, Configuration, QuantityKind, worded
from netmodel.records._values import (
    FROZEN,
    MAX_MTU_BYTES,
    FrozenMapping,
    Sourced,
    Text,
)
from netmodel.units import parse_rate_bps
from netmodel.units._prefixes import WHOLE_PERCENT

_COUNTED = frozenset(quantity for quantity in QuantityKind if quantity.value.endswith("_count")) | {
    QuantityKind.CPU_MASK,
    QuantityKind.MTU,
    QuantityKind.QUEUE_LENGTH,
}
_BYTE_UNITS = frozenset({"B", "byte", "bytes"})
_UNITS_OF_WHOLE = _BYTE_UNITS | {UNIT_OF_COUNTS}
_WHOLE = frozenset(
    {
        QuantityKind.CONNECTION_COUNT,
        QuantityKind.CPU_MASK,
        QuantityKind.MTU,
        QuantityKind.THREAD_COUNT,
    }
)
"""Without fractions; a partition may have a part of a processor, and means have fractions."""
_RATES_OF_A_LINE = frozenset({QuantityKind.LINE_RATE, QuantityKind.PAYLOAD_RATE})
_NOT_NEGATIVE = _COUNTED | _RATES_OF_A_LINE
_LINE = "line"
_ABBREVIATIONS = frozenset({"cpu", "mtu"})
_NAMES = {
    QuantityKind.GAIN: "performance",  # better or worse, in no quantity
    QuantityKind.LAYER_DIFFERENCE: "difference_between_layers",
}
_LENGTHS = frozenset({QuantityKind.DISTANCE, QuantityKind.DURATION})
_CHANGES = {Change.MORE: "higher", Change.LESS: "lower", Change.SAME: "unchanged"}
_CHANGES_OF_LENGTHS = {**_CHANGES, Change.MORE: "longer", Change.LESS: "shorter"}
_CENSORED = {Relation.CENSORED_ABOVE: "at least", Relation.CENSORED_BELOW: "at most"}
_PERCENT = "%"
_NO_ROUNDING = Decimal(0)
_UNCHANGED = Decimal(1)
"""The factor of no change."""
_CACHED_FILES = 64
"""Files of statements kept in memory: more than a process reads."""
_CACHED_COLLECTIONS = 4
"""The bundled files, and those of a few directories registered in turn."""

Given = Decimal | str | tuple[Decimal | str, ...]


def _given(value: object) -> Given:
    if isinstance(value, list | tuple):
        return tuple(_given_item(item) for item in value)
    return _given_item(value)


def _given_item(value: object) -> Decimal | str:
    return value if isinstance(value, str) else number_as_printed(value)


class Statement(Sourced):
    """
    A claim of a document: of what, about what, against what, and how much.

    Parameters
    ----------
    id : str
        Its own over all documents.
    wording : str
        What is claimed, in short words of our own.
    quantity : QuantityKind
        What is more, less or of that size.
    subject : Configuration
        What has it.
    baseline : Configuration, optional
        What it is compared with: only what differs from the subject. Absent
        for an absolute figure.
    change : Change, optional
        How the subject stands to the baseline; present together with it.
    relation : Relation
        How the true quantity stands to the figure.
    value : decimal.Decimal, optional
        With the printed digits. Absent for a range, a sign, a version, and
        what is about the same.
    low, high : decimal.Decimal, optional
        Ends of a range.
    unit : str, optional
        As printed; present where there is a figure.
    resolution : decimal.Decimal, optional
        Step of the printed figures, where the digits do not show it.
    given : mapping of str to decimal.Decimal, str or tuple
        Numbers that a worked example starts from.
    printed : str, optional
        The text as printed, where it is not a plain decimal number.
    source, locator, grade, note
        See `Sourced`.

    Raises
    ------
    pydantic.ValidationError
        If the parts do not belong together. `load_statements` raises
        `ParseError` instead.

    Examples
    --------
    >>> from netmodel.records import Grade
    >>> faster = Statement(
    ...     id="new-card-is-faster",
    ...     wording="transactions take 30 % to 37 % less time",
    ...     quantity=QuantityKind.TRANSACTION_TIME,
    ...     subject=Configuration(adapter="osa-express7s-25gbe"),
    ...     baseline=Configuration(adapter="osa-express6s-10gbe"),
    ...     change=Change.LESS,
    ...     relation=Relation.RANGE,
    ...     low=Decimal(30),
    ...     high=Decimal(37),
    ...     unit="%",
    ...     source="adapter",
    ...     locator="slide 17",
    ...     grade=Grade.PUBLISHED,
    ... )
    >>> faster.claim
    'transaction time 30 to 37 % lower'
    >>> faster.interval
    (Decimal('29.5'), Decimal('37.5'))
    """

    id: Annotated[str, Field(pattern=r"^[a-z0-9]+([.-][a-z0-9]+)*$")]
    wording: Text
    quantity: QuantityKind
    subject: Configuration
    baseline: Configuration | None = None
    change: Change | None = None
    relation: Relation = Relation.EQUAL
    value: Number | None = None
    low: Number | None = None
    high: Number | None = None
    unit: Text | None = None
    resolution: Annotated[Number, Field(gt=0)] | None = None
    given: Annotated[
        Mapping[str, Annotated[Given, BeforeValidator(_given)]],
        AfterValidator(FrozenMapping),
        PlainSerializer(dict),
    ] = Field(default_factory=dict, validate_default=True)
    printed: Text | None = None

    @model_validator(mode="after")
    def _parts_belong_together(self) -> Self:
        if (self.change is None) != (self.baseline is None):
            raise ValueError("change and baseline belong together")
        if self.relation is Relation.RANGE:
            if self.value is not None or self.low is None or self.high is None:
                raise ValueError("relation range has low and high, and no value")
            if self.low > self.high:
                raise ValueError(f"low must not exceed high; got {self.low} and {self.high}")
        else:
            self._require_value()
        if self.has_figure != (self.unit is not None):
            raise ValueError("a figure and its unit belong together")
        if not self.has_figure and self.resolution is not None:
            raise ValueError("resolution: there is no figure that has one")
        if self.change is Change.SAME and self.has_figure and self.relation is Relation.EQUAL:
            raise ValueError("change same has no figure")
        return self

    @model_validator(mode="after")
    def _figures_are_possible(self) -> Self:
        """Only of figures that stand for themselves, or are factors; others are differences."""
        if not self.has_figure or self.change not in {None, Change.FACTOR}:
            return self
        figures = [each for each in (self.value, self.low, self.high) if each is not None]
        lowest, quantity = min(figures), self.quantity
        if lowest < 0 and (self.change is Change.FACTOR or quantity in _NOT_NEGATIVE):
            raise ValueError(f"{quantity.value} cannot be below 0; got {lowest} {self.unit}")
        if self.change is Change.FACTOR:
            return self
        whole = WHOLE_PERCENT if self.unit == _PERCENT else 1
        if lowest > whole and (self.unit == _LINE or quantity is QuantityKind.PAYLOAD_RATIO):
            raise ValueError(f"a share is at most the whole, {whole}; got {lowest}")
        if quantity in _WHOLE and self.unit in _UNITS_OF_WHOLE:
            for figure in figures:
                if figure != figure.to_integral_value():
                    raise ValueError(f"{quantity.value} must be a whole number; got {figure}")
        if quantity is QuantityKind.MTU and self.unit in _BYTE_UNITS:
            for figure in figures:
                if not MIN_IPV4_MTU_BYTES <= figure <= MAX_MTU_BYTES:
                    bounds = f"from {MIN_IPV4_MTU_BYTES} to {MAX_MTU_BYTES} byte"
                    raise ValueError(f"an MTU is {bounds}; got {figure}")
        if self.subject.line_rate is not None and quantity in _RATES_OF_A_LINE:
            self._require_rate_of_line(lowest, self.subject.line_rate)
        return self

    def _require_rate_of_line(self, figure: Decimal, line: str) -> None:
        """What passes a named line in one direction is no more than its rate."""
        try:
            is_above = parse_rate_bps(f"{figure} {self.unit}") > parse_rate_bps(line)
        except UnitError:  # a share of the line, or a unit that only this document has
            return
        if is_above and self.relation in {Relation.EQUAL, Relation.AT_LEAST, Relation.RANGE}:
            rate = f"{self.quantity.value} {figure} {self.unit}"
            raise ValueError(f"{rate} is above line_rate {line}")

    def _require_value(self) -> None:
        """A value where the relation has one, or words in its place."""
        if self.low is not None or self.high is not None:
            raise ValueError(f"relation {self.relation.value} has neither low nor high")
        if self.relation is Relation.SIGN:
            if self.value is not None or self.change in {None, Change.FACTOR}:
                raise ValueError("relation sign has change more, less or same, and no value")
        elif self.value is None:
            if self.quantity is QuantityKind.VERSION:
                is_in_words = self.printed is not None and self.change is None
            else:
                is_in_words = self.relation is Relation.ABOUT and self.change is Change.SAME
            if not is_in_words:
                raise ValueError(f"relation {self.relation.value} has a value")

    @property
    def has_figure(self) -> bool:
        """Whether it has a number."""
        return self.value is not None or self.low is not None

    @property
    def interval(self) -> tuple[Decimal, Decimal] | None:
        """
        Lowest and highest figure that the printed words allow, in their unit; both are allowed.

        None where there is no figure. An equal figure may have been rounded
        by half of its `resolution`, or of one in its last printed digit;
        zeros at the end of an integer count as digits there, so that rounder
        figures need a resolution. What is counted is exact: counts, masks,
        MTUs and whole bytes that are not compared with a baseline. An about
        figure may be off by 5 %, a factor by 5 % of the change that it is, and
        never by less than its rounding. Ends of a range may have been rounded
        too. Other relations leave one end open, and infinite.
        """
        if self.relation is Relation.ABOUT and self.change is Change.FACTOR and self.value:
            # about 2 times is about 100 % more
            change = self.value - _UNCHANGED
            low, high = allowed_interval(self.relation, change, self.half_width(self.value))
            return low + _UNCHANGED, high + _UNCHANGED
        figures = (self.value, self.low, self.high)
        return interval_of_figures(self.relation, figures, self.half_width)

    def half_width(self, figure: Decimal) -> Decimal:
        """By how much a printed figure may have been rounded, in its unit."""
        if self.resolution is not None:
            return self.resolution / 2
        counted = self.quantity in _COUNTED or self.unit in _BYTE_UNITS
        if counted and self.change is None and figure == figure.to_integral_value():
            return _NO_ROUNDING
        return half_step(figure)

    @property
    def claim(self) -> str:
        """Quantity, figure and change, in one line."""
        words = _NAMES.get(self.quantity, self.quantity.value).split("_")
        name = " ".join(word.upper() if word in _ABBREVIATIONS else word for word in words)
        return f"{name} {self.amount_text}".strip()

    @property
    def amount_text(self) -> str:
        """Figure and change, without the quantity."""
        figure = self._figure()
        changes = _CHANGES_OF_LENGTHS if self.quantity in _LENGTHS else _CHANGES
        change = changes.get(self.change, "") if self.change else ""
        if self.change is Change.MORE and self.low is not None and self.low < 0:
            return f"changed by {figure}"
        return " ".join(part for part in (figure, change) if part)

    def to_dict(self) -> dict[str, Any]:
        """The statement as JSON has it: numbers as text, with their printed digits."""
        return self.model_dump(mode="json")

    def __str__(self) -> str:
        return fitted(
            "\n".join([self._caption(), *(f"  {name}: {text}" for name, text in self._rows())])
        )

    def __repr__(self) -> str:
        return short_repr(self, f"{self.id}: {self.wording}")

    def _repr_html_(self) -> str:
        return definition_table(self._caption(), self._rows())

    def _caption(self) -> str:
        return f"{self.id}: {self.wording} ({self.provenance})"

    def _rows(self) -> Iterator[tuple[str, str]]:
        yield "claim", self.claim
        yield "subject", str(self.subject)
        if self.baseline is not None:
            yield "baseline", str(self.baseline)
        if self.printed:
            yield "printed", self.printed
        if self.given:
            yield "given", ", ".join(f"{name} {worded(v)}" for name, v in self.given.items())

    def _figure(self) -> str:
        if self.relation is Relation.RANGE:
            return with_unit(f"{self.low} to {self.high}", self.unit or "")
        if self.value is None:
            return self.printed or "" if self.quantity is QuantityKind.VERSION else ""
        if self.unit == _LINE and self.relation is Relation.CENSORED_ABOVE:
            return "at line speed"
        words = "" if self.relation is Relation.EQUAL else self.relation.value.replace("_", " ")
        if self.relation in _CENSORED:
            words = f"censored, {_CENSORED[self.relation]}"
        return with_unit(f"{words} {self.value}".strip(), self.unit or "")


def statements(document: str | None = None) -> tuple[Statement, ...]:
    """
    Statements that come with netmodel or lie in directories that were registered.

    Parameters
    ----------
    document : str, optional
        Source that they cite; all statements without it.

    Returns
    -------
    statements : tuple of Statement
        In the order of the files, which is that of the documents.

    Raises
    ------
    UnknownRecordError
        If no statement cites that document; names similar sources.
    ParseError
        If a file is not one of statements.
    ContradictionError
        If two files have a statement of the same id.

    Examples
    --------
    >>> {each.source for each in statements("zvm")}
    {'zvm'}
    """
    if document is None:
        return tuple(record for record, _ in _known().values())
    of_sources = _of_sources(stamped(statement_files()))
    if document not in of_sources:
        raise unknown_record("document with statements", document, of_sources)
    return of_sources[document]


def statement(name: str) -> Statement:
    """
    One statement of a document.

    Parameters
    ----------
    name : str
        Its id.

    Returns
    -------
    statement : Statement
        What is claimed, and where.

    Raises
    ------
    UnknownRecordError
        If there is no such statement; names similar ids.
    ParseError
        If a file is not one of statements.
    ContradictionError
        If two files have a statement of the same id.

    Examples
    --------
    >>> statement("wire-math-payload").value
    Decimal('1448')
    """
    known = _known()
    if name not in known:
        raise unknown_record("statement", name, known)
    return known[name][0]


def load_statements(path: str | os.PathLike[str]) -> tuple[Statement, ...]:
    """
    Statements from a TOML file of your own.

    Parameters
    ----------
    path : str or path-like
        Holds one table ``[[statements]]`` for each. A table ``[defaults]``
        with ``source``, ``locator`` and ``grade`` serves those that lack
        their own. ``[path_labels]`` names paths that are no record.

    Returns
    -------
    statements : tuple of Statement
        In the order of the file.

    Raises
    ------
    ParseError
        If the file cannot be read, is not TOML, or a statement does not fit
        or has the id of another one; names file, statement and key.
    """
    name = os.fspath(path)
    document, defaults = read_with_defaults(name)
    entries = document.get("statements")
    head = validated(name, _Head, document)
    if not isinstance(entries, list) or not entries:
        raise ParseError(name, "statements: must be tables [[statements]], at least one")
    known: dict[str, Statement] = {}
    for number, entry in enumerate(entries, start=1):
        entry_id = entry.get("id") if isinstance(entry, Mapping) else None
        place = f"{number} ({entry_id})" if isinstance(entry_id, str) else str(number)
        record = validated(name, Statement, entry, ("statements", place), defaults)
        if record.id in known:
            raise ParseError(name, f"statements.{number}.id: {record.id!r} has another one too")
        head.require_known_paths(record, name, f"statements.{place}")
        known[record.id] = record
    return tuple(known.values())


class _Head(BaseModel):
    """
    What a file of statements says once for many of them.

    Parameters
    ----------
    statements : list
        Each is read alone, so that an error names it.
    path_labels : dict of str to str
        Names that subjects give to paths that are no record, and what each is.
    """

    model_config = FROZEN

    statements: Any = None
    path_labels: dict[str, Text] = {}

    def require_known_paths(self, record: Statement, name: str, place: str) -> None:
        """Raise a ParseError where a subject or baseline is over an unknown path."""
        for key, part in (("subject", record.subject), ("baseline", record.baseline)):
            if part is None or part.path is None or part.path in self.path_labels:
                continue
            known = {*self.path_labels, *catalog_files("paths")}
            if part.path not in known:
                unknown = unknown_record("path or label of [path_labels]", part.path, known)
                raise ParseError(name, f"{place}.{key}.path: {unknown}")


def _known() -> Mapping[str, tuple[Statement, str]]:
    """All statements by id, each with its file."""
    return _of_files(stamped(statement_files()))


@lru_cache(maxsize=_CACHED_COLLECTIONS)
def _of_files(files: tuple[Stamped, ...]) -> Mapping[str, tuple[Statement, str]]:
    known: dict[str, tuple[Statement, str]] = {}
    for file in files:
        name = file[0]
        for record in _of_file(file):
            if record.id in known:
                other = known[record.id][1]
                raise ContradictionError(f"{record.id!r} is the id of both {other} and {name}")
            known[record.id] = (record, name)
    return MappingProxyType(known)


@lru_cache(maxsize=_CACHED_COLLECTIONS)
def _of_sources(files: tuple[Stamped, ...]) -> Mapping[str, tuple[Statement, ...]]:
    """The same by the document that they cite."""
    chosen: dict[str, list[Statement]] = {}
    for record, _ in _of_files(files).values():
        chosen.setdefault(record.source, []).append(record)
    return MappingProxyType({source: tuple(records) for source, records in chosen.items()})


@lru_cache(maxsize=_CACHED_FILES)
def _of_file(file: Stamped) -> tuple[Statement, ...]:
    """Read again only a file that has changed: hundreds of statements take a while."""
    return load_statements(file[0])
