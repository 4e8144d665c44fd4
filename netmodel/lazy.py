"""Libraries of extras, imported when they are used."""

from collections.abc import Iterator
from contextlib import contextmanager

from netmodel.errors import MissingPartError


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Around an import: says which extra brings what is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingPartError(
            f"{error.name} is not installed; pip install 'netmodel[{name}]' brings it"
        ) from None
