"""A mapping that is data: it does not change, and has a hash."""

from collections.abc import Iterator, Mapping
from typing import TypeVar

__all__ = ["FrozenMapping"]

Held = TypeVar("Held")


class FrozenMapping(Mapping[str, Held]):
    """A mapping that does not change, so that what holds it can be a member of a set."""

    def __init__(self, members: Mapping[str, Held]) -> None:
        self._members = dict(members)

    def __getitem__(self, name: str) -> Held:
        return self._members[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __hash__(self) -> int:
        return hash(frozenset(self._members.items()))

    def __repr__(self) -> str:
        return repr(self._members)
