"""What wheel and source distribution hold: python tests/distributions.py DIRECTORY."""

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

from packaging.metadata import Metadata

__all__ = ["metadata_faults", "sdist_faults", "wheel_faults"]

Files = dict[str, bytes]
IN_WHEEL = ("netmodel/py.typed", "netmodel/_data/documents.toml")
IN_SDIST = ("LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff", "pyproject.toml", "PKG-INFO")
TREES = ("data", "docs", "netmodel", "notebooks", "requirements", "tests")
EXTRAS = frozenset({"all", "docs", "notebook", "plot", "report", "sweep", "test", "testing"})
JUNK = re.compile(
    r"(^|/)(__pycache__|\.venv[^/]*|build|dist|generated|\.\w+_cache|\.hypothesis|\.git|"
    r"\.ipynb_checkpoints|\.DS_Store)(/|$)|\.(py[cod]|so|orig|rej|swp)$|~$"
)
"""What a build must not take from a checkout in use."""


def wheel_faults(files: Files, checkout: str) -> list[str]:
    """What is wrong with a wheel."""
    (information,) = {name.partition("/")[0] for name in files if ".dist-info/" in name}
    tops = {name.partition("/")[0] for name in files} - {"netmodel", information}
    return [
        *_faults(files, (*IN_WHEEL, f"{information}/licenses/LICENSE"), checkout),
        *(f"{each} beside the package" for each in sorted(tops)),
        *metadata_faults(files[f"{information}/METADATA"]),
    ]


def sdist_faults(files: Files, checkout: str, tracked: set[str]) -> list[str]:
    """The same of a source distribution, whose files are those of the checkout."""
    trees = [tree for tree in TREES if not any(name.startswith(f"{tree}/") for name in files)]
    others = set(files) ^ (tracked | {"PKG-INFO"}) if tracked else set()
    return [
        *_faults(files, IN_SDIST, checkout),
        *(f"{tree}/ is missing" for tree in trees),
        *(f"{name} is in one of checkout and source distribution only" for name in sorted(others)),
        *metadata_faults(files["PKG-INFO"]),
    ]


def metadata_faults(text: bytes) -> list[str]:
    """What is wrong with metadata, as package indexes see it."""
    try:
        known = Metadata.from_email(text, validate=True)
    except ExceptionGroup as group:
        return [str(error) for error in group.exceptions]
    faults = {
        "no extra as in pyproject.toml": set(known.provides_extra or ()) != EXTRAS,
        "no licence expression": not known.license_expression,
        "no licence file": "LICENSE" not in (known.license_files or ()),
        "no description": not known.description or not known.summary,
        "description is no Markdown": known.description_content_type != "text/markdown",
        "no lowest Python": known.requires_python is None,
    }
    return [fault for fault, is_there in faults.items() if is_there]


def _faults(files: Files, needed: tuple[str, ...], checkout: str) -> list[str]:
    own = checkout.encode()
    return [
        *(f"{name} is missing" for name in needed if name not in files),
        *(f"{name} is no file to publish" for name in files if JUNK.search(name)),
        *(f"{name} names the directory {checkout}" for name, text in files.items() if own in text),
        *(f"{name} is empty data" for name, text in files.items() if "data/" in name and not text),
    ]


def _wheel(path: Path) -> Files:
    with zipfile.ZipFile(path) as archive:
        return {each: archive.read(each) for each in archive.namelist()}


def _sdist(path: Path) -> Files:
    with tarfile.open(path) as archive:
        return {
            member.name.partition("/")[2]: content.read()
            for member in archive
            if (content := archive.extractfile(member))
        }


def _tracked(checkout: Path) -> set[str]:
    """Files of the checkout that are not ignored; none where it is not from git."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        done = subprocess.run(command, cwd=checkout, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return set()
    return {name for name in done.stdout.decode().split("\0") if (checkout / name).is_file()}


def _main(directory: Path) -> int:
    checkout = Path.cwd()
    (wheel,), (sdist,) = directory.glob("*.whl"), directory.glob("*.tar.gz")
    in_wheel, in_sdist = _wheel(wheel), _sdist(sdist)
    for path, files in ((wheel, in_wheel), (sdist, in_sdist)):
        sys.stdout.write(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB, {len(files)} files\n")
    faults = wheel_faults(in_wheel, str(checkout))
    faults += sdist_faults(in_sdist, str(checkout), _tracked(checkout))
    sys.stdout.writelines(f"{fault}\n" for fault in faults)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(_main(Path(sys.argv[1])))
