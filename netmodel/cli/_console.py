"""Standard output and standard error: nothing steers the terminal, and a reader may leave."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from netmodel._text import printable

__all__ = ["as_given", "printable_streams"]

_AS_NUMBER = "backslashreplace"


class _Printable:
    """A stream that gets text without control characters, until nobody reads it any more."""

    buffer = None
    """Hidden from click, which would write past this object where it does not like an encoding."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._is_cut = False

    def write(self, text: str) -> int:
        shown = printable(text)
        if not self._is_cut:
            with self._until_cut():
                self.stream.write(shown)
        return len(text)

    def flush(self) -> None:
        if not self._is_cut:
            with self._until_cut():
                self.stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    @contextmanager
    def _until_cut(self) -> Iterator[None]:
        """What is written after the reader has gone, such as ``head``, is dropped."""
        try:
            yield
        except BrokenPipeError:
            self._is_cut = True
            # the interpreter flushes the stream once more when it ends, and would complain
            with suppress(OSError, ValueError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, self.stream.fileno())
                os.close(nowhere)


@contextmanager
def printable_streams() -> Iterator[None]:
    """Whatever is printed meanwhile goes through, and the exit code is that of the work."""
    kept = sys.stdout, sys.stderr
    try:
        for name in ("stdout", "stderr"):
            stream = getattr(sys, name)
            if stream is not None:
                setattr(sys, name, _Printable(_any_text(stream)))
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        sys.stdout, sys.stderr = kept


def _any_text(stream: TextIO) -> TextIO:
    """The stream, made to take any character: an encoding that has none for it gets a number."""
    if isinstance(stream, io.TextIOWrapper) and stream.errors != _AS_NUMBER:
        stream.reconfigure(errors=_AS_NUMBER)
    return stream


def as_given(stream: Any) -> Any:
    """The stream itself, for what steers the terminal on purpose."""
    return stream.stream if isinstance(stream, _Printable) else stream
