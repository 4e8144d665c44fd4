"""Samples with other words in them."""

from pathlib import Path

__all__ = ["with_changes"]


def with_changes(sample: Path, *changes: tuple[str, str]) -> bytes:
    """The bytes of a sample, each old text in it, which must be there, replaced by a new one."""
    text = sample.read_bytes()
    for old, new in changes:
        assert old.encode() in text
        text = text.replace(old.encode(), new.encode())
    return text
