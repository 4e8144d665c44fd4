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
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeGuard

from netmodel._reading import is_file
from netmodel.errors import ParseError
from netmodel.records._load import data_roots, read_toml, unknown_record, while_unchanged

DIRECTORY = "calibrations"
Document: TypeAlias = dict[str, Any]
"""Tables of a TOML file; `netmodel.records.record_text` takes them."""
Key: TypeAlias = tuple[str, str]
"""Kind and id of a record."""


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


def declarations() -> dict[Key, Declaration]:
    """
    Declarations of the bundled data and of registered directories, by kind and id.

    Raises
    ------
    ParseError
        If a file is not TOML, two declare the same record, or `like` names none.
    """
    return while_unchanged("declarations", _declarations)


def _declarations() -> dict[Key, Declaration]:
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


def cells_of(wanted: object) -> tuple[object, ...]:
    """Values of a column of the chosen rows: a single one, or alternatives."""
    return tuple(wanted) if isinstance(wanted, list | tuple) else (wanted,)


def calibrated_inputs(kind: str | None = None) -> dict[str, tuple[str, ...]]:
    """
    Statements that calibrated records are made from.

    Parameters
    ----------
    kind : str, optional
        Such as ``"adapters"``; all kinds when left out.

    Returns
    -------
    inputs : dict of str to tuple of str
        By id of the record the ids of statements, those included that repeat a figure. Empty
        where the record is made from datasets alone.

    Raises
    ------
    ParseError
        If a declaration is not TOML; names the file.

    Examples
    --------
    >>> calibrated_inputs("adapters")["osa-express6s-10gbe"][-1]
    'osa6s-line-speed-rr30k-mtu-1500'
    """
    return {
        name: each.statement_ids
        for (of_kind, name), each in declarations().items()
        if kind in (None, of_kind)
    }
