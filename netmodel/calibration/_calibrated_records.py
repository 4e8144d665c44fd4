"""Calibrated records: made from their declarations, and kept in files."""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from netmodel._hull import hull
from netmodel._numeric import Floats
from netmodel._reading import read_text, reason_of
from netmodel._text import listed
from netmodel._writing import write_whole
from netmodel.calibration._declarations import Declaration, Document, Key, declarations
from netmodel.calibration._declared_tables import (
    CalibratedTimes,
    CellFigure,
    Citation,
    DatasetSource,
    Series,
    Source,
    StatementFigure,
    StatementSource,
    TakenAs,
)
from netmodel.calibration._documents import (
    dataset_rows,
    observed_from_dataset,
    observed_from_records,
)
from netmodel.calibration._measured_demands import measured_demands
from netmodel.calibration._models import SeveralModels
from netmodel.calibration._observed import QUANTITIES, Observed, allowed_by
from netmodel.calibration._path_model import PathModel, adapter_model, host_cost_model
from netmodel.calibration._records import (
    in_order,
    is_rounding,
    known_payload_text,
    points,
    printed_count_of,
)
from netmodel.calibration._series import series_stages
from netmodel.calibration._sets import FeasibleSet, feasible_set
from netmodel.calibration._transports import transport_document
from netmodel.errors import (
    ContradictionError,
    DomainError,
    ParseError,
    UnitError,
    UnknownRecordError,
)
from netmodel.records import (
    Adapter,
    Grade,
    Host,
    Link,
    PathRecord,
    Relation,
    Statement,
    Workload,
    adapter,
    dataset,
    statement,
)
from netmodel.records._figures import half_step
from netmodel.records._load import data_roots, unknown_record, validated
from netmodel.records._transports import KIND as TRANSPORTS
from netmodel.records._write import record_text

_MODELS: Mapping[str, type[BaseModel]] = {
    "adapters": Adapter,
    "hosts": Host,
    "links": Link,
    "paths": PathRecord,
    "workloads": Workload,
}
"""Records that are complete in one file are checked before they are written."""
_TIMES = ("per_frame_s", "per_byte_s")

_Rule = TypeVar("_Rule", bound=BaseModel)


def calibrated_documents(
    kind: str | None = None,
    ids: Collection[str] | None = None,
    without: Collection[str] = frozenset(),
) -> dict[Key, Document]:
    """
    Calibrated records, made anew from statements and datasets as their declarations say.

    Parameters
    ----------
    kind : str, optional
        Such as ``"adapters"``; all kinds when left out.
    ids : collection of str, optional
        Of the records that are wanted; all of them when left out.
    without : collection of str
        Ids of statements to leave out of the observations, such as those to predict from the
        others.

    Returns
    -------
    documents : dict of (str, str) to dict
        By kind and id: what `netmodel.records.record_text` takes. Files below ``calibrated``
        hold them. Service times that the remaining statements do not bound are left out.

    Raises
    ------
    ContradictionError
        If the observations cannot all be true.
    MissingDataError
        If netmodel was installed without its data.
    ParseError
        If a declaration is wrong; names file, table and key.

    See Also
    --------
    calibrated_inputs : Which statements they are made from.

    Notes
    -----
    A stream's payload :math:`D` of each frame takes :math:`\\alpha + \\beta D`. What sources say
    of streams bounds that sum at one :math:`D` each, and the record holds the vertices of all
    :math:`(\\alpha, \\beta)` that remain: those of figures as printed first, then those of their
    rounding. A line that was full means that the adapter takes no longer than the line does.

    Examples
    --------
    >>> result = calibrated_documents("adapters", ["osa-express7s-25gbe"])
    >>> inward = result["adapters", "osa-express7s-25gbe"]["in"]
    >>> inward["vertices"][0], inward["known_payload"]
    ({'per_frame': '864.4776119 ns', 'per_byte': '0 ns'}, '1448 to 8948 B')
    """
    made = {
        key: document_of(each, without)
        for key, each in declarations().items()
        if kind in (None, each.kind) and (ids is None or each.id in ids)
    }
    return {key: document for key, document in made.items() if document}


def document_of(declaration: Declaration, without: Collection[str] = frozenset()) -> Document:
    """The record that a declaration makes; see `calibrated_documents`."""
    if declaration.kind == TRANSPORTS:
        return transport_document(declaration, without)
    if declaration.kind not in _MODELS:
        raise ParseError(
            declaration.path, str(unknown_record("kind of records", declaration.kind, _MODELS))
        )
    maker = _Maker(declaration, frozenset(without))
    document: Document = maker.expanded(
        {key: each for key, each in declaration.document.items() if key != "series"}, ()
    )
    if "series" in declaration.document:
        document = maker.with_series(document)
    maker.check(document)
    return document


@dataclass(frozen=True, slots=True)
class _Maker:
    """Resolves the references of one declaration; every error names its file and place."""

    declaration: Declaration
    without: frozenset[str]

    def expanded(self, value: Any, place: tuple[str, ...]) -> Any:
        """The same with each reference replaced by the figures that follow from it."""
        if isinstance(value, list | tuple):
            return [self.expanded(each, (*place, str(n))) for n, each in enumerate(value)]
        if not isinstance(value, Mapping):
            return value
        with self.placed(place):
            if "statement" in value:
                return _statement_figure(self.read(StatementFigure, value, place))
            if "cell" in value:
                return _cell_figure(self.read(CellFigure, value, place))
            if "cites" in value:
                return _cited(self.read(Citation, value, place))
            if "calibrated_from" in value:
                return self._calibrated(self.read(CalibratedTimes, value, place))
        members = ((key, self.expanded(each, (*place, key))) for key, each in value.items())
        return {key: each for key, each in members if each is not None}

    def with_series(self, document: Document) -> Document:
        """The record with the stages of its series, and with notes on them."""
        declared = self.read(Series, self.declaration.document["series"], ("series",))
        locator = document.get("defaults", {}).get("locator")
        if locator is None:
            raise ParseError(self.declaration.path, "defaults.locator: a series needs it")
        with self.placed(("series",)):
            result = series_stages(declared, locator)
        description = " ".join([document.get("description", ""), *result.notes]).strip()
        return {
            **document,
            **({"description": description} if description else {}),
            "unknown": [*document.get("unknown", []), *result.unknown],
            "stages": [*document.get("stages", []), *result.stages],
            **({"measured": measured_demands(declared)} if declared.demands else {}),
        }

    def check(self, document: Document) -> None:
        """Raise a ParseError where the document is no record of its kind, or no part of one."""
        path, model = self.declaration.path, _MODELS[self.declaration.kind]
        tables = {key: each for key, each in document.items() if key != "defaults"}
        if "title" in tables:
            identified = {"id": self.declaration.id, **tables}
            validated(path, model, identified, context=document.get("defaults", {}))
            return
        # without a title it is a part of a record; the rest is in the catalog
        known = {field.alias or key for key, field in model.model_fields.items()}
        for key in tables.keys() - known:
            raise ParseError(
                path, f"{key}: is not a known key; known are {', '.join(sorted(known))}"
            )

    def adapter_models(self, observed: Iterable[Observed]) -> dict[str, PathModel]:
        """Of its adapter and of those that it is compared with, whose times stay open."""
        others = [str(at["adapter"]) for seen in observed for at in seen.all_conditions]
        names = dict.fromkeys([self.declaration.id, *others])
        return {each: adapter_model(adapter(each).line_rate_bps) for each in names}

    def read(self, model: type[_Rule], value: object, place: tuple[str, ...]) -> _Rule:
        return validated(self.declaration.path, model, value, place)

    @contextmanager
    def placed(self, place: tuple[str, ...]) -> Iterator[None]:
        """Errors inside name the declaration, and the table at fault."""
        where = ".".join(place)
        try:
            yield
        except ParseError:
            raise
        except ContradictionError as error:
            name = f"{self.declaration.kind}/{self.declaration.id}"
            raise ContradictionError(f"{name}, {where}: {error}") from error
        except (DomainError, UnitError, UnknownRecordError) as error:
            raise ParseError(self.declaration.path, f"{where}: {error}") from error

    def _calibrated(self, declared: CalibratedTimes) -> Document | None:
        """Times per frame and byte, with their source; None where they may be infinite."""
        observed = [
            seen for source in declared.calibrated_from for seen in _observed(source, self.without)
        ]
        if declared.model == "adapter":
            if self.declaration.kind != "adapters":
                raise DomainError("the model adapter belongs to records of adapters")
            name, models = self.declaration.id, self.adapter_models(observed)
            result = feasible_set(observed, SeveralModels("adapter", models))
            parameters = [f"{name}.{time}" for time in _TIMES]
            times = _times_of(models[name], result, parameters, observed, name)
        else:
            assert declared.side is not None
            model = host_cost_model(declared.side, _TIMES)
            times = _times_of(model, feasible_set(observed, model), _TIMES, observed)
        if times is None and not self.without:
            raise DomainError(
                "the observations do not bound these times: add a limit, or a cost at another MTU"
            )
        return None if times is None else times | _provenance(declared, self.without)


def _statement_figure(declared: StatementFigure) -> Document:
    """The figure of a statement with its place."""
    result = statement(declared.statement)
    value, low, high, relation = result.value, result.low, result.high, result.relation
    unit, resolution = "1" if result.unit == "x" else result.unit, result.resolution
    relation = declared.relation or relation
    figure: Document = {
        "value": value,
        "low": low,
        "high": high,
        "unit": unit,
        "resolution": resolution,
        "relation": None if relation is Relation.EQUAL else relation.value,
        "source": result.source,
        "locator": result.locator,
        "grade": result.grade.value,
        "note": _with_statement(declared.note, result),
    }
    return {key: value for key, value in figure.items() if value is not None}


def _with_statement(note: str | None, source: Statement) -> str:
    return f"{note}; statement {source.id}" if note else f"statement {source.id}"


def _cell_figure(declared: CellFigure) -> Document:
    """The figure that all chosen cells print."""
    cells = declared.cell
    source, rows = dataset_rows(cells.dataset, cells.table, cells.where)
    figures = set(rows.text(cells.column))
    if len(figures) != 1 or not rows.column(cells.column).unit:
        raise DomainError(
            f"cells of {cells.column} must hold one number; got {listed(sorted(figures))}"
        )
    return {
        "value": Decimal(figures.pop()),
        "unit": declared.unit,
        "source": source.source,
        "locator": declared.locator,
        "grade": declared.grade.value,
        **({"note": declared.note} if declared.note else {}),
    }


def _cited(declared: Citation) -> Document:
    """The keys beside a citation, with source, place and grade of its statement."""
    result = statement(declared.cites)
    others = declared.model_extra or {}
    return {
        **others,
        "source": result.source,
        "locator": result.locator,
        "grade": others.get("grade", result.grade.value),
        "note": _with_statement(declared.note, result),
    }


def _observed(source: Source, without: Collection[str]) -> Iterator[Observed]:
    """Observations of a source, each taken as the declaration says."""
    if isinstance(source, StatementSource):
        for name in source.statements:
            if name in without:
                continue
            printed = statement(name)
            result = observed_from_records(printed)
            if not result.observed:
                raise DomainError(
                    f"statement {name} is not an observation: {'; '.join(result.notes)}"
                )
            for seen in result.observed:
                high = seen.high
                if seen.relation is Relation.UP_TO and printed.value:
                    # the figure is rounded, and so may be exceeded by half of its last digit
                    high *= 1 + float(half_step(printed.value) / printed.value)
                yield _taken(replace(seen, high=high), source)
        return
    assert isinstance(source, DatasetSource)
    of_dataset, rows = dataset_rows(source.dataset, source.table, source.where)
    result = observed_from_dataset(of_dataset, rows, source.columns, conditions=source.conditions)
    for seen in result.observed:
        if source.resolution is not None and seen.value is not None:
            half = QUANTITIES[seen.quantity](source.resolution) / 2
            yield _taken(replace(seen, low=seen.value - half, high=seen.value + half), source)
        else:
            yield _taken(seen, source)


def _taken(seen: Observed, source: Source) -> Observed:
    if source.taken_as is TakenAs.ABOUT:
        low, _ = allowed_by(Relation.ABOUT, seen.low)
        return replace(seen, low=low)
    if source.taken_as is TakenAs.LOWER_BOUND:
        return replace(seen, high=math.inf, value=None, relation=Relation.CENSORED_ABOVE)
    return seen


def _times_of(
    model: PathModel,
    allowed: FeasibleSet,
    names: Iterable[str],
    observed: Iterable[Observed],
    adapter_name: str | None = None,
) -> Document | None:
    """Vertices of the times of these names, those of figures as printed first."""
    if any(math.isinf(allowed.parameters[name].high) for name in names):
        return None
    places = [[*allowed.parameters].index(name) for name in names]
    vertices = in_order(hull(_plane(allowed.vertices, places)))
    if (0.0, 0.0) in vertices:  # lower bounds of rates only: no figure is taken as printed
        vertices, printed_count = vertices[::-1], len(points(vertices))
    else:
        printed = in_order(hull(_plane(allowed.printed_vertices, places)))
        vertices, printed_count = [*printed, *vertices], len(points(printed))
    payloads = [
        payload
        for seen in observed
        for at in seen.all_conditions
        if adapter_name is None or at["adapter"] == adapter_name
        for payload in model.frame_payloads(at).values()
    ]
    # counted as they are written: rounding may part the projections of one corner
    written = points(vertices)
    return {
        "vertices": written,
        **printed_count_of(printed_count, len(written)),
        "known_payload": known_payload_text(payloads),
    }


def _plane(vertices: Floats, places: list[int]) -> Iterator[tuple[float, float]]:
    """Times of a frame and of a byte; what is a rounding of 0 beside the largest is 0."""
    largest_s = [vertices[:, place].max() for place in places]
    for row in vertices[:, places]:
        frame_s, byte_s = (
            0.0 if is_rounding(time_s, scale_s) else float(time_s)
            for time_s, scale_s in zip(row, largest_s, strict=True)
        )
        yield frame_s, byte_s


def _provenance(declared: CalibratedTimes, without: Collection[str]) -> Document:
    sources: list[str] = []
    locators: list[str] = []
    ids: list[str] = []
    notes = [declared.assumed] if declared.assumed else []
    for source in declared.calibrated_from:
        notes += [source.reason] if source.reason else []
        if isinstance(source, StatementSource):
            used = [name for name in source.statements if name not in without]
            ids += used
            sources += [statement(name).source for name in used]
        else:
            sources.append(dataset(source.dataset).source)
            locators.append(source.locator)
    if ids:
        locators.insert(0, f"statements {', '.join(ids)}")
    is_assumed = bool(declared.assumed) or any(
        source.taken_as is TakenAs.ABOUT for source in declared.calibrated_from
    )
    how = "vertices of the feasible set, first of figures as printed, then of their rounding"
    return {
        "source": ", ".join(dict.fromkeys(sources)),
        "locator": "; ".join(dict.fromkeys(locators)),
        "grade": (Grade.ASSUMED if is_assumed else Grade.FITTED).value,
        "note": "; ".join(dict.fromkeys([*notes, how])),
    }


_DIRECTORY = "calibrated"
_HEAD = "# Written by: netmodel catalog calibrate. What is changed by hand is lost.\n\n"
_NUMBER = re.compile(r"(\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)")
_TOLERANCE_RATIO = 1e-6
"""Ten digits are stored; at least six are the same with every version of SciPy and HiGHS."""


class FileState(Enum):
    """
    How the file of a record compares with the record as calibrated now.

    ``CURRENT`` it has the same content, ``DIFFERENT`` other content, ``MISSING`` there is no file,
    ``LEFT_OVER`` nothing declares it any more.
    """

    CURRENT = "current"
    DIFFERENT = "different"
    MISSING = "missing"
    LEFT_OVER = "left over"


@dataclass(frozen=True, slots=True)
class CalibratedFile:
    """
    The file of a record beside the record as calibrated now.

    Parameters
    ----------
    kind, id : str
        Of the record.
    path : pathlib.Path
        Where the file is, or would be.
    state : FileState
        How it compares.
    text : str
        Its current content.
    """

    kind: str
    id: str
    path: Path
    state: FileState
    text: str

    @property
    def key(self) -> Key:
        """Kind and id."""
        return self.kind, self.id

    def to_dict(self) -> dict[str, Any]:
        """Kind, id, file and state, as JSON has them."""
        return {
            "kind": self.kind,
            "id": self.id,
            "file": str(self.path),
            "state": self.state.value,
        }


def calibrated_files(documents: Mapping[Key, Document]) -> list[CalibratedFile]:
    """
    The files of calibrated records, each compared with the document of the record.

    Parameters
    ----------
    documents : mapping of (str, str) to dict
        By kind and id, as `calibrated_documents` makes them.

    Returns
    -------
    files : list of CalibratedFile
        In the data directory that declares the record, in the order of kind and id, with files
        that calibration wrote and nothing declares any more. Numbers that differ by less than a
        part in a million count as the same.

    Raises
    ------
    DomainError
        If a document holds what no file can; names the key.
    ParseError
        If a file cannot be read.

    Examples
    --------
    >>> files = calibrated_files({("adapters", "mine"): {"title": "mine"}})
    >>> [each.state.value for each in files if each.id == "mine"]
    ['missing']
    """
    roots = data_roots()
    declared = {key: each.root for key, each in declarations().items()}
    files: dict[tuple[Key, Path], CalibratedFile] = {}
    for key, document in documents.items():
        kind, name = key
        path = declared.get(key, roots[0]) / _DIRECTORY / kind / f"{name}.toml"
        text = _HEAD + record_text(document)
        state = FileState.MISSING
        if path.exists():
            is_same = _has_same_content(read_text(str(path)), text)
            state = FileState.CURRENT if is_same else FileState.DIFFERENT
        files[key, path] = CalibratedFile(kind, name, path, state, text)
    for path in (path for root in roots for path in (root / _DIRECTORY).glob("*/*.toml")):
        key = path.parent.name, path.stem
        # without this first line it is a record of the user, and stays
        if (key, path) not in files and read_text(str(path)).startswith(_HEAD.splitlines()[0]):
            files[key, path] = CalibratedFile(*key, path, FileState.LEFT_OVER, "")
    return [files[place] for place in sorted(files)]


def write_calibrated_files(files: Iterable[CalibratedFile]) -> None:
    """
    Make files current: write those that differ or are missing, and remove left over ones.

    Parameters
    ----------
    files : iterable of CalibratedFile
        As `calibrated_files` lists them.

    Raises
    ------
    ParseError
        If a file cannot be written; names it.

    Examples
    --------
    >>> write_calibrated_files([])
    """
    for each in files:
        try:
            if each.state is FileState.LEFT_OVER:
                each.path.unlink()
            elif each.state is not FileState.CURRENT:
                each.path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(each.path, each.text.encode(), is_update=True)
        except OSError as error:
            raise ParseError(str(each.path), f"cannot be written: {reason_of(error)}") from None


def _has_same_content(old: str, new: str) -> bool:
    """Whether texts differ in nothing but the rounding of their numbers."""
    parts, others = _NUMBER.split(old.replace("\r\n", "\n")), _NUMBER.split(new)
    return (
        len(parts) == len(others)
        and parts[::2] == others[::2]
        and all(
            math.isclose(float(number), float(wanted), rel_tol=_TOLERANCE_RATIO)
            for number, wanted in zip(parts[1::2], others[1::2], strict=True)
        )
    )
