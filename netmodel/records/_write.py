"""Records written as TOML files; each is read back before it replaces a file."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

from netmodel._reading import reason_of
from netmodel._writing import draft_of
from netmodel.errors import DomainError, NetmodelError, ParseError
from netmodel.records.files import number_as_printed

if TYPE_CHECKING:
    from netmodel.records.lookup import CatalogRecord

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_NARROW = 100
"""Characters up to which an array stays on one line: the line length of this project."""

_Place: TypeAlias = tuple[str, ...]
"""Keys that lead to a value."""


def record_text(document: Mapping[str, Any]) -> str:
    """
    Text of a TOML file that reads back to the same document.

    Parameters
    ----------
    document : mapping
        Text, integers, `decimal.Decimal`, true or false, and lists and mappings of
        these. A list of mappings becomes tables at the top level, and deeper where its
        mappings contain lists or mappings; otherwise each mapping takes one line, as
        the points of a feasible set do.

    Returns
    -------
    text : str
        Empty for a document without keys.

    Raises
    ------
    DomainError
        If it contains anything else, or a number that records cannot have; names the key.

    Notes
    -----
    Numbers keep their digits. Times are written as texts with a unit:
    :func:`netmodel.units.format_time` gives all digits of a float.

    References
    ----------
    TOML v1.0.0, toml.io.

    Examples
    --------
    >>> times = [{"per_frame": "0.86 µs", "per_byte": "0 ns"}, {"per_frame": "0.47 µs"}]
    >>> print(record_text({"title": "mine", "in": {"vertices": times}}), end="")
    title = "mine"
    <BLANKLINE>
    [in]
    vertices = [
      { per_frame = "0.86 µs", per_byte = "0 ns" },
      { per_frame = "0.47 µs" },
    ]
    """
    return "".join(f"{line}\n" for line in _lines((), document)).lstrip("\n")


def write_record(
    path: str | os.PathLike[str], document: Mapping[str, Any], kind: str
) -> "CatalogRecord":
    """
    Write a record of the catalog to a TOML file, if it is valid.

    Parameters
    ----------
    path : str or path-like
        The file; an existing one is replaced. Its name without the ending is the id.
    document : mapping
        A document for `record_text`.
    kind : str
        A key of `catalog`.

    Returns
    -------
    record : Adapter, Host, Link, PathRecord or Workload
        As read back from the file.

    Raises
    ------
    DomainError
        If `record_text` does not take the document.
    UnknownRecordError
        If there is no such kind; names similar kinds.
    ParseError
        If the document is not of that kind (names each table and key at fault), or if
        the file cannot be written. An existing file then stays unchanged.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> sourced = {"source": "my notes", "locator": "page 3", "grade": "measured"}
    >>> card = {"title": "mine", "kind": "own", "line_rate": "25 Gbit/s", "defaults": sourced}
    >>> with TemporaryDirectory() as directory:
    ...     write_record(f"{directory}/mine.toml", card, "adapters").line_rate_bps
    25000000000.0
    """
    from netmodel.records.lookup import record  # pydantic, which text alone does not need

    text, name = record_text(document), os.fspath(path)
    try:
        with draft_of(name) as draft:
            draft.write_bytes(text.encode())
            return record(draft, kind)
    except ParseError as error:  # of the draft: name the file that it was to replace
        raise ParseError(name, error.problem) from None
    except NetmodelError:
        raise
    except (OSError, ValueError) as error:
        raise ParseError(name, f"cannot be written: {reason_of(error)}") from None


def _lines(place: _Place, table: Mapping[str, Any], header: str = "") -> Iterator[str]:
    """A table with its header, which is left out for a table of tables."""
    inside = {key: member for key, member in table.items() if _has_header(place, member)}
    own = {key: member for key, member in table.items() if key not in inside}
    if header and (own or not inside or header.startswith("[[")):
        yield f"\n{header}"
    for key, member in own.items():
        yield f"{_key(place, key)} = {_member((*place, key), member)}"
    for key, member in inside.items():
        deeper = (*place, key)
        name = ".".join(_key(deeper[:depth], part) for depth, part in enumerate(deeper))
        if isinstance(member, Mapping):
            yield from _lines(deeper, member, f"[{name}]")
        else:
            for part in member:
                yield from _lines(deeper, part, f"[[{name}]]")


def _has_header(place: _Place, member: object) -> bool:
    """Whether it is a table, or a list of tables at the top level or with tables inside."""
    if not isinstance(member, list | tuple):
        return isinstance(member, Mapping)
    if not member or not all(isinstance(part, Mapping) for part in member):
        return False
    return not place or any(
        isinstance(part, Mapping | list | tuple) for table in member for part in table.values()
    )


def _member(place: _Place, value: object) -> str:
    """Value of a key: one line, or several lines for wide arrays and arrays of tables."""
    line = _value(place, value)
    if not isinstance(value, list | tuple):
        return line
    if len(line) <= _NARROW and not any(isinstance(item, Mapping) for item in value):
        return line
    return "\n".join(["[", *(f"  {_value(place, item)}," for item in value), "]"])


def _value(place: _Place, value: object) -> str:
    """The value on one line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return _text(place, value)
    if isinstance(value, int | Decimal):
        return _number(place, value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(place, item) for item in value)}]"
    if isinstance(value, Mapping):
        pairs = (
            f"{_key(place, key)} = {_value((*place, key), item)}" for key, item in value.items()
        )
        return f"{{ {', '.join(pairs)} }}" if value else "{}"
    raise _refusal(
        place,
        "must be text, an integer, a Decimal, true or false, a list or a table; "
        f"got {type(value).__name__}",
    )


def _key(place: _Place, key: object) -> str:
    if not isinstance(key, str):
        raise _refusal(place, f"a key must be text; got {key!r}")
    return key if _BARE_KEY.fullmatch(key) else _text(place, key)


def _text(place: _Place, text: str) -> str:
    """Quoted as in JSON, whose escapes TOML shares."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _refusal(place, f"{text!r} is not text in UTF-8") from None
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _number(place: _Place, number: int | Decimal) -> str:
    try:
        return str(number_as_printed(number))
    except ValueError as error:
        raise _refusal(place, str(error)) from None


def _refusal(place: _Place, problem: str) -> DomainError:
    where = ".".join(map(str, place))
    return DomainError(f"{where}: {problem}" if where else problem)
