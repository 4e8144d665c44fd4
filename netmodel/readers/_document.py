"""Texts and JSON documents of measurement tools, read with the place of every fault."""

import gzip
import hashlib
import io
import json
import math
import os
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from netmodel._reading import read_bytes
from netmodel.errors import ParseError, UnknownFormatError

__all__ = ["Node", "RawText", "Source", "load_json_values", "one_line", "read_text", "shown"]

_LARGEST = 1e18
_NUMBERS = frozenset({int, float})
_DECODER = json.JSONDecoder()
_MAX_SHOWN = 60
_LONGEST_LINE = 200
"""Characters of what a tool says that fit on two lines of a terminal beside a name."""
_GZIP_MARK = b"\x1f\x8b"
_LARGEST_UNPACKED_BYTES = 64 * 1024 * 1024
_STRING_OR_PRINTF_NAN = re.compile(r'"(?:[^"\\]|\\.)*"|-?\bnan\b')


@dataclass(frozen=True, slots=True)
class RawText:
    """Text of a file, with what it came from."""

    source: str
    text: str
    sha256: str


Source: TypeAlias = str | os.PathLike[str] | bytes | Mapping[str, Any] | RawText
"""A path, the bytes of a file, what a JSON parser made of them, or what was read already."""


def read_text(source: Source) -> RawText:
    """
    Text of a file, or of what stands for one; gzip is unpacked, as far as 64 MiB.

    Raises
    ------
    UnknownFormatError
        If the file is not text.
    ParseError
        If the file cannot be read, is empty, or unpacks to too much.
    """
    if isinstance(source, RawText):
        return source
    if isinstance(source, bytes):
        name, content = "<bytes>", source
    elif isinstance(source, Mapping):
        name, content = "<mapping>", _written_out(source)
    else:
        name = os.fspath(source)
        content = _read_file(name)
    plain = _unpacked(name, content) if content.startswith(_GZIP_MARK) else content
    try:
        text = plain.decode(json.detect_encoding(plain))
    except UnicodeDecodeError:
        raise UnknownFormatError(name, "not a text file", "not text") from None
    if not text or text.isspace():
        raise ParseError(name, "the file is empty")
    return RawText(name, text, hashlib.sha256(content).hexdigest())


def _unpacked(name: str, content: bytes) -> bytes:
    """What a gzip file holds; no more of it is unpacked than is allowed."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
            plain = packed.read(_LARGEST_UNPACKED_BYTES + 1)
    except (OSError, EOFError, zlib.error):
        raise ParseError(name, "not a text file: gzip that is damaged or cut off") from None
    if len(plain) > _LARGEST_UNPACKED_BYTES:
        raise ParseError(name, f"unpacks to more than {_LARGEST_UNPACKED_BYTES} byte")
    return plain


def _written_out(document: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(dict(document)).encode()
    except (TypeError, ValueError) as error:
        raise ParseError("<mapping>", f"not what a JSON parser makes: {error}") from None


def _read_file(path: str) -> bytes:
    try:
        return read_bytes(path)
    except IsADirectoryError:
        raise ParseError(path, "is a directory; name the files in it") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ParseError(path, f"cannot be read: {reason}") from None


def load_json_values(raw: RawText) -> list[Any]:
    """
    All JSON values that stand one behind the other in a text.

    Raises
    ------
    ParseError
        If the text is not JSON, with the line and column of the first fault.
    """
    from pydantic_core import from_json  # takes half the time of json for one value

    with suppress(ValueError):
        return [from_json(raw.text)]
    with suppress(ValueError, RecursionError):
        return list(_values(raw.text))
    text = _STRING_OR_PRINTF_NAN.sub(_readable_nan, raw.text) if "nan" in raw.text else raw.text
    try:
        return list(_values(text))
    except json.JSONDecodeError as error:
        at_end = not text[error.pos :].strip()
        problem = "the text ends too early" if at_end else error.msg
        raise ParseError(
            raw.source, f"not valid JSON: {problem} at line {error.lineno}, column {error.colno}"
        ) from None
    except ValueError:
        raise ParseError(raw.source, "not valid JSON: a number has too many digits") from None
    except RecursionError:
        raise ParseError(raw.source, "not valid JSON: nested too deeply") from None


def _readable_nan(match: re.Match[str]) -> str:
    """NaN as the json module reads it, for what C prints; texts stay as they are."""
    return match[0] if match[0].startswith('"') else "NaN"


def _values(text: str) -> Iterator[Any]:
    position = _skip_space(text, 0)
    while position < len(text):
        value, end = _DECODER.raw_decode(text, position)
        yield value
        position = _skip_space(text, end)


def _skip_space(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def shown(value: object) -> str:
    """A value as messages show it: of a text its first line, cut where it is long."""
    if isinstance(value, str):
        first, *others = value[: _MAX_SHOWN + 1].splitlines() or [""]
        value = f"{first}…" if others else first
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"


def one_line(text: str) -> str:
    """What a tool says as messages repeat it: its first line, cut where it is long."""
    first, *others = text.strip()[: _LONGEST_LINE + 1].splitlines() or [""]
    return f"{first[:_LONGEST_LINE]}…" if others or len(first) > _LONGEST_LINE else first


@dataclass(slots=True)
class Node:
    """A value in a JSON document that knows where it stands; not frozen, to be quick to make."""

    source: str
    path: str
    value: Any

    def fault(self, problem: str) -> ParseError:
        """An error that names the file and this key."""
        return ParseError(self.source, f"{self.path or 'the document'} {problem}")

    def members(self) -> dict[str, Any]:
        """The values of this object, by their keys."""
        if not isinstance(self.value, dict):
            raise self.fault("must be an object")
        return self.value

    def has(self, key: str) -> bool:
        """Whether this object has the key."""
        value = self.value
        return key in (value if type(value) is dict else self.members())

    def child(self, key: str) -> "Node":
        """The value under a key that must be there."""
        value = self.value
        members = value if type(value) is dict else self.members()
        path = f"{self.path}.{key}" if self.path else key
        if key not in members:
            raise ParseError(self.source, f"{path} is missing")
        return Node(self.source, path, members[key])

    def items(self) -> list["Node"]:
        """The values of this list."""
        return list(self.each())

    def each(self) -> Iterator["Node"]:
        """The values of this list, one by one as they are asked for."""
        if not isinstance(self.value, list):
            raise self.fault("must be a list")
        for index, value in enumerate(self.value):
            yield Node(self.source, f"{self.path}[{index}]", value)

    def number(self, key: str) -> float:
        """A number that is not negative, nor larger than anything that is measured."""
        members = self.value
        value: Any = (members if type(members) is dict else self.members()).get(key)
        if type(value) in _NUMBERS and 0 <= value <= _LARGEST:
            return value  # type: ignore[no-any-return]
        child = self.child(key)
        if type(value) not in _NUMBERS:
            raise child.fault(f"must be a number; got {shown(value)}")
        raise child.fault(f"must be from 0 to {_LARGEST:g}; got {shown(value)}")

    def is_nan(self) -> bool:
        """Whether this is the number that is none."""
        return isinstance(self.value, float) and math.isnan(self.value)

    def count(self, key: str) -> int:
        """A whole number that is not negative."""
        value = self.number(key)
        if type(value) is int:
            return value
        if value != int(value):
            raise self.child(key).fault(f"must be a whole number; got {shown(value)}")
        return int(value)

    def positive_count(self, key: str) -> int | None:
        """A whole number above zero; None where it is not there or zero, which stands for that."""
        value: Any = self.members().get(key)
        if type(value) is int and 0 < value <= _LARGEST:
            return value
        return (self.count(key) or None) if self.has(key) else None

    def text(self, key: str) -> str:
        """A string."""
        value = self.members().get(key)
        if not isinstance(value, str):
            raise self.child(key).fault(f"must be a text; got {shown(value)}")
        return value
