"""What is read of a file, and what a message says where it is not; whole files that are written."""

import errno
import io
import os
import stat
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from netmodel import _reading
from netmodel._reading import (
    is_directory,
    is_file,
    read_bytes,
    read_stream,
    read_text,
    read_toml,
    reason_of,
    status_of,
    too_large,
)
from netmodel._writing import draft_of, write_whole
from netmodel.errors import ParseError

LIMIT, CHUNK = 10, 4
"""Bytes, in place of 256 MiB, and of the MiB that one call reads of a pipe."""


@pytest.fixture
def low_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_reading, "LARGEST_FILE_BYTES", LIMIT)
    monkeypatch.setattr(_reading, "_CHUNK_BYTES", CHUNK)


def test_files_up_to_256_mib_are_read() -> None:
    assert too_large(256 * 1024**2) is None
    assert too_large(256 * 1024**2 + 1) == "has 268435457 byte; at most 256 MiB are read"


@pytest.mark.usefixtures("low_limit")
@pytest.mark.parametrize("size", [0, 1, 2, LIMIT - 1, LIMIT])
def test_a_file_up_to_the_limit_is_read_to_its_last_byte(size: int, tmp_path: Path) -> None:
    path, content = tmp_path / "file", bytes(range(size))
    path.write_bytes(content)
    assert read_bytes(str(path)) == content
    assert read_stream(io.BytesIO(content)) == content


@pytest.mark.usefixtures("low_limit")
def test_a_byte_more_is_refused(tmp_path: Path) -> None:
    path, content = tmp_path / "file", bytes(LIMIT + 1)
    path.write_bytes(content)
    reads = (lambda: read_bytes(str(path)), lambda: read_stream(io.BytesIO(content)))
    for read in reads:
        with pytest.raises(OSError, match="it has more than 0 MiB") as caught:
            read()
        assert caught.value.errno == errno.EFBIG


@pytest.mark.usefixtures("low_limit")
@pytest.mark.parametrize(
    ("size", "is_read"), [(LIMIT - 1, True), (LIMIT, True), (LIMIT + 1, False)]
)
def test_a_file_that_grows_is_read_up_to_the_limit(
    size: int, is_read: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four bytes when it is asked for its size, and by the time it is read more."""
    path, content = tmp_path / "file", bytes(range(size))
    path.write_bytes(content[:4])
    fstat = os.fstat

    def growing(file: int) -> os.stat_result:
        status = fstat(file)
        path.write_bytes(content)
        return status

    monkeypatch.setattr(_reading.os, "fstat", growing)
    if is_read:
        assert read_bytes(str(path)) == content
    else:
        with pytest.raises(OSError, match="more than"):
            read_bytes(str(path))


@pytest.mark.usefixtures("low_limit")
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with a name")
@pytest.mark.parametrize("size", [1, CHUNK + 1, LIMIT, LIMIT + 1])
def test_a_pipe_is_read_up_to_the_limit(size: int, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    kept = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)  # else nothing can be opened for writing
    end = os.open(pipe, os.O_WRONLY)
    content = bytes(range(size))
    os.write(end, content)
    os.close(end)
    try:
        if size <= LIMIT:
            assert read_bytes(str(pipe)) == content
        else:
            with pytest.raises(OSError, match="more than"):
                read_bytes(str(pipe))
    finally:
        os.close(kept)


def test_no_file_stays_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"text")
    opened: list[int] = []
    closed: list[int] = []
    system = os.open, os.close

    def open_noted(*arguments: Any) -> int:
        opened.append(system[0](*arguments))
        return opened[-1]

    def close_noted(number: int) -> None:
        closed.append(number)
        system[1](number)

    with monkeypatch.context() as patched:
        patched.setattr(_reading.os, "open", open_noted)
        patched.setattr(_reading.os, "close", close_noted)
        assert read_bytes(str(path)) == b"text"
        with pytest.raises(IsADirectoryError):
            read_bytes(str(tmp_path))
    assert len(opened) == 2
    assert closed == opened


def test_errors_name_the_file_and_the_reason(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="directory"):
        read_bytes(str(tmp_path))
    file = tmp_path / "mine.toml"
    cases = {
        b"\xff": "not a text file in UTF-8",
        b"a = ": "not TOML: ",
        b"a = 1" + b"0" * 5000: "a number has too many digits",
        b"a = " + b"[" * 5000 + b"]" * 5000: "is nested too deeply",
    }
    for content, problem in cases.items():
        file.write_bytes(content)
        with pytest.raises(ParseError, match=problem) as caught:
            read_toml(str(file))
        assert caught.value.source == str(file)
    for name in ("absent.toml", "nul\0.toml"):
        with pytest.raises(ParseError, match="cannot be read: ") as caught:
            read_text(str(tmp_path / name))
    file.write_bytes("a = 1.50\nb = 'µ'\n".encode())
    assert read_toml(str(file)) == {"a": 1.5, "b": "µ"}
    assert str(read_toml(str(file), Decimal)["a"]) == "1.50"


def test_the_reason_is_that_of_the_system_where_it_has_one() -> None:
    assert reason_of(OSError(errno.ENOSPC, "disk full")) == "disk full"
    assert reason_of(ValueError("embedded null byte")) == "embedded null byte"


def test_what_is_there_is_a_file_or_a_directory(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"1234")
    known = {file: (True, False), tmp_path: (False, True), tmp_path / "absent": (False, False)}
    for path, expected in known.items():
        assert (is_file(path), is_directory(path)) == expected
    assert (is_file("nul\0"), is_directory("nul\0"), status_of("nul\0")) == (False, False, None)
    status = status_of(file)
    assert status is not None
    assert status.st_size == 4


def test_a_file_is_replaced_with_its_permissions(tmp_path: Path) -> None:
    target, link = tmp_path / "out.txt", tmp_path / "link.txt"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_whole(link, b"new")
    assert (target.read_bytes(), stat.S_IMODE(target.stat().st_mode)) == (b"new", 0o640)
    assert link.is_symlink()
    write_whole(tmp_path / "fresh.txt", b"first")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["fresh.txt", "link.txt", "out.txt"]


def test_a_draft_has_the_name_of_its_file_and_its_directory_is_refused(tmp_path: Path) -> None:
    with draft_of(tmp_path / "plot.svg") as draft:
        assert draft.name == "plot.svg"
        assert draft != tmp_path / "plot.svg"
        draft.write_bytes(b"drawn")
    assert (tmp_path / "plot.svg").read_bytes() == b"drawn"
    with pytest.raises(OSError, match=r".+"):
        write_whole(tmp_path, b"")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with a name")
def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(pipe, b"through")
        assert os.read(end, 100) == b"through"
    finally:
        os.close(end)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
