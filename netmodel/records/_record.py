"""What the larger records have in common: their parts, their grades, and how they print."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from netmodel._html import definition_table
from netmodel.records._times import Times
from netmodel.records._values import FROZEN, Grade, Sourced, Text

__all__ = ["Record"]


class Record(BaseModel):
    """What records of files with many values have in common."""

    model_config = FROZEN

    id: Text
    title: Text
    description: Text | None = None
    unknown: tuple[Text, ...] = ()

    @property
    def parts(self) -> dict[str, Sourced]:
        """Everything in it that has a source, by name."""
        return dict(_parts("", self, (Sourced,)))

    @property
    def grades(self) -> tuple[Grade, ...]:
        """Grades of evidence that it rests on, best first."""
        present = {part.grade for part in self.parts.values()}
        return tuple(grade for grade in Grade if grade in present)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What of it is only assumed, and why."""
        return tuple(
            f"{self.id}: {name} {part} is assumed: {part.note}"
            for name, part in self.parts.items()
            if part.grade is Grade.ASSUMED
        )

    @property
    def headline(self) -> dict[str, Any]:
        """What tells it from others of its kind at a glance, by name, as JSON has it."""
        return {}

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON has it: numbers of values as text, with their printed digits."""
        return self.model_dump(mode="json", by_alias=True)

    def __str__(self) -> str:
        rows = (f"  {name}: {' '.join(text.split())}" for name, text in self._rows())
        return "\n".join([self._caption(), *rows])

    def _repr_html_(self) -> str:
        return definition_table(self._caption(), self._rows())

    def _caption(self) -> str:
        return f"{self.id}: {self.title}"

    def _rows(self) -> Iterator[tuple[str, str]]:
        if self.description:
            yield "description", self.description
        for name, text in _shown(self):
            yield name.replace("_", " "), text
        for text in self.unknown:
            yield "unknown", text


def _shown(record: BaseModel) -> Iterator[tuple[str, str]]:
    """Each part as text; points of a stage that are from one place tell it once."""
    for name, part in _parts("", record, (Sourced, Times)):
        if isinstance(part, Sourced):
            yield name, f"{part} ({part.provenance})"
        elif part.provenance:
            yield name, f"{part} ({part.provenance})"
            for place, several in part.by_connections:
                points = enumerate(several.points, start=1)
                yield from ((f"{name}{place} {n}", str(one)) for n, one in points)
        else:
            for place, one in _parts(name, part, (Sourced,)):
                yield place, f"{one} ({one.provenance})"


def _parts(
    name: str, value: object, kinds: tuple[type[BaseModel], ...]
) -> Iterator[tuple[str, Any]]:
    """What is of these kinds, however deep, with the names on the way."""
    if isinstance(value, kinds):
        yield name, value
    elif isinstance(value, BaseModel):
        for key, member in value:
            yield from _parts(f"{name}.{key.rstrip('_')}".lstrip("."), member, kinds)
    elif isinstance(value, Mapping):
        for key, member in value.items():
            yield from _parts(f"{name}.{key}", member, kinds)
    elif isinstance(value, tuple):
        for number, member in enumerate(value, start=1):
            yield from _parts(f"{name}.{getattr(member, 'name', number)}", member, kinds)
