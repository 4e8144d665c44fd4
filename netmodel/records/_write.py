"""Records written as TOML files; each is read back before it replaces a file."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from netmodel.errors import DomainError, NetmodelError, ParseError
from netmodel.reading import reason_of
from netmodel.records.numbers import number_as_printed
from netmodel.writing import draft_of

if TYPE_CHECKING:
    from netmodel.records.lookup import CatalogRecord

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_NEEDS_ESCAPES = re.compile(r"'''|'$|[\x00-\x08\x0b-\x1f\x7f]")
"""Text that a literal of several lines cannot hold."""
_NARROW = 100
"""Characters up to which an array stays on one line: the line length of this project."""


def record_text(document: Mapping[str, Any]) -> str:
    """
    Return the text of a TOML file that reads back to the same document.

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
    return "".join(f"{line}\n" for line in _lines("", document)).lstrip("\n")


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


def _lines(place: str, table: Mapping[str, Any], header: str = "") -> Iterator[str]:
    """Yield a table with its header, which is left out for a table of tables."""
    inside = [key for key, part in table.items() if _has_header(part, bool(place))]
    if header and (len(inside) < len(table) or not table or header.startswith("[[")):
        yield f"\n{header}"
    for key, part in table.items():
        if key not in inside:
            yield f"{_key(key)} = {_member(place + key, part)}"
    for key in inside:
        name, part = place + _key(key), table[key]
        if isinstance(part, Mapping):
            yield from _lines(f"{name}.", part, f"[{name}]")
        else:
            for each in part:
                yield from _lines(f"{name}.", each, f"[[{name}]]")


def _has_header(part: object, is_inside: bool) -> bool:
    """Return whether it is a table, or a list of tables at the top level or with more inside."""
    if not isinstance(part, list | tuple):
        return isinstance(part, Mapping)
    if not part or not all(isinstance(each, Mapping) for each in part):
        return False
    members = (member for each in part for member in each.values())
    return not is_inside or any(isinstance(each, Mapping | list | tuple) for each in members)


def _member(place: str, value: object) -> str:
    """Return a value on one line, or wide arrays and arrays of tables on several."""
    line = _value(place, value)
    if not isinstance(value, list | tuple) or (len(line) <= _NARROW and "{" not in line):
        return line
    return "\n".join(["[", *(f"  {_value(place, item)}," for item in value), "]"])


def _value(place: str, value: object) -> str:
    """Return the value on one line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and "\n" in value and not _NEEDS_ESCAPES.search(value):
        return f"'''\n{value}'''"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(place, item) for item in value)}]"
    if isinstance(value, Mapping):
        pairs = (f"{_key(key)} = {_value(f'{place}.{key}', item)}" for key, item in value.items())
        return f"{{ {', '.join(pairs)} }}" if value else "{}"
    try:
        return str(number_as_printed(value))
    except ValueError as error:
        raise DomainError(f"{place}: {error}; got {type(value).__name__}") from None


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _quoted(key)


def _quoted(text: str) -> str:
    """Return a text quoted as in JSON, whose escapes TOML shares."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
