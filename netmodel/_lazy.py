"""Libraries of extras, imported when they are used, and where netmodel itself is from."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from netmodel.errors import MissingExtraError

PACKAGE = Path(__file__).parent
"""Directory of netmodel itself."""


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Around an import: says which extra brings what is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"{error.name} is not installed; {install_command(name)} brings it"
        ) from None


def install_command(extra: str) -> str:
    """How to install an extra for this netmodel: a checkout, one of a file, or of an index."""
    from shlex import quote

    if root := checkout():
        return f"pip install -e {quote(f'{root}[{extra}]')}"
    origin = _local_origin() or "netmodel"
    return f"pip install {quote(f'{origin}[{extra}]')}"


def checkout() -> Path | None:
    """The directory of the project that this package is in; None where it is installed."""
    project = PACKAGE.parent / "pyproject.toml"
    if not project.is_file() or 'name = "netmodel"' not in project.read_text(encoding="utf-8"):
        return None
    return project.parent


def _local_origin() -> Path | None:
    """Directory or wheel that netmodel was installed from (PEP 610); None where it is gone."""
    import json
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    try:
        known = json.loads(distribution("netmodel").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return None
    url = urlsplit(known.get("url", ""))
    origin = Path(url2pathname(url.path))
    return origin if url.scheme == "file" and origin.exists() else None
