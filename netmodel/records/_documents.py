"""The documents that records cite."""

from typing import Annotated

from pydantic import BaseModel, Field, RootModel

from netmodel.records._files import data_path
from netmodel.records._load import read_toml, unknown_record, validated
from netmodel.records._values import FROZEN, Text

__all__ = ["Document", "document", "document_ids"]


class Document(BaseModel):
    """
    A source that records cite by its id.

    Parameters
    ----------
    title : str
        As the document has it.
    publisher : str
        Who published it.
    authors : tuple of str
        Who wrote it; empty where the document names nobody.
    year : int, optional
        Of publication; absent where the document does not tell it.
    """

    model_config = FROZEN

    title: Text
    publisher: Text
    authors: tuple[Text, ...] = ()
    year: Annotated[int, Field(strict=True, ge=1)] | None = None

    def __str__(self) -> str:
        year = [str(self.year)] if self.year else []
        return ", ".join([*self.authors, f'"{self.title}"', self.publisher, *year])


class _Documents(RootModel[dict[str, Document]]):
    """All documents by id."""


def document(name: str) -> Document:
    """
    A document that records cite.

    Parameters
    ----------
    name : str
        Its id, one of `document_ids`.

    Returns
    -------
    document : Document
        Who published what, and when.

    Raises
    ------
    UnknownRecordError
        If there is no such document.

    Examples
    --------
    >>> print(document("zvm"))
    "Layer 3 and Layer 2 Comparisons", IBM, z/VM performance report
    """
    documents = _documents()
    if name not in documents:
        raise unknown_record("document", name, documents)
    return documents[name]


def document_ids() -> tuple[str, ...]:
    """
    Ids of the documents that records cite.

    Returns
    -------
    ids : tuple of str
        In alphabetical order.

    Raises
    ------
    MissingDataError
        If netmodel was installed without its data.

    Examples
    --------
    >>> "adapter" in document_ids()
    True
    """
    return tuple(sorted(_documents()))


def _documents() -> dict[str, Document]:
    path = str(data_path("documents.toml"))
    return validated(path, _Documents, read_toml(path)).root
