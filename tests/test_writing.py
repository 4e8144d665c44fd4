"""Files are written whole or not at all: an end by force, a full disk, two writers at once."""

import ast
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from invocation import PACKAGE_DIRECTORY

from netmodel.writing import write_whole

OLD, NEW = b"old\n" * 100_000, b"new\n" * 100_000


WRITER = """
import os, signal, sys
from pathlib import Path
from netmodel.records import data_path
from netmodel.writing import write_whole

left = int(sys.argv[2])
place = str(Path(sys.argv[1]).parent)

def hook(event, arguments):
    global left
    if any(isinstance(each, str) and each.startswith(place) for each in arguments):
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(hook)
write_whole(sys.argv[1], b"new\\n" * 100_000)
"""


def test_an_end_by_force_at_any_step_leaves_the_old_file_or_the_new(tmp_path: Path) -> None:
    """Each call of the system on the directory is an audit event of Python; one after the other."""
    results = []
    for step in range(1, 30):
        target = tmp_path / "out.bin"
        target.write_bytes(OLD)
        done = subprocess.run(
            [sys.executable, "-c", WRITER, str(target), str(step)],
            env={**os.environ, "PYTHONPATH": PACKAGE_DIRECTORY},
            check=False,
        )
        results.append(target.read_bytes())
        if done.returncode != -signal.SIGKILL:
            break
    assert done.returncode == 0
    assert set(results) == {OLD, NEW}
    assert results == sorted(results, reverse=True), "first old, then new"


@pytest.mark.parametrize("kind", [KeyboardInterrupt, MemoryError, OSError])
def test_an_interruption_leaves_the_old_file_and_nothing_else(
    kind: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "out.bin"
    target.write_bytes(OLD)
    for step in (Path.write_bytes, Path.replace):

        def halted(path: Path, *_: object, write: bool = step is Path.write_bytes) -> None:
            if write:
                with path.open("wb") as file:
                    file.write(NEW[:1000])
            raise kind

        with monkeypatch.context() as patched:
            patched.setattr(Path, step.__name__, halted)
            with pytest.raises(kind):
                write_whole(target, NEW)
        assert target.read_bytes() == OLD
        assert list(tmp_path.iterdir()) == [target]


def test_a_dash_is_no_file() -> None:
    with pytest.raises(OSError, match="name a file"):
        write_whole("-", NEW)


def test_a_file_keeps_its_permissions_and_a_link_its_target(tmp_path: Path) -> None:
    target, link = tmp_path / "out.bin", tmp_path / "link.bin"
    target.write_bytes(OLD)
    link.symlink_to(target)
    for mode in (0o640, 0o755):
        target.chmod(mode)
        write_whole(link, NEW)
        assert link.is_symlink()
        assert target.read_bytes() == NEW
        assert target.stat().st_mode & 0o777 == mode


WRITES = {"write_text", "write_bytes", "to_csv", "to_netcdf", "to_parquet", "to_html", "to_json"}
WRITES |= {"write_table", "savefig", "dump", "savez", "tofile"}
IN_A_DRAFT = {
    "netmodel/writing.py",
    "netmodel/records/_write.py",
}
ELSEWHERE = {
    "netmodel/report/drawing.py": "savefig into memory",
}


def writes(text: bytes) -> bool:
    """Whether source calls what writes a file."""
    if not any(each.encode() in text for each in (*WRITES, "open")):
        return False
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    return any(getattr(call.func, "attr", "") in WRITES or opens_to_write(call) for call in calls)


def opens_to_write(call: ast.Call) -> bool:
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    given = [*call.args, *(each.value for each in call.keywords)]
    modes = {each.value for each in given if isinstance(each, ast.Constant)}
    return name == "open" and any(re.fullmatch(r"[wax]b?|rb?\+b?", str(each)) for each in modes)


def test_every_file_is_written_by_the_one_module_for_it() -> None:
    package = Path(PACKAGE_DIRECTORY)
    found = {
        str(path.relative_to(package))
        for path in (package / "netmodel").rglob("*.py")
        if writes(path.read_bytes())
    }
    assert found == IN_A_DRAFT | ELSEWHERE.keys()
